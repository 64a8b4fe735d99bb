//! What a release packs: archives that krew can read, and a manifest by krew's rules.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Targets of a release, and the platforms that krew calls them.
const TARGETS: &[(&str, &str, &str)] = &[
    ("x86_64-unknown-linux-musl", "linux", "amd64"),
    ("aarch64-unknown-linux-musl", "linux", "arm64"),
    ("x86_64-apple-darwin", "darwin", "amd64"),
    ("aarch64-apple-darwin", "darwin", "arm64"),
    ("x86_64-pc-windows-msvc", "windows", "amd64"),
];

/// Runs a program of the package; its standard output.
fn output(command: &mut Command) -> String {
    let output = command.current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Packs a program as if it had been built for a target.
fn pack(dist: &Path, target: &str, binary: &Path) {
    output(Command::new(".ci/release").arg(target).env("UCP_DIST", dist).env("UCP_BINARY", binary));
}

/// A small file in the place of a program, for what is not going to be run.
fn stand_in() -> &'static Path {
    Path::new("clippy.toml")
}

fn manifest(dist: &Path) -> Value {
    let text = output(Command::new(".ci/krew-manifest").arg("example/kubectl-ucp").env("UCP_DIST", dist));
    serde_saphyr::from_str(&text).unwrap()
}

/// The rules of krew's `validation.ValidatePlugin`, and of its reviewers.
#[test]
fn the_manifest_keeps_krews_rules() {
    let dist = tempfile::tempdir().unwrap();
    TARGETS.iter().for_each(|(target, ..)| pack(dist.path(), target, stand_in()));
    let manifest = manifest(dist.path());
    assert_eq!(manifest["apiVersion"], "krew.googlecontainertools.github.com/v1alpha2");
    assert_eq!(manifest["kind"], "Plugin");
    assert_eq!(manifest["metadata"]["name"], "ucp");
    let spec = &manifest["spec"];
    assert_eq!(spec["version"], concat!("v", env!("CARGO_PKG_VERSION")));
    let short = spec["shortDescription"].as_str().unwrap();
    assert!(short.len() <= 50 && !short.contains('\n') && !short.ends_with('.'), "{short}");
    assert!(spec["caveats"].as_str().unwrap().contains("kubectl ucp completion install"));
    let platforms = spec["platforms"].as_array().unwrap();
    assert_eq!(platforms.len(), TARGETS.len());
    for (platform, (_, system, architecture)) in platforms.iter().zip(TARGETS) {
        let labels = serde_json::json!({"matchLabels": {"os": system, "arch": architecture}});
        assert_eq!(platform["selector"], labels);
        let archive = dist.path().join(platform["uri"].as_str().unwrap().rsplit('/').next().unwrap());
        let sum = output(Command::new("sha256sum").arg(&archive));
        assert_eq!(platform["sha256"], sum.split(' ').next().unwrap());
        let (list, suffix) = match *system {
            "windows" => (output(Command::new("unzip").arg("-Z1").arg(&archive)), ".exe"),
            _ => (output(Command::new("tar").arg("-tzf").arg(&archive)), ""),
        };
        assert_eq!(platform["bin"], format!("kubectl-ucp{suffix}"));
        let files: Vec<_> = list.lines().collect();
        let binary = format!("kubectl-ucp{suffix}");
        for file in [&binary, "LICENSE", "README.md", "completions/kubectl-ucp.bash", "man/kubectl-ucp-status.1"] {
            assert!(files.contains(&file), "{file} is missing from {files:?}");
        }
    }
    // krew refuses every entry that is neither a file nor a directory.
    let entries = output(Command::new("tar").arg("-tvzf").arg(dist.path().join("kubectl-ucp-linux-amd64.tar.gz")));
    assert!(entries.lines().all(|entry| entry.starts_with(['-', 'd'])), "{entries}");
}

#[test]
fn the_same_files_make_the_same_archive() {
    let [one, two] = [(); 2].map(|()| {
        let dist = tempfile::tempdir().unwrap();
        pack(dist.path(), TARGETS[0].0, stand_in());
        manifest(dist.path())["spec"]["platforms"][0]["sha256"].clone()
    });
    assert_eq!(one, two);
}

/// krew unpacks into its store, and links `kubectl-NAME` to the program there.
#[test]
fn what_krew_installs_runs() {
    let directory = tempfile::tempdir().unwrap();
    let (dist, store, bin) =
        (directory.path().join("dist"), directory.path().join("store/ucp/v0"), directory.path().join("bin"));
    for path in [&dist, &store, &bin] {
        std::fs::create_dir_all(path).unwrap();
    }
    let target = format!("{}-unknown-linux-musl", std::env::consts::ARCH);
    // As a release is built: without symbols, which would take long to pack.
    let program = directory.path().join("kubectl-ucp");
    output(Command::new("strip").arg("-o").arg(&program).arg(env!("CARGO_BIN_EXE_kubectl-ucp")));
    pack(&dist, &target, &program);
    let manifest = manifest(&dist);
    let platform = &manifest["spec"]["platforms"][0];
    let archive = dist.join(platform["uri"].as_str().unwrap().rsplit('/').next().unwrap());
    output(Command::new("tar").arg("-xzf").arg(archive).arg("-C").arg(&store));
    std::os::unix::fs::symlink(store.join(platform["bin"].as_str().unwrap()), bin.join("kubectl-ucp")).unwrap();
    let kubectl = |arguments: &[&str]| {
        let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
        let mut command = Command::new("kubectl");
        command.args(arguments).env("PATH", path).env("HOME", directory.path()).env_remove("KUBECONFIG");
        output(&mut command)
    };
    assert!(kubectl(&["ucp", "version"]).starts_with(concat!("Client Version: v", env!("CARGO_PKG_VERSION"))));
    // krew links one program; the caveats say how to get the other, and it outlives an upgrade.
    kubectl(&["ucp", "completion", "install"]);
    assert_eq!(std::fs::read_link(bin.join("kubectl_complete-ucp")).unwrap(), Path::new("kubectl-ucp"));
}
