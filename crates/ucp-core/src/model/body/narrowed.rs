//! Reading of objects to the fields that are kept.

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer};

use crate::model::condition::Condition;
use crate::model::metadata::{Metadata, null_as_default};
use crate::model::secrecy::Scrubbed;

/// A body that is read from an object's `spec` and `status`.
pub(crate) trait BodyFields: Sized {
    /// The fields of `spec`.
    type Spec: DeserializeOwned + Default;
    /// The fields of `status`.
    type Status: DeserializeOwned + Default;

    /// Combines the two.
    fn narrow(spec: Self::Spec, status: Self::Status) -> NarrowedFields<Self>;
}

/// Fields that every kind has, and the body.
pub(crate) struct NarrowedFields<B> {
    pub(crate) conditions: Vec<Condition>,
    pub(crate) observed_generation: Option<i64>,
    pub(crate) body: B,
}

impl<B> NarrowedFields<B> {
    /// Creates one without conditions and generation.
    pub(super) fn from_body(body: B) -> Self {
        Self { conditions: Vec::new(), observed_generation: None, body }
    }
}

/// A deserialized object: its metadata, and the kept fields.
pub(crate) struct DecodedObject<B> {
    pub(crate) metadata: Metadata,
    pub(crate) rest: NarrowedFields<B>,
}

impl<B> DecodedObject<B> {
    /// Returns the object with another form of its body.
    pub(super) fn map_body<C>(self, form: impl FnOnce(B) -> C) -> DecodedObject<C> {
        let NarrowedFields { conditions, observed_generation, body } = self.rest;
        let rest = NarrowedFields { conditions, observed_generation, body: form(body) };
        DecodedObject { metadata: self.metadata, rest }
    }
}

/// Reads one object.
pub(super) fn read<'de, F: BodyFields, D: Deserializer<'de>>(deserializer: D) -> Result<DecodedObject<F>, D::Error> {
    let wire = SerializedObject::<F::Spec, F::Status>::deserialize(deserializer)?;
    Ok(DecodedObject { metadata: wire.metadata, rest: F::narrow(wire.spec, wire.status.0) })
}

#[derive(Deserialize)]
#[serde(bound = "Spec: DeserializeOwned + Default, Status: DeserializeOwned + Default")]
pub(super) struct SerializedObject<Spec, Status> {
    #[serde(default)]
    metadata: Metadata,
    #[serde(default = "Default::default", deserialize_with = "null_as_default")]
    spec: Spec,
    /// Written by controllers, and may quote other programs.
    #[serde(default = "Default::default", deserialize_with = "null_as_default")]
    status: Scrubbed<Status>,
}

/// Serialized form of `status` if only conditions are needed.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct StatusConditions {
    #[serde(deserialize_with = "null_as_default")]
    pub(super) conditions: Vec<Condition>,
    pub(super) observed_generation: Option<i64>,
}
