//! Kinds that do not exist yet: looked for when a CustomResourceDefinition changes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::model::body::{Shape, Want};
use crate::model::kind::ResourceKind;
use crate::source::live::Interest;

/// A definition is served a moment after it was made.
const FIRST: Duration = Duration::from_millis(200);
/// How often kinds are looked for after a definition changed, each time after twice as long.
const LOOKS: u32 = 7;
/// How often they are looked for where definitions may not be watched.
const BLIND: Duration = Duration::from_secs(5);

/// When kinds are looked for again.
#[derive(Debug, Default)]
pub(super) struct KindWatch {
    begun: bool,
    /// Whether nobody tells of definitions.
    blind: bool,
    next: Option<Instant>,
    looks: u32,
}

impl KindWatch {
    /// Whether this is the first time.
    pub(super) fn begin(&mut self) -> bool {
        !std::mem::replace(&mut self.begun, true)
    }

    /// A definition changed, or may not be watched.
    pub(super) fn hint(&mut self, is_denied: bool) {
        self.blind |= is_denied;
        self.looks = 0;
        self.next = Some(Instant::now() + FIRST);
    }

    /// How long until kinds are looked for.
    pub(super) fn due(&self) -> Option<Duration> {
        self.next.map(|next| next.saturating_duration_since(Instant::now()))
    }

    pub(super) fn is_due(&self) -> bool {
        self.due().is_some_and(|due| due.is_zero())
    }

    /// Kinds were looked for.
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

/// Whether a kind defines others.
pub(super) fn is_definition(kind: &ResourceKind) -> bool {
    kind.group == "apiextensions.k8s.io" && kind.kind == "CustomResourceDefinition"
}

/// The definitions of kinds, by name alone.
pub(super) fn definitions(kinds: &[Arc<ResourceKind>]) -> Option<Interest> {
    let kind = kinds.iter().find(|kind| is_definition(kind))?;
    Some(Interest { kind: Arc::clone(kind), want: Want::all(Shape::Metadata), namespace: None, name: None })
}
