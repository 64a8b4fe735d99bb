//! Text that repeats: keys and values of labels, types and reasons of conditions. Ten thousand objects have a few
//! hundred distinct ones, each stored once.

use std::borrow::Borrow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use super::shared::SharedValues;

/// Longer texts rarely repeat.
const LONGEST: usize = 96;
/// Number of words cached per thread.
const REMEMBERED: usize = 4096;

thread_local! {
    static KNOWN: RefCell<SharedValues<SharedText>> = RefCell::new(SharedValues::new(REMEMBERED));
}

/// A text that shares its memory with equal ones.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SharedText(Arc<str>);

impl SharedText {
    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for SharedText {
    fn from(text: &str) -> Self {
        if text.len() > LONGEST {
            return Self(text.into());
        }
        KNOWN.with_borrow_mut(|known| known.get_or_insert(text, || Self(text.into())))
    }
}

impl From<String> for SharedText {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}

impl Default for SharedText {
    fn default() -> Self {
        "".into()
    }
}

impl Deref for SharedText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for SharedText {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for SharedText {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl PartialEq<str> for SharedText {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for SharedText {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl PartialEq<String> for SharedText {
    fn eq(&self, other: &String) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<SharedText> for String {
    fn eq(&self, other: &SharedText) -> bool {
        self.as_str() == other.as_str()
    }
}

impl fmt::Display for SharedText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self)
    }
}

impl fmt::Debug for SharedText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), formatter)
    }
}

impl Serialize for SharedText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<'de> Deserialize<'de> for SharedText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = SharedText;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a string")
            }

            fn visit_str<E>(self, text: &str) -> Result<SharedText, E> {
                Ok(text.into())
            }
        }
        deserializer.deserialize_str(Text)
    }
}

/// Labels or annotations, ordered by key.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct SharedTextMap(Option<Arc<[(SharedText, SharedText)]>>);

impl SharedTextMap {
    fn pairs(&self) -> &[(SharedText, SharedText)] {
        self.0.as_deref().unwrap_or_default()
    }

    /// Returns the value of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        let at = self.pairs().binary_search_by(|(known, _)| known.as_str().cmp(key)).ok()?;
        Some(&self.pairs()[at].1)
    }

    /// Returns true if the key exists.
    pub fn contains_key(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// Returns true if there are no pairs.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Iterates over keys and values, ordered by key.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.pairs().iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// Returns a copy as a map.
    pub fn to_map(&self) -> BTreeMap<String, String> {
        self.iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
    }
}

impl<K: Into<SharedText>, V: Into<SharedText>> FromIterator<(K, V)> for SharedTextMap {
    /// If a key is repeated, the last value wins.
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        let mut pairs: Vec<(SharedText, SharedText)> =
            pairs.into_iter().map(|(key, value)| (key.into(), value.into())).collect();
        pairs.reverse();
        pairs.sort_by(|(left, _), (right, _)| left.cmp(right));
        pairs.dedup_by(|(left, _), (right, _)| left == right);
        Self((!pairs.is_empty()).then(|| pairs.into()))
    }
}

impl fmt::Debug for SharedTextMap {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_map().entries(self.iter()).finish()
    }
}

impl Serialize for SharedTextMap {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de> Deserialize<'de> for SharedTextMap {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = SharedTextMap;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("words by words")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<SharedTextMap, M::Error> {
                let mut pairs: Vec<(SharedText, SharedText)> = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(pairs.into_iter().collect())
            }
        }
        deserializer.deserialize_map(Pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_short_texts_share_memory_and_long_texts_do_not() {
        let (one, two): (SharedText, SharedText) = ("team".into(), String::from("team").into());
        assert!(Arc::ptr_eq(&one.0, &two.0));
        let long = "x".repeat(LONGEST + 1);
        assert!(!Arc::ptr_eq(&SharedText::from(long.as_str()).0, &SharedText::from(long.as_str()).0));
        for number in 0..3 * REMEMBERED {
            let _ = SharedText::from(format!("value-{number}"));
        }
        assert!(KNOWN.with_borrow(SharedValues::len) <= REMEMBERED);
        assert_eq!(SharedText::from("team"), one);
    }

    #[test]
    fn pairs_are_a_map() {
        let words: SharedTextMap = serde_json::from_str(r#"{"b": "2", "a": "1", "b": "3"}"#).unwrap();
        assert_eq!(serde_json::to_string(&words).unwrap(), r#"{"a":"1","b":"3"}"#);
        assert_eq!((words.get("b"), words.get("c"), words.is_empty()), (Some("3"), None, false));
        assert!(serde_json::from_str::<SharedTextMap>("{}").unwrap().is_empty());
        assert!(serde_json::from_str::<SharedTextMap>(r#"{"a": 1}"#).is_err());
    }
}
