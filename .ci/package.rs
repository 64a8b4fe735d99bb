//! Writes the files of a package that are generated from the definition of the command line, `man/` and `completions/`,
//! into a directory: `cargo run --example package -- DIRECTORY`.

use std::fs::{create_dir_all, write};
use std::path::PathBuf;

use clap_complete::{Generator, Shell};

fn main() -> std::io::Result<()> {
    let directory: PathBuf = std::env::args_os().nth(1).map_or_else(|| "target/package".into(), PathBuf::from);
    let (man, completions) = (directory.join("man"), directory.join("completions"));
    create_dir_all(&man)?;
    create_dir_all(&completions)?;
    clap_mangen::generate_to(ucp::cli::command(), man)?;
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::PowerShell, Shell::Elvish] {
        write(completions.join(shell.file_name("kubectl-ucp")), ucp::cli::completion::script(shell))?;
    }
    Ok(())
}
