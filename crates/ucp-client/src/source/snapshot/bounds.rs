//! Snapshots of strangers that are short and would take much memory or time.

use std::fmt::Write as _;

use super::*;
use ucp_core::model::body::BodyShape;

/// Reads a file with all of its objects as a user's `--any` does.
fn read_text(name: &str, text: &str) -> Result<ClusterState> {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join(name), text).unwrap();
    let want = |_: &ResourceKind| Some(KindRequest::all(BodyShape::Any));
    read(directory.path(), &Query::all(&want))
}

fn thing(name: &str, status: &str) -> String {
    format!(r#"{{"apiVersion":"example.org/v1","kind":"Thing","metadata":{{"name":"{name}"}},"status":{status}}}"#)
}

fn many(part: &str, number: usize) -> String {
    vec![part; number].join(",")
}

#[test]
fn an_object_that_is_short_and_heavy_is_a_gap_in_any_form() {
    let heavy = [
        format!(r#"{{"a":[{}]}}"#, many(r#"{"":0}"#, 120_000)),
        format!(r#"{{"a":[{}]}}"#, many(&format!("{}0{}", r#"{"":"#.repeat(50), "}".repeat(50)), 2400)),
        format!(r#"{{"a":[{}]}}"#, many("[[]]", 600_000)),
        format!(r#"{{"conditions":[{}]}}"#, many("{}", 1_500_000)),
    ];
    for status in &heavy {
        for (name, text) in [
            ("x.json", format!("[{},{}]", thing("before", "{}"), thing("heavy", status))),
            ("x.json", format!("{}\n{}", thing("before", "{}"), thing("heavy", status))),
            ("x.yaml", format!("---\n{}\n---\n{}\n", thing("before", "{}"), thing("heavy", status))),
        ] {
            let state = read_text(name, &text).unwrap();
            let names: Vec<&str> = state.resources.iter().map(|resource| resource.metadata.name.as_str()).collect();
            assert_eq!(names, ["before"], "{name}: {:?}", state.unreadable);
            let reasons = state.unreadable.iter().map(|entry| entry.reason.as_str()).collect::<Vec<_>>().join("\n");
            assert!(reasons.contains("too large") && reasons.contains("memory"), "{name}: {reasons}");
        }
    }
}

#[test]
fn ordinary_objects_are_far_from_every_limit() {
    let condition = r#"{"type":"Ready","status":"True","reason":"Available","message":"all is well","lastTransitionTime":"2026-11-20T09:00:00Z"}"#;
    let status = format!(r#"{{"conditions":[{}],"atProvider":{{"arn":"a","tags":{{"a":"b"}}}}}}"#, many(condition, 4));
    let things: Vec<String> = (0..2000).map(|number| thing(&format!("t{number}"), &status)).collect();
    let state = read_text("x.json", &format!("[{}]", things.join(","))).unwrap();
    assert!(state.resources.len() == 2000 && state.unreadable.is_empty());
    let heaviest = state.resources.iter().map(|resource| resource.weight.get()).max().unwrap();
    assert!(heaviest < 24 << 10, "{heaviest}: ten thousand of them must fit ten times");
}

#[test]
fn parts_of_files_that_are_not_objects_are_counted_and_not_kept() {
    let text = format!("{}\n{}", "- 1\n---\n".repeat(30_000), "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n");
    let state = read_text("x.yaml", &text).unwrap();
    assert_eq!(state.resources.len(), 1);
    assert!(state.unreadable.len() < 11_000, "{}", state.unreadable.len());
    assert!(state.unreadable.iter().any(|entry| entry.what.contains("more files")), "none vanishes");
}

#[test]
fn many_alias_bombs_cost_little_more_than_their_length() {
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for level in 1..9 {
        let below = many(&format!("*a{}", level - 1), 9);
        let _ = writeln!(bomb, "a{level}: &a{level} [{below}]");
    }
    let text =
        format!("{}apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\n", format!("{bomb}---\n").repeat(200));
    let parsed = |text: &str| {
        let mut manifests = manifest::Manifests::default();
        let read = manifests.add("f", text.as_bytes());
        (manifests.documents.len(), read.is_err())
    };
    assert_eq!(parsed(&bomb), (0, true));
    let names = "x: &x {a: b}\ny: *x\nz: {<<: *x}\napiVersion: v1\nkind: A\n";
    assert_eq!(parsed(names), (1, false), "files of people are read as before");
    // Without a limit of nodes, each of them would have billions.
    let refused = text.split("---\n").filter(|document| parsed(document) == (0, true)).count();
    assert_eq!(refused, 200);
}
