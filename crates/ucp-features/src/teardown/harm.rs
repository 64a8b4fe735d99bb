//! Harm of a deletion to objects that remain: they lose an object that they need, or an external resource that they
//! share.

use std::collections::BTreeSet;

use serde_json::Value;

use super::contents::{is_revision_alone, package_of};
use super::look::DeletionContext;
use super::nature::is_registration;
use super::path::DeletionPath;
use super::settings::{setting_kind, uses_setting};
use super::{accounts, blocks, clusters, needs};
use ucp_core::engine::code::Code;
use ucp_core::engine::crossplane::{CrossplaneRole, role};
use ucp_core::graph::NodeId;
use ucp_core::graph::link::Relation;
use ucp_core::model::body::Body;
use ucp_core::model::comparison::Certainty;
use ucp_core::model::object::{ObjectKey, ObjectName};
use ucp_core::model::resource::Resource;

/// A harm to objects that remain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeletionHarm {
    /// Code of the finding.
    pub code: Code,
    /// The object that is deleted.
    pub object: ObjectName,
    /// The effect and the objects that it affects.
    pub message: String,
}

/// An object whose external resource is deleted, and remaining objects with the same external resource.
#[derive(Debug, Clone)]
pub struct SharedExternal {
    /// The object that is deleted.
    pub object: ObjectName,
    /// The objects that remain.
    pub others: Vec<ObjectName>,
    /// Identity of the external resource.
    pub identity: String,
    /// The certainty of the identity.
    pub certainty: Certainty,
}

impl From<SharedExternal> for DeletionHarm {
    fn from(shared: SharedExternal) -> Self {
        let names: Vec<String> = shared.others.iter().map(ToString::to_string).collect();
        let verb = if names.len() == 1 { "manages" } else { "manage" };
        let doubt = if shared.certainty == Certainty::Certain { "" } else { ", as far as is known" };
        let message =
            format!("{} also {verb} {}{doubt}: deleting one deletes it for all", names.join(", "), shared.identity);
        Self { code: Code::SharedOutside, object: shared.object, message }
    }
}

/// The API group of the sources of Flux.
const SOURCES: &str = "source.toolkit.fluxcd.io";

/// Maximum number of objects that a message names.
const NAMED: usize = 3;

/// Returns all harms of a deletion to remaining objects.
pub(super) fn find_harms(look: &DeletionContext<'_, '_>) -> Vec<DeletionHarm> {
    let DeletionContext { state, cascade, .. } = *look;
    let going = |node: &NodeId| cascade.going.contains_key(node);
    let staying: Vec<(NodeId, &Resource)> =
        state.resources.iter().enumerate().filter(|(node, _)| !going(node)).collect();
    let mut harms = Vec::new();
    for node in cascade.going.keys() {
        let resource = &state.resources[*node];
        let users = remaining_users(look, *node, resource, &staying);
        if let Some(first) = users.first() {
            let more = if users.len() > NAMED { format!(" and {} more", users.len() - NAMED) } else { String::new() };
            let names: Vec<String> =
                users.iter().take(NAMED).map(|user| state.resources[*user].name().to_string()).collect();
            let verb = if users.len() == 1 { "needs" } else { "need" };
            debug_assert!(!going(first));
            harms.push(DeletionHarm {
                code: Code::UsersRemain,
                object: resource.name(),
                message: format!("{}{more} {verb} it, and cannot be reconciled without it", names.join(", ")),
            });
        }
    }
    harms.extend(lost_credentials(look, &staying));
    harms.extend(abandoned_objects(look, &staying));
    harms
}

/// Returns the harms to provider configs whose Secret is deleted without having been read: with its namespace, or by the
/// engine that applied it.
fn lost_credentials(look: &DeletionContext<'_, '_>, staying: &[(NodeId, &Resource)]) -> Vec<DeletionHarm> {
    let lost = staying.iter().filter_map(|(node, config)| {
        let secret = needs::deleted_credentials(look, *node, &DeletionPath::default())?;
        let is_read = || look.assessment.graph.find(&ObjectKey::from(&secret));
        // A Secret that was read names its users itself.
        let is_named = is_read().is_some_and(|found| look.cascade.going.contains_key(&found));
        (!is_named).then(|| DeletionHarm {
            code: Code::UsersRemain,
            object: secret,
            message: format!("{} needs it, and cannot be reconciled without it", config.name()),
        })
    });
    lost.collect()
}

/// Returns the remaining objects that need a deleted one. An object that a finalizer keeps until it has no users is
/// blocked, and does no harm.
fn remaining_users(
    look: &DeletionContext<'_, '_>,
    node: NodeId,
    resource: &Resource,
    staying: &[(NodeId, &Resource)],
) -> Vec<NodeId> {
    let named = |wanted: &dyn Fn(&Resource) -> bool| -> Vec<NodeId> {
        staying.iter().filter(|(_, one)| wanted(one)).map(|(node, _)| *node).collect()
    };
    // Without its active revision, a package does not run until Crossplane creates the revision again.
    if is_revision_alone(look.state, node, &look.cascade.going)
        && let Some(package) = package_of(look.state, resource)
    {
        return match look.state.resources[package].kind.kind.as_str() {
            "Provider" => {
                let edges = look.assessment.graph.up(package).iter();
                let reconciled = edges.filter(|edge| edge.relation == Relation::ReconciledBy);
                let users = reconciled.map(|edge| edge.node).filter(|node| *node < look.state.resources.len());
                users.filter(|node| !look.cascade.going.contains_key(node)).collect()
            }
            _ => remaining_users(look, package, &look.state.resources[package], staying),
        };
    }
    if let Some(setting) = setting_kind(&resource.kind) {
        return named(&|one| uses_setting(resource, setting, one));
    }
    match role(&resource.kind) {
        Some(CrossplaneRole::Composition) => named(&|one| composition_of(one) == Some(&resource.metadata.name)),
        Some(CrossplaneRole::Package) if resource.kind.kind == "Function" => {
            let calls = |one: &Resource| match &one.body {
                Body::Composition(body) => body.functions.contains(&resource.metadata.name),
                _ => false,
            };
            let compositions = named(&calls);
            let composites = named(&|one| {
                composition_of(one).is_some_and(|name| {
                    let mut called = compositions.iter().map(|node| &look.state.resources[*node].metadata.name);
                    called.any(|called| called == name)
                })
            });
            composites.into_iter().chain(compositions).collect()
        }
        // Its finalizer keeps it until it has no users.
        Some(CrossplaneRole::ProviderConfig)
            if resource.metadata.finalizers.iter().any(|name| name == blocks::IN_USE) =>
        {
            Vec::new()
        }
        _ if is_registration(resource) => clusters::deployers(look, resource, staying),
        _ if resource.kind.group.is_empty() && resource.kind.kind == "ServiceAccount" => {
            let key = resource.key();
            named(&|one| accounts::account_of(look.state, one).is_some_and(|account| ObjectKey::from(&account) == key))
        }
        _ if resource.kind.group == SOURCES || resource.kind.group.is_empty() => {
            let below = look.assessment.graph.down(node).iter();
            let above = look.assessment.graph.up(node).iter();
            let read = below.filter(|edge| matches!(edge.relation, Relation::Declares | Relation::Hosts));
            let users = read.chain(above.filter(|edge| edge.relation == Relation::Reads)).map(|edge| edge.node);
            let is_staying =
                |user: &NodeId| *user < look.state.resources.len() && !look.cascade.going.contains_key(user);
            users.filter(is_staying).collect::<BTreeSet<_>>().into_iter().collect()
        }
        _ => {
            let edges = look.assessment.graph.up(node).iter();
            let users = edges.filter(|edge| {
                matches!(edge.relation, Relation::Reads | Relation::ConfiguredBy | Relation::DependsOn)
                    && edge.node < look.state.resources.len()
                    && !look.cascade.going.contains_key(&edge.node)
                    && !ucp_core::engine::crossplane::usage::is_usage(&look.state.resources[edge.node].kind)
            });
            users.map(|edge| edge.node).collect()
        }
    }
}

/// Returns the name of a composite's Composition.
fn composition_of(resource: &Resource) -> Option<&str> {
    if !matches!(role(&resource.kind), Some(CrossplaneRole::Composite | CrossplaneRole::Claim)) {
        return None;
    }
    let spec = resource.whole.as_deref()?.get("spec")?;
    ["/crossplane/compositionRef/name", "/compositionRef/name"]
        .iter()
        .find_map(|pointer| spec.pointer(pointer).and_then(Value::as_str))
}

/// Returns the harms to objects that remain while their controller is deleted.
fn abandoned_objects(look: &DeletionContext<'_, '_>, staying: &[(NodeId, &Resource)]) -> Vec<DeletionHarm> {
    let graph = &look.assessment.graph;
    let is_going = |workload: &Resource| {
        graph.find(&workload.key()).is_some_and(|node| look.cascade.going.contains_key(&node))
            || needs::is_removed_directly(look, workload)
    };
    let mut by_workload: Vec<(ObjectName, usize)> = Vec::new();
    for (_, resource) in staying {
        let Some(workload) = look.assessment.controllers.last_workload_deleted(resource, &is_going) else { continue };
        let name = workload.name();
        match by_workload.iter_mut().find(|(known, _)| *known == name) {
            Some((_, count)) => *count += 1,
            None => by_workload.push((name, 1)),
        }
    }
    let harm = |(object, count): (ObjectName, usize)| DeletionHarm {
        code: Code::UsersRemain,
        object,
        message: format!("{count} objects remain without the controller that reconciles them"),
    };
    by_workload.into_iter().map(harm).collect()
}
