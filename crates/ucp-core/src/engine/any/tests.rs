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
