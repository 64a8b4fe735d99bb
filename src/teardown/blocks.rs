//! What keeps an object from going.

use std::collections::HashMap;

use serde_json::Value;

use super::cascade::{Cascade, Way};
use super::{Block, Target};
use crate::engine::argocd::SKIP_RECONCILE;
use crate::engine::code::Code;
use crate::engine::crossplane::usage::{is_usage, kind_of, names};
use crate::engine::crossplane::{PAUSED, Role, role};
use crate::engine::{Assessment, Purpose, purpose};
use crate::graph::NodeId;
use crate::graph::link::Relation;
use crate::model::body::Body;
use crate::model::body::argocd::has_sync_option;
use crate::model::object::ObjectName;
use crate::model::resource::Resource;
use crate::model::state::ClusterState;

/// Fields of `spec.forProvider` with which a cloud refuses to delete.
const PROTECTIONS: [&str; 6] = [
    "deletionProtection",
    "deletionProtectionEnabled",
    "enableDeletionProtection",
    "disableApiTermination",
    "terminationProtection",
    "deletionProtectionEnable",
];

/// Annotation of an Application with which somebody confirms its deletion.
const APPROVED: &str = "argocd.argoproj.io/deletion-approved";

/// The Usages of a cluster, by group and kind of what they protect.
pub(super) struct Usages<'a>(HashMap<(&'a str, &'a str), Vec<(&'a Resource, &'a Value)>>);

impl<'a> Usages<'a> {
    /// Finds them.
    pub(super) fn of(state: &'a ClusterState) -> Self {
        let mut usages: HashMap<_, Vec<_>> = HashMap::new();
        for usage in state.resources.iter().filter(|usage| is_usage(&usage.kind)) {
            let spec = usage.whole.as_deref().and_then(|whole| whole.get("spec"));
            let Some((spec, of)) = spec.and_then(|spec| Some((spec, spec.get("of")?))) else { continue };
            usages.entry(kind_of(of)).or_default().push((usage, spec));
        }
        Self(usages)
    }
}

/// What is asked of every object.
pub(super) struct Look<'a, 'state> {
    pub(super) state: &'a ClusterState,
    pub(super) assessment: &'a Assessment<'state>,
    pub(super) cascade: &'a Cascade,
    pub(super) target: &'a Target,
    pub(super) usages: Usages<'a>,
}

/// Everything that keeps one object, the worst first.
pub(super) fn of(look: &Look<'_, '_>, node: NodeId, way: &Way) -> Vec<Block> {
    let Look { state, assessment, cascade, .. } = *look;
    let resource = &state.resources[node];
    let object = resource.name();
    let block = |code: Code, reason: String| Block { code, reason, mend: code.command_for(&object) };
    let mut blocks = Vec::new();
    if let Some(provider) = deserting(look, node, way) {
        let provider = state.resources[provider].name();
        let reason = format!("{provider} goes before it, and then nobody releases its finalizer");
        blocks.push(Block { mend: format!("kubectl delete {object}"), ..block(Code::ProviderGoesFirst, reason) });
    } else if let Some(outage) = assessment.controllers.outage(resource) {
        let held = resource.metadata.held_by();
        blocks.push(Block {
            mend: Code::ControllerDown.command_for(&outage.object),
            ..block(Code::FinalizerUnserved, format!("{}; {held}", outage.words()))
        });
    }
    if is_paused_whole(resource) {
        blocks.push(paused(&object, format!("annotation {PAUSED} is set: its finalizer keeps it until it is resumed")));
    }
    if matches!(resource.body, Body::Application(_))
        && resource.metadata.annotation(SKIP_RECONCILE) == Some("true")
        && !resource.metadata.finalizers.is_empty()
    {
        let mend = format!("kubectl annotate {object} {SKIP_RECONCILE}-");
        let reason = format!("annotation {SKIP_RECONCILE} is set, so nobody releases its finalizer");
        blocks.push(Block { mend, ..block(Code::PausedBlocks, reason) });
    }
    blocks.extend(usages(look, resource));
    if let Some(field) = protection(resource) {
        let patch = format!(r#"{{"spec":{{"forProvider":{{"{field}":false}}}}}}"#);
        blocks.push(Block {
            mend: format!("kubectl patch {object} --type=merge -p '{patch}'"),
            ..block(Code::ProtectedOutside, format!("spec.forProvider.{field} is true: the cloud refuses to delete it"))
        });
    }
    if way.applied == Some(node) && is_unconfirmed(state, resource, way) {
        let mend = format!("kubectl annotate {object} {APPROVED}=$(date -u +%Y-%m-%dT%H:%M:%SZ)");
        let reason = format!("sync option Delete=confirm waits for annotation {APPROVED}");
        blocks.push(Block { mend, ..block(Code::DeletionUnconfirmed, reason) });
    }
    if role(&resource.kind) == Some(Role::ProviderConfig) {
        let users = assessment.graph.up(node).iter().filter(|edge| edge.relation == Relation::ConfiguredBy);
        let left = users.filter(|edge| !cascade.going.contains_key(&edge.node)).count();
        if left > 0 {
            let reason =
                format!("{left} managed resources use it: finalizer in-use.crossplane.io keeps it until they are gone");
            blocks.push(block(Code::StillInUse, reason));
        }
    }
    if resource.metadata.deletion_timestamp.is_some() {
        let entry = assessment.judged.iter().find(|entry| entry.node == node);
        let message = entry.and_then(|entry| entry.judgement.message.clone()).unwrap_or_default();
        let is_failing = entry.is_some_and(|entry| !entry.judgement.problems.is_empty());
        if is_failing && blocks.is_empty() {
            blocks.push(block(
                Code::FinalizerUnserved,
                format!("it is being deleted already, and does not go: {message}"),
            ));
        }
    }
    blocks
}

/// That somebody paused it.
pub(super) fn paused(object: &ObjectName, reason: String) -> Block {
    Block { code: Code::PausedBlocks, reason, mend: format!("kubectl annotate {object} {PAUSED}-") }
}

/// Composites and claims; of what is outside, its own rules say it.
fn is_paused_whole(resource: &Resource) -> bool {
    matches!(purpose(&resource.kind), Some(Purpose::Composite | Purpose::Claim))
        && resource.metadata.annotation(PAUSED) == Some("true")
}

/// The provider that goes before a managed resource does.
fn deserting(look: &Look<'_, '_>, node: NodeId, way: &Way) -> Option<NodeId> {
    let Look { state, assessment, cascade, .. } = *look;
    if *look.target == Target::All {
        return None;
    }
    if let Some(provider) = way.deserted_by {
        return Some(provider);
    }
    let providers = assessment.graph.down(node).iter().filter(|edge| edge.relation == Relation::ReconciledBy);
    let mut going = providers.filter_map(|edge| Some((edge.node, cascade.going.get(&edge.node)?)));
    going.find(|(provider, theirs)| !goes_later(state, *provider, theirs, way)).map(|(provider, _)| provider)
}

/// Argo CD deletes the highest wave first, within one Application.
fn goes_later(state: &ClusterState, provider: NodeId, theirs: &Way, way: &Way) -> bool {
    let wave = |node: NodeId| -> i64 {
        let text = state.resources[node].metadata.annotation("argocd.argoproj.io/sync-wave");
        text.and_then(|text| text.parse().ok()).unwrap_or_default()
    };
    match (theirs.by, way.by, way.applied) {
        (Some(left), Some(right), Some(applied)) => {
            left == right
                && matches!(state.resources[left].body, Body::Application(_))
                && wave(applied) > wave(theirs.applied.unwrap_or(provider))
        }
        _ => false,
    }
}

/// Usages that protect an object, unless what uses it goes, too.
fn usages<'a>(look: &'a Look<'_, '_>, resource: &'a Resource) -> impl Iterator<Item = Block> + 'a {
    let Look { state, cascade, target, .. } = *look;
    let of_its_kind = look.usages.0.get(&(resource.kind.group.as_str(), resource.kind.kind.as_str()));
    of_its_kind.into_iter().flatten().filter_map(move |(usage, spec)| {
        if !names(spec.get("of")?, resource, usage) {
            return None;
        }
        let by = spec.get("by");
        let user = by.and_then(|by| state.resources.iter().position(|other| names(by, other, usage)));
        if *target == Target::All && user.is_some() || user.is_some_and(|user| cascade.going.contains_key(&user)) {
            return None;
        }
        let why = match (user, spec.get("reason").and_then(Value::as_str)) {
            (Some(user), _) => format!("{} uses it", state.resources[user].name()),
            (None, Some(reason)) => reason.to_owned(),
            (None, None) => "it protects it".to_owned(),
        };
        let mend = match user {
            Some(user) => format!("kubectl delete {}", state.resources[user].name()),
            None => format!("kubectl delete {}", usage.name()),
        };
        let why = crate::model::secrecy::scrub(&why).into_owned();
        Some(Block { code: Code::UsageProtects, reason: format!("{} refuses its deletion: {why}", usage.name()), mend })
    })
}

fn protection(resource: &Resource) -> Option<&'static str> {
    let declared = resource.whole.as_deref()?.pointer("/spec/forProvider")?;
    PROTECTIONS.into_iter().find(|field| declared.get(field).and_then(Value::as_bool) == Some(true))
}

fn is_unconfirmed(state: &ClusterState, resource: &Resource, way: &Way) -> bool {
    let is_argo = way.by.is_some_and(|by| matches!(state.resources[by].body, Body::Application(_)));
    let is_approved = way.by.is_some_and(|by| state.resources[by].metadata.annotation(APPROVED).is_some());
    is_argo && has_sync_option(&resource.metadata, "Delete=confirm") && !is_approved
}
