//! Objects of provider-kubernetes and releases of provider-helm: they delete objects of a Kubernetes cluster, which may be the core
//! cluster itself.

use serde_json::Value;

use super::credentials::configs_of;
use super::deletion_item::DeletionBlock;
use super::look::DeletionContext;
use super::nature::{DeletionNature, nature_of};
use super::removal::{self, RemovalEffect, external_removal};
use crate::adopt::provisioner;
use ucp_core::engine::code::Code;
use ucp_core::graph::link::Relation;
use ucp_core::graph::{Graph, NodeId};
use ucp_core::model::body::Body;
use ucp_core::model::kind::{ResourceKind, ResourceScope};
use ucp_core::model::object::{ObjectKey, ObjectName, group_of};
use ucp_core::model::resource::Resource;
use ucp_core::model::state::{ClusterState, Origin};

/// The end of the prefix of finalizers that an Object sets on the objects to which it refers; its UID follows.
const REFERRED: &str = "referred-by-object-";

/// The cluster in which a provider deletes.
enum ProvidedCluster {
    /// The core cluster.
    Core,
    /// A cluster that the core cluster provisions.
    Other,
    /// It may be the core cluster, for this reason.
    Unknown(String),
}

/// The objects of the core cluster that a managed resource deletes.
#[derive(Default)]
pub(super) struct CoreContents {
    /// Objects that were read.
    pub(super) found: Vec<NodeId>,
    /// One that was not.
    pub(super) unread: Option<ObjectKey>,
}

fn is_of_provider(kind: &ResourceKind, provider: &str) -> bool {
    let of = kind.group.strip_suffix(".crossplane.io").map(|group| group.strip_suffix(".m").unwrap_or(group));
    of == Some(provider)
}

/// Returns true for objects that represent one object of a cluster.
pub(super) fn is_object(kind: &ResourceKind) -> bool {
    kind.kind == "Object" && is_of_provider(kind, "kubernetes")
}

fn is_release(kind: &ResourceKind) -> bool {
    kind.kind == "Release" && is_of_provider(kind, "helm")
}

/// Returns the objects of the core cluster that are deleted with a managed resource.
pub(super) fn core_contents(state: &ClusterState, graph: &Graph<'_>, node: NodeId) -> CoreContents {
    let resource = &state.resources[node];
    let deletes = (is_object(&resource.kind) || is_release(&resource.kind))
        && !resource.metadata.finalizers.is_empty()
        && removal::deletes_outside(resource)
        && matches!(cluster_of(state, graph, node), ProvidedCluster::Core);
    if !deletes {
        return CoreContents::default();
    }
    if is_release(&resource.kind) {
        return CoreContents { found: objects_of_release(state, resource), unread: None };
    }
    let Some(key) = managed_key(state, resource) else { return CoreContents::default() };
    match graph.find(&key).filter(|found| *found < state.resources.len()) {
        Some(found) => CoreContents { found: vec![found], unread: None },
        None => CoreContents { found: Vec::new(), unread: Some(key) },
    }
}

/// Returns the object that an Object represents.
fn managed_key(state: &ClusterState, resource: &Resource) -> Option<ObjectKey> {
    let manifest = resource.whole.as_deref()?.pointer("/spec/forProvider/manifest")?;
    let text = |pointer: &str| manifest.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty());
    let (group, kind) = (group_of(text("/apiVersion")?), text("/kind")?);
    let mut known = state.kinds.iter().filter(|known| known.group == group && known.kind == kind);
    let is_clusterwide = known.any(|known| known.scope == ResourceScope::Cluster);
    Some(ObjectKey {
        group: group.to_owned(),
        kind: kind.to_owned(),
        namespace: text("/metadata/namespace").filter(|_| !is_clusterwide).map(str::to_owned),
        name: text("/metadata/name").unwrap_or(&resource.metadata.name).to_owned(),
    })
}

/// Returns the objects with the marks that Helm sets on all objects of a release.
fn objects_of_release(state: &ClusterState, release: &Resource) -> Vec<NodeId> {
    let namespace = release.whole.as_deref().and_then(|whole| whole.pointer("/spec/forProvider/namespace")?.as_str());
    let name = release.metadata.annotation("crossplane.io/external-name").unwrap_or(&release.metadata.name);
    let is_part = |one: &Resource| {
        let mark = |field: &str| one.metadata.annotation(field);
        mark("meta.helm.sh/release-name") == Some(name) && mark("meta.helm.sh/release-namespace") == namespace
    };
    (0..state.resources.len()).filter(|node| namespace.is_some() && is_part(&state.resources[*node])).collect()
}

fn cluster_of(state: &ClusterState, graph: &Graph<'_>, node: NodeId) -> ProvidedCluster {
    let config = configs_of(graph, node).next();
    let Some((place, config)) = config.and_then(|place| Some((place, state.resources.get(place)?))) else {
        return ProvidedCluster::Unknown("its provider config was not read".to_owned());
    };
    let source = config.whole.as_deref().and_then(|whole| whole.pointer("/spec/credentials/source")?.as_str());
    match source {
        Some("InjectedIdentity") => ProvidedCluster::Core,
        Some("Secret") if is_of_provisioned(state, graph, place, config) => ProvidedCluster::Other,
        _ => ProvidedCluster::Unknown(format!("the credentials of {} may be for this cluster", config.name())),
    }
}

/// Returns true if the credentials of a provider config are in the connection Secret of a cluster that the core cluster provisions,
/// and that is not the core cluster.
fn is_of_provisioned(state: &ClusterState, graph: &Graph<'_>, place: NodeId, config: &Resource) -> bool {
    let Body::ProviderConfig(body) = &config.body else { return false };
    let is_kubeconfig = |name: &ObjectName| body.secrets.first().is_some_and(|secret| secret.name == name.name);
    let secrets = graph.down(place).iter().filter(|edge| edge.relation == Relation::Reads).map(|edge| edge.node);
    let mut secrets = secrets.filter(|secret| graph.name(*secret).is_some_and(|name| is_kubeconfig(&name)));
    let Some(secret) = secrets.next() else { return false };
    let own = match &state.origin {
        Origin::Cluster { server, .. } => server.split("://").last().and_then(|rest| rest.split([':', '/']).next()),
        Origin::Snapshot { .. } => None,
    };
    let mut writers = graph.up(secret).iter().filter(|edge| edge.relation == Relation::Writes);
    writers.any(|edge| {
        let writer = state.resources.get(edge.node).filter(|one| {
            provisioner::is_cluster(&one.kind) || one.kind.kind == "ClusterAuth" && one.kind.group.starts_with("eks.")
        });
        let whole = writer.and_then(|writer| writer.whole.as_deref());
        whole.is_some_and(|whole| !own.is_some_and(|own| whole.to_string().contains(own)))
    })
}

/// Returns the reason why the objects are unknown that a managed resource deletes in a cluster.
pub(super) fn doubt(look: &DeletionContext<'_, '_>, node: NodeId) -> Option<String> {
    let (state, graph) = (look.state, &look.assessment.graph);
    let resource = &state.resources[node];
    if is_release(&resource.kind) {
        return match cluster_of(state, graph, node) {
            ProvidedCluster::Other => None,
            ProvidedCluster::Core => Some("it also deletes all objects of its release, which were not read".to_owned()),
            ProvidedCluster::Unknown(why) => Some(format!("it also deletes all objects of its release, and {why}")),
        };
    }
    if !is_object(&resource.kind) {
        return None;
    }
    let Some(key) = managed_key(state, resource) else {
        return Some("the object that it manages could not be read".to_owned());
    };
    // Nothing else is deleted with it.
    if nature_of(&ResourceKind::guess(&key.group, &key.kind)) == DeletionNature::Inert {
        return None;
    }
    match cluster_of(state, graph, node) {
        ProvidedCluster::Other => None,
        ProvidedCluster::Unknown(why) => Some(format!("{why}, and what is deleted with {key} is unknown")),
        // A plan for the whole cluster follows no namespaces.
        ProvidedCluster::Core => {
            let found = core_contents(state, graph, node).found;
            let is_examined = |one: &NodeId| {
                look.cascade.going.contains_key(one)
                    || look.cascade.refused.contains_key(one)
                    || look.cascade.kept.contains_key(one)
            };
            (!found.iter().all(is_examined)).then(|| format!("what is deleted with {key} was not examined"))
        }
    }
}

/// Returns the Objects that create one of these objects again.
pub(super) fn restoring(state: &ClusterState, graph: &Graph<'_>, roots: &[NodeId]) -> Vec<NodeId> {
    let creates = |resource: &Resource| {
        let end = resource.whole.as_deref().map(|whole| external_removal(&resource.kind, whole).end);
        is_object(&resource.kind) && !matches!(end, None | Some(RemovalEffect::Left(_) | RemovalEffect::Held(_)))
    };
    let objects = (0..state.resources.len()).filter(|node| creates(&state.resources[*node]));
    let restores = objects.filter(|node| {
        let managed = managed_key(state, &state.resources[*node]).and_then(|key| graph.find(&key));
        managed.is_some_and(|managed| roots.contains(&managed))
            && matches!(cluster_of(state, graph, *node), ProvidedCluster::Core)
    });
    restores.collect()
}

/// Returns the blocks of an object to which Objects refer: a finalizer keeps it until they are deleted.
pub(super) fn reference_blocks(look: &DeletionContext<'_, '_>, resource: &Resource) -> Vec<DeletionBlock> {
    let finalizers = resource.metadata.finalizers.iter().map(AsRef::as_ref);
    let references = finalizers.filter_map(|name: &str| {
        let uid = name.split_once('/')?.1.strip_prefix(REFERRED)?;
        let mut objects = look.state.resources.iter().enumerate().filter(|(_, one)| is_object(&one.kind));
        let (node, by) = objects.find(|(_, one)| one.metadata.uid.to_string() == uid)?;
        let why = format!("{} refers to it: finalizer {name} keeps it until that is deleted", by.name());
        (!look.cascade.going.contains_key(&node)).then(|| DeletionBlock {
            code: Code::StillInUse,
            reason: why,
            command: format!("kubectl delete {}", by.name()),
        })
    });
    references.collect()
}
