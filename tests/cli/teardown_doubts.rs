//! `teardown` with unknown facts: marks of Usages that were not read, parts of clusters, finalizers that no rule
//! covers, and objects that wait for those.

use serde_json::{Value, json};

use crate::support::command::{run, ucp};
use crate::support::objects::{controller, crossplane, indexed_snapshot, object, provider_of, snapshot, with};
use crate::teardown_kinds::{fate, teardown};

const FOREIGN: &str = "acme.example.org/guard";

fn bucket(rest: Value) -> Value {
    let base = json!({
        "metadata": {"uid": "logs", "finalizers": ["finalizer.managedresource.crossplane.io"]},
        "spec": {"forProvider": {"region": "eu-west-1", "forceDestroy": true}, "providerConfigRef": {"name": "default"}},
    });
    with(object("s3.aws.upbound.io/v1beta1", "Bucket", "logs", base), &[rest])
}

fn definition(group: &str, plural: &str, kind: &str, (scope, category): (&str, &str)) -> Value {
    let names = json!({"kind": kind, "plural": plural, "categories": [category]});
    let versions = json!([{"name": "v1", "served": true, "storage": true}]);
    let spec = json!({"group": group, "scope": scope, "names": names, "versions": versions});
    let name = format!("{plural}.{group}");
    object("apiextensions.k8s.io/v1", "CustomResourceDefinition", &name, json!({"spec": spec}))
}

/// A claim, its composite, the bucket of that, and their definitions.
fn claimed() -> Vec<Value> {
    let claim = json!({
        "metadata": {"namespace": "shop", "uid": "c", "finalizers": ["finalizer.apiextensions.crossplane.io"]},
        "spec": {"resourceRef": {"apiVersion": "platform.example.org/v1", "kind": "XDatabase", "name": "quotes-x"}},
    });
    let composite = json!({
        "metadata": {"uid": "x", "finalizers": ["composite.apiextensions.crossplane.io"]},
        "spec": {
            "claimRef": {"apiVersion": "platform.example.org/v1", "kind": "Database", "namespace": "shop", "name": "quotes"},
            "resourceRefs": [{"apiVersion": "s3.aws.upbound.io/v1beta1", "kind": "Bucket", "name": "logs"}],
        },
    });
    let owner = json!({"apiVersion": "platform.example.org/v1", "kind": "XDatabase", "name": "quotes-x", "uid": "x", "controller": true});
    vec![
        object("platform.example.org/v1", "Database", "quotes", claim),
        object("platform.example.org/v1", "XDatabase", "quotes-x", composite),
        bucket(json!({"metadata": {"ownerReferences": [owner], "labels": {"crossplane.io/composite": "quotes-x"}}})),
        definition("platform.example.org", "xdatabases", "XDatabase", ("Cluster", "composite")),
        definition("platform.example.org", "databases", "Database", ("Namespaced", "claim")),
    ]
}

fn application(finalizers: &[&str]) -> Value {
    let resources = json!([{"group": "s3.aws.upbound.io", "version": "v1beta1", "kind": "Bucket", "name": "logs", "status": "Synced"}]);
    let rest = json!({
        "metadata": {"namespace": "argocd", "uid": "a", "finalizers": finalizers},
        "spec": {"destination": {"server": "https://kubernetes.default.svc"}, "project": "default"},
        "status": {"sync": {"status": "Synced"}, "health": {"status": "Healthy"}, "resources": resources},
    });
    object("argoproj.io/v1alpha1", "Application", "shop", rest)
}

fn kustomization(rest: Value) -> Value {
    let base = json!({
        "metadata": {"namespace": "flux", "uid": "k", "finalizers": ["finalizers.fluxcd.io"]}, "spec": {"prune": true},
    });
    with(object("kustomize.toolkit.fluxcd.io/v1", "Kustomization", "shop", base), &[rest])
}

fn by_flux() -> Value {
    let name = |key: &str| format!("kustomize.toolkit.fluxcd.io/{key}");
    bucket(json!({"metadata": {"labels": {name("name"): "shop", name("namespace"): "flux"}}}))
}

/// Adds a finalizer that no rule covers.
fn guarded(mut object: Value) -> Value {
    if object["metadata"].get("finalizers").is_none() {
        object["metadata"]["finalizers"] = json!([]);
    }
    object["metadata"]["finalizers"].as_array_mut().unwrap().push(json!(FOREIGN));
    object
}

#[test]
fn the_mark_of_a_usage_that_was_not_read_is_a_doubt() {
    let marked = || bucket(json!({"metadata": {"labels": {"crossplane.io/in-use": "true"}}}));
    let document = teardown(&[marked()], &["bucket/logs"]).expect(4).json();
    assert_eq!(fate(&document, "logs"), "unknown", "{document:#}");
    // A complete list shows that the last one is gone.
    let usages = definition("protection.crossplane.io", "usages", "Usage", ("Namespaced", "crossplane"));
    let document = teardown(&[marked(), usages], &["bucket/logs"]).expect(0).json();
    assert_eq!(fate(&document, "logs"), "deleted", "{document:#}");
}

#[test]
fn files_without_an_index_leave_the_fate_unknown() {
    let config = json!({"spec": {"credentials": {"source": "None"}}});
    let mut objects = vec![bucket(json!({})), object("aws.upbound.io/v1beta1", "ProviderConfig", "default", config)];
    let directory = tempfile::tempdir().unwrap();
    let planned = |objects: &[Value], target: &str| {
        let path = snapshot(&directory, "part.json", objects).unwrap();
        let mut command = ucp(["teardown", target, "-o", "json"]);
        command.arg("--from").arg(path);
        run(command)
    };
    for package in provider_of("s3", "buckets.s3.aws.upbound.io", 1) {
        let document = planned(&objects, "bucket/logs").expect(4).json();
        assert_eq!(fate(&document, "logs"), "unknown", "{document:#}");
        objects.push(package);
    }
    let document = planned(&objects, "bucket/logs").expect(0).json();
    assert_eq!(fate(&document, "logs"), "deleted", "{document:#}");
    let document = planned(&objects, "--all").expect(4).json();
    assert_eq!(document["unreadable"][0]["what"], "the objects of the core cluster", "{document:#}");
}

/// Snapshots of some kinds have an index, and neither the workloads nor the packages that decide.
#[test]
fn a_snapshot_without_controllers_predicts_no_deletion() {
    let directory = tempfile::tempdir().unwrap();
    let planned = |objects: &[Value], target: &str| {
        let path = indexed_snapshot(&directory, "kinds.json", objects).unwrap();
        let mut command = ucp(["teardown", target, "-o", "json"]);
        command.arg("--from").arg(path);
        run(command)
    };
    let cascade = "resources-finalizer.argocd.argoproj.io";
    let inventory =
        json!({"status": {"inventory": {"entries": [{"id": "_logs_s3.aws.upbound.io_Bucket", "v": "v1beta1"}]}}});
    let config = object(
        "aws.upbound.io/v1beta1",
        "ProviderConfig",
        "default",
        json!({"spec": {"credentials": {"source": "None"}}}),
    );
    let bucket = || vec![bucket(json!({})), config.clone()];
    let packages = || provider_of("s3", "buckets.s3.aws.upbound.io", 1)[..2].to_vec();
    let provider = || provider_of("s3", "buckets.s3.aws.upbound.io", 1);
    let claim = || [claimed(), vec![config.clone()]].concat();
    let argo_cd = || vec![controller("StatefulSet", ("argocd", "argocd-application-controller"), "argocd")];
    let flux =
        || ["source-controller", "kustomize-controller"].map(|name| controller("Deployment", ("flux", name), "flux"));
    let shop = || vec![application(&[cascade])];
    let team = || vec![kustomization(inventory.clone())];
    for (target, without, controllers, what) in [
        ("bucket/logs", bucket(), provider(), "logs"),
        ("bucket/logs", [bucket(), packages()].concat(), provider()[2..].to_vec(), "logs"),
        ("database/quotes", claim(), [provider(), vec![crossplane()]].concat(), "logs"),
        (
            "database/quotes",
            [claim(), packages()].concat(),
            [provider()[2..].to_vec(), vec![crossplane()]].concat(),
            "quotes-x",
        ),
        (
            "application/shop",
            [shop(), bucket(), packages()].concat(),
            [argo_cd(), provider()[2..].to_vec()].concat(),
            "logs",
        ),
        ("application/shop", shop(), argo_cd(), "shop"),
        (
            "kustomization/shop",
            [team(), vec![by_flux(), config.clone()], packages()].concat(),
            [flux().to_vec(), provider()[2..].to_vec()].concat(),
            "logs",
        ),
        ("kustomization/shop", team(), flux().to_vec(), "shop"),
    ] {
        let document = planned(&without, target).expect(4).json();
        assert_eq!(fate(&document, what), "unknown", "{target}: {document:#}");
        // The bucket of an Application alone is not in the snapshot, so that the exit codes differ.
        let document = planned(&[without, controllers].concat(), target).json();
        assert!(["deleted", "removed"].contains(&fate(&document, what)), "{target}: {document:#}");
    }
}

/// The engine works meanwhile, and the garbage collector does not.
#[test]
fn an_unknown_finalizer_makes_every_object_unknown() {
    let cascade = "resources-finalizer.argocd.argoproj.io";
    let inventory =
        json!({"status": {"inventory": {"entries": [{"id": "_logs_s3.aws.upbound.io_Bucket", "v": "v1beta1"}]}}});
    let set = object(
        "argoproj.io/v1alpha1",
        "ApplicationSet",
        "apps",
        json!({"metadata": {"namespace": "argocd", "uid": "s"}}),
    );
    let owner = json!({"apiVersion": "argoproj.io/v1alpha1", "kind": "ApplicationSet", "name": "apps", "uid": "s", "controller": true});
    let generated = with(application(&[cascade]), &[json!({"metadata": {"ownerReferences": [owner]}})]);
    let release =
        json!({"metadata": {"namespace": "flux", "uid": "h", "finalizers": ["finalizers.fluxcd.io"]}, "spec": {}});
    let release = object("helm.toolkit.fluxcd.io/v2", "HelmRelease", "shop", release);
    let balancer = json!({
        "metadata": {"namespace": "shop", "uid": "w", "finalizers": ["service.kubernetes.io/load-balancer-cleanup"]},
        "spec": {"type": "LoadBalancer"},
    });
    let namespace = object("v1", "Namespace", "shop", json!({"metadata": {"uid": "ns"}}));
    let config = json!({"spec": {"credentials": {"source": "None"}}});
    let provider = |index: usize| provider_of("s3", "buckets.s3.aws.upbound.io", 1).remove(index);
    let mut held_composite = claimed();
    held_composite[1] = guarded(held_composite[1].clone());
    for (target, objects, expected) in [
        ("application/shop", vec![guarded(application(&[cascade])), bucket(json!({}))], ("shop", "logs", "deleted")),
        ("kustomization/shop", vec![guarded(kustomization(inventory)), by_flux()], ("shop", "logs", "deleted")),
        ("helmrelease/shop", vec![guarded(release)], ("shop", "logs", "")),
        ("applicationset/apps", vec![guarded(set), generated, bucket(json!({}))], ("apps", "logs", "unknown")),
        ("provider/s3", vec![guarded(provider(0)), provider(1)], ("s3", "logs", "")),
        (
            "providerconfig/default",
            vec![guarded(object("aws.upbound.io/v1beta1", "ProviderConfig", "default", config))],
            ("default", "logs", ""),
        ),
        ("service/web", vec![guarded(object("v1", "Service", "web", balancer.clone()))], ("web", "logs", "")),
        (
            "namespace/shop",
            vec![namespace, guarded(object("v1", "Service", "web", balancer))],
            ("shop", "web", "unknown"),
        ),
        ("xdatabase/quotes-x", held_composite.clone(), ("quotes-x", "logs", "unknown")),
        ("database/quotes", held_composite, ("quotes-x", "logs", "unknown")),
    ] {
        let document = teardown(&objects, &[target]).expect(4).json();
        let (held, after, fate_after) = expected;
        assert_eq!((fate(&document, held), fate(&document, after)), ("unknown", fate_after), "{target}: {document:#}");
    }
    let mut held_claim = claimed();
    held_claim[0] = guarded(held_claim[0].clone());
    let document = teardown(&held_claim, &["database/quotes"]).expect(4).json();
    assert_eq!((fate(&document, "quotes"), fate(&document, "logs")), ("unknown", "deleted"), "{document:#}");
    // Those of engines and of Kubernetes are covered.
    for (target, objects) in [
        (
            "application/shop",
            vec![application(&[cascade, "post-delete-finalizer.argocd.argoproj.io/cleanup"]), bucket(json!({}))],
        ),
        ("database/quotes", claimed()),
    ] {
        teardown(&objects, &[target]).expect(0);
    }
}

#[test]
fn a_kustomization_deletes_the_objects_of_its_inventory() {
    let planned = |status: Value| teardown(&[kustomization(status), by_flux()], &["kustomization/shop"]);
    let document = planned(json!({"status": {"inventory": {"entries": []}}})).expect(0).json();
    assert_eq!(fate(&document, "logs"), "kept", "{document:#}");
    for status in [json!({}), json!({"status": {"lastAppliedRevision": "main@sha1:a"}})] {
        let document = planned(status).expect(4).json();
        assert_eq!(fate(&document, "logs"), "unknown", "{document:#}");
    }
}

#[test]
fn a_claim_without_its_finalizer_leaves_its_composite() {
    let mut objects = claimed();
    objects[0]["metadata"]["finalizers"] = json!([]);
    let document = teardown(&objects, &["database/quotes"]).expect(0).json();
    assert_eq!((fate(&document, "quotes-x"), fate(&document, "logs")), ("kept", ""), "{document:#}");
    let document = teardown(&objects, &["--all"]).expect(0).json();
    let steps = document["steps"].to_string();
    assert!(steps.contains("kubectl delete xdatabase.platform.example.org/quotes-x "), "{document:#}");
}

#[test]
fn claims_of_a_stateful_set_remain_unless_its_policy_deletes_them() {
    let volume = object(
        "v1",
        "PersistentVolume",
        "pv",
        json!({"spec": {"persistentVolumeReclaimPolicy": "Delete", "csi": {"driver": "ebs.csi.aws.com", "volumeHandle": "vol-1"}}}),
    );
    let claim = |name: &str| {
        object(
            "v1",
            "PersistentVolumeClaim",
            name,
            json!({"metadata": {"namespace": "shop", "uid": name}, "spec": {"volumeName": "pv"}}),
        )
    };
    let pod = object("v1", "Pod", "other", json!({"metadata": {"namespace": "shop", "uid": "pod"}}));
    for (policy, expected) in [(Value::Null, "kept"), (json!({"whenDeleted": "Delete"}), "deleted")] {
        let spec = json!({"volumeClaimTemplates": [{"metadata": {"name": "data"}}], "persistentVolumeClaimRetentionPolicy": policy});
        let set = object(
            "apps/v1",
            "StatefulSet",
            "pg",
            json!({"metadata": {"namespace": "shop", "uid": "pg"}, "spec": spec}),
        );
        let objects = [set, claim("data-pg-0"), claim("data-pg-old-0"), volume.clone(), pod.clone()];
        let document = teardown(&objects, &["statefulset/pg"]).expect(0).json();
        assert_eq!((fate(&document, "data-pg-0"), fate(&document, "data-pg-old-0")), (expected, ""), "{document:#}");
    }
}

#[test]
fn a_claim_waits_for_a_running_pod() {
    let meta = |name: &str| json!({"metadata": {"namespace": "shop", "uid": name}});
    let volumes = json!([{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]);
    for (phase, expected) in [("Running", "stuck"), ("Pending", "removed")] {
        let state = json!({"spec": {"volumes": volumes}, "status": {"phase": phase}});
        let pod = with(object("v1", "Pod", "p", meta("p")), &[state]);
        let claim = object("v1", "PersistentVolumeClaim", "data", meta("data"));
        let document = teardown(&[pod, claim], &["persistentvolumeclaim/data"]).json();
        assert_eq!(fate(&document, "data"), expected, "{phase}: {document:#}");
    }
}

#[test]
fn a_namespace_waits_for_an_api_that_is_not_available() {
    let namespace = object("v1", "Namespace", "shop", json!({"metadata": {"uid": "ns"}}));
    for (status, expected, code) in [("False", "stuck", 1), ("True", "removed", 0)] {
        let rest = json!({"status": {"conditions": [{"type": "Available", "status": status}]}});
        let api = object("apiregistration.k8s.io/v1", "APIService", "v1beta1.metrics.k8s.io", rest);
        let document = teardown(&[namespace.clone(), api], &["namespace/shop"]).expect(code).json();
        assert_eq!(fate(&document, "shop"), expected, "{status}: {document:#}");
    }
}
