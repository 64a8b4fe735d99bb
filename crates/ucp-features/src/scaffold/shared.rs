//! Entries of a service in files that it shares with others: resources of kustomizations, elements of ApplicationSets,
//! destinations of AppProjects, lists and mappings of services in values, and CODEOWNERS.

use std::collections::BTreeSet;

use super::fields::MAPPINGS;
use super::intact::EntryCounts;
use super::lists::{check_anchors, entries, insert_copy};
use super::renamed::renamed;
use super::subject::CopySubject;
use super::terms::{CopyTerms, FILES};
use ucp_core::failure::{Failure, fail};
use ucp_repo::gitops::files;
use ucp_repo::gitops::path;
use ucp_repo::yaml::insert::newline;
use ucp_repo::yaml::splice::{self, Splice};
use ucp_repo::yaml::tree::{self, YamlNode};

/// Keys of lists that name services without being lists of services.
pub(super) const RELATIONS: [&str; 5] = ["dependsOn", "depends_on", "needs", "dependencies", "ignore"];

/// An entry to duplicate.
struct FoundEntry<'n> {
    parent: &'n YamlNode,
    index: usize,
    /// The key by which entries of this list are sorted: the key of a mapping, or the key that holds the name; `None`
    /// if the entries are texts.
    key: Option<String>,
}

/// Keys by which an item of a list of services, or of their parts, identifies its service.
const IDENTIFYING: [&str; 14] = [
    "name",
    "service",
    "serviceName",
    "app",
    "appName",
    "application",
    "component",
    "release",
    "releaseName",
    "namespace",
    "path",
    "dir",
    "directory",
    "folder",
];

/// Returns a shared file with a copy of each entry of the service, except in documents that are copied as a whole,
/// which `copied` lists by their start position.
///
/// # Errors
/// Fails when a different entry with the new name already exists, or there is no obvious position for the copy.
pub fn with_entries(
    file: &str,
    text: &str,
    copied: &BTreeSet<usize>,
    terms: &CopyTerms<'_>,
) -> Result<String, Failure> {
    let name = file.rsplit('/').next().unwrap_or(file);
    if name == "CODEOWNERS" {
        return Ok(with_owners(text, terms));
    }
    if !is_yaml(file) || !terms.subject.is_wanted(file) {
        return Ok(text.to_owned());
    }
    let mut splices = Vec::new();
    let mut counted = EntryCounts::default();
    let documents = tree::parse(text).unwrap_or_default();
    for document in documents.iter().filter(|document| !copied.contains(&document.span.start)) {
        let mut found = Vec::new();
        match document.text_at("kind") {
            _ if files::is_kustomization(file) => in_kustomization(file, document, terms, &mut found),
            Some("ApplicationSet") => in_elements(document, terms, &mut found),
            Some("AppProject") => in_project(document, terms, &mut found),
            None if document.get("apiVersion").is_none() && !is_others(name) => {
                in_values(document, None, terms, &mut found);
            }
            _ => {}
        }
        for entry in found {
            let splice =
                copy_of_entry(file, text, document, &entry, terms).map_err(|reason| format!("{file}: {reason}"))?;
            if let Some(splice) = splice {
                splices.push(splice);
                counted.count_added(entry.parent);
            }
        }
    }
    let after = splice::apply(text, &splices).map_err(|error| format!("{file}: {error}"))?;
    if !splices.is_empty() {
        counted.check(text, &after).map_err(|reason| format!("{file}: {reason}"))?;
    }
    Ok(after)
}

/// Returns true for files in which [`with_entries`] adds entries, by their names.
pub(super) fn may_have_entries(file: &str) -> bool {
    is_yaml(file) || file.ends_with("CODEOWNERS")
}

/// Returns true for files in YAML, by their names.
pub(super) fn is_yaml(file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    name.ends_with(".yaml") || name.ends_with(".yml") || name == "Kustomization"
}

/// Returns true for files of other programs, by their names.
pub(super) fn is_others(name: &str) -> bool {
    (name.starts_with('.') && !name.starts_with(".ucp.")) || name.contains("compose")
}

fn in_kustomization<'n>(file: &str, root: &'n YamlNode, terms: &CopyTerms<'_>, found: &mut Vec<FoundEntry<'n>>) {
    let directory = path::parent(file);
    for list in FILES.iter().filter_map(|key| root.get(key)) {
        for (index, item) in list.items().iter().enumerate() {
            let target = item.text().or_else(|| item.text_at("path")).and_then(|text| path::join(directory, text));
            let is_its =
                target.is_some_and(|path| !terms.skipped.contains(&path) && terms.subject.new_path(&path).is_some());
            if is_its {
                let key = item.text().is_none().then(|| "path".to_owned());
                found.push(FoundEntry { parent: list, index, key });
            }
        }
    }
}

fn in_elements<'n>(document: &'n YamlNode, terms: &CopyTerms<'_>, found: &mut Vec<FoundEntry<'n>>) {
    let lists = document.walk().into_iter().filter_map(|node| node.get("elements"));
    for list in lists {
        found.extend((0..list.items().len()).filter_map(|index| entry_about_service(list, index, terms, &|_, _| true)));
    }
}

fn in_project<'n>(document: &'n YamlNode, terms: &CopyTerms<'_>, found: &mut Vec<FoundEntry<'n>>) {
    let Some(list) = document.get("spec").and_then(|spec| spec.get("destinations")) else { return };
    for (index, item) in list.items().iter().enumerate() {
        let is_its = item.text_at("namespace").is_some_and(|text| terms.subject.renamed_part(text).is_some());
        if is_its && terms.is_wanted(item) {
            found.push(FoundEntry { parent: list, index, key: Some("namespace".to_owned()) });
        }
    }
}

fn in_values<'n>(node: &'n YamlNode, key: Option<&str>, terms: &CopyTerms<'_>, found: &mut Vec<FoundEntry<'n>>) {
    if key.is_some_and(|key| RELATIONS.contains(&key) || !terms.subject.is_wanted(key)) {
        return;
    }
    let subject = terms.subject;
    let is_list_of_services = key.is_some_and(|key| MAPPINGS.contains(&key))
        || node.items().iter().filter_map(YamlNode::text).any(|text| names_another(text, subject));
    let identifies = |item: &YamlNode, key: Option<&str>| match key {
        // An item with another name only mentions the service.
        Some(key) => {
            let is_renamed = |name: &str| terms.names.in_text(name, &[]) != name;
            IDENTIFYING.contains(&key) && item.text_at("name").is_none_or(is_renamed)
        }
        None => is_list_of_services,
    };
    for (index, item) in node.items().iter().enumerate() {
        match entry_about_service(node, index, terms, &identifies) {
            Some(entry) => found.push(entry),
            None => in_values(item, None, terms, found),
        }
    }
    let is_service = |(name, _): &(YamlNode, YamlNode)| name.text().is_some_and(|name| subject.others.contains(name));
    let are_services = key.is_some_and(|key| MAPPINGS.contains(&key)) || node.entries().iter().any(is_service);
    for (index, (name, value)) in node.entries().iter().enumerate() {
        if are_services && name.text() == Some(subject.service.old.as_str()) && value.text().is_none() {
            found.push(FoundEntry { parent: node, index, key: None });
        } else {
            in_values(value, name.text(), terms, found);
        }
    }
}

/// Returns the lines of entries in values that would get a copy.
pub(super) fn lines_in_values(document: &YamlNode, terms: &CopyTerms<'_>) -> impl Iterator<Item = usize> {
    let mut found = Vec::new();
    in_values(document, None, terms, &mut found);
    let line = |found: &FoundEntry<'_>| match found.parent.items().get(found.index) {
        Some(item) => item.line,
        None => found.parent.entries().get(found.index).map_or(found.parent.line, |(key, _)| key.line),
    };
    found.iter().map(line).collect::<Vec<_>>().into_iter()
}

/// Returns an item of a list that is about the service: it has its name, or a path of it.
fn entry_about_service<'n>(
    list: &'n YamlNode,
    index: usize,
    terms: &CopyTerms<'_>,
    identifies: &dyn Fn(&YamlNode, Option<&str>) -> bool,
) -> Option<FoundEntry<'n>> {
    let item = list.items().get(index)?;
    let subject = terms.subject;
    let names_it = |text: &str| {
        text == subject.service.old
            || text.contains('/') && !text.contains("://") && subject.counterpart(text).is_some()
    };
    let key = match item.text() {
        Some(text) => (names_it(text) && identifies(item, None)).then_some(None)?,
        None => {
            let holds = |(key, value): &&(YamlNode, YamlNode)| {
                value.text().is_some_and(names_it) && key.text().is_some_and(|key| identifies(item, Some(key)))
            };
            Some(item.entries().iter().find(holds)?.0.text()?.to_owned())
        }
    };
    terms.is_wanted(item).then_some(FoundEntry { parent: list, index, key })
}

/// Returns true if a text is the name of another service, or a path with one.
fn names_another(text: &str, subject: &CopySubject) -> bool {
    text.split('/').any(|part| subject.others.contains(part))
}

fn copy_of_entry(
    file: &str,
    text: &str,
    document: &YamlNode,
    found: &FoundEntry<'_>,
    terms: &CopyTerms<'_>,
) -> Result<Option<Splice>, Failure> {
    let is_flow = found.parent.is_flow();
    let all = entries(text, found.parent, found.key.as_deref());
    let Some(original) = all.get(found.index) else { return Ok(None) };
    let part = original.place(text, is_flow);
    let original = &text[part.clone()];
    let copy = renamed((file, file), text, part, terms)?;
    if copy == original {
        // The message must not contain the entry: it may be a secret.
        let item = found.parent.items().get(found.index).unwrap_or(document);
        return fail!("the entry in line {} has no name to replace with the new name", item.line);
    }
    let sorted_by = |node: &YamlNode| match &found.key {
        Some(key) => node.text_at(key).map(str::to_owned),
        None => node.text().map(str::to_owned),
    };
    let old_key = match found.parent.items().get(found.index) {
        Some(item) => sorted_by(item).unwrap_or_default(),
        None => terms.subject.service.old.clone(),
    };
    let key = terms.names.in_text(&old_key, &[]);
    if all.iter().any(|entry| entry.written(text, is_flow).trim() == copy.trim()) {
        return Ok(None);
    }
    let pair = found.parent.entries().get(found.index).map(|(key, value)| [key, value]);
    let nodes = pair.into_iter().flatten().chain(found.parent.items().get(found.index));
    check_anchors(nodes)?;
    if found.parent.entries().iter().any(|(name, _)| name.text() == Some(key.as_str())) {
        return fail!("it already has {key}");
    }
    insert_copy(text, &all, found.index, is_flow, (&key, &copy)).map(Some).map_err(Failure::from)
}

/// Copies the lines of CODEOWNERS about paths of the service, with the same owners.
fn with_owners(text: &str, terms: &CopyTerms<'_>) -> String {
    let mut after = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        after.push_str(line);
        let pattern = line.split_whitespace().next().filter(|pattern| !pattern.starts_with('#'));
        let Some(new) = pattern.and_then(|pattern| terms.subject.new_path(pattern)) else { continue };
        let copy = line.replacen(pattern.unwrap_or_default(), &new, 1);
        if text.lines().any(|line| line.trim_end() == copy.trim_end()) {
            continue;
        }
        if !line.ends_with('\n') {
            after.push_str(newline(text));
        }
        after.push_str(&copy);
    }
    after
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scaffold::terms::with_test_terms;

    fn with_entries(file: &str, text: &str, terms: &CopyTerms<'_>) -> Result<String, Failure> {
        super::with_entries(file, text, &BTreeSet::new(), terms)
    }

    /// A mention of the service is not an entry of it.
    #[test]
    fn mentions_of_the_service_in_settings_of_others_are_not_changed() {
        with_test_terms(&[], |terms| {
            for text in [
                "args: [--upstream, quotes]\n",
                "env:\n- name: UPSTREAM\n  value: quotes\n",
                "routes:\n- host: web\n  backend: quotes\n",
                "upstreams:\n- name: backend\n  service: quotes\n",
                "teams:\n- name: b\n  oncall: quotes\n",
                "allowed: [quotes, other]\n",
            ] {
                assert_eq!(with_entries("values.yaml", text, terms).unwrap(), text);
            }
            for (text, after) in [
                ("allowed: [quotes, web]\n", "allowed: [orders, quotes, web]\n"),
                ("services: [quotes]\n", "services: [quotes, orders]\n"),
                ("x:\n- path: charts/quotes\n", "x:\n- path: charts/quotes\n- path: charts/orders\n"),
            ] {
                assert_eq!(with_entries("values.yaml", text, terms).unwrap(), after);
            }
        });
    }

    /// The aliases below would refer to the anchor of the copy.
    #[test]
    fn an_anchor_is_not_made_twice_and_a_copied_document_not_edited() {
        with_test_terms(&[], |terms| {
            for text in [
                "services:\n  quotes: &d\n    host: quotes\n  web: *d\n",
                "services:\n  quotes:\n    <<: &d {a: 1}\n  web:\n    <<: *d\n",
                "apps:\n- {name: quotes, port: &p 1}\n- {name: web, port: *p}\n",
                "services:\n- quotes: {port: 1}\n  web: {port: 2}\n",
                "apps:\n- # ours\n  name: quotes\n  port: 1\n- name: web\n",
            ] {
                let error = with_entries("values.yaml", text, terms).unwrap_err().to_string();
                assert!(error.contains("line"), "{error}");
            }
            let project = "kind: AppProject\nspec:\n  destinations:\n  - namespace: quotes\n    server: s\n";
            assert_eq!(super::with_entries("p.yaml", project, &BTreeSet::from([0]), terms).unwrap(), project);
        });
    }

    #[test]
    fn shared_files_get_an_entry_for_the_new_service() {
        for (file, before, after) in [
            (
                "apps/kustomization.yaml",
                "resources:\n- quotes.yaml # ours\n- quotes-db.yaml\n",
                "resources:\n- quotes.yaml # ours\n- orders.yaml # ours\n- quotes-db.yaml\n",
            ),
            (
                "apps/kustomization.yaml",
                "resources: [api.yaml, quotes.yaml]",
                "resources: [api.yaml, orders.yaml, quotes.yaml]",
            ),
            (
                "set.yaml",
                "kind: ApplicationSet\nspec:\n  generators:\n  - list:\n      elements:\n      - {name: quotes, env: prod}\n      - {name: quotes, env: stage}\n",
                "kind: ApplicationSet\nspec:\n  generators:\n  - list:\n      elements:\n      - {name: quotes, env: prod}\n      - {name: orders, env: prod}\n      - {name: quotes, env: stage}\n      - {name: orders, env: stage}\n",
            ),
            (
                "values.yaml",
                "apps:\n  quotes:\n    port: 1\n",
                "apps:\n  quotes:\n    port: 1\n  orders:\n    port: 1\n",
            ),
            (
                "values.yaml",
                "x:\n- name: quotes\n  dependsOn: [quotes]\n- name: web\n  dependsOn: [quotes]\n",
                "x:\n- name: orders\n  dependsOn: [orders]\n- name: quotes\n  dependsOn: [quotes]\n- name: web\n  dependsOn: [quotes]\n",
            ),
            (
                "project.yaml",
                "kind: AppProject\nspec:\n  destinations:\n  - namespace: quotes\n    server: s\n",
                "kind: AppProject\nspec:\n  destinations:\n  - namespace: quotes\n    server: s\n  - namespace: orders\n    server: s\n",
            ),
            ("CODEOWNERS", "*  @b\r\n/quotes/ @a", "*  @b\r\n/quotes/ @a\r\n/orders/ @a"),
            ("CODEOWNERS", "# x\n/quotes/ @a\n* @b", "# x\n/quotes/ @a\n/orders/ @a\n* @b"),
            ("labels.yaml", "labels:\n  quotes: {}\n", "labels:\n  quotes: {}\n"),
            (
                "deployment.yaml",
                "kind: Deployment\nservices: {quotes: {}}\n",
                "kind: Deployment\nservices: {quotes: {}}\n",
            ),
        ] {
            let once = with_test_terms(&[], |terms| with_entries(file, before, terms)).unwrap();
            assert_eq!(once, after);
            assert_eq!(with_test_terms(&[], |terms| with_entries(file, &once, terms)).unwrap(), after, "twice is once");
        }
        let taken = "apps: {quotes: {a: 1}, orders: {b: 1}}";
        assert!(with_test_terms(&[], |terms| with_entries("values.yaml", taken, terms)).is_err());
    }

    #[test]
    fn environments_that_were_not_requested_get_no_entry() {
        with_test_terms(&["stage"], |terms| {
            for (file, text) in [
                ("clusters/prod/kustomization.yaml", "resources:\n- ../../apps/quotes.yaml\n"),
                ("apps/kustomization.yaml", "resources:\n- ../quotes/overlays/prod\n"),
                ("set.yaml", "kind: ApplicationSet\nelements:\n- {name: quotes, cluster: gcp-k8s-prod}\n"),
                ("values.yaml", "prod:\n  services:\n    quotes: {}\n"),
            ] {
                assert_eq!(with_entries(file, text, terms).unwrap(), text);
            }
        });
    }
}
