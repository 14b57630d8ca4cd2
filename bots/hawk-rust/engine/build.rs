//! Compiles the messages of the protocol: its `proto/` becomes the Rust code that `src/lib.rs` includes as `arena`.
//! Computes the digest of the sources, by which the arena knows its own engine.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

use prost::Message;
use sha2::{Digest, Sha256};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=../proto/arena/v1");
    let files = protox::compile(["arena/v1/analysis.proto", "arena/v1/lobby.proto"], ["../proto"])?;
    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out.join("arena.bin"), files.encode_to_vec())?;
    prost_build::Config::new().compile_fds(files)?;
    println!("cargo:rerun-if-changed=src");
    println!("cargo:rustc-env=SOURCES={}", digest(Path::new("src"))?);
    Ok(())
}

/// The SHA-256 of the names and texts of the Rust files in a folder, as `arena/engine.py` of the arena computes it.
fn digest(folder: &Path) -> Result<String, Box<dyn Error>> {
    let mut files: Vec<(String, PathBuf)> = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder_inside) = folders.pop() {
        for entry in fs::read_dir(folder_inside)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let names: Vec<_> = path.strip_prefix(folder)?.iter().map(|name| name.to_string_lossy()).collect();
                files.push((names.join("/"), path.clone()));
            }
        }
    }
    files.sort();
    let mut digest = Sha256::new();
    for (name, path) in files {
        let text = fs::read(path)?;
        digest.update(format!("{name}\n{}\n", text.len()));
        digest.update(text);
    }
    Ok(digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}
