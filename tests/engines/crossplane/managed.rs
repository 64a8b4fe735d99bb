//! Managed resources that are not as they should be.

use serde_json::{Value, json};

use super::{PROVIDER, RESOURCES, SETTINGS, config_map, holds, object, world};
use crate::scenario::{StatusReport, record, row, ucp, words};
use crate::world::{World, condition, delete, get, kubectl, patch};

#[test]
fn healthy_resources_have_no_findings() {
    let mut world = world();
    let engine = world.until("it is synced", |world| holds(world, SETTINGS, "Synced", "True"));
    // Crossplane reconciles again from time to time, which is reported.
    let reported = world.until("nothing is under way", |world| {
        let reported = StatusReport::of(&world.hub);
        (reported.engine("Crossplane") == "OK").then_some(reported)
    });
    assert!(reported.document()["findings"].as_array().is_none_or(Vec::is_empty), "{:#}", reported.document());
    row("crossplane: all is well", &engine, "OK, no findings");
    record(&world.hub, "crossplane-healthy", RESOURCES);
}

#[test]
fn a_manifest_that_the_app_cluster_refuses() {
    let mut world = world();
    let mut refused = object("refused", json!({}));
    refused["spec"]["forProvider"]["manifest"]["data"] = json!({"not a key!": "x"});
    world.hub.apply(&refused);
    let name = "object.kubernetes.crossplane.io/refused";
    let engine = world.until("it cannot be created", |world| holds(world, name, "Synced", "False"));
    let reported = StatusReport::of(&world.hub);
    let finding = reported.finding("object/refused");
    assert_eq!(finding["verdict"], "Failed", "{finding:#}");
    assert!(words(finding).contains("not a key!"), "{finding:#}");
    row("crossplane: the app cluster refuses a manifest", &engine, &words(finding));
    record(&world.hub, "crossplane-refused", RESOURCES);
    kubectl(&world.hub, &format!("delete {name}"));
}

#[test]
fn credentials_that_the_app_cluster_refuses() {
    let mut world = world();
    let secret = "secret/app-kubeconfig -n crossplane-system";
    let right = get(&world.hub, secret).unwrap()["data"].clone();
    let wrong = world
        .app
        .kubeconfig_with(&world.app.server(), &crate::support::kubeconfig::Credential::Token("nobody's".into()));
    patch(&world.hub, secret, &json!({"data": null, "stringData": {"kubeconfig": wrong.to_string()}}));
    world.until("every resource fails", |world| all_synced(world, "False"));
    let engine = world.until("it reports the reason", |world| holds(world, SETTINGS, "Synced", "False"));
    let reported = StatusReport::of(&world.hub);
    let finding = reported.finding("object/settings");
    assert_eq!((&finding["code"], &finding["verdict"]), (&json!("UCP105"), &json!("Failed")), "{finding:#}");
    let text = finding.to_string();
    assert!(text.contains("app-kubeconfig"), "{finding:#}");
    row("crossplane: wrong credentials", &engine, &words(finding));
    record(&world.hub, "crossplane-credentials", RESOURCES);
    patch(&world.hub, secret, &json!({"data": right}));
    // Each tries again after a while of its own.
    world.until("all are well again", |world| all_synced(world, "True"));
}

/// Returns something if Synced of every managed resource has this status.
fn all_synced(world: &World, status: &str) -> Option<()> {
    let output = world.hub.kubectl(["get", "managed", "-A", "-o", "json"]).output().ok()?;
    let list: Value = serde_json::from_slice(&output.stdout).ok()?;
    let is = |object| condition(object, "Synced").is_some_and(|reported| reported.starts_with(status));
    list["items"].as_array()?.iter().all(is).then_some(())
}

#[test]
fn a_deletion_that_a_foreign_finalizer_blocks() {
    let mut world = world();
    world.hub.apply(&object("held", json!({})));
    let name = "object.kubernetes.crossplane.io/held";
    world.until("it is created", |world| holds(world, name, "Ready", "True"));
    patch(&world.app, "configmap/held -n default", &json!({"metadata": {"finalizers": ["example.org/hold"]}}));
    delete(&world.hub, name);
    let engine = world.until("the provider waits for the finalizer", |world| {
        let object = get(&world.hub, name)?;
        let seen = &object["status"]["atProvider"]["manifest"]["metadata"];
        (seen["deletionTimestamp"].is_string() && seen["finalizers"][0] == "example.org/hold")
            .then(|| condition(&object, "Ready"))?
            .filter(|reported| reported.contains("Deleting"))
    });
    let reported = StatusReport::later(&world.hub);
    let finding = reported.finding("object/held");
    assert_eq!(finding["verdict"], "Stuck", "{finding:#}");
    assert!(words(finding).contains("example.org/hold"), "{finding:#}");
    row("crossplane: a foreign finalizer", &engine, &words(finding));
    record(&world.hub, "crossplane-foreign-finalizer", RESOURCES);
    patch(&world.app, "configmap/held -n default", &json!({"metadata": {"finalizers": []}}));
    kubectl(&world.hub, &format!("wait --for=delete --timeout=120s {name}"));
}

#[test]
fn a_change_that_was_not_reconciled_yet() {
    let mut world = world();
    // The Pod still counts as ready: the provider hangs.
    world.kill(PROVIDER);
    patch(&world.hub, SETTINGS, &json!({"spec": {"forProvider": {"manifest": config_map("settings", "changed")}}}));
    let resource = get(&world.hub, SETTINGS).unwrap();
    let engine = format!(
        "generation {}, conditions of {}: {}",
        resource["metadata"]["generation"],
        resource["status"]["conditions"][0]["observedGeneration"],
        condition(&resource, "Synced").unwrap(),
    );
    let ran = ucp(&world.hub, ["resources", "object.kubernetes.crossplane.io/settings", "-o", "json"]);
    let items = ran.json();
    assert_eq!(items["items"][0]["verdict"], "Progressing", "{items:#}");
    row("crossplane: the new spec was not reconciled", &engine, "Progressing");
    record(&world.hub, "crossplane-generation", RESOURCES);
    world.restart(PROVIDER);
    patch(&world.hub, SETTINGS, &json!({"spec": {"forProvider": {"manifest": config_map("settings", "as declared")}}}));
    world.until("it is well again", |world| holds(world, SETTINGS, "Synced", "True"));
}

#[test]
fn an_external_change_that_nothing_may_correct() {
    let mut world = world();
    world.hub.apply(&object("watched", json!({"managementPolicies": ["Create", "Observe", "Delete"]})));
    let name = "object.kubernetes.crossplane.io/watched";
    world.until("it is created", |world| holds(world, name, "Ready", "True"));
    patch(&world.app, "configmap/watched -n default", &json!({"data": {"size": "by hand"}}));
    let engine = world.until("the provider sees the change and leaves it", |world| {
        let object = get(&world.hub, name)?;
        let seen = &object["status"]["atProvider"]["manifest"]["data"]["size"];
        (seen == "by hand").then(|| condition(&object, "Synced"))?
    });
    let ran = ucp(&world.hub, ["drift", "object.kubernetes.crossplane.io/watched", "-o", "json"]).expect(1);
    let report = ran.json();
    let text = report.to_string();
    assert!(text.contains("by hand") && text.contains("as declared"), "{report:#}");
    assert!(report["items"][0]["willBeCorrected"] != true, "{report:#}");
    row("crossplane: changed outside, no policy to update", &engine, "drift: \"as declared\" and \"by hand\", exit 1");
    record(&world.hub, "crossplane-observe-only", RESOURCES);
    kubectl(&world.hub, &format!("delete {name}"));
}

#[test]
fn frequent_edits_by_a_person_are_not_a_fight() {
    let mut world = world();
    for size in ["1", "2", "3", "4", "5", "6"] {
        patch(&world.hub, SETTINGS, &json!({"spec": {"forProvider": {"manifest": config_map("settings", size)}}}));
        world.until("the edit arrives", |world| {
            let there = get(&world.app, "configmap/settings -n default")?;
            (there["data"]["size"] == size).then_some(())
        });
    }
    patch(&world.hub, SETTINGS, &json!({"spec": {"forProvider": {"manifest": config_map("settings", "as declared")}}}));
    world.until("the last edit is seen", |world| {
        get(&world.hub, SETTINGS)?["status"]["atProvider"]["manifest"]["data"]["size"].eq("as declared").then_some(())
    });
    let engine = world.until("it is well", |world| holds(world, SETTINGS, "Synced", "True"));
    let ran = ucp(&world.hub, ["drift", "-A", "-o", "json"]);
    assert!(!ran.stdout.contains("UCP504"), "{ran:#?}");
    StatusReport::of(&world.hub).nothing_about("object/settings");
    row("crossplane: six edits by a person", &engine, "nothing");
    record(&world.hub, "crossplane-own-edits", &format!("{RESOURCES},events"));
}

#[test]
fn a_paused_resource() {
    let mut world = world();
    kubectl(&world.hub, &format!("annotate {SETTINGS} crossplane.io/paused=true"));
    let engine = world.until("the provider reports it", |world| {
        condition(&get(&world.hub, SETTINGS)?, "Synced").filter(|reported| reported.contains("ReconcilePaused"))
    });
    let reported = StatusReport::of(&world.hub);
    let finding = reported.finding("object/settings");
    assert_eq!(finding["verdict"], "Paused", "{finding:#}");
    row("crossplane: paused", &engine, &words(finding));
    record(&world.hub, "crossplane-paused", RESOURCES);
    kubectl(&world.hub, &format!("annotate {SETTINGS} crossplane.io/paused-"));
    world.until("it continues", |world| {
        condition(&get(&world.hub, SETTINGS)?, "Synced").filter(|reported| reported.contains("ReconcileSuccess"))
    });
}
