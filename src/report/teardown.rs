//! The document `TeardownPlan`: the consequences of a deletion, and the ordered steps for it.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;

use super::Header;
use super::command::command_at;
use super::document_list::{DocumentList, ListableDocument};
use super::findings::finding_with_hint;
use super::sources::add_source_to_hint;
use ucp_core::engine::code::Code;
use ucp_core::model::finding::Finding;
use ucp_core::model::grounds::GroundsEvidence;
use ucp_core::model::object::ObjectName;
use ucp_core::model::secrecy::scrub;
use ucp_core::model::state::{ClusterState, Origin, Unreadable};
use ucp_features::teardown::{DeletionItem, DeletionOutcome, RunsIn, Teardown, TeardownStep};

/// The document `TeardownPlan`.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeardownPlan {
    /// `apiVersion`, `kind` and `source`.
    #[serde(flatten)]
    pub header: Header,
    /// The time of the cluster state.
    pub moment: Timestamp,
    /// The objects to delete; empty for the whole core cluster.
    pub targets: Vec<ObjectName>,
    /// The path in Git whose removal deletes the targets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merge: Option<String>,
    /// How many objects have which fate.
    pub counts: BTreeMap<DeletionOutcome, usize>,
    /// The fate of each object, worst first.
    pub items: Vec<TeardownItem>,
    /// The steps of the teardown, in order.
    pub steps: Vec<TeardownStep>,
    /// Objects that would be orphaned, stuck, or created again.
    pub findings: Vec<Finding>,
    /// Objects and kinds that could not be read. Any other object may depend on them.
    pub unreadable: Vec<Unreadable>,
    /// The lists that were read completely.
    #[serde(skip)]
    read: GroundsEvidence,
}

/// The fate of one object.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeardownItem {
    /// The app cluster that holds the object; absent for the core cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// The object.
    pub object: ObjectName,
    /// The fate of the object and of its external resource.
    pub fate: DeletionOutcome,
    /// The name of the external resource.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external: Option<String>,
    /// The reason for the fate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The creation time of the object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// The finalizers that must be removed before the object is deleted.
    pub finalizers: Vec<String>,
}

impl TeardownPlan {
    /// Builds the document from a predicted teardown.
    pub fn from_teardown(state: &ClusterState, teardown: Teardown) -> Self {
        let findings = teardown_findings(&teardown);
        let mut counts = BTreeMap::new();
        for item in &teardown.items {
            *counts.entry(item.fate).or_default() += 1;
        }
        let shown = |item: DeletionItem| {
            let metadata = &state.resources[item.node].metadata;
            TeardownItem {
                cluster: None,
                object: item.object,
                fate: item.fate,
                external: item.external.map(|name| scrub(&name).into_owned()),
                reason: item.reason.map(|reason| scrub(&reason).into_owned()),
                since: metadata.creation_timestamp,
                finalizers: metadata.finalizers.iter().map(ToString::to_string).collect(),
            }
        };
        let remains = teardown.remains.into_iter().map(|one| TeardownItem {
            cluster: Some(one.cluster),
            object: one.object,
            fate: DeletionOutcome::Orphaned,
            external: one.external.map(|name| scrub(&name).into_owned()),
            reason: Some(one.reason.to_owned()),
            since: one.since,
            finalizers: Vec::new(),
        });
        let remains: Vec<_> = remains.collect();
        if !remains.is_empty() {
            *counts.entry(DeletionOutcome::Orphaned).or_default() += remains.len();
        }
        let mut items: Vec<TeardownItem> = teardown.items.into_iter().map(shown).chain(remains).collect();
        items.sort_by_key(|item| item.fate);
        Self {
            header: Header::new("TeardownPlan", state.origin.clone()),
            moment: state.moment,
            targets: teardown.targets,
            merge: teardown.merge,
            counts,
            items,
            steps: teardown.steps,
            findings,
            unreadable: state.unreadable.iter().cloned().chain(teardown.unread).collect(),
            read: GroundsEvidence::from_state(state),
        }
    }

    /// Returns true if an object would be orphaned or stuck, or a remaining object would lose something.
    pub fn has_trouble(&self) -> bool {
        let harmful = [Code::UsersRemain, Code::SharedOutside].map(|code| code.info().code);
        self.items.iter().any(|item| matches!(item.fate, DeletionOutcome::Stuck | DeletionOutcome::Orphaned))
            || self.findings.iter().any(|finding| harmful.contains(&finding.code.as_str()))
    }

    /// Returns the evidence that the consequences of the deletion are completely known.
    pub fn evidence(&self) -> GroundsEvidence {
        let mut evidence = self.read.clone();
        evidence.add_gaps(&self.unreadable);
        for item in self.items.iter().filter(|item| item.fate == DeletionOutcome::Unknown) {
            let reason = item.reason.clone().unwrap_or_default();
            evidence.add_gap(Unreadable { what: item.object.to_string(), reason });
        }
        evidence
    }
}

/// The document `TeardownPlanList`: the consequences in each of several core clusters.
pub type TeardownPlanList = DocumentList<TeardownPlan>;

impl ListableDocument for TeardownPlan {
    const LIST: &'static str = "TeardownPlanList";

    fn header(&self) -> &Header {
        &self.header
    }

    fn unreadable(&self) -> &[Unreadable] {
        &self.unreadable
    }

    /// Returns the worst fate, and the number of objects that have it.
    fn worst(&self) -> impl Ord {
        let worst = self.counts.first_key_value();
        worst.map_or((DeletionOutcome::Kept, Reverse(0)), |(fate, number)| (*fate, Reverse(*number)))
    }

    fn ask_at(&mut self, source: &Origin) {
        self.findings.iter_mut().for_each(|finding| add_source_to_hint(finding, source));
        for step in self.steps.iter_mut().filter(|step| step.runs_in != RunsIn::AppClusters) {
            step.commands.iter_mut().for_each(|command| *command = command_at(command, source));
        }
    }
}

fn teardown_findings(teardown: &Teardown) -> Vec<Finding> {
    let finding =
        |code: Code, object: &ObjectName, message: &str| finding_with_hint(code, object.clone(), scrub(message));
    let mut findings = Vec::new();
    for item in &teardown.items {
        let blocks = item.blocks.iter();
        findings.extend(blocks.map(|block| {
            let hint = Some(block.command.clone());
            Finding { hint, ..finding(block.code, &item.object, &block.reason) }
        }));
        if item.fate == DeletionOutcome::Orphaned {
            let code = Code::WouldBeOrphaned;
            let name = item.external.as_deref().unwrap_or("its external resource");
            let message = format!("{name} remains: {}", item.reason.as_deref().unwrap_or_default());
            findings.push(finding(code, &item.object, &message));
        }
    }
    for item in teardown.items.iter().filter(|item| item.fate == DeletionOutcome::Unknown) {
        let reason = item.reason.as_deref().unwrap_or_default();
        findings.push(finding(Code::ConsequencesUnknown, &item.object, reason));
    }
    findings.extend(teardown.harms.iter().map(|harm| finding(harm.code, &harm.object, &harm.message)));
    for one in &teardown.remains {
        let outside = one.external.as_deref().unwrap_or("its external resource");
        let message = format!("in app cluster {}: {outside} remains: {}", one.cluster, one.reason);
        findings.push(finding(Code::WouldBeOrphaned, &one.object, &message));
    }
    if let Some(target) = teardown.targets.first() {
        for by in &teardown.restored_by {
            let code = Code::WouldComeBack;
            findings.push(finding(code, target, &format!("{by} creates it again")));
        }
    }
    findings
}
