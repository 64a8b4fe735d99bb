//! All app clusters that a core cluster knows: their provisioners, the Secrets with their access, and their
//! registrations.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use crate::adopt::access::AllowedHazards;
use crate::adopt::candidate::{self, AccessCandidate};
use crate::adopt::cluster::AppCluster;
use crate::adopt::deployment::{self, ClusterDeployment};
use crate::adopt::grounds::InventoryGrounds;
use crate::adopt::homes::{EngineDoubt, EngineNamespaces};
use crate::adopt::names::SecretKeyName;
use crate::adopt::provisioner::{Provisioner, ProvisionerRank, ServerKinds};
use crate::adopt::registration::Registration;
use crate::adopt::state::{self, SecretCoverage, SecretsRead};
use crate::adopt::{argocd, distributor, flux};
use ucp_core::model::body::Body;
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::resource::Resource;
use ucp_core::model::server::canonical_url;
use ucp_core::model::state::{ClusterState, Origin, Unreadable};

/// All facts about app clusters in one state of a core cluster.
#[derive(Debug)]
pub struct AppClusterInventory {
    /// The clusters, sorted by name.
    pub clusters: Vec<AppCluster>,
    /// The deployments to these clusters.
    pub deployments: Vec<ClusterDeployment>,
    /// The engines whose kinds the core cluster has.
    pub installed: BTreeSet<GitOps>,
    /// The namespaces of the engines.
    pub homes: EngineNamespaces,
    /// URL of the core cluster's API server, or the path of its snapshot.
    pub core: String,
    /// The moment of the cluster state.
    pub moment: Timestamp,
    /// Lists that could not be read, so that clusters may be missing.
    pub unreadable: Vec<Unreadable>,
    /// The evidence for changes of registrations.
    pub grounds: InventoryGrounds,
}

/// Flags that decide which objects are read, and how they are judged.
#[derive(Debug, Clone, Default)]
pub struct InventoryOptions {
    /// Argo CD's namespace, if a flag names it.
    pub argocd_namespace: Option<String>,
    /// Flux's namespace, if a flag names it.
    pub flux_namespace: Option<String>,
    /// If present, only Secrets in this namespace are candidates.
    pub namespace: Option<String>,
    /// The hazards in kubeconfigs that flags allow.
    pub allowed: AllowedHazards,
}

impl InventoryOptions {
    /// Returns the namespaces of the engines of a state.
    pub fn engine_namespaces(&self, state: &ClusterState) -> EngineNamespaces {
        EngineNamespaces::find(state, self.argocd_namespace.as_deref(), self.flux_namespace.as_deref())
    }
}

/// Builds the inventory of a cluster state.
pub fn build_inventory(state: &ClusterState, kinds: &ServerKinds, view: &InventoryOptions) -> AppClusterInventory {
    let provisioned: Vec<&Resource> =
        state.resources.iter().filter(|resource| matches!(resource.body, Body::ProvisionedCluster(_))).collect();
    let references: Vec<_> = state.resources.iter().filter_map(flux::FluxClusterReference::from_resource).collect();
    let homes = view.engine_namespaces(state);
    let registrations = state.resources.iter().filter_map(|resource| {
        argocd::read(resource)
            .filter(|registration| registration.object.namespace.as_ref() == Some(&homes.argocd))
            .or_else(|| flux::read(resource, &references))
    });
    let is_home = |registration: &Registration| homes.keeps(registration);
    // Anyone with the right to write a Secret elsewhere could otherwise redirect passwords to a server of their own.
    let mut distributors: Vec<Registration> =
        state.resources.iter().filter_map(distributor::read).filter(&is_home).collect();
    distributors.sort_by_key(|one| one.object.namespace.as_ref() != Some(&homes.distribution));
    let candidates = state
        .resources
        .iter()
        .filter(|resource| view.namespace.is_none() || resource.metadata.namespace == view.namespace)
        .filter_map(|resource| candidate::read(resource, &provisioned, kinds));
    let mut clusters = merge_copies(candidates.collect());
    add_without_secret(&mut clusters, &provisioned);
    let mut registrations: Vec<Registration> = registrations.collect();
    registrations.sort_by_key(|one| !is_home(one));
    // Allowed hazards only count in namespaces that no tenant can write to.
    let of_tenants = registrations.iter_mut().filter(|one| !is_home(one));
    of_tenants.filter_map(|one| one.record.as_mut()).for_each(|record| record.allowed.clear());
    add_registrations(&mut clusters, registrations, &is_home);
    add_distributors(&mut clusters, distributors);
    for cluster in &mut clusters {
        cluster.name = name(cluster);
    }
    let coverage = coverage(state, view, &homes, &references);
    state::judge(&mut clusters, &view.allowed, state.moment, &coverage);
    clusters.sort_by(|left, right| left.name.cmp(&right.name));
    let installed = [
        (GitOps::ArgoCd, "argoproj.io", "Application"),
        (GitOps::Flux, "kustomize.toolkit.fluxcd.io", "Kustomization"),
    ]
    .into_iter()
    .filter_map(|(engine, group, kind)| kinds.has(group, kind).then_some(engine))
    .collect();
    // Without its namespace, the registrations of Argo CD are not known; Kustomizations name those of Flux.
    let doubts: Vec<Unreadable> = homes.doubt(GitOps::ArgoCd).map(EngineDoubt::entry).into_iter().collect();
    AppClusterInventory {
        deployments: deployment::all(&state.resources, &clusters),
        clusters,
        installed,
        homes,
        core: match &state.origin {
            Origin::Cluster { server, .. } => server.clone(),
            Origin::Snapshot { path } => path.clone(),
        },
        moment: state.moment,
        unreadable: state.unreadable.iter().cloned().chain(doubts).collect(),
        grounds: InventoryGrounds::from_state(state),
    }
}

/// The namespaces whose Secrets were read: all of a live cluster, or with a namespace only that one and those of the
/// engines; for a snapshot, those that it contains.
fn coverage(
    state: &ClusterState,
    view: &InventoryOptions,
    homes: &EngineNamespaces,
    references: &[flux::FluxClusterReference],
) -> SecretCoverage {
    let is_snapshot = matches!(state.origin, Origin::Snapshot { .. });
    let has_secrets = state.kinds.iter().any(|kind| kind.group.is_empty() && kind.kind == "Secret");
    let is_denied = state.unreadable.iter().any(|entry| entry.what == "secrets");
    let nowhere = is_denied || is_snapshot && !has_secrets;
    let within = |namespaces: BTreeSet<String>| match nowhere {
        true => SecretsRead::Nowhere,
        false => SecretsRead::In(namespaces),
    };
    let everywhere = || if nowhere { SecretsRead::Nowhere } else { SecretsRead::Everywhere };
    let registrations = match &view.namespace {
        Some(namespace) if !is_snapshot => {
            within([namespace, &homes.argocd, &homes.flux].into_iter().cloned().collect())
        }
        _ => everywhere(),
    };
    SecretCoverage {
        candidates: view.namespace.clone().map_or_else(everywhere, |namespace| within([namespace].into())),
        registrations,
        registered_in: references.iter().map(|reference| reference.namespace().to_owned()).collect(),
    }
}

/// Merges candidates with the same server into one cluster, since claims and composites have copies of their managed
/// resource's Secret. Candidates for `localhost` are not merged, as each may be another cluster.
fn merge_copies(mut candidates: Vec<AccessCandidate>) -> Vec<AppCluster> {
    candidates.sort_by(|left, right| {
        let rank = |candidate: &AccessCandidate| {
            candidate.provisioner.as_ref().map_or(ProvisionerRank::Claim, |owner| owner.rank)
        };
        (rank(left), left.provisioner.is_none(), &left.source).cmp(&(
            rank(right),
            right.provisioner.is_none(),
            &right.source,
        ))
    });
    let mut clusters: Vec<AppCluster> = Vec::new();
    let mut by_server: BTreeMap<String, usize> = BTreeMap::new();
    for candidate in candidates {
        let endpoint = candidate.access.as_ref().ok().map(|access| access.endpoint());
        let server =
            endpoint.filter(|endpoint| !endpoint.is_localhost()).map(|endpoint| canonical_url(&endpoint.server));
        if let Some(index) = server.as_ref().and_then(|server| by_server.get(server)) {
            clusters[*index].candidates.push(candidate);
            continue;
        }
        by_server.extend(server.map(|server| (server, clusters.len())));
        clusters.push(AppCluster {
            provisioner: candidate.provisioner.clone(),
            candidates: vec![candidate],
            ..AppCluster::empty()
        });
    }
    clusters
}

/// Adds clusters whose managed resource has not written a Secret, or has none.
fn add_without_secret(clusters: &mut Vec<AppCluster>, provisioned: &[&Resource]) {
    for resource in provisioned {
        let Some(provisioner) = Provisioner::from_resource(resource) else { continue };
        let server = provisioner.endpoint.as_deref().map(canonical_url);
        let known = clusters.iter_mut().find(|cluster| {
            let owned = cluster.candidates.iter().filter_map(|candidate| candidate.provisioner.as_ref());
            let is_owner = owned.into_iter().any(|owner| owner.object == provisioner.object);
            is_owner || server.is_some() && cluster.server().map(|server| canonical_url(&server)) == server
        });
        match known {
            // The Secret belongs to an EKS ClusterAuth, but the cloud's name is in the Cluster.
            Some(cluster) if cluster.provisioner.as_ref().is_none_or(|owner| owner.cloud_id.is_none()) => {
                cluster.provisioner = Some(provisioner);
            }
            Some(_) => {}
            None => clusters.push(AppCluster { provisioner: Some(provisioner), ..AppCluster::empty() }),
        }
    }
}

/// Adds each registration to the cluster of its recorded source if it is in an engine's namespace, or else to the
/// cluster at its URL.
fn add_registrations(
    clusters: &mut Vec<AppCluster>,
    registrations: Vec<Registration>,
    is_home: &dyn Fn(&Registration) -> bool,
) {
    for registration in registrations {
        let record = registration.record.as_ref().filter(|_| is_home(&registration));
        let source = record.and_then(|record| record.source.as_ref());
        let server = registration.server.as_deref().map(canonical_url);
        let by_source = source.and_then(|source| position_by_secret(clusters, source));
        let by_object = || {
            clusters.iter().position(|cluster| {
                cluster.candidates.iter().any(|candidate| {
                    candidate.source.name == registration.object.name
                        && Some(&candidate.source.namespace) == registration.object.namespace.as_ref()
                })
            })
        };
        match by_source.or_else(by_object).or_else(|| position_by_server(clusters, server.as_ref()?)) {
            Some(index) => clusters[index].registrations.push(registration),
            None => clusters.push(AppCluster { registrations: vec![registration], ..AppCluster::empty() }),
        }
    }
}

/// Adds registrations with `kubectl ucp secrets` in the same way; the first of several for a cluster is used. One
/// without a known cluster becomes a cluster of its own.
fn add_distributors(clusters: &mut Vec<AppCluster>, distributors: Vec<Registration>) {
    for distributor in distributors {
        let source = distributor.record.as_ref().and_then(|record| record.source.as_ref());
        let server = distributor.server.as_deref().map(canonical_url);
        let place = source
            .and_then(|source| position_by_secret(clusters, source))
            .or_else(|| position_by_server(clusters, server.as_ref()?));
        match place {
            Some(index) => drop(clusters[index].distributor.get_or_insert(distributor)),
            None => clusters.push(AppCluster { distributor: Some(distributor), ..AppCluster::empty() }),
        }
    }
}

/// The index of the cluster with this Secret among its candidates.
fn position_by_secret(clusters: &[AppCluster], source: &SecretKeyName) -> Option<usize> {
    clusters.iter().position(|cluster| cluster.candidates.iter().any(|candidate| candidate.source == *source))
}

/// The index of the cluster with this server.
fn position_by_server(clusters: &[AppCluster], server: &String) -> Option<usize> {
    clusters.iter().position(|cluster| cluster.server().map(|known| canonical_url(&known)).as_ref() == Some(server))
}

fn name(cluster: &AppCluster) -> String {
    let registered = cluster.all_registrations().min_by_key(|registration| registration.holder);
    let candidate = cluster.candidate();
    let provisioned = cluster.provisioner.as_ref().or_else(|| candidate?.provisioner.as_ref());
    registered
        .map(|registration| registration.name.clone())
        .or_else(|| provisioned.map(|provisioner| provisioner.object.name.clone()))
        .or_else(|| candidate.map(|candidate| candidate.name.clone()))
        .unwrap_or_default()
}
