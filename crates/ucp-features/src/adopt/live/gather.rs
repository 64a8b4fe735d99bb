//! Reads the objects of a core cluster from which the inventory is built.

use std::collections::BTreeSet;

use crate::adopt::grounds::DEPLOYERS;
use crate::adopt::inventory::InventoryOptions;
use crate::adopt::provisioner::{self, ServerKinds};
use ucp_client::source::live;
use ucp_client::source::live::api::Api;
use ucp_client::source::live::definition::{self, DeniedDefinition};
use ucp_client::source::{self, ConnectionArgs, Query, kubeconfig};
use ucp_core::error::Result;
use ucp_core::model::body::{BodyShape, KeepAmount, KindRequest};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::state::{ClusterState, Unreadable};

/// A state of a core cluster, and the kinds it serves.
pub struct CoreClusterState {
    /// The objects that were read.
    pub state: ClusterState,
    /// All kinds that the server has, including those that were not read.
    pub kinds: ServerKinds,
}

/// A state of all namespaces of the same core cluster that was read a moment before, and need not be read again.
pub struct PreviousRead<'a> {
    /// The cluster state.
    pub state: ClusterState,
    /// The query with which it was read.
    pub want: &'a (dyn Fn(&ResourceKind) -> Option<KindRequest> + Sync),
}

impl PreviousRead<'_> {
    /// Adds its resources to a state that was read separately.
    fn add_to(self, state: &mut ClusterState, want: &dyn Fn(&ResourceKind) -> Option<KindRequest>) {
        let is_shared = |kind: &ResourceKind| covers((self.want)(kind), want(kind));
        let ClusterState { kinds, resources, unreadable, moment, .. } = self.state;
        let kinds: Vec<_> = kinds.into_iter().filter(|kind| is_shared(kind)).collect();
        let is_lost = |entry: &Unreadable| kinds.iter().any(|kind| entry.is_of(kind));
        state.unreadable.extend(unreadable.into_iter().filter(is_lost));
        state.resources.extend(resources.into_iter().filter(|resource| is_shared(&resource.kind)));
        state.kinds.extend(kinds);
        state.moment = state.moment.max(moment);
    }
}

/// Reads Secrets, provisioned clusters, and the deployers of engines. With a namespace, Secrets and ConfigMaps are read
/// only there and in the engines' namespaces, as a least-privileged user may read no others.
///
/// # Errors
/// Fails when nothing could be read.
pub fn gather(
    connection: &ConnectionArgs,
    view: &InventoryOptions,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<CoreClusterState> {
    gather_with(connection, view, &|_| None, None, progress)
}

/// Reads the same as [`gather`], and the kinds that `more` returns. For those kinds, `more` replaces the default query,
/// so it must not ask for less. The state in `known` is not read again.
///
/// # Errors
/// Fails when nothing could be read.
pub fn gather_with(
    connection: &ConnectionArgs,
    view: &InventoryOptions,
    more: &(dyn Fn(&ResourceKind) -> Option<KindRequest> + Sync),
    known: Option<PreviousRead<'_>>,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<CoreClusterState> {
    let want = |kind: &ResourceKind| more(kind).or_else(|| want(kind));
    // A snapshot is read once, since standard input can only be read once.
    let narrowed = view.namespace.as_ref().filter(|_| connection.from.is_none());
    // A state of one namespace is not complete.
    let known = known.filter(|known| known.state.namespace.is_none());
    let before = known.as_ref().map(|known| known.want);
    let everything = |kind: &ResourceKind| {
        let is_known = before.is_some_and(|before| covers(before(kind), want(kind)));
        if is_known || narrowed.is_some() && is_private(kind) { None } else { want(kind) }
    };
    let mut state = source::read(connection, &Query { progress, ..Query::all(&everything) })?;
    if let Some(known) = known {
        known.add_to(&mut state, &want);
    }
    let private = |kind: &ResourceKind| is_private(kind).then(|| want(kind)).flatten();
    let homes = view.engine_namespaces(&state);
    let wanted = narrowed.map(|namespace| BTreeSet::from([namespace, &homes.argocd, &homes.flux])).unwrap_or_default();
    for namespace in wanted {
        let query = Query { namespace: Some(namespace), progress, ..Query::all(&private) };
        let more = source::read(connection, &query)?;
        state.resources.extend(more.resources);
        state.unreadable.extend(more.unreadable);
    }
    let kinds = ServerKinds::of_state(&state);
    Ok(CoreClusterState { state, kinds })
}

/// Adds a gap for each kind of deployer that a live server defines and does not list: for a moment, discovery may omit it.
///
/// # Errors
/// Fails when no connection is configured.
pub fn report_hidden_deployers(
    connection: &ConnectionArgs,
    gathered: &mut CoreClusterState,
    denied: DeniedDefinition,
) -> Result<()> {
    if connection.from.is_some() {
        return Ok(());
    }
    let absent = DEPLOYERS.iter().filter(|(group, kind, _)| !gathered.kinds.has(group, kind));
    let names: Vec<String> = absent.map(|(group, _, plural)| format!("{plural}.{group}")).collect();
    let hidden = live::runtime()?.block_on(async {
        let api = Api::connect(&kubeconfig::load(connection)?, connection.request_timeout)?;
        Ok::<_, ucp_core::error::Error>(definition::hidden_kinds(&api, &names, denied).await)
    })?;
    gathered.state.unreadable.extend(hidden);
    Ok(())
}

/// Returns true if a kind was read in all namespaces with what `wanted` asks for.
fn covers(read: Option<KindRequest>, wanted: Option<KindRequest>) -> bool {
    // A health rule adds the whole object to the fields of the shape.
    let is_enough = |read: KeepAmount, wanted: KeepAmount| {
        read == wanted || (read, wanted) == (KeepAmount::WholeIfRuled, KeepAmount::Narrow)
    };
    read.zip(wanted).is_some_and(|(read, wanted)| {
        (read.shape, read.selector) == (wanted.shape, wanted.selector) && is_enough(read.keep, wanted.keep)
    })
}

/// Returns true for kinds that a least-privileged user may only read in some namespaces.
fn is_private(kind: &ResourceKind) -> bool {
    kind.group.is_empty() && matches!(kind.kind.as_str(), "Secret" | "ConfigMap")
}

fn want(kind: &ResourceKind) -> Option<KindRequest> {
    let shape = match (kind.group.as_str(), kind.kind.as_str()) {
        ("", "Secret") => BodyShape::Secret,
        ("", "ConfigMap") => BodyShape::ConfigMap,
        ("argoproj.io", "Application") => BodyShape::Application,
        ("argoproj.io", "AppProject") => BodyShape::Conditions,
        ("kustomize.toolkit.fluxcd.io", "Kustomization") | ("helm.toolkit.fluxcd.io", "HelmRelease") => BodyShape::Flux,
        _ if provisioner::is_cluster(kind) => BodyShape::ProvisionedCluster,
        _ => return None,
    };
    Some(KindRequest::all(shape))
}
