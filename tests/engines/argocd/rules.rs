//! Health rules of the hub, which Argo CD and `kubectl ucp` evaluate alike, and changes that Argo CD has not compared.

use serde_json::{Value, json};

use super::{application, forget, is, named, refresh, world};
use crate::scenario::{StatusReport, row, ucp};
use crate::world::{World, delete, get, patch};

/// Decides by the color of a lamp; there is no answer for a broken one.
const RULE: &str = r#"
hs = {status = "Progressing", message = "the lamp is off"}
if obj.status == nil then return hs end
if obj.status.lamp == "green" then hs = {status = "Healthy", message = "the lamp is green"} end
if obj.status.lamp == "red" then hs = {status = "Degraded", message = "the lamp is red: " .. obj.status.cause} end
if obj.status.lamp == "blue" then hs = {status = "Suspended", message = "the lamp is blue"} end
return hs
"#;
const LAMP: &str = "lamp.engines.example.org/one -n default";

fn definition() -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "lamps.engines.example.org"},
        "spec": {
            "group": "engines.example.org", "scope": "Namespaced",
            "names": {"kind": "Lamp", "plural": "lamps", "singular": "lamp"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                "type": "object", "x-kubernetes-preserve-unknown-fields": true,
            }}}],
        },
    })
}

/// The verdict of `resources --any` on an object, and its message.
fn verdict(world: &World, kind: &str) -> (String, String) {
    let list = ucp(&world.hub, ["resources", "--any", "-A", "-o", "json"]).json();
    let items = list["items"].as_array().expect("items");
    let item = items.iter().find(|item| item["object"]["kind"] == kind).unwrap_or_else(|| panic!("{list:#}"));
    let text = |field: &str| item[field].as_str().unwrap_or_default().to_owned();
    (text("verdict"), text("message"))
}

#[test]
fn a_rule_of_the_hub_decides_as_argo_cd_does() {
    let mut world = world();
    world.hub.apply(&definition());
    let settings = "configmap/argocd-cm -n argocd";
    let rule = "resource.customizations.health.engines.example.org_Lamp";
    patch(&world.hub, settings, &json!({"data": {rule: RULE}}));
    let lamp = "apiVersion: engines.example.org/v1\nkind: Lamp\nmetadata: {name: one}\nspec: {}\n";
    world.forge.commit("lamps", &[("lamps/lamp.yaml", lamp)]);
    let more = json!({
        "syncPolicy": {"automated": {}},
        "destination": {"server": "https://kubernetes.default.svc", "namespace": "default"},
    });
    world.hub.apply(&application("lamps", &world.forge.url("lamps"), "lamps", &more));
    world.until("the lamp is there", |world| get(&world.hub, LAMP));
    for (status, health, expected) in [
        (json!({"phase": "Ready"}), "Progressing", "Progressing"),
        (json!({"lamp": "green", "phase": "Failed"}), "Healthy", "OK"),
        (json!({"lamp": "red", "phase": "Ready", "cause": "a fuse"}), "Degraded", "Failed"),
        (json!({"lamp": "blue", "phase": "Ready"}), "Suspended", "Paused"),
    ] {
        patch(&world.hub, LAMP, &json!({"status": status}));
        refresh(&world, "lamps");
        let engine = world.until(&format!("the Application is {health}"), |world| is(world, "lamps", "Synced", health));
        let (verdict, message) = verdict(&world, "Lamp");
        assert_eq!(verdict, expected, "{message}");
        assert!(message.starts_with("health rule of this hub's Argo CD"), "{message}");
        row(&format!("argocd: a rule of the hub, {health}"), &engine, &format!("{verdict}: {message}"));
    }
    // A rule that fails has no answer: for Argo CD, the health of the Application is not that of its object.
    patch(&world.hub, LAMP, &json!({"status": {"lamp": "red", "phase": "Ready", "cause": null}}));
    let (verdict, message) = verdict(&world, "Lamp");
    assert_eq!(verdict, "Unknown", "{message}");
    row("argocd: a rule of the hub fails", "no health", &format!("{verdict}: {message}"));
    patch(&world.hub, settings, &json!({"data": {rule: null}}));
    forget(&world, "lamps");
    delete(&world.hub, "crd/lamps.engines.example.org");
}

/// The node still reports the controller as ready, but the status is that of another source.
#[test]
fn a_source_that_was_changed_and_not_compared_is_not_ok() {
    let mut world = world();
    world.until("it is well", |world| is(world, "shop", "Synced", "Healthy"));
    world.kill("argocd-application-controller");
    patch(&world.hub, &named("shop"), &json!({"spec": {"source": {"path": "another"}}}));
    let engine = is(&world, "shop", "Synced", "Healthy").expect("its status is still the old one");
    let reported = StatusReport::of(&world.hub);
    assert_ne!(reported.engine("Argo CD"), "OK", "{:#}", reported.document());
    row("argocd: a change that was not compared", &engine, reported.engine("Argo CD"));
    patch(&world.hub, &named("shop"), &json!({"spec": {"source": {"path": "shop"}}}));
    world.restart("argocd-application-controller");
    world.until("it is well again", |world| is(world, "shop", "Synced", "Healthy"));
}
