//! Environments of programs that this one starts. A program that processes untrusted input gets an environment without
//! credentials: CI passes its tokens to every program in variables.

use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Variables that every program needs: paths of certificates and proxies, and the language of messages.
const NEUTRAL: [&str; 20] = [
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "SystemRoot",
    "SystemDrive",
    "ComSpec",
    "PATHEXT",
    "TEMP",
    "TMP",
];

/// Returns a variable of the current environment.
pub fn inherited(name: &str) -> Option<(OsString, OsString)> {
    std::env::var_os(name).map(|value| (name.into(), value))
}

/// Returns the directories of programs. A relative one would be resolved in the working directory of a program.
fn program_directories() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).filter(|directory| directory.is_absolute()).collect()
}

/// Returns true if a program is installed.
pub fn is_installed(program: &str) -> bool {
    let file = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    program_directories().iter().any(|directory| directory.join(&file).is_file())
}

/// Returns the environment of a program that needs nothing of the user's. It replaces the inherited environment.
pub fn minimal_environment(home: &Path) -> Vec<(OsString, OsString)> {
    let path = std::env::join_paths(program_directories()).unwrap_or_default();
    let neutral = NEUTRAL.iter().filter_map(|name| inherited(name));
    neutral.chain([("PATH".into(), path), ("HOME".into(), home.into()), ("USERPROFILE".into(), home.into())]).collect()
}

/// Largest output of a program in bytes that prints a credential.
const LARGEST_OUTPUT: u64 = 1 << 20;

/// Runs a program with an input, and returns its output if it succeeds in time.
pub fn short_output(mut command: Command, input: &str, patience: Duration) -> Option<String> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    // A program that reads no input may have closed it.
    child.stdin.take().map(|mut stdin| stdin.write_all(input.as_bytes()));
    let begun = Instant::now();
    let status = loop {
        match child.try_wait().ok()? {
            Some(status) => break status,
            None if begun.elapsed() > patience => {
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    let mut text = String::new();
    child.stdout.take()?.take(LARGEST_OUTPUT).read_to_string(&mut text).ok()?;
    status.success().then_some(text)
}

/// Limits the memory of a running process, and of those that it starts from now on. On systems other than Linux, it is not
/// limited.
///
/// # Errors
/// Fails when the system does not allow it.
pub fn limit_memory(process: u32, bytes: u64) -> std::io::Result<()> {
    // Not the address space, of which programs in Go reserve more than they use.
    limit(process, LimitedResource::Memory, bytes)
}

/// Limits the size of each file that a running process writes. On systems other than Linux, it is not limited.
///
/// # Errors
/// Fails when the system does not allow it.
pub fn limit_file_size(process: u32, bytes: u64) -> std::io::Result<()> {
    limit(process, LimitedResource::FileSize, bytes)
}

#[derive(Clone, Copy)]
enum LimitedResource {
    Memory,
    FileSize,
}

#[cfg(target_os = "linux")]
fn limit(process: u32, what: LimitedResource, bytes: u64) -> std::io::Result<()> {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};
    // Without a process, the limit would be one of this program.
    let process = i32::try_from(process).ok().and_then(Pid::from_raw);
    let process = process.ok_or(std::io::ErrorKind::InvalidInput)?;
    let resource = match what {
        LimitedResource::Memory => Resource::Data,
        LimitedResource::FileSize => Resource::Fsize,
    };
    prlimit(Some(process), resource, Rlimit { current: Some(bytes), maximum: Some(bytes) })?;
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn limit(_: u32, _: LimitedResource, _: u64) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn a_program_gets_no_more_memory_than_its_limit() {
        let counted = |limit| {
            let script = "read go; head -c 200000000 /dev/zero | tail -c 150000000 | wc -c";
            let mut shell = Command::new("sh");
            let shell = shell.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
            let mut shell = shell.spawn().unwrap();
            limit_memory(shell.id(), limit).unwrap();
            shell.stdin.take().unwrap().write_all(b"go\n").unwrap();
            String::from_utf8(shell.wait_with_output().unwrap().stdout).unwrap()
        };
        assert_eq!(counted(1 << 30).trim(), "150000000");
        assert_ne!(counted(64 << 20).trim(), "150000000");
        assert!(limit_memory(0, 1 << 30).is_err());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_program_writes_no_larger_file_than_its_limit() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("file");
        let script = "read go; head -c 3000000 /dev/zero > \"$0\"";
        let mut shell = Command::new("sh").args(["-c", script]).arg(&file).stdin(Stdio::piped()).spawn().unwrap();
        limit_file_size(shell.id(), 1 << 20).unwrap();
        shell.stdin.take().unwrap().write_all(b"go\n").unwrap();
        assert!(!shell.wait().unwrap().success());
        assert_eq!(std::fs::metadata(file).unwrap().len(), 1 << 20);
    }

    #[test]
    fn programs_only_get_a_path_and_a_home_from_the_environment() {
        let environment = minimal_environment(Path::new("/private"));
        let value = |wanted: &str| environment.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.clone());
        assert_eq!(value("HOME"), Some("/private".into()));
        assert!(value("PATH").is_some_and(|path| std::env::split_paths(&path).all(|one| one.is_absolute())));
        // Cargo sets it for every test.
        assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some() && value("CARGO_MANIFEST_DIR").is_none());
    }
}
