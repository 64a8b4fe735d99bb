//! Verdicts: the state of an object in one word.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::model::nearest::did_you_mean;
use crate::model::variant_words::variant_words;

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

variant_words!(Verdict {
    Failed = "Failed", NeedsHuman = "NeedsHuman", Drifted = "Drifted", Stuck = "Stuck", Progressing = "Progressing",
    Paused = "Paused", Unknown = "Unknown", Ok = "OK",
});

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
