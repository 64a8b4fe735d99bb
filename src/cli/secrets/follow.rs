//! Watches of the Secrets that a look depends on.

use std::time::Duration;

use super::look::{LookArgs, SecretsLook};
use crate::cli::Context;
use ucp_client::source::kubeconfig;
use ucp_core::error::Result;
use ucp_features::distribution::live::changes::{ChangeWatcher, WatchedCluster};

/// Watches of the Secrets that the last look read.
#[derive(Default)]
pub(in crate::cli) struct SecretWatches(ChangeWatcher);

impl SecretWatches {
    /// Watches the Secrets that a look depends on, and no others.
    ///
    /// # Errors
    /// Fails when the kubeconfig cannot be read.
    pub(in crate::cli) fn follow(&mut self, context: &Context, args: &LookArgs, seen: &SecretsLook) -> Result<()> {
        let flags = &context.globals.connection;
        let ways = args.reach.ways(context, &seen.state)?;
        let core = Some(kubeconfig::load(flags)?);
        let mut parts = vec![WatchedCluster { cluster: None, connection: core, secrets: seen.sources() }];
        for (position, cluster) in seen.inventory.clusters.iter().enumerate() {
            let secrets = seen.targets(position);
            if !secrets.is_empty() {
                let connection = ways.access(cluster).ok().map(|way| way.connection);
                parts.push(WatchedCluster { cluster: Some(cluster.name.clone()), connection, secrets });
            }
        }
        self.0.follow(parts, flags);
        Ok(())
    }

    /// Waits for a change, until the time limit or until `is_over` returns true.
    pub(in crate::cli) fn wait(&self, limit: Option<Duration>, is_over: &dyn Fn() -> bool) {
        self.0.wait(limit, is_over);
    }
}
