//! Commits of deployments.

use serde_json::{Value, json};

use super::{NEW, history, incident, item};
use crate::gitops::Gitops;
use crate::support::command::{CANARY, run_with_input, ucp};

#[test]
fn a_deployment_has_the_commits_of_its_path() {
    let repository = Gitops::paper("v1", "v1");
    let commit = |path: &str, text: &str, subject: &str, time: &str| {
        repository.write(path, text);
        repository.git(["add", "--all"]);
        let mut git = repository.command("git");
        git.env("GIT_COMMITTER_DATE", time).args(["commit", "--quiet", "-m", subject]);
        assert!(git.status().unwrap().success());
        repository.git(["rev-parse", "HEAD"]).trim().to_owned()
    };
    let first = commit("web/a.yaml", "a: 1\n", "Start web", "2026-11-19T11:00:00Z");
    commit("other/b.yaml", "b: 1\n", "Change something else", "2026-11-19T13:00:00Z");
    let last = commit("web/a.yaml", "a: 2\n", "Deploy web v2", "2026-11-19T14:00:00Z");
    let mut objects = incident();
    // The path of a Kustomization is not the one of its repository.
    let revision = |hash: &str, clock: &str| {
        json!({"firstReconciled": format!("2026-11-19T{clock}:00Z"), "lastReconciled": format!("2026-11-19T{clock}:05Z"),
               "lastReconciledStatus": "ReconciliationSucceeded", "metadata": {"revision": format!("main@sha1:{hash}")}})
    };
    let flux = [
        json!({"apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "GitRepository", "metadata": {"name": "r", "namespace": "x"},
            "spec": {"url": "https://example.org/r.git"}}),
        json!({"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization", "metadata": {"name": "k", "namespace": "x"},
            "spec": {"path": "./web", "sourceRef": {"kind": "GitRepository", "name": "r"}},
            "status": {"history": [revision(&last, "14:05"), revision(&first, "11:05")]}}),
    ];
    let top = repository.top().to_str().unwrap();
    let arguments = ["kustomization/k", "--repo", top, "--since", "10000d", "-o", "json"];
    let document = history(&flux, &arguments).expect(0).json();
    item(&document, "Deploy web v2");
    assert!(!document.to_string().contains("Change something else"), "{document:#}");
    objects[0]["status"]["history"][0]["revision"] = first.into();
    objects[0]["status"]["history"][1]["revision"] = last.clone().into();
    let top = repository.top().to_str().unwrap();
    let document = history(&objects, &["application/web", "--repo", top, "-o", "json"]).expect(0).json();
    let committed = item(&document, "Deploy web v2");
    assert_eq!(committed["by"]["kind"], "commit");
    assert!(committed["what"].as_str().unwrap().ends_with("(web/a.yaml): a"), "{committed}");
    assert_eq!((&committed["before"], &committed["after"]), (&"1".into(), &"2".into()));
    assert_eq!(item(&document, &format!("synced {}", &last[..10]))["causedBy"], committed["id"]);
    assert!(!document.to_string().contains("Change something else"), "{document:#}");
    objects[0]["status"]["history"][1]["revision"] = NEW.into();
    let ran = history(&objects, &["application/web", "--repo", top]).expect(0);
    assert!(ran.stderr.contains("does not have these deployed commits: 2222222222"), "{}", ran.stderr);
    let none = history(&objects, &["application/web", "--repo", repository.outside().to_str().unwrap()]).expect(2);
    assert!(none.stderr.contains("is not in a Git repository"), "{}", none.stderr);
}

/// An Application of one directory, with two deployed revisions.
fn application(path: &str, before: &str, after: &str) -> Vec<Value> {
    let mut objects = incident();
    objects[0]["spec"]["source"]["path"] = path.into();
    objects[0]["status"]["history"][0]["revision"] = before.into();
    objects[0]["status"]["history"][1]["revision"] = after.into();
    objects
}

#[test]
fn a_commit_of_promote_shows_the_promotion_and_the_field_that_it_changed() {
    let repository = Gitops::paper("1.2.0", "1.1.0");
    let head = || repository.git(["rev-parse", "HEAD"]).trim().to_owned();
    let before = head();
    repository.ucp(["promote", "stage", "prod", "echo", "--yes", "--commit"]).exits(0);
    let objects = application("echo/overlays/prod", &before, &head());
    let top = repository.top().to_str().unwrap();
    let document = history(&objects, &["application/web", "--repo", top, "-o", "json"]).expect(0).json();
    let promoted = item(&document, "promotion to prod, commit");
    let what = promoted["what"].as_str().unwrap();
    assert!(what.ends_with("(echo/overlays/prod/kustomization.yaml): images[0].newTag"), "{what}");
    assert_eq!((&promoted["before"], &promoted["after"]), (&"1.1.0".into(), &"1.2.0".into()));
    // The commit has a later time than its deployment.
    assert_eq!((&promoted["certainty"], &promoted["time"]), (&"atLatest".into(), &"2026-11-20T01:00:00Z".into()));
    let synced = item(&document, "synced ");
    assert_eq!(synced["causedBy"], promoted["id"], "{document:#}");
    let text = history(&objects, &["application/web", "--repo", top]).expect(0).stdout;
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("images[0].newTag, 1.1.0 → 1.2.0"), "{text}");
}

#[test]
fn a_commit_hides_secrets_and_adds_nothing_that_a_shallow_clone_leaves_out() {
    let repository = Gitops::paper("v1", "v1");
    let commit = |text: &str| {
        repository.write("web/a.yaml", text);
        repository.git(["add", "--all"]);
        repository.git(["commit", "--quiet", "-m", "Change web"]);
        repository.git(["rev-parse", "HEAD"]).trim().to_owned()
    };
    let manifest = |size: u8, password: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: web}}\ndata: {{size: '{size}', password: {password}}}\n\
             ---\napiVersion: v1\nkind: Secret\nmetadata: {{name: login}}\nstringData: {{word: {password}}}\n"
        )
    };
    let before = commit(&manifest(1, "first"));
    let after = commit(&manifest(2, CANARY));
    let objects = application("web", &before, &after);
    let reported = |top: &str| {
        let ran = history(&objects, &["application/web", "--repo", top, "-o", "json"]).expect(0);
        ran.hides_secrets();
        item(&ran.json(), "Change web")["what"].as_str().unwrap().to_owned()
    };
    let reported = reported(repository.top().to_str().unwrap());
    let changes = "configmap/web data.password <hidden> → <hidden> (changed), configmap/web data.size 1 → 2 and 1 more";
    assert!(reported.ends_with(&format!("(web/a.yaml): {changes}")), "{reported}");
    let shallow = repository.outside().join("shallow");
    let url = format!("file://{}", repository.top().display());
    repository.git(["clone", "--quiet", "--depth", "1", &url, shallow.to_str().unwrap()]);
    // Without the commit before, the deployed one is the only one that is known.
    let mut objects = objects.clone();
    objects[0]["status"]["history"].as_array_mut().unwrap().remove(0);
    let ran = history(&objects, &["application/web", "--repo", shallow.to_str().unwrap(), "-o", "json"]).expect(0);
    let what = item(&ran.json(), "Change web")["what"].as_str().unwrap().to_owned();
    assert!(!what.contains("adds"), "{what}");
}

#[test]
fn without_git_the_timeline_of_a_snapshot_has_no_commits() {
    let list = json!({"apiVersion": "v1", "kind": "List", "items": incident()}).to_string();
    let ran = |arguments: &[&str]| {
        let mut command = ucp(["history", "--from", "-", "-o", "json"].iter().chain(arguments));
        command.env("PATH", "/nonexistent");
        run_with_input(command, list.as_str())
    };
    let timeline = ran(&[]).expect(0);
    item(&timeline.json(), "synced 2222222222");
    assert!(timeline.stderr.contains("commits are not shown: git cannot be started"), "{}", timeline.stderr);
    // A checkout that is named must be read.
    ran(&["--repo", "."]).expect(3);
}

#[test]
fn of_several_commits_the_one_that_the_failure_mentions_is_named() {
    let repository = Gitops::paper("v1", "v1");
    let commit = |image: &str, replicas: u8, subject: &str| {
        let container = json!({"name": "web", "image": image});
        let manifest = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
            "spec": {"replicas": replicas, "template": {"spec": {"containers": [container]}}}});
        repository.write("web/a.yaml", &manifest.to_string());
        repository.git(["add", "--all"]);
        repository.git(["commit", "--quiet", "-m", subject]);
        repository.git(["rev-parse", "HEAD"]).trim().to_owned()
    };
    let before = commit("example.org/web:v1", 1, "Start web");
    commit("example.org/web:v2-broken", 1, "Take the new image");
    let after = commit("example.org/web:v2-broken", 3, "Scale web");
    let mut objects = application("web", &before, &after);
    objects[0]["status"]["history"][1]["deployedAt"] = "2026-11-20T03:11:58Z".into();
    objects[1]["metadata"]["managedFields"] = json!([]);
    let deployed = |objects: &[Value]| {
        let top = repository.top().to_str().unwrap();
        let document = history(objects, &["--cause", "application/web", "--repo", top, "-o", "json"]).expect(0).json();
        let evidence = document["candidates"][0]["evidenceFor"].to_string();
        ["Take the new image", "Scale web"].map(|subject| evidence.contains(subject))
    };
    assert_eq!(deployed(&objects), [true, false], "the failure names the image");
    objects[1]["status"]["conditions"][0]["message"] = "something else".into();
    assert_eq!(deployed(&objects), [true, true]);
}
