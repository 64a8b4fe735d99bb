//! Controllers that are not there.

use super::{RESOURCES, is, world};
use crate::scenario::{StatusReport, record, row, ucp, words};

fn check_scaled_to_zero(kind: &str, program: &str) {
    let mut world = world();
    let engine = world.until("it is well", |world| is(world, "shop", "Synced", "Healthy"));
    let workload = format!("{kind}/{program} -n argocd");
    world.scale_down(&workload, program);
    let reported = StatusReport::of(&world.hub);
    let finding = reported.finding(&workload);
    assert_eq!(finding["verdict"], "Failed", "{finding:#}");
    assert_eq!(reported.engine("Argo CD"), "Failed", "{:#}", reported.document());
    if program == "argocd-application-controller" {
        // Nothing compares: it is not known that nothing differs.
        ucp(&world.hub, ["drift", "-A"]).expect(4);
    }
    row(&format!("argocd: {program} is scaled to nothing"), &engine, &words(finding));
    record(&world.hub, &format!("argocd-no-{program}"), RESOURCES);
    world.scale_up(&workload, program);
}

#[test]
fn no_application_controller() {
    check_scaled_to_zero("statefulset", "argocd-application-controller");
}

#[test]
fn no_repo_server() {
    check_scaled_to_zero("deployment", "argocd-repo-server");
}

#[test]
fn no_redis() {
    check_scaled_to_zero("deployment", "argocd-redis");
}
