//! Services and environments: which kustomizations are overlays of what.
//!
//! Overlays of one service share a base. The part of their paths that tells them apart is the environment, and what is left
//! of the path is the service. What was learned from services with several environments is applied to those with one.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::gitops::config::Config;
use crate::gitops::environment::{self, Word, is_environment, word};
use crate::gitops::kustomization::{Kind, Kustomization, Target};
use crate::gitops::path;
use crate::gitops::pattern::PathPattern;
use crate::gitops::purpose::{Purpose, purpose};
use crate::gitops::repository::Repository;
use crate::gitops::workload;
use crate::model::image::Reference;
use crate::slot::artifact::short;
use crate::yaml::tree;

/// One service in one environment.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
pub struct Overlay {
    /// The service.
    pub service: String,
    /// The environment.
    pub environment: String,
    /// The directory, from the top of the repository.
    pub directory: String,
    /// How it was found.
    pub because: String,
}

/// What was found in a repository.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Discovery {
    /// Environments in the order of promotion.
    pub environments: Vec<String>,
    /// Overlays, by service and environment.
    pub overlays: Vec<Overlay>,
    /// Kustomizations that are no overlays, and why.
    pub others: BTreeMap<String, String>,
}

impl Discovery {
    /// The names of the services.
    pub fn services(&self) -> BTreeSet<&str> {
        self.overlays.iter().map(|overlay| overlay.service.as_str()).collect()
    }

    /// The overlay of a service in an environment.
    pub fn overlay(&self, service: &str, environment: &str) -> Option<&Overlay> {
        self.overlays.iter().find(|overlay| overlay.service == service && overlay.environment == environment)
    }
}

/// Finds the overlays of a repository.
pub fn discover(repository: &Repository) -> Discovery {
    let config = &repository.config;
    let mut discovery = if config.paths.is_empty() { follow(repository) } else { match_patterns(repository, config) };
    discovery.overlays.retain(|overlay| {
        let ignored = config.ignore.contains(&overlay.service);
        if ignored {
            discovery.others.insert(overlay.directory.clone(), "left out by .ucp.yaml".into());
        }
        !ignored
    });
    discovery.overlays.sort();
    let found: BTreeSet<&str> = discovery.overlays.iter().map(|overlay| overlay.environment.as_str()).collect();
    discovery.environments = environment::in_order(found, &config.environments);
    discovery
}

fn match_patterns(repository: &Repository, config: &Config) -> Discovery {
    let patterns: Vec<PathPattern> = config.paths.iter().map(|pattern| PathPattern::new(pattern)).collect();
    let mut discovery = Discovery::default();
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
                service: if service.is_empty() { only_service(repository) } else { service },
                environment,
                directory: directory.clone(),
                because: format!("{pattern} in .ucp.yaml"),
            }),
            None => drop(discovery.others.insert(directory.clone(), "matches no path in .ucp.yaml".into())),
        }
    }
    discovery
}

/// A kustomization on its way to be an overlay.
struct Candidate<'a> {
    parts: Vec<&'a str>,
    bases: BTreeSet<String>,
}

fn follow(repository: &Repository) -> Discovery {
    let mut discovery = Discovery::default();
    let candidates = candidates(repository, &mut discovery);
    let mut families: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (directory, candidate) in &candidates {
        for base in &candidate.bases {
            families.entry(base).or_default().push(directory);
        }
    }
    families.retain(|_, members| members.len() > 1);

    // The place of the environment in the path, by the smallest family that a candidate belongs to.
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

    let mut found = Vec::new();
    for (directory, candidate) in &candidates {
        let parts = &candidate.parts;
        let place = match placed.get(directory.as_str()) {
            Some((place, base)) => Some((*place, format!("shares {base} with other overlays"))),
            None => parts.iter().enumerate().rev().find_map(|(place, part)| {
                if learned.contains(&(place, *part)) {
                    Some((place, format!("{part} is where other services have it")))
                } else {
                    (word(part) != Word::None).then(|| (place, format!("{part} is an environment by its name")))
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

/// Of kustomizations that share a base, those that are variants of it rather than environments: `with-istio`.
///
/// Names of environments are known words, or stand beside one, or below a directory for environments, or most of those
/// beside them are found with other bases too. In a repository with one family there is nothing else to go by.
fn variants<'a>(
    candidates: &BTreeMap<String, Candidate<'_>>,
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
        let named = |name: &str| word(name) != Word::None || users[name].len() > 1;
        let named = members.iter().filter(|(_, name)| named(name)).count();
        members.iter().any(contained) || named * 2 > members.len()
    };
    let members = families.values().filter(|members| !is_environments(members));
    members.flatten().map(|(directory, _)| *directory).collect()
}

/// Cuts `echo-prod` into a service and an environment, where a base has the name of the service.
fn split_name<'a>(part: &'a str, bases: &BTreeSet<String>) -> (Option<&'a str>, &'a str) {
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

/// Kustomizations that stand for a service in an environment, rather than for a base, a component or a collection.
fn candidates<'a>(repository: &'a Repository, discovery: &mut Discovery) -> BTreeMap<String, Candidate<'a>> {
    let all = &repository.kustomizations;
    let mut referrers: BTreeMap<&str, Vec<&Kustomization>> = BTreeMap::new();
    for kustomization in all.values() {
        for base in local_bases(kustomization, all) {
            referrers.entry(base).or_default().push(kustomization);
        }
    }
    let is_base = |directory: &str| {
        let above = referrers.get(directory).map(Vec::as_slice).unwrap_or_default();
        let refines = |referrer: &&Kustomization| {
            let alone = local_bases(referrer, all).count() == 1;
            let changes = !referrer.images.is_empty() || !referrer.patches.is_empty() || above.len() > 1;
            path::is_below(&referrer.directory, path::parent(directory)) || (alone && changes)
        };
        above.iter().any(refines)
    };
    let mut candidates = BTreeMap::new();
    let mut collections = Vec::new();
    let is_sample = |directory: &String| purpose(&path::inside(directory, "x")) == Purpose::Sample;
    let only_samples = all.keys().all(is_sample);
    for (directory, kustomization) in all {
        if is_sample(directory) && !only_samples {
            discovery.others.insert(directory.clone(), "a sample or a test, by its directory".into());
            continue;
        }
        let has_base = kustomization.resources.iter().any(|target| match target {
            Target::Local(path) => all.contains_key(path),
            Target::Remote(_) => true,
            Target::Outside(_) => false,
        });
        // What prod-eu builds on is called prod, and is that environment too.
        let named = directory.rsplit('/').next().unwrap_or(directory);
        let is_environment_itself = has_base && word(named) == Word::Exact && !named.starts_with("non");
        let other = if kustomization.kind == Kind::Component {
            Some("a component")
        } else if is_base(directory) && !is_environment_itself {
            Some("a base of other kustomizations")
        } else if !has_base && referrers.contains_key(directory.as_str()) {
            Some("a base, with none of its own")
        } else {
            None
        };
        if let Some(other) = other {
            discovery.others.insert(directory.clone(), other.into());
            continue;
        }
        if kustomization.images.is_empty() && local_bases(kustomization, all).count() > 0 {
            collections.push(directory.clone());
        }
        let parts = directory.split('/').filter(|part| !part.is_empty()).collect();
        candidates.insert(directory.clone(), Candidate { parts, bases: bases(kustomization, all) });
    }
    // What cannot be read may well be an overlay; its name has to do.
    for directory in repository.unreadable.keys() {
        let parts = directory.split('/').filter(|part| !part.is_empty()).collect();
        candidates.insert(directory.clone(), Candidate { parts, bases: BTreeSet::new() });
    }
    // A kustomization that only gathers overlays is none itself.
    for directory in collections {
        let gathers = local_bases(&all[&directory], all).any(|base| candidates.contains_key(base));
        if gathers {
            candidates.remove(&directory);
            discovery.others.insert(directory, "a collection of overlays".into());
        }
    }
    candidates
}

fn local_bases<'a>(
    kustomization: &'a Kustomization,
    all: &'a BTreeMap<String, Kustomization>,
) -> impl Iterator<Item = &'a str> {
    kustomization.resources.iter().filter_map(|target| match target {
        Target::Local(path) if all.contains_key(path) => Some(path.as_str()),
        _ => None,
    })
}

/// Everything that a kustomization builds on, at any distance.
fn bases(kustomization: &Kustomization, all: &BTreeMap<String, Kustomization>) -> BTreeSet<String> {
    let mut bases = BTreeSet::new();
    let mut open = vec![kustomization];
    while let Some(kustomization) = open.pop() {
        for target in &kustomization.resources {
            match target {
                Target::Local(path) => {
                    if let Some(base) = all.get(path)
                        && bases.insert(path.clone())
                    {
                        open.push(base);
                    }
                }
                Target::Remote(url) => drop(bases.insert(url.clone())),
                Target::Outside(_) => {}
            }
        }
    }
    bases
}

/// The part of these paths that is the environment: where all of them have one by name, or else the first that differs. None
/// where they differ in something else, and have their environment in common.
fn distinguishing_part(paths: &[&[&str]]) -> Option<usize> {
    let shortest = paths.iter().map(|parts| parts.len()).min()?;
    let by_name = |place: &usize| paths.iter().all(|parts| is_environment(parts[*place]));
    let (differing, common): (Vec<usize>, Vec<usize>) =
        (0..shortest).partition(|place| paths.iter().any(|parts| parts[*place] != paths[0][*place]));
    let named = differing.iter().copied().find(by_name);
    named.or_else(|| {
        let first = differing.first().copied().filter(|_| !common.iter().any(by_name))?;
        // They differ there alone, or stand side by side below a directory for overlays.
        let alone = paths.iter().all(|parts| parts.len() == shortest) && differing.len() == 1;
        let beside = first > 0 && is_container(paths[0][first - 1]);
        (alone || beside).then_some(first)
    })
}

/// Whether what stands in a directory of this name, side by side, is an overlay each.
fn is_container(directory: &str) -> bool {
    environment::is_container(directory) || ["overlays", "overlay"].contains(&directory)
}

fn without<'a>(parts: &[&'a str], place: usize) -> Vec<&'a str> {
    parts.iter().enumerate().filter(|(index, _)| *index != place).map(|(_, part)| *part).collect()
}

/// The service of a repository that holds no other: called like its workload, else like its image. The repository itself
/// is called otherwise in every fork.
fn only_service(repository: &Repository) -> String {
    let files = repository.kustomizations.values().flat_map(|kustomization| &kustomization.resources);
    let files = files.filter_map(|target| match target {
        Target::Local(path) if !repository.kustomizations.contains_key(path) => Some(path),
        _ => None,
    });
    let documents = |file: &String| repository.read_text(file).ok().and_then(|text| tree::parse(&text).ok());
    let mut workloads = files.filter_map(documents).flat_map(|documents| workload::images(&documents));
    let image = || {
        let mut entries = repository.kustomizations.values().flat_map(|kustomization| &kustomization.images);
        entries.next().map(|entry| short(&Reference::split(&entry.name).name).to_owned())
    };
    let named = workloads.next().map(|found| found.name).filter(|name| !name.is_empty());
    named.or_else(image).unwrap_or_else(|| repository.name.clone())
}

/// Short names for services, from what is left of their paths; the whole of it where that is not enough.
fn service_names(keys: &[Vec<&str>], repository: &str) -> Vec<String> {
    const GENERIC: [&str; 18] = [
        "overlays",
        "overlay",
        "envs",
        "env",
        "environments",
        "environment",
        "clusters",
        "cluster",
        "kustomize",
        "k8s",
        "kubernetes",
        "deploy",
        "deployment",
        "manifests",
        "gitops",
        "apps",
        "services",
        "variants",
    ];
    let telling: Vec<Vec<&str>> = keys
        .iter()
        .map(|key| key.iter().copied().filter(|part| !GENERIC.contains(&part.to_ascii_lowercase().as_str())).collect())
        .collect();
    let distinct: BTreeSet<&Vec<&str>> = telling.iter().collect();
    let mut common = telling.first().map_or(0, Vec::len);
    for key in &distinct {
        let same = key.iter().zip(&telling[0]).take_while(|(left, right)| left == right).count();
        // The last part of a name is never common.
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
