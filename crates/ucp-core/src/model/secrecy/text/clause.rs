//! Clauses about the value of a secret: `password for app set to X`, `X is a weak password`.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::super::ascii::ascii_regex;
use super::super::names::is_secret_name;
use super::clues::Clues;
use super::doubtful::is_issued;
use super::phrases::is_value;
use super::value::{is_opaque, mask_length, quoted_value, reference_length};
use super::words::{is_compound, is_description, is_prose};

/// Length of the shortest value.
const SHORTEST: usize = 4;
/// Most words of a clause after its noun.
const MOST_WORDS: usize = 16;
/// Longest word of a clause that is read.
const LONGEST_WORD: usize = 256;
/// Longest clause in front of its noun.
const LONGEST_BEFORE: usize = 256;

/// A noun for a secret, or the end of a name for one.
static NOUN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let password = r"pass(?:words?|wd|phrases?|codes?)|pwd|\bpw\b";
    ascii_regex(&format!(r"(?i-u)(?:({password})|tokens?|secrets?|credentials?|[ _-]keys?|_string)(?:\(s\))?")).ok()
});
/// Words for a secret in scripts without spaces, and the word or mark between them and the value.
static WITHOUT_SPACES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let noun = "密码|密碼|口令|密钥|密鑰|令牌|パスワード|トークン|비밀번호|토큰|password|passwd|token";
    ascii_regex(&format!(r#"(?i)(?:{noun})(?:是|为|為|は|가|는|은)[\s:：]*["'「『]?([\x21-\x7e]{{4,}})"#)).ok()
});

/// Prepositions before the owner of a secret, and words in front of its name.
const OWNERS: [&str; 5] = ["for", "of", "on", "in", "at"];
const DETERMINERS: [&str; 16] = [
    "the",
    "a",
    "an",
    "its",
    "user",
    "account",
    "role",
    "login",
    "service",
    "server",
    "database",
    "db",
    "your",
    "webhook",
    "client",
    "repository",
];
/// Words for the use of a secret, which do not change it.
const GIVEN: [&str; 14] = [
    "you",
    "have",
    "entered",
    "typed",
    "given",
    "supplied",
    "provided",
    "used",
    "tried",
    "sent",
    "received",
    "chosen",
    "generated",
    "stored",
];
const COPULAS: [&str; 5] = ["is", "was", "are", "were", "equals"];
const AUXILIARIES: [&str; 10] = ["has", "have", "had", "been", "being", "got", "will", "be", "now", "successfully"];
const CHANGES: [&str; 9] =
    ["set", "reset", "changed", "updated", "rotated", "switched", "assigned", "initialized", "initialised"];
/// Adjectives in `X is a weak password`.
const JUDGMENTS: [&str; 10] =
    ["valid", "invalid", "weak", "bad", "common", "known", "leaked", "breached", "compromised", "strong"];
/// Words for what a password is of, in front of its noun.
const ROLES: [&str; 12] = [
    "admin",
    "root",
    "database",
    "db",
    "default",
    "initial",
    "user",
    "master",
    "current",
    "new",
    "temporary",
    "bootstrap",
];
/// Verbs in `X was rejected as password`.
const USES: [&str; 6] = ["rejected", "refused", "accepted", "used", "given", "sent"];

/// How a value must look to be one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ClauseForm {
    /// Any word that is none of the sentence.
    Word,
    /// The same, but no plain word: `password for app is unique`.
    Mixed,
    /// Issued, since other words are as frequent.
    Issued,
}

/// Adds the values in clauses about a secret that they name.
pub(super) fn find(text: &str, clues: &Clues, found: &mut Vec<Range<usize>>) {
    if clues.names_secret {
        for captures in NOUN.iter().flat_map(|pattern| pattern.captures_iter(text)) {
            let Some(noun) = captures.get(0) else { continue };
            let is_password = captures.get(1).is_some();
            Clause { text, at: noun.end(), words: 0 }.find_after(is_password, noun.start(), found);
            if is_password {
                found.extend(value_before(text, noun.range()));
            }
        }
    }
    if !text.is_ascii() {
        let values = WITHOUT_SPACES.iter().flat_map(|pattern| pattern.captures_iter(text));
        found.extend(values.filter_map(|captures| Some(captures.get(1)?.range())));
    }
}

/// The words after a noun.
#[derive(Clone, Copy)]
struct Clause<'a> {
    text: &'a str,
    /// The end of the last word.
    at: usize,
    words: usize,
}

impl<'a> Clause<'a> {
    /// Returns the text up to the longest end of the next word.
    fn near(&self) -> &'a str {
        &self.text[self.at..self.text.floor_char_boundary(self.at + LONGEST_WORD)]
    }

    /// Returns the start of the next word, on the same line.
    fn next_start(&self) -> Option<usize> {
        let near = self.near();
        let word = near.trim_start_matches([' ', '\t']);
        let is_word = word.len() < near.len() && !word.is_empty() && self.words < MOST_WORDS;
        is_word.then(|| self.at + near.len() - word.len())
    }

    fn next_word(&self) -> Option<&'a str> {
        let word = &self.near()[self.next_start()? - self.at..];
        Some(&word[..word.find(char::is_whitespace).unwrap_or(word.len())])
    }

    /// Steps over the next word, if it is one of these.
    fn skip(&mut self, words: &[&str]) -> bool {
        let Some((start, word)) = self.next_start().zip(self.next_word()) else { return false };
        let word = word.trim_end_matches(',');
        let is_one = words.iter().any(|one| word.eq_ignore_ascii_case(one));
        if is_one {
            (self.at, self.words) = (start + word.len(), self.words + 1);
        }
        is_one
    }

    fn skip_all(&mut self, words: &[&str]) -> bool {
        let start = self.at;
        while self.skip(words) {}
        self.at > start
    }

    /// Steps over `for the user "app"`. A name may be directly in front of its value: `for app=X`.
    fn skip_owner(&mut self) -> bool {
        if !self.skip(&OWNERS) {
            return false;
        }
        self.skip_all(&DETERMINERS);
        let Some((start, word)) = self.next_start().zip(self.next_word()) else { return false };
        let near = &self.text[..self.at + self.near().len()];
        let end = match quoted_value(near, start).filter(|name| name.end < near.len()) {
            Some(name) => name.end + 1,
            None => start + word.find(['=', ',', ';']).unwrap_or(word.len()),
        };
        (self.at, self.words) = (self.text.floor_char_boundary(end), self.words + 1);
        self.skip_all(&["user", "account", "role", "login"]);
        true
    }

    /// Adds the values after the noun.
    fn find_after(mut self, is_password: bool, noun: usize, found: &mut Vec<Range<usize>>) {
        let text = self.text;
        let (word, issued) = match is_password {
            true => (ClauseForm::Word, ClauseForm::Mixed),
            false => (ClauseForm::Issued, ClauseForm::Issued),
        };
        // The end of the name of a field: `"secret_string" was X`, `var.db_password is X`.
        let is_quoted = text[self.at..].starts_with(['"', '\'', '`']);
        self.at += usize::from(is_quoted);
        let is_field = is_quoted || text[..noun].ends_with(['_', '.', '-']) || text[noun..].starts_with(['_', '-']);
        let mut is_described = false;
        while self.words < MOST_WORDS && (self.skip_owner() || self.skip_all(&GIVEN)) {
            is_described = true;
        }
        let rest = &text[self.at..];
        if is_described && is_password {
            let after = rest.trim_start_matches(' ');
            if let Some(value) = after.strip_prefix('=').or_else(|| rest.strip_prefix(", ")) {
                found.extend(value_at(text, text.len() - value.trim_start_matches(' ').len(), word));
                return;
            }
        }
        if is_password && self.skip(&["mismatch:"]) {
            let other = |value: &Range<usize>| {
                ["!=", "<>", "vs"].iter().any(|sign| text[value.end..].trim_start().starts_with(sign))
            };
            let value = self.next_start().and_then(|start| value_at(text, start, word));
            found.extend(value.filter(other));
            return;
        }
        let is_said = self.skip(&COPULAS);
        if is_said && (is_field || is_described && is_password) {
            let mut value = self;
            value.skip_all(&["now", "currently"]);
            let form = if is_field { ClauseForm::Issued } else { issued };
            found.extend(value.next_start().and_then(|start| value_at(text, start, form)));
        }
        self.skip_all(&AUXILIARIES);
        let is_changed = self.skip(&CHANGES);
        let mut before = None;
        if self.skip(&["from"]) {
            let Some((start, old)) = self.next_start().zip(self.next_word()) else { return };
            before = value_at(text, start, word);
            self.at = start + old.len();
        } else if !is_changed {
            return;
        }
        if self.skip(&["to"]) {
            found.extend(before);
            found.extend(self.next_start().and_then(|start| value_at(text, start, word)));
        }
    }
}

/// Returns the range of a value in front of its noun: `X is a weak password`, `X was rejected as password`, `X is the password`.
fn value_before(text: &str, noun: Range<usize>) -> Option<Range<usize>> {
    let first = text.floor_char_boundary(noun.start.saturating_sub(LONGEST_BEFORE));
    let mut rest = text[first..noun.start].strip_suffix(' ')?;
    let mut previous = || {
        let word = &rest[rest.rfind(' ').map_or(0, |space| space + 1)..];
        rest = rest[..rest.len() - word.len()].trim_end_matches(' ');
        word
    };
    let mut word = previous();
    let is_judged = JUDGMENTS.contains(&word);
    if !is_judged && ROLES.contains(&word) {
        word = previous();
    }
    let has_article = matches!(word, "the" | "your" | "my" | "our" | "its" | "their" | "his" | "her");
    if is_judged || has_article || matches!(word, "a" | "an") {
        word = previous();
    }
    let verb = match (is_judged, word) {
        (true, "a" | "an") => match previous() {
            "not" => previous(),
            verb => verb,
        },
        (false, "as") if USES.contains(&previous()) => previous(),
        (false, verb) if has_article && ends_clause(&text[noun.end..]) => verb,
        _ => return None,
    };
    if !COPULAS.contains(&verb) {
        return None;
    }
    let value = previous().rsplit(['(', ':']).next()?;
    let before = text[..noun.start].rfind(&format!("{value} {verb} ")).filter(|_| !value.is_empty())?;
    let quotes = value.len() - value.trim_start_matches(['"', '\'', '`']).len();
    value_at(text, before + quotes, ClauseForm::Word)
}

/// Returns true if a noun is not the first part of a compound: `X is the password of app`, unlike `X is the password manager`.
fn ends_clause(behind: &str) -> bool {
    let word = behind.strip_prefix(' ').and_then(|rest| rest.split_whitespace().next());
    behind.is_empty()
        || behind.starts_with(['.', ',', ';', '!', '?', ')', '"', '\'', '`', '\n'])
        || word.is_some_and(|word| OWNERS.contains(&word))
}

/// Returns the range of the value that begins at an offset.
pub(super) fn value_at(text: &str, start: usize, form: ClauseForm) -> Option<Range<usize>> {
    if let Some(quoted) = quoted_value(text, start) {
        let inner = &text[quoted.clone()];
        let is_one = form != ClauseForm::Issued || is_opaque(inner);
        return (is_one && !inner.split_whitespace().all(is_prose)).then_some(quoted);
    }
    let rest = &text[start..];
    // `system:` begins the names of users and groups of Kubernetes.
    if mask_length(rest).is_some() || reference_length(rest).is_some() || text[..start].ends_with("system:") {
        return None;
    }
    let word = rest.split(|c: char| c.is_whitespace() || c == ',' || c == ';').next()?;
    let word = word.trim_end_matches(['.', '!', '?', ')', ':', '"', '\'', '`']);
    let is_name = || is_secret_name(word) && !word.bytes().any(|byte| byte.is_ascii_digit());
    let is_word =
        || word.len() >= SHORTEST && is_value(word) && !is_compound(word) && !is_description(word) && !is_name();
    let is_one = match form {
        ClauseForm::Word => is_word(),
        ClauseForm::Mixed => is_word() && word.bytes().any(|byte| !byte.is_ascii_lowercase()),
        ClauseForm::Issued => is_issued(word) || is_opaque(word) && !word.contains(['/', ':', '.']),
    };
    is_one.then(|| start..start + word.len())
}

#[cfg(test)]
mod tests {
    use super::super::scrub;
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        assert!(NOUN.is_some() && WITHOUT_SPACES.is_some());
    }

    #[test]
    fn values_in_clauses_are_hidden() {
        for text in [
            "password for app set to canarybird",
            "password for app set to 'two canarybird' by job",
            "Password for user \"app\" set to \"canary\\\"bird\"",
            "password of user app changed from canarybird to ***",
            "password of user app changed from old to canarybird",
            "changed password of app from canarybird to new",
            "the password for the app user was reset to canarybird",
            "password for app on db1 is now Canarybird7",
            "password entered was Canarybird7",
            "the password you entered, canarybird, is wrong",
            "password for app=canarybird",
            "password mismatch: canarybird != stored",
            "token for app set to canarybird7Qx",
            "The argument \"secret_string\" was canarybird7Qx, which is not valid JSON",
            "var.db_password is canarybird7Qx",
            "canarybird is not a valid password",
            "'canarybird' was rejected as password",
            "canarybird is a weak password",
            "canarybird is the password",
            "'canarybird' was the admin password for db1",
            "I think canarybird is your new password.",
            "password(s): canarybird",
            "P@ssword=canarybird",
            "passw0rd: canarybird",
            "PA$$WORD=canarybird",
            "pw canarybird7",
            "using default password canarybird",
            "community string canarybird7Qx rejected",
            "密码是canarybird",
            "パスワードはcanarybirdです",
        ] {
            let shown = scrub(text).into_owned();
            assert!(!shown.to_lowercase().contains("canary"), "{shown}");
            assert_eq!(scrub(&shown), shown);
        }
        for text in [
            "password for app set to expire",
            "password for app set to never expire",
            "password for user app is expired",
            "password for app is case sensitive",
            "password for app reset to default",
            "password of user app changed by admin",
            "passwords for 3 users set to expire in 30d",
            "secret for app updated to version 3",
            "access token for shop was changed to version v1.2.3",
            "token for service is valid until 2026-12-01T00:00:00Z",
            "db_password is deprecated",
            "Keycloak is the password store",
            "this is the password of the user",
            "the value is the password",
            "what was the password?",
            "The parameter MasterUserPassword is not a valid password.",
            "token-server-7d9c6b5f4d-x7k2p: Running",
            "git clone token@example.org:group/name",
        ] {
            assert_eq!(scrub(text), text);
        }
    }
}
