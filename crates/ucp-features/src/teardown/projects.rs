//! AppProjects of Argo CD: without the project of an Application, its finalizer fails, and objects that the project does not
//! permit are not deleted (`getPermittedAppLiveObjects` and `IsLiveResourcePermitted`).

use ucp_core::engine::argocd::GROUP;
use ucp_core::engine::argocd::project::{DestinationCluster, PROJECT, ProjectPermission, ProjectRules};
use ucp_core::model::body::argocd::Application;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::ClusterState;

/// Returns the project of an Application, in the namespace of its Argo CD, or in any if that is not known.
fn project_of<'a>(state: &'a ClusterState, application: &Application) -> Option<&'a Resource> {
    let namespace = application.status.controller_namespace.as_deref().filter(|name| !name.is_empty());
    state.resources.iter().find(|one| {
        one.kind.group == GROUP
            && one.kind.kind == PROJECT
            && one.metadata.name == application.spec.project_name()
            && namespace.is_none_or(|namespace| one.metadata.namespace.as_deref() == Some(namespace))
    })
}

/// Returns the name of the project of an Application if it does not exist.
pub(super) fn missing_project<'a>(state: &ClusterState, application: &'a Application) -> Option<&'a str> {
    let is_missing = state.has_read(GROUP, PROJECT) && project_of(state, application).is_none();
    is_missing.then(|| application.spec.project_name())
}

/// Returns the reason why an Application does not delete an object that its project does not permit.
pub(super) fn forbidden_reason(state: &ClusterState, application: &Application, child: &Resource) -> Option<String> {
    let is_forbidden = matches!(permission(state, application, child), ProjectPermission::Forbidden);
    is_forbidden.then(|| {
        format!("AppProject {} does not permit it, so Argo CD does not delete it", application.spec.project_name())
    })
}

/// Returns the reason why it is unknown whether an Application deletes an object.
pub(super) fn unknown_reason(state: &ClusterState, application: &Application, child: &Resource) -> Option<String> {
    let is_unknown = matches!(permission(state, application, child), ProjectPermission::Unknown);
    is_unknown
        .then(|| format!("whether AppProject {} permits its deletion is unknown", application.spec.project_name()))
}

/// Returns whether the project of an Application permits the namespace of the Application.
pub(super) fn application_permission(
    state: &ClusterState,
    application: &Application,
    namespace: &str,
) -> ProjectPermission {
    let project = project_of(state, application).and_then(|project| project.whole.as_deref());
    project
        .and_then(ProjectRules::from_project)
        .map_or(ProjectPermission::Permitted, |rules| rules.application_namespace_permission(namespace))
}

fn permission(state: &ClusterState, application: &Application, child: &Resource) -> ProjectPermission {
    let project = project_of(state, application).and_then(|project| project.whole.as_deref());
    match project.and_then(ProjectRules::from_project) {
        Some(rules) => rules.object_permission(&child.name(), DestinationCluster::HERE),
        None => ProjectPermission::Permitted,
    }
}
