//! The blocks that prevent the deletion of an object.

use serde_json::Value;

use super::admission::DeletionReview;
use super::cascade::cascade_from;
use super::deletion_item::DeletionBlock;
use super::holds::{Hold, Holds};
use super::look::{DeletionContext, is_deleted_later};
use super::path::DeletionPath;
use super::safeguard::Safeguard;
use super::safeguards::{release_patch, safeguards};
use super::target::TeardownTarget;
use super::{argocd, cluster, cluster_objects, locks, needs, projects, removal, staying};
use ucp_core::engine;
use ucp_core::engine::argocd::SKIP_RECONCILE;
use ucp_core::engine::code::Code;
use ucp_core::engine::crossplane::usage::selects;
use ucp_core::engine::crossplane::{CrossplaneRole, PAUSED, role};
use ucp_core::engine::{ExternalRole, purpose};
use ucp_core::graph::NodeId;
use ucp_core::graph::link::Relation;
use ucp_core::model::body::Body;
use ucp_core::model::body::argocd::{cascades, has_sync_option};
use ucp_core::model::object::ObjectName;
use ucp_core::model::resource::Resource;
use ucp_core::model::shell::quote_word;
use ucp_core::model::state::ClusterState;
use ucp_core::model::time::age;

/// Finalizer of a provider config that is in use.
pub(super) const IN_USE: &str = "in-use.crossplane.io";
/// Annotation of an Application by which a user confirms its deletion.
const APPROVED: &str = "argocd.argoproj.io/deletion-approved";

/// Returns all blocks of one object, the worst first.
pub(super) fn blocks_of(look: &DeletionContext<'_, '_>, node: NodeId, way: &DeletionPath) -> Vec<DeletionBlock> {
    let DeletionContext { state, assessment, cascade, .. } = *look;
    let resource = &state.resources[node];
    let object = resource.name();
    let block = |code: Code, reason: String| DeletionBlock { code, reason, command: code.command_for(&object) };
    let mut blocks = Vec::new();
    if let Some(provider) = provider_deleted_first(look, node, way) {
        let provider = state.resources[provider].name();
        let reason = format!("{provider} is deleted first, and then nothing releases its finalizer");
        blocks.push(DeletionBlock {
            command: format!("kubectl delete {object}"),
            ..block(Code::ProviderGoesFirst, reason)
        });
    } else if let Some(outage) = assessment.controllers.deletion_outage(resource) {
        let held = resource.metadata.describe_finalizers();
        blocks.push(DeletionBlock {
            command: Code::ControllerDown.command_for(&outage.object),
            ..block(Code::FinalizerUnserved, format!("{}; {held}", outage.to_sentence()))
        });
    }
    if is_paused_composite(resource) {
        blocks.push(paused_block(
            &object,
            format!("annotation {PAUSED} is set: its finalizer keeps it until it is resumed"),
        ));
    }
    if matches!(resource.body, Body::Application(_))
        && resource.metadata.annotation(SKIP_RECONCILE) == Some("true")
        && !resource.metadata.finalizers.is_empty()
    {
        let command = format!("kubectl annotate {object} {SKIP_RECONCILE}-");
        let reason = format!("annotation {SKIP_RECONCILE} is set, so nothing releases its finalizer");
        blocks.push(DeletionBlock { command, ..block(Code::PausedBlocks, reason) });
    }
    if let Body::Application(application) = &resource.body
        && cascades(&resource.metadata.finalizers)
        && let Some(project) = projects::missing_project(state, application)
    {
        let command = "kubectl get appprojects.argoproj.io -A".to_owned();
        let reason =
            format!("its AppProject {project} does not exist, so Argo CD deletes nothing and keeps its finalizer");
        blocks.push(DeletionBlock { command, ..block(Code::FinalizerUnserved, reason) });
    }
    blocks.extend(argocd::application_blocks(look, resource));
    blocks.extend(unbound_block(look, node, resource));
    blocks.extend(cluster::cluster_blocks(look, resource));
    if let Some(DeletionReview::Refused(refused)) = look.review(node) {
        blocks.push(refused);
    }
    blocks.extend(usage_blocks(look, node, resource));
    blocks.extend(cluster_objects::reference_blocks(look, resource));
    blocks.extend(safeguard_blocks(resource, &object));
    blocks.extend(locks::lock_block(look, node));
    blocks.extend(needs::missing_dependencies(look, node));
    if let Some(way_out) = needs::dependency_deleted_first(look, node, way) {
        blocks.push(way_out);
    }
    if way.applied == Some(node) && awaits_confirmation(state, resource, way) {
        let command = format!("kubectl annotate {object} {APPROVED}=$(date -u +%Y-%m-%dT%H:%M:%SZ)");
        let reason = format!("sync option Delete=confirm waits for annotation {APPROVED}");
        blocks.push(DeletionBlock { command, ..block(Code::DeletionUnconfirmed, reason) });
    }
    if role(&resource.kind) == Some(CrossplaneRole::ProviderConfig)
        && resource.metadata.finalizers.iter().any(|name| *name == IN_USE)
    {
        let users = assessment.graph.up(node).iter().filter(|edge| edge.relation == Relation::ConfiguredBy);
        let left = users.filter(|edge| !cascade.going.contains_key(&edge.node)).count();
        if left > 0 {
            let reason = format!("{left} managed resources use it: finalizer {IN_USE} keeps it until they are deleted");
            blocks.push(block(Code::StillInUse, reason));
        }
    }
    if let Some(since) = resource.metadata.deletion_timestamp
        && blocks.is_empty()
    {
        let entry = assessment.judged.iter().find(|entry| entry.node == node);
        let is_failing = entry.is_some_and(|entry| !entry.judgement.problems.is_empty());
        if is_failing || look.clock.is_overdue(Some(since)) {
            let message = entry.and_then(|entry| entry.judgement.message.clone());
            let held = message.map_or_else(|| resource.metadata.describe_finalizers(), |message| message.to_string());
            let reason =
                format!("its deletion was requested {} ago, and it still exists: {held}", age(since, state.moment));
            blocks.push(block(Code::FinalizerUnserved, reason));
        }
    }
    blocks
}

/// Returns the block of a claim that names a composite of another claim: Crossplane refuses to reconcile it.
fn unbound_block(look: &DeletionContext<'_, '_>, node: NodeId, claim: &Resource) -> Option<DeletionBlock> {
    let Body::Crossplane(body) = &claim.body else { return None };
    if role(&claim.kind) != Some(CrossplaneRole::Claim) {
        return None;
    }
    let named = |one: &&Resource| body.composed.iter().any(|reference| reference.name == one.metadata.name);
    let edges = look.assessment.graph.down(node).iter().filter(|edge| edge.relation == Relation::Composes);
    let composite = edges.filter_map(|edge| look.state.resources.get(edge.node)).find(named)?;
    let why = staying::unbound_reason(claim, composite)?;
    Some(DeletionBlock {
        code: Code::FinalizerUnserved,
        reason: format!("Crossplane refuses to reconcile it, because {} is not its composite: {why}", composite.name()),
        command: format!("kubectl get {} -o yaml", composite.name()),
    })
}

/// Returns the block of a paused object.
pub(super) fn paused_block(object: &ObjectName, reason: String) -> DeletionBlock {
    DeletionBlock { code: Code::PausedBlocks, reason, command: format!("kubectl annotate {object} {PAUSED}-") }
}

/// Returns true if a composite or claim is paused. Managed resources are covered by their own rules.
fn is_paused_composite(resource: &Resource) -> bool {
    matches!(purpose(&resource.kind), Some(ExternalRole::Composite | ExternalRole::Claim))
        && resource.metadata.annotation(PAUSED) == Some("true")
}

/// Returns the provider that is deleted before a managed resource.
fn provider_deleted_first(look: &DeletionContext<'_, '_>, node: NodeId, way: &DeletionPath) -> Option<NodeId> {
    let DeletionContext { state, assessment, cascade, .. } = *look;
    if *look.target == TeardownTarget::All {
        return None;
    }
    if let Some(provider) = way.deserted_by {
        return Some(provider);
    }
    let providers = assessment.graph.down(node).iter().filter(|edge| edge.relation == Relation::ReconciledBy);
    let mut going = providers.filter_map(|edge| Some((edge.node, cascade.going.get(&edge.node)?)));
    going.find(|(provider, theirs)| !is_deleted_later(state, *provider, theirs, way)).map(|(provider, _)| provider)
}

/// Returns the Usages that protect an object, unless the user that they name is deleted too.
fn usage_blocks<'a>(
    look: &'a DeletionContext<'_, '_>,
    node: NodeId,
    resource: &'a Resource,
) -> impl Iterator<Item = DeletionBlock> + 'a {
    let DeletionContext { state, target, .. } = *look;
    let of_its_kind = look.usages.0.get(&(resource.kind.group.as_str(), resource.kind.kind.as_str()));
    // The webhook is not asked about the objects of a deleted definition.
    let of_its_kind = of_its_kind.filter(|_| !look.cascade.definitions.contains(&resource.kind.qualified_plural()));
    of_its_kind.into_iter().flatten().filter_map(move |(usage, spec)| {
        if !selects(spec.get("of")?, resource, usage) || look.unenforced_reason(resource).is_some() {
            return None;
        }
        let by = spec.get("by");
        let user = by.and_then(|by| state.resources.iter().position(|other| selects(by, other, usage)));
        if *target == TeardownTarget::All && user.is_some()
            || user.is_some_and(|user| is_deleted_without(look, user, node))
        {
            return None;
        }
        let why = match (user, spec.get("reason").and_then(Value::as_str)) {
            (Some(user), _) => format!("{} uses it", state.resources[user].name()),
            (None, Some(reason)) => reason.to_owned(),
            (None, None) => "the object is protected".to_owned(),
        };
        let command = match user {
            Some(user) => format!("kubectl delete {}", state.resources[user].name()),
            None => format!("kubectl delete {}", usage.name()),
        };
        let why = ucp_core::model::secrecy::scrub(&why).into_owned();
        Some(DeletionBlock {
            code: Code::UsageProtects,
            reason: format!("{} refuses its deletion: {why}", usage.name()),
            command,
        })
    })
}

/// Returns the remark about a Usage that names an object and does not protect it.
pub(super) fn unenforced_usage(look: &DeletionContext<'_, '_>, node: NodeId) -> Option<String> {
    let resource = &look.state.resources[node];
    let of_its_kind = look.usages.0.get(&(resource.kind.group.as_str(), resource.kind.kind.as_str()))?;
    let (usage, _) =
        of_its_kind.iter().find(|(usage, spec)| spec.get("of").is_some_and(|of| selects(of, resource, usage)))?;
    let why = look.unenforced_reason(resource)?;
    Some(format!("{} does not protect it: {why}", usage.name()))
}

/// Returns true if an object is deleted although the deletion of another one is refused: not only along with that one.
fn is_deleted_without(look: &DeletionContext<'_, '_>, node: NodeId, refused: NodeId) -> bool {
    let is_root = |root: &NodeId| *root == refused;
    let DeletionContext { state, assessment, cascade, target, .. } = *look;
    cascade.going.contains_key(&node)
        && target.roots().filter(|roots| roots.iter().any(is_root)).is_none_or(|roots| {
            let holds = Holds::from([(refused, Hold::Refused)]);
            cascade_from(state, assessment, roots, &holds).going.contains_key(&node)
        })
}

/// Returns the safeguards of an object whose engine would delete the external resource.
fn safeguard_blocks(resource: &Resource, object: &ObjectName) -> Vec<DeletionBlock> {
    let is_outside = role(&resource.kind) == Some(CrossplaneRole::Managed) || engine::outside(&resource.kind).is_some();
    let Some(whole) = resource.whole.as_deref().filter(|_| is_outside) else { return Vec::new() };
    if removal::external_removal(&resource.kind, whole).end != removal::RemovalEffect::Deleted {
        return Vec::new();
    }
    let refused = safeguards(&resource.kind, whole).into_iter().filter_map(|safeguard| match safeguard {
        Safeguard::Refuses { reason, path, release } => {
            let command = match release_patch(&path, release) {
                Some(patch) => format!("kubectl patch {object} --type=merge -p {}", quoted(&patch)),
                None => format!("kubectl edit {object} # spec.{}", quote_word(&path.join("."))),
            };
            Some(DeletionBlock { code: Code::ProtectedOutside, reason, command })
        }
        Safeguard::Keeps(_) | Safeguard::Doubtful(_) => None,
    });
    refused.collect()
}

/// Returns the reason why the effect of a field of a managed resource on its external resource is unknown.
pub(super) fn safeguard_doubt(resource: &Resource) -> Option<String> {
    let whole = resource.whole.as_deref().filter(|_| role(&resource.kind) == Some(CrossplaneRole::Managed))?;
    safeguards(&resource.kind, whole).into_iter().find_map(|safeguard| match safeguard {
        Safeguard::Doubtful(why) => Some(why),
        Safeguard::Keeps(_) | Safeguard::Refuses { .. } => None,
    })
}

fn quoted(patch: &Value) -> String {
    quote_word(&patch.to_string()).into_owned()
}

fn awaits_confirmation(state: &ClusterState, resource: &Resource, way: &DeletionPath) -> bool {
    let is_argo = way.by.is_some_and(|by| matches!(state.resources[by].body, Body::Application(_)));
    let is_approved = way.by.is_some_and(|by| state.resources[by].metadata.annotation(APPROVED).is_some());
    is_argo && has_sync_option(&resource.metadata, "Delete=confirm") && !is_approved
}
