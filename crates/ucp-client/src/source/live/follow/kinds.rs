//! Discovery of new kinds, after a CustomResourceDefinition changed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::source::live::Interest;
use ucp_core::model::body::{BodyShape, KindRequest};
use ucp_core::model::kind::ResourceKind;

/// Pause before the first discovery, as a definition is served a moment after its creation.
const FIRST: Duration = Duration::from_millis(200);
/// Discoveries after a change of a definition, each after twice the pause.
const LOOKS: u32 = 7;
/// Pause between discoveries if definitions cannot be watched.
const BLIND: Duration = Duration::from_secs(5);

/// The schedule of discoveries.
#[derive(Debug, Default)]
pub(super) struct KindWatch {
    begun: bool,
    /// True if definitions cannot be watched.
    blind: bool,
    next: Option<Instant>,
    looks: u32,
}

impl KindWatch {
    /// Starts the schedule. Returns true for the first call.
    pub(super) fn begin(&mut self) -> bool {
        !std::mem::replace(&mut self.begun, true)
    }

    /// Schedules discoveries after a definition changed, or could not be watched.
    pub(super) fn hint(&mut self, is_denied: bool) {
        self.blind |= is_denied;
        self.looks = 0;
        self.next = Some(Instant::now() + FIRST);
    }

    /// The time until the next discovery.
    pub(super) fn due(&self) -> Option<Duration> {
        self.next.map(|next| next.saturating_duration_since(Instant::now()))
    }

    pub(super) fn is_due(&self) -> bool {
        self.due().is_some_and(|due| due.is_zero())
    }

    /// Records a discovery, and schedules the next one.
    pub(super) fn looked(&mut self) {
        self.looks += 1;
        let pause = FIRST * 2_u32.pow(self.looks.min(LOOKS));
        self.next = match (self.blind, self.looks < LOOKS) {
            (true, _) => Some(Instant::now() + BLIND),
            (false, true) => Some(Instant::now() + pause),
            (false, false) => None,
        };
    }
}

/// Returns true if objects of a kind define other kinds.
pub(super) fn is_definition(kind: &ResourceKind) -> bool {
    kind.group == "apiextensions.k8s.io" && kind.kind == "CustomResourceDefinition"
}

/// The interest in the names of all definitions.
pub(super) fn definitions(kinds: &[Arc<ResourceKind>]) -> Option<Interest> {
    let kind = kinds.iter().find(|kind| is_definition(kind))?;
    Some(Interest { kind: Arc::clone(kind), want: KindRequest::all(BodyShape::Metadata), namespace: None, name: None })
}
