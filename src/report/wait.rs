//! The document `WaitResult`: what was waited for, and what came of it.

use serde::Serialize;

use crate::engine::Assessment;
use crate::model::finding::Finding;
use crate::model::object::ObjectName;
use crate::model::state::{ClusterState, Unreadable};
use crate::model::verdict::Verdict;
use crate::report::distribution::SecretDistribution;
use crate::report::{Header, findings};
use crate::wait::{Item, Outlook, Survey, Wish};

/// The document `WaitResult`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WaitResult {
    /// `apiVersion`, `kind` and `source`.
    #[serde(flatten)]
    pub header: Header,
    /// How it ended.
    pub outcome: WaitOutcome,
    /// The objects, those first that are not as wanted.
    pub items: Vec<WaitItem>,
    /// What is wrong with those, or with what holds them up.
    pub findings: Vec<Finding>,
    /// What could not be read.
    pub unreadable: Vec<Unreadable>,
}

/// How a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum WaitOutcome {
    /// Everything is as wanted.
    Reached,
    /// Something will not be as wanted unless somebody does something.
    Failed,
    /// Time is up.
    Timeout,
    /// Something may not be read, and would not be however long one waits.
    Unreadable,
}

/// One object.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WaitItem {
    /// Its name.
    pub object: ObjectName,
    /// The app cluster that it is in; absent in the core cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// What was waited for: `ok`, `synced`, `gone` or a verdict.
    pub wanted: String,
    /// The revision that was waited for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// How it is doing; absent where it is not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// Whether it is as wanted.
    pub reached: bool,
    /// Whether it will not be, unless somebody does something.
    pub hopeless: bool,
    /// Why it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl WaitResult {
    /// What came of a wait.
    pub fn of(
        state: &ClusterState,
        assessment: &Assessment<'_>,
        survey: &Survey,
        wish: &Wish,
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
            items: survey.items.iter().map(|entry| item(entry, wish)).collect(),
            findings: concerned,
            unreadable: state.unreadable.clone(),
        }
    }
}

impl WaitResult {
    /// What came of a wait for copies of Secrets in app clusters.
    pub fn of_copies(seen: &SecretDistribution, items: Vec<WaitItem>) -> Self {
        Self {
            header: Header { kind: "WaitResult", ..seen.header.clone() },
            outcome: WaitOutcome::Timeout,
            items,
            findings: seen.findings.iter().map(|finding| finding.item.clone()).collect(),
            unreadable: seen.unreadable.iter().map(|entry| entry.item.clone()).collect(),
        }
    }
}

fn item(item: &Item, wish: &Wish) -> WaitItem {
    WaitItem {
        object: item.object.clone(),
        cluster: None,
        wanted: wish.goal.to_string(),
        revision: wish.revision.clone(),
        verdict: item.verdict,
        reached: item.outlook == Outlook::Reached,
        hopeless: item.outlook == Outlook::Hopeless,
        message: item.message.clone(),
    }
}
