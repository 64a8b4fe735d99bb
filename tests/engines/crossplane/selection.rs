//! Definitions that are refused, and composites that no composition or function is there for.

use serde_json::{Value, json};

use super::{BOX, RESOURCES, holds, object, world};
use crate::scenario::{StatusReport, record, row, words};
use crate::world::{World, condition, delete, get, patch};

fn definition(kind: &str, plural: &str) -> Value {
    let schema = json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {"size": {"type": "string"}}}}});
    json!({
        "apiVersion": "apiextensions.crossplane.io/v2", "kind": "CompositeResourceDefinition",
        "metadata": {"name": format!("{plural}.platform.example.org")},
        "spec": {
            "scope": "Namespaced", "group": "platform.example.org",
            "names": {"kind": kind, "plural": plural, "singular": kind.to_lowercase()},
            "versions": [{"name": "v1alpha1", "served": true, "referenceable": true, "schema": {"openAPIV3Schema": schema}}],
        },
    })
}

fn composite(kind: &str, name: &str) -> Value {
    json!({
        "apiVersion": "platform.example.org/v1alpha1", "kind": kind,
        "metadata": {"namespace": "default", "name": name}, "spec": {"size": "large"},
    })
}

/// The verdict on an object, or that of Crossplane while the object may recover, which is not OK.
fn not_ok(world: &World, name: &str) -> (String, String) {
    let reported = StatusReport::of(&world.hub);
    let about = reported.about(name);
    let verdict =
        about.first().map_or(reported.engine("Crossplane"), |one| one["verdict"].as_str().unwrap_or_default());
    assert_ne!(verdict, "OK", "{:#}", reported.document());
    (verdict.to_owned(), about.first().map_or_else(|| verdict.to_owned(), |one| words(one)))
}

#[test]
fn a_composite_without_a_composition() {
    let mut world = world();
    world.hub.apply(&definition("Shelf", "shelves"));
    world.until("it is established", |world| holds(world, "xrd/shelves.platform.example.org", "Established", "True"));
    world.hub.apply(&composite("Shelf", "empty"));
    let object = "shelf.platform.example.org/empty -n default";
    let engine = world.until("no composition is found", |world| holds(world, object, "Synced", "False"));
    let (_, text) = not_ok(&world, "shelf/empty -n default");
    row("crossplane: no composition", &engine, &text);
    record(&world.hub, "crossplane-no-composition", RESOURCES);
    delete(&world.hub, object);
    delete(&world.hub, "xrd/shelves.platform.example.org");
}

#[test]
fn a_composition_with_a_function_that_is_not_installed() {
    let mut world = world();
    let composition = "composition/boxes";
    let before = get(&world.hub, composition).unwrap()["spec"]["pipeline"].clone();
    let mut broken = before.clone();
    broken[0]["functionRef"]["name"] = json!("function-ghost");
    patch(&world.hub, composition, &json!({"spec": {"pipeline": broken}}));
    let engine = world.until("the composite fails", |world| {
        let composite = get(&world.hub, BOX)?;
        ["Synced", "Responsive", "Ready"].into_iter().find_map(|kind| {
            condition(&composite, kind)
                .filter(|reported| reported.starts_with("False") && reported.contains("function-ghost"))
        })
    });
    let (_, text) = not_ok(&world, "box/crate -n default");
    row("crossplane: a function is not installed", &engine, &text);
    patch(&world.hub, composition, &json!({"spec": {"pipeline": before}}));
    world.until("the composite is well", |world| holds(world, BOX, "Synced", "True"));
}

#[test]
fn a_definition_whose_kind_already_exists() {
    let mut world = world();
    // `Box` of the same group is that of another definition.
    world.hub.apply(&definition("Box", "packets"));
    let object = "xrd/packets.platform.example.org";
    let engine = world.until("its names are refused", |world| {
        let crd = get(&world.hub, "crd/packets.platform.example.org")?;
        condition(&crd, "NamesAccepted").filter(|reported| reported.starts_with("False"))
    });
    let (_, text) = not_ok(&world, "compositeresourcedefinition/packets.platform.example.org");
    row("crossplane: a definition is refused", &engine, &text);
    delete(&world.hub, object);
    // Its definition is never established, so Crossplane does not release it.
    patch(&world.hub, object, &json!({"metadata": {"finalizers": null}}));
    // With that definition, Crossplane may have ended its watch of the kind, which is that of the other one too.
    world.restart("crossplane");
    world.until("it reconciles again", |world| holds(world, BOX, "Synced", "True"));
}

#[test]
fn a_paused_composite_is_not_ok() {
    let mut world = world();
    patch(&world.hub, BOX, &json!({"metadata": {"annotations": {"crossplane.io/paused": "true"}}}));
    let engine = world.until("it is paused", |world| {
        condition(&get(&world.hub, BOX)?, "Synced").filter(|reported| reported.contains("Paused"))
    });
    let (verdict, text) = not_ok(&world, "box/crate -n default");
    assert_eq!(verdict, "Paused", "{text}");
    row("crossplane: a paused composite", &engine, &text);
    patch(&world.hub, BOX, &json!({"metadata": {"annotations": {"crossplane.io/paused": null}}}));
    world.until("it continues", |world| holds(world, BOX, "Synced", "True"));
}

#[test]
fn an_observed_object_that_does_not_exist() {
    let mut world = world();
    world.hub.apply(&object("ghost", json!({"managementPolicies": ["Observe"]})));
    let name = "object.kubernetes.crossplane.io/ghost";
    let engine = world.until("it is not found", |world| holds(world, name, "Synced", "False"));
    let (_, text) = not_ok(&world, "object/ghost");
    row("crossplane: an observed object does not exist", &engine, &text);
    delete(&world.hub, name);
}
