//! Secrets in app clusters in other commands: findings of `status`, nodes of `tree`, several core clusters at once.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::seeds::{self, HOME, LOGIN, connection, secret, syncer};
use super::stage::{namespaces, ways, write};
use super::states::{CORE, Files};
use crate::support::command::{Ran, run, ucp};

fn codes(document: &Value) -> BTreeSet<(String, String)> {
    let findings = document["findings"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    findings.map(|one| (text(&one["code"]), text(&one["object"]["name"]))).collect()
}

fn on(files: &Files, arguments: &[&str]) -> Ran {
    let mut command = ucp(arguments.iter().copied());
    command.args(files.flags());
    run(command)
}

#[test]
fn status_has_the_findings_of_secrets_with_app_clusters() {
    let files = Files::of(&seeds::all(CORE));
    let of_secrets = codes(&on(&files, &["secrets", "-o", "json"]).json());
    let alone = run({
        let mut command = ucp(["status", "-o", "json"]);
        command.args(["--from", &files.core]);
        command
    });
    assert!(codes(&alone.json()).is_disjoint(&of_secrets), "{alone:?}");
    let ran = on(&files, &["status", "--app-clusters", "-o", "json"]).expect(4);
    let reported = codes(&ran.json());
    assert!(reported.is_superset(&of_secrets) && of_secrets.len() > 20, "{ran:?}");
    for (code, name) in [
        ("UCP851", "syncer-missing"),
        ("UCP852", "twice-collision"),
        ("UCP853", "syncer-source"),
        ("UCP854", "owned-foreign"),
        ("UCP855", "syncer-stale"),
        ("UCP856", "ours-orphaned"),
    ] {
        assert!(reported.iter().any(|(one, object)| one == code && object == name), "{code} {name}: {reported:?}");
        run(ucp(["explain", code])).expect(0);
    }
    let document = ran.json();
    let row = document["engines"].as_array().unwrap().iter().find(|one| one["name"] == "Secrets").unwrap().clone();
    assert_eq!(row["verdict"], "Failed");
    // An undeclared demand names who asks.
    let found = document["findings"].as_array().unwrap().iter().find(|one| one["object"]["name"] == "demand-env");
    let message = found.unwrap()["message"].as_str().unwrap();
    assert!(
        message.contains("nothing declares it") && message.contains("Deployment demand-env asks for it"),
        "{message}"
    );
    on(&files, &["status", "--app-clusters", "--exit-code"]).expect(1);
    // Unsupported flags are refused.
    let refused = run(ucp(["status", "--context-map", "prod=x"])).expect(2);
    assert!(refused.stderr.contains("--context-map without --app-clusters"), "{refused:?}");
    let refused = run(ucp(["status", "--app-clusters", "--from", "-"])).expect(2);
    assert!(refused.stderr.contains("standard input can be read only once"), "{refused:?}");
}

#[test]
fn tree_shows_the_copies_of_a_secret() {
    let files = Files::of(&seeds::all(CORE));
    let tree = |name: &str| {
        on(&files, &["tree", &format!("secret/{name}"), "-n", HOME, "--app-clusters", "-o", "json"]).json()
    };
    for (name, verdict, state) in [
        ("syncer-current", "OK", None),
        ("syncer-stale", "Drifted", Some("stale: key password differs")),
        ("demand-env", "Failed", Some("missing: nothing declares it")),
    ] {
        let tree = tree(name);
        let nodes = tree["nodes"].as_array().unwrap();
        let copy = nodes.iter().find(|node| node["external"]["cluster"] == "prod").unwrap();
        assert_eq!((&copy["verdict"], &copy["external"]["name"]), (&json!(verdict), &json!(name)), "{copy}");
        let message = copy["message"].as_str();
        assert_eq!(message.is_some(), state.is_some(), "{copy}");
        assert!(message.unwrap_or_default().starts_with(state.unwrap_or_default()), "{copy}");
        let edges = tree["edges"].as_array().unwrap();
        assert!(edges.iter().any(|edge| edge["to"] == copy["id"] && edge["relation"] == "copiedTo"), "{edges:?}");
        let is_found = tree["findings"].as_array().unwrap().iter().any(|one| one["object"]["name"] == name);
        assert_eq!(is_found, verdict != "OK", "{tree}");
    }
    // From a declaration, too.
    let tree = on(&files, &["tree", "pushsecret/push-stale", "--app-clusters", "-o", "json"]).json();
    let copies = tree["nodes"].as_array().unwrap().iter().filter(|node| node["external"]["cluster"] == "prod").count();
    assert_eq!(copies, 1, "{tree}");
    let found: Vec<_> = tree["findings"].as_array().unwrap().iter().map(|one| &one["object"]["name"]).collect();
    assert!(found.contains(&&json!("push-stale")), "the shown state is a finding: {tree}");
    let text = on(&files, &["tree", "secret/syncer-stale", "-n", HOME, "--app-clusters"]).expect(4).stdout;
    assert!(text.lines().any(|line| line.contains("Drifted") && line.contains("prod")), "{text}");
}

#[test]
fn files_without_any_secret_are_no_clean_answer() {
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), "core.json", &namespaces(&["shop"]));
    let core = directory.path().display().to_string();
    let ran = run(ucp(["secrets", "--from", &core])).expect(4);
    assert!(ran.stderr.contains("in what could be read") && ran.stderr.contains("no list of Secrets"), "{ran:?}");
    write(directory.path(), "secrets.json", &[secret("shop", "of-somebody", &[])]);
    run(ucp(["secrets", "--from", &core])).expect(0);
}

#[test]
fn several_core_clusters_are_listed_in_a_single_table() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str, copies: &[Value]| {
        let core = directory.path().join(name);
        let app = core.join("app-clusters").join("prod");
        std::fs::create_dir_all(&app).unwrap();
        let server = |name: &str| (format!("https://{name}.example.org"), String::new());
        let mut objects = ways(&BTreeMap::from([("prod", server("prod"))]), "unused");
        objects.extend([connection(HOME, "db", LOGIN), syncer("db", HOME, "db", "prod", "shop")]);
        write(&core, "core.json", &objects);
        let other = secret("shop", "of-somebody-else", &[]);
        write(&app, "prod.json", &[copies.to_vec(), vec![other], namespaces(&["shop"])].concat());
        core.display().to_string()
    };
    let (well, bare) = (at("well", &[secret("shop", "db", LOGIN)]), at("bare", &[]));
    let several = |arguments: &[&str]| {
        let mut command = ucp(["secrets"].iter().chain(arguments).copied());
        command.args(["--from", &well, "--from", &bare]);
        run(command)
    };
    let ran = several(&["-o", "json"]).expect(0);
    let items = ran.json()["items"].clone();
    let reported: Vec<_> = items.as_array().unwrap().iter().map(|one| (&one["core"]["path"], &one["state"])).collect();
    // The worst first, each with the core cluster that reports it; `source` stays the Secret.
    assert_eq!(reported, [(&json!(bare), &json!("missing")), (&json!(well), &json!("current"))], "{ran:?}");
    assert!(items.as_array().unwrap().iter().all(|item| item["source"]["namespace"] == HOME), "{ran:?}");
    let table = several(&[]).expect(0);
    assert!(table.stdout.starts_with("CONTEXT") && table.stdout.contains(&bare), "{table:?}");
    several(&["verify"]).expect(1);
    several(&["verify", "db", "--app-cluster", "prod"]).expect(1);
    let refused = run(ucp(["secrets", "sync", "--contexts", "a,b"])).expect(2);
    assert!(refused.stderr.contains("'secrets sync' does not support --contexts"), "{refused:?}");
    let refused = several(&["--app-from", "prod=x"]).expect(2);
    assert!(refused.stderr.contains("--app-from with several core clusters"), "{refused:?}");
}
