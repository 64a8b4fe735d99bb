//! The running versions, in the cluster that the command line or `.ucp.yaml` names.

use crate::cli::{Context, Globals};
use crate::promote::running::RunningDeployers;
use ucp_client::source::ConnectionArgs;
use ucp_core::error::Result;
use ucp_repo::gitops::config::RepositoryConfig;

impl Context {
    /// Reads the running versions, in the cluster of the command line, or else in that of `verify` in `.ucp.yaml`.
    ///
    /// # Errors
    /// Fails when they cannot be read completely.
    pub(super) fn read_running(&self, config: &RepositoryConfig) -> Result<RunningDeployers> {
        let named = config.verify.as_ref().and_then(|verify| verify.context.as_ref());
        match named.filter(|_| !self.names_a_cluster()) {
            None => self.read_running_versions(),
            Some(name) => self.with_kubeconfig_context(name).read_running_versions(),
        }
    }

    /// Returns the same context with another cluster.
    fn with_kubeconfig_context(&self, name: &str) -> Self {
        let Globals { connection, scope, output } = &self.globals;
        let connection = ConnectionArgs { context: Some(name.to_owned()), ..connection.clone() };
        Self {
            globals: Globals { connection, scope: scope.clone(), output: output.clone() },
            ui: self.ui.clone(),
            typed: self.typed.clone(),
            command: self.command.clone(),
            needs_rights: self.needs_rights.clone(),
            given: self.given.clone(),
            traces: None,
        }
    }
}
