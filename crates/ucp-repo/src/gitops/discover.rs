//! Discovery of services and environments from the overlays of kustomizations.
//!
//! Overlays of one service share a base. The part of their paths in which they differ is the environment, and the rest
//! of the path is the service. The result for services with several environments is applied to those with one.

mod candidate;
mod service;

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::gitops::config::RepositoryConfig;
use crate::gitops::environment::{self, EnvironmentWord, environment_word, is_ambiguous, is_environment};
use crate::gitops::pattern::PathPattern;
use crate::gitops::repository::Repository;
use candidate::{OverlayCandidate, candidates};
use service::{only_service, service_names, split_name};

/// One service in one environment.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
pub struct Overlay {
    /// The service.
    pub service: String,
    /// The environment.
    pub environment: String,
    /// Directory, relative to the root of the repository.
    pub directory: String,
    /// Reason why it is an overlay.
    pub because: String,
}

/// Services and environments of a repository.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Discovery {
    /// Environments in the order of promotion.
    pub environments: Vec<String>,
    /// Overlays, sorted by service and environment.
    pub overlays: Vec<Overlay>,
    /// Kustomizations that are not overlays, with the reason.
    pub others: BTreeMap<String, String>,
}

impl Discovery {
    /// Returns the names of the services.
    pub fn services(&self) -> BTreeSet<&str> {
        self.overlays.iter().map(|overlay| overlay.service.as_str()).collect()
    }

    /// Returns the overlay of a service in an environment.
    pub fn overlay(&self, service: &str, environment: &str) -> Option<&Overlay> {
        let key =
            |overlay: &Overlay| (overlay.service.as_str(), overlay.environment.as_str()).cmp(&(service, environment));
        let position = self.overlays.partition_point(|overlay| key(overlay).is_lt());
        self.overlays.get(position).filter(|overlay| key(overlay).is_eq())
    }
}

/// Discovers the overlays of a repository.
pub fn discover(repository: &Repository) -> Discovery {
    let config = &repository.config;
    let mut discovery =
        if config.paths.is_empty() { discover_by_bases(repository) } else { match_patterns(repository, config) };
    discovery.overlays.retain(|overlay| {
        let ignored = config.ignore.contains(&overlay.service);
        if ignored {
            discovery.others.insert(overlay.directory.clone(), "left out by .ucp.yaml".into());
        }
        !ignored
    });
    discovery.overlays.sort();
    let found: BTreeSet<&str> = discovery.overlays.iter().map(|overlay| overlay.environment.as_str()).collect();
    discovery.environments = environment::promotion_order(found, &config.environments);
    discovery
}

fn match_patterns(repository: &Repository, config: &RepositoryConfig) -> Discovery {
    let patterns: Vec<PathPattern> = config.paths.iter().map(|pattern| PathPattern::new(pattern)).collect();
    let mut discovery = Discovery::default();
    let service_of_all = LazyCell::new(|| only_service(repository));
    for directory in &repository.directories {
        let known = repository.kustomizations.contains_key(directory) || repository.unreadable.contains_key(directory);
        let found = patterns.iter().find_map(|pattern| Some((pattern, pattern.matches(directory)?)));
        let ruled = || {
            found.as_ref().is_some_and(|(_, (service, environment))| {
                let mut paths = config.promote.iter().filter_map(|rule| rule.path(directory, service, environment));
                paths.any(|path| repository.top.join(path).is_file())
            })
        };
        if !known && !ruled() {
            continue;
        }
        match found {
            Some((pattern, (service, environment))) => discovery.overlays.push(Overlay {
                service: if service.is_empty() { service_of_all.clone() } else { service },
                environment,
                directory: directory.clone(),
                because: format!("{pattern} in .ucp.yaml"),
            }),
            None => drop(discovery.others.insert(directory.clone(), "matches no path in .ucp.yaml".into())),
        }
    }
    discovery
}

fn discover_by_bases(repository: &Repository) -> Discovery {
    let (candidates, others) = candidates(repository);
    let mut discovery = Discovery { others, ..Discovery::default() };
    let mut families: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (directory, candidate) in &candidates {
        for base in &candidate.bases {
            families.entry(base).or_default().push(directory);
        }
    }
    families.retain(|_, members| members.len() > 1);

    // Position of the environment in the path, by the smallest family that contains the candidate.
    let mut placed: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
    let mut by_size: Vec<(&&str, &Vec<&str>)> = families.iter().collect();
    by_size.sort_by_key(|(base, members)| (members.len(), **base));
    for (base, members) in by_size {
        let parts: Vec<&[&str]> = members.iter().map(|member| candidates[*member].parts.as_slice()).collect();
        let Some(place) = distinguishing_part(&parts) else { continue };
        for member in members {
            placed.entry(member).or_insert((place, base));
        }
    }
    let variants = variants(&candidates, &placed);
    placed.retain(|directory, _| !variants.contains(directory));
    let learned: BTreeSet<(usize, &str)> =
        placed.iter().map(|(directory, (place, _))| (*place, candidates[*directory].parts[*place])).collect();

    let beside = names_beside(&candidates);
    let mut found = Vec::new();
    for (directory, candidate) in &candidates {
        let parts = &candidate.parts;
        let place = match placed.get(directory.as_str()) {
            Some((place, base)) => Some((*place, format!("shares {base} with other overlays"))),
            None => parts.iter().enumerate().rev().find_map(|(place, part)| {
                if learned.contains(&(place, *part)) {
                    Some((place, format!("other services have their environment at {part}")))
                } else {
                    let is_doubtful = is_ambiguous(part) && are_applications(&beside[&parts[..place]]);
                    (environment_word(part) != EnvironmentWord::None && !is_doubtful)
                        .then(|| (place, format!("{part} has the name of an environment")))
                }
            }),
        };
        let Some((place, because)) = place else {
            discovery.others.insert(directory.clone(), "no environment in its path".into());
            continue;
        };
        let mut key = without(parts, place);
        let (service, environment) = split_name(parts[place], &candidate.bases);
        key.extend(service.filter(|service| !key.contains(service)));
        found.push((directory, key, environment, because));
    }
    let keys: Vec<Vec<&str>> = found.iter().map(|(_, key, ..)| key.clone()).collect();
    let names = service_names(&keys, &only_service(repository));
    for ((directory, _, environment, because), service) in found.into_iter().zip(names) {
        let (environment, directory) = (environment.to_owned(), directory.clone());
        discovery.overlays.push(Overlay { service, environment, directory, because });
    }
    discovery
}

/// Returns the names of the parts of paths, by the parts above them.
fn names_beside<'c>(
    candidates: &'c BTreeMap<String, OverlayCandidate<'_>>,
) -> BTreeMap<&'c [&'c str], BTreeSet<&'c str>> {
    let mut beside: BTreeMap<&[&str], BTreeSet<&str>> = BTreeMap::new();
    for candidate in candidates.values() {
        for (place, part) in candidate.parts.iter().enumerate() {
            beside.entry(&candidate.parts[..place]).or_default().insert(part);
        }
    }
    beside
}

/// Returns true if names are of applications, and none is certainly that of an environment.
fn are_applications(names: &BTreeSet<&str>) -> bool {
    let is_certain = |name: &&str| environment_word(name) == EnvironmentWord::Exact && !is_ambiguous(name);
    let is_other = |name: &&str| environment_word(name) == EnvironmentWord::None && !environment::is_shared(name);
    names.iter().any(is_other) && !names.iter().any(is_certain)
}

/// Returns the kustomizations that are variants of their base rather than environments: `with-istio`.
///
/// A name is an environment if it is a known word, is beside one, is below a directory for environments, or if most of
/// its siblings occur with other bases, too. In a repository with only one family there is no other evidence.
fn variants<'a>(
    candidates: &BTreeMap<String, OverlayCandidate<'_>>,
    placed: &BTreeMap<&'a str, (usize, &'a str)>,
) -> BTreeSet<&'a str> {
    let mut families: BTreeMap<&str, Vec<(&'a str, &str)>> = BTreeMap::new();
    let mut users: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (directory, (place, base)) in placed {
        let name = candidates[*directory].parts[*place];
        families.entry(base).or_default().push((directory, name));
        users.entry(name).or_default().insert(base);
    }
    if families.len() == 1 {
        return BTreeSet::new();
    }
    let is_environments = |members: &[(&str, &str)]| {
        let contained = |(directory, _): &(&str, &str)| {
            let (place, _) = placed[directory];
            place > 0 && environment::is_container(candidates[*directory].parts[place - 1])
        };
        let named = |name: &str| environment_word(name) != EnvironmentWord::None || users[name].len() > 1;
        let named = members.iter().filter(|(_, name)| named(name)).count();
        members.iter().any(contained) || named * 2 > members.len()
    };
    let members = families.values().filter(|members| !is_environments(members));
    members.flatten().map(|(directory, _)| *directory).collect()
}

/// Returns the position of the environment in these paths: where all of them have a word for one, or else the first
/// part in which they differ. Returns `None` if they differ elsewhere and share their environment.
fn distinguishing_part(paths: &[&[&str]]) -> Option<usize> {
    let shortest = paths.iter().map(|parts| parts.len()).min()?;
    let by_name = |place: &usize| paths.iter().all(|parts| is_environment(parts[*place]));
    let (differing, common): (Vec<usize>, Vec<usize>) =
        (0..shortest).partition(|place| paths.iter().any(|parts| parts[*place] != paths[0][*place]));
    let named = differing.iter().copied().find(by_name);
    named.or_else(|| {
        let first = differing.first().copied().filter(|_| !common.iter().any(by_name))?;
        // They differ only there, or are siblings below a directory for overlays.
        let alone = paths.iter().all(|parts| parts.len() == shortest) && differing.len() == 1;
        let beside = first > 0 && is_container(paths[0][first - 1]);
        (alone || beside).then_some(first)
    })
}

/// Returns true if all children of a directory with this name are overlays.
fn is_container(directory: &str) -> bool {
    environment::is_container(directory) || ["overlays", "overlay"].contains(&directory)
}

fn without<'a>(parts: &[&'a str], place: usize) -> Vec<&'a str> {
    parts.iter().enumerate().filter(|(index, _)| *index != place).map(|(_, part)| *part).collect()
}
