//! What `secrets sync` would write, from what was seen, and why it would not: no request, and no value.

pub mod live;
pub mod manifest;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::app::App;
use super::intent::{Intent, Part};
use super::mark::Mark;
use super::secret::{OPAQUE, SecretFacts};
use super::{Core, Row, State};
use crate::adopt::names::Namespaced;
use crate::model::apply::{Conflicts, FIELD_MANAGER};
use crate::model::body::consumer::Way;

/// What the user allows.
#[derive(Debug, Clone, Copy)]
pub struct Consent {
    /// Whether Secrets were named: then what nothing declares is written, too.
    pub scope: Scope,
    /// What to do about values that other field managers own.
    pub conflicts: Conflicts,
    /// Whether a source may replace a copy that has more.
    pub poorer: Poorer,
    /// Whether orphaned copies go.
    pub prune: Prune,
}

/// Which Secrets are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Those that are declared. Otherwise anyone who can make a Deployment could ask for any connection Secret.
    Declared,
    /// Those that a person named.
    Named,
}

/// What becomes of a copy that has more than its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Poorer {
    /// It stays: it may be the last one.
    Kept,
    /// It is replaced.
    Replaced,
}

/// What becomes of an orphaned copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prune {
    /// It stays.
    Never,
    /// It is deleted.
    Orphaned,
}

/// What is to be done about a Secret, or was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Action {
    /// It is made.
    Create,
    /// Its values are written.
    Update,
    /// It is deleted.
    Prune,
    /// It is left as it is: nothing is wrong, or nobody asked for it to be changed.
    Keep,
    /// It should be changed, and is not: a rule or its state forbids it.
    Refuse,
}

impl Action {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Update => "update",
            Self::Prune => "prune",
            Self::Keep => "keep",
            Self::Refuse => "refuse",
        }
    }

    /// Whether it changes an app cluster.
    pub const fn writes(self) -> bool {
        matches!(self, Self::Create | Self::Update | Self::Prune)
    }
}

/// What is to be done about one Secret.
#[derive(Debug, Clone)]
pub struct Step {
    /// What.
    pub action: Action,
    /// Why, or why not; empty where the state says it.
    pub reason: String,
    /// What is needed to do it.
    pub write: Option<Write>,
}

/// What a write needs to know.
#[derive(Debug, Clone)]
pub struct Write {
    /// The app cluster, by its place.
    pub position: usize,
    /// The Secret there.
    pub target: Namespaced,
    /// What it is copied from.
    pub mark: Mark,
    /// From the copy's keys to the source's; all of them where absent.
    pub keys: Option<BTreeMap<String, String>>,
    /// Its type: that of the copy, which cannot change.
    pub kind: String,
    /// The version that was seen, so that nothing is overwritten that came in between.
    pub seen: Option<String>,
}

/// Plans, row by row.
pub fn plan(core: &Core, apps: &[App], rows: &[Row], consent: Consent) -> Vec<Step> {
    rows.iter().map(|row| Planner { core, apps, row, consent }.step()).collect()
}

struct Planner<'a> {
    core: &'a Core,
    apps: &'a [App],
    row: &'a Row,
    consent: Consent,
}

fn keep(reason: impl Into<String>) -> Step {
    Step { action: Action::Keep, reason: reason.into(), write: None }
}

fn refuse(reason: impl Into<String>) -> Step {
    Step { action: Action::Refuse, reason: reason.into(), write: None }
}

impl Planner<'_> {
    fn step(&self) -> Step {
        let row = self.row;
        let state = row.judgement.state;
        if let Some(config) = &row.credentials_of {
            return refuse(format!("the credentials of {} {} are never distributed", config.kind, config.name));
        }
        match state {
            State::Current | State::Undeclared | State::UsedOld => return keep(""),
            State::Orphaned => return self.orphaned(),
            _ if row.intents.is_empty() && self.consent.scope == Scope::Declared => {
                return keep("nothing declares it: name it to copy it, or declare it");
            }
            State::Collision | State::SourceMissing | State::Foreign | State::Unknown => return refuse(""),
            State::Poorer if row.judgement.only_in_copy.is_empty() || self.consent.poorer == Poorer::Kept => {
                let way_out = if row.judgement.only_in_copy.is_empty() { "" } else { "--allow-poorer replaces it" };
                return refuse(way_out);
            }
            State::Missing | State::Poorer | State::Stale | State::Different => {}
        }
        match self.copied_by() {
            Ok(keys) => self.written(keys),
            Err(reason) => refuse(reason),
        }
    }

    fn orphaned(&self) -> Step {
        match (self.consent.prune, self.write(None)) {
            (Prune::Never, _) => keep("--prune removes it"),
            (Prune::Orphaned, Some(write)) => Step { action: Action::Prune, reason: String::new(), write: Some(write) },
            (Prune::Orphaned, None) => refuse("it does not say where it was copied from"),
        }
    }

    /// Which keys are copied, as declared; or why none.
    fn copied_by(&self) -> Result<Option<BTreeMap<String, String>>, String> {
        match self.row.intents.first() {
            Some(intent) if intent.declarer.by.is_elsewhere() => {
                let declarer = &intent.declarer;
                Err(format!("{} {} makes it in the app cluster", declarer.by.as_str(), declarer.object.name))
            }
            Some(Intent { part: Part::Rendered, declarer, .. }) => {
                Err(format!("{} {} renders it", declarer.by.as_str(), declarer.object.name))
            }
            Some(Intent { part: Part::Keys(keys), .. }) => Ok(Some(keys.clone())),
            Some(Intent { part: Part::Whole, .. }) | None => Ok(None),
        }
    }

    fn written(&self, keys: Option<BTreeMap<String, String>>) -> Step {
        let Some(write) = self.write(keys) else { return refuse("") };
        let Some(copy) = self.copy() else {
            let namespaces = self.reading().and_then(|reading| reading.namespaces.as_ref());
            let is_there = namespaces.is_none_or(|namespaces| namespaces.contains(&write.target.namespace));
            return match is_there {
                true => Step { action: Action::Create, reason: String::new(), write: Some(write) },
                false => refuse(format!("make namespace {} first", write.target.namespace)),
            };
        };
        if copy.metadata.deletion_timestamp.is_some() {
            return refuse("it is being deleted");
        }
        if copy.is_immutable {
            return refuse("it is immutable: delete it, and it is made anew");
        }
        if self.row.judgement.differing.is_empty() {
            return refuse("its type cannot change: delete it, and it is made anew");
        }
        let others = self.others(copy);
        match (others.is_empty(), self.consent.conflicts) {
            (false, Conflicts::Respect) => {
                refuse(format!("its values are managed by {}: --force-conflicts takes them over", listed(&others)))
            }
            (is_ours, _) => {
                let reason =
                    if is_ours { String::new() } else { format!("takes its values over from {}", listed(&others)) };
                Step { action: Action::Update, reason, write: Some(write) }
            }
        }
    }

    /// Other field managers of the values that would be written over.
    fn others(&self, copy: &SecretFacts) -> BTreeSet<String> {
        let differing = self.row.judgement.differing.iter();
        let managers = differing.filter_map(|key| copy.writers.get(key)).flatten();
        managers.filter(|manager| manager.as_str() != FIELD_MANAGER).cloned().collect()
    }

    fn reading(&self) -> Option<&super::app::Reading> {
        self.apps.get(self.row.position?)?.reading.as_ref().ok()
    }

    fn copy(&self) -> Option<&SecretFacts> {
        self.reading()?.secrets.get(&self.row.target)
    }

    fn write(&self, keys: Option<BTreeMap<String, String>>) -> Option<Write> {
        let copy = self.copy();
        let source = self.row.source.clone()?;
        let version = self.core.sources.facts(&source);
        Some(Write {
            position: self.row.position?,
            target: self.row.target.clone(),
            mark: Mark {
                source,
                version: version.map(|facts| facts.version.clone()).unwrap_or_default(),
                core: self.core.id.clone()?,
            },
            keys,
            kind: copy.map_or_else(|| self.new_type(), |copy| copy.kind.clone()),
            seen: copy.map(|copy| copy.version.clone()),
        })
    }

    /// The type of a new copy: no controller of Crossplane looks for it there, and only images need a certain one.
    fn new_type(&self) -> String {
        const LOGIN: &str = ".dockerconfigjson";
        let source = self.row.source.as_ref().and_then(|source| self.core.sources.facts(source));
        let pulls = self.reading().is_some_and(|reading| {
            let mut here = reading.demands.iter().filter(|demand| demand.secret == self.row.target);
            here.any(|demand| demand.usage.way == Way::Pull)
        });
        match source.is_some_and(|source| source.values.contains_key(LOGIN)) && pulls {
            true => "kubernetes.io/dockerconfigjson".to_owned(),
            false => OPAQUE.to_owned(),
        }
    }
}

fn listed(names: &BTreeSet<String>) -> String {
    names.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}
