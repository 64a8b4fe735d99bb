//! Health rules of Argo CD and health checks of Flux together: for built-in kinds, for kinds of an engine, and for an object
//! with several of them.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::support::command::{run, ucp_from};

const CREATED: &str = "2026-11-20T09:00:00Z";

fn kustomization(name: &str, kind: (&str, &str), checks: &Value) -> Value {
    let (version, kind) = kind;
    let group = version.split_once('/').unwrap().0;
    let mut check = checks.clone();
    (check["apiVersion"], check["kind"]) = (json!(version), json!(kind));
    json!({
        "apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
        "metadata": {"name": name, "namespace": "flux-system", "generation": 1, "creationTimestamp": CREATED},
        "spec": {"sourceRef": {"kind": "GitRepository", "name": "fleet"}, "healthCheckExprs": [check],
                 "suspend": name == "suspended"},
        "status": {
            "observedGeneration": 1,
            "conditions": [{"type": "Ready", "status": "True", "reason": "ReconciliationSucceeded"}],
            "inventory": {"entries": [{"id": format!("shop_one_{group}_{kind}"), "v": "v1"}]},
        },
    })
}

fn rules(rules: &Value) -> Value {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "argocd-cm", "namespace": "argocd"}, "data": rules,
    })
}

fn object(kind: (&str, &str), status: &Value) -> Value {
    json!({
        "apiVersion": kind.0, "kind": kind.1,
        "metadata": {"name": "one", "namespace": "shop", "generation": 1, "creationTimestamp": CREATED},
        "spec": {"replicas": 1}, "status": status,
    })
}

/// The verdict and the message of the object `one` for each kind.
fn verdicts(objects: &[Value]) -> BTreeMap<String, (String, String)> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("hub.json");
    std::fs::write(&path, json!({"apiVersion": "v1", "kind": "List", "items": objects}).to_string()).unwrap();
    let list = run(ucp_from(path.to_str().unwrap(), ["resources", "--any", "-o", "json"])).expect(0).json();
    let items = list["items"].as_array().unwrap().iter().filter(|item| item["object"]["name"] == "one");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    items.map(|item| (text(&item["object"]["kind"]), (text(&item["verdict"]), text(&item["message"])))).collect()
}

const GADGET: (&str, &str) = ("example.org/v1", "Gadget");
const DEPLOYMENT: (&str, &str) = ("apps/v1", "Deployment");
const CERTIFICATE: (&str, &str) = ("cert-manager.io/v1", "Certificate");

#[test]
fn rules_and_checks_decide_for_built_in_kinds() {
    let complete = json!({"observedGeneration": 1, "replicas": 1, "readyReplicas": 1, "availableReplicas": 1, "updatedReplicas": 1});
    let deployment = object(DEPLOYMENT, &complete);
    assert_eq!(verdicts(std::slice::from_ref(&deployment))["Deployment"].0, "OK");
    let rule = rules(
        &json!({"resource.customizations.health.apps_Deployment": "return {status = 'Degraded', message = obj.kind}"}),
    );
    let (verdict, message) = &verdicts(&[deployment.clone(), rule])["Deployment"];
    assert_eq!(
        (verdict.as_str(), message.as_str()),
        ("Failed", "health rule of this hub's Argo CD: Degraded: Deployment")
    );
    let check =
        kustomization("apps", DEPLOYMENT, &json!({"current": "true", "failed": "status.replicas == spec.replicas"}));
    let (verdict, message) = &verdicts(&[deployment, check])["Deployment"];
    assert_eq!(verdict, "Failed");
    assert!(message.starts_with("health check of Kustomization flux-system/apps"), "{message}");
}

#[test]
fn a_rule_for_a_kind_of_an_engine_can_only_worsen_its_verdict() {
    let conditions = |status: &str| json!({"conditions": [{"type": "Ready", "status": status, "reason": "Ready", "lastTransitionTime": CREATED}]});
    for (ready, health, expected) in
        [("True", "Degraded", "Failed"), ("True", "Healthy", "OK"), ("False", "Healthy", "Progressing")]
    {
        let rule = format!("return {{status = '{health}'}}");
        let rule = rules(&json!({"resource.customizations.health.cert-manager.io_Certificate": rule}));
        let found = verdicts(&[object(CERTIFICATE, &conditions(ready)), rule]);
        assert_eq!(found["Certificate"].0, expected, "{ready} {health}: {found:?}");
    }
}

#[test]
fn the_worst_of_several_rules_and_checks_counts() {
    let gadget = object(GADGET, &json!({"phase": "Ready"}));
    let healthy = rules(&json!({"resource.customizations.health.example.org_Gadget": "return {status = 'Healthy'}"}));
    let degraded = rules(&json!({"resource.customizations.health.example.org_Gadget": "return {status = 'Degraded'}"}));
    let failed = |name: &str| kustomization(name, GADGET, &json!({"current": "true", "failed": "true"}));
    let current = |name: &str| kustomization(name, GADGET, &json!({"current": "true"}));
    let waiting = |name: &str| kustomization(name, GADGET, &json!({"current": "false"}));
    for (rules, expected) in [
        (vec![current("a"), failed("b")], "Failed"),
        (vec![failed("a"), current("b")], "Failed"),
        (vec![current("a"), waiting("b")], "Progressing"),
        (vec![current("a"), current("b")], "OK"),
        (vec![healthy.clone(), failed("a")], "Failed"),
        (vec![degraded, current("a")], "Failed"),
        (vec![healthy, current("a")], "OK"),
        // Flux does not evaluate them, so they show no health.
        (vec![failed("suspended")], "Failed"),
        (vec![waiting("suspended")], "OK"),
        (vec![waiting("suspended"), failed("a")], "Failed"),
    ] {
        let objects: Vec<Value> = std::iter::once(gadget.clone()).chain(rules.iter().cloned()).collect();
        let found = verdicts(&objects);
        assert_eq!(found["Gadget"].0, expected, "{found:?} {rules:#?}");
    }
    let broken = object(GADGET, &json!({"phase": "Failed"}));
    assert_eq!(verdicts(&[broken, current("suspended")])["Gadget"].0, "Failed");
}
