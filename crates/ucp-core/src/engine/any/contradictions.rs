//! Examples of conditions whose status, type, and reason disagree, of generations, and of errors that pass.

use std::sync::Arc;

use serde_json::{Value, json};

use super::examples::{assert_verdicts, judge_at, judge_kind_at, judged};
use crate::model::kind::ResourceKind;
use crate::model::verdict::Verdict::{self, *};

fn condition(kind: &str, status: &str, reason: &str, message: &str) -> Value {
    json!({"type": kind, "status": status, "reason": reason, "message": message})
}

fn beside_ready(other: Value) -> Value {
    json!({"conditions": [condition("Ready", "True", "AsExpected", ""), other]})
}

#[test]
fn an_activity_goes_on_whatever_its_reason() {
    let examples = [
        (beside_ready(condition("ResizingVolume", "True", "AsExpected", "")), Progressing),
        (beside_ready(condition("Terminating", "True", "Ready", "")), Progressing),
        (beside_ready(condition("RestoreInProgress", "True", "OK", "")), Progressing),
        (beside_ready(condition("UpgradeRunning", "True", "", "")), Progressing),
        (beside_ready(condition("ScalingOut", "True", "", "")), Progressing),
        (beside_ready(condition("Upgrading", "True", "Completed", "")), Unknown),
        (beside_ready(condition("Recalibrating", "True", "Succeeded", "")), Unknown),
        (beside_ready(condition("ResizingVolume", "False", "AsExpected", "")), Ok),
        (beside_ready(condition("Progressing", "True", "AsExpected", "")), Ok),
        (beside_ready(condition("Progressing", "False", "AsExpected", "")), Ok),
        (beside_ready(condition("PodRunning", "True", "", "")), Ok),
    ];
    assert_verdicts("Widget", &examples);
}

#[test]
fn a_good_reason_makes_no_unknown_type_good() {
    let examples = [
        (beside_ready(condition("ShardLoss", "True", "AsExpected", "lost 3 shards")), Unknown),
        (beside_ready(condition("LogFull", "True", "Ready", "")), Unknown),
        (beside_ready(condition("LogStored", "True", "Ready", "")), Ok),
        (beside_ready(condition("LogFull", "False", "AsExpected", "")), Ok),
        // An object that is not reached or not connected is no success.
        (beside_ready(condition("MajorityReached", "False", "AsExpected", "")), Unknown),
        (beside_ready(condition("CacheConnected", "False", "Completed", "")), Unknown),
    ];
    assert_verdicts("Widget", &examples);
}

#[test]
fn a_first_step_alone_is_not_complete() {
    let only = |kind: &str| json!({"conditions": [condition(kind, "True", "", "")]});
    let mut examples: Vec<(Value, Verdict)> =
        ["Accepted", "Applied", "Initialized", "Started", "ChartCreated", "Prepared", "SlotReserved", "Scheduled"]
            .map(|kind| (only(kind), Unknown))
            .into();
    examples.extend([
        (only("FullyApplied"), Ok),
        (only("AcceptedAndReady"), Ok),
        (json!({"phase": "Ready", "conditions": [condition("Accepted", "True", "", "")]}), Ok),
        (json!({"conditions": [condition("Accepted", "True", "", ""), condition("Synced", "True", "", "")]}), Ok),
        (json!({"parts": [{"state": "Ready"}], "conditions": [condition("Created", "True", "", "")]}), Ok),
        (json!({"conditions": [condition("Accepted", "False", "Invalid", "")]}), Failed),
        // A parent accepts a route, which has no more steps.
        (json!({"parents": [{"conditions": [condition("Accepted", "True", "", "")]}]}), Ok),
        (json!({"replicas": 3, "updatedReplicas": 3}), Progressing),
        (json!({"replicas": 3, "updatedReplicas": 3, "readyReplicas": 3}), Ok),
    ]);
    let replicas = json!({"replicas": 3});
    for (status, expected) in examples {
        assert_eq!(judged("Widget", &replicas, &status), expected, "{status}");
    }
}

#[test]
fn the_columns_of_a_definition_say_which_step_is_the_last() {
    let verdict = |columns: &[&str]| {
        let mut kind = ResourceKind::guess("example.org", "Widget");
        kind.reporting.columns = columns.iter().map(|&column| column.to_owned()).collect();
        let object = json!({
            "apiVersion": "example.org/v1", "kind": "Widget", "metadata": {"name": "a"},
            "status": {"conditions": [condition("Accepted", "True", "", "")]},
        });
        judge_kind_at("2026-11-20T10:00:00Z", &Arc::new(kind), &object)
    };
    assert_eq!(verdict(&["Accepted"]), Ok);
    assert_eq!(verdict(&["Accepted", "Programmed"]), Progressing);
    assert_eq!(verdict(&[]), Unknown);
}

/// Returns the verdict for an object that was edited at a time, an hour after the controller wrote its status.
fn edited(at: Option<&str>, status: &Value) -> Verdict {
    let mut object = json!({
        "apiVersion": "example.org/v1", "kind": "Widget", "status": status,
        "metadata": {"name": "a", "generation": 2, "creationTimestamp": "2026-11-01T09:00:00Z"},
    });
    let written = "2026-11-20T09:00:00Z";
    object["metadata"]["managedFields"] = match at {
        Some(at) => {
            json!([{"manager": "a", "time": at}, {"manager": "b", "time": written, "subresource": "status"}])
        }
        None => json!([]),
    };
    judge_at("2026-11-20T10:00:00Z", "Widget", &object)
}

#[test]
fn the_age_of_a_change_is_that_of_the_edit() {
    let ready = |seen: u32| json!({"type": "Ready", "status": "True", "observedGeneration": seen, "lastTransitionTime": "2026-11-10T09:00:00Z"});
    let recently = Some("2026-11-20T09:59:30Z");
    let behind = json!({"conditions": [ready(1)]});
    assert_eq!(edited(recently, &behind), Progressing);
    assert_eq!(edited(Some("2026-11-20T09:30:00Z"), &behind), Stuck);
    assert_eq!(edited(None, &behind), Progressing);
    assert_eq!(edited(recently, &json!({"parents": [{"conditions": [ready(1)]}]})), Progressing);
    assert_eq!(edited(recently, &json!({"conditions": [ready(2)]})), Ok);
    let part = |part: Value| json!({"conditions": [ready(2)], "parts": [part]});
    assert_eq!(edited(None, &part(json!({"name": "a", "observedGeneration": 1}))), Unknown);
    assert_eq!(edited(None, &part(json!({"name": "a", "observedGeneration": 2}))), Ok);
    // The generation of another object.
    assert_eq!(edited(None, &part(json!({"kind": "Deployment", "name": "a", "observedGeneration": 1}))), Ok);
}

#[test]
fn a_word_that_is_not_settled_counts_in_any_field() {
    let ready = || json!([condition("Ready", "True", "", "")]);
    let examples = [
        (json!({"conditions": ready(), "progress": "Deploying"}), Unknown),
        (json!({"conditions": ready(), "zones": {"a": {"gateway": "NotReady"}}}), Unknown),
        (json!({"conditions": ready(), "zones": {"a": "Pending"}}), Unknown),
        (json!({"conditions": ready(), "message": "NotReady"}), Unknown),
        (json!({"conditions": ready(), "progress": "Done"}), Ok),
        (json!({"phase": "Waiting for user action"}), NeedsHuman),
        (json!({"phase": "Waiting for user database"}), Progressing),
        // Choices and names.
        (json!({"conditions": ready(), "strategy": "RollingUpdate", "startupPolicy": "WaitForAll"}), Ok),
        (json!({"conditions": ready(), "framework": "spring", "role": "Starting"}), Ok),
    ];
    assert_verdicts("Widget", &examples);
}

#[test]
fn good_news_in_other_words_is_no_alarm() {
    let with = |fields: Value| {
        let mut status = json!({"conditions": [condition("Ready", "True", "", "")]});
        status.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        status
    };
    let examples = [
        (with(json!({"walPosition": "0/16B3748", "startLSN": "0/7"})), Ok),
        (with(json!({"copied": "0/9"})), Progressing),
        (with(json!({"counts": {"notReady": 0}})), Ok),
        (with(json!({"counts": {"notReady": 1}})), Unknown),
        (with(json!({"lastRunStatus": {"result": "Successful", "logs": "file 12 saved"}})), Ok),
        (with(json!({"logsFetched": false})), Ok),
        (with(json!({"egress": {"state": "enforcing"}})), Ok),
        (with(json!({"plugins": {"a": {"managementState": "Removed"}}})), Ok),
        (with(json!({"plugins": {"a": {"state": "Removed"}}})), Progressing),
        (with(json!({"desired": 3, "active": 0, "succeeded": 3})), Ok),
        (with(json!({"desired": 3, "active": 0, "succeeded": 2})), Unknown),
        (beside_ready(condition("NoUnknownFields", "True", "NoUnknownField", "")), Ok),
        (beside_ready(condition("DeletionIsBlocked", "True", "HasDependents", "there are parts")), Ok),
        (
            json!({"conditions": [condition("Completed", "True", "", ""), condition("Stopped", "True", "ImportCompleted", "")]}),
            Ok,
        ),
        (json!({"conditions": [condition("Stopped", "True", "ImportCompleted", "")]}), Unknown),
        (json!({"conditions": [condition("Stopped", "True", "Requested", "")]}), Paused),
    ];
    assert_verdicts("Widget", &examples);
}

#[test]
fn an_error_that_passes_is_progress_until_it_lasts() {
    let at = |since: &str, reason: &str, message: &str| {
        let mut ready = condition("Ready", "False", reason, message);
        ready["lastTransitionTime"] = json!(since);
        json!({"conditions": [ready]})
    };
    let verdict = |kind: &str, status: &Value| {
        let object = json!({"apiVersion": "example.org/v1", "kind": kind, "status": status, "metadata": {"name": "a"}});
        judge_at("2026-11-20T10:00:00Z", kind, &object)
    };
    let (fresh, old) = ("2026-11-20T09:59:00Z", "2026-11-20T09:00:00Z");
    for (reason, message) in [
        ("ImagePullBackOff", "Back-off pulling image \"a:1\""),
        ("ErrImagePull", ""),
        ("SecretNotFound", "the credentials are not there"),
    ] {
        assert_eq!(verdict("Widget", &at(fresh, reason, message)), Progressing, "{reason}");
        assert_eq!(verdict("Widget", &at(old, reason, message)), Failed, "{reason}");
    }
    assert_eq!(verdict("Widget", &at(fresh, "", "WaitApplied(1) [Zone a]")), Progressing);
    assert_eq!(verdict("Widget", &at(old, "", "WaitApplied(1) [Zone a]")), Stuck);
    assert_eq!(verdict("Widget", &at(fresh, "", "WaitApplied(1), ErrApplied(1) [Zone a]")), Failed);
    let phase = |since: Option<&str>, message: &str| {
        let mut status = json!({"phase": "Failed", "message": message});
        if let Some(since) = since {
            status["lastTransitionTime"] = json!(since);
        }
        status
    };
    let absent = "Secret \"a\" not found";
    assert_eq!(verdict("Widget", &phase(Some(fresh), absent)), Progressing);
    assert_eq!(verdict("Widget", &phase(Some(old), absent)), Failed);
    assert_eq!(verdict("Widget", &phase(None, absent)), Failed);
    assert_eq!(verdict("Widget", &phase(None, "503, retrying in 10s")), Progressing);
    assert_eq!(verdict("Widget", &phase(Some(fresh), "spec is invalid: a")), Failed);
    // A task that failed does not try again.
    assert_eq!(verdict("ExportJob", &phase(Some(fresh), absent)), Failed);
}
