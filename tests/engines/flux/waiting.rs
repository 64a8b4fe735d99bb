//! Objects that wait: for a dependency, for a person, for their deletion.

use serde_json::json;

use super::{RESOURCES, kustomization, ready, repository, world};
use crate::scenario::{StatusReport, record, row, words};
use crate::world::{delete, get, kubectl, patch};

#[test]
fn a_kustomization_whose_deletion_waits_for_a_finalizer() {
    let mut world = world();
    let object = "kustomization/going -n flux-system";
    world.forge.commit("going", &[("config.yaml", &super::CONFIG.replace("shop", "going"))]);
    world.hub.apply(&repository("going", &world.forge.url("going")));
    world.hub.apply(&kustomization("going", "going", "./", json!({})));
    world.until("it is applied", |world| ready(world, object, "True"));
    patch(&world.hub, object, &json!({"metadata": {"finalizers": ["finalizers.fluxcd.io", "example.org/keeps-it"]}}));
    delete(&world.hub, object);
    let engine = world.until("only the other finalizer is left", |world| {
        let object = get(&world.hub, object)?;
        let finalizers = object["metadata"]["finalizers"].as_array()?;
        (object["metadata"]["deletionTimestamp"].is_string() && finalizers.len() == 1)
            .then(|| format!("deletionTimestamp, finalizers {finalizers:?}"))
    });
    // Not stuck yet, but not well either.
    let reported = StatusReport::later(&world.hub);
    let finding = reported.finding(object);
    assert_eq!(finding["verdict"], "Stuck", "{finding:#}");
    assert!(words(finding).contains("example.org/keeps-it"), "{finding:#}");
    row("flux: a deletion waits", &engine, &words(finding));
    record(&world.hub, "flux-deleting", RESOURCES);
    patch(&world.hub, object, &json!({"metadata": {"finalizers": []}}));
    delete(&world.hub, "gitrepository/going -n flux-system");
}

#[test]
fn a_dependency_that_fails() {
    let mut world = world();
    let (first, second) = ("kustomization/first -n flux-system", "kustomization/second -n flux-system");
    world.hub.apply(&kustomization("first", "apps", "./nowhere", json!({})));
    world.hub.apply(&kustomization("second", "apps", "./shop", json!({"dependsOn": [{"name": "first"}]})));
    let engine = world.until("the second waits for the first", |world| {
        ready(world, first, "False")?;
        ready(world, second, "False").filter(|reported| reported.contains("DependencyNotReady"))
    });
    let reported = StatusReport::of(&world.hub);
    assert_eq!(reported.finding(first)["verdict"], "Failed", "{:#}", reported.document());
    // It is reported once, at its cause, which blocks the second.
    for finding in reported.about(second) {
        assert!(finding["object"]["name"] == "first" || words(finding).contains("first"), "{:#}", reported.document());
    }
    assert_eq!(reported.engine("Flux"), "Failed");
    row("flux: a dependency fails", &engine, &words(reported.finding(first)));
    record(&world.hub, "flux-dependency", RESOURCES);
    kubectl(&world.hub, &format!("delete {second} --ignore-not-found"));
    kubectl(&world.hub, &format!("delete {first} --ignore-not-found"));
}

#[test]
fn a_suspended_kustomization() {
    let mut world = world();
    let object = "kustomization/shop -n flux-system";
    patch(&world.hub, object, &json!({"spec": {"suspend": true}}));
    let reported = StatusReport::of(&world.hub);
    let ucp = words(reported.finding(object));
    assert_eq!(reported.finding(object)["verdict"], "Paused", "{:#}", reported.document());
    row("flux: suspended", "spec.suspend: true", &ucp);
    record(&world.hub, "flux-suspended", RESOURCES);
    patch(&world.hub, object, &json!({"spec": {"suspend": false}}));
    world.until("it continues", |world| ready(world, object, "True"));
}
