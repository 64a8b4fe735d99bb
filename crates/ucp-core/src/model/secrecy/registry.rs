//! Values that this run read from Secrets: hidden everywhere, as they are, in base64, percent-encoded, or escaped.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, PoisonError, RwLock};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

/// Length of the prefix by which values are looked up; shorter values occur everywhere by chance.
const WINDOW: usize = 8;
/// Longest value; longer ones are documents or archives.
const LONGEST: usize = 16 * 1024;
/// Maximum number of values, above that of any real cluster; others are recognized by their form only.
const MOST: usize = 200_000;

#[derive(Default)]
struct SecretRegistry {
    /// Values by prefix.
    values: HashMap<[u8; WINDOW], Vec<Box<str>>>,
    known: HashSet<u64>,
    /// Bit set of hashed prefixes, which excludes nearly all of a text.
    bits: Vec<u64>,
    count: usize,
}

static REGISTRY: LazyLock<RwLock<SecretRegistry>> = LazyLock::new(RwLock::default);
static HAS_ANY: AtomicBool = AtomicBool::new(false);

const BITS: usize = 1 << 20;

/// Hides a value of a Secret in every text from now on. Short values, words, numbers, hosts, and paths are not hidden:
/// they occur in ordinary output, and names of users and databases are not secret.
pub(super) fn add(value: &str) {
    let value = value.trim();
    if value.len() > LONGEST {
        return;
    }
    if !is_distinct(value) {
        return;
    }
    let mut registry = REGISTRY.write().unwrap_or_else(PoisonError::into_inner);
    if registry.count >= MOST {
        return;
    }
    let escaped = serde_json::Value::from(value).to_string();
    let percent = utf8_percent_encode(value, NON_ALPHANUMERIC).to_string();
    // The last characters in base64 depend on the bytes after the value.
    let whole = value.len() - value.len() % 3;
    let encoded =
        [STANDARD_NO_PAD.encode(&value.as_bytes()[..whole]), URL_SAFE_NO_PAD.encode(&value.as_bytes()[..whole])];
    for form in [value, escaped.trim_matches('"'), &percent].into_iter().chain(encoded.iter().map(String::as_str)) {
        registry.add(form);
    }
    HAS_ANY.store(true, Ordering::Release);
}

impl SecretRegistry {
    fn add(&mut self, form: &str) {
        let Some(begin) = form.as_bytes().first_chunk::<WINDOW>() else { return };
        if self.bits.is_empty() {
            self.bits = vec![0; BITS / 64];
        }
        if !self.known.insert(hash(form.as_bytes())) {
            return;
        }
        let bit = bit_index(begin);
        self.bits[bit / 64] |= 1 << (bit % 64);
        self.values.entry(*begin).or_default().push(form.into());
        self.count += 1;
    }
}

fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

fn bit_index(window: &[u8; WINDOW]) -> usize {
    let number = u64::from_le_bytes(*window).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    usize::try_from(number >> 44).unwrap_or_default() % BITS
}

/// Returns true if a value is so distinctive that it does not occur by chance.
fn is_distinct(value: &str) -> bool {
    let is_name = value.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-._/:@".contains(c));
    let is_number = value.chars().all(|c| c.is_ascii_digit() || ".,:+- TZ".contains(c));
    let is_word = value.chars().all(char::is_alphabetic);
    let is_address = value.contains("://") || value.starts_with('/');
    // Digits before letters do not occur in ordinary names; digits at the end do: `eu-central-1`.
    let is_among = |pair: &[u8]| pair[0].is_ascii_digit() && pair[1].is_ascii_alphabetic();
    let is_mixed = value.as_bytes().windows(2).any(is_among) && !value.contains(['.', '/', ':', '@']);
    value.len() >= WINDOW && !is_number && !is_word && !is_address && (!is_name || is_mixed && value.len() >= 12)
}

/// Adds the ranges of known values in a text.
pub(super) fn find(text: &str, found: &mut Vec<Range<usize>>) {
    if text.len() < WINDOW || !HAS_ANY.load(Ordering::Acquire) {
        return;
    }
    let registry = REGISTRY.read().unwrap_or_else(PoisonError::into_inner);
    let bytes = text.as_bytes();
    for (start, window) in bytes.windows(WINDOW).enumerate() {
        let Some(window) = window.first_chunk::<WINDOW>() else { continue };
        let bit = bit_index(window);
        if registry.bits[bit / 64] & (1 << (bit % 64)) == 0 {
            continue;
        }
        for value in registry.values.get(window).into_iter().flatten() {
            if bytes[start..].starts_with(value.as_bytes()) {
                found.push(start..start + value.len());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::scrub;
    use super::*;

    #[test]
    fn what_was_read_is_hidden_in_every_writing() {
        let secret = "Tr0ub4dor&3 \"quoted\"/of this run";
        let encoded = STANDARD_NO_PAD.encode(secret);
        let percent = utf8_percent_encode(secret, NON_ALPHANUMERIC).to_string();
        let escaped = serde_json::json!({ "note": secret }).to_string();
        add(secret);
        for text in [format!("it said {secret} twice"), format!("x {encoded}"), format!("x?y={percent}"), escaped] {
            let shown = scrub(&text);
            assert!(!shown.contains("Tr0ub4dor") && !shown.contains(&encoded[..20]), "{shown}");
        }
    }

    #[test]
    fn ordinary_values_are_shown() {
        for value in [
            "true",
            "admin",
            "postgres",
            "5432",
            "db.example.org",
            "https://example.org",
            "eu-central-1",
            "/var/lib/x",
            "2026-11-20T10:00:00Z",
            "my-database-name",
            "administrator",
            "quotes-stage.example.org:5432",
            "shop",
            "10.0.0.1",
            "disable",
            "kube-system",
        ] {
            assert!(!is_distinct(value), "{value}");
        }
        for value in ["hunter2hunter2", "correct-Horse", "kX9_2lmQ", "s3cr3t-p4ssw0rd"] {
            assert!(is_distinct(value), "{value}");
        }
    }
}
