//! Names of services: from the rest of their paths, their bases, or their workloads.

use std::collections::{BTreeMap, BTreeSet};

use crate::gitops::environment::is_environment;
use crate::gitops::kustomization::KustomizationTarget;
use crate::gitops::purpose::is_plain_directory;
use crate::gitops::repository::Repository;
use crate::gitops::workload;
use crate::slot::artifact::short_name;
use crate::yaml::tree;
use ucp_core::model::image::ImageReference;

/// Splits `echo-prod` into a service and an environment, if a base has the name of the service.
pub(super) fn split_name<'a>(part: &'a str, bases: &BTreeSet<String>) -> (Option<&'a str>, &'a str) {
    for name in bases.iter().flat_map(|base| base.split('/')).filter(|name| !name.is_empty()) {
        let before = part.strip_prefix(name).and_then(|rest| rest.strip_prefix('-'));
        let behind = part.strip_suffix(name).and_then(|rest| rest.strip_suffix('-'));
        if let Some(environment) = before.or(behind).filter(|rest| is_environment(rest)) {
            let service = if before.is_some() { &part[..name.len()] } else { &part[part.len() - name.len()..] };
            return (Some(service), environment);
        }
    }
    (None, part)
}

/// Returns the name of the only service of a repository: that of its workload, else of its image. The name of the
/// repository may differ in every fork.
pub(super) fn only_service(repository: &Repository) -> String {
    let files = repository.kustomizations.values().flat_map(|kustomization| &kustomization.resources);
    let files = files.filter_map(|target| match target {
        KustomizationTarget::Local(path) if !repository.kustomizations.contains_key(path) => Some(path),
        _ => None,
    });
    let documents = |file: &String| repository.read_text(file).ok().and_then(|text| tree::parse(&text).ok());
    let mut workloads = files.filter_map(documents).flat_map(|documents| workload::images(&documents));
    let image = || {
        let mut entries = repository.kustomizations.values().flat_map(|kustomization| &kustomization.images);
        entries.next().map(|entry| short_name(&ImageReference::split(&entry.name).name).to_owned())
    };
    let named = workloads.next().map(|found| found.name).filter(|name| !name.is_empty());
    named.or_else(image).unwrap_or_else(|| repository.name.clone())
}

/// Returns short names for services, from the rest of their paths; the whole path if the short names are not unique.
pub(super) fn service_names(keys: &[Vec<&str>], repository: &str) -> Vec<String> {
    let telling: Vec<Vec<&str>> =
        keys.iter().map(|key| key.iter().copied().filter(|part| !is_plain_directory(part)).collect()).collect();
    let distinct: BTreeSet<&Vec<&str>> = telling.iter().collect();
    let mut common = telling.first().map_or(0, Vec::len);
    for key in &distinct {
        let same = key.iter().zip(&telling[0]).take_while(|(left, right)| left == right).count();
        // The last part of a name is never a common prefix.
        common = common.min(same).min(key.len().saturating_sub(1));
    }
    let mut users: BTreeMap<String, BTreeSet<&Vec<&str>>> = BTreeMap::new();
    let short = |telling: &Vec<&str>| match telling[common..].join("/") {
        name if name.is_empty() => repository.to_owned(),
        name => name,
    };
    for (key, telling) in keys.iter().zip(&telling) {
        users.entry(short(telling)).or_default().insert(key);
    }
    let name = |key: &Vec<&str>, telling: &Vec<&str>| {
        let name = short(telling);
        if users[&name].len() == 1 || key.is_empty() { name } else { key.join("/") }
    };
    keys.iter().zip(&telling).map(|(key, telling)| name(key, telling)).collect()
}
