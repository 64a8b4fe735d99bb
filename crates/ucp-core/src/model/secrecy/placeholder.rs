//! Placeholders for secrets in snapshots.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use ring::hmac;
use ring::rand::SystemRandom;
use serde_json::Value;

use super::neutral::replace_neutral;
use super::text::{replace, replace_all, replace_in_object};
use crate::failure::Failure;

/// Replaces secrets by `<hidden-HASH-SIZE>`. The hash is keyed: it shows which values of one snapshot are equal. The
/// key is never stored, so values cannot be guessed by their hash once this is dropped. The size is in bytes.
pub struct Placeholders {
    key: hmac::Key,
}

/// Number of secrets of an object that were replaced by placeholders.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HiddenCount(pub usize);

impl Placeholders {
    /// Creates placeholders with their own random key.
    ///
    /// # Errors
    /// Fails when the system has no random numbers.
    pub fn new() -> Result<Self, Failure> {
        let key = hmac::Key::generate(hmac::HMAC_SHA256, &SystemRandom::new());
        Ok(Self { key: key.map_err(|_| "the system has no random numbers")? })
    }

    /// Returns the placeholder of a secret. Placeholders are returned unchanged.
    pub fn placeholder(&self, secret: &str) -> String {
        self.placeholder_with_size(secret, secret.len())
    }

    /// Returns the placeholder of a value of a Secret in base64. Its size is that of the decoded value.
    pub fn placeholder_for_encoded(&self, value: &str) -> String {
        let size = BASE64.decode(value.trim()).map_or(value.len(), |bytes| bytes.len());
        self.placeholder_with_size(value, size)
    }

    fn placeholder_with_size(&self, secret: &str, size: usize) -> String {
        if secret.starts_with("<hidden-") && secret.ends_with('>') {
            return secret.to_owned();
        }
        let tag = hmac::sign(&self.key, secret.as_bytes());
        let hash: String = tag.as_ref()[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        format!("<hidden-{hash}-{size}>")
    }

    /// Hides every secret of an object by the policy of this module.
    pub fn hide(&self, object: &mut Value) -> HiddenCount {
        count(object, replace_in_object, |secret| self.placeholder(secret))
    }

    /// Hides the secrets with neutral names of a whole object.
    pub fn hide_neutral(&self, object: &mut Value) -> HiddenCount {
        count(object, replace_neutral, |secret| self.placeholder(secret))
    }

    /// Hides all values below a field.
    pub fn hide_all(&self, value: &mut Value) -> HiddenCount {
        count(value, replace_all, |secret| self.placeholder_for_encoded(secret))
    }

    /// Hides the secrets in a text.
    pub fn hide_in(&self, text: &str) -> String {
        replace(text, |secret| self.placeholder(secret)).into_owned()
    }
}

/// Replaces secrets in a value by what a function returns for each.
type ReplaceSecrets = fn(&mut Value, &mut dyn FnMut(&str) -> String);

/// Replaces secrets in a value, and counts them.
fn count(value: &mut Value, replace: ReplaceSecrets, placeholder: impl Fn(&str) -> String) -> HiddenCount {
    let mut hidden = HiddenCount::default();
    replace(value, &mut |secret| {
        hidden.0 += 1;
        placeholder(secret)
    });
    hidden
}

impl std::ops::AddAssign for HiddenCount {
    fn add_assign(&mut self, more: Self) {
        self.0 += more.0;
    }
}

#[cfg(test)]
mod tests {
    use super::super::{SecretHider, scrub};
    use super::*;
    use serde_json::json;

    #[test]
    fn scrubbing_a_placeholder_and_its_secret_has_the_same_result() {
        let placeholders = Placeholders::new().unwrap();
        for text in [
            "dial postgres://shop:p@ss/canary@db:5432/shop: refused",
            "host=db password=canary user=shop",
            "Authorization: Bearer canary1234567890",
            "body {\"clientSecret\":\"canary\"}",
            "spec.password: Invalid value: \"canary\": too short",
            "mysql --password canary1 -h db",
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.c2lnbmF0dXJl is old",
            "https://u:canary@example.org and redis://:canary@r/0",
        ] {
            let kept = placeholders.hide_in(text);
            assert!(!kept.contains("canary") && kept.contains("<hidden-"), "{kept}");
            assert_eq!(scrub(&kept), scrub(text), "{kept}");
            assert_eq!(placeholders.hide_in(&kept), kept);
        }
    }

    #[test]
    fn objects_with_placeholders_look_the_same_and_equal_values_stay_equal() {
        let placeholders = Placeholders::new().unwrap();
        let object = json!({"kind": "Secret", "data": {"a": "Y2FuYXJ5", "b": "Y2FuYXJ5", "c": "eA=="}});
        let mut kept = object.clone();
        assert_eq!(placeholders.hide(&mut kept), HiddenCount(3));
        assert_eq!(kept["data"]["a"], kept["data"]["b"]);
        assert_ne!(kept["data"]["a"], kept["data"]["c"]);
        let shown = |object: &serde_json::Value| {
            let mut shown = object.clone();
            SecretHider::new().unwrap().hide(&mut shown);
            shown
        };
        assert_eq!(shown(&kept), shown(&object));
    }

    #[test]
    fn another_snapshot_has_other_hashes() {
        let of = || Placeholders::new().unwrap().placeholder("canary");
        assert_ne!(of(), of());
    }
}
