//! One example for each notation of a status, with its verdict.

use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeSeed as _;
use serde_json::{Value, json};

use super::judge;
use crate::engine::judgement::AssessmentClock;
use crate::model::body::{Body, BodyShape};
use crate::model::kind::ResourceKind;
use crate::model::seed::ResourceSeed;
use crate::model::verdict::Verdict::{self, *};

fn verdict_of(kind: &str, status: &Value) -> Verdict {
    judged(kind, &json!({}), status)
}

pub(super) fn judged(kind: &str, spec: &Value, status: &Value) -> Verdict {
    let object = json!({
        "apiVersion": "example.org/v1", "kind": kind, "spec": spec, "status": status,
        "metadata": {"name": "a", "generation": 1, "creationTimestamp": "2026-11-20T09:09:00Z"},
    });
    judge_at("2026-11-20T09:10:00Z", kind, &object)
}

/// Returns the verdict for an object at a time; the limit for progress is 15 minutes.
pub(super) fn judge_at(now: &str, kind: &str, object: &Value) -> Verdict {
    judge_kind_at(now, &Arc::new(ResourceKind::guess("example.org", kind)), object)
}

pub(super) fn judge_kind_at(now: &str, kind: &Arc<ResourceKind>, object: &Value) -> Verdict {
    let clock =
        AssessmentClock { now: now.parse().unwrap(), stuck_after: Duration::from_secs(900), comparison_interval: None };
    let resource = ResourceSeed { kind, shape: BodyShape::Any }.deserialize(object).unwrap();
    let Body::Any(any) = &resource.body else { panic!("{object}") };
    judge(&resource, any, &clock, &[]).verdict
}

pub(super) fn assert_verdicts(kind: &str, examples: &[(Value, Verdict)]) {
    let wrong: Vec<_> = examples
        .iter()
        .map(|(status, expected)| (status, expected, verdict_of(kind, status)))
        .filter(|(_, expected, found)| *expected != found)
        .map(|(status, expected, found)| format!("{status}: {found} instead of {expected}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_completed_activity_or_step_is_not_the_final_state() {
    let examples = [
        (json!({"phase": "Running"}), Ok),
        (json!({"phase": "runningWorkflow"}), Progressing),
        (json!({"phase": "RunningAndReady"}), Ok),
        (json!({"phase": "Created"}), Ok),
        (json!({"phase": "SuccessfullyCreated"}), Ok),
        (json!({"phase": "ObjectsCreated"}), Unknown),
        (json!({"phase": "ConfigGenerated"}), Unknown),
        // What is not running is not idle, unless other conditions report the work of its controller.
        (
            json!({"conditions": [
                {"type": "Provisioned", "status": "True"}, {"type": "Failed", "status": "False"},
                {"type": "Running", "status": "False"},
            ]}),
            Progressing,
        ),
    ];
    assert_verdicts("Widget", &examples);
    assert_verdicts("Volume", &[(json!({"phase": "VolumeCreated"}), Ok)]);
    assert_verdicts("Execution", &[(json!({"phase": "Running"}), Progressing), (json!({"phase": "Succeeded"}), Ok)]);
}

#[test]
fn words_in_longer_texts_are_recognized() {
    let examples = [
        (json!({"phase": "PODFAILURE"}), Failed),
        (json!({"phase": "STATEFULSETNOTFOUND"}), Failed),
        (json!({"phase": "PODNOTREADY"}), Progressing),
        (json!({"phase": "NOERROR"}), Unknown),
        (json!({"phase": "Abnormal"}), Failed),
        (json!({"phase": "Unmanaged"}), Paused),
        (json!({"phase": "todo"}), Progressing),
        (json!({"status": "InUse"}), Ok),
    ];
    assert_verdicts("Widget", &examples);
}

#[test]
fn a_status_may_be_a_single_word() {
    let examples = [
        (json!("Done"), Ok),
        (json!("Failed"), Failed),
        (json!("Pending"), Progressing),
        (json!("Frobnicated"), Unknown),
        (json!(""), Unknown),
    ];
    assert_verdicts("Widget", &examples);
}

#[test]
fn counts_are_compared_with_the_declaration() {
    let ready = json!([{"type": "Ready", "status": "True"}]);
    for (spec, status, expected) in [
        (json!({"size": 3}), json!({"readyNodes": 1}), Progressing),
        (json!({"nodeCount": 3}), json!({"readyNodes": 1}), Progressing),
        (json!({"nodeCount": 3}), json!({"readyNodes": 3}), Ok),
        (json!({"nodeCount": 3}), json!({"readyZones": 1}), Ok),
        (json!({"maxNodes": 3}), json!({"readyNodes": 1}), Ok),
        (json!({"pools": [{"name": "a", "count": 3}]}), json!({"pools": [{"name": "a", "ready": 1}]}), Progressing),
        (json!({"pools": [{"name": "a", "count": 3}]}), json!({"pools": [{"name": "a", "ready": 3}]}), Ok),
    ] {
        let mut status = status;
        status["conditions"] = ready.clone();
        assert_eq!(judged("Widget", &spec, &status), expected, "{spec} {status}");
    }
}

#[test]
fn texts_and_numbers_next_to_a_good_state_may_be_harmless() {
    let ready = || json!([{"type": "Ready", "status": "True"}]);
    let examples = [
        (json!({"conditions": ready(), "warning": ""}), Ok),
        (json!({"conditions": ready(), "summary": "3 healthy, 0 sick"}), Ok),
        (json!({"conditions": ready(), "readyRatio": "1.0", "cacheRatio": 0.3}), Ok),
        (json!({"conditions": ready(), "pendingChanges": 0, "pendingRestart": false, "blockedBy": ""}), Ok),
        (json!({"conditions": ready(), "lastHeartbeat": "2026-11-20T09:00:00Z"}), Ok),
        (json!({"phase": "Ready (3/3)"}), Ok),
        (json!({"phase": "IPv4Ready"}), Unknown),
        (json!({"state": "HTTP2 ready"}), Ok),
    ];
    assert_verdicts("Widget", &examples);
}

#[test]
fn retries_and_times_are_not_failures() {
    let ready = || json!({"type": "Ready", "status": "True"});
    let examples = [
        (
            json!({"conditions": [{"type": "NodesReady", "status": "Progressing", "reason": "NodeUnhealthy"}]}),
            Progressing,
        ),
        (json!({"conditions": [{"type": "NodesReady", "status": "Unknown", "reason": "NodeUnhealthy"}]}), Failed),
        (
            json!({"conditions": [ready()], "currentLeaderTimestamp": "2026-11-20T09:00:09Z", "targetLeaderTimestamp": "2026-11-20T09:00:00Z"}),
            Ok,
        ),
        (json!({"conditions": [ready()], "agent": {"lastSeen": "2026-11-20T09:00:00Z"}}), Ok),
        (json!({"conditions": [ready()], "state": {"name": "running", "code": 16}}), Ok),
        (json!({"state": {"name": "stopped", "code": 80}}), Paused),
        (json!({"conditions": [ready()], "pending": 0, "modified": 0, "lastModified": 1763629200}), Ok),
        (json!({"conditions": [ready()], "revisions": {"total": 2, "ready": 2}}), Ok),
        (json!({"conditions": [ready()], "failureDomains": {"a": {"controlPlane": true}}}), Ok),
        (json!({"instances": 3}), Unknown),
    ];
    assert_verdicts("Widget", &examples);
}

#[test]
fn the_sum_of_all_counts_is_compared_with_the_declaration() {
    let sets = json!({"nodeSets": [{"name": "a", "count": 3}, {"name": "b", "count": 2}]});
    for (ready, expected) in [(3, Progressing), (5, Ok)] {
        let status = json!({"phase": "Ready", "availableNodes": ready});
        assert_eq!(judged("Widget", &sets, &status), expected, "{ready}");
    }
    assert_eq!(judged("Widget", &json!({"instances": 3}), &json!({"instances": 3})), Unknown, "it repeats the target");
}

#[test]
fn counts_have_their_own_target() {
    let examples = [
        (json!({"readyNodes": 2, "unreadyNodes": 0}), Ok),
        (json!({"readyNodes": 1, "notReadyNodes": 1}), Progressing),
        (json!({"readyNodes": 0, "unreadyNodes": 0}), Unknown),
        (json!({"replicas": 8, "readyReplicas": 8, "updatedReplicas": 1, "expectedUpdatedReplicas": 1}), Ok),
        (json!({"replicas": 8, "readyReplicas": 8, "updatedReplicas": 1, "expectedUpdatedReplicas": 2}), Progressing),
        (json!({"replicas": 8, "readyReplicas": 8, "updatedReadyReplicas": 1, "expectedUpdatedReplicas": 1}), Ok),
        (json!({"parts": {"ready": ["a"], "pending": [], "unready": []}}), Ok),
        (json!({"parts": {"ready": ["a"], "pending": ["b"], "unready": []}}), Progressing),
        (json!({"parts": {"ready": ["a"], "failed": ["b"]}}), Failed),
        (json!({"parts": {"ready": ["a"]}}), Unknown),
    ];
    assert_verdicts("Widget", &examples);
}

#[test]
fn conditions_are_judged_by_all_their_fields() {
    let condition = |kind: &str, status: &str, reason: &str, message: &str| json!({"type": kind, "status": status, "reason": reason, "message": message});
    let only = |kind: &str, status: &str, reason: &str, message: &str| json!({"conditions": [condition(kind, status, reason, message)]});
    let examples = [
        (only("Ready", "False", "RestoreBackup", "Restoring the backup"), Progressing),
        (only("Ready", "False", "Startup", "Configuration is in process"), Progressing),
        (only("Ready", "False", "X", "Nothing matches"), Failed),
        (only("Ready", "False", "Requested", "Deployment paused. Remove the annotation to resume"), Paused),
        (only("Ready", "False", "X", "Deployment is not paused"), Failed),
        (only("NetworkNotReady", "True", "Refused", ""), Failed),
        (only("NetworkNotReady", "True", "Creating", ""), Progressing),
        (
            json!({"conditions": [condition("Ready", "True", "", ""), condition("OutOfDisk", "False", "HasSufficientDisk", "")]}),
            Ok,
        ),
        (json!({"conditions": [condition("Ready", "True", "", ""), condition("OutOfDisk", "True", "", "")]}), Failed),
        (
            json!({"conditions": [condition("Ready", "True", "", ""), condition("Executing", "True", "", "")]}),
            Progressing,
        ),
        (json!({"conditions": [{"type": "Migrating", "status": "True", "category": "Critical"}]}), Failed),
        (
            json!({"conditions": [condition("Ready", "False", "Suspended", ""), condition("StorageResized", "False", "ResizingStorage", "")]}),
            Paused,
        ),
    ];
    assert_verdicts("Widget", &examples);
}

#[test]
fn common_notations_have_their_verdict() {
    let examples = [
        (json!({"lifecycleState": "ACTIVE"}), Ok),
        (json!({"lifecycleState": "NEEDS_ATTENTION"}), NeedsHuman),
        (json!({"sync": {"status": "Synced"}}), Ok),
        (json!({"sync": {"status": "OutOfSync"}}), Failed),
        (json!({"health": "Healthy"}), Ok),
        (json!({"health": {"status": "Healthy"}}), Ok),
        (json!({"health": {"status": "Degraded"}}), Failed),
        (json!({"deploymentStatus": {"state": "DEPLOYED", "health": "HEALTHY"}}), Ok),
        (json!({"jobStatus": {"state": "RUNNING"}}), Ok),
        (json!({"readyReplicas": 3, "replicas": 3}), Ok),
        (json!({"currentState": "Running", "desiredState": "Running"}), Ok),
        (json!({"currentState": "Stopped", "desiredState": "Running"}), Paused),
        (json!({"connectionState": "Connected"}), Ok),
        (json!({"reconcileStatus": "Reconciled"}), Ok),
        (json!({"lastReconcileStatus": "success"}), Ok),
        (json!({"lastReconcileStatus": "failure"}), Failed),
        (json!({"syncStatus": "Succeeded"}), Ok),
        (json!({"healthStatus": "ok"}), Ok),
        (json!({"installStatus": "Installed"}), Ok),
        (json!({"validationStatus": "Valid"}), Ok),
        (json!({"validity": "Invalid"}), Failed),
        (json!({"result": {"status": "pass"}}), Ok),
        (json!({"ready": "true"}), Ok),
        (json!({"ready": false}), Progressing),
        (json!({"phase": "ScaledToZero"}), Progressing),
        (json!({"phase": "Hibernated"}), Paused),
        (json!({"phase": "Stopped"}), Paused),
        (json!({"phase": "OutOfSync"}), Failed),
        (json!({"phase": "Warning"}), NeedsHuman),
        (json!({"phase": "Terminated"}), Progressing),
        (json!({"phase": "CrashLoopBackOff"}), Failed),
        (json!({"phase": "ImagePullBackOff"}), Failed),
        (json!({"phase": "Cluster in healthy state"}), Ok),
        (json!({"phase": "Setting up primary"}), Progressing),
        (json!({"phase": "Upgrade failed"}), Failed),
        (json!({"state": "up"}), Ok),
        (json!({"state": "down"}), Failed),
        (json!({"state": "available"}), Ok),
        (json!({"state": "updating"}), Progressing),
        (json!({"state": "rebooting"}), Progressing),
        (json!({"state": "delete_failed"}), Failed),
        (json!({"provisioned": true}), Ok),
        (json!({"provisioned": true, "ready": false}), Progressing),
        (json!({"applied": true}), Ok),
        (json!({"conditions": [{"type": "Suspended", "status": "True"}]}), Paused),
        (json!({"conditions": [{"type": "Ready", "status": "Unknown", "reason": "Reconciling"}]}), Progressing),
        (
            json!({"conditions": [{"type": "Ready", "status": "False", "reason": "DependencyNotReady", "message": "dependency is not ready"}]}),
            Progressing,
        ),
        (
            json!({"conditions": [{"type": "Ready", "status": "False", "reason": "InvalidSpec", "message": "x"}]}),
            Failed,
        ),
        (
            json!({"conditions": [{"type": "Ready", "status": "False", "reason": "Reconciling", "message": "failed to create: quota exceeded"}]}),
            Failed,
        ),
        (json!({"conditions": [{"type": "Failed", "status": "True", "reason": "BackoffLimitExceeded"}]}), Failed),
        (json!({"conditions": [{"type": "Complete", "status": "True"}]}), Ok),
        (
            json!({"conditions": [{"type": "Accepted", "status": "True"}, {"type": "Programmed", "status": "False", "reason": "Pending"}]}),
            Progressing,
        ),
        (
            json!({"conditions": [{"type": "Accepted", "status": "True"}, {"type": "ResolvedRefs", "status": "False", "reason": "BackendNotFound"}]}),
            Failed,
        ),
        (json!({"conditions": [{"type": "Success", "status": "True"}]}), Ok),
        (json!({"conditions": [{"type": "Error", "status": "True", "message": "x"}]}), Failed),
        (json!({"conditions": [{"type": "Error", "status": "False"}, {"type": "Ready", "status": "True"}]}), Ok),
        (
            json!({"conditions": [{"type": "Warning", "status": "True", "message": "x"}, {"type": "Ready", "status": "True"}]}),
            NeedsHuman,
        ),
        (
            json!({"conditions": [{"type": "Upgrading", "status": "True"}, {"type": "Ready", "status": "True"}]}),
            Progressing,
        ),
        (
            json!({"conditions": [{"type": "ConfigMapCreated", "status": "True"}, {"type": "DeploymentCreated", "status": "True"}]}),
            Unknown,
        ),
        (json!({"conditions": [{"type": "Reconciled", "status": "True", "reason": "ReconcileSuccess"}]}), Ok),
        (json!({"conditions": [{"type": "Reconciled", "status": "False", "reason": "ReconcileError"}]}), Failed),
        (json!({"conditions": [{"type": "SecretSynced", "status": "False", "reason": "SecretSyncedError"}]}), Failed),
        (json!({"conditions": [{"type": "Paused", "status": "True"}, {"type": "Ready", "status": "True"}]}), Paused),
        (
            json!({"conditions": [{"type": "ReconcilePaused", "status": "True"}, {"type": "Available", "status": "True"}]}),
            Paused,
        ),
        (
            json!({"conditions": [{"type": "ScalingActive", "status": "False", "reason": "ScalingDisabled"}, {"type": "AbleToScale", "status": "True"}]}),
            Paused,
        ),
        (json!({"conditions": [{"type": "Drifted", "status": "True"}]}), Drifted),
        (json!({"conditions": [{"type": "ApprovalRequired", "status": "True"}]}), NeedsHuman),
        (json!({"conditions": [{"type": "Ready", "status": "False", "reason": "WaitingForApproval"}]}), NeedsHuman),
        (json!({"phase": "Waiting", "message": "Waiting for manual approval"}), NeedsHuman),
        (json!({"phase": "AwaitingApproval"}), NeedsHuman),
        (json!({"tasks": {"a": {"phase": "Failed"}}, "phase": "Running"}), Failed),
        (json!({"state": {"running": {"startedAt": "2026-11-20T09:00:00Z"}}}), Unknown),
        (json!({"message": "Successfully reconciled"}), Unknown),
        (json!({"isReady": true}), Ok),
        (json!({"operationalStatus": "Up", "adminStatus": "Up"}), Ok),
        (json!({"status": "True"}), Unknown),
        (json!({"members": [{"name": "a", "ready": true}, {"name": "b", "ready": true}]}), Ok),
        (json!({"nodes": {"total": 3, "ready": 3}}), Unknown),
        (json!({"ready": "3/3"}), Ok),
        (json!({"ready": 3, "total": 3}), Ok),
        (json!({"ready": "3/3", "message": "the backend cannot be reached"}), Failed),
        (json!({"ready": "0/0"}), Unknown),
    ];
    assert_verdicts("Widget", &examples);
}

#[test]
fn flags_and_words_of_other_notations_are_read() {
    let examples = [
        (json!({"bound": true}), Ok),
        (json!({"bound": false}), Progressing),
        (json!({"registered": "True", "reason": "Succeeded"}), Ok),
        (json!({"active": true}), Ok),
        (json!({"active": false}), Unknown),
        (json!({"active": true, "problemsCount": 1}), Unknown),
        (json!({"value": "OK"}), Ok),
        (json!({"value": "Failed"}), Failed),
        (json!({"value": "Frobnicated"}), Unknown),
        (json!({"value": "FrobnicatedOK"}), Unknown),
        (json!({"parts": [{"scanStatus": "ScanComplete"}]}), Ok),
        (json!({"haStatus": "passive"}), Ok),
        (json!({"phase": "Ready", "cells": {"a": {"gatewayAvailable": "Unknown"}}}), Unknown),
        (json!({"phase": "Ready", "cells": {"a": {"gatewayAvailable": "True"}}}), Ok),
        (json!({"state": "POWEROFF"}), Paused),
        (json!({"state": "ShutDown"}), Paused),
        // How much is in a cache is no state.
        (json!({"phase": "Bound", "cacheStates": {"cached": "1GiB", "cachedPercentage": "50%"}}), Ok),
        (json!({"phase": "Bound", "cacheStates": {"a": "Bound", "b": "Lost"}}), Failed),
        (json!({"phase": "Enabled", "observedNodes": 3, "healthyNodes": 2}), Unknown),
        (json!({"phase": "Enabled", "observedNodes": 3, "healthyNodes": 3}), Ok),
    ];
    assert_verdicts("Widget", &examples);
    assert_verdicts("Backup", &[(json!({"active": true}), Progressing)]);
}

#[test]
fn a_false_condition_may_be_as_expected() {
    let condition = |kind: &str, status: &str, reason: &str, message: &str| json!({"type": kind, "status": status, "reason": reason, "message": message});
    let beside_ready = |other: Value| json!({"conditions": [condition("Ready", "True", "", ""), other]});
    let only = |other: Value| json!({"conditions": [other]});
    let examples = [
        (beside_ready(condition("ScalingEnabled", "False", "AsExpected", "")), Ok),
        (beside_ready(condition("ScalingEnabled", "False", "Frobnicated", "")), Unknown),
        (beside_ready(condition("PackageDeprecated", "False", "Deprecated", "")), Ok),
        (beside_ready(condition("PackageDeprecated", "True", "Deprecated", "")), Unknown),
        (only(condition("Complete", "False", "SyncJob", "")), Progressing),
        (only(condition("Complete", "False", "JobFailed", "")), Failed),
        (only(condition("Succeeded", "False", "SyncJob", "")), Failed),
        (only(condition("FailoverActivated", "False", "Progressing", "Activating failover mode")), Progressing),
        (only(condition("FailoverActivated", "False", "Progressing", "Activation of failover failed")), Failed),
        (only(condition("Running", "True", "Running", "Running reconciliation")), Progressing),
        (only(condition("Running", "True", "Running", "")), Ok),
        (only(condition("Ready", "False", "ClusterNotReachable", "cluster is not reachable")), Failed),
        (only(condition("Ready", "False", "Pending", "2 ready, 0 with failure, 1 pending")), Progressing),
        (only(condition("Ready", "False", "Pending", "2 ready, 1 with failure")), Failed),
        (beside_ready(condition("BackupReady", "True", "No backups defined", "")), Ok),
        (beside_ready(condition("BackupReady", "True", "Some backups defined", "")), Unknown),
        (beside_ready(condition("ConfigUpToDate", "True", "VersionMatch", "")), Ok),
        (beside_ready(condition("ConfigUpToDate", "True", "VersionMismatch", "")), Unknown),
        (only(condition("Contactable", "True", "", "")), Ok),
        (only(condition("AllAccountsPresent", "True", "", "")), Ok),
        (only(condition("ErrorsPresent", "True", "", "")), Failed),
        (only(condition("ConflictPresent", "False", "", "")), Unknown),
    ];
    assert_verdicts("Widget", &examples);
}
