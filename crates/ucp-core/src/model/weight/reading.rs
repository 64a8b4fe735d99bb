//! Weighs values while any type reads them, by wrapping serde's traits. What a type ignores weighs nothing.

use serde::de::{DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, Visitor};

use super::limit::refused;
use super::node_memory::{ELEMENT, ENTRIES_OF_NODE, FIELD, MAP_NODE, SHORT_LIST, TEXT};
use super::scale::Scale;

/// Wrapper of one of serde's traits.
pub struct Weighing<'s, T> {
    inner: T,
    scale: &'s Scale,
    /// What a map or list becomes.
    target: Target,
}

/// What a map or list becomes.
#[derive(Clone, Copy)]
enum Target {
    /// A collection, of which this number of entries was read.
    Collection(usize),
    /// A struct.
    Struct,
}

impl<'s, T> Weighing<'s, T> {
    /// Wraps a deserializer.
    pub fn new(inner: T, scale: &'s Scale) -> Self {
        Self { inner, scale, target: Target::Collection(0) }
    }

    fn wrap<U>(&self, inner: U) -> Weighing<'s, U> {
        Weighing::new(inner, self.scale)
    }
}

macro_rules! forward {
    ($($method:ident($($argument:ident: $type:ty),*);)*) => {
        $(fn $method<V: Visitor<'de>>(self, $($argument: $type,)* visitor: V) -> Result<V::Value, D::Error> {
            self.inner.$method($($argument,)* Weighing::new(visitor, self.scale))
        })*
    };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Weighing<'_, D> {
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
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.scale.add(fields.len() * FIELD).map_err(refused)?;
        let visitor = Weighing { target: Target::Struct, ..self.wrap(visitor) };
        self.inner.deserialize_struct(name, fields, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.inner.deserialize_enum(name, variants, Weighing::new(visitor, self.scale))
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_identifier(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_ignored_any(visitor)
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

macro_rules! count {
    ($($method:ident: $type:ty),*) => {
        $(fn $method<E: Error>(self, value: $type) -> Result<V::Value, E> {
            self.scale.count_node();
            self.inner.$method(value)
        })*
    };
}

macro_rules! weigh {
    ($($method:ident: $type:ty),*) => {
        $(fn $method<E: Error>(self, value: $type) -> Result<V::Value, E> {
            self.scale.count_node();
            if !value.is_empty() {
                self.scale.add(value.len() + TEXT).map_err(refused)?;
            }
            self.inner.$method(value)
        })*
    };
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Weighing<'_, V> {
    type Value = V::Value;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.inner.expecting(formatter)
    }

    count! {
        visit_bool: bool, visit_i64: i64, visit_i128: i128, visit_u64: u64, visit_u128: u128, visit_f64: f64,
        visit_char: char
    }

    weigh! {
        visit_str: &str, visit_borrowed_str: &'de str, visit_string: String,
        visit_bytes: &[u8], visit_borrowed_bytes: &'de [u8], visit_byte_buf: Vec<u8>
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.scale.count_node();
        self.inner.visit_none()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        self.inner.visit_some(Weighing::new(deserializer, self.scale))
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.scale.count_node();
        self.inner.visit_unit()
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        self.inner.visit_newtype_struct(Weighing::new(deserializer, self.scale))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, access: A) -> Result<V::Value, A::Error> {
        self.scale.count_node();
        self.inner.visit_seq(Weighing::new(access, self.scale))
    }

    fn visit_map<A: MapAccess<'de>>(self, access: A) -> Result<V::Value, A::Error> {
        self.scale.count_node();
        let Self { inner, scale, target } = self;
        inner.visit_map(Weighing { inner: access, scale, target })
    }

    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<V::Value, A::Error> {
        self.inner.visit_enum(access)
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Weighing<'_, A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        let seed = self.wrap(seed);
        let element = self.inner.next_element_seed(seed)?;
        if let (Some(_), Target::Collection(entries)) = (&element, &mut self.target) {
            let list = if *entries == 0 { SHORT_LIST } else { 0 };
            self.scale.add(list + ELEMENT).map_err(refused)?;
            *entries += 1;
        }
        Ok(element)
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Weighing<'_, A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        let seed = self.wrap(seed);
        let key = self.inner.next_key_seed(seed)?;
        if let (Some(_), Target::Collection(entries)) = (&key, &mut self.target) {
            if entries.is_multiple_of(ENTRIES_OF_NODE) {
                self.scale.add(MAP_NODE).map_err(refused)?;
            }
            *entries += 1;
        }
        Ok(key)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        let seed = self.wrap(seed);
        self.inner.next_value_seed(seed)
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Weighing<'_, S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        let scale = self.scale;
        self.inner.deserialize(Weighing::new(deserializer, scale))
    }
}
