//! Ownership of Secrets in app clusters: the annotations that we write, and those of other controllers.

use std::collections::BTreeMap;

use crate::adopt::names::{MANAGED_BY, NamespacedName};
use crate::distribution::secret::SecretFacts;
use ucp_core::model::metadata::Metadata;
use ucp_core::model::object::ObjectName;

/// Annotation of a copy: `namespace/name` of its source on the core cluster.
pub const SOURCE: &str = "kubectl-ucp.io/copied-from";
/// Annotation of a copy: `resourceVersion` of its source at the time of copying.
pub const VERSION: &str = "kubectl-ucp.io/copied-version";
/// Annotation of a copy: identity of its core cluster, the UID of the namespace `kube-system`.
pub const CORE: &str = "kubectl-ucp.io/copied-from-cluster";

/// Annotation of a copy: objects that declared and used it when it was written, one per line. The copy is deleted only
/// if none of them exists any more.
pub const WANTED_BY: &str = "kubectl-ucp.io/wanted-by";

/// Annotations of a copy of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopyMark {
    /// Source of the copy.
    pub source: NamespacedName,
    /// `resourceVersion` of the source.
    pub version: String,
    /// UID of the core cluster's namespace `kube-system`.
    pub core: String,
    /// Objects that declared and used the copy.
    pub wanted_by: Vec<ObjectName>,
}

impl CopyMark {
    /// Reads the mark of a copy; returns `None` if the copy was not created by kubectl ucp.
    pub fn read(metadata: &Metadata) -> Option<Self> {
        if metadata.label(MANAGED_BY.0) != Some(MANAGED_BY.1) {
            return None;
        }
        Some(Self {
            source: metadata.annotation(SOURCE)?.parse().ok()?,
            version: metadata.annotation(VERSION).unwrap_or_default().to_owned(),
            core: metadata.annotation(CORE).unwrap_or_default().to_owned(),
            wanted_by: metadata.annotation(WANTED_BY).unwrap_or_default().lines().filter_map(read_object).collect(),
        })
    }

    /// Returns the mark as annotations.
    pub fn annotations(&self) -> BTreeMap<&'static str, String> {
        let wanted_by: Vec<String> = self.wanted_by.iter().map(write_object).collect();
        let mut annotations = BTreeMap::from([
            (SOURCE, self.source.to_string()),
            (VERSION, self.version.clone()),
            (CORE, self.core.clone()),
        ]);
        if !wanted_by.is_empty() {
            annotations.insert(WANTED_BY, wanted_by.join("\n"));
        }
        annotations
    }
}

/// Formats an object as `apiVersion kind namespace name`; the namespace is `-` if there is none.
fn write_object(object: &ObjectName) -> String {
    let namespace = object.namespace.as_deref().unwrap_or("-");
    format!("{} {} {namespace} {}", object.api_version, object.kind, object.name)
}

fn read_object(line: &str) -> Option<ObjectName> {
    let words: Vec<&str> = line.split(' ').collect();
    let [version, kind, namespace, name] = words.as_slice() else { return None };
    Some(ObjectName {
        api_version: (*version).to_owned(),
        kind: (*kind).to_owned(),
        namespace: Some(*namespace).filter(|namespace| *namespace != "-").map(str::to_owned),
        name: (*name).to_owned(),
    })
}

/// Other owner of a Secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretHolder {
    /// Kind of the holder; empty if it is not an object.
    pub kind: String,
    /// Name of the holder.
    pub name: String,
    /// Evidence of the ownership, for messages.
    pub words: String,
}

/// Annotations and labels with which controllers mark their objects, and the kind of the controlling object. If the
/// mark names an object, its value is the name.
const MARKS: [(&str, &str); 12] = [
    ("argocd.argoproj.io/tracking-id", "Application"),
    ("meta.helm.sh/release-name", "HelmRelease"),
    ("kustomize.toolkit.fluxcd.io/name", "Kustomization"),
    ("helm.toolkit.fluxcd.io/name", "HelmRelease"),
    ("cert-manager.io/certificate-name", "Certificate"),
    ("reconcile.external-secrets.io/managed", "ExternalSecret"),
    ("reflector.v1.k8s.emberstack.com/reflects", "Secret"),
    ("replicator.v1.mittwald.de/replicate-from", "Secret"),
    ("replicator.v1.mittwald.de/replicated-from-version", "Secret"),
    ("projectsveltos.io/owner-name", "ClusterProfile"),
    ("fleet.cattle.io/bundle-id", "Bundle"),
    ("objectset.rio.cattle.io/id", "Bundle"),
];

/// Returns the holder of a Secret: its owner, or a controller by its mark. Marks that kubectl sets and marks that were
/// copied from the source do not count.
pub fn holder(copy: &SecretFacts, source: Option<&SecretFacts>) -> Option<SecretHolder> {
    let metadata = &copy.metadata;
    let owner = metadata.controller().or_else(|| metadata.owner_references.first());
    if let Some(owner) = owner {
        let words = format!("{} {} owns it", owner.kind, owner.name);
        return Some(SecretHolder { kind: owner.kind.to_string(), name: owner.name.to_string(), words });
    }
    let found =
        |metadata: &Metadata, key: &str| metadata.annotation(key).or_else(|| metadata.label(key)).map(str::to_owned);
    let is_brought = |key: &str, value: &str| {
        source.and_then(|source| found(&source.metadata, key)).is_some_and(|brought| brought == value)
    };
    for (key, kind) in MARKS {
        let Some(value) = found(metadata, key).filter(|value| !is_brought(key, value)) else { continue };
        let words = format!("it is marked by another controller, {key}");
        return Some(SecretHolder { kind: kind.to_owned(), name: value, words });
    }
    let manager =
        metadata.label(MANAGED_BY.0).filter(|value| *value != MANAGED_BY.1 && !is_brought(MANAGED_BY.0, value));
    // External Secrets sets this label on the Secrets it pushes.
    let manager = manager.filter(|value| *value != "external-secrets")?;
    let words = format!("according to label {}, {manager} manages it", MANAGED_BY.0);
    Some(SecretHolder { kind: String::new(), name: manager.to_owned(), words })
}
