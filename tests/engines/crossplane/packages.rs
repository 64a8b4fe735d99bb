//! Packages that cannot be had or run.

use serde_json::json;

use super::{PROVIDER, RESOURCES, holds, world};
use crate::scenario::{StatusReport, record, row, words};
use crate::world::{condition, get, kubectl};

#[test]
fn a_package_that_no_registry_has() {
    let mut world = world();
    let name = "provider.pkg.crossplane.io/ghost";
    let image = get(&world.hub, "provider.pkg.crossplane.io/provider-kubernetes").unwrap()["spec"]["package"]
        .as_str()
        .unwrap()
        .replace(PROVIDER, "ghost");
    world.hub.apply(&json!({
        "apiVersion": "pkg.crossplane.io/v1", "kind": "Provider", "metadata": {"name": "ghost"},
        "spec": {"package": image},
    }));
    let engine = world.until("it cannot be unpacked", |world| {
        condition(&get(&world.hub, name)?, "Installed").filter(|reported| reported.starts_with("False"))
    });
    let reported = StatusReport::of(&world.hub);
    let finding = reported.finding("provider/ghost");
    assert_eq!(finding["verdict"], "Failed", "{finding:#}");
    assert!(words(finding).contains("ghost"), "{finding:#}");
    row("crossplane: no registry has a package", &engine, &words(finding));
    record(&world.hub, "crossplane-no-package", RESOURCES);
    kubectl(&world.hub, &format!("delete {name}"));
}

#[test]
fn a_revision_that_reports_why_its_runtime_fails() {
    let mut world = world();
    let provider = "provider.pkg.crossplane.io/provider-kubernetes";
    let revision = get(&world.hub, provider).unwrap()["status"]["currentRevision"].as_str().unwrap().to_owned();
    let object = format!("providerrevision.pkg.crossplane.io/{revision}");
    kubectl(&world.hub, "delete serviceaccount crossplane -n crossplane-system");
    kubectl(&world.hub, &format!("annotate {object} engines.test/look=again"));
    let engine = world.until("the revision reports the reason", |world| {
        condition(&get(&world.hub, &object)?, "RuntimeHealthy").filter(|reported| reported.contains("service account"))
    });
    world.until("the provider echoes it", |world| holds(world, provider, "Healthy", "False"));
    let reported = StatusReport::of(&world.hub);
    let findings = reported.document()["findings"].as_array().unwrap();
    let first = findings.first().unwrap_or_else(|| panic!("{:#}", reported.document()));
    assert!(words(first).contains("cannot get Crossplane service account"), "{:#}", reported.document());
    row("crossplane: a ServiceAccount is missing", &engine, &words(first));
    record(&world.hub, "crossplane-runtime", RESOURCES);
    kubectl(&world.hub, "create serviceaccount crossplane -n crossplane-system");
    kubectl(&world.hub, &format!("annotate {object} engines.test/look-"));
    world.until("the provider is well", |world| holds(world, provider, "Healthy", "True"));
}
