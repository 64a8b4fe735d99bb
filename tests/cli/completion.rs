//! `kubectl ucp <TAB>` as kubectl asks for it, and `completion`.

use std::fs;
use std::path::Path;

use clap_complete::Shell;
use serde_json::{Value, json};

use crate::installation::Installation;
use crate::support::audit::Request;
use crate::support::{self, Cluster};

/// A managed resource of this file's own group, in a cluster that tests share.
fn objects() -> Vec<Value> {
    let schema = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let gadget = |name: &str| {
        let labels = json!({"example.org/hand": name, "team": "blue"});
        let labels = if name == "left-hand" { json!({}) } else { labels };
        json!({"apiVersion": "completion.ucp.test/v1", "kind": "Gadget", "metadata": {"name": name, "labels": labels}})
    };
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "gadgets.completion.ucp.test"},
        "spec": {
            "group": "completion.ucp.test", "scope": "Cluster",
            "names": {"kind": "Gadget", "plural": "gadgets", "singular": "gadget", "categories": ["managed"]},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}],
        },
    });
    vec![definition, gadget("left-hand"), gadget("right-hand")]
}

/// The shared cluster, with two gadgets.
pub(crate) fn cluster_with_gadgets() -> Option<&'static Cluster> {
    let cluster = support::core_cluster()?;
    let manifests = tempfile::Builder::new().suffix(".json").tempfile().unwrap();
    let mut definition = objects();
    let gadgets = definition.split_off(1);
    for items in [definition, gadgets] {
        fs::write(&manifests, json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string()).unwrap();
        // A new kind is served a moment after its definition.
        let apply = || cluster.kubectl(["apply", "--server-side", "-f"]).arg(manifests.path()).output().unwrap();
        support::run(async || support::eventually(async || apply().status.success().then_some(())).await);
    }
    Some(cluster)
}

/// Waits until kubectl offers the expected completions: a busy machine may need more time than a person gives it.
fn offers(installation: &Installation, kubeconfig: Option<&Path>, words: &[&str], expected: &str) {
    let mut last = String::new();
    for _ in 0..100 {
        let mut command = installation.command("kubectl");
        if let Some(kubeconfig) = kubeconfig {
            command.env("KUBECONFIG", kubeconfig);
        }
        let output = command.args(["__complete", "ucp"]).args(words).output().unwrap();
        assert!(output.status.success());
        last = String::from_utf8(output.stdout).unwrap();
        if last == expected {
            return;
        }
    }
    panic!("{words:?} offers\n{last}\nand never\n{expected}");
}

#[test]
fn kubectl_completes_commands_flags_and_codes() {
    let here = Installation::create();
    offers(&here, None, &["resour"], "resources\tList managed resources, composites and claims, problems first\n:4\n");
    offers(
        &here,
        None,
        &["explain", "UCP10"],
        "UCP101\ta package could not be installed\nUCP102\ta package is unhealthy\nUCP103\ta package waits to be activated\nUCP104\ta provider config is missing\nUCP105\tthe credentials of a provider config are refused\n:4\n",
    );
    offers(&here, None, &["status", "--kubeconfig", ""], ":0\n");
    offers(&here, None, &["--output=y"], "yaml\n:4\n");
}

#[test]
fn kubectl_completes_objects_of_a_cluster() {
    let Some(cluster) = cluster_with_gadgets() else { return };
    let here = Installation::create();
    let offers = |words: &[&str], expected: &str| offers(&here, Some(cluster.kubeconfig()), words, expected);
    offers(&["--context", ""], &format!("{}\n:4\n", cluster.name()));
    offers(&["-n", "kube-s"], "kube-system\n:4\n");
    offers(&["resources", "gad"], "gadget\tGadget of completion.ucp.test\n:4\n");
    offers(&["resources", "gadgets/"], "gadgets/left-hand\ngadgets/right-hand\n:4\n");
    offers(&["resources", "gadget.completion.ucp.test/r"], "gadget.completion.ucp.test/right-hand\n:4\n");
    offers(&["resources", "--group", "completion"], "completion.ucp.test\n:4\n");
}

/// Names are one request where kubectl remembers the kind, and three where it does not.
#[test]
fn completion_reuses_the_discovery_cache_of_kubectl() {
    let Some(cluster) = cluster_with_gadgets() else { return };
    let here = Installation::create();
    let (user, cache) = ("completion-reader", tempfile::tempdir().unwrap());
    let kubeconfig = cluster.kubeconfig_for(user, Some("system:masters"));
    let with_cache = format!("--cache-dir={}", cache.path().display());
    let expected = "gadgets/left-hand\ngadgets/right-hand\n:4\n";
    // A slow run repeats its requests, but in the end no run sends more than it has to.
    let asked = |words: &[&str]| {
        let attempt = || {
            let mark = cluster.audit_mark();
            offers(&here, Some(&kubeconfig), words, expected);
            // kubectl sends requests, too, with its own user agent.
            let is_ours = |request: &Request| request.user == user && !request.user_agent.starts_with("kubectl");
            let requests = cluster.requests_since(mark).into_iter().filter(is_ours);
            requests.map(|request| request.uri).collect::<Vec<_>>()
        };
        (0..5).map(|_| attempt()).min_by_key(Vec::len).unwrap()
    };
    assert!(asked(&[&with_cache, "resources", "gadgets/"]).contains(&"/apis".to_owned()));
    let kubectl = |arguments: &[&str]| {
        let mut kubectl = cluster.kubectl(arguments);
        assert!(kubectl.arg("--kubeconfig").arg(&kubeconfig).arg(&with_cache).output().unwrap().status.success());
    };
    kubectl(&["get", "gadgets"]);
    let gadgets = "/apis/completion.ucp.test/v1/gadgets?limit=500";
    assert_eq!(asked(&[&with_cache, "resources", "gadgets/"]), [gadgets]);
}

#[test]
fn kubectl_completes_objects_of_a_snapshot() {
    let here = Installation::create();
    let from = "--from=tests/fixtures/quotes";
    offers(&here, None, &[from, "resources", "nodepool/gcp-k8s-np-p"], "nodepool/gcp-k8s-np-prod\n:4\n");
    offers(&here, None, &[from, "drift", "application/stage-echo-s"], "application/stage-echo-server\n:4\n");
    offers(&here, None, &[from, "resources", "--owner", "aws-d"], "aws-database\n:4\n");
}

#[test]
fn kubectl_completes_environments_and_services_of_a_repository() {
    let here = Installation::create();
    let repository = tempfile::tempdir().unwrap();
    for environment in ["stage", "prod"] {
        for service in ["echo", "edge"] {
            let overlay = repository.path().join(format!("{service}/overlays/{environment}"));
            fs::create_dir_all(&overlay).unwrap();
            let images = "images: [{name: example.org/app, newTag: v1}]\n";
            fs::write(overlay.join("kustomization.yaml"), format!("resources: [../../base]\n{images}")).unwrap();
            let base = repository.path().join(service).join("base");
            fs::create_dir_all(&base).unwrap();
            fs::write(base.join("kustomization.yaml"), "resources: []\n").unwrap();
        }
    }
    let directory = format!("--directory={}", repository.path().display());
    let offers = |words: &[&str], expected: &str| offers(&here, None, words, expected);
    offers(&["promote", &directory, ""], "prod\nstage\n:4\n");
    offers(&["promote", &directory, "stage", "p"], "prod\n:4\n");
    offers(&["promote", &directory, "stage", "prod", "ec"], "echo\n:4\n");
    offers(&["images", &directory, ""], "echo\nedge\n:4\n");
    offers(&["set-image", &directory, "s"], "stage\n:4\n");
    offers(&["set-image", &directory, "stage", "ed"], "edge=\n:6\n");
    offers(&["set-image", &directory, "stage", "edge="], ":4\n");
}

/// Without a cluster, with a broken kubeconfig, or with one whose server does not answer, there is nothing to offer and
/// nothing to read.
#[test]
fn completion_prints_no_errors_at_the_prompt() {
    let here = Installation::create();
    let kubeconfig = here.directory().join("kubeconfig");
    // No server answers from this address, by RFC 5737.
    let silent = "{clusters: [{name: a, cluster: {server: 'https://192.0.2.1'}}], contexts: [{name: a, context: {cluster: a}}], current-context: a}";
    for content in ["", "{", silent, "current-context: nowhere"] {
        fs::write(&kubeconfig, content).unwrap();
        for words in
            [vec!["resources", ""], vec!["-n", ""], vec!["--kubeconfig=/nonexistent", "resources", "a/"], vec![]]
        {
            let mut command = here.command(here.directory().join("kubectl_complete-ucp"));
            let output = command.env("KUBECONFIG", &kubeconfig).args(&words).output().unwrap();
            assert!(output.status.success());
            assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{words:?} with {content:?}");
            let printed = String::from_utf8(output.stdout).unwrap();
            assert!(words.is_empty() || printed == ":4\n", "{words:?} with {content:?} offers {printed}");
        }
    }
}

#[test]
fn installing_completion_is_safe_to_repeat_and_overwrites_nothing() {
    let here = Installation::create();
    let install = |directory: &Path| {
        let output = here.command("kubectl").args(["ucp", "completion", "install"]).arg(directory).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap())
    };
    let link = here.directory().join("kubectl_complete-ucp");
    // Relative, so that it follows whatever a package manager makes of the program.
    assert_eq!(fs::read_link(&link).unwrap(), Path::new("kubectl-ucp"));
    assert_eq!(install(here.directory()), (Some(0), format!("{} unchanged\n", link.display())));

    let elsewhere = tempfile::tempdir().unwrap();
    let (code, text) = install(elsewhere.path());
    assert_eq!(code, Some(0));
    assert!(text.contains("not on the PATH"), "{text}");
    assert_eq!(
        fs::read_link(elsewhere.path().join("kubectl_complete-ucp")).unwrap(),
        here.directory().join("kubectl-ucp")
    );

    fs::remove_file(&link).unwrap();
    fs::write(&link, "somebody's own").unwrap();
    let (code, text) = install(here.directory());
    assert_eq!(code, Some(3));
    assert!(text.contains("already exists"), "{text}");
    assert_eq!(fs::read_to_string(&link).unwrap(), "somebody's own");
}

/// The script for where no link can be made does the same as the link.
#[test]
fn the_completion_script_in_the_archives_runs_the_plugin() {
    let here = Installation::create();
    let link = here.directory().join("kubectl_complete-ucp");
    fs::remove_file(&link).unwrap();
    fs::copy("plugins/kubectl_complete-ucp", &link).unwrap();
    // Packages install it, and it is as good as the link.
    let again = here.kubectl(["ucp", "completion", "install"]);
    assert_eq!(String::from_utf8(again.stdout).unwrap(), format!("{} unchanged\n", link.display()));
    offers(&here, None, &["explain", "UCP101"], "UCP101\ta package could not be installed\n:4\n");
}

/// Elvish and PowerShell are not on the test machine.
#[test]
fn completion_scripts_parse_in_their_shells() {
    let here = Installation::create();
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::PowerShell, Shell::Elvish] {
        let output = here.kubectl(["ucp", "completion", &shell.to_string()]);
        assert!(output.status.success());
        let script = String::from_utf8(output.stdout).unwrap();
        assert!(script.contains("set-version") && script.contains("stuck-after"), "{shell}: {script:.200}");
        if matches!(shell, Shell::Bash | Shell::Zsh | Shell::Fish) {
            let file = here.directory().join("script");
            fs::write(&file, script).unwrap();
            let parsed = std::process::Command::new(shell.to_string()).arg("-n").arg(&file).output().unwrap();
            assert!(parsed.status.success(), "{shell}: {}", String::from_utf8_lossy(&parsed.stderr));
        }
    }
}
