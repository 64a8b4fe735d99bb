//! Scrubbing of texts during deserialization, for all fields of a type.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, Visitor};

use super::text::scrub;

/// A value whose texts were all scrubbed during deserialization.
#[derive(Debug, Clone, Default)]
pub struct Scrubbed<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Scrubbed<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(ScrubbingWrapper(deserializer)).map(Self)
    }
}

/// Reads a text; for `deserialize_with`.
///
/// # Errors
/// Fails when the value is not a text.
pub fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Scrubbed::deserialize(deserializer).map(|Scrubbed(text)| text)
}

/// Reads an optional text; for `deserialize_with`.
///
/// # Errors
/// Fails when the value is neither a text nor null.
pub fn optional_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Scrubbed::deserialize(deserializer).map(|Scrubbed(text)| text)
}

/// Scrubs a text. One that is a time as a whole is none of the secrets that a text may have, and objects have many of them.
fn scrub_unless_time(text: &str) -> Cow<'_, str> {
    if is_time(text) { Cow::Borrowed(text) } else { scrub(text) }
}

/// Returns true for a time of RFC 3339, as Kubernetes writes it: `2026-11-20T03:12:05Z`, with or without fractions of a second.
fn is_time(text: &str) -> bool {
    const FORM: &[u8] = b"0000-00-00T00:00:00";
    let fits = |(form, byte): (&u8, &u8)| if *form == b'0' { byte.is_ascii_digit() } else { form == byte };
    let Some((start, zone)) = text.as_bytes().split_at_checked(FORM.len()) else { return false };
    FORM.iter().zip(start).all(fits)
        && zone.len() <= 16
        && zone.last().is_some_and(|last| *last == b'Z')
        && zone[..zone.len() - 1].iter().all(|byte| byte.is_ascii_digit() || *byte == b'.')
}

/// Wrapper of serde's traits that scrubs texts. Names of fields and variants are not scrubbed.
struct ScrubbingWrapper<T>(T);

macro_rules! forward {
    ($($method:ident($($argument:ident: $type:ty),*);)*) => {
        $(fn $method<V: Visitor<'de>>(self, $($argument: $type,)* visitor: V) -> Result<V::Value, D::Error> {
            self.0.$method($($argument,)* ScrubbingWrapper(visitor))
        })*
    };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for ScrubbingWrapper<D> {
    type Error = D::Error;

    forward! {
        deserialize_any(); deserialize_bool();
        deserialize_i8(); deserialize_i16(); deserialize_i32(); deserialize_i64(); deserialize_i128();
        deserialize_u8(); deserialize_u16(); deserialize_u32(); deserialize_u64(); deserialize_u128();
        deserialize_f32(); deserialize_f64(); deserialize_char();
        deserialize_str(); deserialize_string(); deserialize_bytes(); deserialize_byte_buf();
        deserialize_option(); deserialize_unit(); deserialize_seq(); deserialize_map();
        deserialize_unit_struct(name: &'static str);
        deserialize_newtype_struct(name: &'static str);
        deserialize_tuple(length: usize);
        deserialize_tuple_struct(name: &'static str, length: usize);
        deserialize_struct(name: &'static str, fields: &'static [&'static str]);
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_enum(name, variants, visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_identifier(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_ignored_any(visitor)
    }

    fn is_human_readable(&self) -> bool {
        self.0.is_human_readable()
    }
}

macro_rules! pass_on {
    ($($method:ident: $type:ty),*) => {
        $(fn $method<E: Error>(self, value: $type) -> Result<V::Value, E> {
            self.0.$method(value)
        })*
    };
}

impl<'de, V: Visitor<'de>> Visitor<'de> for ScrubbingWrapper<V> {
    type Value = V::Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(formatter)
    }

    pass_on! {
        visit_bool: bool, visit_i64: i64, visit_i128: i128, visit_u64: u64, visit_u128: u128, visit_f64: f64,
        visit_char: char, visit_bytes: &[u8], visit_borrowed_bytes: &'de [u8], visit_byte_buf: Vec<u8>
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<V::Value, E> {
        match scrub_unless_time(text) {
            Cow::Borrowed(text) => self.0.visit_str(text),
            Cow::Owned(text) => self.0.visit_string(text),
        }
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<V::Value, E> {
        match scrub_unless_time(text) {
            Cow::Borrowed(text) => self.0.visit_borrowed_str(text),
            Cow::Owned(text) => self.0.visit_string(text),
        }
    }

    fn visit_string<E: Error>(self, text: String) -> Result<V::Value, E> {
        match scrub_unless_time(&text) {
            Cow::Borrowed(_) => self.0.visit_string(text),
            Cow::Owned(text) => self.0.visit_string(text),
        }
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.0.visit_none()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        self.0.visit_some(ScrubbingWrapper(deserializer))
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.0.visit_unit()
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        self.0.visit_newtype_struct(ScrubbingWrapper(deserializer))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, access: A) -> Result<V::Value, A::Error> {
        self.0.visit_seq(ScrubbingWrapper(access))
    }

    fn visit_map<A: MapAccess<'de>>(self, access: A) -> Result<V::Value, A::Error> {
        self.0.visit_map(ScrubbingWrapper(access))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<V::Value, A::Error> {
        self.0.visit_enum(access)
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for ScrubbingWrapper<A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        self.0.next_element_seed(ScrubbingWrapper(seed))
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for ScrubbingWrapper<A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        self.0.next_key_seed(seed)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.0.next_value_seed(ScrubbingWrapper(seed))
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for ScrubbingWrapper<S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        self.0.deserialize(ScrubbingWrapper(deserializer))
    }
}

#[cfg(test)]
mod tests {
    use super::super::register_secret;
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn every_text_is_scrubbed_at_any_depth() {
        #[derive(Debug, PartialEq, Deserialize)]
        enum Phase {
            Failed,
        }
        #[derive(Deserialize)]
        struct Status {
            phase: Phase,
            count: Option<u64>,
            message: Option<String>,
            #[serde(flatten)]
            rest: std::collections::BTreeMap<String, Value>,
        }
        let url = "https://u:canary@example.org/x";
        let document =
            json!({"phase": "Failed", "count": 3, "message": url, "history": [{"message": url, "ok": true}]});
        for Scrubbed(status) in [
            serde_json::from_str::<Scrubbed<Status>>(&document.to_string()).unwrap(),
            serde_json::from_value::<Scrubbed<Status>>(document).unwrap(),
        ] {
            assert_eq!((status.phase, status.count), (Phase::Failed, Some(3)));
            assert_eq!(status.message.as_deref(), Some("https://<hidden>@example.org/x"));
            let scrubbed = json!([{"message": "https://<hidden>@example.org/x", "ok": true}]);
            assert_eq!(status.rest["history"], scrubbed);
        }
    }

    #[test]
    fn a_time_is_kept_even_if_a_secret_equals_it_and_other_text_is_scrubbed() {
        let read = |text: &str| serde_json::from_value::<Scrubbed<String>>(json!(text)).unwrap().0;
        for time in ["1999-12-31T23:59:58Z", "1999-12-31T23:59:58.123456Z"] {
            register_secret(time);
            assert_eq!(read(time), time);
            assert_eq!(read(&format!("at {time}")), "at <hidden>");
        }
        for text in ["1999-12-31T23:59:58.12345678901234567890Z", "1999-12-31t23:59:58Z"] {
            register_secret(text);
            assert_eq!(read(text), "<hidden>");
        }
    }
}
