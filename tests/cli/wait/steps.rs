//! Cases of `wait` in which an author and a controller change one object step by step. CONTRIBUTING.md describes their fields.

use serde::Deserialize;

use super::*;
use crate::cases::{Expected, fail_with, files, is_selected};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StepFile {
    cases: Vec<StepCase>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StepCase {
    name: String,
    /// The kind of the object: its API version, kind, and namespace.
    object: ObjectKind,
    steps: Vec<Step>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ObjectKind {
    api_version: String,
    kind: String,
    namespace: Option<String>,
}

/// The events of one step, in the order of these fields.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    /// The manifest that the author applies.
    write: Option<Value>,
    /// The status that the controller reports.
    status: Option<Value>,
    /// How the run ends that began in an earlier step.
    end: Option<StepRun>,
    /// Runs that look once.
    #[serde(default)]
    looks: Vec<StepRun>,
    /// Runs that wait, and end by themselves.
    #[serde(default)]
    waits: Vec<StepRun>,
    /// The arguments of a run that begins now.
    begin: Option<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StepRun {
    #[serde(default)]
    arguments: Vec<String>,
    exit: i32,
    json: Option<Value>,
    stdout: Option<String>,
    stderr: Option<String>,
}

impl StepRun {
    fn expected(&self) -> Expected<'_> {
        Expected {
            exit: self.exit,
            json: self.json.as_ref(),
            stdout: self.stdout.as_deref(),
            stderr: self.stderr.as_deref(),
        }
    }

    /// Runs `wait` for an object.
    fn run(&self, cluster: &Cluster, object: &Object, more: &[&str]) -> Result<(), String> {
        let shown = object.shown();
        let arguments: Vec<&str> =
            [shown.as_str()].into_iter().chain(self.arguments.iter().map(String::as_str)).collect();
        self.expected().compare_runs(|output| wait(cluster, &[&arguments, more, output].concat()))
    }
}

/// Runs all cases at the same time, since most of a run is waiting.
pub(super) fn run_all(cluster: &Cluster, directory: &str) {
    let files: Vec<(String, StepFile)> = files(directory);
    let cases = files.iter().flat_map(|(path, file)| file.cases.iter().map(move |case| (path, case)));
    let failures: Vec<String> = std::thread::scope(|scope| {
        let begun: Vec<_> = cases
            .filter(|(path, case)| is_selected(path, &case.name))
            .map(|(path, case)| (path, case, scope.spawn(|| run_case(cluster, case))))
            .collect();
        let failure =
            |(path, case, thread): (&String, &StepCase, std::thread::ScopedJoinHandle<'_, Result<(), String>>)| {
                let reason = thread.join().unwrap_or_else(|_| Err("it panicked".to_owned())).err()?;
                Some(format!("{path}: {}: {reason}", case.name))
            };
        begun.into_iter().filter_map(failure).collect()
    });
    fail_with(&failures);
}

fn run_case(cluster: &Cluster, case: &StepCase) -> Result<(), String> {
    let ObjectKind { api_version, kind, namespace } = &case.object;
    let (group, version) = api_version.split_once('/').expect("a group and a version");
    let object = Object::new(group, version, kind, namespace.as_deref());
    let mut waiting = None;
    for (number, step) in case.steps.iter().enumerate() {
        let outcome = run_step(cluster, &object, step, &mut waiting);
        outcome.map_err(|reason| format!("step {}: {reason}", number + 1))?;
    }
    assert!(waiting.is_none(), "{}: a run that began must have an end", case.name);
    Ok(())
}

fn run_step(cluster: &Cluster, object: &Object, step: &Step, waiting: &mut Option<Waiting>) -> Result<(), String> {
    if let Some(fields) = &step.write {
        object.write(cluster, fields.clone());
    }
    if let Some(status) = &step.status {
        object.report(cluster, completed(status.clone()));
    }
    if let Some(end) = &step.end {
        let ran = waiting.take().expect("a run that began").end();
        end.expected().compare_text(&ran)?;
    }
    step.looks.iter().try_for_each(|look| look.run(cluster, object, &["--timeout", "0"]))?;
    step.waits.iter().try_for_each(|wait| wait.run(cluster, object, &[]))?;
    if let Some(arguments) = &step.begin {
        let shown = object.shown();
        let arguments: Vec<&str> = [shown.as_str()].into_iter().chain(arguments.iter().map(String::as_str)).collect();
        *waiting = Some(Waiting::begin(cluster, &arguments));
    }
    Ok(())
}

/// Replaces `NOW` by the time, and adds it and a message to conditions without them.
fn completed(mut status: Value) -> Value {
    for condition in status.get_mut("conditions").and_then(Value::as_array_mut).into_iter().flatten() {
        let condition = condition.as_object_mut().expect("a condition has fields");
        condition.entry("lastTransitionTime").or_insert_with(|| json!(now()));
        condition.entry("message").or_insert_with(|| json!(""));
    }
    if status["reconciledAt"] == "NOW" {
        status["reconciledAt"] = json!(now());
    }
    status
}
