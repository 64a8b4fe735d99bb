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
