//! Incidents of Applications.

use serde_json::{Value, json};

use super::{Files, Incident, REPOSITORY, config, web};
use crate::argocd;
use crate::world::{World, get, namespace, patch};

/// Applications, each with a directory and a namespace of the same name.
const APPLICATIONS: [&str; 4] = ["argo-image", "argo-failed", "argo-narrow", "argo-back"];

pub const INCIDENTS: [Incident; 4] = [
    Incident {
        name: "image from Git, by Argo CD",
        about: "application/argo-image -n argocd",
        culprits: &[("application/argo-image", "@commit"), ("deployment/web", "image")],
        strike: |world, files| push(world, files, "argo-image", ("web.yaml", "web:1", "web:missing")),
        is_broken: |world| health(world, "argo-image") == "Degraded",
    },
    Incident {
        name: "manifest that Argo CD cannot apply",
        about: "application/argo-failed -n argocd",
        culprits: &[("application/argo-failed", "@commit")],
        strike: |world, files| push(world, files, "argo-failed", ("config.yaml", "\"v1\"", "\"example.org/v1\"")),
        is_broken: |world| {
            let application = get(&world.hub, &argocd::named("argo-failed")).unwrap();
            let operation = &application["status"]["operationState"];
            operation["phase"] == "Failed" || operation["retryCount"].as_u64().is_some_and(|count| count > 0)
        },
    },
    Incident {
        name: "project restricted by hand",
        about: "application/argo-narrow -n argocd",
        culprits: &[("appproject/narrow", "destinations")],
        strike: |world, _| {
            let elsewhere = json!({"spec": {"destinations": [{"server": "*", "namespace": "elsewhere"}]}});
            patch(&world.hub, "appproject/narrow -n argocd", &elsewhere);
        },
        is_broken: |world| argocd::complains(world, "argo-narrow", "InvalidSpecError").is_some(),
    },
    Incident {
        name: "failed promotion that was rolled back",
        about: "application/argo-back -n argocd",
        culprits: &[("application/argo-back", "@commit")],
        strike: |world, files| {
            push(world, files, "argo-back", ("web.yaml", "web:1", "web:missing"));
            let bad = files.commit.clone();
            world.until("it fails", |world| (health(world, "argo-back") == "Degraded").then_some(()));
            push(world, files, "argo-back", ("web.yaml", "web:missing", "web:1"));
            files.commit = bad;
        },
        is_broken: |world| health(world, "argo-back") == "Healthy",
    },
];

/// Pushes a commit, as a person does, and has Argo CD read it, as a forge's webhook does: it caches for minutes.
fn push(world: &World, files: &mut Files, name: &str, (file, from, to): (&str, &str, &str)) {
    files.edit(world, &format!("{name}/{file}"), from, to);
    argocd::refresh(world, name);
}

fn health(world: &World, name: &str) -> String {
    let application = get(&world.hub, &argocd::named(name)).unwrap_or_default();
    application["status"]["health"]["status"].as_str().unwrap_or_default().to_owned()
}

pub fn set_up(world: &mut World, files: &mut Files) {
    let anywhere = json!([{"server": "*", "namespace": "*"}]);
    world.hub.apply(&json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "AppProject", "metadata": {"namespace": "argocd", "name": "narrow"},
        "spec": {"sourceRepos": ["*"], "destinations": anywhere},
    }));
    for name in APPLICATIONS {
        let has_workload = matches!(name, "argo-image" | "argo-back");
        let path = format!("{name}/{}.yaml", if has_workload { "web" } else { "config" });
        files.set(&path, if has_workload { web(name, &json!({})).to_string() } else { config(name, "config") });
        world.hub.apply(&namespace(name));
    }
}

/// Creates the Applications, once the repository has their directories.
pub fn deploy(world: &World) {
    for name in APPLICATIONS {
        let project = if name == "argo-narrow" { "narrow" } else { "default" };
        let more: Value = json!({
            "project": project, "syncPolicy": {"automated": {}},
            "destination": {"server": "https://kubernetes.default.svc", "namespace": name},
        });
        world.hub.apply(&argocd::application(name, &world.forge.url(REPOSITORY), name, &more));
    }
}
