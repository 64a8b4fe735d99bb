//! Property test: a healthy object of Flux, Argo CD, or Crossplane, as a real engine wrote it, is no longer judged OK
//! after any state in its status was made worse.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize as _;
use serde::de::DeserializeSeed as _;
use serde_json::{Value, json};

use super::any::mutations::visit;
use super::engines::engine_of;
use super::judgement::AssessmentClock;
use crate::model::kind::ResourceKind;
use crate::model::seed::ResourceSeed;
use crate::model::verdict::Verdict;

/// Fields that may change without an effect on the verdict, with the reason. A path ends with `.` if everything below it
/// may change.
const FREE: &[(&str, &str, &str)] = &[
    ("Application", "history.", "past syncs"),
    ("Application", "resources.", "Argo CD summarizes its resources in status.health and status.sync"),
    ("Application", "operationState.phase", "a failed sync is over once Git and the cluster are in sync"),
    ("Application", "operationState.syncResult.", "the phase of the operation summarizes the results"),
    ("Application", "operationState.operation.", "the request of a sync that has ended"),
    ("Application", "resourceHealthSource", "where Argo CD keeps the health of resources"),
    ("Application", "sync.comparedTo.", "compared with spec by a test of its own"),
    ("Application", "sourceHydrator.", "compared with spec by a test of its own"),
    ("Object", "atProvider.", "the observed manifest, for which the conditions speak"),
];

/// A status with one change.
struct EngineMutation {
    change: &'static str,
    path: String,
    object: Value,
}

fn verdict_of(object: &Value) -> Option<Verdict> {
    let api_version = object["apiVersion"].as_str()?;
    let group = api_version.split_once('/').map_or("", |(group, _)| group);
    let mut kind = ResourceKind::guess(group, object["kind"].as_str()?);
    // As their definitions declare.
    match kind.kind.as_str() {
        "Object" => kind.categories = BTreeSet::from(["managed".to_owned()]),
        "Box" => kind.categories = BTreeSet::from(["composite".to_owned()]),
        _ => {}
    }
    let kind = Arc::new(kind);
    let engine = engine_of(&kind)?;
    let shape = engine.want(&kind)?.shape;
    let resource = ResourceSeed { kind: &kind, shape }.deserialize(object).ok()?;
    let now = "2026-11-23T12:00:00Z".parse().ok()?;
    // Only the changes count, and not the age of the recording.
    let (stuck_after, comparison_interval) = (Duration::from_secs(900), Some(Duration::ZERO));
    let clock = AssessmentClock { now, stuck_after, comparison_interval };
    engine.judge(&resource, &clock).map(|judgement| judgement.verdict)
}

fn mutations(object: &Value) -> Vec<EngineMutation> {
    let mut found = Vec::new();
    let mut add = |change: &'static str, pointer: &str, value: Value, generation: Option<i64>| {
        let mut object = object.clone();
        let Some(place) = object.pointer_mut(pointer) else { return };
        *place = value;
        if let Some(generation) = generation {
            object["metadata"]["generation"] = json!(generation);
        }
        let path = pointer.strip_prefix("/status/").unwrap_or_default().replace('/', ".");
        found.push(EngineMutation { change, path, object });
    };
    visit("/status", &object["status"], &mut |pointer, value| {
        let key = pointer.rsplit('/').next().unwrap_or_default();
        let is_condition = pointer.rsplit('/').nth(2) == Some("conditions");
        match value {
            Value::String(_) if is_condition && key == "status" => {
                add("false", pointer, json!("False"), None);
                add("unknown", pointer, json!("Unknown"), None);
            }
            Value::String(_) if is_condition && key == "reason" => {
                add("bad reason", pointer, json!("InstallFailed"), None)
            }
            Value::String(_) if ["phase", "status", "health"].contains(&key) => {
                add("unknown word", pointer, json!("Frobnicated"), None);
                add("bad word", pointer, json!("Failed"), None);
            }
            Value::Number(number) if key == "observedGeneration" => {
                add("older generation", pointer, value.clone(), number.as_i64().map(|seen| seen + 1));
            }
            Value::Array(items) if key == "conditions" => {
                for (kind, status, reason) in [
                    ("StoreSynced", "False", "AccessDenied"),
                    ("StoreSynced", "Unknown", ""),
                    ("Frobnicated", "True", "Frobnication"),
                ] {
                    let mut items = items.clone();
                    items.push(json!({"type": kind, "status": status, "reason": reason, "lastTransitionTime": "2026-11-23T11:00:00Z"}));
                    add("sibling", pointer, items.into(), None);
                }
            }
            _ => {}
        }
    });
    found
}

fn reason_to_be_free(kind: &str, path: &str) -> Option<&'static str> {
    let is_meant = |free: &str| if free.ends_with('.') { path.starts_with(free) } else { path == free };
    FREE.iter().find(|(of, free, _)| *of == kind && is_meant(free)).map(|(_, _, reason)| *reason)
}

#[test]
fn no_mutation_of_a_healthy_status_of_an_engine_is_ok() {
    let documents: Vec<Value> =
        std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/real/healthy"))
            .unwrap()
            .flat_map(|entry| {
                let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
                serde_saphyr::from_multiple::<Value>(&text).unwrap_or_else(|error| panic!("{error}"))
            })
            .collect();
    let items = documents.iter().flat_map(|document| match document["items"].as_array() {
        Some(items) => items.iter().collect(),
        None => vec![document],
    });
    let (mut kinds, mut number, mut survivors) = (BTreeMap::<String, usize>::new(), 0, Vec::new());
    for item in items.filter(|item| verdict_of(item) == Some(Verdict::Ok)) {
        let kind = String::deserialize(&item["kind"]).unwrap();
        for mutation in mutations(item) {
            number += 1;
            *kinds.entry(kind.clone()).or_default() += 1;
            // An unknown phase has ended nothing.
            let is_free = reason_to_be_free(&kind, &mutation.path).is_some()
                && !(mutation.path == "operationState.phase" && mutation.change == "unknown word");
            if !is_free && verdict_of(&mutation.object) == Some(Verdict::Ok) {
                survivors.push(format!("{kind} {} {}", mutation.change, mutation.path));
            }
        }
    }
    for kind in ["Application", "Kustomization", "GitRepository", "Object", "Box", "Provider"] {
        assert!(kinds.contains_key(kind), "no healthy {kind}: {kinds:?}");
    }
    survivors.sort();
    survivors.dedup();
    assert!(number > 150 && survivors.is_empty(), "{} of {number}:\n{}", survivors.len(), survivors.join("\n"));
}
