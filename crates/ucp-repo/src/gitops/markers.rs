//! Markers of Flux's image automation in a repository: lines with the policies that update them.

use super::repository::Repository;
use crate::slot::marker::flux_policies;
use ucp_core::model::state::Unreadable;

/// Line that a policy updates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkedLine {
    /// File, relative to the root of the repository.
    pub file: String,
    /// Line number, from 1.
    pub line: usize,
    /// Namespace of the ImagePolicy.
    pub namespace: String,
    /// Name of the ImagePolicy.
    pub name: String,
}

/// Returns all marked lines in the files for which `is_meant` is true, and the files that could not be read. Only YAML
/// supports setters: `DefaultMatch` of kyaml.
pub fn marked_lines(repository: &Repository, is_meant: &dyn Fn(&str) -> bool) -> (Vec<MarkedLine>, Vec<Unreadable>) {
    let (mut marked, mut unreadable) = (Vec::new(), Vec::new());
    let yaml = repository.files.iter().filter(|file| file.ends_with(".yaml") || file.ends_with(".yml"));
    for file in yaml.filter(|file| is_meant(file)) {
        match repository.read_text(file) {
            Ok(text) => marked.extend(flux_policies(&text).filter_map(|(line, policy)| {
                let (namespace, name) = policy.split_once(':')?;
                let (namespace, name) = (namespace.to_owned(), name.to_owned());
                Some(MarkedLine { file: file.clone(), line, namespace, name })
            })),
            Err(error) => unreadable.push(Unreadable { what: file.clone(), reason: error.message() }),
        }
    }
    (marked, unreadable)
}
