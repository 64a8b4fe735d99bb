//! Cases in YAML files: the objects of a cluster, the arguments of a command, and what it must print. CONTRIBUTING.md
//! describes their fields.

use std::fs;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD as BASE64, URL_SAFE_NO_PAD};
use serde::Deserialize;
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
    let mut files: Vec<_> = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(directory))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    assert!(!files.is_empty(), "{directory} has no cases");
    let word = std::env::var("CASES").unwrap_or_default();
    let mut failures = Vec::new();
    for path in files {
        let text = fs::read_to_string(&path).unwrap();
        let file: CaseFile =
            serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for case in &file.cases {
            let title = format!("{}: {}", path.display(), case.name);
            if title.contains(&word) {
                failures.extend(run_case(&file, case).err().map(|reason| format!("{title}\n  {reason}")));
            }
        }
    }
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
    let ran = |more: &[&str]| {
        let mut command = ucp(file.command.iter().chain(&case.arguments));
        for path in &snapshots {
            command.arg("--from").arg(path);
        }
        command.args(more);
        let ran = run(command);
        let is_expected = ran.code == Some(case.exit);
        is_expected.then(|| ran.clone()).ok_or_else(|| format!("exit {}, but {:?}: {ran:?}", case.exit, ran.code))
    };
    if let Some(expected) = &case.json {
        compare("", expected, &ran(&["-o", "json"])?.json())?;
    }
    if case.stdout.is_some() || case.stderr.is_some() || case.json.is_none() {
        let Ran { stdout, stderr, .. } = ran(&[])?;
        for (name, expected, actual) in [("stdout", &case.stdout, stdout), ("stderr", &case.stderr, stderr)] {
            expected.as_ref().map_or(Ok(()), |expected| compare(name, &json!(expected), &json!(actual)))?;
        }
    }
    Ok(())
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
