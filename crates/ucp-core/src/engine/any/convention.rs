//! The built-in table of conventions, `conventions.yaml`, and the rows that a user adds.

use std::sync::LazyLock;

use super::words::tokens;
use crate::model::convention::{Convention, RunningMeaning, parse_conventions};
use crate::model::kind::ResourceKind;

/// The last words of kinds that are tasks: they run, and then they are complete.
const TASKS: [&str; 54] = [
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
    "maintenance",
    "drain",
    "remediation",
    "evacuation",
    "eviction",
    "failover",
    "switchover",
    "rebalance",
    "reboot",
    "repair",
    "cleanup",
    "deletion",
    "execution",
    "conversion",
    "evaluation",
    "verification",
    "inspection",
    "assessment",
    "update",
    "upgrade",
    "rollback",
    "resize",
    "transfer",
    "replay",
    "trial",
    "simulation",
    "compaction",
    "rotation",
    "failback",
    "diagnosis",
];

/// Returns the meaning of the state `Running` for a kind.
pub(super) fn meaning_of_running(convention: &Convention, kind: &str) -> RunningMeaning {
    let is_task = || {
        let mut words = tokens(kind);
        // `BackupSession`.
        words.pop_if(|last| last == "session");
        words.last().is_some_and(|last| TASKS.contains(&last.as_str()))
    };
    convention.running.unwrap_or_else(|| if is_task() { RunningMeaning::Progress } else { RunningMeaning::Ok })
}

/// The built-in rows.
static TABLE: LazyLock<Vec<Convention>> =
    LazyLock::new(|| parse_conventions(include_str!("conventions.yaml")).unwrap_or_default());

/// The convention of kinds that are not in the table.
static NONE: LazyLock<Convention> = LazyLock::new(Convention::default);

/// Returns the convention for a kind: the user's row, else the built-in row, else an empty one.
pub(super) fn convention_for<'table>(kind: &ResourceKind, own: &'table [Convention]) -> &'table Convention {
    own.iter().chain(TABLE.iter()).find(|row| row.covers(kind)).unwrap_or(&NONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_conventions_is_valid() {
        let rows = parse_conventions(include_str!("conventions.yaml")).unwrap();
        assert!(!rows.is_empty());
        for row in rows {
            assert!(row.source.starts_with("https://"), "{row:?}");
        }
    }

    #[test]
    fn a_row_of_the_user_takes_precedence_and_needs_a_source() {
        let text = "[{group: batch, kinds: [Job], source: 'https://example.org', silent: Paused}]";
        let own = parse_conventions(text).unwrap();
        let job = ResourceKind::guess("batch", "Job");
        assert!(convention_for(&job, &own).silent.is_some());
        assert!(convention_for(&job, &[]).silent.is_none());
        assert!(parse_conventions("[{group: batch, source: ''}]").unwrap_err().as_str().contains("no source"));
        assert!(
            parse_conventions("[{source: 'https://example.org', group: ''}]").unwrap_err().as_str().contains("neither")
        );
        assert!(parse_conventions("[{group: a, source: b, colour: red}]").is_err());
    }
}
