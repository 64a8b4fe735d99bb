//! Objects that cannot be fetched, built or applied.

use serde_json::json;

use super::{RESOURCES, kustomization, ready, repository, world};
use crate::scenario::{StatusReport, expect, record, row};
use crate::world::{World, delete, get};

/// How often the same failure is in the history, at least twice.
fn failures(world: &World, object: &str) -> Option<i64> {
    let object = get(&world.hub, object)?;
    let history = object["status"]["history"].as_array()?;
    let failed = history.iter().find(|entry| entry["lastReconciledStatus"] != "ReconciliationSucceeded")?;
    failed["totalReconciliations"].as_i64().filter(|count| *count >= 2)
}

/// The finding about an object, always a failure, once it contains the cause: during a retry, the engine itself does
/// not report the cause.
fn failure_of(world: &mut World, object: &str, has: &[&str]) -> String {
    world.until("the cause is reported", |world| {
        let ucp = expect(StatusReport::of(&world.hub).finding(object), "Failed", "UCP302", &[]);
        has.iter().all(|words| ucp.contains(words)).then_some(ucp)
    })
}

#[test]
fn healthy_objects_have_no_findings() {
    let mut world = world();
    let engine = world.until("shop is ready", |world| ready(world, "kustomization/shop -n flux-system", "True"));
    // Flux reconciles again from time to time, which is reported.
    let reported = world.until("nothing is under way", |world| {
        let reported = StatusReport::of(&world.hub);
        (reported.engine("Flux") == "OK").then_some(reported)
    });
    assert!(reported.document()["findings"].as_array().is_none_or(Vec::is_empty), "{:#}", reported.document());
    row("flux: all is well", &engine, "OK, no findings");
    record(&world.hub, "flux-healthy", RESOURCES);
}

#[test]
fn a_path_that_is_not_there() {
    let mut world = world();
    let object = "kustomization/bad-path -n flux-system";
    world.hub.apply(&kustomization("bad-path", "apps", "./nowhere", json!({})));
    let engine = world.until("it fails", |world| ready(world, object, "False"));
    let since = world.until("the failure is reported", |world| {
        let reported = StatusReport::of(&world.hub);
        (!reported.about(object).is_empty()).then(|| reported.finding(object)["since"].clone())
    });
    let changed = |world: &World| {
        get(&world.hub, object)?["status"]["conditions"][0]["lastTransitionTime"].as_str().map(str::to_owned)
    };
    let first = changed(&world);
    // Every retry makes the failure look new, and Unknown in between.
    world.until("it tries again", |world| changed(world).filter(|_| changed(world) != first));
    let mut fetching = 0;
    for _ in 0..6 {
        let reported = StatusReport::of(&world.hub);
        // For an instant, while the source is fetched again, the object holds no trace of the failure. That is never OK.
        if reported.about(object).is_empty() {
            assert_eq!(reported.engine("Flux"), "Progressing");
            fetching += 1;
            continue;
        }
        let finding = reported.finding(object);
        expect(finding, "Failed", "UCP302", &[]);
        assert_eq!(finding["since"], since, "it counts from the first failure: {finding:#}");
        assert_eq!(reported.engine("Flux"), "Failed");
        std::thread::sleep(std::time::Duration::from_secs(2));
    }
    assert!(fetching <= 2, "{fetching} of 6 looks without a failure");
    row("flux: path not found", &engine, &failure_of(&mut world, object, &["path not found"]));
    record(&world.hub, "flux-bad-path", RESOURCES);
    delete(&world.hub, object);
}

#[test]
fn an_object_that_the_server_refuses() {
    let mut world = world();
    let object = "kustomization/refused -n flux-system";
    let service =
        "apiVersion: v1\nkind: Service\nmetadata: {name: refused, namespace: default}\nspec: {type: Nonsense}\n";
    world.forge.commit("refused", &[("service.yaml", service)]);
    world.hub.apply(&repository("refused", &world.forge.url("refused")));
    world.hub.apply(&kustomization("refused", "refused", "./", json!({})));
    world.until("it failed twice", |world| failures(world, object));
    let mut failures = 0;
    for _ in 0..6 {
        let reported = StatusReport::of(&world.hub);
        match reported.about(object).is_empty() {
            // The instant of a retry, as above.
            true => assert_eq!(reported.engine("Flux"), "Progressing"),
            false => {
                expect(reported.finding(object), "Failed", "UCP302", &[]);
                failures += 1;
            }
        }
        std::thread::sleep(std::time::Duration::from_secs(2));
    }
    assert!(failures >= 4, "{failures} of 6 looks with the failure");
    let engine = world.until("it reports it", |world| ready(world, object, "False"));
    let ucp = failure_of(&mut world, object, &["Service/default/refused", "Unsupported value"]);
    row("flux: the server refuses an object", &engine, &ucp);
    record(&world.hub, "flux-refused", RESOURCES);
    delete(&world.hub, object);
    delete(&world.hub, "gitrepository/refused -n flux-system");
}

#[test]
fn a_repository_that_requires_a_password() {
    let mut world = world();
    let object = "gitrepository/private -n flux-system";
    world.hub.apply(&repository("private", &world.forge.url("private/secret")));
    let engine = world.until("it fails", |world| ready(world, object, "False"));
    let ucp = failure_of(&mut world, object, &["authentication required"]);
    row("flux: a password is missing", &engine, &ucp);
    record(&world.hub, "flux-private-repository", RESOURCES);
    delete(&world.hub, object);
}

#[test]
fn a_health_check_that_never_passes() {
    let mut world = world();
    let object = "kustomization/unhealthy -n flux-system";
    world.forge.commit("unhealthy", &[("deployment.yaml", NEVER_READY)]);
    world.hub.apply(&repository("unhealthy", &world.forge.url("unhealthy")));
    world.hub.apply(&kustomization("unhealthy", "unhealthy", "./", json!({"wait": true})));
    let engine = world.until("the health check fails", |world| {
        ready(world, object, "False").filter(|reported| reported.contains("HealthCheckFailed"))
    });
    let ucp = failure_of(&mut world, object, &["Deployment/default/unhealthy"]);
    row("flux: a health check fails", &engine, &ucp);
    record(&world.hub, "flux-unhealthy", RESOURCES);
    delete(&world.hub, object);
    delete(&world.hub, "gitrepository/unhealthy -n flux-system");
}

const NEVER_READY: &str = "apiVersion: apps/v1
kind: Deployment
metadata: {name: unhealthy, namespace: default}
spec:
  selector: {matchLabels: {app: unhealthy}}
  template:
    metadata: {labels: {app: unhealthy, engines.test/never-ready: 'true'}}
    spec: {containers: [{name: app, image: example.org/app:1}]}
";
