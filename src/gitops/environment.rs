//! Names of environments: which words are some, and in which order versions move through them.

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

/// The rank of a name such as `prod`, `prod-eu` or `pre-prod`; none where no word of it is an environment.
fn rank(name: &str) -> Option<usize> {
    let words = name.split(['-', '_', '.']);
    let rank = |word: &str| WORDS.iter().position(|words| words.contains(&word.to_ascii_lowercase().as_str()));
    words.filter_map(rank).min()
}

/// How much of a name is a word for an environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// All of it: `prod`, `pre-prod`.
    Exact,
    /// A part that is used for hardly anything else, with the rank of the word: `prod-eu`.
    Part(usize),
    /// Nothing, or a part that other things are called by as well: `load-generator`.
    None,
}

/// How much of a name is a word for an environment.
pub fn word(name: &str) -> Word {
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
    if parts.iter().all(|part| place(part).is_some()) {
        return Word::Exact;
    }
    let plain = parts.iter().filter(|part| PLAIN.contains(part));
    plain.filter_map(|part| place(part)).min().map_or(Word::None, Word::Part)
}

/// Whether the children of a directory of this name are environments, whatever they are called. Overlays need not be.
pub fn is_container(directory: &str) -> bool {
    const CONTAINERS: [&str; 8] =
        ["envs", "env", "environments", "environment", "clusters", "cluster", "stages", "landscapes"];
    CONTAINERS.contains(&directory.to_ascii_lowercase().as_str())
}

/// Whether a name speaks of an environment.
pub fn is_environment(name: &str) -> bool {
    rank(name).is_some()
}

/// Environments in the order of promotion: as declared, and those that are not declared behind, by what their names mean.
pub fn in_order(found: BTreeSet<&str>, declared: &[String]) -> Vec<String> {
    let place = |name: &str| declared.iter().position(|other| other == name).unwrap_or(declared.len());
    // A name that says nothing stands before staging: it is more often a team's than the customers'.
    let mut ordered: Vec<&str> = found.into_iter().collect();
    ordered.sort_by_key(|name| (place(name), rank(name).unwrap_or(4), *name));
    ordered.into_iter().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_in_the_order_of_promotion() {
        let found = BTreeSet::from(["prod-us", "prod-eu", "qa", "stage", "dev", "pre-prod", "team"]);
        assert_eq!(in_order(found.clone(), &[]), ["dev", "qa", "team", "stage", "pre-prod", "prod-eu", "prod-us"]);
        assert_eq!(in_order(found, &["team".into(), "prod-us".into()])[..2], ["team", "prod-us"]);
    }
}
