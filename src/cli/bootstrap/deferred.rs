//! Applies the objects that wait for their kind.

use anyhow::anyhow;

use super::look::BootstrapComparison;
use crate::cli::Context;
use crate::render::words;
use ucp_client::source::live::write::ApiWriter;
use ucp_client::source::{kubeconfig, live};
use ucp_core::error::{Error, Result};
use ucp_core::model::apply::ConflictPolicy;
use ucp_features::bootstrap::desire::DesiredObject;
use ucp_features::bootstrap::write::BootstrapWriter;

/// The objects that are not applied yet, each with the reason.
pub(super) struct DeferredObjects<'a> {
    context: &'a Context,
    conflicts: ConflictPolicy,
    pub(super) left: Vec<(&'a DesiredObject, String)>,
}

impl<'a> DeferredObjects<'a> {
    pub(super) fn new(context: &'a Context, look: &'a BootstrapComparison, conflicts: ConflictPolicy) -> Self {
        let early = look.to_apply().filter(|(_, step)| step.is_deferred());
        let left = early.map(|(wanted, _)| (wanted, "the cluster does not have its kind".to_owned())).collect();
        Self { context, conflicts, left }
    }

    /// Applies the objects whose kinds the server has now. The others are tried again in the next pass.
    pub(super) fn pass(&mut self) {
        if self.left.is_empty() {
            return;
        }
        let left = std::mem::take(&mut self.left);
        let passed = live::runtime().and_then(|runtime| runtime.block_on(self.apply(&left)));
        self.left = passed.unwrap_or_else(|error| {
            let reason = error.message();
            left.into_iter().map(|(wanted, _)| (wanted, reason.clone())).collect()
        });
    }

    async fn apply(&self, left: &[(&'a DesiredObject, String)]) -> Result<Vec<(&'a DesiredObject, String)>> {
        let flags = &self.context.globals.connection;
        let api = ApiWriter::connect(&kubeconfig::load(flags)?, flags.request_timeout)?;
        let writer = BootstrapWriter::open(api, self.conflicts).await;
        let writer = writer.map_err(|reason| Error::failed(anyhow!(reason)))?;
        let mut open = Vec::new();
        for (wanted, reason) in left {
            match writer.apply_if_served(wanted).await {
                Ok(Some(object)) => self.context.ui.message(&format!("Applied {}.", words::object(&object))),
                Ok(None) => open.push((*wanted, reason.clone())),
                Err(reason) => open.push((*wanted, reason)),
            }
        }
        Ok(open)
    }
}
