//! The document `Explanation`: what the codes of findings mean.

use serde::Serialize;

use super::API_VERSION;
use crate::model::verdict::Verdict;

/// The document `Explanation`.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// Always [`API_VERSION`].
    pub api_version: &'static str,
    /// Always `Explanation`.
    pub kind: &'static str,
    /// The codes.
    pub items: Vec<Explained>,
    /// Whether one was asked for, which a person reads in full.
    #[serde(skip)]
    pub extent: Extent,
}

/// How much was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// One code.
    One,
    /// All of them.
    All,
}

/// What one code means.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Explained {
    /// The code.
    pub code: &'static str,
    /// How bad it is.
    pub verdict: Verdict,
    /// One line.
    pub title: &'static str,
    /// How it is known.
    pub meaning: &'static str,
    /// What to do.
    pub advice: String,
    /// The next command, with kubectl's capitals where an object would be named.
    pub command: String,
}

impl Explanation {
    /// Explains some codes.
    pub fn of(items: Vec<Explained>, extent: Extent) -> Self {
        Self { api_version: API_VERSION, kind: "Explanation", items, extent }
    }
}
