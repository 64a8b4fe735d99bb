//! Hints of another owner in a single object: tags of upjet's AWS provider that name another object (`TagInitializer`),
//! labels of Config Connector on resources of another engine, and Config Connector's own messages. Tags are only a
//! hint: a twin from the same repository writes the same ones, and a renamed object keeps its old ones for a while.

use super::candidate::ConflictCandidate;
use super::external_conflict::{ConflictWinner, ExternalConflict};
use super::identity::ExternalEngine;
use ucp_core::engine::code::Code;
use ucp_core::model::comparison::Certainty;

/// Labels that Config Connector sets on its resources: the holder of the lease, and the mark that it manages them.
const LEASE: [&str; 2] = ["cnrm-lease-holder-id", "managed-by-cnrm"];
const NAME: &str = "crossplane-name";
const KIND: &str = "crossplane-kind";

/// Returns the conflict that an object's own fields indicate.
pub(super) fn hinted_conflict(candidate: &ConflictCandidate<'_>, idle: Option<String>) -> Option<ExternalConflict> {
    let (code, certainty, message) =
        management_conflict(candidate).or_else(|| foreign_tags(candidate)).or_else(|| foreign_lease(candidate))?;
    let claimant = candidate.claimant(idle);
    let since = claimant.since;
    let identity = candidate.identity.global.clone().unwrap_or_else(|| candidate.identity.display_name());
    Some(ExternalConflict {
        code,
        identity,
        certainty,
        claimants: vec![claimant],
        winner: ConflictWinner::NoWriter,
        fields: Vec::new(),
        since,
        message,
    })
}

fn management_conflict(candidate: &ConflictCandidate<'_>) -> Option<(Code, Certainty, String)> {
    let mut conditions = candidate.resource.conditions.iter();
    let condition = conditions.find(|condition| condition.reason == "ManagementConflict")?;
    Some((Code::ManagementConflict, Certainty::Certain, condition.message.clone()))
}

fn foreign_tags(candidate: &ConflictCandidate<'_>) -> Option<(Code, Certainty, String)> {
    let at_provider = candidate.whole.pointer("/status/atProvider")?;
    let tag = |key: &str| {
        let of = |field: &str| at_provider.get(field)?.get(key)?.as_str();
        of("tagsAll").or_else(|| of("tags"))
    };
    let metadata = &candidate.resource.metadata;
    let kind = &candidate.resource.kind;
    let own_kind = format!("{}.{}", kind.kind.to_ascii_lowercase(), kind.group.to_ascii_lowercase());
    let name = tag(NAME).filter(|name| *name != metadata.name);
    let other_kind = tag(KIND).filter(|tagged| *tagged != own_kind);
    if name.is_none() && other_kind.is_none() {
        return None;
    }
    // An object that only observes is expected to see another owner.
    if !candidate.powers.writes {
        return None;
    }
    let shown = |key: &str, value: Option<&str>| value.map(|value| format!("{key} {value}"));
    let tags: Vec<String> = [shown(KIND, other_kind), shown(NAME, name)].into_iter().flatten().collect();
    let words = format!("the tags of the external resource name another owner: {}", tags.join(", "));
    Some((Code::ForeignOwner, Certainty::Suspected, ucp_core::model::secrecy::scrub(&words).into_owned()))
}

/// Returns the hint for a Google resource of an engine other than Config Connector.
fn foreign_lease(candidate: &ConflictCandidate<'_>) -> Option<(Code, Certainty, String)> {
    if !candidate.powers.writes || ExternalEngine::for_kind(&candidate.resource.kind).is_some() {
        return None;
    }
    let at_provider = candidate.whole.pointer("/status/atProvider")?;
    let label = |key: &str| {
        let of = |field: &str| at_provider.get(field)?.get(key)?.as_str();
        of("effectiveLabels").or_else(|| of("labels"))
    };
    let (key, value) = LEASE.iter().find_map(|key| Some((key, label(key).filter(|value| *value != "false")?)))?;
    let words = format!("according to the labels of the external resource, Config Connector manages it: {key} {value}");
    Some((Code::ForeignOwner, Certainty::Suspected, ucp_core::model::secrecy::scrub(&words).into_owned()))
}
