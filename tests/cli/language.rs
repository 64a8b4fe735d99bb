//! Names and words of `src`, by the definitions of the table in CONTRIBUTING: type names are unique, functions say what they
//! return, and comments are plain technical English.

use std::collections::BTreeMap;
use std::path::Path;

use regex::Regex;

/// Names that every command or module of its sort has.
const SHARED: [&str; 4] = ["Args", "Error", "Result", "Item"];
/// Types that share their name with another type, of 100.
const MOST_SHARED: usize = 8;
/// Words of riddles, of 10,000 words in comments. Help texts are comments, too.
const WORDS: [(&[&str], usize); 2] = [(&["what"], 15), (&["nobody", "somebody", "whoever"], 1)];

fn sources(directory: &Path, texts: &mut Vec<String>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, texts);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            texts.push(std::fs::read_to_string(&path).unwrap());
        }
    }
}

fn all() -> Vec<String> {
    let mut texts = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut texts);
    texts
}

#[test]
fn type_names_are_unique() {
    let definition = Regex::new(r"(?m)^\s*(?:pub(?:\([^)]*\))? )?(?:struct|enum|trait|union) ([A-Z]\w*)").unwrap();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for text in all() {
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
    let count: usize = all().iter().map(|text| of.find_iter(text).count()).sum();
    assert_eq!(count, 0, "functions are called 'of'");
}

#[test]
fn comments_are_plain() {
    let (comment, word) = (Regex::new(r"(?m)^\s*//[/!]?(.*)$").unwrap(), Regex::new(r"[A-Za-z']+").unwrap());
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for text in all() {
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
