//! Health checks as expressions, which Flux and `kubectl ucp` evaluate alike, and objects that Flux has not looked at.

use serde_json::{Value, json};

use super::{kustomization, ready, repository, world};
use crate::scenario::{StatusReport, row, ucp, words};
use crate::world::{delete, get, patch};

const VALVE: &str = "valve.engines.example.org/one -n default";

fn definition() -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "valves.engines.example.org"},
        "spec": {
            "group": "engines.example.org", "scope": "Namespaced",
            "names": {"kind": "Valve", "plural": "valves", "singular": "valve"},
            "versions": [{
                "name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
            }],
        },
    })
}

#[test]
fn an_expression_decides_as_flux_does() {
    let mut world = world();
    let object = "kustomization/valves -n flux-system";
    world.hub.apply(&definition());
    let valve =
        "apiVersion: engines.example.org/v1\nkind: Valve\nmetadata: {name: one, namespace: default}\nspec: {}\n";
    world.forge.commit("valves", &[("valve.yaml", valve)]);
    world.hub.apply(&repository("valves", &world.forge.url("valves")));
    world.hub.apply(&kustomization(
        "valves",
        "valves",
        "./",
        json!({"wait": true, "timeout": "10s", "healthCheckExprs": [{
            "apiVersion": "engines.example.org/v1", "kind": "Valve",
            "current": "has(status.position) && status.position == 'open'",
            "failed": "has(status.position) && status.position == 'stuck'",
            "inProgress": "!has(status.position) || status.position == 'turning'",
        }]}),
    ));
    world.until("the valve is there", |world| get(&world.hub, VALVE));
    for (position, status, has, expected) in [
        ("open", "True", "ReconciliationSucceeded", "OK"),
        ("stuck", "False", "HealthCheckFailed", "Failed"),
        ("turning", "False", "HealthCheckFailed", "Progressing"),
    ] {
        // The conventions have another verdict.
        let phase = if expected == "OK" { "Failed" } else { "Ready" };
        // Flux reverts changes that kubectl makes to the object itself.
        patch(
            &world.hub,
            &format!("{VALVE} --subresource=status"),
            &json!({"status": {"position": position, "phase": phase}}),
        );
        let engine = world.until(&format!("Flux has seen that it is {position}"), |world| {
            ready(world, object, status).filter(|reported| reported.contains(has))
        });
        let list = ucp(&world.hub, ["resources", "--any", "-A", "-o", "json"]).json();
        let items = list["items"].as_array().expect("items");
        let item = items.iter().find(|item| item["object"]["kind"] == "Valve").unwrap_or_else(|| panic!("{list:#}"));
        assert_eq!(item["verdict"], expected, "{item:#}");
        row(&format!("flux: an expression, {position}"), &engine, &words(item));
    }
    delete(&world.hub, object);
    delete(&world.hub, "gitrepository/valves -n flux-system");
}

/// Flux tries again by itself, which is no failure before it has tried for some time.
#[test]
fn a_kustomization_whose_source_is_created_later() {
    let mut world = world();
    let object = "kustomization/early -n flux-system";
    world.forge.commit("early", &[("config.yaml", &super::CONFIG.replace("shop", "early"))]);
    world.hub.apply(&kustomization("early", "early", "./", json!({})));
    let engine = world.until("its source is missing", |world| ready(world, object, "False"));
    let reported = StatusReport::of(&world.hub);
    let findings: Vec<&Value> = reported.about(object);
    assert!(findings.iter().all(|finding| finding["verdict"] != "OK"), "{:#}", reported.document());
    assert_ne!(reported.engine("Flux"), "OK", "{:#}", reported.document());
    row("flux: a source that comes later", &engine, &findings.first().map_or_else(String::new, |one| words(one)));
    world.hub.apply(&repository("early", &world.forge.url("early")));
    world.until("it is applied", |world| ready(world, object, "True"));
    world.until("nothing is reported", |world| StatusReport::of(&world.hub).about(object).is_empty().then_some(()));
    delete(&world.hub, object);
    delete(&world.hub, "gitrepository/early -n flux-system");
}

/// Its deployed objects stay ready, but no commit will be deployed.
#[test]
fn a_source_that_is_suspended_is_not_ok() {
    let mut world = world();
    let object = "gitrepository/apps -n flux-system";
    patch(&world.hub, object, &json!({"spec": {"suspend": true}}));
    let engine = world.until("it is suspended", |world| {
        get(&world.hub, object).filter(|object| object["spec"]["suspend"] == true)?;
        ready(world, "kustomization/shop -n flux-system", "True")
    });
    let reported = StatusReport::of(&world.hub);
    let finding = reported.finding(object);
    assert_eq!(finding["verdict"], "Paused", "{finding:#}");
    row("flux: a suspended source", &engine, &words(finding));
    patch(&world.hub, object, &json!({"spec": {"suspend": false}}));
    world.until("nothing is reported", |world| StatusReport::of(&world.hub).about(object).is_empty().then_some(()));
}

/// A change of the specification that no controller has looked at.
#[test]
fn a_changed_path_that_was_not_reconciled_is_not_ok() {
    let mut world = world();
    let object = "kustomization/shop -n flux-system";
    world.until("it is ready", |world| ready(world, object, "True"));
    world.kill("kustomize-controller");
    patch(&world.hub, object, &json!({"spec": {"path": "./another"}}));
    let engine = ready(&world, object, "True").expect("its status is still the old one");
    let reported = StatusReport::of(&world.hub);
    assert_ne!(reported.engine("Flux"), "OK", "{:#}", reported.document());
    let ran = ucp(&world.hub, ["tree", "kustomization/shop", "-n", "flux-system"]);
    row("flux: a change that was not looked at", &engine, ran.stdout.lines().next().unwrap_or_default());
    patch(&world.hub, object, &json!({"spec": {"path": "./shop"}}));
    world.restart("kustomize-controller");
    world.until("it is ready again", |world| ready(world, object, "True"));
}
