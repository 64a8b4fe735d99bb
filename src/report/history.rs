//! The document `History`: occurrences of a period, the gaps in it, and the candidates for the cause of a failure.

use std::collections::BTreeSet;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::Serialize;

use super::Header;
use super::history_moment::HistoryMoment;
use ucp_core::model::object::ObjectName;
use ucp_core::model::state::Unreadable;
use ucp_features::history::{
    Actor, CandidateCause, CauseSearch, ChangeSort, HistoryGap, HistoryLane, Occurrence, OccurrenceCertainty,
    OccurrenceWeight,
};

/// The document `History`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct History {
    /// `apiVersion`, `kind` and `source`.
    #[serde(flatten)]
    pub header: Header,
    /// The beginning of the period.
    pub from: Timestamp,
    /// The end of the period: the time of the cluster state.
    pub to: Timestamp,
    /// The object whose tree is shown; absent for the whole control plane.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<ObjectName>,
    /// Occurrences, the newest first.
    pub items: Vec<HistoryItem>,
    /// Periods of which something cannot be known.
    pub gaps: Vec<HistoryGap>,
    /// The conclusion about the cause, with `--cause`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<CauseConclusion>,
    /// Candidates for the cause, the best first, with `--cause`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub candidates: Option<Vec<CandidateCause>>,
    /// The problems at one time, with `--at`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<HistoryMoment>,
    /// The number of routine occurrences that are left out.
    pub omitted: usize,
    /// Objects and kinds that could not be read.
    pub unreadable: Vec<Unreadable>,
    /// The time zone of the text output.
    #[serde(skip)]
    pub zone: HistoryZone,
}

/// The time zone of the text output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryZone(pub TimeZone);

impl Default for HistoryZone {
    fn default() -> Self {
        Self(TimeZone::UTC)
    }
}

/// One occurrence.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoryItem {
    /// The identifier in this document.
    pub id: usize,
    /// The time, or the beginning of the period.
    pub time: Timestamp,
    /// The meaning of the time.
    pub certainty: OccurrenceCertainty,
    /// The end of the period, or the time of the last repetition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// The object.
    pub object: ObjectName,
    /// Other objects to which the same happened.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<ObjectName>,
    /// A sentence whose subject is the object.
    pub what: String,
    /// The value before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The value after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// The author, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<Actor>,
    /// The `id` of the change that probably caused it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caused_by: Option<usize>,
    /// The number of repetitions.
    pub count: u64,
    /// The sort of change, for colors.
    #[serde(skip)]
    pub change: ChangeSort,
    /// The lane on the page for browsers.
    #[serde(skip)]
    pub lane: HistoryLane,
}

/// The conclusion of the search for a cause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CauseConclusion {
    /// The object whose failure is explained.
    pub object: ObjectName,
    /// The `id` of the first report of the failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_failure: Option<usize>,
    /// The conclusion in one sentence.
    pub conclusion: String,
}

/// Selects whether routine occurrences are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoutineVisibility {
    /// They are only counted.
    Counted,
    /// They are shown.
    Shown,
}

/// The facts of a [`History`].
pub struct HistoryFacts {
    /// The beginning of the period.
    pub from: Timestamp,
    /// The end of the period.
    pub to: Timestamp,
    /// The object whose tree is shown.
    pub object: Option<ObjectName>,
    /// Occurrences, the oldest first; with `search`, also those before the period.
    pub occurrences: Vec<Occurrence>,
    /// For each occurrence, the index of its cause.
    pub causes: Vec<Option<usize>>,
    /// For each occurrence, its lane.
    pub lanes: Vec<HistoryLane>,
    /// The gaps.
    pub gaps: Vec<HistoryGap>,
    /// The search for a cause.
    pub search: Option<CauseSearch>,
    /// The problems at one time.
    pub at: Option<HistoryMoment>,
    /// Objects and kinds that could not be read.
    pub unreadable: Vec<Unreadable>,
}

impl History {
    /// Builds the document.
    pub fn from_facts(header: Header, facts: HistoryFacts, routine: RoutineVisibility, zone: HistoryZone) -> Self {
        let HistoryFacts { from, to, object, occurrences, causes, lanes, mut gaps, search, at, unreadable } = facts;
        let is_shown =
            |one: &Occurrence| routine == RoutineVisibility::Shown || one.weight == OccurrenceWeight::Notable;
        let named =
            |search: &CauseSearch| search.candidates.iter().map(|one| one.id).chain(search.first_failure).collect();
        let named: BTreeSet<usize> = search.as_ref().map(named).unwrap_or_default();
        let is_within = |one: &Occurrence| one.end() >= from;
        let is_kept = |(index, one): (usize, &Occurrence)| is_shown(one) && is_within(one) || named.contains(&index);
        let is_kept: Vec<bool> = occurrences.iter().enumerate().map(is_kept).collect();
        let omitted = occurrences.iter().zip(&is_kept).filter(|(one, kept)| !**kept && is_within(one)).count();
        // The order of the gaps is that of the items.
        gaps.sort_by(|left, right| (right.to, right.from, &left.reason).cmp(&(left.to, left.from, &right.reason)));
        gaps.dedup();
        let rows =
            occurrences.into_iter().zip(causes).zip(lanes).enumerate().rev().filter(|(index, _)| is_kept[*index]);
        let items = rows.map(|(index, ((occurrence, cause), lane))| {
            HistoryItem::new(index, occurrence, cause.filter(|cause| is_kept[*cause]), lane)
        });
        let (cause, candidates) = match search {
            Some(CauseSearch { object, first_failure, conclusion, candidates }) => {
                (Some(CauseConclusion { object, first_failure, conclusion }), Some(candidates))
            }
            None => (None, None),
        };
        let items = items.collect();
        Self { header, from, to, object, items, gaps, cause, candidates, at, omitted, unreadable, zone }
    }

    /// Returns the occurrence with an `id`.
    pub fn item(&self, id: usize) -> Option<&HistoryItem> {
        self.items.iter().find(|item| item.id == id)
    }
}

impl HistoryItem {
    fn new(id: usize, occurrence: Occurrence, caused_by: Option<usize>, lane: HistoryLane) -> Self {
        let Occurrence { time, until, certainty, object, also, change, what, before, after, by, count, .. } =
            occurrence;
        // A revision with the images of the one before it changed something else.
        let (before, after) = if before == after { (None, None) } else { (before, after) };
        Self { id, time, certainty, until, object, also, what, before, after, by, caused_by, count, change, lane }
    }
}
