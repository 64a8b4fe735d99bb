//! Objects that no other object refers to, and that failures mention: quotas, limits, webhooks and roles, which decide on
//! each write, namespaces, definitions of kinds, Services, and nodes.

use std::collections::BTreeSet;

use serde_json::Value;

use super::failing::{failures, recorded};
use super::needs::named;
use super::servers::{called_service, server_links};
use ucp_core::graph::link::{Link, LinkEnd, Relation};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::ObjectKey;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::ClusterState;

const ADMISSION: &str = "admissionregistration.k8s.io";
/// Kinds of webhooks.
const WEBHOOKS: [&str; 2] = ["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"];

const RBAC: &str = "rbac.authorization.k8s.io";
/// Kinds of rights in a namespace, and in the whole cluster: roles and their bindings.
const RIGHTS: [[&str; 2]; 2] = [["Role", "RoleBinding"], ["ClusterRole", "ClusterRoleBinding"]];

/// Objects to read, because failures mention objects like them.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ObstacleRequest {
    /// Kinds, as group and kind, with the namespace.
    pub lists: BTreeSet<(&'static str, &'static str, Option<String>)>,
    /// Single objects.
    pub objects: BTreeSet<ObjectKey>,
}

/// Returns the objects to read for the failures of the objects in a tree.
pub fn obstacles_to_read(state: &ClusterState, tree: &BTreeSet<ObjectKey>) -> ObstacleRequest {
    let mut request = ObstacleRequest::default();
    for resource in state.resources.iter().filter(|resource| tree.contains(&resource.key())) {
        let own = &resource.metadata.namespace;
        for message in failures(resource) {
            if message.contains("exceeded quota") {
                request.lists.insert(("", "ResourceQuota", own.clone()));
            }
            if is_about_limits(message) {
                request.lists.insert(("", "LimitRange", own.clone()));
            }
            if message.contains("webhook") {
                request.lists.extend(WEBHOOKS.map(|kind| (ADMISSION, kind, None)));
            }
            if let Some(refused) = RefusedAccount::find(message) {
                let [namespaced, everywhere] = RIGHTS;
                let kinds = if refused.place.is_some() { namespaced } else { everywhere };
                request.lists.extend(kinds.map(|kind| (RBAC, kind, refused.place.map(str::to_owned))));
            }
            request.objects.extend(mentioned_objects(resource, message));
        }
        request.objects.extend(node(resource).map(|name| cluster_scoped("", "Node", name)));
        request.objects.extend(containers(resource));
    }
    request
}

/// Returns the links from objects to what their failures mention, and from Pods to their nodes.
pub fn obstacle_links(state: &ClusterState) -> Vec<Link> {
    let obstacles: Vec<&Resource> = state.resources.iter().filter(|resource| is_kind_of_obstacle(resource)).collect();
    let mut links = Vec::new();
    for resource in &state.resources {
        let mut add = |to: LinkEnd| links.push(Link::new(LinkEnd::from_resource(resource), Relation::DependsOn, to));
        for message in failures(resource) {
            obstacles
                .iter()
                .filter(|obstacle| is_mentioned(obstacle, resource, message))
                .for_each(|obstacle| add(LinkEnd::from_resource(obstacle)));
            if let Some(refused) = RefusedAccount::find(message) {
                refused.rights(&obstacles).into_iter().for_each(|right| add(LinkEnd::from_resource(right)));
            }
            for ObjectKey { group, kind, namespace, name } in mentioned_objects(resource, message) {
                let version = if group.is_empty() { "v1".to_owned() } else { group + "/v1" };
                add(LinkEnd::object(&version, &kind, namespace.as_deref(), &name));
            }
        }
        node(resource).into_iter().for_each(|name| add(LinkEnd::object("v1", "Node", None, name)));
        containers(resource).into_iter().for_each(|key| add(LinkEnd::IfRead(named(key))));
    }
    links.extend(server_links(state));
    links
}

/// Returns the objects that are linked because a failure mentions them.
pub fn mentioned_obstacles(links: &[Link]) -> BTreeSet<ObjectKey> {
    let ends = links.iter().filter_map(|link| match &link.to {
        LinkEnd::Object(object) if object.kind != "Node" => Some(ObjectKey::from(object)),
        _ => None,
    });
    ends.collect()
}

fn is_kind_of_obstacle(resource: &Resource) -> bool {
    let kind = resource.kind.kind.as_str();
    match resource.kind.group.as_str() {
        "" => ["ResourceQuota", "LimitRange"].contains(&kind),
        ADMISSION => WEBHOOKS.contains(&kind),
        RBAC => RIGHTS.as_flattened().contains(&kind),
        _ => false,
    }
}

fn is_mentioned(obstacle: &Resource, resource: &Resource, message: &str) -> bool {
    let is_near = obstacle.metadata.namespace == resource.metadata.namespace;
    match obstacle.kind.kind.as_str() {
        "ResourceQuota" => is_near && message.contains(&format!("exceeded quota: {},", obstacle.metadata.name)),
        "LimitRange" => is_near && is_about_limits(message),
        kind if WEBHOOKS.contains(&kind) => {
            let names = recorded(obstacle, "webhooks").and_then(Value::as_array).into_iter().flatten();
            names.filter_map(Value::as_str).any(|name| message.contains(&format!("\"{name}\"")))
        }
        _ => false,
    }
}

/// Returns true if the API server refuses a Pod because of a LimitRange.
fn is_about_limits(message: &str) -> bool {
    message.contains("is forbidden: ") && [" per Container is ", " per Pod is "].iter().any(|it| message.contains(it))
}

/// A service account whose request was refused, and the namespace of the request.
struct RefusedAccount<'m> {
    namespace: &'m str,
    name: &'m str,
    place: Option<&'m str>,
}

impl<'m> RefusedAccount<'m> {
    fn find(message: &'m str) -> Option<Self> {
        let (_, rest) = message.split_once("User \"system:serviceaccount:")?;
        let (account, rest) = rest.split_once("\" cannot ")?;
        let (namespace, name) = account.split_once(':')?;
        let place = rest.split_once("in the namespace \"").and_then(|(_, rest)| rest.split_once('"'));
        Some(Self { namespace, name, place: place.map(|(place, _)| place) })
    }

    /// Returns the bindings of the account in the namespace, and their roles.
    fn rights<'state>(&self, all: &[&'state Resource]) -> Vec<&'state Resource> {
        let is_bound = |binding: &Resource| {
            let subjects = recorded(binding, "subjects").and_then(Value::as_array).into_iter().flatten();
            let mut accounts = subjects.filter(|subject| subject["kind"] == "ServiceAccount");
            accounts.any(|subject| subject["namespace"] == self.namespace && subject["name"] == self.name)
        };
        let near = || all.iter().copied().filter(|one| one.metadata.namespace.as_deref() == self.place);
        let bindings: Vec<&Resource> = near().filter(|one| is_bound(one)).collect();
        let roles = near().filter(|one| {
            let is_of = |role: &Value| role["kind"] == *one.kind.kind && role["name"] == *one.metadata.name;
            bindings.iter().any(|binding| recorded(binding, "roleRef").is_some_and(is_of))
        });
        bindings.iter().copied().chain(roles).collect()
    }
}

/// Returns the objects that a message of the API server is about: of the whole cluster, and Services.
pub(super) fn mentioned_objects(resource: &Resource, message: &str) -> Vec<ObjectKey> {
    let namespace = |name: &str| cluster_scoped("", "Namespace", name);
    let secured = resource.metadata.namespace.as_deref().filter(|_| message.contains("violates PodSecurity"));
    let namespaces =
        terminating_namespace(message).into_iter().chain(missing_namespace(message)).chain(secured).map(namespace);
    namespaces.chain(unmatched_definition(message)).chain(called_service(message)).collect()
}

/// Returns the namespace that an object should be in, and that does not exist.
fn missing_namespace(message: &str) -> Option<&str> {
    let (name, rest) = message.split_once("namespaces \"")?.1.split_once('"')?;
    rest.starts_with(" not found").then_some(name)
}

/// Returns the definition of a kind that the server does not serve in the version of a manifest.
fn unmatched_definition(message: &str) -> Option<ObjectKey> {
    if let Some((_, request)) = message.split_once("could not find the requested resource (") {
        // The verb, and the plural with its group.
        let plural = request.split([' ', ')']).nth(1).filter(|plural| plural.contains('.'))?;
        return Some(cluster_scoped("apiextensions.k8s.io", "CustomResourceDefinition", plural));
    }
    let (_, rest) = message.split_once("no matches for kind \"")?;
    let (kind, rest) = rest.split_once("\" in version \"")?;
    let (group, _) = rest.split_once('"')?.0.split_once('/')?;
    let plural = ResourceKind::guess(group, kind).qualified_plural();
    Some(cluster_scoped("apiextensions.k8s.io", "CustomResourceDefinition", &plural))
}

/// Returns the namespace that the API server names when it refuses a new object.
fn terminating_namespace(message: &str) -> Option<&str> {
    let (before, _) = message.split_once(" because it is being terminated")?;
    before.rsplit_once("in namespace ").map(|(_, name)| name.trim_matches('"'))
}

/// Returns the namespace and the definition of an object that is being deleted: their deletion deletes it.
fn containers(resource: &Resource) -> Vec<ObjectKey> {
    if resource.metadata.deletion_timestamp.is_none() {
        return Vec::new();
    }
    let kind = &resource.kind;
    let is_defined = kind.group.contains('.') && !kind.group.ends_with(".k8s.io");
    let definition = is_defined.then(|| kind.qualified_plural());
    let definition = definition.map(|name| cluster_scoped("apiextensions.k8s.io", "CustomResourceDefinition", &name));
    let namespace = resource.metadata.namespace.as_deref().map(|name| cluster_scoped("", "Namespace", name));
    definition.into_iter().chain(namespace).collect()
}

fn node(resource: &Resource) -> Option<&str> {
    let is_pod = resource.kind.group.is_empty() && resource.kind.kind == "Pod";
    let record = resource.trace.as_ref().filter(|_| is_pod).map(|trace| &trace.record)?;
    record.pointer("/spec/nodeName")?.as_str().filter(|name| !name.is_empty())
}

fn cluster_scoped(group: &str, kind: &str, name: &str) -> ObjectKey {
    ObjectKey { group: group.to_owned(), kind: kind.to_owned(), namespace: None, name: name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_name_the_account_and_the_definition() {
        let refusal = r#"configmaps "a" is forbidden: User "system:serviceaccount:flux-system:deployer" cannot patch resource "configmaps" in API group "" in the namespace "shop""#;
        let found = RefusedAccount::find(refusal).unwrap();
        assert_eq!((found.namespace, found.name, found.place), ("flux-system", "deployer", Some("shop")));
        assert!(RefusedAccount::find(r#"User "jane" cannot list resource "pods""#).is_none());
        let unmatched = r#"no matches for kind "Policy" in version "example.org/v1""#;
        assert_eq!(unmatched_definition(unmatched).unwrap().name, "policies.example.org");
        assert_eq!(unmatched_definition("no matches for kind"), None);
        let unserved = "the server could not find the requested resource (patch widgets.example.org one)";
        assert_eq!(unmatched_definition(unserved).unwrap().name, "widgets.example.org");
        assert_eq!(unmatched_definition("the server could not find the requested resource (get pods)"), None);
        assert!(is_about_limits(
            r#"pods "web" is forbidden: minimum memory usage per Container is 1Ti. No request is specified"#
        ));
    }

    #[test]
    fn the_api_server_names_the_namespace() {
        let refusal =
            r#"pods "web" is forbidden: unable to create new content in namespace shop because it is being terminated"#;
        assert_eq!(terminating_namespace(refusal), Some("shop"));
        assert_eq!(terminating_namespace("because it is being terminated"), None);
        assert_eq!(terminating_namespace("all is well in namespace shop"), None);
    }
}
