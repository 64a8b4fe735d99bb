//! Which kustomization has a file among its resources, and how it gets another one.

use crate::gitops::kustomization::{Kustomization, Target};
use crate::gitops::path;
use crate::gitops::repository::Repository;
use crate::yaml::{YamlError, insert, splice, tree};

/// The kustomization that has a path among its resources.
pub fn owner<'r>(repository: &'r Repository, member: &str) -> Option<&'r Kustomization> {
    let has = |kustomization: &&Kustomization| {
        kustomization.resources.iter().any(|target| matches!(target, Target::Local(path) if path == member))
    };
    repository.kustomizations.values().find(has)
}

/// The text of a kustomization with further resources, written as those that it has.
///
/// # Errors
/// Where its list leaves no obvious place.
pub fn with_resources(file: &str, text: &str, members: &[String]) -> Result<String, YamlError> {
    let root = tree::parse_one(text)?;
    let directory = path::parent(file);
    let is_dotted = root
        .get("resources")
        .and_then(|list| list.items().last())
        .and_then(tree::Node::text)
        .is_some_and(|last| last.starts_with("./"));
    let entry = |member: &String| {
        let relative = from(directory, member);
        if is_dotted && !relative.starts_with("../") { format!("./{relative}") } else { relative }
    };
    let entries: Vec<String> = members.iter().map(entry).collect();
    let after = splice::apply(text, &[insert::append_texts(text, &root, "resources", &entries)?])?;
    let has = Kustomization::parse(file, &after)?;
    let is_there = |member: &&String| has.resources.contains(&Target::Local((*member).clone()));
    match members.iter().find(|member| !is_there(member)) {
        Some(member) => Err(YamlError::new(0, format!("{member} would not be among its resources"))),
        None => Ok(after),
    }
}

/// A path, seen from a directory.
pub fn from(directory: &str, target: &str) -> String {
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
    fn members_are_written_as_their_neighbours_are() {
        let add = |text: &str| with_resources("a/kustomization.yaml", text, &["a/x.yaml".into()]).unwrap();
        assert_eq!(
            add("resources:\n  - ./b.yaml\nimages: []\n"),
            "resources:\n  - ./b.yaml\n  - ./x.yaml\nimages: []\n"
        );
        assert_eq!(add("resources: [b.yaml]"), "resources: [b.yaml, x.yaml]");
        assert!(with_resources("a/kustomization.yaml", "images: []\n", &["a/x.yaml".into()]).is_err());
        assert_eq!(from("a/b", "a/c/d.yaml"), "../c/d.yaml");
        assert_eq!(from("", "a/d.yaml"), "a/d.yaml");
        assert_eq!(from("a", "a/d.yaml"), "d.yaml");
    }
}
