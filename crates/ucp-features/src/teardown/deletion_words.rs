//! Fields about the deletion of their resource whose effect no rule knows, by the words of their names: `onDelete: keep`,
//! `allowDeletion: false`, `deletionPolicy: SOME_NEW_POLICY`.

use serde_json::Value;

use ucp_core::model::text::tokens;

/// Starts of words for a deletion.
const DELETIONS: [&str; 6] = ["delet", "destr", "remov", "terminat", "reclaim", "teardown"];
/// Words with a meaning of their own: protections have rules, and the others concern something else than the resource.
const OTHERS: [&str; 7] = ["protection", "prevent", "force", "final", "auto", "soft", "retention"];
/// Last words of names whose value is the name of a procedure.
const POLICIES: [&str; 7] = ["policy", "behavior", "behaviour", "mode", "action", "option", "strategy"];
/// Values of such fields that delete.
const DELETING: [&str; 10] =
    ["", "delete", "destroy", "remove", "purge", "terminate", "cascade", "foreground", "background", "force"];
/// Words for switches that keep, and for those that permit.
const KEEPING: [&str; 10] =
    ["keep", "retain", "preserve", "orphan", "abandon", "leave", "skip", "ignore", "no", "never"];
const PERMITTING: [&str; 7] = ["allow", "allowed", "permit", "permitted", "enable", "enabled", "can"];

/// Returns true if a field is about the deletion of its resource, and its value may mean that the resource remains.
pub(super) fn is_doubtful(name: &str, value: &Value) -> bool {
    let words = tokens(name);
    let is_deletion = |word: &String| DELETIONS.iter().any(|start| word.starts_with(start));
    let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    if !words.iter().any(is_deletion) || has(&OTHERS) {
        return false;
    }
    let is_first = words.first().is_some_and(is_deletion);
    match (value, words.last()) {
        (Value::String(text), Some(last)) => {
            let is_policy = POLICIES.contains(&last.as_str()) || words[0] == "on" && is_deletion(last);
            is_policy && !DELETING.contains(&text.trim().to_ascii_lowercase().as_str())
        }
        (Value::Bool(true), _) => has(&KEEPING),
        (Value::Bool(false), Some(last)) => {
            has(&PERMITTING) || is_first && has(&["on", "with", "when"]) || last.ends_with("able") && is_deletion(last)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_fields_that_may_keep_the_resource_are_doubtful() {
        for (name, value) in [
            ("deletionPolicy", json!("SOME_NEW_POLICY")),
            ("reclaimPolicy", json!("Retain")),
            ("onDelete", json!("keep")),
            ("onDestroy", json!("retain")),
            ("deleteBehavior", json!("detach")),
            ("keepOnDelete", json!(true)),
            ("orphanOnDelete", json!(true)),
            ("abandon_on_delete", json!(true)),
            ("noDelete", json!(true)),
            ("allowDeletion", json!(false)),
            ("deletionAllowed", json!(false)),
            ("deleteOnTermination", json!(false)),
            ("deletable", json!(false)),
        ] {
            assert!(is_doubtful(name, &value), "{name}: {value}");
        }
        for (name, value) in [
            ("deletionPolicy", json!("DELETE")),
            ("reclaimPolicy", json!("Delete")),
            ("onDelete", json!("cascade")),
            ("keepOnDelete", json!(false)),
            ("allowDeletion", json!(true)),
            ("deleteOnTermination", json!(true)),
            ("deletionWindowInDays", json!(7)),
            ("deletionProtectionEnabled", json!(false)),
            ("softDeleteEnabled", json!(false)),
            ("autoDeleteOnIdle", json!("P1D")),
            ("destroyScheduledDuration", json!("86400s")),
            ("deleteAutomatedBackups", json!(false)),
            ("retentionPolicy", json!("x")),
            ("terminationTime", json!("2026-11-20T09:00:00Z")),
        ] {
            assert!(!is_doubtful(name, &value), "{name}: {value}");
        }
    }
}
