//! The kinds in a snapshot. Snapshots do not contain discovery, so categories are read from CRDs, or else guessed from
//! the fields of objects.

use std::sync::Arc;

use serde_json::Value;

use super::located::LocatedObject;
use ucp_core::model::kind::{ResourceKind, ResourceScope, StatusReporting, StatusSubresource, guess_plural};

/// Properties of a kind, derived from its objects.
pub(super) struct Sketch {
    /// Version of the first object.
    version: String,
    scope: ResourceScope,
    category: Option<&'static str>,
}

impl Sketch {
    /// Derives the properties from the first object of a kind.
    pub(super) fn from_object(document: &LocatedObject) -> Self {
        let version = document.text("apiVersion").rsplit('/').next().unwrap_or_default().to_owned();
        let mut sketch = Self { version, scope: ResourceScope::Cluster, category: None };
        sketch.see(document);
        sketch
    }

    /// Updates the properties with a further object.
    pub(super) fn see(&mut self, document: &LocatedObject) {
        if document.object.pointer("/metadata/namespace").is_some() {
            self.scope = ResourceScope::Namespaced;
        }
        self.category = self.category.or_else(|| guess_category(&document.object));
    }

    /// Returns the kind, as in its definition if there is one.
    pub(super) fn describe(&self, (group, kind): &(String, String), definition: Option<&Value>) -> Arc<ResourceKind> {
        let (scope, version) = (self.scope, self.version.clone());
        if let Some(kind) = definition.and_then(|spec| defined_at(spec, &version)) {
            return Arc::new(ResourceKind { scope, ..kind });
        }
        let lower = kind.to_ascii_lowercase();
        Arc::new(ResourceKind {
            plural: guess_plural(&lower),
            reporting: StatusReporting::default(),
            version,
            scope,
            aliases: vec![lower],
            categories: self.category.map(str::to_owned).into_iter().collect(),
            group: group.clone(),
            kind: kind.clone(),
        })
    }
}

/// Returns the group and kind that a CustomResourceDefinition defines, and its spec without the schemas, which are the
/// largest part.
pub(super) fn definition(document: &LocatedObject) -> Option<((String, String), Value)> {
    if document.text("kind") != "CustomResourceDefinition" {
        return None;
    }
    let spec = document.object.get("spec")?.as_object()?;
    let name = (spec.get("group")?.as_str()?.to_owned(), spec.get("names")?.get("kind")?.as_str()?.to_owned());
    let without_schema = |version: &Value| match version {
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(key, _)| *key != "schema");
            Value::Object(kept.map(|(key, value)| (key.clone(), value.clone())).collect())
        }
        other => other.clone(),
    };
    let slim = spec.iter().map(|(key, value)| match (key.as_str(), value) {
        ("versions", Value::Array(versions)) => (key.clone(), versions.iter().map(without_schema).collect()),
        _ => (key.clone(), value.clone()),
    });
    Some((name, Value::Object(slim.collect())))
}

/// Returns the kind that a CRD defines, at the version that a server prefers. The snapshot may have no object of it.
pub fn defined(definition: &Value) -> Option<ResourceKind> {
    served(definition.get("spec")?)
}

/// Returns the kind that the spec of a CRD defines, at the version that a server prefers.
pub(super) fn served(spec: &Value) -> Option<ResourceKind> {
    let versions = spec.get("versions").and_then(Value::as_array)?.iter();
    let served = versions.filter(|version| version.get("served") == Some(&Value::Bool(true)));
    let names = served.filter_map(|version| version.get("name")?.as_str());
    defined_at(spec, names.max_by_key(|name| rank(name))?)
}

/// Returns the kind that the spec of a CRD defines, at a version.
fn defined_at(spec: &Value, version: &str) -> Option<ResourceKind> {
    let names = spec.get("names")?;
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let texts = |key: &str| {
        let list = names.get(key).and_then(Value::as_array).into_iter().flatten();
        list.filter_map(|entry| entry.as_str().map(str::to_owned))
    };
    let kind = text(names, "kind")?;
    let lower = kind.to_ascii_lowercase();
    let singular = text(names, "singular").unwrap_or_else(|| lower.clone());
    Some(ResourceKind {
        group: text(spec, "group")?,
        version: version.to_owned(),
        plural: text(names, "plural").unwrap_or_else(|| guess_plural(&lower)),
        aliases: texts("shortNames").chain([singular]).collect(),
        scope: if text(spec, "scope").as_deref() == Some("Namespaced") {
            ResourceScope::Namespaced
        } else {
            ResourceScope::Cluster
        },
        categories: texts("categories").collect(),
        reporting: reporting(spec, version),
        kind,
    })
}

/// Sort key of versions (apimachinery, `CompareKubeAwareVersionStrings`): GA versions, betas, and alphas, each by
/// number, then all others.
fn rank(version: &str) -> (u8, u32, u32) {
    let number = |digits: &str| digits.parse::<u32>().ok();
    let Some(rest) = version.strip_prefix('v') else { return (0, 0, 0) };
    let stages = [("beta", 2), ("alpha", 1)];
    let staged = stages.iter().find_map(|(word, rank)| {
        let (major, minor) = rest.split_once(word)?;
        Some((*rank, number(major)?, number(minor)?))
    });
    staged.or_else(|| number(rest).map(|major| (3, major, 0))).unwrap_or((0, 0, 0))
}

/// The status subresource and columns of one version in a definition.
fn reporting(spec: &Value, version: &str) -> StatusReporting {
    let versions = spec.get("versions").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let found = versions.iter().find(|one| one.get("name").and_then(Value::as_str) == Some(version));
    let Some(found) = found.or_else(|| versions.first()) else { return StatusReporting::default() };
    let status = match found.pointer("/subresources/status") {
        Some(_) => StatusSubresource::Served,
        None => StatusSubresource::Absent,
    };
    let columns = found.get("additionalPrinterColumns").and_then(Value::as_array).into_iter().flatten();
    let columns = columns.filter_map(|column| shown_condition(column.get("jsonPath")?.as_str()?));
    StatusReporting { status, columns: columns.collect() }
}

/// The condition that a column shows: `.status.conditions[?(@.type=="Ready")].status`.
fn shown_condition(path: &str) -> Option<String> {
    let (filter, field) = path.split_once(".conditions[?(")?.1.split_once(")]")?;
    let (_, wanted) = filter.split_once("==").filter(|(left, _)| left.trim() == "@.type")?;
    let kind = wanted.trim().trim_matches(['\'', '"']);
    (field == ".status" && !kind.is_empty()).then(|| kind.to_owned())
}

/// Guesses the category of an object by the fields that crossplane-runtime adds to managed resources, composites and
/// claims.
fn guess_category(object: &Value) -> Option<&'static str> {
    let spec = object.get("spec")?;
    let has = |field: &str| spec.get(field).is_some();
    let has_label = |label: &str| object.pointer("/metadata/labels").is_some_and(|labels| labels.get(label).is_some());
    if has("forProvider") || has("providerConfigRef") || has("managementPolicies") {
        Some("managed")
    } else if has("compositeDeletePolicy")
        || has("resourceRef") && (has("compositionRef") || has("compositionSelector"))
    {
        Some("claim")
    } else if has("resourceRefs")
        || has("claimRef")
        || is_composite(spec)
        || has_label("crossplane.io/composite") && has("compositionRef")
    {
        Some("composite")
    } else {
        None
    }
}

/// Returns true for the spec of a composite. Crossplane v2 has its fields under `spec.crossplane`.
fn is_composite(spec: &Value) -> bool {
    spec.get("crossplane").is_some_and(|machinery| {
        ["resourceRefs", "compositionRef", "compositionRevisionRef", "compositionUpdatePolicy"]
            .iter()
            .any(|field| machinery.get(field).is_some())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_definition_is_a_kind_at_its_preferred_version() {
        let version = |name: &str, served: bool| json!({"name": name, "served": served});
        let of = |versions: Value| {
            defined(&json!({"spec": {
                "group": "s3.aws.upbound.io", "scope": "Namespaced", "versions": versions,
                "names": {"kind": "Bucket", "plural": "buckets", "categories": ["managed"]},
            }}))
        };
        let kind = of(json!([version("v1beta1", true), version("v1beta10", true), version("v1", false)])).unwrap();
        assert_eq!((kind.version.as_str(), kind.scope), ("v1beta10", ResourceScope::Namespaced));
        assert!(kind.in_category("managed") && kind.is_called("bucket.s3.aws.upbound.io"));
        assert_eq!(
            of(json!([version("v1alpha2", true), version("v2", true), version("v1", true)])).unwrap().version,
            "v2"
        );
        assert!(of(json!([])).is_none());
    }

    #[test]
    fn a_definition_declares_the_conditions_of_its_kind() {
        let column = |path: &str| json!({"name": "x", "type": "string", "jsonPath": path});
        let spec = json!({"versions": [
            {"name": "v1", "subresources": {"status": {}}, "additionalPrinterColumns": [
                column(".status.conditions[?(@.type==\"Joined\")].status"),
                column(".status.conditions[?(@.type=='Seen')].status"),
                column(".status.conditions[?(@.type=='Seen')].reason"),
                column(".spec.size"),
            ]},
            {"name": "v2"},
        ]});
        assert_eq!(
            reporting(&spec, "v1"),
            StatusReporting {
                status: StatusSubresource::Served,
                columns: vec!["Joined".to_owned(), "Seen".to_owned()]
            }
        );
        assert_eq!(reporting(&spec, "v2").status, StatusSubresource::Absent);
        assert_eq!(reporting(&json!({}), "v2").status, StatusSubresource::Unsaid);
    }

    #[test]
    fn crossplane_objects_are_recognized_by_their_fields() {
        for (spec, expected) in [
            (json!({"forProvider": {}, "providerConfigRef": {"name": "default"}}), Some("managed")),
            (json!({"region": "LON1", "providerConfigRef": {"name": "civo"}}), Some("managed")),
            (json!({"compositeDeletePolicy": "Background"}), Some("claim")),
            (json!({"compositionRef": {"name": "c"}, "resourceRef": {"name": "x"}}), Some("claim")),
            (json!({"resourceRefs": []}), Some("composite")),
            (json!({"crossplane": {"compositionRef": {"name": "c"}}}), Some("composite")),
            (json!({"package": "xpkg.example.org/p:v1"}), None),
        ] {
            assert_eq!(guess_category(&json!({"spec": spec})), expected, "{spec}");
        }
    }
}
