//! Objects as real engines left them, under tests/fixtures/real, and the findings about each.

mod argocd;
mod crossplane;
mod flux;
mod live;

use serde_json::Value;

use crate::support::command::{run, run_with_input, ucp, ucp_from};

fn status(name: &str) -> Value {
    run(ucp_from(&format!("tests/fixtures/real/{name}"), ["status", "-o", "json"])).expect(0).json()
}

/// The recorded objects, as text to change.
fn snapshot(name: &str) -> String {
    std::fs::read_to_string(format!("tests/fixtures/real/{name}/objects.yaml")).unwrap()
}

/// The same objects at a later moment: a snapshot speaks of the newest time in it.
fn later(name: &str, moment: &str) -> Value {
    let clock = format!(
        "---\napiVersion: source.toolkit.fluxcd.io/v1\nkind: HelmRepository\n\
         metadata: {{name: clock, namespace: clock, creationTimestamp: \"{moment}\"}}\nspec: {{type: oci, suspend: false}}\n"
    );
    let text = format!("{}{clock}", snapshot(name));
    let mut status = run_with_input(ucp(["status", "--from", "-", "-o", "json"]), text).expect(0).json();
    status["findings"].as_array_mut().unwrap().retain(|finding| finding["object"]["name"] != "clock");
    status
}

/// Code and object of every finding.
fn findings(status: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let findings = status["findings"].as_array().unwrap();
    findings.iter().map(|finding| (text(&finding["code"]), text(&finding["object"]["name"]))).collect()
}

/// The only finding about an object.
fn finding<'a>(status: &'a Value, name: &str) -> &'a Value {
    let findings = status["findings"].as_array().unwrap();
    let of_it: Vec<_> = findings.iter().filter(|finding| finding["object"]["name"] == name).collect();
    assert_eq!(of_it.len(), 1, "{name}: {of_it:#?}");
    of_it[0]
}

#[test]
fn healthy_objects_have_no_findings() {
    let status = status("healthy");
    assert_eq!((&status["findings"], &status["unreadable"]), (&Value::Array(vec![]), &Value::Array(vec![])));
    assert_eq!(status["counts"].as_object().unwrap().keys().collect::<Vec<_>>(), ["OK"]);
}
