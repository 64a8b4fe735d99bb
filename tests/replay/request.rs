//! Requests as people type them, from a commit: its files, its versions, and its message.

use std::collections::{BTreeMap, BTreeSet};

use ucp_core::model::image::ImageReference;
use ucp_repo::gitops::catalog::{Catalog, CatalogPlace};
use ucp_repo::slot::artifact::ArtifactKind;

use crate::change::Target;

/// A request of a person, and the lines that must change.
#[derive(Clone)]
pub(crate) struct Bump {
    pub(crate) environment: Option<String>,
    /// Spellings of the name.
    pub(crate) names: BTreeSet<String>,
    pub(crate) version: String,
    pub(crate) kind: &'static str,
    /// Indices of the targets.
    pub(crate) targets: Vec<usize>,
}

const ENVIRONMENTS: [&str; 24] = [
    "local",
    "sandbox",
    "playground",
    "dev",
    "develop",
    "development",
    "test",
    "int",
    "integration",
    "qa",
    "acc",
    "uat",
    "perf",
    "demo",
    "stage",
    "staging",
    "stg",
    "pre",
    "preprod",
    "canary",
    "prod",
    "production",
    "prd",
    "live",
];

pub(crate) fn is_environment(word: &str) -> bool {
    rank(word).is_some()
}

/// Returns the position of an environment in the order of promotion.
pub(crate) fn rank(environment: &str) -> Option<usize> {
    ENVIRONMENTS.iter().position(|word| *word == environment)
}

/// Returns the innermost environment of a target by a word for one, else the environment that `images` shows for it.
fn environment(target: &Target, catalog: &Catalog) -> Option<String> {
    let is_at = |place: &&CatalogPlace| place.file == target.file && place.slot.line == target.line + 1;
    let shown = || catalog.places.iter().find(is_at).and_then(CatalogPlace::environment).map(str::to_owned);
    by_word(target).or_else(shown)
}

fn by_word(target: &Target) -> Option<String> {
    if let Some(key) = target.keys.iter().rev().find(|key| is_environment(key)) {
        return Some(key.clone());
    }
    let parts: Vec<&str> = target.file.split('/').collect();
    (0..parts.len()).rev().find_map(|index| {
        let part = parts[index];
        let stem = if index + 1 == parts.len() { part.split('.').next().unwrap_or(part) } else { part };
        let stem = stem.strip_prefix("values-").unwrap_or(stem);
        is_environment(stem).then(|| stem.to_owned())
    })
}

/// Returns the last part of an artifact, or the name of a Git repository.
fn short_name(artifact: &str) -> &str {
    const HOSTS: [&str; 2] = ["github.com", "gitlab.com"];
    let parts: Vec<&str> = artifact.split('/').filter(|part| !part.is_empty()).collect();
    let name = if parts.len() > 3 && HOSTS.contains(&parts[0]) { parts[2] } else { parts[parts.len() - 1] };
    name.trim_end_matches(".git")
}

/// Returns the requests for a commit, one for each environment, artifact, and version.
pub(crate) fn bumps(targets: &[Target], message: &str, catalog: &Catalog) -> Vec<Bump> {
    let mut groups: BTreeMap<(Option<String>, String, String), Vec<usize>> = BTreeMap::new();
    for (index, target) in targets.iter().enumerate() {
        // The version of a chart itself is set by its path, and workflows are not deployed.
        let is_hidden = target.file.split('/').any(|part| part.starts_with('.'));
        if target.kind == "Chart.yaml" && target.keys.len() == 1 || is_hidden {
            continue;
        }
        let environment = environment(target, catalog);
        let name = target.artifact.clone().or_else(|| by_key(target)).unwrap_or_default();
        groups.entry((environment, name, target.to.clone())).or_default().push(index);
    }
    let only_one = groups.len() == 1;
    let bump = |((environment, artifact, version), indices): ((Option<String>, String, String), Vec<usize>)| {
        let first = &targets[indices[0]];
        let mut names = BTreeSet::new();
        if !artifact.is_empty() {
            names.insert(short_name(&artifact).to_owned());
            names.insert(artifact.trim_end_matches(".git").to_owned());
        }
        // A directory is a name only for its own contents.
        let place = |target: &Target| target.file.rsplit_once('/').map(|(directory, _)| directory.to_owned());
        let is_one_place = indices.iter().all(|index| place(&targets[*index]) == place(first));
        let fits = |name: &String| mentions(message, name) && only_one || artifact.ends_with(&format!("/{name}"));
        names.extend(directory(first).filter(|name| is_one_place && fits(name)));
        names.extend(name_after_verb(message).filter(|name| only_one && is_part_of(first, name)));
        Bump { environment, names, version, kind: first.kind, targets: indices }
    };
    groups.into_iter().map(bump).collect()
}

/// Returns the request with the environment, the service, and the image that `images` shows, if it shows one of each.
pub(crate) fn as_shown(catalog: &Catalog, bump: &Bump, targets: &[Target]) -> Option<Bump> {
    let of_bump = || bump.targets.iter().map(|index| &targets[*index]);
    let is_at = |place: &CatalogPlace, target: &Target| place.file == target.file && place.slot.line == target.line + 1;
    let places = catalog.places.iter().filter(|place| of_bump().any(|target| is_at(place, target)));
    let places: Vec<&CatalogPlace> = places.collect();
    let shown: BTreeSet<(Option<&str>, &str, &str)> = places
        .iter()
        .filter(|place| place.slot.what == ArtifactKind::Image)
        .filter_map(|place| Some((place.environment(), place.service.as_str(), place.slot.artifact.as_deref()?)))
        .collect();
    let [(environment, service, image)] = shown.into_iter().collect::<Vec<_>>()[..] else { return None };
    let separator = if bump.version.starts_with("sha256:") { '@' } else { ':' };
    // The name of an entry may contain the tag that it replaces.
    let image = ImageReference::split(image).name;
    let version = format!("{image}{separator}{}", bump.version);
    let (environment, names) = (environment.map(str::to_owned), BTreeSet::from([service.to_owned()]));
    Some(Bump { environment, names, version, ..bump.clone() })
}

/// Returns true if a name is in the path or the artifact of a target. Other words of a message, such as versions and verbs,
/// are no names.
fn is_part_of(target: &Target, name: &str) -> bool {
    let plain = |text: &str| {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        format!("-{}-", words.collect::<Vec<_>>().join("-").to_ascii_lowercase())
    };
    let artifact = target.artifact.as_deref().unwrap_or_default();
    let is_file = name.ends_with(".yaml") || name.ends_with(".yml");
    !is_file && plain(&format!("{} {} {artifact}", target.file, target.path)).contains(&plain(name))
}

fn mentions(message: &str, name: &str) -> bool {
    // A directory in a path is not the subject of the message.
    let words: Vec<&str> = message.split_whitespace().filter(|word| !word.contains('/')).collect();
    words
        .join(" ")
        .to_ascii_lowercase()
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_')
        .any(|word| word == name.to_ascii_lowercase())
}

/// `api` for `API_DOCKER_TAG`.
fn by_key(target: &Target) -> Option<String> {
    let key = target.keys.last()?.replace('_', "-").to_ascii_lowercase();
    let mut name = key.as_str();
    while let Some(rest) =
        ["-tag", "-version", "-image", "-docker", "-digest"].iter().find_map(|end| name.strip_suffix(end))
    {
        name = rest;
    }
    let is_plain = ["tag", "version", "image", "digest", "ref", "revision", "newtag", "value"].contains(&name);
    (!is_plain && name != key && !name.is_empty()).then(|| name.to_owned())
}

/// Returns the innermost directory that names something.
fn directory(target: &Target) -> Option<String> {
    const PLAIN: [&str; 14] = [
        "app",
        "apps",
        "base",
        "overlays",
        "overlay",
        "values",
        "charts",
        "templates",
        "helm",
        "kubernetes",
        "k8s",
        "manifests",
        "clusters",
        "environments",
    ];
    let parts: Vec<&str> = target.file.split('/').collect();
    let mut directories = parts[..parts.len() - 1].iter().rev();
    directories.find(|part| !PLAIN.contains(part) && rank(part).is_none()).map(|part| (*part).to_owned())
}

/// Returns the name after the verb of a message: `bump NAME from`, `update helm release NAME to`.
fn name_after_verb(message: &str) -> Option<String> {
    const FILLERS: [&str; 15] = [
        "image",
        "images",
        "container",
        "docker",
        "helm",
        "release",
        "chart",
        "dependency",
        "tag",
        "version",
        "the",
        "to",
        "digest",
        "group",
        "tags",
    ];
    let mut words = message.split_whitespace();
    let is_verb = |word: &&str| {
        let word = word.to_ascii_lowercase();
        ["bump", "bumps", "update", "updates", "upgrade", "updated", "promote", "deploy", "bumped"]
            .contains(&word.as_str())
    };
    words.find(is_verb)?;
    let word = words.find(|word| !FILLERS.contains(&word.to_ascii_lowercase().as_str()))?;
    let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let is_name = word.len() > 2 && word.chars().any(|c| c.is_ascii_alphabetic()) && !word.contains([':', '=']);
    (is_name && rank(word).is_none()).then(|| word.to_owned())
}
