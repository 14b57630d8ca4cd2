//! Compiles the services of the protocol: `proto/` becomes the Rust code that `src/main.rs` includes.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=proto/arena/v1");
    let files = protox::compile(["arena/v1/analysis.proto", "arena/v1/bot.proto", "arena/v1/lobby.proto"], ["proto"])?;
    tonic_prost_build::configure().extern_path(".arena.v1", "::arena_engine::arena").compile_fds(files)?;
    Ok(())
}
