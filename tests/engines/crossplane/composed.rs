//! Composites, claims, and the function that composes them.

use serde_json::{Value, json};

use super::{BOX, FUNCTION, RESOURCES, TEAM, holds, world};
use crate::scenario::{StatusReport, record, row, ucp, words};
use crate::world::{condition, get, kubectl, patch};

#[test]
fn a_function_that_is_down() {
    let mut world = world();
    let function = "function.pkg.crossplane.io/function-templates";
    world.stop(FUNCTION);
    world.until("the package manager reports it", |world| holds(world, function, "Healthy", "False"));
    patch(&world.hub, BOX, &json!({"spec": {"size": "huge"}}));
    let engine = world.until("the composite has a generation that was not composed", |world| {
        let composite = get(&world.hub, BOX)?;
        let generation = composite["metadata"]["generation"].as_i64()?;
        let seen = composite["status"]["conditions"][0]["observedGeneration"].as_i64()?;
        (seen < generation)
            .then(|| format!("generation {generation}, {}", condition(&composite, "Ready").unwrap_or_default()))
    });
    let reported = StatusReport::of(&world.hub);
    let findings = reported.document()["findings"].as_array().unwrap();
    let holds_up =
        |finding: &&Value| finding["holdsUp"].as_array().into_iter().flatten().any(|one| one["name"] == "crate");
    let cause = findings.iter().find(holds_up).unwrap_or_else(|| panic!("{:#}", reported.document()));
    assert_eq!(cause["verdict"], "Failed", "{cause:#}");
    assert!(cause["object"]["name"].as_str().unwrap().starts_with(FUNCTION), "{cause:#}");
    // The composite is held up by it, and not OK.
    let ran = ucp(&world.hub, ["resources", "-A", "-o", "json"]);
    let items = ran.json();
    let composite = items["items"].as_array().unwrap().iter().find(|item| item["object"]["kind"] == "Box").unwrap();
    assert_ne!(composite["verdict"], "OK", "{composite:#}");
    row("crossplane: a function is down", &engine, &words(cause));
    record(&world.hub, "crossplane-function-down", RESOURCES);
    world.restart(FUNCTION);
    world.until("the function is back", |world| holds(world, function, "Healthy", "True"));
    patch(&world.hub, BOX, &json!({"spec": {"size": "large"}}));
    world.until("the composite is well", |world| holds(world, BOX, "Ready", "True"));
}

#[test]
fn a_function_that_fails() {
    let mut world = world();
    let composition = "composition/boxes";
    let before = get(&world.hub, composition).unwrap()["spec"]["pipeline"].clone();
    let mut broken = before.clone();
    broken[0]["input"]["resources"][0]["base"]["metadata"] = json!({"annotations": {"owner": "$(spec.owner)"}});
    patch(&world.hub, composition, &json!({"spec": {"pipeline": broken}}));
    let engine = world.until("the composite fails", |world| {
        holds(world, BOX, "Synced", "False").filter(|reported| reported.contains("spec.owner"))
    });
    let reported = StatusReport::of(&world.hub);
    let finding = reported.finding("box/crate -n default");
    assert_eq!(finding["verdict"], "Failed", "{finding:#}");
    assert!(words(finding).contains("the composite has no spec.owner"), "{finding:#}");
    row("crossplane: a function refuses a composite", &engine, &words(finding));
    record(&world.hub, "crossplane-function-fails", RESOURCES);
    patch(&world.hub, composition, &json!({"spec": {"pipeline": before}}));
    world.until("the composite is well", |world| holds(world, BOX, "Synced", "True"));
}

#[test]
fn a_claim_whose_deletion_waits_for_a_composed_resource() {
    let mut world = world();
    let composite = get(&world.hub, TEAM).unwrap()["spec"]["resourceRef"]["name"].as_str().unwrap().to_owned();
    let map = format!("configmap/team-{composite} -n default");
    patch(&world.app, &map, &json!({"metadata": {"finalizers": ["example.org/hold"]}}));
    kubectl(
        &world.hub,
        &format!("patch {TEAM} --type=merge -p {{\"spec\":{{\"compositeDeletePolicy\":\"Foreground\"}}}}"),
    );
    kubectl(&world.hub, &format!("delete {TEAM} --cascade=foreground --wait=false"));
    let engine = world.until("the composed resource waits", |world| {
        let claim = get(&world.hub, TEAM)?;
        let output = world
            .hub
            .kubectl(["get", "object.kubernetes.crossplane.io", "-o", "json", "-l"])
            .arg(format!("crossplane.io/composite={composite}"))
            .output()
            .ok()?;
        let list: Value = serde_json::from_slice(&output.stdout).ok()?;
        let seen = &list["items"][0]["status"]["atProvider"]["manifest"]["metadata"];
        (claim["metadata"]["deletionTimestamp"].is_string() && seen["deletionTimestamp"].is_string())
            .then(|| condition(&claim, "Ready").unwrap_or_default())
    });
    let reported = StatusReport::later(&world.hub);
    let document = reported.document();
    let findings = document["findings"].as_array().unwrap();
    let stuck = findings.iter().find(|finding| finding["verdict"] == "Stuck").unwrap_or_else(|| panic!("{document:#}"));
    assert!(document.to_string().contains("example.org/hold"), "{document:#}");
    row("crossplane: a claim's deletion waits", &engine, &words(stuck));
    record(&world.hub, "crossplane-claim-deleting", RESOURCES);
    patch(&world.app, &map, &json!({"metadata": {"finalizers": []}}));
    kubectl(&world.hub, &format!("wait --for=delete --timeout=120s {TEAM}"));
    world.hub.apply(&json!({
        "apiVersion": "platform.example.org/v1alpha1", "kind": "Team",
        "metadata": {"namespace": "default", "name": "blue"}, "spec": {"size": "small"},
    }));
    world.until("a new claim is ready", |world| holds(world, TEAM, "Ready", "True"));
}
