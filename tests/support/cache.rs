//! Programs that are built with Go for the tests, once for every version, under `kubectl-ucp` in the user's cache.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The directory of that name below the cache, once `complete` finds nothing missing in it; `build` fills it otherwise,
/// into a directory of its own that then takes its place.
pub fn filled(
    name: &Path,
    complete: impl Fn(&Path) -> Result<(), String>,
    build: impl FnOnce(&Path) -> Result<(), String>,
) -> Result<PathBuf, String> {
    let directory = user_directory("XDG_CACHE_HOME", ".cache")
        .ok_or("there is no home directory for a cache")?
        .join("kubectl-ucp")
        .join(name);
    if complete(&directory).is_ok() {
        return Ok(directory);
    }

    let failed = |what: &str| {
        let path = directory.display().to_string();
        let what = what.to_owned();
        move |error: std::io::Error| format!("{what} {path}: {error}")
    };
    let parent = directory.parent().ok_or("the cache has no directory")?;
    fs::create_dir_all(parent).map_err(failed("could not make the cache for"))?;
    // Two test runs must not build at once: the second waits and finds it done.
    let lock = File::create(directory.with_added_extension("lock")).map_err(failed("could not lock"))?;
    lock.lock().map_err(failed("could not lock"))?;
    if complete(&directory).is_ok() {
        return Ok(directory);
    }
    // Next to the cache, so that the rename is atomic.
    let unfinished = tempfile::tempdir_in(parent).map_err(failed("could not build for"))?;
    build(unfinished.path())?;
    if directory.exists() {
        fs::remove_dir_all(&directory).map_err(failed("could not replace"))?;
    }
    fs::rename(unfinished.keep(), &directory).map_err(failed("could not fill"))?;
    complete(&directory)?;
    Ok(directory)
}

/// Builds one program of a Go module, statically and without this machine's paths.
pub fn go_build(module: &Path, package: &str, linker_flags: &str, into: &Path) -> Result<(), String> {
    let output = Command::new("go")
        .current_dir(module)
        .args(["build", "-mod=readonly", "-trimpath", "-buildvcs=false"])
        .args(["-ldflags", linker_flags, "-o"])
        .arg(into)
        .arg(package)
        .env("CGO_ENABLED", "0")
        .env("GOWORK", "off")
        .output()
        .map_err(|error| format!("could not run `go` to build {package}: {error}"))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        let last = stderr.lines().last().unwrap_or("no message");
        return Err(format!("`go build {package}` failed: {last}"));
    }
    Ok(())
}

/// The version that a module's `go.mod` requires of another: the one place where it is written.
pub fn required_version(module: &Path, of: &str) -> Result<String, String> {
    let path = module.join("go.mod");
    let text = fs::read_to_string(&path).map_err(|error| format!("could not read {}: {error}", path.display()))?;
    text.lines()
        .map(|line| line.trim().trim_start_matches("require "))
        .find_map(|line| line.strip_prefix(of)?.strip_prefix(' '))
        .and_then(|rest| rest.split_whitespace().next())
        .map(str::to_owned)
        .ok_or_else(|| format!("{} does not require {of}", path.display()))
}

/// `<os>-<arch>` as Go and setup-envtest spell it.
pub fn platform() -> String {
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
pub fn user_directory(variable: &str, below_home: &str) -> Option<PathBuf> {
    let given = std::env::var_os(variable).map(PathBuf::from);
    given.filter(|path| path.is_absolute()).or_else(|| Some(std::env::home_dir()?.join(below_home)))
}
