//! Deserialization of an object to a [`Resource`], without keeping unused fields.

use std::sync::Arc;

use serde::de::{DeserializeSeed, Deserializer};

use crate::model::body::{BodyShape, DecodedObject, NarrowedFields, decode};
use crate::model::kind::ResourceKind;
use crate::model::resource::{Resource, ResourceParts};
use crate::model::secrecy::register_object_name;
use crate::model::shell::{is_dns_name, is_possible_name_in};
use crate::model::weight::{KeptWeight, Overweight, Scale, Weighing};

/// Memory of an object without any field, with its places in the graph and in reports.
const OBJECT: usize = 4096;

/// Deserializes one object of a kind directly to its narrow form.
#[derive(Debug, Clone)]
pub struct ResourceSeed<'kind> {
    /// Kind of the object.
    pub kind: &'kind Arc<ResourceKind>,
    /// Fields to keep.
    pub shape: BodyShape,
}

impl<'de> DeserializeSeed<'de> for ResourceSeed<'_> {
    type Value = Resource;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Resource, D::Error> {
        let scale = Scale::of_object();
        let DecodedObject { metadata, rest } = decode(self.shape, Weighing::new(deserializer, &scale))?;
        // A snapshot may be untrusted, and names become part of commands.
        let namespace = metadata.namespace.as_deref().unwrap_or_default();
        if !is_possible_name_in(&self.kind.group, &metadata.name) || !(namespace.is_empty() || is_dns_name(namespace)) {
            return Err(serde::de::Error::custom("no object can have its name or namespace"));
        }
        let weight = KeptWeight::reserve(scale.weight() + OBJECT).map_err(serde::de::Error::custom)?;
        register_object_name(&metadata.name);
        register_object_name(namespace);
        let NarrowedFields { conditions, observed_generation, body } = rest;
        let kind = Arc::clone(self.kind);
        Ok(ResourceParts { kind, metadata, conditions, observed_generation, body, whole: None, trace: None, weight }
            .into())
    }
}

/// Describes an error of deserialization. Quoted content of the object is removed, since it may be secret.
pub fn describe_decode_error(error: &serde_json::Error) -> String {
    if let Some(overweight) = Overweight::from_error(error) {
        return overweight.to_string();
    }
    let text = error.to_string();
    let reason = match (text.find('"'), text.rfind('"')) {
        (Some(begin), Some(end)) if begin < end => format!("{}{}", text[..begin].trim_end(), &text[end + 1..]),
        _ => text,
    };
    format!("it does not have the structure of its kind: {reason}")
}
