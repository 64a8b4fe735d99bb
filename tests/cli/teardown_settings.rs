//! `teardown` of the kinds that configure Crossplane, and of objects that Kubernetes itself keeps.

use serde_json::{Value, json};

use crate::support::command::{run, ucp};
use crate::support::objects::{object, whole_snapshot, with};
use crate::teardown_kinds::{codes, fate, teardown};

fn deletes(document: &Value) -> bool {
    document["steps"].to_string().contains("kubectl delete")
}

const DATABASES: &str = "instances.rds.aws.m.upbound.io";

fn owner(api_version: &str, kind: &str, name: &str, controls: bool) -> Value {
    json!({"apiVersion": api_version, "kind": kind, "name": name, "uid": name, "controller": controls})
}

fn managed_definition() -> Value {
    object(
        "apiextensions.crossplane.io/v1alpha1",
        "ManagedResourceDefinition",
        DATABASES,
        json!({
            "metadata": {"uid": DATABASES},
            "spec": {"state": "Active", "group": "rds.aws.m.upbound.io", "names": {"kind": "Instance", "plural": "instances"}},
        }),
    )
}

fn definition(owners: &[Value]) -> Value {
    object(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        DATABASES,
        json!({
            "metadata": {"uid": "crd", "ownerReferences": owners},
            "spec": {
                "group": "rds.aws.m.upbound.io", "scope": "Namespaced",
                "names": {"kind": "Instance", "plural": "instances", "categories": ["managed"]},
                "versions": [{"name": "v1beta1", "served": true, "storage": true}],
            },
        }),
    )
}

fn database() -> Value {
    object(
        "rds.aws.m.upbound.io/v1beta1",
        "Instance",
        "orders",
        json!({
            "metadata": {"namespace": "shop", "uid": "orders", "finalizers": ["finalizer.managedresource.crossplane.io"]},
            "spec": {"forProvider": {"region": "eu-west-1", "skipFinalSnapshot": true}},
        }),
    )
}

/// Crossplane 2: the definition of a managed kind owns its CRD, together with the revision of the provider.
#[test]
fn a_managed_resource_definition_deletes_its_objects_unless_a_provider_owns_it() {
    let by_definition = || owner("apiextensions.crossplane.io/v1alpha1", "ManagedResourceDefinition", DATABASES, false);
    let target = format!("managedresourcedefinition/{DATABASES}");
    let alone = [managed_definition(), definition(&[by_definition()]), database()];
    let document = teardown(&alone, &[&target]).expect(0).json();
    assert_eq!(fate(&document, "orders"), "deleted", "{document:#}");

    let revision = object(
        "pkg.crossplane.io/v1",
        "ProviderRevision",
        "rds-1",
        json!({"metadata": {"uid": "rds-1"}, "spec": {"desiredState": "Active", "image": "x", "revision": 1}}),
    );
    let by_revision = owner("pkg.crossplane.io/v1", "ProviderRevision", "rds-1", true);
    let kept = [managed_definition(), definition(&[by_definition(), by_revision]), database(), revision];
    let document = teardown(&kept, &[&target]).expect(0).json();
    assert_eq!(fate(&document, "orders"), "", "{document:#}");
    let is_kept = |item: &Value| item["object"]["kind"] == "CustomResourceDefinition" && item["fate"] == "kept";
    assert!(document["items"].as_array().unwrap().iter().any(is_kept), "{document:#}");

    let directory = tempfile::tempdir().unwrap();
    let path = whole_snapshot(&directory, "core", &[managed_definition(), database()]).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let lines =
        text.lines().filter(|line| !line.contains("\"customresourcedefinitions\"")).map(|line| format!("{line}\n"));
    std::fs::write(&path, lines.collect::<String>()).unwrap();
    let mut command = ucp(["teardown", "-o", "json", target.as_str(), "--from"]);
    command.arg(path);
    let unread = run(command).expect(4).json();
    assert!(!deletes(&unread) && unread["unreadable"].to_string().contains(DATABASES), "{unread:#}");
}

fn package(kind: &str, spec: Value, status: Value) -> Value {
    let base = json!({"metadata": {"uid": "package"}, "spec": {"package": "xpkg.example.org/a/b:v1"}});
    with(object("pkg.crossplane.io/v1", kind, "package", base), &[json!({"spec": spec, "status": status})])
}

fn composite(spec: Value) -> Value {
    let base = json!({"metadata": {"uid": "xr"}, "spec": {"compositionRef": {"name": "databases"}}});
    let made = object("platform.example.org/v1", "XDatabase", "orders", base);
    with(made, &[json!({"spec": spec, "metadata": {"finalizers": ["composite.apiextensions.crossplane.io"]}})])
}

/// The definition of the composites, which has their category.
fn composites() -> Value {
    object(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        "xdatabases.platform.example.org",
        json!({
            "metadata": {"uid": "crd-xr"},
            "spec": {
                "group": "platform.example.org", "scope": "Cluster",
                "names": {"kind": "XDatabase", "plural": "xdatabases", "categories": ["composite"]},
                "versions": [{"name": "v1", "served": true, "storage": true}],
            },
        }),
    )
}

fn composition(input: Value) -> Value {
    object(
        "apiextensions.crossplane.io/v1",
        "Composition",
        "databases",
        json!({
            "metadata": {"uid": "comp"},
            "spec": {
                "compositeTypeRef": {"apiVersion": "platform.example.org/v1", "kind": "XDatabase"},
                "mode": "Pipeline",
                "pipeline": [{"step": "a", "functionRef": {"name": "f"}, "input": input}],
            },
        }),
    )
}

#[test]
fn deleting_settings_in_use_is_reported_and_unknown_use_is_unknown() {
    let setting = |group: &str, kind: &str| {
        object(&format!("{group}/v1beta1"), kind, "mine", json!({"metadata": {"uid": "mine"}}))
    };
    let of_packages = |kind: &str| setting("pkg.crossplane.io", kind);
    let environment = || setting("apiextensions.crossplane.io", "EnvironmentConfig");
    let revision = || setting("apiextensions.crossplane.io", "CompositionRevision");
    let none = || json!({});
    let image = |name: &str| json!({"appliedImageConfigRefs": [{"name": name, "reason": "SetImagePullSecret"}]});
    let reads = |name: &str| {
        composition(json!({"spec": {"environmentConfigs": [{"type": "Reference", "ref": {"name": name}}]}}))
    };
    let selects =
        composition(json!({"spec": {"environmentConfigs": [{"type": "Selector", "selector": {"matchLabels": []}}]}}));
    let pinned = |policy: &str, name: &str| {
        composite(json!({"crossplane": {"compositionUpdatePolicy": policy, "compositionRevisionRef": {"name": name}}}))
    };
    let by_image = object(
        "pkg.crossplane.io/v1beta1",
        "ImageConfig",
        "other",
        json!({"metadata": {"uid": "ic"}, "spec": {"runtime": {"configRef": {"name": "mine"}}}}),
    );
    for (what, user, code) in [
        (
            of_packages("DeploymentRuntimeConfig"),
            package("Provider", json!({"runtimeConfigRef": {"name": "mine"}}), none()),
            1,
        ),
        (
            of_packages("DeploymentRuntimeConfig"),
            package("Provider", json!({"runtimeConfigRef": {"name": "default"}}), none()),
            0,
        ),
        (of_packages("DeploymentRuntimeConfig"), by_image, 1),
        (
            of_packages("ControllerConfig"),
            package("Provider", json!({"controllerConfigRef": {"name": "mine"}}), none()),
            1,
        ),
        (of_packages("ImageConfig"), package("Configuration", none(), image("mine")), 1),
        (of_packages("ImageConfig"), package("Configuration", none(), image("other")), 0),
        (revision(), pinned("Manual", "mine"), 1),
        (revision(), pinned("Automatic", "mine"), 0),
        (revision(), pinned("Manual", "other"), 0),
        (environment(), reads("mine"), 1),
        (environment(), selects, 4),
        (environment(), composition(json!({"template": "kind: Deployment"})), 0),
        (environment(), composite(json!({"environmentConfigRefs": [{"name": "mine"}]})), 1),
        (
            setting("secrets.crossplane.io", "StoreConfig"),
            composite(json!({"publishConnectionDetailsTo": {"name": "x", "configRef": {"name": "mine"}}})),
            1,
        ),
        (of_packages("LaterKind"), package("Provider", none(), none()), 4),
    ] {
        let target = format!("{}.{}/mine", what["kind"].as_str().unwrap().to_lowercase(), group_of(&what));
        let document = teardown(&[what.clone(), user.clone(), composites()], &[&target]).expect(code).json();
        assert_eq!(codes(&document).contains(&"UCP920"), code == 1, "{what} {user}: {document:#}");
        assert_eq!(deletes(&document), code != 4, "{what} {user}: {document:#}");
    }
}

fn group_of(object: &Value) -> String {
    object["apiVersion"].as_str().unwrap().split('/').next().unwrap().to_owned()
}

/// The webhook recorded an attempt to delete the database, which Crossplane repeats without the Usage.
#[test]
fn deleting_a_usage_with_replay_deletion_deletes_the_used_object() {
    let usage = |replays: bool| {
        object(
            "protection.crossplane.io/v1beta1",
            "Usage",
            "keep",
            json!({"metadata": {"namespace": "shop", "uid": "u"}, "spec": {"replayDeletion": replays, "reason": "live",
                "of": {"apiVersion": "rds.aws.m.upbound.io/v1beta1", "kind": "Instance", "resourceRef": {"name": "orders"}}}}),
        )
    };
    let attempted = with(
        database(),
        &[json!({"metadata": {"annotations": {"usage.crossplane.io/deletion-attempt-with-policy": "Background"}}})],
    );
    for (replays, used, expected) in
        [(true, attempted.clone(), true), (false, attempted, false), (true, database(), false)]
    {
        let document = teardown(&[usage(replays), used], &["usage/keep", "-n", "shop"]).json();
        assert_eq!(!fate(&document, "orders").is_empty(), expected, "{replays}: {document:#}");
    }
}

#[test]
fn namespaces_that_the_api_server_keeps_are_never_deleted() {
    for name in ["default", "kube-system", "kube-public"] {
        let namespace = object("v1", "Namespace", name, json!({"metadata": {"uid": name}}));
        let inside = with(database(), &[json!({"metadata": {"namespace": name}})]);
        let document = teardown(&[namespace, inside], &[&format!("namespace/{name}")]).expect(1).json();
        assert_eq!((fate(&document, name), fate(&document, "orders")), ("stuck", ""), "{document:#}");
        assert!(codes(&document).contains(&"UCP923") && !deletes(&document), "{document:#}");
    }
}

#[test]
fn claims_and_disks_in_use_are_kept() {
    let claim = object(
        "v1",
        "PersistentVolumeClaim",
        "data",
        json!({"metadata": {"namespace": "shop", "uid": "c"}, "spec": {"volumeName": "pv-1"}}),
    );
    let volume = |finalizers: &[&str]| {
        object(
            "v1",
            "PersistentVolume",
            "pv-1",
            json!({
                "metadata": {"uid": "pv", "finalizers": finalizers},
                "spec": {"persistentVolumeReclaimPolicy": "Delete", "csi": {"volumeHandle": "vol-1"}, "claimRef": {"namespace": "shop", "name": "data"}},
                "status": {"phase": "Bound"},
            }),
        )
    };
    let pod = |volumes: Value, node: &str| {
        object(
            "v1",
            "Pod",
            "db",
            json!({"metadata": {"namespace": "shop", "uid": "p"}, "spec": {"nodeName": node, "volumes": volumes}}),
        )
    };
    let named = json!([{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]);
    let other = json!([{"name": "data", "persistentVolumeClaim": {"claimName": "other"}}]);
    let namespace = object("v1", "Namespace", "shop", json!({"metadata": {"uid": "ns"}}));
    let kept = volume(&["external-provisioner.volume.kubernetes.io/finalizer"]);
    for (objects, target, expected) in [
        (vec![pod(named.clone(), "node")], "persistentvolumeclaim/data", "stuck"),
        (vec![pod(other, "node")], "persistentvolumeclaim/data", "deleted"),
        (vec![pod(named.clone(), "")], "persistentvolumeclaim/data", "deleted"),
        (vec![pod(named, "node"), namespace.clone()], "namespace/shop", "deleted"),
    ] {
        let all = [objects, vec![claim.clone(), kept.clone()]].concat();
        let scope: &[&str] = if target.starts_with("namespace") { &[target] } else { &[target, "-n", "shop"] };
        let document = teardown(&all, scope).json();
        assert_eq!(fate(&document, "data"), expected, "{target}: {document:#}");
        assert_eq!(codes(&document).contains(&"UCP917"), expected == "stuck", "{document:#}");
    }
    let document = teardown(&[claim.clone(), kept.clone(), namespace], &["persistentvolume/pv-1"]).expect(1).json();
    assert_eq!(fate(&document, "pv-1"), "stuck", "{document:#}");
    // Without a finalizer of its provisioner, a volume that is deleted itself leaves its disk behind.
    let released = |one: Value| with(one, &[json!({"status": {"phase": "Released"}})]);
    for (one, expected) in [(kept, "deleted"), (volume(&["kubernetes.io/pv-protection"]), "orphaned")] {
        let document = teardown(&[claim.clone(), released(one)], &["persistentvolume/pv-1"]).json();
        assert_eq!(fate(&document, "pv-1"), expected, "{document:#}");
    }
}

#[test]
fn a_load_balancer_is_deleted_with_a_service_that_waits_for_it() {
    let address = json!({"loadBalancer": {"ingress": [{"hostname": "lb-1.example.org"}]}});
    for (finalizers, status, expected, code) in [
        (json!(["service.kubernetes.io/load-balancer-cleanup"]), address.clone(), "deleted", 0),
        (json!(["service.k8s.aws/resources"]), address.clone(), "deleted", 0),
        (json!([]), address, "unknown", 4),
        (json!([]), json!({}), "removed", 0),
    ] {
        let service = object(
            "v1",
            "Service",
            "web",
            json!({"metadata": {"namespace": "shop", "uid": "s", "finalizers": finalizers}, "spec": {"type": "LoadBalancer"}, "status": status}),
        );
        let document = teardown(&[service], &["service/web", "-n", "shop"]).expect(code).json();
        assert_eq!(fate(&document, "web"), expected, "{finalizers}: {document:#}");
    }
}

/// Azure refuses to delete resources in the scope of a lock, and resources that contain them.
#[test]
fn a_remaining_lock_protects_the_resources_in_its_scope() {
    let of_azure = |group: &str, kind: &str, name: &str, fields: Value, id: &str| {
        object(
            &format!("{group}/v1beta1"),
            kind,
            name,
            json!({
                "metadata": {"uid": name, "finalizers": ["finalizer.managedresource.crossplane.io"]},
                "spec": {"forProvider": fields, "providerConfigRef": {"name": "default"}},
                "status": {"atProvider": {"id": id}},
            }),
        )
    };
    let lock = |scope: &str| {
        let fields = json!({"lockLevel": "CanNotDelete", "scope": scope});
        let id = format!("{scope}/providers/Microsoft.Authorization/locks/keep");
        of_azure("authorization.azure.upbound.io", "ManagementLock", "keep", fields, &id)
    };
    let group = of_azure(
        "azure.upbound.io",
        "ResourceGroup",
        "shop",
        json!({"location": "x"}),
        "/subscriptions/s/resourceGroups/shop",
    );
    for (scope, expected) in [
        ("/subscriptions/S/resourcegroups/shop", "stuck"),
        ("/subscriptions/s", "stuck"),
        ("/subscriptions/s/resourceGroups/shop/providers/Microsoft.Storage/storageAccounts/a", "stuck"),
        ("/subscriptions/s/resourceGroups/shop-2", "deleted"),
    ] {
        let objects = [group.clone(), lock(scope)];
        let document = teardown(&objects, &["resourcegroup/shop"]).json();
        assert_eq!(fate(&document, "shop"), expected, "{scope}: {document:#}");
        let document = teardown(&objects, &["resourcegroup/shop", "managementlock/keep"]).json();
        assert_eq!(fate(&document, "shop"), "deleted", "{scope}: {document:#}");
    }
}
