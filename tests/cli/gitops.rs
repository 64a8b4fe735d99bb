//! GitOps repositories for tests: real git, no configuration but their own.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support;

/// A work tree in a directory that is deleted at the end.
pub(crate) struct Gitops {
    directory: tempfile::TempDir,
    top: PathBuf,
}

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    pub(crate) fn of(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Self { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// Panics with all output unless the exit code is this one.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "\nstdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error} in {}{}", self.stdout, self.stderr))
    }

    /// Panics unless the words are on standard output or standard error.
    #[track_caller]
    pub(crate) fn prints(&self, words: &str) -> &Self {
        let printed = format!("{}\n{}", self.stdout, self.stderr);
        assert!(printed.contains(words), "{words:?} is not in\n{printed}");
        self
    }
}

/// A command in an environment of its own: no user's or machine's configuration.
pub(crate) fn command(program: impl AsRef<OsStr>, home: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", home);
    command.envs([("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_CONFIG_GLOBAL", "/dev/null"), ("COLUMNS", "200")]);
    command.envs([("GIT_AUTHOR_NAME", "A"), ("GIT_AUTHOR_EMAIL", "a@example.org")]);
    command.envs([("GIT_COMMITTER_NAME", "A"), ("GIT_COMMITTER_EMAIL", "a@example.org")]);
    command
}

impl Gitops {
    /// An empty repository with these files committed.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let top = directory.path().join("apps");
        std::fs::create_dir(&top).unwrap();
        let repository = Self { directory, top };
        repository.git(["init", "--quiet", "--initial-branch=main", "."]);
        files.iter().for_each(|(path, text)| repository.write(path, text));
        repository.git(["add", "--all"]);
        repository.git(["commit", "--quiet", "--allow-empty", "-m", "Start"]);
        repository
    }

    /// The paper's layout: a base, and overlays for stage and prod that set one image.
    pub(crate) fn paper(stage: &str, prod: &str) -> Self {
        let overlay = |tag: &str| {
            format!("resources:\n- ../../base\n\nimages:\n- name: dagandersen/echo-server\n  newTag: {tag} # ours")
        };
        Self::with(&[
            ("echo/base/kustomization.yaml", "resources:\n- deployment.yaml\n"),
            ("echo/base/deployment.yaml", &deployment("echo", "dagandersen/echo-server")),
            ("echo/overlays/stage/kustomization.yaml", &overlay(stage)),
            ("echo/overlays/prod/kustomization.yaml", &overlay(prod)),
        ])
    }

    /// A bare repository that this one pushes to, as its origin.
    pub(crate) fn publish(&self) -> PathBuf {
        let bare = self.directory.path().join("origin.git");
        self.git(["clone", "--quiet", "--bare", ".", bare.to_str().unwrap()]);
        self.git(["remote", "add", "origin", bare.to_str().unwrap()]);
        self.git(["fetch", "--quiet", "origin"]);
        self.git(["branch", "--quiet", "--set-upstream-to=origin/main", "main"]);
        bare
    }

    pub(crate) fn top(&self) -> &Path {
        &self.top
    }

    /// A directory for everything that is not the repository.
    pub(crate) fn outside(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.top.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    #[track_caller]
    pub(crate) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.top.join(path)).unwrap()
    }

    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = command(program, self.directory.path());
        command.current_dir(&self.top);
        command
    }

    /// A command as a CI runs it: with the plugin first on its PATH, and with no identity for commits.
    pub(crate) fn ci_command(&self, program: impl AsRef<OsStr>) -> Command {
        let plugins = support::command::directory();
        let path = std::env::var_os("PATH").unwrap();
        let path = std::iter::once(plugins).chain(std::env::split_paths(&path));
        let mut command = self.command(program);
        command.env("PATH", std::env::join_paths(path).unwrap());
        for name in ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"] {
            command.env_remove(name);
        }
        command
    }

    #[track_caller]
    pub(crate) fn git<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> String {
        let run = Run::of(self.command("git").args(arguments).output().unwrap()).exits(0);
        run.stdout.trim_end().to_owned()
    }

    pub(crate) fn ucp_command<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Command {
        let mut command = self.command(support::command::program());
        command.args(arguments);
        command
    }

    pub(crate) fn ucp<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Run {
        Run::of(self.ucp_command(arguments).output().unwrap())
    }

    /// The images that `kubectl kustomize` builds from a directory, sorted.
    #[track_caller]
    pub(crate) fn kustomize(&self, directory: &str) -> Vec<String> {
        let run = Run::of(self.command("kubectl").args(["kustomize", directory]).output().unwrap()).exits(0);
        let mut images: Vec<String> = run
            .stdout
            .lines()
            .filter_map(|line| line.trim_start().trim_start_matches("- ").strip_prefix("image: "))
            .map(|image| image.trim_matches(['"', '\'']).to_owned())
            .collect();
        images.sort();
        images
    }
}

/// A Deployment with one container.
pub(crate) fn deployment(name: &str, image: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {name}\nspec:\n  selector:\n    matchLabels: {{app: {name}}}\n  \
         template:\n    metadata:\n      labels: {{app: {name}}}\n    spec:\n      containers:\n      - name: {name}\n        image: {image}\n"
    )
}
