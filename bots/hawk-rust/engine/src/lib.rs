//! The five games of the bot arena: rules, positions drawn from what a seat knows, and policies to play on by.
//!
//! They follow the rules in Python, which remain the reference.

pub mod cards;
pub mod chance;
pub mod encoding;
pub mod games;
pub mod list;
pub mod luck;
pub mod policy;
#[cfg(feature = "python")]
mod python;
pub mod sampling;
pub mod seated;
pub mod table;
pub mod wire;

/// The messages of the protocol, as `build.rs` made them from its .proto files.
#[allow(clippy::all)]
pub mod arena {
    include!(concat!(env!("OUT_DIR"), "/arena.v1.rs"));
}

/// The protocol's descriptors, as an encoded FileDescriptorSet.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/arena.bin"));
