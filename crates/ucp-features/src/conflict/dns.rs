//! DNS records that several DNSEndpoints request from ExternalDNS. A record is identified by its name, type and set
//! identifier. Its owner is in a TXT record next to it: the owner of the ExternalDNS that created it (`--txt-owner-id`,
//! `default` if not set). Only the owner changes or deletes it; two instances with the same owner both claim it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::external_conflict::{ConflictClaimant, ConflictWinner, ExternalConflict};
use super::powers;
use ucp_core::engine::code::Code;
use ucp_core::engine::controller::{Workloads, repository};
use ucp_core::engine::outage::Controllers;
use ucp_core::model::body::Body;
use ucp_core::model::comparison::Certainty;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::ClusterState;

/// The flag of ExternalDNS that sets the owner, and its environment variable.
const OWNER: [&str; 2] = ["txt-owner-id", "EXTERNAL_DNS_TXT_OWNER_ID"];

/// Returns true if objects of a kind request DNS records.
pub(super) fn is_endpoint(kind: &ResourceKind) -> bool {
    kind.group == "externaldns.k8s.io" && kind.kind == "DNSEndpoint"
}

/// Name, type and set identifier.
type DnsRecord = (String, String, String);

/// An object that requests a record.
struct RecordRequest<'a> {
    state: usize,
    resource: &'a Resource,
    endpoint: &'a Value,
}

/// Returns the conflicts of records that several objects request.
pub(super) fn dns_conflicts(states: &[ClusterState], controllers: &[Controllers<'_>]) -> Vec<ExternalConflict> {
    let mut asked: BTreeMap<DnsRecord, Vec<RecordRequest<'_>>> = BTreeMap::new();
    for (state, cluster) in states.iter().enumerate() {
        for resource in cluster.resources.iter().filter(|resource| is_endpoint(&resource.kind)) {
            let endpoints = resource.whole.as_deref().and_then(|whole| whole.pointer("/spec/endpoints")?.as_array());
            for endpoint in endpoints.into_iter().flatten() {
                let by = asked.entry(record(endpoint)).or_default();
                let is_known = |one: &RecordRequest<'_>| one.resource.metadata.uid == resource.metadata.uid;
                if resource.metadata.uid.is_empty() || !by.iter().any(is_known) {
                    by.push(RecordRequest { state, resource, endpoint });
                }
            }
        }
    }
    let owners: Vec<BTreeSet<String>> = states.iter().map(external_dns_owners).collect();
    let shared = asked.into_iter().filter(|((name, ..), by)| !name.is_empty() && by.len() > 1);
    shared.map(|(record, by)| dns_conflict(&record, by, &owners, controllers)).collect()
}

fn record(endpoint: &Value) -> DnsRecord {
    let text = |field: &str| endpoint.get(field).and_then(Value::as_str).unwrap_or_default();
    (
        text("dnsName").trim_end_matches('.').to_ascii_lowercase(),
        text("recordType").to_ascii_uppercase(),
        text("setIdentifier").to_owned(),
    )
}

/// Returns the owners of a cluster's ExternalDNS instances; empty if none is found.
fn external_dns_owners(state: &ClusterState) -> BTreeSet<String> {
    let runs = Workloads::from_state(state)
        .matching(|_, workload| workload.images.iter().any(|image| repository(image) == "external-dns"));
    let owner = |resource: &Resource| match &resource.body {
        Body::Workload(workload) => OWNER.iter().find_map(|name| workload.settings.get(name)).cloned(),
        _ => None,
    };
    runs.into_iter().map(|resource| owner(resource).unwrap_or_else(|| "default".to_owned())).collect()
}

fn dns_conflict(
    record: &DnsRecord,
    mut by: Vec<RecordRequest<'_>>,
    owners: &[BTreeSet<String>],
    controllers: &[Controllers<'_>],
) -> ExternalConflict {
    by.sort_by_key(|ask| (ask.resource.metadata.creation_timestamp, ask.state, ask.resource.name()));
    let claimants: Vec<ConflictClaimant> = by
        .iter()
        .map(|ask| ConflictClaimant {
            state: ask.state,
            object: ask.resource.name(),
            powers: powers::powers_of(&ask.resource.kind, ask.resource.whole.as_deref().unwrap_or(&Value::Null)),
            idle: controllers[ask.state].outage(ask.resource).map(|outage| outage.to_sentence()),
            since: ask.resource.metadata.creation_timestamp,
        })
        .collect();
    let fields: Vec<String> = ["targets", "recordTTL", "providerSpecific", "labels"]
        .into_iter()
        .filter(|field| by.iter().any(|ask| ask.endpoint.get(field) != by[0].endpoint.get(field)))
        .map(|field| format!("spec.endpoints[].{field}"))
        .collect();
    let places: BTreeSet<usize> = by.iter().map(|ask| ask.state).collect();
    let of_each: Vec<&BTreeSet<String>> = places.iter().filter_map(|state| owners.get(*state)).collect();
    // One instance in one cluster manages all of them. Several may have different zones.
    let is_one = places.len() == 1 && of_each.iter().all(|owners| owners.len() == 1);
    let (winner, message) = match (is_one, fields.is_empty()) {
        _ if claimants.iter().all(|claimant| !claimant.writes()) => {
            (ConflictWinner::NoWriter, "none of them writes at present".to_owned())
        }
        (_, true) => (ConflictWinner::Agreed, "their current declarations are identical".to_owned()),
        (true, false) => (
            ConflictWinner::Unknown,
            "ExternalDNS uses one of them and ignores the others without a message".to_owned(),
        ),
        (false, false) => winner_among(&of_each),
    };
    let (name, kind, set) = record;
    let set = if set.is_empty() { String::new() } else { format!(" of set {set}") };
    ExternalConflict {
        code: if is_one { Code::ExternalShared } else { Code::ExternalSharedMaybe },
        identity: format!("{kind} record {name}{set}"),
        certainty: if is_one { Certainty::Certain } else { Certainty::Suspected },
        since: claimants.iter().filter_map(|claimant| claimant.since).nth(1),
        claimants,
        winner,
        fields,
        message,
    }
}

/// Determines the winner among several ExternalDNS instances.
fn winner_among(owners: &[&BTreeSet<String>]) -> (ConflictWinner, String) {
    if owners.iter().any(|owners| owners.is_empty()) {
        let message =
            "the instance that created it first keeps it, if their owners differ (--txt-owner-id of ExternalDNS)";
        return (ConflictWinner::Unknown, message.to_owned());
    }
    let mut names = BTreeSet::new();
    let twice = owners.iter().flat_map(|owners| owners.iter()).find(|name| !names.insert(name.as_str()));
    match twice {
        Some(owner) => (
            ConflictWinner::Fight,
            format!("each reverts the other: both instances of ExternalDNS own it as '{owner}' (--txt-owner-id)"),
        ),
        None => {
            let names: Vec<&str> = names.into_iter().collect();
            let message = format!(
                "the instance that created it first keeps it, and the other ignores it: owners {}",
                names.join(", ")
            );
            (ConflictWinner::Unknown, message)
        }
    }
}
