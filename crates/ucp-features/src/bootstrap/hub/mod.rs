//! The ownership of a hub: the repositories that its root objects come from, and workloads without a declaration.

mod checkout_declarations;
mod flux_instance;
mod live_deployers;
mod revision;
mod source;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::desire::deploys;
use super::family::is_known_chart;
use super::gather::default_engine_namespace;
use ucp_core::engine;
use ucp_core::engine::crossplane::{CrossplaneRole, role};
use ucp_core::graph::{Graph, NodeIdentity};
use ucp_core::model::body::{BodyShape, KindRequest};
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::grounds::{Grounded, Grounds, GroundsEvidence, Ungrounded};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::{ObjectKey, ObjectName};
use ucp_core::model::resource::Resource;
use ucp_core::model::secrecy::scrub;
use ucp_core::model::state::ClusterState;

pub use checkout_declarations::CheckoutDeclarations;
use checkout_declarations::DeclaredOrigin;
use flux_instance::FLUX_INSTANCE;
use live_deployers::{is_hub_deployer, live_deployers};
pub use revision::{PlannedUpdate, RevisionChange, declared_revision_changes, planned_revision_changes};
use source::{ManifestSource, ManifestSources, SourceDetails, sources};

/// Kinds of workloads and of their data.
const WORKLOADS: [(&str, &str); 16] = [
    ("", "PersistentVolumeClaim"),
    ("", "Pod"),
    ("", "ReplicationController"),
    ("apps", "DaemonSet"),
    ("apps", "Deployment"),
    ("apps", "ReplicaSet"),
    ("apps", "StatefulSet"),
    ("apps.kruise.io", "CloneSet"),
    ("apps.openshift.io", "DeploymentConfig"),
    ("argoproj.io", "Rollout"),
    ("batch", "CronJob"),
    ("batch", "Job"),
    ("kubevirt.io", "VirtualMachine"),
    ("leaderworkerset.x-k8s.io", "LeaderWorkerSet"),
    ("ray.io", "RayCluster"),
    ("serving.knative.dev", "Service"),
];
/// Kinds of deployers and their sources. All of them must be read before ownership can be determined.
const DEPLOYERS: [(&str, &str); 8] = [
    ("argoproj.io", "Application"),
    ("argoproj.io", "ApplicationSet"),
    ("kustomize.toolkit.fluxcd.io", "Kustomization"),
    ("helm.toolkit.fluxcd.io", "HelmRelease"),
    FLUX_INSTANCE,
    ("source.toolkit.fluxcd.io", "GitRepository"),
    ("source.toolkit.fluxcd.io", "OCIRepository"),
    ("source.toolkit.fluxcd.io", "Bucket"),
];
/// Prefixes of namespaces whose workloads are part of a cluster: `kube-` is reserved by Kubernetes, the others are
/// those of distributions and managed offerings.
const OF_CLUSTERS: [&str; 7] =
    ["kube-", "gke-", "gmp-", "calico-", "tigera-operator", "local-path-storage", "openshift-"];

/// A root object of the hub that does not come from the checkout.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ForeignRoot {
    /// The root object.
    pub object: ObjectName,
    /// The sources that it deploys from: URLs, each with its path.
    pub sources: Vec<String>,
    /// The sources of this object according to the checkout, if that declares it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub declared: Vec<String>,
}

/// Evidence against writing a checkout to a cluster.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HubOwnership {
    /// Root objects from other repositories or other paths. With any, the cluster is the hub of another repository.
    pub foreign_roots: Vec<ForeignRoot>,
    /// Root objects that deploy another revision of this repository. Objects that only the other revision declares would be
    /// deleted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub revisions: Vec<RevisionChange>,
    /// Workloads and external resources that the checkout does not declare, on a cluster that is not its hub yet.
    pub undeclared: Vec<ObjectName>,
    /// The URLs that the deployers of the checkout use for it.
    pub sources: Vec<String>,
}

impl HubOwnership {
    /// Returns true if there is no evidence against writing.
    pub fn is_free(&self) -> bool {
        self.foreign_roots.is_empty() && self.revisions.is_empty() && self.undeclared.is_empty()
    }

    /// Returns the evidence that is not part of a confirmed ownership. Revisions are left out: an update of an object that
    /// changed since the plan fails.
    #[must_use]
    pub fn unconfirmed(self, confirmed: &Self) -> Self {
        let is_new = |root: &ForeignRoot| !confirmed.foreign_roots.contains(root);
        Self {
            foreign_roots: self.foreign_roots.into_iter().filter(is_new).collect(),
            revisions: Vec::new(),
            undeclared: self.undeclared.into_iter().filter(|one| !confirmed.undeclared.contains(one)).collect(),
            sources: self.sources,
        }
    }
}

/// The field `hub` of the document `BootstrapPlan`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HubReport {
    /// The text that the user enters to write anyway: the name of the context, or the server if there is no context.
    pub name: String,
    /// The evidence against writing.
    #[serde(flatten)]
    pub ownership: HubOwnership,
    /// The lists that the evidence is based on.
    pub grounds: Grounds,
}

/// Returns the parts of a kind to read.
pub fn want(kind: &ResourceKind) -> Option<KindRequest> {
    if is_hub_deployer(&kind.group, &kind.kind) {
        return Some(
            engine::want(kind).map_or(KindRequest::whole(BodyShape::Any), |want| KindRequest::whole(want.shape)),
        );
    }
    (is_workload(kind) || has_external_resource(kind)).then_some(KindRequest::all(BodyShape::Metadata))
}

/// Returns true if objects of a kind deploy others, unlike projects and sources.
fn brings_objects(kind: &str) -> bool {
    deploys(kind) || kind == FLUX_INSTANCE.1
}

fn is_workload(kind: &ResourceKind) -> bool {
    WORKLOADS.contains(&(kind.group.as_str(), kind.kind.as_str()))
}

fn has_external_resource(kind: &ResourceKind) -> bool {
    matches!(role(kind), Some(CrossplaneRole::Managed | CrossplaneRole::Composite | CrossplaneRole::Claim))
        || engine::outside(kind).is_some()
}

/// Compares the root objects of a cluster with those of a checkout.
///
/// # Errors
/// Fails when a required list could not be read.
pub fn examine(
    state: &ClusterState,
    checkout: &CheckoutDeclarations<'_>,
) -> Result<Grounded<HubOwnership>, Ungrounded<HubOwnership>> {
    let mut evidence = GroundsEvidence::new();
    for (group, kind) in DEPLOYERS {
        evidence.require_list(state, None, group, kind);
    }
    let (is_ours, mut ownership) = compare_roots(state, checkout);
    if !is_ours {
        for (group, kind) in WORKLOADS {
            evidence.require_list(state, None, group, kind);
        }
        for entry in &state.unreadable {
            evidence.add_gap(entry.clone());
        }
        ownership.undeclared = undeclared(state, checkout);
    }
    evidence.establish(ownership)
}

/// Returns true if any deployer comes from the checkout, and the root objects of the cluster that come from elsewhere.
pub fn compare_roots(state: &ClusterState, checkout: &CheckoutDeclarations<'_>) -> (bool, HubOwnership) {
    let objects = live_deployers(state);
    let live: BTreeMap<&ObjectKey, ManifestSources> =
        objects.iter().map(|(key, object)| (key, sources(key, object, &|key| objects.get(key).copied()))).collect();
    let source_at = |key: &ObjectKey| checkout.declared.get(key).or_else(|| objects.get(key)).copied();
    let deployers = checkout.declared.iter().filter(|(key, _)| is_hub_deployer(&key.group, &key.kind));
    let declared: BTreeMap<&ObjectKey, ManifestSources> =
        deployers.map(|(key, object)| (key, sources(key, object, &source_at))).collect();
    let (mut is_ours, mut foreign) = (false, Vec::new());
    for (key, wanted) in &declared {
        let Some(found) = live.get(key) else { continue };
        match checkout.compare(wanted, found) {
            Some(DeclaredOrigin::Foreign) => foreign.push((*key, found, display_sources(wanted.values()))),
            // A source does not determine the objects that are deployed from it.
            Some(DeclaredOrigin::Checkout) => is_ours |= brings_objects(&key.kind),
            Some(DeclaredOrigin::SameElsewhere) | None => {}
        }
    }
    if !is_ours {
        let others = root_deployers(state, &live).into_iter().filter(|key| !declared.contains_key(key));
        foreign.extend(others.filter_map(|key| Some((key, live.get(key)?, Vec::new()))));
    }
    let object = |key: &ObjectKey| state.find(key).map(Resource::name);
    let foreign_roots = foreign.into_iter().filter_map(|(key, sources, declared)| {
        Some(ForeignRoot { object: object(key)?, sources: display_sources(sources.values()), declared })
    });
    let own: BTreeMap<&ManifestSource, &SourceDetails> =
        declared.values().flat_map(|sources| checkout.own_sources(sources)).collect();
    let urls: BTreeSet<String> =
        own.into_values().map(|details| details.shown.split(" (").next().unwrap_or_default().to_owned()).collect();
    let (foreign_roots, sources) = (foreign_roots.collect(), urls.into_iter().collect());
    (is_ours, HubOwnership { foreign_roots, sources, ..HubOwnership::default() })
}

/// Returns the other repositories that the deployers of a cluster use, with the number of deployers of each. Well-known
/// charts contain no external resources, and do not count.
pub fn other_repositories(state: &ClusterState, checkout: &CheckoutDeclarations<'_>) -> BTreeMap<String, usize> {
    let objects = live_deployers(state);
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    for (key, object) in objects.iter().filter(|(key, _)| brings_objects(&key.kind)) {
        let sources = sources(key, object, &|key| objects.get(key).copied());
        let is_other = |source: &ManifestSource| {
            !(checkout.selection.has_url(&source.repository) || source.is_chart && is_known_chart(&source.path))
        };
        let others = sources.into_keys().filter(is_other);
        for repository in others.map(|source| scrub(&source.repository).into_owned()).collect::<BTreeSet<_>>() {
            *found.entry(repository).or_default() += 1;
        }
    }
    found
}

fn display_sources<'a>(sources: impl Iterator<Item = &'a SourceDetails>) -> Vec<String> {
    sources.map(|details| details.shown.clone()).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Returns the deployers of a cluster that no other deployer applies. A chart is a root only if it applies deployers.
fn root_deployers<'a>(
    state: &ClusterState,
    live: &BTreeMap<&'a ObjectKey, ManifestSources>,
) -> BTreeSet<&'a ObjectKey> {
    let graph = Graph::from_objects_only(state, engine::links);
    let mut parents: BTreeMap<&ObjectKey, BTreeSet<ObjectKey>> = BTreeMap::new();
    for key in live.keys().copied().filter(|key| brings_objects(&key.kind)) {
        let above = graph.find(key).map(|node| graph.origins(node)).unwrap_or_default();
        let above = above.into_iter().filter_map(|node| match &graph.node(node).thing {
            NodeIdentity::Object(above) if brings_objects(&above.kind) && above != key && live.contains_key(above) => {
                Some(above.clone())
            }
            _ => None,
        });
        parents.insert(key, above.collect());
    }
    let brings: BTreeSet<&ObjectKey> = parents.values().flatten().collect();
    let is_chart = |key: &ObjectKey| live.get(key).is_none_or(|sources| sources.keys().all(|source| source.is_chart));
    let is_root = |key: &&ObjectKey| brings.contains(*key) || !is_chart(key);
    let first: BTreeSet<&ObjectKey> =
        parents.iter().filter(|(_, above)| above.is_empty()).map(|(key, _)| *key).filter(is_root).collect();
    // If deployers apply each other, none of them is the first.
    if first.is_empty() { parents.keys().copied().filter(is_root).collect() } else { first }
}

/// Returns workloads and objects with external resources that the checkout does not declare.
fn undeclared(state: &ClusterState, checkout: &CheckoutDeclarations<'_>) -> Vec<ObjectName> {
    let homes = [GitOps::ArgoCd, GitOps::Flux].map(default_engine_namespace);
    let comes_with_clusters = |resource: &Resource| {
        let namespace = resource.metadata.namespace.as_deref().unwrap_or_default();
        let is_of_cluster = OF_CLUSTERS.iter().any(|begin| namespace.starts_with(begin));
        // An engine without roots deploys nothing yet.
        is_workload(&resource.kind) && (is_of_cluster || homes.contains(&namespace))
    };
    let counts = |resource: &&Resource| {
        (is_workload(&resource.kind) || has_external_resource(&resource.kind))
            && !comes_with_clusters(resource)
            && resource.metadata.controller().is_none()
            && !checkout.declared.contains_key(&resource.key())
    };
    let mut found: Vec<ObjectName> = state.resources.iter().filter(counts).map(Resource::name).collect();
    found.sort();
    found
}
