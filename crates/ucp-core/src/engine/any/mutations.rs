//! Property test: a healthy object is no longer judged OK after any value of its status was made worse.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeSeed as _;
use serde_json::{Value, json};

use super::condition::polarity;
use super::convention::{convention_for, meaning_of_running};
use super::judge;
use super::words::tokens;
use crate::engine::judgement::AssessmentClock;
use crate::model::body::{Body, BodyShape};
use crate::model::convention::{ConditionPolarity, RunningMeaning};
use crate::model::kind::ResourceKind;
use crate::model::seed::ResourceSeed;
use crate::model::verdict::Verdict;

/// Returns the reason why a value may change without an effect on the verdict, if there is one.
fn reason_to_be_free(kind: &ResourceKind, mutation: &Mutation) -> Option<&'static str> {
    let convention = convention_for(kind, &[]);
    let fields: Vec<&str> =
        mutation.path.split('.').filter(|field| !field.is_empty() && field.parse::<usize>().is_err()).collect();
    let is_ignored = (1..=fields.len()).any(|number| convention.ignores(&fields[..number].join(".")));
    let is_task = meaning_of_running(convention, &kind.kind) == RunningMeaning::Progress;
    let is_past = fields.iter().any(|field| tokens(field).iter().any(|word| PAST.contains(&word.as_str())));
    let listed = fields.last().filter(|_| fields.len() > 1 && fields.contains(&"conditions"));
    match () {
        () if is_ignored => Some("conventions.yaml lists the field as unrelated to health"),
        () if is_past => Some("it describes the past, or what is desired"),
        () if is_task
            && (fields.len() > 1 || mutation.change.ends_with("part") || OF_STEPS.contains(&mutation.change)) =>
        {
            Some("a task that is complete has no use for its parts any more")
        }
        () if listed.is_some() => Some("conventions.yaml lists the condition as unrelated to health"),
        () if mutation.change == "count" && fields.iter().any(|field| field.contains("Replicas")) => {
            Some("whatever is scaled to zero has no replica")
        }
        () => None,
    }
}

/// Changes of conditions that may be those of a step.
const OF_STEPS: [&str; 2] = ["sibling", "unknown reason"];

/// Words in the names of fields of the past, of parts that may be of the past, and of the desired state.
const PAST: [&str; 6] = ["history", "previous", "revisions", "desired", "target", "spec"];

/// A change of one value of a status.
struct Mutation {
    /// The kind of change.
    change: &'static str,
    /// Path of the changed value, from the status.
    path: String,
    object: Value,
}

#[test]
fn no_mutation_of_a_healthy_status_is_called_ok() {
    let any: Value = serde_saphyr::from_str(include_str!("../../../../../tests/fixtures/any/objects.yaml")).unwrap();
    let known: Value = serde_json::from_str(include_str!("../../../../../tests/fixtures/health/objects.json")).unwrap();
    let vendors: Value =
        serde_json::from_str(include_str!("../../../../../tests/fixtures/health/vendors.json")).unwrap();
    let items = [&any, &known, &vendors].into_iter().flat_map(|list| list["items"].as_array().unwrap());
    let healthy = items.filter(|item| item["status"].as_object().is_some_and(|status| !status.is_empty()));
    let (mut objects, mut number, mut survivors) = (0, 0, Vec::new());
    let mut free: BTreeMap<&str, usize> = BTreeMap::new();
    for item in healthy.filter(|item| verdict_of(item) == Some(Verdict::Ok)) {
        objects += 1;
        let (group, kind) = group_and_kind(item);
        let kind = ResourceKind::guess(&group, &kind);
        for mutation in mutations(item) {
            number += 1;
            if verdict_of(&mutation.object) != Some(Verdict::Ok) {
                continue;
            }
            match reason_to_be_free(&kind, &mutation) {
                Some(reason) => *free.entry(reason).or_insert(0) += 1,
                None => survivors.push(format!(
                    "{}.{group} {} {} ({})",
                    kind.kind, mutation.change, mutation.path, item["metadata"]["name"]
                )),
            }
        }
    }
    println!("{number} mutations of {objects} objects; still OK, with a reason: {free:#?}");
    assert!(objects > 150 && number > 5_000, "{number} mutations of {objects} objects");
    assert!(survivors.is_empty(), "{} of {number}:\n{}", survivors.len(), survivors.join("\n"));
}

fn group_and_kind(object: &Value) -> (String, String) {
    let api_version = object["apiVersion"].as_str().unwrap();
    let group = api_version.split_once('/').map_or("", |(group, _)| group);
    (group.to_owned(), object["kind"].as_str().unwrap().to_owned())
}

/// The verdict by the rules for any kind; `None` for objects that other rules judge.
fn verdict_of(object: &Value) -> Option<Verdict> {
    let (group, kind) = group_and_kind(object);
    let kind = Arc::new(ResourceKind::guess(&group, &kind));
    super::want(&kind).filter(|_| crate::engine::engines::engine_of(&kind).is_none())?;
    let clock = AssessmentClock {
        now: "2026-11-20T09:10:00Z".parse().unwrap(),
        stuck_after: Duration::from_secs(900),
        comparison_interval: None,
    };
    let resource = ResourceSeed { kind: &kind, shape: BodyShape::Any }.deserialize(object).unwrap();
    let Body::Any(any) = &resource.body else { panic!("{object}") };
    Some(judge(&resource, any, &clock, &[]).verdict)
}

/// Returns the object with each change of a value of its status.
fn mutations(object: &Value) -> Vec<Mutation> {
    let (group, kind) = group_and_kind(object);
    let convention = convention_for(&ResourceKind::guess(&group, &kind), &[]);
    let mut found = Vec::new();
    let mut add = |change: &'static str, pointer: &str, value: Value| {
        let part = if change.ends_with("part") { "/extraPart" } else { "" };
        let mut object = object.clone();
        *object.pointer_mut(pointer).unwrap() = value;
        if change == "older generation" {
            object["metadata"]["generation"] = json!(0);
        }
        found.push(Mutation {
            change,
            path: format!("{}{part}", pointer.strip_prefix("/status").unwrap_or_default()).replace('/', "."),
            object,
        });
    };
    visit("/status", &object["status"], &mut |pointer, value| {
        let key = pointer.rsplit('/').next().unwrap_or_default();
        let last = tokens(key).pop().unwrap_or_default();
        match value {
            Value::String(_) if ["phase", "state", "status", "health"].contains(&last.as_str()) => {
                add("unknown word", pointer, json!("Frobnicated"));
                add("share", pointer, json!("1/3 ready"));
                add("bad word", pointer, json!("Failed"));
            }
            Value::Bool(true) if ["ready", "healthy", "available", "synced", "valid"].contains(&last.as_str()) => {
                add("flag", pointer, json!(false));
            }
            Value::Number(_) if key == "observedGeneration" && pointer == "/status/observedGeneration" => {
                add("older generation", pointer, json!(-1));
            }
            Value::Number(_) if key.starts_with("ready") || key.starts_with("available") => {
                add("count", pointer, json!(0));
            }
            Value::Array(items) if last == "conditions" => {
                for (status, reason) in [("False", "AccessDenied"), ("False", "Frobnicated"), ("Unknown", "")] {
                    let mut items = items.clone();
                    items.push(json!({"type": "StoreSynced", "status": status, "reason": reason}));
                    add("sibling", pointer, items.into());
                }
                let mut more = items.clone();
                more.push(json!({"type": "Frobnicated", "status": "True", "reason": "Frobnication"}));
                add("new type", pointer, more.into());
                let is_good = |condition: &Value| {
                    let kind = condition["type"].as_str().unwrap_or_default();
                    let listed = convention.polarity(kind).or_else(|| polarity(kind));
                    condition["status"] == "True" && listed == Some(ConditionPolarity::Good)
                };
                for index in (0..items.len()).filter(|index| is_good(&items[*index])) {
                    let mut items = items.clone();
                    items[index]["reason"] = json!("Frobnicated");
                    add("unknown reason", pointer, items.into());
                }
            }
            Value::Object(fields) if !pointer.contains("conditions") => {
                for (name, part) in [
                    ("failed part", json!({"phase": "Failed"})),
                    ("unready part", json!({"ready": false})),
                    ("unknown part", json!({"state": "Frobnicated"})),
                    ("short part", json!({"desiredWidgets": 3, "readyWidgets": 0})),
                    ("expired part", json!({"notAfter": "2026-01-01T00:00:00Z"})),
                    ("answer of a part", json!({"httpStatus": 500})),
                    ("error of a part", json!({"lastError": "403 forbidden"})),
                    ("errors of a part", json!({"errors": 5})),
                ] {
                    let mut fields = fields.clone();
                    fields.insert("extraPart".to_owned(), part);
                    add(name, pointer, fields.into());
                }
            }
            _ => {}
        }
    });
    found
}

/// Calls a function with every value below a pointer.
pub(in crate::engine) fn visit(pointer: &str, value: &Value, see: &mut impl FnMut(&str, &Value)) {
    see(pointer, value);
    let escape = |key: &str| key.replace('~', "~0").replace('/', "~1");
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(key, value)| visit(&format!("{pointer}/{}", escape(key)), value, see));
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, value)| visit(&format!("{pointer}/{index}"), value, see));
        }
        _ => {}
    }
}
