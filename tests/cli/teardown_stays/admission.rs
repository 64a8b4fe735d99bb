//! Webhooks and usages that refuse deletions.

use serde_json::{Value, json};

use super::{
    Case, answering, bucket, check, composite, definitions, of_logs, other, owned, usage, usage_webhook, webhook,
};
use crate::teardown_kinds::teardown;

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
