//! Rejection of contexts in `--context-map` that provably belong to another cluster.

use super::{AccessSelector, authorities};
use crate::adopt::access::{ClusterEndpoint, same_server};
use crate::adopt::cluster::AppCluster;
use ucp_client::source::kubeconfig::{self, KnownContext};
use ucp_core::model::shell::quote_word;

impl AccessSelector<'_> {
    /// Returns the reason why the context from `--context-map` is not one of the cluster, or `None` if it may be or
    /// none was given. `all` are the app clusters.
    pub fn objection(&self, cluster: &AppCluster, all: &[AppCluster]) -> Option<String> {
        let (_, name) = self.by_name.iter().find(|(known, _)| *known == cluster.name)?;
        let context = self.contexts.iter().find(|context| context.name == *name)?;
        let refused =
            |why: String| Some(format!("--context-map {}: {why}", quote_word(&format!("{}={name}", cluster.name))));
        let own = endpoints(cluster);
        if own.iter().any(|endpoint| same_server(&endpoint.server, &context.server)) {
            return None;
        }
        let core = kubeconfig::load(self.flags).ok();
        if core.is_some_and(|core| same_server(&core.server, &context.server)) {
            return refused(format!("the context connects to the core cluster, {}", context.server));
        }
        let others = all.iter().filter(|other| other.name != cluster.name);
        let mut others = others
            .filter(|other| endpoints(other).iter().any(|endpoint| same_server(&endpoint.server, &context.server)));
        if let Some(other) = others.next() {
            return refused(format!("the context connects to {}, which is app cluster {}", context.server, other.name));
        }
        let is_other = |endpoint: &&ClusterEndpoint| trusts_others(context, endpoint);
        if !own.is_empty() && own.iter().all(is_other) {
            return refused(format!(
                "the context connects to {} and trusts a different certificate authority than the one that the core \
                 cluster has for {}",
                context.server, own[0].server
            ));
        }
        None
    }
}

/// Returns the endpoints of a cluster from its registrations and its provisioner.
fn endpoints(cluster: &AppCluster) -> Vec<&ClusterEndpoint> {
    let registered = cluster.all_registrations().filter_map(|registration| registration.access());
    registered.chain(cluster.access()).map(|access| access.endpoint()).collect()
}

/// Returns true if both certificate authorities are known and the context trusts none of the endpoint's.
fn trusts_others(context: &KnownContext, endpoint: &ClusterEndpoint) -> bool {
    let Some((mine, theirs)) = context.authorities.as_ref().zip(authorities(endpoint)) else { return false };
    !theirs.is_empty() && !theirs.iter().any(|certificate| mine.contains(certificate))
}
