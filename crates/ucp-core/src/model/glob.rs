//! Globs: `*` matches any characters, `?` matches one.

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

/// Like [`matches()`], with `{one,other}` for alternatives, as in Argo CD's globs.
pub fn matches_with_braces(pattern: &str, text: &str) -> bool {
    alternatives(pattern).iter().any(|pattern| matches(pattern, text))
}

/// Expands braces to patterns.
fn alternatives(pattern: &str) -> Vec<String> {
    let Some((before, rest)) = pattern.split_once('{') else { return vec![pattern.to_owned()] };
    let Some((choices, after)) = rest.split_once('}') else { return vec![pattern.to_owned()] };
    choices.split(',').flat_map(|choice| alternatives(&format!("{before}{choice}{after}"))).collect()
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
    fn braces_as_argo_cd_takes_them() {
        for (pattern, text) in [
            ("*.yaml", "a.yaml"),
            ("{*.yml,*.yaml}", "a.yml"),
            ("{config,env}/*.yaml", "env/a.yaml"),
            ("a?c*e", "abcde"),
            ("", ""),
        ] {
            assert!(matches_with_braces(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [("*.yaml", "a.yml"), ("", "apps"), ("a", "ab"), ("a?", "a"), ("{a,b}", "c")] {
            assert!(!matches_with_braces(pattern, text), "{pattern} {text}");
        }
    }

    proptest! {
        #[test]
        fn a_text_fits_itself_and_its_ends(text in "[a-z]{0,8}", more in "[a-z]{0,8}") {
            prop_assert!(matches(&text, &text));
            let (ending, longer) = (format!("*{text}"), format!("{more}{text}"));
            prop_assert!(matches(&ending, &longer));
        }
    }
}
