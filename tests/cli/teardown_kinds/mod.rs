//! `teardown` of objects that contain others, and of kinds that no engine knows: the consequences are known, or unknown.

mod contents;
mod fates;
mod packages;

use serde_json::{Value, json};

use crate::support::command::{Ran, run, ucp};
use crate::support::objects::{object, snapshot, whole_snapshot, with};

pub(crate) fn teardown(objects: &[Value], arguments: &[&str]) -> Ran {
    let directory = tempfile::tempdir().unwrap();
    let path = whole_snapshot(&directory, "core.json", objects).unwrap();
    let mut command = ucp(["teardown", "-o", "json"]);
    command.args(arguments).arg("--from").arg(path);
    run(command)
}

pub(crate) fn fate<'a>(document: &'a Value, name: &str) -> &'a str {
    let items = document["items"].as_array().unwrap();
    items.iter().find(|item| item["object"]["name"] == name).map_or("", |item| item["fate"].as_str().unwrap())
}

pub(crate) fn codes(document: &Value) -> Vec<&str> {
    document["findings"].as_array().unwrap().iter().map(|one| one["code"].as_str().unwrap()).collect()
}

fn commands(document: &Value) -> String {
    let steps = document["steps"].as_array().unwrap().iter();
    steps
        .flat_map(|step| step["commands"].as_array().unwrap())
        .map(|one| format!("{}\n", one.as_str().unwrap()))
        .collect()
}

/// A namespaced managed resource of Crossplane 2.
fn database(name: &str, rest: Value) -> Value {
    let base = json!({
        "metadata": {"namespace": "shop", "uid": name, "finalizers": ["finalizer.managedresource.crossplane.io"]},
        "spec": {"forProvider": {"region": "eu-west-1", "skipFinalSnapshot": true}, "providerConfigRef": {"kind": "ProviderConfig", "name": "default"}},
    });
    with(object("rds.aws.m.upbound.io/v1beta1", "Instance", name, base), &[rest])
}

fn config(namespace: &str) -> Value {
    let secret = json!({"namespace": namespace, "name": "creds", "key": "k"});
    object(
        "aws.m.upbound.io/v1beta1",
        "ProviderConfig",
        "default",
        json!({
            "metadata": {"namespace": namespace, "uid": "pc", "finalizers": ["in-use.crossplane.io"]},
            "spec": {"credentials": {"source": "Secret", "secretRef": secret}},
        }),
    )
}

fn cluster_config(namespace: &str) -> Value {
    let secret = json!({"namespace": namespace, "name": "creds", "key": "k"});
    object(
        "aws.m.upbound.io/v1beta1",
        "ClusterProviderConfig",
        "shared",
        json!({"metadata": {"uid": "cpc"}, "spec": {"credentials": {"source": "Secret", "secretRef": secret}}}),
    )
}

fn namespace(name: &str) -> Value {
    object("v1", "Namespace", name, json!({"metadata": {"uid": format!("ns-{name}")}}))
}

fn definition(plural: &str, group: &str, categories: &[&str], kind: &str) -> Value {
    object(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        &format!("{plural}.{group}"),
        json!({
            "metadata": {"uid": format!("crd-{plural}")},
            "spec": {
                "group": group, "scope": "Cluster", "names": {"kind": kind, "plural": plural, "categories": categories},
                "versions": [{"name": "v1", "served": true, "storage": true}],
            },
        }),
    )
}

fn composite(name: &str) -> Value {
    object(
        "platform.example.org/v1",
        "XDatabase",
        name,
        json!({
            "metadata": {"uid": name, "finalizers": ["composite.apiextensions.crossplane.io"]},
            "spec": {
                "compositionRef": {"name": "databases"},
                "resourceRefs": [{"apiVersion": "rds.aws.m.upbound.io/v1beta1", "kind": "Instance", "name": "orders"}],
            },
        }),
    )
}

fn xrd() -> Value {
    object(
        "apiextensions.crossplane.io/v1",
        "CompositeResourceDefinition",
        "xdatabases.platform.example.org",
        json!({
            "metadata": {"uid": "xrd"},
            "spec": {"group": "platform.example.org", "names": {"kind": "XDatabase", "plural": "xdatabases"}},
        }),
    )
}

fn bucket(rest: Value) -> Value {
    with(
        object(
            "s3.aws.upbound.io/v1beta1",
            "Bucket",
            "logs",
            json!({
                "metadata": {"uid": "logs", "finalizers": ["finalizer.managedresource.crossplane.io"], "annotations": {"crossplane.io/external-name": "acme-logs"}},
                "spec": {"forProvider": {"region": "eu-west-1", "forceDestroy": true}, "providerConfigRef": {"name": "default"}},
            }),
        ),
        &[rest],
    )
}

fn composition() -> Value {
    object(
        "apiextensions.crossplane.io/v1",
        "Composition",
        "databases",
        json!({
            "metadata": {"uid": "comp"},
            "spec": {
                "compositeTypeRef": {"apiVersion": "platform.example.org/v1", "kind": "XDatabase"},
                "pipeline": [{"step": "a", "functionRef": {"name": "patch"}}],
            },
        }),
    )
}

fn composed() -> Value {
    with(
        database("orders", json!({})),
        &[json!({"metadata": {"namespace": null, "labels": {"crossplane.io/composite": "orders"}, "ownerReferences": [
            {"apiVersion": "platform.example.org/v1", "kind": "XDatabase", "name": "orders", "uid": "orders", "controller": true},
        ]}})],
    )
}

fn platform() -> Vec<Value> {
    vec![
        xrd(),
        definition("xdatabases", "platform.example.org", &["composite"], "XDatabase"),
        composition(),
        composite("orders"),
        composed(),
    ]
}

#[test]
fn the_script_of_all_steps_can_be_run_again() {
    let directory = tempfile::tempdir().unwrap();
    let many: Vec<Value> =
        (0..30).map(|number| with(bucket(json!({})), &[json!({"metadata": {"name": format!("b{number}"), "uid": format!("u{number}"), "annotations": {"crossplane.io/external-name": format!("b-{number}")}}})])).collect();
    let path = whole_snapshot(&directory, "core.json", &many).unwrap();
    let shown = |format: &str| {
        let mut command = ucp(["teardown", "--all", "-o", format]);
        command.arg("--from").arg(&path);
        run(command).expect(0).stdout
    };
    let table = shown("table");
    assert!(
        (0..30).all(|number| table.contains(&format!("kubectl delete bucket.s3.aws.upbound.io/b{number} "))),
        "{table}"
    );
    let script = shown("commands");
    assert!(script.starts_with("#!/usr/bin/env bash\n") && script.contains("\nset -euo pipefail\n"), "{script}");
    assert_eq!(script.matches("kubectl delete --ignore-not-found bucket").count(), 30, "{script}");
    let checked = std::process::Command::new("bash").arg("-n").arg("-c").arg(&script).status().unwrap();
    assert!(checked.success(), "{script}");
    // An object with an unknown fate is not deleted.
    let widget = object("acme.example.org/v1", "Widget", "w", json!({"metadata": {"namespace": "shop", "uid": "w"}}));
    let path = snapshot(&directory, "app.json", &[widget]).unwrap();
    let mut command = ucp(["teardown", "widget/w", "-n", "shop", "-o", "commands"]);
    command.arg("--from").arg(path);
    let script = run(command).expect(4).stdout;
    assert!(script.contains("exit 4\n") && !script.contains("kubectl delete"), "{script}");
}
