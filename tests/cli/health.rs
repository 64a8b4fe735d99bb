//! How often the verdicts agree with the health that other tools' tests expect, and that no bad news is called OK.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use crate::support::command::{run, ucp_from};
use crate::support::load;

const OBJECTS: &str = "tests/fixtures/health/objects.json";
/// Objects of many operators, as their API references and sources describe their states.
const VENDORS: &str = "tests/fixtures/health/vendors.json";
const FALSE_OK: &str = "tests/fixtures/health/false-ok.json";
const SOUND: &str = "tests/fixtures/health/sound.json";

/// The part of the objects whose verdict has to agree, in percent.
const AGREE: usize = 95;
/// The same for objects of vendors that no rule was written for.
const AGREE_OF_VENDORS: usize = 92;
/// The part of all objects that may be called OK while they are Progressing or Suspended, in thousandths.
const EARLY: usize = 5;

/// Which verdicts agree with a health of Argo CD.
fn agrees(health: &str, verdict: &str, has_status: bool) -> bool {
    match health {
        "Healthy" => verdict == "OK",
        "Progressing" => matches!(verdict, "Progressing" | "Stuck") || verdict == "Unknown" && !has_status,
        "Degraded" => matches!(verdict, "Failed" | "NeedsHuman" | "Drifted"),
        "Suspended" => matches!(verdict, "Paused" | "NeedsHuman"),
        "Missing" => matches!(verdict, "Failed" | "NeedsHuman" | "Unknown"),
        _ => matches!(verdict, "Unknown" | "Progressing" | "Stuck"),
    }
}

#[test]
fn verdicts_agree_with_the_health_that_argo_cd_expects() {
    compare_with_expected_health(OBJECTS, AGREE);
}

#[test]
fn verdicts_agree_for_kinds_of_other_vendors() {
    compare_with_expected_health(VENDORS, AGREE_OF_VENDORS);
}

#[expect(clippy::print_stdout, reason = "the table is read when the test fails")]
fn compare_with_expected_health(file: &str, agree: usize) {
    let objects: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    // A broken package puts the resources of its kinds in doubt, so packages are a snapshot of their own.
    let is_package = |item: &&Value| item["apiVersion"].as_str().is_some_and(|version| version.starts_with("pkg."));
    let (packages, others): (Vec<&Value>, Vec<&Value>) =
        objects["items"].as_array().unwrap().iter().partition(|item| is_package(item));
    let directory = tempfile::tempdir().unwrap();
    let mut judged = Vec::new();
    let lists = [("packages.json", packages), ("others.json", others)];
    for (name, items) in lists.into_iter().filter(|(_, items)| !items.is_empty()) {
        let path = directory.path().join(name);
        let list = serde_json::json!({"apiVersion": "v1", "kind": "List", "items": items});
        std::fs::write(&path, list.to_string()).unwrap();
        let arguments = ["resources", "--any", "-o", "json"];
        let list = run(ucp_from(path.to_str().unwrap(), arguments)).expect(0).json();
        judged.extend(list["items"].as_array().unwrap().clone());
    }
    let text = |value: &Value, pointer: &str| value.pointer(pointer).and_then(Value::as_str).unwrap_or("").to_owned();
    let verdicts: BTreeMap<String, (String, String)> = judged
        .iter()
        .map(|item| (text(item, "/object/name"), (text(item, "/verdict"), text(item, "/message"))))
        .collect();
    let mut table: BTreeMap<(String, String), usize> = BTreeMap::new();
    let (mut agreeing, mut misses) = (0, Vec::new());
    let (mut hidden, mut early) = (Vec::new(), Vec::new());
    let items = objects["items"].as_array().unwrap();
    for item in items {
        let (health, case) =
            (text(item, "/metadata/annotations/ucp.test~1health"), text(item, "/metadata/annotations/ucp.test~1case"));
        let (verdict, message) = verdicts.get(&text(item, "/metadata/name")).cloned().unwrap_or_default();
        let has_status = item["status"].as_object().is_some_and(|status| !status.is_empty());
        *table.entry((health.clone(), verdict.clone())).or_default() += 1;
        match (health.as_str(), verdict.as_str()) {
            ("Degraded", "OK") => hidden.push(case.clone()),
            ("Progressing" | "Suspended", "OK") => early.push(case.clone()),
            _ => {}
        }
        match agrees(&health, &verdict, has_status) {
            true => agreeing += 1,
            false => misses.push(format!("{health:<12} {verdict:<12} {case}: {message}")),
        }
    }
    println!("{agreeing} of {} agree", items.len());
    for ((health, verdict), count) in &table {
        println!("{health:<12} {verdict:<12} {count}");
    }
    println!("{}", misses.join("\n"));
    assert!(agreeing * 100 >= agree * items.len(), "{agreeing} of {} agree", items.len());
    assert!(hidden.is_empty(), "Degraded, and called OK: {hidden:?}");
    assert!(early.len() * 1000 <= EARLY * items.len(), "under way, and called OK: {early:?}");
}

/// Returns the names of the snapshots in a file whose `status` is OK, without findings.
fn snapshots_called_ok(file: &str) -> (Vec<String>, usize) {
    let snapshots: BTreeMap<String, Value> = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let (number, directory) = (snapshots.len(), tempfile::tempdir().unwrap());
    let is_ok = |(name, snapshot): (String, Value)| {
        let (path, text) = (directory.path().join(format!("{name}.json")), snapshot.to_string());
        std::fs::write(&path, &text).unwrap();
        let mut arguments = vec!["status", "--any", "-o", "json"];
        // Only the objects are at issue where a snapshot has no controllers.
        if !text.contains("\"Deployment\"") {
            arguments.extend(["--external-controllers", "flux,crossplane,argocd"]);
        }
        let status = run(ucp_from(path.to_str().unwrap(), arguments)).expect(0).json();
        let rows = status["engines"].as_array().unwrap();
        let is_ok = status["findings"].as_array().is_none_or(Vec::is_empty)
            && rows.iter().all(|row| row["verdict"] == "OK" || row["verdict"].is_null());
        is_ok.then_some(name)
    };
    (snapshots.into_iter().filter_map(is_ok).collect(), number)
}

#[test]
fn an_object_with_a_problem_next_to_a_good_state_is_never_ok() {
    let (called_ok, _) = snapshots_called_ok(FALSE_OK);
    assert!(called_ok.is_empty(), "{} are called OK: {called_ok:?}", called_ok.len());
}

/// The same objects without their problem, so that it is the problem that is reported above.
#[test]
fn the_same_object_without_the_problem_is_ok() {
    let (called_ok, number) = snapshots_called_ok(SOUND);
    assert_eq!(called_ok.len(), number, "only these are called OK: {called_ok:?}");
}

/// Fixtures of healthy hubs; every object of a kind that engines manage is there many times below.
const HEALTHY: [&str; 2] = ["tests/fixtures/quotes", "tests/fixtures/real/healthy"];
/// Groups and kinds of the engines themselves, which are there once.
const ENGINES: [&str; 9] = [
    "pkg.crossplane.io",
    "apiextensions.crossplane.io",
    "apiextensions.k8s.io",
    "apps/",
    "AppProject",
    "ProviderConfig",
    "Namespace",
    "ConfigMap",
    "Secret",
];

/// Renames an object and everything that it refers to by a name or UID of the fixture.
fn renamed(value: &Value, names: &BTreeSet<String>, number: usize) -> Value {
    match value {
        Value::Object(fields) => {
            fields.iter().map(|(field, value)| (field.clone(), renamed(value, names, number))).collect()
        }
        Value::Array(items) => items.iter().map(|item| renamed(item, names, number)).collect(),
        Value::String(text) if names.contains(text) => format!("{text}-{number}").into(),
        other => other.clone(),
    }
}

#[test]
fn a_healthy_hub_of_ten_thousand_objects_has_no_findings() {
    let directory = tempfile::tempdir().unwrap();
    for fixture in HEALTHY {
        let objects = load::read(Path::new(fixture)).unwrap();
        let is_engine = |object: &Value| {
            let kind = format!("{}/{}", object["apiVersion"].as_str().unwrap(), object["kind"].as_str().unwrap());
            ENGINES.iter().any(|engine| kind.contains(engine))
        };
        let (engines, managed): (Vec<Value>, Vec<Value>) = objects.into_iter().partition(is_engine);
        let identifiers = managed.iter().flat_map(|object| [&object["metadata"]["name"], &object["metadata"]["uid"]]);
        let names: BTreeSet<String> = identifiers.filter_map(Value::as_str).map(str::to_owned).collect();
        let copies = (0..10_000_usize.div_ceil(managed.len()))
            .flat_map(|number| managed.iter().map(move |object| (number, object)))
            .map(|(number, object)| renamed(object, &names, number));
        let items: Vec<Value> = engines.into_iter().chain(copies).collect();
        assert!(items.len() > 10_000);
        let path = directory.path().join("hub.json");
        std::fs::write(&path, serde_json::json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string())
            .unwrap();
        let status = run(ucp_from(path.to_str().unwrap(), ["status", "--exit-code", "-o", "json"])).expect(0).json();
        assert!(status["findings"].as_array().is_none_or(Vec::is_empty), "{fixture}: {:#}", status["findings"]);
        let counted: u64 = status["engines"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|engine| engine["counts"].as_object().into_iter().flatten())
            .filter_map(|(_, count)| count.as_u64())
            .sum();
        assert!(counted > 5_000, "{fixture}: {:#}", status["engines"]);
    }
}
