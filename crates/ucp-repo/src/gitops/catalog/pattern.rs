//! Names of things that several environments have: file and path without the environment.

use std::collections::{BTreeSet, HashMap};

use crate::gitops::catalog::CatalogPlace;
use crate::gitops::catalog::layout::EnvironmentLabel;
use crate::gitops::catalog::reach::{EnvironmentReach, ReachIndex};
use crate::gitops::environment::is_same_environment;
use crate::slot::FileSlot;
use crate::slot::path::PathStep;

/// Returns file and path without the environment.
pub(super) fn pattern(
    reaches: &ReachIndex,
    file: &str,
    slot: &FileSlot,
    labels: &[EnvironmentLabel],
    reach: &EnvironmentReach,
) -> String {
    let own = match reach {
        EnvironmentReach::One(label) => label.name.as_str(),
        EnvironmentReach::Shared(_) | EnvironmentReach::Everywhere => "",
    };
    let place = match reaches.overlay_of(file) {
        Some((overlay, rest)) => format!("{}:{rest}", overlay.service),
        None => {
            let parts =
                file.split('/').enumerate().map(|(index, part)| match labels.iter().find(|l| l.part == Some(index)) {
                    Some(label) => part.replace(&label.name, "*"),
                    // The deployer tells the environment, and the directory has its name.
                    None if part == own => "*".to_owned(),
                    None => part.to_owned(),
                });
            parts.collect::<Vec<_>>().join("/")
        }
    };
    let steps = slot.path.steps.iter().map(|step| match step {
        PathStep::Key(key) if key == own => ".*".to_owned(),
        PathStep::Key(key) => format!(".{key}"),
        PathStep::Index(_) => "[]".to_owned(),
        PathStep::Embedded(_) => "|".to_owned(),
    });
    format!("{place} {}", steps.collect::<String>())
}

/// Replaces the environment also in the names of files that are in its directory, if no other environment has a file of
/// this name, and several environments have such files: `production/values-production.yaml` and `stage/values-stage.yaml`.
pub(super) fn pair_repeated_names(places: &mut [CatalogPlace]) {
    let mut users: HashMap<(&str, &str), BTreeSet<&str>> = HashMap::new();
    for place in places.iter() {
        let Some(environment) = place.environment() else { continue };
        users.entry((&place.service, &place.pattern)).or_default().insert(environment);
    }
    let mut found: HashMap<(&str, String), Vec<usize>> = HashMap::new();
    for (index, place) in places.iter().enumerate().filter(|(_, place)| !place.is_named_by_rule()) {
        let Some(environment) = place.environment() else { continue };
        let Some((file, steps)) = place.pattern.rsplit_once(' ') else { continue };
        let shared = format!("{} {steps}", without_words(file, environment));
        let is_alone =
            users.get(&(place.service.as_str(), place.pattern.as_str())).is_some_and(|names| names.len() == 1);
        if is_alone && shared != place.pattern {
            found.entry((&place.service, shared)).or_default().push(index);
        }
    }
    let is_shared = |(service, pattern): &(&str, String), indices: &[usize]| {
        let known = users.get(&(*service, pattern.as_str())).into_iter().flatten().copied();
        known.chain(indices.iter().filter_map(|index| places[*index].environment())).collect::<BTreeSet<_>>().len() > 1
    };
    let shared = found.into_iter().filter(|(key, indices)| is_shared(key, indices));
    let shared: Vec<(String, Vec<usize>)> = shared.map(|((_, pattern), indices)| (pattern, indices)).collect();
    for (pattern, indices) in shared {
        indices.into_iter().for_each(|index| places[index].pattern.clone_from(&pattern));
    }
}

/// Returns a path in which words that name the environment are replaced: `values-*.yaml` for `values-prod.yaml` in
/// `production`.
fn without_words(path: &str, own: &str) -> String {
    let mut replaced = String::with_capacity(path.len());
    for piece in path.split_inclusive(['/', '-', '_', '.']) {
        let word = piece.trim_end_matches(['/', '-', '_', '.']);
        let is_own = !word.is_empty() && (word == own || is_same_environment(word, own));
        replaced.push_str(if is_own { "*" } else { word });
        replaced.push_str(&piece[word.len()..]);
    }
    // The name of the environment may consist of several words.
    if own.contains(['-', '_', '.']) { replaced.replace(own, "*") } else { replaced }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_is_replaced_wherever_a_path_repeats_it() {
        for (path, own, expected) in [
            ("shop/values-production.yaml", "production", "shop/values-*.yaml"),
            ("shop/values-prod.yaml", "production", "shop/values-*.yaml"),
            ("shop/values-stage.yaml", "production", "shop/values-stage.yaml"),
            ("production/app.yaml", "production", "*/app.yaml"),
            ("reproduction.yaml", "production", "reproduction.yaml"),
            ("values-prod-eu.yaml", "prod-eu", "values-*.yaml"),
            ("values.yaml", "", "values.yaml"),
        ] {
            assert_eq!(without_words(path, own), expected, "{path} {own}");
        }
    }
}
