//! Private clones and trees: no process can read a password in them, and they are removed however the process ends.
#![cfg(target_os = "linux")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Stdio};

use crate::gitops::Gitops;
use crate::support::command::{interruptible, signal, ucp};
use crate::support::{self};

/// A server that wants to know who asks, and then lets them wait.
struct Doorman {
    listener: TcpListener,
    password: String,
}

impl Doorman {
    fn new() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let password = format!("word-of-{}", listener.local_addr().unwrap().port());
        Self { listener, password }
    }

    fn url(&self) -> String {
        format!("http://oauth2:{}@{}/shop.git", self.password, self.listener.local_addr().unwrap())
    }

    /// Waits for a client that shows the password, and keeps the connection open.
    fn let_in(&self) -> TcpStream {
        let login = format!("oauth2:{}", self.password);
        let login = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, login);
        loop {
            let (mut stream, _) = self.listener.accept().unwrap();
            let lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
            let head: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
            if head.iter().any(|line| line.eq_ignore_ascii_case(&format!("Authorization: Basic {login}"))) {
                return stream;
            }
            let answer = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
            stream.write_all(answer.as_bytes()).unwrap();
        }
    }
}

/// Every file below a directory.
fn files(directory: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let inside = entries.map(|entry| entry.path());
    inside.flat_map(|path| if path.is_dir() && !path.is_symlink() { files(&path) } else { vec![path] }).collect()
}

/// Only the intended process has the password: no arguments of a process contain it, and no file.
fn assert_discreet(doorman: &Doorman, informed: &Child, directories: &[&Path]) {
    for process in std::fs::read_dir("/proc").unwrap().flatten() {
        let arguments = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
        let arguments = String::from_utf8_lossy(&arguments).into_owned();
        let is_informed = process.file_name() == *informed.id().to_string();
        assert!(is_informed || !arguments.contains(&doorman.password), "{arguments:?}");
    }
    for file in directories.iter().flat_map(|directory| files(directory)) {
        let text = String::from_utf8_lossy(&std::fs::read(&file).unwrap_or_default()).into_owned();
        assert!(!text.contains(&doorman.password), "{}", file.display());
    }
}

fn entries(directory: &Path) -> usize {
    std::fs::read_dir(directory).map(|entries| entries.count()).unwrap_or_default()
}

fn soon(what: &str, is_so: impl Fn() -> bool + Send + Sync) {
    support::run(async || support::eventually(async || is_so().then_some(())).await);
    assert!(is_so(), "{what}");
}

const SIGNALS: [(&str, i32); 4] = [("INT", 2), ("TERM", 15), ("HUP", 1), ("KILL", 9)];

#[test]
fn a_clone_hides_its_password_and_is_removed_after_every_signal() {
    let temporary = tempfile::tempdir().unwrap();
    for (name, number) in SIGNALS {
        let doorman = Doorman::new();
        let mut command = interruptible(&ucp(["images", "--repo", &doorman.url()]));
        command.env("TMPDIR", temporary.path()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let line = doorman.let_in();
        assert_discreet(&doorman, &child, &[temporary.path()]);
        let clone = std::fs::read_dir(temporary.path()).unwrap().flatten().next().expect("a private directory");
        assert_eq!(clone.metadata().unwrap().permissions().mode() & 0o777, 0o700);
        signal(&child, name);
        assert_eq!(child.wait().unwrap().signal(), Some(number));
        drop(line);
        if name == "KILL" {
            assert_eq!(entries(temporary.path()), 1, "nothing could remove it");
        } else {
            soon(name, || entries(temporary.path()) == 0);
        }
    }
    // The next run does.
    let mut command = ucp(["images", "--repo", "file:///nonexistent/repository"]);
    assert_eq!(command.env("TMPDIR", temporary.path()).output().unwrap().status.code(), Some(3));
    assert_eq!(entries(temporary.path()), 0);
}

#[test]
fn temporary_files_of_a_killed_run_are_removed_by_the_next_write() {
    let repository = Gitops::paper("v1", "v1");
    let left = "echo/overlays/stage/.kubectl-ucp-a1B2c3";
    let is_there = || repository.top().join(left).exists();
    repository.write(left, "half of a file");
    repository.ucp(["images"]).exits(0);
    repository.ucp(["set-image", "stage", "echo=v2", "--dry-run"]).exits(0);
    assert!(is_there(), "who only looks removes nothing");
    repository.ucp(["set-image", "stage", "echo=v2", "--yes"]).exits(0);
    assert!(!is_there());
}

#[test]
fn a_push_hides_the_password_of_its_remote_and_leaves_no_files() {
    for (name, number) in SIGNALS {
        let (doorman, temporary) = (Doorman::new(), tempfile::tempdir().unwrap());
        let repository = Gitops::paper("v1", "v1");
        repository.git(["remote", "add", "origin", &doorman.url()]);
        for (key, value) in [("branch.main.remote", "origin"), ("branch.main.merge", "refs/heads/main")] {
            repository.git(["config", key, value]);
        }
        let home = repository.top().join(".git/kubectl-ucp");
        let arguments = ["set-image", "stage", "echo=v2", "--push", "--branch", "main", "--yes", "-C"];
        let push = || {
            let mut command = interruptible(&ucp(arguments));
            command.arg(repository.top()).env("HOME", repository.outside()).env("TMPDIR", temporary.path());
            command.env("GIT_CONFIG_NOSYSTEM", "1").stdout(Stdio::null()).stderr(Stdio::null());
            command
        };
        // Another one is at work there, and stays so.
        let mut other = push().spawn().unwrap();
        let other_line = doorman.let_in();
        let mut child = push().spawn().unwrap();
        let line = doorman.let_in();
        assert_discreet(&doorman, &child, &[temporary.path(), &home]);
        signal(&child, name);
        assert_eq!(child.wait().unwrap().signal(), Some(number));
        if name == "KILL" {
            assert_eq!(entries(&home), 2, "nothing could remove it");
            let mut next = push().spawn().unwrap();
            let next_line = doorman.let_in();
            soon("the next run removes what the dead left, and not what is in use", || entries(&home) == 2);
            signal(&next, "TERM");
            next.wait().unwrap();
            drop(next_line);
        }
        soon(name, || entries(&home) == 1);
        signal(&other, "TERM");
        other.wait().unwrap();
        soon(name, || entries(&home) == 0 && entries(temporary.path()) == 0);
        drop((line, other_line));
    }
}
