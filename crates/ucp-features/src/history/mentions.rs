//! The mentions of a failure, and their relation to a change.

use jiff::SignedDuration;

use super::failure_facts::FailureFacts;
use super::occurrence::{ChangeSort, Occurrence};
use super::words::has_word;

/// The beginning of the evidence that a failure mentions a change, and its points.
pub(super) const MENTIONS: &str = "the failure mentions ";
pub(super) const MENTIONED: i32 = 30;
/// Shorter words occur by chance.
const SHORTEST: usize = 5;
/// The beginning of the evidence that a failure is about a change without a mention.
pub(super) const CONCERNS: &str = "the failure is about ";

/// Returns a word of a change that the messages of the failure contain: a new value, also that of the deployed commit, an object, or a
/// field.
pub(super) fn mentioned(change: &Occurrence, commits: &[&Occurrence], known: FailureFacts<'_>) -> Option<String> {
    let commit = commits.last().copied();
    let field = change.fields.iter().filter_map(|path| path.rsplit('.').next()).map(str::to_owned);
    // An object that fails mentions itself.
    let is_own = |name: &&String| **name != known.object.name && **name != known.failure.object.name;
    // A failure also mentions values that were there all the time.
    let is_old = change.change == ChangeSort::Created && known.lead(change, commit) > SignedDuration::from_mins(1);
    let name = Some(&change.object.name).filter(is_own).filter(|_| !is_old).cloned();
    let values = change.after.iter().chain(commits.iter().flat_map(|commit| &commit.values));
    let is_long = |word: &String| word.len() >= SHORTEST;
    let values = values.flat_map(|after| after.split(", ").map(str::to_owned));
    let values = values.filter(|value| is_long(value) || known.is_missing_name(value));
    let mut words = values.chain(name.into_iter().chain(field).filter(is_long));
    words.find(|word| has_word(known.messages, &word.to_ascii_lowercase()))
}

/// Returns the commits with a new value that the failure mentions; all if there is none.
pub(super) fn relevant_commits<'a>(commits: &[&'a Occurrence], known: FailureFacts<'_>) -> Vec<&'a Occurrence> {
    let is_long = |value: &&String| value.len() >= SHORTEST;
    let is_mentioned = |commit: &Occurrence| {
        let mut values = commit.values.iter().filter(is_long);
        values.any(|value| has_word(known.messages, &value.to_ascii_lowercase()))
    };
    let mentioned: Vec<&Occurrence> = commits.iter().copied().filter(|commit| is_mentioned(commit)).collect();
    if mentioned.is_empty() { commits.to_vec() } else { mentioned }
}

/// Parts of the names of fields that refer to other objects, in lower case.
const REFERENCES: [&str; 6] = ["env", "volume", "secret", "configmap", "serviceaccount", "ref"];

/// Returns true for a change by which an object may have begun to refer to another one.
pub(super) fn may_refer(change: &Occurrence) -> bool {
    let refers = |field: &String| {
        let field = field.to_ascii_lowercase();
        field.starts_with("spec") && REFERENCES.iter().any(|part| field.contains(part))
    };
    change.change == ChangeSort::Deployed || change.fields.iter().any(refers)
}

/// Why a write says little about its effects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SettingBlindness {
    /// It only wrote labels and annotations.
    Metadata,
    /// Its fields are not known, as in an audit log.
    Unknown,
}

/// Returns why a write says little about its effects, if it does.
pub(super) fn blindness(change: &Occurrence) -> Option<SettingBlindness> {
    match change.fields.as_slice() {
        _ if change.change != ChangeSort::Written => None,
        [] => Some(SettingBlindness::Unknown),
        fields => fields.iter().all(|field| field.starts_with("metadata.")).then_some(SettingBlindness::Metadata),
    }
}

/// Returns true for the evidence that a failure mentions a change.
pub(super) fn is_mention(evidence: &str) -> bool {
    evidence.starts_with(MENTIONS) || evidence.starts_with(CONCERNS)
}

#[cfg(test)]
mod tests {
    use super::super::samples::{object, occurrence};
    use super::*;

    #[test]
    fn a_write_of_labels_or_of_unknown_fields_says_little() {
        let web = object("Deployment", "web");
        let with = |change: ChangeSort, fields: &[&str]| {
            let fields = fields.iter().map(|field| (*field).to_owned()).collect();
            blindness(&Occurrence { fields, ..occurrence("03:00:00", &web, change, "was changed") })
        };
        let written = |fields: &[&str]| with(ChangeSort::Written, fields);
        assert_eq!(written(&["metadata.labels.a", "metadata.annotations.b"]), Some(SettingBlindness::Metadata));
        assert_eq!(written(&["metadata.labels.a", "spec.template.metadata.labels.a"]), None);
        assert_eq!(written(&[]), Some(SettingBlindness::Unknown));
        assert_eq!(with(ChangeSort::Deployed, &[]), None);
    }
}
