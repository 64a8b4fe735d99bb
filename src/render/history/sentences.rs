//! The sentences of a `History`: an occurrence, an effect, a gap, with times in the zone of the document.

use std::fmt::Write as _;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::ARROW;
use crate::render::words;
use crate::report::history::{History, HistoryItem};
use ucp_core::model::text::one_line;
use ucp_core::model::time::human_duration;
use ucp_features::history::{ActorKind, ChangeSort, HistoryGap, OccurrenceCertainty};

impl History {
    fn zone(&self) -> &TimeZone {
        &self.zone.0
    }

    pub(super) fn format(&self, time: Timestamp, format: &str) -> String {
        time.to_zoned(self.zone().clone()).strftime(format).to_string()
    }

    pub(super) fn day(&self, time: Timestamp) -> String {
        self.format(time, "%a %d %b %Y")
    }

    pub(super) fn clock(&self, time: Timestamp) -> String {
        self.format(time, "%H:%M:%S")
    }

    /// Returns the time of an occurrence: `03:12:05`, `≤ 03:12:05`, or `02:00–03:00`.
    pub(super) fn when(&self, item: &HistoryItem) -> String {
        match (item.certainty, item.until) {
            (OccurrenceCertainty::AtLatest, _) => format!("≤ {}", self.clock(item.time)),
            (OccurrenceCertainty::Between, Some(until)) => {
                // The heading has the first day.
                let format = if self.day(item.time) == self.day(until) { "%H:%M" } else { "%d %b %H:%M" };
                format!("{}–{}", self.format(item.time, "%H:%M"), self.format(until, format))
            }
            _ => self.clock(item.time),
        }
    }

    /// Returns the sentence of an occurrence, without its time.
    pub(super) fn sentence(&self, item: &HistoryItem) -> String {
        let mut text = words::object(&item.object);
        if !item.also.is_empty() {
            let _ = write!(text, " and {} more", item.also.len());
        }
        format!("{text} {}", self.predicate(item))
    }

    /// Returns the sentence of an effect, without the object if the cause is about the same one.
    pub(super) fn effect(&self, item: &HistoryItem) -> String {
        let cause = item.caused_by.and_then(|cause| self.item(cause));
        let is_same = cause.is_some_and(|cause| cause.object == item.object && cause.also.len() == item.also.len());
        if is_same { self.predicate(item) } else { self.sentence(item) }
    }

    /// Returns the sentence of an occurrence without its subject.
    pub(super) fn predicate(&self, item: &HistoryItem) -> String {
        let what = one_line(&item.what);
        let mut text = if item.also.is_empty() { what } else { plural(&what) };
        match (&item.before, &item.after) {
            (Some(before), Some(after)) => {
                let _ = write!(text, ", {}{ARROW}{}", one_line(before), one_line(after));
            }
            (None, Some(after)) if !item.what.contains(after.as_str()) => {
                let _ = write!(text, " = {}", one_line(after));
            }
            (Some(before), None) => {
                let _ = write!(text, ", was {}", one_line(before));
            }
            _ => {}
        }
        if item.count > 1 {
            let period = item.until.map(|until| until.duration_since(item.time).as_secs());
            let period = period.map(|seconds| format!(" in {}", human_duration(seconds))).unwrap_or_default();
            let _ = write!(text, " (×{}{period})", item.count);
        }
        // The author of a verdict is always the engine.
        let is_verdict = matches!(item.change, ChangeSort::TurnedBad | ChangeSort::TurnedGood | ChangeSort::Noted);
        if let Some(by) = item.by.as_ref().filter(|by| !is_verdict || by.kind == ActorKind::User) {
            let _ = write!(text, ", by {}", one_line(&by.name));
        }
        text
    }

    pub(super) fn head(&self) -> String {
        let subject = match &self.object {
            Some(object) => format!("{} and its tree", words::object(object)),
            None => "the control plane".to_owned(),
        };
        let zone = self.format(self.to, "UTC%:z").replace("UTC+00:00", "UTC");
        let time = |time| self.format(time, "%a %d %b %Y %H:%M");
        format!("History of {subject}: {} to {} {zone}", time(self.from), time(self.to))
    }

    pub(super) fn gap_line(&self, gap: &HistoryGap) -> String {
        let (from, to) = (self.day(gap.from), self.day(gap.to));
        let format = if from == to { "%H:%M" } else { "%a %d %b %H:%M" };
        let reason = one_line(&gap.reason);
        if gap.from == gap.to {
            return format!("gap at {}: {reason}", self.clock(gap.from));
        }
        format!("gap from {} to {}: {reason}", self.format(gap.from, format), self.format(gap.to, format))
    }
}

/// Returns a predicate for several objects.
fn plural(what: &str) -> String {
    let verbs = [("was ", "were "), ("is ", "are "), ("has ", "have "), ("holds ", "hold ")];
    let changed = verbs.iter().find_map(|(one, several)| Some(format!("{several}{}", what.strip_prefix(one)?)));
    changed.unwrap_or_else(|| what.to_owned()).replace(", is no longer ", ", are no longer ")
}
