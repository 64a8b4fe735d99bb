//! Names of fields and parameters that hold secrets.

use std::cell::RefCell;
use std::collections::HashMap;

/// Words that tell a field with a secret value, in lower case and without separators.
const TELLING: [&str; 16] = [
    "password",
    "passwd",
    "token",
    "secretkey",
    "privatekey",
    "apikey",
    "accesskey",
    "accountkey",
    "credentials",
    "clientsecret",
    "passphrase",
    "connectionstring",
    "secretstring",
    "userdata",
    "customdata",
    "keydata",
];
/// Abbreviations, which count as whole words only.
const ABBREVIATIONS: [&str; 3] = ["pwd", "pass", "psk"];
/// What comes after such a word where only a reference, a name or a setting is meant.
const HARMLESS_ENDINGS: [&str; 23] = [
    "ref",
    "refs",
    "selector",
    "name",
    "namespace",
    "key",
    "path",
    "file",
    "policy",
    "length",
    "version",
    "seconds",
    "url",
    "uri",
    "endpoint",
    "type",
    "ttl",
    "expiry",
    "expiration",
    "enabled",
    "audience",
    "issuer",
    "izer",
];

/// A name in lower case, without separators.
fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase()
}

/// Names that are remembered: the same few stand in every object of a cluster.
const REMEMBERED: usize = 4_096;
/// Longer ones are rare.
const LONGEST_REMEMBERED: usize = 64;

thread_local! {
    static TELLING_NAMES: RefCell<HashMap<Box<str>, bool>> = RefCell::default();
}

/// Whether a field of this name holds a secret.
pub(super) fn is_telling(name: &str) -> bool {
    if name.len() > LONGEST_REMEMBERED {
        return tells(name);
    }
    TELLING_NAMES.with_borrow_mut(|names| match names.get(name) {
        Some(known) => *known,
        None => {
            if names.len() >= REMEMBERED {
                names.clear();
            }
            let tells = tells(name);
            names.insert(name.into(), tells);
            tells
        }
    })
}

fn tells(name: &str) -> bool {
    let plain = plain(name);
    ABBREVIATIONS.contains(&plain.as_str())
        || TELLING.iter().any(|word| {
            plain.rfind(word).is_some_and(|start| {
                let rest = &plain[start + word.len()..];
                !HARMLESS_ENDINGS.iter().any(|ending| rest.ends_with(ending))
            })
        })
}

/// Whether a name ends with such a word, so that nothing but the value can follow.
pub(super) fn ends_telling(name: &str) -> bool {
    let plain = plain(name);
    ABBREVIATIONS.contains(&plain.as_str()) || TELLING.iter().any(|word| plain.ends_with(word))
}

/// Whether a parameter of a signed URL is its signature, or who signed it.
pub(super) fn is_signature(name: &str) -> bool {
    matches!(
        plain(name).as_str(),
        "sig" | "signature" | "xamzsignature" | "xamzcredential" | "xgoogsignature" | "xgoogcredential"
    )
}

/// Whether it is the header that a client shows who it is with.
pub(super) fn is_authorization(name: &str) -> bool {
    plain(name).ends_with("authorization")
}
