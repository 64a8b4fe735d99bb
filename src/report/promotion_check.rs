//! The document `PromotionCheck`: the versions that differ, and the gates that hold them back.

use jiff::Timestamp;
use serde::Serialize;

use crate::report::API_VERSION;
use crate::report::promotion::{RepositoryPath, UnchangedValue, VersionUpdate};
use ucp_core::model::variant_words::variant_words;

/// The result of `promote --check`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PromotionCheck {
    api_version: &'static str,
    kind: &'static str,
    /// The repository of the files.
    pub source: RepositoryPath,
    /// The environment that versions are copied from.
    pub from: String,
    /// The environment that versions are copied to.
    pub to: String,
    /// The versions that differ.
    pub items: Vec<CheckedVersion>,
}

/// One version that differs.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckedVersion {
    /// The service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
    /// The image, or the file and path of a value.
    pub image: String,
    /// The current version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The version to be promoted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// The gates that hold it back; empty if it may be promoted now.
    pub held_back_by: Vec<HoldingGate>,
}

/// A gate that holds a version back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HoldingGate {
    /// The kind of gate.
    pub gate: GateKind,
    /// The reason.
    pub reason: String,
    /// The time from which on it does not hold any more, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
}

/// A kind of gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum GateKind {
    /// A window of `freeze`.
    Freeze,
    /// The time of `soak`.
    Soak,
    /// `--verify`: the version does not run in the source environment.
    Verify,
    /// `inFlight` of `pr`: too many other environments have an open pull request of the service.
    InFlight,
    /// The forge requires approvals of the open pull request.
    Approvals,
    /// The forge requires checks, or something else, of the open pull request.
    Checks,
    /// A pull request with this change was closed without a merge, so that `--pr` does not propose it again.
    Closed,
    /// A rule for changes of versions, such as that against downgrades.
    Rule,
}

variant_words!(GateKind {
    Freeze = "freeze", Soak = "soak", Verify = "verify", InFlight = "inFlight", Approvals = "approvals",
    Checks = "checks", Closed = "closed", Rule = "rule",
});

impl PromotionCheck {
    /// Creates the document.
    pub fn new(source: RepositoryPath, from: &str, to: &str, items: Vec<CheckedVersion>) -> Self {
        let (from, to) = (from.to_owned(), to.to_owned());
        Self { api_version: API_VERSION, kind: "PromotionCheck", source, from, to, items }
    }

    /// Returns the number of versions that are held back.
    pub fn held_count(&self) -> usize {
        self.items.iter().filter(|item| !item.held_back_by.is_empty()).count()
    }
}

impl CheckedVersion {
    /// Creates the row of a change.
    pub fn from_change(change: &VersionUpdate, held_back_by: Vec<HoldingGate>) -> Self {
        let before = (!change.before.is_empty()).then(|| change.before.clone());
        let (service, image) = (change.service.clone(), change.image.clone());
        Self { service, image, before, after: Some(change.after.clone()), held_back_by }
    }

    /// Creates the row of a value that the rules do not allow to change.
    pub fn from_refusal(left: &UnchangedValue) -> Self {
        let gate = HoldingGate { gate: GateKind::Rule, reason: left.reason_with_remedy(), until: None };
        let (service, image) = (left.service.clone(), left.image.clone());
        Self { service, image, before: None, after: None, held_back_by: vec![gate] }
    }
}
