//! The RBAC rules by which an engine reads and writes in an app cluster.

use std::collections::BTreeSet;

use ucp_core::model::shell::is_dns_name;

/// The API group of RBAC.
pub const RBAC: &str = "rbac.authorization.k8s.io";

/// Verbs to write the resources that an engine deploys.
pub const WRITE: [&str; 5] = ["get", "create", "update", "patch", "delete"];
/// Name of the core API group in messages and annotations.
const CORE: &str = "core";
/// Resources of the core group that are deployed: no nodes, no tokens, and no subresources that run commands or open
/// network connections.
const CORE_RESOURCES: [&str; 12] = [
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
    RBAC,
    "resource.k8s.io",
    "scheduling.k8s.io",
    "storage.k8s.io",
];
/// API groups whose objects decide about the rights and requests of others.
const CONTROLLING_GROUPS: [&str; 4] =
    ["admissionregistration.k8s.io", "apiregistration.k8s.io", "certificates.k8s.io", RBAC];
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

/// The rights of [`read_rules`] in words.
pub const READ: &str = "list and watch on every resource, including Secrets; get on those of Kubernetes, and logs, but no \
                        exec and no proxies";

/// Returns the rules to read. Engines watch every kind, also kinds of groups that are installed later.
pub fn read_rules() -> [ResourceRule; 3] {
    let every = || vec!["*".to_owned()];
    let core = CORE_RESOURCES.into_iter().chain(CORE_READ).map(str::to_owned).collect();
    [
        (every(), every(), vec!["list", "watch"]),
        (vec![String::new()], core, vec!["get"]),
        (KUBERNETES_GROUPS.map(str::to_owned).into(), every(), vec!["get"]),
    ]
}

/// Returns the rules to write resources, by API group.
pub fn write_rules(groups: &BTreeSet<String>) -> Vec<ResourceRule> {
    let rule = |group: &String| {
        let named = vec![group.clone()];
        match group.as_str() {
            CORE => vec![(vec![String::new()], CORE_RESOURCES.map(str::to_owned).to_vec(), WRITE.to_vec())],
            RBAC => {
                let roles = ["clusterroles", "roles"].map(str::to_owned).to_vec();
                let (all, escalate) = (vec!["*".to_owned()], vec!["bind", "escalate"]);
                vec![(named.clone(), all, WRITE.to_vec()), (named, roles, escalate)]
            }
            _ => vec![(named, vec!["*".to_owned()], WRITE.to_vec())],
        }
    };
    groups.iter().flat_map(rule).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deployed_groups_decide_the_writable_groups() {
        let by = |author| move |group: &Option<&'static str>| group.map(|group| (group, author));
        let groups = |deployed: &[Option<&'static str>]| needed_groups(deployed.iter().map(by(GroupsAuthor::Platform)));
        let of_tenant =
            |deployed: &[Option<&'static str>]| needed_groups(deployed.iter().map(by(GroupsAuthor::Tenant)));
        assert_eq!(groups(&[]), WORKLOADS.map(str::to_owned).into(), "nothing is known");
        assert_eq!(groups(&[Some("apps")]), ["core".to_owned(), "apps".to_owned()].into());
        assert!(groups(&[Some("example.org"), None]).contains("batch"), "something is not known");
        let writes_nodes = |(_, resources, _): &ResourceRule| resources.iter().any(|resource| resource == "nodes");
        let escalates = |(.., verbs): &ResourceRule| verbs.contains(&"escalate");
        let rules = write_rules(&groups(&[]));
        assert!(!rules.iter().any(writes_nodes) && !rules.iter().any(escalates));
        assert!(write_rules(&groups(&[Some(RBAC)])).iter().any(escalates));
        for hostile in ["*", RBAC, "core/secrets", "apps+*"] {
            assert_eq!(of_tenant(&[Some(hostile)]), WORKLOADS.map(str::to_owned).into(), "{hostile}");
        }
        assert!(groups(&[Some("*")]) == groups(&[None]) && of_tenant(&[Some("example.org")]).contains("example.org"));
    }

    /// In RBAC, `*` for resources includes subresources, and `get` on some of them runs commands in pods.
    #[test]
    fn no_limited_right_runs_commands() {
        let every_group = KUBERNETES_GROUPS.into_iter().chain(WORKLOADS).map(str::to_owned).collect();
        for (groups, resources, verbs) in read_rules().into_iter().chain(write_rules(&every_group)) {
            let reaches_core = groups.iter().any(|group| group.is_empty() || group == "*");
            let is_pattern = resources.iter().any(|resource| resource == "*");
            assert!(!(reaches_core && is_pattern) || verbs == ["list", "watch"], "{groups:?} {verbs:?}");
            let connects = |resource: &String| resource.contains('/') && resource != "pods/log";
            assert!(!resources.iter().any(connects), "{resources:?}");
        }
    }
}
