//! What an Argo CD needs before it deletes the objects of an Application (`processAppOperationQueueItem` and
//! `finalizeApplicationDeletion` of its controller).

use jiff::Timestamp;
use serde_json::Value;

use super::application_namespaces::{outside_namespace, watches};
use super::argocd_settings::Ownership;
use super::deletion_item::DeletionBlock;
use super::destination::{self, Destination};
use super::look::DeletionContext;
use super::path::DeletionPath;
use super::{flux_clusters, projects, tracking};
use ucp_core::engine::argocd::project::ProjectPermission;
use ucp_core::engine::code::Code;
use ucp_core::graph::NodeId;
use ucp_core::model::body::Body;
use ucp_core::model::body::argocd::Application;
use ucp_core::model::resource::Resource;
use ucp_core::model::time::age;

/// Prefix of the finalizers of Argo CD that run hooks before it deletes anything.
const PRE_DELETE: &str = "pre-delete-finalizer.argocd.argoproj.io";
/// Prefix of those that run hooks after it deleted everything.
const POST_DELETE: &str = "post-delete-finalizer.argocd.argoproj.io";

/// Returns the blocks of an Application whose finalizer nothing releases.
pub(super) fn application_blocks(look: &DeletionContext<'_, '_>, resource: &Resource) -> Vec<DeletionBlock> {
    let Body::Application(application) = &resource.body else { return Vec::new() };
    if !resource.metadata.finalizers.iter().any(|name| name.contains(".argocd.argoproj.io")) {
        return Vec::new();
    }
    let state = look.state;
    let since = operation_start(application);
    let overdue = (has_operation(resource) && look.clock.is_overdue(since)).then(|| {
        let since = since.map_or_else(String::new, |since| format!(", for {} now", age(since, state.moment)));
        format!("an operation is in progress{since}, and Argo CD deletes nothing until it has ended")
    });
    let unwatched = outside_namespace(state, resource, application).and_then(|(namespace, home)| {
        let project = projects::application_permission(state, application, namespace);
        match (watches(state, home, namespace), project) {
            (ProjectPermission::Forbidden, _) => Some(format!(
                "Argo CD of namespace {home} does not watch namespace {namespace} (application.namespaces), so nothing \
                 releases its finalizer"
            )),
            (_, ProjectPermission::Forbidden) => Some(format!(
                "sourceNamespaces of AppProject {} does not permit namespace {namespace}, so Argo CD deletes nothing and \
                 keeps its finalizer",
                application.spec.project_name()
            )),
            _ => None,
        }
    });
    let has_hooks = resource.metadata.finalizers.iter().any(|name| name.starts_with(PRE_DELETE));
    let unrendered = has_hooks.then(|| renderer_outage(look)).flatten();
    let unrendered = unrendered.map(|outage| format!("it has pre-delete hooks, and {outage}"));
    let reasons = overdue.into_iter().chain(unwatched).chain(unrendered);
    let object = resource.name();
    let block = |reason| DeletionBlock {
        code: Code::FinalizerUnserved,
        reason,
        command: Code::FinalizerUnserved.command_for(&object),
    };
    reasons.map(block).collect()
}

/// Returns the reason why it is unknown whether the end of an Application is reached.
pub(super) fn end_doubt(look: &DeletionContext<'_, '_>, resource: &Resource) -> Option<String> {
    let has_hooks = resource.metadata.finalizers.iter().any(|name| name.starts_with(POST_DELETE));
    let outage = has_hooks.then(|| renderer_outage(look)).flatten()?;
    Some(format!("it has post-delete hooks, and {outage}"))
}

/// Returns the reason why no hooks are rendered.
fn renderer_outage(look: &DeletionContext<'_, '_>) -> Option<String> {
    let (workload, problem) = look.assessment.controllers.down_workload("repo-server")?;
    Some(format!("{workload} is not running ({})", problem.message))
}

/// Returns the reason why it is unknown whether an object is deleted: what is above it may not be deleted, or not by the
/// deployer that applied it.
pub(super) fn doubt(look: &DeletionContext<'_, '_>, node: NodeId, way: &DeletionPath) -> Option<String> {
    let state = look.state;
    if let Some(reason) = look.assessment.controllers.deletion_doubt(&state.resources[node]) {
        return Some(reason);
    }
    let mut way = Some(way);
    while let Some((by, applied)) = way.and_then(|way| way.by.zip(way.applied)) {
        let (deployer, child) = (&state.resources[by], &state.resources[applied]);
        let found = match &deployer.body {
            Body::Application(body) => application_doubt(look, deployer, body, child),
            Body::Flux(_) => flux_clusters::doubt(state, deployer, child),
            _ => None,
        };
        let found = found.or_else(|| look.assessment.controllers.deletion_doubt(deployer));
        if found.is_some() {
            return found;
        }
        way = look.cascade.going.get(&by);
    }
    None
}

fn application_doubt(
    look: &DeletionContext<'_, '_>,
    by: &Resource,
    application: &Application,
    child: &Resource,
) -> Option<String> {
    let state = look.state;
    if has_operation(by) {
        return Some(format!(
            "an operation of {} is in progress, and Argo CD deletes nothing until it has ended",
            by.name()
        ));
    }
    if let Some((namespace, home)) = outside_namespace(state, by, application) {
        let is_known = application.status.controller_namespace.is_some();
        match (watches(state, home, namespace), projects::application_permission(state, application, namespace)) {
            (ProjectPermission::Unknown, _) if !is_known => {
                return Some(format!("whether Argo CD of namespace {home} watches namespace {namespace} is unknown"));
            }
            (_, ProjectPermission::Unknown) => {
                let project = application.spec.project_name();
                return Some(format!("whether AppProject {project} permits namespace {namespace} is unknown"));
            }
            _ => {}
        }
    }
    match destination::destination_of(state, application) {
        Destination::Here | Destination::Gone(_) => {}
        Destination::Elsewhere(cluster) => {
            let by = by.name();
            return Some(format!("{by} deletes in cluster {cluster}, which may not be this one"));
        }
        Destination::Unknown(why) => return Some(why),
    }
    match tracking::ownership(state, by, application, child) {
        Ownership::Unknown(why) => Some(why),
        Ownership::Its | Ownership::Foreign(_) => None,
    }
}

/// Returns true if an operation was requested or is in progress: until it has ended, the controller deletes nothing.
fn has_operation(resource: &Resource) -> bool {
    resource.whole.as_deref().and_then(|whole| whole.get("operation")).is_some_and(Value::is_object)
}

/// Returns the start of the operation in progress; `None` for one that was only requested.
fn operation_start(application: &Application) -> Option<Timestamp> {
    let state = application.status.operation_state.as_ref().filter(|state| state.finished_at.is_none())?;
    state.started_at
}
