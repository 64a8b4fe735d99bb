//! Verdicts of objects that are Ready and may be outdated.

use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeSeed as _;
use serde_json::{Value, json};

use crate::engine::assessment::assess;
use crate::engine::judgement::AssessmentClock;
use crate::model::body::BodyShape;
use crate::model::kind::{ResourceKind, ResourceScope};
use crate::model::resource::Resource;
use crate::model::seed::ResourceSeed;
use crate::model::state::{ClusterState, Origin};
use crate::model::verdict::Verdict;

fn source() -> Value {
    json!({
        "apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "GitRepository",
        "metadata": {"name": "fleet", "namespace": "flux-system", "generation": 1},
        "spec": {"interval": "1m", "url": "https://git.example.org/fleet"},
        "status": {
            "observedGeneration": 1,
            "artifact": {"revision": "main@sha1:aaa"},
            "conditions": [
                {
                    "type": "Ready", "status": "True", "reason": "Succeeded",
                    "lastTransitionTime": "2026-11-20T09:00:00Z",
                },
                {
                    "type": "ArtifactInStorage", "status": "True", "reason": "Succeeded",
                    "lastTransitionTime": "2026-11-20T09:00:00Z",
                },
            ],
        },
    })
}

fn kustomization() -> Value {
    json!({
        "apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
        "metadata": {"name": "apps", "namespace": "flux-system", "generation": 1, "annotations": {}},
        "spec": {"suspend": false, "interval": "5m", "sourceRef": {"kind": "GitRepository", "name": "fleet"}},
        "status": {
            "observedGeneration": 1,
            "lastAppliedRevision": "main@sha1:aaa",
            "lastAttemptedRevision": "main@sha1:aaa",
            "lastHandledReconcileAt": "",
            "history": [{
                "digest": "sha256:1", "lastReconciled": "2026-11-23T20:01:00Z",
                "lastReconciledStatus": "ReconciliationSucceeded", "totalReconciliations": 9,
            }],
            "conditions": [{
                "type": "Ready", "status": "True", "reason": "ReconciliationSucceeded", "observedGeneration": 1,
                "lastTransitionTime": "2026-11-20T09:00:00Z",
            }],
        },
    })
}

fn read(object: &Value) -> Resource {
    let group = object["apiVersion"].as_str().unwrap().split('/').next().unwrap();
    let kind = ResourceKind::guess(group, object["kind"].as_str().unwrap());
    let kind = Arc::new(ResourceKind { scope: ResourceScope::Namespaced, ..kind });
    ResourceSeed { kind: &kind, shape: BodyShape::Flux }.deserialize(object).unwrap()
}

/// Returns the verdict of the Kustomization at 20:05, its message, and the number of its problems.
fn judged(source: &Value, kustomization: &Value) -> (Verdict, String, usize) {
    let resources = vec![read(source), read(kustomization)];
    let origin = Origin::Snapshot { path: "flux.yaml".to_owned() };
    let state = ClusterState {
        kinds: resources.iter().map(|resource| Arc::clone(&resource.kind)).collect(),
        resources,
        ..ClusterState::empty(origin, "2026-11-23T20:05:00Z".parse().unwrap())
    };
    let clock = AssessmentClock { now: state.moment, stuck_after: Duration::from_mins(15), comparison_interval: None };
    let assessment = assess(&state, &clock);
    let entry = assessment.judged.iter().find(|entry| entry.resource.kind.kind == "Kustomization").unwrap();
    let message = entry.judgement.message.as_ref().map(|message| message.as_str().to_owned()).unwrap_or_default();
    (entry.judgement.verdict, message, entry.judgement.problems.len())
}

fn with_changes(mut object: Value, changes: &[(&str, Value)]) -> Value {
    for (pointer, value) in changes {
        *object.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer}")) = value.clone();
    }
    object
}

const REASON: &str = "/status/conditions/0/reason";
const ANNOTATIONS: &str = "/metadata/annotations";
const LAST: &str = "/status/history/0/lastReconciled";

fn request(value: &str) -> Value {
    json!({"reconcile.fluxcd.io/requestedAt": value})
}

/// Changed fields by their JSON pointers, the verdict, and a part of the message.
type FreshnessCase<'a> = (&'a [(&'a str, Value)], Verdict, &'a str);

#[test]
fn ready_is_only_ok_if_its_reason_and_its_age_are_known_to_be_good() {
    let handled = "/status/lastHandledReconcileAt";
    let (changed, unobserved) = (("/metadata/generation", json!(3)), ("/status/observedGeneration", json!(null)));
    let unseen = [changed.clone(), unobserved.clone()];
    let unreported = [changed, unobserved, ("/status/conditions/0/observedGeneration", json!(null))];
    let cases: [FreshnessCase<'_>; 14] = [
        (&[], Verdict::Ok, ""),
        (&[(REASON, json!("Succeeded"))], Verdict::Ok, ""),
        (&[(REASON, json!("DependencyNotReady"))], Verdict::Unknown, "with reason DependencyNotReady"),
        (&[(REASON, json!("Frobnicated"))], Verdict::Unknown, "with reason Frobnicated"),
        (&[(REASON, json!("RollbackSucceeded"))], Verdict::Unknown, "with reason RollbackSucceeded"),
        (&unseen, Verdict::Progressing, "latest change"),
        (&unreported, Verdict::Unknown, "does not include the generation"),
        (&[(ANNOTATIONS, request("2026-11-23T20:04:00Z"))], Verdict::Progressing, "requested reconciliation"),
        (&[(ANNOTATIONS, request("2026-11-23T10:00:00Z"))], Verdict::Stuck, "requested reconciliation"),
        (&[(ANNOTATIONS, request("1795428000"))], Verdict::Stuck, "requested reconciliation"),
        (&[(ANNOTATIONS, request("now"))], Verdict::Unknown, "requested reconciliation"),
        (&[(ANNOTATIONS, request("now")), (handled, json!("now"))], Verdict::Ok, ""),
        (&[(LAST, json!("2026-11-01T20:05:00Z"))], Verdict::Unknown, "last reconciled 22d ago, every 5m"),
        (&[(LAST, json!("2026-11-01T20:05:00Z")), ("/spec/suspend", json!(true))], Verdict::Paused, "suspend"),
    ];
    for (changes, verdict, words) in cases {
        let (found, message, problems) = judged(&source(), &with_changes(kustomization(), changes));
        assert_eq!(found, verdict, "{changes:?}: {message}");
        assert!(message.contains(words), "{changes:?}: {message}");
        assert_eq!(problems > 0, [Verdict::Stuck, Verdict::Paused].contains(&verdict), "{changes:?}");
    }
}

#[test]
fn a_revision_that_is_fetched_is_applied_within_a_few_intervals() {
    let (revision, interval) = ("/status/artifact/revision", "/spec/interval");
    let (ready, stored) = ("/status/conditions/0/lastTransitionTime", "/status/conditions/1/lastTransitionTime");
    for (fetched, every, verdict) in [
        ("2026-11-23T20:04:30Z", "5m", Verdict::Progressing),
        ("2026-11-23T19:00:00Z", "5m", Verdict::Stuck),
        ("2026-11-23T19:00:00Z", "1h", Verdict::Progressing),
        ("2026-11-20T09:00:00Z", "1h", Verdict::Stuck),
    ] {
        let changes = [(revision, json!("main@sha1:bbb")), (ready, json!(fetched)), (stored, json!(fetched))];
        let newer = with_changes(source(), &changes);
        let behind = with_changes(kustomization(), &[(interval, json!(every))]);
        let (found, message, problems) = judged(&newer, &behind);
        assert_eq!((found, problems > 0), (verdict, verdict == Verdict::Stuck), "{fetched} {every}: {message}");
        assert!(message.contains("has not applied revision main@sha1:bbb of gitrepository"), "{message}");
        // A Kustomization that was never applied has its own verdict.
        let fresh = with_changes(behind, &[("/status/lastAppliedRevision", json!(null))]);
        assert_eq!(judged(&newer, &fresh).0, Verdict::Ok, "{fetched} {every}");
    }
}

#[test]
fn a_health_check_that_was_only_too_slow_is_repeated() {
    let failed = |state: &str, since: &str| {
        let message =
            format!("health check failed after 1m: timeout waiting for: [Deployment/shop/web status: '{state}']");
        let conditions = json!([{
            "type": "Ready", "status": "False", "reason": "HealthCheckFailed", "message": message,
            "observedGeneration": 1, "lastTransitionTime": since,
        }]);
        with_changes(kustomization(), &[("/status/conditions", conditions), ("/status/history", json!([]))])
    };
    for (state, since, verdict) in [
        ("InProgress", "2026-11-23T20:04:00Z", Verdict::Progressing),
        ("InProgress", "2026-11-23T19:30:00Z", Verdict::Failed),
        ("Failed", "2026-11-23T20:04:00Z", Verdict::Failed),
    ] {
        assert_eq!(judged(&source(), &failed(state, since)).0, verdict, "{state} {since}");
    }
}
