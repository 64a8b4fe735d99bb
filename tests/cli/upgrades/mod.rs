//! `doctor --crds` and `--package`: a real API server gets the new definitions, and its effects on objects match the
//! predictions.

mod activation;
mod generator;
mod mutation;
mod report;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, DynamicObject, Patch, PatchParams, PostParams};
use kube::core::{ApiResource, GroupVersionKind};
use serde_json::{Value, json};

use ucp_core::model::body::definition::CustomResourceDefinition as Installed;
use ucp_core::model::expression::RulePatience;
use ucp_core::model::kind::ResourceScope;
use ucp_features::schema::{SchemaNode, schema_in};
use ucp_features::upgrade::definition::NewDefinition;
use ucp_features::upgrade::effects::SchemaEffects;

use crate::support::{self, Cluster, Options};

/// Names a directory of pairs of real releases: `PAIR/old/*.yaml` and `PAIR/new/*.yaml`.
const PAIRS: &str = "UCP_UPGRADE_PAIRS";

/// Returns a cluster of these tests alone: they replace definitions.
fn upgraded_cluster() -> Option<&'static Cluster> {
    static CLUSTER: OnceLock<Option<Cluster>> = OnceLock::new();
    CLUSTER.get_or_init(|| support::start(Options::named("upgrades"))).as_ref()
}

/// Predictions and the results of the server.
#[derive(Debug, Default)]
struct Score {
    objects: usize,
    changed: usize,
    refused: usize,
    /// Objects with content that differs from the prediction.
    wrong_content: Vec<String>,
    /// Objects that were refused, and not predicted to be.
    missed: Vec<String>,
    /// Objects that were predicted to be refused, and were not.
    false_alarms: Vec<String>,
    /// Objects with a clause that was not evaluated.
    unknown: usize,
    /// Definitions that the server refused, as predicted.
    refused_definitions: usize,
}

impl Score {
    fn add(&mut self, other: Self) {
        self.objects += other.objects;
        self.changed += other.changed;
        self.refused += other.refused;
        self.wrong_content.extend(other.wrong_content);
        self.missed.extend(other.missed);
        self.false_alarms.extend(other.false_alarms);
        self.unknown += other.unknown;
        self.refused_definitions += other.refused_definitions;
    }

    fn line(&self) -> String {
        format!(
            "{} definitions refused; {} objects: {} changed, {} refused; {} with other content, {} missed, {} false alarms, \
             {} with unevaluated rules",
            self.refused_definitions,
            self.objects,
            self.changed,
            self.refused,
            self.wrong_content.len(),
            self.missed.len(),
            self.false_alarms.len(),
            self.unknown
        )
    }

    fn is_right(&self) -> bool {
        self.wrong_content.is_empty() && self.missed.is_empty() && self.false_alarms.is_empty()
    }
}

/// Returns a definition with a root field that shows when the server uses it.
fn with_sentinel(crd: &Value) -> Value {
    let mut crd = crd.clone();
    for version in crd["spec"]["versions"].as_array_mut().unwrap() {
        let schema = &mut version["schema"]["openAPIV3Schema"];
        if schema["properties"].is_null() {
            schema["properties"] = json!({});
        }
        schema["properties"]["sentinel"] = json!({"type": "string", "default": "new"});
    }
    crd
}

fn without_sentinel(mut object: Value) -> Value {
    let fields = object.as_object_mut().unwrap();
    ["sentinel", "metadata", "apiVersion", "kind"].iter().for_each(|name| drop(fields.remove(*name)));
    object
}

fn objects_of(client: &kube::Client, crd: &Value, version: &str) -> Api<DynamicObject> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let spec = &crd["spec"];
    let kind = GroupVersionKind::gvk(&text(&spec["group"]), version, &text(&spec["names"]["kind"]));
    let resource = ApiResource::from_gvk_with_plural(&kind, &text(&spec["names"]["plural"]));
    match spec["scope"] == "Namespaced" {
        true => Api::namespaced_with(client.clone(), "default", &resource),
        false => Api::all_with(client.clone(), &resource),
    }
}

async fn install(client: &kube::Client, crd: &Value) -> Result<(), String> {
    let api = Api::<CustomResourceDefinition>::all(client.clone());
    let name = crd["metadata"]["name"].as_str().unwrap();
    let params = PatchParams::apply("tests").force();
    api.patch(name, &params, &Patch::Apply(crd)).await.map(drop).map_err(|error| error.to_string())
}

/// Installs a definition, creates objects, upgrades the definition, and compares. Returns `None` if the server refuses every
/// object, or the new schema as such.
async fn upgrade(cluster: &Cluster, old: &Value, new: &Value, count: usize, seed: u64) -> Option<Score> {
    let client = cluster.client();
    let storage = |crd: &Value| {
        let versions = crd["spec"]["versions"].as_array().unwrap().clone();
        versions.into_iter().find(|version| version["storage"] == true).unwrap()["name"].as_str().unwrap().to_owned()
    };
    let version = storage(old);
    let new = with_sentinel(new);
    install(&client, old).await.ok()?;
    let api = objects_of(&client, old, &version);
    wait_until_served(&api).await;
    let mut random = fastrand::Rng::with_seed(seed);
    let schema = schema_in(old, &version)?.clone();
    let mut names = Vec::new();
    for index in 0..count * 4 {
        if names.len() == count {
            break;
        }
        let Some(mut object) = generator::object(&schema, &mut random, index % 3) else { continue };
        let name = format!("object-{index}");
        object["apiVersion"] = json!(format!("{}/{version}", old["spec"]["group"].as_str().unwrap()));
        object["kind"] = old["spec"]["names"]["kind"].clone();
        object["metadata"] = json!({"name": name});
        let Ok(object) = serde_json::from_value::<DynamicObject>(object) else { continue };
        if api.create(&PostParams::default(), &object).await.is_ok() {
            names.push(name);
        }
    }
    let mut before = BTreeMap::new();
    for name in &names {
        before.insert(name.clone(), serde_json::to_value(api.get(name).await.unwrap()).unwrap());
    }
    let first = names.first()?;
    let definition = NewDefinition::list_from(&new).remove(0);
    let predicted = definition.refusals(&installed_definition(&client, old).await, scope_of(old));
    match (install(&client, &new).await, predicted.is_empty()) {
        (Ok(()), true) => {}
        (Err(_), false) => return Some(Score { refused_definitions: 1, ..Score::default() }),
        (Ok(()), false) => return Some(Score { false_alarms: predicted, ..Score::default() }),
        // A schema that is invalid itself, which no release has.
        (Err(reason), true) if reason.contains("openAPIV3Schema") => return None,
        (Err(reason), true) => return Some(Score { missed: vec![reason], ..Score::default() }),
    }
    let (served, _) = definition.versions_for(&version).ok()?;
    let after = objects_of(&client, &new, &served.name);
    wait_for_generation(&after, first).await;
    let mut score = Score::default();
    for (name, object) in &before {
        let live = serde_json::to_value(after.get(name).await.unwrap()).unwrap();
        score.add(compare(&after, &definition, old, name, object, live).await);
    }
    Some(score)
}

fn scope_of(crd: &Value) -> Option<ResourceScope> {
    Some(if crd["spec"]["scope"] == "Namespaced" { ResourceScope::Namespaced } else { ResourceScope::Cluster })
}

async fn installed_definition(client: &kube::Client, crd: &Value) -> Installed {
    let api = Api::<CustomResourceDefinition>::all(client.clone());
    let live = api.get(crd["metadata"]["name"].as_str().unwrap()).await.unwrap();
    let stored = live.status.and_then(|status| status.stored_versions).unwrap_or_default();
    Installed { kind: live.spec.names.kind, stored, ..Installed::default() }
}

async fn compare(
    api: &Api<DynamicObject>,
    new: &NewDefinition,
    old: &Value,
    name: &str,
    before: &Value,
    live: Value,
) -> Score {
    let read_in = before["apiVersion"].as_str().unwrap().rsplit('/').next().unwrap();
    let (served, _) = new.versions_for(read_in).unwrap();
    let mut predicted = before.clone();
    served.schema().prune(&mut predicted);
    served.schema().fill_in_defaults(&mut predicted);
    let installed = schema_in(old, read_in).map(SchemaNode::new);
    let effects = SchemaEffects::of_upgrade(new, installed, before, &RulePatience::default()).unwrap();
    let mut score = Score { objects: 1, unknown: usize::from(!effects.unchecked.is_empty()), ..Score::default() };
    let (predicted, found) = (without_sentinel(predicted), without_sentinel(live.clone()));
    score.changed += usize::from(found != without_sentinel(before.clone()));
    if predicted != found {
        score.wrong_content.push(format!("{name}: predicted {predicted}, found {found}"));
    }
    let mut copy = live;
    copy["metadata"] = json!({"name": format!("copy-of-{name}")});
    let copy: DynamicObject = serde_json::from_value(copy).unwrap();
    let dry_run = PostParams { dry_run: true, ..PostParams::default() };
    let refusal = api.create(&dry_run, &copy).await.err().map(|error| error.to_string());
    score.refused += usize::from(refusal.is_some());
    match (refusal, effects.invalid.is_empty()) {
        (Some(reason), true) if effects.unchecked.is_empty() => score.missed.push(format!("{name}: {reason}")),
        (None, false) => score.false_alarms.push(format!("{name}: {:?}", effects.invalid)),
        _ => {}
    }
    score
}

async fn wait_until_served(api: &Api<DynamicObject>) {
    for _ in 0..200 {
        if api.list(&kube::api::ListParams::default().limit(1)).await.is_ok() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn wait_for_generation(api: &Api<DynamicObject>, name: &str) {
    for _ in 0..400 {
        if api.get(name).await.is_ok_and(|object| object.data["sentinel"] == "new") {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the server does not use the new definition");
}

/// A definition with every feature of schemas.
fn rich_definition(group: &str) -> Value {
    let text = json!({"type": "string"});
    let spec = json!({"type": "object", "required": ["region"], "properties": {
        "region": text, "zone": {"type": "string", "maxLength": 20}, "count": {"type": "integer", "minimum": 0},
        "ratio": {"type": "number"}, "on": {"type": "boolean"}, "mode": {"type": "string", "enum": ["a", "b"]},
        "port": {"x-kubernetes-int-or-string": true}, "started": {"type": "string", "format": "date-time"},
        "tags": {"type": "object", "additionalProperties": {"type": "string"}},
        "names": {"type": "array", "items": {"type": "string"}},
        "rules": {"type": "array", "items": {"type": "object", "properties": {
            "id": text, "days": {"type": "integer"}, "deep": {"type": "object", "properties": {"a": text, "b": text}},
        }}},
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": {"known": text}},
        "maybe": {"type": "string", "nullable": true},
        "nested": {"type": "object", "properties": {"x": text, "y": {"type": "integer", "default": 3}}},
        "byName": {"type": "object", "additionalProperties": {"type": "object", "properties": {"v": text, "w": text}}},
    }});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("gadgets.{group}")},
        "spec": {"group": group, "scope": "Cluster", "names": {"kind": "Gadget", "plural": "gadgets"}, "versions": [{
            "name": "v1", "served": true, "storage": true,
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                "spec": spec, "status": {"type": "object", "properties": {"phase": text}},
            }}},
        }]},
    })
}

#[test]
fn predictions_match_the_behavior_of_the_server() {
    let Some(cluster) = upgraded_cluster() else {
        return;
    };
    let rounds: u64 = std::env::var("UCP_TRIALS").ok().and_then(|trials| trials.parse().ok()).unwrap_or(12);
    let mut total = Score::default();
    support::run(async || {
        for seed in 0..rounds {
            let group = format!("round{seed}.upgrades.example.org");
            let old = rich_definition(&group);
            let mut random = fastrand::Rng::with_seed(seed);
            let new = mutation::mutated(&old, &mut random);
            if let Some(score) = upgrade(cluster, &old, &new, 12, seed).await {
                assert!(score.is_right(), "seed {seed}: {score:#?}\n{new}");
                total.add(score);
            }
        }
    });
    println!("{}", total.line());
    assert!(total.objects >= 60 && total.changed >= 10 && total.refused >= 10, "{}", total.line());
}

/// Run it with `UCP_UPGRADE_PAIRS=DIRECTORY` and `--nocapture`.
#[test]
#[ignore = "needs the definitions of real releases"]
fn real_releases_are_predicted() {
    let Some(cluster) = upgraded_cluster() else {
        return;
    };
    let directory = std::env::var(PAIRS).expect("UCP_UPGRADE_PAIRS names a directory");
    let mut pairs: Vec<_> = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    pairs.sort();
    support::run(async || {
        for pair in pairs {
            let (old, new) = (definitions(&pair.join("old")), definitions(&pair.join("new")));
            let shared: Vec<&String> = old.keys().filter(|name| new.contains_key(*name)).collect();
            let count = 1000_usize.div_ceil(shared.len().max(1)).max(4);
            let (mut total, mut skipped) = (Score::default(), Vec::new());
            for (index, name) in shared.iter().enumerate() {
                match upgrade(cluster, &old[*name], &new[*name], count, index as u64).await {
                    Some(score) => total.add(score),
                    None => skipped.push((*name).clone()),
                }
            }
            println!("{}: {} definitions, {} skipped: {}", pair.display(), shared.len(), skipped.len(), total.line());
            for wrong in total.wrong_content.iter().chain(&total.missed).chain(&total.false_alarms).take(6) {
                println!("  {wrong:.600}");
            }
        }
    });
}

fn definitions(directory: &Path) -> BTreeMap<String, Value> {
    let mut definitions = BTreeMap::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        for document in yaml_serde::Deserializer::from_str(&text) {
            let Ok(mut crd) = <Value as serde::Deserialize>::deserialize(document) else { continue };
            if crd["kind"] == "CustomResourceDefinition" {
                // No webhook runs here.
                crd["spec"].as_object_mut().unwrap().remove("conversion");
                crd["metadata"] = json!({"name": crd["metadata"]["name"], "annotations": {
                    "api-approved.kubernetes.io": "unapproved, for a test",
                }});
                crd.as_object_mut().unwrap().remove("status");
                definitions.insert(crd["metadata"]["name"].as_str().unwrap().to_owned(), crd);
            }
        }
    }
    definitions
}
