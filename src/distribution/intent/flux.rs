//! Flux: a Kustomization for another cluster whose manifests take values from a Secret of the core cluster
//! (`postBuild.substituteFrom`). Which Secrets come of it, its inventory says.

use serde_json::Value;

use super::{Clusters, DeclaredBy, Intent, Part, declarer, list, text};
use crate::adopt::names::Namespaced;
use crate::model::resource::Resource;

pub(super) const GROUP: &str = "kustomize.toolkit.fluxcd.io";

pub(super) fn read(resource: &Resource, whole: &Value, clusters: &Clusters<'_>) -> Vec<Intent> {
    let Some(own) = resource.metadata.namespace.clone() else { return Vec::new() };
    let sources = list(whole, "/spec/postBuild/substituteFrom").iter();
    let source = sources.filter(|from| text(from, "/kind") == Some("Secret")).find_map(|from| text(from, "/name"));
    let (Some(source), Some(kubeconfig)) = (source, text(whole, "/spec/kubeConfig/secretRef/name")) else {
        return Vec::new();
    };
    let kubeconfig = Namespaced { namespace: own.clone(), name: kubeconfig.to_owned() };
    let cluster = clusters.of_kubeconfig(&kubeconfig, text(whole, "/spec/kubeConfig/secretRef/key"));
    let entries = list(whole, "/status/inventory/entries").iter().filter_map(|entry| text(entry, "/id"));
    let intent = |target| Intent {
        declarer: declarer(DeclaredBy::Substitution, resource),
        source: Some(Namespaced { namespace: own.clone(), name: source.to_owned() }),
        cluster: cluster.clone(),
        target,
        part: Part::Rendered,
    };
    entries.filter_map(secret).map(intent).collect()
}

/// The Secret of an entry `NAMESPACE_NAME_GROUP_KIND`.
fn secret(id: &str) -> Option<Namespaced> {
    let rest = id.strip_suffix("__Secret")?;
    let (namespace, name) = rest.split_once('_')?;
    Some(Namespaced { namespace: namespace.to_owned(), name: name.to_owned() })
}
