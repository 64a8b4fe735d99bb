//! Something that happened to an object, and its time, sort, and weight.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::actor::Actor;
use ucp_core::model::object::ObjectName;

/// Something that happened to an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occurrence {
    /// The time, or the beginning of the period in which it happened.
    pub time: Timestamp,
    /// The end of that period, or the time of the last repetition.
    pub until: Option<Timestamp>,
    /// The meaning of `time`.
    pub certainty: OccurrenceCertainty,
    /// The object.
    pub object: ObjectName,
    /// Other objects to which the same happened.
    pub also: Vec<ObjectName>,
    /// The sort of change.
    pub change: ChangeSort,
    /// A sentence whose subject is the object.
    pub what: String,
    /// The paths of the fields that were written.
    pub fields: Vec<String>,
    /// The value before.
    pub before: Option<String>,
    /// The value after.
    pub after: Option<String>,
    /// The new values of a commit that changed several fields.
    pub values: Vec<String>,
    /// The author, if known.
    pub by: Option<Actor>,
    /// The number of repetitions.
    pub count: u64,
    /// The significance for a reader.
    pub weight: OccurrenceWeight,
}

/// The certainty of a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum OccurrenceCertainty {
    /// It happened at this time; if repeated, until the second time.
    Exact,
    /// It happened at this time or before.
    AtLatest,
    /// It happened between two times.
    Between,
}

/// The sort of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChangeSort {
    /// The object was created.
    Created,
    /// Its deletion was requested.
    DeletionRequested,
    /// It is gone.
    Deleted,
    /// Fields were written.
    Written,
    /// A commit was made that was deployed later.
    Committed,
    /// A revision or version was deployed.
    Deployed,
    /// A program was restarted.
    Restarted,
    /// It reports a problem since then.
    TurnedBad,
    /// It reports no problem since then.
    TurnedGood,
    /// A controller warned about it.
    Warned,
    /// Anything else.
    Noted,
}

impl ChangeSort {
    /// Returns true for changes that may be the cause of a problem.
    pub const fn may_cause(self) -> bool {
        matches!(
            self,
            Self::Created | Self::DeletionRequested | Self::Deleted | Self::Written | Self::Deployed | Self::Restarted
        )
    }

    /// Returns true for the report of a problem.
    pub const fn is_bad(self) -> bool {
        matches!(self, Self::TurnedBad | Self::Warned)
    }
}

/// The significance of an occurrence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OccurrenceWeight {
    /// Shown only on request.
    Routine,
    /// Always shown.
    Notable,
}

impl Occurrence {
    /// Creates an occurrence with an exact time.
    pub fn at(time: Timestamp, object: ObjectName, change: ChangeSort, what: impl Into<String>) -> Self {
        Self {
            time,
            until: None,
            certainty: OccurrenceCertainty::Exact,
            object,
            also: Vec::new(),
            change,
            what: what.into(),
            fields: Vec::new(),
            before: None,
            after: None,
            values: Vec::new(),
            by: None,
            count: 1,
            weight: OccurrenceWeight::Notable,
        }
    }

    pub(super) fn by(self, by: Option<Actor>) -> Self {
        Self { by, ..self }
    }

    pub(super) fn with_values(self, before: Option<String>, after: Option<String>) -> Self {
        Self { before, after, ..self }
    }

    /// Returns the latest time at which it may have begun.
    pub fn latest(&self) -> Timestamp {
        match self.certainty {
            OccurrenceCertainty::Between => self.end(),
            OccurrenceCertainty::Exact | OccurrenceCertainty::AtLatest => self.time,
        }
    }

    /// Returns the objects to which it happened.
    pub(super) fn objects(&self) -> impl Iterator<Item = &ObjectName> {
        std::iter::once(&self.object).chain(&self.also)
    }

    /// Returns the name of the author.
    pub(super) fn author(&self) -> Option<&str> {
        self.by.as_ref().map(|by| by.name.as_str())
    }

    /// Returns the latest time at which it may have happened.
    pub fn end(&self) -> Timestamp {
        self.until.unwrap_or(self.time).max(self.time)
    }
}
