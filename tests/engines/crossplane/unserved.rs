//! Controllers that are not there.

use serde_json::json;

use super::{PROVIDER, RESOURCES, SETTINGS, holds, world};
use crate::scenario::{StatusReport, record, row, ucp, words};
use crate::world::{condition, get, patch};

#[test]
fn no_core() {
    let mut world = world();
    let object = "deployment/crossplane -n crossplane-system";
    world.scale_down(object, "crossplane");
    let reported = StatusReport::of(&world.hub);
    let finding = reported.finding(object);
    assert_eq!(finding["verdict"], "Failed", "{finding:#}");
    assert_eq!(reported.engine("Crossplane"), "Failed", "{:#}", reported.document());
    row("crossplane: its core is scaled to nothing", "composites are Synced, Ready", &words(finding));
    record(&world.hub, "crossplane-no-core", RESOURCES);
    world.scale_up(object, "crossplane");
}

#[test]
fn no_provider() {
    let mut world = world();
    let revision =
        get(&world.hub, "provider.pkg.crossplane.io/provider-kubernetes").unwrap()["status"]["currentRevision"]
            .as_str()
            .unwrap()
            .to_owned();
    let provider = "provider.pkg.crossplane.io/provider-kubernetes";
    let workload = format!("deployment/{revision} -n crossplane-system");
    // Its runtime belongs to the package manager, which would scale it up again.
    world.stop(PROVIDER);
    let engine = world.until("the package manager reports it", |world| holds(world, provider, "Healthy", "False"));
    patch(&world.app, "configmap/settings -n default", &json!({"data": {"size": "by hand"}}));
    let reported = StatusReport::of(&world.hub);
    let findings = reported.document()["findings"].as_array().unwrap();
    let about =
        |finding: &&serde_json::Value| finding.to_string().contains(&revision) || finding["object"]["name"] == PROVIDER;
    let finding = findings.iter().find(about).unwrap_or_else(|| panic!("{workload}: {:#}", reported.document()));
    assert_eq!(finding["verdict"], "Failed", "{finding:#}");
    assert_eq!(reported.engine("Crossplane"), "Failed");
    // It cannot know the differences: it reports that, and not that all is the same.
    let ran = ucp(&world.hub, ["drift", "object.kubernetes.crossplane.io/settings"]).expect(4);
    assert!(!ran.stdout.contains("corrects"), "{ran:#?}");
    row("crossplane: a provider is down", &engine, &format!("{}; drift exits 4", words(finding)));
    record(&world.hub, "crossplane-provider-down", RESOURCES);
    world.restart(PROVIDER);
    world.until("the provider is back", |world| holds(world, provider, "Healthy", "True"));
    world.until("it corrects the change", |world| {
        (get(&world.app, "configmap/settings -n default")?["data"]["size"] == "as declared").then_some(())
    });
    world.until("its resource is well", |world| {
        condition(&get(&world.hub, SETTINGS)?, "Synced").filter(|reported| reported.starts_with("True"))
    });
}
