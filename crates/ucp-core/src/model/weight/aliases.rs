//! The aliases (`*name`) of YAML, with which a short text becomes millions of nodes.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Events that the aliases of one document may add, besides one per [`BYTES_OF_EVENT`].
pub(super) const EVENTS_OF_DOCUMENT: usize = 10_000;
const BYTES_OF_EVENT: usize = 8;
/// Events that every document may have.
const EVENTS_OF_ANY: usize = 256;
/// Nodes that aliases may add in all documents of the process, besides one per byte. Files of people use a few.
const NODES_OF_RUN: usize = 500_000;

static LEFT: AtomicUsize = AtomicUsize::new(NODES_OF_RUN);

/// The limits for the aliases of a document of this length. Once the documents so far had more than all may have, it is a
/// part of the length.
pub fn alias_limits(length: usize) -> serde_saphyr::options::AliasLimits {
    let events = LEFT.load(Ordering::Relaxed).clamp(EVENTS_OF_ANY, EVENTS_OF_DOCUMENT) + length / BYTES_OF_EVENT;
    serde_saphyr::alias_limits! { max_total_replayed_events: events }
}

/// Records how many nodes a text of this length became. Without aliases, no node is shorter than a byte.
pub fn settle(nodes: usize, length: usize) {
    let excess = nodes.saturating_sub(length);
    if excess > 0 {
        let _ = LEFT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| Some(left.saturating_sub(excess)));
    }
}
