//! Fields of an Event, of the core group or of `events.k8s.io`: an action of a controller on an object, and its count.

use jiff::Timestamp;
use serde::{Deserialize, Deserializer};

use super::narrowed::{DecodedObject, NarrowedFields};
use super::reference::ObjectReference;
use crate::model::metadata::{Metadata, lenient_time, null_as_default};
use crate::model::secrecy::Scrubbed;

/// Event reason of crossplane-runtime's managed reconciler for an update of an external resource.
pub const UPDATED_EXTERNAL_RESOURCE: &str = "UpdatedExternalResource";

/// An event.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EventBody {
    /// Reason, in one word.
    pub reason: String,
    /// Text for people.
    #[serde(alias = "note")]
    pub message: String,
    /// `Normal` or `Warning`.
    #[serde(rename = "type")]
    pub severity: String,
    /// The controller, in Events of the newer API.
    #[serde(rename = "reportingComponent", alias = "reportingController")]
    reporting_component: String,
    #[serde(alias = "deprecatedSource")]
    source: EventOrigin,
    /// Time of an Event of the newer API.
    #[serde(deserialize_with = "lenient_time")]
    pub event_time: Option<Timestamp>,
    /// The object of the event.
    #[serde(alias = "regarding")]
    pub involved_object: ObjectReference,
    /// Number of occurrences; absent in events of the newer API.
    #[serde(alias = "deprecatedCount")]
    count: Option<u64>,
    series: Option<EventSeries>,
    /// Time of the first occurrence.
    #[serde(alias = "deprecatedFirstTimestamp", deserialize_with = "lenient_time")]
    pub first_timestamp: Option<Timestamp>,
    /// Time of the last occurrence.
    #[serde(alias = "deprecatedLastTimestamp", deserialize_with = "lenient_time")]
    pub last_timestamp: Option<Timestamp>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct EventSeries {
    count: u64,
    #[serde(deserialize_with = "lenient_time")]
    last_observed_time: Option<Timestamp>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct EventOrigin {
    component: String,
}

impl EventBody {
    /// Returns the number of occurrences: `series.count`, or else `count`.
    pub fn occurrences(&self) -> u64 {
        self.series.as_ref().map_or(self.count.unwrap_or(1), |series| series.count)
    }

    /// Returns the times of the first and the last occurrence.
    pub fn period(&self) -> Option<(Timestamp, Timestamp)> {
        let first = self.first_timestamp.or(self.event_time).or(self.last_timestamp)?;
        let last = self.series.as_ref().and_then(|series| series.last_observed_time);
        Some((first, last.or(self.last_timestamp).unwrap_or(first).max(first)))
    }

    /// Returns the name of the controller; empty if it is unknown.
    pub fn controller(&self) -> &str {
        if self.reporting_component.is_empty() { &self.source.component } else { &self.reporting_component }
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct SerializedEvent {
    #[serde(deserialize_with = "null_as_default")]
    metadata: Metadata,
    #[serde(flatten)]
    event: EventBody,
}

/// Reads an event. Its fields are at the top level.
pub(super) fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<DecodedObject<EventBody>, D::Error> {
    let Scrubbed(SerializedEvent { metadata, event }) = Scrubbed::deserialize(deserializer)?;
    Ok(DecodedObject { metadata, rest: NarrowedFields::from_body(event) })
}
