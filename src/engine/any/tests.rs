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
    let list: Value = serde_saphyr::from_str(include_str!("../../../tests/fixtures/any/objects.yaml")).unwrap();
    let clock = AssessmentClock { now: "2026-11-20T09:10:00Z".parse().unwrap(), stuck_after: Duration::from_secs(900) };
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
    let clock = AssessmentClock { now: "2026-11-20T09:10:00Z".parse().unwrap(), stuck_after: Duration::from_secs(900) };
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

/// Kinds with a field that may change without an effect on the verdict, and the reason.
const FREE: [(&str, &str, &str); 18] = [
    ("ThingBackup", "count", OVER),
    ("Backup", "count", OVER),
    ("Build", "count", OVER),
    ("Build", "unknown", OVER),
    ("JobSet", "count", OVER),
    ("JobSet", "unknown", OVER),
    ("Workflow", "count", OVER),
    ("Workflow", "unknown", OVER),
    ("ClickHouseInstallation", "count", LISTED),
    ("PerconaXtraDBCluster", "failed sibling", HISTORY),
    ("PerconaXtraDBCluster", "sibling", HISTORY),
    ("PerconaXtraDBCluster", "unknown", HISTORY),
    ("PerconaXtraDBCluster", "new type", HISTORY),
    ("PerconaServerMongoDB", "failed sibling", HISTORY),
    ("PerconaServerMongoDB", "sibling", HISTORY),
    ("PerconaServerMongoDB", "unknown", HISTORY),
    ("PerconaServerMongoDB", "new type", HISTORY),
    ("ThingBackup", "unknown", OVER),
];
const OVER: &str = "a run that is complete holds no parts any more";
const LISTED: &str = "conventions.yaml lists the fields of this kind that count";
const HISTORY: &str = "its conditions are a history of states; conventions.yaml names the field that counts";

/// An object with a healthy status is no longer judged OK after any single value of its status is made worse.
#[test]
fn no_mutation_of_a_healthy_status_is_called_well() {
    let list: Value = serde_saphyr::from_str(include_str!("../../../tests/fixtures/any/objects.yaml")).unwrap();
    let clock = AssessmentClock { now: "2026-11-20T09:10:00Z".parse().unwrap(), stuck_after: Duration::from_secs(900) };
    let judged = |object: &Value| {
        let api_version = object["apiVersion"].as_str().unwrap();
        let group = api_version.split_once('/').map_or("", |(group, _)| group);
        let kind = Arc::new(ResourceKind::guess(group, object["kind"].as_str().unwrap()));
        let resource = ResourceSeed { kind: &kind, shape: BodyShape::Any }.deserialize(object).unwrap();
        let Body::Any(any) = &resource.body else { panic!("{object}") };
        judge(&resource, any, &clock, &[]).verdict
    };
    let well = list["items"].as_array().unwrap().iter().filter(|item| {
        item["metadata"]["annotations"]["ucp.test/expect"] == "OK"
            && item["status"].as_object().is_some_and(|status| !status.is_empty())
    });
    let mut wrong = Vec::new();
    for item in well {
        let mut mutations: Vec<(&str, Value)> = Vec::new();
        let mut mutate = |what, change: &dyn Fn(&mut Value)| {
            let mut object = item.clone();
            change(&mut object);
            mutations.push((what, object));
        };
        mutate("generation", &|object| {
            object["metadata"]["generation"] = json!(7);
            object["status"]["observedGeneration"] = json!(6);
        });
        mutate("errors", &|object| object["status"]["errors"] = json!(5));
        mutate("lastError", &|object| object["status"]["lastError"] = json!("403 forbidden"));
        mutate("count", &|object| {
            object["status"]["desiredWidgets"] = json!(3);
            object["status"]["readyWidgets"] = json!(0);
        });
        if item["status"]["conditions"].is_array() {
            for (what, status, reason) in [
                ("failed sibling", "False", "AccessDenied"),
                ("sibling", "False", "Frobnicated"),
                ("unknown", "Unknown", ""),
            ] {
                mutate(what, &|object| {
                    let sibling = json!({"type": "StoreSynced", "status": status, "reason": reason});
                    object["status"]["conditions"].as_array_mut().unwrap().push(sibling);
                });
            }
            mutate("new type", &|object| {
                let sibling = json!({"type": "Frobnicated", "status": "True", "reason": "Frobnication"});
                object["status"]["conditions"].as_array_mut().unwrap().push(sibling);
            });
        }
        for key in ["phase", "state", "status", "health"] {
            if item["status"][key].is_string() {
                mutate("word", &|object| object["status"][key] = json!("Frobnicated"));
                mutate("share", &|object| object["status"][key] = json!("1/3 ready"));
            }
        }
        let kind = item["kind"].as_str().unwrap();
        for (what, object) in mutations {
            let is_free = FREE.iter().any(|(free, field, _)| *free == kind && *field == what);
            if !is_free && judged(&object) == Verdict::Ok {
                wrong.push(format!("{kind}/{}: {what}", item["metadata"]["name"].as_str().unwrap_or_default()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}
