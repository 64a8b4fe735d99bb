//! Mentions of a service in shared files that are not copied, and that the user may want to copy.

use super::fields::MAPPINGS;
use super::shared::{self, RELATIONS};
use super::subject::CopySubject;
use super::terms::{CopyTerms, FILES};
use ucp_repo::gitops::files;
use ucp_repo::gitops::path;
use ucp_repo::yaml::tree::{self, YamlNode};

/// A mention of the service: its line, and the key that contains it.
#[derive(Debug, PartialEq, Eq)]
pub struct UncopiedMention {
    /// The line number, starting at 1.
    pub line: usize,
    /// The key that contains the mention.
    pub key: String,
}

/// Returns the mentions of the service in a shared file that have no copy.
pub fn uncopied_mentions(file: &str, text: &str, terms: &CopyTerms<'_>) -> Vec<UncopiedMention> {
    let name = file.rsplit('/').next().unwrap_or(file);
    if !terms.subject.is_wanted(file) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for document in tree::parse(text).unwrap_or_default() {
        if files::is_kustomization(file) {
            in_kustomization(file, text, &document, terms, &mut found);
        } else if document.get("apiVersion").is_none() && document.get("kind").is_none() && !shared::is_others(name) {
            if name.ends_with(".json") {
                found.extend(shared::lines_in_values(&document, terms).map(|line| noticed_at(line, "json")));
            } else if name.ends_with(".yaml") || name.ends_with(".yml") {
                in_values(&document, None, terms, &mut found);
            }
        }
    }
    found
}

fn noticed_at(line: usize, key: &str) -> UncopiedMention {
    UncopiedMention { line, key: key.to_owned() }
}

/// Adds patches, replicas, images and similar entries, and files that are not copied.
fn in_kustomization(file: &str, text: &str, root: &YamlNode, terms: &CopyTerms<'_>, found: &mut Vec<UncopiedMention>) {
    let directory = path::parent(file);
    let is_renamed = |text: &str| terms.names.in_text(text, &[]) != text;
    for (key, list) in root.entries() {
        let key = key.text().unwrap_or_default();
        for item in list.items() {
            let target = item.text().or_else(|| item.text_at("path")).filter(|_| FILES.contains(&key));
            let target = target.and_then(|text| path::join(directory, text));
            // Files that are not copied are reported elsewhere.
            let is_told = target.is_some_and(|path| terms.is_copied(&path) || terms.skipped.contains(&path));
            let is_about = match key {
                // An image that is not replaced applies to both services.
                "images" | "imageTags" => {
                    terms.image.is_some_and(|image| item.text_at("name").is_some_and(|name| image.is_old(name)))
                }
                _ => texts(item).into_iter().any(is_renamed),
            };
            let raw = text.get(item.span.clone()).unwrap_or_default();
            let is_there = || key != "images" && text.contains(&terms.names.in_text(raw, &[]));
            if is_about && !is_told && terms.is_wanted(item) && !is_there() {
                found.push(noticed_at(item.line, key));
            }
        }
    }
}

/// Adds keys of the service with a text, and items of lists whose only key is its name.
fn in_values(node: &YamlNode, key: Option<&str>, terms: &CopyTerms<'_>, found: &mut Vec<UncopiedMention>) {
    let subject = terms.subject;
    if key.is_some_and(|key| RELATIONS.contains(&key) || !subject.is_wanted(key)) {
        return;
    }
    let (old, new) = (Some(subject.service.old.as_str()), Some(subject.service.new.as_str()));
    let is_mapping = key.is_some_and(|key| MAPPINGS.contains(&key));
    let told = key.unwrap_or_default();
    let has = |name: Option<&str>| node.entries().iter().any(|(key, _)| key.text() == name);
    if (is_mapping || node.entries().iter().any(|(key, _)| is_another(key, subject))) && !has(new) {
        let is_its = |(key, value): &&(YamlNode, YamlNode)| key.text() == old && value.text().is_some();
        found.extend(node.entries().iter().filter(is_its).map(|(key, _)| noticed_at(key.line, told)));
    }
    let only = |item: &'_ YamlNode| match item.entries() {
        [(key, _)] => key.text().map(str::to_owned),
        _ => None,
    };
    let keys: Vec<Option<String>> = node.items().iter().map(only).collect();
    let is_there = |name: Option<&str>| keys.iter().any(|key| key.as_deref() == name);
    if (is_mapping || keys.iter().flatten().any(|key| subject.others.contains(key))) && !is_there(new) {
        let items = node.items().iter().zip(&keys).filter(|(_, key)| key.as_deref() == old);
        found.extend(items.map(|(item, _)| noticed_at(item.line, told)));
    }
    node.items().iter().for_each(|item| in_values(item, None, terms, found));
    node.entries().iter().for_each(|(key, value)| in_values(value, key.text(), terms, found));
}

fn is_another(key: &YamlNode, subject: &CopySubject) -> bool {
    key.text().is_some_and(|key| subject.others.contains(key))
}

/// Returns the values of a node, without keys.
fn texts(node: &YamlNode) -> Vec<&str> {
    let below = node.items().iter().chain(node.entries().iter().map(|(_, value)| value));
    node.text().into_iter().chain(below.flat_map(texts)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scaffold::terms::with_test_terms;

    #[test]
    fn mentions_without_a_copy_are_reported_with_their_line() {
        for (file, text, expected) in [
            (
                "clusters/kustomization.yaml",
                "resources:\n- quotes-x.yaml\n- quotes.yaml\nreplicas:\n- {name: quotes, count: 3}\n- {name: web, count: 1}\npatches:\n- target: {name: quotes}\n  patch: x\n- path: web.yaml\nimages:\n- name: r.io/quotes\n  newTag: v1\n",
                vec![(2, "resources"), (5, "replicas"), (8, "patches")],
            ),
            (
                "replicas/kustomization.yaml",
                "replicas:\n- {name: quotes, count: 3}\n- {name: orders, count: 3}\n",
                vec![],
            ),
            (
                "v.yaml",
                "ports: {quotes: 80, web: 81}\nservices:\n  quotes: enabled\n",
                vec![(1, "ports"), (3, "services")],
            ),
            ("v.yaml", "ports: {quotes: 80, web: 81, orders: 82}\n", vec![]),
            ("v.yaml", "services:\n- quotes:\n    port: 1\n- web:\n    port: 2\n", vec![(2, "services")]),
            ("list.json", "{\"services\": [{\"name\": \"quotes\"}, {\"name\": \"web\"}]}\n", vec![(1, "json")]),
            ("v.yaml", "x: {quotes: 80}\nneeds: {quotes: 1, web: 1}\n", vec![]),
        ] {
            let found = with_test_terms(&[], |terms| uncopied_mentions(file, text, terms));
            let found: Vec<(usize, &str)> = found.iter().map(|one| (one.line, one.key.as_str())).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
