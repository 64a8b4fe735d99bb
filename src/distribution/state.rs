//! How one copy is doing.

use serde::Serialize;

use crate::model::verdict::Verdict;

/// How a Secret is doing in an app cluster, as every document and table names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum State {
    /// Two declarations mean one copy.
    Collision,
    /// It is declared or asked for, and not there.
    Missing,
    /// The core cluster does not have what should be copied.
    SourceMissing,
    /// The copy has what the source has no more: it may be the last one. Or the source lacks what a workload asks for.
    Poorer,
    /// Somebody else holds the name.
    Foreign,
    /// The data differ, and the source changed last.
    Stale,
    /// The data differ.
    Different,
    /// We made it, and nothing declares or asks for it any more.
    Orphaned,
    /// It could not be read or compared.
    Unknown,
    /// It is as it should be, and a pod still has what was there before.
    UsedOld,
    /// It is as it should be, and nothing declares it.
    Undeclared,
    /// It is as it should be.
    Current,
}

impl State {
    /// Every state, worst first.
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

    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Collision => "collision",
            Self::Missing => "missing",
            Self::SourceMissing => "sourceMissing",
            Self::Poorer => "poorer",
            Self::Foreign => "foreign",
            Self::Stale => "stale",
            Self::Different => "different",
            Self::Orphaned => "orphaned",
            Self::Unknown => "unknown",
            Self::UsedOld => "usedOld",
            Self::Undeclared => "undeclared",
            Self::Current => "current",
        }
    }

    /// How bad it is.
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
