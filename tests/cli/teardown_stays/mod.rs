//! `teardown` of objects that stay without their owner, and of others that are deleted although they seem protected.

mod admission;
mod composed;
mod engines;

use serde_json::{Value, json};

use crate::support::objects::{object, provider_of, with};
use crate::teardown_kinds::{codes, fate, teardown};

const FINALIZER: &str = "finalizer.managedresource.crossplane.io";

fn bucket(name: &str, rest: Value) -> Value {
    let base = json!({
        "metadata": {"uid": name, "finalizers": [FINALIZER]},
        "spec": {"forProvider": {"region": "eu-west-1", "forceDestroy": true}, "providerConfigRef": {"name": "default"}},
    });
    with(object("s3.aws.upbound.io/v1beta1", "Bucket", name, base), &[rest])
}

/// An object that makes its kind known, where an empty list would.
fn other(version: &str, kind: &str, namespace: &str) -> Value {
    object(version, kind, "other", json!({"metadata": {"namespace": namespace, "uid": format!("other-{kind}")}}))
}

fn owned(by: &Value) -> Value {
    let owner = json!({
        "apiVersion": by["apiVersion"], "kind": by["kind"], "name": by["metadata"]["name"], "uid": by["metadata"]["uid"],
        "controller": true,
    });
    json!({"metadata": {"ownerReferences": [owner], "labels": {"crossplane.io/composite": by["metadata"]["name"]}}})
}

fn composite(name: &str, rest: Value) -> Value {
    let base = json!({
        "metadata": {"uid": name, "finalizers": ["composite.apiextensions.crossplane.io"]},
        "spec": {"resourceRefs": [{"apiVersion": "s3.aws.upbound.io/v1beta1", "kind": "Bucket", "name": "logs"}]},
    });
    with(object("platform.example.org/v1", "XDatabase", name, base), &[rest])
}

fn claim(name: &str, composite: &str) -> Value {
    object(
        "platform.example.org/v1",
        "Database",
        name,
        json!({
            "metadata": {"namespace": "shop", "uid": format!("claim-{name}"), "finalizers": ["finalizer.apiextensions.crossplane.io"]},
            "spec": {"resourceRef": {"apiVersion": "platform.example.org/v1", "kind": "XDatabase", "name": composite}},
        }),
    )
}

fn bound_to(claim: &str) -> Value {
    json!({"spec": {"claimRef": {
        "apiVersion": "platform.example.org/v1", "kind": "Database", "namespace": "shop", "name": claim,
    }}})
}

fn definition(plural: &str, kind: &str, category: &str) -> Value {
    object(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        &format!("{plural}.platform.example.org"),
        json!({"spec": {
            "group": "platform.example.org", "scope": if category == "claim" { "Namespaced" } else { "Cluster" },
            "names": {"kind": kind, "plural": plural, "categories": [category]},
            "versions": [{"name": "v1", "served": true, "storage": true}],
        }}),
    )
}

fn definitions() -> Vec<Value> {
    vec![definition("xdatabases", "XDatabase", "composite"), definition("databases", "Database", "claim")]
}

fn kustomization(rest: Value) -> Value {
    let base = json!({
        "metadata": {"namespace": "flux", "uid": "k", "finalizers": ["finalizers.fluxcd.io"]},
        "spec": {"prune": true, "sourceRef": {"kind": "GitRepository", "name": "repo"}},
        "status": {"inventory": {"entries": [{"id": "_logs_s3.aws.upbound.io_Bucket", "v": "v1beta1"}]}},
    });
    with(object("kustomize.toolkit.fluxcd.io/v1", "Kustomization", "shop", base), &[rest])
}

fn by_flux() -> Value {
    json!({"metadata": {"labels": {
        "kustomize.toolkit.fluxcd.io/name": "shop", "kustomize.toolkit.fluxcd.io/namespace": "flux",
    }}})
}

fn as_account() -> Value {
    json!({"spec": {"serviceAccountName": "tenant"}})
}

fn controller(name: &str, namespace: &str, arguments: &[&str]) -> Value {
    let image = format!("ghcr.io/fluxcd/{name}:v1.8.0");
    let containers = json!([{"name": "manager", "image": image, "args": arguments}]);
    let replicas = json!({"replicas": 1, "readyReplicas": 1, "updatedReplicas": 1, "availableReplicas": 1});
    let spec = json!({"replicas": 1, "template": {"spec": {"containers": containers}}});
    object(
        "apps/v1",
        "Deployment",
        name,
        json!({"metadata": {"namespace": namespace}, "spec": spec, "status": replicas}),
    )
}

fn account() -> Value {
    object("v1", "ServiceAccount", "tenant", json!({"metadata": {"namespace": "flux", "uid": "sa"}}))
}

/// An Application of the core cluster, which deployed a bucket.
pub(crate) fn application(rest: Value) -> Value {
    let base = json!({
        "metadata": {"namespace": "argocd", "uid": "a", "finalizers": ["resources-finalizer.argocd.argoproj.io"]},
        "spec": {"destination": {"server": "https://kubernetes.default.svc"}, "project": "team"},
        "status": {"sync": {"status": "Synced"}, "health": {"status": "Healthy"}, "resources": [
            {"group": "s3.aws.upbound.io", "version": "v1beta1", "kind": "Bucket", "name": "logs", "status": "Synced"},
        ]},
    });
    with(object("argoproj.io/v1alpha1", "Application", "shop", base), &[rest])
}

fn project(spec: Value) -> Value {
    object("argoproj.io/v1alpha1", "AppProject", "team", json!({"metadata": {"namespace": "argocd"}, "spec": spec}))
}

fn usage(of: Value) -> Value {
    object(
        "protection.crossplane.io/v1beta1",
        "ClusterUsage",
        "keep",
        json!({"metadata": {"uid": "usage"}, "spec": {"of": of, "reason": "audit"}}),
    )
}

fn of_logs() -> Value {
    json!({"apiVersion": "s3.aws.upbound.io/v1beta1", "kind": "Bucket", "resourceRef": {"name": "logs"}})
}

fn webhook(name: &str, rest: Value) -> Value {
    let base = json!({
        "name": format!("{name}.example.org"), "failurePolicy": "Fail",
        "clientConfig": {"service": {"namespace": "hooks", "name": name, "path": "/check"}},
        "rules": [{"apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"], "operations": ["DELETE"]}],
    });
    object(
        "admissionregistration.k8s.io/v1",
        "ValidatingWebhookConfiguration",
        name,
        json!({"metadata": {"uid": name}, "webhooks": [with(base, &[rest])]}),
    )
}

fn usage_webhook() -> Value {
    let selector = json!({"matchLabels": {"crossplane.io/in-use": "true"}});
    let path = json!({"service": {"path": "/validate-no-usages"}});
    webhook("usages", json!({"objectSelector": selector, "clientConfig": path}))
}

/// A Service whose name is that of its webhook, with an endpoint that is ready or not.
fn answering(name: &str, is_ready: bool) -> Vec<Value> {
    let metadata = json!({"metadata": {"namespace": "hooks", "uid": format!("svc-{name}")}});
    let slice = json!({
        "metadata": {"namespace": "hooks", "labels": {"kubernetes.io/service-name": name}},
        "endpoints": [{"addresses": ["192.0.2.1"], "conditions": {"ready": is_ready}}],
    });
    vec![object("v1", "Service", name, metadata), object("discovery.k8s.io/v1", "EndpointSlice", name, slice)]
}

struct Case {
    name: &'static str,
    objects: Vec<Value>,
    target: &'static [&'static str],
    /// Names and their fates.
    fates: &'static [(&'static str, &'static str)],
    code: Option<&'static str>,
}

fn check(cases: Vec<Case>) {
    for Case { name, objects, target, fates, code } in cases {
        let document = teardown(&objects, target).json();
        for (object, expected) in fates {
            assert_eq!(fate(&document, object), *expected, "{name}, {object}: {document:#}");
        }
        match code {
            Some(code) => assert!(codes(&document).contains(&code), "{name}: {document:#}"),
            None => assert_eq!(codes(&document), Vec::<&str>::new(), "{name}: {document:#}"),
        }
    }
}

#[test]
fn nothing_below_a_refused_target_is_deleted() {
    let of = |version: &str, kind: &str, name: &str| {
        usage(json!({"apiVersion": version, "kind": kind, "resourceRef": {"name": name}}))
    };
    let by_bucket = json!({"spec": {"by": of_logs()}});
    let provider = provider_of("s3", "buckets.s3.aws.upbound.io", 1);
    let namespaced = object(
        "rds.aws.m.upbound.io/v1beta1",
        "Instance",
        "orders",
        json!({"metadata": {"namespace": "shop", "uid": "o", "finalizers": [FINALIZER]}, "spec": {"forProvider": {}}}),
    );
    let namespace = object("v1", "Namespace", "shop", json!({"metadata": {"uid": "ns"}}));
    check(vec![
        Case {
            name: "a provider",
            objects: [provider.clone(), vec![bucket("logs", json!({})), of("pkg.crossplane.io/v1", "Provider", "s3")]]
                .concat(),
            target: &["provider/s3"],
            fates: &[("s3", "stuck"), ("logs", "kept")],
            code: Some("UCP915"),
        },
        Case {
            name: "a provider that is used by what would be deleted with it",
            objects: [
                provider,
                vec![bucket("logs", json!({})), with(of("pkg.crossplane.io/v1", "Provider", "s3"), &[by_bucket])],
            ]
            .concat(),
            target: &["provider/s3"],
            fates: &[("s3", "stuck"), ("logs", "kept")],
            code: Some("UCP915"),
        },
        Case {
            name: "a namespace",
            objects: vec![namespace, namespaced, of("v1", "Namespace", "shop")],
            target: &["namespace/shop"],
            fates: &[("shop", "stuck"), ("orders", "kept")],
            code: Some("UCP915"),
        },
    ]);
}

#[test]
fn a_provider_that_refuses_to_reconcile_deletes_nothing() {
    let annotated = |list: Value| json!({"metadata": {"annotations": list}});
    let pending = |time: &str| json!({"crossplane.io/external-create-pending": time});
    let policies = |list: Value| json!({"spec": {"managementPolicies": list}});
    let proceeded = json!({"status": {"conditions": [
        {"type": "Synced", "status": "True", "lastTransitionTime": "2026-10-30T10:00:00Z"},
    ]}});
    let old = "2026-10-30T09:00:00Z";
    let settled = json!({"crossplane.io/external-create-pending": old, "crossplane.io/external-create-succeeded": old});
    let case = |name, rest, fates, code| Case {
        name,
        objects: vec![bucket("logs", rest)],
        target: &["bucket/logs"],
        fates,
        code,
    };
    check(vec![
        case("only Delete", policies(json!(["Delete"])), &[("logs", "stuck")], Some("UCP912")),
        case("all and more", policies(json!(["*", "Observe"])), &[("logs", "stuck")], Some("UCP912")),
        case("supported", policies(json!(["Delete", "Observe"])), &[("logs", "deleted")], None),
        case("interrupted", annotated(pending(old)), &[("logs", "stuck")], Some("UCP912")),
        case("just begun", annotated(pending("2026-11-01T08:59:30Z")), &[("logs", "unknown")], Some("UCP922")),
        case("completed", annotated(settled), &[("logs", "deleted")], None),
        case("proceeded", with(annotated(pending(old)), &[proceeded]), &[("logs", "deleted")], None),
    ]);
}

#[test]
fn credentials_need_their_key() {
    let config = |key: &str| {
        let reference = json!({"namespace": "crossplane-system", "name": "creds", "key": key});
        let spec = json!({"spec": {"credentials": {"source": "Secret", "secretRef": reference}}});
        object("aws.upbound.io/v1beta1", "ProviderConfig", "default", spec)
    };
    let secret = object(
        "v1",
        "Secret",
        "creds",
        json!({"metadata": {"namespace": "crossplane-system"}, "data": {"token": "eA=="}}),
    );
    for (key, policy, expected) in
        [("token", "Delete", "deleted"), ("other", "Delete", "stuck"), ("other", "Orphan", "orphaned")]
    {
        let logs = bucket("logs", json!({"spec": {"deletionPolicy": policy}}));
        let document = teardown(&[logs, config(key), secret.clone()], &["bucket/logs"]).json();
        assert_eq!(fate(&document, "logs"), expected, "{key}: {document:#}");
        assert_eq!(
            document.to_string().contains("has no key other; it has token"),
            expected == "stuck",
            "{document:#}"
        );
    }
}

/// An Object of provider-kubernetes keeps the object that it refers to by a finalizer with its own UID.
#[test]
fn a_referenced_object_waits_for_the_deletion_of_its_referrer() {
    let finalizers = json!([FINALIZER, "kubernetes.crossplane.io/referred-by-object-copy-uid"]);
    let referring = |kind: &str, name: &str| {
        object(
            "kubernetes.crossplane.io/v1alpha2",
            kind,
            name,
            json!({
                "metadata": {"uid": format!("{name}-uid"), "finalizers": [FINALIZER]},
                "spec": {"providerConfigRef": {"name": "default"}, "forProvider": {"manifest": {
                    "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "copy", "namespace": "shop"},
                }}},
            }),
        )
    };
    let objects = [bucket("logs", json!({"metadata": {"finalizers": finalizers}})), referring("Object", "copy")];
    let document = teardown(&objects, &["bucket/logs"]).expect(1).json();
    assert_eq!((fate(&document, "logs"), codes(&document)), ("stuck", vec!["UCP917"]), "{document:#}");
    assert_eq!(fate(&teardown(&objects, &["bucket/logs", "object/copy"]).json(), "logs"), "deleted");
    let observing = [referring("ObservedObjectCollection", "all")];
    assert_eq!(fate(&teardown(&observing, &["observedobjectcollection/all"]).json(), "all"), "left");
}

#[test]
fn a_provider_config_without_its_finalizer_is_deleted_and_its_users_reported() {
    let config = |finalizers: Value| {
        let rest =
            json!({"metadata": {"finalizers": finalizers}, "spec": {"credentials": {"source": "InjectedIdentity"}}});
        object("aws.upbound.io/v1beta1", "ProviderConfig", "default", rest)
    };
    let target = &["providerconfig/default"][..];
    let case = |name, finalizers, fates, code| Case {
        name,
        objects: vec![bucket("logs", json!({})), config(finalizers)],
        target,
        fates,
        code,
    };
    check(vec![
        case("in use", json!(["in-use.crossplane.io"]), &[("default", "stuck")], Some("UCP917")),
        case("not marked", json!([]), &[("default", "removed")], Some("UCP920")),
    ]);
}
