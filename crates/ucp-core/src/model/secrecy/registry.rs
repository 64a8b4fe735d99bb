//! Values that this run read from Secrets: hidden everywhere, as they are, in base64, base32, percent-encoded, escaped, or as
//! lists of bytes.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, PoisonError, RwLock};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::ordinary::{SecretOrigin, ValueShape, shape};

/// Length of the prefix by which values are looked up.
const WINDOW: usize = 8;
/// The same for shorter values.
const SHORT_WINDOW: usize = 4;
/// Shortest beginning of a value that is hidden where the rest was cut off.
const SHORTEST_PART: usize = 12;
/// Longest value; longer ones are documents or archives.
const LONGEST: usize = 16 * 1024;
/// Longest value that is also hidden in base32 and as a list of bytes.
const LONGEST_LISTED: usize = 256;
/// Maximum number of values, above that of any real cluster; others are recognized by their form only.
const MOST: usize = 400_000;

/// A form in which a value may occur.
struct SecretForm {
    text: Box<str>,
    /// Only between characters that cannot continue a word, since the value may be a part of words.
    is_word: bool,
    /// The hash of a value that may also be the name of an object, which is shown.
    name: Option<u64>,
}

#[derive(Default)]
struct SecretRegistry {
    /// Forms by prefix.
    forms: HashMap<[u8; WINDOW], Vec<SecretForm>>,
    short: HashMap<[u8; SHORT_WINDOW], Vec<SecretForm>>,
    known: HashSet<u64>,
    /// Names of objects.
    names: HashSet<u64>,
    /// Bit set of hashed prefixes, which excludes nearly all of a text.
    bits: Vec<u64>,
    count: usize,
}

static REGISTRY: LazyLock<RwLock<SecretRegistry>> = LazyLock::new(RwLock::default);
static HAS_ANY: AtomicBool = AtomicBool::new(false);

const BITS: usize = 1 << 20;

/// Hides a value of a Secret in every text from now on. Values that are ordinary words, hosts, addresses, and paths are
/// not hidden, since they occur in ordinary output.
pub(super) fn add(value: &str, origin: SecretOrigin) {
    let value = value.trim();
    if value.len() > LONGEST {
        return;
    }
    let shape = shape(value, origin);
    // The name of an object may look random: `gcp-k8s-prod`.
    let may_be_a_name = || value.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.".contains(c));
    let name = match shape {
        ValueShape::Ordinary => return,
        ValueShape::Name => Some(hash(value.as_bytes())),
        ValueShape::Random => may_be_a_name().then(|| hash(value.as_bytes())),
    };
    let mut registry = REGISTRY.write().unwrap_or_else(PoisonError::into_inner);
    if registry.count >= MOST {
        return;
    }
    let is_word = shape == ValueShape::Name || value.len() < WINDOW;
    let bytes = value.as_bytes();
    let escaped = serde_json::Value::from(value).to_string();
    let percent = utf8_percent_encode(value, NON_ALPHANUMERIC).to_string();
    for form in [value, escaped.trim_matches('"'), &percent, &with_lowercase_digits(&percent)] {
        registry.add(form, is_word, name);
    }
    // The last characters in base64 depend on the bytes after the value.
    let whole = if bytes.len() < WINDOW { bytes } else { &bytes[..bytes.len() - bytes.len() % 3] };
    for form in [STANDARD_NO_PAD.encode(whole), URL_SAFE_NO_PAD.encode(whole)] {
        registry.add(&form, bytes.len() < WINDOW, name);
    }
    if bytes.len() <= LONGEST_LISTED {
        registry.add(&base32(bytes), false, name);
        for separator in [" ", ",", ", "] {
            let numbers: Vec<String> = bytes.iter().map(u8::to_string).collect();
            registry.add(&numbers.join(separator), true, name);
        }
    }
    HAS_ANY.store(true, Ordering::Release);
}

/// Hides a value that is not text, in base64 and in hexadecimal notation.
pub(super) fn add_bytes(value: &[u8]) {
    let bytes = &value[..value.len().min(LONGEST_LISTED)];
    if bytes.len() < WINDOW {
        return;
    }
    let whole = &bytes[..bytes.len() - bytes.len() % 3];
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let mut registry = REGISTRY.write().unwrap_or_else(PoisonError::into_inner);
    if registry.count >= MOST {
        return;
    }
    for form in [STANDARD_NO_PAD.encode(whole), URL_SAFE_NO_PAD.encode(whole), hex.to_uppercase(), hex] {
        registry.add(&form, false, None);
    }
    HAS_ANY.store(true, Ordering::Release);
}

/// Records the name of an object, which is shown even if it is also the value of a Secret.
pub(super) fn add_name(name: &str) {
    let hash = hash(name.as_bytes());
    let is_known = REGISTRY.read().unwrap_or_else(PoisonError::into_inner).names.contains(&hash);
    if !is_known {
        REGISTRY.write().unwrap_or_else(PoisonError::into_inner).names.insert(hash);
    }
}

/// Returns a percent-encoded text as programs write it that use lowercase hexadecimal digits.
fn with_lowercase_digits(percent: &str) -> String {
    let mut parts = percent.split('%');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| match part.split_at_checked(2) {
        Some((digits, rest)) => format!("{text}%{}{rest}", digits.to_ascii_lowercase()),
        None => format!("{text}%{part}"),
    })
}

/// Returns the first characters of a value in base32, which do not depend on what follows.
fn base32(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let digit = |number: u64| char::from(ALPHABET[usize::try_from(number & 31).unwrap_or_default()]);
    let groups = bytes.chunks_exact(5).map(|group| group.iter().fold(0_u64, |all, byte| (all << 8) | u64::from(*byte)));
    groups.flat_map(|group| (0..8).rev().map(move |place| digit(group >> (5 * place)))).collect()
}

impl SecretRegistry {
    fn add(&mut self, form: &str, is_word: bool, name: Option<u64>) {
        let bytes = form.as_bytes();
        if bytes.len() < SHORT_WINDOW || !self.known.insert(hash(bytes)) {
            return;
        }
        if self.bits.is_empty() {
            self.bits = vec![0; BITS / 64];
        }
        let entry = SecretForm { text: form.into(), is_word: is_word || bytes.len() < WINDOW, name };
        let bit = match (bytes.first_chunk::<WINDOW>(), bytes.first_chunk::<SHORT_WINDOW>()) {
            (Some(begin), _) => {
                self.forms.entry(*begin).or_default().push(entry);
                bit_index(begin)
            }
            (None, Some(begin)) => {
                self.short.entry(*begin).or_default().push(entry);
                bit_index(begin)
            }
            (None, None) => return,
        };
        self.bits[bit / 64] |= 1 << (bit % 64);
        self.count += 1;
    }

    fn may_begin(&self, window: &[u8]) -> bool {
        let bit = bit_index(window);
        self.bits[bit / 64] & (1 << (bit % 64)) != 0
    }

    /// Returns the end of a form at a place of a text, if it occurs there and is not shown.
    fn end_at(&self, text: &[u8], start: usize, form: &SecretForm) -> Option<usize> {
        let end = start + form.text.len();
        if !text[start..].starts_with(form.text.as_bytes()) {
            return truncated_end(text, start, form);
        }
        // Names of objects join short words.
        let joins = |byte: &u8| byte.is_ascii_alphanumeric() || form.text.len() < WINDOW && b"-_./".contains(byte);
        let is_part = || {
            let before = start.checked_sub(1).and_then(|before| text.get(before));
            before.is_some_and(joins) || text.get(end).is_some_and(joins)
        };
        let is_shown = form.name.is_some_and(|name| self.names.contains(&name)) || form.is_word && is_part();
        (!is_shown).then_some(end)
    }
}

/// Returns the end of a form that the author of a text cut off, at its end or before an ellipsis.
fn truncated_end(text: &[u8], start: usize, form: &SecretForm) -> Option<usize> {
    let shared = text[start..].iter().zip(form.text.as_bytes()).take_while(|(one, other)| one == other).count();
    let rest = &text[start + shared..];
    let is_cut = rest.is_empty() || rest.starts_with(b"...") || rest.starts_with("\u{2026}".as_bytes());
    let is_telling = shared >= SHORTEST_PART && 2 * shared >= form.text.len();
    (is_cut && is_telling && !form.is_word && form.name.is_none()).then_some(start + shared)
}

fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

fn bit_index(window: &[u8]) -> usize {
    let mut bytes = [0; WINDOW];
    bytes[..window.len()].copy_from_slice(window);
    let number = u64::from_le_bytes(bytes).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    usize::try_from(number >> 44).unwrap_or_default() % BITS
}

/// Adds the ranges of known values in a text.
pub(super) fn find(text: &str, found: &mut Vec<Range<usize>>) {
    if text.len() < SHORT_WINDOW || !HAS_ANY.load(Ordering::Acquire) {
        return;
    }
    let registry = REGISTRY.read().unwrap_or_else(PoisonError::into_inner);
    let bytes = text.as_bytes();
    let mut add = |start: usize, form: &SecretForm| {
        found.extend(registry.end_at(bytes, start, form).map(|end| start..end));
    };
    for (start, window) in bytes.windows(WINDOW).enumerate().filter(|(_, window)| registry.may_begin(window)) {
        let forms = window.first_chunk::<WINDOW>().and_then(|window| registry.forms.get(window));
        forms.into_iter().flatten().for_each(|form| add(start, form));
    }
    if registry.short.is_empty() {
        return;
    }
    for (start, window) in bytes.windows(SHORT_WINDOW).enumerate().filter(|(_, window)| registry.may_begin(window)) {
        let forms = window.first_chunk::<SHORT_WINDOW>().and_then(|window| registry.short.get(window));
        forms.into_iter().flatten().for_each(|form| add(start, form));
    }
}

#[cfg(test)]
mod tests {
    use super::super::{register_secret_value, scrub};
    use super::*;

    #[test]
    fn a_registered_secret_is_hidden_in_every_encoding() {
        let secret = "Tr0ub4dor&3 \"quoted\"/of this run";
        let encoded = STANDARD_NO_PAD.encode(secret);
        let percent = utf8_percent_encode(secret, NON_ALPHANUMERIC).to_string();
        let escaped = serde_json::json!({ "note": secret }).to_string();
        let numbers = format!("{:?}", secret.as_bytes());
        add(secret, SecretOrigin::Any);
        for text in [
            format!("it said {secret} twice"),
            format!("x {encoded}"),
            format!("x?y={percent}"),
            escaped,
            format!("bytes {}", base32(secret.as_bytes())),
            format!("bytes {numbers}"),
            format!("bytes {}", numbers.replace(',', "")),
        ] {
            let shown = scrub(&text);
            assert!(!shown.contains("Tr0ub4dor") && !shown.contains(&encoded[..20]), "{shown}");
            assert!(
                !shown.contains("KRZDA") && !shown.contains("84, 114, 48") && !shown.contains("84 114 48"),
                "{shown}"
            );
        }
    }

    #[test]
    fn a_truncated_value_is_hidden() {
        let secret = "hG7-k2/Lm+Qz9=Tr4x.Vn8";
        add(secret, SecretOrigin::Any);
        let percent = utf8_percent_encode(secret, NON_ALPHANUMERIC).to_string();
        for text in [&secret[..14], &format!("{}...", &secret[..16]), &format!("{}\u{2026}", &secret[..12])] {
            assert!(!scrub(&format!("it said {text}")).contains("hG7"), "{text}");
        }
        assert!(!scrub(&format!("x?y={}&z", with_lowercase_digits(&percent))).contains("hG7"), "{percent}");
        // Another value that only begins the same.
        assert_eq!(scrub("it said hG7-k2/Lm+Qz9-another one"), "it said hG7-k2/Lm+Qz9-another one");
    }

    #[test]
    fn values_of_every_shape_are_hidden_everywhere() {
        for value in [
            "ZQvTRNpLkWmXeYbAqq",
            "correct-canary-battery-staple",
            "correcthorsecanary",
            "4715302698124471",
            "/aB3dE6gH9xYz12345canary",
            "odd://value-of-canary",
            "https://hooks.example.org/services/T0CANARY1/B0xY7zQ93kLm",
            "UPPERCASECANARY",
            "canary words with blanks",
        ] {
            register_secret_value("settings", value.as_bytes());
            let encoded = STANDARD_NO_PAD.encode(value);
            let hex: String = value.bytes().map(|byte| format!("{byte:02x}")).collect();
            for text in [
                format!("refused: {value}."),
                format!("got \"{value}\""),
                format!("raw {encoded}="),
                format!("raw {hex}"),
            ] {
                let shown = scrub(&text);
                assert!(
                    !shown.contains(value) && !shown.contains(&encoded) && !shown.contains(&hex),
                    "{value}: {shown}"
                );
            }
        }
        for (name, value) in [("password", "quux"), ("DB_PASS", "n3t!"), ("token", "zebra7"), ("pin", "tacocat9")] {
            register_secret_value(name, value.as_bytes());
            for text in [format!("refused: {value}, and so on"), format!("user:{value}@host"), format!("[\"{value}\"]")]
            {
                assert!(!scrub(&text).contains(value), "{value}: {}", scrub(&text));
            }
            let encoded = base64::engine::general_purpose::STANDARD.encode(value);
            assert!(!scrub(&format!("raw {encoded} end")).contains(&encoded), "{encoded}");
        }
        register_secret_value("key", &[0xff, 0, 1, 2, 0xfe, 5, 6, 7, 8, 9, 10, 11]);
        assert_eq!(scrub("raw /wABAv4FBgcICQoL and ff000102fe05060708090a0b"), "raw <hidden> and <hidden>");
    }

    #[test]
    fn ordinary_values_and_names_of_objects_are_shown() {
        let ordinary = [
            "true",
            "admin",
            "postgres",
            "5432",
            "db.example.org",
            "https://example.org/path/of/words",
            "eu-central-1",
            "/var/lib/x",
            "2026-11-20T10:00:00Z",
            "administrator",
            "production",
            "quotes-stage.example.org:5432",
            "shop",
            "10.0.0.1",
            "disable",
            "someone@example.org",
        ];
        for value in ordinary {
            assert_eq!(shape(value, SecretOrigin::Any), ValueShape::Ordinary, "{value}");
            assert_eq!(shape(value, SecretOrigin::Public), ValueShape::Ordinary, "{value}");
        }
        for value in ["true", "admin", "postgres", "none", "default", "abc"] {
            assert_eq!(shape(value, SecretOrigin::Secret), ValueShape::Ordinary, "{value}");
        }
        for value in ["my-database-name", "kube-system", "administration", "123456789012"] {
            assert_eq!(shape(value, SecretOrigin::Public), ValueShape::Ordinary, "{value}");
        }
        for value in ["hunter2hunter2", "correct-Horse", "kX9_2lmQ", "s3cr3t-p4ssw0rd"] {
            assert_eq!(shape(value, SecretOrigin::Public), ValueShape::Random, "{value}");
        }
        add_name("name-of-a-namespace");
        register_secret_value("password", b"name-of-a-namespace");
        assert_eq!(scrub("see name-of-a-namespace"), "see name-of-a-namespace");
        register_secret_value("password", b"eks-n4me-of-a-cluster");
        assert_eq!(scrub("see eks-n4me-of-a-cluster"), "see <hidden>");
        add_name("eks-n4me-of-a-cluster");
        assert_eq!(scrub("see eks-n4me-of-a-cluster"), "see eks-n4me-of-a-cluster");
        // The user of a URL is an ordinary word, and its password is not.
        register_secret_value("url", b"postgres://stall@db.example.org");
        assert_eq!(scrub("the stall is open"), "the stall is open");
        register_secret_value("url", b"postgres://stall:zyxwv@db.example.org");
        assert!(!scrub("the zyxwv is open").contains("zyxwv"));
        register_secret_value("password", b"platypus");
        let text = "platypuses are no secret, nor is megaplatypus1";
        assert_eq!(scrub(text), text);
    }
}
