//! Input that is broken, missing, denied or much too large.

use std::process::Command;

use serde_json::json;

use super::{Repository, application, create, document, item, names, plan, plan_as, stderr, stdout};
use crate::support::{self, Options};

#[test]
fn bad_input_only_affects_its_own_row() {
    let Some(cluster) = support::start(Options::named("plan-bad")) else { return };
    let repository = Repository::new(&[
        ("good/m.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m, namespace: default}\n"),
        ("broken/kustomization.yaml", "resources: [missing.yaml]\n"),
        ("garbled/x.yaml", "apiVersion: v1\nkind: [\n"),
        ("chart/Chart.yaml", "apiVersion: v2\nname: c\nversion: 1.0.0\n"),
        ("unknown/x.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: u, namespace: default}\ndatum: {a: b}\n"),
    ]);
    let apps =
        ["good", "broken", "garbled", "absent", "unknown", "chart"].map(|path| application(path, path, json!({})));
    create(&cluster, apps.into());

    let output = plan(&cluster, &repository, &["-o", "json"]);
    let (plan_document, code) = document(&output);
    assert_eq!(code, 1);
    assert_eq!(names(&plan_document), ["add ConfigMap/m", "add ConfigMap/u"]);
    assert!(item(&plan_document, "ConfigMap", "u")["message"].as_str().unwrap().contains("datum"));
    let reason = |name: &str| {
        let entries = plan_document["unreadable"].as_array().unwrap();
        let entry = entries.iter().find(|entry| entry["what"].as_str().unwrap().contains(&format!("/{name} ")));
        entry.unwrap()["reason"].as_str().unwrap().to_owned()
    };
    // kustomize's own words, all of them, with the file's path in the repository.
    let alone = Command::new("kubectl").args(["kustomize", "broken"]).current_dir(repository.path()).output().unwrap();
    let top = std::fs::canonicalize(repository.path()).unwrap();
    let words = stderr(&alone).replace(&format!("{}/", top.display()), "");
    // A log's header, which some builds of kubectl print, has the time in it.
    assert!(words.trim().ends_with(&reason("broken")) && reason("broken").len() > 100, "{}", reason("broken"));
    assert!(reason("broken").contains("missing.yaml") && !reason("broken").contains("/tmp"), "{}", reason("broken"));
    assert!(reason("garbled").starts_with("garbled/x.yaml:"), "{}", reason("garbled"));
    // A chart without templates has no objects, if there is a Helm that reports it.
    let has_helm = Command::new("helm").arg("version").output().is_ok();
    assert!(has_helm || reason("chart") == "it cannot be rendered here: helm is not installed", "{}", reason("chart"));
    assert_eq!(reason("absent"), "'absent' not found in the working tree");
    let table = stdout(&plan(&cluster, &repository, &[]));
    assert!(
        table.contains("could not be checked: application.argoproj.io/broken") && table.contains("missing.yaml"),
        "{table}"
    );

    // Where nothing at all builds, the work failed.
    let failed = plan(&cluster, &repository, &["--head", "main", "-o", "json"]);
    assert_eq!(failed.status.code(), Some(1));
    let broken = Repository::new(&[("broken/kustomization.yaml", "resources: [missing.yaml]\n")]);
    let output = plan(&cluster, &broken, &[]);
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr(&output).contains("missing.yaml") && stdout(&output).is_empty(), "{}", stderr(&output));
    assert_eq!(plan(&cluster, &repository, &["--base", "nonsense"]).status.code(), Some(2));
    assert_eq!(plan(&cluster, &repository, &["--from", "."]).status.code(), Some(2));
    let elsewhere = Repository::new(&[("else/m.yaml", "a: b\n")]);
    let output = plan(&cluster, &elsewhere, &["--repo-url", "https://other.example.org/x"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr(&output).contains("no Application or Kustomization deploys from https://other.example.org/x"));
    // The same directories are not the same repository.
    repository.git(&["remote", "set-url", "origin", "https://other.example.org/fork.git"]);
    let output = plan(&cluster, &repository, &["--head", "main"]);
    assert_eq!((output.status.code(), stdout(&output)), (Some(3), String::new()), "{}", stderr(&output));
    assert!(stderr(&output).contains("other.example.org/fork") && stderr(&output).contains("--repo-url with one of: "));
    assert_eq!(plan(&cluster, &repository, &["--head", "main", "--repo-url", super::URL]).status.code(), Some(1));
    repository.git(&["remote", "set-url", "origin", super::URL]);

    // A user who may read, but not run a dry run.
    let user = "reader";
    let bound =
        cluster.kubectl(["create", "clusterrolebinding", "reader", "--clusterrole=reads", "--user=reader"]).status();
    let role = cluster
        .kubectl([
            "create",
            "clusterrole",
            "reads",
            "--verb=get,list",
            "--resource=configmaps,applications.argoproj.io",
        ])
        .status();
    assert!(bound.unwrap().success() && role.unwrap().success());
    let denied = plan_as(&cluster.kubeconfig_for(user, None), &repository, &["-o", "json"]);
    let (denied_document, code) = document(&denied);
    assert_eq!((code, names(&denied_document).len()), (4, 0), "{denied_document:#}");
    assert!(denied_document["unreadable"].to_string().contains("cannot patch"), "{denied_document:#}");
}

#[test]
fn two_thousand_applications_are_planned() {
    let Some(cluster) = support::start(Options::named("plan-many")) else { return };
    let map = |number: usize, color: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: m-{number}, namespace: default}}\ndata: {{color: {color}}}\n"
        )
    };
    let files: Vec<(String, String)> =
        (0..2000).map(|number| (format!("apps/{number}/m.yaml"), map(number, "red"))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let repository = Repository::new(&files);
    let apps = (0..2000).map(|number| application(&format!("app-{number}"), &format!("apps/{number}"), json!({})));
    create(&cluster, apps.collect());
    repository.branch("feature", &[("apps/7/m.yaml", &map(7, "blue"))], &["apps/9/m.yaml"]);
    let mark = cluster.audit_mark();
    let output = plan(&cluster, &repository, &["--base", "main", "--head", "feature", "-o", "json"]);
    let (plan_document, code) = document(&output);
    assert_eq!((code, names(&plan_document)), (1, vec!["add ConfigMap/m-7".to_owned()]));
    assert_eq!(plan_document["deployments"].as_array().unwrap().len(), 1999);
    let unreadable = plan_document["unreadable"].as_array().unwrap();
    assert_eq!(unreadable.len(), 1);
    assert!(unreadable[0]["reason"].as_str().unwrap().contains("'apps/9' not found"), "{unreadable:?}");
    // Only changes in Git cause requests.
    let writes = cluster.requests_since(mark).into_iter().filter(|request| request.uri.contains("dryRun"));
    assert_eq!(writes.count(), 1);
    let output = plan(&cluster, &repository, &["-o", "markdown"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.len() <= 65_536 && stdout(&output).contains("2000 to add"), "{}", output.stdout.len());
}
