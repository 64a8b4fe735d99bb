//! The paper's own way of working: a build bumps stage, stage rolls out, and then prod may get the version of stage.

use serde_json::{Value, json};

use crate::gitops::{Gitops, Run};
use crate::support::{self, Cluster, objects};

const NAMESPACE: &str = "pipeline-argocd";

/// The Application of stage, which runs a version.
fn application(version: &str) -> Value {
    let source = ("https://example.org/apps.git", "./echo/overlays/stage");
    let destination = json!({"name": "gcp-k8s-stage", "namespace": "default"});
    let spec = json!({"project": "applications", "destination": destination});
    let object = objects::application(NAMESPACE, "stage-echo", source, &spec);
    objects::with(object, &[json!({"status": status(version)})])
}

fn status(version: &str) -> Value {
    json!({
        "sync": {"status": "Synced"}, "health": {"status": "Healthy"}, "reconciledAt": "2026-11-20T09:00:00Z",
        "summary": {"images": [format!("dagandersen/echo-server:{version}")]},
    })
}

/// The state that Argo CD reports when it has rolled a version out.
fn roll_out(cluster: &Cluster, version: &str) {
    let patch = json!({"status": status(version)}).to_string();
    let arguments = ["--namespace", NAMESPACE, "patch", "application", "stage-echo", "--type=merge", "--patch", &patch];
    Run::of(cluster.kubectl(arguments).output().unwrap()).exits(0);
}

#[test]
fn a_version_moves_from_a_build_to_prod() {
    let Some(cluster) = support::core_cluster() else { return };
    support::run(async || support::load::load_objects(&cluster.client(), vec![application("v0.1.3-x86")]).await)
        .unwrap();
    let repository = Gitops::paper("v0.1.3-x86", "v0.1.3-x86");
    let bare = repository.publish();
    let kubeconfig = cluster.kubeconfig().to_str().unwrap();
    let promote = || {
        repository.ucp([
            "promote",
            "stage",
            "prod",
            "echo",
            "--push",
            "--yes",
            "--verify",
            "--external-controllers",
            "argocd",
            "--kubeconfig",
            kubeconfig,
            "-n",
            NAMESPACE,
        ])
    };

    promote().exits(0).prints("Nothing to do");
    repository.ucp(["set-image", "stage", "echo=v0.1.4-x86", "--push", "--yes"]).exits(0);
    promote().exits(1).prints("runs v0.1.3-x86, not dagandersen/echo-server:v0.1.4-x86");
    let state = || {
        let words = ["pipeline", "echo", "--no-pull-requests", "--external-controllers", "argocd", "-o", "json"];
        let words =
            words.into_iter().chain(["--kubeconfig", kubeconfig, "-n", NAMESPACE, "--repo", bare.to_str().unwrap()]);
        let document = repository.ucp(words).json();
        let versions = document["versions"].as_array().unwrap().clone();
        let new = versions.iter().find(|one| one["version"] == "v0.1.4-x86").unwrap().clone();
        (new["places"][0]["state"].clone(), new["places"][1]["state"].clone())
    };
    assert_eq!(state(), (json!("notRunning"), json!("held")));
    roll_out(cluster, "v0.1.4-x86");
    assert_eq!(state(), (json!("runs"), json!("ready")));
    repository.ucp(["images", "--repo", bare.to_str().unwrap()]).exits(0).prints("v0.1.4-x86   v0.1.3-x86");
    promote().exits(0).prints("Pushed");
    promote().exits(0).prints("Nothing to do");

    let git = |arguments: &[&str]| repository.git(["--git-dir", bare.to_str().unwrap()].iter().chain(arguments));
    assert_eq!(git(&["log", "--format=%s", "main"]).lines().count(), 3);
    let diff = git(&["diff", "--unified=0", "main~1", "main"]);
    let lines: Vec<&str> = diff.lines().filter(|line| line.starts_with(['+', '-'])).collect();
    let file = "echo/overlays/prod/kustomization.yaml";
    assert_eq!(
        lines,
        [
            &format!("--- a/{file}"),
            &format!("+++ b/{file}"),
            "-  newTag: v0.1.3-x86 # ours",
            "+  newTag: v0.1.4-x86 # ours",
        ]
    );
}
