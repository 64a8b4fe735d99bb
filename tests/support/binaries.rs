//! Where the server binaries come from.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::cache::{self, platform, user_directory};

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

/// No source had the binaries: the sources that were tried, and why each failed, in one line.
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
    /// Looks once: a failure after minutes must not be repeated for every test.
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
                Err(problem) => tried.push(format!("KUBEBUILDER_ASSETS: {problem}")),
            },
            None => tried.push("KUBEBUILDER_ASSETS is not set".into()),
        }
        match newest_in_store().as_deref() {
            Some(path) => match complete(path, controller_manager) {
                Ok(binaries) => return Ok(binaries),
                Err(problem) => tried.push(format!("setup-envtest: {problem}")),
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
    let version = cache::required_version(Path::new(GO_MODULE), "k8s.io/kubernetes")?;
    let name = Path::new("envtest").join(format!("{version}-{}", platform()));
    let missing = |directory: &Path| complete(directory, controller_manager).map(drop);
    let directory = cache::filled(&name, missing, |into| build(&version, into))?;
    Ok(Binaries { directory })
}

fn build(version: &str, into: &Path) -> Result<(), String> {
    super::print_notice(&format!("building Kubernetes {version}'s servers for the tests, once: this takes minutes"));
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
        cache::go_build(Path::new(GO_MODULE), package, &linker_flags, &into.join(name))?;
    }
    Ok(())
}
