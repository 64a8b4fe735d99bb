//! Kinds whose status follows their own convention, as rows of a table: `engine/any/conventions.yaml`, and files given
//! with `--conventions`. A row locates the state of a kind and maps its words to verdicts; rows contain no code.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::failure::{Failure, fail};
use crate::model::kind::ResourceKind;
use crate::model::verdict::Verdict;

/// A row of the table.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Convention {
    /// API group; a leading `*.` matches any subgroup.
    pub group: String,
    /// The kinds of that group; empty means all.
    #[serde(default)]
    pub kinds: Vec<String>,
    /// Documentation of the convention, such as a URL.
    pub source: String,
    /// Fields of `status` that hold a state, by dotted path, with the meanings of their words.
    #[serde(default)]
    pub states: BTreeMap<String, VerdictWords>,
    /// Labels that hold a state, with the meanings of their words.
    #[serde(default)]
    pub labels: BTreeMap<String, VerdictWords>,
    /// Polarity of condition types whose name does not imply it.
    #[serde(default)]
    conditions: BTreeMap<String, ConditionPolarity>,
    /// Meanings of reasons if their words are misleading: of conditions that are not True, and the good ones also of those
    /// that are.
    #[serde(default)]
    pub reasons: VerdictWords,
    /// Additional conditions that determine the verdict.
    #[serde(default)]
    deciding: Vec<String>,
    /// Fields of `status` that are unrelated to health.
    #[serde(default)]
    ignored: Vec<String>,
    /// Pairs of dotted paths from the object's root: to the desired and to the actual number.
    #[serde(default)]
    pub counts: Vec<(String, String)>,
    /// Conditions that must exist before the object is ready.
    #[serde(default)]
    pub awaits: Vec<String>,
    /// Fields of `status` that must exist before the object is ready.
    #[serde(default)]
    pub required: Vec<String>,
    /// Fields of `status` that hold a number or a list, and should be 0 or empty: violations, failures.
    #[serde(default)]
    pub none: Vec<String>,
    /// Pairs of times in `status`: of the last run, and of the last successful one.
    #[serde(default)]
    pub runs: Vec<(String, String)>,
    /// Times in `status` of work that recurs every `spec.interval`.
    #[serde(default)]
    pub recurs: Vec<String>,
    /// Meaning of `Running` and `Active`.
    #[serde(default)]
    pub running: Option<RunningMeaning>,
    /// The verdict if the controller wrote a status without a state.
    #[serde(default)]
    pub idle: Option<Verdict>,
    /// The verdict if the controller reports nothing.
    #[serde(default)]
    pub silent: Option<Verdict>,
}

/// Verdicts of the words of one field.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct VerdictWords {
    ok: Vec<String>,
    progressing: Vec<String>,
    failed: Vec<String>,
    needs_human: Vec<String>,
    drifted: Vec<String>,
    paused: Vec<String>,
}

/// Meaning of a condition with status True.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ConditionPolarity {
    /// Healthy.
    Good,
    /// Unhealthy.
    Bad,
    /// In progress.
    Progress,
    /// Paused by a user.
    Paused,
    /// A user has to decide.
    NeedsHuman,
    /// No meaning.
    Ignored,
}

/// Meaning of a running state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RunningMeaning {
    /// A task that has not finished.
    Progress,
    /// A service that is healthy.
    Ok,
}

impl VerdictWords {
    /// Returns the verdict of a word, ignoring case.
    pub fn verdict(&self, word: &str) -> Option<Verdict> {
        let listed = [
            (&self.ok, Verdict::Ok),
            (&self.progressing, Verdict::Progressing),
            (&self.failed, Verdict::Failed),
            (&self.needs_human, Verdict::NeedsHuman),
            (&self.drifted, Verdict::Drifted),
            (&self.paused, Verdict::Paused),
        ];
        listed
            .into_iter()
            .find(|(words, _)| words.iter().any(|known| known.eq_ignore_ascii_case(word)))
            .map(|(_, verdict)| verdict)
    }
}

impl Convention {
    /// Returns true if this row applies to a kind.
    pub fn covers(&self, kind: &ResourceKind) -> bool {
        let group = match self.group.strip_prefix("*.") {
            Some(parent) => kind.group.strip_suffix(parent).is_some_and(|rest| rest.ends_with('.')),
            None => self.group == "*" || kind.group == self.group,
        };
        group && (self.kinds.is_empty() || self.kinds.contains(&kind.kind))
    }

    /// Returns the words of a field; `*` in a path matches any key, which may contain dots.
    pub fn words_of(&self, field: &str) -> Option<&VerdictWords> {
        self.states
            .get(field)
            .or_else(|| self.states.iter().find(|(path, _)| matches_pattern(path, field)).map(|(_, words)| words))
    }

    /// Returns true if a field is unrelated to health; `*` in a path matches any key.
    pub fn ignores(&self, field: &str) -> bool {
        self.ignored.iter().any(|path| path == field || matches_pattern(path, field))
    }

    /// Returns the polarity of a condition, if the row contains it.
    pub fn polarity(&self, condition: &str) -> Option<ConditionPolarity> {
        self.conditions.get(condition).copied()
    }

    /// Returns true if the row lists a condition as deciding.
    pub fn decides(&self, condition: &str) -> bool {
        self.deciding.iter().any(|deciding| deciding == condition)
    }
}

/// Returns true if a field matches a path with one `*`.
fn matches_pattern(path: &str, field: &str) -> bool {
    let Some((before, after)) = path.split_once('*') else { return false };
    let key = field.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
    key.is_some_and(|key| !key.is_empty())
}

/// Parses a table.
///
/// # Errors
/// Fails with a message when the table is malformed, or a row has no kind or no source.
pub fn parse_conventions(text: &str) -> Result<Vec<Convention>, Failure> {
    let rows: Vec<Convention> = serde_saphyr::from_str(text).map_err(|error| error.without_snippet().to_string())?;
    for (row, number) in rows.iter().zip(1..) {
        if row.group.is_empty() && row.kinds.is_empty() {
            return fail!("row {number} has neither a group nor kinds");
        }
        if row.source.trim().is_empty() {
            return fail!(
                "row {number}, of {}, has no source: add the URL of the documentation of the convention",
                row.group
            );
        }
    }
    Ok(rows)
}
