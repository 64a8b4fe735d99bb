//! `history --cause`: candidates and their evidence.

use std::time::Duration;

use serde_json::{Value, json};

use super::{condition, event, history, incident, item};
use crate::support::command::{run, ucp_on};
use crate::support::{self, Controller, Options, load};

#[test]
fn the_change_right_before_a_failure_is_likely_but_not_certain() {
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
fn a_warning_repeated_for_days_is_not_the_first_failure() {
    let mut objects = incident();
    let times = ("2026-11-17T00:00:00Z", "2026-11-20T03:55:00Z", 5_000);
    objects.push(event("old", ("Deployment", "web"), "FailedGetResourceMetric", "no metrics", times));
    let document = history(&objects, &["--cause", "application/web", "-o", "json"]).expect(0).json();
    let edited = item(&document, "was changed: spec.template.spec.containers[0].image");
    let first = &document["candidates"][0];
    assert_eq!((&first["id"], &first["confidence"]), (&edited["id"], &json!("likely")), "{document:#}");
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
fn a_deletion_that_a_finalizer_blocks_is_the_cause() {
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
fn a_missing_secret_is_shown_and_hostile_messages_cause_no_other_requests() {
    let Some(cluster) = support::start(Options::named("history-missing")) else { return };
    load::install_all_crds(&cluster).unwrap();
    // Authors of messages choose their words.
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

fn write_of(manager: &str, time: &str, fields: Value) -> Value {
    json!([{"manager": manager, "operation": "Update", "time": time, "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": fields}])
}

/// Returns the object and the line of the first candidate.
fn first_candidate(document: &Value) -> (Value, Value) {
    let first = &document["candidates"][0];
    let items = document["items"].as_array().unwrap();
    let found = items.iter().find(|item| item["id"] == first["id"]).unwrap_or_else(|| panic!("{document:#}"));
    (found["object"]["kind"].clone(), found["what"].clone())
}

#[test]
fn a_project_that_no_longer_permits_an_application_is_on_its_path() {
    let project = json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "AppProject",
        "metadata": {"name": "shop", "namespace": "argocd", "creationTimestamp": "2026-11-01T00:00:00Z",
            "managedFields": write_of("kubectl-patch", "2026-11-20T03:11:50Z", json!({"f:spec": {"f:destinations": {}}}))},
        "spec": {"destinations": []},
    });
    let application = json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "Application",
        "metadata": {"name": "web", "namespace": "argocd", "creationTimestamp": "2026-11-01T00:00:00Z"},
        "spec": {"project": "shop", "source": {"repoURL": "https://git.example.org/a/b", "path": "web"},
                 "destination": {"server": "https://kubernetes.default.svc", "namespace": "shop"}},
        "status": {"reconciledAt": "2026-11-20T04:00:00Z", "conditions": [
            {"type": "InvalidSpecError", "lastTransitionTime": "2026-11-20T03:12:00Z",
             "message": "application destination server 'https://kubernetes.default.svc' and namespace 'shop' do not match any of the allowed destinations in project 'shop'"},
        ]},
    });
    let of = |objects: &[Value]| history(objects, &["--cause", "application/web", "-o", "json"]).expect(0).json();
    let document = of(&[application.clone(), project.clone()]);
    assert_eq!(first_candidate(&document), ("AppProject".into(), "was changed: spec.destinations".into()));
    assert_eq!(document["candidates"][0]["confidence"], "likely", "{document:#}");
    // Another project has nothing to do with it.
    let mut other = project;
    other["metadata"]["name"] = "other".into();
    let document = of(&[application, other]);
    assert_eq!(document["candidates"], json!([]), "{document:#}");
}

#[test]
fn a_deployment_behind_a_failing_webhook_is_a_candidate() {
    let called = "admission webhook: Internal error occurred: failed calling webhook \"check.policy.example.org\": failed to call \
                  webhook: Post \"https://policy.guard.svc:443/check?timeout=10s\": no endpoints available for service \"policy\"";
    let created = "2026-11-01T00:00:00Z";
    let deployer = json!({
        "apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
        "metadata": {"name": "apps", "namespace": "flux-system", "creationTimestamp": created},
        "spec": {"path": "./", "sourceRef": {"kind": "GitRepository", "name": "apps"}},
        "status": {"conditions": [condition("Ready", "False", "ReconciliationFailed", "2026-11-20T03:12:20Z", called)]},
    });
    let webhook = json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": "policy", "creationTimestamp": created},
        "webhooks": [{"name": "check.policy.example.org", "clientConfig": {"service": {"namespace": "guard", "name": "policy"}}}],
    });
    let service = json!({
        "apiVersion": "v1", "kind": "Service", "metadata": {"name": "policy", "namespace": "guard", "creationTimestamp": created},
        "spec": {"selector": {"app": "policy"}},
    });
    let server = |name: &str, label: &str| {
        let fields = write_of("kubectl", "2026-11-20T03:12:00Z", json!({"f:spec": {"f:replicas": {}}}));
        json!({
            "apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": name, "namespace": "guard", "creationTimestamp": created, "managedFields": fields},
            "spec": {"replicas": 0, "template": {"metadata": {"labels": {"app": label, "x": "y"}}, "spec": {}}},
        })
    };
    let of = |objects: &[Value]| {
        history(objects, &["--cause", "kustomization/apps", "-n", "flux-system", "-o", "json"]).expect(0).json()
    };
    let document =
        of(&[deployer.clone(), webhook.clone(), service.clone(), server("policy", "policy"), server("other", "other")]);
    assert_eq!(first_candidate(&document), ("Deployment".into(), "was changed: spec.replicas".into()), "{document:#}");
    let path = document["candidates"][0]["evidenceFor"].to_string();
    assert!(path.contains("service/policy -> deployment.apps/policy"), "{path}");
    let document = of(&[deployer, webhook, service, server("other", "other")]);
    assert!(!document["candidates"].to_string().contains("deployment"), "{document:#}");
}
