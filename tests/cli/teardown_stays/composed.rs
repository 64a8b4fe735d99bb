//! Composites, claims, and their parts.

use serde_json::{Value, json};

use super::{Case, application, bound_to, bucket, check, claim, composite, definitions, owned, usage};
use crate::support::objects::object;
use crate::teardown_kinds::{fate, teardown};

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
