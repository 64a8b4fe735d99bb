//! Secrets stay where they are, whatever is asked and however much is told: every command at `-v 9`.

use std::collections::BTreeSet;
use std::process::Command;

use k8s_openapi::ByteString;
use serde_json::json;

use crate::adopted::secrets;
use crate::fleet::{Corner, checked, fleet, text};
use crate::gitops::Gitops;
use crate::support::cluster::TOKEN;
use crate::support::command::{CANARY, ucp};
use crate::support::kubeconfig::Credential;

/// Where a GitOps repository came from, with a password as some people leave it there.
fn remote() -> String {
    format!("https://somebody:{CANARY}@git.example.org/platform/quotes.git")
}

/// Secrets in all the places that some command looks into.
fn hide_secrets(corner: &Corner) {
    let namespace = corner.namespace.as_str();
    corner.provision("prod", &corner.fleet.app.server(), &Credential::Token(TOKEN.to_owned()));
    let data = |text: &str| json!({"password": ByteString(text.into())});
    let note = json!({"kubectl.kubernetes.io/last-applied-configuration": json!({"data": data(CANARY)}).to_string()});
    corner.put(json!({
        "apiVersion": "v1", "kind": "Secret", "data": data(CANARY),
        "metadata": {"name": "login", "namespace": namespace, "annotations": note},
    }));
    corner.put(json!({
        "apiVersion": "s3.aws.m.upbound.io/v1beta1", "kind": "Bucket",
        "metadata": {"name": "secretive", "namespace": namespace, "annotations": note},
        "spec": {"forProvider": {"region": "eu-central-1", "password": CANARY}},
        "status": {"atProvider": {"region": "eu-west-1", "password": format!("{CANARY}-too"), "token": CANARY}},
    }));
    corner.put(json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "Application",
        "metadata": {"name": "echo", "namespace": namespace, "annotations": note},
        "spec": {
            "project": "default", "destination": {"name": "prod", "namespace": "default"},
            "source": {"repoURL": remote(), "path": "echo/overlays/stage"},
        },
        "status": {"sync": {"status": "Synced"}, "health": {"status": "Healthy"}},
    }));
}

/// A repository that declares a Secret.
fn repository() -> Gitops {
    let repository = Gitops::paper("v2", "v1");
    let password =
        format!("apiVersion: v1\nkind: Secret\nmetadata: {{name: login}}\nstringData: {{password: {CANARY}}}\n");
    repository.write("echo/base/secret.yaml", &password);
    repository.write("echo/base/kustomization.yaml", "resources:\n- deployment.yaml\n- secret.yaml\n");
    repository.git(["add", "--all"]);
    repository.git(["commit", "--quiet", "-m", "Log in"]);
    repository.git(["remote", "add", "origin", &remote()]);
    repository
}

#[test]
fn no_command_tells_a_secret_however_much_it_tells() {
    let Some(fleet) = fleet() else { return };
    let (corner, repository) = (Corner::of(fleet, "secretive"), repository());
    hide_secrets(&corner);
    let kubeconfig = fleet.core.kubeconfig_by_token(&fleet.core.server());
    let top = repository.top().to_str().unwrap();
    let account = format!("kube-system/{}", corner.namespace);
    let adopt = ["adopt-cluster", "prod", "--engine", "argocd", "--yes", "--service-account", &account];
    let by_hand =
        ["adopt-cluster", "prod", "--engine", "argocd", "--dry-run", "-o", "yaml", "--service-account", &account];
    let commands: &[&[&str]] = &[
        &["adopt-cluster", "--print-rbac"],
        &by_hand,
        &adopt,
        &[&adopt[..], &["--rotate"]].concat(),
        &["clusters", "--probe", "-o", "yaml"],
        &["status", "-o", "json"],
        &["resources", "-o", "json"],
        &["drift", "-o", "json"],
        &["drift", "--orphans", "-o", "yaml"],
        &["drift", "--repo", top],
        &["plan", top, "-o", "json"],
        &["images", "--running", "-C", top],
        &["promote", "stage", "prod", "--all", "--verify", "--dry-run", "-C", top],
        &["set-image", "stage", "echo=v3", "--dry-run", "-C", top],
        &["explain", "UCP101"],
        &["completion", "bash"],
        &["version"],
        &["release-cluster", "prod", "--yes"],
    ];
    let tried: BTreeSet<&str> = commands.iter().map(|command| command[0]).collect();
    let all = ucp::cli::command();
    let all: BTreeSet<&str> =
        all.get_subcommands().filter(|one| !one.is_hide_set()).map(|one| one.get_name()).collect();
    assert_eq!(tried, all);
    for arguments in commands {
        let mut command: Command = match arguments[0] {
            "clusters" | "adopt-cluster" | "release-cluster" => corner.ucp_with(kubeconfig.clone(), arguments),
            _ => {
                let mut command = ucp(*arguments);
                command.arg("--kubeconfig").arg(&kubeconfig).args(["-n", &corner.namespace]);
                command
            }
        };
        command.env("HOME", repository.outside()).args(["-v", "9"]);
        let output = checked(command.output().unwrap());
        let said = text(&output);
        // What fails early might have no chance to tell.
        assert!(matches!(output.status.code(), Some(0 | 1 | 4)), "{arguments:?}: {said}");
        let asks = !matches!(arguments, ["set-image" | "explain" | "completion", ..] | [_, "--print-rbac"]);
        assert_eq!(said.contains(" milliseconds\n"), asks, "{arguments:?}: {said}");
        // It came near enough to a secret to tell it.
        let near = match arguments[0] {
            "plan" => "login",
            "drift" if !arguments.contains(&"--repo") => "secretive",
            _ => "",
        };
        assert!(said.contains(near), "{arguments:?}: {said}");
        if arguments[..] == adopt[..] {
            assert!(secrets(&corner).contains_key("cluster-prod"), "{said}");
        }
    }
}
