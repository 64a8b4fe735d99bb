//! The meaning of the name of a condition type by itself: an activity, a first step, or a complete state.

use super::words::{WordMeaning, is_known, meaning, token_meaning, tokens};

/// Returns true for types that only name a first step, after which others follow: `Accepted`, `JobCreated`, but not
/// `AcceptedAndReady` and `FullyApplied`.
pub(super) fn names_first_step(kind: &str) -> bool {
    const STEPS: [&str; 12] = [
        "accepted",
        "admitted",
        "applied",
        "assigned",
        "created",
        "initialised",
        "initialized",
        "launched",
        "prepared",
        "reserved",
        "scheduled",
        "started",
    ];
    const COMPLETE: [&str; 14] = [
        "all",
        "available",
        "completely",
        "deployed",
        "established",
        "fully",
        "healthy",
        "installed",
        "provisioned",
        "ready",
        "reconciled",
        "running",
        "successfully",
        "synced",
    ];
    let words = tokens(kind);
    let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    has(&STEPS) && !has(&COMPLETE) && !is_of_success(kind)
}

/// Returns true if a good word in a type is only the beginning of a task: `PodsScheduled`.
pub(super) fn names_beginning(kind: &str) -> bool {
    const BEGINNINGS: [&str; 12] = [
        "accepted",
        "admitted",
        "assigned",
        "bound",
        "claimed",
        "created",
        "initialized",
        "launched",
        "reserved",
        "scheduled",
        "started",
        "validated",
    ];
    tokens(kind).last().is_some_and(|last| BEGINNINGS.contains(&last.as_str()))
}

/// Returns true for types of one activity: `UpdatingVersion` and `PendingRestart`, but not `Progressing`.
pub(super) fn names_one_activity(kind: &str) -> bool {
    let words = tokens(kind);
    let is_general = words.last().is_some_and(|last| ["progressing", "reconciling"].contains(&last.as_str()));
    let is_activity = |word: &String| word.ends_with("ing") && token_meaning(word) == Some(WordMeaning::Progress);
    let is_in_progress = words.len() > 2 && words.ends_with(&["in", "progress"].map(str::to_owned));
    !is_general && (words.iter().any(is_activity) || is_in_progress || names_running_operation(kind))
}

/// Returns true for types of an operation under way: `MigrationRunning`, but not `PodRunning`.
pub(super) fn names_running_operation(kind: &str) -> bool {
    const OPERATIONS: [&str; 10] = [
        "backup",
        "failover",
        "maintenance",
        "migration",
        "rebalance",
        "rebuild",
        "restore",
        "rollout",
        "update",
        "upgrade",
    ];
    matches!(tokens(kind).as_slice(), [.., operation, last] if last == "running" && OPERATIONS.contains(&operation.as_str()))
}

/// Returns true for types of an action of the past: `PartsSubmitted`.
pub(super) fn names_past_action(kind: &str) -> bool {
    tokens(kind).last().is_some_and(|last| last.ends_with("ed"))
}

/// Returns true for types of the success of an action that would be a state: `PauseSucceeded`.
pub(super) fn is_of_success(kind: &str) -> bool {
    tokens(kind).last().is_some_and(|last| meaning(last) == Some(WordMeaning::Done))
}

/// Returns true for types about a deletion that was not requested: `DeletionIsBlocked`. Objects whose deletion is pending
/// are judged by that.
pub(super) fn is_about_later_deletion(kind: &str) -> bool {
    let words = tokens(kind);
    let (first, last) = (words.first().map(String::as_str), words.last().map(String::as_str));
    first == Some("deletion") && matches!(last, Some("blocked" | "prevented" | "protected"))
}

/// Returns true for types of known words and abbreviations, which are names: `DNSWebhook`, but not `DiskFull`.
pub(super) fn has_only_known_words(kind: &str) -> bool {
    let is_abbreviation = |word: &str| word.len() > 1 && kind.contains(&word.to_uppercase());
    is_known(kind) || tokens(kind).iter().all(|word| is_known(word) || is_abbreviation(word))
}

/// Returns true for condition types that name a change under way: `Reconciling`, `RollingUpdate`.
pub(super) fn is_change(kind: &str) -> bool {
    const CHANGES: [&str; 53] = [
        "appl",
        "backfill",
        "bootstrap",
        "build",
        "clean",
        "compact",
        "configur",
        "convert",
        "copy",
        "creat",
        "decommission",
        "delet",
        "deploy",
        "drain",
        "evict",
        "execut",
        "export",
        "finaliz",
        "import",
        "initializ",
        "install",
        "join",
        "leav",
        "migrat",
        "pend",
        "prepar",
        "process",
        "progress",
        "promot",
        "provision",
        "rebalanc",
        "rebuild",
        "reconcil",
        "reconfigur",
        "recover",
        "reload",
        "remediat",
        "repair",
        "replac",
        "resiz",
        "restart",
        "restor",
        "resync",
        "roll",
        "rotat",
        "scal",
        "sett",
        "start",
        "sync",
        "terminat",
        "updat",
        "upgrad",
        "wait",
    ];
    tokens(kind).iter().any(|word| CHANGES.iter().any(|change| word.starts_with(change)))
}
