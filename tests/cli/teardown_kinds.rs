//! `teardown` of objects that contain others, and of kinds that no engine knows: the consequences are known, or unknown.

use serde_json::{Value, json};

use crate::support;
use crate::support::command::{Ran, run, ucp, ucp_on};
use crate::support::objects::{index, object, provider_of, snapshot, whole_snapshot, with};

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

#[test]
fn deleting_a_configuration_deletes_what_its_revisions_installed() {
    let mut objects = platform();
    objects.push(object(
        "pkg.crossplane.io/v1",
        "Configuration",
        "platform",
        json!({"metadata": {"uid": "c"}, "spec": {"package": "x"}}),
    ));
    objects.push(object(
        "pkg.crossplane.io/v1",
        "ConfigurationRevision",
        "platform-1",
        json!({
            "metadata": {"uid": "cr", "labels": {"pkg.crossplane.io/package": "platform"}, "ownerReferences": [
                {"apiVersion": "pkg.crossplane.io/v1", "kind": "Configuration", "name": "platform", "uid": "c", "controller": true},
            ]},
            "spec": {"desiredState": "Active", "image": "x", "revision": 1},
            "status": {"objectRefs": [
                {"apiVersion": "apiextensions.crossplane.io/v1", "kind": "CompositeResourceDefinition", "name": "xdatabases.platform.example.org"},
                {"apiVersion": "apiextensions.crossplane.io/v1", "kind": "Composition", "name": "databases"},
            ]},
        }),
    ));
    let document = teardown(&objects, &["configuration/platform"]).expect(0).json();
    let items = document["items"].as_array().unwrap();
    let instance = items.iter().find(|item| item["object"]["kind"] == "Instance");
    assert_eq!(instance.map(|item| &item["fate"]), Some(&json!("deleted")), "{document}");
    // The package creates a revision again, and its installed objects stay.
    let document = teardown(&objects, &["configurationrevision/platform-1"]).json();
    assert!(
        document["items"].as_array().unwrap().iter().all(|item| item["object"]["kind"] != "Instance"),
        "{document}"
    );
}

#[test]
fn deleting_compositions_and_functions_in_use_is_reported() {
    let mut objects = platform();
    objects.push(object(
        "pkg.crossplane.io/v1",
        "Function",
        "patch",
        json!({"metadata": {"uid": "f"}, "spec": {"package": "x"}}),
    ));
    for target in ["composition/databases", "function/patch"] {
        let document = teardown(&objects, &[target]).expect(1).json();
        assert_eq!(codes(&document), ["UCP920"], "{target}: {document}");
    }
    let unused: Vec<Value> =
        objects.into_iter().filter(|one| one["kind"] != "XDatabase" && one["kind"] != "Composition").collect();
    assert_eq!(codes(&teardown(&unused, &["function/patch"]).expect(0).json()), [""; 0]);
}

#[test]
fn objects_that_no_rule_covers_are_unknown_and_never_deleted() {
    let widget = object("acme.example.org/v1", "Widget", "w", json!({"metadata": {"namespace": "shop", "uid": "w"}}));
    let claim = object(
        "v1",
        "PersistentVolumeClaim",
        "data",
        json!({"metadata": {"namespace": "shop"}, "spec": {"volumeName": "pv-1"}}),
    );
    for (objects, target) in [
        (vec![widget.clone(), namespace("shop")], &["widget/w", "-n", "shop"][..]),
        (vec![widget.clone(), namespace("shop")], &["namespace/shop"]),
        (vec![widget, definition("widgets", "acme.example.org", &[], "Widget")], &["crd/widgets.acme.example.org"]),
        (vec![claim.clone(), namespace("shop")], &["namespace/shop"]),
    ] {
        let document = teardown(&objects, target).expect(4).json();
        assert!(document["counts"]["unknown"].as_u64() > Some(0), "{target:?}: {document}");
        assert!(!commands(&document).contains("kubectl delete"), "{target:?}: {document}");
    }
    let config = object("v1", "ConfigMap", "settings", json!({"metadata": {"namespace": "shop", "uid": "m"}}));
    let document = teardown(&[config], &["configmap/settings", "-n", "shop"]).expect(0).json();
    assert!(commands(&document).contains("kubectl delete configmap/settings -n shop"), "{document}");
    for (policy, expected, code) in [("Delete", "deleted", 0), ("Retain", "orphaned", 1)] {
        let volume = object(
            "v1",
            "PersistentVolume",
            "pv-1",
            json!({"spec": {"persistentVolumeReclaimPolicy": policy, "csi": {"volumeHandle": "vol-1"}}}),
        );
        let document = teardown(&[claim.clone(), volume, namespace("shop")], &["namespace/shop"]).expect(code).json();
        assert_eq!(fate(&document, "data"), expected, "{document}");
    }
}

#[test]
fn finalizers_and_load_balancers_that_no_rule_covers_are_unknown() {
    let at =
        |address: Value| json!({"metadata": {"namespace": "shop", "uid": "i"}, "status": {"loadBalancer": address}});
    let ingress = |address: Value| object("networking.k8s.io/v1", "Ingress", "web", at(address));
    let held = |kind: &str, version: &str, finalizer: &str| {
        let metadata = json!({"metadata": {"namespace": "shop", "uid": "o", "finalizers": [finalizer]}});
        object(version, kind, "one", metadata)
    };
    for (one, target, code) in [
        (ingress(json!({"ingress": [{"hostname": "lb-1.example.org"}]})), "ingress/web", 4),
        (ingress(json!({})), "ingress/web", 0),
        (held("Job", "batch/v1", "cleanup.example.org/bucket"), "job/one", 4),
        (held("ConfigMap", "v1", "cleanup.example.org/bucket"), "configmap/one", 4),
        (held("Secret", "v1", "notkubernetes.io/bucket"), "secret/one", 4),
        (held("Job", "batch/v1", "batch.kubernetes.io/job-tracking"), "job/one", 0),
        (held("ConfigMap", "v1", "foregroundDeletion"), "configmap/one", 0),
    ] {
        let document = teardown(&[one.clone(), namespace("shop")], &[target, "-n", "shop"]).expect(code).json();
        assert_eq!(commands(&document).contains("kubectl delete"), code == 0, "{one}: {document}");
    }
}

#[test]
fn objects_owned_by_a_workload_are_deleted_with_it() {
    let owned = |version: &str, kind: &str, name: &str, owner: (&str, &str, &str), rest: Value| {
        let owner =
            json!({"apiVersion": owner.0, "kind": owner.1, "name": owner.2, "uid": owner.2, "controller": true});
        let base = json!({"metadata": {"namespace": "shop", "uid": name, "ownerReferences": [owner]}});
        with(object(version, kind, name, base), &[rest])
    };
    let set = object("apps/v1", "StatefulSet", "db", json!({"metadata": {"namespace": "shop", "uid": "db"}}));
    let volume = json!({"spec": {"persistentVolumeReclaimPolicy": "Delete", "csi": {"volumeHandle": "vol-1"}}});
    let objects = [
        set,
        owned("v1", "Pod", "db-0", ("apps/v1", "StatefulSet", "db"), json!({})),
        owned("v1", "PersistentVolumeClaim", "data", ("v1", "Pod", "db-0"), json!({"spec": {"volumeName": "pv-1"}})),
        object("v1", "PersistentVolume", "pv-1", volume),
        owned(
            "v1",
            "Service",
            "lb",
            ("apps/v1", "StatefulSet", "db"),
            json!({"metadata": {"finalizers": ["service.kubernetes.io/load-balancer-cleanup"]}, "spec": {"type": "LoadBalancer"}}),
        ),
    ];
    let document = teardown(&objects, &["statefulset/db", "-n", "shop"]).json();
    assert_eq!((fate(&document, "data"), fate(&document, "lb")), ("deleted", "deleted"), "{document}");
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

/// A provider deletes nothing without its config, or without the credentials that this names.
#[test]
fn a_managed_resource_needs_its_config_and_the_credentials_of_that() {
    let config = |spec: Value| {
        object("aws.upbound.io/v1beta1", "ProviderConfig", "default", json!({"spec": {"credentials": spec}}))
    };
    let by_secret = config(json!({"source": "Secret", "secretRef": {"namespace": "creds", "name": "aws", "key": "k"}}));
    let secret = |name: &str| {
        object("v1", "Secret", name, json!({"metadata": {"namespace": "creds", "uid": name}, "data": {"k": "eA=="}}))
    };
    let check_contents = |is_whole: bool, objects: &[Value], expected: &str, code: i32| {
        let directory = tempfile::tempdir().unwrap();
        let provider = if is_whole { provider_of("s3", "buckets.s3.aws.upbound.io", 1) } else { Vec::new() };
        let objects = [&[bucket(json!({}))], objects, &provider].concat();
        let mut path = snapshot(&directory, "core.json", &objects).unwrap();
        if is_whole {
            let list = std::fs::read_to_string(&path).unwrap();
            let index = index("2026-11-01T09:00:00Z", "");
            path = directory.path().join("core.yaml");
            std::fs::write(&path, format!("{index}\n---\n{list}\n")).unwrap();
        }
        let mut command = ucp(["teardown", "bucket/logs", "-o", "json"]);
        command.arg("--from").arg(path);
        let document = run(command).expect(code).json();
        assert_eq!(fate(&document, "logs"), expected, "{document}");
    };
    check_contents(true, &[config(json!({"source": "None"}))], "deleted", 0);
    check_contents(true, &[by_secret.clone(), secret("aws")], "deleted", 0);
    // No kind of the family is served.
    check_contents(true, &[], "stuck", 1);
    check_contents(false, &[], "unknown", 4);
    check_contents(true, &[by_secret.clone(), secret("other")], "stuck", 1);
    check_contents(false, &[by_secret], "unknown", 4);
}

/// Crossplane makes the revision of a package again, and until then nothing runs.
#[test]
fn deleting_the_active_revision_of_a_package_in_use_is_reported() {
    let mut objects = platform();
    let revision = |state: &str| {
        let owners = json!([{"apiVersion": "pkg.crossplane.io/v1", "kind": "Function", "name": "patch", "uid": "f", "controller": true}]);
        let rest = json!({
            "metadata": {"uid": format!("fr-{state}"), "labels": {"pkg.crossplane.io/package": "patch"}, "ownerReferences": owners},
            "spec": {"desiredState": state, "image": "x", "revision": 1},
        });
        object("pkg.crossplane.io/v1", "FunctionRevision", &format!("patch-{}", state.to_lowercase()), rest)
    };
    let package = json!({"metadata": {"uid": "f"}, "spec": {"package": "x"}});
    objects.extend([
        object("pkg.crossplane.io/v1", "Function", "patch", package),
        revision("Active"),
        revision("Inactive"),
    ]);
    assert_eq!(codes(&teardown(&objects, &["functionrevision/patch-active"]).expect(1).json()), ["UCP920"]);
    assert_eq!(codes(&teardown(&objects, &["functionrevision/patch-inactive"]).expect(0).json()), [""; 0]);
    // The Deployment of a provider is deleted with its revision, and a kind that only the revision owns with its objects.
    let mut objects = provider_of("s3", "buckets.s3.aws.upbound.io", 1);
    objects.push(bucket(json!({})));
    let document = teardown(&objects, &["providerrevision/s3-1"]).expect(1).json();
    assert_eq!(codes(&document), ["UCP920", "UCP920"], "{document}");
    let owner = json!([{"apiVersion": "pkg.crossplane.io/v1", "kind": "ProviderRevision", "name": "s3-1", "uid": "r", "controller": true}]);
    let owned = with(
        definition("buckets", "s3.aws.upbound.io", &["managed"], "Bucket"),
        &[json!({"metadata": {"ownerReferences": owner}})],
    );
    objects.push(owned);
    let document = teardown(&objects, &["providerrevision/s3-1"]).expect(1).json();
    assert_eq!(fate(&document, "logs"), "stuck", "{document}");
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

/// The finalizer of its provider makes the API server wait for the deletion outside.
#[test]
fn a_managed_resource_is_only_deleted_outside_by_the_finalizer_of_its_provider() {
    for (finalizers, expected, code) in [
        (json!(["finalizer.managedresource.crossplane.io"]), "deleted", 0),
        (json!(["finalizer.managedresource.crossplane.io", "example.org/hold"]), "unknown", 4),
        (json!([]), "orphaned", 1),
    ] {
        let one = with(bucket(json!({})), &[json!({"metadata": {"finalizers": finalizers}})]);
        let document = teardown(&[one], &["bucket/logs"]).expect(code).json();
        assert_eq!(fate(&document, "logs"), expected, "{finalizers}: {document}");
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
fn policies_and_conditions_decide_the_fate_of_a_resource() {
    let failed = |reason: &str, message: &str| json!({"status": {"conditions": [{"type": "Synced", "status": "False", "reason": reason, "message": message, "lastTransitionTime": "2026-11-01T09:00:00Z"}]}});
    let newer = object(
        "v1",
        "ConfigMap",
        "later",
        json!({"metadata": {"creationTimestamp": "2026-11-06T09:00:00Z", "namespace": "x"}}),
    );
    let other = object(
        "aws.upbound.io/v1beta1",
        "ProviderConfig",
        "other",
        json!({"spec": {"credentials": {"source": "None"}}}),
    );
    for (rest, expected) in [
        (json!({"spec": {"forProvider": {"deletionPolicy": "ABANDON"}}}), "orphaned"),
        (json!({"spec": {"forProvider": {"skipDestroy": true}}}), "orphaned"),
        (json!({"spec": {"forProvider": {"deletionPolicy": "SOME_NEW_POLICY"}}}), "unknown"),
        (json!({"status": {"atProvider": {"keepOnDelete": true}}}), "unknown"),
        (json!({"status": {"atProvider": {"deletionProtection": true}}}), "stuck"),
        (json!({"spec": {"initProvider": {"deletionProtection": true}}}), "stuck"),
        (json!({"spec": {"forProvider": {"settings": [{"deletionProtectionEnabled": true}]}}}), "stuck"),
        (json!({"spec": {"forProvider": {"skipFinalSnapshot": false}}}), "stuck"),
        (json!({"spec": {"forProvider": {"forceDestroy": false}}}), "stuck"),
        (json!({"metadata": {"deletionTimestamp": "2026-11-01T09:00:00Z"}}), "stuck"),
        (failed("ReconcileError", "observe failed: api error AccessDenied: no"), "stuck"),
        (failed("ReconcileError", "update failed: AccessDeniedException: not authorized to perform"), "stuck"),
        (json!({"spec": {"forProvider": {"forceDestroy": true, "deletionProtection": false}}}), "deleted"),
    ] {
        let document = teardown(&[bucket(rest.clone()), newer.clone()], &["bucket/logs"]).json();
        assert_eq!(fate(&document, "logs"), expected, "{rest}: {document}");
    }
    // A config of the family exists, and the one that it names does not.
    let document = teardown(&[bucket(json!({})), other], &["bucket/logs"]).expect(1).json();
    assert_eq!(fate(&document, "logs"), "stuck", "{document}");
}

#[test]
fn objects_that_an_engine_must_keep_are_kept() {
    let application = object(
        "argoproj.io/v1alpha1",
        "Application",
        "shop",
        json!({
            "metadata": {"namespace": "argocd", "finalizers": ["resources-finalizer.argocd.argoproj.io"]},
            "spec": {"destination": {"server": "https://kubernetes.default.svc"}, "project": "default"},
            "status": {"resources": [
                {"group": "s3.aws.upbound.io", "version": "v1beta1", "kind": "Bucket", "name": "logs", "status": "Synced"},
            ]},
        }),
    );
    let kustomization = object(
        "kustomize.toolkit.fluxcd.io/v1",
        "Kustomization",
        "shop",
        json!({
            "metadata": {"namespace": "flux-system", "finalizers": ["finalizers.fluxcd.io"]}, "spec": {"prune": true},
            "status": {"inventory": {"entries": [{"id": "_logs_s3.aws.upbound.io_Bucket", "v": "v1beta1"}]}},
        }),
    );
    let annotated = |key: &str, value: &str| json!({"metadata": {"annotations": {key: value}}});
    let labelled = |key: &str, value: &str| json!({"metadata": {"labels": {key: value}}});
    let released = with(kustomization.clone(), &[json!({"metadata": {"finalizers": []}})]);
    let of_other = json!({"metadata": {"labels": {
        "kustomize.toolkit.fluxcd.io/name": "other", "kustomize.toolkit.fluxcd.io/namespace": "flux-system",
    }}});
    let by_shop = json!({"metadata": {"labels": {
        "kustomize.toolkit.fluxcd.io/name": "shop", "kustomize.toolkit.fluxcd.io/namespace": "flux-system",
    }}});
    for (owner, target, rest, expected) in [
        // Without its finalizer, its controller deletes nothing.
        (&released, "kustomization/shop", json!({}), "kept"),
        // Each engine deletes the objects that it tracks itself.
        (&kustomization, "kustomization/shop", of_other, "kept"),
        (&application, "application/shop", annotated("argocd.argoproj.io/tracking-id", "other:a/B:c/d"), "kept"),
        (&application, "application/shop", annotated("argocd.argoproj.io/tracking-id", "shop:a/B:c/d"), "deleted"),
        (&kustomization, "kustomization/shop", labelled("kustomize.toolkit.fluxcd.io/prune", "disabled"), "kept"),
        (&kustomization, "kustomization/shop", labelled("kustomize.toolkit.fluxcd.io/reconcile", "disabled"), "kept"),
        (&kustomization, "kustomization/shop", annotated("kustomize.toolkit.fluxcd.io/reconcile", "Disabled"), "kept"),
        (
            &kustomization,
            "kustomization/shop",
            with(labelled("kustomize.toolkit.fluxcd.io/prune", "enabled"), &[by_shop]),
            "deleted",
        ),
        (&application, "application/shop", annotated("helm.sh/resource-policy", "keep"), "kept"),
        (&application, "application/shop", labelled("kustomize.toolkit.fluxcd.io/prune", "disabled"), "deleted"),
    ] {
        let document = teardown(&[owner.clone(), bucket(rest.clone())], &[target]).expect(0).json();
        assert_eq!(fate(&document, "logs"), expected, "{target} {rest}: {document}");
    }
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
fn another_object_of_the_same_external_resource_is_reported() {
    let arn = json!({"status": {"atProvider": {"arn": "arn:aws:s3:::acme-logs-and-more"}}});
    let twin = with(bucket(arn.clone()), &[json!({"metadata": {"name": "twin", "uid": "twin"}})]);
    let objects = [bucket(arn), twin];
    let document = teardown(&objects, &["bucket/logs"]).expect(1).json();
    assert_eq!(codes(&document), ["UCP921"], "{document}");
    assert_eq!(codes(&teardown(&objects, &["bucket/logs", "bucket/twin"]).expect(0).json()), [""; 0]);
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

/// The garbage collector deletes what a managed resource owns, of any kind.
#[test]
fn objects_owned_by_a_managed_resource_are_deleted_with_it() {
    let owned = |version: &str, kind: &str, name: &str, uid: &str| {
        let owner =
            json!({"apiVersion": "rds.aws.m.upbound.io/v1beta1", "kind": "Instance", "name": "orders", "uid": uid});
        object(version, kind, name, json!({"metadata": {"namespace": "shop", "uid": name, "ownerReferences": [owner]}}))
    };
    let secret = object("v1", "Secret", "creds", json!({"metadata": {"namespace": "shop"}, "data": {"k": "eA=="}}));
    let plan = |more: &[Value]| {
        let objects =
            [&[namespace("shop"), config("shop"), secret.clone(), database("orders", json!({}))], more].concat();
        teardown(&objects, &["instance/orders", "-n", "shop"])
    };
    plan(&[]).expect(0);
    let widget = |uid: &str| owned("example.org/v1", "Widget", "display", uid);
    let document = plan(&[widget("orders")]).expect(4).json();
    assert_eq!(fate(&document, "display"), "unknown", "{document:#}");
    assert_eq!(commands(&document).matches("kubectl delete").count(), 0, "{document:#}");
    let balancer = with(
        owned("v1", "Service", "front", "orders"),
        &[json!({"spec": {"type": "LoadBalancer"}, "status": {"loadBalancer": {"ingress": [{"ip": "192.0.2.1"}]}}})],
    );
    let finalizer = json!({"metadata": {"finalizers": ["service.kubernetes.io/load-balancer-cleanup"]}});
    let document = plan(&[with(balancer.clone(), &[finalizer])]).json();
    assert_eq!(fate(&document, "front"), "deleted", "{document:#}");
    assert_eq!(fate(&plan(&[balancer]).expect(4).json(), "front"), "unknown");
    // Of an earlier object with the same name.
    let document = plan(&[widget("other")]).expect(0).json();
    assert_eq!(fate(&document, "display"), "kept", "{document:#}");
}
