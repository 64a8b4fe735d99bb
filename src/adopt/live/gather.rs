//! Reads what a core cluster knows of app clusters.

use std::collections::BTreeSet;
use std::sync::Mutex;

use crate::adopt::inventory::{self, View};
use crate::adopt::provisioner::{self, Kinds};
use crate::error::Result;
use crate::model::body::{Shape, Want};
use crate::model::kind::ResourceKind;
use crate::model::state::{ClusterState, Unreadable};
use crate::source::{self, ConnectionArgs, Query};

/// A state of a core cluster, and the kinds that it has.
pub struct Gathered {
    /// What was read.
    pub state: ClusterState,
    /// What the server has, read or not.
    pub kinds: Kinds,
}

/// What was read of all namespaces of the same core cluster a moment ago, so that it is not read again.
pub struct Known<'a> {
    /// What was read.
    pub state: ClusterState,
    /// How.
    pub want: &'a (dyn Fn(&ResourceKind) -> Option<Want> + Sync),
}

impl Known<'_> {
    /// Adds it to what was read beside it.
    fn add_to(self, state: &mut ClusterState, want: &dyn Fn(&ResourceKind) -> Option<Want>) {
        let is_shared = |kind: &ResourceKind| is_same((self.want)(kind), want(kind));
        let ClusterState { kinds, resources, unreadable, moment, .. } = self.state;
        let kinds: Vec<_> = kinds.into_iter().filter(|kind| is_shared(kind)).collect();
        let is_lost = |entry: &Unreadable| kinds.iter().any(|kind| entry.is_of(kind));
        state.unreadable.extend(unreadable.into_iter().filter(is_lost));
        state.resources.extend(resources.into_iter().filter(|resource| is_shared(&resource.kind)));
        state.kinds.extend(kinds);
        state.moment = state.moment.max(moment);
    }
}

/// Reads Secrets, the resources that are clusters, and what engines deploy. With a namespace, Secrets
/// and ConfigMaps are read only there and where the engines are, which is all that a least-privileged user may.
///
/// # Errors
/// When nothing could be read.
pub fn gather(connection: &ConnectionArgs, view: &View, progress: &(dyn Fn(usize, usize) + Sync)) -> Result<Gathered> {
    gather_with(connection, view, &|_| None, None, progress)
}

/// The same, with more: what `more` wants of a kind is read instead of what this wants, so it has to be as much. What is
/// `known` is not read again.
///
/// # Errors
/// When nothing could be read.
pub fn gather_with(
    connection: &ConnectionArgs,
    view: &View,
    more: &(dyn Fn(&ResourceKind) -> Option<Want> + Sync),
    known: Option<Known<'_>>,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Gathered> {
    let want = |kind: &ResourceKind| more(kind).or_else(|| want(kind));
    let kinds = Mutex::new(Kinds::default());
    let noting = |kind: &ResourceKind| {
        if let Ok(mut kinds) = kinds.lock() {
            kinds.note(kind);
        }
    };
    // A snapshot is read once: standard input does not come twice.
    let narrowed = view.namespace.as_ref().filter(|_| connection.from.is_none());
    // What was read of one namespace is not all of it.
    let known = known.filter(|known| known.state.namespace.is_none());
    let before = known.as_ref().map(|known| known.want);
    let everything = |kind: &ResourceKind| {
        noting(kind);
        let is_known = before.is_some_and(|before| is_same(before(kind), want(kind)));
        if is_known || narrowed.is_some() && is_private(kind) { None } else { want(kind) }
    };
    let mut state = source::read(connection, &Query { want: &everything, namespace: None, progress })?;
    if let Some(known) = known {
        known.add_to(&mut state, &want);
    }
    let private = |kind: &ResourceKind| is_private(kind).then(|| want(kind)).flatten();
    let homes = inventory::homes(&state, view);
    let wanted = narrowed.map(|namespace| BTreeSet::from([namespace, &homes.argocd, &homes.flux])).unwrap_or_default();
    for namespace in wanted {
        let query = Query { want: &private, namespace: Some(namespace), progress };
        let more = source::read(connection, &query)?;
        state.resources.extend(more.resources);
        state.unreadable.extend(more.unreadable);
    }
    Ok(Gathered { state, kinds: kinds.into_inner().unwrap_or_default() })
}

/// Whether a kind was read as it is wanted, in all namespaces.
fn is_same(read: Option<Want>, wanted: Option<Want>) -> bool {
    let what = |want: Want| (want.shape, want.selector, want.keep);
    wanted.is_some() && read.map(what) == wanted.map(what)
}

/// Kinds of which a least-privileged user may read only some namespaces.
fn is_private(kind: &ResourceKind) -> bool {
    kind.group.is_empty() && matches!(kind.kind.as_str(), "Secret" | "ConfigMap")
}

fn want(kind: &ResourceKind) -> Option<Want> {
    let shape = match (kind.group.as_str(), kind.kind.as_str()) {
        ("", "Secret") => Shape::Secret,
        ("", "ConfigMap") => Shape::ConfigMap,
        ("argoproj.io", "Application") => Shape::Application,
        ("argoproj.io", "AppProject") => Shape::Conditions,
        ("kustomize.toolkit.fluxcd.io", "Kustomization") | ("helm.toolkit.fluxcd.io", "HelmRelease") => Shape::Flux,
        _ if provisioner::is_cluster(kind) => Shape::ProvisionedCluster,
        _ => return None,
    };
    Some(Want::all(shape))
}
