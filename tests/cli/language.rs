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
const MOST_SHARED: f64 = 8.0;
/// Least mean length of the names of functions.
const SHORTEST_MEAN: f64 = 12.0;
/// Results whose error is a text: a typed error names its kinds.
const MOST_UNTYPED_ERRORS: f64 = 39.0;
/// Items whose documentation has four words or fewer, of 100.
const MOST_SHORT: f64 = 15.0;
/// Words of riddles, of 10,000 words in comments. Help texts are comments, too.
const WORDS: [(&str, &[&str], f64); 2] = [
    ("\"what\" per 10,000 words of comments", &["what"], 15.0),
    ("nobody, somebody, whoever per 10,000", &["nobody", "somebody", "whoever"], 1.0),
];
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

/// The figures by which the language of the sources is compared with that of other projects.
struct Figures {
    types: BTreeMap<String, usize>,
    functions: Vec<String>,
    /// Results whose error is a text.
    untyped_errors: usize,
    /// Words of comments, in lower case.
    words: BTreeMap<String, usize>,
    /// Numbers of words of the documentation of each item.
    documentation: Vec<usize>,
}

impl Figures {
    fn read() -> Self {
        let regex = |pattern: &str| Regex::new(pattern).unwrap();
        let definition = regex(r"(?m)^\s*(?:pub(?:\([^)]*\))? )?(?:struct|enum|trait|union) ([A-Z]\w*)");
        let (function, untyped) = (regex(r"\bfn ([a-z_]\w*)"), regex(r"Result<[^;{]*,\s*String>"));
        let (comment, word) = (regex(r"(?m)^\s*//[/!]?(.*)$"), regex(r"[A-Za-z']+"));
        let documentation = regex(r"(?m)(?:^[ \t]*///.*\n)+");
        let mut figures = Self {
            types: BTreeMap::new(),
            functions: Vec::new(),
            untyped_errors: 0,
            words: BTreeMap::new(),
            documentation: Vec::new(),
        };
        let count = |counts: &mut BTreeMap<String, usize>, name: String| *counts.entry(name).or_default() += 1;
        for text in sources() {
            definition.captures_iter(&text).for_each(|found| count(&mut figures.types, found[1].to_owned()));
            figures.functions.extend(function.captures_iter(&text).map(|found| found[1].to_owned()));
            figures.untyped_errors += untyped.find_iter(&text).count();
            for line in comment.captures_iter(&text) {
                word.find_iter(&line[1]).for_each(|word| count(&mut figures.words, word.as_str().to_lowercase()));
            }
            figures
                .documentation
                .extend(documentation.find_iter(&text).map(|item| word.find_iter(item.as_str()).count()));
        }
        figures
    }

    /// Returns the types, other than `but`, that share their name with another type, and their share in percent.
    fn shared_types(&self, but: &[&str]) -> (Vec<&str>, f64) {
        let shared = self.types.iter().filter(|(name, count)| **count > 1 && !but.contains(&name.as_str()));
        let (names, counts): (Vec<&str>, Vec<usize>) = shared.map(|(name, count)| (name.as_str(), *count)).unzip();
        (names, percent(counts.iter().sum(), self.types.values().sum()))
    }

    /// Returns how many of 10,000 words in comments are one of these.
    fn per_10_000(&self, words: &[&str]) -> f64 {
        let count: usize = words.iter().filter_map(|word| self.words.get(*word)).sum();
        100.0 * percent(count, self.words.values().sum())
    }
}

fn number(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap())
}

fn percent(part: usize, whole: usize) -> f64 {
    100.0 * number(part) / number(whole.max(1))
}

/// Prints a table of the figures, with `--nocapture`.
#[test]
fn figures_of_the_language_are_within_their_limits() {
    let figures = Figures::read();
    let lengths: usize = figures.functions.iter().map(String::len).sum();
    let mean_length = number(lengths) / number(figures.functions.len());
    let called_of = figures.functions.iter().filter(|name| *name == "of").count();
    let short = figures.documentation.iter().filter(|words| **words <= 4).count();
    let (names, _) = figures.shared_types(&SHARED);
    let mut rows = vec![
        ("types that share their name with another type, %", figures.shared_types(&[]).1, 0.0..=MOST_SHARED),
        ("functions called `of`", number(called_of), 0.0..=0.0),
        ("mean length of function names", mean_length, SHORTEST_MEAN..=f64::MAX),
        ("`Result<_, String>`", number(figures.untyped_errors), 0.0..=MOST_UNTYPED_ERRORS),
        ("doc comments of four words or fewer, %", percent(short, figures.documentation.len()), 0.0..=MOST_SHORT),
    ];
    for (row, words, most) in WORDS {
        rows.push((row, figures.per_10_000(words), 0.0..=most));
    }
    rows.iter().for_each(|(row, figure, _)| println!("{row:<56} {figure:>6.1}"));
    let beyond = rows.iter().filter(|(_, figure, limits)| !limits.contains(figure));
    let beyond: Vec<String> = beyond.map(|(row, figure, _)| format!("{row}: {figure:.1}")).collect();
    assert!(beyond.is_empty(), "{beyond:?}; types that share their name: {names:?}");
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
        // Below `src/cli`, documentation is the output of `--help`.
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
