//! Problems beside a good state, in every notation: none of them is OK.

use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeSeed as _;
use serde_json::json;

use super::judge;
use crate::engine::judgement::AssessmentClock;
use crate::model::body::{Body, BodyShape};
use crate::model::kind::ResourceKind;
use crate::model::seed::ResourceSeed;
use crate::model::verdict::Verdict;

/// Problems in notations that no controller in the table uses.
#[test]
fn no_bad_state_is_ever_called_ok() {
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
        // Causes of failures in fields of other names.
        json!({"conditions": [ready()], "lastErrorMessage": "disk full"}),
        json!({"conditions": [ready()], "syncError": "disk full"}),
        json!({"conditions": [ready()], "errorDetail": {"text": "disk full"}}),
        json!({"conditions": [ready()], "errorsByNode": {"a": "disk full"}}),
        json!({"conditions": [ready()], "fault": "overheated"}),
        json!({"conditions": [ready()], "parts": [{"problem": "overheated"}]}),
        json!({"conditions": [ready()], "info": "cannot reach the peer"}),
        json!({"conditions": [ready()], "details": "b is down"}),
        // The states of several parts.
        json!({"conditions": [ready()], "memberStatus": ["ONLINE", "UNREACHABLE"]}),
        json!({"conditions": [ready()], "results": ["pass", "fail"]}),
        json!({"conditions": [ready()], "nodes": {"a": "Ready", "b": "NotReady"}}),
        json!({"conditions": [ready()], "members": "a=ok,b=down"}),
        // Counters, shares, and percentages.
        json!({"conditions": [ready()], "healthyMembers": 1, "memberCount": 3}),
        json!({"conditions": [ready()], "syncedShards": 1, "shardCount": 3}),
        json!({"conditions": [ready()], "shards": {"active": 1, "expected": 3}}),
        json!({"conditions": [ready()], "assigned": 1, "required": 3}),
        json!({"conditions": [ready()], "ready": "1 von 3"}),
        json!({"conditions": [ready()], "ready": "1\u{2044}3"}),
        json!({"conditions": [ready()], "percentComplete": 12}),
        json!({"conditions": [ready()], "activeAlerts": 3}),
        json!({"conditions": [ready()], "outOfSync": 2}),
        json!({"conditions": [ready()], "orphanedVolumes": 2}),
        json!({"conditions": [ready()], "diverged": true}),
        // Reasons that are not known to be good, and parts that are not there for a reason that may not be their declaration.
        json!({"conditions": [condition("Ready", "True", "UsingFallback")]}),
        json!({"conditions": [condition("Ready", "True", "Zorp")]}),
        json!({"conditions": [ready(), condition("StoreSynced", "True", "KeptPreviousVersion")]}),
        json!({"conditions": [ready(), condition("DatabaseReady", "False", "Skipped")]}),
        json!({"conditions": [ready(), condition("PrimaryReady", "False", "Removed")]}),
        json!({"conditions": [ready(), condition("QuorumReached", "False", "QuorumNotNeeded")]}),
        json!({"conditions": [ready(), {"type": "NodeReady", "status": "False", "reason": "Unmanaged", "message": "deleted outside"}]}),
        json!({"conditions": [ready(), {"type": "BackupReady", "status": "False", "reason": "Disabled", "message": "after 3 attempts"}]}),
        json!({"conditions": [ready(), {"type": "ReplicationEnabled", "status": "False", "reason": "Disabled", "message": "by the circuit breaker"}]}),
        json!({"conditions": {"Ready": "True", "Backup": "False"}}),
        json!({"conditions": {"Ready": true, "Backup": false}}),
        // Shares and marks in words, and texts for people.
        json!({"phase": "Ready 2-of-3"}),
        json!({"phase": "1of3Ready"}),
        json!({"state": "healthy/2 of 3"}),
        json!({"phase": "Ready*"}),
        json!({"phase": "Ready!"}),
        json!({"conditions": [ready()], "warning": "the certificate is about to expire"}),
        json!({"conditions": [ready()], "statusMessage": "replication broken since Tuesday"}),
        json!({"conditions": [ready()], "message": "the connection to the broker was lost"}),
        json!({"conditions": [ready()], "summary": "2 healthy, 1 sick"}),
        json!({"conditions": [ready()], "summary": "up 2, down 1"}),
        json!({"conditions": [ready()], "members": ["a", "b", "c"], "membersOnline": ["a"]}),
        json!({"conditions": [ready()], "readyRatio": "0.33"}),
        json!({"conditions": [ready()], "pendingChanges": 3}),
        json!({"conditions": [ready()], "pendingRestart": true}),
        json!({"conditions": [ready()], "blockedBy": "PDB"}),
        json!({"conditions": [ready()], "lastHeartbeat": "2026-11-10T00:00:00Z"}),
        // Generations that do not agree with the object.
        json!({"conditions": [ready()], "appliedGeneration": 0}),
        json!({"conditions": [ready()], "lastAppliedGeneration": 7}),
        // States in an object of their own, and of an external resource.
        json!({"conditions": [ready()], "powerState": {"code": "Stopped"}}),
        json!({"conditions": [ready()], "state": {"code": 80, "name": "stopped"}}),
        json!({"conditions": [ready()], "instance": {"statuses": [{"code": "PowerState/deallocated"}]}}),
        json!({"conditions": [ready()], "external": {"state": "SUSPENDED"}}),
        json!({"conditions": [ready()], "next": {"conditions": [condition("Available", "False", "NotAvailable")]}}),
        json!({"conditions": [{"type": "Ready", "status": "True", "warnings": [{"reason": "Deprecated"}]}]}),
        // Contacts of another day.
        json!({"conditions": [ready()], "agent": {"lastHeartbeat": "2026-11-10T00:00:00Z"}}),
        json!({"conditions": [ready()], "agents": [{"lastSeen": "2026-11-10T00:00:00Z"}]}),
        json!({"conditions": [ready()], "lastCheckIn": "2026-11-10T00:00:00Z"}),
        json!({"conditions": [ready()], "heartbeatTime": "2026-11-10T00:00:00Z"}),
        // Counts of the same parts, and of those that are not done.
        json!({"phase": "Ready", "revisions": {"total": 2, "ready": 1}}),
        json!({"phase": "Ready", "expectedNodes": 3, "nodes": 2}),
        json!({"phase": "Ready", "size": 3, "live": 2}),
        json!({"phase": "Ready", "pending": 2}),
        json!({"phase": "Ready", "summary": {"total": 5, "waitApplied": 2}}),
        json!({"phase": "Ready", "locations": [{"completeBackups": 1, "incompleteBackups": 4}]}),
        json!({"phase": "Ready", "pendingNodes": ["a"]}),
        json!({"phase": "Ready", "orphanedTablets": {"a": {"reason": "NotDrained"}}}),
        // Flags whose sense is not known, or is that of a problem.
        json!({"applied": true, "set": false}),
        json!({"phase": "Ready", "truncated": true}),
        json!({"phase": "Ready", "overLimit": true}),
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
