//! Parameters of ApplicationSet generators that need no template: directories and files of Git, clusters, merges.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Map, Value, json};

use crate::manifests::checkout::{read_file, tree_files};
use crate::manifests::deployment::clean_path;
use crate::manifests::go_template::TemplateLanguage;
use crate::manifests::merge::{MergeStep, is_empty, merge_maps};
use ucp_client::source::snapshot::yaml;
use ucp_core::failure::{Failure, fail};
use ucp_core::model::glob;

/// A cluster that is registered with Argo CD, without its credentials.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RegisteredCluster {
    /// Its name.
    pub name: String,
    /// URL of its API server.
    pub server: String,
    /// Its project; empty if it has none.
    pub project: String,
    /// Labels of its Secret.
    pub labels: BTreeMap<String, String>,
    /// Annotations of its Secret.
    pub annotations: BTreeMap<String, String>,
}

impl RegisteredCluster {
    /// Reads a cluster Secret without its credentials.
    pub fn from_secret(secret: &Value) -> Self {
        let data = |key: &str| {
            let encoded = secret.get("data").and_then(|data| data.get(key)?.as_str()).unwrap_or_default();
            BASE64.decode(encoded).ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default()
        };
        let marks = |place: &str| -> BTreeMap<String, String> {
            let entries = secret.pointer(place).and_then(Value::as_object).into_iter().flatten();
            // kubectl's annotation has the whole Secret.
            let entries = entries.filter(|(key, _)| key.as_str() != "kubectl.kubernetes.io/last-applied-configuration");
            entries.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect()
        };
        Self {
            name: data("name"),
            server: data("server"),
            project: data("project"),
            labels: marks("/metadata/labels"),
            annotations: marks("/metadata/annotations"),
        }
    }
}

const IN_CLUSTER: &str = "https://kubernetes.default.svc";

/// Returns the parameters of a `git` generator for a tree.
///
/// # Errors
/// Fails when a file cannot be read or parsed.
pub fn git_parameters(top: &Path, git: &Value, language: TemplateLanguage) -> Result<Vec<Value>, Failure> {
    let prefix = git.get("pathParamPrefix").and_then(Value::as_str).unwrap_or_default();
    let patterns = |list: &str, is_excluded: bool| -> Vec<String> {
        let entries = git.get(list).and_then(Value::as_array).into_iter().flatten();
        let own = entries.filter(|entry| (entry.get("exclude").and_then(Value::as_bool) == Some(true)) == is_excluded);
        own.filter_map(|entry| Some(clean_path(entry.get("path")?.as_str()?))).collect()
    };
    let has = |list: &str| git.get(list).and_then(Value::as_array).is_some_and(|entries| !entries.is_empty());
    if has("directories") {
        let (wanted, excluded) = (patterns("directories", false), patterns("directories", true));
        let mut found = BTreeSet::new();
        directories_below(top, "", &mut found)?;
        let is_match = |patterns: &[String], path: &str| patterns.iter().any(|pattern| matches_path(pattern, path));
        let found = found.into_iter().filter(|path| is_match(&wanted, path) && !is_match(&excluded, path));
        return Ok(found.map(|path| path_parameters(&path, PathKind::Directory, prefix, language)).collect());
    }
    if !has("files") {
        return fail!("its git generator has neither directories nor files");
    }
    let (wanted, excluded) = (patterns("files", false), patterns("files", true));
    let is_match = |patterns: &[String], file: &str| patterns.iter().any(|pattern| matches_file(pattern, file));
    let is_regular = |file: &str| top.join(file).symlink_metadata().is_ok_and(|file| file.is_file());
    let mut files = tree_files(top)?;
    files.retain(|file| is_match(&wanted, file) && !is_match(&excluded, file) && is_regular(file));
    files.sort();
    let mut parameters = Vec::new();
    for file in &files {
        let bytes = read_file(&top.join(file)).map_err(|error| format!("{file}: {error}"))?;
        let objects = match yaml::parse_document(file, &bytes)? {
            Value::Null => vec![json!({})],
            Value::Object(fields) => vec![Value::Object(fields)],
            Value::Array(items) if items.iter().all(Value::is_object) => items,
            _ => return fail!("{file} is neither an object nor a list of objects"),
        };
        for object in objects {
            let mut set = match language {
                TemplateLanguage::Go { .. } => object,
                TemplateLanguage::Names => flat(&object).into_iter().map(|(key, text)| (key, json!(text))).collect(),
            };
            merge_over(&mut set, &path_parameters(file, PathKind::File, prefix, language));
            parameters.push(set);
        }
    }
    Ok(parameters)
}

/// The kind of a path that a Git generator found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PathKind {
    Directory,
    File,
}

/// Returns the parameters of a directory, or of a file.
fn path_parameters(path: &str, kind: PathKind, prefix: &str, language: TemplateLanguage) -> Value {
    let base = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let directory = match kind {
        PathKind::File => path.rsplit_once('/').map_or(".", |(directory, _)| directory).to_owned(),
        PathKind::Directory => path.to_owned(),
    };
    let mut fields = Map::from_iter([
        ("path".to_owned(), json!(directory)),
        ("basename".to_owned(), json!(base(&directory))),
        ("basenameNormalized".to_owned(), json!(normalize(&base(&directory)))),
    ]);
    if kind == PathKind::File {
        fields.insert("filename".to_owned(), json!(base(path)));
        fields.insert("filenameNormalized".to_owned(), json!(normalize(&base(path))));
    }
    match language {
        TemplateLanguage::Go { .. } => {
            fields.insert("segments".to_owned(), directory.split('/').collect());
            let own = json!({ "path": fields });
            if prefix.is_empty() { own } else { json!({ prefix: own }) }
        }
        TemplateLanguage::Names => {
            let name = if prefix.is_empty() { "path".to_owned() } else { format!("{prefix}.path") };
            let mut set = Map::new();
            for (key, value) in fields {
                let key = if key == "path" { name.clone() } else { format!("{name}.{key}") };
                set.insert(key, value);
            }
            let segments = directory.split('/').enumerate().filter(|(_, segment)| !segment.is_empty());
            set.extend(segments.map(|(at, segment)| (format!("{name}[{at}]"), json!(segment))));
            Value::Object(set)
        }
    }
}

/// Returns the parameters of a `clusters` generator.
pub fn cluster_parameters(generator: &Value, clusters: &[RegisteredCluster], language: TemplateLanguage) -> Vec<Value> {
    let selector = generator.get("selector").cloned().unwrap_or_default();
    let has_selector = ["matchLabels", "matchExpressions"].iter().any(|part| match selector.get(part) {
        Some(Value::Object(entries)) => !entries.is_empty(),
        Some(Value::Array(entries)) => !entries.is_empty(),
        _ => false,
    });
    let matching: Vec<&RegisteredCluster> =
        clusters.iter().filter(|cluster| matches_selector(&selector, &cluster.labels)).collect();
    let mut sets: Vec<Value> = matching.iter().map(|cluster| one_cluster(cluster, language)).collect();
    if !has_selector && !matching.iter().any(|cluster| cluster.server == IN_CLUSTER) {
        let own = RegisteredCluster {
            name: "in-cluster".to_owned(),
            server: IN_CLUSTER.to_owned(),
            ..RegisteredCluster::default()
        };
        let mut set = one_cluster(&own, language);
        if let Some(fields) = set.as_object_mut() {
            fields.remove("metadata");
        }
        sets.push(set);
    }
    sets
}

fn one_cluster(cluster: &RegisteredCluster, language: TemplateLanguage) -> Value {
    let mut set = json!({
        "name": cluster.name, "nameNormalized": normalize(&cluster.name), "server": cluster.server,
        "project": cluster.project,
    });
    for (place, entries) in [("annotations", &cluster.annotations), ("labels", &cluster.labels)] {
        match language {
            TemplateLanguage::Names => {
                for (key, value) in entries {
                    set[format!("metadata.{place}.{key}")] = json!(value);
                }
            }
            TemplateLanguage::Go { .. } if entries.is_empty() => {}
            TemplateLanguage::Go { .. } => set["metadata"][place] = json!(entries),
        }
    }
    if matches!(language, TemplateLanguage::Go { .. }) && set.get("metadata").is_none() {
        set["metadata"] = json!({});
    }
    set
}

/// Returns the parameters of a `list` generator.
///
/// # Errors
/// Fails when an element is not valid.
pub fn list_parameters(list: &Value, language: TemplateLanguage) -> Result<Vec<Value>, Failure> {
    let mut sets = Vec::new();
    for element in list.get("elements").and_then(Value::as_array).into_iter().flatten() {
        check_element(element)?;
        match language {
            TemplateLanguage::Go { .. } => sets.push(element.clone()),
            TemplateLanguage::Names => {
                let mut set = Map::new();
                for (key, value) in element.as_object().into_iter().flatten() {
                    match (key.as_str(), value) {
                        ("values", Value::Object(values)) => {
                            set.extend(values.iter().map(|(key, value)| (format!("values.{key}"), value.clone())));
                        }
                        (_, Value::String(_)) => drop(set.insert(key.clone(), value.clone())),
                        _ => return fail!("the value of {key} in its list is not a string"),
                    }
                }
                sets.push(Value::Object(set));
            }
        }
    }
    if let Some(text) = list.get("elementsYaml").and_then(Value::as_str).filter(|text| !text.is_empty()) {
        match yaml::parse_document("elementsYaml", text.as_bytes())? {
            Value::Array(items) => {
                items.iter().try_for_each(check_element)?;
                sets.extend(items);
            }
            _ => return fail!("its elementsYaml is not a list"),
        }
    }
    Ok(sets)
}

fn check_element(element: &Value) -> Result<(), Failure> {
    if element.is_object() { Ok(()) } else { fail!("an element of its list is not an object") }
}

/// Combines two parameter sets of a matrix.
///
/// # Errors
/// Fails when both have different values for a key, and the language does not allow it.
pub fn combine(first: &Value, second: &Value, language: TemplateLanguage) -> Result<Value, Failure> {
    let mut combined = second.clone();
    if language == TemplateLanguage::Names {
        for (key, value) in first.as_object().into_iter().flatten() {
            if second.get(key).is_some_and(|other| other != value) {
                return fail!("both generators of its matrix set {key}, to different values");
            }
        }
    }
    merge_over(&mut combined, first);
    Ok(combined)
}

/// Merges the parameter sets of several generators by keys.
///
/// # Errors
/// Fails when two sets of one generator have the same keys.
pub fn merge_by_keys(
    keys: &[String],
    generators: &[Vec<Value>],
    language: TemplateLanguage,
) -> Result<Vec<Value>, Failure> {
    let by_key = |sets: &[Value]| -> Result<BTreeMap<String, Value>, Failure> {
        let mut found = BTreeMap::new();
        for set in sets {
            let key: BTreeMap<&String, Option<&Value>> = keys.iter().map(|key| (key, set.get(key))).collect();
            let key = json!(key).to_string();
            if found.insert(key.clone(), set.clone()).is_some() {
                return fail!("two parameter sets of its merge have the keys {key}");
            }
        }
        Ok(found)
    };
    if keys.is_empty() {
        return fail!("its merge generator has no mergeKeys");
    }
    let Some((base, others)) = generators.split_first() else { return Ok(Vec::new()) };
    let mut merged = by_key(base)?;
    for other in others {
        let other = by_key(other)?;
        for (key, set) in &mut merged {
            if let Some(over) = other.get(key) {
                match (language, set.as_object_mut(), over.as_object()) {
                    (TemplateLanguage::Names, Some(set), Some(over)) => {
                        set.extend(over.iter().map(|(key, value)| (key.clone(), value.clone())));
                    }
                    _ => merge_over(set, over),
                }
            }
        }
    }
    Ok(merged.into_values().collect())
}

/// Merges maps as `mergo.WithOverride` does: values that are not empty replace others.
fn merge_over(into: &mut Value, from: &Value) {
    merge_maps(
        into,
        from,
        |known, value| {
            if known.is_some() && is_empty(value) { MergeStep::Keep } else { MergeStep::Set }
        },
    );
}

/// Returns true if labels match a selector of the API: `matchLabels` and `matchExpressions`.
pub fn matches_selector(selector: &Value, labels: &BTreeMap<String, String>) -> bool {
    let equal = selector.get("matchLabels").and_then(Value::as_object).into_iter().flatten();
    let mut equal = equal.map(|(key, value)| labels.get(key).map(String::as_str) == value.as_str());
    let expressions = selector.get("matchExpressions").and_then(Value::as_array).into_iter().flatten();
    let mut expressions = expressions.map(|expression| {
        let text = |key: &str| expression.get(key).and_then(Value::as_str).unwrap_or_default();
        let label = labels.get(text("key"));
        let values = expression.get("values").and_then(Value::as_array).into_iter().flatten();
        let is_listed = label.is_some_and(|label| values.filter_map(Value::as_str).any(|value| value == label));
        match text("operator") {
            "In" => is_listed,
            "NotIn" => !is_listed,
            "Exists" => label.is_some(),
            "DoesNotExist" => label.is_none(),
            _ => false,
        }
    });
    equal.all(|matches| matches) && expressions.all(|matches| matches)
}

/// Returns every value of an object as text, with its path as key.
pub fn flat(object: &Value) -> BTreeMap<String, String> {
    fn add(prefix: &str, value: &Value, found: &mut BTreeMap<String, String>) {
        let join = |key: &str| if prefix.is_empty() { key.to_owned() } else { format!("{prefix}.{key}") };
        match value {
            Value::Object(fields) if !fields.is_empty() => {
                fields.iter().for_each(|(key, value)| add(&join(key), value, found));
            }
            Value::Array(items) if !items.is_empty() => {
                items.iter().enumerate().for_each(|(at, value)| add(&join(&at.to_string()), value, found));
            }
            Value::String(text) => drop(found.insert(prefix.to_owned(), text.clone())),
            other => drop(found.insert(prefix.to_owned(), other.to_string())),
        }
    }
    let mut found = BTreeMap::new();
    if let Value::Object(fields) = object {
        fields.iter().for_each(|(key, value)| add(key, value, &mut found));
    }
    found
}

/// Argo CD's `SanitizeName`.
pub fn normalize(name: &str) -> String {
    let letters = name.to_lowercase();
    let letters = letters.chars().map(|letter| match letter {
        'a'..='z' | '0'..='9' | '-' | '.' => letter,
        _ => '-',
    });
    letters.take(253).collect::<String>().trim_matches(['-', '.']).to_owned()
}

/// Returns true if a path matches a glob whose `*` and `?` match no slash.
fn matches_path(pattern: &str, path: &str) -> bool {
    let (pattern, path): (Vec<&str>, Vec<&str>) = (pattern.split('/').collect(), path.split('/').collect());
    pattern.len() == path.len() && pattern.iter().zip(&path).all(|(pattern, part)| glob::matches(pattern, part))
}

/// Returns true if a file matches a pathspec of Git: `*` matches slashes, and a directory matches its files.
fn matches_file(pattern: &str, file: &str) -> bool {
    let is_below = file.strip_prefix(pattern).is_some_and(|rest| rest.starts_with('/'));
    let shorter = pattern.replace("**/", "");
    is_below || glob::matches(pattern, file) || shorter != pattern && glob::matches(&shorter, file)
}

/// Adds the directories of a tree that are not hidden.
fn directories_below(top: &Path, prefix: &str, found: &mut BTreeSet<String>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(top.join(prefix))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type()?.is_dir() && !name.starts_with('.') {
            let path = if prefix.is_empty() { name } else { format!("{prefix}/{name}") };
            directories_below(top, &path, found)?;
            found.insert(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifests::checkout::tree_with;

    const GO: TemplateLanguage = TemplateLanguage::Go { fails_on_missing_keys: false };

    #[test]
    fn directories_and_files_of_git_become_parameters() {
        let (tree, _) = tree_with(&[
            "apps/One/a=1",
            "apps/two/sub/b=1",
            "apps/.hidden/c=1",
            "env/p/config.json={\"a\": {\"b\": 1}}",
        ]);
        let directories = json!({"directories": [{"path": "apps/*"}, {"path": "apps/two", "exclude": true}]});
        assert_eq!(
            git_parameters(tree.path(), &directories, TemplateLanguage::Names).unwrap(),
            [
                json!({"path": "apps/One", "path.basename": "One", "path.basenameNormalized": "one", "path[0]": "apps", "path[1]": "One"})
            ]
        );
        let files = json!({"files": [{"path": "env/**/config.json"}], "pathParamPrefix": "x"});
        let found = git_parameters(tree.path(), &files, GO).unwrap();
        assert_eq!(
            (found.len(), &found[0]["a"]["b"], &found[0]["x"]["path"]["filename"]),
            (1, &json!(1), &json!("config.json"))
        );
        let found = git_parameters(tree.path(), &files, TemplateLanguage::Names).unwrap();
        assert_eq!((&found[0]["a.b"], &found[0]["x.path.basename"]), (&json!("1"), &json!("p")));
    }

    #[test]
    fn clusters_are_selected_by_labels_and_the_own_cluster_is_added() {
        let cluster = |name: &str, stage: &str| RegisteredCluster {
            name: name.to_owned(),
            server: format!("https://{name}"),
            labels: BTreeMap::from([("stage".to_owned(), stage.to_owned())]),
            ..RegisteredCluster::default()
        };
        let clusters = [cluster("a", "prod"), cluster("b", "dev")];
        let names = |generator: Value| -> Vec<String> {
            let sets = cluster_parameters(&generator, &clusters, GO);
            sets.iter().map(|set| set["name"].as_str().unwrap().to_owned()).collect()
        };
        assert_eq!(names(json!({})), ["a", "b", "in-cluster"]);
        assert_eq!(names(json!({"selector": {"matchLabels": {"stage": "prod"}}})), ["a"]);
        let expression = json!({"key": "stage", "operator": "NotIn", "values": ["prod"]});
        assert_eq!(names(json!({"selector": {"matchExpressions": [expression]}})), ["b"]);
    }

    #[test]
    fn merges_override_the_first_generator() {
        let sets = [
            vec![json!({"k": "1", "a": "x"}), json!({"k": "2", "a": "y"})],
            vec![json!({"k": "2", "a": "z"}), json!({"k": "3"})],
        ];
        let merged = merge_by_keys(&["k".to_owned()], &sets, GO).unwrap();
        assert_eq!(merged, [json!({"k": "1", "a": "x"}), json!({"k": "2", "a": "z"})]);
        assert!(merge_by_keys(&["a".to_owned()], &[vec![json!({"a": 1}), json!({"a": 1})]], GO).is_err());
        assert!(combine(&json!({"a": "1"}), &json!({"a": "2"}), TemplateLanguage::Names).is_err());
    }

    #[test]
    fn elements_that_are_not_objects_are_refused() {
        for list in
            [json!({"elements": ["a"]}), json!({"elements": [{"a": "b"}, 3]}), json!({"elementsYaml": "[a, b]"})]
        {
            for language in [GO, TemplateLanguage::Names] {
                assert!(list_parameters(&list, language).is_err(), "{list}");
            }
        }
    }
}
