//! Kinds of things that become nodes.

/// Kinds of things that become nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GraphScope {
    Objects,
    Everything,
}
