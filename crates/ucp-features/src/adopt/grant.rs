//! The rights of an engine's ServiceAccount in an app cluster, and their manifests.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde_json::{Value, json};

use crate::adopt::grant_rules::{RBAC, READ, ResourceRule, WRITE, read_rules, write_rules};
use crate::adopt::names::{MANAGED_BY, NamespacedName};
use crate::adopt::secrets;
use ucp_core::model::shell::is_dns_name;

/// Rights of a ServiceAccount, and their scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// The rights that are granted.
    pub rights: GrantedRights,
    /// The scope in which they are granted.
    pub reach: GrantScope,
}

/// Rights in an app cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GrantedRights {
    /// Every verb on every resource, as `argocd cluster add` grants.
    Everything,
    /// To list and watch everything, to read what Kubernetes defines, and to write the resources of these API groups. An
    /// empty set means that the groups are not known yet.
    Deploy(BTreeSet<String>),
    /// To list and watch everything, Secrets included, and to read what Kubernetes defines.
    ReadOnly,
    /// The rights of `kubectl ucp secrets`: to read, watch, and copy Secrets, and to list their consumers.
    Secrets,
    /// The rules of an existing ClusterRole.
    ClusterRole(String),
}

/// The scope of rights.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GrantScope {
    /// The whole cluster.
    Cluster,
    /// Only these namespaces.
    Namespaces(BTreeSet<String>),
}

impl GrantScope {
    /// Returns true if a namespace is within the scope.
    pub fn covers(&self, namespace: &str) -> bool {
        match self {
            Self::Cluster => true,
            Self::Namespaces(names) => names.contains(namespace),
        }
    }

    /// The scope as a suffix for messages; empty for the whole cluster.
    pub fn scope_suffix(&self) -> String {
        match self {
            Self::Cluster => String::new(),
            Self::Namespaces(names) => format!(", in {} only", join(names)),
        }
    }
}

/// The URLs by which clients find the kinds and the version of a server.
const DISCOVERY_URLS: [&str; 9] =
    ["/api", "/api/*", "/apis", "/apis/*", "/openapi", "/openapi/*", "/version", "/version/", "/healthz"];

impl Grant {
    /// The grant as it is shown to the user before it is made.
    pub fn describe(&self) -> String {
        let rights = match &self.rights {
            GrantedRights::Everything => "every verb on every resource".to_owned(),
            GrantedRights::Deploy(groups) => {
                let rbac = if groups.contains(RBAC) { ", and RBAC, by which it can get every right" } else { "" };
                format!("{READ}; {} in the API groups {}{rbac}", WRITE.join(", "), join(groups).replace(',', ", "))
            }
            GrantedRights::ReadOnly => READ.to_owned(),
            GrantedRights::Secrets => {
                format!(
                    "{} on Secrets, and list on the kinds that refer to them or create them",
                    secrets::VERBS.join(", ")
                )
            }
            GrantedRights::ClusterRole(name) => format!("the rights of ClusterRole {name}"),
        };
        match &self.reach {
            GrantScope::Cluster => format!("{rights}, in the whole cluster"),
            reach => format!("{rights}{}", reach.scope_suffix()),
        }
    }

    /// Returns true for every verb on every resource in the whole cluster.
    pub fn is_everything(&self) -> bool {
        self.rights == GrantedRights::Everything && self.reach == GrantScope::Cluster
    }

    /// The RBAC objects that grant it to a ServiceAccount, in the order of their creation.
    pub fn manifests(&self, account: &NamespacedName) -> Vec<Value> {
        let name = &account.name;
        let subject = json!([{ "kind": "ServiceAccount", "name": name, "namespace": account.namespace }]);
        let role_reference = |kind: &str| match &self.rights {
            GrantedRights::ClusterRole(role) => json!({ "apiGroup": RBAC, "kind": "ClusterRole", "name": role }),
            _ => json!({ "apiGroup": RBAC, "kind": kind, "name": name }),
        };
        let mut manifests = Vec::new();
        match &self.reach {
            GrantScope::Cluster => {
                if let Some(rules) = self.rules() {
                    manifests.push(object("ClusterRole", None, name, json!({ "rules": rules })));
                }
                let binding = json!({ "roleRef": role_reference("ClusterRole"), "subjects": subject });
                manifests.push(object("ClusterRoleBinding", None, name, binding));
            }
            GrantScope::Namespaces(namespaces) => {
                for namespace in namespaces {
                    if let Some(rules) = self.rules() {
                        manifests.push(object("Role", Some(namespace), name, json!({ "rules": rules })));
                    }
                    let binding = json!({ "roleRef": role_reference("Role"), "subjects": subject });
                    manifests.push(object("RoleBinding", Some(namespace), name, binding));
                }
            }
        }
        manifests
    }

    /// Rules of the role to create; `None` if an existing ClusterRole is bound.
    fn rules(&self) -> Option<Value> {
        let mut rules: Vec<Value> = match &self.rights {
            GrantedRights::Secrets => return Some(secrets::rules()),
            GrantedRights::ClusterRole(_) => return None,
            rights => resource_rules(rights)
                .into_iter()
                .map(
                    |(groups, resources, verbs)| json!({ "apiGroups": groups, "resources": resources, "verbs": verbs }),
                )
                .collect(),
        };
        if self.reach == GrantScope::Cluster {
            let (urls, verb) = match self.rights {
                GrantedRights::Everything => (&["*"][..], "*"),
                _ => (&DISCOVERY_URLS[..], "get"),
            };
            rules.push(json!({ "nonResourceURLs": urls, "verbs": [verb] }));
        }
        Some(Value::Array(rules))
    }
}

/// Returns the rules for resources of rights that are not those of an existing role.
pub fn resource_rules(rights: &GrantedRights) -> Vec<ResourceRule> {
    let every = || vec!["*".to_owned()];
    match rights {
        GrantedRights::Everything => vec![(every(), every(), vec!["*"])],
        GrantedRights::Deploy(groups) => read_rules().into_iter().chain(write_rules(groups)).collect(),
        GrantedRights::ReadOnly => read_rules().into(),
        GrantedRights::Secrets | GrantedRights::ClusterRole(_) => Vec::new(),
    }
}

fn object(kind: &str, namespace: Option<&str>, name: &str, content: Value) -> Value {
    let mut object = json!({
        "apiVersion": format!("{RBAC}/v1"),
        "kind": kind,
        "metadata": { "name": name, "labels": { MANAGED_BY.0: MANAGED_BY.1 } },
    });
    if let Some(namespace) = namespace {
        object["metadata"]["namespace"] = json!(namespace);
    }
    if let (Value::Object(object), Value::Object(content)) = (&mut object, content) {
        object.extend(content);
    }
    object
}

fn join(names: &BTreeSet<String>) -> String {
    names.iter().map(String::as_str).collect::<Vec<_>>().join(",")
}

impl fmt::Display for Grant {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.rights {
            GrantedRights::Everything => formatter.write_str("everything")?,
            GrantedRights::Deploy(groups) => write!(formatter, "deploy/{}", join(groups).replace(',', "+"))?,
            GrantedRights::ReadOnly => formatter.write_str("read-only")?,
            GrantedRights::Secrets => formatter.write_str("secrets")?,
            GrantedRights::ClusterRole(name) => write!(formatter, "cluster-role/{name}")?,
        }
        match &self.reach {
            GrantScope::Cluster => Ok(()),
            GrantScope::Namespaces(names) => write!(formatter, " in {}", join(names)),
        }
    }
}

impl FromStr for Grant {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (rights, reach) = match text.split_once(" in ") {
            Some((rights, names)) => (rights, GrantScope::Namespaces(names.split(',').map(str::to_owned).collect())),
            None => (text, GrantScope::Cluster),
        };
        let rights = match rights {
            "everything" => GrantedRights::Everything,
            "read-only" => GrantedRights::ReadOnly,
            "secrets" => GrantedRights::Secrets,
            other => match other.strip_prefix("deploy/") {
                Some(groups) if groups.split('+').all(is_dns_name) => {
                    GrantedRights::Deploy(groups.split('+').map(str::to_owned).collect())
                }
                Some(_) => return Err(()),
                None => GrantedRights::ClusterRole(other.strip_prefix("cluster-role/").ok_or(())?.to_owned()),
            },
        };
        Ok(Self { rights, reach })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn namespaces_get_roles_and_nothing_for_the_cluster() {
        let grant: Grant = "everything in a,b".parse().unwrap();
        let manifests = grant.manifests(&"kube-system/ucp".parse().unwrap());
        let kinds: Vec<_> = manifests.iter().map(|object| object["kind"].as_str().unwrap()).collect();
        assert_eq!(kinds, ["Role", "RoleBinding", "Role", "RoleBinding"]);
        assert!(!serde_json::to_string(&manifests).unwrap().contains("nonResourceURLs"));
    }

    #[test]
    fn the_description_of_a_grant_matches_its_rules() {
        let grant: Grant = "secrets in a".parse().unwrap();
        let granted = &grant.manifests(&"kube-system/ucp".parse().unwrap())[0]["rules"][0]["verbs"];
        let verbs: Vec<String> = serde_json::from_value(granted.clone()).unwrap();
        assert!(grant.describe().starts_with(&format!("{} on Secrets", verbs.join(", "))), "{}", grant.describe());
    }

    #[test]
    fn a_group_with_every_right_is_described_as_such() {
        let grant: Grant = "deploy/core+rbac.authorization.k8s.io".parse().unwrap();
        assert!(grant.describe().contains("every right") && grant.rules().unwrap().to_string().contains("escalate"));
        assert_eq!("deploy/core+*".parse::<Grant>(), Err(()));
    }

    #[test]
    fn an_existing_role_is_bound_and_not_written() {
        let grant: Grant = "cluster-role/view".parse().unwrap();
        let manifests = grant.manifests(&"kube-system/ucp".parse().unwrap());
        assert_eq!(manifests.len(), 1);
        assert_eq!(manifests[0]["roleRef"]["name"], "view");
    }

    proptest! {
        #[test]
        fn a_written_grant_is_read_back_unchanged(rights in 0..5, role in "[a-z:-]{1,12}", names in proptest::collection::btree_set("[a-z-]{1,8}", 0..4)) {
            let rights = match rights { 0 => GrantedRights::Everything, 1 => GrantedRights::ReadOnly, 2 => GrantedRights::Secrets, 3 => GrantedRights::Deploy([role.replace(':', "").trim_matches('-').to_owned() + "x"].into()), _ => GrantedRights::ClusterRole(role) };
            let reach = if names.is_empty() { GrantScope::Cluster } else { GrantScope::Namespaces(names) };
            let grant = Grant { rights, reach };
            prop_assert_eq!(grant.to_string().parse(), Ok(grant));
        }
    }
}
