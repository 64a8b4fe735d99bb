//! Detection of secrets in an object while it is parsed, without keeping any of it: most objects hold none, and can be
//! written unchanged.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::names::{SECURE_STRING, is_header_secret, is_secret_name, is_value_label, meaning};
use super::text::{
    FieldRole, KEY_OF_ACCOUNT, KEYS_OF_VAULT, SECRET_LIST, TYPE_OF_WEB_KEY, has_secret_in_name, has_secrets,
    is_doubtful_name, is_switch, names_file, role, secret_flag,
};

/// Returns true if [`super::Placeholders::hide`] would not change an object. Returns false if in doubt, if the JSON is
/// invalid, or if the object has a field for which `is_suspect` returns true.
pub fn is_clean(json: &str, is_suspect: &dyn Fn(&str) -> bool) -> bool {
    let mut deserializer = serde_json::Deserializer::from_str(json);
    let seen = SecretVisitor { is_suspect, of: FieldClass::Plain }.deserialize(&mut deserializer);
    seen.is_ok() && deserializer.end().is_ok()
}

/// Classification of a value; with the field's name, it determines if the value is a secret.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ValueClass {
    /// A non-empty text, or a list that contains one.
    Text,
    /// A text that names a secret, as in `{name: DB_PASSWORD, value: …}`.
    Label,
    /// The kind `Secret`.
    Secret,
    /// A flag whose value is the next item of the list, and a secret.
    Flag,
    /// Another flag.
    Setting,
    /// A list of texts, one of which may name a secret.
    Steps,
    /// An empty text.
    Empty,
    /// An object.
    Map,
    /// Anything else.
    Other,
}

/// Visits a value, and stops at the first secret.
#[derive(Clone, Copy)]
struct SecretVisitor<'a> {
    is_suspect: &'a dyn Fn(&str) -> bool,
    /// Classification of the field that contains the value.
    of: FieldClass,
}

fn found_secret<T, E: Error>() -> Result<T, E> {
    Err(E::custom("it may hold a secret"))
}

impl<'de> DeserializeSeed<'de> for SecretVisitor<'_> {
    type Value = ValueClass;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<ValueClass, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for SecretVisitor<'_> {
    type Value = ValueClass;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<ValueClass, E> {
        Ok(ValueClass::Other)
    }

    fn visit_bool<E: Error>(self, is_on: bool) -> Result<ValueClass, E> {
        let is_label = is_on && matches!(self.of, FieldClass::Label | FieldClass::Switch);
        Ok(if is_label { ValueClass::Label } else { ValueClass::Other })
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<ValueClass, E> {
        Ok(ValueClass::Other)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<ValueClass, E> {
        Ok(ValueClass::Other)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<ValueClass, E> {
        Ok(ValueClass::Other)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<ValueClass, E> {
        // A document in a text is parsed as well.
        let is_document = text.trim_start().starts_with(['{', '[']);
        if if is_document { !is_clean(text, self.is_suspect) } else { has_secrets(text) } {
            return found_secret();
        }
        Ok(match text {
            "" => ValueClass::Empty,
            name if matches!(self.of, FieldClass::Label | FieldClass::Kind)
                && !matches!(name, "Secret" | SECRET_LIST)
                && (name == SECURE_STRING
                    || is_value_label(name)
                    || is_doubtful_name(name)
                    || meaning(name).is_neutral
                    || names_file(name)) =>
            {
                ValueClass::Label
            }
            "Secret" | SECRET_LIST => ValueClass::Secret,
            flag if self.of == FieldClass::Item && (secret_flag(flag).is_some() || is_secret_name(flag)) => {
                ValueClass::Flag
            }
            // A short flag may be that of a password.
            flag if self.of == FieldClass::Item && flag.starts_with('-') && !flag.starts_with("--") => {
                return found_secret();
            }
            other if self.of == FieldClass::Item && other.starts_with('-') => ValueClass::Setting,
            _ => ValueClass::Text,
        })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<ValueClass, A::Error> {
        let (mut seen, mut has_label) = (ValueClass::Other, false);
        let item = Self { of: FieldClass::Item, ..self };
        let mut is_value = false;
        while let Some(item) = items.next_element_seed(item)? {
            // `["password", "-X"]` may be a name and its value.
            if is_value && !matches!(item, ValueClass::Other | ValueClass::Map) {
                return found_secret();
            }
            is_value = item == ValueClass::Flag;
            has_label |= is_value || item == ValueClass::Secret;
            if item != ValueClass::Other {
                seen = ValueClass::Text;
            }
        }
        Ok(if has_label && self.of == FieldClass::Label { ValueClass::Steps } else { seen })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<ValueClass, A::Error> {
        let (mut is_labelled, mut has_value) = (false, false);
        while let Some(name) = fields.next_key_seed(FieldNameSeed { is_suspect: self.is_suspect })? {
            let value = fields.next_value_seed(Self { of: name, ..self })?;
            match (name, value) {
                (FieldClass::Kind, ValueClass::Secret)
                | (
                    FieldClass::Telling,
                    ValueClass::Text | ValueClass::Label | ValueClass::Secret | ValueClass::Steps | ValueClass::Map,
                ) => {
                    return found_secret();
                }
                (FieldClass::Label | FieldClass::Kind, ValueClass::Label) => is_labelled = true,
                // `secret: true` makes the value next to it a secret; `secret: X` is one.
                (FieldClass::Switch, ValueClass::Label) => is_labelled = true,
                (FieldClass::Switch, ValueClass::Other | ValueClass::Empty) => {}
                (FieldClass::Switch, _) => return found_secret(),
                // A path may be a list of steps.
                (FieldClass::Label, ValueClass::Steps | ValueClass::Secret) => is_labelled = true,
                (FieldClass::Value, _) => has_value = true,
                _ => {}
            }
        }
        if is_labelled && has_value { found_secret() } else { Ok(ValueClass::Map) }
    }
}

/// Classification of a field by its name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FieldClass {
    /// `kind`: if it is `Secret`, all values are hidden.
    Kind,
    /// `name` or `key`: the name of the `value` next to it.
    Label,
    Value,
    /// Both: a switch, or a name for secrets.
    Switch,
    /// An item of a list.
    Item,
    /// Text in it is a secret.
    Telling,
    Plain,
}

struct FieldNameSeed<'a> {
    is_suspect: &'a dyn Fn(&str) -> bool,
}

impl<'de> DeserializeSeed<'de> for FieldNameSeed<'_> {
    type Value = FieldClass;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<FieldClass, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for FieldNameSeed<'_> {
    type Value = FieldClass;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the name of a field")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<FieldClass, E> {
        match name {
            name if has_secret_in_name(name) => found_secret(),
            "kind" => Ok(FieldClass::Kind),
            // Field of a kustomization's `secretGenerator`.
            "literals" | KEY_OF_ACCOUNT | KEYS_OF_VAULT | TYPE_OF_WEB_KEY => found_secret(),
            name if name.eq_ignore_ascii_case("stringData") => found_secret(),
            name if name.eq_ignore_ascii_case("type") => Ok(FieldClass::Label),
            name if name.eq_ignore_ascii_case("kind") => Ok(FieldClass::Label),
            name if (self.is_suspect)(name) => found_secret(),
            name if is_switch(name) && is_secret_name(name) => Ok(FieldClass::Switch),
            name if is_switch(name) => Ok(FieldClass::Label),
            name if is_secret_name(name)
                || is_header_secret(name)
                || is_doubtful_name(name)
                || meaning(name).is_routing
                || names_file(name) =>
            {
                Ok(FieldClass::Telling)
            }
            name => Ok(match role(name) {
                Some((FieldRole::Label, _)) => FieldClass::Label,
                Some(_) => FieldClass::Value,
                None => FieldClass::Plain,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::super::Placeholders;
    use super::super::placeholder::HiddenCount;
    use super::*;

    /// Objects with fields and texts of which many are secrets, and others only look like secrets.
    pub(crate) fn objects() -> impl Strategy<Value = Value> {
        let text = prop::sample::select(vec![
            "",
            "plain",
            "Secret",
            "v1",
            "DB_PASSWORD",
            "MODE",
            "auth",
            "CanaryQx7310",
            "postgres://user:canary@db/shop",
            "https://example.org",
            "password=canary1",
            "the password must not be empty",
            "AKIAABCDEFGHIJKLMNOP",
            "2026-11-20T09:00:00Z",
            "{\"password\": \"canary\"}",
            "[{\"name\": \"API_TOKEN\", \"value\": \"canary\"}]",
            "{\"a\": \"b\"}",
            "{cut",
            "ü \u{1F511} \"quoted\" \\ <b>",
        ]);
        let leaf = prop_oneof![
            4 => text.prop_map(Value::from),
            1 => any::<i64>().prop_map(Value::from),
            1 => any::<bool>().prop_map(Value::from),
            1 => Just(Value::Null),
        ];
        let name = prop::sample::select(vec![
            "kind",
            "apiVersion",
            "data",
            "stringData",
            "name",
            "key",
            "value",
            "password",
            "passwordSecretRef",
            "tokens",
            "secret",
            "secure",
            "sensitive",
            "spec",
            "plain",
            "secret_key",
            "f:password",
            "automountServiceAccountToken",
            "auth",
            "primaryKey",
            "https://bot:canary1@example.org/",
            "CanaryQx7310",
        ]);
        leaf.prop_recursive(5, 40, 5, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map(name.clone().prop_map(str::to_owned), inner, 0..5)
                    .prop_map(|fields| fields.into_iter().collect()),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn nothing_would_be_hidden_in_a_clean_object(object in objects()) {
            let mut kept = object.clone();
            let hidden = Placeholders::new().unwrap().hide(&mut kept);
            if is_clean(&object.to_string(), &|_| false) {
                prop_assert_eq!(hidden, HiddenCount(0));
                prop_assert_eq!(kept, object);
            }
        }
    }

    #[test]
    fn usual_objects_are_recognized_as_clean() {
        let object = json!({
            "apiVersion": "example.org/v1", "kind": "Thing", "metadata": {"name": "a", "labels": {"team": "b"}},
            "spec": {"writeConnectionSecretToRef": {"name": "conn"}, "passwordSecretRef": {"name": "s", "key": "password"},
                "token": "", "env": [{"name": "MODE", "value": "x"}], "document": "{\"a\": [1, 2]}", "size": 3.5},
            "status": {"conditions": [{"type": "Ready", "message": "https://example.org is reached"}]},
        });
        assert!(is_clean(&object.to_string(), &|_| false));
        assert!(!is_clean(&object.to_string(), &|name| name == "labels"), "suspected");
        assert!(!is_clean("{\"a\": 1", &|_| false) && !is_clean("{} {}", &|_| false), "broken");
    }
}
