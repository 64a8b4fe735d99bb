//! A manifest that owns what was only observed, made of the observation; and what would change outside by it.

use serde_json::{Map, Value, json};

use super::fields::{Zeros, declared};
use super::ordered::Ordered;
use super::schema::Schema;
use super::takeover::Takeover;
use crate::engine::crossplane::policies::{Action, ManagementPolicies};
use crate::model::body::managed::compare_fields;
use crate::model::comparison::{Certainty, Difference};
use crate::model::kind::ResourceKind;
use crate::model::path::Path;
use crate::model::secrecy::secrets_of;

const READ_ONLY: &str = "services.k8s.aws/read-only";
const DELETION_POLICY: &str = "cnrm.cloud.google.com/deletion-policy";

/// Whether an object only looks at what is outside.
pub fn only_observes(takeover: Takeover, object: &Value) -> bool {
    let annotation = |key: &str| object.get("metadata")?.get("annotations")?.get(key)?.as_str();
    match takeover {
        Takeover::Crossplane => {
            let actions: Option<Vec<String>> = object
                .pointer("/spec/managementPolicies")
                .and_then(Value::as_array)
                .map(|actions| actions.iter().filter_map(|action| action.as_str().map(str::to_owned)).collect());
            let policies = ManagementPolicies::of(actions.as_deref());
            ![Action::Create, Action::Update, Action::Delete].into_iter().any(|action| policies.allow(action))
        }
        Takeover::Ack => annotation(READ_ONLY) == Some("true"),
        // It has no such mode: what it would not delete is as good as it gets.
        Takeover::ConfigConnector => annotation(DELETION_POLICY) == Some("abandon"),
    }
}

/// What was observed of what is outside, under the names of the declaration.
pub fn observed(takeover: Takeover, live: &Value) -> Option<&Map<String, Value>> {
    let pointer = match takeover {
        Takeover::Crossplane => "/status/atProvider",
        // The controller writes what it reads into the spec.
        Takeover::Ack | Takeover::ConfigConnector => "/spec",
    };
    live.pointer(pointer).and_then(Value::as_object).filter(|observed| !observed.is_empty())
}

/// The manifest that owns. `manifest` is what Git has, whose other fields are kept; `live` is the object, observed.
///
/// # Errors
/// Why it must not be owned.
pub fn own(takeover: Takeover, manifest: &Value, live: &Value, schema: Schema<'_>) -> Result<Ordered, String> {
    let observed = observed(takeover, live).ok_or("nothing was observed yet")?;
    let way = takeover.declaration();
    let node = schema.at(way).ok_or("its CRD does not say which fields it has")?;
    let zeros = if takeover == Takeover::Crossplane { Zeros::Unset } else { Zeros::Meant };
    let mut fields = declared(node, observed, zeros);
    // What somebody declared is meant: where it is not so, that is a difference, and shown.
    let pointer = format!("/{}", way.join("/"));
    for (name, value) in manifest.pointer(&pointer).and_then(Value::as_object).into_iter().flatten() {
        if !observed.contains_key(name) && takeover == Takeover::Crossplane || value_differs(observed.get(name), value)
        {
            fields.put(name, value.clone().into());
        }
    }
    let required = node.required();
    fields.lead_with(|name| required.contains(name));
    let mut spec = match takeover {
        Takeover::Crossplane => Ordered::of([("forProvider", fields)]),
        Takeover::Ack | Takeover::ConfigConnector => fields,
    };
    if takeover == Takeover::Crossplane {
        let others = manifest.get("spec").and_then(Value::as_object).into_iter().flatten();
        for (name, value) in others.filter(|(name, _)| !["forProvider", "managementPolicies"].contains(&name.as_str()))
        {
            spec.put(name, value.clone().into());
        }
    }
    let object = Ordered::of([
        ("apiVersion", manifest["apiVersion"].clone().into()),
        ("kind", manifest["kind"].clone().into()),
        ("metadata", metadata(manifest)),
        ("spec", spec),
    ]);
    let value = object.to_value();
    if value.pointer("/spec/forProvider/manifest/kind").and_then(Value::as_str) == Some("Secret") {
        return Err("it is a Secret, and the values of Secrets do not belong into Git".to_owned());
    }
    if !secrets_of([&value]).is_empty() {
        return Err("its observed fields hold what looks like a secret, which does not belong into Git".to_owned());
    }
    Ok(object)
}

/// Whether what was declared is not what was observed; a manifest may be declared in part.
fn value_differs(observed: Option<&Value>, declared: &Value) -> bool {
    let Some(observed) = observed else { return false };
    let fields = Map::from_iter([("manifest".to_owned(), declared.clone())]);
    let comparison = compare_fields(&fields, &json!({"manifest": observed}));
    !comparison.differences.is_empty()
}

/// The metadata of what Git has, without the mark by which it only observes.
fn metadata(manifest: &Value) -> Ordered {
    let of = |field: &str| manifest.get("metadata")?.get(field).cloned();
    let mut fields: Vec<(String, Ordered)> = Vec::new();
    for name in ["name", "generateName", "namespace", "labels"] {
        fields.extend(of(name).map(|value| (name.to_owned(), value.into())));
    }
    if let Some(Value::Object(mut annotations)) = of("annotations") {
        annotations.remove(READ_ONLY);
        if !annotations.is_empty() {
            fields.push(("annotations".to_owned(), Value::Object(annotations).into()));
        }
    }
    Ordered::Fields(fields)
}

/// What would change outside if an object became this one: what is declared and was observed otherwise, what the server
/// fills in and nobody observed, and what its provider adds by itself.
pub fn differences(
    takeover: Takeover,
    kind: &ResourceKind,
    after: &Value,
    live: &Value,
    schema: Schema<'_>,
) -> Vec<Difference> {
    if takeover != Takeover::Crossplane {
        return crate::prediction::difference::differences(
            live.get("spec").unwrap_or(&Value::Null),
            after.get("spec").unwrap_or(&Value::Null),
        )
        .into_iter()
        .map(|found| Difference {
            path: Path([Path::of(&["spec"]).0, found.path.0].concat()),
            declared: found.after,
            observed: found.before,
            certainty: Certainty::Certain,
        })
        .collect();
    }
    let nothing = Map::new();
    let of = |object: &'_ Value| object.pointer("/spec/forProvider").and_then(Value::as_object).cloned();
    let (fields, was) = (of(after).unwrap_or_default(), of(live).unwrap_or_default());
    let observed = observed(takeover, live).unwrap_or(&nothing);
    let observation = Value::Object(observed.clone());
    let mut found = compare_fields(&fields, &observation).differences;
    let node = schema.at(takeover.declaration());
    for (name, value) in &fields {
        // Where it is, and what was said while it was observed, was right: it was found by it.
        let is_new = !observed.contains_key(name) && was.get(name) != Some(value);
        let is_default = node.and_then(|node| node.field(name)).is_some_and(|field| field.default() == Some(value));
        let is_reference = crate::model::comparison::Leave::References.covers(name);
        // A setting of the provider's own, such as how it deletes, has a default and is observed by nobody.
        if is_new && !is_default && !is_reference {
            found.push(unobserved(Path::of(&["spec", "forProvider", name]), value.clone()));
        }
    }
    found.extend(own_tags(kind, after, observed, node));
    found
}

fn unobserved(path: Path, value: Value) -> Difference {
    Difference { path, declared: Some(value), observed: None, certainty: Certainty::Suspected }
}

/// upjet's provider for AWS tags what it owns with the kind, the name and the provider config of the object, unless it
/// only observes (its initializer `Tagger`).
fn own_tags(
    kind: &ResourceKind,
    after: &Value,
    observed: &Map<String, Value>,
    node: Option<Schema<'_>>,
) -> Vec<Difference> {
    let is_aws = ["aws.upbound.io", "aws.m.upbound.io"].iter().any(|family| kind.group.ends_with(family));
    let has_tags = node.and_then(|node| node.field("tags")).is_some_and(|tags| tags.kind() == "object");
    if !is_aws || !has_tags {
        return Vec::new();
    }
    let text = |pointer: &str| after.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    let tags = [
        ("crossplane-kind", Some(format!("{}.{}", kind.kind.to_ascii_lowercase(), kind.group))),
        ("crossplane-name", text("/metadata/name")),
        ("crossplane-namespace", text("/metadata/namespace")),
        ("crossplane-providerconfig", text("/spec/providerConfigRef/name")),
    ];
    let is_there =
        |tag: &str, value: &str| observed.get("tags").and_then(|tags| tags.get(tag)?.as_str()) == Some(value);
    tags.into_iter()
        .filter_map(|(tag, value)| Some((tag, value?)))
        .filter(|(tag, value)| !is_there(tag, value))
        .map(|(tag, value)| Difference {
            path: Path::of(&["spec", "forProvider", "tags", tag]),
            declared: Some(Value::String(value)),
            observed: observed.get("tags").and_then(|tags| tags.get(tag)).cloned(),
            certainty: Certainty::Certain,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn schema() -> Value {
        json!({"properties": {"spec": {"properties": {"forProvider": {
            "required": ["region"],
            "properties": {
                "acl": {"type": "string", "default": "private"},
                "region": {"type": "string"},
                "size": {"type": "number"},
                "tags": {"type": "object", "additionalProperties": {"type": "string"}},
            },
        }}}}})
    }

    fn kind(group: &str) -> ResourceKind {
        let categories = BTreeSet::from(["managed".to_owned()]);
        ResourceKind { version: "v1".into(), categories, ..ResourceKind::guess(group, "Bucket") }
    }

    fn live() -> Value {
        json!({
            "apiVersion": "s3.example.org/v1", "kind": "Bucket",
            "metadata": {"name": "logs", "uid": "1", "labels": {"a": "b"}, "annotations": {"crossplane.io/external-name": "l"}},
            "spec": {"managementPolicies": ["Observe"], "forProvider": {"region": "eu"}, "providerConfigRef": {"name": "p"}},
            "status": {"atProvider": {"acl": "private", "arn": "arn:x", "region": "eu", "size": 3, "tags": {"team": "a"}}},
        })
    }

    #[test]
    fn what_was_observed_becomes_what_is_declared() {
        let schema = schema();
        let object = own(Takeover::Crossplane, &live(), &live(), Schema::new(&schema)).unwrap().to_value();
        assert_eq!(
            object["spec"],
            json!({
                "forProvider": {"region": "eu", "size": 3, "tags": {"team": "a"}}, "providerConfigRef": {"name": "p"},
            })
        );
        assert_eq!(object["metadata"]["labels"], json!({"a": "b"}));
        assert!(object["metadata"].get("uid").is_none());
        let none = differences(Takeover::Crossplane, &kind("s3.example.org"), &object, &live(), Schema::new(&schema));
        assert_eq!(none, []);
    }

    #[test]
    fn what_somebody_declared_otherwise_is_a_difference() {
        let schema = schema();
        let mut declared = live();
        declared["spec"]["forProvider"]["size"] = json!(5);
        let object = own(Takeover::Crossplane, &declared, &live(), Schema::new(&schema)).unwrap().to_value();
        assert_eq!(object["spec"]["forProvider"]["size"], 5);
        let found = differences(Takeover::Crossplane, &kind("s3.example.org"), &object, &live(), Schema::new(&schema));
        assert_eq!(found.iter().map(|found| found.path.to_string()).collect::<Vec<_>>(), ["spec.forProvider.size"]);
    }

    #[test]
    fn tags_that_the_provider_adds_are_differences_until_they_are_there() {
        let schema = schema();
        let kind = kind("s3.aws.upbound.io");
        let object = own(Takeover::Crossplane, &live(), &live(), Schema::new(&schema)).unwrap().to_value();
        let found = differences(Takeover::Crossplane, &kind, &object, &live(), Schema::new(&schema));
        let paths: Vec<_> = found.iter().map(|found| found.path.to_string()).collect();
        let tags = ["kind", "name", "providerconfig"].map(|tag| format!("spec.forProvider.tags.crossplane-{tag}"));
        assert_eq!(paths, tags);
        let mut tagged = live();
        tagged["status"]["atProvider"]["tags"] = json!({
            "crossplane-kind": "bucket.s3.aws.upbound.io", "crossplane-name": "logs", "crossplane-providerconfig": "p",
        });
        let object = own(Takeover::Crossplane, &tagged, &tagged, Schema::new(&schema)).unwrap().to_value();
        assert_eq!(differences(Takeover::Crossplane, &kind, &object, &tagged, Schema::new(&schema)), []);
    }

    #[test]
    fn what_the_server_fills_in_and_nobody_observed_is_shown() {
        let schema = schema();
        let mut after = live();
        after["spec"]["forProvider"]["quota"] = json!(7);
        let found = differences(Takeover::Crossplane, &kind("s3.example.org"), &after, &live(), Schema::new(&schema));
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].path.to_string().as_str(), &found[0].observed), ("spec.forProvider.quota", &None));
    }

    #[test]
    fn secrets_stay_where_they_are() {
        let schema = json!({"properties": {"spec": {"properties": {"forProvider": {
            "required": ["manifest"],
            "properties": {"manifest": {"x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true}},
        }}}}});
        let object = |manifest: Value| {
            json!({
                "apiVersion": "k/v1", "kind": "Object", "metadata": {"name": "x"},
                "spec": {"managementPolicies": ["Observe"]}, "status": {"atProvider": {"manifest": manifest}},
            })
        };
        let refused =
            |manifest: Value| own(Takeover::Crossplane, &object(json!({})), &object(manifest), Schema::new(&schema));
        let secret =
            json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}, "data": {"k": "Y2FuYXJ5"}});
        assert!(refused(secret).unwrap_err().contains("Secret"));
        let env =
            json!({"apiVersion": "v1", "kind": "Pod", "spec": {"env": [{"name": "DB_PASSWORD", "value": "canary"}]}});
        let words = refused(env).unwrap_err();
        assert!(words.contains("secret") && !words.contains("canary"), "{words}");
        let config = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "uid": "1", "managedFields": []},
            "data": {"size": "1"}, "status": {},
        });
        let owned = refused(config).unwrap().to_value();
        let manifest =
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"size": "1"}});
        assert_eq!(owned["spec"]["forProvider"]["manifest"], manifest);
    }

    #[test]
    fn who_only_observes_is_known() {
        let with = |actions: Value| json!({"spec": {"managementPolicies": actions}});
        for (actions, observes) in [
            (json!(["Observe"]), true),
            (json!(["Observe", "LateInitialize"]), true),
            (json!(["*"]), false),
            (json!(["Observe", "Update"]), false),
        ] {
            assert_eq!(only_observes(Takeover::Crossplane, &with(actions.clone())), observes, "{actions}");
        }
        assert!(!only_observes(Takeover::Crossplane, &json!({"spec": {}})));
        assert!(only_observes(Takeover::Ack, &json!({"metadata": {"annotations": {READ_ONLY: "true"}}})));
    }
}
