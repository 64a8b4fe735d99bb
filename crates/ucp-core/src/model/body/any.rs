//! Fields of an object of any kind by which controllers commonly report status.

use serde::Deserialize;
use serde::de::Deserializer;
use serde_json::{Map, Value};

use super::narrowed::{BodyFields, DecodedObject, NarrowedFields};
use crate::model::condition::Condition;
use crate::model::metadata::{Metadata, null_as_default};
use crate::model::secrecy::Scrubbed;

/// An object of any kind.
#[derive(Debug, Clone, Default)]
pub struct GenericObject {
    /// Numbers, booleans, and single words of `spec` and of two levels below it: replicas, pauses, desired states,
    /// references; and the schedule. Other texts are omitted, and so are lists other than those of references and of parts
    /// with numbers.
    pub spec: Value,
    /// The complete `status`, or the states at the top of an object without one.
    pub status: Value,
}

/// Serialized form of `spec`.
#[derive(Debug, Default, Deserialize)]
#[serde(transparent)]
pub(crate) struct GenericSpec(Value);

/// Serialized form of `status`.
#[derive(Debug, Default, Deserialize)]
#[serde(transparent)]
pub(crate) struct GenericStatus(Value);

impl BodyFields for GenericObject {
    type Spec = GenericSpec;
    type Status = GenericStatus;

    fn narrow(GenericSpec(spec): GenericSpec, GenericStatus(status): GenericStatus) -> NarrowedFields<Self> {
        let observed_generation = status.get("observedGeneration").and_then(whole_number);
        let body = Self { spec: keep_small_values(spec, 3), status };
        NarrowedFields { conditions: body.conditions(), observed_generation, body }
    }
}

/// Serialized form of an object of any kind. Some kinds have their state beside `spec`, and no status.
#[derive(Deserialize)]
struct SerializedGenericObject {
    #[serde(default)]
    metadata: Metadata,
    #[serde(default, deserialize_with = "null_as_default")]
    spec: GenericSpec,
    #[serde(default, deserialize_with = "null_as_default")]
    status: Scrubbed<GenericStatus>,
    conditions: Option<Scrubbed<Value>>,
    health: Option<Scrubbed<Value>>,
    online: Option<Scrubbed<Value>>,
    phase: Option<Scrubbed<Value>>,
    ready: Option<Scrubbed<Value>>,
    state: Option<Scrubbed<Value>>,
    validation: Option<Scrubbed<Value>>,
}

/// Reads an object of any kind.
pub(super) fn read_generic<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<DecodedObject<GenericObject>, D::Error> {
    let wire = SerializedGenericObject::deserialize(deserializer)?;
    let states = [
        ("conditions", wire.conditions),
        ("health", wire.health),
        ("online", wire.online),
        ("phase", wire.phase),
        ("ready", wire.ready),
        ("state", wire.state),
        ("validation", wire.validation),
    ];
    let states: Map<String, Value> =
        states.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.0))).collect();
    let mut rest = GenericObject::narrow(wire.spec, wire.status.0);
    if rest.body.status.is_null() && !states.is_empty() {
        rest.body.status = Value::Object(states);
        rest.conditions = rest.body.conditions();
    }
    Ok(DecodedObject { metadata: wire.metadata, rest })
}

impl GenericObject {
    fn conditions(&self) -> Vec<Condition> {
        let listed = self.status.get("conditions").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        listed.iter().filter_map(|condition| Condition::deserialize(condition).ok()).collect()
    }
}

/// Returns an integer. Argo Rollouts and others write integers as strings.
pub(crate) fn whole_number(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.parse().ok())
}

/// The end of the name of a field whose text has several words, in cron's notation: `backupSchedule`.
const SCHEDULE: &str = "schedule";
/// Longer words are neither states nor names.
const LONGEST_WORD: usize = 253;

/// Returns true for lists that refer to other objects, or whose items report status, or declare a number of parts.
fn is_kept_list(key: &str, items: &[Value]) -> bool {
    key.ends_with("Refs") || matches!(key, "dependsOn" | "components") || items.iter().any(declares_number_of_parts)
}

/// Returns true for a part with a name and a number of its own: `{name: a, replicas: 3}`.
fn declares_number_of_parts(part: &Value) -> bool {
    const NUMBERS: [&str; 6] = ["count", "instances", "nodeCount", "nodes", "replicas", "size"];
    part.get("name").is_some_and(Value::is_string)
        && NUMBERS.iter().any(|key| part.get(key).is_some_and(Value::is_number))
}

fn keep_small_values(value: Value, levels: usize) -> Value {
    let Value::Object(fields) = value else { return Value::Null };
    let kept = fields.into_iter().filter_map(|(key, value)| match value {
        Value::Object(_) if levels > 1 => Some((key, keep_small_values(value, levels - 1))),
        Value::Array(items) if levels > 1 && is_kept_list(&key, &items) => {
            Some((key, items.into_iter().map(|item| keep_small_values(item, levels - 1)).collect()))
        }
        Value::Object(_) | Value::Array(_) | Value::Null => None,
        Value::String(text)
            if text.len() > LONGEST_WORD
                || !key.to_lowercase().ends_with(SCHEDULE) && text.contains(char::is_whitespace) =>
        {
            None
        }
        value => Some((key, value)),
    });
    Value::Object(kept.collect::<Map<_, _>>())
}
