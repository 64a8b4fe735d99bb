//! Names of fields, parameters, and flags that hold secrets, recognized by their words: in any case, with any
//! separator, and joined (`DB_PASS`, `dbPass`, `db.pass`, `dbpass`).

mod harmless;
mod references;
mod split;
mod words;

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::LazyLock;

use regex::Regex;

use super::ascii::ascii_regex;
use super::files::{self, FileContent};
use harmless::{HARMLESS, MORE_HARMLESS};
pub(super) use references::{is_public_name, is_reference_name};
use split::split_words;
use words::{AREAS, FOREIGN, FOREIGN_KEYS, JOINT_PAIRS, KEYS, NEUTRAL, PAIRS, RARE_ENDINGS, RARE_PAIRS};

/// Number of names cached per thread: the same few occur in every object of a cluster.
const REMEMBERED: usize = 4_096;
/// Longest cached name; longer ones are rare.
const LONGEST_REMEMBERED: usize = 64;
/// Longest text that is treated as a name.
const LONGEST: usize = 512;

/// Meanings of a name.
#[derive(Clone, Copy, Default)]
pub(super) struct NameMeaning {
    /// See [`is_secret_name`].
    pub(super) is_secret: bool,
    /// A header with credentials of a client.
    pub(super) is_authorization: bool,
    /// A header with cookies.
    pub(super) is_cookie: bool,
    /// A parameter of a signed URL: its signature or its signer.
    pub(super) is_signature: bool,
    /// A query parameter of a URL that is a credential, although its name is common elsewhere.
    pub(super) is_query_secret: bool,
    /// The name of a value that is a secret if it is long and random: `auth` in Docker's settings, a session.
    pub(super) is_ambiguous: bool,
    /// The name of a value that is more often harmless, and a secret only if it cannot be a name: `primaryKey`.
    pub(super) is_rarely_secret: bool,
    /// A header with the signature of a webhook: `X-Hub-Signature-256`.
    pub(super) is_signature_header: bool,
    /// A group of settings whose `key` is a secret: `jwt`.
    pub(super) is_area: bool,
    /// The name of a value that is a secret in some whole objects: `pin`, `erlangCookie`.
    pub(super) is_neutral: bool,
    /// The name of a value that is a secret if it is a [code](is_code), and otherwise the name of a queue: `routing_key`.
    pub(super) is_routing: bool,
    /// The name of a file with secrets: `auth.json`.
    pub(super) file: Option<FileContent>,
}

thread_local! {
    static MEANINGS: RefCell<HashMap<Box<str>, NameMeaning>> = RefCell::default();
}

/// Returns the meanings of a name.
pub(super) fn meaning(name: &str) -> NameMeaning {
    if name.len() > LONGEST_REMEMBERED {
        return if name.len() <= LONGEST { classify(name) } else { NameMeaning::default() };
    }
    MEANINGS.with_borrow_mut(|meanings| match meanings.get(name) {
        Some(known) => *known,
        None => {
            if meanings.len() >= REMEMBERED {
                meanings.clear();
            }
            let meaning = classify(name);
            meanings.insert(name.into(), meaning);
            meaning
        }
    })
}

fn classify(name: &str) -> NameMeaning {
    let plain = normalized(name);
    let words = split_words(name);
    let last = words.last().map_or("", String::as_str);
    NameMeaning {
        is_secret: names_secret(name),
        is_authorization: plain.ends_with("authorization"),
        is_cookie: matches!(plain.as_str(), "cookie" | "setcookie" | "cookies"),
        is_signature: matches!(
            plain.as_str(),
            "sig" | "signature" | "xamzsignature" | "xamzcredential" | "xgoogsignature" | "xgoogcredential"
        ),
        is_query_secret: matches!(
            plain.as_str(),
            "key" | "code" | "session" | "sid" | "auth" | "ticket" | "assertion" | "hmac" | "sign"
        ),
        is_ambiguous: matches!(
            plain.as_str(),
            "auth"
                | "session"
                | "sid"
                | "pin"
                | "private"
                | "seed"
                | "phpsessid"
                | "jsessionid"
                | "connectsid"
                | "key"
                | "assertion"
                | "nonce"
                | "encrypt"
        ) || ["_AUTH", "_SESSION"].iter().any(|ending| name.ends_with(ending)),
        is_rarely_secret: is_rarely_secret(&plain, &words),
        is_signature_header: is_signature_header(name, &plain),
        is_area: AREAS.contains(&last),
        is_neutral: NEUTRAL.contains(&last),
        is_routing: plain.ends_with("routingkey"),
        file: files::content(name),
    }
}

/// Returns true for the name of a key of an API, a credential, or a key store in some objects, and of something else in
/// others.
fn is_rarely_secret(plain: &str, words: &[String]) -> bool {
    let is_pair = |pair: &(&str, &str)| words.ends_with(&[pair.0.to_owned(), pair.1.to_owned()]);
    RARE_ENDINGS.iter().any(|word| words.last().is_some_and(|last| last == word))
        || RARE_PAIRS.iter().any(is_pair)
        || matches!(plain, "pfx" | "pkcs12" | "p12")
}

/// Returns true for the header by which the sender of a webhook signs it: `X-Hub-Signature-256`, `Stripe-Signature`,
/// `X-Shopify-Hmac-Sha256`. A `signature` alone is that of an image or a certificate, and public.
fn is_signature_header(name: &str, plain: &str) -> bool {
    let letters = plain.trim_end_matches(|c: char| c.is_ascii_digit());
    let stem = ["sha", "ed", "v"].iter().find_map(|method| letters.strip_suffix(method)).unwrap_or(letters);
    name.contains('-') && !name.contains(['.', '/']) && ["signature", "hmac"].iter().any(|word| stem.ends_with(word))
}

/// Returns true if a name has a word for a secret value at any place, such as that of a kind.
pub(super) fn has_secret_word(name: &str) -> bool {
    split_words(name).iter().any(|word| words::is_noun(word))
}

/// Returns true for one long word of letters and digits, as an issued key is, and no name.
pub(super) fn is_code(value: &str) -> bool {
    const SHORTEST: usize = 20;
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    value.len() >= SHORTEST
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && digits >= 3
        && value.len() - digits >= 3
}

/// Returns true if a field with this name holds a secret.
pub(super) fn is_secret_name(name: &str) -> bool {
    meaning(name).is_secret
}

/// Matches every text of ASCII characters that contains a name for which [`is_secret_name`] returns true.
static MENTION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let words = words::nouns().chain(FOREIGN).chain(JOINT_PAIRS).filter(|word| word.is_ascii());
    let words = words.chain(["key"]).map(str::to_owned);
    // Between the two words of a pair, there are a plural and separators.
    let pairs = PAIRS.iter().map(|(first, second)| format!(r"{first}s?[\x00-@\[-`{{-\x7f]*{second}"));
    ascii_regex(&format!("(?i-u:{})", words.chain(pairs).collect::<Vec<_>>().join("|"))).ok()
});

/// Returns false if no part of a text is a name for which [`is_secret_name`] returns true.
pub(super) fn may_name_secret(text: &str) -> bool {
    !text.is_ascii() || MENTION.as_ref().is_none_or(|pattern| pattern.is_match(text))
}

/// Returns true if a `value` next to such a name or path is a secret, including values that a patch writes to the data
/// of a Secret.
pub(super) fn is_secret_label(label: &str) -> bool {
    is_secret_name(label) || ["/data/", "/stringData/"].iter().any(|data| label.starts_with(data))
}

/// Returns true if such a text in a field makes the value of the field next to it a secret: `{name: Authorization, value: …}`.
pub(super) fn is_value_label(text: &str) -> bool {
    !text.contains(char::is_whitespace) && (is_secret_label(text) || is_header_secret(text))
}

/// Type of a parameter of AWS Systems Manager whose `value` is a secret.
pub(super) const SECURE_STRING: &str = "SecureString";

/// Returns a name without an ending in any case: `field` of `fieldName`.
pub(super) fn without_ending<'a>(name: &'a str, ending: &str) -> Option<&'a str> {
    let (start, end) = name.split_at_checked(name.len().checked_sub(ending.len())?)?;
    end.eq_ignore_ascii_case(ending).then_some(start)
}

fn names_secret(name: &str) -> bool {
    if is_pod_name(name) {
        return false;
    }
    // `pAsSwOrD`
    let is_mixed = || name.bytes().all(|byte| byte.is_ascii_alphabetic()) && words::is_noun(&name.to_ascii_lowercase());
    names_secret_in(&split_words(name))
        || is_mixed()
        || unmasked(name).is_some_and(|name| names_secret_in(&split_words(&name)))
}

/// Returns true for the name of a Pod of a Deployment: `token-server-7d9c6b5f4d-x7k2p`.
fn is_pod_name(name: &str) -> bool {
    let mut parts = name.rsplit('-');
    let (pod, set) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let is_hash = |part: &str| {
        part.bytes().any(|byte| byte.is_ascii_digit())
            && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    pod.len() == 5 && (8..=10).contains(&set.len()) && is_hash(pod) && is_hash(set)
}

/// Returns true for a name for secrets in which other characters are in place of letters.
pub(super) fn is_masked_name(name: &str) -> bool {
    unmasked(name).is_some() && is_secret_name(name)
}

/// Returns a name with letters in place of the characters that stand for them in `P@ssw0rd` and `pa$$word`; `None` if that
/// spells no word for a secret.
fn unmasked(name: &str) -> Option<String> {
    let is_letter = |at: Option<usize>| at.and_then(|at| name.as_bytes().get(at)).is_some_and(u8::is_ascii_alphabetic);
    let stands = |at: usize| is_letter(at.checked_sub(1)) || is_letter(Some(at + 1));
    let letters = name.char_indices().map(|(at, character)| match character {
        '@' | '4' if stands(at) => 'a',
        '$' | '5' => 's',
        '0' if stands(at) => 'o',
        '3' if stands(at) => 'e',
        other => other,
    });
    let letters: String = letters.collect();
    let spells = |word: &&str| letters.to_ascii_lowercase().contains(word) && !name.to_ascii_lowercase().contains(word);
    ["pass", "password", "passwd", "secret", "token"].iter().any(spells).then_some(letters)
}

fn names_secret_in(words: &[String]) -> bool {
    let is_noun = |at: usize| {
        let word = words[at].as_str();
        let before = at.checked_sub(1).map_or("", |before| words[before].as_str());
        words::is_noun(word)
            || FOREIGN.contains(&word)
            || FOREIGN_KEYS.contains(&word)
            || JOINT_PAIRS.contains(&word)
            || word == "key"
                && (KEYS.iter().any(|kind| before == *kind || kind.len() > 3 && before.ends_with(kind))
                    || words::is_noun(before) && before != "password")
            || PAIRS.contains(&(before, word)) && !(before == "key" && at > 1 && words[at - 2] == "public")
    };
    // In a path of a patch, the field decides.
    let Some(last) = (0..words.len()).rev().find(|at| is_noun(*at)) else { return false };
    // The name of a Secret in the values of charts: `existingSecret`, `existingPasswordSecret`.
    if words[last] == "secret" && words[..last].iter().any(|word| word == "existing") {
        return false;
    }
    let tail = words[last + 1..].last().map_or("", String::as_str);
    // The id of a key identifies it, except for AWS's, which is one half of a pair.
    let is_harmless = |tail: &str| HARMLESS.contains(&tail) || MORE_HARMLESS.contains(&tail);
    tail.is_empty() || !is_harmless(tail)
}

/// Returns true if a name only means secrets in general, as that of a Kubernetes kind does.
pub(super) fn is_generic_secret_name(name: &str) -> bool {
    matches!(name.to_ascii_lowercase().as_str(), "secret" | "secrets" | "credentials" | "token" | "tokens")
}

/// Returns a name in lower case without separators.
fn normalized(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase()
}

/// Returns true if a name is that of a header with a credential, a cookie, or the signature of a webhook.
pub(super) fn is_header_secret(name: &str) -> bool {
    let meaning = meaning(name);
    meaning.is_authorization || meaning.is_cookie || meaning.is_signature_header
}

#[cfg(test)]
mod tests;
