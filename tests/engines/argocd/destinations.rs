//! An app cluster that does not answer.

use serde_json::json;

use super::{RESOURCES, application, forget, is, named, refresh, world};
use crate::scenario::{StatusReport, record, row, words};
use crate::world::{World, delete, get};

#[test]
fn a_registration_with_an_unusable_config() {
    let mut world = world();
    // Under another name than the one that works.
    let server = world.app.server().replace("127.0.0.1", "localhost");
    let config = json!({"bearerToken": "x", "tlsClientConfig": {"caData": "bm8gY2VydGlmaWNhdGU="}});
    world.hub.apply(&json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": {
            "namespace": "argocd", "name": "cluster-unusable",
            "labels": {"argocd.argoproj.io/secret-type": "cluster"},
        },
        "stringData": {"name": "unusable", "server": server, "config": config.to_string()},
    }));
    let mut object = application("unusable", &world.forge.url("shop"), "shop", &json!({}));
    object["spec"]["destination"]["name"] = json!("unusable");
    world.hub.apply(&object);
    let engine = world.until("several conditions have this one cause", |world| {
        let object = get(&world.hub, &named("unusable"))?;
        let conditions = object["status"]["conditions"].as_array().filter(|conditions| conditions.len() >= 2)?;
        let types: Vec<&str> = conditions.iter().filter_map(|condition| condition["type"].as_str()).collect();
        Some(format!("{types:?} {}", conditions[0]["message"]))
    });
    let reported = StatusReport::of(&world.hub);
    let finding = reported.finding(&named("unusable"));
    assert_eq!(finding["verdict"], "Failed", "{finding:#}");
    row("argocd: a registration with an unusable config", &engine, &words(finding));
    record(&world.hub, "argocd-unusable-registration", RESOURCES);
    forget(&world, "unusable");
    delete(&world.hub, "secret/cluster-unusable -n argocd");
}

/// Waits until the Application has been compared without complaint.
fn well_again(world: &mut World) {
    world.until("it is well again", |world| {
        refresh(world, "shop");
        let complains = get(&world.hub, &named("shop"))?["status"]["conditions"].is_array();
        is(world, "shop", "Synced", "Healthy").filter(|_| !complains)
    });
}

#[test]
fn a_cluster_that_no_longer_exists() {
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
    let reported = StatusReport::of(&world.hub);
    // However many conditions have this one cause.
    let findings = reported.about(&named("shop"));
    assert_eq!(findings.len(), 1, "{:#}", reported.document());
    assert_ne!(findings[0]["verdict"], "OK", "{:#}", reported.document());
    assert_ne!(reported.engine("Argo CD"), "OK", "{:#}", reported.document());
    row("argocd: the app cluster is gone", &engine, &words(findings[0]));
    record(&world.hub, "argocd-cluster-gone", RESOURCES);
    world.app.restart().unwrap();
    well_again(&mut world);
}
