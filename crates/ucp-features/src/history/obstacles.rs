//! Objects that no other object refers to, and that failures mention: quotas and webhooks, which the API server asks
//! before each write, namespaces that are being deleted, and nodes.

use std::collections::BTreeSet;

use ucp_core::engine::any::{ConditionOutlook, condition_outlook};
use ucp_core::graph::link::{Link, LinkEnd, Relation};
use ucp_core::model::object::{ObjectKey, ObjectName};
use ucp_core::model::resource::Resource;
use ucp_core::model::state::ClusterState;

const ADMISSION: &str = "admissionregistration.k8s.io";
/// Kinds of webhooks.
const WEBHOOKS: [&str; 2] = ["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"];

/// Objects to read, because failures mention objects like them.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ObstacleRequest {
    /// Kinds, as group and kind, with the namespace.
    pub lists: BTreeSet<(&'static str, &'static str, Option<String>)>,
    /// Single objects.
    pub objects: BTreeSet<ObjectKey>,
}

/// Returns the objects to read for the failures in a state.
pub fn obstacles_to_read(state: &ClusterState) -> ObstacleRequest {
    let mut request = ObstacleRequest::default();
    for resource in &state.resources {
        for message in failures(resource) {
            if message.contains("exceeded quota") {
                request.lists.insert(("", "ResourceQuota", resource.metadata.namespace.clone()));
            }
            if message.contains("webhook") {
                request.lists.extend(WEBHOOKS.map(|kind| (ADMISSION, kind, None)));
            }
            request.objects.extend(terminating_namespace(message).map(|name| cluster_scoped("Namespace", name)));
        }
        request.objects.extend(node(resource).map(|name| cluster_scoped("Node", name)));
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
            terminating_namespace(message)
                .into_iter()
                .for_each(|name| add(LinkEnd::object("v1", "Namespace", None, name)));
        }
        node(resource).into_iter().for_each(|name| add(LinkEnd::object("v1", "Node", None, name)));
    }
    links
}

/// Returns true for an object that is linked because a failure mentions it.
pub(super) fn is_obstacle(object: &ObjectName) -> bool {
    is_obstacle_kind(object.group(), &object.kind)
}

fn is_obstacle_kind(group: &str, kind: &str) -> bool {
    match group {
        "" => kind == "ResourceQuota",
        ADMISSION => WEBHOOKS.contains(&kind),
        _ => false,
    }
}

fn is_kind_of_obstacle(resource: &Resource) -> bool {
    is_obstacle_kind(&resource.kind.group, &resource.kind.kind)
}

fn is_mentioned(obstacle: &Resource, resource: &Resource, message: &str) -> bool {
    if obstacle.kind.group.is_empty() {
        let quota = format!("exceeded quota: {},", obstacle.metadata.name);
        return obstacle.metadata.namespace == resource.metadata.namespace && message.contains(&quota);
    }
    let record = obstacle.trace.as_ref().map(|trace| &trace.record);
    let names = record.and_then(|record| record.get("webhooks")?.as_array()).into_iter().flatten();
    names.filter_map(|name| name.as_str()).any(|name| message.contains(&format!("\"{name}\"")))
}

/// Returns the messages of the problems of an object.
fn failures(resource: &Resource) -> impl Iterator<Item = &str> {
    let bad = resource.conditions.iter().filter(|condition| condition_outlook(condition) == ConditionOutlook::Bad);
    bad.map(|condition| &*condition.message)
}

/// Returns the namespace that the API server names when it refuses a new object.
fn terminating_namespace(message: &str) -> Option<&str> {
    let (before, _) = message.split_once(" because it is being terminated")?;
    before.rsplit_once("in namespace ").map(|(_, name)| name.trim_matches('"'))
}

fn node(resource: &Resource) -> Option<&str> {
    let is_pod = resource.kind.group.is_empty() && resource.kind.kind == "Pod";
    let record = resource.trace.as_ref().filter(|_| is_pod).map(|trace| &trace.record)?;
    record.pointer("/spec/nodeName")?.as_str().filter(|name| !name.is_empty())
}

fn cluster_scoped(kind: &str, name: &str) -> ObjectKey {
    ObjectKey { group: String::new(), kind: kind.to_owned(), namespace: None, name: name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_api_server_names_the_namespace() {
        let refusal =
            r#"pods "web" is forbidden: unable to create new content in namespace shop because it is being terminated"#;
        assert_eq!(terminating_namespace(refusal), Some("shop"));
        assert_eq!(terminating_namespace("because it is being terminated"), None);
        assert_eq!(terminating_namespace("all is well in namespace shop"), None);
    }
}
