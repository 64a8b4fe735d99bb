//! Packages of a release: Debian, Red Hat, Homebrew, Nix and cargo-binstall get the files of the archives.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use crate::release::{TARGETS, checksum, dist, output};
use crate::support;

/// The files of the archive for this machine.
fn packed() -> BTreeSet<String> {
    let archive = archive();
    let listed = output(Command::new("tar").arg("-tzf").arg(dist().join(archive)));
    listed.lines().map(|path| path.trim_start_matches("./").to_owned()).collect()
}

fn archive() -> String {
    let target = format!("{}-unknown-linux-musl", std::env::consts::ARCH);
    let (_, system, architecture) = TARGETS.iter().find(|(name, ..)| *name == target).unwrap();
    format!("kubectl-ucp-{system}-{architecture}.tar.gz")
}

#[test]
fn binstall_downloads_the_archives_of_a_release() {
    let text = std::fs::read_to_string("Cargo.toml").unwrap();
    let overrides: Vec<(&str, &str)> = text
        .split("\n[")
        .filter_map(|table| table.strip_prefix("package.metadata.binstall.overrides.")?.split_once("]\n"))
        .collect();
    let archives = TARGETS.iter().map(|(target, system, architecture)| {
        let format = if *system == "windows" { "zip" } else { "tar.gz" };
        (*target, format!("kubectl-ucp-{system}-{architecture}.{format}"))
    });
    let archives: Vec<(&str, String)> = archives.collect();
    for (target, archive) in &archives {
        let (_, table) = overrides.iter().find(|(name, _)| name == target).unwrap_or_else(|| panic!("{target}"));
        let url = format!("pkg-url = \"{{ repo }}/releases/download/v{{ version }}/{archive}\"");
        assert!(table.contains(&url), "{target}: {table}");
        assert_eq!(table.contains("pkg-fmt = \"zip\""), archive.ends_with(".zip"), "{target}: {table}");
    }
    for (target, table) in &overrides {
        // A static program also runs with glibc.
        let same = target.replace("-gnu", "-musl");
        let (_, archive) = archives.iter().find(|(name, _)| *name == same).unwrap_or_else(|| panic!("{target}"));
        assert!(table.contains(archive), "{target}: {table}");
    }
    assert!(text.contains("bin-dir = \"{ bin }{ binary-ext }\"") && packed().contains("kubectl-ucp"));
}

#[test]
fn homebrew_and_nix_install_files_that_exist() {
    let packed = packed();
    let formula = output(Command::new(".ci/homebrew-formula").env("UCP_DIST", dist()));
    let (_, install) = formula.split_once("def install").unwrap();
    let (install, _) = install.split_once("  end").unwrap();
    let quoted = regex::Regex::new("(=> )?\"([^\"]+)\"").unwrap();
    let files = quoted.captures_iter(install).filter(|found| found.get(1).is_none()).map(|found| found[2].to_owned());
    let files: Vec<String> = files.collect();
    let is_packed = |file: &str| match file.split_once('*') {
        Some((directory, end)) => packed.iter().any(|path| path.starts_with(directory) && path.ends_with(end)),
        None => packed.contains(file) || packed.iter().any(|path| path.starts_with(&format!("{file}/"))),
    };
    assert!(files.len() > 5 && files.iter().all(|file| is_packed(file)), "{files:?} {packed:?}");
    // Nix makes the same files as an archive has.
    let nix = std::fs::read_to_string("packaging/default.nix").unwrap();
    let words = nix.split_whitespace().filter(|word| word.contains('/'));
    let made: Vec<&str> = words.clone().filter_map(|word| word.strip_prefix("package/")).collect();
    assert!(made.len() > 3 && made.iter().all(|file| is_packed(file)), "{made:?}");
    let sources: Vec<&str> = words.filter(|word| word.starts_with("plugins/") || word.starts_with("../C")).collect();
    let exists =
        |file: &&str| Path::new("packaging").join(file.trim_end_matches(';')).exists() || Path::new(file).exists();
    assert!(sources.len() > 2 && sources.iter().all(exists), "{sources:?}");
}

/// Needs cargo-deb and cargo-generate-rpm, as the workflow of a release installs them.
#[test]
fn packages_for_debian_and_red_hat_have_a_program_that_runs() {
    let is_there =
        |tool: &str| Command::new("cargo").args([tool, "--version"]).output().is_ok_and(|run| run.status.success());
    if !is_there("deb") || !is_there("generate-rpm") {
        support::print_notice("TESTS OF PACKAGES DID NOT RUN: cargo-deb or cargo-generate-rpm is not installed");
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    std::fs::copy(dist().join(archive()), directory.path().join(archive())).unwrap();
    let architecture = if std::env::consts::ARCH == "aarch64" { "arm64" } else { "amd64" };
    let written = output(Command::new(".ci/linux-packages").arg(architecture).env("UCP_DIST", directory.path()));
    let packages: Vec<&Path> = written.lines().map(Path::new).collect();
    assert_eq!(packages.len(), 2, "{written}");
    for package in &packages {
        let sum = std::fs::read_to_string(format!("{}.sha256", package.display())).unwrap();
        assert!(sum.starts_with(&checksum(package)), "{sum}");
    }
    let unpacked = directory.path().join("unpacked");
    output(Command::new("dpkg-deb").arg("-x").arg(packages[0]).arg(&unpacked));
    let version = output(Command::new(unpacked.join("usr/bin/kubectl-ucp")).args(["version", "--client"]));
    assert!(version.contains(concat!("v", env!("CARGO_PKG_VERSION"))), "{version}");
    for file in [
        "usr/bin/kubectl_complete-ucp",
        "usr/share/man/man1/kubectl-ucp.1.gz",
        "usr/share/bash-completion/completions/kubectl-ucp",
        "usr/share/doc/kubectl-ucp/copyright",
    ] {
        assert!(unpacked.join(file).is_file(), "{file}");
    }
}
