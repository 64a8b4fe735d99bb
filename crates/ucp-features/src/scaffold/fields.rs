//! Distinguishes the syntax of a document's format from user-defined names: keys, and values that refer to keys. A
//! service may have the name of a field.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use ucp_repo::gitops::path;
use ucp_repo::yaml::tree::{NodeContent, YamlNode};

/// Keys of mappings from service names to services.
pub(super) const MAPPINGS: [&str; 7] =
    ["services", "apps", "applications", "releases", "deployments", "workloads", "components"];

/// Maps with user-defined keys.
const DATA: [&str; 3] = ["data", "binaryData", "stringData"];
const LABELS: [&str; 10] = [
    "labels",
    "matchLabels",
    "selector",
    "nodeSelector",
    "annotations",
    "commonLabels",
    "commonAnnotations",
    "podLabels",
    "podAnnotations",
    "pairs",
];

/// Common labels that describe an object independently of its name.
const CUSTOMARY: [&str; 15] = [
    "app",
    "name",
    "component",
    "tier",
    "version",
    "env",
    "environment",
    "role",
    "release",
    "chart",
    "heritage",
    "service",
    "instance",
    "team",
    "k8s-app",
];

/// Keys whose value is a keyword of the format.
const WORDS: [&str; 7] = ["apiVersion", "apiGroup", "apiGroups", "verbs", "op", "behavior", "appProtocol"];

/// Keys whose value is a path of fields.
const WAYS: [&str; 7] =
    ["fieldPath", "fieldPaths", "jsonPath", "jsonPointers", "jqPathExpressions", "fromFieldPath", "toFieldPath"];

/// Keys whose value is a program, its arguments, or its working directory.
const PROGRAMS: [&str; 3] = ["command", "args", "workingDir"];

/// An absolute path, alone or after a flag.
static ABSOLUTE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#"(?:^|[\s='"])(/[^\s'"=]+)"#).ok());

/// The paths of a chart's values.
static VALUES: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\.Values((?:\.\w+)+)").ok());

/// A key and its value on one line.
static LINE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"(?m)^[ \t]*(?:- +)*["']?([\w.-]+)["']?[ \t]*:(?:[ \t]+([^\r\n]*))?\r?$"#).ok());

/// Adds the spans of a document's syntax, in bytes of its text.
pub(super) fn keep(text: &str, document: &YamlNode, mounted: &BTreeSet<String>, kept: &mut Vec<Range<usize>>) {
    let is_object = document.get("kind").is_some();
    below(text, document, None, is_object, kept);
    document.walk().into_iter().for_each(|node| keep_programs(text, node, mounted, kept));
}

/// Returns true if the value of a key may be part of the format, when its context is unknown.
pub(super) fn may_be_word(key: &str) -> bool {
    WORDS.contains(&key)
        || WAYS.contains(&key)
        || PROGRAMS.contains(&key)
        || ["resources", "group", "version", "key", "topologyKey"].contains(&key)
}

/// Returns the paths of a chart's values, which consist of keys.
pub(super) fn chart_value_paths(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    VALUES.iter().flat_map(|ways| ways.captures_iter(text)).filter_map(|found| Some(found.get(1)?.range()))
}

/// Returns true if the value of a key is a program, its arguments, or its working directory.
pub(super) fn is_program(key: &str) -> bool {
    PROGRAMS.contains(&key)
}

/// Returns the paths in a program's arguments that are inside its image, not in a mounted volume.
pub(super) fn paths_inside(text: &str, mounted: &BTreeSet<String>) -> Vec<Range<usize>> {
    let is_mounted = |path: &str| mounted.iter().any(|directory| path == directory || path::is_below(path, directory));
    let paths = ABSOLUTE.iter().flat_map(|absolute| absolute.captures_iter(text)).filter_map(|found| found.get(1));
    paths.filter(|path| !is_mounted(path.as_str())).map(|path| path.range()).collect()
}

/// Adds the content of the image: its program, and paths that are not in a mounted volume.
fn keep_programs(text: &str, node: &YamlNode, mounted: &BTreeSet<String>, kept: &mut Vec<Range<usize>>) {
    for (key, value) in node.entries() {
        let key = key.text().filter(|key| PROGRAMS.contains(key)).unwrap_or_default();
        if key.is_empty() {
            continue;
        }
        for (index, word) in value.items().iter().chain(value.text().map(|_| value)).enumerate() {
            let raw = text.get(word.span.clone()).unwrap_or_default();
            let program = word.text().unwrap_or_default();
            if key == "command" && index == 0 && !program.starts_with('/') && !program.contains(char::is_whitespace) {
                kept.push(word.span.clone());
            }
            let paths = paths_inside(raw, mounted).into_iter();
            kept.extend(paths.map(|path| word.span.start + path.start..word.span.start + path.end));
        }
    }
}

/// Returns the keys of a text that is not YAML, such as a template, and the values of some of them.
pub(super) fn keys_and_values_in_lines(text: &str, is_kept: &dyn Fn(&str) -> bool) -> Vec<Range<usize>> {
    let keys = LINE.iter().flat_map(|line| line.captures_iter(text)).filter_map(|found| found.get(1));
    let keys = keys.filter(|key| !is_compound(key.as_str())).map(|key| key.range());
    keys.chain(values_in_lines(text, is_kept)).collect()
}

/// Returns the values of some keys in a text that is not YAML.
pub(super) fn values_in_lines(text: &str, is_kept: &dyn Fn(&str) -> bool) -> Vec<Range<usize>> {
    let lines = LINE.iter().flat_map(|line| line.captures_iter(text));
    let value = |found: regex::Captures<'_>| found.get(2).filter(|_| is_kept(&found[1])).map(|value| value.range());
    lines.filter_map(value).collect()
}

fn below(text: &str, node: &YamlNode, parent: Option<&str>, is_object: bool, kept: &mut Vec<Range<usize>>) {
    let has = |key: &str| node.get(key).is_some();
    for (key, value) in node.entries() {
        let name = key.text().unwrap_or_default();
        if !is_own(parent, name, value, is_object) {
            kept.push(key.span.clone());
        }
        let scalars =
            || [value].into_iter().chain(value.items()).filter(|node| matches!(node.content, NodeContent::Scalar(..)));
        let is_word = match name {
            "resources" => has("verbs"),
            "group" | "version" => has("kind"),
            "key" => has("operator") && value.text().is_some_and(is_label),
            "topologyKey" => value.text().is_some_and(is_label),
            // Parameters of a chart have the names of its values, and dependencies the names of other charts.
            "name" if parent == Some("dependencies") => {
                !is_object && node.text_at("repository").is_some_and(|repository| !repository.starts_with("file:"))
            }
            "name" => {
                parent == Some("parameters") && has("value") && value.text().is_some_and(|text| text.contains('.'))
            }
            name => WORDS.contains(&name),
        };
        if is_word {
            kept.extend(scalars().map(|node| node.span.clone()));
        }
        if WAYS.contains(&name) || name == "path" && has("op") {
            for node in scalars() {
                keep_path_fields(text.get(node.span.clone()).unwrap_or_default(), node.span.start, kept);
            }
        }
        below(text, value, Some(name), is_object, kept);
    }
    node.items().iter().for_each(|item| below(text, item, parent, is_object, kept));
}

/// Returns true if a key is user-defined: in a map of such keys, or a word that no API uses as a field.
fn is_own(parent: Option<&str>, key: &str, value: &YamlNode, is_object: bool) -> bool {
    match parent {
        Some(parent) if DATA.contains(&parent) => true,
        Some(parent) if LABELS.contains(&parent) => !is_label(key),
        Some(parent) if MAPPINGS.contains(&parent) && !value.entries().is_empty() => true,
        _ => is_object && is_compound(key) && !key.contains('/'),
    }
}

/// Returns true if a label is a common one.
fn is_label(key: &str) -> bool {
    key.contains('/') || CUSTOMARY.contains(&key)
}

fn is_compound(key: &str) -> bool {
    key.contains(['-', '_', '.'])
}

/// Adds the fields of a path. Elements selected by name and user-defined keys are not fields.
fn keep_path_fields(way: &str, start: usize, kept: &mut Vec<Range<usize>>) {
    let (mut is_own, mut is_of_labels) = (false, false);
    let mut at = 0;
    for step in way.split(['.', '/', '[', ']', '\'', '"', '(', ')']) {
        let name = step.split('=').next().unwrap_or_default();
        if !is_own || is_of_labels && CUSTOMARY.contains(&name) || step.contains('=') {
            kept.push(start + at..start + at + name.len());
        }
        is_of_labels |= LABELS.contains(&name);
        is_own |= is_of_labels || DATA.contains(&name);
        at += step.len() + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ucp_repo::yaml::tree;

    #[test]
    fn a_remote_chart_keeps_its_name_and_a_local_chart_is_renamed() {
        let text = "name: quotes\ndependencies:\n- name: quotes\n  repository: https://charts.example.org\n- name: quotes\n  repository: file://../quotes\n";
        let document = tree::parse_one(text).unwrap();
        let mut kept = Vec::new();
        keep(text, &document, &BTreeSet::new(), &mut kept);
        let values = kept.into_iter().filter(|range| text.get(range.clone()) == Some("quotes"));
        assert_eq!(values.map(|range| range.start).collect::<Vec<_>>(), [text.find("- name: ").unwrap() + 8]);
    }
}
