//! Services that the API server could not call, such as those of webhooks and conversions, and the workloads behind them.

use std::collections::BTreeSet;

use serde_json::Value;

use super::failing::{failures, recorded};
use ucp_core::graph::link::{Link, LinkEnd, Relation};
use ucp_core::model::object::ObjectKey;
use ucp_core::model::resource::Resource;
use ucp_core::model::shell::is_dns_name;
use ucp_core::model::state::ClusterState;

/// Kinds of the workloads behind Services.
pub const SERVERS: [(&str, &str); 3] = [("apps", "Deployment"), ("apps", "StatefulSet"), ("apps", "DaemonSet")];

/// Returns the Service that the API server called when it failed: `Post "https://policy.default.svc:443/check?timeout=10s": …`.
pub(super) fn called_service(message: &str) -> Option<ObjectKey> {
    let urls = message.split("\"https://").skip(1);
    let hosts = urls.filter_map(|rest| rest.split(['/', ':', '?', '"']).next());
    hosts.into_iter().find_map(|host| {
        let mut labels = host.split('.');
        let (name, namespace, last) = (labels.next()?, labels.next()?, labels.next()?);
        let is_service = last == "svc" && is_dns_name(name) && is_dns_name(namespace);
        is_service.then(|| ObjectKey {
            group: String::new(),
            kind: "Service".to_owned(),
            namespace: Some(namespace.to_owned()),
            name: name.to_owned(),
        })
    })
}

/// Returns the namespaces of the Services that failures of a tree mention, and that were read.
pub fn namespaces_of_servers(state: &ClusterState, tree: &BTreeSet<ObjectKey>) -> BTreeSet<String> {
    let called = called_services(state.resources.iter().filter(|resource| tree.contains(&resource.key())));
    let read = state.resources.iter().filter(|resource| is_service(resource) && called.contains(&resource.key()));
    read.filter_map(|service| service.metadata.namespace.clone()).collect()
}

/// Returns the links from Services that failures mention to the workloads whose Pods they select.
pub(super) fn server_links(state: &ClusterState) -> Vec<Link> {
    let called = called_services(state.resources.iter());
    if called.is_empty() {
        return Vec::new();
    }
    let services = state.resources.iter().filter(|resource| is_service(resource) && called.contains(&resource.key()));
    let links = services.flat_map(|service| {
        let servers = state.resources.iter().filter(|workload| serves(workload, service));
        servers.map(|workload| {
            Link::new(LinkEnd::from_resource(service), Relation::DependsOn, LinkEnd::from_resource(workload))
        })
    });
    links.collect()
}

fn called_services<'a>(resources: impl Iterator<Item = &'a Resource>) -> BTreeSet<ObjectKey> {
    resources.flat_map(failures).filter_map(called_service).collect()
}

fn is_service(resource: &Resource) -> bool {
    resource.kind.group.is_empty() && resource.kind.kind == "Service"
}

fn serves(workload: &Resource, service: &Resource) -> bool {
    let is_near = workload.metadata.namespace == service.metadata.namespace;
    let (Some(Value::Object(selector)), Some(labels)) =
        (recorded(service, "selector").filter(|_| is_near), recorded(workload, "podLabels"))
    else {
        return false;
    };
    !selector.is_empty() && selector.iter().all(|(label, value)| labels.get(label) == Some(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_call_names_its_service() {
        let called = |message: &str| {
            called_service(message).map(|key| format!("{}/{}", key.namespace.unwrap_or_default(), key.name))
        };
        let webhook = r#"failed calling webhook "check.example.org": failed to call webhook: Post "https://policy.guard.svc:443/check?timeout=10s": dial tcp 10.0.0.1:443: connect: connection refused"#;
        assert_eq!(called(webhook).as_deref(), Some("guard/policy"));
        let conversion = r#"conversion webhook for example.org/v1, Kind=Widget failed: Post "https://convert.x.svc.cluster.local/convert": EOF"#;
        assert_eq!(called(conversion).as_deref(), Some("x/convert"));
        for other in [
            r#"Get "https://example.org/index.yaml": EOF"#,
            r#"Post "https://../../api.x.svc/""#,
            r#"Post "https://a.b?.svc/""#,
            "policy.guard.svc",
        ] {
            assert_eq!(called(other), None, "{other}");
        }
    }
}
