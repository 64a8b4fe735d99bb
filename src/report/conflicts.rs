//! The document `ConflictList`: external resources that several objects claim.

use std::sync::Arc;

use jiff::Timestamp;
use serde::Serialize;

use super::API_VERSION;
use super::findings::told;
use super::sources::{Sourced, mark, unmarked};
use crate::conflict::{Conflict, Powers, Winner};
use crate::model::comparison::Certainty;
use crate::model::finding::Finding;
use crate::model::object::ObjectName;
use crate::model::state::{ClusterState, Origin, Unreadable};

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
    /// What is claimed more than once, certain first.
    pub items: Vec<ConflictItem>,
    /// The same as findings, as `status` has them.
    pub findings: Vec<Finding>,
    /// How many objects were compared.
    pub checked: usize,
    /// What could not be read, and where: it may conflict with anything.
    pub unreadable: Vec<Sourced<Unreadable>>,
    /// The newest moment that it speaks of.
    #[serde(skip)]
    pub moment: Timestamp,
}

/// One external resource.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConflictItem {
    /// Stable code.
    pub code: String,
    /// As the cloud calls it, or kind, name and place.
    pub identity: String,
    /// Whether it is for sure.
    pub certainty: Certainty,
    /// Who claims it, in the order of their creation.
    pub claimants: Vec<ClaimantItem>,
    /// Who has the last word: `one`, with its position, `agreed`, `fight`, `unknown`, or `nobody`.
    pub winner: Winner,
    /// Fields that those who write declare differently.
    pub fields: Vec<String>,
    /// Since when there are two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// What it means.
    pub message: String,
}

/// One who claims it.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClaimantItem {
    /// Where it is, with several sources.
    pub source: Origin,
    /// The object.
    pub object: ObjectName,
    /// What its engine may do.
    #[serde(flatten)]
    pub powers: Powers,
    /// Why nobody acts on it now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle: Option<String>,
    /// Since when it exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
}

impl ConflictList {
    /// Gathers what was found in the sources that could be read, and says which could not.
    pub fn of(
        sources: Vec<Arc<Origin>>,
        states: &[ClusterState],
        unread: Vec<Sourced<Unreadable>>,
        conflicts: Vec<Conflict>,
    ) -> Self {
        let origin = |state: usize| states[state].origin.clone();
        let findings = conflicts.iter().filter_map(finding).collect();
        let item = |conflict: Conflict| ConflictItem {
            code: conflict.code.info().code.to_owned(),
            identity: crate::model::secrecy::scrub(&conflict.identity).into_owned(),
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
            let mut entries = unmarked(state.unreadable.iter().cloned());
            mark(&mut entries, &Arc::new(state.origin.clone()));
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
        }
    }
}

fn finding(conflict: &Conflict) -> Option<Finding> {
    let mut objects = conflict.claimants.iter().map(|claimant| claimant.object.clone());
    let object = objects.next()?;
    let also = objects.collect();
    Some(Finding { since: conflict.since, also, ..told(conflict.code, object, conflict.message.clone()) })
}
