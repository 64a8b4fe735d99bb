//! The rounds of reconciling one composite, and their result.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::composition::blueprint::CompositionPipeline;
use crate::composition::desired::{self, ObjectsByName};
use crate::composition::settled::{
    CompositePrediction, CompositePresence, CompositeSubject, NestedPrediction, ResourceChange, ResourcePrediction,
    with_stand_in_uid,
};
use ucp_client::prediction::dry_run::{DryRunOutcome, DryRunPrediction};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::ObjectName;

/// Maximum number of rounds per composite; most are stable after two.
pub(super) const MOST_ROUNDS: usize = 5;

/// The result of one round for one resource.
#[derive(Clone)]
pub(super) struct AppliedResource {
    /// The manifest that core applies.
    pub(super) manifest: Value,
    /// The server's prediction; `None` if the server does not serve the kind.
    pub(super) said: Option<Box<(ResourceKind, DryRunPrediction)>>,
    /// The nested prediction, if the resource is a composite that changes.
    pub(super) nested: Option<NestedPrediction>,
}

/// The rounds for one composite, with one assumption about readiness.
pub(super) struct ReconcileRun {
    /// The composite after the last round.
    pub(super) composite: Value,
    /// The current composed resources.
    pub(super) live: ObjectsByName,
    /// The resources that the last round applied.
    pub(super) applied: BTreeMap<String, AppliedResource>,
    /// Warnings of the functions in the last round.
    pub(super) warnings: Vec<String>,
    /// Objects that the functions required in any round.
    pub(super) required: BTreeSet<ObjectName>,
    /// Resources that one round deletes and a later one creates again.
    pub(super) remade: BTreeSet<String>,
    /// Resources that are created and deleted again before the last round.
    pub(super) passing: BTreeSet<String>,
    /// True if the last round changed nothing.
    pub(super) is_still: bool,
}

impl ReconcileRun {
    /// Creates the state before the first round.
    pub(super) fn new(subject: &CompositeSubject, live: &ObjectsByName) -> Self {
        Self {
            composite: subject.composite.clone(),
            live: live.clone(),
            applied: BTreeMap::new(),
            warnings: Vec::new(),
            required: BTreeSet::new(),
            remade: BTreeSet::new(),
            passing: BTreeSet::new(),
            is_still: false,
        }
    }

    /// Returns the manifests that the last round applied, by resource name.
    pub(super) fn manifests(&self) -> ObjectsByName {
        self.applied.iter().map(|(key, applied)| (key.clone(), applied.manifest.clone())).collect()
    }
}

/// Summarizes the rounds. `later` is the run that assumes readiness, for pipelines with a sequencer.
pub(super) fn summarize_run(
    subject: &CompositeSubject,
    blueprint: CompositionPipeline,
    run: ReconcileRun,
    later: Option<ReconcileRun>,
) -> CompositePrediction {
    let mut resources = Vec::new();
    let wanted = run.manifests();
    let mut warnings = run.warnings;
    if !run.is_still {
        warnings.push(format!("it still changes after {MOST_ROUNDS} reconciles: the shown state is not final"));
    }
    for key in &run.passing {
        warnings.push(format!("resource {key:?} is created and deleted again in between"));
    }
    for (key, live) in desired::removed_objects(&run.live, &wanted) {
        resources.push(new_prediction(key, ResourceChange::Removed { live: live.clone() }));
    }
    for (key, live) in desired::left_behind_objects(&run.live, &wanted) {
        resources.push(new_prediction(key, ResourceChange::LeftBehind { live: live.clone() }));
    }
    // A resource that a round deletes is deleted with its external resource, even if it exists again after the last
    // round.
    for (key, live) in run.remade.iter().filter_map(|key| Some((key, run.live.get(key)?))) {
        let mut one = new_prediction(key, ResourceChange::Removed { live: live.clone() });
        one.notes.push("one reconcile deletes it, and a later one creates it again".to_owned());
        resources.push(one);
    }
    let mut nested = Vec::new();
    for (key, mut applied) in run.applied {
        let is_remade = run.remade.contains(&key);
        if let Some(said) = applied.said.as_mut().filter(|_| is_remade) {
            said.1.live = None;
        }
        let mut one = new_prediction(&key, ResourceChange::Applied { manifest: applied.manifest, said: applied.said });
        one.name_is_final = subject.presence == CompositePresence::Existing || run.live.contains_key(&key);
        if is_remade {
            one.notes.push("it is created again, after an earlier reconcile has deleted it".to_owned());
        }
        nested.extend(applied.nested);
        resources.push(one);
    }
    for (key, applied) in later.map(|later| later.applied).unwrap_or_default() {
        if !wanted.contains_key(&key) {
            let mut one =
                new_prediction(&key, ResourceChange::Applied { manifest: applied.manifest, said: applied.said });
            one.name_is_final = subject.presence == CompositePresence::Existing;
            one.notes.push("only after the objects before it are ready, which is assumed here".to_owned());
            nested.extend(applied.nested);
            resources.push(one);
        }
    }
    CompositePrediction {
        composite: run.composite,
        blueprint: Some(blueprint),
        resources,
        warnings,
        required: run.required,
        nested,
    }
}

fn new_prediction(key: &str, fate: ResourceChange) -> ResourcePrediction {
    ResourcePrediction { key: key.to_owned(), fate, notes: Vec::new(), name_is_final: true }
}

/// Returns the object as the next round observes it.
pub(super) fn observed_after_apply(applied: &AppliedResource) -> Option<Value> {
    if let Some(NestedPrediction { settled: Ok(settled), .. }) = &applied.nested {
        return Some(settled.composite.clone());
    }
    let DryRunPrediction { live, outcome: DryRunOutcome::Accepted(after), .. } = &applied.said.as_deref()?.1 else {
        return None;
    };
    let presence = if live.is_some() { CompositePresence::Existing } else { CompositePresence::New };
    Some(with_stand_in_uid(after.clone(), presence))
}
