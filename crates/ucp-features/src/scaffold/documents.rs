//! Documents of a YAML file: finding, adding and removing them as text.

use std::ops::Range;

use ucp_core::failure::Failure;
use ucp_repo::gitops::declared::{self, DeclaredObject};
use ucp_repo::yaml::insert::newline;
use ucp_repo::yaml::tree::YamlNode;

use super::database::PASSING_ON;
use super::subject::CopySubject;

/// Kinds that deploy a service.
const DEPLOYERS: [&str; 4] = ["Application", "Kustomization", "HelmRelease", "ApplicationSet"];

/// Kinds with one object per service, with the service's name, which may share a file with those of other services.
const OWN: [&str; 7] =
    ["Namespace", "AppProject", "GitRepository", "OCIRepository", "HelmRepository", "ImageRepository", "ImagePolicy"];

/// Returns true if an object belongs to the service by its kind and name, in any file.
pub fn belongs_to_service(object: &DeclaredObject, subject: &CopySubject) -> bool {
    let kind = object.kind.as_str();
    (DEPLOYERS.contains(&kind) || OWN.contains(&kind)) && subject.renamed_part(&object.name).is_some()
}

/// Returns true if an object runs or deploys the service, by its kind and name.
pub fn runs_service(object: &DeclaredObject, subject: &CopySubject) -> bool {
    const WORKLOADS: [&str; 6] = ["Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob", "Rollout"];
    let kind = object.kind.as_str();
    (DEPLOYERS.contains(&kind) || WORKLOADS.contains(&kind)) && subject.renamed_part(&object.name).is_some()
}

/// Returns true if two objects of this kind and the same name are one object in any file, and overwrite each other.
pub fn is_unique_by_name(kind: &str) -> bool {
    kind != "Namespace" && (DEPLOYERS.contains(&kind) || OWN.contains(&kind))
}

/// Returns true if the new name of the service or its database is part of the object's name.
pub fn has_new_name(object: &DeclaredObject, subject: &CopySubject) -> bool {
    let names = subject.database.iter().chain([&subject.service]);
    names.into_iter().any(|rename| super::names::around(&object.name, &rename.new).is_some())
}

/// Returns true if an object is for an environment that was not requested: deployers and objects that distribute
/// Secrets, by their name, path and destination, and objects of the service by their name.
pub fn is_unwanted(document: &YamlNode, subject: &CopySubject) -> bool {
    let Some(kind) = document.text_at("kind").filter(|kind| !["ApplicationSet", "Syncer"].contains(kind)) else {
        return false;
    };
    const WAYS: [&[&str]; 9] = [
        &["metadata", "name"],
        &["metadata", "namespace"],
        &["spec", "path"],
        &["spec", "source", "path"],
        &["spec", "destination", "name"],
        &["spec", "kubeConfig", "secretRef", "name"],
        &["spec", "providerConfigRef", "name"],
        &["spec", "forProvider", "manifest", "metadata", "name"],
        &["spec", "forProvider", "manifest", "metadata", "namespace"],
    ];
    let ways = match kind {
        "HelmRelease" => &WAYS[..2],
        kind if OWN.contains(&kind) => &WAYS[..1],
        kind if DEPLOYERS.contains(&kind) || PASSING_ON.contains(&kind) => &WAYS[..],
        _ => return false,
    };
    let text = |way: &&[&str]| way.iter().try_fold(document, |node, key| node.get(key)).and_then(YamlNode::text);
    // The clusters that External Secrets pushes to.
    let stores =
        document.get("spec").and_then(|spec| spec.get("secretStoreRefs")).map(YamlNode::items).unwrap_or_default();
    let stores = stores.iter().filter_map(|store| store.text_at("name"));
    ways.iter().filter_map(text).chain(stores).any(|text| !subject.is_wanted(text))
}

/// Returns a text with a copy of a document after the original. `copied` creates the copy.
///
/// # Errors
/// Fails when `copied` fails.
pub fn with_copy(
    text: &str,
    object: &DeclaredObject,
    copied: &dyn Fn(&str) -> Result<String, Failure>,
) -> Result<String, Failure> {
    // An earlier edit may have moved the document.
    let now = declared::in_text(&object.file, text);
    let is_it = |other: &&DeclaredObject| is_same(other, object);
    let Some(object) = now.iter().find(is_it) else { return Ok(text.to_owned()) };
    let chunk = chunks(text).into_iter().find(|chunk| chunk.contains(&object.span.start)).unwrap_or(0..text.len());
    let chunk = chunk.start..own_end(text, object, chunk.end);
    let line = newline(text);
    let end = if text[..chunk.end].ends_with('\n') { "" } else { line };
    let original = text[chunk.clone()].trim_start_matches('\u{feff}');
    // Content on the line of its separator belongs to the document.
    let separator = if is_separator(original) { String::new() } else { format!("---{line}") };
    let copy = copied(original)?;
    // A file without a final line break remains without one.
    let copy = if end.is_empty() && !copy.ends_with('\n') { format!("{copy}{line}") } else { copy };
    Ok(format!("{}{end}{separator}{copy}{}", &text[..chunk.end], &text[chunk.end..]))
}

/// Returns the end of a document: before comments that precede the next document, and before its end marker.
fn own_end(text: &str, object: &DeclaredObject, end: usize) -> usize {
    let own = text[object.span.end..end].find('\n').map_or(end, |at| object.span.end + at + 1);
    let is_others = |line: &str| line.trim_start().starts_with('#') || line.starts_with("...");
    if end < text.len() && text[own..end].lines().any(is_others) { own } else { end }
}

/// Returns true if two documents declare the same object.
pub fn is_same(one: &DeclaredObject, other: &DeclaredObject) -> bool {
    let identity = |object: &DeclaredObject| (object.kind.clone(), object.name.clone(), object.namespace.clone());
    identity(one) == identity(other) && one.group() == other.group()
}

/// Returns a text without the documents for which `is_dropped` returns true; `None` if no document remains.
pub fn without(text: &str, documents: &[YamlNode], is_dropped: &dyn Fn(&YamlNode) -> bool) -> Option<String> {
    let dropped: Vec<&YamlNode> = documents.iter().filter(|document| is_dropped(document)).collect();
    let is_empty = documents.iter().all(|document| document.is_null() || is_dropped(document));
    if dropped.is_empty() {
        return Some(text.to_owned());
    }
    if is_empty {
        return None;
    }
    let is_kept = |chunk: &Range<usize>| !dropped.iter().any(|document| chunk.contains(&document.span.start));
    let kept: String = chunks(text).into_iter().filter(is_kept).map(|chunk| text[chunk].to_owned()).collect();
    let begins = !text.starts_with("---") && kept.starts_with("---");
    Some(if begins { without_separator(&kept).to_owned() } else { kept })
}

/// Returns the parts of a text, each from its separator to the next.
pub(super) fn chunks(text: &str) -> Vec<Range<usize>> {
    let mut starts = vec![0];
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if at > 0 && is_separator(line) {
            starts.push(at);
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
}

fn is_separator(line: &str) -> bool {
    line.strip_prefix("---").is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n']))
}

fn without_separator(chunk: &str) -> &str {
    match chunk.split_once('\n') {
        Some((first, rest)) if first.trim_start_matches('\u{feff}').trim_end() == "---" => rest,
        _ => chunk,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scaffold::subject::subject;
    use ucp_repo::yaml::tree;

    const TWO: &str =
        "# head\napiVersion: v1\nkind: A\nmetadata: {name: a}\n---\napiVersion: v1\nkind: B\nmetadata: {name: b}";

    #[test]
    fn a_copy_is_inserted_after_its_original() {
        let copy = |text: &str, name: &str| {
            let object = declared::in_text("f.yaml", text).into_iter().find(|object| object.name == name).unwrap();
            with_copy(text, &object, &|text| Ok(text.replace("name: ", "name: x"))).unwrap()
        };
        assert_eq!(copy(TWO, "b"), format!("{TWO}\n---\napiVersion: v1\nkind: B\nmetadata: {{name: xb}}"));
        assert!(copy(TWO, "a").contains(
            "{name: a}\n---\n# head\napiVersion: v1\nkind: A\nmetadata: {name: xa}\n---\napiVersion: v1\nkind: B"
        ));
        // Comments of the next document, and of the file, are not copied.
        for (before, after) in [
            (
                "# a\n---\nkind: A\nmetadata: {name: a}\n# the next:\n---\nkind: B\n",
                "# a\n---\nkind: A\nmetadata: {name: a}\n---\nkind: A\nmetadata: {name: xa}\n# the next:\n---\nkind: B\n",
            ),
            (
                "--- # ours\nkind: A\nmetadata: {name: a}\n...\n---\nkind: B\n",
                "--- # ours\nkind: A\nmetadata: {name: a}\n--- # ours\nkind: A\nmetadata: {name: xa}\n...\n---\nkind: B\n",
            ),
            (
                "\u{feff}kind: A\nmetadata: {name: a}\n---\nkind: B\n",
                "\u{feff}kind: A\nmetadata: {name: a}\n---\nkind: A\nmetadata: {name: xa}\n---\nkind: B\n",
            ),
        ] {
            let with_version = |text: &str| text.replace("kind: ", "apiVersion: v1\nkind: ");
            assert_eq!(copy(&with_version(before), "a"), with_version(after));
        }
        let windows = TWO.replace('\n', "\r\n");
        assert_eq!(copy(&windows, "b"), copy(TWO, "b").replace('\n', "\r\n"));
    }

    #[test]
    fn documents_are_removed_with_their_separators() {
        let drop = |text: &str, kinds: &[&str]| {
            let documents = tree::parse(text).unwrap();
            without(text, &documents, &|document| kinds.contains(&document.text_at("kind").unwrap_or_default()))
        };
        assert_eq!(drop(TWO, &["B"]).unwrap(), "# head\napiVersion: v1\nkind: A\nmetadata: {name: a}\n");
        assert_eq!(drop(TWO, &["A"]).unwrap(), "apiVersion: v1\nkind: B\nmetadata: {name: b}");
        assert_eq!(drop(TWO, &["A", "B"]), None);
        assert_eq!(drop(TWO, &[]).unwrap(), TWO);
    }

    #[test]
    fn the_environment_of_a_deployer_is_in_its_name_path_or_destination() {
        let stage = subject(&["stage"]);
        let is_unwanted = |text: &str| is_unwanted(&tree::parse_one(text).unwrap(), &stage);
        assert!(is_unwanted("kind: Application\nmetadata: {name: prod-quotes}"));
        assert!(is_unwanted("kind: Kustomization\nspec: {path: ./quotes/overlays/prod}"));
        assert!(is_unwanted("kind: Application\nspec: {destination: {name: gcp-k8s-prod}}"));
        assert!(!is_unwanted(
            "kind: Application\nmetadata: {name: quotes}\nspec: {source: {path: quotes/overlays/stage}}"
        ));
        assert!(!is_unwanted("kind: ConfigMap\nmetadata: {name: prod}"));
        assert!(is_unwanted("kind: Namespace\nmetadata: {name: quotes-prod}"));
        assert!(is_unwanted("kind: Object\nspec: {providerConfigRef: {name: gcp-k8s-prod}}"));
        assert!(is_unwanted("kind: PushSecret\nspec: {secretStoreRefs: [{name: gcp-k8s-prod}]}"));
        assert!(!is_unwanted("kind: PushSecret\nmetadata: {name: stage-quotes}"));
    }
}
