//! `history --cause`: what counts as a candidate, and what does not.

use serde_json::{Value, json};

use super::{condition, event, history, incident, item};

const CREATED: &str = "2026-11-01T00:00:00Z";

/// Returns a write by a manager of the fields below a top-level field.
fn write(manager: &str, time: &str, fields: Value) -> Value {
    json!({"manager": manager, "operation": "Update", "time": time, "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": fields})
}

/// A Pod that needs a Secret and a ConfigMap, of which the Secret is gone, and the ConfigMap was changed.
fn without_secret(fields: &Value) -> Vec<Value> {
    let container = json!({"name": "api", "image": "example.org/api:1", "envFrom": [
        {"secretRef": {"name": "key"}}, {"configMapRef": {"name": "env"}},
    ]});
    let mut warned = event(
        "api.1",
        ("Pod", "api"),
        "Failed",
        "Error: secret \"key\" not found",
        ("2026-11-20T03:10:00Z", "2026-11-20T03:50:00Z", 9),
    );
    warned["involvedObject"]["apiVersion"] = "v1".into();
    vec![
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "api", "namespace": "shop", "creationTimestamp": CREATED},
            "spec": {"containers": [container]}}),
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "env", "namespace": "shop", "creationTimestamp": CREATED,
            "managedFields": [write("kubectl-patch", "2026-11-20T03:09:57Z", fields.clone())]}, "data": {"level": "debug"}}),
        warned,
    ]
}

/// Returns the lines of the candidates, with their confidence.
fn candidates(document: &Value) -> Vec<String> {
    let items = document["items"].as_array().unwrap();
    let line = |candidate: &Value| {
        let item = items.iter().find(|item| item["id"] == candidate["id"]).unwrap_or_else(|| panic!("{document:#}"));
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (kind, name) = (text(&item["object"]["kind"]), text(&item["object"]["name"]));
        format!("{} {kind}/{name} {}", text(&candidate["confidence"]), text(&item["what"]))
    };
    document["candidates"].as_array().unwrap().iter().map(line).collect()
}

#[test]
fn an_object_that_is_not_found_comes_before_an_unrelated_change() {
    let data = json!({"f:data": {"f:level": {}}});
    for fields in [json!({"f:metadata": {"f:labels": {"f:team": {}}}}), data] {
        let document = history(&without_secret(&fields), &["--cause", "pod/api", "-o", "json"]).expect(0).json();
        let all = candidates(&document);
        assert!(all[0].contains("Secret/key was missing"), "{all:#?}");
        assert!(!all[1..].iter().any(|line| line.starts_with("likely")), "{all:#?}");
    }
}

#[test]
fn a_deletion_in_an_audit_log_is_the_cause() {
    let entry = json!({
        "kind": "Event", "apiVersion": "audit.k8s.io/v1", "stage": "ResponseComplete", "verb": "delete",
        "requestURI": "/api/v1/namespaces/shop/secrets/key", "user": {"username": "robin"},
        "objectRef": {"resource": "secrets", "namespace": "shop", "name": "key", "apiVersion": "v1"},
        "responseStatus": {"code": 200}, "requestReceivedTimestamp": "2026-11-20T03:09:45.000000Z",
    });
    let directory = tempfile::tempdir().unwrap();
    let log = directory.path().join("audit.log");
    std::fs::write(&log, format!("{entry}\nno entry\n")).unwrap();
    let log = log.to_str().unwrap();
    let objects = without_secret(&json!({"f:data": {"f:level": {}}}));
    let document = history(&objects, &["--cause", "pod/api", "--audit", log, "-o", "json"]).expect(0).json();
    let all = candidates(&document);
    assert_eq!(all[0], "likely Secret/key was deleted", "{document:#}");
    assert!(!all.iter().any(|line| line.contains("was missing")), "{all:#?}");
    assert_eq!(item(&document, "was deleted")["by"]["name"], "robin");
    assert!(document["gaps"].to_string().contains("1 line of the audit log is no entry"), "{document:#}");
    // The timeline of the object has it too.
    let text = history(&objects, &["pod/api", "--audit", log]).expect(0).stdout;
    assert!(text.contains("secret/key -n shop was deleted, by robin"), "{text}");
}

#[test]
fn labels_are_not_the_likely_cause() {
    let mut objects = incident();
    objects[0]["status"]["history"] = json!([]);
    let fields = json!({"f:metadata": {"f:annotations": {"f:note": {}}}});
    objects[1]["metadata"]["managedFields"] = json!([write("kubectl-annotate", "2026-11-20T03:12:00Z", fields)]);
    objects[1]["metadata"]["annotations"] = json!({"note": "hello"});
    let document = history(&objects, &["--cause", "application/web", "-o", "json"]).expect(0).json();
    assert_eq!(candidates(&document), ["possible Deployment/web was changed: metadata.annotations.note"]);
}

#[test]
fn a_node_that_stopped_does_not_stop_because_of_its_pods() {
    let owner = |kind: &str, name: &str| json!([{"apiVersion": "apps/v1", "kind": kind, "name": name, "uid": name, "controller": true}]);
    let lost = condition(
        "Ready",
        "Unknown",
        "NodeStatusUnknown",
        "2026-11-20T03:12:00Z",
        "Kubelet stopped posting node status.",
    );
    let scaled = write("kubectl", "2026-11-20T03:11:40Z", json!({"f:spec": {"f:replicas": {}}}));
    let objects = [
        json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n", "creationTimestamp": CREATED}, "status": {"conditions": [lost]}}),
        json!({"apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": "api", "namespace": "shop", "uid": "api", "creationTimestamp": CREATED, "managedFields": [scaled]},
            "spec": {"replicas": 2}, "status": {"conditions": [
                condition("Available", "False", "MinimumReplicasUnavailable", "2026-11-20T03:12:40Z", "")]}}),
        json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "api-1", "namespace": "shop", "uid": "api-1",
            "creationTimestamp": CREATED, "ownerReferences": owner("Deployment", "api")}}),
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "api-1-x", "namespace": "shop", "creationTimestamp": CREATED,
            "ownerReferences": owner("ReplicaSet", "api-1")}, "spec": {"nodeName": "n"}}),
    ];
    let document = history(&objects, &["--cause", "deployment/api", "-n", "shop", "-o", "json"]).expect(0).json();
    let all = candidates(&document);
    assert!(all[0].starts_with("possible Node/n turned Ready Unknown"), "{all:#?}");
    assert!(!all.iter().any(|line| line.starts_with("likely")), "{all:#?}");
    assert!(document["cause"]["conclusion"].as_str().unwrap().starts_with("it began with the failure"), "{document:#}");
}

#[test]
fn the_period_that_is_shown_does_not_limit_the_search() {
    let whole = history(&incident(), &["--cause", "application/web", "-o", "json"]).expect(0).json();
    let short = history(&incident(), &["--cause", "application/web", "--since", "1m", "-o", "json"]).expect(0).json();
    assert_eq!(candidates(&short), candidates(&whole));
    assert_eq!(short["cause"]["conclusion"], whole["cause"]["conclusion"]);
    let text = history(&incident(), &["--cause", "application/web", "--since", "1m"]).expect(0).stdout;
    assert!(
        text.contains("the search covers all data") && text.contains("1. likely: Fri 20 Nov 2026 03:12:00"),
        "{text}"
    );
}

#[test]
fn a_node_that_is_not_ready_and_a_lost_dependency_are_failures() {
    for (kind, reason) in [("Node", "KubeletNotReady"), ("Bucket", "DependencyNotReady"), ("Bucket", "Terminating")] {
        let api_version = if kind == "Node" { "v1" } else { "example.org/v1" };
        let with = |created: &str| {
            let lost = condition("Ready", "False", reason, "2026-11-20T03:12:00Z", "");
            let newer = condition("Other", "True", "x", "2026-11-20T04:00:00Z", "");
            let object = json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": "a", "creationTimestamp": created},
                "status": {"conditions": [lost, newer]}});
            history(&[object], &[&format!("{kind}/a")]).expect(0).stdout
        };
        assert!(with(CREATED).contains("turned not Ready"), "{kind} {reason}: {}", with(CREATED));
        assert!(!with("2026-11-20T03:11:00Z").contains("turned not Ready"), "{kind} {reason}: it is new");
    }
}

#[test]
fn an_object_that_is_drifted_now_has_not_healed() {
    let mut objects = incident();
    objects.truncate(1);
    objects[0]["status"]["health"] = json!({"status": "Healthy", "lastTransitionTime": "2026-11-20T03:12:40Z"});
    objects[0]["status"]["sync"]["status"] = "OutOfSync".into();
    let document = history(&objects, &["--cause", "application/web", "-o", "json"]).expect(0).json();
    let failure = item(&document, "is now Drifted UCP204");
    assert_eq!((&document["cause"]["firstFailure"], &failure["certainty"]), (&failure["id"], &json!("atLatest")));
    assert_eq!(document["candidates"], json!([]));
}

#[test]
fn the_deletion_of_a_definition_deletes_its_objects() {
    let deleted = |api_version: &str, kind: &str, name: &str, time: &str| {
        json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": name, "creationTimestamp": CREATED,
            "deletionTimestamp": time, "finalizers": ["example.org/hold"]}})
    };
    let objects = [
        deleted("apiextensions.k8s.io/v1", "CustomResourceDefinition", "widgets.example.org", "2026-11-20T03:10:00Z"),
        deleted("example.org/v1", "Widget", "one", "2026-11-20T03:10:01Z"),
    ];
    let document = history(&objects, &["--cause", "widget/one", "-o", "json"]).expect(0).json();
    let all = candidates(&document);
    assert_eq!(all.len(), 1, "{all:#?}");
    assert!(all[0].starts_with("likely CustomResourceDefinition/widgets.example.org is being deleted"), "{all:#?}");
    let text = history(&objects, &["--cause", "widget/one"]).expect(0).stdout;
    assert!(text.contains("└ widget.example.org/one is being deleted"), "{text}");
}

#[test]
fn the_problems_at_a_time_are_those_of_the_tree() {
    let mut objects = incident();
    let mut other = objects[0].clone();
    other["metadata"]["name"] = "other".into();
    other["status"]["resources"] = json!([]);
    objects.push(other);
    let wrong = |arguments: &[&str]| {
        let arguments = [arguments, &["--at", "2026-11-20 03:30", "-o", "json"]].concat();
        let names: Vec<String> = history(&objects, &arguments).expect(0).json()["at"]["wrong"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["object"]["name"].as_str().unwrap().to_owned())
            .collect();
        names
    };
    assert!(wrong(&[]).contains(&"other".to_owned()));
    assert!(!wrong(&["application/web"]).contains(&"other".to_owned()));
}

#[test]
fn an_effect_after_midnight_is_on_its_day() {
    let mut objects = incident();
    objects.truncate(1);
    objects[0]["status"]["history"][1]["deployedAt"] = "2026-11-19T23:58:00Z".into();
    objects[0]["status"]["health"] = json!({"status": "Degraded", "lastTransitionTime": "2026-11-20T00:03:00Z"});
    let text = history(&objects, &[]).expect(0).stdout;
    let rest = text.split_once("23:58:00").unwrap().1;
    assert!(rest.contains("\nFri 20 Nov 2026\n00:03:00     └ "), "{text}");
}
