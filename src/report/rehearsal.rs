//! The document `Rehearsal`: what of a core cluster would not come back from Git alone.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;

use super::Header;
use crate::bootstrap::hub::Ownership;
use crate::bootstrap::rehearsal::{Concern, Outcome, Recovery};
use crate::model::secrecy::scrub;
use crate::model::state::{ClusterState, Unreadable};

/// The document `Rehearsal`.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Rehearsal {
    /// `apiVersion`, `kind` and `source`.
    #[serde(flatten)]
    pub header: Header,
    /// The moment that it speaks of.
    pub moment: Timestamp,
    /// The checkout.
    pub directory: String,
    /// What speaks against it being the hub of the checkout: its roots come from another repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hub: Option<Ownership>,
    /// Other repositories that the hub deploys from, each with the number of objects that do. They were not read.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub repositories: BTreeMap<String, usize>,
    /// How many objects come back by themselves.
    pub returning: usize,
    /// How many objects have which outcome.
    pub counts: BTreeMap<Outcome, usize>,
    /// What does not simply come back, worst first.
    pub items: Vec<Concern>,
    /// What could not be rendered or read: anything may depend on it.
    pub unreadable: Vec<Unreadable>,
}

impl Rehearsal {
    /// Gathers what was found. `unreadable` is what could not be rendered.
    pub fn of(state: &ClusterState, directory: String, found: Recovery, unreadable: Vec<Unreadable>) -> Self {
        let mut counts = BTreeMap::new();
        for concern in &found.concerns {
            *counts.entry(concern.outcome).or_default() += 1;
        }
        // Names, and what an engine says, may hold a secret.
        let told = |text: String| scrub(&text).into_owned();
        let shown = |concern: Concern| Concern {
            external: concern.external.map(told),
            reason: told(concern.reason),
            remedy: concern.remedy.map(told),
            ..concern
        };
        let unknown = found.unknown.into_iter().map(|one| Unreadable { reason: told(one.reason), ..one });
        Self {
            header: Header::new("Rehearsal", state.origin.clone()),
            moment: state.moment,
            directory,
            hub: None,
            repositories: BTreeMap::new(),
            returning: found.returning,
            counts,
            items: found.concerns.into_iter().map(shown).collect(),
            unreadable: unreadable.into_iter().chain(state.unreadable.iter().cloned()).chain(unknown).collect(),
        }
    }
}
