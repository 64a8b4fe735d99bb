//! A plan compared with the objects after it is applied, field for field, and the proof that it writes nothing.

use std::process::Output;

use serde_json::{Value, json};
use ucp_client::prediction::difference::field_changes;
use ucp_client::prediction::ignore::strip_server_fields;

use super::{
    BASE, CHANGE, OBJECTS, Repository, application, apply, create, document, get, item, names, plan, stderr, stdout,
    versions,
};
use crate::support::{self, Options};

/// Plans a change to an overlay, applies it as the engine would, and compares.
fn compare_with_the_result(name: &str, apply_flags: &[&str]) {
    let Some(cluster) = support::start(Options::named(name)) else { return };
    let repository = Repository::new(BASE);
    create(&cluster, vec![application("quotes", "overlays/prod", json!({}))]);
    assert!(cluster.kubectl(["create", "namespace", "quotes"]).status().unwrap().success());
    apply(&cluster, &repository.path().join("overlays/prod"), apply_flags);
    repository.branch("feature", CHANGE, &[]);
    let status = repository.git(&["status", "--porcelain"]);
    let before: Vec<Value> = OBJECTS.map(|(kind, name)| get(&cluster, kind, name, "quotes")).into();
    let (versions_before, mark) = (versions(&cluster), cluster.audit_mark());

    let output = plan(&cluster, &repository, &["--base", "main", "--head", "feature", "-o", "json"]);
    let markdown = plan(&cluster, &repository, &["--base", "main", "--head", "feature", "-o", "markdown"]);
    let table = plan(&cluster, &repository, &["--base", "main", "--head", "feature"]);

    // A hook around us, or a shell that once exported it, names another repository.
    let other = Repository::new(&[("other", "of another repository\n")]);
    let mut around = std::process::Command::new(crate::support::command::program());
    around
        .args(["plan", "--base", "main", "--head", "feature", "-o", "json", "--kubeconfig"])
        .arg(cluster.kubeconfig());
    around.arg(repository.path()).env("GIT_DIR", other.path().join(".git")).env("GIT_WORK_TREE", other.path());
    around.env("GIT_INDEX_FILE", other.path().join(".git/index")).env_remove("KUBECONFIG");
    let around = around.output().unwrap();
    assert_eq!(stdout(&around), stdout(&output), "{}", stderr(&around));

    // Nothing was written: not to the cluster, by its own log and by the versions of its objects, nor to the checkout.
    let writes: Vec<_> = cluster
        .requests_since(mark)
        .into_iter()
        .filter(|request| !["get", "list", "watch"].contains(&request.verb.as_str()))
        .collect();
    assert!(!writes.is_empty());
    for request in writes {
        assert!(request.uri.contains("dryRun=All"), "{request:?}");
    }
    assert_eq!(versions(&cluster), versions_before);
    assert_eq!(repository.git(&["status", "--porcelain"]), status);
    assert_eq!(repository.git(&["worktree", "list"]).lines().count(), 1);

    let (document, code) = document(&output);
    assert_eq!(code, 1, "{}", stderr(&output));
    assert_eq!(document["unreadable"], json!([]));
    let checks: Vec<_> = document["items"].as_array().unwrap().iter().map(|item| &item["message"]).collect();
    assert!(checks.iter().all(|message| message.is_null()), "{checks:?}");
    assert_eq!(names(&document), ["change Secret/login", "change ConfigMap/settings", "change Deployment/quotes"]);
    for output in [&output, &markdown, &table] {
        for secret in ["Y2FuYXJ5", "canary"] {
            assert!(!stdout(output).contains(secret) && !stderr(output).contains(secret), "{}", stdout(output));
        }
    }
    assert_eq!(
        stdout(&markdown),
        stdout(&plan(&cluster, &repository, &["--base", "main", "--head", "feature", "-o", "markdown"]))
    );

    repository.git(&["switch", "--quiet", "feature"]);
    apply(&cluster, &repository.path().join("overlays/prod"), apply_flags);
    for ((kind, name), mut before) in OBJECTS.into_iter().zip(before) {
        let mut after = get(&cluster, kind, name, "quotes");
        strip_server_fields(&mut before);
        strip_server_fields(&mut after);
        let real = serde_json::to_value(field_changes(&before, &after)).unwrap();
        if kind == "Service" {
            assert_eq!(real, json!([]));
            continue;
        }
        let planned = item(&document, kind, name)["differences"].as_array().unwrap().iter();
        let planned: Vec<Value> = planned
            .map(|entry| {
                let mut entry = entry.clone();
                assert_eq!(entry.as_object_mut().unwrap().remove("external"), Some(json!(false)));
                entry
            })
            .collect();
        if kind == "Secret" {
            assert_eq!(planned.len(), 1);
            assert_eq!(planned[0]["path"], real[0]["path"]);
            assert_ne!(planned[0]["before"], planned[0]["after"]);
            continue;
        }
        assert_eq!(json!(planned), real, "{kind}");
        assert!(!planned.is_empty());
    }
    // A plan after the merge is empty.
    let again = plan(&cluster, &repository, &["-o", "json"]);
    assert_eq!(document_names(&again), (Vec::new(), 0), "{}", stdout(&again));
}

fn document_names(output: &Output) -> (Vec<String>, i32) {
    let (document, code) = document(output);
    (names(&document), code)
}

#[test]
fn a_plan_matches_the_result_of_server_side_apply() {
    compare_with_the_result("plan-server-side", &["--server-side", "--field-manager=argocd-controller"]);
}

#[test]
fn a_plan_matches_the_result_of_client_side_apply() {
    compare_with_the_result("plan-client-side", &["--field-manager=argocd-controller"]);
}

/// A policy, and a namespace of Pod Security, that warn: the engine would apply the objects, and nothing would show it.
#[test]
fn warnings_of_the_server_are_shown_with_the_object() {
    let Some(cluster) = support::start(Options::named("plan-warned")) else { return };
    let policy = |kind: &str, spec: Value| json!({"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": {"name": "color"}, "spec": spec});
    let rules = json!([{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"], "resources": ["configmaps"]}]);
    create(
        &cluster,
        vec![
            policy(
                "ValidatingAdmissionPolicy",
                json!({
                    "matchConstraints": {"resourceRules": rules},
                    "validations": [{"expression": "object.data.color != 'blue'", "message": "say \"red\", not blue"}],
                }),
            ),
            policy("ValidatingAdmissionPolicyBinding", json!({"policyName": "color", "validationActions": ["Warn"]})),
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {
                "name": "guarded", "labels": {"pod-security.kubernetes.io/warn": "restricted"}}}),
            application("web", "web", json!({"destination": {"name": "in-cluster", "namespace": "guarded"}})),
        ],
    );
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {color: red}\n";
    let pods = "apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: web}]}}
";
    let repository = Repository::new(&[("web/map.yaml", map)]);
    repository.branch("blue", &[("web/map.yaml", &map.replace("red", "blue")), ("web/pods.yaml", pods)], &[]);
    // The server learns of a policy after a while.
    let planned = support::run(async || {
        let attempt = async || {
            let (plan, code) = document(&plan(&cluster, &repository, &["--base=main", "--head=blue", "-o=json"]));
            assert_eq!(code, 1, "{plan:#}");
            item(&plan, "ConfigMap", "web")["notes"].to_string().contains("not blue").then_some(plan)
        };
        support::eventually(attempt).await
    });
    let notes = item(&planned, "ConfigMap", "web")["notes"].as_array().unwrap();
    assert!(notes[0].as_str().unwrap().ends_with("say \"red\", not blue"), "{notes:?}");
    let notes = item(&planned, "Deployment", "web")["notes"].to_string();
    assert!(notes.contains("would violate PodSecurity"), "{planned:#}");
    let table = stdout(&plan(&cluster, &repository, &["--base=main", "--head=blue"]));
    assert!(table.contains("the server warns: "), "{table}");
}
