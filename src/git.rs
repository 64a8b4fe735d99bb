//! Git, by the `git` that people have. What only reads a checkout starts no other program and gets no credential; what commits,
//! fetches and pushes on the user's behalf has their credential helpers, SSH, signing and hooks.

pub mod content;
mod credentials;
pub mod identity;
pub mod private;
pub mod publish;
pub mod push;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context as _;

use crate::error::{Error, Result};
use crate::model::secrecy::scrub;
use crate::program;
use crate::scratch::Working;

/// Variables by which a hook or another git tells where it works. We say so ourselves.
const INHERITED: [&str; 8] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
];

/// What no call of git needs, and a repository's own configuration could turn into a program that is started.
const ALWAYS: [&str; 5] = [
    "gc.auto=0",
    "maintenance.auto=false",
    "core.fsmonitor=false",
    "protocol.ext.allow=never",
    "submodule.recurse=false",
];
/// A directory of a checkout that looks like a bare repository brings a configuration that anybody may have written.
const READING: [&str; 1] = ["safe.bareRepository=explicit"];
const NO_HOOKS: &str = "core.hooksPath=/dev/null";
/// Of our own environment, where git finds the user's own configuration.
const USERS: [&str; 4] =
    ["XDG_CONFIG_HOME", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_EXEC_PATH"];
/// The same: settings, and files with settings.
const SETTINGS: &str = "GIT_CONFIG_";

/// What git may start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manner {
    /// Nothing: it reads what lies in the repository.
    Reading,
    /// What it needs for remotes: credential helpers and SSH, with the user's environment.
    Remotes,
    /// The same, and the hooks of the repository.
    Hooks,
}

/// A repository, or a place in its work tree.
#[derive(Debug, Clone)]
pub struct Git {
    directory: PathBuf,
    manner: Manner,
    /// What stands in its environment besides ours.
    environment: Vec<(OsString, OsString)>,
}

/// What git said.
#[derive(Debug, Clone)]
pub struct Answer {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// Whether it exited with zero.
    pub success: bool,
}

impl Git {
    /// For a directory, with what the user has configured to reach remotes.
    pub fn at(directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into(), manner: Manner::Remotes, environment: Vec::new() }
    }

    /// For a directory that is only read: no hook, filter, helper or transport is started, and no credential of the
    /// environment is handed on.
    pub fn reading(directory: impl Into<PathBuf>) -> Self {
        Self { manner: Manner::Reading, ..Self::at(directory) }
    }

    /// The same with the hooks of the repository, as the user runs them.
    #[must_use]
    pub fn with_hooks(&self) -> Self {
        Self { manner: Manner::Hooks, ..self.clone() }
    }

    /// The same in another directory, with the same environment.
    #[must_use]
    pub fn moved_to(&self, directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into(), ..self.clone() }
    }

    /// The same with a variable in its environment.
    #[must_use]
    pub fn with(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    /// The same for the network: no credential in a remote's URL becomes an argument of any process.
    ///
    /// # Errors
    /// When git cannot be started.
    pub fn discreet(self) -> Result<Self> {
        let written = self.remote_urls()?;
        let resolved = written.iter().map(|url| self.resolved(url)).collect::<Result<Vec<_>>>()?;
        let urls = written.iter().map(String::as_str).zip(resolved.iter().map(String::as_str));
        Ok(credentials::environment(urls)?.into_iter().fold(self, |git, (name, value)| git.with(name, value)))
    }

    /// For cloning a URL: the URL without credentials, and the git that knows them.
    ///
    /// # Errors
    /// When git cannot be started.
    pub fn discreet_about(self, url: &str) -> Result<(Self, String)> {
        let clean = credentials::Login::of(url)?.map_or_else(|| url.to_owned(), |login| login.url);
        // A rule of the user's may put credentials in.
        let resolved = if clean == url { self.resolved(url)? } else { url.to_owned() };
        let environment = credentials::environment([(clean.as_str(), resolved.as_str())])?;
        Ok((environment.into_iter().fold(self, |git, (name, value)| git.with(name, value)), clean))
    }

    /// A URL as git would use it, by the rules of `url.*.insteadOf`. It is handed over as a setting, not as an argument.
    fn resolved(&self, url: &str) -> Result<String> {
        const REMOTE: &str = "kubectl-ucp-resolved";
        let known: usize = self.count_of_settings();
        let asking = self
            .clone()
            .with("GIT_CONFIG_COUNT", (known + 1).to_string())
            .with(format!("GIT_CONFIG_KEY_{known}"), format!("remote.{REMOTE}.url"))
            .with(format!("GIT_CONFIG_VALUE_{known}"), url);
        Ok(asking.query(["remote", "get-url", REMOTE])?.unwrap_or_else(|| url.to_owned()))
    }

    /// How many settings its environment holds already.
    fn count_of_settings(&self) -> usize {
        let own = self.environment.iter().rev().find(|(name, _)| name == "GIT_CONFIG_COUNT");
        let count = own.map(|(_, value)| value.clone()).or_else(|| std::env::var_os("GIT_CONFIG_COUNT"));
        count.and_then(|count| count.to_str()?.parse().ok()).unwrap_or(0)
    }

    /// The directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Runs git and answers with what it said, whatever that is. It asks nobody for a password at a terminal.
    ///
    /// # Errors
    /// When git cannot be started.
    pub fn ask<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Result<Answer> {
        let mut command = self.command();
        command.args(arguments).stdin(Stdio::null());
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().context("git cannot be started")?;
        let working = Working::of(&child);
        let output = child.wait_with_output().context("git cannot be waited for")?;
        drop(working);
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Ok(Answer { stdout: text(output.stdout), stderr: text(output.stderr), success: output.status.success() })
    }

    /// Git with its environment and settings, before its verb.
    fn command(&self) -> Command {
        let mut command = Command::new("git");
        let settings = match self.manner {
            Manner::Reading => [&ALWAYS[..], &READING, &[NO_HOOKS]].concat(),
            Manner::Remotes => [&ALWAYS[..], &[NO_HOOKS]].concat(),
            Manner::Hooks => ALWAYS.to_vec(),
        };
        command.arg("-C").arg(&self.directory).args(settings.iter().flat_map(|setting| ["-c", setting]));
        if self.manner == Manner::Reading {
            // The user's own configuration says which directories are safe to read.
            let home = std::env::home_dir().unwrap_or_default();
            command.env_clear().envs(program::minimal_environment(&home));
            command.envs(USERS.iter().filter_map(|name| program::inherited(name)));
            command.envs(std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with(SETTINGS)));
            // An object that is missing is not fetched.
            command.env("GIT_NO_LAZY_FETCH", "1").env("GIT_ALLOW_PROTOCOL", "none");
        }
        command
            .env("GIT_TERMINAL_PROMPT", "0")
            // No lock is taken for an index that was only looked at.
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("LC_ALL", "C")
            .env("GIT_LFS_SKIP_SMUDGE", "1");
        for variable in INHERITED {
            command.env_remove(variable);
        }
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs git and answers with its output, without white space at the end.
    ///
    /// # Errors
    /// When it fails, with what it said.
    pub fn run<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Result<String> {
        let arguments: Vec<A> = arguments.into_iter().collect();
        let answer = self.ask(&arguments)?;
        if answer.success {
            return Ok(answer.stdout.trim_end().to_owned());
        }
        let verb = arguments.first().map(|verb| verb.as_ref().to_string_lossy().into_owned()).unwrap_or_default();
        Err(Error::failed(anyhow::anyhow!("git {verb} failed: {}", first_words(&answer.stderr))))
    }

    /// Runs git and answers with its output where it succeeds.
    ///
    /// # Errors
    /// When git cannot be started.
    pub fn query<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Result<Option<String>> {
        let answer = self.ask(arguments)?;
        Ok(answer.success.then(|| answer.stdout.trim_end().to_owned()))
    }

    /// The URLs of the remotes.
    ///
    /// # Errors
    /// When git cannot be started.
    pub fn remote_urls(&self) -> Result<Vec<String>> {
        let listed = self.query(["config", "--get-regexp", r"^remote\..*\.(push)?url$"])?.unwrap_or_default();
        Ok(listed.lines().filter_map(|line| line.split_once(' ')).map(|(_, url)| url.to_owned()).collect())
    }
}

/// What git said, without the noise of progress, and without the credentials that a URL may hold.
pub fn first_words(stderr: &str) -> String {
    let lines = stderr.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("hint:"));
    let telling: Vec<&str> =
        lines.clone().filter(|line| line.starts_with("fatal:") || line.starts_with("error:")).collect();
    let words = if telling.is_empty() { lines.collect::<Vec<_>>().join("; ") } else { telling.join("; ") };
    scrub(&words).into_owned()
}

/// What a repository is called: the last part of its origin, or of its directory.
///
/// # Errors
/// When git cannot be started.
pub fn repository_name(git: &Git, top: &Path) -> Result<String> {
    let url = git.query(["config", "--get", "remote.origin.url"])?;
    Ok(last_part(url.as_deref().unwrap_or(&top.to_string_lossy())))
}

/// The last part of a path or URL, without `.git`.
pub fn last_part(path: &str) -> String {
    let path = path.trim_end_matches('/').trim_end_matches(".git").trim_end_matches('/');
    path.rsplit(['/', ':']).next().unwrap_or(path).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_in_urls_are_never_shown() {
        assert_eq!(
            first_words("remote: x\nfatal: could not read from 'https://u:s3cret@host/r': refused\nhint: y\n"),
            "fatal: could not read from 'https://<hidden>@host/r': refused"
        );
    }
}
