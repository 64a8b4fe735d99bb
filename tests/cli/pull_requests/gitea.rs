//! A real Gitea with SQLite on loopback, built with Go once and kept in the cache.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, Once, OnceLock, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::http::{Request, forward};
use crate::gitops::Run;
use crate::support::cache;
use crate::support::process::Process;
use crate::support::servers::free_ports;

const VERSION: &str = "1.26.0";
/// The account of all tests.
pub(crate) const USER: &str = "bot";

/// A running server.
pub(crate) struct Gitea {
    pub(crate) port: u16,
    pub(crate) token: String,
    /// Tokens of further accounts need the command line of the server, one at a time.
    configuration: PathBuf,
    console: Mutex<()>,
    _process: Process,
    _directory: tempfile::TempDir,
}

fn cached() -> Result<PathBuf, String> {
    let complete = |directory: &Path| match directory.join("gitea").is_file() && directory.join("templates").is_dir() {
        true => Ok(()),
        false => Err("incomplete".to_owned()),
    };
    let missing = |_: &Path| {
        Err(format!(
            "Gitea {VERSION} is not in the cache; 'cargo test --test cli -- --ignored gitea_is_built' builds it"
        ))
    };
    cache::filled(&Path::new("gitea").join(VERSION), complete, missing)
}

/// Builds Gitea, which takes about half an hour and 8 GB of disk, of which 120 MB are kept.
#[test]
#[ignore = "downloads and builds Gitea with Go"]
fn gitea_is_built() {
    let complete =
        |directory: &Path| if directory.join("gitea").is_file() { Ok(()) } else { Err("incomplete".to_owned()) };
    let build = |into: &Path| {
        let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
        let go = |directory: &Path, arguments: &[&str]| {
            let mut command = Command::new("go");
            command.current_dir(directory).args(arguments).env("GOFLAGS", "-modcacherw -buildvcs=false");
            command.env("GOMODCACHE", scratch.path().join("modules")).env("GOCACHE", scratch.path().join("cache"));
            let output = command.output().map_err(|error| error.to_string())?;
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            match output.status.success() {
                true => Ok(text),
                false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
            }
        };
        let module = format!("code.gitea.io/gitea@v{VERSION}");
        let module: Value = serde_json::from_str(&go(scratch.path(), &["mod", "download", "-json", &module])?).unwrap();
        let source = PathBuf::from(module["Dir"].as_str().ok_or("no directory")?);
        let binary = into.join("gitea").display().to_string();
        let flags = format!("-s -w -X main.Version={VERSION}");
        let tags = "sqlite sqlite_unlock_notify";
        go(&source, &["build", "-mod=mod", "-trimpath", "-tags", tags, "-ldflags", &flags, "-o", &binary, "."])?;
        for part in ["templates", "options", "public"] {
            let status = Command::new("cp").arg("-R").arg(source.join(part)).arg(into).status();
            status.map_err(|error| error.to_string())?;
        }
        Ok(())
    };
    cache::filled(&Path::new("gitea").join(VERSION), complete, build).unwrap();
}

/// The server that all tests share; `None`, and a line on standard error, if it is not in the cache. With `UCP_GITEA=required`,
/// the tests fail then.
pub(crate) fn gitea() -> Option<&'static Gitea> {
    static SHARED: OnceLock<Option<Gitea>> = OnceLock::new();
    let start = || match cached() {
        Ok(directory) => Some(Gitea::start(&directory)),
        Err(missing) => {
            let is_required = std::env::var("UCP_GITEA").is_ok_and(|value| value == "required");
            assert!(!is_required, "{missing}");
            static ONCE: Once = Once::new();
            ONCE.call_once(|| crate::support::print_notice(&format!("TESTS WITH GITEA DID NOT RUN: {missing}")));
            None
        }
    };
    SHARED.get_or_init(start).as_ref()
}

/// Returns true if the status line of a response is one of success.
fn is_success(response: &str) -> bool {
    response.split_whitespace().nth(1).is_some_and(|status| status.starts_with('2'))
}

impl Gitea {
    fn start(program: &Path) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let work = directory.path().display().to_string();
        let [port] = free_ports().unwrap();
        let configuration = directory.path().join("app.ini");
        let user = Run::of(Command::new("id").arg("-un").output().unwrap()).exits(0).stdout;
        let text = format!(
            "I_AM_BEING_UNSAFE_RUNNING_AS_ROOT = true\nRUN_MODE = prod\nRUN_USER = {user}WORK_PATH = {work}\n\
             [server]\nPROTOCOL = http\nHTTP_ADDR = 127.0.0.1\nHTTP_PORT = {port}\nROOT_URL = http://127.0.0.1:{port}/\n\
             DISABLE_SSH = true\nOFFLINE_MODE = true\nSTATIC_ROOT_PATH = {}\n\
             [database]\nDB_TYPE = sqlite3\nPATH = {work}/gitea.db\nSQLITE_JOURNAL_MODE = WAL\n\
             [security]\nINSTALL_LOCK = true\nSECRET_KEY = 0123456789abcdef0123456789abcdef\n\
             [oauth2]\nENABLED = false\n[service]\nDISABLE_REGISTRATION = true\n[session]\nPROVIDER = memory\n\
             [log]\nLEVEL = Error\nMODE = console\n[actions]\nENABLED = false\n[indexer]\nISSUE_INDEXER_TYPE = db\n\
             [queue]\nTYPE = channel\n",
            program.display()
        );
        std::fs::write(&configuration, text).unwrap();
        let binary = program.join("gitea");
        let console = |arguments: &[&str]| -> String {
            let mut command = Command::new(&binary);
            command.arg("--config").arg(&configuration).args(arguments).env("HOME", directory.path());
            Run::of(command.output().unwrap()).exits(0).stdout
        };
        console(&["migrate"]);
        let mail = format!("{USER}@example.org");
        let create =
            ["admin", "user", "create", "--username", USER, "--password", "Canary-1-password", "--email", &mail];
        console(&[&create[..], &["--admin", "--must-change-password=false"]].concat());
        let token = ["admin", "user", "generate-access-token", "--username", USER, "--scopes", "all", "--raw"];
        let token = console(&token).lines().last().unwrap().trim().to_owned();
        let arguments = ["--config".to_owned(), configuration.display().to_string(), "web".to_owned()];
        let home = [("HOME".to_owned(), work.clone())];
        let process = Process::start_with(&binary, &arguments, &home, &directory.path().join("log")).unwrap();
        let server =
            Self { port, token, configuration, console: Mutex::default(), _process: process, _directory: directory };
        let begun = Instant::now();
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(begun.elapsed() < Duration::from_secs(120), "Gitea does not start");
            sleep(Duration::from_millis(100));
        }
        server.accepts(&server.token);
        server
    }

    /// Waits until the server knows a token, which another process wrote into its database.
    fn accepts(&self, token: &str) {
        let begun = Instant::now();
        loop {
            let response = self.send(token, "GET", "/user", &Value::Null);
            if is_success(&response) {
                return;
            }
            // Fifty runs at once keep its database busy for minutes.
            assert!(begun.elapsed() < Duration::from_secs(600), "Gitea does not accept its token: {response}");
            sleep(Duration::from_millis(100));
        }
    }

    /// Sends a request to the API with a token, and requires success.
    #[track_caller]
    pub(crate) fn api_as(&self, token: &str, method: &str, path: &str, body: &Value) -> Value {
        let response = self.send(token, method, path, body);
        assert!(is_success(&response), "{method} {path}: {response}");
        let (_, body) = response.split_once("\r\n\r\n").unwrap();
        serde_json::from_str(body).unwrap_or(Value::Null)
    }

    fn send(&self, token: &str, method: &str, path: &str, body: &Value) -> String {
        let body = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
        let headers = [
            ("Authorization".to_owned(), format!("token {token}")),
            ("Content-Type".to_owned(), "application/json".to_owned()),
            ("Content-Length".to_owned(), body.len().to_string()),
        ];
        let path = format!("/api/v1{path}");
        let request = Request { method: method.to_owned(), path, headers: headers.to_vec(), body };
        String::from_utf8(forward(self.port, &request)).unwrap()
    }

    #[track_caller]
    pub(crate) fn api(&self, method: &str, path: &str, body: &Value) -> Value {
        self.api_as(&self.token, method, path, body)
    }

    /// Creates an empty repository.
    pub(crate) fn repository(&self, name: &str) {
        self.api("POST", "/user/repos", &json!({"name": name, "default_branch": "main"}));
    }

    /// Creates an account that may write to a repository, and returns its token.
    pub(crate) fn account(&self, name: &str, repository: &str) -> String {
        // One that failed before leaves nothing half done.
        let _one = self.console.lock().unwrap_or_else(PoisonError::into_inner);
        let body = json!({"username": name, "email": format!("{name}@example.org"), "password": "Canary-2-password", "must_change_password": false});
        self.api("POST", "/admin/users", &body);
        self.api("PUT", &format!("/repos/{USER}/{repository}/collaborators/{name}"), &json!({"permission": "write"}));
        let mut command = Command::new(cached().unwrap().join("gitea"));
        command.arg("--config").arg(&self.configuration).env("HOME", self.configuration.parent().unwrap());
        command.args(["admin", "user", "generate-access-token", "--username", name, "--scopes", "all", "--raw"]);
        // The server writes to the same file.
        let is_locked = |output: &Output| String::from_utf8_lossy(&output.stderr).contains("database is locked");
        let mut tries = (0..40).map(|_| command.output().unwrap());
        let output = tries.find(|output| {
            !is_locked(output) || {
                sleep(Duration::from_millis(250));
                false
            }
        });
        let text = Run::of(output.expect("its database stays locked")).exits(0).stdout;
        let token = text.lines().last().unwrap().trim().to_owned();
        self.accepts(&token);
        token
    }

    /// All pull requests of a repository, oldest first.
    pub(crate) fn pulls(&self, repository: &str, state: &str) -> Vec<Value> {
        let mut pulls = Vec::new();
        for page in 1.. {
            let path = format!("/repos/{USER}/{repository}/pulls?state={state}&limit=50&page={page}");
            match self.api("GET", &path, &Value::Null).as_array() {
                Some(more) if !more.is_empty() => pulls.extend(more.iter().cloned()),
                _ => break,
            }
        }
        pulls.sort_by_key(|pull| pull["number"].as_u64());
        pulls
    }
}
