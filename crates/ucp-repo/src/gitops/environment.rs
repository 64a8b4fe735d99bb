//! Names of environments, and their order of promotion.

use std::collections::BTreeSet;

/// Words for environments, in the order of promotion.
const WORDS: [&[&str]; 9] = [
    &["local", "sandbox", "playground"],
    &["dev", "develop", "development"],
    &["test", "testing", "int", "integration", "ci", "nonprod"],
    &["qa"],
    &["uat", "acc", "acceptance", "demo", "perf", "performance", "load"],
    &["stage", "staging", "stg"],
    &["preprod", "pre", "preproduction", "preview", "canary"],
    &["prod", "production", "prd", "live"],
    &["dr", "standby"],
];

/// Returns the rank of a name such as `prod`, `prod-eu`, or `pre-prod`, or `None` if it contains no word for an
/// environment.
fn rank(name: &str) -> Option<usize> {
    let words = name.split(['-', '_', '.']);
    let rank = |word: &str| WORDS.iter().position(|words| words.contains(&word.to_ascii_lowercase().as_str()));
    words.filter_map(rank).min()
}

/// Returns true for two spellings of one environment: `prod` and `production`.
pub fn is_same_environment(one: &str, other: &str) -> bool {
    // Other words of one rank, such as `test` and `int`, are different environments.
    const SPELLINGS: [&[&str]; 4] = [
        &["dev", "develop", "development"],
        &["test", "testing"],
        &["stage", "staging", "stg"],
        &["prod", "production", "prd"],
    ];
    let [one, other] = [one, other].map(str::to_ascii_lowercase);
    SPELLINGS.iter().any(|words| words.contains(&one.as_str()) && words.contains(&other.as_str()))
}

/// Part of a name that is a word for an environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EnvironmentWord {
    /// The whole name: `prod`, `pre-prod`.
    Exact,
    /// An unambiguous part, with the rank of the word: `prod-eu`.
    Part(usize),
    /// None, or an ambiguous part: `load-generator`.
    None,
}

/// Returns true for a word for an environment that is also a common name of applications.
pub fn is_ambiguous(name: &str) -> bool {
    const WORDS: [&str; 10] =
        ["demo", "live", "preview", "canary", "standby", "playground", "load", "perf", "performance", "ci"];
    name.to_ascii_lowercase().split(['-', '_', '.']).all(|part| WORDS.contains(&part))
}

/// Returns true for a direction between two environments: `dev-to-stage`.
fn is_direction(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let parts: Vec<&str> = name.split(['-', '_', '.']).collect();
    parts.windows(3).any(|parts| parts[1] == "to" && rank(parts[0]).is_some() && rank(parts[2]).is_some())
}

/// Finds the word for an environment in a name.
pub fn environment_word(name: &str) -> EnvironmentWord {
    const PLAIN: [&str; 13] = [
        "dev",
        "develop",
        "development",
        "nonprod",
        "qa",
        "uat",
        "stage",
        "staging",
        "stg",
        "preprod",
        "prod",
        "production",
        "prd",
    ];
    let name = name.to_ascii_lowercase();
    let place = |word: &str| WORDS.iter().position(|words| words.contains(&word));
    let parts: Vec<&str> = name.split(['-', '_', '.']).collect();
    if is_direction(&name) {
        return EnvironmentWord::None;
    }
    if parts.iter().all(|part| place(part).is_some()) {
        return EnvironmentWord::Exact;
    }
    let plain = parts.iter().filter(|part| PLAIN.contains(part));
    plain.filter_map(|part| place(part)).min().map_or(EnvironmentWord::None, EnvironmentWord::Part)
}

/// Returns true if all children of a directory with this name are environments, regardless of their names. This does
/// not include directories of overlays.
pub fn is_container(directory: &str) -> bool {
    const CONTAINERS: [&str; 8] =
        ["envs", "env", "environments", "environment", "clusters", "cluster", "stages", "landscapes"];
    CONTAINERS.contains(&directory.to_ascii_lowercase().as_str())
}

/// Returns true for names of directories that environments share.
pub fn is_shared(name: &str) -> bool {
    matches!(
        name.to_ascii_lowercase().as_str(),
        "base" | "common" | "shared" | "default" | "all" | "templates" | "components"
    )
}

/// Returns true if a name contains a word for an environment, and is no direction between two.
pub fn is_environment(name: &str) -> bool {
    rank(name).is_some() && !is_direction(name)
}

/// Sorts environments in the order of promotion: as declared, then the others by the meaning of their names.
pub fn promotion_order(found: BTreeSet<&str>, declared: &[String]) -> Vec<String> {
    let place = |name: &str| declared.iter().position(|other| other == name).unwrap_or(declared.len());
    // A name without meaning is placed before staging: it is more often a team's environment than production.
    let mut ordered: Vec<&str> = found.into_iter().collect();
    ordered.sort_by_key(|name| (place(name), rank(name).unwrap_or(4), *name));
    ordered.into_iter().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_direction_between_environments_is_not_an_environment() {
        for name in ["dev-to-stage", "stage-to-prod", "sync-dev-to-prod", "prod_to_stage"] {
            assert_eq!((environment_word(name), is_environment(name)), (EnvironmentWord::None, false), "{name}");
        }
        assert_ne!(environment_word("prod-to-go"), EnvironmentWord::None);
    }

    #[test]
    fn columns_are_in_the_order_of_promotion() {
        let found = BTreeSet::from(["prod-us", "prod-eu", "qa", "stage", "dev", "pre-prod", "team"]);
        assert_eq!(
            promotion_order(found.clone(), &[]),
            ["dev", "qa", "team", "stage", "pre-prod", "prod-eu", "prod-us"]
        );
        assert_eq!(promotion_order(found, &["team".into(), "prod-us".into()])[..2], ["team", "prod-us"]);
    }
}
