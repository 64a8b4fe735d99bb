//! Changes that need more than one reconcile, more than one composite, or more than the declared objects.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use ucp_features::composition::protocol::{
    Match, Requirements, ResourceSelector, RunFunctionRequest, RunFunctionResponse,
};
use ucp_features::composition::value::from_struct;

use super::scene::{bucket, claim, composition, fates};
use super::{Scene, step, store};
use crate::support::function::{Function, Reply, templates};

fn disk(size: &str) -> Value {
    json!({"apiVersion": "shop.example.org/v1", "kind": "Disk", "spec": {"forProvider": {"size": size}}})
}

/// A Composition whose status has a value that another resource is made of.
fn relay(with_status: bool) -> Value {
    let mut step = step(
        json!([{"name": "disk", "base": disk("$(status.size)")}, {"name": "bucket", "base": bucket(json!({"size": "$(spec.size)"}))}]),
    );
    if with_status {
        step["input"]["status"] = json!({"size": "$(spec.size)"});
    }
    composition("store", "XStore", json!([step]))
}

#[test]
fn effects_of_a_status_are_followed_to_the_fixed_point() {
    let before = [relay(true), claim("shop", "small")];
    let Some(scene) = Scene::start("plan-fixed-point", &before) else { return };
    let composite = scene.bind(&before[1], &[]);
    let mut named = composite.clone();
    named["spec"] = json!({});
    named["metadata"] = json!({"name": "shop-x"});
    scene.compose(
        &named,
        &[("disk", disk("small")), ("bucket", bucket(json!({"size": "small"})))],
        Some(json!({"size": "small", "conditions": [{
            "type": "Synced", "status": "True", "reason": "ReconcileSuccess", "lastTransitionTime": "2026-01-01T00:00:00Z",
        }]})),
    );
    let function = Function::templates();
    let local = function.named("templates");

    // Larger: the first reconcile still sees the old status.
    scene.change(&[relay(true), claim("shop", "large")]);
    let (plan, _) = scene.document(&["--function", &local]);
    assert_eq!(fates(&plan, "shop-x"), ["change Bucket/bucket", "change Disk/disk"], "{plan:#}");
    let disk_item = &plan["composites"][0]["items"][1];
    assert_eq!(disk_item["differences"][0]["after"], "large", "{disk_item:#}");

    // Without the status the disk is deleted, though the first reconcile still requires it.
    scene.change_again(&[relay(false), claim("shop", "small")]);
    let (plan, _) = scene.document(&["--function", &local]);
    assert_eq!(fates(&plan, "shop-x"), ["remove Disk/disk"], "{plan:#}");
    assert_eq!(plan["composites"][0]["items"][0]["external"]["effect"], "delete");
}

/// A renamed status is missing for one reconcile, and its resources are deleted with it.
#[test]
fn resources_that_are_deleted_and_created_again_are_reported() {
    let made = |status: &str, others: Value| {
        let mut resources = vec![json!({"name": "disk", "base": disk(&format!("$(status.{status})"))})];
        resources.extend(others.as_array().unwrap().iter().cloned());
        let mut step = step(Value::Array(resources));
        step["input"]["status"] = json!({status: "$(spec.size)"});
        composition("store", "XStore", json!([step]))
    };
    let shop = json!({
        "apiVersion": "shop.example.org/v1", "kind": "XStore", "metadata": {"name": "shop"},
        "spec": {"size": "small", "compositionRef": {"name": "store"}},
    });
    let Some(scene) = Scene::start("plan-remade", &[made("size", json!([])), shop.clone()]) else { return };
    scene.compose(&shop, &[("disk", disk("small"))], Some(json!({"size": "small"})));
    let passing = json!([{"name": "passing", "base": bucket(json!({"size": "$(status.size)"}))}]);
    scene.change(&[made("extent", passing), shop]);
    let function = Function::templates();
    let (plan, code) = scene.document(&["--function", &function.named("templates")]);
    assert_eq!(
        (code, fates(&plan, "shop")),
        (1, vec!["remove Disk/disk".to_owned(), "add Disk/disk".to_owned()]),
        "{plan:#}"
    );
    let items = &plan["composites"][0]["items"];
    assert_eq!(items[0]["external"]["effect"], "delete", "{items:#}");
    assert!(items[0]["notes"].to_string().contains("a later one creates it again"), "{items:#}");
    let warnings = plan["composites"][0]["warnings"].to_string();
    assert!(warnings.contains("resource \\\"passing\\\" is created and deleted again"), "{warnings}");
}

#[test]
fn changing_the_kind_of_a_resource_abandons_the_old_object() {
    let before = [store(bucket(json!({"size": "$(spec.size)"}))), claim("shop", "small")];
    let Some(scene) = Scene::start("plan-left-behind", &before) else { return };
    scene.bind(&before[1], &[("bucket", bucket(json!({"size": "small"})))]);
    scene.change(&[store(disk("$(spec.size)")), before[1].clone()]);
    let function = Function::templates();
    let (plan, _) = scene.document(&["--function", &function.named("templates")]);
    assert_eq!(fates(&plan, "shop-x"), ["abandon Bucket/bucket", "add Disk/bucket"], "{plan:#}");
    let left = &plan["composites"][0]["items"][0];
    assert!(left["message"].as_str().unwrap().contains("leaves it behind"), "{left:#}");
    assert!(left.get("external").is_none());
    let new = &plan["composites"][0]["items"][1];
    assert_eq!(new["object"]["name"], left["object"]["name"], "core keeps the name");
}

#[test]
fn composites_within_composites_are_run_to_a_depth() {
    let link = |spec: Value| json!({"apiVersion": "shop.example.org/v1", "kind": "XChain", "spec": spec});
    // Each link makes the next, for as long as there is a list within the list.
    let chain = composition(
        "chain",
        "XChain",
        json!([step(json!([
            {"name": "next", "base": link(json!({"size": "$(spec.size)", "rest": "$(spec.rest.rest)"}))},
            {"name": "bucket", "base": bucket(json!({"size": "$(spec.size)"}))},
        ]))]),
    );
    let Some(scene) = Scene::start("plan-nested", std::slice::from_ref(&chain)) else { return };
    let top = |rest: Value| {
        json!({
            "apiVersion": "shop.example.org/v1", "kind": "XChain", "metadata": {"name": "top"}, "spec": {"size": "a", "rest": rest},
        })
    };
    scene.change(&[chain.clone(), top(json!({"rest": {"rest": {"rest": {}}}}))]);
    let function = Function::templates();
    let local = function.named("templates");
    let (plan, _) = scene.document(&["--function", &local]);
    let composites = plan["composites"].as_array().unwrap();
    assert_eq!(composites.len(), 4, "{plan:#}");
    assert_eq!(fates(&plan, "top"), ["add Bucket/bucket", "add XChain/next"]);
    let within = |one: &Value| one["within"]["name"].as_str().unwrap_or_default().to_owned();
    assert_eq!(composites.iter().filter(|one| within(one) == "top").count(), 1);
    assert_eq!(plan["unreadable"], json!([]));
    let (shallow, _) = scene.document(&["--function", &local, "--composite-depth", "2"]);
    assert_eq!(shallow["composites"].as_array().unwrap().len(), 2, "{shallow:#}");
    assert!(shallow["unreadable"][0]["reason"].as_str().unwrap().contains("to a depth of 2"), "{shallow:#}");
}

/// Requires the EnvironmentConfig that its input names, and makes a bucket of its colour.
fn coloured(request: RunFunctionRequest) -> RunFunctionResponse {
    let input = request.input.as_ref().map(from_struct).unwrap_or_default();
    let name = input["environmentConfig"].as_str().unwrap_or_default().to_owned();
    let found = request.required_resources.get("colours").and_then(|found| found.items.first());
    let colour =
        found.and_then(|found| found.resource.as_ref()).map(|object| from_struct(object)["data"]["colour"].clone());
    let mut request = request;
    let base = bucket(json!({"size": colour}));
    request.input =
        Some(ucp_features::composition::value::to_struct(&json!({"resources": [{"name": "bucket", "base": base}]})));
    let selector = ResourceSelector {
        api_version: "apiextensions.crossplane.io/v1beta1".into(),
        kind: "EnvironmentConfig".into(),
        matching: Some(Match::Name(name)),
        namespace: None,
    };
    let resources = BTreeMap::from([("colours".to_owned(), selector)]);
    RunFunctionResponse {
        requirements: Some(Requirements { resources, ..Requirements::default() }),
        ..templates(request)
    }
}

#[test]
fn a_change_to_a_required_resource_reaches_composites() {
    let environment = |name: &str, colour: &str| {
        json!({
            "apiVersion": "apiextensions.crossplane.io/v1beta1", "kind": "EnvironmentConfig", "metadata": {"name": name},
            "data": {"colour": colour},
        })
    };
    let made = |name: &str, environment: &str| {
        composition(
            name,
            "XStore",
            json!([
                {"step": "make", "functionRef": {"name": "coloured"}, "input": {"environmentConfig": environment}},
            ]),
        )
    };
    let before = [environment("a", "red"), environment("b", "red"), made("of-a", "a"), made("of-b", "b")];
    let Some(scene) = Scene::start("plan-required", &before) else { return };
    let composite = |name: &str| {
        json!({
            "apiVersion": "shop.example.org/v1", "kind": "XStore", "metadata": {"name": name}, "spec": {"compositionRef": {"name": format!("of-{name}")}},
        })
    };
    for name in ["a", "b"] {
        scene.compose(&composite(name), &[("bucket", bucket(json!({"size": "red"})))], None);
    }
    let mut after = before.clone();
    after[0] = environment("a", "blue");
    scene.change(&after);
    let function = Function::start(|_, request| Reply::Answer(Box::new(coloured(request))));
    let (plan, code) = scene.document(&["--function", &function.named("coloured")]);
    assert_eq!((code, plan["composites"].as_array().unwrap().len()), (1, 1), "{plan:#}");
    assert_eq!(fates(&plan, "a"), ["change Bucket/bucket"]);
    assert_eq!(plan["composites"][0]["reachedBy"][0]["name"], "a");
}

#[test]
fn rejected_resources_and_misplaced_cluster_scoped_ones_are_reported() {
    let resources = |place: &str| {
        json!([step(json!([
            {"name": "good", "base": {"apiVersion": "v1", "kind": "ConfigMap", "data": {"size": "$(spec.size)"}}},
            {"name": "bad", "base": {"apiVersion": "shop.example.org/v1", "kind": "Disk", "metadata": {"name": place}}},
        ]))])
    };
    let boxed = composition("box", "Box", resources("x"));
    let located = composition(
        "store",
        "XStore",
        json!([step(json!([
            {"name": "bucket", "base": bucket(json!({"place": "$(spec.place)"}))},
        ]))]),
    );
    let Some(scene) = Scene::start("plan-refused", &[boxed.clone(), located.clone()]) else { return };
    scene.compose(
        &json!({"apiVersion": "shop.example.org/v1", "kind": "XStore", "metadata": {"name": "shop"}, "spec": {"place": "here"}}),
        &[("bucket", bucket(json!({"place": "here"})))],
        None,
    );
    let new_box = json!({
        "apiVersion": "shop.example.org/v1", "kind": "Box", "metadata": {"name": "crate", "namespace": "quotes"}, "spec": {"size": "1"},
    });
    let shop = json!({"apiVersion": "shop.example.org/v1", "kind": "XStore", "metadata": {"name": "shop"}, "spec": {"place": "too far"}});
    scene.change(&[boxed, located, new_box, shop]);
    let function = Function::templates();
    let (plan, _) = scene.document(&["--function", &function.named("templates")]);
    assert_eq!(fates(&plan, "shop"), ["change Bucket/bucket"], "{plan:#}");
    let refused = &plan["composites"][0]["items"][0];
    assert_eq!(refused["check"], "rejected");
    assert!(refused["message"].as_str().unwrap().contains("Too long"), "{refused:#}");
    let reason = plan["unreadable"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("cluster-scoped Disk, which a namespaced composite cannot have"), "{plan:#}");
}
