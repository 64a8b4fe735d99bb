//! Changes that an engine does not make, although the server would accept them: after a refusal of another object, while a
//! dependency fails, and before a sync.

use serde_json::{Value, json};

use super::rights::map;
use super::{Repository, application, apply_manifests, create, document, item, plan};
use crate::support::{self, Options};

/// Objects of a directory: an immutable ConfigMap, another one, and a ClusterRole; of a dependent one, a ConfigMap.
fn files(name: &str, value: &str) -> (String, String) {
    if name == "dependent" {
        return (format!("{name}/all.yaml"), map(name, value));
    }
    let part = |suffix: &str, more: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}-{suffix}, namespace: default}}\n{more}data: {{a: '{value}'}}\n---\n"
        )
    };
    let role = format!(
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {{name: {name}, labels: {{a: '{value}'}}}}\nrules: []\n"
    );
    (format!("{name}/all.yaml"), part("fixed", "immutable: true\n") + &part("other", "") + &role)
}

fn kustomization(name: &str, more: Value) -> Value {
    let mut object = json!({
        "apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
        "metadata": {"namespace": "flux-system", "name": name},
        "spec": {"sourceRef": {"kind": "GitRepository", "name": "quotes"}, "path": name, "prune": true, "interval": "1m"},
    });
    for (key, value) in more.as_object().unwrap() {
        object["spec"][key] = value.clone();
    }
    object
}

/// The source of all Kustomizations.
fn source() -> Value {
    json!({
        "apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "GitRepository",
        "metadata": {"namespace": "flux-system", "name": "quotes"}, "spec": {"url": super::URL, "interval": "1m"},
    })
}

fn project(name: &str, windows: Value) -> Value {
    json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "AppProject", "metadata": {"namespace": "argocd", "name": name},
        "spec": {
            "sourceRepos": ["*"], "destinations": [{"server": "*", "namespace": "*"}], "syncWindows": windows,
            "clusterResourceWhitelist": [{"group": "*", "kind": "*"}],
        },
    })
}

#[test]
fn a_deployer_that_the_merge_suspends_may_reconcile_before() {
    let Some(cluster) = support::start(Options::named("plan-suspended")) else { return };
    let child = |suspend: bool| kustomization("child", json!({"suspend": suspend})).to_string();
    let side =
        |suspend: bool, value: &str| [("root/child.yaml", child(suspend)), ("child/all.yaml", map("child", value))];
    let (before, after) = (side(false, "1"), side(true, "2"));
    let before = before.each_ref().map(|(path, text)| (*path, text.as_str()));
    let after = after.each_ref().map(|(path, text)| (*path, text.as_str()));
    let repository = Repository::new(&before);
    repository.branch("feature", &after, &[]);
    create(
        &cluster,
        vec![source(), kustomization("root", json!({})), kustomization("child", json!({"suspend": false}))],
    );
    apply_manifests(&cluster, &repository.path().join("child"));
    for more in [&["--base", "main"][..], &[]] {
        let output = plan(&cluster, &repository, &[&["--head", "feature", "-o", "json"], more].concat());
        let (plan, _) = document(&output);
        assert!(plan["unreadable"].to_string().contains("the merge suspends it"), "{plan:#}");
    }
}

#[test]
fn objects_that_an_engine_does_not_apply_are_rejected() {
    let Some(cluster) = support::start(Options::named("plan-blocked")) else { return };
    let names = ["strict", "forced", "dependent", "argo"];
    let side = |value: &str| names.map(|name| files(name, value));
    let (before, after) = (side("1"), side("2"));
    let before = before.each_ref().map(|(path, text)| (path.as_str(), text.as_str()));
    let after = after.each_ref().map(|(path, text)| (path.as_str(), text.as_str()));
    let repository = Repository::new(&before);
    repository.branch("feature", &after, &[]);
    create(
        &cluster,
        vec![
            source(),
            kustomization("strict", json!({})),
            kustomization("forced", json!({"force": true})),
            kustomization("dependent", json!({"dependsOn": [{"name": "strict"}]})),
            project("open", json!([])),
            application("argo", "argo", json!({"project": "open"})),
        ],
    );
    for name in names {
        apply_manifests(&cluster, &repository.path().join(name));
    }
    let output = plan(&cluster, &repository, &["--base", "main", "--head", "feature", "-o", "json"]);
    let (plan, _) = document(&output);
    let check = |kind: &str, name: &str| {
        let item = item(&plan, kind, name);
        (item["check"].as_str().unwrap().to_owned(), item["message"].as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(check("ConfigMap", "strict-fixed").0, "rejected");
    let (verdict, reason) = check("ConfigMap", "strict-other");
    assert_eq!((verdict.as_str(), reason.contains("strict-fixed is rejected")), ("rejected", true), "{reason}");
    assert_eq!(check("ClusterRole", "strict").0, "accepted", "definitions are applied first");
    let (verdict, reason) = check("ConfigMap", "dependent");
    assert_eq!((verdict.as_str(), reason.contains("depends on strict")), ("rejected", true), "{reason}");
    let forced = item(&plan, "ConfigMap", "forced-fixed");
    assert_eq!(forced["check"], "accepted", "{forced:#}");
    assert!(forced["notes"].to_string().contains("deleted and created again"), "{forced:#}");
    assert_eq!(check("ConfigMap", "argo-fixed").0, "rejected");
    assert_eq!(check("ConfigMap", "argo-other").0, "accepted", "Argo CD applies the other objects of the wave");
}

#[test]
fn applications_that_are_not_synced_now_are_named() {
    let Some(cluster) = support::start(Options::named("plan-windows")) else { return };
    let names = ["denied", "manual", "open", "unread"];
    let side = |value: &str| names.map(|name| (format!("{name}/map.yaml"), map(name, value)));
    let (before, after) = (side("1"), side("2"));
    let before = before.each_ref().map(|(path, text)| (path.as_str(), text.as_str()));
    let repository = Repository::new(&before);
    repository.branch("feature", &after.each_ref().map(|(path, text)| (path.as_str(), text.as_str())), &[]);
    let window = |schedule: &str, more: &str| json!([{"kind": "deny", "schedule": schedule, "duration": "1h", "applications": [more]}]);
    create(
        &cluster,
        vec![
            project("denied", window("* * * * *", "*")),
            project("open", window("* * * * *", "another")),
            project("unread", window("@daily", "*")),
            application("denied", "denied", json!({"project": "denied"})),
            application("manual", "manual", json!({"project": "open", "syncPolicy": {}})),
            application("open", "open", json!({"project": "open"})),
            application("unread", "unread", json!({"project": "unread"})),
        ],
    );
    for name in names {
        apply_manifests(&cluster, &repository.path().join(name));
    }
    let output = plan(&cluster, &repository, &["--base", "main", "--head", "feature", "-o", "json"]);
    let (plan, _) = document(&output);
    let remark = |name: &str| {
        let mut remarks = plan["remarks"].as_array().unwrap().iter();
        let found =
            remarks.find(|one| one["object"]["name"] == name && one["remark"].to_string().contains("nothing changes"));
        found.map(|one| one["remark"].as_str().unwrap().to_owned())
    };
    assert!(remark("denied").is_some_and(|text| text.contains("AppProject denied")), "{plan:#}");
    assert!(remark("manual").is_some_and(|text| text.contains("automated sync is off")), "{plan:#}");
    assert_eq!(remark("open"), None);
    assert!(plan["unreadable"].to_string().contains("@daily"), "{:#}", plan["unreadable"]);
}
