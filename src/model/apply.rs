//! What writing to a cluster is about, whoever sends the requests.

/// Who we are to the API server: the field manager of server-side apply.
pub const FIELD_MANAGER: &str = "kubectl-ucp";

/// What to do about fields that somebody else manages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conflicts {
    /// They stay, and the write fails.
    Respect,
    /// They become ours: `--force-conflicts`.
    Force,
}
