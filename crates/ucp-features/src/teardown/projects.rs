//! AppProjects of Argo CD: without the project of an Application, its finalizer fails, and objects that the project does not
//! permit are not deleted (`getPermittedAppLiveObjects` and `IsLiveResourcePermitted`).

use serde_json::Value;

use ucp_core::engine::argocd::GROUP;
use ucp_core::model::body::argocd::Application;
use ucp_core::model::glob;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::ClusterState;

/// The kind of the projects.
const KIND: &str = "AppProject";
/// The name and the server of the cluster in which Argo CD runs.
const THIS_CLUSTER: (&str, &str) = ("in-cluster", "https://kubernetes.default.svc");

/// Whether a project permits the deletion of an object.
enum ProjectPermission {
    Permitted,
    Forbidden,
    /// The rules of the project are not covered here.
    Unknown,
}

fn project_name(application: &Application) -> &str {
    if application.spec.project.is_empty() { "default" } else { &application.spec.project }
}

/// Returns the project of an Application, in the namespace of its Argo CD, or in any if that is not known.
fn project_of<'a>(state: &'a ClusterState, application: &Application) -> Option<&'a Resource> {
    let namespace = application.status.controller_namespace.as_deref().filter(|name| !name.is_empty());
    state.resources.iter().find(|one| {
        one.kind.group == GROUP
            && one.kind.kind == KIND
            && one.metadata.name == project_name(application)
            && namespace.is_none_or(|namespace| one.metadata.namespace.as_deref() == Some(namespace))
    })
}

/// Returns the name of the project of an Application if it does not exist.
pub(super) fn missing_project<'a>(state: &ClusterState, application: &'a Application) -> Option<&'a str> {
    let is_missing = state.has_read(GROUP, KIND) && project_of(state, application).is_none();
    is_missing.then(|| project_name(application))
}

/// Returns the reason why an Application does not delete an object that its project does not permit.
pub(super) fn forbidden_reason(state: &ClusterState, application: &Application, child: &Resource) -> Option<String> {
    let is_forbidden = matches!(permission(state, application, child), ProjectPermission::Forbidden);
    is_forbidden
        .then(|| format!("AppProject {} does not permit it, so Argo CD does not delete it", project_name(application)))
}

/// Returns the reason why it is unknown whether an Application deletes an object.
pub(super) fn unknown_reason(state: &ClusterState, application: &Application, child: &Resource) -> Option<String> {
    let is_unknown = matches!(permission(state, application, child), ProjectPermission::Unknown);
    is_unknown.then(|| format!("whether AppProject {} permits its deletion is unknown", project_name(application)))
}

fn permission(state: &ClusterState, application: &Application, child: &Resource) -> ProjectPermission {
    let project = project_of(state, application).and_then(|project| project.whole.as_deref());
    let Some(spec) = project.and_then(|whole| whole.get("spec")) else { return ProjectPermission::Permitted };
    let list = |field: &str| spec.get(field).and_then(Value::as_array).map(Vec::as_slice);
    let is_in = |items: &[Value]| items.iter().any(|item| names_kind(item, child));
    let (allowed, denied) = match child.metadata.namespace {
        Some(_) => ("namespaceResourceWhitelist", "namespaceResourceBlacklist"),
        None => ("clusterResourceWhitelist", "clusterResourceBlacklist"),
    };
    let is_allowed = match list(allowed) {
        None => child.metadata.namespace.is_some(),
        Some(items) => is_in(items),
    };
    let destinations = list("destinations").unwrap_or_default();
    let patterns = [allowed, denied, "destinations"].into_iter().filter_map(|field| spec.get(field));
    if patterns.into_iter().any(|list| list.to_string().contains(r"\\") || has_class(list)) {
        return ProjectPermission::Unknown;
    }
    if !is_allowed || list(denied).is_some_and(is_in) {
        return ProjectPermission::Forbidden;
    }
    let Some(namespace) = child.metadata.namespace.as_deref() else { return ProjectPermission::Permitted };
    if !is_destination(destinations, namespace) {
        // The cluster may be registered with another name.
        let has_name = |item: &Value| text(item, "server").is_empty() && text(item, "name") != THIS_CLUSTER.0;
        return match destinations.iter().any(has_name) {
            true => ProjectPermission::Unknown,
            false => ProjectPermission::Forbidden,
        };
    }
    match spec.get("permitOnlyProjectScopedClusters").and_then(Value::as_bool) {
        Some(true) => ProjectPermission::Unknown,
        _ => ProjectPermission::Permitted,
    }
}

fn text<'a>(item: &'a Value, field: &str) -> &'a str {
    item.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// Returns true if a pattern has a class or alternatives, which have rules of their own.
fn has_class(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains(['[', '{']),
        Value::Array(items) => items.iter().any(has_class),
        Value::Object(fields) => fields.values().any(has_class),
        _ => false,
    }
}

fn names_kind(item: &Value, child: &Resource) -> bool {
    let name = text(item, "name");
    glob::matches(text(item, "kind"), &child.kind.kind)
        && glob::matches(text(item, "group"), &child.kind.group)
        && (name.is_empty() || glob::matches(name, &child.metadata.name))
}

/// Returns true if a namespace of this cluster is a destination (`isDestinationMatched`): a pattern that begins with `!`
/// excludes.
fn is_destination(destinations: &[Value], namespace: &str) -> bool {
    let matches = |pattern: &str, text: &str| match pattern.strip_prefix('!') {
        Some(excluded) => !glob::matches(excluded, text),
        None => glob::matches(pattern, text),
    };
    let mut is_matched = false;
    for item in destinations {
        let (name, server, space) = (text(item, "name"), text(item, "server"), text(item, "namespace"));
        let by_name = matches(name, THIS_CLUSTER.0);
        let by_server = matches(server, THIS_CLUSTER.1);
        let by_namespace = matches(space, namespace);
        if (by_name || by_server) && by_namespace {
            is_matched = true;
        } else if !by_name && name.starts_with('!')
            || !by_server && server.starts_with('!') && by_namespace
            || !by_namespace && space.starts_with('!') && by_server
        {
            return false;
        }
    }
    is_matched
}
