//! Manifests that own resources which were only observed, from the observation and the existing declaration.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::fields::{ObservationReading, merge_declaration};
use super::takeover::ImportMethod;
use crate::schema::SchemaNode;
use ucp_core::engine::crossplane::policies::{ExternalAction, ManagedResourceSettings};
use ucp_core::failure::{Failure, fail};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::secrecy::has_secret;
use ucp_repo::yaml::ordered::OrderedValue;

const READ_ONLY: &str = "services.k8s.aws/read-only";

/// The control that an object has over its external resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ControlMode {
    /// It only observes.
    Observes,
    /// It owns the resource.
    Owns,
    /// Its engine has no mode to only observe. It owns the resource as soon as Git declares it completely.
    ByDeclaration,
}

impl ControlMode {
    /// Returns the control of an object in Git or in a cluster.
    pub fn of_object(takeover: ImportMethod, kind: &ResourceKind, object: &Value) -> Self {
        let observes = match takeover {
            ImportMethod::Crossplane => {
                let declared = ManagedResourceSettings::from_object(kind, object);
                ![ExternalAction::Create, ExternalAction::Update, ExternalAction::Delete]
                    .into_iter()
                    .any(|action| declared.policies().allows(action))
            }
            ImportMethod::Ack => {
                let annotations = object.get("metadata").and_then(|metadata| metadata.get("annotations"));
                annotations.and_then(|annotations| annotations.get(READ_ONLY)?.as_str()) == Some("true")
            }
            ImportMethod::ConfigConnector => return Self::ByDeclaration,
        };
        if observes { Self::Observes } else { Self::Owns }
    }
}

/// Returns the observed fields of the external resource, with the names of the declaration; `None` if there are none.
pub fn observed_fields(takeover: ImportMethod, live: &Value) -> Option<Cow<'_, Map<String, Value>>> {
    let fields = |pointer: &str| live.pointer(pointer).and_then(Value::as_object).filter(|fields| !fields.is_empty());
    match takeover {
        ImportMethod::Crossplane => fields("/status/atProvider").map(Cow::Borrowed),
        // The controller writes its observations to the spec.
        ImportMethod::Ack => fields("/spec").map(Cow::Borrowed),
        // Observations that may not be written to the spec are in the status.
        ImportMethod::ConfigConnector => match (fields("/spec"), fields("/status/observedState")) {
            (Some(spec), Some(state)) => {
                let mut both = state.clone();
                both.extend(spec.iter().map(|(name, value)| (name.clone(), value.clone())));
                Some(Cow::Owned(both))
            }
            (spec, state) => spec.or(state).map(Cow::Borrowed),
        },
    }
}

/// Returns the fields of an object that describe the external resource.
pub fn declared_fields(takeover: ImportMethod, object: &Value) -> Option<&Map<String, Value>> {
    takeover.declaration_path().iter().try_fold(object, |value, name| value.get(name))?.as_object()
}

/// Returns the manifest that owns the resource. `manifest` is the one in Git: all of it is kept except the mark by
/// which it only observes. `live` is the observed object.
///
/// # Errors
/// Fails with the reason why the resource must not be owned.
pub fn own_manifest(
    takeover: ImportMethod,
    manifest: &Value,
    live: &Value,
    schema: SchemaNode<'_>,
) -> Result<OrderedValue, Failure> {
    let observed = observed_fields(takeover, live).ok_or("nothing was observed yet")?;
    let node = schema.field_at(takeover.declaration_path()).ok_or("its CRD does not define its fields")?;
    let nothing = Map::new();
    let said = declared_fields(takeover, manifest).unwrap_or(&nothing);
    let fields = merge_declaration(node, &observed, said, ObservationReading::for_takeover(takeover));
    let mut spec = match takeover {
        ImportMethod::Crossplane => OrderedValue::from_fields([("forProvider", fields)]),
        ImportMethod::Ack | ImportMethod::ConfigConnector => fields,
    };
    if takeover == ImportMethod::Crossplane {
        let others = manifest.get("spec").and_then(Value::as_object).into_iter().flatten();
        for (name, value) in others.filter(|(name, _)| !["forProvider", "managementPolicies"].contains(&name.as_str()))
        {
            spec.put(name, value.clone().into());
        }
    }
    let object = OrderedValue::from_fields([
        ("apiVersion", manifest["apiVersion"].clone().into()),
        ("kind", manifest["kind"].clone().into()),
        ("metadata", own_metadata(manifest)),
        ("spec", spec),
    ]);
    let value = object.to_value();
    if value.pointer("/spec/forProvider/manifest/kind").and_then(Value::as_str) == Some("Secret") {
        return fail!("it is a Secret, and values of Secrets must not be written to Git");
    }
    if has_secret(&value) {
        return Err(
            "its observed fields contain a value that looks like a secret, which must not be written to Git".into()
        );
    }
    Ok(object)
}

/// Returns the metadata of the manifest in Git without the mark by which it only observes, and without the fields that
/// the server writes.
fn own_metadata(manifest: &Value) -> OrderedValue {
    const OF_THE_SERVER: [&str; 6] =
        ["creationTimestamp", "generation", "managedFields", "resourceVersion", "selfLink", "uid"];
    let mut metadata = OrderedValue::from(manifest.get("metadata").cloned().unwrap_or_default());
    OF_THE_SERVER.iter().for_each(|name| metadata.remove(name));
    metadata.order_by(&["name", "generateName", "namespace", "labels", "annotations"]);
    if let Some(annotations) = metadata.get_mut("annotations") {
        annotations.remove(READ_ONLY);
        if *annotations == OrderedValue::Fields(Vec::new()) {
            metadata.remove("annotations");
        }
    }
    metadata
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::difference::external_changes;
    use serde_json::json;
    use std::collections::BTreeSet;
    use ucp_core::model::comparison::Certainty;

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
    fn observed_fields_become_declared_fields() {
        let schema = schema();
        let object =
            own_manifest(ImportMethod::Crossplane, &live(), &live(), SchemaNode::new(&schema)).unwrap().to_value();
        assert_eq!(
            object["spec"],
            json!({
                "forProvider": {"region": "eu", "size": 3, "tags": {"team": "a"}}, "providerConfigRef": {"name": "p"},
            })
        );
        assert_eq!(object["metadata"]["labels"], json!({"a": "b"}));
        assert!(object["metadata"].get("uid").is_none());
        let none = external_changes(
            ImportMethod::Crossplane,
            &kind("s3.example.org"),
            &object,
            &live(),
            SchemaNode::new(&schema),
        );
        assert_eq!(none, []);
    }

    #[test]
    fn a_declared_field_that_differs_from_the_observation_is_a_difference() {
        let schema = schema();
        let mut declared = live();
        declared["spec"]["forProvider"]["size"] = json!(5);
        let object =
            own_manifest(ImportMethod::Crossplane, &declared, &live(), SchemaNode::new(&schema)).unwrap().to_value();
        assert_eq!(object["spec"]["forProvider"]["size"], 5);
        let found = external_changes(
            ImportMethod::Crossplane,
            &kind("s3.example.org"),
            &object,
            &live(),
            SchemaNode::new(&schema),
        );
        assert_eq!(found.iter().map(|found| found.path.to_string()).collect::<Vec<_>>(), ["spec.forProvider.size"]);
    }

    #[test]
    fn tags_that_the_provider_adds_are_differences_until_they_are_there() {
        let schema = schema();
        let kind = kind("s3.aws.upbound.io");
        let object =
            own_manifest(ImportMethod::Crossplane, &live(), &live(), SchemaNode::new(&schema)).unwrap().to_value();
        let found = external_changes(ImportMethod::Crossplane, &kind, &object, &live(), SchemaNode::new(&schema));
        let paths: Vec<_> = found.iter().map(|found| found.path.to_string()).collect();
        let tags = ["kind", "name", "providerconfig"].map(|tag| format!("spec.forProvider.tags.crossplane-{tag}"));
        assert_eq!(paths, tags);
        let mut tagged = live();
        tagged["status"]["atProvider"]["tags"] = json!({
            "crossplane-kind": "bucket.s3.aws.upbound.io", "crossplane-name": "logs", "crossplane-providerconfig": "p",
        });
        let object =
            own_manifest(ImportMethod::Crossplane, &tagged, &tagged, SchemaNode::new(&schema)).unwrap().to_value();
        assert_eq!(external_changes(ImportMethod::Crossplane, &kind, &object, &tagged, SchemaNode::new(&schema)), []);
    }

    #[test]
    fn a_field_that_was_never_observed_is_unknown_and_not_empty() {
        let mut schema = schema();
        let fields = &mut schema["properties"]["spec"]["properties"]["forProvider"]["properties"];
        fields["keep"] = json!({"type": "boolean", "default": false});
        fields["rule"] = json!({"type": "object", "properties": {"age": {}, "id": {}}});
        let observable = json!({"properties": {"acl": {}, "region": {}, "rule": {}, "size": {}, "tags": {}}});
        schema["properties"]["status"] = json!({"properties": {"atProvider": observable}});
        let reported = |after: &Value, live: &Value| -> Vec<(String, Certainty)> {
            let kind = kind("s3.example.org");
            let found = external_changes(ImportMethod::Crossplane, &kind, after, live, SchemaNode::new(&schema));
            found.into_iter().map(|found| (found.path.to_string(), found.certainty)).collect()
        };
        let mut after = live();
        // Defaulted by the server or declared: the current value is unknown.
        after["spec"]["forProvider"] =
            json!({"region": "eu", "quota": 7, "keep": false, "rule": {"id": "x", "age": 3}});
        let mut was = live();
        was["status"]["atProvider"]["rule"] = json!({"id": "x"});
        let unknown = |path: &str| (format!("spec.forProvider.{path}"), Certainty::Unknown);
        assert_eq!(reported(&after, &was), [unknown("quota"), unknown("rule.age")]);
        // Having been declared during the observation proves nothing, unless the resource was found by the field.
        was["spec"]["forProvider"] = after["spec"]["forProvider"].clone();
        was["status"]["atProvider"].as_object_mut().unwrap().remove("region");
        assert_eq!(reported(&after, &was), [unknown("quota"), unknown("rule.age")]);
        was["spec"]["forProvider"]["region"] = json!("us");
        assert_eq!(reported(&after, &was), [unknown("quota"), unknown("region"), unknown("rule.age")]);
        // An observation with none of the declared fields proves nothing.
        was["status"]["atProvider"] = json!({"arn": "arn:x"});
        after["spec"]["forProvider"] = json!({"acl": "private", "size": 3});
        assert_eq!(reported(&after, &was), [unknown("acl"), unknown("size")]);
    }

    #[test]
    fn ack_and_config_connector_keep_references_and_fields_of_git() {
        let schema = json!({"properties": {"spec": {"required": ["name"], "properties": {
            "name": {"type": "string"}, "networkRef": {"type": "object"}, "size": {"type": "integer"}, "mode": {"type": "string"},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}}, "on": {"type": "boolean"},
        }}}});
        for (takeover, group) in
            [(ImportMethod::Ack, "rds.services.k8s.aws"), (ImportMethod::ConfigConnector, "sql.cnrm.cloud.google.com")]
        {
            let mut git = json!({
                "apiVersion": format!("{group}/v1"), "kind": "Bucket",
                "metadata": {"name": "x", "finalizers": ["ours"], "annotations": {READ_ONLY: "true", "mine": "y"}},
                "spec": {"name": "x", "mode": "new", "labels": {"a": "1"}, "on": false},
            });
            let mut live = git.clone();
            live["spec"] = json!({"name": "x", "networkRef": {"external": "n"}, "size": 3, "labels": {"a": "1", "b": "2"}, "on": false});
            let kind = kind(group);
            let owned = own_manifest(takeover, &git, &live, SchemaNode::new(&schema)).unwrap().to_value();
            assert_eq!(
                owned["spec"],
                json!({
                    "name": "x", "networkRef": {"external": "n"}, "size": 3, "mode": "new", "labels": {"a": "1", "b": "2"},
                    "on": false,
                })
            );
            assert_eq!(owned["metadata"]["finalizers"], json!(["ours"]));
            assert_eq!(owned["metadata"]["annotations"], json!({"mine": "y"}));
            let paths = |after: &Value| -> Vec<String> {
                let found = external_changes(takeover, &kind, after, &live, SchemaNode::new(&schema));
                found.into_iter().map(|found| found.path.to_string()).collect()
            };
            assert_eq!(paths(&owned), ["spec.mode"]);
            git["spec"].as_object_mut().unwrap().remove("mode");
            let owned = own_manifest(takeover, &git, &live, SchemaNode::new(&schema)).unwrap().to_value();
            assert!(paths(&owned).is_empty());
            assert_eq!(
                own_manifest(takeover, &owned, &live, SchemaNode::new(&schema)).unwrap().to_value(),
                owned,
                "it is whole"
            );
        }
    }

    #[test]
    fn observed_secrets_in_embedded_manifests_are_refused() {
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
        let refused = |manifest: Value| {
            own_manifest(ImportMethod::Crossplane, &object(json!({})), &object(manifest), SchemaNode::new(&schema))
        };
        let secret =
            json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}, "data": {"k": "Y2FuYXJ5"}});
        assert!(refused(secret).unwrap_err().as_str().contains("Secret"));
        let env =
            json!({"apiVersion": "v1", "kind": "Pod", "spec": {"env": [{"name": "DB_PASSWORD", "value": "canary"}]}});
        let words = refused(env).unwrap_err().to_string();
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
    fn objects_that_only_observe_are_recognized() {
        let of =
            |takeover: ImportMethod, object: &Value| ControlMode::of_object(takeover, &kind("s3.example.org"), object);
        let with = |actions: Value| json!({"metadata": {"name": "x"}, "spec": {"managementPolicies": actions}});
        for (actions, observes) in [
            (json!(["Observe"]), ControlMode::Observes),
            (json!(["Observe", "LateInitialize"]), ControlMode::Observes),
            (json!(["*"]), ControlMode::Owns),
            (json!(["Observe", "Update"]), ControlMode::Owns),
        ] {
            assert_eq!(of(ImportMethod::Crossplane, &with(actions.clone())), observes, "{actions}");
        }
        assert_eq!(of(ImportMethod::Crossplane, &json!({"metadata": {"name": "x"}, "spec": {}})), ControlMode::Owns);
        let read_only = json!({"metadata": {"annotations": {READ_ONLY: "true"}}});
        assert_eq!(of(ImportMethod::Ack, &read_only), ControlMode::Observes);
        assert_eq!(of(ImportMethod::Ack, &json!({})), ControlMode::Owns);
    }
}
