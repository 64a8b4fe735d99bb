//! Reading of objects to the fields that are kept.

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer};
use serde_json::{Map, Value};

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

    /// Adds the fields beside them.
    fn add(_fields: &mut NarrowedFields<Self>, _beside: TopLevelFields) {}
}

/// Fields of an object beside `spec` and `status`.
#[derive(Debug, Default)]
pub(crate) struct TopLevelFields {
    /// The operation that was requested of an Application.
    pub(super) operation: Option<Value>,
    /// The fields with a state, of kinds that have it outside of `status`.
    pub(super) states: Map<String, Value>,
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
    let states = [
        ("conditions", wire.conditions),
        ("health", wire.health),
        ("online", wire.online),
        ("phase", wire.phase),
        ("ready", wire.ready),
        ("state", wire.state),
        ("validation", wire.validation),
    ];
    let states = states.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.0))).collect();
    let mut rest = F::narrow(wire.spec, wire.status.0);
    F::add(&mut rest, TopLevelFields { operation: wire.operation.map(|Scrubbed(operation)| operation), states });
    Ok(DecodedObject { metadata: wire.metadata, rest })
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
    operation: Option<Scrubbed<Value>>,
    conditions: Option<Scrubbed<Value>>,
    health: Option<Scrubbed<Value>>,
    online: Option<Scrubbed<Value>>,
    phase: Option<Scrubbed<Value>>,
    ready: Option<Scrubbed<Value>>,
    state: Option<Scrubbed<Value>>,
    validation: Option<Scrubbed<Value>>,
}

/// Serialized form of `status` if only conditions are needed.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct StatusConditions {
    #[serde(deserialize_with = "null_as_default")]
    pub(super) conditions: Vec<Condition>,
    pub(super) observed_generation: Option<i64>,
}
