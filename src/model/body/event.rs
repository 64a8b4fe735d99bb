//! Fields of an event of the core group: what a controller did to an object, and how often.

use jiff::Timestamp;
use serde::{Deserialize, Deserializer};

use super::reference::ObjectReference;
use super::{Body, Decoded, Narrowed};
use crate::model::metadata::{Metadata, lenient_time, null_as_default};
use crate::model::secrecy::Scrubbed;

/// Reason of the events of crossplane-runtime's managed reconciler for an update outside.
pub const UPDATED_EXTERNAL_RESOURCE: &str = "UpdatedExternalResource";

/// An event.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Event {
    /// One word for what happened.
    pub reason: String,
    /// The object that it happened to.
    pub involved_object: ObjectReference,
    /// How often; absent in events of the newer API.
    count: Option<u64>,
    series: Option<Series>,
    /// The first time.
    #[serde(deserialize_with = "lenient_time")]
    pub first_timestamp: Option<Timestamp>,
    /// The last time.
    #[serde(deserialize_with = "lenient_time")]
    pub last_timestamp: Option<Timestamp>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct Series {
    count: u64,
}

impl Event {
    /// How often it happened: `series.count`, or else `count`.
    pub fn times(&self) -> u64 {
        self.series.as_ref().map_or(self.count.unwrap_or(1), |series| series.count)
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Wire {
    #[serde(deserialize_with = "null_as_default")]
    metadata: Metadata,
    #[serde(flatten)]
    event: Event,
}

/// Reads an event, whose fields stand beside its metadata.
pub(super) fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Decoded, D::Error> {
    let Scrubbed(Wire { metadata, event }) = Scrubbed::deserialize(deserializer)?;
    Ok(Decoded { metadata, rest: Narrowed::only(Body::Event(Box::new(event))) })
}
