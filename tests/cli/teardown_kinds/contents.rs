//! Namespaces, definitions and Applications: what is in them is deleted with them.

use serde_json::{Value, json};

use super::{cluster_config, codes, commands, config, database, definition, fate, namespace, platform, teardown, xrd};
use crate::support;
use crate::support::command::{run, ucp, ucp_on};
use crate::support::objects::{object, snapshot, with};

#[test]
fn deleting_a_namespace_deletes_its_databases() {
    let objects = [
        namespace("shop"),
        namespace("other"),
        database("orders", json!({"spec": {"providerConfigRef": {"kind": "ClusterProviderConfig", "name": "shared"}}})),
        cluster_config("crossplane-system"),
        object("v1", "Secret", "creds", json!({"metadata": {"namespace": "crossplane-system"}, "data": {"k": "eA=="}})),
    ];
    let document = teardown(&objects, &["namespace/shop"]).expect(0).json();
    assert_eq!((fate(&document, "orders"), fate(&document, "shop")), ("deleted", "removed"), "{document}");
    let empty = teardown(&objects, &["ns/other"]).expect(0).json();
    assert_eq!((fate(&empty, "orders"), fate(&empty, "other")), ("", "removed"), "{empty}");
}

/// Crossplane 2: the ProviderConfig is deleted before the managed resources that need it.
#[test]
fn a_namespace_with_its_provider_config_is_a_deadlock() {
    let objects = [namespace("shop"), database("orders", json!({})), config("shop")];
    let document = teardown(&objects, &["namespace/shop"]).expect(1).json();
    assert_eq!(fate(&document, "orders"), "stuck", "{document}");
    assert!(codes(&document).contains(&"UCP919"), "{document}");
    let order = commands(&document);
    let (first, then) = (order.find("kubectl delete instance"), order.find("kubectl delete namespace/shop"));
    assert!(first.is_some() && first < then, "{order}");
    // The credentials of a config that stays, in the namespace that is deleted.
    let by_cluster =
        database("orders", json!({"spec": {"providerConfigRef": {"kind": "ClusterProviderConfig", "name": "shared"}}}));
    let objects = [namespace("shop"), by_cluster, cluster_config("shop")];
    let document = teardown(&objects, &["namespace/shop"]).expect(1).json();
    assert_eq!(fate(&document, "orders"), "stuck", "{document}");
}

#[test]
fn deleting_a_definition_deletes_all_its_objects() {
    let orphan = json!({"spec": {"managementPolicies": ["Observe", "Create"]}});
    for (target, uses) in [
        ("crd/xdatabases.platform.example.org", "orders"),
        ("compositeresourcedefinition/xdatabases.platform.example.org", "orders"),
        ("xdatabase/orders", "orders"),
    ] {
        let document = teardown(&platform(), &[target]).expect(0).json();
        let instance = |item: &&Value| item["object"]["kind"] == "Instance";
        let items = document["items"].as_array().unwrap();
        assert_eq!(
            items.iter().find(instance).map(|item| &item["fate"]),
            Some(&json!("deleted")),
            "{target} {uses}: {document}"
        );
    }
    let objects = [
        definition("instances", "rds.aws.m.upbound.io", &["managed"], "Instance"),
        with(database("orders", orphan), &[json!({"metadata": {"namespace": null}})]),
    ];
    let document = teardown(&objects, &["crd/instances.rds.aws.m.upbound.io"]).expect(1).json();
    assert_eq!(fate(&document, "orders"), "orphaned", "{document}");
}

/// Files without an index may have been taken of some objects only.
#[test]
fn the_contents_of_a_namespace_or_definition_are_a_gap_in_files_without_an_index() {
    let targets = [
        (namespace("shop"), "namespace/shop"),
        (
            definition("xdatabases", "platform.example.org", &["composite"], "XDatabase"),
            "crd/xdatabases.platform.example.org",
        ),
        (xrd(), "xrd/xdatabases.platform.example.org"),
    ];
    for (container, target) in targets {
        let directory = tempfile::tempdir().unwrap();
        let path = snapshot(&directory, "part.json", std::slice::from_ref(&container)).unwrap();
        let mut command = ucp(["teardown", target, "-o", "json"]);
        command.arg("--from").arg(path);
        let document = run(command).expect(4).json();
        let gap = document["unreadable"][0]["what"].as_str().unwrap_or_default();
        assert!(gap.starts_with("the objects of "), "{target}: {document}");
        teardown(&[container], &[target]).expect(0);
    }
}

/// A Secret that was not read is deleted with its namespace, and a provider config that remains needs it.
#[test]
fn deleting_a_namespace_with_credentials_of_others_is_reported() {
    let objects = [namespace("creds"), cluster_config("creds")];
    let document = teardown(&objects, &["namespace/creds"]).expect(1).json();
    assert!(codes(&document).contains(&"UCP920"), "{document}");
    let elsewhere = [namespace("creds"), cluster_config("other")];
    assert!(!codes(&teardown(&elsewhere, &["namespace/creds"]).json()).contains(&"UCP920"));
}

#[test]
fn deleting_an_application_deletes_its_namespaces_but_not_definitions() {
    let deployed = |group: &str, kind: &str, name: &str| json!({"group": group, "version": "v1", "kind": kind, "name": name, "status": "Synced"});
    let application = |resource: Value| {
        object(
            "argoproj.io/v1alpha1",
            "Application",
            "platform",
            json!({
                "metadata": {"namespace": "argocd", "finalizers": ["resources-finalizer.argocd.argoproj.io"]},
                "spec": {"destination": {"server": "https://kubernetes.default.svc"}, "project": "default"},
                "status": {"resources": [resource]},
            }),
        )
    };
    let objects = [
        application(deployed("", "Namespace", "shop")),
        namespace("shop"),
        database("orders", json!({})),
        config("shop"),
    ];
    let document = teardown(&objects, &["application/platform"]).expect(1).json();
    assert_eq!(fate(&document, "orders"), "stuck", "{document}");
    let name = "instances.rds.aws.m.upbound.io";
    let objects = [
        application(deployed("apiextensions.k8s.io", "CustomResourceDefinition", name)),
        definition("instances", "rds.aws.m.upbound.io", &["managed"], "Instance"),
        database("orders", json!({})),
    ];
    let document = teardown(&objects, &["application/platform"]).expect(0).json();
    assert_eq!(fate(&document, "orders"), "", "{document}");
}

#[test]
fn contents_of_other_clusters_and_of_releases_are_unknown() {
    let application = |destination: Value| {
        let resources =
            json!([{"kind": "PersistentVolumeClaim", "version": "v1", "name": "data", "namespace": "shop"}]);
        let rest = json!({
            "metadata": {"namespace": "argocd", "uid": "a", "finalizers": ["resources-finalizer.argocd.argoproj.io"]},
            "spec": {"project": "default", "source": {"repoURL": "https://git.example.org/x", "path": "x"}, "destination": destination},
            "status": {"sync": {"status": "Synced"}, "health": {"status": "Healthy"}, "resources": resources},
        });
        object("argoproj.io/v1alpha1", "Application", "shop", rest)
    };
    let remote = application(json!({"name": "prod", "namespace": "shop"}));
    let document = teardown(&[remote], &["application/shop"]).expect(4).json();
    assert!(document["unreadable"].to_string().contains("in cluster prod"), "{document:#}");
    assert!(!commands(&document).contains("kubectl delete"), "{document:#}");
    let release = object(
        "helm.toolkit.fluxcd.io/v2",
        "HelmRelease",
        "db",
        json!({
            "metadata": {"namespace": "shop", "uid": "r", "finalizers": ["finalizers.fluxcd.io"]},
            "spec": {"chart": {"spec": {"chart": "postgres"}}},
            "status": {"history": [{"name": "db", "version": 1, "status": "deployed", "chartName": "postgres"}]},
        }),
    );
    let document = teardown(&[release], &["helmrelease/db", "-n", "shop"]).expect(4).json();
    assert!(document["unreadable"].to_string().contains("Helm release"), "{document:#}");
}

/// Only with a live server: kinds that no engine knows, read by their metadata alone, in a namespace of its own.
#[test]
fn foreign_finalizers_in_a_live_namespace_are_unknown() {
    let Some(cluster) = support::core_cluster() else { return };
    let held = |version: &str, kind: &str, name: &str, finalizers: &[&str], rest: Value| {
        let base = json!({
            "apiVersion": version, "kind": kind,
            "metadata": {"namespace": "held", "name": name, "finalizers": finalizers},
        });
        with(base, &[rest])
    };
    let schema = json!({"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}});
    let widgets = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.held.example.org"},
        "spec": {
            "group": "held.example.org", "scope": "Namespaced", "names": {"kind": "Widget", "plural": "widgets"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": schema}],
        },
    });
    support::run(async || {
        let objects = vec![
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "held"}}),
            widgets,
            held("v1", "ConfigMap", "plain", &[], json!({})),
            held("v1", "ConfigMap", "settings", &["vendor.example.org/cleanup"], json!({})),
            held("v1", "ServiceAccount", "robot", &["vendor.example.org/account"], json!({})),
            held("held.example.org/v1", "Widget", "thing", &["vendor.example.org/widget"], json!({})),
            held("held.example.org/v1", "Widget", "free", &[], json!({})),
        ];
        support::load::load_objects(&cluster.client(), objects).await
    })
    .unwrap();
    let ask = || run(ucp_on(cluster, ["teardown", "namespace/held", "-o", "json"]));
    let ran = ask().expect(4);
    let document = ran.json();
    for (name, finalizer) in [("settings", "cleanup"), ("robot", "account"), ("thing", "widget")] {
        assert_eq!(fate(&document, name), "unknown", "{ran:?}");
        let items = document["items"].as_array().unwrap();
        let item = items.iter().find(|item| item["object"]["name"] == name).unwrap().to_string();
        assert!(item.contains(&format!("vendor.example.org/{finalizer}")), "{ran:?}");
    }
    assert_eq!((fate(&document, "plain"), fate(&document, "free")), ("", "unknown"), "{ran:?}");
    // Once nothing holds them, everything would be deleted.
    for object in ["configmap/settings", "serviceaccount/robot", "widgets.held.example.org/thing"] {
        let patch = ["patch", object, "-n", "held", "--type=merge", "-p", r#"{"metadata":{"finalizers":null}}"#];
        assert!(cluster.kubectl(patch).output().unwrap().status.success(), "{object}");
    }
    let ran = ask();
    let document = ran.json();
    assert!(["settings", "robot"].iter().all(|name| fate(&document, name).is_empty()), "{ran:?}");
    // No rule covers a kind that no engine knows, with or without a finalizer.
    assert_eq!(fate(&document, "thing"), "unknown", "{ran:?}");
}
