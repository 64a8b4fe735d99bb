//! The dependencies that an object needs to be deleted: its provider config, the credentials of that, and a controller.
//! If one is missing or is deleted first, the object is stuck.

use super::contents::is_revision_alone;
use super::credentials::{self, MissingNeed};
use super::deletion_item::DeletionBlock;
use super::look::{DeletionContext, is_deleted_later};
use super::path::DeletionPath;
use super::target::TeardownTarget;
use super::{accounts, projects, removal};
use ucp_core::engine::code::Code;
use ucp_core::engine::crossplane::managed::{UnsettledCreation, unsettled_creation};
use ucp_core::engine::crossplane::{BLIND, CrossplaneRole, role};
use ucp_core::graph::NodeId;
use ucp_core::graph::link::Relation;
use ucp_core::model::body::Body;
use ucp_core::model::condition::{ConditionStatus, FindCondition as _};
use ucp_core::model::object::{ObjectKey, ObjectName};
use ucp_core::model::resource::Resource;

/// Phrases, in lower case, by which clouds and API servers report that something is not permitted.
const DENIALS: [&str; 8] = [
    "accessdenied",
    "access denied",
    "unauthorized",
    "not authorized",
    "forbidden",
    "permission denied",
    "permission_denied",
    "authorizationfailed",
];

/// Returns the blocks of a managed resource whose provider config or access is missing.
pub(super) fn missing_dependencies(look: &DeletionContext<'_, '_>, node: NodeId) -> Vec<DeletionBlock> {
    let resource = &look.state.resources[node];
    if role(&resource.kind) != Some(CrossplaneRole::Managed)
        || resource.metadata.finalizers.is_empty()
        || !removal::deletes_outside(resource)
    {
        return Vec::new();
    }
    if unsettled_creation(resource, look.clock) == Some(UnsettledCreation::Interrupted) {
        let object = resource.name();
        return vec![DeletionBlock {
            code: Code::FinalizerUnserved,
            reason: "a creation was interrupted and its result is unknown, so its provider does nothing more"
                .to_owned(),
            command: Code::CreationInterrupted.command_for(&object),
        }];
    }
    let needs = credentials::missing_needs(look, node).into_iter();
    let mut blocks: Vec<DeletionBlock> = needs
        .filter_map(|need| match need {
            MissingNeed::Absent(block) => Some(block),
            MissingNeed::Unread(_) => None,
        })
        .collect();
    let refused = ["Synced", "LastAsyncOperation"].into_iter().find_map(|condition| {
        let failed = resource.conditions.as_slice().with_status(condition, ConditionStatus::False)?;
        let message = failed.message.trim();
        let lower = message.to_ascii_lowercase();
        let is_blind = BLIND.iter().any(|beginning| message.starts_with(beginning));
        let is_denied = DENIALS.iter().any(|words| lower.contains(words));
        let has_failed_to_delete = lower.contains("delete failed")
            || failed.reason.contains("DestroyFailure")
            || failed.reason.contains("DeleteFailure");
        (is_blind || is_denied || has_failed_to_delete).then(|| message.to_owned())
    });
    if let (Some(message), true) = (refused, blocks.is_empty()) {
        blocks.push(DeletionBlock {
            code: Code::FinalizerUnserved,
            reason: format!("its provider cannot delete it: {message}"),
            command: Code::FinalizerUnserved.command_for(&resource.name()),
        });
    }
    blocks
}

/// Returns the reason why it is unknown whether a provider can delete a managed resource.
pub(super) fn unread_dependency(look: &DeletionContext<'_, '_>, node: NodeId, way: &DeletionPath) -> Option<String> {
    let resource = &look.state.resources[node];
    if role(&resource.kind) == Some(CrossplaneRole::Managed)
        && unsettled_creation(resource, look.clock) == Some(UnsettledCreation::UnderWay)
    {
        return Some("a creation was started whose result is not known yet".to_owned());
    }
    if let Some(by) = way.by.filter(|_| way.applied == Some(node))
        && let Body::Application(application) = &look.state.resources[by].body
        && let Some(reason) = projects::unknown_reason(look.state, application, resource)
    {
        return Some(reason);
    }
    credentials::missing_needs(look, node).into_iter().find_map(|need| match need {
        MissingNeed::Unread(reason) => Some(reason),
        MissingNeed::Absent(_) => None,
    })
}

/// Returns the block of an object whose dependency is deleted first, because nothing enforces the order.
pub(super) fn dependency_deleted_first(
    look: &DeletionContext<'_, '_>,
    node: NodeId,
    way: &DeletionPath,
) -> Option<DeletionBlock> {
    let resource = &look.state.resources[node];
    if *look.target == TeardownTarget::All || resource.metadata.finalizers.is_empty() {
        return None;
    }
    let block = |needed: &ObjectName, why: &str| DeletionBlock {
        code: Code::NeedGoesFirst,
        reason: format!("{needed} {why}"),
        command: format!("kubectl delete {}", resource.name()),
    };
    if role(&resource.kind) == Some(CrossplaneRole::Managed) && removal::deletes_outside(resource) {
        for config in related_objects(look, node, Relation::ConfiguredBy) {
            if deleted_namespace(look, &look.state.resources[config]).is_some() {
                let why = "is in a namespace that is deleted at the same time: its usages are deleted, so its finalizer does \
                           not wait for this object, and without it the provider cannot delete anything";
                return Some(block(&look.state.resources[config].name(), why));
            }
            if let Some(secret) = deleted_credentials(look, config, way) {
                return Some(block(
                    &secret,
                    "is deleted at the same time, and with it the credentials of its provider",
                ));
            }
        }
    }
    if let Some(account) = accounts::account_of(look.state, resource) {
        let key = ObjectKey::from(&account);
        if deleted_namespace(look, resource).is_some() || look.deleted(&key).is_some() {
            let why = "is deleted at the same time, and without it Flux deletes nothing that it applied";
            return Some(block(&account, why));
        }
    }
    let workload =
        look.assessment.controllers.last_workload_deleted(resource, &|one| is_removed_directly(look, one))?;
    Some(block(&workload.name(), "is deleted at the same time, and then nothing releases its finalizer"))
}

/// Returns the objects that an object points to by a relation, if they were read.
fn related_objects(look: &DeletionContext<'_, '_>, node: NodeId, relation: Relation) -> Vec<NodeId> {
    let edges = look.assessment.graph.down(node).iter();
    let found = edges.filter(|edge| edge.relation == relation && edge.node < look.state.resources.len());
    found.map(|edge| edge.node).collect()
}

/// Returns the namespace of an object, if it is deleted too.
fn deleted_namespace<'a>(look: &DeletionContext<'a, '_>, resource: &Resource) -> Option<&'a Resource> {
    look.deleted_namespace(resource.metadata.namespace.as_deref()?)
}

/// Returns the Secret of a provider config, if it is deleted along with the resources that use it.
pub(super) fn deleted_credentials(
    look: &DeletionContext<'_, '_>,
    config: NodeId,
    way: &DeletionPath,
) -> Option<ObjectName> {
    let config = &look.state.resources[config];
    let Body::ProviderConfig(body) = &config.body else { return None };
    body.secrets.iter().find_map(|secret| {
        let namespace = secret.namespace.as_deref().or(config.metadata.namespace.as_deref())?;
        let name = ObjectName::secret(namespace, &secret.name);
        let key = ObjectKey::from(&name);
        let goes = look.cascade.unread.contains(&key)
            || look.deleted_namespace(namespace).is_some()
            || look.deleted(&key).is_some_and(|(node, theirs)| !is_deleted_later(look.state, node, theirs, way));
        goes.then_some(name)
    })
}

/// Returns true if a workload is deleted directly, and not in the order of its package.
pub(super) fn is_removed_directly(look: &DeletionContext<'_, '_>, workload: &Resource) -> bool {
    let is_root = match look.target {
        TeardownTarget::All => false,
        TeardownTarget::Objects(roots) | TeardownTarget::Merge { roots, .. } => {
            roots.iter().any(|root| look.state.resources[*root].key() == workload.key())
        }
    };
    is_root || deleted_namespace(look, workload).is_some() || is_deleted_with_revision(look, workload)
}

/// Returns true if a workload is deleted with the revision that runs it, while the package remains.
fn is_deleted_with_revision(look: &DeletionContext<'_, '_>, workload: &Resource) -> bool {
    let graph = &look.assessment.graph;
    let Some(node) = graph.find(&workload.key()) else { return false };
    let mut owners = graph.up(node).iter().filter(|edge| edge.relation == Relation::Owns);
    owners.any(|edge| {
        look.cascade.going.contains_key(&edge.node) && is_revision_alone(look.state, edge.node, &look.cascade.going)
    })
}
