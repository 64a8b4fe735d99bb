//! The document `WaitResult`: the conditions of a wait, and their outcome.

use serde::Serialize;

use crate::report::distribution::SecretDistribution;
use crate::report::{Header, findings};
use ucp_core::engine::Assessment;
use ucp_core::model::finding::Finding;
use ucp_core::model::object::ObjectName;
use ucp_core::model::state::{ClusterState, Unreadable};
use ucp_core::model::verdict::Verdict;
use ucp_features::wait::{WaitCriteria, WaitOutlook, WaitSurvey, WaitedObject};

/// The document `WaitResult`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WaitResult {
    /// `apiVersion`, `kind` and `source`.
    #[serde(flatten)]
    pub header: Header,
    /// The outcome of the wait.
    pub outcome: WaitOutcome,
    /// The objects; those that do not meet the condition are first.
    pub items: Vec<WaitItem>,
    /// Findings about those objects, or about their causes.
    pub findings: Vec<Finding>,
    /// Objects and kinds that could not be read.
    pub unreadable: Vec<Unreadable>,
}

/// The outcome of a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum WaitOutcome {
    /// All objects meet the condition.
    Reached,
    /// An object cannot meet the condition without intervention.
    Failed,
    /// The timeout expired.
    Timeout,
    /// Access to an object is denied, so that waiting does not help.
    Unreadable,
}

/// One object of a wait.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WaitItem {
    /// The name of the object.
    pub object: ObjectName,
    /// The app cluster that holds the object; absent for the core cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// The condition: `ok`, `synced`, `gone` or a verdict.
    pub wanted: String,
    /// The awaited revision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// The health of the object; absent if it does not exist.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// True if the object meets the condition.
    pub reached: bool,
    /// True if the object cannot meet the condition without intervention.
    pub hopeless: bool,
    /// The reason why it does not meet the condition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl WaitResult {
    /// Builds the document from the last survey of a wait.
    pub fn from_survey(
        state: &ClusterState,
        assessment: &Assessment<'_>,
        survey: &WaitSurvey,
        wish: &WaitCriteria,
        outcome: WaitOutcome,
    ) -> Self {
        let open: Vec<&ObjectName> = survey.open().map(|item| &item.object).collect();
        let concerns = |finding: &Finding| {
            let mut objects = std::iter::once(&finding.object).chain(&finding.also).chain(&finding.holds_up);
            objects.any(|object| open.contains(&object))
        };
        let mut concerned = findings::gather(assessment);
        concerned.retain(concerns);
        Self {
            header: Header::new("WaitResult", state.origin.clone()),
            outcome,
            items: survey.items.iter().map(|entry| wait_item(entry, wish)).collect(),
            findings: concerned,
            unreadable: state.unreadable.clone(),
        }
    }
}

impl WaitResult {
    /// Builds the document of a wait for copies of Secrets in app clusters.
    pub fn from_copies(seen: &SecretDistribution, items: Vec<WaitItem>) -> Self {
        Self {
            header: Header { kind: "WaitResult", ..seen.header.clone() },
            outcome: WaitOutcome::Timeout,
            items,
            findings: seen.findings.iter().map(|finding| finding.item.clone()).collect(),
            unreadable: seen.unreadable.iter().map(|entry| entry.item.clone()).collect(),
        }
    }
}

fn wait_item(item: &WaitedObject, wish: &WaitCriteria) -> WaitItem {
    WaitItem {
        object: item.object.clone(),
        cluster: None,
        wanted: wish.goal.to_string(),
        revision: wish.revision.clone(),
        verdict: item.verdict,
        reached: item.outlook == WaitOutlook::Reached,
        hopeless: item.outlook == WaitOutlook::Hopeless,
        message: item.message.clone(),
    }
}
