//! Entries of a service in files that it shares with others: resources of kustomizations, elements of ApplicationSets,
//! destinations of AppProjects, lists and mappings of services in values, owners of code.

use std::collections::BTreeSet;
use std::ops::Range;

use super::fields::MAPPINGS;
use super::image::{self, NewImage};
use super::lists::{Entry, beside, without};
use super::names::Names;
use super::subject::Subject;
use crate::gitops::files;
use crate::gitops::membership;
use crate::gitops::path;
use crate::yaml::splice::{self, Splice};
use crate::yaml::tree::{self, Node};

/// Lists of a kustomization that name files.
const FILES: [&str; 10] = [
    "resources",
    "bases",
    "components",
    "crds",
    "patches",
    "patchesStrategicMerge",
    "configurations",
    "generators",
    "transformers",
    "valuesFiles",
];

/// Lists that name a service without being lists of services.
const RELATIONS: [&str; 5] = ["dependsOn", "depends_on", "needs", "dependencies", "ignore"];

/// How things are copied.
pub struct Terms<'a> {
    /// What is copied.
    pub subject: &'a Subject,
    /// What becomes of names.
    pub names: &'a Names,
    /// The image that takes the place of another.
    pub image: Option<&'a NewImage>,
    /// Files of the service that are not copied.
    pub skipped: &'a BTreeSet<String>,
    /// Where a file or directory of the repository is for the copy: elsewhere or where it was; `None` where there is none.
    pub place: &'a dyn Fn(&str) -> Option<String>,
}

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
        if is_its && is_wanted(item, terms) {
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
    is_wanted(item, terms).then_some(Found { parent: list, index, key })
}

/// Whether no text of an entry names an environment that nobody asked for.
fn is_wanted(item: &Node, terms: &Terms<'_>) -> bool {
    let values = item.entries().iter().filter_map(|(_, value)| value.text());
    item.text().into_iter().chain(values).all(|text| terms.subject.is_wanted(text))
}

fn entries(text: &str, parent: &Node, key: Option<&str>) -> Vec<Entry> {
    let sorts = |item: &Node| key.map_or(item.text(), |key| item.text_at(key)).unwrap_or_default().to_owned();
    let items = parent.items().iter().map(|item| Entry::item(text, item, &sorts(item)));
    items.chain(parent.entries().iter().map(|pair| Entry::pair(text, pair))).collect()
}

/// A part of a file as the copy has it: under the new names, with the new image, and with paths to where files are for it.
///
/// # Errors
/// Where the old image is written in a way that cannot be changed alone.
pub fn renamed(
    (file, new_file): (&str, &str),
    text: &str,
    part: Range<usize>,
    terms: &Terms<'_>,
) -> Result<String, String> {
    let documents = tree::parse(text).unwrap_or_default();
    let mut said = match terms.image {
        Some(image) => image::changes(text, &part, image)?,
        None => Vec::new(),
    };
    if files::is_kustomization(file) {
        let paths = documents.iter().flat_map(paths);
        said.extend(paths.filter_map(|node| relocated((file, new_file), text, node, terms)));
    }
    let copy = terms.names.in_part(text, part, &said);
    match terms.image.and_then(|image| image::left_behind(new_file, &copy, image)) {
        Some(left) => {
            Err(format!("{left}, which --image does not change; leave it out and use 'kubectl ucp set-image'"))
        }
        None => Ok(copy),
    }
}

/// The paths in a kustomization.
fn paths(root: &Node) -> Vec<&Node> {
    let listed = FILES.iter().chain(&["replacements"]).filter_map(|key| root.get(key)).flat_map(Node::items);
    let mut paths: Vec<&Node> =
        listed.filter_map(|item| item.text().map_or(item.get("path"), |_| Some(item))).collect();
    for item in root.get("configMapGenerator").map(Node::items).unwrap_or_default() {
        paths.extend(["files", "envs"].iter().filter_map(|key| item.get(key)).flat_map(Node::items));
        paths.extend(item.get("env"));
    }
    paths
}

/// A path as it is written from where the copy is; `None` where nothing is there.
fn relocated((file, new_file): (&str, &str), text: &str, node: &Node, terms: &Terms<'_>) -> Option<Splice> {
    let (key, written) = match node.text()?.split_once('=') {
        Some((key, written)) => (Some(key), written),
        None => (None, node.text()?),
    };
    let place = (terms.place)(&path::join(path::parent(file), written)?)?;
    let directory = path::parent(new_file);
    let new = if path::join(directory, written).as_deref() == Some(place.as_str()) {
        written.to_owned()
    } else {
        let dot = if written.starts_with("./") { "./" } else { "" };
        let new = membership::from(directory, &place);
        if new.starts_with("../") { new } else { format!("{dot}{new}") }
    };
    let new = key.map_or_else(|| new.clone(), |key| format!("{}={new}", terms.names.in_text(key, &[])));
    match node.text() == Some(new.as_str()) {
        true => Some(Splice { range: node.span.clone(), text: text.get(node.span.clone())?.to_owned() }),
        false => splice::set_scalar(text, node, &new).ok(),
    }
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

/// A file of the service without entries for what is not copied: files that are skipped, environments that nobody asked for,
/// Secrets that are made of values.
///
/// # Errors
/// Where such an entry is written in an unusual way.
pub fn pruned(file: &str, text: &str, terms: &Terms<'_>) -> Result<String, String> {
    let mut text = text.to_owned();
    // Paths that name an environment have only its own entries.
    let is_common = path_is_common(file, terms.subject);
    loop {
        let documents = tree::parse(&text).unwrap_or_default();
        let mut dropped: Option<(&Node, usize)> = None;
        for document in &documents {
            let lists: Vec<&Node> = match document.text_at("kind") {
                _ if files::is_kustomization(file) => FILES.iter().filter_map(|key| document.get(key)).collect(),
                Some("ApplicationSet") => document.walk().into_iter().filter_map(|node| node.get("elements")).collect(),
                _ => Vec::new(),
            };
            let is_dropped = |item: &Node| {
                let target = item.text().or_else(|| item.text_at("path"));
                let target = target.and_then(|text| path::join(path::parent(file), text));
                let is_skipped = target.is_some_and(|path| terms.skipped.contains(&path));
                is_skipped || is_common && !is_wanted(item, terms)
            };
            let in_lists = lists.iter().find_map(|list| Some((*list, list.items().iter().position(is_dropped)?)));
            let made = document
                .get("secretGenerator")
                .filter(|list| files::is_kustomization(file) && !list.items().is_empty());
            dropped = dropped.or(in_lists).or(made.map(|list| (list, 0)));
        }
        let Some((list, index)) = dropped else { return Ok(text) };
        let removed = without(&text, &entries(&text, list, None), index, list.is_flow())
            .and_then(|splice| splice::apply(&text, &[splice]));
        text = removed.map_err(|error| format!("{file}: {error}"))?;
    }
}

fn path_is_common(file: &str, subject: &Subject) -> bool {
    let all = Subject { environments: vec![String::from("\0")], ..subject.clone() };
    all.is_wanted(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scaffold::subject::subject;

    fn on<T>(environments: &[&str], question: impl FnOnce(&Terms<'_>) -> T) -> T {
        let mut subject = subject(environments);
        subject.others.insert("web".to_owned());
        let mut names = Names::default();
        names.call("quotes", "orders");
        names.keep("quotes-db");
        let skipped = BTreeSet::from(["quotes/base/sealed.yaml".to_owned()]);
        question(&Terms { subject: &subject, names: &names, image: None, skipped: &skipped, place: &|_| None })
    }

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

    #[test]
    fn copied_files_lose_what_is_not_copied() {
        let prune = |file: &str, text: &str| on(&["stage"], |terms| pruned(file, text, terms)).unwrap();
        assert_eq!(
            prune(
                "quotes/base/kustomization.yaml",
                "resources:\n- a.yaml\n- sealed.yaml\nsecretGenerator:\n- name: k\n  literals: [a=b]\n"
            ),
            "resources:\n- a.yaml\nsecretGenerator:\n"
        );
        assert_eq!(
            prune("quotes/kustomization.yaml", "resources:\n- overlays/prod\n- overlays/stage\n"),
            "resources:\n- overlays/stage\n"
        );
        let set = "kind: ApplicationSet\nelements:\n- env: prod\n- env: stage\n";
        assert_eq!(prune("apps/quotes.yaml", set), "kind: ApplicationSet\nelements:\n- env: stage\n");
    }
}
