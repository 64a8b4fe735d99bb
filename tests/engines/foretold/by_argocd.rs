//! Merges that Argo CD deploys.

use serde_json::{Value, json};

use super::merges::{Merges, deployers, extend, waiting};
use crate::argocd;
use crate::world::World;

const HOME: &str = "argocd";

fn deployer(kind: &str, name: &str, url: &str, more: &Value) -> Value {
    let mut object = match kind {
        "ApplicationSet" => json!({
            "apiVersion": "argoproj.io/v1alpha1", "kind": kind,
            "metadata": {"namespace": HOME, "name": name},
            "spec": {"goTemplate": true, "goTemplateOptions": ["missingkey=error"]},
        }),
        _ => {
            let (path, namespace) = if name == "root" { ("deployers", HOME) } else { (name, name) };
            let own = json!({
                "destination": {"server": "https://kubernetes.default.svc", "namespace": namespace},
                "syncPolicy": {"automated": {"prune": true}},
            });
            argocd::application(name, url, path, &own)
        }
    };
    extend(&mut object["spec"], more);
    object
}

fn behind(world: &World, commit: &str) -> Vec<String> {
    let applications = deployers(world, "applications.argoproj.io", HOME);
    waiting(&applications, |one| {
        let (status, sync) = (&one["status"], &one["status"]["sync"]);
        let revisions = sync["revisions"].as_array().into_iter().flatten().chain([&sync["revision"]]);
        let is_compared = revisions.into_iter().any(|revision| revision == commit);
        let complains = status["conditions"].as_array().is_some_and(|all| !all.is_empty());
        let operation = &status["operationState"];
        // It keeps retrying a sync that failed.
        let is_ended = operation["phase"] != "Running" && one["operation"].is_null()
            || operation["retryCount"].as_i64().is_some_and(|count| count > 0);
        let is_synced = sync["status"] == "Synced" || complains || operation["syncResult"]["revision"] == commit;
        let is_manual = one["spec"]["syncPolicy"]["automated"].is_null();
        let is_done = is_compared && (is_ended && is_synced || is_manual) || complains && is_ended;
        (!is_done).then(|| format!("{sync} {} {}", operation["phase"], operation["message"]))
    })
}

fn announce(world: &World, _commit: &str) {
    let arguments = [
        "annotate",
        "applications.argoproj.io",
        "--all",
        "-n",
        HOME,
        "argocd.argoproj.io/refresh=normal",
        "--overwrite",
    ];
    // An Application may be deleted meanwhile.
    let _ = world.hub.kubectl(arguments).output().expect("kubectl");
}

#[test]
fn argo_cd_does_what_was_predicted() {
    let mut world = World::start("foretold-argocd");
    argocd::install(&mut world);
    argocd::register(&world, "app", crate::support::cluster::TOKEN);
    let merges = Merges {
        engine: "argocd",
        kinds: "applications.argoproj.io,applicationsets.argoproj.io,appprojects.argoproj.io",
        home: HOME,
        files: &["applications.yaml", "application_sets.yaml"],
        deployer,
        behind,
        announce,
    };
    merges.run(&mut world);
}
