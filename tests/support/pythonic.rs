//! A real composition function: `crossplane-function-pythonic` of PyPI, in a cache of its own.

use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use super::process::Process;
use super::servers::free_ports;
use super::{cache, print_notice};

const VERSION: &str = "0.6.3";
/// The code of its console script.
const MAIN: &str = "from crossplane.pythonic.main import main; main()";

/// The function, until it is dropped.
pub struct Pythonic {
    port: u16,
    _process: Process,
    _directory: tempfile::TempDir,
}

impl Pythonic {
    /// Starts it. `None` if there is no Python for it, or no registry, which the tests do not need otherwise; that is
    /// reported in spite of the test runner's capture.
    pub fn start() -> Option<Self> {
        let (python, directory) = match installed() {
            Ok(found) => found,
            Err(reason) => {
                print_notice(&format!("TESTS OF A REAL COMPOSITION FUNCTION DID NOT RUN: {reason}"));
                return None;
            }
        };
        let [port] = free_ports().expect("a port");
        let logs = tempfile::tempdir().expect("a directory");
        let address = format!("127.0.0.1:{port}");
        let arguments = arguments(&address, &["--insecure"]);
        let environment = [("PYTHONPATH".to_owned(), directory.display().to_string())];
        let process =
            Process::start_with(&python, &arguments, &environment, &logs.path().join("log")).expect("it starts");
        let deadline = Instant::now() + Duration::from_secs(60);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < deadline, "it does not listen: {}", process.last_words());
            std::thread::sleep(Duration::from_millis(100));
        }
        Some(Self { port, _process: process, _directory: logs })
    }

    /// `NAME=grpc://HOST:PORT`.
    pub fn named(&self, name: &str) -> String {
        format!("{name}=grpc://127.0.0.1:{}", self.port)
    }
}

/// The arguments for Python to run it.
pub fn arguments(address: &str, security: &[&str]) -> Vec<String> {
    ["-c", MAIN, "grpc", "--address", address].iter().chain(security).map(|&word| word.to_owned()).collect()
}

/// A Python, and the directory with the function for it.
pub fn installed() -> Result<(PathBuf, PathBuf), String> {
    let python = python().ok_or("there is no Python 3.13 or later")?;
    let name = Path::new("functions").join(format!("pythonic-{VERSION}"));
    let complete = |directory: &Path| match directory.join("crossplane/pythonic").is_dir() {
        true => Ok(()),
        false => Err(format!("{} has no function", directory.display())),
    };
    let directory = cache::filled(&name, complete, |into| {
        let mut pip = Command::new(&python);
        pip.args(["-m", "pip", "install", "--quiet", "--target"]).arg(into);
        let output = pip.arg(format!("crossplane-function-pythonic=={VERSION}")).output();
        let output = output.map_err(|error| format!("{}: {error}", python.display()))?;
        let last = String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or("no message").to_owned();
        if output.status.success() { Ok(()) } else { Err(format!("pip: {last}")) }
    })?;
    Ok((python, directory))
}

/// A Python that is new enough: on the `PATH`, or of pyenv.
fn python() -> Option<PathBuf> {
    let on_path = ["python3.13", "python3.14", "python3"].iter().map(PathBuf::from);
    let versions = std::env::home_dir().and_then(|home| std::fs::read_dir(home.join(".pyenv/versions")).ok());
    let of_pyenv = versions.into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path().join("bin/python3")));
    on_path.chain(of_pyenv).find(|python| {
        let asked = Command::new(python).args(["-c", "import sys; sys.exit(sys.version_info < (3, 13))"]).output();
        asked.is_ok_and(|output| output.status.success())
    })
}
