//! `teardown` of objects that stay without their owner, and of others that are deleted although they seem protected.

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
fn a_claim_deletes_the_composite_that_is_bound_to_it_alone() {
    let with_parts = |claims: Vec<Value>, rest: Value| {
        let whole = composite("quotes-x", rest);
        let part = bucket("logs", owned(&whole));
        [definitions(), claims, vec![whole, part]].concat()
    };
    let target = &["database/quotes", "-n", "shop"][..];
    let case = |name, objects, fates, code| Case { name, objects, target, fates, code };
    check(vec![
        case(
            "its own",
            with_parts(vec![claim("quotes", "quotes-x")], bound_to("quotes")),
            &[("quotes-x", "removed"), ("logs", "deleted")],
            None,
        ),
        case(
            "bound to another one",
            with_parts(vec![claim("quotes", "quotes-x"), claim("orders", "quotes-x")], bound_to("orders")),
            &[("quotes", "stuck"), ("quotes-x", "kept"), ("logs", "")],
            Some("UCP912"),
        ),
        case(
            "not named by it",
            with_parts(vec![claim("quotes", "elsewhere"), claim("orders", "quotes-x")], bound_to("quotes")),
            &[("quotes-x", "kept"), ("logs", "")],
            None,
        ),
    ]);
}

#[test]
fn parts_without_an_owner_reference_and_those_of_a_paused_composite_stay() {
    let paused = json!({"metadata": {"annotations": {"crossplane.io/paused": "true"}}});
    let of_composite =
        json!({"apiVersion": "platform.example.org/v1", "kind": "XDatabase", "resourceRef": {"name": "quotes-x"}});
    let whole = || composite("quotes-x", json!({}));
    let part = || bucket("logs", owned(&whole()));
    let of_another = owned(&composite("quotes-x", json!({"metadata": {"uid": "earlier"}})));
    let case = |name, more: Vec<Value>, fates, code| Case {
        name,
        objects: [definitions(), more].concat(),
        target: &["xdatabase/quotes-x"],
        fates,
        code,
    };
    check(vec![
        case("owned", vec![whole(), part()], &[("logs", "deleted")], None),
        case("not owned", vec![whole(), bucket("logs", json!({}))], &[("logs", "kept")], None),
        case("owned by one before", vec![whole(), bucket("logs", of_another)], &[("logs", "kept")], None),
        case(
            "paused",
            vec![composite("quotes-x", paused), part()],
            &[("quotes-x", "stuck"), ("logs", "kept")],
            Some("UCP914"),
        ),
        case(
            "refused",
            vec![whole(), part(), usage(of_composite)],
            &[("quotes-x", "stuck"), ("logs", "kept")],
            Some("UCP915"),
        ),
    ]);
}

/// Argo CD deletes in the foreground: the garbage collector deletes the parts first.
#[test]
fn parts_of_a_paused_composite_that_is_deleted_in_the_foreground_are_deleted() {
    let whole = composite("quotes-x", json!({"metadata": {"annotations": {"crossplane.io/paused": "true"}}}));
    let resources = json!([{"group": "platform.example.org", "version": "v1", "kind": "XDatabase", "name": "quotes-x", "status": "Synced"}]);
    for (finalizer, expected) in [("", "deleted"), ("/background", "kept")] {
        let finalizers = json!([format!("resources-finalizer.argocd.argoproj.io{finalizer}")]);
        let app = application(json!({"metadata": {"finalizers": finalizers}, "status": {"resources": resources}}));
        let objects = [definitions(), vec![app, whole.clone(), bucket("logs", owned(&whole))]].concat();
        let document = teardown(&objects, &["application/shop"]).json();
        assert_eq!(fate(&document, "logs"), expected, "{document:#}");
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
fn flux_keeps_objects_that_it_may_not_delete() {
    let namespace = object("v1", "Namespace", "flux", json!({"metadata": {"uid": "ns"}}));
    let case = |name, objects, target, fates, code| Case { name, objects, target, fates, code };
    let one = &["kustomization/shop", "-n", "flux"][..];
    let default = other("v1", "ServiceAccount", "flux");
    let logs = || bucket("logs", by_flux());
    let foreign = bucket("logs", json!({}));
    check(vec![
        case("labelled", vec![kustomization(json!({})), logs()], one, &[("logs", "deleted")], None),
        case("without labels", vec![kustomization(json!({})), foreign], one, &[("logs", "kept")], None),
        case(
            "ssa is Ignore",
            vec![
                kustomization(json!({})),
                with(logs(), &[json!({"metadata": {"annotations": {"kustomize.toolkit.fluxcd.io/ssa": "Ignore"}}})]),
            ],
            one,
            &[("logs", "kept")],
            None,
        ),
        case(
            "with its account",
            vec![kustomization(as_account()), account(), logs()],
            one,
            &[("logs", "deleted")],
            None,
        ),
        case(
            "without its account",
            vec![kustomization(as_account()), default.clone(), logs()],
            one,
            &[("shop", "removed"), ("logs", "kept")],
            None,
        ),
        case(
            "without the account that the controller impersonates by default",
            vec![
                kustomization(json!({})),
                controller("kustomize-controller", "flux-system", &["--default-service-account=team"]),
                controller("source-controller", "flux-system", &[]),
                default.clone(),
                logs(),
            ],
            one,
            &[("shop", "removed"), ("logs", "kept")],
            None,
        ),
        case(
            "a Deployment of a tenant decides nothing",
            vec![
                kustomization(json!({})),
                controller("kustomize-controller", "flux-system", &[]),
                controller("source-controller", "flux-system", &[]),
                controller("kustomize-controller", "tenant", &["--default-service-account=team"]),
                default,
                logs(),
            ],
            one,
            &[("logs", "deleted")],
            None,
        ),
        case(
            "with the namespace of its account",
            vec![namespace, kustomization(as_account()), account(), logs()],
            &["namespace/flux"],
            &[("shop", "stuck"), ("logs", "kept")],
            Some("UCP919"),
        ),
        case(
            "the account itself",
            vec![kustomization(as_account()), account(), logs()],
            &["serviceaccount/tenant", "-n", "flux"],
            &[],
            Some("UCP920"),
        ),
    ]);
    // The account was not read.
    let document = teardown(&[kustomization(as_account()), logs()], one).expect(4).json();
    assert!(document["unreadable"].to_string().contains("serviceaccount/tenant"), "{document:#}");
}

#[test]
fn argo_cd_keeps_objects_not_permitted_by_its_project_or_never_applied() {
    let all = json!([{"group": "*", "kind": "*"}]);
    let whole =
        || project(json!({"clusterResourceWhitelist": all, "destinations": [{"server": "*", "namespace": "*"}]}));
    let out_of_sync = || {
        json!({"status": {"resources": [
            {"group": "s3.aws.upbound.io", "version": "v1beta1", "kind": "Bucket", "name": "logs", "status": "OutOfSync"},
        ]}})
    };
    let tracked =
        json!({"metadata": {"annotations": {"argocd.argoproj.io/tracking-id": "shop:s3.aws.upbound.io/Bucket:/logs"}}});
    let logs = || bucket("logs", json!({}));
    let case = |name, objects, fates, code| Case { name, objects, target: &["application/shop"], fates, code };
    check(vec![
        case("permitted", vec![application(json!({})), whole(), logs()], &[("logs", "deleted")], None),
        case(
            "without its project",
            vec![application(json!({})), other("argoproj.io/v1alpha1", "AppProject", "argocd"), logs()],
            &[("shop", "stuck"), ("logs", "kept")],
            Some("UCP912"),
        ),
        case(
            "not permitted",
            vec![application(json!({})), project(json!({"destinations": [{"server": "*", "namespace": "*"}]})), logs()],
            &[("shop", "removed"), ("logs", "kept")],
            None,
        ),
        case(
            "never applied",
            vec![application(out_of_sync()), whole(), logs()],
            &[("shop", "removed"), ("logs", "kept")],
            None,
        ),
        case(
            "changed",
            vec![application(out_of_sync()), whole(), bucket("logs", tracked)],
            &[("logs", "deleted")],
            None,
        ),
        case(
            "rules that are not covered",
            vec![
                application(json!({})),
                project(json!({"clusterResourceWhitelist": [{"group": "[a-z]*", "kind": "*"}]})),
                logs(),
            ],
            &[("logs", "unknown")],
            Some("UCP922"),
        ),
    ]);
}

#[test]
fn an_application_set_that_may_not_delete_releases_its_applications() {
    let set = |policy: &str, finalizers: Value| {
        object(
            "argoproj.io/v1alpha1",
            "ApplicationSet",
            "apps",
            json!({
                "metadata": {"namespace": "argocd", "uid": "set", "finalizers": finalizers},
                "spec": {"syncPolicy": {"applicationsSync": policy}},
            }),
        )
    };
    let finalizer = || json!(["resources-finalizer.argocd.argoproj.io"]);
    for (policy, finalizers, expected) in [
        ("create-only", finalizer(), "kept"),
        ("create-update", finalizer(), "kept"),
        ("create-delete", finalizer(), "deleted"),
        ("sync", finalizer(), "deleted"),
        // Nothing removes the ownerReferences.
        ("create-only", json!([]), "deleted"),
    ] {
        let set = set(policy, finalizers);
        let app = application(owned(&set));
        let document = teardown(&[set, app, bucket("logs", json!({}))], &["applicationset/apps"]).json();
        let (app, logs) = (fate(&document, "shop"), fate(&document, "logs"));
        assert_eq!(
            (app == "kept", logs == "deleted"),
            (expected == "kept", expected == "deleted"),
            "{policy}: {document:#}"
        );
    }
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

#[test]
fn a_webhook_that_does_not_answer_refuses_deletions() {
    let whole = || composite("quotes-x", json!({}));
    let objects = |more: Vec<Value>| {
        [definitions(), vec![whole(), bucket("logs", owned(&whole())), other("v1", "Service", "hooks")], more].concat()
    };
    let case =
        |name, more, fates, code| Case { name, objects: objects(more), target: &["xdatabase/quotes-x"], fates, code };
    let gone = &[("quotes-x", "removed"), ("logs", "deleted")][..];
    let kept = &[("quotes-x", "stuck"), ("logs", "kept")][..];
    let asked = &[("quotes-x", "unknown"), ("logs", "unknown")][..];
    let for_kind = |plural: &str| json!({"rules": [{"apiGroups": ["platform.example.org"], "apiVersions": ["v1"], "resources": [plural], "operations": ["*"]}]});
    let on_update =
        json!({"rules": [{"apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"], "operations": ["UPDATE"]}]});
    let conditional = |expression: &str| json!({"matchConditions": [{"name": "a", "expression": expression}], "rules": for_kind("xdatabases")["rules"]});
    check(vec![
        case("no Service", vec![webhook("check", json!({}))], kept, Some("UCP924")),
        case(
            "no endpoint",
            [vec![webhook("check", json!({}))], answering("check", false)].concat(),
            kept,
            Some("UCP924"),
        ),
        case("answers", [vec![webhook("check", json!({}))], answering("check", true)].concat(), asked, Some("UCP922")),
        case(
            "at a URL",
            vec![webhook("check", json!({"clientConfig": {"service": null, "url": "https://example.org/"}}))],
            asked,
            Some("UCP922"),
        ),
        case("may fail", vec![webhook("check", json!({"failurePolicy": "Ignore"}))], gone, None),
        case("of its kind", vec![webhook("check", for_kind("xdatabases"))], kept, Some("UCP924")),
        case("of another kind", vec![webhook("check", for_kind("others"))], gone, None),
        case("of other requests", vec![webhook("check", on_update)], gone, None),
        case("of other objects", vec![usage_webhook()], gone, None),
        case("with a condition that holds", vec![webhook("check", conditional("true"))], kept, Some("UCP924")),
        case("with one that does not", vec![webhook("check", conditional("has(oldObject.spec.a)"))], gone, None),
        case(
            "with another",
            vec![webhook("check", conditional("request.userInfo.username == 'a'"))],
            asked,
            Some("UCP922"),
        ),
    ]);
}

#[test]
fn a_usage_only_protects_objects_that_its_webhook_selects() {
    let in_use = || json!({"metadata": {"labels": {"crossplane.io/in-use": "true"}}});
    let webhook = |name| [vec![usage_webhook()], answering(name, true)].concat();
    let case = |name, rest, more: Vec<Value>, fates, code| Case {
        name,
        objects: [vec![bucket("logs", rest), usage(of_logs())], more].concat(),
        target: &["bucket/logs"],
        fates,
        code,
    };
    check(vec![
        case("selected", in_use(), webhook("usages"), &[("logs", "stuck")], Some("UCP915")),
        case("not selected", json!({}), webhook("usages"), &[("logs", "deleted")], None),
        case(
            "no webhook",
            in_use(),
            vec![self::webhook("check", json!({"failurePolicy": "Ignore"})), other("v1", "Service", "hooks")],
            &[("logs", "deleted")],
            None,
        ),
    ]);
    let objects = [vec![bucket("logs", json!({})), usage(of_logs())], webhook("usages")].concat();
    let document = teardown(&objects, &["bucket/logs"]).json();
    assert!(document["items"].to_string().contains("does not protect it"), "{document:#}");
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

/// A deleted composite needs the core of Crossplane only.
#[test]
fn a_composite_does_not_wait_for_its_function() {
    let function = vec![
        object(
            "apps/v1",
            "Deployment",
            "crossplane",
            json!({
                "metadata": {"namespace": "crossplane-system", "labels": {"app": "crossplane"}},
                "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "crossplane"}}, "template": {
                    "metadata": {"labels": {"app": "crossplane"}},
                    "spec": {"containers": [{
                        "name": "crossplane", "image": "xpkg.crossplane.io/crossplane/crossplane:v2.0.0", "args": ["core", "start"],
                    }]},
                }},
                "status": {"replicas": 1, "readyReplicas": 1},
            }),
        ),
        object(
            "pkg.crossplane.io/v1",
            "Function",
            "patch",
            json!({"spec": {"package": "x"}, "status": {"currentRevision": "patch-1"}}),
        ),
        object(
            "pkg.crossplane.io/v1",
            "FunctionRevision",
            "patch-1",
            json!({"metadata": {"labels": {"pkg.crossplane.io/package": "patch"}}, "spec": {"desiredState": "Active", "image": "x", "revision": 1}}),
        ),
        object(
            "apps/v1",
            "Deployment",
            "patch-1",
            json!({
                "metadata": {"namespace": "crossplane-system", "labels": {"pkg.crossplane.io/revision": "patch-1", "pkg.crossplane.io/function": "patch"}},
                "spec": {"replicas": 0, "selector": {"matchLabels": {"pkg.crossplane.io/revision": "patch-1"}}, "template": {
                    "metadata": {"labels": {"pkg.crossplane.io/revision": "patch-1", "pkg.crossplane.io/function": "patch"}},
                    "spec": {"containers": [{"name": "a", "image": "x"}]},
                }},
            }),
        ),
        object(
            "apiextensions.crossplane.io/v1",
            "Composition",
            "databases",
            json!({"spec": {"pipeline": [{"step": "a", "functionRef": {"name": "patch"}}]}}),
        ),
    ];
    let whole = composite("quotes-x", json!({"spec": {"compositionRef": {"name": "databases"}}}));
    let part = bucket("logs", owned(&whole));
    let document = teardown(&[definitions(), function, vec![whole, part]].concat(), &["xdatabase/quotes-x"]).json();
    assert_eq!((fate(&document, "quotes-x"), fate(&document, "logs")), ("removed", "deleted"), "{document:#}");
}

#[test]
fn deleting_a_source_or_a_registration_in_use_is_reported() {
    let repository = object(
        "source.toolkit.fluxcd.io/v1",
        "GitRepository",
        "repo",
        json!({"metadata": {"namespace": "flux"}, "spec": {"url": "https://git.example.org/a"}}),
    );
    let elsewhere = |name: &str| application(json!({"spec": {"destination": {"server": null, "name": name}}}));
    let registration = object(
        "v1",
        "Secret",
        "prod",
        json!({
            "metadata": {"namespace": "argocd", "labels": {"argocd.argoproj.io/secret-type": "cluster"}},
            "data": {"name": "cHJvZA==", "server": "aHR0cHM6Ly9wcm9kLmV4YW1wbGUub3Jn"},
        }),
    );
    let kubeconfig =
        object("v1", "Secret", "kubeconfig", json!({"metadata": {"namespace": "flux"}, "data": {"value": "eA=="}}));
    let remote = kustomization(json!({"spec": {"kubeConfig": {"secretRef": {"name": "kubeconfig"}}}}));
    let case = |name, objects, target, code| Case { name, objects, target, fates: &[], code };
    check(vec![
        case(
            "a source",
            vec![repository, kustomization(json!({}))],
            &["gitrepository/repo", "-n", "flux"],
            Some("UCP920"),
        ),
        case(
            "a registration",
            vec![registration.clone(), elsewhere("prod")],
            &["secret/prod", "-n", "argocd"],
            Some("UCP920"),
        ),
        case("of another cluster", vec![registration, elsewhere("stage")], &["secret/prod", "-n", "argocd"], None),
        case("a kubeconfig", vec![kubeconfig, remote], &["secret/kubeconfig", "-n", "flux"], Some("UCP920")),
    ]);
}
