//! Commits that changed a path between two revisions.

use jiff::Timestamp;

use super::{Git, literal_path};
use ucp_core::error::Result;
use ucp_core::model::secrecy::scrub;

/// A commit that changed a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathCommit {
    /// The full hash.
    pub hash: String,
    /// The name of the author.
    pub author: String,
    /// The first line of the message.
    pub subject: String,
    /// The time at which it was committed.
    pub time: Timestamp,
    /// The changed files below the path.
    pub files: Vec<String>,
}

/// Separators of commits and of their fields, which git writes for `%x1e` and `%x1f`.
pub(crate) const COMMIT: char = '\u{1e}';
const FIELD: char = '\u{1f}';
/// The fields of a commit, as [`parse`] reads them.
pub(crate) const FORMAT: &str = "--format=%x1e%H%x1f%an%x1f%ct%x1f%s%x1f";
/// The highest number of commits of one deployment.
const MOST: &str = "--max-count=20";

/// Returns true for a full or abbreviated hash; other revisions are never passed to git.
pub fn is_hash(revision: &str) -> bool {
    (7..=64).contains(&revision.len()) && revision.chars().all(|character| character.is_ascii_hexdigit())
}

/// Returns the commits after `before` up to `after` that changed a path, the newest first; without `before`, the last
/// one. Returns `None` if the repository does not have these commits.
///
/// # Errors
/// Fails when git cannot be started.
pub fn commits_of_path(git: &Git, before: Option<&str>, after: &str, path: &str) -> Result<Option<Vec<PathCommit>>> {
    if !is_hash(after) || before.is_some_and(|before| !is_hash(before)) {
        return Ok(None);
    }
    let range = before.map_or_else(|| after.to_owned(), |before| format!("{before}..{after}"));
    let most = if before.is_some() { MOST } else { "--max-count=1" };
    // The path is of an object in the cluster, and is no pattern.
    let path = literal_path(path.trim_start_matches("./").trim_matches('/'));
    let log = ["log", "--no-color", "--no-show-signature", most, FORMAT, "--name-only", range.as_str(), "--", &path];
    let Some(text) = git.query(log)? else { return Ok(None) };
    Ok(Some(text.split(COMMIT).filter_map(parse).collect()))
}

/// Reads a commit in [`FORMAT`].
pub(crate) fn parse(text: &str) -> Option<PathCommit> {
    let mut fields = text.splitn(5, FIELD);
    let mut next = || fields.next().map(|field| scrub(field.trim()).into_owned());
    let (hash, author, time, subject, files) = (next()?, next()?, next()?, next()?, next()?);
    let time = Timestamp::from_second(time.parse().ok()?).ok()?;
    let files = files.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect();
    Some(PathCommit { hash, author, subject, time, files })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revision_that_is_not_a_hash_is_never_passed_to_git() {
        let git = Git::reading(".");
        for revision in ["--output=/tmp/x", "main", "v1", "", "123456", "zzzzzzzz"] {
            assert_eq!(commits_of_path(&git, None, revision, ".").unwrap(), None, "{revision}");
            assert_eq!(commits_of_path(&git, Some(revision), "1234567", ".").unwrap(), None, "{revision}");
        }
    }

    #[test]
    fn a_commit_has_its_author_its_subject_and_its_files() {
        let commit = parse("abc\u{1f}Jane\u{1f}1700000000\u{1f}Deploy v2\u{1f}\n\nweb/a.yaml\nweb/b.yaml\n").unwrap();
        assert_eq!((commit.author.as_str(), commit.subject.as_str()), ("Jane", "Deploy v2"));
        assert_eq!(commit.files, ["web/a.yaml", "web/b.yaml"]);
        assert_eq!(parse("abc\u{1f}Jane"), None);
    }
}
