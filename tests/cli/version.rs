//! `version`, with and without a server; `--quiet`; suggestions for mistyped words.

use std::process::Output;

use serde_json::Value;

use crate::installation::Installation;
use crate::support;

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn without_a_cluster_the_plugin_prints_its_own_version() {
    let output = Installation::create().kubectl(["ucp", "version"]);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
    assert!(stdout(&output).starts_with(concat!("Client Version: v", env!("CARGO_PKG_VERSION"), "\n")));
    assert!(!stdout(&output).contains("Server"));
}

#[test]
fn the_server_version_is_the_same_as_that_of_kubectl() {
    let Some(cluster) = support::core_cluster() else { return };
    let here = Installation::create();
    let json = |arguments: &[&str]| -> Value {
        let output = here.command("kubectl").env("KUBECONFIG", cluster.kubeconfig()).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let ours = json(&["ucp", "version", "-o", "json"]);
    let theirs = json(&["version", "-o", "json"]);
    assert_eq!(ours["server"]["gitVersion"], theirs["serverVersion"]["gitVersion"]);
    assert_eq!(ours["client"]["platform"], theirs["clientVersion"]["platform"]);
    assert_eq!((&ours["apiVersion"], &ours["kind"]), (&"ucp/v1".into(), &"Version".into()));
    assert_eq!(ours["source"]["server"], Value::from(cluster.server()));
    assert!(json(&["ucp", "version", "--client", "-o", "json"]).get("server").is_none());
}

#[test]
fn a_server_that_does_not_answer_only_affects_its_line() {
    let output = Installation::create().kubectl(["ucp", "version", "--server", "http://127.0.0.1:1"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(stdout(&output).starts_with("Client Version: v"));
    let reported = "error: cannot reach http://127.0.0.1:1: nothing listens there (connection refused)\nhint: ";
    assert!(stderr(&output).starts_with(reported), "{}", stderr(&output));
}

/// Each request in kubectl's form, and nothing that proves who we are.
#[test]
fn requests_are_shown_at_level_six() {
    let Some(cluster) = support::core_cluster() else { return };
    let here = Installation::create();
    let kubeconfig = cluster.kubeconfig_by_token(&cluster.server());
    let reported = |level: &str| {
        let mut command = here.command("kubectl");
        command.env("KUBECONFIG", &kubeconfig).args(["ucp", "version", level]);
        stderr(&command.output().unwrap())
    };
    let line = reported("-v6");
    let expected = format!("GET {}/version 200 OK in ", cluster.server());
    assert!(line.starts_with(&expected) && line.ends_with(" milliseconds\n"), "{line}");
    assert!(reported("-v=10").lines().all(|line| line.starts_with("GET ") && line.ends_with(" milliseconds")));
    assert!(!reported("--v=99").contains(support::cluster::TOKEN));
    assert_eq!(reported("-v5"), "");
}

#[test]
fn quiet_leaves_data_and_errors() {
    let here = Installation::create();
    let run = |extra: &[&str]| {
        let output = here
            .command("kubectl-ucp")
            .args(["--from", "tests/fixtures/quotes", "resources", "--only", "Failed"])
            .args(extra)
            .output()
            .unwrap();
        (stdout(&output), stderr(&output))
    };
    assert!(run(&[]).1.contains("No resources found."));
    let (data, reported) = run(&["--quiet"]);
    assert_eq!((data, reported), (run(&[]).0, String::new()));
    assert!(stderr(&here.kubectl(["ucp", "-q", "explain", "UCP999"])).contains("unknown code"));
}

#[test]
fn a_mistyped_word_gets_the_nearest_suggestion() {
    let here = Installation::create();
    let from = "--from=tests/fixtures/quotes";
    for (arguments, nearest) in [
        (vec!["statsu"], "'status'"),
        (vec!["resources", "--ownr", "x"], "'--owner'"),
        (vec!["explain", "UPC110"], "'UCP110'"),
        (vec![from, "resources", "nodepol"], "'nodepool'"),
        (vec!["resources", "--only", "Faild"], "'Failed'"),
        (vec!["status", "-o", "jsno"], "'json'"),
    ] {
        let output = here.command("kubectl-ucp").args(&arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains(nearest), "{arguments:?}: {}", stderr(&output));
    }
}
