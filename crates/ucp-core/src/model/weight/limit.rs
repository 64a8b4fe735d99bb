//! Limits of the memory that values may take, and the error of a value that exceeds one.

use std::fmt;

/// Limit for the values of one object: an API server stores at most 1.5 MB of text, which take up to 40 MiB.
pub(super) const HEAVIEST_OBJECT: usize = 64 << 20;

/// Limit for a document of several objects, and for an answer that is parsed at once.
pub(super) const HEAVIEST_DOCUMENT: usize = 512 << 20;

/// Limit for everything that is kept at one time.
pub(super) const HEAVIEST_RUN: usize = 4 << 30;

/// The limit that a value or a run exceeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overweight {
    /// That of one object or document.
    Object {
        /// The limit.
        mebibytes: usize,
    },
    /// That of the whole run.
    Run,
}

/// The beginning of the text of each limit, by which it is found in an error of a parser.
pub(super) const OBJECT: &str = "it is too large: its values would take more than ";

pub(super) const RUN: &str = "all that is kept would take more than ";

impl fmt::Display for Overweight {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Object { mebibytes } => write!(formatter, "{OBJECT}{mebibytes} MiB of memory"),
            Self::Run => write!(formatter, "{RUN}{} MiB of memory, so this was not read further", HEAVIEST_RUN >> 20),
        }
    }
}

impl std::error::Error for Overweight {}

impl Overweight {
    /// Finds the limit in an error that a parser passed on.
    pub fn from_error(error: &impl fmt::Display) -> Option<Self> {
        let text = error.to_string();
        let number = |begin: usize| text[begin..].split(' ').next().and_then(|number| number.parse().ok());
        match text.find(OBJECT) {
            Some(at) => Some(Self::Object { mebibytes: number(at + OBJECT.len()).unwrap_or_default() }),
            None => text.contains(RUN).then_some(Self::Run),
        }
    }
}

pub(super) fn refused<E: serde::de::Error>(overweight: Overweight) -> E {
    E::custom(overweight)
}
