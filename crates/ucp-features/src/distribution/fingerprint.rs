//! Fingerprints of Secret values: HMACs with a random key per run, so that no stored or leaked fingerprint can be
//! tested against a guessed value.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use ring::hmac;
use ring::rand::SystemRandom;
use serde_json::Value;

use ucp_core::failure::Failure;
use ucp_core::model::secrecy::register_secret_value;

/// Computes fingerprints with a key that is generated for one run and never stored.
pub struct Fingerprinter {
    key: hmac::Key,
}

/// Fingerprint of a value. It supports comparison only, and never prints the value.
#[derive(Clone, PartialEq, Eq)]
pub struct Fingerprint {
    value: FingerprintValue,
    is_empty: bool,
}

#[derive(Clone, PartialEq, Eq)]
enum FingerprintValue {
    /// HMAC of the plain value.
    Clear([u8; 32]),
    /// HMAC of a placeholder in a snapshot; comparable only within the same snapshot.
    Hidden { snapshot: usize, tag: [u8; 32] },
    /// No value: another program redacted it.
    Nothing,
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Fingerprint(…)")
    }
}

impl Fingerprinter {
    /// Generates a key.
    ///
    /// # Errors
    /// Fails when the system provides no random numbers.
    pub fn new() -> Result<Self, Failure> {
        let key = hmac::Key::generate(hmac::HMAC_SHA256, &SystemRandom::new());
        Ok(Self { key: key.map_err(|_| "the system has no random numbers")? })
    }

    /// Computes the fingerprint of a base64 value from `data`. `snapshot` is the index of the snapshot that contains
    /// it.
    pub fn encoded(&self, value: &Value, snapshot: usize) -> Fingerprint {
        let Some(text) = value.as_str() else {
            return Fingerprint { value: FingerprintValue::Nothing, is_empty: value.is_null() };
        };
        if text.starts_with("<hidden-") && text.ends_with('>') {
            let value = FingerprintValue::Hidden { snapshot, tag: self.tag(text.as_bytes()) };
            return Fingerprint { value, is_empty: text.ends_with("-0>") };
        }
        match BASE64.decode(text.trim()) {
            Ok(bytes) => self.plain(&bytes),
            Err(_) => Fingerprint { value: FingerprintValue::Nothing, is_empty: false },
        }
    }

    /// Computes the fingerprint of a plain value, and registers the value so that all output masks it.
    pub fn plain(&self, bytes: &[u8]) -> Fingerprint {
        register_secret_value("", bytes);
        Fingerprint { value: FingerprintValue::Clear(self.tag(bytes)), is_empty: bytes.is_empty() }
    }

    fn tag(&self, bytes: &[u8]) -> [u8; 32] {
        let mut tag = [0; 32];
        tag.copy_from_slice(hmac::sign(&self.key, bytes).as_ref());
        tag
    }
}

impl Fingerprint {
    /// Returns true if both values are equal, or `None` if they are not comparable: hidden in different snapshots, or
    /// only one of them is hidden.
    pub fn is_same_as(&self, other: &Self) -> Option<bool> {
        match (&self.value, &other.value) {
            (FingerprintValue::Clear(one), FingerprintValue::Clear(other)) => Some(one == other),
            (FingerprintValue::Hidden { snapshot, tag }, FingerprintValue::Hidden { snapshot: place, tag: other })
                if snapshot == place =>
            {
                Some(tag == other)
            }
            _ => None,
        }
    }

    /// Returns true if the value is empty.
    pub fn is_empty(&self) -> bool {
        self.is_empty
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn values_hidden_in_different_snapshots_are_not_compared() {
        let comparer = Fingerprinter::new().unwrap();
        let of = |text: &str, snapshot| comparer.encoded(&json!(text), snapshot);
        let hidden = "<hidden-0123456789abcdef-7>";
        assert_eq!(of(hidden, 0).is_same_as(&of(hidden, 0)), Some(true));
        assert_eq!(of(hidden, 0).is_same_as(&of("<hidden-0123456789abcdee-7>", 0)), Some(false));
        assert_eq!(of(hidden, 0).is_same_as(&of(hidden, 1)), None);
        assert_eq!(of(hidden, 0).is_same_as(&of("Y2FuYXJ5", 0)), None);
        assert_eq!(of("***", 0).is_same_as(&of("***", 0)), None, "another program's mask proves nothing");
        assert_eq!(of("Y2FuYXJ5", 0).is_same_as(&of("Y2FuYXJ5", 1)), Some(true));
        assert!(!format!("{:?}", of("Y2FuYXJ5", 0)).contains(|character: char| character.is_ascii_digit()));
    }

    proptest! {
        #[test]
        fn fingerprints_are_equal_only_for_equal_values(one in any::<Vec<u8>>(), other in any::<Vec<u8>>()) {
            let comparer = Fingerprinter::new().unwrap();
            let of = |bytes: &[u8]| comparer.encoded(&json!(BASE64.encode(bytes)), 0);
            prop_assert_eq!(of(&one).is_same_as(&of(&other)), Some(one == other));
            prop_assert_eq!(of(&one).is_same_as(&comparer.plain(&one)), Some(true));
            // Fingerprints of another run are different.
            prop_assert_eq!(of(&one).is_same_as(&Fingerprinter::new().unwrap().plain(&one)), Some(false));
        }
    }
}
