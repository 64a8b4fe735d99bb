//! Examples of progress that stopped: its sentence says why, or a time says since when.

use serde_json::{Value, json};

use super::examples::judge_at;
use crate::model::verdict::Verdict::{self, *};

/// Returns the verdict for an object an hour after the time of its status; the limit is 15 minutes.
fn verdict_of(kind: &str, metadata: &Value, status: &Value) -> Verdict {
    let mut object = json!({"apiVersion": "example.org/v1", "kind": kind, "status": status, "metadata": {
        "name": "a", "generation": 2, "creationTimestamp": "2026-11-01T09:00:00Z",
    }});
    object["metadata"].as_object_mut().unwrap().extend(metadata.as_object().unwrap().clone());
    judge_at("2026-11-20T10:00:00Z", kind, &object)
}

fn written(status: &str) -> Value {
    json!({"managedFields": [
        {"manager": "kubectl", "operation": "Update", "time": "2026-11-10T09:00:00Z"},
        {"manager": "controller", "operation": "Update", "time": status, "subresource": "status"},
    ]})
}

const OLD: &str = "2026-11-20T09:00:00Z";
const FRESH: &str = "2026-11-20T09:55:00Z";

#[test]
fn progress_without_a_time_is_stuck_once_its_status_no_longer_changes() {
    let provisioning = json!({"phase": "Provisioning"});
    for (metadata, expected) in [(written(OLD), Stuck), (written(FRESH), Progressing), (json!({}), Progressing)] {
        assert_eq!(verdict_of("Widget", &metadata, &provisioning), expected, "{metadata}");
    }
    // Of several controllers, the last one counts.
    let mut both = written(OLD);
    both["managedFields"].as_array_mut().unwrap().push(written(FRESH)["managedFields"][1].clone());
    assert_eq!(verdict_of("Widget", &both, &provisioning), Progressing);
    for (status, expected) in [
        (json!({"phase": "Ready"}), Ok),
        (json!({"phase": "Running", "parts": [{"name": "a", "phase": "Pending"}]}), Progressing),
        (json!({"conditions": [{"type": "Ready", "status": "False", "reason": "Updating"}]}), Stuck),
        (
            json!({"conditions": [{"type": "Ready", "status": "False", "reason": "Updating", "lastTransitionTime": FRESH}]}),
            Progressing,
        ),
        (json!({"ready": false}), Stuck),
        // A condition with a time decides next to a state without one.
        (
            json!({"availability": "Pending", "conditions": [
                {"type": "Ready", "status": "False", "reason": "Updating", "lastTransitionTime": FRESH},
            ]}),
            Progressing,
        ),
    ] {
        assert_eq!(verdict_of("Widget", &written(OLD), &status), expected, "{status}");
    }
    // A task may run for long, but does not wait for long to begin.
    for (kind, phase, expected) in
        [("Backup", "Running", Progressing), ("BackupSession", "Running", Progressing), ("Backup", "Pending", Stuck)]
    {
        assert_eq!(verdict_of(kind, &written(OLD), &json!({"phase": phase})), expected, "{kind} {phase}");
    }
}

#[test]
fn the_time_next_to_a_state_is_the_start_of_the_stall() {
    let old = json!({"state": "Processing", "lastUpdateTime": OLD});
    for (status, expected) in [
        (json!({"phase": "Pending", "lastTransitionTime": OLD}), Stuck),
        (json!({"phase": "Pending", "lastTransitionTime": FRESH}), Progressing),
        (json!({"phase": "Pending", "lastTransitionTime": OLD, "lastUpdateTime": FRESH}), Stuck),
        (json!({"phase": "Pending", "lastUpdated": OLD}), Stuck),
        (json!({"lastOperation": old}), Stuck),
        // Times of something else.
        (json!({"phase": "Pending", "startTime": OLD}), Progressing),
        (json!({"phase": "Pending", "lastBackupTime": OLD}), Progressing),
        (
            json!({"phase": "Pending", "conditions": [{"type": "Valid", "status": "True", "lastTransitionTime": OLD}]}),
            Progressing,
        ),
    ] {
        assert_eq!(verdict_of("Widget", &json!({}), &status), expected, "{status}");
    }
}

#[test]
fn a_change_that_no_controller_observes_is_stuck_after_a_while() {
    let status = json!({"observedGeneration": 1, "phase": "Ready"});
    let changed = |time: &str| json!({"managedFields": [{"manager": "kubectl", "operation": "Update", "time": time}]});
    for (metadata, expected) in [(changed(OLD), Stuck), (changed(FRESH), Progressing), (json!({}), Progressing)] {
        assert_eq!(verdict_of("Widget", &metadata, &status), expected, "{metadata}");
    }
}

/// Returns the verdicts for a sentence next to progress: of a condition, and of a state without a time.
fn verdicts_of_sentence(sentence: &str) -> [Verdict; 2] {
    let condition = |since: &str| {
        json!({"conditions": [{
            "type": "Ready", "status": "False", "reason": "Pending", "message": sentence, "lastTransitionTime": since,
        }]})
    };
    let [young, state] = [condition(FRESH), json!({"phase": "Pending", "message": sentence})]
        .map(|status| verdict_of("Widget", &json!({}), &status));
    assert_eq!(young, state, "{sentence}");
    [young, verdict_of("Widget", &json!({}), &condition(OLD))]
}

#[test]
fn a_message_next_to_progress_decides_between_paused_and_needs_human() {
    for sentence in [
        "waiting for manual approval",
        "plan requires approval before it is applied",
        "plan generated; set approvePlan to apply it",
        "Waiting for user to confirm the upgrade",
        "manual intervention required to continue",
        "approval pending from admin",
        "waiting for user action",
        "please approve the change",
    ] {
        assert_eq!(verdicts_of_sentence(sentence), [NeedsHuman; 2], "{sentence}");
    }
    for sentence in ["rollout is paused by annotation", "Cluster is hibernated", "the instance was stopped by the user"]
    {
        assert_eq!(verdicts_of_sentence(sentence), [Paused; 2], "{sentence}");
    }
    for sentence in [
        "Unknown 'foo' parameter",
        "spec.version 3.1 is unsupported",
        "license has expired",
        "giving up after 5 attempts",
        "VPC limit exceeded",
        "admission webhook \"x\" denied the request: replicas must be odd",
        "BucketAlreadyExists: the requested bucket name is not available",
    ] {
        assert_eq!(verdicts_of_sentence(sentence), [Failed; 2], "{sentence}");
    }
    // Errors that may end by themselves have some time.
    for sentence in [
        "Back-off pulling image \"registry/x:1\"",
        "0/3 nodes are available: 3 Insufficient cpu",
        "secret \"a\" not found",
        "container \"a\" is in CrashLoopBackOff",
    ] {
        assert_eq!(verdicts_of_sentence(sentence), [Progressing, Failed], "{sentence}");
    }
    for sentence in [
        "0 of 3 replicas are ready",
        "waiting for users to be created",
        "waiting for user database to be confirmed by the server",
        "waiting for the certificate signing request to be approved",
        "waiting for paused Deployment a",
        "was suspended, and is resuming",
        "certificate has expired, renewing it",
        "no invalid nodes; waiting for pods",
        "no approval is required; waiting for pods",
        "waiting for database \"a\" to become ready",
    ] {
        assert_eq!(verdicts_of_sentence(sentence), [Progressing, Stuck], "{sentence}");
    }
    // What is complete, and a part next to a good state, do not count.
    let done = json!({"phase": "Succeeded", "conditions": [{"type": "Ready", "status": "False", "reason": "Pending", "message": "quota exceeded"}]});
    assert_ne!(verdict_of("Backup", &json!({}), &done), Failed);
}
