//! Kinds whose status follows a convention of their own, as rows of a table: `engine/any/conventions.yaml`, and what a user
//! adds to it with `--conventions`. A row says where a kind keeps its state and what its words mean; no row holds code.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::model::kind::ResourceKind;
use crate::model::verdict::Verdict;

/// A row of the table.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Convention {
    /// API group; `*.` at the beginning stands for any group below it.
    pub group: String,
    /// The kinds of that group; all of them where it is empty.
    #[serde(default)]
    pub kinds: Vec<String>,
    /// Where the convention is written down.
    pub source: String,
    /// Fields of `status` that hold a state, by their dotted path, and what their words mean.
    #[serde(default)]
    pub states: BTreeMap<String, Words>,
    /// Types of conditions whose name does not tell what they are.
    #[serde(default)]
    conditions: BTreeMap<String, Polarity>,
    /// Reasons of conditions that are False, where their words mislead.
    #[serde(default)]
    pub reasons: Words,
    /// Conditions that decide, beside those that always do.
    #[serde(default)]
    deciding: Vec<String>,
    /// Fields of `status` that say nothing about health.
    #[serde(default)]
    pub ignored: Vec<String>,
    /// Pairs of dotted paths, from the object's root: the first holds a number that should be, the second one that is.
    #[serde(default)]
    pub counts: Vec<(String, String)>,
    /// Conditions without which the object is not ready yet.
    #[serde(default)]
    pub awaits: Vec<String>,
    /// Fields of `status` without which the object is not ready yet.
    #[serde(default)]
    pub required: Vec<String>,
    /// Fields of `status` that hold a number or a list, and should be 0 or empty: violations, failures.
    #[serde(default)]
    pub none: Vec<String>,
    /// Pairs of times in `status`: when something was last done, and when it last succeeded.
    #[serde(default)]
    pub runs: Vec<(String, String)>,
    /// What `Running` and `Active` mean.
    #[serde(default)]
    pub running: Option<Running>,
    /// The verdict where the controller has written a status, and no state in it.
    #[serde(default)]
    pub idle: Option<Verdict>,
    /// What the object is where its controller reports nothing.
    #[serde(default)]
    pub silent: Option<Verdict>,
}

/// What the words of one field mean.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Words {
    ok: Vec<String>,
    progressing: Vec<String>,
    failed: Vec<String>,
    needs_human: Vec<String>,
    drifted: Vec<String>,
    paused: Vec<String>,
}

/// What it means that a condition is True.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Polarity {
    /// It should be.
    Good,
    /// It should not.
    Bad,
    /// Something is under way.
    Progress,
    /// Somebody paused it.
    Paused,
    /// A person has to decide.
    NeedsHuman,
    /// Nothing.
    Ignored,
}

/// What it means that something runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Running {
    /// A task, which is not done yet.
    Progress,
    /// A service, which is as it should be.
    Ok,
}

impl Words {
    /// What a word means here, in whatever case it is written.
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
    /// Whether this row speaks of a kind.
    pub fn covers(&self, kind: &ResourceKind) -> bool {
        let group = match self.group.strip_prefix("*.") {
            Some(parent) => kind.group.strip_suffix(parent).is_some_and(|rest| rest.ends_with('.')),
            None => kind.group == self.group,
        };
        group && (self.kinds.is_empty() || self.kinds.contains(&kind.kind))
    }

    /// The words of a field; `*` in a path stands for any key.
    pub fn words_of(&self, field: &str) -> Option<&Words> {
        let matches = |path: &str| {
            let (mut asked, mut known) = (field.split('.'), path.split('.'));
            loop {
                match (asked.next(), known.next()) {
                    (None, None) => return true,
                    (Some(asked), Some(known)) if known == "*" || asked == known => {}
                    _ => return false,
                }
            }
        };
        self.states.get(field).or_else(|| {
            self.states.iter().find(|(path, _)| path.contains('*') && matches(path)).map(|(_, words)| words)
        })
    }

    /// What a condition is, where the row says so.
    pub fn polarity(&self, condition: &str) -> Option<Polarity> {
        self.conditions.get(condition).copied()
    }

    /// Whether the row says that a condition decides.
    pub fn decides(&self, condition: &str) -> bool {
        self.deciding.iter().any(|deciding| deciding == condition)
    }
}

/// Reads a table.
///
/// # Errors
/// In words, when it is not in the form of a table, or a row names no kind or no source.
pub fn read(text: &str) -> Result<Vec<Convention>, String> {
    let rows: Vec<Convention> = serde_saphyr::from_str(text).map_err(|error| error.without_snippet().to_string())?;
    for (row, number) in rows.iter().zip(1..) {
        if row.group.is_empty() && row.kinds.is_empty() {
            return Err(format!("row {number} names neither a group nor kinds"));
        }
        if row.source.trim().is_empty() {
            return Err(format!(
                "row {number}, of {}, has no source: where is the convention written down?",
                row.group
            ));
        }
    }
    Ok(rows)
}
