//! Kustomizations that may be overlays, with their bases.

use std::collections::{BTreeMap, BTreeSet};

use crate::gitops::environment::{EnvironmentWord, environment_word, is_shared};
use crate::gitops::kustomization::{Kustomization, KustomizationKind, KustomizationTarget};
use crate::gitops::path;
use crate::gitops::purpose::{Purpose, purpose};
use crate::gitops::repository::Repository;

/// Kustomization that may be an overlay.
pub(super) struct OverlayCandidate<'a> {
    /// The directories that name its service and environment.
    pub(super) parts: Vec<&'a str>,
    pub(super) bases: BTreeSet<String>,
}

/// Returns the kustomizations of a service in an environment, without bases, components, and collections. Also returns
/// the others, with the reason.
pub(super) fn candidates(
    repository: &Repository,
) -> (BTreeMap<String, OverlayCandidate<'_>>, BTreeMap<String, String>) {
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
            let alone = local_bases(referrer, all).nth(1).is_none();
            let changes = !referrer.images.is_empty() || !referrer.patches.is_empty() || above.len() > 1;
            path::is_below(&referrer.directory, path::parent(directory)) || (alone && changes)
        };
        above.iter().any(refines)
    };
    let environments = environments_of_clusters(all, &referrers);
    let (mut candidates, mut others) = (BTreeMap::new(), BTreeMap::new());
    let mut collections = Vec::new();
    let undeployed = |directory: &str| match purpose(&path::inside(directory, "x")) {
        Purpose::Deployed => None,
        Purpose::Sample => Some("a sample or a test, by its directory"),
        Purpose::Generated => Some("a generated copy, by its directory"),
    };
    let is_none_deployed = all.keys().all(|directory| undeployed(directory).is_some());
    for (directory, kustomization) in all {
        if let Some(reason) = undeployed(directory).filter(|_| !is_none_deployed) {
            others.insert(directory.clone(), reason.into());
            continue;
        }
        let has_base = kustomization.resources.iter().any(|target| match target {
            KustomizationTarget::Local(path) => all.contains_key(path),
            KustomizationTarget::Remote(_) => true,
            KustomizationTarget::Outside(_) => false,
        });
        // The base of `prod-eu` may be named `prod`, and be that environment as well.
        let named = path::name(directory);
        let is_environment_itself =
            has_base && environment_word(named) == EnvironmentWord::Exact && !named.starts_with("non");
        let environment = environments.get(directory.as_str());
        let other = if kustomization.kind == KustomizationKind::Component {
            Some("a component")
        } else if environment.is_some() {
            None
        } else if is_cluster(kustomization, all, &environments) {
            Some("a cluster of its environment, without images of its own")
        } else if is_base(directory) && !is_environment_itself {
            Some("a base of other kustomizations")
        } else if !has_base && referrers.contains_key(directory.as_str()) {
            Some("a base without overlays")
        } else {
            None
        };
        if let Some(other) = other {
            others.insert(directory.clone(), other.into());
            continue;
        }
        if environment.is_none() && kustomization.images.is_empty() && local_bases(kustomization, all).next().is_some()
        {
            collections.push(directory.clone());
        }
        let parts = environment.unwrap_or(&directory.as_str()).split('/').filter(|part| !part.is_empty()).collect();
        candidates.insert(directory.clone(), OverlayCandidate { parts, bases: bases(kustomization, all) });
    }
    // An unreadable kustomization may be an overlay; only its name is known.
    for directory in repository.unreadable.keys() {
        let parts = directory.split('/').filter(|part| !part.is_empty()).collect();
        candidates.insert(directory.clone(), OverlayCandidate { parts, bases: BTreeSet::new() });
    }
    // A kustomization that only collects overlays is not an overlay itself.
    for directory in collections {
        let gathers = local_bases(&all[&directory], all).any(|base| candidates.contains_key(base));
        if gathers {
            candidates.remove(&directory);
            others.insert(directory, "a collection of overlays".into());
        }
    }
    (candidates, others)
}

/// Returns the directories of environments with several clusters, by the base that their clusters share: `shop/prod` by
/// `shop/prod/base`. That base is the overlay of the environment, unless every cluster sets its images itself.
fn environments_of_clusters<'a>(
    all: &'a BTreeMap<String, Kustomization>,
    referrers: &BTreeMap<&str, Vec<&Kustomization>>,
) -> BTreeMap<&'a str, &'a str> {
    let named = all.iter().filter_map(|(directory, base)| {
        let (environment, name) = directory.rsplit_once('/')?;
        let word = environment_word(path::name(environment));
        let clusters = referrers.get(directory.as_str())?;
        let are_its_own = clusters.iter().all(|cluster| path::parent(&cluster.directory) == environment);
        let is_shared = is_shared(name) && word != EnvironmentWord::None && !all.contains_key(environment);
        // A base without images of its own or below it has what all services of an environment share.
        let is_whole =
            !base.images.is_empty() || local_bases(base, all).any(|other| !path::is_below(other, environment));
        (is_shared && is_whole && are_its_own && clusters.iter().any(|cluster| cluster.images.is_empty()))
            .then_some((directory.as_str(), environment))
    });
    named.collect()
}

/// Returns true for a cluster that has the images of its environment.
fn is_cluster(
    kustomization: &Kustomization,
    all: &BTreeMap<String, Kustomization>,
    environments: &BTreeMap<&str, &str>,
) -> bool {
    kustomization.images.is_empty() && local_bases(kustomization, all).any(|base| environments.contains_key(base))
}

fn local_bases<'a>(
    kustomization: &'a Kustomization,
    all: &'a BTreeMap<String, Kustomization>,
) -> impl Iterator<Item = &'a str> {
    kustomization.resources.iter().filter_map(|target| match target {
        KustomizationTarget::Local(path) if all.contains_key(path) => Some(path.as_str()),
        _ => None,
    })
}

/// Returns all direct and indirect bases of a kustomization.
fn bases(kustomization: &Kustomization, all: &BTreeMap<String, Kustomization>) -> BTreeSet<String> {
    let mut bases = BTreeSet::new();
    let mut open = vec![kustomization];
    while let Some(kustomization) = open.pop() {
        for target in &kustomization.resources {
            match target {
                KustomizationTarget::Local(path) => {
                    if let Some(base) = all.get(path)
                        && bases.insert(path.clone())
                    {
                        open.push(base);
                    }
                }
                KustomizationTarget::Remote(url) => drop(bases.insert(url.clone())),
                KustomizationTarget::Outside(_) => {}
            }
        }
    }
    bases
}
