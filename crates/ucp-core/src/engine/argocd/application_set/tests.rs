//! Verdicts for ApplicationSets by their conditions, steps, and Applications.

use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeSeed as _;
use serde_json::{Value, json};

use super::*;
use crate::engine::any::mutations::visit;
use crate::engine::argocd::settings::GROUP;
use crate::model::body::BodyShape;
use crate::model::kind::ResourceKind;
use crate::model::seed::ResourceSeed;

const OLD: &str = "2026-11-20T09:00:00Z";
const NEW: &str = "2026-11-23T19:58:00Z";
const REFUSED: &str = "error getting directories: rpc error: code = Unavailable desc = connection error: desc = \
                       \"transport: Error while dialing: dial tcp 10.0.0.1:8081: connect: connection refused\"";

fn clock() -> AssessmentClock {
    AssessmentClock {
        now: "2026-11-23T20:00:00Z".parse().unwrap(),
        stuck_after: Duration::from_secs(900),
        comparison_interval: None,
    }
}

fn read(kind: &str, shape: BodyShape, object: &Value) -> Resource {
    let kind = Arc::new(ResourceKind::guess(GROUP, kind));
    ResourceSeed { kind: &kind, shape }.deserialize(object).unwrap()
}

fn condition(kind: &str, status: &str, reason: &str, message: &str, since: &str) -> Value {
    json!({"type": kind, "status": status, "reason": reason, "message": message, "lastTransitionTime": since})
}

fn healthy() -> Vec<Value> {
    let reported = "All applications have been generated successfully";
    vec![
        condition("ErrorOccurred", "False", "ApplicationSetUpToDate", reported, OLD),
        condition("ParametersGenerated", "True", "ParametersGenerated", "Successfully generated parameters", OLD),
        condition("ResourcesUpToDate", "True", "ApplicationSetUpToDate", reported, OLD),
        condition("RolloutProgressing", "False", "ApplicationSetRolloutComplete", "Rollout has completed", OLD),
    ]
}

/// Returns healthy conditions with some of them replaced or added.
fn with(changes: Vec<Value>) -> Value {
    let is_changed = |known: &Value| changes.iter().any(|change| change["type"] == known["type"]);
    let kept: Vec<Value> = healthy().into_iter().filter(|known| !is_changed(known)).collect();
    json!({"conditions": kept.into_iter().chain(changes).collect::<Vec<_>>()})
}

fn object(status: &Value) -> Value {
    json!({
        "metadata": {"name": "s", "namespace": "argocd", "generation": 3, "creationTimestamp": OLD},
        "spec": {"generators": []}, "status": status,
    })
}

fn judge_status(status: &Value) -> Judgement {
    let resource = read("ApplicationSet", BodyShape::ApplicationSet, &object(status));
    let Body::ApplicationSet(set) = &resource.body else { panic!("no ApplicationSet") };
    judge(&resource, set, &clock())
}

#[test]
fn only_a_closed_set_of_conditions_is_good() {
    let status = |kind: &str, status: &str, reason: &str, message: &str, since: &str| {
        with(vec![condition(kind, status, reason, message, since)])
    };
    let up_to_date = |status_word: &str, since: &str| status(UP_TO_DATE, status_word, "", "", since);
    for (status, expected) in [
        (with(Vec::new()), Verdict::Ok),
        (status("ErrorOccurred", "True", "RenderTemplateParamsError", "map has no entry", OLD), Verdict::Failed),
        (status("ErrorOccurred", "Unknown", "", "", OLD), Verdict::Unknown),
        (status("ErrorOccurred", "False", "UpdateApplicationError", "", OLD), Verdict::Unknown),
        (status("ParametersGenerated", "False", "ErrorOccurred", "could not list repositories", OLD), Verdict::Failed),
        (status("ParametersGenerated", "Unknown", "", "", OLD), Verdict::Unknown),
        (up_to_date("False", OLD), Verdict::Failed),
        (up_to_date("False", NEW), Verdict::Progressing),
        (up_to_date("Unknown", OLD), Verdict::Unknown),
        (status(UP_TO_DATE, "False", "UpdateApplicationError", "no", NEW), Verdict::Failed),
        (status(ROLLOUT, "True", "ApplicationSetModified", "step 2", NEW), Verdict::Progressing),
        (status(ROLLOUT, "True", "ApplicationSetModified", "step 2", OLD), Verdict::Stuck),
        (status(ROLLOUT, "Unknown", "", "", OLD), Verdict::Unknown),
        (status("QuotaExceeded", "True", "", "only 100 of 500 were generated", OLD), Verdict::Failed),
        (status("Frobnicated", "True", "", "", OLD), Verdict::Unknown),
        (status("Frobnicated", "False", "", "", OLD), Verdict::Unknown),
        // Errors that the next attempt may fix, until it has failed for a while.
        (status("ErrorOccurred", "True", "ErrorOccurred", REFUSED, NEW), Verdict::Progressing),
        (status("ErrorOccurred", "True", "ErrorOccurred", REFUSED, OLD), Verdict::Failed),
        (status("ErrorOccurred", "True", "ErrorOccurred", "authentication required", NEW), Verdict::Failed),
        (json!({"conditions": [healthy()[0].clone()]}), Verdict::Unknown),
        (json!({}), Verdict::Unknown),
    ] {
        let judgement = judge_status(&status);
        assert_eq!(judgement.verdict, expected, "{status:#}: {judgement:?}");
        assert!(expected == Verdict::Ok || judgement.message.is_some_and(|message| !message.is_empty()), "{status:#}");
    }
    let unknown = judge_status(&with(vec![condition("Frobnicated", "True", "Odd", "what?", OLD)]));
    assert_eq!(unknown.message.unwrap(), "Frobnicated is True: Odd: what?");
}

#[test]
fn steps_applications_and_generations_count() {
    let with_field = |field: &str, value: Value| {
        let mut status = with(Vec::new());
        status[field] = value;
        status
    };
    let step = |status: &str, since: &str| {
        with_field("applicationStatus", json!([{"application": "z", "status": status, "lastTransitionTime": since}]))
    };
    let listed = |sync: &str, health: Value| {
        with_field("resources", json!([{"kind": "Application", "name": "z", "status": sync, "health": health}]))
    };
    let mut seen = with(Vec::new());
    seen["conditions"][0]["observedGeneration"] = json!(1);
    for (status, expected) in [
        (step("Healthy", OLD), Verdict::Ok),
        (step("Waiting", NEW), Verdict::Progressing),
        (step("Pending", OLD), Verdict::Stuck),
        (step("Frobnicated", NEW), Verdict::Unknown),
        (listed("Synced", json!({"status": "Healthy"})), Verdict::Ok),
        (listed("OutOfSync", json!(null)), Verdict::Ok),
        (listed("Synced", json!({"status": "Degraded"})), Verdict::Unknown),
        (listed("OutOfSync", json!({"status": "Missing"})), Verdict::Unknown),
        (listed("Unknown", json!({"status": "Healthy"})), Verdict::Unknown),
        (listed("Synced", json!({"status": "Progressing"})), Verdict::Progressing),
        (with_field("health", json!({"status": "Healthy"})), Verdict::Ok),
        (with_field("health", json!({"status": "Degraded"})), Verdict::Failed),
        (with_field("health", json!({"status": "Unknown"})), Verdict::Unknown),
        (with_field("observedGeneration", json!(3)), Verdict::Ok),
        (with_field("observedGeneration", json!(2)), Verdict::Progressing),
        (seen, Verdict::Progressing),
    ] {
        let judgement = judge_status(&status);
        assert_eq!(judgement.verdict, expected, "{status:#}: {judgement:?}");
    }
}

#[test]
fn an_application_that_was_read_has_precedence_over_an_old_list() {
    let mut status = with(Vec::new());
    status["resources"] = json!([{"kind": "Application", "namespace": "argocd", "name": "z", "status": "OutOfSync",
                                  "health": {"status": "Missing"}}]);
    let set = read("ApplicationSet", BodyShape::ApplicationSet, &object(&status));
    for (health, expected) in [("Healthy", Verdict::Ok), ("Degraded", Verdict::Unknown)] {
        let application = read(
            "Application",
            BodyShape::Application,
            &json!({
                "metadata": {"name": "z", "namespace": "argocd"},
                "status": {"sync": {"status": "Synced"}, "health": {"status": health}},
            }),
        );
        let mut judged: Vec<JudgedObject<'_>> = [&set, &application]
            .into_iter()
            .enumerate()
            .map(|(node, resource)| JudgedObject { resource, node, engine: "Argo CD", judgement: Judgement::ok(None) })
            .collect();
        reconsider(&mut judged, &clock());
        assert_eq!(judged[0].judgement.verdict, expected, "{health}");
    }
}

#[test]
fn no_mutation_of_a_healthy_set_is_ok() {
    let mut status = with(Vec::new());
    status["health"] = json!({"status": "Healthy"});
    status["applicationStatus"] = json!([{"application": "z", "status": "Healthy", "step": "1"}]);
    status["resources"] = json!([{"name": "z", "status": "Synced", "health": {"status": "Healthy"}}]);
    assert_eq!(judge_status(&status).verdict, Verdict::Ok);
    let mut places = Vec::new();
    visit("", &status, &mut |pointer, value| {
        let key = pointer.rsplit('/').next().unwrap_or_default();
        if value.is_string() && ["status", "type", "reason"].contains(&key) {
            places.push(pointer.to_owned());
        }
    });
    assert!(places.len() > 12, "{places:?}");
    for place in places {
        for word in ["Frobnicated", "InstallFailed"] {
            let mut changed = status.clone();
            *changed.pointer_mut(&place).unwrap() = json!(word);
            // An unknown reason, and a failure that did not happen.
            let is_free = place.ends_with("/reason") && word == "Frobnicated"
                || place.ends_with("/type") && word == "InstallFailed";
            assert!(is_free || judge_status(&changed).verdict != Verdict::Ok, "{place}: {word}");
        }
    }
}
