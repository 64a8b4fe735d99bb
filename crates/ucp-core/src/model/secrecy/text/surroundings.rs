//! The text around a name: the error, the form, the prompt, or the object that it is a part of.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::super::ascii::ascii_regex;
use super::super::names::{is_generic_secret_name, is_secret_name};
use super::clues::Clues;
use super::value::WordContext;

/// Second words of names of two words, which may be separated by a space: `api key: …`.
const SECOND_WORDS: [&str; 16] = [
    "hash",
    "key",
    "keys",
    "phrase",
    "code",
    "codes",
    "string",
    "id",
    "data",
    "response",
    "bearer",
    "value",
    "auth",
    "secret",
    "token",
    "community",
];
/// Fields of something with a secret-like name that hold the secret.
const FIELDS_OF_SECRETS: [&str; 9] =
    ["value", "data", "stringdata", "text", "raw", "content", "plaintext", "default", "result"];
/// No name of an object is longer.
const LONGEST_NAME: usize = 253;
/// Bytes before a field in which the name of its object is looked for.
const NEAR_FIELD: usize = 512;
/// Words of an error message that continues after a colon.
static ERROR: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(r"(?i-u)\b(?:fail\w*|can ?not|can't|could|couldn't|unable|errors?|error\w*|while|getting|get|refresh\w*|missing|invalid|no|unknown|obtain\w*|retriev\w*|fetch\w*|read\w*|pars\w*|load\w*|decod\w*|validat\w*|find|acquire|exchange|generate|create|use|verify\w*|request|mount\w*|resolv\w*|sign\w*|referenced|expired|with|for|from|in|of|to|the|a)\s").ok()
});

/// Facts about a whole text, gathered once and only if they are needed.
pub(super) struct Surroundings<'a> {
    pub(super) text: &'a str,
    /// See [`Clues::names_secret`].
    pub(super) names_secret: bool,
    secret_names: OnceCell<HashSet<&'a str>>,
    mentions_secret: OnceCell<bool>,
    declares_secret: OnceCell<bool>,
}

impl<'a> Surroundings<'a> {
    /// Returns true if a field is the data of a Secret.
    pub(super) fn is_data_of_secret(&self, name: &str) -> bool {
        name.eq_ignore_ascii_case("stringData")
            || name.eq_ignore_ascii_case("data") && *self.declares_secret.get_or_init(|| declares_secret(self.text))
    }

    pub(super) fn new(text: &'a str, clues: &Clues) -> Self {
        Self {
            text,
            names_secret: clues.names_secret,
            secret_names: OnceCell::new(),
            mentions_secret: OnceCell::new(),
            declares_secret: OnceCell::new(),
        }
    }

    /// Returns true if Kubernetes names a Secret so in the text.
    pub(super) fn is_name_of_secret(&self, value: &str) -> bool {
        self.secret_names.get_or_init(|| names_of_secrets(self.text)).contains(value)
    }

    fn mentions_secret(&self) -> bool {
        *self.mentions_secret.get_or_init(|| self.text.to_ascii_lowercase().contains("secret"))
    }
}

/// The names of Secrets as Kubernetes quotes them: `secrets "db" not found`.
fn names_of_secrets(text: &str) -> HashSet<&str> {
    let behind = ["secrets \"", "secret \"", "Secret \""]
        .into_iter()
        .flat_map(|kind| memchr::memmem::find_iter(text.as_bytes(), kind).map(move |at| at + kind.len()));
    let name = |start: usize| {
        let near = &text.as_bytes()[start..text.len().min(start + LONGEST_NAME + 1)];
        memchr::memchr(b'"', near).map(|length| &text[start..start + length])
    };
    behind.filter_map(name).collect()
}

/// A word for a secret, and the words up to the end of the clause: what the secret is for, or that it is there.
static PROMPT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let password = "(?:pass(?:word|wort|phrase|code|wd)|kennwort|mot de passe|contraseña|senha|wachtwoord|pass ?key|recovery (?:key|code|phrase)|unseal key|root token)";
    let key = "(?:(?:api|access|secret|license|auth|bearer|refresh|deploy) (?:key|token)|client secret|token)";
    ascii_regex(&format!(
        r"(?i)\b(?:({password})s?(?:\s+\S+){{0,7}}?\s+(?:for|of|to|as|in|on|by|für|von|pour|para|del?|voor)|({key})s?(?:\s+\S+){{0,4}}?\s+(?:for|of|as))\b|\b({password})s?\b[^.]*\.\s+new value$"
    ))
    .ok()
});
/// Longest clause before a colon.
const LONGEST_CLAUSE: usize = 160;

/// What the text before a colon asks for or announces.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Prompt {
    /// A password, of any form.
    Password,
    /// A key or token: other words for it may follow as well.
    Key,
}

/// Returns what the text before a colon announces: `Enter passphrase for key 'x': …`, `A temporary password is generated
/// for root@localhost: …`.
pub(super) fn prompt(before: &str) -> Option<Prompt> {
    let near = &before[before.ceil_char_boundary(before.len().saturating_sub(LONGEST_CLAUSE))..];
    let begin = [": ", "; ", "\n\n"].iter().filter_map(|end| Some(near.rfind(end)? + end.len())).max();
    let clause = &near[begin.unwrap_or(0)..];
    let captures = PROMPT.as_ref()?.captures(clause)?;
    let whole = captures.get(0)?;
    // A sentence in between has its own subject.
    let is_here = whole.as_str().ends_with(['e', 'E']) || !clause[whole.end()..].contains(". ");
    is_here.then_some(if captures.get(2).is_some() { Prompt::Key } else { Prompt::Password })
}

/// Returns true if a text has the kind of a Secret, in any notation.
pub(super) fn declares_secret(text: &str) -> bool {
    static KIND: LazyLock<Option<Regex>> =
        LazyLock::new(|| ascii_regex(r#"(?i-u)\bkind\\*["']?\s*[:=]\s*\\*["']?secret\b"#).ok());
    KIND.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

/// Returns true if a name is the second of two words that together mean a secret: `seed phrase`.
pub(super) fn is_pair(text: &str, name: &Range<usize>, last: &str) -> bool {
    if name.len() != last.len() || !SECOND_WORDS.iter().any(|word| word.eq_ignore_ascii_case(last)) {
        return false;
    }
    let lower = last.to_ascii_lowercase();
    let before = text[..name.start].trim_end_matches(' ');
    if before.len() == name.start {
        return false;
    }
    let start = before.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-')).len();
    let first = &before[start..];
    !first.is_empty() && first.len() < 24 && is_secret_name(&format!("{first}_{lower}"))
}

/// Returns true if an `Invalid value` is in the data of a Secret.
pub(super) fn is_of_secret(surroundings: &Surroundings<'_>, start: usize, name: &str) -> bool {
    let text = surroundings.text;
    let path = &text[..start + name.len()];
    let path = &path[path.trim_end_matches(|c: char| !c.is_whitespace() && !matches!(c, '"' | '\'' | '`')).len()..];
    path.starts_with("Secret/")
        || path.starts_with("stringData")
        || path.starts_with("data") && surroundings.mentions_secret()
}

/// Returns true if a name is a field of something with a secret-like name: `Secret{Value:…}`, `token(value=…)`.
pub(super) fn is_in_secret(text: &str, start: usize, name: &str) -> bool {
    if !FIELDS_OF_SECRETS.iter().any(|field| field.eq_ignore_ascii_case(name)) {
        return false;
    }
    let near = start.saturating_sub(NEAR_FIELD);
    let Some(open) = text.as_bytes()[near..start].iter().rposition(|byte| b"{(})[]".contains(byte)).map(|at| near + at)
    else {
        return false;
    };
    if !text[open..].starts_with(['{', '(', '[']) {
        return false;
    }
    // `variable "password" {`
    let before = text[..open].trim_end_matches([' ', '"', '\'']);
    let begin = before.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-')).len();
    is_secret_name(&before[begin..])
}

/// Returns true if a path ends with a field of something with a secret-like name: `db.password.value`.
pub(super) fn is_path_in_secret(path: &str, last: &str) -> bool {
    FIELDS_OF_SECRETS.iter().any(|field| field.eq_ignore_ascii_case(last))
        && path.strip_suffix(last).is_some_and(|parents| {
            parents.split('.').any(|parent| !is_generic_secret_name(parent) && is_secret_name(parent))
        })
}

/// Returns true if the fields of a submitted form follow a value: `code=X&redirect_uri=…`.
pub(super) fn is_in_form(text: &str, start: usize) -> bool {
    let near = &text[start..text.floor_char_boundary(start + LONGEST_NAME)];
    near.find(|c: char| c.is_whitespace() || matches!(c, '&' | '"' | '\'')).is_some_and(|end| {
        near[end..].strip_prefix('&').is_some_and(|next| {
            next.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_').starts_with('=')
        })
    })
}

/// Returns true if the clause before a name is that of an error message.
pub(super) fn is_in_error(text: &str, name: &Range<usize>) -> bool {
    let before = &text[..name.start];
    let clause = before.rfind([':', '\n', ';', '"']).map_or(before, |at| &before[at + 1..]);
    !clause.trim().is_empty() && ERROR.as_ref().is_some_and(|pattern| pattern.is_match(clause))
}

/// Returns the kind of text around a name.
pub(super) fn context_of(text: &str, name: &Range<usize>, last: &str) -> WordContext {
    match () {
        () if is_in_error(text, name) => WordContext::Sentence,
        () if is_generic_secret_name(last) => WordContext::Kind,
        () => WordContext::Setting,
    }
}

#[cfg(test)]
#[test]
fn every_pattern_compiles() {
    assert!(ERROR.is_some() && PROMPT.is_some());
}
