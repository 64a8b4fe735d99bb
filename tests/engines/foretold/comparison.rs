//! Changes of the objects of a cluster, compared with the predictions: in both directions, so that neither may have more.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use ucp_client::prediction::difference::field_changes;

/// Objects by kind, namespace and name, without fields that others than core write.
#[derive(Debug, Clone, PartialEq)]
pub struct Objects(BTreeMap<Key, Value>);

type Key = (String, String, String);

const RESOURCE: &str = "crossplane.io/composition-resource-name";
const COMPOSITE: &str = "crossplane.io/composite";
/// Fields that the API server, controllers of workloads, providers, kubectl and Flux write.
const OF_OTHERS: [&str; 12] = [
    "argocd.argoproj.io/tracking-id",
    "argocd.argoproj.io/refresh",
    "crossplane.io/external-create-pending",
    "crossplane.io/external-create-succeeded",
    "crossplane.io/external-name",
    "crossplane.io/paused",
    "deployment.kubernetes.io/revision",
    "kubectl.kubernetes.io/last-applied-configuration",
    "kubernetes.io/metadata.name",
    "kustomize.toolkit.fluxcd.io/name",
    "kustomize.toolkit.fluxcd.io/namespace",
    "reconcile.fluxcd.io/requestedAt",
];
/// Fields in which core keeps its own records, in composites and claims.
const BOOKS: [&str; 4] = ["compositionRef", "compositionRevisionRef", "resourceRef", "resourceRefs"];

impl Objects {
    pub fn of(objects: Vec<Value>) -> Self {
        let is_ours = |object: &Value| {
            let own = object["apiVersion"]
                .as_str()
                .is_some_and(|version| version.contains("crossplane.io/") || version.contains("example.org/"));
            own || object["metadata"]["labels"].get(COMPOSITE).is_some()
        };
        Self::of_all(objects.into_iter().filter(is_ours).collect())
    }

    /// All of these objects.
    pub fn of_all(objects: Vec<Value>) -> Self {
        Self(objects.into_iter().map(|object| (key(&object["metadata"], &object["kind"]), plain(object))).collect())
    }
}

fn key(named: &Value, kind: &Value) -> Key {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    (text(kind), text(&named["namespace"]), text(&named["name"]))
}

/// An object as its author sees it.
fn plain(mut object: Value) -> Value {
    let own = ["name", "namespace", "generateName", "labels", "annotations"];
    let fields = object.as_object_mut().expect("an object");
    fields.remove("status");
    // A sync that is requested of Argo CD.
    fields.remove("operation");
    if let Some(metadata) = fields.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.retain(|field, _| own.contains(&field.as_str()));
        let name = metadata.get("name").cloned();
        for field in ["labels", "annotations"] {
            let Some(entries) = metadata.get_mut(field).and_then(Value::as_object_mut) else { continue };
            // Core labels a composite with its own name.
            entries.retain(|label, value| {
                !OF_OTHERS.contains(&label.as_str()) && (label != COMPOSITE || Some(&*value) != name.as_ref())
            });
            if entries.is_empty() {
                metadata.remove(field);
            }
        }
    }
    if fields.get("kind").is_some_and(|kind| kind == "Service")
        && let Some(spec) = fields.get_mut("spec").and_then(Value::as_object_mut)
    {
        // The server allocates them.
        spec.retain(|field, _| !["clusterIP", "clusterIPs"].contains(&field.as_str()));
    }
    let is_provided = fields.get("apiVersion").is_some_and(|version| version == "kubernetes.crossplane.io/v1alpha2");
    if let Some(spec) = fields.get_mut("spec").and_then(Value::as_object_mut) {
        without_books(spec);
        if is_provided {
            // provider-kubernetes writes its default when it first looks at an Object.
            spec.remove("readiness");
        }
        if let Some(machinery) = spec.get_mut("crossplane").and_then(Value::as_object_mut) {
            without_books(machinery);
        }
    }
    object
}

fn without_books(fields: &mut Map<String, Value>) {
    fields.retain(|name, _| !BOOKS.contains(&name.as_str()));
}

/// Every predicted item: of Git's own objects, and of resources of composites.
fn items(plan: &Value) -> impl Iterator<Item = (Option<&Value>, &Value)> {
    let own = plan["items"].as_array().into_iter().flatten().map(|item| (None, item));
    let composites = plan["composites"].as_array().into_iter().flatten();
    own.chain(composites.flat_map(|composite| {
        composite["items"].as_array().into_iter().flatten().map(move |item| (Some(composite), item))
    }))
}

/// The number of predicted objects.
pub fn number(plan: &Value) -> usize {
    items(plan).count()
}

/// All differences between two states: the objects before and after.
type Changes<'a> = BTreeMap<&'a Key, (Option<&'a Value>, Option<&'a Value>)>;

/// Changes that were not predicted, and predictions that did not happen, in words.
pub fn unpredicted(before: &Objects, after: &Objects, plan: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest: Changes<'_> = BTreeMap::new();
    for key in before.0.keys().chain(after.0.keys()) {
        let states = (before.0.get(key), after.0.get(key));
        if states.0 != states.1 {
            rest.insert(key, states);
        }
    }
    let remarks = plan["remarks"].as_array().into_iter().flatten();
    let remarks: Vec<&Value> = remarks.filter(|one| one["remark"].as_str().is_some_and(waits)).collect();
    for (composite, item) in items(plan) {
        // Objects that stay, and objects that the server rejects, are left for the rest: they may not change.
        let waits = remarks.iter().any(|remark| remark["object"] == item["deployedBy"]);
        if item["action"] != "abandon" && item["check"] != "rejected" && !waits {
            found.extend(differences_of_item(&mut rest, composite, item));
        }
    }
    let nothing = json!({});
    for (key, (old, new)) in rest {
        if is_hook(key, plan) {
            continue;
        }
        let real = real(old.unwrap_or(&nothing), new.unwrap_or(&nothing), false);
        if !real.is_empty() && !is_of_claim(new.or(old), plan) {
            found.push(format!("was not predicted: {key:?} {real:?}"));
        }
    }
    found
}

/// Returns true if a remark names an object as a hook, which is not compared.
fn is_hook((_, _, name): &Key, plan: &Value) -> bool {
    let mut remarks = plan["remarks"].as_array().into_iter().flatten().filter_map(|one| one["remark"].as_str());
    remarks.any(|remark| remark.contains("hooks") && remark.contains(&format!("/{name}")))
}

/// Returns true if a remark is that a deployer waits.
fn waits(remark: &str) -> bool {
    remark.starts_with("nothing changes until")
}

/// Differences from the prediction of one item. Changes that it explains are removed from the rest.
fn differences_of_item(rest: &mut Changes<'_>, composite: Option<&Value>, item: &Value) -> Vec<String> {
    let name = key(&item["object"], &item["object"]["kind"]);
    let action = item["action"].as_str().unwrap_or_default();
    let known = rest.keys().find(|known| ***known == name).copied();
    let by_part = || {
        let composite = composite?;
        rest.iter().find(|(_, states)| is_new_part(states, composite, item)).map(|(key, _)| *key)
    };
    let Some(happened) = known.or_else(by_part) else {
        // A change in core's own records alone is no change.
        let is_nothing = action == "change" && predicted_fields(item).is_empty();
        return if is_nothing {
            Vec::new()
        } else {
            vec![format!("did not happen: {action} {name:?} {}", item["differences"])]
        };
    };
    match (action, rest.remove(happened).unwrap_or_default()) {
        ("add", (None, Some(new))) => {
            let (expected, new) = (plain(whole(item)), new.clone());
            let (expected, new) = if known.is_some() { (expected, new) } else { (nameless(expected), nameless(new)) };
            let real = real(&expected, &new, item["object"]["kind"] == "Secret");
            let is_shown = |(_, pair): &(&String, &Value)| **pair != json!(["hidden", "hidden"]);
            let wrong: Vec<_> = real.iter().filter(is_shown).collect();
            if wrong.is_empty() { Vec::new() } else { vec![format!("{name:?}: predicted, and real: {wrong:?}")] }
        }
        ("change", (Some(old), Some(new))) => {
            let (expected, real) = (predicted_fields(item), real(old, new, is_secret(item)));
            if expected == real { Vec::new() } else { vec![format!("{name:?}: predicted {expected:?}, but {real:?}")] }
        }
        ("remove", (Some(_), None)) => {
            // Its resources are deleted with it.
            let parts = item["composed"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|part| key(&part["object"], &part["object"]["kind"]));
            let parts: Vec<Key> = parts.collect();
            let stays: Vec<&Key> =
                parts.iter().filter(|part| !matches!(rest.get(part), Some((Some(_), None)))).collect();
            let wrong: Vec<String> = stays.iter().map(|part| format!("did not go with {name:?}: {part:?}")).collect();
            rest.retain(|known, _| !parts.contains(known));
            wrong
        }
        (action, (old, new)) => vec![format!(
            "{name:?}: {action} was predicted, but it was {} and is {}",
            if old.is_some() { "there" } else { "not there" },
            if new.is_some() { "there" } else { "not there" },
        )],
    }
}

/// Returns true if an object is the composite of a claim, which is predicted with the claim.
fn is_of_claim(object: Option<&Value>, plan: &Value) -> bool {
    let claim = object.map_or(&Value::Null, |object| &object["spec"]["claimRef"]["name"]);
    let composites = plan["composites"].as_array().into_iter().flatten();
    claim.is_string() && composites.into_iter().any(|composite| composite["claim"]["name"] == *claim)
}

/// A new object that is this part of this composite, whatever it is called.
fn is_new_part((old, new): &(Option<&Value>, Option<&Value>), composite: &Value, item: &Value) -> bool {
    let (None, Some(new)) = (old, new) else { return false };
    let metadata = &new["metadata"];
    let label = metadata["labels"][COMPOSITE].as_str().unwrap_or_default();
    let owner = composite["object"]["name"].as_str().unwrap_or_default();
    // The name of a new composite ends with something random, too.
    let begins = owner.rsplit_once('-').map_or(owner, |(begins, _)| begins);
    let is_owned = label == owner || composite["nameIsFinal"] == false && label.starts_with(begins);
    is_owned && metadata["annotations"][RESOURCE] == item["resource"] && new["kind"] == item["object"]["kind"]
}

fn is_secret(item: &Value) -> bool {
    item["object"]["kind"] == "Secret"
}

/// The predicted content of a new object.
fn whole(item: &Value) -> Value {
    let differences = item["differences"].as_array().into_iter().flatten();
    Value::Object(
        differences.map(|one| (one["path"].as_str().unwrap_or_default().to_owned(), one["after"].clone())).collect(),
    )
}

/// Without names that are generated on creation, and values that depend on them.
fn nameless(mut object: Value) -> Value {
    if let Some(metadata) = object["metadata"].as_object_mut() {
        metadata.retain(|field, _| !["name", "generateName"].contains(&field.as_str()));
        if let Some(labels) = metadata.get_mut("labels").and_then(Value::as_object_mut) {
            labels.remove(COMPOSITE);
        }
    }
    object
}

/// Predicted fields with their values, without those of others.
fn predicted_fields(item: &Value) -> BTreeMap<String, Value> {
    let differences = item["differences"].as_array().into_iter().flatten();
    differences
        .map(|one| (one["path"].as_str().unwrap_or_default().to_owned(), pair(one, is_secret(item))))
        .filter(|(path, _)| !is_of_others(path))
        .collect()
}

fn is_of_others(path: &str) -> bool {
    let last = path.rsplit('.').next().unwrap_or_default();
    let books = BOOKS
        .iter()
        .any(|name| path.starts_with(&format!("spec.{name}")) || path.starts_with(&format!("spec.crossplane.{name}")));
    books
        || OF_OTHERS.iter().any(|name| path.ends_with(&format!("['{name}']")))
        || path.starts_with("metadata.") && ["finalizers", "ownerReferences"].contains(&last)
}

fn real(old: &Value, new: &Value, is_secret: bool) -> BTreeMap<String, Value> {
    field_changes(old, new)
        .into_iter()
        .map(|difference| {
            let one = json!(difference);
            (difference.path.to_string(), pair(&one, is_secret))
        })
        .collect()
}

fn pair(difference: &Value, is_secret: bool) -> Value {
    let shown = |field: &str| match difference.get(field) {
        Some(_) if is_secret => json!("hidden"),
        Some(value) => value.clone(),
        None => Value::Null,
    };
    json!([shown("before"), shown("after")])
}
