//! Verdicts: the state of an object in one word.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::model::nearest::did_you_mean;

/// A verdict. Ordered from worst to best, so that the minimum is the one to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
pub enum Verdict {
    /// The engine reports an error.
    Failed,
    /// A user has to decide before reconciliation can continue.
    NeedsHuman,
    /// Declared and live state differ.
    Drifted,
    /// Progressing for longer than `--stuck-after`.
    Stuck,
    /// Not ready yet.
    Progressing,
    /// A user paused reconciliation.
    Paused,
    /// It could not be read, or no controller has reconciled it.
    Unknown,
    /// Ready and as declared.
    #[serde(rename = "OK")]
    Ok,
}

impl Verdict {
    /// Every verdict, worst first.
    pub const ALL: [Self; 8] = [
        Self::Failed,
        Self::NeedsHuman,
        Self::Drifted,
        Self::Stuck,
        Self::Progressing,
        Self::Paused,
        Self::Unknown,
        Self::Ok,
    ];

    /// Returns the name used in output and on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Failed => "Failed",
            Self::NeedsHuman => "NeedsHuman",
            Self::Drifted => "Drifted",
            Self::Stuck => "Stuck",
            Self::Progressing => "Progressing",
            Self::Paused => "Paused",
            Self::Unknown => "Unknown",
            Self::Ok => "OK",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.as_str())
    }
}

impl FromStr for Verdict {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|verdict| verdict.as_str().eq_ignore_ascii_case(text)).ok_or_else(|| {
            let known = Self::ALL.map(Self::as_str);
            format!("expected one of {}{}", known.join(", "), did_you_mean(text, known)).into()
        })
    }
}
