//! Examples of steps, features, and reports that look like the state of the whole object.

use serde_json::{Value, json};

use super::examples::{assert_verdicts, judged};
use crate::model::verdict::Verdict::*;

fn condition(kind: &str, status: &str, reason: &str, message: &str) -> Value {
    json!({"type": kind, "status": status, "reason": reason, "message": message})
}

#[test]
fn a_completed_action_is_not_a_state() {
    let evict = || condition("EvictPod--db-0", "True", "", "evict pod; PodName:db-0");
    let update = || condition("UpdateFoosets", "True", "UpdateFoosets", "Successfully updated the foosets");
    let orphan = || condition("OrphanPods", "True", "OrphanPods", "Successfully deleted the owner of the pods");
    let done = || condition("Successful", "True", "Successful", "");
    let examples = [
        (json!({"phase": "Successful", "conditions": [evict(), update(), done()]}), Ok),
        (json!({"phase": "Successful", "conditions": [condition("Reassignment", "True", "", "")]}), Unknown),
        (json!({"phase": "Successful", "conditions": [condition("Reassignment", "False", "", "")]}), Unknown),
        (json!({"phase": "Successful", "conditions": [orphan(), done()]}), Ok),
        (json!({"phase": "Progressing", "conditions": [evict()]}), Progressing),
        (json!({"observedGeneration": 1, "conditions": [evict()]}), Unknown),
        (json!({"phase": "Failed", "conditions": [evict()]}), Failed),
        (json!({"phase": "Failed", "conditions": [condition("EvictPod", "True", "EvictionFailed", "")]}), Failed),
    ];
    assert_verdicts("RestartRequest", &examples);
    // `Evicted` is a state.
    let evicted = condition("Evicted", "True", "", "");
    assert_verdicts("RestartRequest", &[(json!({"phase": "Running", "conditions": [evicted]}), Failed)]);
    // The conditions of other kinds may be states in the form of actions.
    let examples = [(json!({"conditions": [condition("Ready", "True", "", ""), evict()]}), Unknown)];
    assert_verdicts("Database", &examples);
}

#[test]
fn a_started_task_is_not_a_completed_task() {
    let begun = || condition("PodsScheduled", "True", "", "");
    let done = || condition("Complete", "True", "", "");
    let examples = [
        (json!({"conditions": [begun()]}), Unknown),
        (json!({"conditions": [condition("Accepted", "True", "", "")]}), Unknown),
        (json!({"conditions": [begun(), done()]}), Ok),
        (json!({"conditions": [condition("Accepted", "False", "Invalid", "")]}), Failed),
        (
            json!({"phase": "Succeeded", "conditions": [condition("DatabasePauseSucceeded", "True", "", "Successfully paused")]}),
            Ok,
        ),
        (
            json!({"phase": "Succeeded", "conditions": [condition("DatabasePaused", "True", "", "Successfully paused")]}),
            Paused,
        ),
    ];
    assert_verdicts("ExportJob", &examples);
}

#[test]
fn a_good_condition_with_an_unfinished_reason_is_unknown() {
    let ready = |reason: &str, message: &str| json!({"conditions": [condition("Ready", "True", reason, message)]});
    let unneeded = condition("Frobnication", "True", "FrobnicationNotNeeded", "");
    let examples = [
        (ready("Pending", ""), Unknown),
        (ready("UpdateProgressing", ""), Unknown),
        (ready("", "the reconciliation is paused"), Unknown),
        (ready("", "the reconciliation is not paused"), Ok),
        (json!({"state": "ready", "conditions": [condition("Ready", "True", "", ""), unneeded]}), Ok),
    ];
    assert_verdicts("Widget", &examples);
}

#[test]
fn a_message_of_success_explains_an_unknown_type() {
    let ready = || condition("Ready", "True", "", "");
    let frob = |message: &str| condition("Frobnication", "True", "", message);
    let examples = [
        (json!({"conditions": [ready(), frob("Successfully frobnicated")]}), Ok),
        (json!({"conditions": [ready(), frob("frobnicated")]}), Unknown),
        (json!({"conditions": [frob("Successfully frobnicated")]}), Unknown),
        (json!({"conditions": [ready(), frob("Successfully frobnicated 1 of 3 nodes")]}), Unknown),
        (json!({"conditions": [ready(), frob("Successfully created, and failed to start")]}), Failed),
        // Submitted is not complete, unless the reason says so.
        (json!({"conditions": [ready(), condition("PartsSubmitted", "True", "SubmissionComplete", "")]}), Ok),
        (json!({"conditions": [ready(), condition("PartsSubmitted", "True", "Submitted", "")]}), Unknown),
    ];
    assert_verdicts("Widget", &examples);
}

#[test]
fn a_disabled_feature_is_not_a_pause() {
    let off = || condition("TracingEnabled", "False", "Disabled", "");
    let examples = [
        (json!({"state": "ready", "conditions": [condition("ProxyAvailable", "True", "", ""), off()]}), Ok),
        (json!({"state": "error", "conditions": [condition("ProxyAvailable", "True", "", ""), off()]}), Failed),
        (json!({"conditions": [condition("Enabled", "False", "Disabled", "")]}), Paused),
    ];
    assert_verdicts("Widget", &examples);
}

#[test]
fn a_missing_report_is_in_progress() {
    let awaited = "the Deployment Available condition not found";
    let examples = [
        (json!({"conditions": [condition("Available", "False", "NotFound", awaited)]}), Progressing),
        (json!({"conditions": [condition("Available", "False", "NotFound", "the Deployment was not found")]}), Failed),
        (
            json!({"conditions": [condition("Ready", "False", "PartNotFound", "the part is not created yet")]}),
            Progressing,
        ),
        (json!({"conditions": [condition("Ready", "False", "PartInvalid", "the part is not valid yet")]}), Failed),
    ];
    assert_verdicts("Widget", &examples);
}

#[test]
fn conditions_are_found_below_conditions_and_explained_by_their_message() {
    let ready = || condition("Ready", "True", "", "");
    let other = || condition("Ready", "False", "DiskChanged", "the disk is not ready: its number does not match");
    let examples = [
        (json!({"conditions": {"conditions": [condition("Ready", "False", "Invalid", "")]}}), Failed),
        (json!({"conditions": {"conditions": [ready()]}}), Ok),
        (json!({"conditions": [ready()], "disks": {"a": {"conditions": [other()]}}}), Failed),
    ];
    assert_verdicts("Widget", &examples);
}

#[test]
fn a_completed_first_step_is_not_the_final_state() {
    let examples = [
        (json!({"phase": "Initialized"}), Unknown),
        (json!({"initialized": true}), Ok),
        (json!({"phase": "Dispatched"}), Unknown),
        (json!({"phase": "Scheduled"}), Ok),
    ];
    assert_verdicts("Widget", &examples);
    // A task is not complete once it has a place.
    assert_verdicts("TrainingJob", &[(json!({"phase": "Scheduled"}), Progressing)]);
}

#[test]
fn requirements_of_a_deletion_are_not_required_now() {
    let ready = || condition("Ready", "True", "", "");
    let examples = [
        (json!({"conditions": [ready()], "deprovisionStatus": "Required"}), Ok),
        (json!({"conditions": [ready()], "uninstallState": "NotRequired"}), Ok),
        (json!({"conditions": [ready()], "approvalStatus": "Required"}), NeedsHuman),
        (json!({"conditions": [ready()], "deletionStatus": "ManualInterventionRequired"}), NeedsHuman),
        (json!({"conditions": [ready()], "deprovisionStatus": "Failed"}), Failed),
    ];
    assert_verdicts("Widget", &examples);
}

#[test]
fn counts_have_many_names_and_a_zero_may_be_a_default() {
    let spec = json!({"replicas": 3});
    for (status, expected) in [
        (json!({"readyCount": 3}), Ok),
        (json!({"readyCount": 2}), Progressing),
        (json!({"ready": 3}), Ok),
        (json!({"ready": 2}), Progressing),
    ] {
        assert_eq!(judged("Widget", &spec, &status), expected, "{status}");
    }
    let none = json!({"replicas": 0});
    assert_eq!(judged("Widget", &none, &json!({"replicas": 0})), Progressing);
    assert_eq!(judged("Widget", &none, &json!({"replicas": 0, "observedGeneration": 1})), Ok);
}

#[test]
fn work_in_progress_next_to_a_good_state_is_not_ok() {
    for (field, value, expected) in [
        ("updating", json!(true), Unknown),
        ("upgradeInProgress", json!(true), Unknown),
        ("upgradeInProgress", json!(false), Ok),
        ("autoScaling", json!(true), Ok),
        ("sharing", json!(true), Ok),
        ("currentOperation", json!("Resize"), Unknown),
        ("currentOperation", json!({"name": "resize"}), Unknown),
        ("currentOperation", json!("None"), Ok),
        ("progress", json!(40), Unknown),
        ("drainProgress", json!(40), Unknown),
        ("progress", json!({"percent": 40}), Unknown),
        ("progress", json!(100), Ok),
        ("message", json!("Waiting for the database"), Unknown),
        ("message", json!("Waiting for the next event"), Ok),
        ("reason", json!("WaitingForApproval"), Unknown),
        ("reason", json!("AllPartsReady"), Ok),
        ("ready", json!("Pending"), Progressing),
        ("ready", json!("Unknown"), Progressing),
        ("stopped", json!(true), Paused),
    ] {
        let mut status = json!({"conditions": [condition("Ready", "True", "", "")]});
        status[field] = value;
        assert_verdicts("Widget", &[(status, expected)]);
    }
    let ready = || json!([condition("Ready", "True", "", "")]);
    let examples = [
        (json!({"conditions": ready(), "version": "1.2.0", "targetVersion": "2.0.0"}), Unknown),
        (json!({"conditions": ready(), "version": "v1.2.0", "targetVersion": "1.2"}), Ok),
        (json!({"conditions": ready(), "totalNodes": 3, "finishedNodes": 1}), Unknown),
        (json!({"conditions": ready(), "totalNodes": 3, "finishedNodes": 3}), Ok),
    ];
    assert_verdicts("Widget", &examples);
}

#[test]
fn a_false_condition_has_no_good_reason_if_its_message_denies_it() {
    let with = |reason: &str, message: &str| json!({"state": "Ready", "conditions": [condition("Frobnication", "False", reason, message)]});
    let examples = [
        (with("Configured", "the frobnicator is not configured"), Unknown),
        (with("Ready", ""), Unknown),
        (with("NoIssue", ""), Ok),
        (with("AsExpected", "the frobnicator is not enabled"), Ok),
    ];
    assert_verdicts("Widget", &examples);
}

#[test]
fn the_status_of_a_condition_may_be_a_state() {
    let part = |status: &str, reason: &str| json!({"conditions": [condition("NetworkState", status, reason, "")]});
    let examples = [
        (part("Established", ""), Ok),
        (part("Established", "TunnelFrobnicated"), Ok),
        (part("Connecting", ""), Progressing),
        (part("NotReady", ""), Progressing),
        (part("Denied", ""), Failed),
        (part("Established", "TunnelFailed"), Failed),
        (part("Frobnicated", ""), Unknown),
    ];
    assert_verdicts("Widget", &examples);
}

#[test]
fn inactive_and_skipped_are_not_a_pause() {
    let examples = [
        (json!({"phase": "Inactive"}), Unknown),
        (json!({"phase": "Skipped"}), Unknown),
        (json!({"phase": "Ignored", "reason": "there is another one"}), Unknown),
        (json!({"phase": "Suspended"}), Paused),
        (json!({"phase": "Ready", "conditions": [condition("BackupSkipped", "True", "OtherBackupRuns", "")]}), Unknown),
        (json!({"phase": "Ready", "steps": [{"state": "Skipped"}]}), Ok),
        // An order is no state.
        (json!({"state": "SyncReplica"}), Progressing),
        (json!({"state": "ReplicaSynced"}), Ok),
        (json!({"status": "PartialSuccess"}), Unknown),
        (json!({"status": "PartiallyReady"}), Progressing),
        (json!({"state": "HealthChecksPassing"}), Ok),
        (json!({"issuccess": true}), Ok),
        (json!({"issuccess": false}), Progressing),
    ];
    assert_verdicts("Widget", &examples);
}

#[test]
fn required_in_a_name_is_no_demand_and_a_failover_is_no_failure() {
    let ready = || condition("Ready", "True", "", "");
    let only = |condition: Value| json!({"conditions": [condition]});
    let examples = [
        (json!({"conditions": [ready(), condition("RequiredRuntime", "True", "", "")]}), Unknown),
        (json!({"conditions": [ready(), condition("UpgradeRequired", "True", "", "")]}), NeedsHuman),
        (only(condition("Ready", "True", "FailedOver", "")), Unknown),
        (only(condition("Available", "False", "Unavailable", "it runs, but it is not ready")), Progressing),
        (only(condition("Available", "False", "Unavailable", "")), Failed),
        (only(condition("Available", "False", "Unavailable", "failed to start: it is not ready")), Failed),
        (only(condition("Available", "False", "", "StatefulSet a is missing ready replicas")), Progressing),
        (only(condition("Available", "False", "", "StatefulSet a is missing")), Failed),
    ];
    assert_verdicts("Widget", &examples);
}

#[test]
fn parts_of_a_target_and_generations_by_step_are_compared() {
    let parts = |running: u32| json!({"state": "Ready", "parts": {"meta": {"target": 3, "running": running}}});
    assert_verdicts("Widget", &[(parts(3), Ok), (parts(2), Unknown)]);
    let by_step = |reconciled: u32| json!({"healthy": true, "generations": {"reconciled": reconciled, "found": 2}});
    assert_verdicts("Widget", &[(by_step(1), Ok), (by_step(0), Progressing)]);
}
