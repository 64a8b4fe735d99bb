//! Names and words of all crates: type names are unique, no function is called `of`, and comments, messages and pages are
//! plain technical English.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use crate::house::{source_files, sources};
use crate::pages::pages;

/// Names that every command or module of its sort has.
const SHARED: [&str; 4] = ["Args", "Error", "Result", "Item"];
/// Types that share their name with another type, of 100.
const MOST_SHARED: usize = 8;
/// Words of riddles, of 10,000 words in comments. Help texts are comments, too.
const WORDS: [(&[&str], usize); 2] = [(&["what"], 15), (&["nobody", "somebody", "whoever"], 1)];
/// Words and phrases that no message, help text, explanation or page contains.
static RIDDLE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)\b(?: lack(?:s|ed|ing)? | mend(?:s|ed|ing)? | nobody | somebody | whoever | shall | anew | tells | told | goes | went
        | stands | stood | beside | said | bears | is\ let | leads\ to\ none | comes?\ to\ be | of\ so\ many )\b",
    )
    .unwrap()
});
/// Placeholders, quoted code and flags, which are not words.
static CODE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\{[^{}]*\}|`[^`]*`|--?[a-z][\w-]*").unwrap());
/// Comments and characters, which contain quotes, and string literals in groups.
static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r##"(?s)//[^\n]*|'(?:\\[^'\n]+|\\'|[^'\\\n])'|\br#"(.*?)"#|\br"([^"]*)"|"((?:[^"\\]|\\.)*)""##;
    Regex::new(pattern).unwrap()
});
/// A line break in a literal, with the indentation of the next line.
static BREAK: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\\?\n\s*").unwrap());
/// Beginnings of paths whose texts are not ours: words and shapes that are recognized in messages of others.
const WORDS_OF_OTHERS: [&str; 5] = [
    "crates/ucp-core/src/engine/any/hints.rs",
    "crates/ucp-core/src/engine/any/states.rs",
    "crates/ucp-core/src/engine/any/words.rs",
    "crates/ucp-core/src/engine/recovery.rs",
    "crates/ucp-core/src/model/secrecy/",
];

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

/// Returns the string literals of a source file in front of its unit tests, each in one line.
fn literals(text: &str) -> Vec<String> {
    let tests = text.find("#[cfg(test)]\nmod ").unwrap_or(text.len());
    let of_token = |found: regex::Captures<'_>| (1..=3).find_map(|group| Some(found.get(group)?.as_str().to_owned()));
    let literals = TOKEN.captures_iter(&text[..tests]).filter_map(of_token);
    literals.map(|literal| BREAK.replace_all(&literal, " ").into_owned()).collect()
}

#[test]
fn literals_are_found_and_comments_are_not() {
    let source = r###"
// "a comment"
let quote = '"'; let text = "one \
    two \"three\""; fn x<'a>(y: &'a str) {} let raw = r#"a "raw" one"#; // "x"
#[cfg(test)]
mod tests { "unit test" }"###;
    assert_eq!(literals(source), [r#"one  two \"three\""#, r#"a "raw" one"#]);
}

/// Returns the text with the riddle, if there is one.
fn riddle(text: &str) -> Option<String> {
    let words = CODE.replace_all(text, "…");
    let found = RIDDLE.find(&words)?;
    // A single word may be a name in a table.
    (words.split_whitespace().count() > 1).then(|| format!("{:?} in {text:?}", found.as_str()))
}

#[test]
fn messages_are_plain() {
    let help_line = Regex::new(r"(?m)^\s*/// (.*)$").unwrap();
    let mut riddles = Vec::new();
    for (path, text) in source_files() {
        let is_of_others = WORDS_OF_OTHERS.iter().any(|start| path.to_string_lossy().contains(start));
        if is_of_others || path.file_name().is_some_and(|name| name == "tests.rs") {
            continue;
        }
        // Below `src/cli`, documentation is what `--help` prints.
        let is_help = path.to_string_lossy().contains("src/cli/");
        let help = help_line.captures_iter(&text).filter(|_| is_help).map(|line| line[1].to_owned());
        let found = literals(&text).into_iter().chain(help).filter_map(|text| riddle(&text));
        riddles.extend(found.map(|found| format!("{}: {found}", path.display())));
    }
    assert!(riddles.is_empty(), "{} messages are not plain:\n{}", riddles.len(), riddles.join("\n"));
}

#[test]
fn pages_are_plain() {
    let mut riddles = Vec::new();
    for path in pages() {
        let page = std::fs::read_to_string(&path).unwrap();
        let found = page.lines().filter_map(riddle);
        riddles.extend(found.map(|found| format!("{}: {found}", path.display())));
    }
    assert!(riddles.is_empty(), "{} lines are not plain:\n{}", riddles.len(), riddles.join("\n"));
}
