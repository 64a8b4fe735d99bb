//! Settings for writes to a cluster, shared by all clients.

/// Field manager of this program's server-side apply requests.
pub const FIELD_MANAGER: &str = "kubectl-ucp";

/// Handling of fields that another field manager owns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConflictPolicy {
    /// The fields are kept, and the write fails.
    Respect,
    /// Ownership is taken over: `--force-conflicts`.
    Force,
}
