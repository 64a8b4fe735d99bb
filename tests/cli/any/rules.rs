//! Verdicts by health rules: of the hub, of tenants, of a file, of a Kustomization.

use super::OBJECTS;
use crate::support::command::{run, ucp_from};

/// A hub with rules for two kinds, of which one never ends.
const RULED: &str = r#"
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm, namespace: argocd, creationTimestamp: '2026-11-20T09:00:00Z'}
data:
  resource.customizations.health.example.org_Gadget: |
    hs = {status = "Progressing", message = obj.spec.note .. " is " .. obj.status.lamp}
    if obj.status.lamp == "green" then hs.status = "Healthy" end
    if obj.status.lamp == "red" then hs.status = "Degraded" end
    return hs
  resource.customizations: |
    "*.example.org/*":
      health.lua: |
        while true do pcall(function() while true do end end) end
---
apiVersion: example.org/v1
kind: Gadget
metadata: {name: one, namespace: shop}
spec: {note: the first of several}
status: {lamp: green, phase: Frobnicated}
---
apiVersion: example.org/v1
kind: Gadget
metadata: {name: two, namespace: shop}
spec: {note: the second of several}
status: {lamp: red, phase: Ready}
---
apiVersion: more.example.org/v1
kind: Widget
metadata: {name: three, namespace: shop}
status: {phase: Ready}
---
apiVersion: example.com/v1
kind: Widget
metadata: {name: four, namespace: shop}
status: {phase: Ready}
"#;

#[test]
fn health_rules_of_the_hub_decide_for_their_kinds() {
    let directory = tempfile::tempdir().unwrap();
    // The rules may stand before or after the objects.
    let documents: Vec<&str> = RULED.split("---").collect();
    let reversed = documents.iter().rev().copied().collect::<Vec<_>>().join("---");
    for (name, text) in [("hub.yaml", RULED), ("reversed.yaml", reversed.as_str())] {
        let snapshot = directory.path().join(name);
        std::fs::write(&snapshot, text).unwrap();
        let list = run(ucp_from(snapshot.to_str().unwrap(), ["resources", "--any", "-o", "json"])).expect(0).json();
        let items = list["items"].as_array().unwrap();
        let reported = |name: &str| {
            let item = items.iter().find(|item| item["object"]["name"] == name).unwrap();
            (item["verdict"].as_str().unwrap().to_owned(), item["message"].as_str().unwrap_or_default().to_owned())
        };
        let rule = "health rule of this hub's Argo CD: ";
        assert_eq!(reported("one"), ("OK".to_owned(), format!("{rule}Healthy: the first of several is green")));
        assert_eq!(reported("two"), ("Failed".to_owned(), format!("{rule}Degraded: the second of several is red")));
        let (verdict, message) = reported("three");
        assert!(
            verdict == "Unknown" && message.starts_with(&format!("{rule}the rule failed: ")),
            "{verdict} {message}"
        );
        assert_eq!(reported("four").0, "OK", "no rule is for it");
    }
}

#[test]
fn a_health_rule_can_only_worsen_the_verdict_of_a_managed_resource() {
    let bucket = |name: &str, ready: &str, reason: &str, synced: &str| {
        let condition = |kind: &str, status: &str, reason: &str| {
            format!(
                "{{type: {kind}, status: '{status}', reason: {reason}, lastTransitionTime: '2026-11-20T08:00:00Z'}}"
            )
        };
        let conditions =
            [condition("Ready", ready, reason), condition("Synced", synced, "ReconcileSuccess")].join(", ");
        format!(
            "---\napiVersion: storage.example.org/v1\nkind: Bucket\n\
             metadata: {{name: {name}, creationTimestamp: '2026-11-20T07:00:00Z'}}\n\
             spec: {{forProvider: {{}}, note: {name}}}\nstatus: {{conditions: [{conditions}]}}\n"
        )
    };
    let settings = r#"
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm, namespace: argocd, creationTimestamp: '2026-11-20T09:00:00Z'}
data:
  resource.customizations.health.storage.example.org_Bucket: |
    if obj.spec.note == "full" then return {status = "Degraded", message = "it is full"} end
    return {status = "Healthy"}
"#;
    let objects = [
        settings.to_owned(),
        bucket("full", "True", "Available", "True"),
        bucket("fine", "True", "Available", "True"),
        bucket("refused", "False", "Unavailable", "False"),
    ];
    let directory = tempfile::tempdir().unwrap();
    let snapshot = directory.path().join("hub.yaml");
    std::fs::write(&snapshot, objects.concat()).unwrap();
    let list = run(ucp_from(snapshot.to_str().unwrap(), ["resources", "-o", "json"])).expect(0).json();
    let reported = |name: &str| {
        let item = list["items"].as_array().unwrap().iter().find(|item| item["object"]["name"] == name).unwrap();
        (item["verdict"].as_str().unwrap().to_owned(), item["message"].as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(
        reported("full"),
        ("Failed".to_owned(), "health rule of this hub's Argo CD: Degraded: it is full".to_owned())
    );
    assert_eq!(reported("fine").0, "OK");
    assert_eq!(reported("refused").0, "Failed");
}

#[test]
fn settings_in_the_namespace_of_a_tenant_are_ignored() {
    let directory = tempfile::tempdir().unwrap();
    let snapshot = directory.path().join("hub.yaml");
    let tenants = r#"
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm, namespace: tenant}
data:
  timeout.reconciliation: 0s
  resource.customizations.health.all: return {status = "Healthy"}
---
apiVersion: example.org/v1
kind: Gadget
metadata: {name: broken, namespace: shop}
status: {phase: Failed}
"#;
    let project = |namespace: &str| {
        format!(
            "---\napiVersion: argoproj.io/v1alpha1\nkind: AppProject\nmetadata: {{name: default, namespace: {namespace}}}\n"
        )
    };
    let own = |namespace: &str| {
        let data = "{resource.customizations.health.example.org_Gadget: 'return {status = \"Suspended\"}'}";
        format!(
            "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: argocd-cm, namespace: {namespace}}}\ndata: {data}\n"
        )
    };
    for (text, verdict, is_certain) in [
        (tenants.to_owned(), "Failed", false),
        (format!("{tenants}{}", project("argocd")), "Failed", true),
        (format!("{tenants}{}", project("gitops")), "Failed", true),
        (format!("{tenants}{}{}", own("argocd"), project("argocd")), "Paused", true),
        (format!("{tenants}{}{}", own("gitops"), project("gitops")), "Paused", true),
        (format!("{tenants}{}", own("argocd")), "Paused", true),
    ] {
        std::fs::write(&snapshot, &text).unwrap();
        let list = run(ucp_from(snapshot.to_str().unwrap(), ["resources", "--any", "-o", "json"]));
        let list = list.expect(if is_certain { 0 } else { 4 }).json();
        let items = list["items"].as_array().unwrap();
        let item = items.iter().find(|item| item["object"]["name"] == "broken").unwrap();
        assert_eq!(item["verdict"], verdict, "{text}\n{list}");
        let doubts = list["unreadable"].to_string().contains("is not known");
        assert_eq!(doubts, !is_certain, "{text}\n{list}");
    }
}

#[test]
fn health_rules_of_a_file_take_precedence() {
    let directory = tempfile::tempdir().unwrap();
    let (snapshot, rules) = (directory.path().join("hub.yaml"), directory.path().join("rules.yaml"));
    std::fs::write(&snapshot, RULED).unwrap();
    std::fs::write(&rules, "resource.customizations.health.example.org_Gadget: return {status = 'Suspended'}\n")
        .unwrap();
    let rules = rules.to_str().unwrap();
    let arguments = ["resources", "--any", "-o", "json", "--health-rules", rules];
    let list = run(ucp_from(snapshot.to_str().unwrap(), arguments)).expect(0).json();
    let item = list["items"].as_array().unwrap().iter().find(|item| item["object"]["name"] == "one").unwrap();
    assert_eq!(
        (&item["verdict"], &item["message"]),
        (&"Paused".into(), &format!("health rule of {rules}: Suspended").into())
    );
    std::fs::write(directory.path().join("bad.yaml"), "data: {}\n").unwrap();
    let bad = directory.path().join("bad.yaml");
    let refused = run(ucp_from(OBJECTS, ["status", "--health-rules", bad.to_str().unwrap()])).expect(2);
    assert!(refused.stderr.contains("health.lua"), "{}", refused.stderr);
}

/// A Kustomization with health checks, an object that it applied, and one that it did not.
const CHECKED: &str = r#"
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: apps, namespace: flux-system, generation: 1, creationTimestamp: "2026-11-20T09:00:00Z"}
spec:
  sourceRef: {kind: GitRepository, name: fleet}
  healthCheckExprs:
  - apiVersion: example.org/v1
    kind: Gadget
    failed: status.lamps.exists(lamp, lamp == 'red')
    current: status.lamps.all(lamp, lamp == 'green')
status:
  observedGeneration: 1
  conditions: [{type: Ready, status: "True", reason: ReconciliationSucceeded}]
  inventory: {entries: [{id: shop_red_example.org_Gadget, v: v1}, {id: shop_green_example.org_Gadget, v: v1}, {id: shop_new_example.org_Gadget, v: v1}]}
---
apiVersion: example.org/v1
kind: Gadget
metadata: {name: red, namespace: shop}
status: {phase: Ready, lamps: [green, red]}
---
apiVersion: example.org/v1
kind: Gadget
metadata: {name: green, namespace: shop}
status: {phase: Frobnicated, lamps: [green]}
---
apiVersion: example.org/v1
kind: Gadget
metadata: {name: new, namespace: shop}
status: {phase: Ready}
---
apiVersion: example.org/v1
kind: Gadget
metadata: {name: other, namespace: shop}
status: {phase: Ready, lamps: [red]}
"#;

#[test]
fn health_checks_of_a_kustomization_decide_for_its_objects() {
    let directory = tempfile::tempdir().unwrap();
    let documents: Vec<&str> = CHECKED.split("---").collect();
    let reversed = documents.iter().rev().copied().collect::<Vec<_>>().join("---");
    for (name, text) in [("hub.yaml", CHECKED), ("reversed.yaml", reversed.as_str())] {
        let snapshot = directory.path().join(name);
        std::fs::write(&snapshot, text).unwrap();
        let list = run(ucp_from(snapshot.to_str().unwrap(), ["resources", "--any", "-o", "json"])).expect(0).json();
        let verdict_and_message = |name: &str| {
            let item = list["items"].as_array().unwrap().iter().find(|item| item["object"]["name"] == name).unwrap();
            (item["verdict"].as_str().unwrap().to_owned(), item["message"].as_str().unwrap_or_default().to_owned())
        };
        let check = "health check of Kustomization flux-system/apps: ";
        assert_eq!(verdict_and_message("red"), ("Failed".to_owned(), format!("{check}failed is true")));
        assert_eq!(verdict_and_message("green"), ("OK".to_owned(), format!("{check}current is true")));
        let (verdict, message) = verdict_and_message("new");
        assert!(verdict == "Progressing" && message.starts_with(check), "{verdict} {message}");
        assert_eq!(verdict_and_message("other").0, "OK", "another Kustomization, or none, applied it");
    }
}
