//! What GitHub runs is pinned, may do little, and takes nobody's words for code.

use serde_json::Value;

/// Workflows and actions, each with its path and text.
fn definitions() -> Vec<(String, String)> {
    let paths =
        ["workflows/ci.yaml", "workflows/release.yaml", "workflows/engines.yaml", "actions/set-image/action.yml"];
    let read = |path: &str| std::fs::read_to_string(format!(".github/{path}")).unwrap();
    paths.map(|path| (path.to_owned(), read(path))).to_vec()
}

/// Every value under a key, at any depth.
fn values<'v>(value: &'v Value, key: &str, found: &mut Vec<&'v Value>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            found.extend((name == key).then_some(value));
            values(value, key, found);
        }),
        Value::Array(items) => items.iter().for_each(|item| values(item, key, found)),
        _ => {}
    }
}

#[test]
fn actions_of_others_are_pinned_by_commit_with_their_version_beside() {
    let page = ("docs/ci.md".to_owned(), std::fs::read_to_string("docs/ci.md").unwrap());
    let pinned = regex::Regex::new(r"^actions/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$").unwrap();
    let mut seen = 0;
    for (path, text) in definitions().into_iter().chain([page]) {
        for (_, uses) in text.lines().filter_map(|line| line.split_once("uses: ")) {
            let is_ours = uses == "OWNER/REPOSITORY/.github/actions/set-image@COMMIT";
            assert!(is_ours || pinned.is_match(uses), "{path}: {uses}");
            seen += 1;
        }
    }
    assert!(seen > 5);
}

#[test]
fn scripts_hold_no_expressions() {
    for (path, text) in definitions() {
        let document: Value = serde_saphyr::from_str(&text).unwrap();
        let mut scripts = Vec::new();
        values(&document, "run", &mut scripts);
        let scripts: Vec<&str> = scripts.iter().filter_map(|script| script.as_str()).collect();
        assert!(!scripts.is_empty(), "{path}");
        assert!(scripts.iter().all(|script| !script.contains("${{")), "{path}: {scripts:#?}");
    }
}

/// What builds may not sign or publish, and what signs builds nothing.
#[test]
fn each_job_has_the_rights_that_it_needs() {
    let (_, text) = &definitions()[1];
    let workflow: Value = serde_saphyr::from_str(text).unwrap();
    assert_eq!(workflow["permissions"], serde_json::json!({}));
    assert_eq!(workflow["jobs"]["build"]["permissions"], serde_json::json!({"contents": "read"}));
    let mut scripts = Vec::new();
    for job in ["publish", "krew"] {
        values(&workflow["jobs"][job], "run", &mut scripts);
    }
    assert!(scripts.iter().all(|script| !script.as_str().unwrap_or_default().contains("cargo")), "{scripts:#?}");
}
