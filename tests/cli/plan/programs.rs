//! Programs that `plan` needs and that are not installed.

use std::os::unix::fs::symlink;
use std::process::{Command, Output};

use serde_json::{Value, json};

use super::{Repository, application, apply_manifests, create, stderr, stdout};
use crate::support::{self, Options};

/// A directory with these programs alone, for `PATH`.
fn only(programs: &[&str]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let path = std::env::var_os("PATH").unwrap();
    for program in programs {
        let found = std::env::split_paths(&path).map(|place| place.join(program)).find(|file| file.is_file());
        symlink(found.unwrap_or_else(|| panic!("no {program}")), directory.path().join(program)).unwrap();
    }
    directory
}

#[test]
fn a_missing_program_is_reported_before_anything_is_rendered() {
    let Some(cluster) = support::start(Options::named("plan-programs")) else { return };
    let repository = Repository::new(&[
        ("chart/Chart.yaml", "{apiVersion: v2, name: chart, version: 1.0.0}\n"),
        ("chart/templates/a.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default}}\n"),
        ("plain/b.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b, namespace: default}\n"),
    ]);
    let set: Value = json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "ApplicationSet", "metadata": {"namespace": "argocd", "name": "set"},
        "spec": {
            "goTemplate": true,
            "generators": [{"git": {"repoURL": super::URL, "directories": [{"path": "plain"}]}}],
            "template": {"metadata": {"name": "{{.path.basename}}-of-set"}, "spec": application("x", "{{.path.path}}", json!({}))["spec"]},
        },
    });
    create(&cluster, vec![application("chart", "chart", json!({})), application("plain", "plain", json!({})), set]);
    apply_manifests(&cluster, &repository.path().join("plain"));
    let programs = only(&["git", "kubectl"]);
    let plan = |arguments: &[&str]| -> Output {
        let mut command = Command::new(support::command::program());
        command.arg("plan").arg("--kubeconfig").arg(cluster.kubeconfig()).arg(repository.path()).args(arguments);
        command.env("PATH", programs.path()).env_remove("KUBECONFIG").output().unwrap()
    };
    for format in ["table", "wide", "json", "yaml", "markdown", "name", "html"] {
        let output = plan(&["-o", format]);
        let (text, said) = (stdout(&output), stderr(&output));
        assert_eq!(output.status.code(), Some(4), "{format}: {said}");
        let first = "helm is not installed, which is needed to render application.argoproj.io/chart -n argocd, \
                     applicationset.argoproj.io/set -n argocd";
        assert!(said.lines().next().is_some_and(|line| line.contains(first)), "{format}: {said}");
        assert!(
            text.contains("helm is not installed") || said.matches("helm is not installed").count() > 1,
            "{format}: {text}"
        );
    }
    let nothing = only(&["git"]);
    let output = Command::new(support::command::program())
        .args(["plan", "--kubeconfig"])
        .arg(cluster.kubeconfig())
        .arg(repository.path())
        .env("PATH", nothing.path())
        .env_remove("KUBECONFIG")
        .output()
        .unwrap();
    // Plain manifests need no program.
    assert!(!stderr(&output).contains("kustomize is not installed"), "{}", stderr(&output));
}
