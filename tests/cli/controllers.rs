//! A controller that is scaled to zero, not ready or absent is found, and its objects have the state of its last
//! reconciliation.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::command::{Ran, run, run_with_input, ucp, ucp_from};
use crate::support::hub::{NIGHT, QUOTES};

/// The documents of a directory of manifests.
fn documents(directory: &str) -> Vec<Value> {
    crate::support::load::read(Path::new(directory)).unwrap()
}

/// A snapshot of some objects.
fn snapshot(objects: &[Value]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let list = json!({"apiVersion": "v1", "kind": "List", "items": objects});
    fs::write(directory.path().join("all.json"), list.to_string()).unwrap();
    directory
}

fn on(snapshot: &TempDir, arguments: &[&str]) -> Ran {
    run(ucp_from(snapshot.path().to_str().unwrap(), arguments.iter().copied()))
}

fn status(objects: &[Value], arguments: &[&str]) -> Value {
    on(&snapshot(objects), &[&["status", "-o", "json"], arguments].concat()).json()
}

fn name(object: &Value) -> &str {
    object["metadata"]["name"].as_str().unwrap_or_default()
}

fn is_workload(object: &Value) -> bool {
    matches!(object["kind"].as_str(), Some("Deployment" | "StatefulSet"))
}

fn scale(object: &mut Value, wanted: i64, ready: i64) {
    object["spec"]["replicas"] = json!(wanted);
    object["status"]["readyReplicas"] = json!(ready);
}

/// Code and name of every finding.
fn findings(status: &Value) -> Vec<(&str, &str)> {
    status["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| (finding["code"].as_str().unwrap(), finding["object"]["name"].as_str().unwrap()))
        .collect()
}

fn verdict<'status>(status: &'status Value, engine: &str) -> &'status str {
    let rows = status["engines"].as_array().unwrap();
    rows.iter().find(|row| row["name"] == engine).map_or("none", |row| row["verdict"].as_str().unwrap())
}

/// Each workload of `quotes`, its engine, and whether it reconciles any objects.
const WORKLOADS: [(&str, &str, bool); 8] = [
    ("crossplane", "Crossplane", true),
    ("crossplane-rbac-manager", "Crossplane", false),
    ("provider-aws-52fdbb595cf5", "Crossplane", true),
    ("provider-gcp-b93445a7f1fc", "Crossplane", true),
    ("argocd-application-controller", "Argo CD", true),
    ("argocd-repo-server", "Argo CD", true),
    ("argocd-redis", "Argo CD", true),
    // There is no ApplicationSet.
    ("argocd-applicationset-controller", "Argo CD", false),
];

#[test]
fn each_missing_workload_of_quotes_is_reported() {
    let all = documents(QUOTES);
    let workloads: Vec<&str> = all.iter().filter(|object| is_workload(object)).map(name).collect();
    assert_eq!(workloads.len(), WORKLOADS.len(), "{workloads:?}");
    for (workload, engine, looks_after) in WORKLOADS {
        for (wanted, ready) in [(0, 0), (1, 0)] {
            let mut changed = all.clone();
            let object = changed.iter_mut().find(|object| is_workload(object) && name(object) == workload).unwrap();
            scale(object, wanted, ready);
            let directory = snapshot(&changed);
            let page = on(&directory, &["status"]).stdout;
            if workload == "argocd-applicationset-controller" && wanted == 0 {
                assert!(page.contains("\nNo problems.\n"), "{page}");
                continue;
            }
            let status = on(&directory, &["status", "--exit-code", "-o", "json"]).expect(1).json();
            assert!(!page.contains("No problems"), "{page}");
            assert_eq!(findings(&status), [("UCP010", workload)], "{wanted} {ready}");
            assert_eq!(verdict(&status, engine), "Failed", "{workload}");
            let held = status["findings"][0]["holdsUp"].as_array().map_or(0, Vec::len);
            assert_eq!(held > 0, looks_after, "{workload}");
            assert_eq!(status["counts"]["Unknown"].as_u64().unwrap_or(0), held as u64, "{workload}");
        }
    }
}

#[test]
fn drift_is_unknown_for_objects_whose_controller_does_not_run() {
    let all = documents(QUOTES);
    assert_eq!(on(&snapshot(&all), &["drift", "-o", "json"]).json()["items"], json!([]));
    for workload in ["provider-gcp-b93445a7f1fc", "argocd-application-controller", "argocd-repo-server"] {
        let mut changed = all.clone();
        scale(changed.iter_mut().find(|object| name(object) == workload).unwrap(), 0, 0);
        let ran = on(&snapshot(&changed), &["drift", "-o", "json"]).expect(4);
        let items = ran.json()["items"].as_array().unwrap().clone();
        assert!(!items.is_empty() && items.iter().all(|item| item["certainty"] == "unknown"), "{workload}");
        assert!(items.iter().all(|item| item["message"].as_str().unwrap().contains(workload)), "{items:?}");
    }
}

/// A recorded difference stays certain; without its controller, the report does not promise a correction.
#[test]
fn a_difference_is_not_called_corrected_without_its_controller() {
    let all = documents(NIGHT);
    let drifts = |objects: &[Value]| -> Vec<(String, String)> {
        let items = on(&snapshot(objects), &["drift", "-o", "json"]).json()["items"].as_array().unwrap().clone();
        let text = |item: &Value, field: &str| item[field].as_str().unwrap_or_default().to_owned();
        items.iter().map(|item| (text(item, "certainty"), text(item, "message"))).collect()
    };
    let certain = |drifts: &[(String, String)]| drifts.iter().filter(|(certainty, _)| certainty == "certain").count();
    let promises = |message: &str| message.contains("corrects it") && !message.contains("nothing corrects it");
    let before = drifts(&all);
    assert!(certain(&before) >= 2, "{before:#?}");
    assert!(before.iter().any(|(_, message)| promises(message)), "{before:#?}");
    let mut changed = all;
    changed.iter_mut().filter(|object| is_workload(object)).for_each(|object| scale(object, 0, 0));
    let after = drifts(&changed);
    assert_eq!(certain(&after), certain(&before), "{after:#?}");
    assert!(after.iter().any(|(_, message)| message.contains("nothing corrects it")), "{after:#?}");
    for (_, message) in after {
        assert!(
            !promises(&message) && !message.contains("about to") && !message.contains("Argo CD syncs"),
            "{message}"
        );
    }
}

#[test]
fn an_absent_controller_makes_its_engine_unknown() {
    let all = documents(QUOTES);
    for (workload, engine, looks_after) in WORKLOADS {
        let rest: Vec<Value> =
            all.iter().filter(|object| !is_workload(object) || name(object) != workload).cloned().collect();
        let status = status(&rest, &[]);
        let (is_found, found) = (findings(&status), verdict(&status, engine));
        // Redis is needed where it is deployed.
        if workload == "argocd-application-controller" {
            // Without any StatefulSet, the files may not have that kind.
            assert_eq!((is_found, found), (vec![], "Unknown"), "{workload}");
        } else if looks_after && workload != "argocd-redis" {
            assert_eq!((is_found, found), (vec![("UCP011", workload)], "Unknown"), "{workload}");
        } else {
            assert_eq!((is_found, found), (vec![], "OK"), "{workload}");
        }
    }
    // An engine that has gone as a whole is missed once.
    let rest: Vec<Value> = all
        .iter()
        .filter(|object| !is_workload(object) || object["metadata"]["namespace"] != "argocd")
        .cloned()
        .collect();
    assert_eq!(findings(&status(&rest, &[])), [("UCP011", "argocd")]);
}

#[test]
fn without_any_workload_controllers_are_unknown_and_reported_once() {
    let rest: Vec<Value> = documents(QUOTES).into_iter().filter(|object| !is_workload(object)).collect();
    let directory = snapshot(&rest);
    let status = on(&directory, &["status", "--exit-code", "-o", "json"]).expect(4).json();
    assert_eq!(findings(&status), []);
    assert_eq!(["Crossplane", "Argo CD"].map(|engine| verdict(&status, engine)), ["Unknown"; 2]);
    assert_eq!(status["counts"], json!({"OK": 43}));
    let page = on(&directory, &["status"]).stdout;
    assert_eq!(page.matches("whether its controllers run is unknown").count(), 1, "{page}");
    assert!(
        page.contains("Crossplane, Argo CD: no Deployment") && page.contains("\nNo problems in what could be read.\n"),
        "{page}"
    );
}

/// A workload that could not be read is not absent.
#[test]
fn a_workload_that_is_broken_is_not_absent() {
    let mut all = documents(QUOTES);
    let repo_server = all.iter_mut().find(|object| name(object) == "argocd-repo-server").unwrap();
    repo_server["spec"]["replicas"] = json!("many");
    let directory = snapshot(&all);
    let status = on(&directory, &["status", "-o", "json"]).expect(4).json();
    assert_eq!(findings(&status), []);
    assert_eq!(verdict(&status, "Argo CD"), "Unknown");
    assert!(on(&directory, &["status"]).stdout.contains("not all workloads could be read"));
}

#[test]
fn engines_outside_of_the_cluster_can_be_declared() {
    let rest: Vec<Value> = documents(QUOTES)
        .into_iter()
        .filter(|object| !is_workload(object) || object["metadata"]["namespace"] != "argocd")
        .filter(|object| name(object) != "provider-aws-52fdbb595cf5" || !is_workload(object))
        .collect();
    assert_eq!(findings(&status(&rest, &[])).len(), 2);
    let declared = status(&rest, &["--external-controllers", "argocd,provider-aws"]);
    assert_eq!(findings(&declared), []);
    assert_eq!(["Crossplane", "Argo CD"].map(|engine| verdict(&declared, engine)), ["OK"; 2]);
    let directory = snapshot(&rest);
    let mut command = ucp_from(directory.path().to_str().unwrap(), ["status"]);
    command.env("KUBECTL_UCP_EXTERNAL_CONTROLLERS", "argocd, provider-aws");
    assert!(run(command).expect(0).stdout.contains("\nNo problems.\n"));
    let drift = |arguments: &[&str]| on(&directory, &[&["drift", "cluster", "application"], arguments].concat());
    drift(&[]).expect(4);
    drift(&["--external-controllers", "argocd", "--external-controllers", "provider-aws"]).expect(0);

    // Crossplane's own flags declare that it leaves its packages' runtimes to others.
    let mut configured = documents(QUOTES);
    configured.retain(|object| !is_workload(object) || !name(object).starts_with("provider-"));
    assert_eq!(findings(&status(&configured, &[])).len(), 2);
    let core = configured.iter_mut().find(|object| is_workload(object) && name(object) == "crossplane").unwrap();
    let container = &mut core["spec"]["template"]["spec"]["containers"][0];
    container["args"] = json!(["core", "start", "--package-runtime=Provider=External;Function=Deployment"]);
    assert_eq!(findings(&status(&configured, &[])), []);
}

/// The replicas of a StatefulSet of application controllers each look after clusters of their own.
#[test]
fn a_shard_that_is_down_is_reported() {
    let mut all = documents(QUOTES);
    let controller = all.iter_mut().find(|object| name(object) == "argocd-application-controller").unwrap();
    scale(controller, 3, 2);
    let sharded = status(&all, &[]);
    assert_eq!(findings(&sharded), [("UCP010", "argocd-application-controller")]);
    let repo_server = |ready| {
        let mut all = documents(QUOTES);
        scale(all.iter_mut().find(|object| name(object) == "argocd-repo-server").unwrap(), 3, ready);
        status(&all, &[])
    };
    assert_eq!(findings(&repo_server(1)), []);
}

fn workload(namespace: &str, name: &str, ready: i64) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "namespace": namespace},
        "spec": {"replicas": 1}, "status": {"readyReplicas": ready},
    })
}

fn application(namespace: &str, name: &str, status: Value) -> Value {
    let mut object = json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "Application",
        "metadata": {"name": name, "namespace": namespace},
        "status": {"reconciledAt": "2026-11-20T12:00:00Z", "sync": {"status": "Synced"}, "health": {"status": "Healthy"}},
    });
    object["status"].as_object_mut().unwrap().extend(status.as_object().unwrap().clone());
    object
}

fn instance(namespace: &str, ready: i64) -> [Value; 2] {
    ["application-controller", "repo-server"].map(|part| workload(namespace, &format!("argocd-{part}"), ready))
}

#[test]
fn each_instance_of_argo_cd_reconciles_its_own_objects() {
    let mut objects = vec![
        application("team-a", "a", json!({})),
        application("team-b", "b", json!({})),
        application("shared", "c", json!({"controllerNamespace": "team-b"})),
        application("shared", "d", json!({"controllerNamespace": "team-a"})),
    ];
    objects.extend(instance("team-a", 1));
    objects.extend(instance("team-b", 0));
    let held = |status: &Value| -> Vec<String> {
        let held = status["findings"][0]["holdsUp"].as_array().unwrap();
        held.iter().map(|object| object["name"].as_str().unwrap().to_owned()).collect()
    };
    let one_down = status(&objects, &[]);
    assert_eq!(findings(&one_down), [("UCP010", "argocd-application-controller"), ("UCP010", "argocd-repo-server")]);
    assert_eq!(held(&one_down), ["b", "c"]);
    // Applications of an instance that is not there are not looked after by another.
    objects.retain(|object| !is_workload(object) || object["metadata"]["namespace"] == "team-a");
    let one_gone = status(&objects, &[]);
    assert_eq!(held(&one_gone), ["b", "c"]);
}

fn flux(kind: &str, name: &str, labels: Value) -> Value {
    let group = if kind == "GitRepository" { "source" } else { "kustomize" };
    json!({
        "apiVersion": format!("{group}.toolkit.fluxcd.io/v1"), "kind": kind,
        "metadata": {"name": name, "namespace": "flux-system", "labels": labels}, "spec": {},
        "status": {
            "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": "2026-11-20T12:00:00Z"}],
            "artifact": {"revision": "main@sha1:4f3a2b1c"},
        },
    })
}

#[test]
fn each_shard_of_flux_reconciles_its_own_objects() {
    let controller = |name: &str, image: &str, selector: &str, ready: i64| {
        let mut object = workload("flux-system", name, ready);
        object["spec"]["template"]["spec"]["containers"] = json!([{"image": format!("ghcr.io/fluxcd/{image}:v1"), "args": [format!("--watch-label-selector={selector}")]}]);
        object
    };
    let key = "sharding.fluxcd.io/key";
    let objects = [
        flux("GitRepository", "fleet", json!({})),
        flux("Kustomization", "main", json!({})),
        flux("Kustomization", "first", json!({key: "first"})),
        flux("Kustomization", "second", json!({key: "second"})),
        controller("source-controller", "source-controller", "", 1),
        controller("kustomize-controller", "kustomize-controller", &format!("!{key}"), 1),
        controller("kustomize-controller-first", "kustomize-controller", &format!("{key}=first"), 0),
    ];
    let list = json!({"apiVersion": "v1", "kind": "List", "items": objects});
    let status = run_with_input(ucp(["status", "--from", "-", "-o", "json"]), list.to_string()).json();
    // The second has no controller.
    assert_eq!(findings(&status), [("UCP010", "kustomize-controller-first"), ("UCP011", "kustomize-controller")]);
    let held = |index: usize| status["findings"][index]["holdsUp"][0]["name"].as_str().unwrap();
    assert_eq!([held(0), held(1)], ["first", "second"]);
    assert_eq!(status["counts"], json!({"Unknown": 2, "OK": 2}));
}

#[test]
fn controllers_in_other_namespaces_are_found() {
    let mut all = documents("tests/fixtures/bad-day");
    let s3 = ("UCP010", "provider-aws-s3-1d9f2a3c4b5e");
    assert!(!findings(&status(&all, &["-n", "quotes"])).contains(&s3));
    scale(all.iter_mut().find(|object| name(object) == s3.1 && is_workload(object)).unwrap(), 0, 0);
    assert!(findings(&status(&all, &["-n", "quotes"])).contains(&s3));
}

/// Image Updater without its CRD has no objects of its own: Applications ask it by an annotation.
#[test]
fn a_controller_that_only_annotations_require_is_reported_as_missing() {
    let mut all = documents(QUOTES);
    let application = all.iter_mut().find(|object| object["kind"] == "Application").unwrap();
    application["metadata"]["annotations"] =
        json!({"argocd-image-updater.argoproj.io/image-list": "web=example.org/web"});
    let absent = status(&all, &[]);
    assert_eq!(findings(&absent), [("UCP011", "argocd-image-updater")]);
    // The Application itself is as well as before.
    assert_eq!(verdict(&absent, "Argo CD"), "OK");
    assert_eq!(findings(&status(&all, &["--external-controllers", "argocd-image-updater"])), []);
    let mut updater = all.iter().find(|object| is_workload(object) && name(object) == "argocd-redis").unwrap().clone();
    updater["metadata"]["name"] = json!("argocd-image-updater");
    updater["metadata"]["labels"] = json!({});
    for (ready, expected) in [(1, vec![]), (0, vec![("UCP010", "argocd-image-updater")])] {
        scale(&mut updater, 1, ready);
        all.push(updater.clone());
        assert_eq!(findings(&status(&all, &[])), expected);
        all.pop();
    }
}
