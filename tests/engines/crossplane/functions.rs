//! The composition functions of a world: processes with the certificates that Crossplane makes for them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, Ordering};

use super::{BUILD, certificates, holds, install_package};
use crate::binaries::Build;
use crate::support::pythonic;
use crate::world::World;

/// One of our own: its input lists the resources (`function/main.go`).
pub const TEMPLATES: &str = "function-templates";
/// Of PyPI: its input is a Python class.
pub const PYTHONIC: &str = "function-pythonic";
/// Built with Go: it reports which resources are ready.
pub const AUTO_READY: &str = "function-auto-ready";
/// All of them.
pub const FUNCTIONS: [&str; 3] = [TEMPLATES, PYTHONIC, AUTO_READY];

/// Third-party functions that are built with Go.
pub const OTHERS: Build = Build {
    module: "functions",
    version_of: Some("github.com/crossplane/function-auto-ready"),
    programs: &[("function-auto-ready", "github.com/crossplane/function-auto-ready")],
    manifests: &[],
};

/// Starts the function of our own.
pub fn start_templates(world: &mut World) {
    let binary = BUILD.directory().join("function");
    start(world, TEMPLATES, &binary, |address, certificates| {
        ["-address", address, "-certificates", certificates].map(str::to_owned).to_vec()
    });
}

/// Starts the functions of others.
pub fn start_others(world: &mut World) {
    let installed = pythonic::installed().unwrap_or_else(|reason| panic!("no {PYTHONIC}: {reason}"));
    let (python, library) = installed;
    start(world, PYTHONIC, Path::new("env"), |address, certificates| {
        let mut words = vec![format!("PYTHONPATH={}", library.display()), python.display().to_string()];
        words.extend(pythonic::arguments(address, &["--tls-certs-dir", certificates]));
        words
    });
    let binary = OTHERS.directory().join(AUTO_READY);
    start(world, AUTO_READY, &binary, |address, certificates| {
        [format!("--address={address}"), format!("--tls-certs-dir={certificates}")].to_vec()
    });
}

/// Installs a function and starts its program, with its address and the directory of its certificates.
fn start(world: &mut World, name: &str, binary: &Path, arguments: impl Fn(&str, &str) -> Vec<String>) {
    install_package(world, "Function", name);
    let certificates = world.until("Crossplane makes the function's certificates", |world| {
        certificates(world, &format!("{name}-tls-server"))
    });
    let arguments = arguments(&address(world, name), &certificates.display().to_string());
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    world.run(name, binary, &arguments, &[]);
    let object = format!("function.pkg.crossplane.io/{name}");
    world.until("a function is healthy", |world| holds(world, &object, "Healthy", "True"));
}

/// `HOST:PORT` of a function.
pub fn address(world: &World, name: &str) -> String {
    let hosts = fs::read_to_string(hosts(world)).expect("a hosts file");
    let line = hosts.lines().find_map(|line| line.strip_suffix(&format!(" {name}.crossplane-system")));
    format!("{}:9443", line.expect("a function of this world"))
}

fn hosts(world: &World) -> PathBuf {
    world.hub.directory().join("hosts")
}

/// Gives each function an address of its own, as their port is fixed.
pub fn write_hosts(world: &World) -> PathBuf {
    let mut text = fs::read_to_string("/etc/hosts").unwrap_or_default() + "\n";
    for name in FUNCTIONS {
        text += &format!("{} {name}.crossplane-system\n", loopback());
    }
    fs::write(hosts(world), text).expect("a hosts file");
    hosts(world)
}

/// An unused address: of this process, and the next one in it.
fn loopback() -> String {
    static NEXT: AtomicU8 = AtomicU8::new(86);
    let [.., high, low] = (std::process::id() % 60_000 + 500).to_be_bytes();
    format!("127.{}.{high}.{low}", NEXT.fetch_add(1, Ordering::Relaxed))
}
