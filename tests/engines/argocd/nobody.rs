//! Controllers that are not there.

use super::{RESOURCES, is, world};
use crate::scenario::{Said, record, row, ucp, words};

fn nobody_home(kind: &str, program: &str) {
    let mut world = world();
    let engine = world.until("it is well", |world| is(world, "shop", "Synced", "Healthy"));
    let workload = format!("{kind}/{program} -n argocd");
    world.scale_down(&workload, program);
    let said = Said::of(&world.hub);
    let finding = said.finding(&workload);
    assert_eq!(finding["verdict"], "Failed", "{finding:#}");
    assert_eq!(said.engine("Argo CD"), "Failed", "{:#}", said.document());
    if program == "argocd-application-controller" {
        // Nobody compares: that nothing differs is not known.
        ucp(&world.hub, ["drift", "-A"]).expect(4);
    }
    row(&format!("argocd: {program} is scaled to nothing"), &engine, &words(finding));
    record(&world.hub, &format!("argocd-no-{program}"), RESOURCES);
    world.scale_up(&workload, program);
}

#[test]
fn no_application_controller() {
    nobody_home("statefulset", "argocd-application-controller");
}

#[test]
fn no_repo_server() {
    nobody_home("deployment", "argocd-repo-server");
}

#[test]
fn no_redis() {
    nobody_home("deployment", "argocd-redis");
}
