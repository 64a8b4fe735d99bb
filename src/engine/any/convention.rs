//! Kinds whose status follows a convention of their own: one table of data, `conventions.yaml`. A row says where a kind
//! keeps its state and what its words mean; no row holds code.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::model::kind::ResourceKind;
use crate::model::verdict::Verdict;

/// A row of the table.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Convention {
    /// API group; `*.` at the beginning stands for any group below it.
    group: String,
    /// The kinds of that group; all of them where it is empty.
    #[serde(default)]
    kinds: Vec<String>,
    /// Where the convention is written down.
    #[allow(dead_code, reason = "for whoever reads the table")]
    source: String,
    /// Fields of `status` that hold a state, by their dotted path, and what their words mean.
    #[serde(default)]
    pub(super) states: BTreeMap<String, Words>,
    /// Types of conditions whose name does not tell what they are.
    #[serde(default)]
    conditions: BTreeMap<String, Polarity>,
    /// Reasons of conditions that are False, where their words mislead.
    #[serde(default)]
    pub(super) reasons: Words,
    /// Conditions that decide, beside those that always do.
    #[serde(default)]
    deciding: Vec<String>,
    /// Fields of `status` that say nothing about health.
    #[serde(default)]
    pub(super) ignored: Vec<String>,
    /// Pairs of dotted paths, from the object's root: the first holds a number that should be, the second one that is.
    #[serde(default)]
    pub(super) counts: Vec<(String, String)>,
    /// Fields of `status` without which the object is not ready yet.
    #[serde(default)]
    pub(super) required: Vec<String>,
    /// Pairs of times in `status`: when something was last done, and when it last succeeded.
    #[serde(default)]
    pub(super) runs: Vec<(String, String)>,
    /// What `Running` and `Active` mean.
    #[serde(default)]
    pub(super) running: Option<Running>,
    /// What the object is where its controller reports nothing.
    #[serde(default)]
    pub(super) silent: Option<Verdict>,
}

/// What the words of one field mean.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(super) struct Words {
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
pub(super) enum Polarity {
    /// It should be.
    Good,
    /// It should not.
    Bad,
    /// Something is under way.
    Progress,
    /// Somebody paused it.
    Paused,
    /// Nothing.
    Ignored,
}

/// What it means that something runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Running {
    /// A task, which is not done yet.
    Progress,
    /// A service, which is as it should be.
    Ok,
}

impl Words {
    /// What a word means here, in whatever case it is written.
    pub(super) fn verdict(&self, word: &str) -> Option<Verdict> {
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

/// The words at the end of a kind that is a task: it runs, and then it is done.
const TASKS: [&str; 24] = [
    "job",
    "run",
    "task",
    "workflow",
    "backup",
    "restore",
    "build",
    "operation",
    "migration",
    "import",
    "export",
    "request",
    "experiment",
    "promotion",
    "benchmark",
    "test",
    "copy",
    "clone",
    "upload",
    "download",
    "dump",
    "sync",
    "scan",
    "plan",
];

impl Convention {
    /// Whether this row speaks of a kind.
    fn covers(&self, kind: &ResourceKind) -> bool {
        let group = match self.group.strip_prefix("*.") {
            Some(parent) => kind.group.strip_suffix(parent).is_some_and(|rest| rest.ends_with('.')),
            None => kind.group == self.group,
        };
        group && (self.kinds.is_empty() || self.kinds.contains(&kind.kind))
    }

    /// What a condition is, where the row says so.
    pub(super) fn polarity(&self, condition: &str) -> Option<Polarity> {
        self.conditions.get(condition).copied()
    }

    /// Whether the row says that a condition decides.
    pub(super) fn decides(&self, condition: &str) -> bool {
        self.deciding.iter().any(|deciding| deciding == condition)
    }

    /// What `Running` means for a kind.
    pub(super) fn running(&self, kind: &str) -> Running {
        let is_task = || super::words::tokens(kind).last().is_some_and(|last| TASKS.contains(&last.as_str()));
        self.running.unwrap_or_else(|| if is_task() { Running::Progress } else { Running::Ok })
    }
}

/// Rows that come with the program.
static TABLE: LazyLock<Vec<Convention>> = LazyLock::new(|| read(include_str!("conventions.yaml")).unwrap_or_default());

/// Reads a table.
///
/// # Errors
/// In the parser's words, when it is not in the form of a table.
pub(super) fn read(text: &str) -> Result<Vec<Convention>, String> {
    serde_saphyr::from_str(text).map_err(|error| error.without_snippet().to_string())
}

/// The row for a kind; an empty one where there is none.
pub(super) fn of(kind: &ResourceKind) -> Convention {
    TABLE.iter().find(|row| row.covers(kind)).cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_its_own_form() {
        let rows = read(include_str!("conventions.yaml")).unwrap();
        assert!(!rows.is_empty());
        for row in rows {
            assert!(!(row.group.is_empty() && row.kinds.is_empty()) && row.source.starts_with("https://"), "{row:?}");
        }
    }
}
