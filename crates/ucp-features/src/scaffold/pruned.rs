//! Files of the service, without the content that is not copied.

use super::intact::EntryCounts;
use super::lists::{entries, remove_entry};
use super::subject::CopySubject;
use super::terms::{CopyTerms, FILES};
use ucp_core::failure::Failure;
use ucp_repo::gitops::files;
use ucp_repo::gitops::path;
use ucp_repo::yaml::splice;
use ucp_repo::yaml::tree::{self, YamlNode};

/// Returns a file of the service without entries for content that is not copied: skipped files, environments that were
/// not requested, and Secrets generated from values.
///
/// # Errors
/// Fails when such an entry is written in an unsupported way.
pub fn pruned(file: &str, text: &str, terms: &CopyTerms<'_>) -> Result<String, Failure> {
    let mut text = text.to_owned();
    // All entries of a path that names an environment are for that environment.
    let is_common = path_is_common(file, terms.subject);
    loop {
        let documents = tree::parse(&text).unwrap_or_default();
        let mut dropped: Option<(&YamlNode, usize)> = None;
        for document in &documents {
            let lists: Vec<&YamlNode> = match document.text_at("kind") {
                _ if files::is_kustomization(file) => FILES.iter().filter_map(|key| document.get(key)).collect(),
                Some("ApplicationSet") => document.walk().into_iter().filter_map(|node| node.get("elements")).collect(),
                _ => Vec::new(),
            };
            let is_dropped = |item: &YamlNode| {
                let target = item.text().or_else(|| item.text_at("path"));
                let target = target.and_then(|text| path::join(path::parent(file), text));
                let is_skipped = target.is_some_and(|path| terms.skipped.contains(&path));
                is_skipped || is_common && !terms.is_wanted(item)
            };
            let in_lists = lists.iter().find_map(|list| Some((*list, list.items().iter().position(is_dropped)?)));
            let made = document
                .get("secretGenerator")
                .filter(|list| files::is_kustomization(file) && !list.items().is_empty());
            dropped = dropped.or(in_lists).or(made.map(|list| (list, 0)));
        }
        let Some((list, index)) = dropped else { return Ok(text) };
        let removed = remove_entry(&text, &entries(&text, list, None), index, list.is_flow())
            .and_then(|splice| splice::apply(&text, &[splice]));
        let removed = removed.map_err(|error| format!("{file}: {error}"))?;
        let mut counted = EntryCounts::default();
        counted.count_removed(list);
        counted.check(&text, &removed).map_err(|reason| format!("{file}: line {}: {reason}", list.line))?;
        text = removed;
    }
}

fn path_is_common(file: &str, subject: &CopySubject) -> bool {
    let all = CopySubject { environments: vec![String::from("\0")], ..subject.clone() };
    all.is_wanted(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scaffold::terms::with_test_terms;

    #[test]
    fn copied_files_have_no_references_to_omitted_files() {
        let prune = |file: &str, text: &str| with_test_terms(&["stage"], |terms| pruned(file, text, terms)).unwrap();
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
