//! `-o custom-columns` and `--sort-by`: the output of `kubectl get` for the same objects on a real server.

use std::process::{Command, Stdio};

use serde_json::{Value, json};
use ucp::render::custom_columns::CustomColumns;
use ucp::render::{HeaderVisibility, SortBy};

use crate::support::{self, Cluster};

const COLUMNS: &[&str] = &[
    "NAME:.metadata.name,A:.spec.text",
    "NAME:metadata.name,A:{spec.text},B:{.spec.none},C:.spec",
    "I:.spec.integer,F:.spec.float,B:.spec.flag,N:.spec.null",
    "NAME:.metadata.name,LAST:.spec.text",
    "NAME:.metadata.name,LIST:.spec.list,EACH:.spec.list[*],FIRST:.spec.list[:1]",
    r"LABEL:.metadata.labels.app\.kubernetes\.io/name,FILTERED:.spec.pairs[?(@.key=='a')].value",
    "A VERY WIDE HEADER INDEED:.spec.integer,:.spec.flag,X:.spec.unicode",
    "EMPTY:,NAME:.metadata.name",
];

const SORT_KEYS: &[&str] = &[
    ".metadata.name",
    "{.spec.integer}",
    "spec.float",
    ".spec.quantity",
    ".spec.time",
    ".spec.sometimes",
    ".spec.list[0]",
    r".metadata.labels.app\.kubernetes\.io/name",
];

fn samples() -> Value {
    let sample = |name: &str, label: &str, spec: Value| {
        json!({
            "apiVersion": "templates.ucp.test/v1", "kind": "Sample",
            "metadata": {"name": name, "labels": {"app.kubernetes.io/name": label}}, "spec": spec,
        })
    };
    json!({"apiVersion": "v1", "kind": "List", "items": [
        sample("one", "z", json!({
            "text": "first", "integer": 10, "float": 1.5, "flag": true, "null": null, "list": ["b", "c"],
            "quantity": "1Gi", "time": "2026-01-02T00:00:00Z", "pairs": [{"key": "a", "value": 1}, {"key": "b"}],
        })),
        sample("two", "x", json!({
            "text": "", "integer": 9, "float": 1_234_567.5, "flag": false, "list": ["a"], "unicode": "größe",
            "quantity": "500M", "time": "2025-12-31T00:00:00Z", "sometimes": "b", "pairs": [],
        })),
        sample("three", "y", json!({
            "text": "the third of them", "integer": -1, "float": 2.5, "list": ["c", {"deep": [1, null]}],
            "quantity": "1500m", "time": "2026-01-01T10:00:00Z", "sometimes": "a",
            "pairs": [{"key": "a", "value": "x"}, {"key": "a", "value": {"y": 1}}],
        })),
    ]})
}

fn get(cluster: &Cluster, arguments: &[&str]) -> String {
    let output = cluster.kubectl(["get", "samples.templates.ucp.test"]).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn cluster_with_samples() -> Option<&'static Cluster> {
    let cluster = support::core_cluster()?;
    let schema = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    cluster.apply(&json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "samples.templates.ucp.test"},
        "spec": {
            "group": "templates.ucp.test", "scope": "Cluster",
            "names": {"kind": "Sample", "plural": "samples", "singular": "sample"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}],
        },
    }));
    let established = ["wait", "--for=condition=Established", "crd/samples.templates.ucp.test"];
    assert!(cluster.kubectl(established).stdout(Stdio::null()).status().unwrap().success());
    cluster.apply(&samples());
    Some(cluster)
}

#[test]
fn custom_columns_and_sort_orders_match_kubectl() {
    let Some(cluster) = cluster_with_samples() else { return };
    let document: Value = serde_json::from_str(&get(cluster, &["-o", "json"])).unwrap();
    for columns in COLUMNS {
        let output = format!("custom-columns={columns}");
        let columns = CustomColumns::parse(columns).unwrap();
        assert_eq!(
            columns.render(&document, HeaderVisibility::Shown).unwrap(),
            get(cluster, &["-o", &output]),
            "{output}"
        );
        let headless = get(cluster, &["--no-headers", "-o", &output]);
        assert_eq!(columns.render(&document, HeaderVisibility::Hidden).unwrap(), headless, "{output}");
        let one = get(cluster, &["one", "-o", &output]);
        assert_eq!(columns.render(&document["items"][0], HeaderVisibility::Shown).unwrap(), one, "{output}");
    }
    for key in SORT_KEYS {
        let mut items = document["items"].as_array().unwrap().clone();
        key.parse::<SortBy>().unwrap().sort(&mut items).unwrap();
        let names: Vec<_> = items.iter().map(|item| item["metadata"]["name"].as_str().unwrap()).collect();
        let theirs = get(cluster, &["--sort-by", key, "-o", "jsonpath={.items[*].metadata.name}"]);
        assert_eq!(names.join(" "), theirs, "{key}");
    }
}

/// The columns that labels get, of the same objects.
#[test]
fn label_columns_match_kubectl() {
    let Some(cluster) = crate::completion::cluster_with_gadgets() else { return };
    for flags in [&["--show-labels"][..], &["-L", "example.org/hand,team,none"], &["-Lteam", "--show-labels"]] {
        let table = |mut command: Command| {
            let output = command.args(flags).output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8(output.stdout).unwrap()
        };
        let ours = table({
            let mut command = Command::new(crate::support::command::program());
            let kinds = ["resources", "gadgets.completion.ucp.test", "--sort-by=name", "--kubeconfig"];
            command.args(kinds).arg(cluster.kubeconfig());
            command
        });
        let theirs = table(cluster.kubectl(["get", "gadgets.completion.ucp.test"]));
        // Behind the last of the other columns, of which ours has more.
        let labels = |table: &str, last: &str| -> Vec<String> {
            let at = table.lines().next().and_then(|header| header.find(last)).unwrap();
            let behind = |line: &str| line[at..].split_once("   ").map_or("", |(_, rest)| rest.trim()).to_owned();
            table.lines().map(behind).collect()
        };
        assert_eq!(labels(&ours, "WHY"), labels(&theirs, "AGE"), "{flags:?}\n{ours}\n{theirs}");
    }
}
