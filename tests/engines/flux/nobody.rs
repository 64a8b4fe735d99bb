//! Controllers that are not there.

use super::{RESOURCES, world};
use crate::scenario::{StatusReport, record, row, words};

/// Scales a controller to zero: its objects still report that they are ready.
fn check_scaled_to_zero(controller: &str) {
    let mut world = world();
    let (workload, object) =
        (format!("deployment/{controller} -n flux-system"), format!("deployment/{controller} -n flux-system"));
    world.scale_down(&workload, controller);
    let reported = StatusReport::of(&world.hub);
    let ucp = words(reported.finding(&object));
    assert_eq!(reported.finding(&object)["verdict"], "Failed", "{:#}", reported.document());
    assert_eq!(reported.engine("Flux"), "Failed");
    row(&format!("flux: {controller} is scaled to nothing"), "its objects are Ready", &ucp);
    record(&world.hub, &format!("flux-no-{controller}"), RESOURCES);
    world.scale_up(&workload, controller);
}

#[test]
fn no_source_controller() {
    check_scaled_to_zero("source-controller");
}

#[test]
fn no_kustomize_controller() {
    check_scaled_to_zero("kustomize-controller");
}

#[test]
fn a_controller_that_crashes() {
    let mut world = world();
    let object = "deployment/kustomize-controller -n flux-system";
    world.stop("kustomize-controller");
    let engine = world.until("its Deployment is not available", |world| {
        crate::world::condition(&crate::world::get(&world.hub, object)?, "Available")
            .filter(|reported| reported.starts_with("False"))
    });
    let reported = StatusReport::of(&world.hub);
    let ucp = words(reported.finding(object));
    assert_eq!(reported.finding(object)["verdict"], "Failed", "{:#}", reported.document());
    assert_eq!(reported.engine("Flux"), "Failed");
    row("flux: a controller crashes", &engine, &ucp);
    world.restart("kustomize-controller");
    world.until("it is back", |world| {
        crate::world::condition(&crate::world::get(&world.hub, object)?, "Available")
            .filter(|reported| reported.starts_with("True"))
    });
}
