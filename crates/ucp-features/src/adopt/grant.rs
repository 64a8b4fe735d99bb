//! The rights of an engine's ServiceAccount in an app cluster, and their manifests.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde_json::{Value, json};

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

const GROUP: &str = "rbac.authorization.k8s.io";

impl Grant {
    /// The grant as it is shown to the user before it is made.
    pub fn describe(&self) -> String {
        let rights = match &self.rights {
            GrantedRights::Everything => "every verb on every resource".to_owned(),
            GrantedRights::Deploy(groups) => {
                let rbac = if groups.contains(GROUP) { ", and RBAC, by which it can get every right" } else { "" };
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

/// The rights of [`read_rules`] in words.
const READ: &str = "list and watch on every resource, including Secrets; get on those of Kubernetes, and logs, but no \
                    exec and no proxies";
/// Verbs to write the resources that an engine deploys.
pub const WRITE: [&str; 5] = ["get", "create", "update", "patch", "delete"];
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
/// Further resources of the core group that are read. A pattern would include subresources, and `get` on `nodes/proxy`
/// and `pods/exec` runs commands in pods.
const CORE_READ: [&str; 5] = ["componentstatuses", "nodes", "persistentvolumes", "podtemplates", "pods/log"];
/// API groups of Kubernetes other than the core group. Groups of aggregated APIs can have subresources that run commands.
const KUBERNETES_GROUPS: [&str; 19] = [
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "apiregistration.k8s.io",
    "apps",
    "autoscaling",
    "batch",
    "certificates.k8s.io",
    "coordination.k8s.io",
    "discovery.k8s.io",
    "events.k8s.io",
    "flowcontrol.apiserver.k8s.io",
    "metrics.k8s.io",
    "networking.k8s.io",
    "node.k8s.io",
    "policy",
    GROUP,
    "resource.k8s.io",
    "scheduling.k8s.io",
    "storage.k8s.io",
];
/// The URLs by which clients find the kinds and the version of a server.
const DISCOVERY_URLS: [&str; 9] =
    ["/api", "/api/*", "/apis", "/apis/*", "/openapi", "/openapi/*", "/version", "/version/", "/healthz"];
/// API groups whose objects decide about the rights and requests of others.
const CONTROLLING_GROUPS: [&str; 4] =
    ["admissionregistration.k8s.io", "apiregistration.k8s.io", "certificates.k8s.io", GROUP];
/// The API groups of common workloads, granted as long as it is unknown what an engine deploys.
const WORKLOADS: [&str; 6] = [CORE, "apps", "autoscaling", "batch", "networking.k8s.io", "policy"];

/// The author of a list of deployed groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupsAuthor {
    /// A deployer in the namespace of an engine.
    Platform,
    /// A deployer in another namespace, whose owner may be able to write its status.
    Tenant,
}

/// Returns the API groups that an engine needs for the groups it deploys. `None` in `deployed` is a deployer whose
/// groups are unknown. A name that no group can have is such a case, and so is a group by which a tenant would give the
/// engine control over the cluster.
pub fn needed_groups<'a>(deployed: impl IntoIterator<Item = Option<(&'a str, GroupsAuthor)>>) -> BTreeSet<String> {
    let mut groups = BTreeSet::new();
    let mut is_known = true;
    for group in deployed {
        match group {
            Some(("", _)) => drop(groups.insert(CORE.to_owned())),
            Some((group, GroupsAuthor::Tenant)) if CONTROLLING_GROUPS.contains(&group) => is_known = false,
            Some((group, _)) if is_group(group) => drop(groups.insert(group.to_owned())),
            _ => is_known = false,
        }
    }
    if groups.is_empty() || !is_known {
        groups.extend(WORKLOADS.map(str::to_owned));
    }
    // The core group covers namespaces, and the Secrets in which Helm stores its releases.
    groups.insert(CORE.to_owned());
    groups
}

/// Returns true for a name that an API group can have: no pattern, and not the core group's name in messages.
fn is_group(name: &str) -> bool {
    is_dns_name(name) && name != CORE
}

/// API groups, resources in them, and the verbs that are granted on these.
pub type ResourceRule = (Vec<String>, Vec<String>, Vec<&'static str>);

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

/// Returns the rules to read. Engines watch every kind, also kinds of groups that are installed later.
fn read_rules() -> [ResourceRule; 3] {
    let every = || vec!["*".to_owned()];
    let core = CORE_RESOURCES.into_iter().chain(CORE_READ).map(str::to_owned).collect();
    [
        (every(), every(), vec!["list", "watch"]),
        (vec![String::new()], core, vec!["get"]),
        (KUBERNETES_GROUPS.map(str::to_owned).into(), every(), vec!["get"]),
    ]
}

/// Returns the rules to write resources, by API group.
fn write_rules(groups: &BTreeSet<String>) -> Vec<ResourceRule> {
    let rule = |group: &String| {
        let named = vec![group.clone()];
        match group.as_str() {
            CORE => vec![(vec![String::new()], CORE_RESOURCES.map(str::to_owned).to_vec(), WRITE.to_vec())],
            GROUP => {
                let roles = ["clusterroles", "roles"].map(str::to_owned).to_vec();
                let (all, escalate) = (vec!["*".to_owned()], vec!["bind", "escalate"]);
                vec![(named.clone(), all, WRITE.to_vec()), (named, roles, escalate)]
            }
            _ => vec![(named, vec!["*".to_owned()], WRITE.to_vec())],
        }
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
    fn what_is_described_is_what_is_granted() {
        let grant: Grant = "secrets in a".parse().unwrap();
        let granted = &grant.manifests(&"kube-system/ucp".parse().unwrap())[0]["rules"][0]["verbs"];
        let verbs: Vec<String> = serde_json::from_value(granted.clone()).unwrap();
        assert!(grant.describe().starts_with(&format!("{} on Secrets", verbs.join(", "))), "{}", grant.describe());
    }

    #[test]
    fn what_is_deployed_decides_what_may_be_written() {
        let by = |author| move |group: &Option<&'static str>| group.map(|group| (group, author));
        let groups = |deployed: &[Option<&'static str>]| needed_groups(deployed.iter().map(by(GroupsAuthor::Platform)));
        let of_tenant =
            |deployed: &[Option<&'static str>]| needed_groups(deployed.iter().map(by(GroupsAuthor::Tenant)));
        assert_eq!(groups(&[]), WORKLOADS.map(str::to_owned).into(), "nothing is known");
        assert_eq!(groups(&[Some("apps")]), ["core".to_owned(), "apps".to_owned()].into());
        assert!(groups(&[Some("example.org"), None]).contains("batch"), "something is not known");
        let grant = |groups| Grant { rights: GrantedRights::Deploy(groups), reach: GrantScope::Cluster };
        let rules = |groups| grant(groups).rules().unwrap().to_string();
        let writes_nodes = |(_, resources, _): &ResourceRule| resources.iter().any(|resource| resource == "nodes");
        assert!(!rules(groups(&[])).contains("escalate") && !write_rules(&groups(&[])).iter().any(writes_nodes));
        let rbac = groups(&[Some(GROUP)]);
        assert!(rules(rbac.clone()).contains("escalate") && grant(rbac).describe().contains("every right"));
        for hostile in ["*", GROUP, "core/secrets", "apps+*"] {
            assert_eq!(of_tenant(&[Some(hostile)]), WORKLOADS.map(str::to_owned).into(), "{hostile}");
        }
        assert!(groups(&[Some("*")]) == groups(&[None]) && of_tenant(&[Some("example.org")]).contains("example.org"));
        assert_eq!("deploy/core+*".parse::<Grant>(), Err(()));
    }

    /// In RBAC, `*` for resources includes subresources, and `get` on some of them runs commands in pods.
    #[test]
    fn no_limited_right_runs_commands() {
        let every_group = KUBERNETES_GROUPS.into_iter().chain(WORKLOADS).map(str::to_owned).collect();
        for rights in [GrantedRights::ReadOnly, GrantedRights::Deploy(every_group)] {
            for (groups, resources, verbs) in resource_rules(&rights) {
                let reaches_core = groups.iter().any(|group| group.is_empty() || group == "*");
                let is_pattern = resources.iter().any(|resource| resource == "*");
                assert!(!(reaches_core && is_pattern) || verbs == ["list", "watch"], "{groups:?} {verbs:?}");
                let connects = |resource: &String| resource.contains('/') && resource != "pods/log";
                assert!(!resources.iter().any(connects), "{resources:?}");
            }
        }
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
            let rights = match rights { 0 => GrantedRights::Everything, 1 => GrantedRights::ReadOnly, 2 => GrantedRights::Secrets, 3 => GrantedRights::Deploy([role.replace(':', "").trim_matches('-').to_owned() + "x"].into()), _ => GrantedRights::ClusterRole(role) };
            let reach = if names.is_empty() { GrantScope::Cluster } else { GrantScope::Namespaces(names) };
            let grant = Grant { rights, reach };
            prop_assert_eq!(grant.to_string().parse(), Ok(grant));
        }
    }
}
