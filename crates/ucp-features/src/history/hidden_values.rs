//! Secrets in two versions of a document: whether one changed is known, but nothing else about them.

use std::collections::HashMap;

use serde_json::Value;

use ucp_core::model::secrecy::{HIDDEN, is_hidden_value, replace_secrets};

/// Replaces the secrets of versions that are compared by marks: equal values by the same one.
#[derive(Default)]
pub(super) struct SecretMarks {
    numbers: HashMap<String, usize>,
}

/// The beginning of each replacement for a secret, whatever follows.
const START: &str = "<hidden";
/// The beginning of a mark.
const MARK: &str = "<hidden value ";

impl SecretMarks {
    /// Replaces the secrets of a version.
    pub(super) fn hide(&mut self, value: &mut Value) {
        replace_secrets(value, |secret| {
            // Snapshots hide values by a random key, so that those of two snapshots cannot be compared.
            if is_hidden_value(secret) {
                return HIDDEN.to_owned();
            }
            let next = self.numbers.len() + 1;
            let number = self.numbers.entry(secret.to_owned()).or_insert(next);
            format!("{MARK}{number}>")
        });
    }
}

/// Returns true if two texts differ in a secret of which both values are known.
pub(super) fn has_changed_secret(before: &str, after: &str) -> bool {
    let is_mark = |text: &str| text.starts_with(MARK);
    let mut pairs = split(before).into_iter().zip(split(after));
    pairs.any(|((_, old), (_, new))| is_mark(old) && is_mark(new) && old != new)
}

/// Returns a text without marks: all secrets look the same.
pub(super) fn unmarked(text: &str) -> String {
    split(text)
        .into_iter()
        .map(|(plain, hidden)| format!("{plain}{}", if hidden.is_empty() { "" } else { HIDDEN }))
        .collect()
}

/// Splits a text into pairs of plain text and the replacement for a secret after it, which is empty at the end.
fn split(text: &str) -> Vec<(&str, &str)> {
    let (mut pairs, mut plain, mut rest) = (Vec::new(), 0, 0);
    while let Some(start) = text[rest..].find(START).map(|found| rest + found) {
        rest = start + START.len();
        let is_replacement = text[rest..].starts_with(['>', '-', ' ']);
        let Some(length) = text[rest..].find('>').filter(|_| is_replacement) else { continue };
        rest += length + 1;
        pairs.push((&text[plain..start], &text[start..rest]));
        plain = rest;
    }
    pairs.push((&text[plain..], ""));
    pairs
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_mark_shows_which_values_are_equal_until_it_is_removed() {
        let mut marks = SecretMarks::default();
        let mut hidden = |password: &str| {
            let mut value = json!({"password": password, "url": format!("redis://:{password}@r/0")});
            marks.hide(&mut value);
            value["url"].as_str().unwrap().to_owned()
        };
        let (one, same, other, kept) =
            (hidden("canary-1"), hidden("canary-1"), hidden("canary-22"), hidden("<hidden-0a-8>"));
        assert!(one == same && has_changed_secret(&one, &other), "{one} {other}");
        assert!(!has_changed_secret(&one, &kept) && !has_changed_secret(&kept, &kept), "{kept}");
        assert!(unmarked(&one).ends_with("<hidden>@r/0"), "{one}");
        assert_eq!(unmarked(&one), unmarked(&other));
    }

    #[test]
    fn replacements_of_two_snapshots_are_the_same() {
        assert_eq!(unmarked("a <hidden-01ab-3> b <hidden-02-1>"), unmarked("a <hidden-ffff-9> b <hidden-03-4>"));
        assert_ne!(unmarked("a <hidden-01ab-3>"), unmarked("b <hidden-01ab-3>"));
        assert_eq!(unmarked("<hidden <hiddenField> a <hidden>"), "<hidden> a <hidden>");
    }

    proptest! {
        #[test]
        fn text_without_a_replacement_is_not_changed(text in "[<> a-z]{0,12}(<hidde|hidden>)?[<> a-z]{0,12}") {
            prop_assume!(!text.contains(START));
            prop_assert_eq!(unmarked(&text), text);
        }
    }
}
