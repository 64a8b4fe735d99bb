//! Writes a man page for every command into a directory: `cargo run --example man -- DIRECTORY`.

use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let directory: PathBuf = std::env::args_os().nth(1).map_or_else(|| "target/man".into(), PathBuf::from);
    std::fs::create_dir_all(&directory)?;
    clap_mangen::generate_to(ucp::cli::command(), directory)
}
