//! Git, by the `git` that people have: with their credential helpers, SSH, signing and hooks.

pub mod private;
pub mod publish;
pub mod push;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context as _;

use crate::error::{Error, Result};

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

/// A repository, or a place in its work tree.
#[derive(Debug, Clone)]
pub struct Git {
    directory: PathBuf,
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
    /// For a directory.
    pub fn at(directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into() }
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
        let mut command = Command::new("git");
        command.arg("-C").arg(&self.directory).args(["-c", "gc.auto=0", "-c", "maintenance.auto=false"]);
        command
            .args(arguments)
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("LC_ALL", "C")
            .env("GIT_LFS_SKIP_SMUDGE", "1")
            .stdin(Stdio::null());
        for variable in INHERITED {
            command.env_remove(variable);
        }
        let output = command.output().context("git cannot be started")?;
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Ok(Answer { stdout: text(output.stdout), stderr: text(output.stderr), success: output.status.success() })
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
        let listed = self.query(["config", "--get-regexp", r"^remote\..*\.url$"])?.unwrap_or_default();
        Ok(listed.lines().filter_map(|line| line.split_once(' ')).map(|(_, url)| url.to_owned()).collect())
    }
}

/// What git said, without the noise of progress, and without the credentials that a URL may hold.
pub fn first_words(stderr: &str) -> String {
    let lines = stderr.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("hint:"));
    let telling: Vec<&str> =
        lines.clone().filter(|line| line.starts_with("fatal:") || line.starts_with("error:")).collect();
    let words = if telling.is_empty() { lines.collect::<Vec<_>>().join("; ") } else { telling.join("; ") };
    hide_credentials(&words)
}

/// Replaces `user:password@` in URLs.
pub fn hide_credentials(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("://").map(|start| start + 3) {
        safe.push_str(&rest[..start]);
        rest = &rest[start..];
        let host_end =
            rest.find(|c: char| c == '/' || c.is_whitespace() || c == '\'' || c == '"').unwrap_or(rest.len());
        if let Some(at) = rest[..host_end].rfind('@') {
            safe.push('…');
            rest = &rest[at..];
        }
    }
    safe + rest
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
            "fatal: could not read from 'https://…@host/r': refused"
        );
        assert_eq!(hide_credentials("https://host/a@b ssh://git@h/x"), "https://host/a@b ssh://…@h/x");
    }
}
