//! The progress of an object toward its requested state, in addition to its verdict. The controller of a healthy object
//! may not have processed the newest change, and a failure may be caused by an older change.

use crate::model::condition::{Condition, ConditionStatus, FindCondition as _};
use crate::model::resource::Resource;

/// The progress of an object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ObjectProgress {
    /// The reason why its status is outdated: the newest change was not observed, or a request was not handled.
    pub outdated: Option<String>,
    /// The operation in progress, which is possible for a healthy object, too.
    pub under_way: Option<String>,
    /// Records if its manifests were applied.
    pub applied: ApplyState,
    /// The revisions that it deploys; `None` if it deploys none.
    pub revisions: Option<DeployedRevisions>,
    /// The kind of its failure.
    pub failure: FailureKind,
}

/// The result of applying an object's manifests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ApplyState {
    /// Applied.
    Yes,
    /// Not applied, or unknown.
    #[default]
    No,
}

/// The kind of a failure, if there is one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FailureKind {
    /// Its message says whether it ends by itself.
    #[default]
    Described,
    /// The engine does not try again until the declaration or the source changes.
    GivenUp,
    /// Resolves itself when a dependency becomes available: a referenced object, or a first sync.
    Passing,
    /// The applied objects are not healthy, which the next change may fix.
    OfHealth,
    /// May be caused by an older change: the object does not report the change that it belongs to.
    Undated,
}

/// The revisions that an object deploys: commits, tags, or chart versions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeployedRevisions {
    /// The deployed revisions.
    pub applied: Vec<String>,
    /// The revisions of the last attempt.
    pub tried: Vec<String>,
}

impl DeployedRevisions {
    /// Returns true if a revision is deployed.
    pub fn has(&self, asked: &str) -> bool {
        self.applied.iter().any(|revision| is_revision(asked, revision))
    }

    /// Returns true if a revision was part of the last attempt.
    pub fn tried(&self, asked: &str) -> bool {
        self.tried.iter().any(|revision| is_revision(asked, revision))
    }
}

/// The minimum length of an abbreviated commit hash.
pub const SHORTEST: usize = 7;

/// Returns true if the requested revision matches: the full text, the commit in it or its prefix
/// (`main@sha1:4f3a2b1c…`), or its tag (`v1.2.0@sha1:…`). A branch does not match.
fn is_revision(asked: &str, actual: &str) -> bool {
    let is_commit = |text: &str| text.len() >= SHORTEST && text.chars().all(|one| one.is_ascii_hexdigit());
    let mut parts = actual.split(['@', ':', '+', '/']);
    let tag = actual.split('@').next().unwrap_or_default().trim_start_matches("refs/tags/");
    let is_version = |text: &str| text.trim_start_matches('v').starts_with(|one: char| one.is_ascii_digit());
    let asked_commit = asked.to_ascii_lowercase();
    actual == asked
        || is_version(asked) && tag == asked
        || is_commit(asked) && parts.any(|part| is_commit(part) && part.to_ascii_lowercase().starts_with(&asked_commit))
}

impl ObjectProgress {
    /// Returns the progress of an object of which only conditions are known.
    pub fn from_conditions(resource: &Resource) -> Self {
        let conditions = resource.conditions.as_slice();
        let is_true = |kind: &str| conditions.with_status(kind, ConditionStatus::True).is_some();
        // An object without any of these conditions applies nothing: it exists, or it is healthy.
        let speaks =
            ["Synced", "Installed", "Ready", "Available"].into_iter().find(|kind| conditions.of_type(kind).is_some());
        let applied = if speaks.is_none_or(is_true) { ApplyState::Yes } else { ApplyState::No };
        let told = conditions.iter().filter_map(|condition| condition.observed_generation);
        let seen = told.chain(resource.observed_generation).filter(|seen| *seen > 0).max();
        Self { outdated: outdated_generation(resource, seen), applied, ..Self::default() }
    }
}

/// Returns a message if a generation is older than the newest change.
pub(super) fn outdated_generation(resource: &Resource, seen: Option<i64>) -> Option<String> {
    let is_behind = matches!((seen, resource.metadata.generation), (Some(seen), Some(now)) if seen < now);
    is_behind.then(|| "the newest change has not been observed yet".to_owned())
}

/// Returns true if a condition belongs to an older generation.
pub(super) fn is_old(resource: &Resource, condition: &Condition) -> bool {
    outdated_generation(resource, condition.observed_generation.filter(|seen| *seen > 0)).is_some()
}

/// Returns a message if an annotation requests a reconciliation that the controller has not confirmed in `handled`.
pub(super) fn unhandled_request(resource: &Resource, annotation: &str, handled: Option<&str>) -> Option<String> {
    let asked = resource.metadata.annotation(annotation)?;
    (handled != Some(asked)).then(|| "a requested reconciliation has not happened yet".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revision_matches_by_its_commit_or_its_tag_but_never_by_a_branch() {
        let commit = "4f3a2b1c4f3a2b1c4f3a2b1c4f3a2b1c4f3a2b1c";
        for (asked, actual, expected) in [
            (commit, commit, true),
            ("4f3a2b1", commit, true),
            ("4F3A2B1C", commit, true),
            ("4f3a", commit, false),
            (commit, "main@sha1:4f3a2b1c4f3a2b1c4f3a2b1c4f3a2b1c4f3a2b1c", true),
            (commit, "main/4f3a2b1c4f3a2b1c4f3a2b1c4f3a2b1c4f3a2b1c", true),
            ("v1.2.0", "v1.2.0@sha1:4f3a2b1c4f3a2b1c4f3a2b1c4f3a2b1c4f3a2b1c", true),
            ("6.5.4", "6.5.4", true),
            ("6.5", "6.5.4", false),
            ("4f3a2b1c4f3a", "0.1.0+4f3a2b1c4f3a", true),
            ("main", "main@sha1:4f3a2b1c4f3a2b1c4f3a2b1c4f3a2b1c4f3a2b1c", false),
            ("b1c4f3a", commit, false),
            (commit, "", false),
        ] {
            assert_eq!(is_revision(asked, actual), expected, "{asked} {actual}");
        }
    }
}
