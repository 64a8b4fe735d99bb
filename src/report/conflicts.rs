//! The document `ConflictList`: external resources that are claimed by more than one object.

use std::sync::Arc;

use jiff::Timestamp;
use serde::Serialize;

use super::API_VERSION;
use super::findings::finding_with_hint;
use super::sources::{Sourced, set_sources, without_sources};
use ucp_core::model::comparison::Certainty;
use ucp_core::model::finding::Finding;
use ucp_core::model::grounds::GroundsEvidence;
use ucp_core::model::object::ObjectName;
use ucp_core::model::state::{ClusterState, Origin, Unreadable};
use ucp_features::conflict::{ConflictWinner, EnginePowers, ExternalConflict};

/// The document `ConflictList`.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConflictList {
    /// Always [`API_VERSION`].
    pub api_version: &'static str,
    /// Always `ConflictList`.
    pub kind: &'static str,
    /// The clusters or snapshots that were read.
    pub sources: Vec<Arc<Origin>>,
    /// Resources with more than one claimant, certain conflicts first.
    pub items: Vec<ConflictItem>,
    /// The same conflicts as findings, in the format of `status`.
    pub findings: Vec<Finding>,
    /// The number of objects that were compared.
    pub checked: usize,
    /// Objects and kinds that could not be read, with their source. Each could conflict with any other object.
    pub unreadable: Vec<Sourced<Unreadable>>,
    /// The time of the newest cluster state.
    #[serde(skip)]
    pub moment: Timestamp,
    /// The lists that were read completely.
    #[serde(skip)]
    read: GroundsEvidence,
}

/// One external resource with several claimants.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConflictItem {
    /// The stable code of the finding.
    pub code: String,
    /// The cloud's identifier, or kind, name and location.
    pub identity: String,
    /// The certainty of the conflict.
    pub certainty: Certainty,
    /// The objects that claim it, in order of creation.
    pub claimants: Vec<ClaimantItem>,
    /// The claimant that wins: `one`, with its position, `agreed`, `fight`, `unknown`, or `nobody`.
    pub winner: ConflictWinner,
    /// Fields that the writing claimants declare differently.
    pub fields: Vec<String>,
    /// The time since which there are two claimants.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// A description of the conflict.
    pub message: String,
}

/// One object that claims the resource.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClaimantItem {
    /// The cluster or snapshot that contains the object.
    pub source: Origin,
    /// The claiming object.
    pub object: ObjectName,
    /// The operations that its engine may do.
    #[serde(flatten)]
    pub powers: EnginePowers,
    /// The reason why no controller acts on it now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle: Option<String>,
    /// The creation time of the object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
}

impl ConflictList {
    /// Builds the document from the sources that could be read, and lists those that could not.
    pub fn from_conflicts(
        sources: Vec<Arc<Origin>>,
        states: &[ClusterState],
        unread: Vec<Sourced<Unreadable>>,
        conflicts: Vec<ExternalConflict>,
    ) -> Self {
        let origin = |state: usize| states[state].origin.clone();
        let findings = conflicts.iter().filter_map(finding).collect();
        let item = |conflict: ExternalConflict| ConflictItem {
            code: conflict.code.info().code.to_owned(),
            identity: ucp_core::model::secrecy::scrub(&conflict.identity).into_owned(),
            certainty: conflict.certainty,
            winner: conflict.winner,
            fields: conflict.fields,
            since: conflict.since,
            message: conflict.message,
            claimants: conflict
                .claimants
                .into_iter()
                .map(|claimant| ClaimantItem {
                    source: origin(claimant.state),
                    object: claimant.object,
                    powers: claimant.powers,
                    idle: claimant.idle,
                    since: claimant.since,
                })
                .collect(),
        };
        let unreadable = states.iter().flat_map(|state| {
            let mut entries = without_sources(state.unreadable.iter().cloned());
            set_sources(&mut entries, &Arc::new(state.origin.clone()));
            entries
        });
        Self {
            api_version: API_VERSION,
            kind: "ConflictList",
            sources,
            findings,
            items: conflicts.into_iter().map(item).collect(),
            checked: states.iter().flat_map(|state| &state.resources).filter(|one| one.whole.is_some()).count(),
            unreadable: unreadable.chain(unread).collect(),
            moment: states.iter().map(|state| state.moment).max().unwrap_or_default(),
            read: states.iter().map(GroundsEvidence::from_state).fold(GroundsEvidence::new(), |mut all, one| {
                all.join(&one);
                all
            }),
        }
    }

    /// Returns the evidence for the answer that nothing but the items is in conflict.
    pub fn evidence(&self) -> GroundsEvidence {
        let mut evidence = self.read.clone();
        evidence.add_gaps(self.unreadable.iter().map(|entry| &entry.item));
        evidence
    }
}

fn finding(conflict: &ExternalConflict) -> Option<Finding> {
    let mut objects = conflict.claimants.iter().map(|claimant| claimant.object.clone());
    let object = objects.next()?;
    let also = objects.collect();
    Some(Finding { since: conflict.since, also, ..finding_with_hint(conflict.code, object, conflict.message.clone()) })
}
