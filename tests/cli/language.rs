//! Names and words of all crates: type names are unique, no function is called `of`, and comments are plain technical English.

use std::collections::BTreeMap;

use regex::Regex;

use crate::house::sources;

/// Names that every command or module of its sort has.
const SHARED: [&str; 4] = ["Args", "Error", "Result", "Item"];
/// Types that share their name with another type, of 100.
const MOST_SHARED: usize = 8;
/// Words of riddles, of 10,000 words in comments. Help texts are comments, too.
const WORDS: [(&[&str], usize); 2] = [(&["what"], 15), (&["nobody", "somebody", "whoever"], 1)];

#[test]
fn type_names_are_unique() {
    let definition = Regex::new(r"(?m)^\s*(?:pub(?:\([^)]*\))? )?(?:struct|enum|trait|union) ([A-Z]\w*)").unwrap();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for text in sources() {
        definition.captures_iter(&text).for_each(|found| *counts.entry(found[1].to_owned()).or_default() += 1);
    }
    let total: usize = counts.values().sum();
    let shared: Vec<_> =
        counts.iter().filter(|(name, count)| **count > 1 && !SHARED.contains(&name.as_str())).collect();
    let percent = 100 * shared.iter().map(|(_, count)| **count).sum::<usize>() / total;
    assert!(percent < MOST_SHARED, "{percent} % of {total} types share their name: {shared:?}");
}

#[test]
fn functions_say_what_they_return() {
    let of = Regex::new(r"\bfn of\b").unwrap();
    let count: usize = sources().iter().map(|text| of.find_iter(text).count()).sum();
    assert_eq!(count, 0, "functions are called 'of'");
}

#[test]
fn comments_are_plain() {
    let (comment, word) = (Regex::new(r"(?m)^\s*//[/!]?(.*)$").unwrap(), Regex::new(r"[A-Za-z']+").unwrap());
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for text in sources() {
        for line in comment.captures_iter(&text) {
            word.find_iter(&line[1]).for_each(|word| *counts.entry(word.as_str().to_lowercase()).or_default() += 1);
        }
    }
    let total: usize = counts.values().sum();
    for (words, most) in WORDS {
        let count: usize = words.iter().filter_map(|word| counts.get(*word)).sum();
        assert!(count * 10_000 <= most * total, "{words:?}: {count} of {total} words in comments");
    }
}
