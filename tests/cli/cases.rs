//! Cases in YAML files: the objects of a cluster, the arguments of a command, and its expected output. CONTRIBUTING.md
//! describes their fields.

use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD as BASE64, URL_SAFE_NO_PAD};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::support::command::{Ran, run, ucp};
use crate::support::objects::{MADE, index, object, snapshot};

/// Any text in an expected one.
const ANYTHING: &str = "[..]";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseFile {
    /// The command with the arguments that all cases share.
    command: Vec<String>,
    /// The moment of the snapshots: that of an additional object, which is newer than all others.
    now: Option<String>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    #[serde(default)]
    arguments: Vec<String>,
    /// The objects of one cluster. Lists of objects count as their items, so that an alias can stand for several.
    #[serde(default)]
    objects: Vec<Value>,
    /// The time in the index of the snapshots, which have one like those of this program.
    taken: Option<String>,
    /// The objects of several clusters.
    #[serde(default)]
    clusters: Vec<Vec<Value>>,
    exit: i32,
    /// A part of the document that `-o json` prints.
    json: Option<Value>,
    stdout: Option<String>,
    stderr: Option<String>,
}

/// Runs every case of every file in a directory, and fails with a list of those that differ. `CASES=WORD` runs only those
/// whose file or name contains a word.
pub(crate) fn run_all(directory: &str) {
    let mut failures = Vec::new();
    for (path, file) in files::<CaseFile>(directory) {
        for case in file.cases.iter().filter(|case| is_selected(&path, &case.name)) {
            failures.extend(run_case(&file, case).err().map(|reason| format!("{path}: {}\n  {reason}", case.name)));
        }
    }
    fail_with(&failures);
}

/// Returns the files of a directory with their names, in order.
pub(crate) fn files<T: DeserializeOwned>(directory: &str) -> Vec<(String, T)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join(directory);
    let mut paths: Vec<_> = fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "{} has no cases", directory.display());
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        let file = serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        (path.display().to_string(), file)
    };
    paths.into_iter().map(read).collect()
}

/// Returns true if `CASES` is a part of the name of a case or of its file, or not set.
pub(crate) fn is_selected(path: &str, name: &str) -> bool {
    let word = std::env::var("CASES").unwrap_or_default();
    path.contains(&word) || name.contains(&word)
}

#[track_caller]
pub(crate) fn fail_with(failures: &[String]) {
    assert!(failures.is_empty(), "{} cases differ:\n{}", failures.len(), failures.join("\n"));
}

fn run_case(file: &CaseFile, case: &Case) -> Result<(), String> {
    let directory = tempfile::tempdir().unwrap();
    let one = std::slice::from_ref(&case.objects);
    let clusters = if case.clusters.is_empty() { one } else { &case.clusters };
    let snapshots: Vec<_> = (clusters.iter().enumerate())
        .map(|(number, objects)| {
            let clock =
                |now: &String| object("v1", "Namespace", "clock", json!({"metadata": {"creationTimestamp": now}}));
            let objects: Vec<Value> =
                objects.iter().flat_map(flattened).map(completed).chain(file.now.as_ref().map(clock)).collect();
            let path = snapshot(&directory, &format!("core-{number}.json"), &objects).unwrap();
            let Some(taken) = &case.taken else { return path };
            let indexed = directory.path().join(format!("core-{number}.yaml"));
            let text = format!("{}\n---\n{}\n", index(taken, ""), fs::read_to_string(path).unwrap());
            fs::write(&indexed, text).unwrap();
            indexed
        })
        .collect();
    let expected = Expected {
        exit: case.exit,
        json: case.json.as_ref(),
        stdout: case.stdout.as_deref(),
        stderr: case.stderr.as_deref(),
    };
    expected.compare_runs(|more| {
        let mut command = ucp(file.command.iter().chain(&case.arguments));
        for path in &snapshots {
            command.arg("--from").arg(path);
        }
        command.args(more);
        run(command)
    })
}

/// The expected exit code and output of a command.
pub(crate) struct Expected<'a> {
    pub(crate) exit: i32,
    pub(crate) json: Option<&'a Value>,
    pub(crate) stdout: Option<&'a str>,
    pub(crate) stderr: Option<&'a str>,
}

impl Expected<'_> {
    /// Runs a command with `-o json`, without it, or both, depending on the expectation, and fails with the first difference.
    pub(crate) fn compare_runs(&self, run: impl Fn(&[&str]) -> Ran) -> Result<(), String> {
        if self.json.is_some() {
            self.compare_document(&run(&["-o", "json"]))?;
        }
        let is_text = self.stdout.is_some() || self.stderr.is_some() || self.json.is_none();
        if is_text { self.compare_text(&run(&[])) } else { Ok(()) }
    }

    pub(crate) fn compare_document(&self, ran: &Ran) -> Result<(), String> {
        self.compare_exit(ran)?;
        self.json.map_or(Ok(()), |expected| compare("", expected, &ran.json()))
    }

    pub(crate) fn compare_text(&self, ran: &Ran) -> Result<(), String> {
        self.compare_exit(ran)?;
        for (name, expected, actual) in [("stdout", self.stdout, &ran.stdout), ("stderr", self.stderr, &ran.stderr)] {
            expected.map_or(Ok(()), |expected| compare(name, &json!(expected), &json!(actual)))?;
        }
        Ok(())
    }

    fn compare_exit(&self, ran: &Ran) -> Result<(), String> {
        match ran.code == Some(self.exit) {
            true => Ok(()),
            false => Err(format!("exit must be {}, but is {:?}: {ran:?}", self.exit, ran.code)),
        }
    }
}

fn flattened(value: &Value) -> Vec<Value> {
    match value {
        Value::Array(items) => items.iter().flat_map(flattened).collect(),
        object => vec![object.clone()],
    }
}

/// Adds the time of creation to an object, and replaces `stringData` of a Secret, as a server does.
fn completed(mut object: Value) -> Value {
    let metadata = object["metadata"].as_object_mut().expect("an object has metadata");
    metadata.entry("creationTimestamp").or_insert_with(|| json!(MADE));
    if let Some(texts) = object.as_object_mut().and_then(|object| object.remove("stringData")) {
        for (key, text) in texts.as_object().unwrap() {
            object["data"][key] = json!(BASE64.encode(generated(text.as_str().unwrap())));
        }
    }
    object
}

/// Replaces `${certificate FROM UNTIL}` and `${token FROM UNTIL}` by ones that are valid for this time.
fn generated(text: &str) -> String {
    let Some((before, rest)) = text.split_once("${") else { return text.to_owned() };
    let (inside, after) = rest.split_once('}').expect("a closing brace");
    let words: Vec<&str> = inside.split(' ').collect();
    let made = match words.as_slice() {
        ["certificate", from, until] => certificate(from, until),
        ["token", from, until] => token(from, until),
        _ => panic!("no value is called '{inside}'"),
    };
    format!("{before}{made}{}", generated(after))
}

fn certificate(from: &str, until: &str) -> String {
    let day = |text: &str| {
        let date: jiff::civil::Date = text.parse().unwrap();
        rcgen::date_time_ymd(date.year().into(), date.month().unsigned_abs(), date.day().unsigned_abs())
    };
    let mut params = rcgen::CertificateParams::default();
    (params.not_before, params.not_after) = (day(from), day(until));
    params.self_signed(&rcgen::KeyPair::generate().unwrap()).unwrap().pem()
}

fn token(from: &str, until: &str) -> String {
    let second = |text: &str| text.parse::<jiff::Timestamp>().unwrap().as_second();
    let claims = json!({"iat": second(from), "exp": second(until)}).to_string();
    format!("e30.{}.c2ln", URL_SAFE_NO_PAD.encode(claims))
}

/// Fails with the path of the first difference. Only the expected fields are compared, and all items of lists.
fn compare(path: &str, expected: &Value, actual: &Value) -> Result<(), String> {
    match (expected, actual) {
        (Value::Object(fields), Value::Object(_)) => fields.iter().try_for_each(|(name, expected)| {
            compare(&format!("{path}.{name}"), expected, actual.get(name).unwrap_or(&Value::Null))
        }),
        (Value::Array(items), Value::Array(others)) if items.len() == others.len() => (items.iter().zip(others))
            .enumerate()
            .try_for_each(|(index, (expected, actual))| compare(&format!("{path}[{index}]"), expected, actual)),
        (Value::String(text), Value::String(other)) if is_match(text, other) => Ok(()),
        (expected, actual) if expected == actual => Ok(()),
        _ => Err(format!("{path} must be {expected}, but is {actual}")),
    }
}

fn is_match(expected: &str, actual: &str) -> bool {
    let Some((start, rest)) = expected.split_once(ANYTHING) else { return expected == actual };
    let Some(mut left) = actual.strip_prefix(start) else { return false };
    let mut parts: Vec<&str> = rest.split(ANYTHING).collect();
    let end = parts.pop().unwrap_or_default();
    for part in parts {
        let Some((_, after)) = left.split_once(part) else { return false };
        left = after;
    }
    left.ends_with(end)
}

#[test]
fn a_difference_is_found() {
    let actual = json!({"a": [{"b": "one two three"}, {"b": 1}], "c": null});
    for same in [
        json!({}),
        json!({"c": null}),
        json!({"a": [{"b": "one[..]e"}, {}]}),
        json!({"a": [{"b": "[..]two[..]"}, {"b": 1}]}),
    ] {
        assert_eq!(compare("", &same, &actual), Ok(()));
    }
    for other in
        [json!({"a": []}), json!({"a": [{"b": "one"}, {}]}), json!({"d": 1}), json!({"a": [{"b": "[..]four[..]"}, {}]})]
    {
        assert!(compare("", &other, &actual).is_err(), "{other}");
    }
    assert!(!is_match("one two[..]two three", "one two three"));
}
