//! The workflows of GitHub are pinned, have few rights, and never run text of others as code.

use std::path::Path;

use serde_json::Value;

use crate::release;

/// Workflows and actions, each with its path and text.
fn definitions() -> Vec<(String, String)> {
    let entries = |path: &str| std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    let actions = entries(".github/actions").into_iter().map(|action| action.join("action.yml"));
    let mut paths: Vec<_> = entries(".github/workflows").into_iter().chain(actions).collect();
    paths.sort();
    paths.iter().map(|path| (path.display().to_string(), std::fs::read_to_string(path).unwrap())).collect()
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
fn actions_of_others_are_pinned_by_commit_with_a_version_comment() {
    let page = ("docs/ci.md".to_owned(), std::fs::read_to_string("docs/ci.md").unwrap());
    let pinned = regex::Regex::new(r"^actions/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$").unwrap();
    let exists = |action: &str| Path::new(".github/actions").join(action).is_dir();
    let ours = format!("{}/.github/actions/", release::address());
    let is_ours =
        |uses: &str| uses.strip_prefix(&ours).and_then(|name| name.strip_suffix("@COMMIT")).is_some_and(exists);
    let mut seen = 0;
    for (path, text) in definitions().into_iter().chain([page]) {
        for (_, uses) in text.lines().filter_map(|line| line.split_once("uses: ")) {
            assert!(is_ours(uses) || pinned.is_match(uses), "{path}: {uses}");
            seen += 1;
        }
    }
    assert!(seen > 5);
}

#[test]
fn scripts_contain_no_expressions() {
    for (path, text) in definitions() {
        let document: Value = serde_saphyr::from_str(&text).unwrap();
        let mut scripts = Vec::new();
        values(&document, "run", &mut scripts);
        let scripts: Vec<&str> = scripts.iter().filter_map(|script| script.as_str()).collect();
        assert!(!scripts.is_empty(), "{path}");
        assert!(scripts.iter().all(|script| !script.contains("${{")), "{path}: {scripts:#?}");
    }
}

/// Jobs that build may not sign or publish, and jobs that sign build nothing.
#[test]
fn each_job_has_the_rights_that_it_needs() {
    let workflow = workflow("release");
    assert_eq!(workflow["permissions"], serde_json::json!({}));
    assert_eq!(workflow["jobs"]["build"]["permissions"], serde_json::json!({"contents": "read"}));
    let mut scripts = Vec::new();
    for job in ["publish", "krew"] {
        values(&workflow["jobs"][job], "run", &mut scripts);
    }
    assert!(scripts.iter().all(|script| !script.as_str().unwrap_or_default().contains("cargo")), "{scripts:#?}");
}

fn workflow(name: &str) -> Value {
    let definitions = definitions();
    let (_, text) = definitions.iter().find(|(path, _)| path == &format!(".github/workflows/{name}.yaml")).unwrap();
    serde_saphyr::from_str(text).unwrap()
}

fn scripts_of(job: &Value) -> String {
    let mut scripts = Vec::new();
    values(job, "run", &mut scripts);
    scripts.iter().filter_map(|script| script.as_str()).collect::<Vec<_>>().join("\n")
}

#[test]
fn advisories_and_fuzzing_run_on_a_schedule() {
    for (name, command) in [("advisories", "cargo deny --locked check"), ("fuzz", "cargo run --locked --example fuzz")]
    {
        let workflow = workflow(name);
        assert!(workflow["on"]["schedule"][0]["cron"].is_string(), "{name}");
        let jobs = workflow["jobs"].as_object().unwrap();
        assert!(jobs.values().any(|job| scripts_of(job).contains(command)), "{name}");
    }
    assert_eq!(workflow("fuzz")["jobs"]["run"]["env"]["FUZZ_SECONDS"], "600");
}

#[test]
fn a_release_is_reviewed_and_built_only_with_rust() {
    let jobs = &workflow("release")["jobs"];
    assert_eq!(jobs["publish"]["environment"], "release");
    assert!(!scripts_of(&jobs["build"]).contains("cargo install"), "{}", scripts_of(&jobs["build"]));
    assert!(jobs["publish"]["needs"].as_array().unwrap().contains(&Value::from("bill")));
}

#[test]
fn krew_is_offered_a_release_by_a_pull_request() {
    let krew = &workflow("release")["jobs"]["krew"];
    assert!(scripts_of(krew).contains("gh pr create --base"));
    assert_eq!(krew["permissions"]["pull-requests"], "write");
    let script = std::fs::read_to_string(".ci/krew-index").unwrap();
    let pushes: Vec<&str> = script.lines().filter(|line| line.contains(" push --")).collect();
    assert!(!pushes.is_empty() && pushes.iter().all(|line| line.contains("refs/heads/krew-")), "{pushes:?}");
}

/// Modules that tests build are updated, too.
#[test]
fn every_go_module_gets_updates() {
    let text = std::fs::read_to_string(".github/dependabot.yml").unwrap();
    let settings: Value = serde_saphyr::from_str(&text).unwrap();
    let updates = settings["updates"].as_array().unwrap();
    let go = updates.iter().find(|update| update["package-ecosystem"] == "gomod").unwrap();
    let directories: Vec<&str> =
        go["directories"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
    let listed = std::process::Command::new("git").args(["ls-files", "*go.mod"]).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    for module in listed.lines().map(|path| format!("/{}", path.strip_suffix("/go.mod").unwrap())) {
        let is_covered = directories.iter().any(|directory| match directory.strip_suffix("**") {
            Some(above) => module.starts_with(above),
            None => module == *directory,
        });
        assert!(is_covered, "{module} is not in {directories:?}");
    }
    assert!(listed.lines().count() > 5);
}

/// The files of the tests, as paths and texts.
fn test_files(directory: &std::path::Path, found: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            test_files(&entry, found);
        } else if entry.extension().is_some_and(|end| end == "rs") {
            found.push((entry.display().to_string(), std::fs::read_to_string(&entry).unwrap()));
        }
    }
}

/// The functions of the tests whose text has a word, as `MODULE::FUNCTION`.
fn functions_with(word: &str) -> Vec<String> {
    let mut files = Vec::new();
    test_files(std::path::Path::new("tests/cli"), &mut files);
    let mut functions = Vec::new();
    for (path, text) in files.iter().filter(|(path, _)| !path.ends_with("workflows.rs")) {
        let module = path.strip_prefix("tests/cli/").unwrap().strip_suffix(".rs").unwrap();
        let module = module.strip_suffix("/mod").unwrap_or(module).replace('/', "::");
        let mut function = "";
        for line in text.lines() {
            let signature = line.trim_start().trim_start_matches("pub(crate) ").strip_prefix("fn ");
            function = signature.and_then(|rest| rest.split(['(', '<']).next()).unwrap_or(function);
            if line.contains(word) {
                functions.push(format!("{module}::{function}"));
            }
        }
    }
    functions
}

/// Fails unless a script runs every function with one of the words, by its filters.
fn is_run(script: &str, words: &[&str]) {
    let filters: Vec<&str> = script.split_whitespace().filter(|word| !word.starts_with('-')).collect();
    let functions: Vec<String> = words.iter().flat_map(|word| functions_with(word)).collect();
    for function in &functions {
        assert!(filters.iter().any(|filter| function.contains(filter)), "{function} is not in {filters:?}");
    }
    assert!(functions.len() > 1, "{words:?}");
}

#[test]
fn every_fault_and_trial_runs_each_night() {
    let faults = workflow("faults");
    assert!(faults["on"]["schedule"][0]["cron"].is_string());
    assert!(scripts_of(&faults["jobs"]["run"]).contains(".ci/tables faults"));
    assert!(scripts_of(&faults["jobs"]["trials"]).contains(".ci/tables trials"));
    let script = std::fs::read_to_string(".ci/tables").unwrap();
    let (run, trials) = script.split_once("trials)\n").unwrap();
    assert!(run.contains("UCP_FAULTS=all") && trials.contains("UCP_TRIALS:-100"), "{script}");
    is_run(run, &["Matrix::new("]);
    is_run(trials, &["\"UCP_TRIALS\"", "trials()", "try_all(\"", "try_files(\"", "try_push(\""]);
}

/// Without the server, tests with it pass.
#[test]
fn pull_requests_are_tested_on_a_real_forge() {
    let forge = workflow("forge");
    assert!(forge["on"]["schedule"][0]["cron"].is_string());
    let run = &forge["jobs"]["run"];
    assert_eq!((&run["env"]["UCP_GITEA"], &run["env"]["UCP_RACES"]), (&Value::from("required"), &Value::from("50")));
    assert!(scripts_of(run).contains("--ignored gitea_is_built"));
    is_run(&scripts_of(run), &["gitea() else", "\"UCP_RACES\"", "= runs_at_once("]);
}

/// By act and gitlab-ci-local, besides the tests of `action.rs` and `ci_page.rs`.
#[test]
fn every_action_and_component_is_run_as_by_its_system() {
    let names = |path: &str| {
        let entries = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        entries.collect::<Vec<_>>()
    };
    let (actions, templates) = (names(".github/actions"), names("templates"));
    assert!(actions.len() > 5 && templates.len() > 1);
    let job = std::fs::read_to_string("tests/pipelines/actions.yaml").unwrap();
    for action in actions {
        assert!(job.lines().any(|line| line.ends_with(&format!("uses: ./.github/actions/{action}"))), "{action}");
    }
    let project = std::fs::read_to_string("tests/pipelines/gitlab-ci.yml").unwrap();
    for template in templates {
        assert!(project.lines().any(|line| line.ends_with(&format!("local: templates/{template}"))), "{template}");
    }
    let pipelines = workflow("pipelines");
    assert!(pipelines["on"]["schedule"][0]["cron"].is_string());
    assert!(scripts_of(&pipelines["jobs"]["run"]).lines().any(|line| line == ".ci/pipelines"));
}

/// Pipelines need git and a shell, which the image that is pushed by default does not have.
#[test]
fn pipelines_have_an_image_with_git_and_a_shell() {
    let text = std::fs::read_to_string("packaging/Containerfile").unwrap();
    let stages: Vec<&str> = text.split("\nFROM ").skip(1).collect();
    assert_eq!(stages.len(), 2);
    assert!(stages[0].lines().next().unwrap().ends_with(" AS git") && stages[0].contains("apk add --no-cache git"));
    // Rules of time zones change; distroless static has tzdata.
    assert!(stages[0].contains(" tzdata "));
    assert!(!stages[0].contains("\nENTRYPOINT") && stages[1].starts_with("gcr.io/distroless/static"));
    assert!(stages.iter().all(|stage| stage.contains("\nUSER 65532")));
    let image = &workflow("release")["jobs"]["image"];
    assert!(scripts_of(image).contains("--target git"));
    let mut digests = Vec::new();
    values(image, "subject-digest", &mut digests);
    assert_eq!(digests.len(), 2, "each image has its provenance");
}

#[test]
fn pages_about_installation_verify_the_origin_of_a_release() {
    for page in ["README.md", "docs/ci.md", "SECURITY.md"] {
        assert!(std::fs::read_to_string(page).unwrap().contains("gh attestation verify"), "{page}");
    }
}
