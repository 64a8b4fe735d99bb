//! Runs the installed `git`. Commands that only read a checkout start no other program and get no credentials. Commands
//! that commit, fetch, or push use the user's credential helpers, SSH, signing, and hooks.

pub mod content;
mod credentials;
pub mod identity;
pub mod log;
pub mod private;
pub mod proposal;
pub mod publish;
pub mod push;
pub mod texts;

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context as _;

use ucp_core::error::{Error, Result};
use ucp_core::model::secrecy::scrub;
use ucp_core::program;
use ucp_core::scratch::RegisteredChild;

/// Variables by which a hook or another git process passes its repository. They are removed, since `-C` selects the
/// repository.
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

/// Settings for every call of git. They turn off features that no call needs and that a repository's configuration
/// could use to start a program.
const ALWAYS: [&str; 6] = [
    "gc.auto=0",
    "maintenance.auto=false",
    "core.fsmonitor=false",
    "protocol.ext.allow=never",
    // It reads from a descriptor that this process happens to have.
    "protocol.fd.allow=never",
    "submodule.recurse=false",
];
/// Settings for reading. A directory of a checkout that looks like a bare repository may contain an untrusted
/// configuration.
const READING: [&str; 1] = ["safe.bareRepository=explicit"];
/// The words of `git status`. In a submodule, git would start another git, which uses the filters of its own configuration; a
/// submodule at another commit is a change without that.
pub const STATUS: [&str; 2] = ["status", "--ignore-submodules=dirty"];
const NO_HOOKS: &str = "core.hooksPath=/dev/null";
/// Variables of the current environment by which git finds the user's configuration.
const USERS: [&str; 4] =
    ["XDG_CONFIG_HOME", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_EXEC_PATH"];
/// Prefix of variables that hold settings, or paths of files with settings.
const SETTINGS: &str = "GIT_CONFIG_";

/// Programs that git may start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GitAccess {
    /// None: git only reads the repository.
    Reading,
    /// Programs for remotes: credential helpers and SSH, with the user's environment.
    Remotes,
    /// As `Remotes`, and the hooks of the repository.
    Hooks,
}

/// A repository, or a directory in its work tree.
#[derive(Debug, Clone)]
pub struct Git {
    directory: PathBuf,
    manner: GitAccess,
    /// Additional environment variables.
    environment: Vec<(OsString, OsString)>,
}

/// Output and status of a git command.
#[derive(Debug, Clone)]
pub struct GitOutput {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// True if git exited with status zero.
    pub success: bool,
}

impl Git {
    /// Creates a client for a directory, with the user's configuration for remotes.
    pub fn at(directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into(), manner: GitAccess::Remotes, environment: Vec::new() }
    }

    /// Creates a client for a directory that is only read: it starts no hook, filter, helper, or transport, and gets no
    /// credentials from the environment.
    pub fn reading(directory: impl Into<PathBuf>) -> Self {
        Self { manner: GitAccess::Reading, ..Self::at(directory) }
    }

    /// Returns a copy that runs the hooks of the repository, as the user's git does.
    #[must_use]
    pub fn with_hooks(&self) -> Self {
        Self { manner: GitAccess::Hooks, ..self.clone() }
    }

    /// Returns a copy for another directory, with the same environment.
    #[must_use]
    pub fn moved_to(&self, directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into(), ..self.clone() }
    }

    /// Adds an environment variable.
    #[must_use]
    pub fn with(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    /// Prepares the client for network access: no credential in a remote's URL becomes an argument of a process.
    ///
    /// # Errors
    /// Fails when git cannot be started.
    pub fn without_credentials_in_arguments(self) -> Result<Self> {
        let written = self.remote_urls()?;
        let resolved = written.iter().map(|url| self.resolve_url(url)).collect::<Result<Vec<_>>>()?;
        let urls = written.iter().map(String::as_str).zip(resolved.iter().map(String::as_str));
        Ok(credentials::environment(urls)?.into_iter().fold(self, |git, (name, value)| git.with(name, value)))
    }

    /// Prepares for cloning a URL: returns a client that has the credentials, and the URL without them.
    ///
    /// # Errors
    /// Fails when git cannot be started.
    pub fn for_clone(self, url: &str) -> Result<(Self, String)> {
        let clean = credentials::UrlCredentials::parse(url)?.map_or_else(|| url.to_owned(), |login| login.url);
        // An `insteadOf` rule of the user may add credentials.
        let resolved = if clean == url { self.resolve_url(url)? } else { url.to_owned() };
        let environment = credentials::environment([(clean.as_str(), resolved.as_str())])?;
        Ok((environment.into_iter().fold(self, |git, (name, value)| git.with(name, value)), clean))
    }

    /// Resolves a URL by the rules of `url.*.insteadOf`. The URL is passed as a setting, not as an argument.
    fn resolve_url(&self, url: &str) -> Result<String> {
        const REMOTE: &str = "kubectl-ucp-resolved";
        let known: usize = self.setting_count();
        let asking = self
            .clone()
            .with("GIT_CONFIG_COUNT", (known + 1).to_string())
            .with(format!("GIT_CONFIG_KEY_{known}"), format!("remote.{REMOTE}.url"))
            .with(format!("GIT_CONFIG_VALUE_{known}"), url);
        Ok(asking.query(["remote", "get-url", REMOTE])?.unwrap_or_else(|| url.to_owned()))
    }

    /// Returns the number of settings that the environment already holds.
    fn setting_count(&self) -> usize {
        let own = self.environment.iter().rev().find(|(name, _)| name == "GIT_CONFIG_COUNT");
        let count = own.map(|(_, value)| value.clone()).or_else(|| std::env::var_os("GIT_CONFIG_COUNT"));
        count.and_then(|count| count.to_str()?.parse().ok()).unwrap_or(0)
    }

    /// Returns the directory in which git runs.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Runs git and returns its output, also if it fails. Git does not prompt for passwords.
    ///
    /// # Errors
    /// Fails when git cannot be started.
    pub fn output<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Result<GitOutput> {
        let mut command = self.command();
        command.args(arguments).stdin(Stdio::null());
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().context("git cannot be started")?;
        let working = RegisteredChild::register(&child);
        let output = child.wait_with_output().context("git cannot be waited for")?;
        drop(working);
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Ok(GitOutput { stdout: text(output.stdout), stderr: text(output.stderr), success: output.status.success() })
    }

    /// Returns the git command with its environment and settings, without a subcommand.
    fn command(&self) -> Command {
        let mut command = Command::new("git");
        let settings = match self.manner {
            GitAccess::Reading => [&ALWAYS[..], &READING, &[NO_HOOKS]].concat(),
            GitAccess::Remotes => [&ALWAYS[..], &[NO_HOOKS]].concat(),
            GitAccess::Hooks => ALWAYS.to_vec(),
        };
        command
            .arg("-C")
            .arg(without_prefix(&self.directory))
            .args(settings.iter().flat_map(|setting| ["-c", setting]));
        if self.manner == GitAccess::Reading {
            // The user's configuration lists the directories that are safe to read.
            let home = std::env::home_dir().unwrap_or_default();
            command.env_clear().envs(program::minimal_environment(&home));
            command.envs(USERS.iter().filter_map(|name| program::inherited(name)));
            command.envs(std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with(SETTINGS)));
            // Missing objects are not fetched.
            command.env("GIT_NO_LAZY_FETCH", "1").env("GIT_ALLOW_PROTOCOL", "none");
        }
        command
            .env("GIT_TERMINAL_PROMPT", "0")
            // Commands that only read take no lock on the index.
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("LC_ALL", "C")
            .env("GIT_LFS_SKIP_SMUDGE", "1");
        for variable in INHERITED {
            command.env_remove(variable);
        }
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs git and returns its standard output without trailing white space.
    ///
    /// # Errors
    /// Fails when git exits with an error; the message contains git's error output.
    pub fn run<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Result<String> {
        let arguments: Vec<A> = arguments.into_iter().collect();
        let answer = self.output(&arguments)?;
        if answer.success {
            return Ok(answer.stdout.trim_end().to_owned());
        }
        let verb = arguments.first().map(|verb| verb.as_ref().to_string_lossy().into_owned()).unwrap_or_default();
        Err(Error::failed(format!("git {verb} failed: {}", summarize_error(&answer.stderr))))
    }

    /// Runs git and returns its standard output, or `None` if it exits with an error.
    ///
    /// # Errors
    /// Fails when git cannot be started.
    pub fn query<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Result<Option<String>> {
        let answer = self.output(arguments)?;
        Ok(answer.success.then(|| answer.stdout.trim_end().to_owned()))
    }

    /// Returns the URL to which pushes to a remote go; empty if it has none.
    ///
    /// # Errors
    /// Fails when git cannot be started.
    pub fn push_url(&self, remote: &str) -> Result<String> {
        Ok(self.query(["remote", "get-url", "--push", "--", remote])?.unwrap_or_default())
    }

    /// Returns the top of the checkout that contains the directory; `None` outside of a checkout.
    ///
    /// # Errors
    /// Fails when git cannot be started, and when the configuration of the repository moves its files elsewhere
    /// (`core.worktree`): the configuration may be that of an archive of unknown origin.
    pub fn top(&self) -> Result<Option<PathBuf>> {
        let top = self.query(["rev-parse", "--show-toplevel"])?.filter(|top| !top.is_empty());
        let Some(top) = top.map(PathBuf::from) else { return Ok(None) };
        // Git finds a repository in the nearest directory with this entry, and its files are there.
        let directory = std::fs::canonicalize(&self.directory).context("cannot read the checkout")?;
        let nearest = directory.ancestors().find(|above| above.join(".git").exists());
        if std::fs::canonicalize(&top).is_ok_and(|top| nearest == Some(top.as_path())) {
            return Ok(Some(top));
        }
        let moved = format!(
            "the Git configuration of {} moves its files to {}, which is no checkout of it",
            self.directory.display(),
            top.display()
        );
        Err(Error::usage(moved).hint("see core.worktree in 'git config --list --show-origin'"))
    }

    /// Returns a client for [`STATUS`] that only reads: files whose size is that of the commit are compared without the filters of
    /// the repository, which are programs. A file that a filter changes may count as changed.
    ///
    /// # Errors
    /// Fails when git cannot be started.
    pub fn without_filters(&self) -> Result<Self> {
        let reading = Self::reading(&self.directory);
        let listed =
            reading.query(["config", "--null", "--name-only", "--get-regexp", r"^filter\."])?.unwrap_or_default();
        let filters: BTreeSet<&str> = listed.split('\0').filter_map(|name| Some(name.rsplit_once('.')?.0)).collect();
        let settings = filters.iter().flat_map(|filter| {
            [("clean", ""), ("process", ""), ("required", "false")]
                .map(|(field, value)| (format!("{filter}.{field}"), value))
        });
        let known = reading.setting_count();
        let count = known + 3 * filters.len();
        let mut git = reading.with("GIT_CONFIG_COUNT", count.to_string());
        for (place, (name, value)) in (known..).zip(settings) {
            git = git.with(format!("GIT_CONFIG_KEY_{place}"), name).with(format!("GIT_CONFIG_VALUE_{place}"), value);
        }
        Ok(git)
    }

    /// Returns the checked out branch, also before its first commit; `None` with a detached HEAD.
    ///
    /// # Errors
    /// Fails when git cannot be started.
    pub fn current_branch(&self) -> Result<Option<String>> {
        self.query(["symbolic-ref", "--quiet", "--short", "HEAD"])
    }

    /// Returns true if no commit or file is left out of the repository: it is neither a shallow nor a partial clone.
    ///
    /// # Errors
    /// Fails when git cannot be started.
    pub fn is_complete(&self) -> Result<bool> {
        let is_shallow = self.query(["rev-parse", "--is-shallow-repository"])?;
        let promisor = self.query(["config", "--get-regexp", r"^(extensions\.partialclone|remote\..*\.promisor)$"])?;
        Ok(is_shallow.as_deref() == Some("false") && promisor.is_none_or(|all| all.is_empty()))
    }

    /// Returns the URLs of the remotes, including push URLs.
    ///
    /// # Errors
    /// Fails when git cannot be started.
    pub fn remote_urls(&self) -> Result<Vec<String>> {
        let listed = self.query(["config", "--get-regexp", r"^remote\..*\.(push)?url$"])?.unwrap_or_default();
        Ok(listed.lines().filter_map(|line| line.split_once(' ')).map(|(_, url)| url.to_owned()).collect())
    }
}

/// Summarizes git's error output, without progress, hints, and credentials in URLs.
pub fn summarize_error(stderr: &str) -> String {
    let lines = stderr.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("hint:"));
    let telling: Vec<&str> =
        lines.clone().filter(|line| line.starts_with("fatal:") || line.starts_with("error:")).collect();
    let words = if telling.is_empty() { lines.collect::<Vec<_>>().join("; ") } else { telling.join("; ") };
    scrub(&words).into_owned()
}

/// Returns a path below the top as an argument of git that has no patterns.
pub fn literal_path(path: &str) -> String {
    format!(":(top,literal){path}")
}

/// Returns the name of a repository: the last part of its origin's URL, or of its directory.
///
/// # Errors
/// Fails when git cannot be started.
pub fn repository_name(git: &Git, top: &Path) -> Result<String> {
    let url = git.query(["config", "--get", "remote.origin.url"])?;
    Ok(last_part(url.as_deref().unwrap_or(&top.to_string_lossy())))
}

/// Returns the last part of a path or URL, without `.git`.
pub fn last_part(path: &str) -> String {
    let path = path.trim_end_matches('/').trim_end_matches(".git").trim_end_matches('/');
    path.rsplit(['/', ':']).next().unwrap_or(path).to_owned()
}

/// Returns a path without the prefix `\\?\` that `canonicalize` adds on Windows, and that git does not understand. A share has another
/// form without it, so that its path stays.
fn without_prefix(path: &Path) -> &Path {
    let short = path.to_str().and_then(|text| text.strip_prefix(r"\\?\")).filter(|rest| !rest.starts_with("UNC\\"));
    short.map_or(path, Path::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_in_urls_are_never_shown() {
        assert_eq!(
            summarize_error("remote: x\nfatal: could not read from 'https://u:s3cret@host/r': refused\nhint: y\n"),
            "fatal: could not read from 'https://<hidden>@host/r': refused"
        );
    }

    #[test]
    fn git_gets_paths_of_windows_in_their_usual_form() {
        for (path, given) in
            [(r"\\?\C:\apps", r"C:\apps"), (r"\\?\UNC\server\apps", r"\\?\UNC\server\apps"), ("/apps", "/apps")]
        {
            assert_eq!(without_prefix(Path::new(path)), Path::new(given));
        }
    }
}
