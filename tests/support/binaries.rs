//! Where the server binaries come from.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

const GO_MODULE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/envtest");

/// Binary names, and the packages of `tests/envtest/go.mod` that they are built from.
const PACKAGES: [(&str, &str); 3] = [
    ("etcd", "go.etcd.io/etcd/server/v3"),
    ("kube-apiserver", "k8s.io/kubernetes/cmd/kube-apiserver"),
    (CONTROLLER_MANAGER, "k8s.io/kubernetes/cmd/kube-controller-manager"),
];
const CONTROLLER_MANAGER: &str = "kube-controller-manager";

/// A directory that holds the servers of one Kubernetes release.
#[derive(Debug, Clone)]
pub struct Binaries {
    directory: PathBuf,
}

/// Whether a cluster runs controllers; setup-envtest's archives do not carry them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ControllerManager {
    Needed,
    NotNeeded,
}

/// No source had the binaries: what was tried, and why each failed, in one line.
#[derive(Debug, Clone)]
pub struct Missing(Vec<String>);

impl fmt::Display for Missing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "no Kubernetes server binaries: {}", self.0.join("; "))
    }
}

impl Binaries {
    /// Looks in `KUBEBUILDER_ASSETS`, setup-envtest's store and our cache, in
    /// that order, and builds into the cache when none of them has everything.
    /// Looks once: what fails after minutes must not fail again for every test.
    pub fn find(controller_manager: ControllerManager) -> Result<Self, Missing> {
        static FOUND: Mutex<BTreeMap<ControllerManager, Result<Binaries, Missing>>> = Mutex::new(BTreeMap::new());
        let mut found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = found.entry(controller_manager);
        entry.or_insert_with(|| Self::search(controller_manager)).clone()
    }

    fn search(controller_manager: ControllerManager) -> Result<Self, Missing> {
        let mut tried = Vec::new();
        let given = std::env::var_os("KUBEBUILDER_ASSETS").filter(|path| !path.is_empty());
        match given {
            Some(path) => match complete(Path::new(&path), controller_manager) {
                Ok(binaries) => return Ok(binaries),
                Err(lack) => tried.push(format!("KUBEBUILDER_ASSETS: {lack}")),
            },
            None => tried.push("KUBEBUILDER_ASSETS is not set".into()),
        }
        match newest_in_store().as_deref() {
            Some(path) => match complete(path, controller_manager) {
                Ok(binaries) => return Ok(binaries),
                Err(lack) => tried.push(format!("setup-envtest: {lack}")),
            },
            None => tried.push("setup-envtest's store is empty".into()),
        }
        match cached_or_built(controller_manager) {
            Ok(binaries) => return Ok(binaries),
            Err(reason) => tried.push(reason),
        }
        Err(Missing(tried))
    }

    pub fn etcd(&self) -> PathBuf {
        self.directory.join("etcd")
    }

    pub fn api_server(&self) -> PathBuf {
        self.directory.join("kube-apiserver")
    }

    pub fn controller_manager(&self) -> PathBuf {
        self.directory.join(CONTROLLER_MANAGER)
    }
}

fn complete(directory: &Path, controller_manager: ControllerManager) -> Result<Binaries, String> {
    for (name, _) in PACKAGES {
        let needed = name != CONTROLLER_MANAGER || controller_manager == ControllerManager::Needed;
        if needed && !directory.join(name).is_file() {
            return Err(format!("{} has no {name}", directory.display()));
        }
    }
    Ok(Binaries { directory: directory.to_owned() })
}

/// The newest `k8s/<version>-<os>-<arch>` in the store that `setup-envtest use`
/// fills (controller-runtime, `tools/setup-envtest/store.DefaultStoreDir`).
fn newest_in_store() -> Option<PathBuf> {
    let store = if cfg!(target_os = "macos") {
        std::env::home_dir()?.join("Library/Application Support/io.kubebuilder.envtest")
    } else {
        user_directory("XDG_DATA_HOME", ".local/share")?.join("kubebuilder-envtest")
    };
    let platform = format!("-{}", platform());
    fs::read_dir(store.join("k8s"))
        .ok()?
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let name = entry.file_name().into_string().ok()?;
            let version = name.strip_suffix(&platform)?;
            let numbers: Option<Vec<u32>> = version.split('.').map(|part| part.parse().ok()).collect();
            Some((numbers?, entry.path()))
        })
        .max()
        .map(|(_, path)| path)
}

fn cached_or_built(controller_manager: ControllerManager) -> Result<Binaries, String> {
    let version = pinned_version()?;
    let cache = user_directory("XDG_CACHE_HOME", ".cache")
        .ok_or("there is no home directory for a cache")?
        .join("kubectl-ucp/envtest");
    let directory = cache.join(format!("{version}-{}", platform()));
    if let Ok(binaries) = complete(&directory, controller_manager) {
        return Ok(binaries);
    }

    let failed = |what: &str| {
        let path = directory.display().to_string();
        let what = what.to_owned();
        move |error: std::io::Error| format!("{what} {path}: {error}")
    };
    fs::create_dir_all(&cache).map_err(failed("could not make the cache for"))?;
    // Two test runs must not build at once: the second waits and finds it done.
    let lock = File::create(directory.with_added_extension("lock")).map_err(failed("could not lock"))?;
    lock.lock().map_err(failed("could not lock"))?;
    if let Ok(binaries) = complete(&directory, controller_manager) {
        return Ok(binaries);
    }
    // Beside the cache, so that the rename is atomic.
    let unfinished = tempfile::tempdir_in(&cache).map_err(failed("could not build for"))?;
    build(&version, unfinished.path())?;
    if directory.exists() {
        fs::remove_dir_all(&directory).map_err(failed("could not replace"))?;
    }
    fs::rename(unfinished.keep(), &directory).map_err(failed("could not fill"))?;
    complete(&directory, controller_manager)
}

fn build(version: &str, into: &Path) -> Result<(), String> {
    super::say(&format!("building Kubernetes {version}'s servers for the tests, once: this takes minutes"));
    let numbers: Vec<&str> = version.trim_start_matches('v').split('.').collect();
    let [major, minor, ..] = numbers.as_slice() else {
        return Err(format!("{version} is no release of Kubernetes"));
    };
    let mut linker_flags = "-s -w".to_owned();
    for (variable, value) in
        [("gitVersion", version), ("gitMajor", major), ("gitMinor", minor), ("gitTreeState", "clean")]
    {
        linker_flags += &format!(" -X k8s.io/component-base/version.{variable}={value}");
    }
    for (name, package) in PACKAGES {
        let output = Command::new("go")
            .current_dir(GO_MODULE)
            .args(["build", "-mod=readonly", "-trimpath", "-buildvcs=false"])
            .args(["-ldflags", &linker_flags, "-o"])
            .arg(into.join(name))
            .arg(package)
            .env("CGO_ENABLED", "0")
            .env("GOWORK", "off")
            .output()
            .map_err(|error| format!("could not run `go` to build {name}: {error}"))?;
        if !output.status.success() {
            let stderr = String::from_utf8_lossy(&output.stderr);
            let last = stderr.lines().last().unwrap_or("no message");
            return Err(format!("`go build {package}` failed: {last}"));
        }
    }
    Ok(())
}

/// The release that `go.mod` requires: the one place where it is written.
fn pinned_version() -> Result<String, String> {
    let path = Path::new(GO_MODULE).join("go.mod");
    let text = fs::read_to_string(&path).map_err(|error| format!("could not read {}: {error}", path.display()))?;
    text.lines()
        .find_map(|line| line.trim().strip_prefix("k8s.io/kubernetes "))
        .and_then(|rest| rest.split_whitespace().next())
        .map(str::to_owned)
        .ok_or_else(|| format!("{} does not require k8s.io/kubernetes", path.display()))
}

/// `<os>-<arch>` as Go and setup-envtest spell it.
fn platform() -> String {
    let os = match std::env::consts::OS {
        "macos" => "darwin",
        os => os,
    };
    let architecture = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        "powerpc64" => "ppc64le",
        architecture => architecture,
    };
    format!("{os}-{architecture}")
}

/// A directory of the XDG base directory specification.
fn user_directory(variable: &str, below_home: &str) -> Option<PathBuf> {
    let given = std::env::var_os(variable).map(PathBuf::from);
    given.filter(|path| path.is_absolute()).or_else(|| Some(std::env::home_dir()?.join(below_home)))
}
