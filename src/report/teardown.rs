//! The document `TeardownPlan`: what happens when something is deleted, and what to do in which order.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;

use super::Header;
use super::command::command_at;
use super::document_list::{DocumentList, Listed};
use super::findings::told;
use super::sources::ask_at;
use crate::engine::code::Code;
use crate::model::finding::Finding;
use crate::model::object::ObjectName;
use crate::model::secrecy::scrub;
use crate::model::state::{ClusterState, Origin, Unreadable};
use crate::teardown::{Fate, Item, RunsIn, Step, Teardown};

/// The document `TeardownPlan`.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeardownPlan {
    /// `apiVersion`, `kind` and `source`.
    #[serde(flatten)]
    pub header: Header,
    /// The moment that it speaks of.
    pub moment: Timestamp,
    /// What is to go; empty for the whole core cluster.
    pub targets: Vec<ObjectName>,
    /// The path in Git whose removal deletes the targets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merge: Option<String>,
    /// How many objects have which fate.
    pub counts: BTreeMap<Fate, usize>,
    /// What becomes of each object, worst first.
    pub items: Vec<TeardownItem>,
    /// What to do, in this order.
    pub steps: Vec<Step>,
    /// What would be orphaned or stuck, and what would be made again.
    pub findings: Vec<Finding>,
    /// What could not be read: anything may depend on it.
    pub unreadable: Vec<Unreadable>,
}

/// What becomes of one object.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeardownItem {
    /// The app cluster that it is in; absent where that is this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// The object.
    pub object: ObjectName,
    /// What becomes of it, and of what it stands for.
    pub fate: Fate,
    /// The name of what it stands for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external: Option<String>,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Since when it exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// Who has to release it before it goes.
    pub finalizers: Vec<String>,
}

impl TeardownPlan {
    /// Gathers what was foretold.
    /// `unreadable` is what besides the state could not be read.
    pub fn of(state: &ClusterState, teardown: Teardown, unreadable: Vec<Unreadable>) -> Self {
        let findings = findings(&teardown);
        let mut counts = BTreeMap::new();
        for item in &teardown.items {
            *counts.entry(item.fate).or_default() += 1;
        }
        let shown = |item: Item| {
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
            fate: Fate::Orphaned,
            external: one.external.map(|name| scrub(&name).into_owned()),
            reason: Some(one.reason.to_owned()),
            since: one.since,
            finalizers: Vec::new(),
        });
        let remains: Vec<_> = remains.collect();
        if !remains.is_empty() {
            *counts.entry(Fate::Orphaned).or_default() += remains.len();
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
            unreadable: state.unreadable.iter().cloned().chain(teardown.unread).chain(unreadable).collect(),
        }
    }

    /// Whether something would be orphaned or stuck, or objects that stay would lose something.
    pub fn has_trouble(&self) -> bool {
        let harmful = [Code::UsersRemain, Code::SharedOutside].map(|code| code.info().code);
        self.items.iter().any(|item| matches!(item.fate, Fate::Stuck | Fate::Orphaned))
            || self.findings.iter().any(|finding| harmful.contains(&finding.code.as_str()))
    }

    /// Whether the consequences are known of everything that goes, as far as everything was read.
    pub fn is_incomplete(&self) -> bool {
        !self.unreadable.is_empty() || self.items.iter().any(|item| item.fate == Fate::Unknown)
    }
}

/// The document `TeardownPlanList`: what happens in each of several core clusters.
pub type TeardownPlanList = DocumentList<TeardownPlan>;

impl Listed for TeardownPlan {
    const LIST: &'static str = "TeardownPlanList";

    fn header(&self) -> &Header {
        &self.header
    }

    fn unreadable(&self) -> &[Unreadable] {
        &self.unreadable
    }

    /// The worst fate that an object has, and how many have it.
    fn worst(&self) -> impl Ord {
        let worst = self.counts.first_key_value();
        worst.map_or((Fate::Kept, Reverse(0)), |(fate, number)| (*fate, Reverse(*number)))
    }

    fn ask_at(&mut self, source: &Origin) {
        self.findings.iter_mut().for_each(|finding| ask_at(finding, source));
        for step in self.steps.iter_mut().filter(|step| step.runs_in != RunsIn::AppClusters) {
            step.commands.iter_mut().for_each(|command| *command = command_at(command, source));
        }
    }
}

fn findings(teardown: &Teardown) -> Vec<Finding> {
    let finding = |code: Code, object: &ObjectName, message: &str| told(code, object.clone(), scrub(message));
    let mut findings = Vec::new();
    for item in &teardown.items {
        let blocks = item.blocks.iter();
        findings.extend(blocks.map(|block| {
            let hint = Some(block.mend.clone());
            Finding { hint, ..finding(block.code, &item.object, &block.reason) }
        }));
        if item.fate == Fate::Orphaned {
            let code = Code::WouldBeOrphaned;
            let name = item.external.as_deref().unwrap_or("what it stands for");
            let message = format!("{name} stays outside: {}", item.reason.as_deref().unwrap_or_default());
            findings.push(finding(code, &item.object, &message));
        }
    }
    for item in teardown.items.iter().filter(|item| item.fate == Fate::Unknown) {
        let reason = item.reason.as_deref().unwrap_or_default();
        findings.push(finding(Code::ConsequencesUnknown, &item.object, reason));
    }
    findings.extend(teardown.harms.iter().map(|harm| finding(harm.code, &harm.object, &harm.message)));
    for one in &teardown.remains {
        let outside = one.external.as_deref().unwrap_or("what it stands for");
        let message = format!("in app cluster {}: {outside} stays outside: {}", one.cluster, one.reason);
        findings.push(finding(Code::WouldBeOrphaned, &one.object, &message));
    }
    if let Some(target) = teardown.targets.first() {
        for by in &teardown.restored_by {
            let code = Code::WouldComeBack;
            findings.push(finding(code, target, &format!("{by} makes it again")));
        }
    }
    findings
}
