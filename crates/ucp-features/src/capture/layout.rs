//! The layout of a snapshot, as `oc adm inspect` has it: one file per kind and namespace, and one per
//! CustomResourceDefinition. Files are JSON with one object per line, which is valid YAML too.

use std::collections::BTreeMap;

use super::redact::RedactedObject;
use ucp_core::model::kind::ResourceKind;

pub(super) struct CaptureFile {
    pub(super) path: String,
    pub(super) text: String,
}

/// Returns the files of a kind. A kind without objects has none; the index records that it was requested.
pub(super) fn files(kind: &ResourceKind, objects: &[RedactedObject]) -> Vec<CaptureFile> {
    let group = if kind.group.is_empty() { "core" } else { &kind.group };
    if kind.group == "apiextensions.k8s.io" && kind.kind == "CustomResourceDefinition" {
        let path = |name: &str| format!("cluster-scoped-resources/{group}/{}/{name}.yaml", kind.plural);
        return objects
            .iter()
            .map(|object| CaptureFile { path: path(&object.name), text: format!("{}\n", object.json) })
            .collect();
    }
    let mut namespaces: BTreeMap<Option<&str>, Vec<&str>> = BTreeMap::new();
    for object in objects {
        namespaces.entry(object.namespace.as_deref()).or_default().push(&object.json);
    }
    let file = |(namespace, objects): (Option<&str>, Vec<&str>)| {
        let directory = match namespace {
            Some(namespace) => format!("namespaces/{namespace}"),
            None => "cluster-scoped-resources".to_owned(),
        };
        let head = format!(r#"{{"apiVersion":"{}","kind":"{}List","items":["#, kind.api_version(), kind.kind);
        CaptureFile {
            path: format!("{directory}/{group}/{}.yaml", kind.plural),
            text: format!("{head}\n{}\n]}}\n", objects.join(",\n")),
        }
    };
    namespaces.into_iter().map(file).collect()
}
