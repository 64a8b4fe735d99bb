//! Secret values as they are compared: by HMAC under a key that is drawn for one run, so that nothing of what is held, and
//! nothing that could leave the process, can be tested against a guess.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use ring::hmac;
use ring::rand::SystemRandom;
use serde_json::Value;

use crate::model::secrecy::remember;

/// What values become comparable by. One for a run, and never kept.
pub struct Comparer {
    key: hmac::Key,
}

/// Whether two values are the same is all that it tells. It does not print.
#[derive(Clone, PartialEq, Eq)]
pub struct Fingerprint {
    value: Known,
    is_empty: bool,
}

#[derive(Clone, PartialEq, Eq)]
enum Known {
    /// The value itself was there.
    Clear([u8; 32]),
    /// A placeholder of a snapshot, which only has a meaning within it.
    Hidden { snapshot: usize, tag: [u8; 32] },
    /// Something that is no value: another program hid it.
    Nothing,
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Fingerprint(…)")
    }
}

impl Comparer {
    /// Draws a key.
    ///
    /// # Errors
    /// When the system has no random numbers.
    pub fn new() -> Result<Self, String> {
        let key = hmac::Key::generate(hmac::HMAC_SHA256, &SystemRandom::new());
        Ok(Self { key: key.map_err(|_| "the system has no random numbers".to_owned())? })
    }

    /// The fingerprint of a value of `data`, which is in base64. `snapshot` says in which of the snapshots it stands.
    pub fn encoded(&self, value: &Value, snapshot: usize) -> Fingerprint {
        let Some(text) = value.as_str() else {
            return Fingerprint { value: Known::Nothing, is_empty: value.is_null() };
        };
        if text.starts_with("<hidden-") && text.ends_with('>') {
            let value = Known::Hidden { snapshot, tag: self.tag(text.as_bytes()) };
            return Fingerprint { value, is_empty: text.ends_with("-0>") };
        }
        match BASE64.decode(text.trim()) {
            Ok(bytes) => self.plain(&bytes),
            Err(_) => Fingerprint { value: Known::Nothing, is_empty: false },
        }
    }

    /// The fingerprint of a value, which no text shows from now on.
    pub fn plain(&self, bytes: &[u8]) -> Fingerprint {
        if let Ok(text) = std::str::from_utf8(bytes) {
            remember(text);
        }
        Fingerprint { value: Known::Clear(self.tag(bytes)), is_empty: bytes.is_empty() }
    }

    fn tag(&self, bytes: &[u8]) -> [u8; 32] {
        let mut tag = [0; 32];
        tag.copy_from_slice(hmac::sign(&self.key, bytes).as_ref());
        tag
    }
}

impl Fingerprint {
    /// Whether two values are the same; `None` where nobody can tell: they were hidden apart, or one of them only.
    pub fn is_same_as(&self, other: &Self) -> Option<bool> {
        match (&self.value, &other.value) {
            (Known::Clear(one), Known::Clear(other)) => Some(one == other),
            (Known::Hidden { snapshot, tag }, Known::Hidden { snapshot: place, tag: other }) if snapshot == place => {
                Some(tag == other)
            }
            _ => None,
        }
    }

    /// Whether there is nothing in it.
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
    fn what_was_hidden_apart_is_not_compared() {
        let comparer = Comparer::new().unwrap();
        let of = |text: &str, snapshot| comparer.encoded(&json!(text), snapshot);
        let hidden = "<hidden-0123456789abcdef-7>";
        assert_eq!(of(hidden, 0).is_same_as(&of(hidden, 0)), Some(true));
        assert_eq!(of(hidden, 0).is_same_as(&of("<hidden-0123456789abcdee-7>", 0)), Some(false));
        assert_eq!(of(hidden, 0).is_same_as(&of(hidden, 1)), None);
        assert_eq!(of(hidden, 0).is_same_as(&of("Y2FuYXJ5", 0)), None);
        assert_eq!(of("***", 0).is_same_as(&of("***", 0)), None, "another program's mask says nothing");
        assert_eq!(of("Y2FuYXJ5", 0).is_same_as(&of("Y2FuYXJ5", 1)), Some(true));
        assert!(!format!("{:?}", of("Y2FuYXJ5", 0)).contains(|character: char| character.is_ascii_digit()));
    }

    proptest! {
        #[test]
        fn values_are_the_same_only_where_they_are(one in any::<Vec<u8>>(), other in any::<Vec<u8>>()) {
            let comparer = Comparer::new().unwrap();
            let of = |bytes: &[u8]| comparer.encoded(&json!(BASE64.encode(bytes)), 0);
            prop_assert_eq!(of(&one).is_same_as(&of(&other)), Some(one == other));
            prop_assert_eq!(of(&one).is_same_as(&comparer.plain(&one)), Some(true));
            // Another run has other fingerprints.
            prop_assert_eq!(of(&one).is_same_as(&Comparer::new().unwrap().plain(&one)), Some(false));
        }
    }
}
