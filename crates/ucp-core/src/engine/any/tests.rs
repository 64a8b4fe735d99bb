//! Objects of many kinds, each with its expected verdict.

use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeSeed as _;
use serde_json::{Value, json};

use super::judge;
use crate::engine::AssessmentClock;
use crate::model::body::{Body, BodyShape};
use crate::model::kind::ResourceKind;
use crate::model::seed::ResourceSeed;
use crate::model::verdict::Verdict;

#[test]
fn every_object_has_the_verdict_that_its_controller_means() {
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

/// Problems in notations that no controller in the table uses.
#[test]
fn no_bad_news_is_ever_called_well() {
    let condition = |kind: &str, status: &str, reason: &str| json!({"type": kind, "status": status, "reason": reason});
    let ready = || condition("Ready", "True", "");
    let shapes = [
        json!({"conditions": [ready()], "phase": "Failed"}),
        json!({"conditions": [ready(), condition("Degraded", "True", "X")]}),
        json!({"conditions": [ready(), condition("Progressing", "False", "DeadlineExceeded")]}),
        json!({"conditions": [ready(), condition("CertificatesValid", "False", "CertificateExpired")]}),
        json!({"conditions": [condition("Reconciled", "True", ""), condition("Reachable", "False", "ConnectionRefused")]}),
        json!({"conditions": [{"type": "Ready", "status": "Error"}]}),
        json!({"conditions": {"ready": {"status": "False", "reason": "Broken"}}}),
        json!({"condition": {"type": "Ready", "status": "False", "reason": "Failed"}}),
        json!({"status": {"phase": "Failed"}}),
        json!({"phase": "Ready", "clusters": [{"name": "a", "phase": "Error"}]}),
        json!({"phase": "Running", "licenseStatus": "Expired"}),
        json!({"phase": "Running", "readyReplicas": "1/3"}),
        json!({"phase": "Succeeded", "conditions": [condition("Failed", "True", "X")]}),
        json!({"phase": "RolledBack"}),
        json!({"stackStatus": "UPDATE_ROLLBACK_COMPLETE"}),
        json!({"state": "NotHealthy"}),
        json!({"state": "unverified"}),
        json!({"ready": "0/3"}),
        json!({"nodes": [{"status": "Ready"}, {"status": "Failed"}]}),
        json!({"components": {"a": {"healthy": false}, "b": {"healthy": true}}}),
        json!({"backend": {"status": "DOWN"}, "frontend": {"status": "UP"}}),
        json!({"targetHealth": [{"state": "unhealthy"}, {"state": "healthy"}]}),
        json!({"connection": {"state": "disconnected"}}),
        json!({"summary": {"failed": 2, "passed": 10}}),
        json!({"lastReconcile": {"success": false}}),
        json!({"lastError": "connection refused"}),
        json!({"message": "Error: could not connect"}),
        json!({"errors": ["x"]}),
        json!({"failed": 3}),
        json!({"errorCount": 5}),
        json!({"consecutiveFailures": 7}),
        json!({"exitCode": 1}),
        json!({"returnCode": "137"}),
        json!({"hasErrors": true}),
        json!({"alarm": true}),
        json!({"provisioned": false}),
        json!({"rulesGenerated": false, "processed": 0}),
        json!({"healthScore": 0}),
        json!({"availability": "none"}),
        json!({"readyNodes": 1, "totalNodes": 3}),
        json!({"desired": 3, "current": 1, "ready": 1}),
        json!({"unavailableReplicas": 2, "replicas": 3}),
        // Parts whose names are those of plans and of the past.
        json!({"phase": "Ready", "targetClusters": [{"name": "a", "status": "Failed"}]}),
        json!({"phase": "Ready", "target": {"phase": "Failed"}}),
        json!({"phase": "Ready", "eventSources": [{"phase": "Failed"}]}),
        json!({"phase": "Ready", "backups": [{"phase": "Failed"}]}),
        json!({"phase": "Ready", "revisions": [{"conditions": [condition("Ready", "False", "Crashed")]}]}),
        json!({"phase": "Ready", "expectedMembers": [{"state": "Offline"}]}),
        json!({"phase": "Ready", "initialSync": {"state": "Failed"}}),
        // Counts.
        json!({"phase": "Ready", "nodes": 3, "aliveNodes": 1}),
        json!({"phase": "Ready", "total": 3, "synced": 1}),
        json!({"phase": "Ready", "replicas": "3", "readyReplicas": "1"}),
        json!({"phase": "Ready", "downNodes": 2}),
        json!({"phase": "Ready", "offline": 2}),
        json!({"phase": "Ready", "notReadyNodes": 2}),
        json!({"phase": "Ready", "unsyncedReplicas": 2}),
        json!({"phase": "Ready", "availablePercent": 33}),
        json!({"phase": "Ready", "progress": "33%"}),
        json!({"phase": "Ready", "members": "1 of 3 healthy"}),
        json!({"phase": "Ready", "desiredNodes": 5, "activeNodes": 2}),
        json!({"phase": "Ready", "progressPercent": 40}),
        // Doubts beside a good state.
        json!({"conditions": [ready()], "message": "failed to reach the backend: 500"}),
        json!({"conditions": [ready()], "summary": "Backup failed since Tuesday"}),
        json!({"conditions": [{"type": "Ready", "status": "True", "message": "the last attempt failed: refused"}]}),
        json!({"phase": "Ready", "notReady": ["a"]}),
        json!({"phase": "Ready", "members": {"unready": ["c"]}}),
        json!({"phase": "Ready", "isReady": "No"}),
        json!({"conditions": [ready()], "currentVersion": "1.0", "targetVersion": "2.0"}),
        json!({"conditions": [ready()], "last_reconciled_generation": 0}),
        // Words.
        json!({"phase": "InActive"}),
        json!({"phase": "ready:no"}),
        json!({"phase": "Ready?"}),
        json!({"phase": "Running no nodes"}),
        json!({"phase": "Ready", "degraded": "true"}),
        json!({"phase": "Ready", "hasQuorum": false}),
        json!({"phase": "Ready", "mode": "degraded"}),
        json!({"phase": "Ready", "paused": true}),
        json!({"phase": "Ready", "issues": ["disk full"]}),
        json!({"phase": "Ready", "warnings": 5}),
        json!({"phase": "Ready", "exception": "boom"}),
        json!({"phase": "Ready", "lastFailure": {"message": "boom"}}),
        json!({"phase": "Ready", "members": ["a: Running", "b: Failed"]}),
        // Conditions.
        json!({"conditions": [condition("Ready", "True", "PartiallyReconciled")]}),
        json!({"conditions": [condition("Ready", "True", "ManualApprovalRequired")]}),
        json!({"conditions": [{"type": "Ready", "status": "True", "message": "1 of 3 members ready"}]}),
        json!({"conditions": [ready(), condition("StoreSynced", "True", "PartiallySynced")]}),
        json!({"conditions": [ready(), condition("Degraded", "False", "MembersLost")]}),
        json!({"conditions": [ready(), condition("Paused", "Unknown", "")]}),
        json!({"conditions": [ready(), {"type": "Migrating", "status": "False", "message": "migration failed: no space"}]}),
        json!({"conditions": [ready(), {"type": "BackupReady", "reason": "Failed"}]}),
        json!({"conditions": [ready(), {"name": "backup", "state": "Failed"}]}),
        json!({"conditions": [ready(), condition("Warning", "True", "DeprecatedFields")]}),
        json!({"conditions": [{"type": "Ready", "status": "True", "severity": "Warning"}]}),
        json!({"conditions": [ready(), {"type": "DiskSpace", "status": "True", "severity": "Warning"}]}),
        json!({"conditions": [condition("Completed", "True", "Failed")]}),
        json!({"conditions": [ready(), condition("Progressing", "True", "Started")]}),
        // Parts and counts below other fields.
        json!({"conditions": [ready()], "brokers": {"0": {"state": "Stopped"}}}),
        json!({"conditions": [ready()], "storage": {"desired": 3, "actual": 1}}),
        json!({"conditions": [ready()], "shards": {"underReplicated": 3}}),
        json!({"conditions": [ready()], "cluster": {"nodesUp": 2, "nodesTotal": 3}}),
        json!({"conditions": [ready()], "hasLeader": false}),
        json!({"conditions": [ready()], "agents": {"count": 3, "ready": 1}}),
        json!({"conditions": [ready()], "agents": {"expected": 3, "observed": 1}}),
        json!({"conditions": [ready()], "nodes": [{"name": "a", "up": 0}]}),
        json!({"conditions": [ready()], "memberStatus": {"a": "NotReady", "b": "Ready"}}),
        json!({"conditions": [ready()], "databases": {"app": "error: the role is missing"}}),
        // Flags.
        json!({"conditions": [ready()], "errors": {"hasErrors": "yes"}}),
        json!({"conditions": [ready()], "outOfDate": true}),
        json!({"conditions": [ready()], "needsRestart": true}),
        json!({"conditions": [ready()], "isPaused": true}),
        json!({"conditions": [ready()], "maintenanceMode": true}),
        json!({"conditions": [ready(), condition("LimitReached", "True", "")]}),
        // A complete task with another outcome.
        json!({"phase": "Done", "result": "NON-COMPLIANT"}),
        json!({"phase": "Done", "result": "NOT-READY"}),
        json!({"stage": "Completed", "status": "PartialSuccess"}),
        json!({"phase": "Completed", "checks": [{"name": "a", "verdict": "Fail"}]}),
        json!({"conditions": [ready()], "outputs": {"a": [condition("Ready", "False", "Refused")]}}),
        json!({"conditions": [ready(), condition("Deployment", "False", "")]}),
        json!({"conditions": [ready(), {"type": "Disk", "status": "True", "message": "90% are used"}]}),
        json!({"conditions": [ready()], "parts": {"a": {"type": "Available", "status": "False", "reason": "Refused"}}}),
        // Times that are older than three of the declared periods.
        json!({"conditions": [ready()], "lease": {"leaseDurationSeconds": 60, "renewTime": "2026-11-20T08:00:00Z"}}),
        json!({"conditions": [ready()], "sync": {"interval": "5m", "lastSuccessfulSync": "2026-11-20T08:00:00Z"}}),
    ];
    let clock = AssessmentClock {
        now: "2026-11-20T09:10:00Z".parse().unwrap(),
        stuck_after: Duration::from_secs(900),
        comparison_interval: None,
    };
    let kind = Arc::new(ResourceKind::guess("example.org", "Widget"));
    for mut status in shapes {
        // With and without an observed generation.
        for observed in [None, Some(1)] {
            if let Some(observed) = observed {
                status["observedGeneration"] = json!(observed);
            }
            let object = json!({
                "apiVersion": "example.org/v1", "kind": "Widget", "status": status,
                "metadata": {"name": "a", "generation": 1, "creationTimestamp": "2026-11-01T08:00:00Z"},
            });
            let resource = ResourceSeed { kind: &kind, shape: BodyShape::Any }.deserialize(&object).unwrap();
            let Body::Any(any) = &resource.body else { panic!("{object}") };
            let verdict = judge(&resource, any, &clock, &[]).verdict;
            assert_ne!(verdict, Verdict::Ok, "{status}");
        }
    }
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
fn healthy_states_of_any_kind_are_known() {
    let condition = |kind: &str, status: &str, reason: &str| json!({"type": kind, "status": status, "reason": reason});
    let ready = || condition("Ready", "True", "");
    for status in [
        json!({"phase": "Realized"}),
        json!({"state": "ClusterRunning", "nodes": {"0": {"state": "GracefulUpscaleSucceeded"}}}),
        json!({"status": "EgressFirewall Rules applied"}),
        json!({"state": "Ready", "parts": [{"state": "ready"}, {"state": "ignore"}]}),
        json!({"conditions": [ready(), condition("PrincipalCredentialRetrieved", "True", "")]}),
        json!({"conditions": [ready(), condition("IPAddressClaimed", "True", ""), condition("Drainable", "True", "")]}),
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
        json!({"conditions": [ready(), condition("RayReady", "False", "Removed")]}),
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
fn states_under_way_are_neither_well_nor_failed() {
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

/// Marks by which a person told the controller to leave an object alone, and states that are good after all.
#[test]
fn marks_and_activities_are_what_they_say() {
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
        (json!({}), json!({"managementState": "Unmanaged"}), ready.clone(), Verdict::Paused),
        (json!({}), json!({"managementState": "Managed"}), ready.clone(), Verdict::Ok),
        (json!({}), json!({"suspend": "true"}), ready, Verdict::Paused),
        // Not a change that never ends.
        (json!({}), json!({}), accepting, Verdict::Unknown),
        // Nobody looks after one of two parents.
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
