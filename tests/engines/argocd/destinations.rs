//! An app cluster that does not answer.

use serde_json::json;

use super::{RESOURCES, is, named, refresh, world};
use crate::scenario::{Said, record, row, words};
use crate::world::get;

#[test]
fn a_cluster_that_is_gone() {
    let mut world = world();
    world.until("it is well", |world| is(world, "shop", "Synced", "Healthy"));
    world.app.stop();
    let engine = world.until("Argo CD notices", |world| {
        refresh(world, "shop");
        let object = get(&world.hub, &named("shop"))?;
        let conditions = object["status"]["conditions"].as_array().filter(|conditions| !conditions.is_empty())?;
        let types: Vec<&str> = conditions.iter().filter_map(|condition| condition["type"].as_str()).collect();
        Some(format!("{} {types:?}", object["status"]["sync"]["status"]))
    });
    let said = Said::of(&world.hub);
    // However many conditions have this one cause.
    let findings = said.about(&named("shop"));
    assert_eq!(findings.len(), 1, "{:#}", said.document());
    assert_ne!(findings[0]["verdict"], "OK", "{:#}", said.document());
    assert_ne!(said.engine("Argo CD"), "OK", "{:#}", said.document());
    row("argocd: the app cluster is gone", &engine, &words(findings[0]));
    record(&world.hub, "argocd-cluster-gone", RESOURCES);
    world.app.restart().unwrap();
    world.until("it is well again", |world| {
        refresh(world, "shop");
        is(world, "shop", "Synced", "Healthy").filter(|_| {
            get(&world.hub, &named("shop")).is_some_and(|object| object["status"]["conditions"] == json!(null))
        })
    });
}
