//! Least RBAC for `secrets sync --watch`: Secrets by name if few in a namespace are copied, else the namespace, and
//! never the whole cluster.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::live::MANY;
use super::live::changes::by_namespace;
use crate::adopt::names::NamespacedName;
use ucp_core::model::kind::ResourceKind;

const GROUP: &str = "rbac.authorization.k8s.io/v1";
const NAME: &str = "kubectl-ucp-secrets-watch";

/// Returns roles for the core cluster: list and watch of the kinds that declare copies, and reads of the copied Secrets
/// and of the kubeconfigs of app clusters. `homes` are the listed namespaces with registrations.
pub fn core_roles<'a>(
    kinds: impl Iterator<Item = &'a ResourceKind>,
    homes: &BTreeSet<String>,
    secrets: &BTreeSet<NamespacedName>,
) -> Vec<Value> {
    let mut by_group: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for kind in kinds {
        by_group.entry(&kind.group).or_default().insert(&kind.plural);
    }
    let listed = by_group
        .into_iter()
        .map(|(group, resources)| json!({"apiGroups": [group], "resources": resources, "verbs": ["list", "watch"]}));
    // A copy records its core cluster by the UID of this namespace.
    let itself =
        json!({"apiGroups": [""], "resources": ["namespaces"], "resourceNames": ["kube-system"], "verbs": ["list"]});
    let mut roles = vec![json!({
        "apiVersion": GROUP, "kind": "ClusterRole", "metadata": {"name": NAME},
        "rules": listed.chain([itself]).collect::<Vec<_>>(),
    })];
    let mut rules: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for home in homes {
        rules.entry(home).or_default().push(json!({"apiGroups": [""], "resources": ["secrets"], "verbs": ["list"]}));
    }
    for (namespace, names) in by_namespace(secrets) {
        rules.entry(namespace).or_default().push(secrets_rule(&names, &["get", "list", "watch"]));
    }
    roles.extend(rules.into_iter().map(|(namespace, rules)| role(namespace, &rules)));
    roles
}

/// Returns roles for one app cluster: reads and writes of its declared copies.
pub fn app_roles(copies: &BTreeSet<NamespacedName>) -> Vec<Value> {
    let one = |(namespace, names): (&str, Vec<&str>)| {
        // RBAC cannot restrict `create` by name.
        let create = json!({"apiGroups": [""], "resources": ["secrets"], "verbs": ["create"]});
        role(namespace, &[secrets_rule(&names, &["get", "list", "watch", "patch"]), create])
    };
    by_namespace(copies).into_iter().map(one).collect()
}

fn secrets_rule(names: &[&str], verbs: &[&str]) -> Value {
    let mut rule = json!({"apiGroups": [""], "resources": ["secrets"], "verbs": verbs});
    if names.len() <= MANY {
        rule["resourceNames"] = json!(names);
    }
    rule
}

fn role(namespace: &str, rules: &[Value]) -> Value {
    json!({"apiVersion": GROUP, "kind": "Role", "metadata": {"name": NAME, "namespace": namespace}, "rules": rules})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_secrets_are_granted_by_name_and_many_by_namespace() {
        let secret = |number: usize| NamespacedName { namespace: "shop".to_owned(), name: format!("db-{number}") };
        let of = |count: usize| app_roles(&(0..count).map(secret).collect());
        assert_eq!(of(2)[0]["rules"][0]["resourceNames"], json!(["db-0", "db-1"]));
        assert_eq!(of(MANY + 1)[0]["rules"][0].get("resourceNames"), None);
        assert!(!of(2)[0].to_string().contains("delete"));
        let syncers = ResourceKind::guess("dagandersen.com", "Syncer");
        let core =
            core_roles(std::iter::once(&syncers), &BTreeSet::from(["argocd".to_owned()]), &BTreeSet::from([secret(0)]));
        assert_eq!(core.iter().filter(|role| role["kind"] == "Role").count(), 2);
        let listed = json!({"apiGroups": ["dagandersen.com"], "resources": ["syncers"], "verbs": ["list", "watch"]});
        let itself = json!({"apiGroups": [""], "resources": ["namespaces"], "resourceNames": ["kube-system"], "verbs": ["list"]});
        assert_eq!(core[0]["rules"], json!([listed, itself]), "no Secret of all namespaces");
    }
}
