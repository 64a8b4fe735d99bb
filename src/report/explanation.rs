//! The document `Explanation`: descriptions of the codes of findings.

use serde::Serialize;

use super::API_VERSION;
use ucp_core::model::verdict::Verdict;

/// The document `Explanation`.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// Always [`API_VERSION`].
    pub api_version: &'static str,
    /// Always `Explanation`.
    pub kind: &'static str,
    /// The explained codes.
    pub items: Vec<CodeExplanation>,
    /// The extent of the request: a single code is printed in full.
    #[serde(skip)]
    pub extent: ExplanationExtent,
}

/// The extent of a request for explanations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExplanationExtent {
    /// One code.
    One,
    /// All codes.
    All,
}

/// The explanation of one code.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CodeExplanation {
    /// The stable code.
    pub code: &'static str,
    /// The severity of its findings.
    pub verdict: Verdict,
    /// A one-line description.
    pub title: &'static str,
    /// The detection method.
    pub meaning: &'static str,
    /// The recommended action.
    pub advice: String,
    /// The next command, with placeholders in capitals like kubectl's.
    pub command: String,
}

impl Explanation {
    /// Returns the document with these explanations.
    pub fn from_items(items: Vec<CodeExplanation>, extent: ExplanationExtent) -> Self {
        Self { api_version: API_VERSION, kind: "Explanation", items, extent }
    }
}
