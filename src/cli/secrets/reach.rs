//! The access to app clusters, for every command that reads Secrets in them.

use std::path::PathBuf;

use crate::cli::Context;
use crate::cli::app_clusters::AppClusterArgs;
use ucp_core::error::Result;
use ucp_core::failure::{Failure, fail};
use ucp_core::model::state::ClusterState;
use ucp_features::distribution::live::way::{AccessSelector, CredentialLending};

/// How app clusters are reached.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "App clusters")]
pub(in crate::cli) struct ReachArgs {
    /// The context of your kubeconfig for an app cluster; may be repeated
    #[arg(long, hide_short_help = true, value_name = "CLUSTER=CONTEXT", value_delimiter = ',', value_parser = pair)]
    context_map: Vec<(String, String)>,
    /// If no context connects to an app cluster, use the credential of its engine or provisioner, which may have more rights than you
    #[arg(long, hide_short_help = true)]
    use_registration: bool,
    /// With --from, the snapshot of an app cluster; may be repeated
    #[arg(long, hide_short_help = true, value_name = "CLUSTER=PATH", value_parser = pair, value_hint = clap::ValueHint::AnyPath)]
    app_from: Vec<(String, String)>,
    #[command(flatten)]
    pub(super) access: AppClusterArgs,
}

impl ReachArgs {
    /// Returns the access to app clusters.
    ///
    /// # Errors
    /// Fails when the kubeconfig cannot be read, or does not have a named context.
    pub(super) fn ways<'a>(&'a self, context: &'a Context, state: &ClusterState) -> Result<AccessSelector<'a>> {
        let lent = if self.use_registration { CredentialLending::Allowed } else { CredentialLending::Never };
        AccessSelector::from_kubeconfig(
            &context.globals.connection,
            &self.context_map,
            lent,
            self.access.allowed(),
            state.moment,
        )
    }

    /// Returns true if any of these flags is given.
    pub(in crate::cli) fn is_given(&self) -> bool {
        let access = &self.access;
        let is_home_given = access.namespaces.argocd_namespace.is_some() || access.namespaces.flux_namespace.is_some();
        self.use_registration || self.named().next().is_some() || is_home_given || !access.allowed().is_empty()
    }

    /// Returns the names of the app clusters for which flags give access.
    pub(super) fn named(&self) -> impl Iterator<Item = &str> {
        self.context_map.iter().chain(&self.app_from).map(|(name, _)| name.as_str())
    }

    /// Returns the paths of the snapshots of single app clusters.
    pub(super) fn snapshots(&self) -> impl Iterator<Item = (&str, PathBuf)> {
        self.app_from.iter().map(|(name, path)| (name.as_str(), PathBuf::from(path)))
    }
}

fn pair(text: &str) -> Result<(String, String), Failure> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && !value.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => fail!("expected CLUSTER=VALUE"),
    }
}
