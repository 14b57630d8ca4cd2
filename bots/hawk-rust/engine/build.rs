//! Compiles the messages of the protocol: its `proto/` becomes the Rust code that `src/lib.rs` includes as `arena`.

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

use prost::Message;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=../proto/arena/v1");
    let files = protox::compile(["arena/v1/bot.proto", "arena/v1/lobby.proto"], ["../proto"])?;
    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out.join("arena.bin"), files.encode_to_vec())?;
    prost_build::Config::new().compile_fds(files)?;
    Ok(())
}
