//! Detects objects with the same external resource: in one core cluster, of two engines, or in two core clusters. A
//! match by the cloud's own name is certain; a match by declaration is suspected.

mod candidate;
mod dns;
mod external_conflict;
mod hints;
mod identity;
mod powers;
mod satellite;

use std::collections::{BTreeMap, BTreeSet};

use ucp_core::engine;
use ucp_core::engine::code::Code;
use ucp_core::engine::controller;
use ucp_core::engine::crossplane::{CrossplaneRole, role};
use ucp_core::engine::outage::Controllers;
use ucp_core::model::body::{BodyShape, KindRequest};
use ucp_core::model::comparison::Certainty;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::state::ClusterState;

use candidate::ConflictCandidate;
use external_conflict::ConflictClaimant;
pub use external_conflict::{ConflictWinner, ExternalConflict};
use identity::ConfiguredAccounts;
pub use powers::{DeletionEffect, EnginePowers};

/// Returns the data to read of a kind: objects with external resources, sources of their credentials, and their
/// controllers.
pub fn want(kind: &ResourceKind) -> Option<KindRequest> {
    match role(kind) {
        Some(CrossplaneRole::Managed) => Some(KindRequest::whole(BodyShape::Crossplane)),
        Some(CrossplaneRole::ProviderConfig) => Some(KindRequest::whole(BodyShape::Conditions)),
        Some(CrossplaneRole::Package | CrossplaneRole::Revision) if kind.kind.starts_with("Provider") => {
            engine::want(kind)
        }
        _ if controller::is_workload(kind) && kind.kind == "Deployment" => controller::want(kind),
        _ if dns::is_endpoint(kind) => Some(KindRequest::whole(BodyShape::Conditions)),
        _ => identity::ExternalEngine::for_kind(kind).map(|_| KindRequest::whole(BodyShape::Conditions)),
    }
}

/// Finds conflicts in one or several states, each of a different cluster.
pub fn find_conflicts(states: &[ClusterState]) -> Vec<ExternalConflict> {
    let accounts: Vec<ConfiguredAccounts> = states.iter().map(ConfiguredAccounts::from_state).collect();
    let controllers: Vec<Controllers<'_>> = states.iter().map(Controllers::from_state).collect();
    let mut candidates = Vec::new();
    let mut seen = BTreeSet::new();
    for (state, cluster) in states.iter().enumerate() {
        for resource in &cluster.resources {
            let Some(whole) = resource.whole.as_deref() else { continue };
            // A cluster may be given twice, and some kinds are served by two groups.
            let uid = &resource.metadata.uid;
            if !uid.is_empty() && !seen.insert(uid) {
                continue;
            }
            if let Some(identity) = identity::external_identity(&resource.kind, whole, &accounts[state]) {
                candidates.push(ConflictCandidate {
                    state,
                    resource,
                    whole,
                    identity,
                    powers: powers::powers_of(&resource.kind, whole),
                });
            }
        }
    }
    let idle = |candidate: &ConflictCandidate<'_>| {
        controllers[candidate.state].outage(candidate.resource).map(|outage| outage.to_sentence())
    };
    let mut conflicts = Vec::new();
    let mut known = BTreeSet::new();
    for (identity, certainty, members) in group_candidates(&candidates) {
        known.extend(members.iter().copied());
        conflicts.extend(group_conflict(identity, certainty, &members, &candidates, &idle));
    }
    for (index, candidate) in candidates.iter().enumerate().filter(|(index, _)| !known.contains(index)) {
        conflicts.extend(hints::hinted_conflict(candidate, idle(&candidates[index])));
    }
    conflicts.extend(dns::dns_conflicts(states, &controllers));
    conflicts.sort_by(|left, right| {
        (left.certainty, &left.code, &left.identity).cmp(&(right.certainty, &right.code, &right.identity))
    });
    conflicts
}

/// Groups candidates with the same resource: certain ones by the cloud's name, the others by declaration.
fn group_candidates(candidates: &[ConflictCandidate<'_>]) -> Vec<(String, Certainty, Vec<usize>)> {
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
                members.iter().any(|other| {
                    other != index && candidates[*index].identity.may_be_same(&candidates[*other].identity)
                })
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
            if let Some(certainty) =
                candidates[left].identity.identity_certainty(&candidates[right].identity, is_one_cluster)
            {
                surest.entry(certainty).or_default().extend([left, right]);
            }
        }
        if let Some((certainty, members)) = surest.into_iter().next() {
            let first =
                members.iter().next().map_or_else(String::new, |index| candidates[*index].identity.display_name());
            taken.extend(members.iter().copied());
            groups.push((first, certainty, members.into_iter().collect()));
        }
    }
    groups.extend(group_twins(candidates, &taken));
    groups
}

/// Groups policies, rules and attachments of one parent under two names: suspected.
fn group_twins(candidates: &[ConflictCandidate<'_>], taken: &BTreeSet<usize>) -> Vec<(String, Certainty, Vec<usize>)> {
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
            one.identity.identity_certainty(&other.identity, one.state == other.state).is_some()
        };
        let others: Vec<usize> = others.iter().filter(is_twin).copied().collect();
        if !others.is_empty() {
            let members = std::iter::once(*first).chain(others).collect();
            groups.push((candidates[*first].identity.display_name(), Certainty::Suspected, members));
        }
    }
    groups
}

/// Returns the conflict of a group. Candidates that only observe do not count.
fn group_conflict(
    identity: String,
    certainty: Certainty,
    members: &[usize],
    candidates: &[ConflictCandidate<'_>],
    idle: &dyn Fn(&ConflictCandidate<'_>) -> Option<String>,
) -> Option<ExternalConflict> {
    let mut members: Vec<&ConflictCandidate<'_>> = members.iter().map(|index| &candidates[*index]).collect();
    members.retain(|candidate| candidate.powers.writes || candidate.powers.deletion == DeletionEffect::Deletes);
    if members.len() < 2 {
        return None;
    }
    members.sort_by_key(|candidate| {
        (candidate.resource.metadata.creation_timestamp, candidate.state, candidate.resource.name())
    });
    let claimants: Vec<ConflictClaimant> =
        members.iter().map(|candidate| candidate.claimant(idle(candidate))).collect();
    let writers: Vec<usize> = (0..claimants.len()).filter(|index| claimants[*index].writes()).collect();
    let fields = match writers.as_slice() {
        [] | [_] => Vec::new(),
        [first, others @ ..] => {
            let like = others.iter().filter(|other| members[*first].identity.is_same_kind(&members[**other].identity));
            let all = like.flat_map(|other| identity::differing_fields(members[*first].whole, members[*other].whole));
            all.collect::<BTreeSet<_>>().into_iter().collect()
        }
    };
    let winner = match writers.as_slice() {
        [] => ConflictWinner::NoWriter,
        [one] => ConflictWinner::One(*one),
        [first, others @ ..]
            if others.iter().any(|other| !members[*first].identity.is_same_kind(&members[*other].identity)) =>
        {
            ConflictWinner::Unknown
        }
        _ if fields.is_empty() => ConflictWinner::Agreed,
        _ => ConflictWinner::Fight,
    };
    let code = match certainty {
        Certainty::Certain => Code::ExternalShared,
        _ => Code::ExternalSharedMaybe,
    };
    let since = claimants.iter().filter_map(|claimant| claimant.since).nth(1);
    let message = describe_conflict(&claimants, winner, &fields);
    Some(ExternalConflict { code, identity, certainty, claimants, winner, fields, since, message })
}

fn describe_conflict(claimants: &[ConflictClaimant], winner: ConflictWinner, fields: &[String]) -> String {
    let mut text = match winner {
        ConflictWinner::One(index) => format!("only {} writes at present", claimants[index].object.kind_and_name()),
        ConflictWinner::NoWriter => "none of them writes at present".to_owned(),
        ConflictWinner::Agreed => "their current declarations are identical".to_owned(),
        ConflictWinner::Unknown => "each writes its declaration in its own form: the last write wins".to_owned(),
        ConflictWinner::Fight => {
            let shown: Vec<&str> = fields.iter().take(3).map(String::as_str).collect();
            let more = if fields.len() > 3 { format!(" and {} more", fields.len() - 3) } else { String::new() };
            format!(
                "each reverts the other at its next poll, and the last write wins: they differ in {}{more}",
                shown.join(", ")
            )
        }
    };
    let deleting: Vec<String> = claimants
        .iter()
        .filter(|claimant| claimant.powers.deletion == DeletionEffect::Deletes)
        .map(|claimant| claimant.object.kind_and_name())
        .collect();
    match deleting.as_slice() {
        [] => {}
        [one] => text.push_str(&format!("; deleting {one} deletes it for all")),
        several => text.push_str(&format!("; deleting any of {} deletes it for all", several.len())),
    }
    text
}
