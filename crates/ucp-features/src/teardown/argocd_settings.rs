//! The namespace and the settings of the Argo CD of an Application.

use std::collections::BTreeSet;

use ucp_core::engine::argocd::GROUP;
use ucp_core::engine::argocd::project::PROJECT;
use ucp_core::model::body::argocd::Application;
use ucp_core::model::git_ops::argo_cd_namespace;
use ucp_core::model::health_rule::ownership::OwnershipSettings;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::ClusterState;

/// Whether an object is one of an Application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ownership {
    /// It is.
    Its,
    /// It is not, for this reason.
    Foreign(String),
    /// It is not known, for this reason.
    Unknown(String),
}

/// Returns the namespace of the Argo CD of an Application, if it is known.
pub(super) fn home<'a>(state: &'a ClusterState, application: &'a Application) -> Option<&'a str> {
    let told = application.status.controller_namespace.as_deref().filter(|name| !name.is_empty());
    told.or_else(|| {
        let is_project = |one: &&Resource| one.kind.group == GROUP && one.kind.kind == PROJECT;
        let projects = state.resources.iter().filter(is_project);
        let projects: BTreeSet<&str> = projects.filter_map(|one| one.metadata.namespace.as_deref()).collect();
        match projects.len() {
            0 => state.health_rules.ownership.as_deref().map(|(namespace, _)| namespace.as_str()),
            1 => argo_cd_namespace(&projects),
            _ => None,
        }
    })
}

/// Returns the settings of the Argo CD of an Application, if they were read.
pub(super) fn settings<'a>(state: &'a ClusterState, application: &Application) -> Option<&'a OwnershipSettings> {
    let (namespace, settings) = state.health_rules.ownership.as_deref()?;
    home(state, application).is_none_or(|home| home == namespace).then_some(settings)
}
