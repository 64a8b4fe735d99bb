//! The rights that a server reports for the credentials in use.

/// The rights that a live cluster reports.
#[derive(Debug, Clone, Default)]
pub struct ReportedRights {
    /// Missing rights by command.
    pub missing: Vec<MissingRights>,
    /// The reason why some rights are unknown.
    pub unknown: Option<String>,
}

/// The missing rights of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingRights {
    /// The command.
    pub command: String,
    /// A role that grants them.
    pub role: String,
    /// The missing rights, such as `list secrets`.
    pub rights: Vec<String>,
}
