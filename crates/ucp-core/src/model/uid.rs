//! Identifiers that distinguish an object from all others with the same name, past and present.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Deserializer};
use uuid::Uuid;

/// `metadata.uid`, in a compact form: tens of thousands of objects have one each. API servers create UUIDs; a file may
/// contain any text.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Uid(UidForm);

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum UidForm {
    /// In the usual form: with hyphens, in lower case.
    Uuid(Uuid),
    Other(Box<str>),
}

impl Uid {
    /// Returns true if there is none: the object was not created by an API server.
    pub fn is_empty(&self) -> bool {
        matches!(&self.0, UidForm::Other(text) if text.is_empty())
    }
}

impl From<&str> for Uid {
    fn from(text: &str) -> Self {
        let mut buffer = Uuid::encode_buffer();
        let uuid = Uuid::try_parse(text).ok().filter(|uuid| uuid.hyphenated().encode_lower(&mut buffer) == text);
        Self(uuid.map_or_else(|| UidForm::Other(text.into()), UidForm::Uuid))
    }
}

impl Default for Uid {
    fn default() -> Self {
        "".into()
    }
}

impl fmt::Display for Uid {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            UidForm::Uuid(uuid) => uuid.hyphenated().fmt(formatter),
            UidForm::Other(text) => text.fmt(formatter),
        }
    }
}

impl fmt::Debug for Uid {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Uid({self})")
    }
}

impl<'de> Deserialize<'de> for Uid {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<str>::deserialize(deserializer).map(|text| text.as_ref().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uid_is_written_as_it_was_read() {
        const UUID: &str = "0b3c1f6e-52a1-4a7e-9d53-2f4c8a1b7e90";
        let upper = UUID.to_uppercase();
        let (bare, braced) = (UUID.replace('-', ""), format!("{{{UUID}}}"));
        let texts = [UUID, &upper, &bare, &braced, "", "1", "größe"];
        for text in texts {
            assert_eq!(Uid::from(text).to_string(), text);
            assert_eq!(texts.iter().filter(|other| Uid::from(**other) == Uid::from(text)).count(), 1, "{text}");
        }
        assert!(matches!(Uid::from(UUID).0, UidForm::Uuid(_)));
        assert!(Uid::default().is_empty() && !Uid::from(UUID).is_empty());
    }
}
