//! Values from a cluster or a snapshot.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::answer::CompletionCandidate;
use ucp_client::source::live::look_up::LookUp;
use ucp_client::source::{self, ConnectionArgs, Query};
use ucp_core::engine::crossplane::{CrossplaneRole, role};
use ucp_core::engine::may_own;
use ucp_core::engine::{self, is_listed};
use ucp_core::error::Result;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::ObjectName;
use ucp_core::model::state::ClusterState;
use ucp_features::adopt::inventory::{self, InventoryOptions};
use ucp_features::adopt::live::gather;

/// API path of the packages that install providers.
const PROVIDERS: &str = "/apis/pkg.crossplane.io/v1/providers";

/// Returns the namespaces.
pub(super) fn namespaces(connection: &ConnectionArgs) -> Result<Vec<CompletionCandidate>> {
    if connection.from.is_none() {
        return names(LookUp::connect(connection)?.names("/api/v1/namespaces")?);
    }
    let state = read_snapshot(connection)?;
    let namespaces: BTreeSet<_> =
        state.resources.into_iter().filter_map(|resource| resource.into_parts().metadata.namespace).collect();
    names(namespaces)
}

/// Returns the app clusters, with the names that `clusters` shows.
pub(super) fn app_clusters(connection: &ConnectionArgs) -> Result<Vec<CompletionCandidate>> {
    let gathered = gather::gather(connection, &InventoryOptions::default(), &|_, _| {})?;
    names(
        inventory::build_inventory(&gathered.state, &gathered.kinds, &InventoryOptions::default())
            .clusters
            .into_iter()
            .map(|one| one.name),
    )
}

/// Returns the provider packages.
pub(super) fn providers(connection: &ConnectionArgs) -> Result<Vec<CompletionCandidate>> {
    if connection.from.is_none() {
        return names(LookUp::connect(connection)?.names(PROVIDERS)?);
    }
    let state = read_snapshot(connection)?;
    let is_provider = |kind: &ResourceKind| role(kind) == Some(CrossplaneRole::Package) && kind.kind == "Provider";
    names(state.resources.into_iter().filter(|one| is_provider(&one.kind)).map(|one| one.into_parts().metadata.name))
}

/// Returns the API groups of resources.
pub(super) fn groups(connection: &ConnectionArgs) -> Result<Vec<CompletionCandidate>> {
    let is_crossplanes = |kind: &&Arc<ResourceKind>| is_listed(kind);
    let kinds = ResourceCompletions::from_connection(connection)?.kinds;
    names(kinds.iter().filter(is_crossplanes).map(|kind| kind.group.clone()).collect::<BTreeSet<_>>())
}

/// Returns the objects of a kind, as `KIND/NAME` with the kind as typed. If kubectl has cached the kind, discovery is
/// skipped.
pub(super) fn objects(
    connection: &ConnectionArgs,
    namespace: Option<&str>,
    kind: &str,
) -> Result<Vec<CompletionCandidate>> {
    let source = CompletionSource::from_connection(connection)?;
    if let CompletionSource::Cluster(cluster) = &source
        && let Some(kinds) = cluster.remembered_kinds()
    {
        let objects = source.objects(&kinds, namespace, kind);
        // An unknown kind may be newer than the cache.
        if !objects.is_empty() {
            return Ok(objects);
        }
    }
    Ok(source.objects(&source.kinds()?, namespace, kind))
}

/// The kinds of resources and their objects, with one connection and one discovery.
pub(super) struct ResourceCompletions {
    source: CompletionSource,
    kinds: Vec<Arc<ResourceKind>>,
}

enum CompletionSource {
    Cluster(Box<LookUp>),
    Snapshot(Box<ClusterState>),
}

impl CompletionSource {
    fn from_connection(connection: &ConnectionArgs) -> Result<Self> {
        Ok(match connection.from.is_none() {
            true => Self::Cluster(Box::new(LookUp::connect(connection)?)),
            false => Self::Snapshot(Box::new(read_snapshot(connection)?)),
        })
    }

    fn kinds(&self) -> Result<Vec<Arc<ResourceKind>>> {
        match self {
            Self::Cluster(cluster) => cluster.kinds(),
            Self::Snapshot(state) => Ok(state.kinds.clone()),
        }
    }

    fn objects(&self, kinds: &[Arc<ResourceKind>], namespace: Option<&str>, kind: &str) -> Vec<CompletionCandidate> {
        let names = match self {
            Self::Cluster(cluster) => {
                let found = kinds.iter().filter(|found| is_offered(found) && found.is_called(kind));
                cluster.all_names(&found.map(|found| found.path(namespace)).collect::<Vec<_>>())
            }
            Self::Snapshot(state) => {
                let is_meant = |name: &ObjectName, found: &ResourceKind| {
                    is_offered(found)
                        && found.is_called(kind)
                        && namespace.is_none_or(|wanted| name.namespace.as_ref().is_none_or(|actual| actual == wanted))
                };
                let meant = state.resources.iter().filter(|one| is_meant(&one.name(), &one.kind));
                meant.map(|one| one.metadata.name.clone()).collect()
            }
        };
        names.into_iter().map(|name| format!("{kind}/{name}").into()).collect()
    }
}

impl ResourceCompletions {
    /// Discovers the kinds.
    pub(super) fn from_connection(connection: &ConnectionArgs) -> Result<Self> {
        let source = CompletionSource::from_connection(connection)?;
        let mut kinds = source.kinds()?;
        kinds.retain(|kind| is_offered(kind));
        Ok(Self { source, kinds })
    }

    /// Returns the kinds, with their group if the kind alone is ambiguous.
    pub(super) fn kinds(&self) -> Vec<CompletionCandidate> {
        // The number of kinds that a word matches, as in `is_called`, without comparing all pairs.
        let mut meant: BTreeMap<String, usize> = BTreeMap::new();
        for kind in &self.kinds {
            let words = [&kind.kind, &kind.plural].into_iter().chain(&kind.aliases);
            for word in words.map(|word| word.to_ascii_lowercase()).collect::<BTreeSet<_>>() {
                *meant.entry(word).or_default() += 1;
            }
        }
        let named = |kind: &ResourceKind| {
            let name = kind.kind.to_ascii_lowercase();
            let name = if meant[&name] > 1 { format!("{name}.{}", kind.group) } else { name };
            CompletionCandidate::new(name, format!("{} of {}", kind.kind, kind.group))
        };
        self.kinds.iter().map(|kind| named(kind)).collect()
    }

    /// Returns the objects of a kind.
    pub(super) fn objects(&self, namespace: Option<&str>, kind: &str) -> Vec<CompletionCandidate> {
        self.source.objects(&self.kinds, namespace, kind)
    }
}

/// Returns the objects that own others: claims, composites, and deployers.
pub(super) fn owners(connection: &ConnectionArgs) -> Result<Vec<CompletionCandidate>> {
    if connection.from.is_none() {
        let cluster = LookUp::connect(connection)?;
        let paths: Vec<_> = cluster.kinds()?.iter().filter(|kind| may_own(kind)).map(|kind| kind.path(None)).collect();
        return names(cluster.all_names(&paths));
    }
    let resources = read_snapshot(connection)?.resources;
    names(resources.into_iter().filter(|one| may_own(&one.kind)).map(|one| one.into_parts().metadata.name))
}

fn names(names: impl IntoIterator<Item = String>) -> Result<Vec<CompletionCandidate>> {
    Ok(names.into_iter().map(CompletionCandidate::from).collect())
}

/// Returns true if completion offers objects of a kind: Crossplane's, and those of the engines that apply from Git.
fn is_offered(kind: &ResourceKind) -> bool {
    is_listed(kind) || may_own(kind) || role(kind) == Some(CrossplaneRole::Package)
}

fn read_snapshot(connection: &ConnectionArgs) -> Result<ClusterState> {
    source::read(connection, &Query::all(&engine::want))
}
