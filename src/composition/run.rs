//! Reconciles of one composite to their end, and what is told of them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::composition::blueprint::Blueprint;
use crate::composition::desired::{self, Objects};
use crate::composition::settled::{Fate, Foretold, Nested, Presence, Settled, Subject, with_stand_in};
use crate::model::kind::ResourceKind;
use crate::model::object::ObjectName;
use crate::prediction::dry_run::{Outcome, Prediction};

/// Reconciles of one composite that are looked at; most are still after two.
pub(super) const MOST_ROUNDS: usize = 5;

/// What a round made of one resource.
#[derive(Clone)]
pub(super) struct Applied {
    /// What core applies.
    pub(super) manifest: Value,
    /// What the server says to it; absent where it does not serve the kind.
    pub(super) said: Option<Box<(ResourceKind, Prediction)>>,
    /// What becomes of it, where it is a composite that changes.
    pub(super) nested: Option<Nested>,
}

/// A run to the end, with one assumption about what is not there yet.
pub(super) struct Run {
    /// The composite, as the last reconcile leaves it.
    pub(super) composite: Value,
    /// What it is made of now.
    pub(super) live: Objects,
    /// What the last reconcile applied.
    pub(super) applied: BTreeMap<String, Applied>,
    /// What its functions warned of then.
    pub(super) warnings: Vec<String>,
    /// What they ever required.
    pub(super) required: BTreeSet<ObjectName>,
    /// Resources that a reconcile on the way deletes, though they are wanted at last.
    pub(super) remade: BTreeSet<String>,
    /// Resources that are made and deleted on the way.
    pub(super) passing: BTreeSet<String>,
    /// Whether nothing changes any more.
    pub(super) is_still: bool,
}

impl Run {
    /// Before the first reconcile.
    pub(super) fn new(subject: &Subject, live: &Objects) -> Self {
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

    /// What the last reconcile applied, by the names of the pipeline.
    pub(super) fn manifests(&self) -> Objects {
        self.applied.iter().map(|(key, applied)| (key.clone(), applied.manifest.clone())).collect()
    }
}

/// From how it ended to what is told.
pub(super) fn settled(subject: &Subject, blueprint: Blueprint, run: Run, later: Option<Run>) -> Settled {
    let mut resources = Vec::new();
    let wanted = run.manifests();
    let mut warnings = run.warnings;
    if !run.is_still {
        warnings.push(format!("it still changes after {MOST_ROUNDS} reconciles: what is shown is not the end"));
    }
    for key in &run.passing {
        warnings.push(format!("on the way, resource {key:?} is made and deleted again"));
    }
    for (key, live) in desired::removed(&run.live, &wanted) {
        resources.push(foretold(key, Fate::Removed { live: live.clone() }));
    }
    for (key, live) in desired::left_behind(&run.live, &wanted) {
        resources.push(foretold(key, Fate::LeftBehind { live: live.clone() }));
    }
    // What a reconcile on the way deletes is deleted, with all that it stands for, though the end looks the same.
    for (key, live) in run.remade.iter().filter_map(|key| Some((key, run.live.get(key)?))) {
        let mut one = foretold(key, Fate::Removed { live: live.clone() });
        one.notes.push("a reconcile on the way deletes it, and a later one makes it anew".to_owned());
        resources.push(one);
    }
    let mut nested = Vec::new();
    for (key, mut applied) in run.applied {
        let is_remade = run.remade.contains(&key);
        if let Some(said) = applied.said.as_mut().filter(|_| is_remade) {
            said.1.live = None;
        }
        let mut one = foretold(&key, Fate::Applied { manifest: applied.manifest, said: applied.said });
        one.name_is_final = subject.presence == Presence::Existing || run.live.contains_key(&key);
        if is_remade {
            one.notes.push("it comes anew, after a reconcile on the way has deleted it".to_owned());
        }
        nested.extend(applied.nested);
        resources.push(one);
    }
    for (key, applied) in later.map(|later| later.applied).unwrap_or_default() {
        if !wanted.contains_key(&key) {
            let mut one = foretold(&key, Fate::Applied { manifest: applied.manifest, said: applied.said });
            one.name_is_final = subject.presence == Presence::Existing;
            one.notes.push("only after what comes before it is ready, which is assumed here".to_owned());
            nested.extend(applied.nested);
            resources.push(one);
        }
    }
    Settled {
        composite: run.composite,
        blueprint: Some(blueprint),
        resources,
        warnings,
        required: run.required,
        nested,
    }
}

fn foretold(key: &str, fate: Fate) -> Foretold {
    Foretold { key: key.to_owned(), fate, notes: Vec::new(), name_is_final: true }
}

/// What an object becomes, as the next reconcile sees it.
pub(super) fn becomes(applied: &Applied) -> Option<Value> {
    if let Some(Nested { settled: Ok(settled), .. }) = &applied.nested {
        return Some(settled.composite.clone());
    }
    let Prediction { live, outcome: Outcome::Accepted(after) } = &applied.said.as_deref()?.1 else { return None };
    let presence = if live.is_some() { Presence::Existing } else { Presence::New };
    Some(with_stand_in(after.clone(), presence))
}
