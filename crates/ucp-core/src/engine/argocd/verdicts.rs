//! Verdicts for Applications: what was not compared or hydrated is not OK, and what Argo CD repeats has not failed yet.

use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeSeed as _;
use serde_json::{Value, json};

use super::*;
use crate::model::seed::ResourceSeed;

const OLD: &str = "2026-11-20T09:00:00Z";
const NEW: &str = "2026-11-23T19:58:00Z";

fn judge(object: &Value) -> Judgement {
    judge_every(object, None)
}

/// Judges an Application of a hub that compares at an interval.
fn judge_every(object: &Value, comparison_interval: Option<Duration>) -> Judgement {
    let kind = Arc::new(ResourceKind::guess(GROUP, "Application"));
    let resource = ResourceSeed { kind: &kind, shape: BodyShape::Application }.deserialize(object).unwrap();
    let (now, stuck_after) = ("2026-11-23T20:00:00Z".parse().unwrap(), Duration::from_secs(900));
    ArgoCdEngine.judge(&resource, &AssessmentClock { now, stuck_after, comparison_interval }).unwrap()
}

fn source() -> Value {
    json!({"repoURL": "https://git.example.org/apps", "path": "shop", "targetRevision": "main"})
}

fn healthy(created: &str) -> Value {
    let destination = json!({"server": "https://kubernetes.default.svc", "namespace": "shop"});
    json!({
        "metadata": {"name": "shop", "namespace": "argocd", "creationTimestamp": created},
        "spec": {"project": "default", "source": source(), "destination": destination},
        "status": {
            "reconciledAt": "2026-11-23T19:59:00Z",
            "health": {"status": "Healthy", "lastTransitionTime": created},
            "sync": {
                "status": "Synced", "revision": "4f3a2b1c",
                "comparedTo": {"source": source(), "destination": destination},
            },
        },
    })
}

/// Returns a healthy Application with other values at some places.
fn with(created: &str, changes: &[(&str, Value)]) -> Value {
    let mut object = healthy(created);
    for (pointer, value) in changes {
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        object.pointer_mut(parent).unwrap()[key] = value.clone();
    }
    object
}

#[test]
fn a_declaration_that_was_changed_since_the_comparison_is_not_ok() {
    let compared = |value: Value| ("/status/sync/comparedTo", value);
    let ignored = json!([{"group": "apps", "kind": "Deployment", "jsonPointers": ["/spec/replicas"]}]);
    let here = |server: &str| json!({"source": source(), "destination": {"server": server, "namespace": "shop"}});
    let spec_ignores = ("/spec/ignoreDifferences", ignored.clone());
    let hub = "https://kubernetes.default.svc";
    for (changes, expected) in [
        (vec![], None),
        (vec![compared(here("https://10.0.0.1"))], Some("its destination was changed")),
        (vec![compared(json!({"source": source()}))], None),
        // A cluster by its name, and by its URL.
        (vec![("/spec/destination", json!({"name": "in-cluster", "namespace": "shop"}))], None),
        (vec![("/spec/destination", json!({"server": hub, "namespace": "new"}))], Some("its destination was changed")),
        (vec![spec_ignores.clone()], Some("its ignoreDifferences were changed")),
        (vec![spec_ignores, ("/status/sync/comparedTo/ignoreDifferences", ignored.clone())], None),
        (vec![("/status/sync/comparedTo/ignoreDifferences", ignored)], Some("its ignoreDifferences were changed")),
        (vec![("/spec/source/path", json!("other"))], Some("its sources were changed")),
        (
            vec![("/status/sync", json!({"status": "Synced"})), ("/status/reconciledAt", json!(null))],
            Some("comparedTo is absent"),
        ),
    ] {
        let judgement = judge(&with(OLD, &changes));
        let message = judgement.message.as_deref().unwrap_or_default();
        match expected {
            None => assert_eq!(judgement.verdict, Verdict::Ok, "{changes:?}: {message}"),
            Some(expected) => {
                let is_stale = judgement.problems.iter().any(|problem| problem.code == Code::ApplicationStale);
                assert!(judgement.verdict == Verdict::Progressing || is_stale, "{changes:?}: {judgement:?}");
                assert!(message.contains(expected), "{changes:?}: {message}");
            }
        }
    }
}

#[test]
fn a_requested_sync_is_in_progress_until_it_ends() {
    let ended = |phase: &str| json!({"phase": phase, "startedAt": OLD, "finishedAt": OLD, "message": "refused"});
    for phase in ["Succeeded", "Failed", "Error"] {
        let mut object = with(OLD, &[("/status/operationState", ended(phase))]);
        object["status"]["sync"]["status"] = json!("OutOfSync");
        assert_ne!(judge(&object).verdict, Verdict::Progressing, "{phase}");
        object["operation"] = json!({"sync": {"revision": "9e8d7c6b"}});
        assert_eq!(judge(&object).verdict, Verdict::Progressing, "{phase}");
    }
    // A retry has begun, and its last attempt has ended.
    let mut object = with(OLD, &[("/status/operationState", ended("Running"))]);
    object["operation"] = json!({"sync": {}});
    assert!(!judge(&object).message.unwrap_or_default().contains("has not begun yet"));
    let mut object = healthy(OLD);
    object["operation"] = json!({"sync": {}});
    let judgement = judge(&object);
    assert_eq!(judgement.verdict, Verdict::Progressing);
    assert!(judgement.message.as_deref().unwrap_or_default().contains("has not begun yet"), "{judgement:?}");
}

#[test]
fn a_failed_sync_of_the_revision_in_sync_is_a_contradiction() {
    let sync = |phase: &str, revision: &str, resources: Value| {
        let result = json!({"revision": revision, "resources": resources});
        (
            "/status/operationState",
            json!({"phase": phase, "finishedAt": OLD, "message": "field is immutable", "syncResult": result}),
        )
    };
    let part = |status: &str| json!([{"kind": "Job", "name": "migrate", "status": status, "message": "refused"}]);
    for (operation, expected) in [
        (sync("Failed", "4f3a2b1c", part("SyncFailed")), Verdict::Unknown),
        (sync("Error", "4f3a2b1c", json!([])), Verdict::Unknown),
        (sync("Succeeded", "4f3a2b1c", part("SyncFailed")), Verdict::Unknown),
        (sync("Succeeded", "4f3a2b1c", part("Synced")), Verdict::Ok),
        (sync("Failed", "9e8d7c6b", part("SyncFailed")), Verdict::Ok),
        (sync("Failed", "", part("SyncFailed")), Verdict::Ok),
    ] {
        let judgement = judge(&with(OLD, std::slice::from_ref(&operation)));
        assert_eq!(judgement.verdict, expected, "{operation:?}: {judgement:?}");
        let message = judgement.message.as_deref().unwrap_or_default();
        assert!(expected == Verdict::Ok || message.contains("failed") && judgement.problems.is_empty(), "{message}");
    }
}

#[test]
fn a_part_that_is_not_healthy_contradicts_its_application() {
    let part = |status: &str, health: &str| json!([{"kind": "Deployment", "group": "apps", "name": "web", "status": status, "health": {"status": health}}]);
    for (parts, expected) in [
        (part("Synced", "Healthy"), Verdict::Ok),
        (part("Synced", "Progressing"), Verdict::Ok),
        (part("Synced", "Degraded"), Verdict::Unknown),
        (part("Synced", "Missing"), Verdict::Unknown),
        (part("Unknown", "Healthy"), Verdict::Unknown),
        (json!([{"kind": "Job", "name": "web", "hook": true, "health": {"status": "Degraded"}}]), Verdict::Ok),
    ] {
        let judgement = judge(&with(OLD, &[("/status/resources", parts.clone())]));
        assert_eq!(judgement.verdict, expected, "{parts}: {judgement:?}");
        let message = judgement.message.as_deref().unwrap_or_default();
        assert!(expected == Verdict::Ok || message.contains("Deployment/web"), "{message}");
    }
}

#[test]
fn the_phases_of_the_source_hydrator_are_a_closed_set() {
    let branch = json!({"targetBranch": "env/prod", "path": "shop"});
    let settings = json!({"drySource": source(), "syncSource": branch});
    let deployed = json!({"repoURL": "https://git.example.org/apps", "path": "shop", "targetRevision": "env/prod"});
    let hydrated = |created: &str, status: Value| {
        let mut object = with(
            created,
            &[
                ("/spec/sourceHydrator", settings.clone()),
                ("/status/sync/comparedTo/source", deployed.clone()),
                ("/status/sourceHydrator", status),
            ],
        );
        object["spec"].as_object_mut().unwrap().remove("source");
        object
    };
    let phase = |phase: &str, since: &str| json!({"currentOperation": {"phase": phase, "startedAt": since}});
    let used = |settings: Value| json!({"currentOperation": {"phase": "Hydrated", "sourceHydrator": settings}});
    let before = json!({"drySource": source(), "syncSource": {"targetBranch": "env/old", "path": "shop"}});
    for (created, status, expected) in [
        (OLD, phase("Hydrated", OLD), Verdict::Ok),
        (OLD, used(settings.clone()), Verdict::Ok),
        (OLD, used(before), Verdict::Progressing),
        (OLD, phase("Hydrating", NEW), Verdict::Progressing),
        (OLD, phase("Hydrating", OLD), Verdict::Stuck),
        (OLD, phase("Failed", NEW), Verdict::Failed),
        (OLD, phase("Frobnicated", NEW), Verdict::Unknown),
        (NEW, json!(null), Verdict::Progressing),
        (OLD, json!(null), Verdict::Unknown),
    ] {
        let judgement = judge(&hydrated(created, status.clone()));
        assert_eq!(judgement.verdict, expected, "{status}: {judgement:?}");
    }
    // The branch is what is compared.
    let mut other = hydrated(OLD, phase("Hydrated", OLD));
    other["spec"]["sourceHydrator"]["syncSource"]["targetBranch"] = json!("env/new");
    assert_eq!(judge(&other).verdict, Verdict::Progressing);
}

#[test]
fn conditions_are_ranked_by_their_recovery() {
    let refused = "Failed to load target state: failed to generate manifest for source 1 of 1: rpc error: code = \
                   Unavailable desc = connection error: dial tcp 10.0.0.1:8081: connect: connection refused";
    let timeout = "rpc error: code = DeadlineExceeded desc = context deadline exceeded";
    let name = "failed to list refs: Get \"https://git.example.org\": dial tcp: lookup git.example.org: no such host";
    let path = "rpc error: code = Unknown desc = shop: app path does not exist";
    let password = "failed to list refs: authentication required";
    let cached = "rpc error: code = Unknown desc = Manifest generation error (cached): `git fetch` failed exit status 128: \
                  fatal: unable to access 'https://git.example.org/apps/': Could not resolve host: git.example.org";
    let chart = "rpc error: code = Unknown desc = Manifest generation error (cached): `helm dependency build` failed: \
                 failed to fetch https://charts.example.org/a.tgz : 500 Internal Server Error";
    for (kind, message, since, expected) in [
        ("ComparisonError", cached, NEW, Verdict::Progressing),
        ("ComparisonError", cached, OLD, Verdict::Failed),
        ("ComparisonError", chart, NEW, Verdict::Progressing),
        ("ComparisonError", refused, NEW, Verdict::Progressing),
        ("ComparisonError", timeout, NEW, Verdict::Progressing),
        ("ComparisonError", name, NEW, Verdict::Progressing),
        ("ComparisonError", refused, OLD, Verdict::Failed),
        ("ComparisonError", path, NEW, Verdict::Failed),
        ("ComparisonError", password, NEW, Verdict::Failed),
        ("InvalidSpecError", name, NEW, Verdict::Failed),
        ("SyncError", refused, NEW, Verdict::Failed),
        ("SomethingOdd", "what?", NEW, Verdict::Unknown),
    ] {
        let sync = if kind == "SomethingOdd" { "Synced" } else { "Unknown" };
        let conditions = json!([{"type": kind, "message": message, "lastTransitionTime": since}]);
        for health in ["Healthy", "Unknown"].iter().filter(|health| **health == "Healthy" || sync == "Unknown") {
            let health = json!({"status": health, "lastTransitionTime": since});
            let object = with(
                OLD,
                &[
                    ("/status/conditions", conditions.clone()),
                    ("/status/sync/status", json!(sync)),
                    ("/status/health", health),
                ],
            );
            let judgement = judge(&object);
            assert_eq!(judgement.verdict, expected, "{kind} {message} {since}: {judgement:?}");
            assert!(judgement.message.is_some_and(|said| said.contains(kind)), "{kind}");
        }
    }
    // A message that changes at each attempt.
    let object = with(
        OLD,
        &[
            ("/status/conditions", json!([{"type": "ComparisonError", "message": refused, "lastTransitionTime": NEW}])),
            ("/status/sync/status", json!("Unknown")),
            ("/status/health/status", json!("Unknown")),
        ],
    );
    assert_eq!(judge(&object).verdict, Verdict::Failed);
}

#[test]
fn an_application_waits_for_its_first_sync_for_a_few_comparisons() {
    let (automatic, manual) = (json!({"automated": {}}), json!({}));
    let done = |phase: &str| json!({"phase": phase, "startedAt": NEW, "finishedAt": "2026-11-23T19:59:30Z"});
    let minutes = |minutes: u64| Some(Duration::from_secs(minutes * 60));
    for (created, policy, operation, interval, expected) in [
        (NEW, &automatic, json!(null), None, Verdict::Progressing),
        (NEW, &manual, json!(null), None, Verdict::Failed),
        (OLD, &automatic, json!(null), None, Verdict::Failed),
        ("2026-11-23T19:50:00Z", &automatic, json!(null), None, Verdict::Failed),
        ("2026-11-23T19:50:00Z", &automatic, json!(null), minutes(10), Verdict::Progressing),
        (OLD, &automatic, json!({"phase": "Running", "startedAt": NEW}), None, Verdict::Progressing),
        (OLD, &automatic, done("Succeeded"), None, Verdict::Progressing),
        (OLD, &automatic, done("Failed"), None, Verdict::Failed),
    ] {
        let object = with(
            created,
            &[
                ("/spec/syncPolicy", policy.clone()),
                ("/status/operationState", operation.clone()),
                ("/status/health/status", json!("Missing")),
                ("/status/sync/status", json!("OutOfSync")),
            ],
        );
        let judgement = judge_every(&object, interval);
        assert_eq!(judgement.verdict, expected, "{created} {policy} {operation}: {judgement:?}");
        assert!(expected == Verdict::Failed || judgement.problems.is_empty(), "{judgement:?}");
    }
}
