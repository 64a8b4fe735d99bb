//! The namespaces in which an Argo CD looks for Applications, besides its own: `application.namespaces` of its parameters, or
//! the flags of its controller.

use serde_json::{Value, json};

use super::argocd_settings::home;
use super::partial;
use ucp_core::engine::argocd::project::{ProjectPermission, ProjectRules};
use ucp_core::engine::controller::{ComponentName, Workloads};
use ucp_core::model::body::argocd::{Application, cascades};
use ucp_core::model::health_rule::PARAMETERS;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::ClusterState;

/// Returns the namespace of an Application outside of its Argo CD's, and the latter.
pub(super) fn outside_namespace<'a>(
    state: &'a ClusterState,
    resource: &'a Resource,
    application: &'a Application,
) -> Option<(&'a str, &'a str)> {
    let (own, home) = (resource.metadata.namespace.as_deref()?, home(state, application)?);
    (cascades(&resource.metadata.finalizers) && own != home).then_some((own, home))
}

/// Returns whether an Argo CD watches a namespace besides its own (`isAppNamespaceAllowed`).
pub(super) fn watches(state: &ClusterState, home: &str, namespace: &str) -> ProjectPermission {
    let Some(patterns) = application_namespaces(state, home) else { return ProjectPermission::Unknown };
    let patterns: Vec<&str> = patterns.split(',').map(str::trim).filter(|one| !one.is_empty()).collect();
    // The patterns are those of AppProjects.
    let project = json!({"spec": {"sourceNamespaces": patterns}});
    ProjectRules::from_project(&project)
        .map_or(ProjectPermission::Unknown, |rules| rules.application_namespace_permission(namespace))
}

/// Returns the namespaces that an Argo CD watches besides its own; `None` if they were not read.
fn application_namespaces(state: &ClusterState, home: &str) -> Option<String> {
    let workloads = Workloads::from_state(state);
    let controllers = workloads.component(ComponentName { engine: "argocd", name: "application-controller" });
    let mut own = controllers.into_iter().filter(|one| one.metadata.namespace.as_deref() == Some(home));
    match own.find_map(|controller| namespace_setting(controller.whole.as_deref()?)) {
        Some(NamespaceSetting::Known(patterns)) => return Some(patterns),
        Some(NamespaceSetting::Elsewhere) => return None,
        None => {}
    }
    if let Some(parameters) = state.health_rules.application_namespaces.get(home) {
        return Some(parameters.clone());
    }
    let is_listed = state.listed.iter().any(|kind| kind.group.is_empty() && kind.kind == "ConfigMap");
    (is_listed && partial::is_whole_snapshot(state)).then(String::new)
}

/// The namespaces in the flags or variables of a controller.
enum NamespaceSetting {
    /// They are literal.
    Known(String),
    /// They are in another object.
    Elsewhere,
}

impl NamespaceSetting {
    fn of_literal(value: Option<&str>) -> Self {
        value.map_or(Self::Elsewhere, |value| Self::Known(value.to_owned()))
    }
}

/// Returns the setting of a controller; `None` if it has none, or takes it from the usual ConfigMap.
fn namespace_setting(controller: &Value) -> Option<NamespaceSetting> {
    let list = |value: &Value, key: &str| value.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    let containers = list(controller.pointer("/spec/template/spec")?, "containers");
    containers.iter().find_map(|container| {
        let words: Vec<Value> = ["command", "args"].iter().flat_map(|key| list(container, key)).collect();
        let mut words = words.iter().filter_map(Value::as_str);
        while let Some(word) = words.next() {
            if let Some(rest) = word.strip_prefix("--application-namespaces") {
                let value = rest.strip_prefix('=').or_else(|| words.next());
                return Some(NamespaceSetting::of_literal(value));
            }
        }
        let variables = list(container, "env");
        let variable = variables.iter().find(|one| one["name"] == "ARGOCD_APPLICATION_NAMESPACES")?;
        let reference = variable.pointer("/valueFrom/configMapKeyRef");
        let is_usual = reference.is_some_and(|one| one["name"] == PARAMETERS && one["key"] == "application.namespaces");
        let literal = variable.get("value").and_then(Value::as_str);
        (literal.is_some() || !is_usual).then(|| NamespaceSetting::of_literal(literal))
    })
}
