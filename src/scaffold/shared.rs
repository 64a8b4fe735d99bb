//! Entries of a service in files that it shares with others: resources of kustomizations, elements of ApplicationSets,
//! destinations of AppProjects, lists and mappings of services in values, owners of code.

use super::fields::MAPPINGS;
use super::lists::{beside, entries};
use super::renamed::renamed;
use super::terms::{FILES, Terms};
use crate::gitops::files;
use crate::gitops::path;
use crate::yaml::splice::{self, Splice};
use crate::yaml::tree::{self, Node};

/// Lists that name a service without being lists of services.
const RELATIONS: [&str; 5] = ["dependsOn", "depends_on", "needs", "dependencies", "ignore"];

/// An entry of which there is to be one more.
struct Found<'n> {
    parent: &'n Node,
    index: usize,
    /// The name by which entries of this list are sorted: the key of a mapping, or the key that holds it; none where the
    /// entries are texts.
    key: Option<String>,
}

/// A shared file with one more entry beside each one of the service.
///
/// # Errors
/// Where there is such an entry already and says something else, or there is no obvious place.
pub fn with_entries(file: &str, text: &str, terms: &Terms<'_>) -> Result<String, String> {
    let name = file.rsplit('/').next().unwrap_or(file);
    if name == "CODEOWNERS" {
        return Ok(with_owners(text, terms));
    }
    let is_yaml = name.ends_with(".yaml") || name.ends_with(".yml") || name == "Kustomization";
    if !is_yaml || !terms.subject.is_wanted(file) {
        return Ok(text.to_owned());
    }
    let mut splices = Vec::new();
    for document in tree::parse(text).unwrap_or_default() {
        let mut found = Vec::new();
        match document.text_at("kind") {
            _ if files::is_kustomization(file) => in_kustomization(file, &document, terms, &mut found),
            Some("ApplicationSet") => in_elements(&document, terms, &mut found),
            Some("AppProject") => in_project(&document, terms, &mut found),
            None if document.get("apiVersion").is_none() && !is_others(name) => {
                in_values(&document, None, terms, &mut found);
            }
            _ => {}
        }
        for entry in found {
            splices
                .extend(one_more(file, text, &document, &entry, terms).map_err(|reason| format!("{file}: {reason}"))?);
        }
    }
    splice::apply(text, &splices).map_err(|error| format!("{file}: {error}"))
}

/// Files that are for other programs, by their names.
fn is_others(name: &str) -> bool {
    (name.starts_with('.') && !name.starts_with(".ucp.")) || name.contains("compose")
}

fn in_kustomization<'n>(file: &str, root: &'n Node, terms: &Terms<'_>, found: &mut Vec<Found<'n>>) {
    let directory = path::parent(file);
    for list in FILES.iter().filter_map(|key| root.get(key)) {
        for (index, item) in list.items().iter().enumerate() {
            let target = item.text().or_else(|| item.text_at("path")).and_then(|text| path::join(directory, text));
            let is_its =
                target.is_some_and(|path| !terms.skipped.contains(&path) && terms.subject.moved(&path).is_some());
            if is_its {
                let key = item.text().is_none().then(|| "path".to_owned());
                found.push(Found { parent: list, index, key });
            }
        }
    }
}

fn in_elements<'n>(document: &'n Node, terms: &Terms<'_>, found: &mut Vec<Found<'n>>) {
    let lists = document.walk().into_iter().filter_map(|node| node.get("elements"));
    for list in lists {
        found.extend((0..list.items().len()).filter_map(|index| about(list, index, terms)));
    }
}

fn in_project<'n>(document: &'n Node, terms: &Terms<'_>, found: &mut Vec<Found<'n>>) {
    let Some(list) = document.get("spec").and_then(|spec| spec.get("destinations")) else { return };
    for (index, item) in list.items().iter().enumerate() {
        let is_its = item.text_at("namespace").is_some_and(|text| terms.subject.part(text).is_some());
        if is_its && terms.is_wanted(item) {
            found.push(Found { parent: list, index, key: Some("namespace".to_owned()) });
        }
    }
}

fn in_values<'n>(node: &'n Node, key: Option<&str>, terms: &Terms<'_>, found: &mut Vec<Found<'n>>) {
    if key.is_some_and(|key| RELATIONS.contains(&key) || !terms.subject.is_wanted(key)) {
        return;
    }
    let subject = terms.subject;
    for (index, item) in node.items().iter().enumerate() {
        match about(node, index, terms) {
            Some(entry) => found.push(entry),
            None => in_values(item, None, terms, found),
        }
    }
    let is_service = |(name, _): &(Node, Node)| name.text().is_some_and(|name| subject.others.contains(name));
    let are_services = key.is_some_and(|key| MAPPINGS.contains(&key)) || node.entries().iter().any(is_service);
    for (index, (name, value)) in node.entries().iter().enumerate() {
        if are_services && name.text() == Some(subject.service.old.as_str()) && value.text().is_none() {
            found.push(Found { parent: node, index, key: None });
        } else {
            in_values(value, name.text(), terms, found);
        }
    }
}

/// An item of a list that is about the service: it is called so, or has a path of it.
fn about<'n>(list: &'n Node, index: usize, terms: &Terms<'_>) -> Option<Found<'n>> {
    let item = list.items().get(index)?;
    let subject = terms.subject;
    let names_it = |text: &str| {
        text == subject.service.old
            || text.contains('/') && !text.contains("://") && subject.counterpart(text).is_some()
    };
    let key = match item.text() {
        Some(text) => names_it(text).then_some(None)?,
        None => {
            let holds = |(_, value): &&(Node, Node)| value.text().is_some_and(names_it);
            Some(item.entries().iter().find(holds)?.0.text()?.to_owned())
        }
    };
    terms.is_wanted(item).then_some(Found { parent: list, index, key })
}

fn one_more(
    file: &str,
    text: &str,
    document: &Node,
    found: &Found<'_>,
    terms: &Terms<'_>,
) -> Result<Option<Splice>, String> {
    let is_flow = found.parent.is_flow();
    let all = entries(text, found.parent, found.key.as_deref());
    let Some(original) = all.get(found.index) else { return Ok(None) };
    let part = original.place(text, is_flow);
    let original = &text[part.clone()];
    let copy = renamed((file, file), text, part, terms)?;
    if copy == original {
        // What stands there is not told: it may be a secret.
        let item = found.parent.items().get(found.index).unwrap_or(document);
        return Err(format!("the entry in line {} has no name that the new one can take the place of", item.line));
    }
    let sorted_by = |node: &Node| match &found.key {
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
    if found.parent.entries().iter().any(|(name, _)| name.text() == Some(key.as_str())) {
        return Err(format!("it has {key} already"));
    }
    beside(text, &all, found.index, is_flow, (&key, &copy)).map(Some).map_err(|error| error.to_string())
}

/// Lines of CODEOWNERS about paths of the service, and the same owners for the new one.
fn with_owners(text: &str, terms: &Terms<'_>) -> String {
    let mut after = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        after.push_str(line);
        let pattern = line.split_whitespace().next().filter(|pattern| !pattern.starts_with('#'));
        let Some(new) = pattern.and_then(|pattern| terms.subject.moved(pattern)) else { continue };
        let copy = line.replacen(pattern.unwrap_or_default(), &new, 1);
        if text.lines().any(|line| line.trim_end() == copy.trim_end()) {
            continue;
        }
        if !line.ends_with('\n') {
            after.push('\n');
        }
        after.push_str(&copy);
    }
    after
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scaffold::terms::on;

    #[test]
    fn shared_files_get_one_more_entry() {
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
            ("CODEOWNERS", "# x\n/quotes/ @a\n* @b", "# x\n/quotes/ @a\n/orders/ @a\n* @b"),
            ("labels.yaml", "labels:\n  quotes: {}\n", "labels:\n  quotes: {}\n"),
            (
                "deployment.yaml",
                "kind: Deployment\nservices: {quotes: {}}\n",
                "kind: Deployment\nservices: {quotes: {}}\n",
            ),
        ] {
            let once = on(&[], |terms| with_entries(file, before, terms)).unwrap();
            assert_eq!(once, after);
            assert_eq!(on(&[], |terms| with_entries(file, &once, terms)).unwrap(), after, "twice is once");
        }
        let taken = "apps: {quotes: {a: 1}, orders: {b: 1}}";
        assert!(on(&[], |terms| with_entries("values.yaml", taken, terms)).is_err());
    }

    #[test]
    fn environments_that_nobody_asked_for_get_no_entry() {
        on(&["stage"], |terms| {
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
