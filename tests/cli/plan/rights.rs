//! A write that the ServiceAccount of a Kustomization may not do is refused, although the user may do it.

use serde_json::{Value, json};

use super::{Repository, create, document, get, item, plan};
use crate::support::{self, Options};

pub(super) fn map(name: &str, value: &str) -> String {
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}, namespace: default}}\ndata: {{a: '{value}'}}\n")
}

pub(super) fn granted(name: &str, subject: Value, rules: Value) -> Vec<Value> {
    const RBAC: &str = "rbac.authorization.k8s.io";
    vec![
        json!({"apiVersion": format!("{RBAC}/v1"), "kind": "ClusterRole", "metadata": {"name": name}, "rules": rules}),
        json!({
            "apiVersion": format!("{RBAC}/v1"), "kind": "ClusterRoleBinding", "metadata": {"name": name}, "subjects": [subject],
            "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": name},
        }),
    ]
}

/// A Kustomization that deployed some ConfigMaps from the directory `flux`, and its source.
fn deployers(deployed: &[&str], more: Value) -> Vec<Value> {
    let entries: Vec<Value> =
        deployed.iter().map(|name| json!({"id": format!("default_{name}__ConfigMap"), "v": "v1"})).collect();
    let mut kustomization = json!({
        "apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
        "metadata": {"namespace": "flux-system", "name": "quotes"},
        "spec": {
            "sourceRef": {"kind": "GitRepository", "name": "quotes"}, "path": "flux", "prune": true, "interval": "1m",
        },
        "status": {"inventory": {"entries": entries}},
    });
    for (key, value) in more.as_object().unwrap() {
        kustomization["spec"][key] = value.clone();
    }
    let source = json!({
        "apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "GitRepository",
        "metadata": {"namespace": "flux-system", "name": "quotes"}, "spec": {"url": super::URL, "interval": "1m"},
    });
    vec![source, kustomization]
}

/// A user with the rights of a dry run, who may not ask for the rights of others.
fn reader() -> Vec<Value> {
    let user = json!({"kind": "User", "name": "reader"});
    let rules = json!([
        {"apiGroups": ["*"], "resources": ["configmaps", "serviceaccounts"], "verbs": ["*"]},
        {"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list"]},
    ]);
    granted("reader", user, rules)
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
    let deployers = deployers(&["kept", "named", "gone"], json!({"serviceAccountName": "deployer"}));
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
    // Flux applies nothing if one of the objects is rejected.
    assert_eq!(fate("ConfigMap", "named").0, "rejected");
    assert_eq!(fate("ConfigMap", "new").0, "rejected");
    assert_eq!(fate("ConfigMap", "kept"), denied("patch configmaps"));
    assert_eq!(fate("ConfigMap", "gone"), denied("delete configmaps"));
    assert_eq!(fate("ServiceAccount", "x"), denied("create serviceaccounts"));
    assert_eq!(merge["consequences"]["refusal"], 5);

    // Without the right to ask, roles show the granted ones, and the rest is not known.
    create(&cluster, reader());
    let (unknown, _) = document(&plan(&cluster, &repository, &[&arguments[..], &["--as", "reader"]].concat()));
    let unread = unknown["unreadable"].to_string();
    assert!(unread.contains("right of ServiceAccount flux-system/deployer to patch configmaps"), "{unread}");
    assert!(!unread.contains("to create configmaps"), "{unread}");
    assert_eq!(unknown["consequences"]["refusal"], 0);
    assert_eq!(get(&cluster, "configmap", "kept", "default")["data"]["a"], "1", "nothing was written");
}

#[test]
fn the_accounts_of_controllers_are_reviewed() {
    let Some(cluster) = support::start(Options::named("plan-controllers")) else { return };
    let repository = Repository::new(&[("flux/kept.yaml", &map("kept", "1"))]);
    let controller = |arguments: Value| {
        json!({
            "apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"namespace": "flux-system", "name": "kustomize-controller"},
            "spec": {
                "selector": {"matchLabels": {"app": "kustomize-controller"}},
                "template": {
                    "metadata": {"labels": {"app": "kustomize-controller"}},
                    "spec": {
                        "serviceAccountName": "kustomize-controller",
                        "containers": [{"name": "manager", "image": "ghcr.io/fluxcd/kustomize-controller:v1.9.4", "args": arguments}],
                    },
                },
            },
        })
    };
    let locked = controller(json!(["--no-cross-namespace-refs=true", "--default-service-account=tenant"]));
    create(&cluster, [deployers(&["kept"], json!({})), vec![locked]].concat());
    let applied = cluster.kubectl(["apply", "-f"]).arg(repository.path().join("flux")).output().unwrap();
    assert!(applied.status.success(), "{applied:?}");
    repository.branch("feature", &[("flux/kept.yaml", &map("kept", "2"))], &[]);
    let arguments = ["--base", "main", "--head", "feature", "-o", "json"];
    let message = |merge: &Value| item(merge, "ConfigMap", "kept")["message"].as_str().unwrap_or_default().to_owned();
    let (merge, code) = document(&plan(&cluster, &repository, &arguments));
    assert_eq!((code, &merge["unreadable"]), (1, &json!([])), "{merge:#}");
    assert_eq!(message(&merge), "ServiceAccount flux-system/tenant may not patch configmaps in namespace default");
    create(&cluster, vec![controller(json!([]))]);
    let (merge, _) = document(&plan(&cluster, &repository, &arguments));
    let own = "ServiceAccount flux-system/kustomize-controller";
    assert_eq!(message(&merge), format!("{own} may not patch configmaps in namespace default"));
    // Few users may ask; a remark is enough for an account that usually may do everything.
    create(&cluster, reader());
    let (unknown, code) = document(&plan(&cluster, &repository, &[&arguments[..], &["--as", "reader"]].concat()));
    assert_eq!((code, item(&unknown, "ConfigMap", "kept")["check"].as_str()), (1, Some("accepted")), "{unknown:#}");
    let remarks = unknown["remarks"].to_string();
    assert!(remarks.contains(&format!("the rights of {own} are not checked")), "{remarks}");
}
