//! Applications that Argo CD cannot even compare.

use serde_json::{Value, json};

use super::{RESOURCES, application, complains, forget, is, named, world};
use crate::scenario::{StatusReport, record, row, words};
use crate::world::{World, condition, delete, get};

#[test]
fn healthy_applications_have_no_findings() {
    let mut world = world();
    let engine = world.until("it is well", |world| is(world, "shop", "Synced", "Healthy"));
    // Argo CD compares again from time to time, which is reported.
    let reported = world.until("nothing is under way", |world| {
        let reported = StatusReport::of(&world.hub);
        (reported.engine("Argo CD") == "OK").then_some(reported)
    });
    assert!(reported.document()["findings"].as_array().is_none_or(Vec::is_empty), "{:#}", reported.document());
    row("argocd: all is well", &engine, "OK, no findings");
    record(&world.hub, "argocd-healthy", RESOURCES);
}

/// An Application with a problem; its finding contains `has`, and is reported once.
fn broken(world: &mut World, name: &str, object: &Value, complaint: &str, has: &str) {
    world.hub.apply(object);
    let engine = world.until("it complains", |world| complains(world, name, complaint));
    let reported = StatusReport::of(&world.hub);
    let finding = reported.finding(&named(name));
    assert_eq!(finding["verdict"], "Failed", "{finding:#}");
    assert!(words(finding).contains(has), "{has:?}: {finding:#}");
    row(&format!("argocd: {name}"), &engine, &words(finding));
    record(&world.hub, &format!("argocd-{name}"), RESOURCES);
    forget(world, name);
}

#[test]
fn a_path_that_is_not_there() {
    let mut world = world();
    let object = application("bad-path", &world.forge.url("shop"), "nowhere", &json!({}));
    broken(&mut world, "bad-path", &object, "ComparisonError", "nowhere: app path does not exist");
}

#[test]
fn a_branch_that_is_not_there() {
    let mut world = world();
    let mut object = application("bad-branch", &world.forge.url("shop"), "shop", &json!({}));
    object["spec"]["source"]["targetRevision"] = json!("nope");
    broken(&mut world, "bad-branch", &object, "ComparisonError", "unable to resolve 'nope'");
}

#[test]
fn a_repository_that_requires_a_password() {
    let mut world = world();
    let object = application("bad-repository", &world.forge.url("private/secret"), "shop", &json!({}));
    broken(&mut world, "bad-repository", &object, "ComparisonError", "authentication required");
}

#[test]
fn a_kustomization_that_does_not_build() {
    let mut world = world();
    world.forge.commit("kustomized", &[("app/kustomization.yaml", "resources: [nowhere.yaml]\n")]);
    let object = application("bad-kustomization", &world.forge.url("kustomized"), "app", &json!({}));
    // The cause is at the end of a long message.
    broken(&mut world, "bad-kustomization", &object, "ComparisonError", "no such file or directory");
}

#[test]
fn a_cluster_that_is_not_registered() {
    let mut world = world();
    let mut object = application("no-cluster", &world.forge.url("shop"), "shop", &json!({}));
    object["spec"]["destination"]["name"] = json!("ghost");
    broken(&mut world, "no-cluster", &object, "InvalidSpecError", "there are no clusters with this name: ghost");
}

#[test]
fn a_project_that_is_not_there() {
    let mut world = world();
    let mut object = application("no-project", &world.forge.url("shop"), "shop", &json!({}));
    object["spec"]["project"] = json!("ghost");
    broken(&mut world, "no-project", &object, "InvalidSpecError", "project ghost which does not exist");
}

#[test]
fn an_application_set_whose_generator_fails() {
    let mut world = world();
    let template = application("{{path.basename}}", &world.forge.url("shop"), "{{path}}", &json!({}));
    let url = world.forge.url("ghost");
    world.hub.apply(&json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "ApplicationSet",
        "metadata": {"namespace": "argocd", "name": "bad-set"},
        "spec": {
            "generators": [{"git": {"repoURL": url, "revision": "main", "directories": [{"path": "*"}]}}],
            "template": {"metadata": {"name": "{{path.basename}}"}, "spec": template["spec"]},
        },
    }));
    let object = "applicationset/bad-set -n argocd";
    let engine = world.until("its generator fails", |world| {
        condition(&get(&world.hub, object)?, "ErrorOccurred").filter(|reported| reported.starts_with("True"))
    });
    let reported = StatusReport::of(&world.hub);
    let finding = reported.finding(object);
    assert_eq!(finding["verdict"], "Failed", "{finding:#}");
    row("argocd: a set's generator fails", &engine, &words(finding));
    record(&world.hub, "argocd-bad-set", RESOURCES);
    delete(&world.hub, object);
}
