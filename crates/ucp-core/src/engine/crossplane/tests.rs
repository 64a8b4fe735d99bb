//! Verdicts of managed resources, composites, and packages at one moment.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeSeed as _;
use serde_json::{Value, json};

use super::CrossplaneEngine;
use crate::engine::adapter::Engine as _;
use crate::engine::judgement::AssessmentClock;
use crate::model::kind::ResourceKind;
use crate::model::seed::ResourceSeed;
use crate::model::verdict::Verdict;

const OLD: &str = "2026-11-20T09:00:00Z";
/// One minute before the moment of all verdicts.
const JUST_NOW: &str = "2026-11-20T11:59:00Z";

fn condition(kind: &str, status: &str, reason: &str, message: &str) -> Value {
    json!({"type": kind, "status": status, "reason": reason, "message": message, "lastTransitionTime": JUST_NOW})
}

/// Judges an object of a group, kind, and category, created at a time, with some conditions.
fn verdict(kind: (&str, &str, &str), created: &str, conditions: &[Value]) -> Verdict {
    verdict_of_object(kind, created, &json!({}), json!({"conditions": conditions}))
}

fn verdict_of_object(
    (group, kind, category): (&str, &str, &str),
    created: &str,
    set: &Value,
    status: Value,
) -> Verdict {
    let kind = ResourceKind { categories: BTreeSet::from([category.to_owned()]), ..ResourceKind::guess(group, kind) };
    let kind = Arc::new(kind);
    let object = json!({
        "metadata": {"name": "a", "generation": 3, "creationTimestamp": created},
        "spec": {"package": "example.org/a:v1", "forProvider": set},
        "status": status,
    });
    let shape = CrossplaneEngine.want(&kind).unwrap().shape;
    let resource = ResourceSeed { kind: &kind, shape }.deserialize(&object).unwrap();
    let clock = AssessmentClock {
        now: "2026-11-20T12:00:00Z".parse().unwrap(),
        stuck_after: Duration::from_secs(900),
        comparison_interval: None,
    };
    CrossplaneEngine.judge(&resource, &clock).unwrap().verdict
}

const MANAGED: (&str, &str, &str) = ("storage.example.org", "Bucket", "managed");
const COMPOSITE: (&str, &str, &str) = ("platform.example.org", "XStore", "composite");
const PROVIDER: (&str, &str, &str) = ("pkg.crossplane.io", "Provider", "crossplane");

#[test]
fn an_error_of_a_young_object_may_end_unless_it_is_lasting() {
    let failed = |created: &str, message: &str| {
        let ready = json!({"type": "Ready", "status": "False", "reason": "Creating"});
        verdict(MANAGED, created, &[condition("Synced", "False", "ReconcileError", message), ready])
    };
    for message in [
        "connect failed: cannot get provider config: ProviderConfig \"default\" not found",
        "connect failed: cannot extract credentials: cannot get credentials secret: Secret \"a\" not found",
        "create failed: DependencyViolation: a",
        "create failed: frobnicated",
        "cannot select Composition: no compatible Compositions found",
    ] {
        assert_eq!(failed(JUST_NOW, message), Verdict::Progressing, "{message}");
    }
    assert_eq!(failed(OLD, "create failed: DependencyViolation: a"), Verdict::Progressing, "it began just now");
    for (created, message) in [
        (OLD, "create failed: frobnicated"),
        (JUST_NOW, "create failed: AccessDenied: no"),
        (JUST_NOW, "create failed: InvalidParameterValue: no"),
        (JUST_NOW, "update failed: exceeded quota: small"),
        (JUST_NOW, "update failed: field is immutable"),
    ] {
        assert_eq!(failed(created, message), Verdict::Failed, "{created} {message}");
    }
    // One of two errors lasts, or the object has not been ready for long.
    let synced = condition("Synced", "False", "ReconcileError", "create failed: frobnicated");
    let operation = condition("LastAsyncOperation", "False", "AsyncCreateFailure", "AccessDenied: no");
    assert_eq!(verdict(MANAGED, JUST_NOW, &[synced, operation]), Verdict::Failed);
    let synced = condition("Synced", "False", "ReconcileError", "create failed: ThrottlingException, request 4711");
    let ready = json!({"type": "Ready", "status": "False", "reason": "Creating", "lastTransitionTime": OLD});
    assert_eq!(verdict(MANAGED, OLD, &[synced, ready]), Verdict::Failed);
}

#[test]
fn a_condition_is_good_with_a_known_reason_and_the_newest_generation() {
    let seen = |mut condition: Value, generation: i64| {
        condition["observedGeneration"] = generation.into();
        condition
    };
    let synced = || condition("Synced", "True", "ReconcileSuccess", "");
    let ready = |reason: &str| condition("Ready", "True", reason, "");
    let ongoing = |since: &str| json!({"type": "AsyncOperation", "status": "False", "reason": "Ongoing", "lastTransitionTime": since});
    for (conditions, expected) in [
        (vec![synced(), ready("Available")], Verdict::Ok),
        (vec![synced(), ready("")], Verdict::Ok),
        (vec![synced(), ready("Creating")], Verdict::Unknown),
        (vec![synced(), ready("Frobnicated")], Verdict::Unknown),
        (vec![condition("Synced", "True", "ReconcilePending", ""), ready("Available")], Verdict::Unknown),
        (vec![synced(), ready("Available"), condition("LastAsyncOperation", "True", "Odd", "")], Verdict::Unknown),
        (vec![synced(), ready("Available"), condition("AsyncOperation", "True", "Finished", "")], Verdict::Ok),
        (vec![synced(), ready("Available"), condition("AsyncOperation", "False", "Ongoing", "")], Verdict::Progressing),
        (vec![synced(), ready("Available"), ongoing(OLD)], Verdict::Progressing),
        (vec![synced(), ready("Available"), ongoing("2026-08-20T09:00:00Z")], Verdict::Stuck),
        (vec![seen(synced(), 3), seen(ready("Available"), 3)], Verdict::Ok),
        (vec![seen(synced(), 3), seen(ready("Available"), 0)], Verdict::Ok),
        (vec![seen(synced(), 3), seen(ready("Available"), 1)], Verdict::Progressing),
        (vec![seen(synced(), 1), seen(ready("Available"), 3)], Verdict::Progressing),
    ] {
        for kind in [MANAGED, COMPOSITE] {
            assert_eq!(verdict(kind, OLD, &conditions), expected, "{kind:?} {conditions:?}");
        }
    }
}

#[test]
fn an_installation_is_in_progress_for_its_usual_time() {
    let installed = |status: &str, message: &str| {
        let reason = if status == "True" { "ActivePackageRevision" } else { "UnpackingPackage" };
        condition("Installed", status, reason, message)
    };
    let unhealthy = |message: &str| condition("Healthy", "False", "UnhealthyPackageRevision", message);
    let healthy = |reason: &str| condition("Healthy", "True", reason, "");
    let unavailable = "post establish runtime hook failed for package: provider package deployment is unavailable";
    let missing = "cannot resolve package dependencies: missing dependencies: [a]";
    let timeout = "cannot unpack package: failed to fetch package digest from remote: dial tcp: i/o timeout";
    let unknown = "cannot unpack package: GET https://a: MANIFEST_UNKNOWN: manifest unknown";
    let refused = "cannot unpack package: GET https://a: UNAUTHORIZED: authentication required";
    for (created, conditions, expected) in [
        (JUST_NOW, vec![installed("False", timeout)], Verdict::Progressing),
        (OLD, vec![installed("False", timeout)], Verdict::Progressing),
        (JUST_NOW, vec![installed("False", unknown)], Verdict::Failed),
        (JUST_NOW, vec![installed("False", refused)], Verdict::Failed),
        (OLD, vec![installed("False", "cannot unpack: frobnicated")], Verdict::Failed),
        (JUST_NOW, vec![installed("True", ""), unhealthy(unavailable)], Verdict::Progressing),
        (JUST_NOW, vec![installed("True", ""), unhealthy(missing)], Verdict::Progressing),
        (JUST_NOW, vec![installed("True", ""), unhealthy("incompatible dependencies: a")], Verdict::Failed),
        (OLD, vec![installed("True", ""), unhealthy(unavailable)], Verdict::Failed),
        (OLD, vec![installed("True", ""), healthy("HealthyPackageRevision")], Verdict::Ok),
        (OLD, vec![installed("True", ""), healthy("Frobnicated")], Verdict::Unknown),
    ] {
        assert_eq!(verdict(PROVIDER, created, &conditions), expected, "{created} {conditions:?}");
    }
}

#[test]
fn a_bad_state_next_to_good_conditions_is_not_ok() {
    let conditions = [condition("Synced", "True", "ReconcileSuccess", ""), condition("Ready", "True", "Available", "")];
    for (kind, own, expected) in [
        (COMPOSITE, json!({"phase": "Failed"}), Verdict::Unknown),
        (COMPOSITE, json!({"database": {"state": "Failed"}}), Verdict::Unknown),
        (COMPOSITE, json!({"address": "10.0.0.1", "database": {"state": "Serene"}}), Verdict::Ok),
        (COMPOSITE, json!({"connectionDetails": {"lastPublishedTime": OLD}, "claimConditionTypes": []}), Verdict::Ok),
        (MANAGED, json!({"atProvider": {"status": "FAILED"}}), Verdict::Unknown),
        (MANAGED, json!({"atProvider": {"state": "RUNNABLE", "arn": "a"}}), Verdict::Ok),
        (MANAGED, json!({"atProvider": {"state": "in-use", "phase": 4, "rule": {"status": "FAILED"}}}), Verdict::Ok),
        (MANAGED, json!({"atProvider": {"state": "deleting"}}), Verdict::Unknown),
        (MANAGED, json!({"atProvider": {"status": "storage-full"}}), Verdict::Unknown),
        (MANAGED, json!({"atProvider": {"status": "serene"}}), Verdict::Unknown),
    ] {
        let mut status = own.clone();
        status["conditions"] = json!(conditions);
        assert_eq!(verdict_of_object(kind, OLD, &json!({}), status), expected, "{own}");
    }
}

#[test]
fn a_state_that_equals_the_declaration_is_not_judged() {
    let conditions = [condition("Synced", "True", "ReconcileSuccess", ""), condition("Ready", "True", "Available", "")];
    for (set, expected) in [
        (json!({"status": "Suspended"}), Verdict::Ok),
        (json!({"status": "Enabled"}), Verdict::Unknown),
        (json!({"status": 4}), Verdict::Unknown),
        (json!({"state": "Suspended"}), Verdict::Unknown),
        (json!("Suspended"), Verdict::Unknown),
        (json!(null), Verdict::Unknown),
    ] {
        let status = json!({"conditions": conditions, "atProvider": {"status": "Suspended"}});
        assert_eq!(verdict_of_object(MANAGED, OLD, &set, status), expected, "{set}");
    }
}
