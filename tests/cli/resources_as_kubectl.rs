//! `resources` compared with the real kubectl: the same arguments select the same objects, and its templates work.

use serde_json::Value;

use crate::support::Cluster;
use crate::support::command::{Ran, run, ucp_from, ucp_on};
use crate::support::hub::{self, BAD_DAY, QUOTES};

fn quotes(arguments: &[&str]) -> Ran {
    run(ucp_from(QUOTES, ["resources"].into_iter().chain(arguments.iter().copied())))
}

fn bad_day(arguments: &[&str]) -> Ran {
    run(ucp_from(BAD_DAY, ["resources"].into_iter().chain(arguments.iter().copied())))
}

fn kubectl(cluster: &Cluster, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = cluster.kubectl(["get"].into_iter().chain(arguments.iter().copied())).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn ours(cluster: &Cluster, arguments: &[&str]) -> Ran {
    run(ucp_on(cluster, ["resources"].into_iter().chain(arguments.iter().copied())))
}

fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<_> = text.lines().collect();
    lines.sort_unstable();
    lines
}

#[test]
fn arguments_select_the_same_objects_as_for_kubectl() {
    let Some(cluster) = hub::quotes() else { return };
    for words in [
        &["nodepool"][..],
        &["nodepools.container.gcp.crossplane.io"],
        &["nodepool", "gcp-k8s-np-prod"],
        &["nodepool/gcp-k8s-np-prod"],
        &["nodepool,network"],
        &["managed"],
        &["nodepool", "--field-selector", "metadata.name=gcp-k8s-np-prod"],
        &["nodepool", "--field-selector=metadata.name!=gcp-k8s-np-prod"],
        &["applications", "-A"],
        &["providers.pkg.crossplane.io"],
        &["application", "-n", "argocd"],
        &["nodepool", "nope", "--ignore-not-found"],
    ] {
        let arguments = [words, &["-o", "name"]].concat();
        let (code, stdout, stderr) = kubectl(cluster, &arguments);
        assert_eq!(code, Some(0), "{words:?}: {stderr}");
        assert_eq!(sorted(&ours(cluster, &arguments).expect(0).stdout), sorted(&stdout), "{words:?}");
    }
}

#[test]
fn templates_for_kubectl_get_work_on_whole_objects() {
    let Some(cluster) = hub::quotes() else { return };
    for words in [&["nodepool"][..], &["nodepool", "gcp-k8s-np-prod"], &["applications", "-A"]] {
        for output in [
            "jsonpath={.items[*].metadata.name}{.metadata.name}",
            "jsonpath={range .items[*]}{.kind}{\"\\t\"}{.status.conditions[0].type}{\"\\n\"}{end}",
            "custom-columns=NAME:.metadata.name,UID:.metadata.uid",
        ] {
            let arguments = [words, &["--sort-by", ".metadata.name", "-o", output]].concat();
            let (code, stdout, stderr) = kubectl(cluster, &arguments);
            assert_eq!(code, Some(0), "{stderr}");
            assert_eq!(
                ours(cluster, &[&arguments[..], &["--whole"]].concat()).expect(0).stdout,
                stdout,
                "{arguments:?}"
            );
        }
        let json = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        let arguments = [words, &["-o", "json", "--sort-by", ".metadata.name"]].concat();
        let theirs = json(&kubectl(cluster, &arguments).1);
        assert_eq!(ours(cluster, &[&arguments[..], &["--whole"]].concat()).expect(0).json(), theirs, "{words:?}");
    }
}

#[test]
fn a_nonexistent_object_is_an_error_with_a_suggestion() {
    if let Some(cluster) = hub::quotes() {
        let (code, _, stderr) = kubectl(cluster, &["nodepool", "nope"]);
        assert!(code == Some(1) && stderr.contains("\"nope\" not found"), "{stderr}");
        assert!(ours(cluster, &["nodepool", "nope"]).expect(3).stderr.contains("\"nope\" not found"));
    }
    let ran = quotes(&["nodepool/gcp-k8s-np-pord"]).expect(3);
    assert_eq!(ran.stdout, "");
    assert!(ran.stderr.contains("nodepool \"gcp-k8s-np-pord\" not found; did you mean 'gcp-k8s-np-prod'?"), "{ran:?}");
    // Existing objects are still shown.
    let ran = quotes(&["nodepool/nope", "nodepool/gcp-k8s-np-prod", "-o", "name"]).expect(3);
    assert_eq!(ran.stdout.lines().count(), 1, "{ran:?}");
    let ran = quotes(&["nodepool/nope", "--ignore-not-found"]).expect(0);
    assert_eq!(ran.stderr, "");
    quotes(&["nodepool/nope*"]).expect(0);
    for owner in ["aws-databse", "application/quotes-orders", "nowhere/aws-database"] {
        let ran = quotes(&["--owner", owner]).expect(3);
        assert!(ran.stderr.contains(&format!("is called '{owner}'")), "{ran:?}");
    }
    assert!(quotes(&["--owner", "aws-databse"]).stderr.contains("did you mean 'aws-database'?"));
}

#[test]
fn an_owner_is_found_by_every_form_of_its_name() {
    let names = |owner: &str| bad_day(&["--owner", owner, "-o", "name"]).expect(0).stdout;
    let claimed = names("quotes-orders");
    assert!(claimed.contains("databaseinstance") && claimed.lines().count() > 1, "{claimed}");
    for owner in ["database/quotes-orders", "quotes/quotes-orders", "Database.platform.example.org/quotes-orders"] {
        assert_eq!(names(owner), claimed, "{owner}");
    }
    let of_composite = names("quotes-orders-7k2px");
    assert!(of_composite.contains("databaseinstance"), "{of_composite}");
    assert_eq!(names("application/aws-database"), names("aws-database"));
    assert_eq!(names("argocd/aws-database"), names("aws-database"));
}

#[test]
fn the_verdict_is_the_first_column_and_never_cut() {
    let table = |columns: &str| {
        let mut command = ucp_from(BAD_DAY, ["resources"]);
        command.env("COLUMNS", columns);
        run(command).expect(0).stdout
    };
    let full = bad_day(&[]).expect(0).stdout;
    assert!(full.starts_with("VERDICT "), "{full}");
    let first_words = |text: &str| -> Vec<String> {
        // Between the rows, or below them, stand the causes that they shorten.
        let (head, rest) = text.split_once("\n\n").unwrap_or((text, ""));
        let ok = rest.lines().filter(|line| line.starts_with("OK "));
        head.lines().chain(ok).map(|line| line.split_whitespace().next().unwrap().to_owned()).collect()
    };
    for columns in ["60", "80", "100", "140"] {
        let text = table(columns);
        assert_eq!(first_words(&text), first_words(&full), "{columns}");
        for object in bad_day(&["-o", "name"]).expect(0).stdout.lines() {
            // The group may be shortened, but never the part that distinguishes objects.
            let (kind, name) = object.split_once('/').unwrap();
            let shown = |word: &str| {
                let (group, same) = word.rsplit_once('/').unwrap_or_default();
                same == name && kind.starts_with(group) && kind.split('.').next() == group.split('.').next()
            };
            assert!(text.split_whitespace().any(shown), "{object} is cut at {columns} columns:\n{text}");
        }
    }
    // If only a part of the cause fits, its end is shown, because that contains the reason.
    let line = |text: &str| text.lines().find(|line| line.contains("quotes-orders-7k2px-4fd2e")).unwrap().to_owned();
    assert!(line(&table("160")).contains("QuotaExceeded"), "{}", line(&table("160")));
}

#[test]
fn names_in_a_list_of_a_single_kind_have_no_kind() {
    let first = |arguments: &[&str]| quotes(&[arguments, &["--no-headers"]].concat()).expect(0).stdout;
    assert!(!first(&["nodepool"]).contains("nodepool.container"));
    assert!(first(&["nodepool", "--show-kind"]).contains("nodepool.container.gcp.crossplane.io/"));
    assert!(first(&["nodepool,network"]).contains("nodepool.container.gcp.crossplane.io/"));
    assert!(first(&["managed"]).contains("nodepool.container.gcp.crossplane.io/"));
}

#[test]
fn objects_of_engines_are_listed_only_by_kind() {
    let text = bad_day(&["applications", "--no-headers"]).expect(0).stdout;
    assert!(text.lines().count() > 3 && text.contains("Failed"), "{text}");
    assert!(!bad_day(&[]).expect(0).stdout.contains("application.argoproj.io/"));
    for kind in ["kustomizations", "helmreleases", "providers", "application,kustomization"] {
        assert!(!bad_day(&[kind, "--no-headers"]).expect(0).stdout.is_empty(), "{kind}");
    }
    let health = bad_day(&["applications", "--only", "OK", "-o", "json"]).expect(0).json();
    for item in health["items"].as_array().unwrap() {
        assert_eq!((&item["ready"], &item["synced"]), (&"True".into(), &"True".into()), "{item}");
    }
    let flux = bad_day(&["kustomizations", "-o", "json"]).expect(0).json();
    assert!(flux["items"][0].get("synced").is_none() && flux["items"][0].get("ready").is_some(), "{flux}");
}

#[test]
fn a_template_that_matches_nothing_is_reported() {
    let printed = |arguments: &[&str]| quotes(arguments).expect(0).stderr;
    // A template for objects as kubectl prints them.
    let ran = printed(&["-o", "jsonpath={.items[*].metadata.name}"]);
    assert_eq!(ran, "note: this template is for whole objects, so --whole is assumed\n");
    let ran = quotes(&["-o", "custom-columns=NAME:.metadata.name"]).expect(0);
    assert_eq!(ran.stderr, "note: this template is for whole objects, so --whole is assumed\n");
    assert!(!ran.stdout.contains("<none>"), "{}", ran.stdout);
    let ran = printed(&["-o", "custom-columns=NAME:.object.name,V:.verdit"]);
    assert!(ran.contains("no object has a field .verdit; did you mean 'verdict'?"), "{ran}");
    for fine in ["jsonpath={.items[*].object.name}", "custom-columns=N:.object.name,M:.message", "json"] {
        assert_eq!(printed(&["-o", fine]), "", "{fine}");
    }
    assert_eq!(printed(&["--whole", "-o", "jsonpath={.items[*].metadata.name}"]), "");
}

#[test]
fn whole_objects_keep_their_secrets() {
    let list = crate::support::command::CANARY;
    let object = serde_json::json!({
        "apiVersion": "things.example.org/v1", "kind": "Gizmo",
        "metadata": {"name": "g", "managedFields": [{"manager": "x"}]},
        "spec": {"forProvider": {"password": list, "region": "eu"}, "providerConfigRef": {"name": "x"}},
    });
    let ran = crate::support::command::run_with_input(
        crate::support::command::ucp(["resources", "--whole", "--from", "-", "-o", "json"]),
        object.to_string(),
    );
    let document = ran.expect(0).json();
    assert_eq!((&document["kind"], &document["apiVersion"]), (&"List".into(), &"v1".into()));
    assert_eq!(document["items"][0]["spec"]["forProvider"]["region"], "eu");
    assert!(document["items"][0]["metadata"].get("managedFields").is_none());
}
