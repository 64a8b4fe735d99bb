//! Controllers that are not there.

use super::{RESOURCES, world};
use crate::scenario::{Said, record, row, words};

/// Scales one to nothing: its objects still say that they are ready.
fn nobody_home(controller: &str) {
    let mut world = world();
    let (workload, object) =
        (format!("deployment/{controller} -n flux-system"), format!("deployment/{controller} -n flux-system"));
    world.scale_down(&workload, controller);
    let said = Said::of(&world.hub);
    let ucp = words(said.finding(&object));
    assert_eq!(said.finding(&object)["verdict"], "Failed", "{:#}", said.document());
    assert_eq!(said.engine("Flux"), "Failed");
    row(&format!("flux: {controller} is scaled to nothing"), "its objects are Ready", &ucp);
    record(&world.hub, &format!("flux-no-{controller}"), RESOURCES);
    world.scale_up(&workload, controller);
}

#[test]
fn no_source_controller() {
    nobody_home("source-controller");
}

#[test]
fn no_kustomize_controller() {
    nobody_home("kustomize-controller");
}

#[test]
fn a_controller_that_crashes() {
    let mut world = world();
    let object = "deployment/kustomize-controller -n flux-system";
    world.stop("kustomize-controller");
    let engine = world.until("its Deployment is not available", |world| {
        crate::world::condition(&crate::world::get(&world.hub, object)?, "Available")
            .filter(|said| said.starts_with("False"))
    });
    let said = Said::of(&world.hub);
    let ucp = words(said.finding(object));
    assert_eq!(said.finding(object)["verdict"], "Failed", "{:#}", said.document());
    assert_eq!(said.engine("Flux"), "Failed");
    row("flux: a controller crashes", &engine, &ucp);
    world.restart("kustomize-controller");
    world.until("it is back", |world| {
        crate::world::condition(&crate::world::get(&world.hub, object)?, "Available")
            .filter(|said| said.starts_with("True"))
    });
}
