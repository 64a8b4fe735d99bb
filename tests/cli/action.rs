//! The GitHub actions, run from their `action.yml` as GitHub's runner would.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::gitops::{Gitops, Run};
use crate::release;
use crate::support::{self, Options};

const ACTIONS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/.github/actions");

/// A runner's machine, and one use of the action on it.
struct Job<'a> {
    repository: &'a Gitops,
    /// Where the action was checked out to.
    action: PathBuf,
    files: tempfile::TempDir,
    plugin: Plugin,
    /// Variables of the job.
    environment: Vec<(&'static str, PathBuf)>,
}

/// Whether the machine has the plugin.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Plugin {
    OnPath,
    Absent,
}

impl<'a> Job<'a> {
    fn on(repository: &'a Gitops) -> Self {
        Self::of_action(repository, "set-image")
    }

    fn of_action(repository: &'a Gitops, name: &str) -> Self {
        let files = tempfile::tempdir().unwrap();
        Self {
            repository,
            action: Path::new(ACTIONS).join(name),
            files,
            plugin: Plugin::OnPath,
            environment: Vec::new(),
        }
    }

    /// The `run` of a step, in the shell that GitHub takes for `shell: bash`.
    fn step(&self, step: &Value, inputs: &BTreeMap<String, String>) -> Command {
        let file = |name: &str| self.files.path().join(name);
        let script = step["run"].as_str().unwrap();
        assert!(!script.contains("${{"), "an expression in a script lets authors of inputs run code: {script}");
        let mut command = self.repository.ci_command("bash");
        command.args(["--noprofile", "--norc", "-e", "-o", "pipefail", "-c", script]);
        let path = command.get_envs().find_map(|(name, value)| (name == "PATH").then_some(value?.to_owned())).unwrap();
        let has_plugin = |directory: &PathBuf| directory.join("kubectl-ucp").exists();
        let path = std::env::split_paths(&path).filter(|path| self.plugin == Plugin::OnPath || !has_plugin(path));
        let added = std::fs::read_to_string(file("path")).unwrap_or_default();
        let given = self.environment.iter().filter(|(name, _)| *name == "PATH").map(|(_, path)| path.clone());
        let path = given.chain(added.lines().map(PathBuf::from)).chain(path);
        command
            .envs(self.environment.iter().filter(|(name, _)| *name != "PATH").map(|(name, value)| (name, value)))
            .env("PATH", std::env::join_paths(path).unwrap())
            .env("GITHUB_ACTION_PATH", &self.action)
            .env("GITHUB_OUTPUT", file("output"))
            .env("GITHUB_STEP_SUMMARY", file("summary"))
            .env("GITHUB_PATH", file("path"))
            .env("RUNNER_TEMP", self.files.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        for (name, value) in step["env"].as_object().into_iter().flatten() {
            let expression = value.as_str().unwrap();
            let input = expression.strip_prefix("${{ inputs.").and_then(|rest| rest.strip_suffix(" }}"));
            match input {
                Some(input) => command.env(name, &inputs[input]),
                None => command.env(name, format!("value of {expression}")),
            };
        }
        command
    }

    /// The steps of the action, with the defaults of its inputs; and the action's own definition.
    fn steps(&self, given: &[(&str, &str)]) -> (Vec<Command>, Value) {
        let text = std::fs::read_to_string(self.action.join("action.yml")).unwrap();
        let action: Value = serde_saphyr::from_str(&text).unwrap();
        let mut inputs: BTreeMap<String, String> = BTreeMap::new();
        for (name, input) in action["inputs"].as_object().unwrap() {
            let given = given.iter().find(|(given, _)| given == name).map(|(_, value)| *value);
            let value = given.or(input["default"].as_str());
            inputs.insert(name.clone(), value.expect("a required input is given").to_owned());
        }
        let steps = action["runs"]["steps"].as_array().unwrap();
        (steps.iter().map(|step| self.step(step, &inputs)).collect(), action)
    }

    /// Runs the steps until one fails; the last one's end, and the outputs of the action.
    fn run(&self, given: &[(&str, &str)]) -> (Run, BTreeMap<String, String>) {
        let count = self.steps(given).0.len();
        let mut last = None;
        for index in 0..count {
            // Again each time: a step changes the PATH of those that follow.
            let run = Run::of(self.steps(given).0[index].output().unwrap());
            let is_fine = run.code == Some(0);
            last = Some(run);
            if !is_fine {
                break;
            }
        }
        (last.unwrap(), self.outputs(&self.steps(given).1))
    }

    fn outputs(&self, action: &Value) -> BTreeMap<String, String> {
        let text = std::fs::read_to_string(self.files.path().join("output")).unwrap_or_default();
        let written: BTreeMap<&str, &str> = text.lines().map(|line| line.split_once('=').unwrap()).collect();
        let declared = action["outputs"].as_object().unwrap().iter();
        declared
            .map(|(name, output)| {
                let value = output["value"].as_str().unwrap();
                let inner = value.split_once(".outputs.").and_then(|(_, rest)| rest.strip_suffix(" }}"));
                (name.clone(), written.get(inner.unwrap()).copied().unwrap_or_default().to_owned())
            })
            .collect()
    }

    fn summary(&self) -> String {
        std::fs::read_to_string(self.files.path().join("summary")).unwrap_or_default()
    }
}

fn tip(repository: &Gitops, bare: &Path, format: &str) -> String {
    repository.git(["--git-dir", bare.to_str().unwrap(), "log", "-1", &format!("--format={format}"), "main"])
}

#[test]
fn a_bump_is_pushed_and_a_second_run_changes_nothing() {
    let repository = Gitops::paper("v1", "v1");
    let bare = repository.publish();
    let inputs = [("environment", "stage"), ("images", "\n  echo=v2\n")];
    let job = Job::on(&repository);
    let (run, outputs) = job.run(&inputs);
    run.exits(0).prints("Pushed");
    assert_eq!((outputs["changed"].as_str(), outputs["branch"].as_str()), ("true", "main"));
    assert_eq!(outputs["commit"], tip(&repository, &bare, "%H"));
    assert_eq!(tip(&repository, &bare, "%an"), "github-actions[bot]");
    assert!(job.summary().contains("| echo | dagandersen/echo-server | v1 | v2 |"), "{}", job.summary());

    let job = Job::on(&repository);
    let (run, outputs) = job.run(&inputs);
    run.exits(0).prints("already set");
    assert_eq!((outputs["changed"].as_str(), outputs["commit"].as_str()), ("false", ""));
    assert_eq!(job.summary(), "Every version is already set.\n");
}

#[test]
fn commits_to_a_branch_with_a_message_without_a_push() {
    let repository = Gitops::paper("v1", "v1");
    let bare = repository.publish();
    let stage = ("environment", "stage");
    let inputs = [stage, ("images", "echo=v2"), ("branch", "bump"), ("message", "Mine, \"quoted\"")];
    let (run, outputs) = Job::on(&repository).run(&inputs);
    run.exits(0);
    assert_eq!(outputs["branch"], "bump");
    let log = repository.git(["--git-dir", bare.to_str().unwrap(), "log", "-1", "--format=%s", "bump"]);
    assert_eq!(log, "Mine, \"quoted\"");
    let (run, outputs) = Job::on(&repository).run(&[stage, ("images", "echo=v2"), ("push", "false")]);
    run.exits(0);
    assert_eq!((&outputs["commit"], outputs["branch"].as_str()), (&repository.git(["rev-parse", "HEAD"]), ""));
    Job::on(&repository).run(&[stage, ("images", "echo=v3"), ("push", "maybe")]).0.exits(2).prints("true or false");
}

#[test]
fn a_refused_input_fails_the_job_and_the_reason_is_printed() {
    let repository = Gitops::paper("v2", "v1");
    let bare = repository.publish();
    let before = tip(&repository, &bare, "%H");
    for (images, code, words) in [
        ("echo=a b", 2, "is not NAME="),
        ("echo=a:b:c", 2, "no workload has the image"),
        ("ecko=v3", 2, "did you mean 'echo'?"),
        ("", 2, "ENV NAME="),
        ("echo=v1", 1, "--allow-downgrade"),
    ] {
        let job = Job::on(&repository);
        let (run, outputs) = job.run(&[("environment", "stage"), ("images", images)]);
        run.exits(code).prints(words);
        assert_ne!(outputs["changed"], "true", "{images}");
        assert_eq!(job.summary().contains("refused"), code == 1, "{images}");
    }
    assert_eq!(tip(&repository, &bare, "%H"), before);
    let inputs = [("environment", "stage"), ("images", "echo=v1"), ("allow-downgrade", "true")];
    assert_eq!(Job::on(&repository).run(&inputs).1["changed"], "true");
}

/// An author of branches and tags controls inputs. Each is one argument, and never an option, a program or a pattern.
#[test]
fn inputs_are_never_executed() {
    let repository = Gitops::paper("v1", "v1");
    let bare = repository.publish();
    let before = tip(&repository, &bare, "%H");
    for evil in [
        "$(touch${IFS}pwned)",
        "`touch pwned`",
        "v2;touch pwned",
        "v2\ntouch pwned",
        "*",
        "--help",
        "\";touch pwned;\"",
    ] {
        let images = format!("echo={evil}");
        for inputs in [
            [("environment", "stage"), ("images", images.as_str())],
            [("environment", "stage"), ("images", evil)],
            [("environment", evil), ("images", "echo=v2")],
            [("environment", "stage"), ("repository", evil)],
        ] {
            let inputs: Vec<_> = inputs.into_iter().chain([("images", "echo=v2")]).collect();
            let (run, outputs) = Job::on(&repository).run(&inputs);
            assert_ne!(run.code, Some(0), "{inputs:?}: {}", run.stdout);
            assert_ne!(outputs["changed"], "true", "{inputs:?}");
        }
    }
    // A message may be anything, and is one.
    let evil = "$(touch pwned)\n::set-output name=commit::evil";
    let (run, _) = Job::on(&repository).run(&[("environment", "prod"), ("images", "echo=v2"), ("message", evil)]);
    run.exits(0);
    assert_eq!(tip(&repository, &bare, "%B").trim_end(), evil);
    assert_eq!(tip(&repository, &bare, "%P"), before);
    assert!(!repository.top().join("pwned").exists());
    assert_eq!(repository.git(["status", "--porcelain"]), "");
}

/// Everything that the plugin prints is between a stop and its end.
#[test]
fn output_contains_no_workflow_commands_for_the_runner() {
    let repository = Gitops::paper("v1", "v1");
    repository.publish();
    let (run, _) = Job::on(&repository).run(&[("environment", "::error::x"), ("images", "echo=v2")]);
    let run = run.exits(2);
    let first = run.stdout.lines().next().unwrap();
    let token = first.strip_prefix("::stop-commands::").unwrap();
    assert!(token.len() == 32 && run.stdout.ends_with(&format!("::{token}::\n")), "{}", run.stdout);
    assert_eq!(run.stderr, "");
}

#[test]
fn two_concurrent_jobs_both_push() {
    let repository = Gitops::paper("v1", "v1");
    let bare = repository.publish();
    let jobs = ["stage", "prod"].map(|environment| (Job::on(&repository), environment));
    let children = jobs.iter().map(|(job, environment)| {
        let (steps, _) = job.steps(&[("environment", environment), ("images", "echo=v2")]);
        steps.into_iter().next_back().unwrap().spawn().unwrap()
    });
    for child in children.collect::<Vec<_>>() {
        Run::of(child.wait_with_output().unwrap()).exits(0);
    }
    let log = repository.git(["--git-dir", bare.to_str().unwrap(), "log", "--format=%s", "main"]);
    assert_eq!(log.matches("Set echo in ").count(), 2, "{log}");
}

/// The action as a job gets it: the whole repository at one commit, where krew's manifest names the release.
#[test]
fn the_release_is_downloaded_and_checked() {
    let repository = Gitops::paper("v1", "v1");
    repository.publish();
    let checkout = repository.outside().join("checkout");
    let action = checkout.join(".github/actions/set-image");
    for directory in [&action, &checkout.join("krew-manifests")] {
        std::fs::create_dir_all(directory).unwrap();
    }
    for file in ["action.yml", "install.sh", "bump.sh"] {
        std::fs::copy(Path::new(ACTIONS).join("set-image").join(file), action.join(file)).unwrap();
    }
    let manifest = release::manifest_text(release::dist());
    let uri = format!("https://github.com/example/kubectl-ucp/releases/download/v{}", env!("CARGO_PKG_VERSION"));
    let manifest = manifest.replace(&uri, &format!("file://{}", release::dist().canonicalize().unwrap().display()));
    let use_manifest = |text: &str| std::fs::write(checkout.join("krew-manifests/ucp.yaml"), text).unwrap();
    let inputs = [("environment", "stage"), ("images", "echo=v2")];
    let run = || {
        let job = Job { action: action.clone(), plugin: Plugin::Absent, ..Job::on(&repository) };
        job.run(&inputs)
    };

    use_manifest(&std::fs::read_to_string("krew-manifests/ucp.yaml").unwrap().replace("    sha256:", "    was:"));
    run().0.exits(1).prints("names no release");
    let sum = manifest.split("sha256: ").nth(1).unwrap().lines().next().unwrap();
    use_manifest(&manifest.replace(sum, &"0".repeat(64)));
    run().0.exits(1).prints("has the SHA-256");
    use_manifest(&manifest.replace("file://", "file:///gone"));
    run().0.exits(1).prints("could not be downloaded");
    use_manifest(&manifest);
    let (ended, outputs) = run();
    ended.exits(0);
    assert_eq!(outputs["changed"], "true");
}

#[test]
fn versions_of_any_kind_are_set_and_promoted() {
    let repository = Gitops::paper("v2", "v1");
    let bare = repository.publish();
    let (run, outputs) =
        Job::of_action(&repository, "promote").run(&[("from", "stage"), ("to", "prod"), ("all", "true")]);
    run.exits(0).prints("Pushed");
    assert_eq!((outputs["changed"].as_str(), &outputs["commit"]), ("true", &tip(&repository, &bare, "%H")));
    let (run, outputs) =
        Job::of_action(&repository, "promote").run(&[("from", "stage"), ("to", "prod"), ("services", "echo")]);
    run.exits(0).prints("already set");
    assert_eq!(outputs["changed"], "false");

    let set_version = [("environment", "stage"), ("versions", "echo=v3")];
    Job::of_action(&repository, "set-version").run(&set_version).0.exits(0).prints("Pushed");
    let overlays = repository.git(["--git-dir", bare.to_str().unwrap(), "grep", "-h", "newTag", "main"]);
    assert!(overlays.contains("v2") && overlays.contains("v3"), "{overlays}");
    // Without an environment, a name in two places is ambiguous.
    Job::of_action(&repository, "set-version").run(&[("versions", "echo=v4")]).0.exits(2);
    for evil in ["--help", "$(touch pwned)"] {
        let (run, outputs) =
            Job::of_action(&repository, "promote").run(&[("from", evil), ("to", "prod"), ("all", "true")]);
        assert!(run.code != Some(0) && outputs["changed"] != "true", "{evil}");
    }
    assert!(!repository.top().join("pwned").exists());
}

/// A plugin that writes its arguments and its token down, and prints the document of a pull request.
const RECORDER: &str = r#"#!/bin/sh
{ printf '%s\n' "$@"; echo "token=$GITHUB_TOKEN"; } > "$0.arguments"
echo '{"changes": [], "refused": [], "commit": "c", "pushed": "ucp/pr/x", "pullRequest": "https://forge.example/1"}'
exit 4
"#;

#[test]
fn a_pull_request_instead_of_a_push() {
    let repository = Gitops::with(&[]);
    let tools = tempfile::tempdir().unwrap();
    let plugin = tools.path().join("kubectl-ucp");
    std::fs::write(&plugin, RECORDER).unwrap();
    std::fs::set_permissions(&plugin, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    for (name, inputs) in [
        ("set-image", [("environment", "stage"), ("images", "echo=v2")]),
        ("set-version", [("environment", "stage"), ("versions", "echo=v2")]),
        ("promote", [("from", "stage"), ("to", "prod")]),
    ] {
        let job = Job { environment: vec![("PATH", tools.path().to_owned())], ..Job::of_action(&repository, name) };
        let inputs: Vec<_> = inputs.into_iter().chain([("pr", "true"), ("token", "mine")]).collect();
        let (run, outputs) = job.run(&inputs);
        // A pull request that is incomplete fails the step.
        assert_eq!(run.code, Some(4), "{name}: {}", run.stdout);
        assert_eq!(outputs["pull-request"], "https://forge.example/1", "{name}");
        let arguments = std::fs::read_to_string(tools.path().join("kubectl-ucp.arguments")).unwrap();
        let has = |line: &str| arguments.lines().any(|found| found == line);
        assert!(has("--pr") && !has("--push") && !has("--commit") && has("token=mine"), "{name}: {arguments}");
    }
}

/// `gh` that keeps comments in a file, as GitHub's API returns them: a recorder of requests, and no model of GitHub.
const GH: &str = r#"#!/usr/bin/env bash
set -euo pipefail
here="$(dirname "$0")"
comments="$here/comments.json"
[ -e "$comments" ] || echo '[]' > "$comments"
echo "$*" >> "$here/requests"
case "$*" in
  *"--method POST"*"/issues/7/comments"*)
    jq --slurpfile body "${*: -2:1}" '. + [{id: (length + 1), user: {type: "Bot"}, body: $body[0].body}]' "$comments" > "$comments.new" ;;
  *"--method PATCH"*"/issues/comments/"*)
    id="${4##*/}"
    jq --argjson id "$id" --slurpfile body "${*: -2:1}" 'map(if .id == $id then .body = $body[0].body else . end)' "$comments" > "$comments.new" ;;
  *"--paginate"*"/issues/7/comments"*) cat "$comments"; exit ;;
  *) exit 1 ;;
esac
mv "$comments.new" "$comments"
"#;

#[test]
fn a_preview_is_a_single_comment_that_later_runs_update() {
    let Some(cluster) = support::start(Options::named("action")) else { return };
    let url = "https://git.example.org/platform/paper.git";
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "argocd"}});
    let application = json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": {"namespace": "argocd", "name": "echo"},
        "spec": {
            "project": "default",
            "source": {"repoURL": url, "path": "echo/overlays/stage"},
            "destination": {"server": "https://kubernetes.default.svc", "namespace": "default"},
        },
    });
    support::run(async || support::load::load_objects(&cluster.client(), vec![namespace, application]).await).unwrap();
    let repository = Gitops::paper("v1", "v1");
    repository.git(["remote", "add", "origin", url]);
    let tools = tempfile::tempdir().unwrap();
    let gh = tools.path().join("gh");
    std::fs::write(&gh, GH).unwrap();
    std::fs::set_permissions(&gh, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let comments = || -> Value {
        let text = std::fs::read_to_string(tools.path().join("comments.json")).unwrap_or_else(|_| "[]".into());
        serde_json::from_str(&text).unwrap()
    };
    // Of a person, who quotes the bot.
    let person = json!([{"id": 1, "user": {"type": "User"}, "body": "<!-- kubectl ucp plan -->"}]);
    std::fs::write(tools.path().join("comments.json"), person.to_string()).unwrap();
    let job = |name: &str| Job {
        environment: vec![
            ("PATH", tools.path().to_owned()),
            ("KUBECONFIG", cluster.kubeconfig().to_owned()),
            ("GITHUB_REPOSITORY", "example/gitops".into()),
        ],
        ..Job::of_action(&repository, name)
    };
    // As people write a list on several lines: with a final line end, and more.
    let paths = format!("\n  {}\r\n\n", repository.top().display());
    let inputs = [("pull-request", "7"), ("paths", paths.as_str())];
    for _ in 0..2 {
        let preview = job("plan");
        let (run, outputs) = preview.run(&inputs);
        let code = outputs["code"].clone();
        assert!(run.code == Some(0) && ["0", "1", "4"].contains(&code.as_str()), "{code}: {}", run.stdout);
        let comments = comments();
        assert_eq!(comments.as_array().unwrap().len(), 2, "{comments:#}");
        assert_eq!(comments[0]["body"], person[0]["body"]);
        let body = comments[1]["body"].as_str().unwrap();
        assert_eq!(body.strip_prefix("<!-- kubectl ucp plan -->\n"), Some(preview.summary().as_str()));
        if code != "0" {
            let fails = [inputs[0], inputs[1], ("fail-on-differences", "true"), ("fail-on-unknown", "true")];
            assert_eq!(job("plan").run(&fails).0.code, code.parse().ok());
        }
    }
    let requests = std::fs::read_to_string(tools.path().join("requests")).unwrap();
    assert_eq!(requests.matches("--method POST").count(), 1, "{requests}");
    job("plan").run(&[("pull-request", "7/../8")]).0.exits(2).prints("is a number");

    let checked = job("doctor");
    let (_, outputs) = checked.run(&[("fail-on-differences", "false"), ("fail-on-unknown", "false")]);
    assert!(["0", "1", "4"].contains(&outputs["code"].as_str()) && !checked.summary().is_empty(), "{outputs:?}");
    let file = tools.path().join("hub.tar.gz");
    let (run, outputs) = job("snapshot").run(&[("file", file.to_str().unwrap())]);
    run.exits(0);
    assert!(outputs["file"] == file.to_str().unwrap() && file.is_file());
}
