//! The manifest and the archives of a release, accepted by krew itself on every platform.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::release;
use crate::support::{self, cache};

const MODULE: &str = "tests/krew";
const PROGRAMS: [&str; 2] = ["krew", "validate-krew-manifest"];

/// The directory of krew's programs, built once. `None` where Go or a network is missing, which is reported; under
/// `CI=true` that is a failure.
fn programs() -> Option<PathBuf> {
    let module = Path::new(MODULE);
    let built = cache::required_version(module, "sigs.k8s.io/krew").and_then(|version| {
        let name = Path::new("krew").join(format!("{version}-{}", cache::platform()));
        let missing = |directory: &Path| match PROGRAMS.iter().find(|program| !directory.join(program).is_file()) {
            Some(program) => Err(format!("{} has no {program}", directory.display())),
            None => Ok(()),
        };
        cache::filled(&name, missing, |into| {
            support::print_notice(&format!("building krew {version} for the tests, once"));
            PROGRAMS.iter().try_for_each(|program| {
                cache::go_build(module, &format!("sigs.k8s.io/krew/cmd/{program}"), "-s -w", &into.join(program))
            })
        })
    });
    match built {
        Ok(directory) => Some(directory),
        Err(reason) => {
            let line = format!("TESTS WITH KREW DID NOT RUN: {reason}");
            assert!(std::env::var("CI").as_deref() != Ok("true"), "{line}");
            support::print_notice(&line);
            None
        }
    }
}

/// Runs a program of krew; its standard output and standard error.
#[track_caller]
fn krew(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(output.status.success(), "{command:?}: {text}");
    text
}

#[test]
fn krew_accepts_the_manifest_and_installs_every_archive() {
    let Some(programs) = programs() else { return };
    let dist = tempfile::tempdir().unwrap();
    release::TARGETS.iter().for_each(|(target, ..)| release::pack(dist.path(), target, release::stand_in()));
    let manifest = dist.path().join("ucp.yaml");
    std::fs::write(&manifest, release::manifest_text(dist.path())).unwrap();
    krew(Command::new(programs.join("validate-krew-manifest")).arg("-skip-install").arg("-manifest").arg(&manifest));

    for (_, system, architecture) in release::TARGETS {
        let root = tempfile::tempdir().unwrap();
        let (archive, program) = match *system {
            "windows" => ("zip", "kubectl-ucp.exe"),
            _ => ("tar.gz", "kubectl-ucp"),
        };
        let install = krew(
            Command::new(programs.join("krew"))
                .arg("install")
                .arg("--manifest")
                .arg(&manifest)
                .arg("--archive")
                .arg(dist.path().join(format!("kubectl-ucp-{system}-{architecture}.{archive}")))
                .env("KREW_ROOT", root.path())
                .env("KREW_OS", system)
                .env("KREW_ARCH", architecture),
        );
        assert!(install.contains("kubectl ucp completion install"), "{install}");
        let version = concat!("v", env!("CARGO_PKG_VERSION"));
        let store = root.path().join("store/ucp").join(version);
        for file in [program, "LICENSE", "docs/permissions.md"] {
            assert!(store.join(file).is_file(), "{system}-{architecture} has no {file}");
        }
        // krew's links on Windows are files that only Windows makes.
        if *system != "windows" {
            assert!(root.path().join("bin/kubectl-ucp").is_file(), "{install}");
        }
    }
}

/// Lines that krew's website and terminals cut off.
#[test]
fn descriptions_fit_a_terminal() {
    let text = std::fs::read_to_string("krew-manifests/ucp.yaml").unwrap();
    assert!(text.lines().filter(|line| !line.starts_with('#')).all(|line| line.len() <= 84), "{text}");
    let manifest: serde_json::Value = serde_saphyr::from_str(&text).unwrap();
    for field in ["description", "caveats"] {
        let text = manifest["spec"][field].as_str().unwrap();
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{field}: {text}");
    }
}
