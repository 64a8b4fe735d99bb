//! Clusters that are adopted: the engine must be able to deploy to them.

use std::process::Command;

use serde_json::{Value, json};

use crate::scenario::{row, ucp};
use crate::support::certificates::Validity;
use crate::support::command::Ran;
use crate::world::{Shared, Turn, World, condition, get, kubectl, patch};
use crate::{argocd, flux};

/// A core cluster with both engines, and an app cluster that neither of them knows.
fn world() -> Turn<'static> {
    static WORLD: Shared = Shared::of(start);
    WORLD.take()
}

fn start() -> World {
    let mut world = World::start("adoption");
    argocd::install(&mut world);
    flux::install(&mut world);
    world.forge.commit(
        "apps",
        &[
            ("argocd/config.yaml", &argocd::config("by-argocd")),
            ("first/config.yaml", &argocd::config("by-flux")),
            ("second/config.yaml", &argocd::config("by-flux-too")),
        ],
    );
    world.hub.apply(&flux::repository("apps", &world.forge.url("apps")));
    world
}

/// A Secret as Crossplane leaves it for a cluster of this name, with a credential that may do everything.
fn provision(world: &World, name: &str) {
    let admin = world.app.identity("provisioner", Some("system:masters"), Validity::Valid).unwrap();
    let kubeconfig = world.app.kubeconfig_with(&world.app.server(), &admin);
    world.hub.apply(&json!({
        "apiVersion": "v1", "kind": "Secret", "type": "connection.crossplane.io/v1alpha1",
        "metadata": {"namespace": "default", "name": name},
        "stringData": {"kubeconfig": kubeconfig.to_string()},
    }));
}

fn adopt(world: &World, name: &str, engine: &str) -> Ran {
    ucp(&world.hub, ["adopt-cluster", name, "--engine", engine, "--yes", "--allow-localhost", "-o", "json"])
}

fn release(world: &World, name: &str, engine: &str) -> Ran {
    ucp(&world.hub, ["release-cluster", name, "--engine", engine, "--yes", "--allow-localhost"])
}

/// The state of a cluster in `clusters`.
fn state(world: &World, name: &str) -> Value {
    let ran = ucp(&world.hub, ["clusters", "--probe", "--allow-localhost", "-o", "json"]);
    let document = ran.json();
    let items = document["items"].as_array().unwrap();
    let found = items.iter().find(|item| item["name"] == name);
    found.unwrap_or_else(|| panic!("no {name}: {document:#}"))["state"].clone()
}

/// A Kustomization that deploys a directory through a registration.
fn remote(name: &str, path: &str, registration: &str) -> Value {
    let to = json!({
        "kubeConfig": {"secretRef": {"name": format!("{registration}-kubeconfig")}}, "targetNamespace": "default",
    });
    flux::kustomization(name, "apps", path, to)
}

fn forget(world: &World, object: &str) {
    patch(&world.hub, object, &json!({"metadata": {"finalizers": null}}));
    kubectl(&world.hub, &format!("delete --ignore-not-found {object}"));
}

#[test]
fn argocd_deploys_to_an_adopted_cluster() {
    let mut world = world();
    provision(&world, "stage");
    assert_eq!(state(&world, "stage"), "adoptable");
    adopt(&world, "stage", "argocd").expect(0);
    let mut object =
        argocd::application("remote", &world.forge.url("apps"), "argocd", &json!({"syncPolicy": {"automated": {}}}));
    object["spec"]["destination"]["name"] = json!("stage");
    world.hub.apply(&object);
    let engine = world.until("Argo CD deploys to it", |world| argocd::is(world, "remote", "Synced", "Healthy"));
    assert!(get(&world.app, "configmap/by-argocd -n default").is_some());
    assert_eq!(state(&world, "stage"), "adopted");
    // A second run has nothing to do.
    let again = adopt(&world, "stage", "argocd").expect(0).json();
    assert_eq!(again["items"][0]["actions"], json!([]), "{again:#}");
    row("adoption: Argo CD deploys to it", &engine, "adoptable, then adopted; a second run does nothing");

    // Not while something deploys there, unless that is wanted.
    let refused = release(&world, "stage", "argocd").expect(1);
    assert!(refused.stdout.contains("application.argoproj.io/remote"), "{refused:#?}");
    let force = ["release-cluster", "stage", "--engine", "argocd", "--yes", "--allow-localhost", "--force"];
    ucp(&world.hub, force).expect(0);
    let engine = world.until("Argo CD no longer knows it", |world| {
        argocd::refresh(world, "remote");
        argocd::complains(world, "remote", "InvalidSpecError")
    });
    assert_eq!(state(&world, "stage"), "adoptable");
    row("adoption: released from Argo CD", &engine, "adoptable");
    argocd::forget(&world, "remote");
    kubectl(&world.hub, "delete secret stage -n default");
}

#[test]
fn flux_deploys_to_an_adopted_cluster() {
    let mut world = world();
    provision(&world, "prod");
    adopt(&world, "prod", "flux").expect(0);
    let object = "kustomization/remote -n flux-system";
    world.hub.apply(&remote("remote", "./first", "prod"));
    let engine = world.until("Flux deploys to it", |world| flux::ready(world, object, "True"));
    assert!(get(&world.app, "configmap/by-flux -n default").is_some());
    assert_eq!(state(&world, "prod"), "adopted");
    row("adoption: Flux deploys to it", &engine, "adopted");
    forget(&world, object);
    release(&world, "prod", "flux").expect(0);
    kubectl(&world.hub, "delete secret prod -n default");
}

#[test]
fn two_registrations_of_a_server_do_not_affect_each_other() {
    let mut world = world();
    provision(&world, "blue");
    provision(&world, "green");
    adopt(&world, "blue", "flux").expect(0);
    let first = "kustomization/first -n flux-system";
    world.hub.apply(&remote("first", "./first", "blue"));
    world.until("Flux deploys through the first", |world| flux::ready(world, first, "True"));

    // Refused, or with an account of its own: in no case at the first one's expense.
    let second = adopt(&world, "green", "flux");
    let refused = second.code != Some(0);
    adopt(&world, "blue", "flux").expect(0);
    if !refused {
        world.hub.apply(&remote("second", "./second", "green"));
        world.until("Flux deploys through the second", |world| {
            flux::ready(world, "kustomization/second -n flux-system", "True")
        });
        adopt(&world, "green", "flux").expect(0);
        forget(&world, "kustomization/second -n flux-system");
        release(&world, "green", "flux").expect(0);
    }
    let before = get(&world.hub, first).unwrap()["status"]["history"][0]["totalReconciliations"].as_i64().unwrap();
    reconcile(&world, first);
    let engine = world.until("Flux continues with the first", |world| {
        let history = get(&world.hub, first)?["status"]["history"][0].take();
        (history["totalReconciliations"].as_i64()? > before
            && history["lastReconciledStatus"] == "ReconciliationSucceeded")
            .then(|| condition(&get(&world.hub, first)?, "Ready"))?
    });
    let outcome = if refused { "the second is refused" } else { "both keep their rights, and one goes alone" };
    row("adoption: two registrations of one server", &engine, outcome);
    forget(&world, first);
    release(&world, "blue", "flux").expect(0);
    kubectl(&world.hub, "delete secret blue green -n default");
}

#[test]
fn a_token_that_is_replaced_while_flux_uses_it() {
    let mut world = world();
    provision(&world, "rotated");
    adopt(&world, "rotated", "flux").expect(0);
    let object = "kustomization/rotated -n flux-system";
    world.hub.apply(&remote("rotated", "./first", "rotated"));
    world.until("Flux deploys to it", |world| flux::ready(world, object, "True"));
    let rotate = ["adopt-cluster", "rotated", "--engine", "flux", "--rotate", "--yes", "--allow-localhost"];
    ucp(&world.hub, rotate).expect(0);
    patch(&world.app, "configmap/by-flux -n default", &json!({"data": {"greeting": "by hand"}}));
    reconcile(&world, object);
    let engine = world.until("Flux corrects it with the new token", |world| {
        (get(&world.app, "configmap/by-flux -n default")?["data"]["greeting"] == "hello")
            .then(|| flux::ready(world, object, "True"))?
    });
    row("adoption: a token is replaced", &engine, "exit 0, and Flux goes on");
    forget(&world, object);
    release(&world, "rotated", "flux").expect(0);
    kubectl(&world.hub, "delete secret rotated -n default");
}

/// Asks Flux for a look now.
fn reconcile(world: &World, object: &str) {
    let now = Command::new("date").arg("+%s%N").output().unwrap().stdout;
    let value = String::from_utf8(now).unwrap();
    let annotations = json!({"reconcile.fluxcd.io/requestedAt": value.trim()});
    patch(&world.hub, object, &json!({"metadata": {"annotations": annotations}}));
}
