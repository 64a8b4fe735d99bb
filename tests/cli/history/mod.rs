//! `history`: events and changes, from snapshots and on a real API server.

mod causes;
mod commits;
mod evidence;
mod following;
mod pages;
mod snapshots;

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::audit::Request;
use crate::support::command::{CANARY, Ran, run, run_with_input, ucp, ucp_on};
use crate::support::{self, Options};

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
fn an_incident_is_listed_in_order_with_its_authors() {
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
fn a_failure_is_traced_to_the_write_of_a_sync() {
    let mut objects = incident();
    objects.retain(|object| object["kind"] != "Event");
    objects[1]["metadata"]["managedFields"][0]["manager"] = "argocd-controller".into();
    // A sync ends after its writes.
    objects[1]["metadata"]["managedFields"][0]["time"] = "2026-11-20T00:59:58Z".into();
    objects[1]["status"]["conditions"][0]["lastTransitionTime"] = "2026-11-20T01:10:00Z".into();
    let document = history(&objects, &["-o", "json"]).expect(0).json();
    let (synced, written) = (item(&document, "synced 2222222222"), item(&document, "was changed: spec.template"));
    assert_eq!(written["causedBy"], synced["id"], "{document:#}");
    assert_eq!(item(&document, "turned not Available")["causedBy"], written["id"], "{document:#}");
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
    // An Event that was last repeated before that of the incident may have expired.
    assert_eq!(with_event[0]["to"], "2026-11-20T03:52:30Z", "{with_event}");
    assert!(with_event[0]["reason"].as_str().unwrap().starts_with("Events from this time may have expired"));
    let without = gaps(&incident()[..2]);
    assert_eq!(without[0]["to"], "2026-11-20T04:00:00Z", "{without}");
    assert!(without[0]["reason"].as_str().unwrap().starts_with("no Events in the data"), "{without}");
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

#[test]
fn on_a_real_api_server_each_change_has_its_author_and_field() {
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
    // For one object, the kinds of its tree, Events, and the revisions and Pods of its workloads.
    let lists = |command: &str| {
        let mark = cluster.audit_mark();
        run(ucp_on(&cluster, [command, "deployment/web", "-n", "default"])).expect(0);
        let requests = cluster.requests_since(mark);
        let list = |one: &Request| Some(one.uri.split('?').next()?.to_owned()).filter(|_| one.object.is_some());
        requests.iter().filter_map(list).collect::<BTreeSet<_>>()
    };
    let (tree, history) = (lists("tree"), lists("history"));
    let namespaced = |path: &str| format!("{path}/namespaces/default");
    let additional: BTreeSet<String> = [
        "/api/v1/events".to_owned(),
        format!("{}/pods", namespaced("/api/v1")),
        format!("{}/controllerrevisions", namespaced("/apis/apps/v1")),
        format!("{}/replicasets", namespaced("/apis/apps/v1")),
    ]
    .into();
    assert_eq!(history.difference(&tree).cloned().collect::<BTreeSet<_>>(), additional, "in addition to {tree:?}");
}

#[test]
fn an_event_of_the_newer_api_is_the_same_as_that_of_the_core_group() {
    let mut objects = incident();
    objects.push(json!({
        "apiVersion": "events.k8s.io/v1", "kind": "Event", "metadata": {"name": "web.1", "namespace": "shop"},
        "type": "Warning", "reason": "BackOff", "note": "pulling \u{1b}[31mred", "reportingController": "kubelet",
        "regarding": {"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "shop", "name": "web"},
        "deprecatedCount": 14, "deprecatedFirstTimestamp": "2026-11-20T03:12:30Z",
        "deprecatedLastTimestamp": "2026-11-20T03:52:30Z",
    }));
    let both = history(&objects, &["-o", "json"]).expect(0).json();
    objects.remove(2);
    let newer = history(&objects, &["-o", "json"]).expect(0).json();
    objects[2] = incident()[2].clone();
    let core = history(&objects, &["-o", "json"]).expect(0).json();
    assert_eq!(item(&newer, "BackOff")["count"], 14, "{newer:#}");
    assert_eq!((&newer["items"], &newer["gaps"]), (&core["items"], &core["gaps"]));
    assert_eq!((&both["items"], &both["gaps"]), (&core["items"], &core["gaps"]));
}

#[test]
fn an_event_of_flux_has_the_revision_that_it_is_about() {
    let mut objects = incident();
    let annotation = "kustomize.toolkit.fluxcd.io/revision";
    objects[2]["metadata"]["annotations"] = json!({annotation: format!("main@sha1:{NEW}")});
    let document = history(&objects, &["-o", "json"]).expect(0).json();
    let what = item(&document, "BackOff")["what"].as_str().unwrap().to_owned();
    assert!(what.ends_with("(revision main@sha1:2222222222)"), "{what}");
}

#[test]
fn a_snapshot_shows_nodes_leaders_and_promotions_that_it_has() {
    let mut objects = incident();
    objects.extend([
        json!({
            "apiVersion": "v1", "kind": "Node", "metadata": {"name": "worker"},
            "status": {"conditions": [condition("Ready", "Unknown", "NodeStatusUnknown", "2026-11-20T03:00:00Z", "no word")]},
        }),
        json!({
            "apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "crossplane", "namespace": "x"},
            "spec": {"holderIdentity": "pod-b", "acquireTime": "2026-11-20T03:01:00.000000Z"},
        }),
        json!({
            "apiVersion": "kargo.akuity.io/v1alpha1", "kind": "Promotion", "metadata": {"name": "p1", "namespace": "shop"},
            "spec": {"stage": "prod", "freight": "0123"}, "status": {"phase": "Running", "startedAt": "2026-11-20T03:02:00Z"},
        }),
    ]);
    let document = history(&objects, &["-o", "json"]).expect(0).json();
    for words in ["turned Ready Unknown", "is held by pod-b", "promotion of freight 0123 to prod was started"] {
        item(&document, words);
    }
}

#[test]
fn times_that_reporters_choose_neither_hide_a_failure_nor_move_it() {
    let mut objects = incident();
    let warning =
        |name: &str, first: &str, last: &str| event(name, ("Deployment", "web"), "Odd", name, (first, last, 2));
    objects.push(warning("ancient", "0000-01-01T00:00:00Z", "2026-11-20T03:20:00Z"));
    objects.push(warning("future", "2030-01-01T00:00:00Z", "2030-01-01T00:00:00Z"));
    objects.push(warning("reversed", "2026-11-20T03:50:00Z", "2026-11-20T03:00:00Z"));
    objects.push(warning("timeless", "", ""));
    let timeless = objects.last_mut().unwrap().as_object_mut().unwrap();
    timeless.remove("firstTimestamp");
    timeless.remove("lastTimestamp");
    let document = history(&objects, &["deployment/web", "-n", "shop", "--all", "-o", "json"]).expect(0).json();
    assert_eq!(item(&document, "Odd: ancient")["time"], "2026-11-01T00:00:00Z", "the creation of its object");
    let document = document.to_string();
    assert!(!document.contains("Odd: future") && !document.contains("Odd: timeless"), "{document}");
    // The list that could not be read completely limits the problems that are known for that time.
    objects[1]["status"]["conditions"] = json!("none");
    let document = history(&objects, &["--at", "03:15", "-o", "json"]).expect(4).json();
    let limits = document["at"]["limits"].to_string();
    assert!(limits.contains("Deployment web") && limits.contains("could not be read"), "{limits}");
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
    for text in ["no log\n", "", "\n\n", "{}\n"] {
        std::fs::write(&path, text).unwrap();
        let ran = history(&incident(), &["--audit", path.to_str().unwrap()]).expect(3);
        let expected = format!("no audit records in {}", path.display());
        assert!(ran.stderr.contains(&expected), "{text:?}: {}", ran.stderr);
    }
}

#[test]
fn warnings_that_differ_only_in_numbers_are_a_single_row() {
    let mut objects = incident();
    objects.retain(|object| object["kind"] != "Event");
    objects.extend((0..50).map(|number| {
        let time = format!("2026-11-20T03:{:02}:00Z", 5 + number);
        let message = format!("attempt {number} failed after {}s", number * 3);
        event(&format!("web.{number}"), ("Deployment", "web"), "FailedThing", &message, (&time, &time, 1))
    }));
    let document = history(&objects, &["-o", "json"]).expect(0).json();
    let all = document["items"].as_array().unwrap().iter();
    let failed: Vec<&Value> = all.filter(|one| one["what"].as_str().unwrap().starts_with("FailedThing")).collect();
    assert_eq!(failed.len(), 1, "{failed:?}");
    assert_eq!(
        (&failed[0]["what"], &failed[0]["count"]),
        (&"FailedThing: attempt … failed after …".into(), &50.into())
    );
}

#[test]
fn watch_refuses_flags_that_it_does_not_support() {
    for arguments in
        [&["--watch", "-o", "json"][..], &["--watch", "--at", "03:00"], &["--watch", "a/b"], &["a/b", "--cause", "c/d"]]
    {
        history(&incident(), arguments).expect(2);
    }
    // A snapshot does not change.
    history(&incident(), &["--watch"]).expect(2);
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
fn a_tree_marks_its_last_change_only_if_later_changes_are_impossible() {
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
