//! Follows the core clusters of `ui`, each in a thread, and sends the content of the views after each change.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;

use super::{ScreenMessage, SourcePart};
use crate::browse::HubState;
use crate::cli::Context;
use crate::cli::reading::PatienceArgs;
use ucp_client::source::live::watch::Occasion;
use ucp_core::engine;
use ucp_core::error::{Error, Result};
use ucp_core::model::selector::LabelSelector;
use ucp_core::model::state::ClusterState;

/// The threads that follow the core clusters.
pub(super) struct HubFollower {
    pub(super) parts: Vec<SourcePart>,
    pub(super) patience: PatienceArgs,
    selector: LabelSelector,
    sender: Sender<ScreenMessage>,
    /// The number of the newest connection. Threads of older ones end at their next report.
    current: Arc<AtomicU64>,
}

impl HubFollower {
    pub(super) fn new(
        parts: Vec<SourcePart>,
        patience: PatienceArgs,
        selector: LabelSelector,
        sender: Sender<ScreenMessage>,
    ) -> Self {
        Self { parts, patience, selector, sender, current: Arc::default() }
    }

    pub(super) fn is_current(&self, connection: u64) -> bool {
        self.current.load(Ordering::Relaxed) == connection
    }

    /// Follows the sources from the beginning, and ends what was followed before.
    pub(super) fn start(&mut self) {
        let connection = self.current.fetch_add(1, Ordering::Relaxed) + 1;
        for (position, (_, context)) in self.parts.iter().enumerate() {
            let (context, patience, selector) = (context.clone(), self.patience, self.selector.clone());
            let (sender, current) = (self.sender.clone(), Arc::clone(&self.current));
            std::thread::spawn(move || {
                let show = |_: Occasion, state: &ClusterState| {
                    if current.load(Ordering::Relaxed) != connection {
                        return Err(Error::canceled());
                    }
                    let hub = HubState::from_state(state, &patience.clock(state), &selector);
                    let message = ScreenMessage::Hub(connection, position, Box::new(hub));
                    sender.send(message).map_err(|_| Error::canceled())
                };
                if let Err(error) = read_and_follow(&context, show) {
                    let _ = sender.send(ScreenMessage::Trouble(connection, position, error.message()));
                }
            });
        }
    }
}

/// Passes the state of a source to `show`: once for a snapshot, and after each change of a cluster.
pub(super) fn read_and_follow(
    context: &Context,
    mut show: impl FnMut(Occasion, &ClusterState) -> Result<()>,
) -> Result<()> {
    if context.globals.connection.from.is_some() {
        return show(Occasion::Change, &context.read(&engine::want)?);
    }
    context.follow_state(&engine::want, show)
}
