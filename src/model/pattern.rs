//! How a person names kinds and objects on the command line.

use std::convert::Infallible;
use std::str::FromStr;

use crate::model::kind::ResourceKind;

/// A kind, or some objects of it: `KIND`, `KIND.GROUP` or `KIND/NAME`; `*` and `?` in the name stand for others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectPattern {
    /// The kind, under any name that kubectl takes.
    pub kind: String,
    /// The name; any where absent.
    pub name: Option<String>,
}

impl ObjectPattern {
    /// Whether it means an object of this kind and name.
    pub fn matches(&self, kind: &ResourceKind, name: &str) -> bool {
        kind.is_called(&self.kind) && self.name.as_ref().is_none_or(|pattern| glob(pattern, name))
    }
}

impl FromStr for ObjectPattern {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text.split_once('/') {
            Some((kind, name)) => Self { kind: kind.to_owned(), name: Some(name.to_owned()) },
            None => Self { kind: text.to_owned(), name: None },
        })
    }
}

/// Whether a text fits a pattern in which `*` stands for any characters and `?` for one.
pub fn glob(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut at, mut read, mut star) = (0, 0, None);
    while read < text.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, read));
                at += 1;
            }
            Some(wanted) if *wanted == '?' || *wanted == text[read] => {
                at += 1;
                read += 1;
            }
            _ => {
                // Let the last star stand for one more.
                let Some((position, from)) = star else { return false };
                star = Some((position, from + 1));
                at = position + 1;
                read = from + 1;
            }
        }
    }
    pattern[at..].iter().all(|rest| *rest == '*')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn globs() {
        for (pattern, text, expected) in [
            ("", "", true),
            ("*", "", true),
            ("a*c", "abbc", true),
            ("a*b*c", "axbxbxc", true),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("a", "ab", false),
            ("*-cache", "redis-cache", true),
            ("*-cache", "redis-cache-2", false),
        ] {
            assert_eq!(glob(pattern, text), expected, "{pattern} {text}");
        }
    }

    proptest! {
        #[test]
        fn a_text_fits_itself_and_its_ends(text in "[a-z]{0,8}", more in "[a-z]{0,8}") {
            prop_assert!(glob(&text, &text));
            let (ending, longer) = (format!("*{text}"), format!("{more}{text}"));
            prop_assert!(glob(&ending, &longer));
        }
    }
}
