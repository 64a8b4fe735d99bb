//! Plain sentences: `with password X`, `the token is X`, and values of `Authorization` headers.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::super::ascii::ascii_regex;
use super::list::phrase_value;
use super::value::{is_identifier, is_masked, is_opaque, quoted_value};
use super::words::{is_compound, is_description, is_foreign_description, is_prose, is_technical};

/// A noun, the words between it and its value, and the value.
static SENTENCE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let noun = "pass[ _-]?(?:words?|wd|phrases?|codes?|keys?)|pw|pwd|(?:secret|unlock) (?:word|phrase|code)|(?:secret|security) answer|(?:recovery|backup|one[ -]time) codes?|tokens?|(?:api|access|private|signing|encryption|license|auth|shared|secret|secret access|account|master|session|deploy)[ _-]?keys?|client[ _-]?secret|secrets?|credentials?|pin|otp|psk|pre-?shared[ _-]?keys?|seed(?: phrase)?|community strings?|mnemonic|kennwort|passwort|mot de passe|contraseña|contrasena|clave|senha|wachtwoord|hasło|lösenord|parola|salasana|heslo|пароль";
    let link = "(?:is|was|are|were|be|being|ha(?:s|ve|d) been|provided|supplied|given|used|using|value|set|reset|changed|updated|to|as|now|currently|equals|of|ist|lautet|war|es|est|été|é|è|är|on|jest|był)";
    ascii_regex(&format!(r#"(?i)\b({noun})((?:\s+(?:for|of)\s+(?:user\s+)?\S+\s+(?:is|was))?(?:\s+{link}\b)*)(?:\s+|\s*[:=]\s+)([^\s,;]\S*)"#)).ok()
});
/// A word that every such sentence contains.
static MENTION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let words = "pass|kennw|wachtw|contras|clave|senha|parola|salas|heslo|token|key|secret|cred|pw|pin|psk|community|otp|seed|security|mnem|code|auth|bearer|basic|negotiate|digest|splunk|ssws|identified";
    ascii_regex(&format!("(?i-u:{words})")).ok()
});
/// Words before a noun that is directly followed by a value: `with password X`, `-u x password X`.
static BEFORE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(r"(?i)(?:\b(?:with|using|use|and|login \S+|user \S+|/)\s+(?:the |a |an |my |your |its )?(?:(?:default|new|old|initial|temporary|temp|generated) )?)$").ok()
});
/// The same before a password: `has password X`. Keys and tokens are more often described.
static BEFORE_PASSWORD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let verbs = "has|had|have|got|found|tried|try|trying|sent|sends|sending|gave|given|received|entered|typed|returned";
    ascii_regex(&format!(r"(?i)\b(?:{verbs})\s+(?:the |a |an |my |your |its )?$")).ok()
});
/// Words after a password that is quoted as an object or a subject: `password X was rejected`, `password X for user app`.
static AFTER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let verdict = "rejected|refused|accepted|denied|tried|used|assigned|leaked|exposed|wrong|incorrect|invalid|weak|not accepted|too (?:short|long|weak|simple|common)|set for|found in";
    ascii_regex(&format!(
        r"(?i)^\s+(?:given|supplied|provided|entered|{verdict}|failed|succeeded|worked|did not work|(?:is|was|has been|had been)\s+(?:{verdict})|(?:does|did) not (?:meet|satisfy|match|comply|conform|work|fulfill)|(?:for|of) (?:the )?(?:user|account|login|role)\s+[\w.@-]+|to (?:unlock|decrypt|open|log ?in))\b"
    ))
    .ok()
});
/// Credentials of an `Authorization` header, or of the command `AUTH` of Redis and mail servers.
static AUTHORIZATION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(r"(?i)\b(?:bearer|basic|negotiate|digest|splunk|apikey|ssws|genie_?key|(?-i:AUTH)(?:\s+(?:plain|login|xoauth2|default))?)(?:\s+|:\s*|%20|\+)([A-Za-z0-9._~+/-]{8,}=*)").ok()
});
/// A quoted value directly after a word for a secret, as in SQL.
static QUOTED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(r#"(?i)\b(?:pass[ _-]?(?:word|phrase|code)|secret key|identified\s+(?:with\s+\S+\s+)?by|api key|token)\s+(?:is |was )?['"`]"#).ok()
});
/// A row of a table: a name and its value.
static ROW: LazyLock<Option<Regex>> =
    LazyLock::new(|| ascii_regex(r"[|│]\s*([A-Za-z][\w .-]*?)\s*[|│]\s*([^\s|│]+)\s*[|│]").ok());

/// A name and an opaque value with a separator that is more often one of words: `password,X`, `password ~ X`.
static SEPARATED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(r"(?i)\b[\w-]*(?:password|passwd|passphrase|token|secret|api[_-]?key)(?:[,;]|\s?[~|]\s?)([^\s,;|]{8,})")
        .ok()
});

/// Adds the values in sentences.
pub(super) fn find(text: &str, found: &mut Vec<Range<usize>>) {
    if text.is_ascii() && !MENTION.as_ref().is_none_or(|pattern| pattern.is_match(text)) {
        return;
    }
    for captures in AUTHORIZATION.iter().flat_map(|pattern| pattern.captures_iter(text)) {
        let value = captures.get(1).filter(|value| value.as_str().contains(|c: char| c.is_ascii_digit() || c == '='));
        found.extend(value.filter(|value| !is_technical(value.as_str())).map(|value| value.range()));
    }
    for pattern in QUOTED.iter().flat_map(|pattern| pattern.find_iter(text)) {
        let is_token = pattern.as_str().to_ascii_lowercase().starts_with(['t', 'a']);
        let value = quoted_value(text, pattern.end() - 1);
        found.extend(value.filter(|range| !is_token || is_opaque(&text[range.clone()])));
    }
    if memchr::memchr(b'|', text.as_bytes()).is_some() || text.contains('│') {
        for captures in ROW.iter().flat_map(|pattern| pattern.captures_iter(text)) {
            if let (Some(name), Some(value)) = (captures.get(1), captures.get(2))
                && super::super::names::is_secret_name(name.as_str())
            {
                found.extend(Some(value.range()).filter(|_| is_opaque(value.as_str()) && name.len() < 40));
            }
        }
    }
    for captures in SEPARATED.iter().flat_map(|pattern| pattern.captures_iter(text)) {
        // `{{ .token | base64decode }}` is a template.
        let is_template = captures.get(0).is_some_and(|whole| text[..whole.start()].ends_with(['.', '$']));
        let value = captures.get(1).filter(|value| !is_template && is_opaque(value.as_str()));
        found.extend(value.map(|value| value.range()));
    }
    let mut at = 0;
    while let Some(captures) = SENTENCE.as_ref().and_then(|pattern| pattern.captures_at(text, at)) {
        let (Some(noun), Some(link), Some(value)) = (captures.get(1), captures.get(2), captures.get(3)) else { break };
        // The value may itself be a noun.
        at = value.start().max(at + 1);
        // The noun is the end of a name: `shop/db-password is gone`.
        if text[..noun.start()].ends_with(['-', '/', '.', '_']) {
            continue;
        }
        // A verb: `verify and pin sources`.
        if noun.as_str().eq_ignore_ascii_case("pin") && !value.as_str().contains(|c: char| c.is_ascii_digit()) {
            continue;
        }
        let strength = value_certainty(text, noun.start(), noun.as_str(), link.as_str());
        let is_linked = !link.as_str().trim().is_empty();
        let phrase = phrase_value(text, value.start(), noun.as_str()).filter(|_| !link.as_str().is_empty());
        if phrase.is_some() {
            found.extend(phrase);
            continue;
        }
        let is_separated = text[link.end()..value.start()].contains([':', '=']);
        let is_name = strength == ValueCertainty::Opaque
            && names_objects(noun.as_str())
            && (value.as_str().starts_with(['"', '\'', '`']) || is_object_name(value.as_str()));
        if is_name {
            continue;
        }
        let secret = secret_range(text, noun.start(), value.range(), strength, is_linked);
        found.extend(secret.filter(|_| !is_separated || is_linked));
    }
}

/// Verbs between a noun and its value in other languages. `lautet` is followed by a value only.
const FOREIGN_LINKS: [&str; 10] = ["ist", "war", "es", "est", "été", "é", "è", "är", "on", "jest"];

/// The starts of nouns for passwords in these languages.
const FOREIGN_NOUNS: [&str; 12] =
    ["kennw", "passwort", "mot de", "contras", "clave", "senha", "wachtw", "hasł", "lösen", "parola", "salas", "heslo"];

/// Certainty that the next word is a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ValueCertainty {
    /// Followed by a value, except in errors and descriptions: `password is X`, `with password X`.
    Said,
    /// The same for a token or key, which is more often described: `the token is bound to …`.
    Told,
    /// The noun may be followed by the value of a password, but also by other words.
    Beside,
    /// The same after a verb, and in another language.
    Foreign,
    /// Only long and random values count: names follow `token` and `secret`.
    Opaque,
}

fn value_certainty(text: &str, noun_start: usize, noun: &str, link: &str) -> ValueCertainty {
    let noun = noun.to_ascii_lowercase();
    // `password for shop is X`
    let is_said = link.to_lowercase();
    let is_said = is_said
        .rsplit_once(' ')
        .filter(|_| is_said.trim_start().starts_with("for "))
        .map_or(is_said.as_str(), |(_, last)| last);
    let mut before = noun_start.saturating_sub(40);
    while !text.is_char_boundary(before) {
        before -= 1;
    }
    let is_with = BEFORE.as_ref().is_some_and(|pattern| pattern.is_match(&text[before..noun_start]));
    let is_name_too = names_objects(&noun);
    let is_strong = noun.starts_with("pass")
        || matches!(noun.as_str(), "pw" | "pwd" | "pin" | "otp" | "psk" | "mnemonic")
        || [" answer", " word", " phrase", " code"].iter().any(|ending| noun.ends_with(ending))
        || noun.starts_with("seed");
    match () {
        () if matches!(is_said.trim(), "of" | "to" | "as" | "used" | "using" | "be" | "being")
            || is_said.trim_end().ends_with(" of")
            // A purpose: `used to encode`.
            || is_said.trim_end().ends_with("used to") =>
        {
            ValueCertainty::Opaque
        }
        // The words of other languages that may follow are unknown.
        () if FOREIGN_LINKS.contains(&is_said.trim()) => {
            match FOREIGN_NOUNS.iter().any(|word| noun.starts_with(word)) {
                true => ValueCertainty::Foreign,
                false => ValueCertainty::Beside,
            }
        }
        () if !is_said.trim().is_empty() && is_strong => ValueCertainty::Said,
        () if !is_said.trim().is_empty() => ValueCertainty::Told,
        () if is_with && !is_name_too => ValueCertainty::Said,
        () if is_strong
            && BEFORE_PASSWORD.as_ref().is_some_and(|pattern| pattern.is_match(&text[before..noun_start])) =>
        {
            ValueCertainty::Said
        }
        () if is_strong => ValueCertainty::Beside,
        () => ValueCertainty::Opaque,
    }
}

/// Returns true if names of objects follow such a word: `secret "db"`.
fn names_objects(noun: &str) -> bool {
    let noun = noun.to_ascii_lowercase();
    matches!(noun.as_str(), "secret" | "secrets") || noun.starts_with("credential")
}

/// Returns true for the name of an object of several words, with one digit at most: `s3secret-east-cluster`.
fn is_object_name(value: &str) -> bool {
    value.contains('-')
        && value.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
        && value.bytes().filter(u8::is_ascii_digit).count() <= 1
}

/// Verbs after a password that is the subject of its clause: `password X must be changed`.
const PREDICATES: [&str; 16] = [
    "is", "was", "were", "has", "had", "must", "cannot", "could", "should", "would", "will", "does", "did", "contains",
    "matches", "equals",
];
/// Adjectives in front of a password at the end of its clause: `wrong passphrase X`, `old password X, new password pending`.
const QUALIFIERS: [&str; 17] = [
    "old",
    "new",
    "current",
    "previous",
    "last",
    "default",
    "initial",
    "temporary",
    "wrong",
    "incorrect",
    "invalid",
    "master",
    "keystore",
    "truststore",
    "encryption",
    "admin",
    "root",
];
/// First words of the line above a password in a file of logins, such as `.netrc`.
const LOGINS: [&str; 5] = ["machine", "login", "user", "username", "account"];

/// Returns true if the verb of a clause is directly behind its subject.
fn is_subject(behind: &str) -> bool {
    let word = behind.strip_prefix(' ').and_then(|rest| rest.split([' ', ',', '.', '\n']).next());
    word.is_some_and(|word| PREDICATES.contains(&word))
}

/// Returns true if an adjective in front of a noun qualifies the password behind it, or if both are a line of a file of logins.
fn is_qualified(text: &str, whole: Range<usize>) -> bool {
    let before = &text[..whole.start];
    if let Some((above, "")) = before.rsplit_once('\n').map(|(above, line)| (above, line.trim())) {
        let first = above.lines().last().and_then(|line| line.split_whitespace().next());
        return first.is_some_and(|word| LOGINS.contains(&word))
            && text[whole.end..].trim_start_matches(' ').lines().next().is_none_or(str::is_empty);
    }
    let word = before.trim_end().rsplit(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    before.ends_with(' ') && QUALIFIERS.iter().any(|one| word.eq_ignore_ascii_case(one))
}

/// Returns the range of a value behind a noun that begins at `noun`.
fn secret_range(
    text: &str,
    noun: usize,
    range: Range<usize>,
    strength: ValueCertainty,
    is_linked: bool,
) -> Option<Range<usize>> {
    if let Some(quoted) = quoted_value(text, range.start) {
        let inner = &text[quoted.clone()];
        let is_value = match strength {
            ValueCertainty::Said | ValueCertainty::Told => !inner.contains(' ') && !is_prose(inner),
            ValueCertainty::Beside | ValueCertainty::Foreign => inner.contains(|c: char| c.is_ascii_digit()),
            ValueCertainty::Opaque => is_opaque(inner),
        };
        return is_value.then_some(quoted);
    }
    let word = &text[range.clone()];
    let value = word.trim_end_matches(['.', ',', ';', ':', ')', ']', '}', '"', '\'', '!', '?']);
    // The end of bold text in Markdown.
    let value = value.trim_end_matches("**");
    // Values with names or in URLs are found by other rules.
    let is_other = value.is_empty()
        || value.starts_with(['(', '[', '{', '<', '|', '=', '/', '-', '"', '\\', '*', '&'])
        || value.contains("://")
        || value.contains(['=', '(', '{'])
        || is_masked(value)
        || super::value::reference_length(value).is_some()
        || is_technical(value)
        || is_identifier(value)
        || value.chars().all(|c| c.is_ascii_digit()) && value.len() < 4;
    let has_digit = value.contains(|c: char| c.is_ascii_digit());
    let has_letter = value.contains(char::is_alphabetic);
    let is_lower_name = value.chars().all(|c| c.is_ascii_lowercase() || c == '-' || c == '.' || c == '/');
    let has_symbol = value.contains(|c: char| "!@#$%^&*+~?_".contains(c)) && !value.contains('\'');
    let goes_on = text[range.end..].starts_with(' ') && value.len() == word.len();
    let is_word = value.chars().all(char::is_alphabetic);
    // What was done with a password, after it.
    let is_judged = || goes_on && AFTER.as_ref().is_some_and(|pattern| pattern.is_match(&text[range.end..]));
    // `with token issued`, `the password is rotating`, `the key is inactive`.
    let is_participle =
        is_description(value) && (is_linked || ["ed", "ing", "ly"].iter().any(|end| value.ends_with(end)));
    let is_described = is_participle && (is_linked || !is_judged()) || is_compound(value);
    let is_new_word = || is_word && value.len() > 4 && !is_prose(value) && !is_described;
    let is_value = match strength {
        ValueCertainty::Told if goes_on && !has_digit && !has_symbol => false,
        ValueCertainty::Said | ValueCertainty::Told => {
            has_digit
                || has_symbol
                || !value.split('-').all(is_prose) && !is_described && (is_lower_name || !value.contains(['-', '\'']))
        }
        ValueCertainty::Foreign if !goes_on && is_new_word() => !is_foreign_description(value),
        ValueCertainty::Beside if is_new_word() => {
            let whole = noun..range.start + value.len();
            is_judged() || is_subject(&text[range.end..]) || !goes_on && is_qualified(text, whole)
        }
        ValueCertainty::Beside | ValueCertainty::Foreign => {
            has_digit && has_letter && !value.contains('/') || has_symbol && has_letter && value.len() >= 6
        }
        ValueCertainty::Opaque => is_opaque(value) && !value.contains('/') && has_inner_digits(value),
    };
    (!is_other && is_value).then(|| range.start..range.start + value.len())
}

/// Returns true if there are digits among letters, unlike in names such as `cluster-1`.
fn has_inner_digits(value: &str) -> bool {
    let parts: Vec<&str> = value.split(['-', '.', '_', '/', ':']).collect();
    let is_name = parts.iter().all(|part| {
        part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
            && (part.len() <= 5 || !part.contains(|c: char| c.is_ascii_digit()))
    });
    !is_name || parts.len() == 1
}

#[cfg(test)]
#[test]
fn every_pattern_compiles() {
    for pattern in [&MENTION, &SENTENCE, &BEFORE, &BEFORE_PASSWORD, &AFTER, &AUTHORIZATION, &QUOTED, &ROW, &SEPARATED] {
        assert!(pattern.is_some());
    }
}
