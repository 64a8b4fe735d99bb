//! The fates of objects by their finalizers, owners and policies.

use serde_json::{Value, json};

use super::{bucket, codes, commands, config, database, definition, fate, namespace, teardown};
use crate::support::command::{run, ucp};
use crate::support::objects::{index, object, provider_of, snapshot, with};

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
fn another_object_of_the_same_external_resource_is_reported() {
    let arn = json!({"status": {"atProvider": {"arn": "arn:aws:s3:::acme-logs-and-more"}}});
    let twin = with(bucket(arn.clone()), &[json!({"metadata": {"name": "twin", "uid": "twin"}})]);
    let objects = [bucket(arn), twin];
    let document = teardown(&objects, &["bucket/logs"]).expect(1).json();
    assert_eq!(codes(&document), ["UCP921"], "{document}");
    assert_eq!(codes(&teardown(&objects, &["bucket/logs", "bucket/twin"]).expect(0).json()), [""; 0]);
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
