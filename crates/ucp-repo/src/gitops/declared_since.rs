//! The commit since which a file has declared a version, by the history of its branch.

use jiff::Timestamp;

use crate::git::log::{COMMIT, FORMAT, PathCommit, parse};
use crate::git::{Git, literal_path};
use crate::slot::VersionFile;
use ucp_core::error::{Error, Result};

/// Largest number of commits that are searched.
const MOST: &str = "--max-count=300";

/// A version in a file.
#[derive(Debug, Clone, Copy)]
pub struct DeclaredVersion<'a> {
    /// The file, relative to the top of the repository.
    pub file: &'a str,
    /// The artifact, if the file names it beside the version; else the version is found by its path.
    pub artifact: Option<&'a str>,
    /// The path of the version in the file.
    pub path: &'a str,
    /// The version.
    pub version: &'a str,
}

impl DeclaredVersion<'_> {
    /// Returns true if a text of the file declares the version.
    fn is_in(&self, text: &str) -> bool {
        let Ok(Some(file)) = VersionFile::read(self.file, text) else { return false };
        file.slots().iter().any(|slot| {
            let is_it = match self.artifact {
                Some(artifact) => slot.artifact.as_deref() == Some(artifact),
                None => slot.path.to_string() == self.path,
            };
            is_it && (slot.full_version() == self.version || slot.version == self.version)
        })
    }
}

/// Returns true if a commit has parents that a shallow clone does not have.
fn is_boundary(git: &Git, commit: &str) -> Result<bool> {
    let has_parent = git.run(["cat-file", "commit", commit])?.lines().any(|line| line.starts_with("parent "));
    Ok(has_parent && git.query(["rev-parse", "--verify", "--quiet", &format!("{commit}^")])?.is_none())
}

/// Returns the commit from which on the file has declared the version without interruption, up to `HEAD`; `None` if `HEAD`
/// does not declare it. Its time is that at which it came to the branch, and not before that of a commit which precedes it:
/// the author of a commit can set any date.
///
/// # Errors
/// Fails when git cannot be started, or the history cannot be read: in an incomplete clone, it ends at that commit.
pub fn declared_since(git: &Git, wanted: DeclaredVersion<'_>) -> Result<Option<PathCommit>> {
    let path = literal_path(wanted.file);
    let log = ["log", "--no-color", "--no-show-signature", "--first-parent", MOST, FORMAT, "HEAD", "--", &path];
    let mut since = None;
    for commit in git.run(log)?.split(COMMIT).filter_map(parse) {
        let text = git.query(["show", "--no-textconv", &format!("{}:{}", commit.hash, wanted.file)])?;
        if !text.is_some_and(|text| wanted.is_in(&text)) {
            break;
        }
        since = Some(commit);
    }
    let Some(since) = since else { return Ok(None) };
    if git.run(["rev-parse", "--is-shallow-repository"])? == "true" && is_boundary(git, &since.hash)? {
        return Err(Error::failed("the clone is shallow, and its history ends at that commit")
            .hint("'git fetch --unshallow' fetches the rest"));
    }
    let before = ["log", "--no-show-signature", "--first-parent", MOST, "--format=%ct", &since.hash];
    let times = git.run(before)?;
    let now = Timestamp::now();
    let times = times.lines().filter_map(|time| Timestamp::from_second(time.trim().parse().ok()?).ok());
    // A date in the future is no evidence of the past.
    let latest = times.filter(|time| *time <= now).max();
    Ok(Some(PathCommit { time: latest.map_or(since.time, |latest| latest.max(since.time)), ..since }))
}
