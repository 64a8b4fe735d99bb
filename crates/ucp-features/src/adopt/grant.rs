//! The rights of an engine's ServiceAccount in an app cluster, and their manifests.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde_json::{Value, json};

use crate::adopt::names::{MANAGED_BY, NamespacedName};
use crate::adopt::secrets;

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
    /// To read everything, and to write the resources of these API groups. An empty set means that the groups are not
    /// known yet.
    Deploy(BTreeSet<String>),
    /// `get`, `list` and `watch` on everything, Secrets included.
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

const GROUP: &str = "rbac.authorization.k8s.io";

impl Grant {
    /// The grant as it is shown to the user before it is made.
    pub fn describe(&self) -> String {
        let rights = match &self.rights {
            GrantedRights::Everything => "every verb on every resource".to_owned(),
            GrantedRights::Deploy(groups) => {
                let rbac = if groups.contains(GROUP) { ", and RBAC, by which it can get every right" } else { "" };
                format!(
                    "get, list and watch on every resource, including Secrets; {} in the API groups {}{rbac}",
                    WRITE.join(", "),
                    join(groups).replace(',', ", ")
                )
            }
            GrantedRights::ReadOnly => "get, list and watch on every resource, including Secrets".to_owned(),
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
            GrantedRights::ClusterRole(role) => json!({ "apiGroup": GROUP, "kind": "ClusterRole", "name": role }),
            _ => json!({ "apiGroup": GROUP, "kind": kind, "name": name }),
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

    fn deploy_rules(&self, groups: &BTreeSet<String>) -> Value {
        let read = json!({ "apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list", "watch"] });
        let write = write_rules(groups)
            .into_iter()
            .map(|(group, resources, verbs)| json!({ "apiGroups": [group], "resources": resources, "verbs": verbs }));
        let urls = json!({ "nonResourceURLs": ["*"], "verbs": ["get"] });
        let urls = (self.reach == GrantScope::Cluster).then_some(urls);
        Value::Array([read].into_iter().chain(write).chain(urls).collect())
    }

    /// Rules of the role to create; `None` if an existing ClusterRole is bound.
    fn rules(&self) -> Option<Value> {
        let verbs = match &self.rights {
            GrantedRights::Everything => json!(["*"]),
            GrantedRights::ReadOnly => json!(["get", "list", "watch"]),
            GrantedRights::Secrets => return Some(secrets::rules()),
            GrantedRights::Deploy(groups) => return Some(self.deploy_rules(groups)),
            GrantedRights::ClusterRole(_) => return None,
        };
        let mut rules = vec![json!({ "apiGroups": ["*"], "resources": ["*"], "verbs": verbs })];
        if self.reach == GrantScope::Cluster {
            let verbs = if self.rights == GrantedRights::ReadOnly { json!(["get"]) } else { verbs };
            rules.push(json!({ "nonResourceURLs": ["*"], "verbs": verbs }));
        }
        Some(Value::Array(rules))
    }
}

/// Verbs to write the resources that an engine deploys.
pub const WRITE: [&str; 4] = ["create", "update", "patch", "delete"];
/// Name of the core API group in messages and annotations.
const CORE: &str = "core";
/// Resources of the core group that are deployed: no nodes, no tokens, and no subresources that run commands or open
/// network connections.
pub const CORE_RESOURCES: [&str; 12] = [
    "configmaps",
    "endpoints",
    "events",
    "limitranges",
    "namespaces",
    "persistentvolumeclaims",
    "pods",
    "replicationcontrollers",
    "resourcequotas",
    "secrets",
    "serviceaccounts",
    "services",
];
/// The API groups of common workloads, granted as long as it is unknown what an engine deploys.
const WORKLOADS: [&str; 6] = [CORE, "apps", "autoscaling", "batch", "networking.k8s.io", "policy"];

/// Returns the API groups that an engine needs for the groups it deploys. `None` in `deployed` is a deployer whose
/// groups are unknown.
pub fn needed_groups<'a>(deployed: impl IntoIterator<Item = Option<&'a str>>) -> BTreeSet<String> {
    let mut groups = BTreeSet::new();
    let mut is_known = true;
    for group in deployed {
        match group {
            Some("") => drop(groups.insert(CORE.to_owned())),
            Some(group) => drop(groups.insert(group.to_owned())),
            None => is_known = false,
        }
    }
    if groups.is_empty() || !is_known {
        groups.extend(WORKLOADS.map(str::to_owned));
    }
    // The core group covers namespaces, and the Secrets in which Helm stores its releases.
    groups.insert(CORE.to_owned());
    groups
}

/// An API group, its resources, and the verbs that are granted on them.
pub type GroupRule = (String, Vec<String>, Vec<&'static str>);

/// Returns the rules to write resources, by API group.
pub fn write_rules(groups: &BTreeSet<String>) -> Vec<GroupRule> {
    let rule = |group: &String| match group.as_str() {
        CORE => vec![(String::new(), CORE_RESOURCES.map(str::to_owned).to_vec(), WRITE.to_vec())],
        GROUP => {
            let roles = ["clusterroles", "roles"].map(str::to_owned).to_vec();
            let (all, escalate) = (vec!["*".to_owned()], vec!["bind", "escalate"]);
            vec![(group.clone(), all, WRITE.to_vec()), (group.clone(), roles, escalate)]
        }
        _ => vec![(group.clone(), vec!["*".to_owned()], WRITE.to_vec())],
    };
    groups.iter().flat_map(rule).collect()
}

fn object(kind: &str, namespace: Option<&str>, name: &str, content: Value) -> Value {
    let mut object = json!({
        "apiVersion": format!("{GROUP}/v1"),
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
                Some(groups) => GrantedRights::Deploy(groups.split('+').map(str::to_owned).collect()),
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
    fn what_is_described_is_what_is_granted() {
        let grant: Grant = "secrets in a".parse().unwrap();
        let granted = &grant.manifests(&"kube-system/ucp".parse().unwrap())[0]["rules"][0]["verbs"];
        let verbs: Vec<String> = serde_json::from_value(granted.clone()).unwrap();
        assert!(grant.describe().starts_with(&format!("{} on Secrets", verbs.join(", "))), "{}", grant.describe());
    }

    #[test]
    fn what_is_deployed_decides_what_may_be_written() {
        let groups = |deployed: &[Option<&str>]| needed_groups(deployed.iter().copied());
        assert_eq!(groups(&[]), WORKLOADS.map(str::to_owned).into(), "nothing is known");
        assert_eq!(groups(&[Some("apps")]), ["core".to_owned(), "apps".to_owned()].into());
        assert!(groups(&[Some("example.org"), None]).contains("batch"), "something is not known");
        let grant = |groups| Grant { rights: GrantedRights::Deploy(groups), reach: GrantScope::Cluster };
        let rules = |groups| grant(groups).rules().unwrap().to_string();
        assert!(!rules(groups(&[])).contains("escalate") && !rules(groups(&[])).contains("nodes"));
        let rbac = groups(&[Some(GROUP)]);
        assert!(rules(rbac.clone()).contains("escalate") && grant(rbac).describe().contains("every right"));
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
        fn reads_as_written(rights in 0..5, role in "[a-z:-]{1,12}", names in proptest::collection::btree_set("[a-z-]{1,8}", 0..4)) {
            let rights = match rights { 0 => GrantedRights::Everything, 1 => GrantedRights::ReadOnly, 2 => GrantedRights::Secrets, 3 => GrantedRights::Deploy([role].into()), _ => GrantedRights::ClusterRole(role) };
            let reach = if names.is_empty() { GrantScope::Cluster } else { GrantScope::Namespaces(names) };
            let grant = Grant { rights, reach };
            prop_assert_eq!(grant.to_string().parse(), Ok(grant));
        }
    }
}
