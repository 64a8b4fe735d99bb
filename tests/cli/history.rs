//! `history`: what happened, from snapshots and on a real API server.

use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::gitops::Gitops;
use crate::support::command::{CANARY, Ran, run, run_with_input, ucp, ucp_on};
use crate::support::{self, Controller, Options, load};

const OLD: &str = "1111111111111111111111111111111111111111";
const NEW: &str = "2222222222222222222222222222222222222222";

fn condition(kind: &str, status: &str, reason: &str, time: &str, message: &str) -> Value {
    json!({"type": kind, "status": status, "reason": reason, "lastTransitionTime": time, "message": message})
}

fn event(
    name: &str,
    (kind, object): (&str, &str),
    reason: &str,
    message: &str,
    (first, last, count): (&str, &str, u64),
) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Event", "metadata": {"name": name, "namespace": "shop"}, "type": "Warning",
        "involvedObject": {"apiVersion": "apps/v1", "kind": kind, "namespace": "shop", "name": object},
        "reason": reason, "message": message, "count": count, "firstTimestamp": first, "lastTimestamp": last,
        "source": {"component": "kubelet"},
    })
}

/// A Deployment that Argo CD deployed, that was changed by hand, and that fails since then.
fn incident() -> Vec<Value> {
    let deployment =
        |name: &str| json!({"group": "apps", "version": "v1", "kind": "Deployment", "namespace": "shop", "name": name});
    let container =
        json!({"name": "web", "image": "example.org/web:v2-broken", "env": [{"name": "DB_PASSWORD", "value": CANARY}]});
    vec![
        json!({
            "apiVersion": "argoproj.io/v1alpha1", "kind": "Application",
            "metadata": {"name": "web", "namespace": "argocd", "creationTimestamp": "2026-11-01T00:00:00Z"},
            "spec": {"project": "default", "source": {"repoURL": "https://git.example.org/a/b", "path": "web"},
                     "destination": {"server": "https://kubernetes.default.svc", "namespace": "shop"}},
            "status": {
                "sync": {"status": "Synced", "revision": NEW},
                "reconciledAt": "2026-11-20T04:00:00Z",
                "health": {"status": "Degraded", "lastTransitionTime": "2026-11-20T03:12:40Z"},
                "resources": [deployment("web")],
                "history": [
                    {"id": 1, "revision": OLD, "deployedAt": "2026-11-19T12:00:00Z", "initiatedBy": {"username": "jane"}},
                    {"id": 2, "revision": NEW, "deployedAt": "2026-11-20T01:00:00Z", "initiatedBy": {"automated": true}},
                ],
            },
        }),
        json!({
            "apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": "web", "namespace": "shop", "creationTimestamp": "2026-11-01T00:00:00Z", "managedFields": [
                {"manager": "kubectl-edit", "operation": "Update", "time": "2026-11-20T03:12:00Z", "apiVersion": "apps/v1",
                 "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:template": {"f:spec": {"f:containers": {
                    "k:{\"name\":\"web\"}": {"f:image": {}},
                 }}}}}},
                {"manager": "kubectl-edit", "operation": "Update", "subresource": "status", "time": "2026-11-20T03:13:00Z",
                 "fieldsV1": {"f:status": {"f:x": {}}}},
            ]},
            "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": {"spec": {"containers": [container]}}},
            "status": {"conditions": [
                condition("Available", "False", "MinimumReplicasUnavailable", "2026-11-20T03:12:20Z",
                          &format!("cannot start example.org/web:v2-broken, password={CANARY}")),
            ]},
        }),
        event(
            "web.1",
            ("Deployment", "web"),
            "BackOff",
            "pulling \u{1b}[31mred",
            ("2026-11-20T03:12:30Z", "2026-11-20T03:52:30Z", 14),
        ),
    ]
}

fn history(objects: &[Value], arguments: &[&str]) -> Ran {
    let list = json!({"apiVersion": "v1", "kind": "List", "items": objects});
    run_with_input(ucp(["history", "--from", "-", "--utc"].iter().chain(arguments)), list.to_string())
}

fn item<'a>(document: &'a Value, what: &str) -> &'a Value {
    let items = document["items"].as_array().unwrap();
    let found = items.iter().find(|item| item["what"].as_str().unwrap().contains(what));
    found.unwrap_or_else(|| panic!("no '{what}' in {document:#}"))
}

#[test]
fn an_incident_is_told_in_order_with_its_authors() {
    let ran = history(&incident(), &["application/web", "-o", "json"]).expect(0);
    let document = ran.json();
    assert_eq!((&document["apiVersion"], &document["kind"]), (&json!("ucp/v1"), &json!("History")));
    let edited = item(&document, "was changed: spec.template.spec.containers[0].image");
    assert_eq!((&edited["time"], &edited["certainty"]), (&json!("2026-11-20T03:12:00Z"), &json!("exact")));
    assert_eq!(edited["by"], json!({"kind": "user", "name": "kubectl-edit"}));
    assert_eq!(edited["after"], "example.org/web:v2-broken");
    let synced = item(&document, "synced 2222222222");
    assert_eq!((&synced["before"], &synced["after"]), (&json!("1111111111"), &json!("2222222222")));
    let failed = item(&document, "turned not Available");
    assert_eq!(failed["causedBy"], edited["id"]);
    let backoff = item(&document, "BackOff");
    assert_eq!((&backoff["count"], &backoff["until"]), (&json!(14), &json!("2026-11-20T03:52:30Z")));
    let times: Vec<_> =
        document["items"].as_array().unwrap().iter().map(|item| item["time"].as_str().unwrap()).collect();
    assert!(times.is_sorted_by(|left, right| left >= right), "{times:?}");
    ran.hides_secrets();
}

#[test]
fn a_timeline_fits_the_terminal_and_cannot_drive_it() {
    let list = json!({"apiVersion": "v1", "kind": "List", "items": incident()});
    let mut command = ucp(["history", "application/web", "--from", "-", "--utc"]);
    command.env("COLUMNS", "80");
    let text = run_with_input(command, list.to_string()).expect(0).stdout;
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(text.contains("(×14 in 40m)") && !text.contains('\u{1b}') && !text.contains(CANARY), "{text}");
    assert!(
        text.contains("03:12:20     └ ") && text.contains("03:12:00     deployment.apps/web -n shop was changed"),
        "{text}"
    );
}

#[test]
fn the_time_before_the_oldest_event_is_a_gap() {
    let gaps = |objects: &[Value]| history(objects, &["-o", "json"]).expect(0).json()["gaps"].clone();
    let with_event = gaps(&incident());
    assert_eq!(with_event[0]["to"], "2026-11-20T03:52:30Z", "{with_event}");
    assert!(with_event[0]["reason"].as_str().unwrap().starts_with("Events from this time have expired"));
    let without = gaps(&incident()[..2]);
    assert_eq!(without[0]["to"], "2026-11-20T04:00:00Z", "{without}");
    assert!(without[0]["reason"].as_str().unwrap().starts_with("no Events in the data"), "{without}");
}

#[test]
fn the_change_right_before_a_failure_is_its_likely_cause_and_never_a_certain_one() {
    let document = history(&incident(), &["--cause", "application/web", "-o", "json"]).expect(0).json();
    let edited = item(&document, "was changed: spec.template.spec.containers[0].image");
    let first = &document["candidates"][0];
    assert_eq!((&first["id"], &first["confidence"]), (&edited["id"], &json!("likely")), "{document:#}");
    assert!(first["evidenceFor"].to_string().contains("20s before the first failure"), "{first}");
    assert!(first["evidenceFor"].to_string().contains("the failure mentions example.org/web:v2-broken"), "{first}");
    assert_eq!(document["cause"]["conclusion"], "likely, not certain: the first candidate");
    let text = history(&incident(), &["--cause", "application/web"]).expect(0).stdout;
    assert!(text.starts_with("Cause of application.argoproj.io/web -n argocd: likely, not certain"), "{text}");
}

#[test]
fn a_failure_without_a_change_before_it_has_no_cause_in_the_data() {
    let mut objects = incident();
    objects[1]["metadata"]["managedFields"] = json!([]);
    objects[0]["status"]["history"] = json!([]);
    let document = history(&objects, &["--cause", "application/web", "-o", "json"]).expect(0).json();
    assert_eq!(document["candidates"], json!([]), "{document:#}");
    assert_eq!(document["cause"]["conclusion"], "the cause is not in the data that can be read");
    history(&objects, &["--cause", "application/other"]).expect(3);
}

#[test]
fn at_a_time_only_problems_of_that_time_are_shown() {
    let at = |time: &str| history(&incident(), &["--at", time, "-o", "json"]).expect(0).json()["at"]["wrong"].clone();
    let objects =
        |wrong: &Value| wrong.as_array().unwrap().iter().map(|one| one["object"]["name"].clone()).collect::<Vec<_>>();
    assert_eq!(objects(&at("03:12:45")), [json!("web"), json!("web")], "{}", at("03:12:45"));
    assert_eq!(objects(&at("03:12:25")).len(), 1, "{}", at("03:12:25"));
    assert!(objects(&at("02:00")).is_empty(), "{}", at("02:00"));
    let ran = history(&incident(), &["--at", "2027-01-01 00:00"]).expect(2);
    assert!(ran.stderr.contains("is later than the cluster state"), "{}", ran.stderr);
}

/// A snapshot of one bucket at a time.
fn bucket(directory: &TempDir, name: &str, taken: &str, region: &str, ready: &str, more: &[Value]) -> String {
    let mut items = vec![json!({
        "apiVersion": "s3.example.org/v1", "kind": "Bucket", "metadata": {"name": "logs", "creationTimestamp": "2026-11-01T00:00:00Z"},
        "spec": {"forProvider": {"region": region, "password": format!("{CANARY}{region}")}, "providerConfigRef": {"name": "x"}},
        "status": {"conditions": [condition("Ready", ready, "Available", "2026-11-01T00:00:00Z", ""),
                                  condition("Synced", "True", "ReconcileSuccess", "2026-11-01T00:00:00Z", "")]},
    })];
    items.push(json!({"apiVersion": "s3.example.org/v1", "kind": "Bucket", "metadata": {"name": "clock", "creationTimestamp": taken},
        "spec": {"forProvider": {}, "providerConfigRef": {"name": "x"}}}));
    items.extend_from_slice(more);
    let path = directory.path().join(name);
    std::fs::write(&path, json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string()).unwrap();
    path.display().to_string()
}

#[test]
fn a_difference_of_two_snapshots_is_between_their_times() {
    let directory = tempfile::tempdir().unwrap();
    let gone = json!({"apiVersion": "s3.example.org/v1", "kind": "Bucket", "metadata": {"name": "gone"},
        "spec": {"forProvider": {}, "providerConfigRef": {"name": "x"}}});
    let before = bucket(&directory, "a.json", "2026-11-20T02:00:00Z", "eu", "True", &[gone]);
    let after = bucket(&directory, "b.json", "2026-11-20T03:00:00Z", "us", "False", &[]);
    // The order on the command line does not matter.
    for paths in [[&before, &after], [&after, &before]] {
        let flags = ["history", "--utc", "--from", paths[0], "--from", paths[1]];
        let document = run(ucp(flags.iter().chain(&["-o", "json"]))).expect(0).json();
        let changed = item(&document, "was changed: spec.forProvider.region");
        assert_eq!((&changed["before"], &changed["after"]), (&json!("eu"), &json!("us")));
        assert_eq!(
            (&changed["time"], &changed["until"]),
            (&json!("2026-11-20T02:00:00Z"), &json!("2026-11-20T03:00:00Z"))
        );
        assert_eq!(changed["certainty"], "between");
        assert_eq!(item(&document, "was deleted")["object"]["name"], "gone");
        assert!(!document.to_string().contains(CANARY) && !document.to_string().contains("password"), "{document:#}");
        assert_eq!(document["sources"].as_array().unwrap().len(), 2);
        let text = run(ucp(flags)).expect(0).stdout;
        assert!(
            text.contains("02:00–03:00  bucket.s3.example.org/logs was changed: spec.forProvider.region, eu → us"),
            "{text}"
        );
    }
    let missing = directory.path().join("none.json").display().to_string();
    run(ucp(["history", "--from", &before, "--from", &missing])).expect(3);
    // An object that one of them does not have has a history.
    let of = |object: &str| run(ucp(["history", object, "--from", &before, "--from", &after, "-o", "json"]));
    assert_eq!(item(&of("bucket/gone").expect(0).json(), "was deleted")["object"]["name"], "gone");
    of("bucket/never").expect(3);
}

#[test]
fn a_time_between_snapshots_has_only_the_problems_that_it_can_have() {
    let directory = tempfile::tempdir().unwrap();
    let broken = |name: &str, ready: &str, since: &str| {
        json!({"apiVersion": "s3.example.org/v1", "kind": "Bucket", "metadata": {"name": name},
            "spec": {"forProvider": {}, "providerConfigRef": {"name": "x"}},
            "status": {"conditions": [
                {"type": "Ready", "status": ready, "reason": if ready == "True" { "Available" } else { "Unavailable" },
                 "lastTransitionTime": format!("2026-11-20T{since}:00Z")}]}})
    };
    let before = [broken("a", "False", "01:00"), broken("gone", "False", "01:00"), broken("later", "True", "01:00")];
    let before = bucket(&directory, "a.json", "2026-11-20T02:00:00Z", "eu", "True", &before);
    let after = [broken("a", "True", "02:30"), broken("later", "False", "02:58")];
    let after = bucket(&directory, "b.json", "2026-11-20T03:00:00Z", "eu", "True", &after);
    let flags = ["--from", &before, "--from", &after, "--utc", "-o", "json", "--at", "2026-11-20T02:55:00Z"];
    let document = run(ucp(["history"].iter().chain(&flags))).expect(0).json();
    let wrong = document["at"]["wrong"].as_array().unwrap();
    let wrong: Vec<_> = wrong.iter().map(|one| (one["object"]["name"].as_str().unwrap(), &one["certainty"])).collect();
    assert_eq!(wrong, [("gone", &json!("atLatest"))], "{document:#}");
}

#[test]
fn a_real_api_server_tells_who_changed_which_field_and_one_more_list_is_enough() {
    let Some(cluster) = support::start(Options::named("history")) else { return };
    let kubectl = |arguments: &[&str]| assert!(cluster.kubectl(arguments).status().unwrap().success(), "{arguments:?}");
    kubectl(&["create", "deployment", "web", "--image=example.org/web:v1"]);
    kubectl(&["create", "secret", "generic", "login", &format!("--from-literal=password={CANARY}")]);
    // A write right after the creation is a part of it.
    std::thread::sleep(Duration::from_secs(4));
    kubectl(&["set", "image", "deployment/web", "web=example.org/web:v2"]);
    kubectl(&["patch", "secret", "login", "-p", &format!(r#"{{"stringData":{{"password":"{CANARY}2"}}}}"#)]);
    let ran = run(ucp_on(&cluster, ["history", "deployment/web", "-n", "default", "-o", "json"])).expect(0);
    let document = ran.json();
    let changed = item(&document, "was changed: spec.template.spec.containers[0].image");
    assert_eq!((&changed["after"], &changed["by"]["kind"]), (&json!("example.org/web:v2"), &json!("user")));
    assert_eq!(item(&document, "was created")["by"]["name"], "kubectl-create");
    let ran = run(ucp_on(&cluster, ["history", "secret/login", "-n", "default", "-o", "json"])).expect(0);
    let secret = ran.json();
    let rotated = item(&secret, "was changed: data.password");
    assert!(rotated["after"].is_null(), "{rotated}");
    ran.hides_secrets();

    let requests = |arguments: &[&str]| {
        let mark = cluster.audit_mark();
        run(ucp_on(&cluster, arguments.iter().copied()));
        cluster.requests_since(mark).len()
    };
    requests(&["status"]);
    let (status, history) = (requests(&["status"]), requests(&["history"]));
    assert!(history <= status + 1, "status sends {status} requests, history {history}");
}

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
    assert!(committed["what"].as_str().unwrap().ends_with("(web/a.yaml)"), "{committed}");
    assert_eq!(item(&document, &format!("synced {}", &last[..10]))["causedBy"], committed["id"]);
    assert!(!document.to_string().contains("Change something else"), "{document:#}");
    objects[0]["status"]["history"][1]["revision"] = NEW.into();
    let ran = history(&objects, &["application/web", "--repo", top]).expect(0);
    assert!(ran.stderr.contains("does not have these deployed commits: 2222222222"), "{}", ran.stderr);
    let none = history(&objects, &["application/web", "--repo", repository.outside().to_str().unwrap()]).expect(2);
    assert!(none.stderr.contains("is not in a Git repository"), "{}", none.stderr);
}

#[test]
fn an_audit_log_names_the_users() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("audit.log");
    let entry = |verb: &str, name: &str, time: &str| {
        json!({
            "kind": "Event", "apiVersion": "audit.k8s.io/v1", "stage": "ResponseComplete", "verb": verb,
            "user": {"username": "jane\u{1b}[31m"}, "requestReceivedTimestamp": time, "responseStatus": {"code": 200},
            "objectRef": {"resource": "deployments", "apiGroup": "apps", "namespace": "shop", "name": name},
            "requestObject": {"data": {"password": CANARY}},
        })
    };
    let lines = [entry("patch", "web", "2026-11-20T03:12:01.5Z"), entry("delete", "web", "2026-11-20T03:30:00Z")];
    std::fs::write(&path, lines.map(|line| line.to_string() + "\n").concat()).unwrap();
    let ran = history(&incident(), &["deployment/web", "--audit", path.to_str().unwrap(), "-o", "json"]).expect(0);
    let document = ran.json();
    assert_eq!(item(&document, "was changed: spec.template")["by"], json!({"kind": "user", "name": "jane\u{1b}[31m"}));
    assert_eq!(item(&document, "was deleted")["time"], "2026-11-20T03:30:00Z");
    ran.hides_secrets();
    std::fs::write(&path, "no log\n").unwrap();
    history(&incident(), &["--audit", path.to_str().unwrap()]).expect(3);
}

#[test]
fn what_a_watch_cannot_heed_is_refused() {
    for arguments in
        [&["--watch", "-o", "json"][..], &["--watch", "--at", "03:00"], &["--watch", "a/b"], &["a/b", "--cause", "c/d"]]
    {
        history(&incident(), arguments).expect(2);
    }
    // A snapshot does not change.
    history(&incident(), &["--watch"]).expect(2);
}

#[test]
fn nightly_snapshots_are_one_history_and_the_oldest_are_removed() {
    let Some(cluster) = support::start(Options::named("nights")) else { return };
    let kubectl = |arguments: &[&str]| assert!(cluster.kubectl(arguments).status().unwrap().success(), "{arguments:?}");
    let home = tempfile::tempdir().unwrap();
    let directory = home.path().join("nights").display().to_string();
    kubectl(&["create", "deployment", "web", "--image=example.org/web:v1"]);
    kubectl(&["create", "secret", "generic", "login", &format!("--from-literal=password={CANARY}")]);
    for version in ["v2", "v3", "v4"] {
        kubectl(&["set", "image", "deployment/web", &format!("web=example.org/web:{version}")]);
        run(ucp_on(&cluster, ["snapshot", "--keep", "2", &directory])).expect(0);
        // The names have seconds.
        std::thread::sleep(Duration::from_millis(1_100));
    }
    let names = || {
        let entries = std::fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = entries.map(|name| name.into_string().unwrap()).collect();
        names.retain(|name| !name.starts_with('.'));
        names.sort();
        names
    };
    let nights = names();
    assert_eq!(nights.len(), 3, "{nights:?}");
    assert!(nights[..2].iter().all(|name| name.ends_with("Z.night.gz")) && nights[2] == "objects.gz", "{nights:?}");
    let ran = run(ucp(["history", "--from", &directory, "deployment/web", "-n", "default", "-o", "json"])).expect(0);
    let document = ran.json();
    assert_eq!(document["sources"].as_array().unwrap().len(), 2, "{document:#}");
    let changed = item(&document, "was changed: spec.template.spec.containers[0].image");
    assert_eq!((&changed["before"], &changed["after"]), (&json!("example.org/web:v3"), &json!("example.org/web:v4")));
    ran.hides_secrets();
    // Each night is a snapshot, and the directory is its newest one.
    let image = |path: &str| {
        let get = ["resources", "deployment/web", "--any", "-n", "default", "--whole", "-o", "json", "--from", path];
        run(ucp(get)).expect(0).stdout
    };
    let older = format!("{directory}/{}", nights[0]);
    assert!(image(&older).contains("example.org/web:v3"), "{}", image(&older));
    assert!(image(&directory).contains("example.org/web:v4"), "{}", image(&directory));
    run(ucp_on(&cluster, ["snapshot", "--keep", "2", "a.tar.gz"])).expect(2);
    run(ucp_on(&cluster, ["snapshot", "--keep", "0", &directory])).expect(2);
    std::fs::write(home.path().join("letter"), "x").unwrap();
    let refused = run(ucp_on(&cluster, ["snapshot", "--keep", "2", home.path().to_str().unwrap()])).expect(1);
    assert!(refused.stderr.contains("has other files"), "{}", refused.stderr);
}

#[test]
fn status_names_the_commit_right_before_a_problem() {
    let status = |deployed: &str| {
        let mut objects = incident();
        objects[0]["status"]["history"][1]["deployedAt"] = deployed.into();
        objects[0]["status"]["summary"] = json!({"images": ["example.org/web:v2"]});
        let list = json!({"apiVersion": "v1", "kind": "List", "items": objects});
        run_with_input(ucp(["status", "--from", "-"]), list.to_string()).stdout
    };
    let text = status("2026-11-20T03:11:00Z");
    assert!(text.contains("since 03:12 UTC, after commit 22222222 (example.org/web:v2)"), "{text}");
    // Hours before, it may have nothing to do with it.
    assert!(!status("2026-11-20T01:00:00Z").contains("after commit"));
}

#[test]
fn a_tree_marks_its_last_change_only_if_no_later_one_can_be_missing() {
    let tree = |objects: &[Value]| {
        let list = json!({"apiVersion": "v1", "kind": "List", "items": objects});
        run_with_input(ucp(["tree", "application/web", "--from", "-", "-o", "json"]), list.to_string()).json()
    };
    let marked = |document: &Value| {
        let nodes = document["nodes"].as_array().unwrap();
        nodes.iter().find(|node| !node["lastChange"].is_null()).cloned()
    };
    let mut objects = incident();
    assert_eq!(marked(&tree(&objects)), None);
    let write = json!([{"manager": "argocd-controller", "operation": "Update", "time": "2026-11-01T00:00:00Z",
        "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:project": {}}}}]);
    objects[0]["metadata"]["managedFields"] = write;
    let document = tree(&objects);
    let node = marked(&document).unwrap_or_else(|| panic!("{document:#}"));
    assert_eq!(
        (&node["object"]["kind"], &node["lastChange"]["time"]),
        (&json!("Deployment"), &json!("2026-11-20T03:12:00Z"))
    );
    assert_eq!(node["lastChange"]["by"]["name"], "kubectl-edit");
}

#[test]
fn a_webhook_that_a_failure_mentions_is_the_first_candidate() {
    let options = Options::named("causes").with_controllers(&[Controller::Deployment, Controller::ReplicaSet]);
    let Some(cluster) = support::start(options) else { return };
    let kubectl = |words: &str| {
        let output = cluster.kubectl(words.split_whitespace()).output().unwrap();
        assert!(output.status.success(), "{words}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    kubectl("create deployment web --image=example.org/web:v1");
    // In the place of a node.
    let pods = || kubectl("get pods -l app=web -o name").trim().to_owned();
    while pods().is_empty() {
        std::thread::sleep(Duration::from_millis(200));
    }
    let pod = pods();
    let ready = json!({"status": {"phase": "Running", "conditions": [
        condition("Ready", "True", "", &jiff::Timestamp::now().to_string(), ""),
    ]}});
    let patch = ready.to_string();
    let patched =
        cluster.kubectl(["patch", &pod, "--subresource=status", "--type=merge", "-p", &patch]).status().unwrap();
    assert!(patched.success());
    kubectl("wait --for=condition=Available deployment/web --timeout=60s");
    cluster.apply(&json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": "guard"},
        "webhooks": [{
            "name": "pods.guard.example.org", "admissionReviewVersions": ["v1"], "sideEffects": "None",
            "failurePolicy": "Fail", "timeoutSeconds": 1, "clientConfig": {"url": "https://127.0.0.1:9/"},
            "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}],
        }],
    }));
    // The API server notices new webhooks after a moment.
    std::thread::sleep(Duration::from_secs(3));
    kubectl("scale deployment web --replicas=3");
    kubectl("wait --for=condition=ReplicaFailure deployment/web --timeout=60s");
    let ran = run(ucp_on(&cluster, ["history", "--cause", "deployment/web", "-n", "default", "-o", "json"])).expect(0);
    let document = ran.json();
    let first = &document["candidates"][0];
    let items = document["items"].as_array().unwrap();
    let culprit = items.iter().find(|item| item["id"] == first["id"]).unwrap_or_else(|| panic!("{document:#}"));
    assert_eq!(culprit["object"]["kind"], "ValidatingWebhookConfiguration", "{document:#}");
    assert_eq!(culprit["what"], "was created");
}

#[test]
fn the_deletion_of_an_object_that_a_finalizer_holds_explains_it() {
    let mut objects = incident();
    let metadata = objects[1]["metadata"].as_object_mut().unwrap();
    metadata.insert("deletionTimestamp".to_owned(), json!("2026-11-20T03:30:00Z"));
    metadata.insert("finalizers".to_owned(), json!(["example.org/hold"]));
    objects[1]["status"]["conditions"] = json!([]);
    objects.pop();
    let document = history(&objects, &["--cause", "deployment/web", "-n", "shop", "-o", "json"]).expect(0).json();
    let first = &document["candidates"][0];
    let deletion = item(&document, "is being deleted; finalizer example.org/hold holds it");
    assert_eq!(first["id"], deletion["id"], "{document:#}");
}

/// A GitRepository of Flux whose Secret is missing, with a message about its failure.
fn failing_source(name: &str, message: &str) -> Value {
    json!({
        "apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "GitRepository",
        "metadata": {"namespace": "default", "name": name},
        "spec": {"url": "https://git.example.org/apps", "interval": "1m", "secretRef": {"name": "git-login"}},
        "status": {"conditions": [{"type": "Ready", "status": "False", "reason": "AuthenticationFailed", "message": message,
            "lastTransitionTime": "2026-11-20T03:12:00Z"}]},
    })
}

#[test]
fn a_secret_that_a_failure_misses_is_shown_as_missing_and_its_words_lead_nowhere_else() {
    let Some(cluster) = support::start(Options::named("history-missing")) else { return };
    load::install_all_crds(&cluster).unwrap();
    // Who may write a message chooses its words.
    let hostile = "no matches for kind \"X\" in version \"../../../api/v1/secrets?x=/v1\"; User \"system:serviceaccount:a:b\" cannot list \
                   resource in the namespace \"../../../secrets?watch=true&x=\"; the server could not find the requested resource (get \
                   a/../../b.c one); secrets \"git-login\" not found";
    let objects = vec![failing_source("apps", "secrets \"git-login\" not found"), failing_source("hostile", hostile)];
    support::run(async || load::load_objects(&cluster.client(), objects).await).unwrap();
    let history = |name: &str| {
        let object = format!("gitrepository/{name}");
        run(ucp_on(&cluster, ["history", &object, "-n", "default", "--since", "9000d", "-o", "json"]))
    };
    let document = history("apps").expect(0).json();
    let missing = item(&document, "does not exist");
    assert_eq!((&missing["object"]["kind"], &missing["object"]["name"]), (&json!("Secret"), &json!("git-login")));
    assert_eq!((&missing["certainty"], &missing["time"]), (&json!("atLatest"), &json!("2026-11-20T03:12:00Z")));

    let mark = cluster.audit_mark();
    let ran = history("hostile");
    assert!(matches!(ran.code, Some(0 | 4)), "{ran:?}");
    item(&ran.json(), "does not exist");
    for request in cluster.requests_since(mark) {
        assert!(["get", "list"].contains(&request.verb.as_str()), "{request:?}");
        let path = request.uri.split('?').next().unwrap();
        assert!(!path.contains("..") && !request.uri.contains("watch="), "{request:?}");
    }
}
