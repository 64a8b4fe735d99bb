//! `resources --any`: a verdict for objects of any kind.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::support::command::{run, ucp_from};

const OBJECTS: &str = "tests/fixtures/any";

fn verdicts(arguments: &[&str]) -> BTreeMap<String, String> {
    let list = run(ucp_from(OBJECTS, arguments.iter().copied())).expect(0).json();
    let told = |item: &Value| {
        let text = |pointer: &str| item.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
        (format!("{}/{}", text("/object/kind"), text("/object/name")), text("/verdict"))
    };
    list["items"].as_array().unwrap().iter().map(told).collect()
}

#[test]
fn objects_of_any_kind_have_a_verdict_where_they_are_asked_for() {
    let verdicts_of = verdicts(&["resources", "--any", "-o", "json"]);
    for (object, verdict) in [
        ("Thing/ready", "OK"),
        ("Thing/ready-is-false-beside-a-healthy-phase", "Failed"),
        ("Thing/phase-nobody-knows", "Unknown"),
        ("Elasticsearch/red", "Failed"),
        ("InstallPlan/approval", "NeedsHuman"),
        ("Job/running", "Progressing"),
        ("Thing/suspended", "Paused"),
    ] {
        assert_eq!(verdicts_of.get(object).map(String::as_str), Some(verdict), "{object}");
    }
    // Nothing that says nothing is well.
    assert_eq!(verdicts_of.get("Thing/says-nothing-of-health").map(String::as_str), Some("Unknown"));
    assert!(verdicts(&["resources", "-o", "json"]).is_empty());
}

#[test]
fn kinds_without_an_engine_are_found_by_name() {
    let some = verdicts(&["resources", "--any", "elasticsearch", "-o", "json"]);
    assert_eq!(some.keys().collect::<Vec<_>>(), ["Elasticsearch/red", "Elasticsearch/yellow"]);
}
