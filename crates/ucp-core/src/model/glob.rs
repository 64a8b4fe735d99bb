//! Globs: `*` matches any characters, `?` matches one.

use std::ops::Range;

/// Returns true if the whole text matches the pattern. `*` also matches slashes.
pub fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    // Position after the last star, and the end of the text that it matched.
    let mut star = None;
    let (mut at, mut read) = (0, 0);
    while read < text.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at + 1, read));
                at += 1;
            }
            Some(expected) if *expected == '?' || *expected == text[read] => {
                at += 1;
                read += 1;
            }
            _ => {
                let Some((after, taken)) = star else { return false };
                star = Some((after, taken + 1));
                (at, read) = (after, taken + 1);
            }
        }
    }
    pattern[at..].iter().all(|rest| *rest == '*')
}

/// Like [`matches()`], but `*` and `?` do not match slashes; `**` matches everything.
pub fn matches_within_segments(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    // Where the part of the pattern so far can end in the text.
    let mut ends = vec![false; text.len() + 1];
    ends[0] = true;
    let mut at = 0;
    while let Some(letter) = pattern.get(at) {
        let is_double = *letter == '*' && pattern.get(at + 1) == Some(&'*');
        at += if is_double { 2 } else { 1 };
        if *letter == '*' {
            for index in 0..text.len() {
                ends[index + 1] |= ends[index] && (is_double || text[index] != '/');
            }
        } else {
            let fits = |found: &char| if *letter == '?' { *found != '/' } else { found == letter };
            let next = text.iter().zip(&ends).map(|(found, is_end)| *is_end && fits(found));
            ends = std::iter::once(false).chain(next).collect();
        }
    }
    ends[text.len()]
}

/// Maximum nesting of braces; those below are plain characters.
const DEEPEST: usize = 16;

/// Like [`matches()`], with `{one,other}` for alternatives, as in Argo CD's globs. The time that it takes grows with the
/// lengths of both, and not with the number of combinations of alternatives.
pub fn matches_with_braces(pattern: &str, text: &str) -> bool {
    let (letters, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut closing, mut open) = (vec![None; letters.len()], Vec::new());
    for (at, letter) in letters.iter().enumerate() {
        match letter {
            '{' => open.push(at),
            '}' => drop(open.pop().map(|begin: usize| closing[begin] = Some(at))),
            _ => {}
        }
    }
    let mut starts = vec![false; text.len() + 1];
    starts[0] = true;
    let pattern = BracePattern { letters, closing };
    pattern.ends(0..pattern.letters.len(), &text, starts, 0)[text.len()]
}

/// Longer patterns are not evaluated: their author may mean harm.
pub const LONGEST_PATTERN: usize = 2_048;

/// Returns whether a pattern of Argo CD matches; `None` if it has a class or an escape, which have rules of their own, or is too
/// long.
pub fn matches_if_known(pattern: &str, text: &str) -> Option<bool> {
    match pattern.contains(['[', '\\']) || pattern.len() > LONGEST_PATTERN {
        true => None,
        false => Some(matches_with_braces(pattern, text)),
    }
}

/// Returns true if any value is, `None` if that depends on unknown values.
pub fn any_known(values: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    let mut is_known = true;
    for value in values {
        match value {
            Some(true) => return Some(true),
            Some(false) => {}
            None => is_known = false,
        }
    }
    is_known.then_some(false)
}

/// A pattern with alternatives.
struct BracePattern {
    letters: Vec<char>,
    /// The position of the closing brace, for every opening one that has one.
    closing: Vec<Option<usize>>,
}

impl BracePattern {
    /// Returns where a part of the pattern can end in a text, if it can start at the given places. Both are flags for every
    /// position.
    fn ends(&self, part: Range<usize>, text: &[char], starts: Vec<bool>, depth: usize) -> Vec<bool> {
        let (mut places, mut at) = (starts, part.start);
        while at < part.end {
            match (self.letters[at], self.closing[at]) {
                (_, Some(end)) if depth < DEEPEST => {
                    let mut after = vec![false; places.len()];
                    for choice in self.choices(at + 1, end) {
                        let reached = self.ends(choice, text, places.clone(), depth + 1);
                        after.iter_mut().zip(reached).for_each(|(after, reached)| *after |= reached);
                    }
                    (places, at) = (after, end);
                }
                ('*', _) => {
                    let first = places.iter().position(|place| *place).unwrap_or(places.len());
                    places[first..].fill(true);
                }
                (letter, _) => {
                    for end in (1..places.len()).rev() {
                        places[end] = places[end - 1] && (letter == '?' || letter == text[end - 1]);
                    }
                    places[0] = false;
                }
            }
            at += 1;
        }
        places
    }

    /// Returns the alternatives between two braces.
    fn choices(&self, begin: usize, end: usize) -> Vec<Range<usize>> {
        let (mut choices, mut first, mut at) = (Vec::new(), begin, begin);
        while at < end {
            if let Some(closing) = self.closing[at] {
                at = closing;
            } else if self.letters[at] == ',' {
                choices.push(first..at);
                first = at + 1;
            }
            at += 1;
        }
        choices.push(first..end);
        choices
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn stars_and_question_marks() {
        for (pattern, text, expected) in [
            ("", "", true),
            ("*", "", true),
            ("*", "anything", true),
            ("a*c", "abbc", true),
            ("a*b*c", "axbxbxc", true),
            ("*a*b", "xaxab", true),
            ("a?c", "abc", true),
            ("a?c", "aßc", true),
            ("a?c", "ac", false),
            ("a", "ab", false),
            ("*.yaml", "b/a.yaml", true),
            ("*-cache", "redis-cache", true),
            ("*-cache", "redis-cache-2", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn braces_are_matched_as_in_argo_cd() {
        for (pattern, text) in [
            ("*.yaml", "a.yaml"),
            ("{*.yml,*.yaml}", "a.yml"),
            ("{config,env}/*.yaml", "env/a.yaml"),
            ("a?c*e", "abcde"),
            ("", ""),
            ("{a,{b,c}d,}e", "cde"),
            ("{a,b}{c,d}", "bc"),
            ("{a*,}b", "axb"),
            ("{a,b", "{a,b"),
        ] {
            assert!(matches_with_braces(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in
            [("*.yaml", "a.yml"), ("", "apps"), ("a", "ab"), ("a?", "a"), ("{a,b}", "c"), ("{a,{b,c}d}", "bc")]
        {
            assert!(!matches_with_braces(pattern, text), "{pattern} {text}");
        }
    }

    /// More combinations than any machine tries one by one, and braces that no stack holds.
    #[test]
    fn alternatives_do_not_multiply() {
        assert!(matches_with_braces(&"{a,b,ab,*}".repeat(64), &"ab".repeat(32)));
        assert!(!matches_with_braces(&"{a,b,aa}".repeat(64), &"c".repeat(64)));
        assert!(!matches_with_braces(&format!("{}a{}", "{".repeat(5_000), "}".repeat(5_000)), "a"));
    }

    proptest! {
        #[test]
        fn without_braces_both_agree(pattern in "[ab*?]{0,8}", text in "[ab]{0,8}") {
            prop_assert_eq!(matches_with_braces(&pattern, &text), matches(&pattern, &text));
        }

        #[test]
        fn a_text_matches_itself_and_a_star_with_its_ending(text in "[a-z]{0,8}", more in "[a-z]{0,8}") {
            prop_assert!(matches(&text, &text));
            let (ending, longer) = (format!("*{text}"), format!("{more}{text}"));
            prop_assert!(matches(&ending, &longer));
        }
    }
}
