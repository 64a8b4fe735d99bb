//! The rights that `kubectl ucp secrets` needs in an app cluster, to look for Secrets and to copy them.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// Kinds that refer to Secrets, by group, version, plural and kind.
pub const CONSUMERS: [(&str, &str, &str, &str); 9] = [
    ("", "v1", "pods", "Pod"),
    ("", "v1", "serviceaccounts", "ServiceAccount"),
    ("apps", "v1", "deployments", "Deployment"),
    ("apps", "v1", "statefulsets", "StatefulSet"),
    ("apps", "v1", "daemonsets", "DaemonSet"),
    ("apps", "v1", "replicasets", "ReplicaSet"),
    ("batch", "v1", "jobs", "Job"),
    ("batch", "v1", "cronjobs", "CronJob"),
    ("networking.k8s.io", "v1", "ingresses", "Ingress"),
];

/// Kinds of an app cluster that create Secrets, by group, version, plural and kind.
pub const MAKERS: [(&str, &str, &str, &str); 3] = [
    ("external-secrets.io", "v1", "externalsecrets", "ExternalSecret"),
    ("external-secrets.io", "v1", "clusterexternalsecrets", CLUSTER_EXTERNAL_SECRET),
    ("bitnami.com", "v1alpha1", "sealedsecrets", "SealedSecret"),
];

/// The cluster-scoped one of them.
const CLUSTER_EXTERNAL_SECRET: &str = "ClusterExternalSecret";

/// Verbs on Secrets, to compare, watch, copy, and prune them.
pub const VERBS: [&str; 6] = ["get", "list", "watch", "create", "patch", "delete"];

/// The kinds that are listed in one namespace, by group and plural.
pub fn listed() -> impl Iterator<Item = (&'static str, &'static str)> {
    let all = CONSUMERS.into_iter().chain(MAKERS);
    all.filter(|(.., kind)| *kind != CLUSTER_EXTERNAL_SECRET).map(|(group, _, plural, _)| (group, plural))
}

/// The RBAC rules for one namespace.
pub fn rules() -> Value {
    let mut by_group: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (group, plural) in listed() {
        by_group.entry(group).or_default().push(plural);
    }
    let secrets = json!({"apiGroups": [""], "resources": ["secrets"], "verbs": VERBS});
    let listed = by_group
        .into_iter()
        .map(|(group, resources)| json!({"apiGroups": [group], "resources": resources, "verbs": ["list"]}));
    Value::Array(std::iter::once(secrets).chain(listed).collect())
}
