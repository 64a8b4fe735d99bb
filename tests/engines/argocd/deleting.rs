//! Applications that are on their way out.

use serde_json::json;

use super::{RESOURCES, application, complains, config, is, named, world};
use crate::scenario::{StatusReport, record, row, words};
use crate::world::{delete, get, patch};

const CASCADE: &str = "resources-finalizer.argocd.argoproj.io";

#[test]
fn a_deletion_that_waits_for_a_child() {
    let mut world = world();
    world.forge.commit("going", &[("app/config.yaml", &config("going"))]);
    let mut object = application("going", &world.forge.url("going"), "app", &json!({"syncPolicy": {"automated": {}}}));
    object["metadata"]["finalizers"] = json!([CASCADE]);
    world.hub.apply(&object);
    world.until("it is deployed", |world| is(world, "going", "Synced", "Healthy"));
    let map = "configmap/going -n default";
    patch(&world.app, map, &json!({"metadata": {"finalizers": ["example.org/hold"]}}));
    delete(&world.hub, &named("going"));
    let engine = world.until("the child is being deleted", |world| {
        let deleting = |object: serde_json::Value| object["metadata"]["deletionTimestamp"].is_string();
        (deleting(get(&world.app, map)?) && deleting(get(&world.hub, &named("going"))?))
            .then(|| "deletionTimestamp, finalizer".to_owned())
    });
    let reported = StatusReport::later(&world.hub);
    let finding = reported.finding(&named("going"));
    assert_eq!(finding["verdict"], "Stuck", "{finding:#}");
    assert!(words(finding).to_lowercase().contains("delet"), "{finding:#}");
    row("argocd: a deletion waits for a child", &engine, &words(finding));
    record(&world.hub, "argocd-deleting", RESOURCES);
    patch(&world.app, map, &json!({"metadata": {"finalizers": []}}));
    world.until("it is gone", |world| get(&world.hub, &named("going")).is_none().then_some(()));
}

#[test]
fn a_deletion_with_its_cluster_down() {
    let mut world = world();
    world.forge.commit("orphaned", &[("app/config.yaml", &config("orphaned"))]);
    let mut object =
        application("orphaned", &world.forge.url("orphaned"), "app", &json!({"syncPolicy": {"automated": {}}}));
    object["metadata"]["finalizers"] = json!([CASCADE]);
    world.hub.apply(&object);
    world.until("it is deployed", |world| is(world, "orphaned", "Synced", "Healthy"));
    world.app.stop();
    delete(&world.hub, &named("orphaned"));
    let engine =
        world.until("it cannot delete its deployed objects", |world| complains(world, "orphaned", "DeletionError"));
    let reported = StatusReport::later(&world.hub);
    let finding = reported.finding(&named("orphaned"));
    assert!(["Failed", "Stuck"].contains(&finding["verdict"].as_str().unwrap()), "{finding:#}");
    assert!(words(finding).to_lowercase().contains("delet"), "{finding:#}");
    row("argocd: a deletion with its cluster down", &engine, &words(finding));
    record(&world.hub, "argocd-deletion-error", RESOURCES);
    world.app.restart().unwrap();
    world.until("it is gone, or can be", |world| get(&world.hub, &named("orphaned")).is_none().then_some(()));
}
