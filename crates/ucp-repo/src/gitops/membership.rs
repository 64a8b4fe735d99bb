//! Membership of files in the resources of a kustomization.

use std::collections::HashSet;

use serde_json::Value;

use crate::gitops::kustomization::{Kustomization, KustomizationTarget};
use crate::gitops::path;
use crate::gitops::repository::Repository;
use crate::yaml::{YamlError, insert, splice, tree};
use ucp_core::model::weight::from_yaml;

/// Finds the kustomization that has a path in its resources.
pub fn owner<'r>(repository: &'r Repository, member: &str) -> Option<&'r Kustomization> {
    let has =
        |kustomization: &&Kustomization| kustomization.resources.iter().any(|target| target.local() == Some(member));
    repository.kustomizations.values().find(has)
}

/// Returns the text of a kustomization with further resources, in the style of the existing ones.
///
/// # Errors
/// Fails when the list cannot be extended unambiguously.
pub fn with_resources(file: &str, text: &str, members: &[String]) -> Result<String, YamlError> {
    let root = tree::parse_one(text)?;
    let directory = path::parent(file);
    let had = Kustomization::parse(file, text)?;
    // An interrupted run may have added some of them, and two of them may be in one file.
    let mut known: HashSet<&str> = had.resources.iter().filter_map(KustomizationTarget::local).collect();
    let new: Vec<&String> = members.iter().filter(|member| known.insert(member)).collect();
    if new.is_empty() {
        return Ok(text.to_owned());
    }
    let is_dotted = root
        .get("resources")
        .and_then(|list| list.items().last())
        .and_then(tree::YamlNode::text)
        .is_some_and(|last| last.starts_with("./"));
    let entry = |member: &&String| {
        let relative = relative_path(directory, member);
        if is_dotted && !relative.starts_with("../") { format!("./{relative}") } else { relative }
    };
    let entries: Vec<String> = new.iter().map(entry).collect();
    let items: Vec<insert::NewItem<'_>> = entries.iter().map(|entry| insert::NewItem::Text(entry)).collect();
    let after = splice::apply(text, &[insert::append(text, &root, "resources", &items)?])?;
    match grows_by(text, &after, &entries) {
        true => Ok(after),
        false => Err(YamlError::new(0, "other parts of it would change; add the entries manually")),
    }
}

/// Returns true if a kustomization has exactly these further resources, and is otherwise equal.
fn grows_by(before: &str, after: &str, entries: &[String]) -> bool {
    let read = |text: &str| from_yaml::<Value>(text).ok();
    let (Some(mut meant), Some(after)) = (read(before), read(after)) else { return false };
    let Some(fields) = meant.as_object_mut() else { return false };
    let list = fields.entry("resources").or_insert(Value::Null);
    if list.is_null() {
        *list = Value::Array(Vec::new());
    }
    let Value::Array(items) = list else { return false };
    items.extend(entries.iter().map(|entry| Value::from(entry.as_str())));
    meant == after
}

/// Returns a path relative to a directory.
pub fn relative_path(directory: &str, target: &str) -> String {
    let own: Vec<&str> = directory.split('/').filter(|part| !part.is_empty()).collect();
    let theirs: Vec<&str> = target.split('/').collect();
    let shared = own.iter().zip(&theirs).take_while(|(left, right)| left == right).count();
    let up = std::iter::repeat_n("..", own.len() - shared);
    up.chain(theirs[shared..].iter().copied()).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_written_in_the_style_of_their_neighbors() {
        let add = |text: &str| with_resources("a/kustomization.yaml", text, &["a/x.yaml".into()]).unwrap();
        assert_eq!(
            add("resources:\n  - ./b.yaml\nimages: []\n"),
            "resources:\n  - ./b.yaml\n  - ./x.yaml\nimages: []\n"
        );
        assert_eq!(add("resources: [b.yaml]"), "resources: [b.yaml, x.yaml]");
        assert_eq!(add("images: []\n"), "images: []\nresources:\n- x.yaml\n");
        assert_eq!(add("resources:\n- ./x.yaml # there\n"), "resources:\n- ./x.yaml # there\n");
        let twice = ["a/x.yaml".to_owned(), "a/x.yaml".to_owned()];
        assert_eq!(
            with_resources("a/kustomization.yaml", "resources: [b.yaml]", &twice).unwrap(),
            "resources: [b.yaml, x.yaml]"
        );
        assert!(with_resources("a/kustomization.yaml", "resources: x\n", &["a/x.yaml".into()]).is_err());
        assert_eq!(relative_path("a/b", "a/c/d.yaml"), "../c/d.yaml");
        assert_eq!(relative_path("", "a/d.yaml"), "a/d.yaml");
        assert_eq!(relative_path("a", "a/d.yaml"), "d.yaml");
    }
}
