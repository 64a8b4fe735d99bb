//! What the README shows is what a reader gets: each `console` block is run by a real shell, with the real kubectl.

use std::process::Command;

/// Commands, each with what it prints.
fn console_blocks(markdown: &str) -> Vec<(String, String)> {
    markdown
        .split("```console\n")
        .skip(1)
        .filter_map(|rest| {
            let (command, output) = rest.split_once("```")?.0.strip_prefix("$ ")?.split_once('\n')?;
            Some((command.to_owned(), output.to_owned()))
        })
        .collect()
}

#[test]
fn every_console_block_prints_what_it_says() {
    let plugins = std::path::Path::new(env!("CARGO_BIN_EXE_kubectl-ucp")).parent().unwrap();
    let path = format!("{}:{}", plugins.display(), std::env::var("PATH").unwrap());
    let blocks = console_blocks(&std::fs::read_to_string("README.md").unwrap());
    assert!(!blocks.is_empty(), "the README has a picture");
    for (command, expected) in blocks {
        let output =
            Command::new("sh").args(["-c", &command]).env("PATH", &path).env_remove("COLUMNS").output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        snapbox::assert_data_eq!(printed, expected);
    }
}

#[test]
fn ci_runs_the_very_test_command_that_the_readme_gives() {
    let readme = std::fs::read_to_string("README.md").unwrap();
    let command = readme.lines().map(str::trim).find(|line| line.starts_with("cargo test")).unwrap();
    let script = std::fs::read_to_string(".ci/run").unwrap();
    assert!(script.lines().any(|line| line == command), "{command}");
}
