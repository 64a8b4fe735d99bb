//! Suggestions for mistyped names.
//!
//! A name is suggested if its words are the same, with typing errors. `aws-database-conn` is no suggestion for
//! `gcp-database-conn`, however similar they are: following it would use the wrong object.
//!
//! The vocabulary of this program has few words, which are known to differ. Users name objects as they like, and `eks` and
//! `aks`, `mysql` and `mssql`, or `user` and `users` differ in one letter: for names of objects, only errors count that hardly
//! turn one word into another.

/// Minimum similarity of two names, as the share of their characters that agree in order. A lower value would confuse
/// codes, which differ in only three digits.
const ALIKE: f32 = 0.7;
/// Number of characters of a word per allowed typing error.
const CHARACTERS_PER_SLIP: usize = 4;
/// Shortest word in which one typing error is allowed.
const SHORTEST: usize = 3;
/// Shortest word of a name in which a letter may be doubled, or one of a pair omitted.
const SHORTEST_WITH_PAIR: usize = 6;
/// Shortest word of a name in which a vowel may be omitted.
const SHORTEST_WITH_VOWEL: usize = 8;

/// Returns the name for which `typed` is most likely a misspelling, if any.
pub fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let typed = typed.to_lowercase();
    let known: Vec<(String, &str)> = known
        .into_iter()
        .map(|name| (name.to_lowercase(), name))
        .filter(|(lower, _)| is_misspelling(&typed, lower))
        .collect();
    let lower: Vec<&str> = known.iter().map(|(lower, _)| lower.as_str()).collect();
    let found = similar::get_close_matches(typed.as_str(), &lower, 1, ALIKE);
    known.iter().find(|(lower, _)| found.first() == Some(&lower.as_str())).map(|(_, name)| *name)
}

/// Returns the name of an object for which `typed` is most likely a misspelling, if it is the only one.
pub fn nearest_name<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = typed.to_lowercase();
    let mut found: Option<&str> = None;
    let is_meant = |name: &&str| *name != typed && is_mistyped_name(&lower, &name.to_lowercase());
    for name in known.into_iter().filter(is_meant) {
        if found.is_some_and(|other| other != name) {
            return None;
        }
        found = Some(name);
    }
    found
}

/// Like [`did_you_mean`], for names of objects.
pub fn did_you_mean_name<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest_name(typed, known).map(|name| format!("; did you mean '{name}'?")).unwrap_or_default()
}

/// Returns true if two names have the same letters and numbers, separated differently, or differ by one typing error in one
/// word: two swapped letters, a letter more or less in a pair, or a vowel omitted within a long word.
fn is_mistyped_name(typed: &str, known: &str) -> bool {
    let (left, right) = (words(typed), words(known));
    if joined(&left) == joined(&right) {
        return true;
    }
    if left.len() != right.len() {
        return false;
    }
    let mut differing = left.iter().zip(&right).filter(|(left, right)| left != right);
    match (differing.next(), differing.next()) {
        (Some((left, right)), None) => is_mistyped_word(left, right),
        _ => false,
    }
}

/// Joins adjacent words of letters. Numbers stay apart: `1-12` is not `11-2`.
fn joined(words: &[&str]) -> Vec<String> {
    let is_number = |word: &str| word.starts_with(char::is_numeric);
    let mut joined: Vec<String> = Vec::new();
    for word in words {
        match joined.last_mut() {
            Some(last) if !is_number(last) && !is_number(word) => last.push_str(word),
            _ => joined.push((*word).to_owned()),
        }
    }
    joined
}

fn is_mistyped_word(typed: &str, known: &str) -> bool {
    let (typed, known): (Vec<char>, Vec<char>) = (typed.chars().collect(), known.chars().collect());
    if typed.iter().chain(&known).any(|character| character.is_numeric()) {
        return false;
    }
    let (short, long) = if typed.len() < known.len() { (&typed, &known) } else { (&known, &typed) };
    if short.len() == long.len() {
        return is_swapped(&typed, &known);
    }
    let differs_at = short.iter().zip(long).position(|(short, long)| short != long).unwrap_or(short.len());
    if short.len() + 1 != long.len() || short[differs_at..] != long[differs_at + 1..] {
        return false;
    }
    // In a pair, the second letter is the one that is counted as added.
    let is_pair = differs_at > 0 && long[differs_at] == long[differs_at - 1];
    let is_inner_vowel =
        differs_at > 0 && differs_at + 1 < long.len() && matches!(long[differs_at], 'a' | 'e' | 'i' | 'o' | 'u');
    is_pair && long.len() >= SHORTEST_WITH_PAIR || is_inner_vowel && long.len() >= SHORTEST_WITH_VOWEL
}

/// Returns `; did you mean 'status'?`, or an empty text.
pub fn did_you_mean<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(typed, known).map(|name| format!("; did you mean '{name}'?")).unwrap_or_default()
}

/// Returns true if two names have the same words, some of them misspelled. Names that separate the same words
/// differently (`node-pool`, `nodepool`) match.
fn is_misspelling(typed: &str, known: &str) -> bool {
    let (typed, known) = (words(typed), words(known));
    if typed.len() != known.len() {
        return typed.concat() == known.concat();
    }
    typed.iter().zip(&known).all(|(typed, known)| typed == known || is_misspelled(typed, known))
}

/// Splits a name into runs of letters and of digits.
fn words(name: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        let is_of_word = |character: char| character.is_alphanumeric() && character.is_numeric() == first.is_numeric();
        if !first.is_alphanumeric() {
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let end = rest.find(|character| !is_of_word(character)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        words.push(word);
        rest = after;
    }
    words
}

/// Returns true if one word is the other with few typing errors. Numbers must have the same digits.
fn is_misspelled(typed: &str, known: &str) -> bool {
    let (typed, known): (Vec<char>, Vec<char>) = (typed.chars().collect(), known.chars().collect());
    let is_number = |word: &[char]| word.iter().all(|character| character.is_numeric());
    if is_number(&typed) != is_number(&known) || is_number(&typed) && typed.len() == known.len() {
        return false;
    }
    let longest = typed.len().max(known.len());
    let allowed = (longest / CHARACTERS_PER_SLIP).max(usize::from(longest >= SHORTEST));
    slips(&typed, &known) <= allowed || is_swapped(&typed, &known)
}

/// Returns true if only two adjacent characters were swapped.
fn is_swapped(typed: &[char], known: &[char]) -> bool {
    let (mut left, mut right) = (typed.to_vec(), known.to_vec());
    left.sort_unstable();
    right.sort_unstable();
    left == right && slips(typed, known) == 1
}

/// Counts characters that were added, omitted, replaced, or swapped with the next one (optimal string alignment).
fn slips(typed: &[char], known: &[char]) -> usize {
    let mut rows: Vec<Vec<usize>> = vec![(0..=known.len()).collect()];
    for (at, left) in typed.iter().enumerate() {
        let mut row = vec![at + 1];
        for (position, right) in known.iter().enumerate() {
            let replaced = rows[at][position] + usize::from(left != right);
            let mut least = replaced.min(rows[at][position + 1] + 1).min(row[position] + 1);
            if at > 0 && position > 0 && *left == known[position - 1] && typed[at - 1] == *right {
                least = least.min(rows[at - 1][position - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[typed.len()][known.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found_if_it_is_near() {
        assert_eq!(nearest("UCP1110", ["UCP101", "UCP110", "UCP210"]), Some("UCP110"));
        assert_eq!(nearest("Nodepol", ["cluster", "nodepool"]), Some("nodepool"));
        assert_eq!(nearest("UCP999", ["UCP101", "UCP209"]), None);
        assert_eq!(nearest("x", ["cluster", "nodepool"]), None);
        assert_eq!(did_you_mean("jsno", ["json", "yaml"]), "; did you mean 'json'?");
        assert_eq!(nearest("node-pool", ["cluster", "nodepool"]), Some("nodepool"));
        assert_eq!(nearest("orders-database-con", ["orders-database-conn"]), Some("orders-database-conn"));
        assert_eq!(nearest("quotes-bd", ["quotes-db"]), Some("quotes-db"));
        assert_eq!(nearest("quotes_databse.conn", ["quotes_database.conn"]), Some("quotes_database.conn"));
    }

    #[test]
    fn a_name_with_another_word_is_another_name() {
        for (typed, known) in [
            ("gcp-database-conn", "aws-database-conn"),
            ("orders-database-eu", "orders-database-us"),
            ("payments-database-conn", "shipments-database-conn"),
            ("shop-region-east-conn", "shop-region-west-conn"),
            ("orders-database-1", "orders-database-2"),
            ("orders-db-12", "orders-db-13"),
            ("orders-database-conn", "orders-database"),
            ("orders-database", "orders-database-replica"),
            ("database-dev-conn", "database-prd-conn"),
            ("conn-database-orders", "orders-database-conn"),
        ] {
            assert_eq!(nearest(typed, [known]), None, "{typed} {known}");
            assert_eq!(nearest(known, [typed]), None, "{known} {typed}");
        }
    }

    #[test]
    fn object_names_are_suggested_only_for_typos_that_form_no_other_word() {
        for (typed, known) in [
            ("eks-database-conn", "aks-database-conn"),
            ("mysql-conn", "mssql-conn"),
            ("internal-db-conn", "external-db-conn"),
            ("users-db", "user-db"),
            ("users-database", "user-database"),
            ("ssl-db", "sql-db"),
            ("contact-db", "contract-db"),
            ("country-db", "county-db"),
            ("inventory", "inventor"),
            ("orders-staging", "orders-stagings"),
            ("dev-db", "dev-dba"),
            ("db-con", "db-conn"),
            ("orders-db-1-12", "orders-db-11-2"),
            ("orders-1", "orders-2"),
            ("orders-12", "orders-21"),
            ("gcp-database-conn", "aws-database-conn"),
            ("payments-database-conn", "shipments-database-conn"),
            ("europe-west", "europe-east"),
            ("production", "reproduction"),
            ("orders-db", "orders-db"),
        ] {
            assert_eq!(nearest_name(typed, [known]), None, "{typed} {known}");
            assert_eq!(nearest_name(known, [typed]), None, "{known} {typed}");
        }
        for (typed, known) in [
            ("quotes-bd", "quotes-db"),
            ("ordres-conn", "orders-conn"),
            ("orders-databse", "orders-database"),
            ("orders-databasse", "orders-database"),
            ("comand-conn", "command-conn"),
            ("node-pool", "nodepool"),
            ("orders_database.conn", "orders-database-conn"),
            ("Orders-DB", "orders-db"),
        ] {
            assert_eq!(nearest_name(typed, ["other-name", known]), Some(known), "{typed} {known}");
        }
        assert_eq!(nearest_name("trail-from", ["trial-from", "trail-form"]), None, "two are as near");
    }
}
