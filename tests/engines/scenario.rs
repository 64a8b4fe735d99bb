//! The output of `kubectl ucp` about something that an engine has just reported, in a table, and recorded on request.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::support::Cluster;
use crate::support::command::{Ran, run, ucp_on};

/// Where each scenario adds its rows, for people.
const TABLE: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/engines.md");

/// One look of `status` at a core cluster.
#[derive(Debug)]
pub struct StatusReport {
    document: Value,
}

impl StatusReport {
    /// Asks now.
    #[track_caller]
    pub fn of(hub: &Cluster) -> Self {
        let ran = run(ucp_on(hub, ["status", "-A", "-o", "json"]));
        assert!(matches!(ran.code, Some(0 | 4)), "{ran:#?}");
        Self { document: ran.json() }
    }

    /// Reads again later, with little patience: waiting objects are stuck now.
    #[track_caller]
    pub fn later(hub: &Cluster) -> Self {
        std::thread::sleep(Duration::from_secs(3));
        let ran = run(ucp_on(hub, ["status", "-A", "-o", "json", "--stuck-after", "1s"]));
        Self { document: ran.json() }
    }

    /// The findings of an object: `KIND/NAME` with `-n NAMESPACE` where it has one, the kind in small letters and without
    /// its group.
    pub fn about(&self, object: &str) -> Vec<&Value> {
        self.naming(object, "also", Some("object"))
    }

    /// Its only finding, or where it has none, the only one that holds it up.
    #[track_caller]
    pub fn finding(&self, object: &str) -> &Value {
        let own = self.about(object);
        let found = if own.is_empty() { self.naming(object, "holdsUp", None) } else { own };
        match found.as_slice() {
            [finding] => finding,
            others => panic!("{} findings about {object}: {:#}", others.len(), self.document),
        }
    }

    /// That nothing is wrong with an object.
    #[track_caller]
    pub fn nothing_about(&self, object: &str) {
        let found = self.naming(object, "also", Some("object")).len() + self.naming(object, "holdsUp", None).len();
        assert_eq!(found, 0, "{object}: {:#}", self.document);
    }

    /// The findings that name an object in a list, or in a field.
    fn naming(&self, object: &str, list: &str, field: Option<&str>) -> Vec<&Value> {
        let findings = self.document["findings"].as_array().into_iter().flatten();
        findings
            .filter(|finding| {
                let one = field.map(|field| &finding[field]);
                one.into_iter().chain(finding[list].as_array().into_iter().flatten()).any(|one| named(one) == object)
            })
            .collect()
    }

    /// The verdict of an engine's row.
    #[track_caller]
    pub fn engine(&self, name: &str) -> &str {
        let engines = self.document["engines"].as_array().into_iter().flatten();
        let verdict = engines.filter(|engine| engine["name"] == name).find_map(|engine| engine["verdict"].as_str());
        verdict.unwrap_or_else(|| panic!("no row of {name}: {:#}", self.document))
    }

    /// All of it, for a message.
    pub fn document(&self) -> &Value {
        &self.document
    }
}

fn named(object: &Value) -> String {
    let text = |field: &str| object[field].as_str().unwrap_or_default();
    let name = format!("{}/{}", text("kind").to_lowercase(), text("name"));
    if text("namespace").is_empty() { name } else { format!("{name} -n {}", text("namespace")) }
}

/// A finding in a few words: verdict, code, message.
pub fn words(finding: &Value) -> String {
    let text = |field: &str| finding[field].as_str().unwrap_or_default();
    format!("{} {}: {}", text("verdict"), text("code"), text("message"))
}

/// Asserts that a finding has this code, verdict, and all of these words.
#[track_caller]
pub fn expect(finding: &Value, verdict: &str, code: &str, has: &[&str]) -> String {
    assert_eq!((&finding["verdict"], &finding["code"]), (&verdict.into(), &code.into()), "{finding:#}");
    let message = finding["message"].as_str().unwrap_or_default();
    for words in has {
        assert!(message.contains(words), "{words:?} is not in {finding:#}");
    }
    words(finding)
}

/// Any other command on the core cluster.
#[track_caller]
pub fn ucp<'a>(hub: &Cluster, arguments: impl IntoIterator<Item = &'a str>) -> Ran {
    run(ucp_on(hub, arguments))
}

/// A row of the table.
pub fn row(scenario: &str, engine_state: &str, ucp_output: &str) {
    let cell = |text: &str| {
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|");
        let whole = line.chars().count() <= 160;
        if whole { line } else { line.chars().take(157).chain("...".chars()).collect() }
    };
    let line = format!("| {scenario} | {} | {} |\n", cell(engine_state), cell(ucp_output));
    // One write: rows of other threads stay whole.
    let table = File::options().create(true).append(true).open(Path::new(TABLE));
    table.and_then(|mut table| table.write_all(line.as_bytes())).expect("the table is written");
}

/// Where recordings are.
const RECORDINGS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/real/live");

/// With `RECORD=1`, writes these resources as a snapshot of this name, without fields that do not affect verdicts.
pub fn record(hub: &Cluster, scenario: &str, resources: &str) {
    if std::env::var("RECORD").as_deref() != Ok("1") {
        return;
    }
    let output = hub.kubectl(["get", "-A", "-o", "json", resources]).output().expect("kubectl");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let list: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let directory = Path::new(RECORDINGS).join(scenario);
    fs::create_dir_all(&directory).expect("a directory");
    let text: Vec<String> = list["items"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|object| {
            assert_ne!(object["kind"], "Secret", "a Secret is not recorded");
            serde_saphyr::to_string(&slim(object.clone())).expect("YAML")
        })
        .collect();
    fs::write(directory.join("objects.yaml"), text.join("---\n")).expect("a recording is written");
}

/// The manager and the time of a change matter; its fields do not.
fn slim(mut object: Value) -> Value {
    if let Some(annotations) = object["metadata"]["annotations"].as_object_mut() {
        annotations.remove("kubectl.kubernetes.io/last-applied-configuration");
    }
    without_fields(&mut object);
    object
}

/// At any depth: a managed resource may hold another object as it was seen.
fn without_fields(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| !["fieldsV1", "fieldsType"].contains(&name.as_str()));
            fields.values_mut().for_each(without_fields);
        }
        Value::Array(items) => items.iter_mut().for_each(without_fields),
        _ => {}
    }
}

/// The prediction of `teardown`.
#[derive(Debug)]
pub struct TeardownPrediction(Value);

impl TeardownPrediction {
    /// Runs the command; its exit code depends on whether something would be orphaned or stuck.
    #[track_caller]
    pub fn of(hub: &Cluster, target: &str, code: i32) -> Self {
        let arguments = ["teardown"].into_iter().chain(target.split_whitespace()).chain(["-o", "json"]);
        Self(ucp(hub, arguments).expect(code).json())
    }

    /// The fate of each object, with its name as in kubectl.
    pub fn fates(&self) -> Vec<(String, String)> {
        let items = self.0["items"].as_array().into_iter().flatten();
        items.map(|item| (exactly(&item["object"]), item["fate"].as_str().unwrap_or_default().to_owned())).collect()
    }

    /// The fate of an object, with its reason.
    #[track_caller]
    pub fn fate(&self, kind: &str, name: &str) -> (&str, &str) {
        let is_it = |item: &&Value| item["object"]["kind"] == kind && item["object"]["name"] == name;
        let item = self.0["items"].as_array().into_iter().flatten().find(is_it);
        let item = item.unwrap_or_else(|| panic!("{kind} {name}: {:#}", self.0));
        (item["fate"].as_str().unwrap_or_default(), item["reason"].as_str().unwrap_or_default())
    }

    /// The codes of all findings.
    pub fn codes(&self) -> Vec<&str> {
        self.0["findings"].as_array().into_iter().flatten().filter_map(|finding| finding["code"].as_str()).collect()
    }

    /// The steps: the title of each, and its commands.
    pub fn steps(&self) -> Vec<(String, Vec<String>)> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let steps = self.0["steps"].as_array().into_iter().flatten();
        steps
            .map(|step| {
                let commands = step["commands"].as_array().into_iter().flatten().map(text).collect();
                (text(&step["title"]), commands)
            })
            .collect()
    }

    /// All of it, for a message.
    pub fn document(&self) -> &Value {
        &self.0
    }
}

/// An object as kubectl finds it and no other: with the version and the group of its kind.
fn exactly(object: &Value) -> String {
    let text = |field: &str| object[field].as_str().unwrap_or_default();
    let kind = match text("apiVersion").split_once('/') {
        Some((group, version)) => format!("{}.{version}.{group}", text("kind")),
        None => text("kind").to_owned(),
    };
    let name = format!("{kind}/{}", text("name"));
    if text("namespace").is_empty() { name } else { format!("{name} -n {}", text("namespace")) }
}

/// Runs a command of a plan as a person would, in a shell. Returns its output if it failed.
pub fn follow(hub: &Cluster, command: &str) -> Result<(), String> {
    let plugin = crate::support::command::directory();
    let path = std::env::join_paths(
        std::iter::once(plugin).chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    );
    let output = std::process::Command::new("timeout")
        .args(["120", "sh", "-c", command])
        .env("KUBECONFIG", hub.kubeconfig())
        .env("HOME", hub.directory())
        .env("PATH", path.expect("a path"))
        .output()
        .expect("a shell");
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{}{}", String::from_utf8_lossy(&output.stderr), String::from_utf8_lossy(&output.stdout))),
    }
}
