//! Merges that Flux deploys.

use serde_json::{Value, json};

use super::merges::{Merges, annotate, deployers, extend, waiting};
use crate::flux;
use crate::world::{World, condition};

const HOME: &str = "flux-system";

fn deployer(kind: &str, name: &str, _url: &str, more: &Value) -> Value {
    let mut object = match kind {
        "HelmRelease" => json!({
            "apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": kind,
            "metadata": {"namespace": HOME, "name": name},
            "spec": {
                "interval": "10s", "timeout": "10s", "releaseName": name, "targetNamespace": name,
                "chart": {"spec": {
                    "chart": format!("./{name}"), "interval": "5s", "reconcileStrategy": "Revision",
                    "sourceRef": {"kind": "GitRepository", "name": "estate"},
                }},
            },
        }),
        _ => {
            let own = match name {
                "root" => json!({"path": "./deployers"}),
                _ => json!({"path": format!("./{name}"), "targetNamespace": name}),
            };
            flux::kustomization(name, "estate", "./", own)
        }
    };
    extend(&mut object["spec"], more);
    object
}

fn behind(world: &World, commit: &str) -> Vec<String> {
    let kustomizations = deployers(world, "kustomizations.kustomize.toolkit.fluxcd.io", HOME);
    let releases = deployers(world, "helmreleases.helm.toolkit.fluxcd.io", HOME);
    let is_at = |revision: &Value| revision.as_str().is_some_and(|revision| revision.ends_with(commit));
    let mut all = waiting(&kustomizations, |one| {
        let ready = condition(one, "Ready").unwrap_or_default();
        let is_done = is_at(&one["status"]["lastAppliedRevision"])
            || is_at(&one["status"]["lastAttemptedRevision"]) && ready.starts_with("False")
            || ready.contains("dependency '")
            || one["spec"]["suspend"] == true;
        (!is_done).then_some(ready)
    });
    let short = format!("+{}", &commit[..12]);
    all.extend(waiting(&releases, |one| {
        let ready = condition(one, "Ready").unwrap_or_default();
        let version = one["status"]["lastAttemptedRevision"].as_str().unwrap_or_default();
        let is_done = (version.contains(&short) || one["spec"]["chart"]["spec"]["reconcileStrategy"] != "Revision")
            && one["status"]["observedGeneration"] == one["metadata"]["generation"]
            && !ready.starts_with("Unknown")
            || one["spec"]["suspend"] == true
            || ready.contains("dependency '");
        (!is_done).then(|| format!("{version} {ready}"))
    }));
    all
}

fn announce(world: &World, commit: &str) {
    annotate(world, "gitrepository/estate -n flux-system", "reconcile.fluxcd.io/requestedAt", commit);
}

#[test]
fn flux_does_what_was_predicted() {
    let mut world = World::start("foretold-flux");
    flux::install(&mut world);
    world.hub.apply(&flux::repository("estate", &world.forge.url("estate")));
    let merges = Merges {
        engine: "flux",
        kinds: "kustomizations.kustomize.toolkit.fluxcd.io,helmreleases.helm.toolkit.fluxcd.io",
        home: HOME,
        files: &["kustomizations.yaml", "releases.yaml"],
        deployer,
        behind,
        announce,
    };
    merges.run(&mut world);
}
