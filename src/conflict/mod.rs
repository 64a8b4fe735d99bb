//! Two objects that stand for one thing outside: in one core cluster, of two engines, or in two core clusters. What is
//! identified by the cloud's own name for it is certain; what is alike as far as can be seen is suspected.

mod dns;
mod hints;
mod identity;
mod powers;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use crate::engine;
use crate::engine::code::Code;
use crate::engine::controller::{self, Controllers};
use crate::engine::crossplane::{Role, role};
use crate::model::body::{Shape, Want};
use crate::model::comparison::Certainty;
use crate::model::kind::ResourceKind;
use crate::model::object::ObjectName;
use crate::model::resource::Resource;
use crate::model::state::ClusterState;

use identity::{Accounts, Identity};
pub use powers::{Deletion, Powers};

/// What to read of a kind: what stands for something outside, where its credentials come from, and who looks after it.
pub fn want(kind: &ResourceKind) -> Option<Want> {
    match role(kind) {
        Some(Role::Managed) => Some(Want::whole(Shape::Crossplane)),
        Some(Role::ProviderConfig) => Some(Want::whole(Shape::Conditions)),
        Some(Role::Package | Role::Revision) if kind.kind.starts_with("Provider") => engine::want(kind),
        _ if controller::is_workload(kind) && kind.kind == "Deployment" => controller::want(kind),
        _ if dns::is_endpoint(kind) => Some(Want::whole(Shape::Conditions)),
        _ => identity::Family::of(kind).map(|_| Want::whole(Shape::Conditions)),
    }
}

/// One of several objects that claim the same.
#[derive(Debug, Clone)]
pub struct Claimant {
    /// In which of the states it is.
    pub state: usize,
    /// The object.
    pub object: ObjectName,
    /// What its engine may do outside.
    pub powers: Powers,
    /// Why nobody acts on it now, though it may: its controller does not run.
    pub idle: Option<String>,
    /// Since when it exists.
    pub since: Option<Timestamp>,
}

impl Claimant {
    /// Whether its engine writes now.
    pub fn writes(&self) -> bool {
        self.powers.writes && !self.powers.is_paused && self.idle.is_none()
    }
}

/// Who has the last word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Winner {
    /// Only one of them writes now.
    One(usize),
    /// Several write, and all the same.
    Agreed,
    /// Several write, and not the same: each undoes the other.
    Fight,
    /// Several write, in forms that cannot be compared: two engines, or two providers.
    Unknown,
    /// None writes now.
    Nobody,
}

/// Several objects on one external resource.
#[derive(Debug, Clone)]
pub struct Conflict {
    /// What it is.
    pub code: Code,
    /// What they claim, as the cloud calls it.
    pub identity: String,
    /// Whether it is for sure.
    pub certainty: Certainty,
    /// Who claims it; one, where another owner is known by tags only.
    pub claimants: Vec<Claimant>,
    /// Who has the last word.
    pub winner: Winner,
    /// The fields that they declare differently.
    pub fields: Vec<String>,
    /// Since when: when the second came.
    pub since: Option<Timestamp>,
    /// What it means, in words.
    pub message: String,
}

/// An object as it is compared.
struct Candidate<'a> {
    state: usize,
    resource: &'a Resource,
    whole: &'a Value,
    identity: Identity,
    powers: Powers,
}

/// Looks for conflicts in one state, or in several of which each is another cluster.
pub fn find(states: &[ClusterState]) -> Vec<Conflict> {
    let accounts: Vec<Accounts> = states.iter().map(Accounts::of).collect();
    let controllers: Vec<Controllers<'_>> = states.iter().map(Controllers::of).collect();
    let mut candidates = Vec::new();
    let mut seen = BTreeSet::new();
    for (state, cluster) in states.iter().enumerate() {
        for resource in &cluster.resources {
            let Some(whole) = resource.whole.as_deref() else { continue };
            // One cluster may be named twice, and some kinds are served by two groups.
            let uid = &resource.metadata.uid;
            if !uid.is_empty() && !seen.insert(uid) {
                continue;
            }
            if let Some(identity) = identity::of(&resource.kind, whole, &accounts[state]) {
                candidates.push(Candidate {
                    state,
                    resource,
                    whole,
                    identity,
                    powers: powers::of(&resource.kind, whole),
                });
            }
        }
    }
    let idle = |candidate: &Candidate<'_>| {
        controllers[candidate.state].outage(candidate.resource).map(|outage| outage.words())
    };
    let mut conflicts = Vec::new();
    let mut known = BTreeSet::new();
    for (identity, certainty, members) in alike(&candidates) {
        known.extend(members.iter().copied());
        conflicts.extend(conflict(identity, certainty, &members, &candidates, &idle));
    }
    for (index, candidate) in candidates.iter().enumerate().filter(|(index, _)| !known.contains(index)) {
        conflicts.extend(hints::of(candidate, idle(&candidates[index])));
    }
    conflicts.extend(dns::conflicts(states, &controllers));
    conflicts.sort_by(|left, right| {
        (left.certainty, &left.code, &left.identity).cmp(&(right.certainty, &right.code, &right.identity))
    });
    conflicts
}

/// Groups of candidates that are the same: certain ones by the cloud's name, and the rest by what is declared.
fn alike(candidates: &[Candidate<'_>]) -> Vec<(String, Certainty, Vec<usize>)> {
    let mut groups = Vec::new();
    let mut taken = BTreeSet::new();
    let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, candidate) in candidates.iter().enumerate() {
        by_name.entry(candidate.identity.global.as_deref().unwrap_or_default()).or_default().push(index);
    }
    for (name, members) in by_name.into_iter().filter(|(name, members)| !name.is_empty() && members.len() > 1) {
        let same: Vec<usize> = members
            .iter()
            .copied()
            .filter(|index| {
                members
                    .iter()
                    .any(|other| other != index && candidates[*index].identity.may_be(&candidates[*other].identity))
            })
            .collect();
        if same.len() > 1 {
            taken.extend(same.iter().copied());
            groups.push((name.to_owned(), Certainty::Certain, same));
        }
    }
    let mut by_declaration: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, candidate) in candidates.iter().enumerate().filter(|(index, _)| !taken.contains(index)) {
        if let Some(key) = candidate.identity.local_key() {
            by_declaration.entry(key).or_default().push(index);
        }
    }
    for members in by_declaration.into_values().filter(|members| members.len() > 1) {
        let pairs = members
            .iter()
            .enumerate()
            .flat_map(|(at, left)| members[at + 1..].iter().map(move |right| (*left, *right)));
        let mut surest: BTreeMap<Certainty, BTreeSet<usize>> = BTreeMap::new();
        for (left, right) in pairs {
            let is_one_cluster = candidates[left].state == candidates[right].state;
            if let Some(certainty) = candidates[left].identity.compare(&candidates[right].identity, is_one_cluster) {
                surest.entry(certainty).or_default().extend([left, right]);
            }
        }
        if let Some((certainty, members)) = surest.into_iter().next() {
            let first = members.iter().next().map_or_else(String::new, |index| candidates[*index].identity.shown());
            taken.extend(members.iter().copied());
            groups.push((first, certainty, members.into_iter().collect()));
        }
    }
    groups.extend(twins(candidates, &taken));
    groups
}

/// Policies, rules and attachments that declare the same under two names: suspected.
fn twins(candidates: &[Candidate<'_>], taken: &BTreeSet<usize>) -> Vec<(String, Certainty, Vec<usize>)> {
    let mut by_declaration: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, candidate) in candidates.iter().enumerate().filter(|(index, _)| !taken.contains(index)) {
        if let Some(key) = candidate.identity.twin_key() {
            by_declaration.entry(key).or_default().push(index);
        }
    }
    let mut groups = Vec::new();
    for members in by_declaration.into_values() {
        let Some((first, others)) = members.split_first() else { continue };
        let is_twin = |other: &&usize| {
            let (one, other) = (&candidates[*first], &candidates[**other]);
            one.identity.compare(&other.identity, one.state == other.state).is_some()
        };
        let others: Vec<usize> = others.iter().filter(is_twin).copied().collect();
        if !others.is_empty() {
            let members = std::iter::once(*first).chain(others).collect();
            groups.push((candidates[*first].identity.shown(), Certainty::Suspected, members));
        }
    }
    groups
}

/// Whoever only looks is in nobody's way.
fn conflict(
    identity: String,
    certainty: Certainty,
    members: &[usize],
    candidates: &[Candidate<'_>],
    idle: &dyn Fn(&Candidate<'_>) -> Option<String>,
) -> Option<Conflict> {
    let mut members: Vec<&Candidate<'_>> = members.iter().map(|index| &candidates[*index]).collect();
    members.retain(|candidate| candidate.powers.writes || candidate.powers.deletion == Deletion::Deletes);
    if members.len() < 2 {
        return None;
    }
    members.sort_by_key(|candidate| {
        (candidate.resource.metadata.creation_timestamp, candidate.state, candidate.resource.name())
    });
    let claimants: Vec<Claimant> = members.iter().map(|candidate| candidate.claimant(idle(candidate))).collect();
    let writers: Vec<usize> = (0..claimants.len()).filter(|index| claimants[*index].writes()).collect();
    let fields = match writers.as_slice() {
        [] | [_] => Vec::new(),
        [first, others @ ..] => {
            let like = others.iter().filter(|other| members[*first].identity.is_like(&members[**other].identity));
            let all = like.flat_map(|other| identity::differing(members[*first].whole, members[*other].whole));
            all.collect::<BTreeSet<_>>().into_iter().collect()
        }
    };
    let winner = match writers.as_slice() {
        [] => Winner::Nobody,
        [one] => Winner::One(*one),
        [first, others @ ..]
            if others.iter().any(|other| !members[*first].identity.is_like(&members[*other].identity)) =>
        {
            Winner::Unknown
        }
        _ if fields.is_empty() => Winner::Agreed,
        _ => Winner::Fight,
    };
    let code = match certainty {
        Certainty::Certain => Code::ExternalShared,
        _ => Code::ExternalSharedMaybe,
    };
    let since = claimants.iter().filter_map(|claimant| claimant.since).nth(1);
    let message = words(&claimants, winner, &fields);
    Some(Conflict { code, identity, certainty, claimants, winner, fields, since, message })
}

impl Candidate<'_> {
    fn claimant(&self, idle: Option<String>) -> Claimant {
        Claimant {
            state: self.state,
            object: self.resource.name(),
            powers: self.powers.clone(),
            idle,
            since: self.resource.metadata.creation_timestamp,
        }
    }
}

fn words(claimants: &[Claimant], winner: Winner, fields: &[String]) -> String {
    let mut text = match winner {
        Winner::One(index) => format!("only {} writes now", claimants[index].object.kind_and_name()),
        Winner::Nobody => "none of them writes now".to_owned(),
        Winner::Agreed => "they agree in all that they declare now".to_owned(),
        Winner::Unknown => "each writes what it declares, in a form of its own: who wrote last wins".to_owned(),
        Winner::Fight => {
            let shown: Vec<&str> = fields.iter().take(3).map(String::as_str).collect();
            let more = if fields.len() > 3 { format!(" and {} more", fields.len() - 3) } else { String::new() };
            format!(
                "each undoes the other at its next poll, and who wrote last wins: they differ in {}{more}",
                shown.join(", ")
            )
        }
    };
    let deleting: Vec<String> = claimants
        .iter()
        .filter(|claimant| claimant.powers.deletion == Deletion::Deletes)
        .map(|claimant| claimant.object.kind_and_name())
        .collect();
    match deleting.as_slice() {
        [] => {}
        [one] => text.push_str(&format!("; deleting {one} deletes it for all")),
        several => text.push_str(&format!("; deleting any of {} deletes it for all", several.len())),
    }
    text
}
