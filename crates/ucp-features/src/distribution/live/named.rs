//! Minimal read of the core cluster for copying declared Secrets: declarations, registrations, and the Secrets they
//! name. It lists neither all Secrets nor the managed resources of Crossplane.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures::StreamExt as _;

use super::read::{fetch_one, resource_kind};
use crate::adopt::inventory::{self, InventoryOptions};
use crate::adopt::live::gather::CoreClusterState;
use crate::adopt::names::NamespacedName;
use crate::adopt::provisioner::ServerKinds;
use crate::adopt::{argocd, distributor};
use crate::distribution::credentials;
use crate::distribution::intent::{self, ClusterResolver};
use ucp_client::source::live::api::Api;
use ucp_client::source::live::freshness::Freshness;
use ucp_client::source::live::list::{ListResult, ListScope, list};
use ucp_client::source::{ConnectionArgs, Query, kubeconfig, live};
use ucp_core::error::Result;
use ucp_core::model::body::{BodyShape, KindRequest};
use ucp_core::model::kind::{ResourceKind, ResourceScope};
use ucp_core::model::state::Unreadable;

/// Maximum number of concurrent requests.
const CONCURRENT: usize = 16;

/// Reads the core cluster.
///
/// # Errors
/// Fails when nothing could be read.
pub fn gather(
    flags: &ConnectionArgs,
    view: &InventoryOptions,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<CoreClusterState> {
    let mut state = live::read(flags, &Query { progress, ..Query::all(&want) })?;
    let kinds = ServerKinds::of_state(&state);
    let homes = view.engine_namespaces(&state);
    let unregistered = inventory::build_inventory(&state, &ServerKinds::default(), view);
    let declared = intent::declared_copies(&state, &ClusterResolver::new(&unregistered, &state));
    let mut named: BTreeSet<NamespacedName> = declared.into_iter().filter_map(|intent| intent.source).collect();
    let ways = intent::kubeconfig_secrets(&state);
    named.extend(ways.iter().cloned());
    state.unreadable.extend(intent::label_selected(&state.resources));
    let secret = Arc::new(resource_kind("", "v1", "secrets", "Secret"));
    let namespace =
        Arc::new(ResourceKind { scope: ResourceScope::Cluster, ..resource_kind("", "v1", "namespaces", "Namespace") });
    live::runtime()?.block_on(async {
        let api = Api::connect(&kubeconfig::load(flags)?, flags.request_timeout)?;
        let freshness = Freshness::newest();
        let registered = KindRequest { selector: Some(argocd::SELECTOR), ..KindRequest::whole(BodyShape::Secret) };
        let of_ours = KindRequest { selector: Some(distributor::SELECTOR), ..KindRequest::whole(BodyShape::Secret) };
        let within = |namespace| ListScope { namespace: Some(namespace), name: None };
        let mut lists = vec![(
            &namespace,
            KindRequest::all(BodyShape::Metadata),
            ListScope { namespace: None, name: Some("kube-system") },
        )];
        lists.extend(homes.in_use.get(&homes.argocd).map(|home| (&secret, registered, within(home))));
        lists.extend(homes.in_use.iter().map(|home| (&secret, of_ours, within(home))));
        let answers = lists.into_iter().map(|(kind, want, part)| {
            let listed = list(&api, kind, want, part, &freshness);
            async move { (kind, listed.await) }
        });
        for (kind, ListResult { resources, broken, error, .. }) in futures::future::join_all(answers).await {
            state.resources.extend(resources);
            state.unreadable.extend(broken);
            // Without the registrations, as without all Secrets, the set of clusters is unknown.
            let lost = error.map(|error| Unreadable { what: kind.qualified_plural(), reason: error.to_string() });
            state.unreadable.extend(lost);
        }
        let known: BTreeSet<NamespacedName> = state
            .resources
            .iter()
            .filter(|one| one.kind.kind == "Secret")
            .filter_map(|one| NamespacedName::from_metadata(&one.metadata))
            .collect();
        let asked = named.iter().filter(|name| !known.contains(name));
        let mut answers = futures::stream::iter(asked).map(|name| fetch_one(&api, &secret, name)).buffered(CONCURRENT);
        while let Some((name, found)) = answers.next().await {
            match found {
                Ok(found) => state.resources.extend(found),
                Err(reason) => {
                    // An unreadable kubeconfig counts as a gap in the whole list of Secrets.
                    let what = if ways.contains(name) { secret.qualified_plural() } else { name.secret().to_string() };
                    state.unreadable.push(Unreadable { what, reason: reason.into() });
                }
            }
        }
        Ok::<_, ucp_core::error::Error>(())
    })?;
    state.kinds.extend([secret, namespace]);
    Ok(CoreClusterState { state, kinds })
}

/// Returns the query for a listed kind: declarations, their destinations, the kinds that show which Secrets are credentials,
/// and those that identify the owner of a registration.
pub fn want(kind: &ResourceKind) -> Option<KindRequest> {
    if let Some(want) = credentials::want(kind).or_else(|| intent::want(kind)) {
        return Some(want);
    }
    match (kind.group.as_str(), kind.kind.as_str()) {
        ("argoproj.io", "Application") => Some(KindRequest::all(BodyShape::Application)),
        ("argoproj.io", "AppProject") => Some(KindRequest::all(BodyShape::Conditions)),
        ("helm.toolkit.fluxcd.io", "HelmRelease") => Some(KindRequest::all(BodyShape::Flux)),
        _ => None,
    }
}
