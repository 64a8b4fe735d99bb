//! Commits that carry versions from one environment to another.

use std::collections::{BTreeMap, BTreeSet};

use ucp::promote::copy;
use ucp::promote::facts::PlanningFacts;
use ucp::promote::request::{PromotionRequest, ServiceSelection};
use ucp_repo::gitops::catalog::CatalogPlace;

use crate::change::{self, Target};
use crate::history::History;
use crate::request::{is_environment, rank};
use crate::score::{Texts, Verdict, apply, verdict};

/// Directories whose children are environments, whatever their names.
const CONTAINERS: [&str; 8] =
    ["clusters", "cluster", "environments", "environment", "envs", "env", "stages", "overlays"];

/// Names of files and directories that environments share.
const SHARED: [&str; 6] = ["base", "common", "shared", "default", "all", "kustomization"];

/// Position of the name of an environment in a path or in keys.
#[derive(Debug, Clone, PartialEq, Eq)]
enum EnvironmentSpot {
    Part(usize),
    Key(usize),
}

/// Where the versions of a commit came from.
pub(crate) struct Source {
    from: String,
    to: String,
    is_key: bool,
    /// File with the version of the first target.
    file: String,
}

impl Source {
    /// Returns the environment that had all new versions of a commit before it.
    pub(crate) fn find(history: &mut History, index: usize, targets: &[Target]) -> Option<Self> {
        let parent = format!("{}^", history.commits[index].id);
        let spots: Vec<(String, EnvironmentSpot)> = targets.iter().map(environment).collect::<Option<_>>()?;
        let (to, spot) = spots.first()?.clone();
        if spots.iter().any(|(name, _)| *name != to) {
            return None;
        }
        let others = match &spot {
            EnvironmentSpot::Part(part) => siblings_of_part(history, &parent, &targets[0].file, *part, &to),
            EnvironmentSpot::Key(key) => siblings_of_key(history, &parent, &targets[0], *key),
        };
        let mut texts: BTreeMap<String, Option<Vec<change::Leaf>>> = BTreeMap::new();
        let is_contained = |part: usize| {
            let parent = targets[0].file.split('/').nth(part.wrapping_sub(1));
            parent.is_some_and(|parent| CONTAINERS.contains(&parent))
        };
        // Next to environments there may be names of something else.
        let may_be_any = matches!(spot, EnvironmentSpot::Part(part) if is_contained(part));
        let is_before = |other: &String| match (rank(other), rank(&to)) {
            (Some(from), Some(to)) => from < to,
            _ => may_be_any && *other != to,
        };
        others.into_iter().filter(is_before).find_map(|other| {
            let mut files = targets.iter().zip(&spots).map(|(target, (word, spot))| {
                let (file, keys) = counterpart(target, word, spot, &other);
                let read = |file: &String| change::leaves(file, &history.blob(&format!("{parent}:{file}"))?);
                let leaves = texts.entry(file.clone()).or_insert_with_key(read).as_ref()?;
                let same = |leaf: &change::Leaf| {
                    leaf.keys == keys && leaf.artifact == target.artifact && leaf.text == target.value
                };
                leaves.iter().any(same).then_some(file)
            });
            let files: Vec<String> = files.by_ref().collect::<Option<_>>()?;
            let is_key = matches!(spot, EnvironmentSpot::Key(_));
            Some(Self { from: other, to: to.clone(), is_key, file: files.into_iter().next()? })
        })
    }

    pub(crate) fn replay(&self, facts: &PlanningFacts<'_>, targets: &[Target], texts: &Texts) -> (Verdict, String) {
        // Environments and services have the names that `images` shows.
        let places = &facts.catalog.places;
        let stands_at = |target: &Target| {
            places.iter().find(|place| place.file == target.file && place.slot.line == target.line + 1)
        };
        let own: Vec<&CatalogPlace> = targets.iter().filter_map(stands_at).collect();
        let named = |place: Option<&CatalogPlace>, name: &str| {
            place.filter(|_| !self.is_key).and_then(CatalogPlace::environment).unwrap_or(name).to_owned()
        };
        let from = named(places.iter().find(|place| place.file == self.file), &self.from);
        let to = named(own.first().copied(), &self.to);
        let services: BTreeSet<String> = own.iter().map(|place| place.service.clone()).collect();
        let only: BTreeSet<String> = own.iter().map(|place| place.artifact()).collect();
        let text = format!("promote {from} {to} {}", services.iter().cloned().collect::<Vec<_>>().join(" "));
        if own.len() < targets.len() || from == to {
            return (Verdict::Refused, format!("{text}: not listed: {} {}", targets[0].file, targets[0].path));
        }
        let ask = |only: Vec<String>| {
            let services = ServiceSelection::Named(services.clone());
            let request = PromotionRequest { from: from.clone(), to: to.clone(), services, only };
            copy::plan(facts, &request, None, None)
        };
        let expected = [apply(&targets.iter().collect::<Vec<_>>(), texts)];
        let whole = verdict(ask(Vec::new()), &expected, text.clone());
        if whole.0 == Verdict::Right {
            return whole;
        }
        // The commit may have moved some of the versions.
        let only: Vec<String> = only.into_iter().collect();
        verdict(ask(only.clone()), &expected, format!("{text} --only {}", only.join(" --only ")))
    }
}

/// Returns the innermost environment of a target.
fn environment(target: &Target) -> Option<(String, EnvironmentSpot)> {
    if let Some(index) = target.keys.iter().rposition(|key| is_environment(key)) {
        return Some((target.keys[index].clone(), EnvironmentSpot::Key(index)));
    }
    let parts: Vec<&str> = target.file.split('/').collect();
    (0..parts.len()).rev().find_map(|index| {
        let part = if index + 1 == parts.len() { parts[index].split('.').next()? } else { parts[index] };
        let is_contained = index > 0 && CONTAINERS.contains(&parts[index - 1]) && !SHARED.contains(&part);
        let word = if is_contained { Some(part) } else { words(part).find(|word| is_environment(word)) };
        Some((word?.to_owned(), EnvironmentSpot::Part(index)))
    })
}

fn words(part: &str) -> impl Iterator<Item = &str> {
    part.split(['-', '_', '.'])
}

/// Returns the words in the place of an environment in the files and directories next to a part of a path.
fn siblings_of_part(history: &mut History, commit: &str, file: &str, part: usize, word: &str) -> Vec<String> {
    let parts: Vec<&str> = file.split('/').collect();
    let (before, after) = parts[part].split_once(word).unwrap_or_default();
    let names = history.names_in(commit, &parts[..part].join("/"));
    let others = names.iter().filter_map(|name| name.strip_prefix(before)?.strip_suffix(after));
    let mut others: Vec<String> = others.filter(|other| !other.is_empty()).map(str::to_owned).collect();
    others.sort_by_key(|other| std::cmp::Reverse(rank(other)));
    others
}

/// Returns the keys next to a key.
fn siblings_of_key(history: &mut History, commit: &str, target: &Target, key: usize) -> Vec<String> {
    let text = history.blob(&format!("{commit}:{}", target.file)).unwrap_or_default();
    let leaves = change::leaves(&target.file, &text).unwrap_or_default();
    let beside = leaves.iter().filter(|leaf| leaf.keys.len() > key && leaf.keys[..key] == target.keys[..key]);
    let others: BTreeSet<String> = beside.map(|leaf| leaf.keys[key].clone()).collect();
    let mut others: Vec<String> = others.into_iter().filter(|other| is_environment(other)).collect();
    others.sort_by_key(|other| std::cmp::Reverse(rank(other)));
    others
}

/// Returns the file and keys of the same value in another environment.
fn counterpart(target: &Target, word: &str, spot: &EnvironmentSpot, other: &str) -> (String, Vec<String>) {
    match spot {
        EnvironmentSpot::Key(index) => {
            let mut keys = target.keys.clone();
            keys[*index] = other.to_owned();
            (target.file.clone(), keys)
        }
        EnvironmentSpot::Part(index) => {
            let mut parts: Vec<String> = target.file.split('/').map(str::to_owned).collect();
            parts[*index] = parts[*index].replacen(word, other, 1);
            (parts.join("/"), target.keys.clone())
        }
    }
}
