//! Applies the objects that wait for their kind.

use super::look::BootstrapComparison;
use crate::cli::Context;
use crate::render::words;
use ucp_client::source::live::write::ApiWriter;
use ucp_client::source::{kubeconfig, live};
use ucp_core::error::{Error, Result};
use ucp_core::model::apply::ConflictPolicy;
use ucp_features::bootstrap::desire::DesiredObject;
use ucp_features::bootstrap::wave::is_deployer;
use ucp_features::bootstrap::write::BootstrapWriter;

/// The objects that are not applied yet, each with the reason.
pub(super) struct DeferredObjects<'a> {
    context: &'a Context,
    look: &'a BootstrapComparison,
    conflicts: ConflictPolicy,
    pub(super) left: Vec<(&'a DesiredObject, String)>,
}

impl<'a> DeferredObjects<'a> {
    pub(super) fn new(context: &'a Context, look: &'a BootstrapComparison, conflicts: ConflictPolicy) -> Self {
        let early = look.to_apply().filter(|(_, step)| step.is_deferred());
        let left = early.map(|(wanted, _)| (wanted, "the cluster does not have its kind".to_owned())).collect();
        Self { context, look, conflicts, left }
    }

    /// Applies the objects whose kinds the server has now. The others are tried again in the next pass.
    pub(super) fn pass(&mut self) {
        if self.left.is_empty() {
            return;
        }
        let left = std::mem::take(&mut self.left);
        self.left = self.apply(&left).unwrap_or_else(|error| {
            let reason = error.message();
            left.into_iter().map(|(wanted, _)| (wanted, reason.clone())).collect()
        });
    }

    fn apply(&self, left: &[(&'a DesiredObject, String)]) -> Result<Vec<(&'a DesiredObject, String)>> {
        let flags = &self.context.globals.connection;
        let runtime = live::runtime()?;
        let connection = kubeconfig::load(flags)?;
        // A connection belongs to the runtime in which it was made.
        let writer = runtime.block_on(async {
            let api = ApiWriter::connect(&connection, flags.request_timeout)?;
            let writer = BootstrapWriter::open(api, self.conflicts).await;
            writer.map_err(Error::failed)
        })?;
        let is_root = |wanted: &DesiredObject| is_deployer(wanted.object.group(), &wanted.object.kind);
        // A root is never written to the hub of another repository.
        let has_root = left.iter().any(|(wanted, _)| is_root(wanted) && writer.serves(&wanted.object));
        let refusal = match has_root {
            true => self.look.examine_again(self.context).err().map(|error| error.message()),
            false => None,
        };
        let mut open = Vec::new();
        for (wanted, reason) in left {
            if let Some(refusal) = refusal.as_ref().filter(|_| is_root(wanted)) {
                open.push((*wanted, refusal.clone()));
                continue;
            }
            match runtime.block_on(writer.create_if_served(wanted)) {
                Ok(Some(object)) => self.context.ui.message(&format!("Applied {}.", words::object(&object))),
                Ok(None) => open.push((*wanted, reason.clone())),
                Err(reason) => open.push((*wanted, reason.into())),
            }
        }
        Ok(open)
    }
}
