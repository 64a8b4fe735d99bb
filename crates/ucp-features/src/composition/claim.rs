//! The composite that core derives from a claim (`claim/syncer_ssa.go` of Crossplane's core).

use serde_json::{Map, Value, json};

use crate::composition::definition::{CompositeDefinition, set_field};
use ucp_client::prediction::cluster::text_at;
use ucp_core::engine::crossplane::EXTERNAL_NAME;
use ucp_core::model::object::ObjectName;

/// Label of a composite: name of its claim.
pub const CLAIM_NAME: &str = "crossplane.io/claim-name";
/// Label of a composite: namespace of its claim.
pub const CLAIM_NAMESPACE: &str = "crossplane.io/claim-namespace";
/// Name suffix of a composite that does not exist yet; core generates a random one.
const NOT_FINAL: &str = "xxxxx";

/// Fields of a claim's spec that are not copied to the composite.
const CLAIMS_OWN: [&str; 5] = [
    "compositeDeletePolicy",
    "compositionRevisionRef",
    "publishConnectionDetailsTo",
    "resourceRef",
    "writeConnectionSecretToRef",
];

/// Returns the name of the claim's current composite; `None` if it has none yet.
pub fn existing_composite_name(claim: &Value) -> Option<ObjectName> {
    let field = |name: &str| claim.pointer(&format!("/spec/resourceRef/{name}")).and_then(Value::as_str);
    Some(ObjectName {
        api_version: field("apiVersion")?.to_owned(),
        kind: field("kind")?.to_owned(),
        namespace: None,
        name: field("name").filter(|name| !name.is_empty())?.to_owned(),
    })
}

/// Returns the composite that core applies for a claim.
pub fn composite_for_claim(claim: &Value, definition: &CompositeDefinition, live: Option<&Value>) -> Value {
    let (name, namespace) = (text_at(claim, "/metadata/name"), text_at(claim, "/metadata/namespace"));
    let composite_name =
        live.map_or_else(|| format!("{name}-{NOT_FINAL}"), |live| text_at(live, "/metadata/name").to_owned());
    let is_manual = live.is_some_and(|live| text_at(live, "/spec/compositionUpdatePolicy") == "Manual");
    let mut spec = claim.get("spec").and_then(Value::as_object).cloned().unwrap_or_default();
    spec.retain(|field, _| match field.as_str() {
        "compositionRevisionRef" => is_manual,
        "compositionRef" => definition.enforced_composition().is_none(),
        field => !CLAIMS_OWN.contains(&field),
    });
    spec.insert(
        "claimRef".to_owned(),
        json!({
            "apiVersion": text_at(claim, "/apiVersion"), "kind": text_at(claim, "/kind"),
            "namespace": namespace, "name": name,
        }),
    );
    let mut composite = json!({
        "apiVersion": format!("{}/{}", definition.group(), definition.version()),
        "kind": definition.kind(),
        "metadata": {"name": composite_name},
        "spec": spec,
    });
    let annotations = without_reserved_keys(claim, "annotations");
    if !annotations.is_empty() {
        set_field(&mut composite, "/metadata/annotations", Value::Object(annotations));
    }
    let external = live.and_then(|live| live.pointer("/metadata/annotations")?.get(EXTERNAL_NAME));
    if let Some(external) = external {
        set_field(&mut composite, "/metadata/annotations/crossplane.io~1external-name", external.clone());
    }
    let mut labels = without_reserved_keys(claim, "labels");
    labels.insert(CLAIM_NAME.to_owned(), json!(name));
    labels.insert(CLAIM_NAMESPACE.to_owned(), json!(namespace));
    set_field(&mut composite, "/metadata/labels", Value::Object(labels));
    composite
}

/// Returns the labels or annotations of an object except those in Kubernetes' reserved domains.
fn without_reserved_keys(object: &Value, field: &str) -> Map<String, Value> {
    let entries = object.pointer(&format!("/metadata/{field}")).and_then(Value::as_object);
    let is_reserved = |key: &str| {
        let domain = key.split('/').next().unwrap_or_default();
        domain.ends_with("kubernetes.io") || domain.ends_with("k8s.io")
    };
    let kept = entries.into_iter().flatten().filter(|(key, _)| !is_reserved(key));
    kept.map(|(key, value)| (key.clone(), value.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition(enforced: bool) -> CompositeDefinition {
        let mut object = json!({"spec": {"group": "a.b", "names": {"kind": "XStore"}, "claimNames": {"kind": "Store"},
            "versions": [{"name": "v1", "referenceable": true}]}});
        if enforced {
            object["spec"]["enforcedCompositionRef"] = json!({"name": "e"});
        }
        CompositeDefinition::from_object(&object).unwrap()
    }

    fn claim() -> Value {
        json!({
            "apiVersion": "a.b/v1", "kind": "Store",
            "metadata": {
                "name": "shop", "namespace": "quotes", "labels": {"team": "a", "app.kubernetes.io/name": "x"},
                "annotations": {"note": "n", "kubectl.kubernetes.io/last-applied-configuration": "{}"},
            },
            "spec": {
                "size": "large", "compositionRef": {"name": "c"}, "compositionRevisionRef": {"name": "c-1"},
                "resourceRef": {"apiVersion": "a.b/v1", "kind": "XStore", "name": "shop-abcde"},
                "writeConnectionSecretToRef": {"name": "s"}, "compositeDeletePolicy": "Foreground",
            },
        })
    }

    #[test]
    fn a_composite_has_the_spec_of_the_claim_without_claim_only_fields() {
        assert_eq!(existing_composite_name(&claim()).unwrap().name, "shop-abcde");
        let live = json!({"metadata": {"name": "shop-abcde", "annotations": {"crossplane.io/external-name": "out"}}});
        let found = composite_for_claim(&claim(), &definition(false), Some(&live));
        assert_eq!(
            found,
            json!({
                "apiVersion": "a.b/v1", "kind": "XStore",
                "metadata": {
                    "name": "shop-abcde",
                    "annotations": {"note": "n", "crossplane.io/external-name": "out"},
                    "labels": {"team": "a", "crossplane.io/claim-name": "shop", "crossplane.io/claim-namespace": "quotes"},
                },
                "spec": {
                    "size": "large", "compositionRef": {"name": "c"},
                    "claimRef": {"apiVersion": "a.b/v1", "kind": "Store", "namespace": "quotes", "name": "shop"},
                },
            })
        );
    }

    #[test]
    fn revisions_follow_the_policy_and_enforced_compositions_take_precedence() {
        let live = json!({"metadata": {"name": "x"}, "spec": {"compositionUpdatePolicy": "Manual"}});
        let found = composite_for_claim(&claim(), &definition(true), Some(&live));
        assert_eq!(found["spec"]["compositionRevisionRef"]["name"], "c-1");
        assert_eq!(found["spec"].get("compositionRef"), None);
        let new = composite_for_claim(&claim(), &definition(false), None);
        assert_eq!(new["metadata"]["name"], "shop-xxxxx");
    }
}
