//! No command prints a secret, whatever its arguments: every command at `-v 9`.

use std::collections::BTreeSet;
use std::process::Command;

use k8s_openapi::ByteString;
use serde_json::json;

use ucp::cli::heed::supports_flag;

use crate::adopted::secrets;
use crate::command_lists::OVER_SECRETS;
use crate::fleet::{Corner, checked, fleet, text};
use crate::gitops::Gitops;
use crate::support::cluster::TOKEN;
use crate::support::command::{CANARY, run_with_input, ucp};
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
        "apiVersion": "dagandersen.com/v1", "kind": "Syncer", "metadata": {"name": "copies-login", "namespace": namespace},
        "spec": {"data": [{
            "kinds": "secret", "sourceName": "login", "sourceNamespace": namespace, "targetCluster": "prod",
            "targetNamespace": "default",
        }]},
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
    let root = json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": {"name": "first", "namespace": "argocd"},
        "spec": {
            "project": "default", "source": {"repoURL": remote(), "path": "echo/overlays/stage"},
            "destination": {"server": "https://kubernetes.default.svc", "namespace": "default"},
        },
    });
    repository.write("bootstrap/root.yaml", &root.to_string());
    // A bootstrap needs the engine's controllers.
    let labels = json!({"app": "argocd"});
    let controller = |kind: &str, name: &str| {
        json!({
            "apiVersion": "apps/v1", "kind": kind, "metadata": {"name": name, "namespace": "argocd"},
            "spec": {"serviceName": "argocd", "selector": {"matchLabels": labels}, "template": {
                "metadata": {"labels": labels}, "spec": {"containers": [{"name": "a", "image": "example.org/a:v1"}]},
            }},
        })
    };
    let controllers = [controller("StatefulSet", "argocd-application-controller"), {
        let mut server = controller("Deployment", "argocd-repo-server");
        server["spec"].as_object_mut().unwrap().remove("serviceName");
        server
    }];
    let controllers: String = controllers.iter().map(|controller| format!("---\n{controller}\n")).collect();
    repository.write("engine/controller.yaml", &controllers);
    repository.write("engine/kustomization.yaml", "resources:\n- controller.yaml\n");
    repository.write(".ucp.yaml", "bootstrap:\n  engine: engine\n");
    repository.git(["add", "--all"]);
    repository.git(["commit", "--quiet", "-m", "Log in"]);
    repository.git(["remote", "add", "origin", &remote()]);
    repository
}

#[test]
fn no_command_prints_a_secret_at_full_verbosity() {
    let Some(fleet) = fleet() else { return };
    let (corner, repository) = (Corner::of(fleet, "secretive"), repository());
    hide_secrets(&corner);
    let kubeconfig = fleet.core.kubeconfig_by_token(&fleet.core.server());
    let top = repository.top().to_str().unwrap();
    let archive = repository.outside().join("core.tar.gz").display().to_string();
    let account = format!("kube-system/{}", corner.namespace);
    let adopt = ["adopt-cluster", "prod", "--engine", "argocd", "--yes", "--service-account", &account];
    let by_hand =
        ["adopt-cluster", "prod", "--engine", "argocd", "--dry-run", "-o", "yaml", "--service-account", &account];
    let adoptions = [by_hand.to_vec(), adopt.to_vec(), [&adopt[..], &["--rotate"]].concat()];
    let filled_in = |argument: &&'static str| match *argument {
        "TOP" => top,
        "ARCHIVE" => archive.as_str(),
        other => other,
    };
    let others = OVER_SECRETS.iter().map(|arguments| arguments.iter().map(filled_in).collect::<Vec<_>>());
    // A release comes last.
    let commands: Vec<Vec<&str>> = adoptions.into_iter().chain(others).collect();
    let tried: BTreeSet<&str> = commands.iter().map(|command| command[0]).collect();
    let all = ucp::cli::command();
    let all: BTreeSet<&str> =
        all.get_subcommands().filter(|one| !one.is_hide_set()).map(|one| one.get_name()).collect();
    assert_eq!(tried, all);
    for arguments in &commands {
        let arguments = arguments.as_slice();
        let mut command: Command = match arguments[0] {
            "clusters" | "adopt-cluster" | "release-cluster" | "secrets" => {
                corner.ucp_with(kubeconfig.clone(), arguments)
            }
            // They support the flags of a cluster only together with other flags.
            "set-image" | "set-version" => ucp(arguments.iter().copied()),
            "snapshot" if ["diff", "serve"].contains(&arguments[1]) => ucp(arguments.iter().copied()),
            name => {
                let mut command = ucp(arguments.iter().copied());
                if supports_flag(&[name], "kubeconfig") {
                    command.arg("--kubeconfig").arg(&kubeconfig);
                }
                if supports_flag(&[name], "namespace") {
                    command.args(["-n", &corner.namespace]);
                }
                if arguments[0] == "plan" {
                    command.args(["--argocd-namespace", &corner.namespace]);
                }
                command
            }
        };
        command.env("HOME", repository.outside()).args(["-v", "9"]);
        let output = checked(command.output().unwrap());
        let printed = text(&output);
        // A command that fails early might have no chance to print a secret.
        assert!(matches!(output.status.code(), Some(0 | 1 | 4)), "{arguments:?}: {printed}");
        let asks = !matches!(
            arguments,
            ["set-image" | "set-version" | "new" | "explain" | "mcp" | "completion" | "options", ..]
                | ["snapshot", "diff" | "serve", ..]
                | ["adopt-cluster", "--print-rbac"]
        );
        // kubectl has the same line.
        let is_of_kubectl = matches!(arguments, ["snapshot", "serve", ..]);
        assert!(is_of_kubectl || printed.contains(" milliseconds\n") == asks, "{arguments:?}: {printed}");
        // It read enough to print a secret.
        let near = match arguments[0] {
            "plan" => "login",
            "secrets" if arguments.contains(&"declare") => "is never copied",
            "secrets" => "login",
            "drift" if !arguments.contains(&"--repo") => "secretive",
            _ => "",
        };
        assert!(printed.contains(near), "{arguments:?}: {printed}");
        if arguments[..] == adopt[..] {
            assert!(secrets(&corner).contains_key("cluster-prod"), "{printed}");
        }
    }
}

/// The message of an engine when a service quotes the request that the engine sent.
fn with_a_quoted_secret(what: &str) -> String {
    format!(
        "{what}: dial postgres://shop:p@ss/{CANARY}@db:5432/shop: refused (host=db password={CANARY} user=shop), \
         Authorization: Bearer {CANARY}, body {{\"clientSecret\":\"{CANARY}\"}}, \
         spec.forProvider.password: Invalid value: \"{CANARY}\": too short; DB_PASS={CANARY} webhookSecret: {CANARY}; \
         helm upgrade x --set auth.password={CANARY} --token {CANARY}; curl -u admin:{CANARY} x; mysql -p{CANARY} -h db; \
         https%3A%2F%2Fu%3A{CANARY}%40h%2Fx; dial admin:{CANARY}@db:5432; using password {CANARY}; \
         <clientSecret>{CANARY}</clientSecret>; {{\"sharedSecret\":\"{CANARY}\"}}; \
         applying {{\"kind\":\"Secret\",\"stringData\":{{\"plain\":\"{CANARY}\"}}}} failed; \
         https://discord.com/api/webhooks/12/{CANARY}; Set-Cookie: session={CANARY}; Path=/"
    )
}

/// Objects of each engine, with a secret in every text that is shown.
fn hub_with_quoted_secrets() -> String {
    let time = "2026-11-20T10:00:00Z";
    let failed = |kind: &str| json!({"type": kind, "status": "False", "reason": "Failed", "message": with_a_quoted_secret(kind), "lastTransitionTime": time});
    let url = format!("https://oauth2:{CANARY}@git.example.org/platform/apps.git");
    let meta = |name: &str| {
        json!({
            "name": name, "namespace": "shop", "generation": 2, "creationTimestamp": time,
            "finalizers": [format!("example.org/hook?token={CANARY}")],
            "annotations": {"crossplane.io/external-name": format!("https://u:{CANARY}@example.org/{name}")},
        })
    };
    let items = json!([
        {
            "apiVersion": "s3.aws.m.upbound.io/v1beta1", "kind": "Bucket", "metadata": meta("bucket"),
            "spec": {"forProvider": {
                "url": format!("https://u:{CANARY}@example.org"), "token": CANARY, "region": "eu-central-1",
            }},
            "status": {
                "conditions": [failed("Synced"), failed("Ready")],
                "atProvider": {
                    "url": format!("https://u:{CANARY}-2@example.org"), "token": format!("{CANARY}-2"), "region": "eu-west-1",
                },
            },
        },
        {
            "apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": meta("app"),
            "spec": {
                "project": "default", "destination": {"server": "https://kubernetes.default.svc"},
                "source": {"repoURL": url, "path": "app"},
            },
            "status": {
                "conditions": [{"type": "ComparisonError", "message": with_a_quoted_secret("comparison"), "lastTransitionTime": time}],
                "sync": {"status": "OutOfSync"},
                "health": {"status": "Degraded", "message": with_a_quoted_secret("health")},
                "operationState": {
                    "phase": "Failed", "message": with_a_quoted_secret("operation"), "startedAt": time, "finishedAt": time,
                    "syncResult": {"resources": [{"kind": "Job", "name": "x", "message": with_a_quoted_secret("resource")}]},
                },
                "resources": [{
                    "group": "apps", "version": "v1", "kind": "Deployment", "name": "x", "namespace": "shop",
                    "status": "OutOfSync", "health": {"status": "Degraded", "message": with_a_quoted_secret("child")},
                }],
            },
        },
        {
            "apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "GitRepository", "metadata": meta("apps"),
            "spec": {"url": url}, "status": {"conditions": [failed("Ready"), failed("FetchFailed")]},
        },
        {
            "apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization", "metadata": meta("apps"),
            "spec": {"path": "./app", "sourceRef": {"kind": "GitRepository", "name": "apps"}},
            "status": {
                "conditions": [failed("Ready")],
                "history": [{"lastReconciledStatus": with_a_quoted_secret("history"), "lastReconciled": time}],
            },
        },
        {
            "apiVersion": "pkg.crossplane.io/v1", "kind": "Provider", "metadata": meta("provider"),
            "spec": {"package": "xpkg.example.org/provider:v1"},
            "status": {"conditions": [failed("Installed"), failed("Healthy")]},
        },
        {
            "apiVersion": "v1", "kind": "Event", "metadata": meta("event"), "reason": "CannotUpdateExternalResource",
            "type": "Warning", "message": with_a_quoted_secret("event"), "lastTimestamp": time,
            "involvedObject": {"apiVersion": "s3.aws.m.upbound.io/v1beta1", "kind": "Bucket", "namespace": "shop", "name": "bucket"},
        },
    ]);
    json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string()
}

#[test]
fn secrets_in_texts_of_engines_are_hidden_in_every_format() {
    let hub = hub_with_quoted_secrets();
    for format in ["table", "json"] {
        let run = run_with_input(ucp(["teardown", "--all", "--from", "-", "-o", format]), &hub);
        assert!(matches!(run.code, Some(0 | 1 | 4)), "{run:?}");
    }
    for command in ["status", "resources", "drift", "clusters"] {
        for format in [
            "table",
            "wide",
            "json",
            "yaml",
            "name",
            "markdown",
            "html",
            "jsonpath={}",
            "custom-columns=A:.items,B:.findings",
        ] {
            // Every run looks for the canary.
            let run = run_with_input(ucp([command, "--from", "-", "-o", format]), &hub);
            assert!(matches!(run.code, Some(0 | 1 | 4)) || command == "clusters" || command == "drift", "{run:?}");
            let has_texts =
                matches!(command, "status" | "resources") && matches!(format, "json" | "yaml" | "jsonpath={}");
            assert!(!has_texts || run.stdout.contains("@db:5432/shop"), "the text around it is kept: {run:#?}");
        }
    }
}

/// A message that only the value of a Secret shows to be one, wherever the Secret is in the file.
#[test]
fn values_of_secrets_are_hidden_in_any_order_of_reading() {
    let quoting = json!({"apiVersion": "s3.example.org/v1", "kind": "Bucket", "metadata": {"name": "a"},
        "spec": {"forProvider": {}, "providerConfigRef": {"name": "x"}},
        "status": {"conditions": [{"type": "Synced", "status": "False", "reason": "ReconcileError",
            "lastTransitionTime": "2026-11-20T03:00:00Z", "message": "peer answered Zq81xVrr20kd to the request"}]}});
    let secret = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "x"},
        "stringData": {"anything": "Zq81xVrr20kd"}});
    for items in [json!([quoting, secret]), json!([secret, quoting])] {
        let list = json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string();
        for command in [
            &["status"][..],
            &["status", "-o", "json"],
            &["resources", "-o", "html"],
            &["tree", "bucket/a", "-o", "yaml"],
            &["history", "--all", "--since", "9000d", "-o", "markdown"],
            &["drift", "-o", "json"],
        ] {
            let run = run_with_input(ucp(command.iter().chain(&["--from", "-"])), &list);
            assert!(
                !run.stdout.contains("Zq81xVrr20kd") && !run.stderr.contains("Zq81xVrr20kd"),
                "{command:?} {run:#?}"
            );
            assert!(run.stdout.contains("peer answered") || command[0] == "drift", "{command:?} {run:#?}");
        }
    }
}
