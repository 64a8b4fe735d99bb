//! The files of a release: archives that krew can read, a manifest by krew's rules, and an index that krew can add.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::{Value, json};

use crate::gitops::Gitops;
use crate::support::{self, directory::Directory};

/// Targets of a release, and the platforms that krew calls them.
pub(crate) const TARGETS: &[(&str, &str, &str)] = &[
    ("x86_64-unknown-linux-musl", "linux", "amd64"),
    ("aarch64-unknown-linux-musl", "linux", "arm64"),
    ("x86_64-apple-darwin", "darwin", "amd64"),
    ("aarch64-apple-darwin", "darwin", "arm64"),
    ("x86_64-pc-windows-msvc", "windows", "amd64"),
];

/// Runs a program of the package; its standard output.
#[track_caller]
pub(crate) fn output(command: &mut Command) -> String {
    let output = command.current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Packs a program as if it had been built for a target.
pub(crate) fn pack(dist: &Path, target: &str, binary: &Path) {
    output(Command::new(".ci/release").arg(target).env("UCP_DIST", dist).env("UCP_BINARY", binary));
}

/// The address of the repository: OWNER/REPOSITORY or the configured one.
pub(crate) fn address() -> String {
    output(&mut Command::new(".ci/address")).trim().to_owned()
}

/// A small file in the place of a program, for archives that are not run.
pub(crate) fn stand_in() -> &'static Path {
    Path::new("clippy.toml")
}

/// The manifest for the archives of a directory.
pub(crate) fn manifest_text(dist: &Path) -> String {
    output(Command::new(".ci/krew-manifest").arg("example/kubectl-ucp").env("UCP_DIST", dist))
}

fn manifest(dist: &Path) -> Value {
    serde_saphyr::from_str(&manifest_text(dist)).unwrap()
}

/// A directory with the archive for this machine: the release that `.ci/run` has built, or else the program under test
/// without its symbols, which would take long to pack.
pub(crate) fn dist() -> &'static Path {
    static PACKED: OnceLock<(Directory, PathBuf)> = OnceLock::new();
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    if let Some(built) = BUILT.get_or_init(|| std::env::var_os("UCP_RELEASE").map(PathBuf::from)) {
        return built;
    }
    let (_, dist) = PACKED.get_or_init(|| {
        let directory = Directory::create("release").unwrap();
        let (program, dist) = (directory.path().join("kubectl-ucp"), directory.path().join("dist"));
        output(Command::new("strip").arg("-o").arg(&program).arg(env!("CARGO_BIN_EXE_kubectl-ucp")));
        pack(&dist, &format!("{}-unknown-linux-musl", std::env::consts::ARCH), &program);
        (directory, dist)
    });
    dist
}

/// The rules of krew's `validation.ValidatePlugin`, and of its reviewers.
fn assert_valid(manifest: &Value) {
    assert_eq!(manifest["apiVersion"], "krew.googlecontainertools.github.com/v1alpha2");
    assert_eq!(manifest["kind"], "Plugin");
    assert_eq!(manifest["metadata"]["name"], "ucp");
    let spec = &manifest["spec"];
    let version = spec["version"].as_str().unwrap();
    let numbers: Vec<_> = version.strip_prefix('v').unwrap().split('.').collect();
    assert!(numbers.len() == 3 && numbers[..2].iter().all(|number| number.parse::<u32>().is_ok()), "{version}");
    let short = spec["shortDescription"].as_str().unwrap();
    assert!(short.len() <= 50 && !short.contains('\n') && !short.ends_with('.'), "{short}");
    assert!(spec["caveats"].as_str().unwrap().contains("kubectl ucp completion install"));
    for platform in spec["platforms"].as_array().unwrap() {
        let labels = platform["selector"]["matchLabels"].as_object().unwrap();
        assert_eq!(labels.keys().collect::<Vec<_>>(), ["arch", "os"]);
        let sum = platform["sha256"].as_str().unwrap();
        assert!(sum.len() == 64 && sum.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')), "{sum}");
        let suffix = if labels["os"] == "windows" { ".exe" } else { "" };
        assert_eq!(platform["bin"], format!("kubectl-ucp{suffix}"));
        let uri = platform["uri"].as_str().unwrap();
        assert!(uri.starts_with(&format!("{}/releases/download/{version}/", spec["homepage"].as_str().unwrap())));
        assert!(uri.ends_with(".tar.gz") || uri.ends_with(".zip"), "{uri}");
    }
}

fn archive(dist: &Path, platform: &Value) -> PathBuf {
    dist.join(platform["uri"].as_str().unwrap().rsplit('/').next().unwrap())
}

pub(crate) fn checksum(file: &Path) -> String {
    output(Command::new("sha256sum").arg(file)).split(' ').next().unwrap().to_owned()
}

#[test]
fn the_manifest_meets_the_requirements_of_krew() {
    let dist = tempfile::tempdir().unwrap();
    TARGETS.iter().for_each(|(target, ..)| pack(dist.path(), target, stand_in()));
    let manifest = manifest(dist.path());
    assert_valid(&manifest);
    assert_eq!(manifest["spec"]["version"], concat!("v", env!("CARGO_PKG_VERSION")));
    let platforms = manifest["spec"]["platforms"].as_array().unwrap();
    assert_eq!(platforms.len(), TARGETS.len());
    for (platform, (_, system, architecture)) in platforms.iter().zip(TARGETS) {
        assert_eq!(platform["selector"], json!({"matchLabels": {"os": system, "arch": architecture}}));
        let archive = archive(dist.path(), platform);
        assert_eq!(platform["sha256"], checksum(&archive));
        let (list, suffix) = match *system {
            "windows" => (output(Command::new("unzip").arg("-Z1").arg(&archive)), ".exe"),
            _ => (output(Command::new("tar").arg("-tzf").arg(&archive)), ""),
        };
        let files: Vec<_> = list.lines().collect();
        let binary = format!("kubectl-ucp{suffix}");
        for file in [
            &binary,
            "LICENSE",
            "README.md",
            "docs/permissions.md",
            "completions/kubectl-ucp.bash",
            "man/kubectl-ucp-status.1",
        ] {
            assert!(files.contains(&file), "{file} is missing from {files:?}");
        }
    }
    // krew refuses every entry that is neither a file nor a directory, and archives contain no user names.
    let entries = output(Command::new("tar").arg("-tvzf").arg(dist.path().join("kubectl-ucp-linux-amd64.tar.gz")));
    assert!(entries.lines().all(|entry| entry.starts_with('-') && entry.contains(" 0/0 ")), "{entries}");
}

/// The repository contains the files of the last release, or describes no release.
#[test]
fn the_repository_only_offers_released_archives() {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let text = read("krew-manifests/ucp.yaml").unwrap();
    let manifest: Value = serde_saphyr::from_str(&text).unwrap();
    let platforms = manifest["spec"]["platforms"].as_array().unwrap();
    let labels = |platform: &Value| platform["selector"]["matchLabels"].clone();
    let expected: Vec<_> = TARGETS.iter().map(|(_, os, arch)| json!({"os": os, "arch": arch})).collect();
    assert_eq!(platforms.iter().map(labels).collect::<Vec<_>>(), expected);
    // krew reads plugins/ of an index, which is another repository.
    assert_eq!(read("plugins/ucp.yaml"), None);
    if manifest["spec"].get("version").is_some() {
        assert_valid(&manifest);
    } else {
        assert!(platforms.iter().all(|platform| platform.get("sha256").is_none() && platform.get("uri").is_none()));
    }
}

/// The address of the repository is in one place, and nothing that a person copies holds another.
#[test]
fn a_single_command_sets_the_address_of_the_repository() {
    let copy = tempfile::tempdir().unwrap();
    let files = output(Command::new("git").args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]));
    let copied = |file: &&str| {
        let directories = ["docs/", "packaging/", ".github/", ".ci/", "krew-manifests/", "templates/"];
        !file.contains('/') || directories.iter().any(|directory| file.starts_with(directory))
    };
    for file in files.split_terminator('\0').filter(copied).filter(|file| Path::new(file).is_file()) {
        let target = copy.path().join(file);
        std::fs::create_dir_all(target.parent().unwrap()).unwrap();
        std::fs::copy(file, target).unwrap();
    }
    let run = |arguments: &[&str]| Command::new(copy.path().join(".ci/address")).args(arguments).output().unwrap();
    let before = String::from_utf8(run(&[]).stdout).unwrap().trim().to_owned();
    for wrong in [&["not an address"][..], &["elsewhere/ucp", "no index"], &["elsewhere/ucp", "elsewhere/ucp"]] {
        assert_eq!(run(wrong).status.code(), Some(2), "{wrong:?}");
    }
    let index = String::from_utf8(run(&["--krew-index"]).stdout).unwrap().trim().to_owned();
    assert!(!index.is_empty() && index != before);
    assert!(run(&["elsewhere/ucp.tool"]).status.success());
    assert_eq!(run(&[]).stdout, b"elsewhere/ucp.tool\n");
    assert_eq!(run(&["--krew-index"]).stdout, b"elsewhere/krew-index\n");
    let grep = |text: &str| {
        let output = Command::new("grep").args(["-rlF", text, "."]).current_dir(copy.path()).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    // The changelog is history, and scripts explain themselves with the form of an address.
    for old in [&before, &index] {
        let left: Vec<String> =
            grep(old).lines().filter(|file| !file.starts_with("./.ci/")).map(str::to_owned).collect();
        assert!(left.is_empty(), "{old} is still in {left:?}");
    }
    for file in ["./Cargo.toml", "./README.md", "./docs/ci.md", "./templates/promote.yml"] {
        assert!(grep("elsewhere/ucp.tool").contains(file), "{file}");
    }
    assert!(std::fs::metadata(copy.path().join(".ci/address")).unwrap().len() > 0);
    // An image cannot have capital letters.
    assert!(run(&["Else-Where/Tool"]).status.success());
    for file in ["./docs/install.md", "./docs/ci.md", "./templates/promote.yml", "./packaging/tekton-task.yaml"] {
        assert!(grep("ghcr.io/else-where/tool:").contains(file), "{file}");
    }
    assert_eq!(grep("ghcr.io/Else-Where"), "");
    assert!(run(&[&before, &index]).status.success());
    for file in
        ["Cargo.toml", "README.md", "docs/ci.md", "docs/install.md", "templates/promote.yml", "packaging/Containerfile"]
    {
        assert_eq!(std::fs::read(file).unwrap(), std::fs::read(copy.path().join(file)).unwrap(), "{file}");
    }
}

#[test]
fn the_homebrew_formula_only_has_existing_archives() {
    let dist = tempfile::tempdir().unwrap();
    TARGETS[..3].iter().for_each(|(target, ..)| pack(dist.path(), target, stand_in()));
    let formula = output(Command::new(".ci/homebrew-formula").env("UCP_DIST", dist.path()));
    let offered: Vec<_> = formula.lines().filter(|line| line.trim().starts_with("url ")).collect();
    assert_eq!(offered.len(), 3, "{formula}");
    for (_, system, architecture) in &TARGETS[..3] {
        let archive = format!("kubectl-ucp-{system}-{architecture}.tar.gz");
        let sum = checksum(&dist.path().join(&archive));
        let (_, rest) = formula.split_once(&format!("/{archive}\"\n")).unwrap();
        assert_eq!(rest.lines().next().unwrap().trim(), format!("sha256 \"{sum}\""));
    }
    // Homebrew reads the version from the URL, and its audit reports a second one as redundant.
    assert!(
        formula.contains(concat!("/download/v", env!("CARGO_PKG_VERSION"), "/")) && !formula.contains("  version ")
    );
}

#[test]
fn archives_are_reproducible() {
    for (target, ..) in [TARGETS[0], TARGETS[4]] {
        let [one, two] = [(); 2].map(|()| {
            let dist = tempfile::tempdir().unwrap();
            pack(dist.path(), target, stand_in());
            manifest(dist.path())["spec"]["platforms"][0]["sha256"].clone()
        });
        assert_eq!(one, two);
    }
}

/// This repository as GitHub would have it, and the index for krew, each with its bare repository.
struct Offered {
    source: (Gitops, PathBuf),
    index: (Gitops, PathBuf),
}

impl Offered {
    fn new() -> Self {
        let source = Gitops::with(&[]);
        let files =
            [".ci/krew-index", "krew-manifests/ucp.yaml", "plugins/kubectl-ucp.rs", "plugins/kubectl_complete-ucp"];
        for file in files {
            source.write(file, &std::fs::read_to_string(file).unwrap());
        }
        source.git(["add", "--all"]);
        source.git(["commit", "--quiet", "-m", "Source"]);
        std::fs::write(source.outside().join("manifest"), manifest_text(dist())).unwrap();
        let index = Gitops::with(&[("README.md", "An index\n")]);
        let (bare, index_bare) = (source.publish(), index.publish());
        Self { source: (source, bare), index: (index, index_bare) }
    }

    /// Runs `.ci/krew-index` as the release does.
    fn offer(&self, index: &Path) -> std::process::Output {
        self.source.0.command("bash").args([".ci/krew-index", "../manifest"]).arg(index).output().unwrap()
    }

    #[track_caller]
    fn offer_both(&self) -> String {
        let output = self.offer(self.index.0.top());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }
}

#[test]
fn a_release_is_offered_on_a_branch_of_its_own_and_merged_by_a_person() {
    let offered = Offered::new();
    let branch = concat!("krew-v", env!("CARGO_PKG_VERSION"));
    let log = |(repository, bare): &(Gitops, PathBuf), branch: &str| {
        repository.git(["--git-dir", bare.to_str().unwrap(), "log", "--format=%s", "-2", branch])
    };
    // The same release may be offered again.
    for _ in 0..2 {
        for (repository, last) in [(&offered.source, "Source"), (&offered.index, "Start")] {
            repository.0.git(["switch", "--quiet", "main"]);
            assert!(log(repository, "main").starts_with(last));
        }
        offered.offer_both();
        for (repository, last) in [(&offered.source, "Source"), (&offered.index, "Start")] {
            assert!(log(repository, "main").starts_with(last));
            let offer = concat!("Offer v", env!("CARGO_PKG_VERSION"), " to krew");
            assert_eq!(log(repository, branch), format!("{offer}\n{last}"));
        }
    }
    for (repository, _) in [&offered.source, &offered.index] {
        repository.git(["switch", "--quiet", "main"]);
        repository.git(["merge", "--quiet", branch]);
    }
    assert_eq!(offered.offer_both().matches("already").count(), 2);
    // This repository is no index.
    assert!(!offered.offer(offered.source.0.top()).status.success());
    assert!(!offered.source.0.top().join("plugins/ucp.yaml").exists());
}

/// `krew index add` clones, `krew install` reads the regular `.yaml` files in `plugins/`, checks the checksum, unpacks into
/// its store, and links `kubectl-NAME` to the program there.
#[test]
fn the_program_that_krew_installs_runs() {
    let offered = Offered::new();
    offered.offer_both();
    let (repository, bare) = &offered.index;
    repository.git(["switch", "--quiet", "main"]);
    repository.git(["merge", "--quiet", concat!("krew-v", env!("CARGO_PKG_VERSION"))]);
    repository.git(["push", "--quiet", "origin", "main"]);
    let home = repository.outside();
    let (index, store, bin) = (home.join("index"), home.join("store/ucp/v0"), home.join("bin"));
    repository.git(["clone", "--quiet", bare.to_str().unwrap(), index.to_str().unwrap()]);
    let entries = std::fs::read_dir(index.join("plugins")).unwrap().map(|entry| entry.unwrap());
    let manifests: Vec<PathBuf> = entries
        .filter(|entry| entry.file_type().unwrap().is_file())
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "yaml"))
        .collect();
    assert_eq!(manifests, [index.join("plugins/ucp.yaml")]);
    let text = std::fs::read_to_string(&manifests[0]).unwrap();
    assert_eq!(text, offered.source.0.read("krew-manifests/ucp.yaml"));
    let manifest: Value = serde_saphyr::from_str(&text).unwrap();
    assert_valid(&manifest);

    let platform = &manifest["spec"]["platforms"][0];
    let archive = archive(dist(), platform);
    assert_eq!(platform["sha256"], checksum(&archive));
    for path in [&store, &bin] {
        std::fs::create_dir_all(path).unwrap();
    }
    output(Command::new("tar").arg("-xzf").arg(archive).arg("-C").arg(&store));
    std::os::unix::fs::symlink(store.join(platform["bin"].as_str().unwrap()), bin.join("kubectl-ucp")).unwrap();
    let kubectl = |arguments: &[&str], kubeconfig: &Path| {
        let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
        output(
            Command::new("kubectl").args(arguments).env("PATH", path).env("HOME", home).env("KUBECONFIG", kubeconfig),
        )
    };
    let nothing = Path::new("/dev/null");
    assert!(kubectl(&["ucp", "version"], nothing).starts_with(concat!("Client Version: v", env!("CARGO_PKG_VERSION"))));
    // krew links one program; the caveats describe how to get the other, and it outlives an upgrade.
    kubectl(&["ucp", "completion", "install"], nothing);
    assert_eq!(std::fs::read_link(bin.join("kubectl_complete-ucp")).unwrap(), Path::new("kubectl-ucp"));

    if std::env::var_os("UCP_RELEASE").is_some() {
        let Some(cluster) = support::core_cluster() else { return };
        let version = kubectl(&["ucp", "version"], cluster.kubeconfig());
        let names: Vec<_> = version.lines().filter_map(|line| Some(line.split_once(": ")?.0)).collect();
        assert_eq!(names, ["Client Version", "Commit", "Build Date", "Platform", "Server Version"]);
        assert!(version.contains(output(Command::new("git").args(["rev-parse", "HEAD"])).trim()), "{version}");
    }
}
