//! The part of a cluster state that the views show, for each core cluster.

use std::collections::{BTreeSet, HashMap, HashSet};

use jiff::Timestamp;

use super::hash_of;
use crate::report::resources::{ResourceItem, ResourceList, is_listed};
use crate::report::status::StatusReport;
use ucp_core::engine::{self, Assessment, AssessmentClock, JudgedObject};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::ObjectName;
use ucp_core::model::selector::LabelSelector;
use ucp_core::model::state::ClusterState;
use ucp_core::model::text::one_line;
use ucp_core::model::word::SharedTextMap;

/// What the views show of one core cluster.
pub struct HubState {
    pub(super) moment: Timestamp,
    pub(super) status: StatusReport,
    #[allow(clippy::vec_box, reason = "lists of rows are sorted and filtered without copying items")]
    pub(super) resources: Vec<Box<ResourceItem>>,
    pub(super) deployments: Vec<DeployerRow>,
    /// The labels of the objects of each finding.
    pub(super) finding_labels: Vec<String>,
    /// The owners of the objects with findings: a package revision is in no list, and belongs to its package.
    owners: HashMap<ObjectName, ObjectName>,
}

/// An object that applies manifests.
pub(super) struct DeployerRow {
    pub(super) item: Box<ResourceItem>,
    /// The directory or chart, and the revision.
    pub(super) deploys: String,
}

impl HubState {
    /// Returns the content of the views for a state.
    pub fn from_state(state: &ClusterState, clock: &AssessmentClock, selector: &LabelSelector) -> Self {
        let mut assessment = engine::assess(state, clock);
        if !selector.is_empty() {
            assessment.select(|resource| selector.matches(&resource.metadata));
        }
        let list = |filter: &dyn Fn(&JudgedObject<'_>) -> bool| {
            let list = ResourceList::from_assessment(state, &assessment, |_, entry| filter(entry));
            list.items.into_iter().map(|item| item.item)
        };
        let deployments = list(&|entry| applies(&entry.resource.kind));
        let sources: HashMap<ObjectName, String> = assessment
            .judged
            .iter()
            .filter(|entry| applies(&entry.resource.kind))
            .map(|entry| (entry.resource.name(), deployed_source(entry)))
            .collect();
        let status = StatusReport::from_assessment(state, &assessment);
        let named: HashSet<&ObjectName> = status.findings.iter().map(|finding| &finding.object).collect();
        let owned = list(&|entry| named.contains(&entry.resource.name()));
        let mut owners = controllers(state, &named);
        owners.extend(owned.filter_map(|item| Some((item.object.clone(), owner(&item)?.clone()))));
        let finding_labels = labels_of_findings(&status, &assessment);
        Self {
            finding_labels,
            owners,
            moment: state.moment,
            status,
            resources: list(&|entry| is_listed(&entry.resource.kind)).collect(),
            deployments: deployments
                .map(|item| DeployerRow { deploys: sources.get(&item.object).cloned().unwrap_or_default(), item })
                .collect(),
        }
    }

    /// Returns the key of every row, and a hash of its content.
    pub(super) fn contents(&self, source: usize) -> impl Iterator<Item = (u64, u64)> {
        let finding_rows = self.status.findings.iter().map(move |finding| {
            (finding_key(source, &finding.object, &finding.code), hash_of(&(finding.verdict, &finding.message)))
        });
        let items = self.resources.iter().chain(self.deployments.iter().map(|deployment| &deployment.item));
        let item_rows = items.map(move |item| {
            let message = item.message.as_deref();
            (object_key(source, &item.object), hash_of(&(item.verdict, item.ready, item.synced, message)))
        });
        finding_rows.chain(item_rows)
    }

    /// Returns the object that an object with a problem belongs to.
    pub(super) fn owner_of(&self, object: &ObjectName) -> Option<&ObjectName> {
        self.owners.get(object)
    }
}

/// Returns the labels of the objects of each finding.
fn labels_of_findings(status: &StatusReport, assessment: &Assessment<'_>) -> Vec<String> {
    let findings = || status.findings.iter().map(|finding| std::iter::once(&finding.object).chain(&finding.also));
    let named: HashSet<&ObjectName> = findings().flatten().collect();
    let labelled = assessment.judged.iter().map(|entry| entry.resource).filter(|one| !one.metadata.labels.is_empty());
    let labels: HashMap<ObjectName, &SharedTextMap> =
        labelled.map(|one| (one.name(), &one.metadata.labels)).filter(|(name, _)| named.contains(name)).collect();
    let words = findings().map(|objects| {
        let pairs = objects.filter_map(|object| labels.get(object)).flat_map(|all| all.iter());
        label_words(pairs.collect::<BTreeSet<_>>().into_iter())
    });
    words.collect()
}

/// Returns labels as text.
pub(super) fn label_words<'a>(labels: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    labels.map(|(key, value)| one_line(&format!("{key}={value}"))).collect::<Vec<_>>().join(",")
}

/// Returns the controllers of objects by their owner references, for objects without a verdict such as package revisions.
fn controllers(state: &ClusterState, objects: &HashSet<&ObjectName>) -> HashMap<ObjectName, ObjectName> {
    let named = state.resources.iter().map(|resource| (resource.name(), &resource.metadata));
    let owned = named
        .filter(|(object, _)| objects.contains(object))
        .filter_map(|(object, metadata)| Some((metadata.controller()?.object(object.namespace.as_deref()), object)))
        .map(|(owner, object)| (object, owner));
    owned.collect()
}

/// Returns the object that a resource belongs to.
pub(super) fn owner(item: &ResourceItem) -> Option<&ObjectName> {
    item.owner.as_deref().or(item.managed_by.as_deref())
}

/// Returns the key of a row about an object.
pub(super) fn object_key(source: usize, object: &ObjectName) -> u64 {
    hash_of(&(source, object))
}

/// Returns the key of a finding.
pub(super) fn finding_key(source: usize, object: &ObjectName, code: &str) -> u64 {
    hash_of(&(source, object, code))
}

/// Returns true for kinds that apply manifests from Git or a registry.
fn applies(kind: &ResourceKind) -> bool {
    let group = kind.group.as_str();
    let is_argo = group == engine::argocd::GROUP && matches!(kind.kind.as_str(), "Application" | "ApplicationSet");
    is_argo || engine::flux::GROUPS.contains(&group) && matches!(kind.kind.as_str(), "Kustomization" | "HelmRelease")
}

fn deployed_source(entry: &JudgedObject<'_>) -> String {
    let path = engine::deploys(entry.resource).unwrap_or_default();
    let revisions = engine::course(entry.resource).revisions;
    let revision = revisions.and_then(|revisions| revisions.applied.into_iter().next());
    match revision {
        Some(revision) if path.is_empty() => crate::render::tree::shorten_revision(&revision),
        Some(revision) => format!("{path} @ {}", crate::render::tree::shorten_revision(&revision)),
        None => path.to_owned(),
    }
}
