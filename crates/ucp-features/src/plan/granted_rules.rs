//! Rights that the roles of a cluster grant to a ServiceAccount. A right that none of them grants may come from elsewhere: other
//! authorizers, or roles that cannot be read.

use std::collections::BTreeMap;

use serde_json::Value;

use ucp_client::prediction::cluster::{ConnectedCluster, text_at};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::ObjectName;

const RBAC: &str = "rbac.authorization.k8s.io";

/// The rules that bindings grant to an account, each with its namespace; `None` for the whole cluster.
#[derive(Debug, Clone)]
pub(super) struct GrantedRules(Vec<(Option<String>, Value)>);

impl GrantedRules {
    /// Reads the rules of an account, by namespace and name, from the roles and bindings that can be read.
    pub(super) async fn read(cluster: &ConnectedCluster, account: (&str, &str)) -> Self {
        let mut roles: BTreeMap<(String, String, String), Value> = BTreeMap::new();
        for kind in ["ClusterRole", "Role"] {
            for mut role in list(cluster, kind).await {
                let name = ["/metadata/namespace", "/metadata/name"].map(|pointer| text_at(&role, pointer).to_owned());
                let [namespace, name] = name;
                let rules = role.get_mut("rules").map(Value::take).unwrap_or_default();
                roles.insert((kind.to_owned(), namespace, name), rules);
            }
        }
        let mut granted = Vec::new();
        for kind in ["ClusterRoleBinding", "RoleBinding"] {
            for binding in list(cluster, kind).await {
                let mut subjects = binding.get("subjects").and_then(Value::as_array).into_iter().flatten();
                if !subjects.any(|subject| includes_account(subject, account.0, account.1)) {
                    continue;
                }
                let namespace = text_at(&binding, "/metadata/namespace");
                let (role, name) = (text_at(&binding, "/roleRef/kind"), text_at(&binding, "/roleRef/name"));
                let home = if role == "Role" { namespace } else { "" };
                let rules = roles.get(&(role.to_owned(), home.to_owned(), name.to_owned())).and_then(Value::as_array);
                let place = Some(namespace.to_owned()).filter(|namespace| !namespace.is_empty());
                granted.extend(rules.into_iter().flatten().map(|rule| (place.clone(), rule.clone())));
            }
        }
        Self(granted)
    }

    /// Returns true if a rule grants a verb for an object.
    pub(super) fn allow(&self, kind: &ResourceKind, object: &ObjectName, verb: &str) -> bool {
        self.0.iter().any(|(namespace, rule)| {
            (namespace.is_none() || *namespace == object.namespace)
                && rule_allows(rule, (&kind.group, &kind.plural), verb, Some(&object.name))
        })
    }
}

async fn list(cluster: &ConnectedCluster, kind: &str) -> Vec<Value> {
    let Some(kind) = cluster.preferred(RBAC, kind) else { return Vec::new() };
    cluster.list_objects(&kind.path(None).with_query("limit", "500")).await.unwrap_or_default()
}

/// Returns true if a subject of a binding is a ServiceAccount, by itself or as a member of a group.
pub fn includes_account(subject: &Value, namespace: &str, name: &str) -> bool {
    let field = |name: &str| subject.get(name).and_then(Value::as_str).unwrap_or_default();
    match field("kind") {
        "ServiceAccount" => field("namespace") == namespace && field("name") == name,
        "User" => field("name") == format!("system:serviceaccount:{namespace}:{name}"),
        "Group" => {
            let groups = ["system:serviceaccounts", "system:authenticated"];
            groups.contains(&field("name")) || field("name") == format!("system:serviceaccounts:{namespace}")
        }
        _ => false,
    }
}

/// Returns true if a rule of a role allows a verb for a resource, by group and plural: for the object with a name, or for all.
pub fn rule_allows(rule: &Value, (group, plural): (&str, &str), verb: &str, name: Option<&str>) -> bool {
    let entries = |field: &str| rule.get(field).and_then(Value::as_array).into_iter().flatten();
    let has = |field: &str, wanted: &str| entries(field).any(|value| value == "*" || value == wanted);
    // A request that creates or lists has no name.
    let name = name.filter(|_| !["create", "list", "watch"].contains(&verb));
    let is_named = entries("resourceNames").next().is_none()
        || name.is_some_and(|name| entries("resourceNames").any(|value| value == name));
    is_named && has("apiGroups", group) && has("resources", plural) && has("verbs", verb)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_rule_for_names_allows_requests_with_these_names() {
        let rule = json!({
            "apiGroups": ["apps"], "resources": ["deployments"], "resourceNames": ["web"], "verbs": ["patch", "create"],
        });
        let allows = |verb: &str, name: Option<&str>| rule_allows(&rule, ("apps", "deployments"), verb, name);
        assert!(allows("patch", Some("web")));
        assert!(!allows("patch", Some("other")) && !allows("patch", None));
        assert!(!allows("create", Some("web")), "its request has no name");
        assert!(!allows("delete", Some("web")));
        assert!(!rule_allows(&rule, ("", "deployments"), "patch", Some("web")));
        let all = json!({"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]});
        assert!(rule_allows(&all, ("", "secrets"), "delete", None));
    }
}
