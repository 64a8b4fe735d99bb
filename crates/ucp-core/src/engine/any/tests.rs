//! Objects of many kinds, each with its expected verdict.

use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeSeed as _;
use serde_json::{Value, json};

use super::judge;
use crate::engine::judgement::AssessmentClock;
use crate::model::body::{Body, BodyShape};
use crate::model::kind::ResourceKind;
use crate::model::seed::ResourceSeed;
use crate::model::verdict::Verdict;

#[test]
fn every_object_has_the_verdict_that_its_controller_intends() {
    let list: Value = serde_saphyr::from_str(include_str!("../../../../../tests/fixtures/any/objects.yaml")).unwrap();
    let clock = AssessmentClock {
        now: "2026-11-20T09:10:00Z".parse().unwrap(),
        stuck_after: Duration::from_secs(900),
        comparison_interval: None,
    };
    let items = list["items"].as_array().unwrap();
    let mut wrong = Vec::new();
    for item in items {
        let api_version = item["apiVersion"].as_str().unwrap();
        let group = api_version.split_once('/').map_or("", |(group, _)| group);
        let kind = Arc::new(ResourceKind::guess(group, item["kind"].as_str().unwrap()));
        let resource = ResourceSeed { kind: &kind, shape: BodyShape::Any }.deserialize(item).unwrap();
        let Body::Any(any) = &resource.body else { panic!("{item}") };
        let judgement = judge(&resource, any, &clock, &[]);
        let expected = resource.metadata.annotation("ucp.test/expect").unwrap();
        if judgement.verdict.as_str() != expected {
            let message = judgement.message.unwrap_or_default();
            wrong.push(format!("{}: {} instead of {expected}: {message}", resource.name(), judgement.verdict));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), items.len(), wrong.join("\n"));
}

/// Returns the verdict for an object.
fn verdict_of(object: &Value) -> Verdict {
    let api_version = object["apiVersion"].as_str().unwrap();
    let group = api_version.split_once('/').map_or("", |(group, _)| group);
    let kind = Arc::new(ResourceKind::guess(group, object["kind"].as_str().unwrap()));
    let resource = ResourceSeed { kind: &kind, shape: BodyShape::Any }.deserialize(object).unwrap();
    let Body::Any(any) = &resource.body else { panic!("{object}") };
    let clock = AssessmentClock {
        now: "2026-11-20T09:10:00Z".parse().unwrap(),
        stuck_after: Duration::from_secs(900),
        comparison_interval: None,
    };
    judge(&resource, any, &clock, &[]).verdict
}

/// Good states in words that no other rule restricts.
#[test]
fn healthy_states_of_any_kind_are_recognized() {
    let condition = |kind: &str, status: &str, reason: &str| json!({"type": kind, "status": status, "reason": reason});
    let ready = || condition("Ready", "True", "");
    for status in [
        json!({"phase": "Realized"}),
        json!({"state": "ClusterRunning", "nodes": {"0": {"state": "GracefulUpscaleSucceeded"}}}),
        json!({"status": "EgressFirewall Rules applied"}),
        json!({"state": "Ready", "parts": [{"state": "ready"}, {"state": "ignore"}]}),
        json!({"conditions": [ready(), condition("PrincipalCredentialRetrieved", "True", "")]}),
        json!({"conditions": [ready(), condition("IPAddressClaimed", "True", ""), condition("Drainable", "True", "")]}),
        // Errors that are over, or that were never there.
        json!({"conditions": [condition("Ready", "True", "ErrorsResolved")]}),
        json!({"conditions": [ready()], "lastError": "N/A", "syncError": "-", "fault": "<none>", "errorsByNode": {}}),
        json!({"conditions": [ready()], "errorPolicy": "Ignore", "failureDomain": "a", "lastFailure": "2026-01-01T00:00:00Z"}),
        json!({"conditions": [condition("AlertGroupSynchronized", "True", "ApplySuccessful")]}),
        json!({"completed": true}),
        // Numbers that are no shares, and words that are settings.
        json!({"conditions": [ready()], "date": "11/20", "ratio": "1/3", "partition": "1/3"}),
        json!({"conditions": [ready()], "availableIPs": 3, "totalIPs": 256, "activeConnections": 1, "connectionCount": 9}),
        json!({"conditions": [ready()], "updated": "2 hours 30 minutes ago"}),
        json!({"conditions": [ready()], "modes": {"a": "paused", "b": "manual"}, "supportedStates": ["Ready", "Failed"]}),
        // A controller that is idle, and reports its work in other conditions.
        json!({"conditions": [
            condition("UpToDate", "True", ""), condition("Failure", "False", ""), condition("Running", "False", ""),
        ]}),
        // A type that is not known has a reason that is.
        json!({"conditions": [ready(), condition("Parsed", "True", "Available")]}),
        json!({"conditions": [ready(), condition("Frobnication", "False", "AsExpected")]}),
        json!({"conditions": [condition("Install", "Completed", ""), condition("Runtime", "Online", "")], "phase": "Running"}),
        // A type that only names a part, and one that names a wait.
        json!({"conditions": [ready(), condition("Deployment", "True", "")]}),
        json!({"conditions": [ready(), condition("WaitingMonitoring", "False", "Ready")]}),
        json!({"conditions": [ready(), condition("LokiIssue", "False", "NoIssue")]}),
        json!({"conditions": [ready(), condition("IdentityCreated", "True", "the feature is disabled")]}),
        json!({"conditions": [ready()], "parts": {"a": {"type": "Available", "status": "True", "reason": "MinimumReplicasAvailable"}}}),
        // Conditions in a list of another name.
        json!({"conditions": [ready()], "outputs": {"a": [condition("Ready", "True", "")]}}),
        json!({"conditions": [condition("DeploymentReady", "True", ""), condition("HealthCheck", "True", "HealthCheckPassed")]}),
        json!({"readyToUse": true}),
        // A part that is not in use.
        json!({"conditions": [ready(), {"type": "DNSReachable", "status": "Unknown", "reason": "StatusUnknown", "message": "DNS is not configured"}]}),
        json!({"conditions": [ready(), condition("BackupReady", "False", "Disabled")]}),
        json!({"conditions": [ready(), condition("BackupReady", "False", "BackupNotConfigured")]}),
        json!({"conditions": {"Ready": "True", "Degraded": "False"}}),
        json!({"conditions": [ready(), condition("CleanupFinished", "Unknown", "CleanupNotRequired")]}),
        json!({"conditions": [ready(), condition("UniquelyReachable", "True", "LatestReplicaIsUniquelyReachable")]}),
        json!({"phase": "Ready", "debug": {"state": "added-to-existing-cluster"}}),
        json!({"phase": "Ready", "jobs": {"a": {"ready": 0, "succeeded": 2}}}),
        // Properties that an object may have or not.
        json!({"phase": "Ready", "members": [{"leader": false, "encrypted": false, "replica": false}]}),
    ] {
        let object =
            json!({"apiVersion": "example.org/v1", "kind": "Widget", "metadata": {"name": "a"}, "status": status});
        assert_eq!(verdict_of(&object), Verdict::Ok, "{status}");
    }
}

/// States that are neither good nor failures.
#[test]
fn states_in_progress_are_neither_ok_nor_failed() {
    let condition = |kind: &str, status: &str, reason: &str| json!({"type": kind, "status": status, "reason": reason});
    let retried = json!({"type": "Ready", "status": "False", "reason": "InstanceNotCreated", "severity": "Warning"});
    let unowned = json!({"type": "Ready", "status": "False", "reason": "WaitingForOwner", "severity": "Warning",
        "message": "the owner cannot be found"});
    let refused =
        json!({"type": "Ready", "status": "False", "reason": "NotReady", "message": "spec.allowed is invalid"});
    for (status, expected) in [
        (json!({"conditions": [retried]}), Verdict::Progressing),
        (json!({"conditions": [refused]}), Verdict::Failed),
        (json!({"conditions": [unowned]}), Verdict::Failed),
        (
            json!({"conditions": [condition("Ready", "True", "")], "peers": [{"status": "connecting"}]}),
            Verdict::Progressing,
        ),
        (
            json!({"conditions": [{"type": "Ready", "status": "False", "message": "Resources are not ready."}]}),
            Verdict::Progressing,
        ),
        (json!({"readyToUse": false}), Verdict::Progressing),
        (
            json!({"conditions": [condition("Ready", "True", ""), condition("StoreReachable", "Unknown", "StatusUnknown")]}),
            Verdict::Unknown,
        ),
        (json!({"conditions": [condition("Disabled", "True", "TemplateNotFound")]}), Verdict::NeedsHuman),
        (json!({"state": "Cordoned"}), Verdict::Paused),
        (json!({"state": "paused", "replicaSets": {"a": {"size": 3, "ready": 0}}}), Verdict::Paused),
        (
            json!({"conditions": [condition("Admitted", "True", ""), condition("Finished", "True", "Failed")]}),
            Verdict::Failed,
        ),
        (json!({"conditions": [condition("Accepted", "False", "HostAlreadyClaimed")]}), Verdict::Failed),
        (json!({"conditions": [condition("Ready", "False", "NotSupported")]}), Verdict::Failed),
        // A controller that has not observed the object yet, and one that has.
        (json!({"observedGeneration": 0, "parts": {}}), Verdict::Progressing),
        (json!({"observedGeneration": 1, "parts": {}}), Verdict::Ok),
    ] {
        let object =
            json!({"apiVersion": "example.org/v1", "kind": "Widget", "metadata": {"name": "a"}, "status": status});
        assert_eq!(verdict_of(&object), expected, "{status}");
    }
}

#[test]
fn a_claim_has_at_least_the_capacity_that_it_requests() {
    for (capacity, conditions, expected) in [
        ("10Gi", json!([]), Verdict::Ok),
        ("11Gi", json!([]), Verdict::Ok),
        ("5Gi", json!([]), Verdict::Progressing),
        ("10Gi", json!([{"type": "FileSystemResizePending", "status": "True"}]), Verdict::Progressing),
        ("10Gi", json!([{"type": "NodeResizeError", "status": "True"}]), Verdict::Failed),
    ] {
        let object = json!({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "a"},
            "spec": {"resources": {"requests": {"storage": "10Gi"}}},
            "status": {"phase": "Bound", "capacity": {"storage": capacity}, "conditions": conditions},
        });
        assert_eq!(verdict_of(&object), expected, "{object}");
    }
}

#[test]
fn a_load_balancer_has_an_address() {
    let none = || json!({"loadBalancer": {}});
    let one = || json!({"loadBalancer": {"ingress": [{"ip": "192.0.2.1"}]}});
    let service = |kind: &str, status: Value| json!({"apiVersion": "v1", "kind": "Service", "spec": {"type": kind}, "status": status});
    let ingress = |status: Value| json!({"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "status": status});
    for (mut object, created, expected) in [
        (service("ClusterIP", none()), "2026-11-01T08:00:00Z", Verdict::Ok),
        (service("LoadBalancer", one()), "2026-11-01T08:00:00Z", Verdict::Ok),
        (service("LoadBalancer", none()), "2026-11-20T09:09:00Z", Verdict::Progressing),
        (service("LoadBalancer", none()), "2026-11-01T08:00:00Z", Verdict::Stuck),
        (ingress(one()), "2026-11-01T08:00:00Z", Verdict::Ok),
        (ingress(none()), "2026-11-01T08:00:00Z", Verdict::Progressing),
    ] {
        object["metadata"] = json!({"name": "a", "creationTimestamp": created});
        assert_eq!(verdict_of(&object), expected, "{object}");
    }
}

/// A hub in which three periods of the object's own work are over, or not.
#[test]
fn a_time_is_compared_with_the_period_that_the_object_declares() {
    for (spec, status, expected) in [
        (json!({"heartbeatInterval": "30s"}), json!({"lastHeartbeatTime": "2026-11-20T09:09:30Z"}), Verdict::Ok),
        (json!({"heartbeatInterval": "30s"}), json!({"lastHeartbeatTime": "2026-11-20T08:00:00Z"}), Verdict::Unknown),
        (
            json!({"backup": {"schedule": "0 3 * * *"}}),
            json!({"backup": {"lastSuccessfulTime": "2026-11-12T03:00:00Z"}}),
            Verdict::Unknown,
        ),
        (
            json!({"backup": {"schedule": "0 3 * * *"}}),
            json!({"backup": {"lastSuccessfulTime": "2026-11-19T03:00:00Z"}}),
            Verdict::Ok,
        ),
        (json!({"refreshInterval": "1h"}), json!({"refreshTime": "2026-11-19T03:00:00Z"}), Verdict::Unknown),
        (
            json!({"refreshInterval": "1h", "refreshPolicy": "OnChange"}),
            json!({"refreshTime": "2026-11-19T03:00:00Z"}),
            Verdict::Ok,
        ),
        // A record of another time.
        (json!({"heartbeatInterval": "30s"}), json!({"lastHeartbeatTime": "2022-11-20T08:00:00Z"}), Verdict::Ok),
        // A period of something else, or none.
        (json!({"heartbeatInterval": "30s"}), json!({"lastBackupTime": "2026-11-01T03:00:00Z"}), Verdict::Ok),
        (json!({"interval": "5m"}), json!({"lastAppliedTime": "2026-11-01T03:00:00Z"}), Verdict::Ok),
        (json!({}), json!({"lastSyncTime": "2026-11-01T03:00:00Z"}), Verdict::Ok),
    ] {
        let mut status = status;
        status["phase"] = json!("Ready");
        let object = json!({"apiVersion": "example.org/v1", "kind": "Widget", "metadata": {"name": "a"}, "spec": spec, "status": status});
        assert_eq!(verdict_of(&object), expected, "{object}");
    }
}

#[test]
fn recurring_work_of_the_table_is_late_after_three_intervals() {
    let images = "image.toolkit.fluxcd.io/v1";
    let scanned = |time: &str| json!({"lastScanResult": {"scanTime": time, "tagCount": 3}});
    let run = |time: &str| json!({"lastAutomationRunTime": time});
    let found = |time: &str| json!({"discoveredArtifacts": {"discoveredAt": time}});
    let (recent, late) = ("2026-11-20T09:00:00Z", "2026-11-20T07:00:00Z");
    for (version, kind, interval, status, expected) in [
        (images, "ImageRepository", "5m", scanned(recent), Verdict::Ok),
        (images, "ImageRepository", "5m", scanned(late), Verdict::Unknown),
        // The controller may be busy for a few short intervals.
        (images, "ImageRepository", "1m", scanned(recent), Verdict::Ok),
        (images, "ImageRepository", "1h", scanned(late), Verdict::Ok),
        (images, "ImageUpdateAutomation", "30m", run(late), Verdict::Unknown),
        (images, "ImageUpdateAutomation", "30m", run(recent), Verdict::Ok),
        ("kargo.akuity.io/v1alpha1", "Warehouse", "5m", found(late), Verdict::Unknown),
        ("kargo.akuity.io/v1alpha1", "Warehouse", "5m", found(recent), Verdict::Ok),
    ] {
        let mut status = status;
        status["conditions"] = json!([{"type": "Ready", "status": "True", "reason": "Succeeded"}]);
        let object = json!({"apiVersion": version, "kind": kind, "metadata": {"name": "a"}, "spec": {"interval": interval}, "status": status});
        assert_eq!(verdict_of(&object), expected, "{object}");
    }
}

#[test]
fn the_time_of_the_next_work_is_not_long_past() {
    for (next, expected) in [
        ("2026-11-21T03:00:00Z", Verdict::Ok),
        ("2026-11-20T03:00:00Z", Verdict::Ok),
        ("2026-11-15T03:00:00Z", Verdict::Unknown),
    ] {
        let status = json!({"phase": "Ready", "nextScheduleTime": next});
        let object =
            json!({"apiVersion": "example.org/v1", "kind": "Widget", "metadata": {"name": "a"}, "status": status});
        assert_eq!(verdict_of(&object), expected, "{object}");
    }
}

/// Marks by which a person excludes an object from reconciliation, and states that are good after all.
#[test]
fn pause_marks_and_activities_are_recognized() {
    let ready = json!({"conditions": [{"type": "Ready", "status": "True", "reason": "Ready"}]});
    let accepting = json!({"conditions": [
        {"type": "Ready", "status": "True", "reason": "Ready"}, {"type": "AcceptingThings", "status": "True"},
    ]});
    let clock = AssessmentClock {
        now: "2026-11-20T09:10:00Z".parse().unwrap(),
        stuck_after: Duration::from_secs(900),
        comparison_interval: None,
    };
    let kind = Arc::new(ResourceKind::guess("example.org", "Widget"));
    for (labels, spec, status, expected) in [
        (json!({}), json!({}), ready.clone(), Verdict::Ok),
        (json!({"example.org/pauseReconciliation": "true"}), json!({}), ready.clone(), Verdict::Paused),
        (json!({"example.org/skip-reconcile": "true"}), json!({}), ready.clone(), Verdict::Paused),
        (json!({"example.org/skip-reconcile": "false"}), json!({}), ready.clone(), Verdict::Ok),
        (json!({}), json!({"managementState": "Unmanaged"}), ready.clone(), Verdict::Paused),
        (json!({}), json!({"managementState": "Managed"}), ready.clone(), Verdict::Ok),
        (json!({}), json!({"suspend": "true"}), ready, Verdict::Paused),
        // Not a change that never ends.
        (json!({}), json!({}), accepting, Verdict::Unknown),
        // No controller reconciles one of two parents.
        (
            json!({}),
            json!({"parentRefs": [{"name": "a"}, {"name": "b"}]}),
            json!({"parents": [{"parentRef": {"name": "a"}, "conditions": [{"type": "Accepted", "status": "True"}]}]}),
            Verdict::Unknown,
        ),
        // An error that ends by itself, and has just begun.
        (
            json!({}),
            json!({}),
            json!({"conditions": [{"type": "Ready", "status": "False", "reason": "SyncError",
                "message": "dial tcp: i/o timeout", "lastTransitionTime": "2026-11-20T09:09:00Z"}]}),
            Verdict::Progressing,
        ),
        (
            json!({}),
            json!({}),
            json!({"conditions": [{"type": "Ready", "status": "False", "reason": "SyncError",
                "message": "dial tcp: i/o timeout", "lastTransitionTime": "2026-11-20T03:09:00Z"}]}),
            Verdict::Failed,
        ),
    ] {
        let object = json!({
            "apiVersion": "example.org/v1", "kind": "Widget", "spec": spec, "status": status,
            "metadata": {"name": "a", "labels": labels, "creationTimestamp": "2026-11-01T08:00:00Z"},
        });
        let resource = ResourceSeed { kind: &kind, shape: BodyShape::Any }.deserialize(&object).unwrap();
        let Body::Any(any) = &resource.body else { panic!("{object}") };
        let judgement = judge(&resource, any, &clock, &[]);
        assert_eq!(judgement.verdict, expected, "{object}: {:?}", judgement.message);
    }
}

/// A hub in which three periods of an hour are over without a run, or a success.
#[test]
fn runs_follow_their_schedule() {
    let clock = AssessmentClock {
        now: "2026-11-20T09:10:00Z".parse().unwrap(),
        stuck_after: Duration::from_secs(900),
        comparison_interval: None,
    };
    let kind = Arc::new(ResourceKind::guess("batch", "CronJob"));
    for (status, expected) in [
        (
            json!({"lastScheduleTime": "2026-11-20T09:00:00Z", "lastSuccessfulTime": "2026-11-20T09:00:20Z"}),
            Verdict::Ok,
        ),
        (
            json!({"lastScheduleTime": "2026-11-20T09:00:00Z", "lastSuccessfulTime": "2026-11-20T08:00:20Z"}),
            Verdict::Progressing,
        ),
        (
            json!({"lastScheduleTime": "2026-11-20T09:00:00Z", "lastSuccessfulTime": "2026-11-20T05:00:20Z"}),
            Verdict::Failed,
        ),
        (
            json!({"lastScheduleTime": "2026-11-20T05:00:00Z", "lastSuccessfulTime": "2026-11-20T05:00:20Z"}),
            Verdict::Stuck,
        ),
        (json!({}), Verdict::Stuck),
        (
            json!({"active": [{}], "lastScheduleTime": "2026-11-20T09:00:00Z", "lastSuccessfulTime": "2026-11-20T08:00:20Z"}),
            Verdict::Progressing,
        ),
        (json!({"active": [{}], "lastScheduleTime": "2026-11-20T04:00:00Z"}), Verdict::Stuck),
    ] {
        let object = json!({
            "apiVersion": "batch/v1", "kind": "CronJob", "spec": {"schedule": "0 * * * *"}, "status": status,
            "metadata": {"name": "a", "creationTimestamp": "2026-11-01T08:00:00Z"},
        });
        let resource = ResourceSeed { kind: &kind, shape: BodyShape::Any }.deserialize(&object).unwrap();
        let Body::Any(any) = &resource.body else { panic!("{object}") };
        let judgement = judge(&resource, any, &clock, &[]);
        assert_eq!(judgement.verdict, expected, "{status}: {:?}", judgement.message);
    }
}
