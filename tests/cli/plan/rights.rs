//! What the ServiceAccount of a Kustomization may not write is a refusal, although the user may write it.

use serde_json::{Value, json};

use super::{Repository, create, document, get, item, plan};
use crate::support::{self, Options};

fn map(name: &str, value: &str) -> String {
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}, namespace: default}}\ndata: {{a: '{value}'}}\n")
}

fn granted(name: &str, subject: Value, rules: Value) -> Vec<Value> {
    const RBAC: &str = "rbac.authorization.k8s.io";
    vec![
        json!({"apiVersion": format!("{RBAC}/v1"), "kind": "ClusterRole", "metadata": {"name": name}, "rules": rules}),
        json!({
            "apiVersion": format!("{RBAC}/v1"), "kind": "ClusterRoleBinding", "metadata": {"name": name}, "subjects": [subject],
            "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": name},
        }),
    ]
}

#[test]
fn rights_of_the_impersonated_account_are_reviewed() {
    let Some(cluster) = support::start(Options::named("plan-rights")) else { return };
    let account = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: x, namespace: default}\n";
    let repository = Repository::new(&[
        ("flux/kept.yaml", &map("kept", "1")),
        ("flux/named.yaml", &map("named", "1")),
        ("flux/gone.yaml", &map("gone", "1")),
    ]);
    let inventory = ["default_kept__ConfigMap", "default_named__ConfigMap", "default_gone__ConfigMap"];
    let entries: Vec<Value> = inventory.iter().map(|id| json!({"id": id, "v": "v1"})).collect();
    let deployers = vec![
        json!({
            "apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "GitRepository",
            "metadata": {"namespace": "flux-system", "name": "quotes"}, "spec": {"url": super::URL, "interval": "1m"},
        }),
        json!({
            "apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
            "metadata": {"namespace": "flux-system", "name": "quotes"},
            "spec": {
                "sourceRef": {"kind": "GitRepository", "name": "quotes"}, "path": "flux", "prune": true, "interval": "1m",
                "serviceAccountName": "deployer",
            },
            "status": {"inventory": {"entries": entries}},
        }),
    ];
    let subject = json!({"kind": "ServiceAccount", "namespace": "flux-system", "name": "deployer"});
    let rules = json!([
        {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["create"]},
        {"apiGroups": [""], "resources": ["configmaps"], "resourceNames": ["named", "new"], "verbs": ["patch"]},
    ]);
    create(&cluster, [deployers, granted("deployer", subject, rules)].concat());
    let applied = cluster.kubectl(["apply", "-f"]).arg(repository.path().join("flux")).output().unwrap();
    assert!(applied.status.success(), "{applied:?}");
    let changed = [
        ("flux/kept.yaml", map("kept", "2")),
        ("flux/named.yaml", map("named", "2")),
        ("flux/new.yaml", map("new", "1")),
        ("flux/account.yaml", account.to_owned()),
    ];
    repository.branch("feature", &changed.each_ref().map(|(name, text)| (*name, text.as_str())), &["flux/gone.yaml"]);
    let arguments = ["--base", "main", "--head", "feature", "-o", "json"];
    let (merge, code) = document(&plan(&cluster, &repository, &arguments));
    assert_eq!((code, &merge["unreadable"]), (1, &json!([])), "{merge:#}");
    let fate = |kind: &str, name: &str| {
        let item = item(&merge, kind, name);
        (item["check"].as_str().unwrap().to_owned(), item["message"].as_str().unwrap_or_default().to_owned())
    };
    let denied = |right: &str| {
        ("rejected".to_owned(), format!("ServiceAccount flux-system/deployer may not {right} in namespace default"))
    };
    assert_eq!(fate("ConfigMap", "named").0, "accepted");
    assert_eq!(fate("ConfigMap", "new").0, "accepted");
    assert_eq!(fate("ConfigMap", "kept"), denied("patch configmaps"));
    assert_eq!(fate("ConfigMap", "gone"), denied("delete configmaps"));
    assert_eq!(fate("ServiceAccount", "x"), denied("create serviceaccounts"));
    assert_eq!(merge["consequences"]["refusal"], 3);

    // Without the right to ask, it is not known.
    let user = json!({"kind": "User", "name": "reader"});
    let rules = json!([
        {"apiGroups": ["*"], "resources": ["configmaps", "serviceaccounts"], "verbs": ["*"]},
        {"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list"]},
    ]);
    create(&cluster, granted("reader", user, rules));
    let (unknown, _) = document(&plan(&cluster, &repository, &[&arguments[..], &["--as", "reader"]].concat()));
    let unread = unknown["unreadable"].to_string();
    assert!(unread.contains("right of ServiceAccount flux-system/deployer to patch configmaps"), "{unread}");
    assert_eq!(unknown["consequences"]["refusal"], 0);
    assert_eq!(get(&cluster, "configmap", "kept", "default")["data"]["a"], "1", "nothing was written");
}
