//! The real helm, built once from `tests/helm`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::cache;

const MODULE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/helm");

/// The directory with `helm`.
fn directory() -> PathBuf {
    let module = Path::new(MODULE);
    let filled = cache::required_version(module, "helm.sh/helm/v4").and_then(|version| {
        let name = Path::new("helm").join(format!("{version}-{}", cache::platform()));
        let missing = |directory: &Path| match directory.join("helm").is_file() {
            true => Ok(()),
            false => Err(format!("{} has no helm", directory.display())),
        };
        cache::filled(&name, missing, |into| {
            super::print_notice(&format!("building helm {version} for the tests, once: this takes minutes"));
            cache::go_build(module, "helm.sh/helm/v4/cmd/helm", "-s -w", &into.join("helm"))
        })
    });
    filled.unwrap_or_else(|reason| panic!("no helm: {reason}"))
}

/// `PATH` with `helm` first.
pub fn path() -> OsString {
    let own = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(std::iter::once(directory()).chain(std::env::split_paths(&own)))
        .expect("directories are joined")
}

/// A command of helm that finishes successfully; its output.
pub fn helm<I: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = I>) -> String {
    let output =
        Command::new(directory().join("helm")).args(arguments).env_remove("KUBECONFIG").output().expect("helm runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("helm prints text")
}
