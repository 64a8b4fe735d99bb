//! How far what is asked of an object has come: what an engine writes beside the verdict. An object that is well may not
//! have begun with its newest change, and one that failed may have failed with an older one.

use crate::model::condition::{Condition, Conditions as _, Truth};
use crate::model::resource::Resource;

/// How far an object has come.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Course {
    /// Why its state speaks of the past: nobody has looked at the newest change, or answered a request.
    pub outdated: Option<String>,
    /// What goes on although it may be well.
    pub under_way: Option<String>,
    /// Whether what it declares was applied.
    pub applied: Applied,
    /// Which revisions it deploys; none where it deploys none.
    pub revisions: Option<Revisions>,
    /// What its failure is about.
    pub failure: Failure,
}

/// Whether what an object declares was applied.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Applied {
    /// It was.
    Yes,
    /// It was not, or nobody says.
    #[default]
    No,
}

/// What a failure is about, where there is one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Failure {
    /// Something has to be done about it.
    #[default]
    Lasting,
    /// It ends by itself as soon as something else is there: what it refers to, or a first sync.
    Passing,
    /// What was applied is not well, which the next thing that is applied may mend.
    OfHealth,
    /// It may be older than the newest change: the object does not say which change it speaks of.
    Undated,
}

/// Revisions of what an object deploys: commits, tags, versions of charts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Revisions {
    /// What is deployed.
    pub applied: Vec<String>,
    /// What was tried last.
    pub tried: Vec<String>,
}

impl Revisions {
    /// Whether a revision is deployed.
    pub fn has(&self, asked: &str) -> bool {
        self.applied.iter().any(|revision| is_revision(asked, revision))
    }

    /// Whether a revision was tried last.
    pub fn tried(&self, asked: &str) -> bool {
        self.tried.iter().any(|revision| is_revision(asked, revision))
    }
}

/// The shortest part of a commit's name that stands for it.
pub const SHORTEST: usize = 7;

/// Whether a person means this revision: the whole of it, the commit in it or its beginning (`main@sha1:4f3a2b1c…`), or its
/// tag (`v1.2.0@sha1:…`). A branch is no revision.
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

impl Course {
    /// That of an object of which nothing but conditions is known.
    pub fn of_conditions(resource: &Resource) -> Self {
        let conditions = resource.conditions.as_slice();
        let is_true = |kind: &str| conditions.when(kind, Truth::True).is_some();
        // What has none of these applies nothing: it is there, or it is well.
        let speaks =
            ["Synced", "Installed", "Ready", "Available"].into_iter().find(|kind| conditions.of(kind).is_some());
        let applied = if speaks.is_none_or(is_true) { Applied::Yes } else { Applied::No };
        let told = conditions.iter().filter_map(|condition| condition.observed_generation);
        let seen = told.chain(resource.observed_generation).filter(|seen| *seen > 0).max();
        Self { outdated: behind(resource, seen), applied, ..Self::default() }
    }
}

/// Whether a generation is older than the newest change.
pub(super) fn behind(resource: &Resource, seen: Option<i64>) -> Option<String> {
    let is_behind = matches!((seen, resource.metadata.generation), (Some(seen), Some(now)) if seen < now);
    is_behind.then(|| "the newest change has not been looked at yet".to_owned())
}

/// Whether a condition speaks of an older generation.
pub(super) fn is_old(resource: &Resource, condition: &Condition) -> bool {
    behind(resource, condition.observed_generation.filter(|seen| *seen > 0)).is_some()
}

/// Whether somebody asked for a reconciliation by an annotation and the controller has not answered in `handled`.
pub(super) fn unanswered(resource: &Resource, annotation: &str, handled: Option<&str>) -> Option<String> {
    let asked = resource.metadata.annotation(annotation)?;
    (handled != Some(asked)).then(|| "a reconciliation was asked for and has not happened yet".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revision_is_meant_by_its_commit_or_its_tag_and_never_by_a_branch() {
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
