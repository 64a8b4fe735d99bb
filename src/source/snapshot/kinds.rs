//! The kinds in a snapshot. Discovery is not in it, so categories come from its CRDs, or else from what the objects
//! themselves look like.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use super::index::Index;
use super::manifest::Document;
use crate::model::kind::{Reporting, ResourceKind, Scope, StatusSubresource, guess_plural};

/// Sorts documents by the kinds that an index names, those without documents too: in the order and with the objects in
/// the order that a server has them in.
pub(crate) fn by_index(index: &Index, documents: Vec<Document>) -> Vec<(Arc<ResourceKind>, Vec<Document>)> {
    let mut groups = by_group_and_kind(documents);
    let indexed = index.kinds.iter().map(|entry| {
        // Of two resources of one kind the first has its objects.
        let mut documents = groups.remove(&(entry.group.clone(), entry.kind.clone())).unwrap_or_default();
        documents.sort_by_cached_key(|document| {
            let (namespace, name) = document.full_name();
            if namespace.is_empty() { name } else { format!("{namespace}/{name}") }
        });
        (entry.resource_kind(), documents)
    });
    let mut sorted: Vec<_> = indexed.collect();
    sorted.extend(
        groups
            .into_iter()
            .map(|((group, kind), documents)| (Arc::new(describe(group, kind, None, &documents)), documents)),
    );
    sorted
}

fn by_group_and_kind(documents: Vec<Document>) -> BTreeMap<(String, String), Vec<Document>> {
    let mut groups: BTreeMap<(String, String), Vec<Document>> = BTreeMap::new();
    for document in documents {
        let group = document.text("apiVersion").split_once('/').map_or("", |(group, _)| group).to_owned();
        groups.entry((group, document.text("kind").to_owned())).or_default().push(document);
    }
    groups
}

/// Sorts documents by kind.
pub(crate) fn by_kind(documents: Vec<Document>) -> Vec<(Arc<ResourceKind>, Vec<Document>)> {
    let definitions: BTreeMap<(String, String), Value> = documents
        .iter()
        .filter(|document| document.text("kind") == "CustomResourceDefinition")
        .filter_map(|document| {
            let spec = document.object.get("spec")?;
            let group = spec.get("group")?.as_str()?.to_owned();
            Some(((group, spec.pointer("/names/kind")?.as_str()?.to_owned()), spec.clone()))
        })
        .collect();
    by_group_and_kind(documents)
        .into_iter()
        .map(|((group, kind), documents)| {
            let definition = definitions.get(&(group.clone(), kind.clone()));
            (Arc::new(describe(group, kind, definition, &documents)), documents)
        })
        .collect()
}

fn describe(group: String, kind: String, definition: Option<&Value>, documents: &[Document]) -> ResourceKind {
    let names = definition.and_then(|spec| spec.get("names"));
    let strings = |key: &str| -> Vec<String> {
        let list = names.and_then(|names| names.get(key)?.as_array());
        list.into_iter().flatten().filter_map(|value| value.as_str().map(str::to_owned)).collect()
    };
    let name = |key: &str| names.and_then(|names| names.get(key)?.as_str().map(str::to_owned));
    let version = documents.first().map(|document| document.text("apiVersion")).unwrap_or_default();
    let namespaced = documents.iter().any(|document| document.object.pointer("/metadata/namespace").is_some());
    let mut aliases = strings("shortNames");
    aliases.push(name("singular").unwrap_or_else(|| kind.to_ascii_lowercase()));
    let categories: BTreeSet<String> = match names {
        Some(_) => strings("categories").into_iter().collect(),
        None => documents
            .iter()
            .find_map(|document| guess_category(&document.object))
            .map(str::to_owned)
            .into_iter()
            .collect(),
    };
    let version = version.rsplit('/').next().unwrap_or_default().to_owned();
    ResourceKind {
        plural: name("plural").unwrap_or_else(|| guess_plural(&kind.to_ascii_lowercase())),
        reporting: definition.map(|spec| reporting(spec, &version)).unwrap_or_default(),
        version,
        scope: if namespaced { Scope::Namespaced } else { Scope::Cluster },
        group,
        kind,
        aliases,
        categories,
    }
}

/// What a definition says of the status of one version.
fn reporting(spec: &Value, version: &str) -> Reporting {
    let versions = spec.get("versions").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let found = versions.iter().find(|one| one.get("name").and_then(Value::as_str) == Some(version));
    let Some(found) = found.or_else(|| versions.first()) else { return Reporting::default() };
    let status = match found.pointer("/subresources/status") {
        Some(_) => StatusSubresource::Served,
        None => StatusSubresource::Absent,
    };
    let columns = found.get("additionalPrinterColumns").and_then(Value::as_array).into_iter().flatten();
    let columns = columns.filter_map(|column| shown_condition(column.get("jsonPath")?.as_str()?));
    Reporting { status, columns: columns.collect() }
}

/// The condition that a column shows: `.status.conditions[?(@.type=="Ready")].status`.
fn shown_condition(path: &str) -> Option<String> {
    let (filter, field) = path.split_once(".conditions[?(")?.1.split_once(")]")?;
    let (_, wanted) = filter.split_once("==").filter(|(left, _)| left.trim() == "@.type")?;
    let kind = wanted.trim().trim_matches(['\'', '"']);
    (field == ".status" && !kind.is_empty()).then(|| kind.to_owned())
}

/// What an object looks like, by the fields that crossplane-runtime gives to every managed resource, composite and
/// claim.
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

/// A composite of crossplane v2 keeps its machinery under `spec.crossplane`.
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
    fn a_definition_tells_where_its_kind_reports() {
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
            Reporting { status: StatusSubresource::Served, columns: vec!["Joined".to_owned(), "Seen".to_owned()] }
        );
        assert_eq!(reporting(&spec, "v2").status, StatusSubresource::Absent);
        assert_eq!(reporting(&json!({}), "v2").status, StatusSubresource::Unsaid);
    }

    #[test]
    fn knows_crossplanes_objects_by_their_fields() {
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
