//! State of one copy.

use serde::Serialize;

use ucp_core::model::variant_words::variant_words;
use ucp_core::model::verdict::Verdict;

/// State of a Secret in an app cluster, as named in all documents and tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum CopyState {
    /// Several declarations define the same copy.
    Collision,
    /// The copy is declared or used, and does not exist.
    Missing,
    /// The source to be copied does not exist on the core cluster.
    SourceMissing,
    /// The copy has values that the source no longer has, so it may be the last one; or the source has no value for a
    /// key that a workload uses.
    Poorer,
    /// Another owner holds the Secret.
    Foreign,
    /// The data differ, and the source changed last.
    Stale,
    /// The data differ.
    Different,
    /// We created the copy, and nothing declares or uses it any more.
    Orphaned,
    /// The copy could not be read or compared.
    Unknown,
    /// The copy is current, and a pod still uses the previous value.
    UsedOld,
    /// The copy is current, and nothing declares it.
    Undeclared,
    /// The copy is current.
    Current,
}

variant_words!(CopyState {
    Collision = "collision", Missing = "missing", SourceMissing = "sourceMissing", Poorer = "poorer",
    Foreign = "foreign", Stale = "stale", Different = "different", Orphaned = "orphaned", Unknown = "unknown",
    UsedOld = "usedOld", Undeclared = "undeclared", Current = "current",
});

impl CopyState {
    /// All states, worst first.
    pub const ALL: [Self; 12] = [
        Self::Collision,
        Self::Missing,
        Self::SourceMissing,
        Self::Poorer,
        Self::Foreign,
        Self::Stale,
        Self::Different,
        Self::Orphaned,
        Self::Unknown,
        Self::UsedOld,
        Self::Undeclared,
        Self::Current,
    ];

    /// Returns the verdict of the state.
    pub const fn verdict(self) -> Verdict {
        match self {
            Self::Collision | Self::Missing => Verdict::Failed,
            Self::SourceMissing | Self::Poorer | Self::Foreign => Verdict::NeedsHuman,
            Self::Stale | Self::Different | Self::Orphaned => Verdict::Drifted,
            Self::Unknown => Verdict::Unknown,
            Self::UsedOld | Self::Undeclared | Self::Current => Verdict::Ok,
        }
    }
}
