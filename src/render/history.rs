//! Renders a `History`: the newest change first, with its effects indented below it, and gaps in their place.

mod page;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::render::cut::cut_in_the_middle;
use crate::render::html::HtmlPage;
use crate::render::{DetailLevel, Report, TableStyle, words};
use crate::report::history::{History, HistoryItem};
use crate::report::history_moment::PastProblem;
use crate::ui::{style, styled};
use ucp_core::error::Result;
use ucp_core::model::object::ObjectName;
use ucp_core::model::text::{columns, one_line};
use ucp_core::model::time::human_duration;
use ucp_features::history::{ActorKind, ChangeSort, Confidence, HistoryGap, OccurrenceCertainty};

/// The width of the column of times: `03:12–03:40`. A period of several days is longer.
const TIMES: usize = 13;
/// The most lines of one occurrence on a terminal.
const LINES: usize = 3;
/// What is between the values before and after.
const ARROW: &str = " → ";
/// A time with its day.
const MOMENT: &str = "%a %d %b %H:%M:%S";
/// The step by which a sentence is shortened until it fits.
const RAGGED: usize = 6;

/// A row of the timeline.
enum TimelineRow<'a> {
    Item(&'a HistoryItem, usize),
    Gap(&'a HistoryGap),
}

/// A row of the timeline for a list of one line per row, as safe text.
#[derive(Debug, Clone)]
pub struct HistoryRow {
    /// The time; for a gap, its end.
    pub time: Timestamp,
    /// The time as text, in the zone of the document, with the day if it is not the last one.
    pub when: String,
    /// The number of causes above it.
    pub level: usize,
    /// The object; `None` for a gap.
    pub object: Option<ObjectName>,
    /// What happened, without the object.
    pub what: String,
    /// The sort of change; `None` for a gap.
    pub change: Option<ChangeSort>,
}

impl History {
    fn zone(&self) -> &TimeZone {
        &self.zone.0
    }

    fn format(&self, time: Timestamp, format: &str) -> String {
        time.to_zoned(self.zone().clone()).strftime(format).to_string()
    }

    fn day(&self, time: Timestamp) -> String {
        self.format(time, "%a %d %b %Y")
    }

    fn clock(&self, time: Timestamp) -> String {
        self.format(time, "%H:%M:%S")
    }

    /// Returns the time of an occurrence: `03:12:05`, `≤ 03:12:05`, or `02:00–03:00`.
    fn when(&self, item: &HistoryItem) -> String {
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
    fn sentence(&self, item: &HistoryItem) -> String {
        let mut text = words::object(&item.object);
        if !item.also.is_empty() {
            let _ = write!(text, " and {} more", item.also.len());
        }
        format!("{text} {}", self.predicate(item))
    }

    /// Returns the sentence of an effect, without the object if the cause is about the same one.
    fn effect(&self, item: &HistoryItem) -> String {
        let cause = item.caused_by.and_then(|cause| self.item(cause));
        let is_same = cause.is_some_and(|cause| cause.object == item.object && cause.also.len() == item.also.len());
        if is_same { self.predicate(item) } else { self.sentence(item) }
    }

    /// Returns the sentence of an occurrence without its subject.
    fn predicate(&self, item: &HistoryItem) -> String {
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

    /// Returns the rows of the timeline, the newest first; effects follow their cause, the oldest first.
    fn rows(&self) -> Vec<TimelineRow<'_>> {
        let mut effects: BTreeMap<Option<usize>, Vec<&HistoryItem>> = BTreeMap::new();
        for item in self.items.iter().rev() {
            effects.entry(item.caused_by).or_default().push(item);
        }
        let mut rows = Vec::new();
        let mut gaps = self.gaps.iter().peekable();
        for item in effects.get(&None).into_iter().flatten().rev() {
            while let Some(gap) = gaps.next_if(|gap| gap.to >= item.time) {
                rows.push(TimelineRow::Gap(gap));
            }
            add_with_effects(item, 0, &effects, &mut rows);
        }
        rows.extend(gaps.map(TimelineRow::Gap));
        rows
    }

    /// Returns one row for each occurrence and gap, in the order of the text output.
    pub fn list_rows(&self) -> Vec<HistoryRow> {
        let last_day = self.day(self.to);
        let when = |time: Timestamp, clock: String| match self.day(time) == last_day {
            true => clock,
            false => format!("{} {clock}", self.format(time, "%d %b")),
        };
        let rows = self.rows().into_iter().map(|row| match row {
            TimelineRow::Item(item, level) => {
                let also = if item.also.is_empty() { String::new() } else { format!("and {} more ", item.also.len()) };
                HistoryRow {
                    time: item.time,
                    when: when(item.time, self.when(item)),
                    level,
                    object: Some(item.object.clone()),
                    what: format!("{also}{}", self.predicate(item)),
                    change: Some(item.change),
                }
            }
            TimelineRow::Gap(gap) => HistoryRow {
                time: gap.to,
                when: "?".to_owned(),
                level: 0,
                object: None,
                what: self.gap_line(gap),
                change: None,
            },
        });
        rows.collect()
    }

    fn head(&self) -> String {
        let subject = match &self.object {
            Some(object) => format!("{} and its tree", words::object(object)),
            None => "the control plane".to_owned(),
        };
        let zone = self.format(self.to, "UTC%:z").replace("UTC+00:00", "UTC");
        let time = |time| self.format(time, "%a %d %b %H:%M");
        format!("History of {subject}: {} to {} {zone}", time(self.from), time(self.to))
    }

    fn gap_line(&self, gap: &HistoryGap) -> String {
        let (from, to) = (self.day(gap.from), self.day(gap.to));
        let format = if from == to { "%H:%M" } else { "%a %d %b %H:%M" };
        let reason = one_line(&gap.reason);
        if gap.from == gap.to {
            return format!("gap at {}: {reason}", self.clock(gap.from));
        }
        format!("gap from {} to {}: {reason}", self.format(gap.from, format), self.format(gap.to, format))
    }

    fn timeline(&self, style: &TableStyle) -> String {
        let mut text = String::new();
        let mut day = String::new();
        for row in self.rows() {
            let (time, level) = match row {
                TimelineRow::Item(item, level) => (item.time, level),
                TimelineRow::Gap(gap) => (gap.to, 0),
            };
            if level == 0 && day != self.day(time) {
                day = self.day(time);
                let _ = writeln!(text, "\n{}", styled(style::STRONG, &day));
            }
            match row {
                TimelineRow::Item(item, level) => {
                    add_row(&mut text, &self.when(item), tone(item.change), level, &self.effect(item), style);
                }
                TimelineRow::Gap(gap) => add_row(&mut text, "?", style::FAINT, 0, &self.gap_line(gap), style),
            }
        }
        text
    }

    /// Returns the day at the end of the period.
    pub fn last_day(&self) -> String {
        self.day(self.to)
    }

    /// Returns the lines of the chosen occurrences, the oldest first. A day is a heading if it is not the one of the line before.
    pub fn lines(&self, is_chosen: impl Fn(&HistoryItem) -> bool, day: &mut String, style: &TableStyle) -> String {
        let mut text = String::new();
        for item in self.items.iter().rev().filter(|item| is_chosen(item)) {
            if *day != self.day(item.time) {
                *day = self.day(item.time);
                let _ = writeln!(text, "\n{}", styled(style::STRONG, day));
            }
            add_row(&mut text, &self.when(item), tone(item.change), 0, &self.sentence(item), style);
        }
        text
    }

    fn cause_lines(&self) -> Vec<(usize, String)> {
        let Some(cause) = &self.cause else { return Vec::new() };
        let mut lines = vec![(0, format!("Cause of {}: {}", words::object(&cause.object), cause.conclusion))];
        if let Some(failure) = cause.first_failure.and_then(|id| self.item(id)) {
            let when = format!("{} {}", self.day(failure.time), self.when(failure));
            lines.push((1, format!("first failure: {when}: {}", self.sentence(failure))));
        }
        for (number, candidate) in self.candidates.iter().flatten().enumerate() {
            let Some(item) = self.item(candidate.id) else { continue };
            let confidence = match candidate.confidence {
                Confidence::Likely => "likely",
                Confidence::Possible => "possible",
                Confidence::Unlikely => "unlikely",
            };
            let sentence = self.sentence(item);
            lines.push((1, format!("{}. {confidence}: {} {sentence}", number + 1, self.when(item))));
            lines.extend(candidate.evidence_for.iter().map(|evidence| (2, format!("+ {}", one_line(evidence)))));
            lines.extend(candidate.evidence_against.iter().map(|evidence| (2, format!("- {}", one_line(evidence)))));
        }
        lines
    }

    fn moment_lines(&self) -> Vec<(usize, String)> {
        let Some(at) = &self.at else { return Vec::new() };
        let time = self.format(at.time, "%a %d %b %Y %H:%M");
        let mut lines = match at.wrong.len() {
            0 => vec![(0, format!("At {time}: no problem is known"))],
            number => vec![(0, format!("At {time}: {}", words::count(number, "problems")))],
        };
        lines.extend(at.wrong.iter().map(|problem| (1, self.problem_line(problem, at.snapshot))));
        // The document has times in UTC.
        let in_zone = |limit: &str| match at.snapshot {
            Some(seen) => limit.replace(&seen.to_string(), &self.format(seen, MOMENT)),
            None => limit.to_owned(),
        };
        lines.extend(at.limits.iter().map(|limit| (1, format!("limit: {}", one_line(&in_zone(limit))))));
        lines
    }

    fn problem_line(&self, problem: &PastProblem, snapshot: Option<Timestamp>) -> String {
        let time = |time| self.format(time, MOMENT);
        let certainty = match (problem.certainty, snapshot) {
            (OccurrenceCertainty::Exact, _) => String::new(),
            (OccurrenceCertainty::Between, Some(seen)) => format!("last seen {}: ", time(seen)),
            (OccurrenceCertainty::AtLatest | OccurrenceCertainty::Between, _) => "perhaps: ".to_owned(),
        };
        let since = problem.since.map(|since| format!(", since {}", time(since))).unwrap_or_default();
        let until = problem.until.map(|until| format!(", until {}", time(until))).unwrap_or_default();
        format!("{certainty}{} {}{since}{until}", words::object(&problem.object), one_line(&problem.what))
    }

    /// Returns the sections above the timeline.
    fn sections(&self) -> Vec<Vec<(usize, String)>> {
        [self.moment_lines(), self.cause_lines()].into_iter().filter(|lines| !lines.is_empty()).collect()
    }

    fn omission(&self) -> Option<String> {
        let omitted = words::count(self.omitted, "routine occurrences");
        let them = if self.omitted == 1 { "it" } else { "them" };
        (self.omitted > 0).then(|| format!("{omitted} not shown; --all shows {them}"))
    }
}

/// Returns a predicate for several objects.
fn plural(what: &str) -> String {
    let verbs = [("was ", "were "), ("is ", "are "), ("has ", "have "), ("holds ", "hold ")];
    let changed = verbs.iter().find_map(|(one, several)| Some(format!("{several}{}", what.strip_prefix(one)?)));
    changed.unwrap_or_else(|| what.to_owned()).replace(", is no longer ", ", are no longer ")
}

/// Cuts a sentence to the width of some lines: the subject and the verb are whole, and the message after them loses its
/// middle.
fn cut_message(sentence: &str, most: usize) -> String {
    // No name contains a colon with a space.
    let head = sentence.find(": ").map_or(0, |end| end + 2);
    let (head, message) = sentence.split_at(if columns(&sentence[..head]) < most * 4 / 5 { head } else { 0 });
    let room = most.saturating_sub(columns(head));
    let Some((before, after)) = message.split_once(ARROW).filter(|_| columns(message) > room) else {
        return format!("{head}{}", cut_in_the_middle(message, room));
    };
    // Each value loses its own middle, so that both are left.
    let room = room.saturating_sub(columns(ARROW));
    let before = cut_in_the_middle(before, (room / 2).max(room.saturating_sub(columns(after))));
    let after = cut_in_the_middle(after, room.saturating_sub(columns(&before)));
    format!("{head}{before}{ARROW}{after}")
}

fn add_with_effects<'a>(
    item: &'a HistoryItem,
    level: usize,
    effects: &BTreeMap<Option<usize>, Vec<&'a HistoryItem>>,
    rows: &mut Vec<TimelineRow<'a>>,
) {
    rows.push(TimelineRow::Item(item, level));
    for effect in effects.get(&Some(item.id)).into_iter().flatten() {
        add_with_effects(effect, level + 1, effects, rows);
    }
}

fn tone(change: ChangeSort) -> anstyle::Style {
    match change {
        ChangeSort::TurnedBad => style::BAD,
        ChangeSort::Warned | ChangeSort::DeletionRequested | ChangeSort::Deleted => style::WARN,
        ChangeSort::TurnedGood => style::GOOD,
        ChangeSort::Created
        | ChangeSort::Written
        | ChangeSort::Committed
        | ChangeSort::Deployed
        | ChangeSort::Restarted => style::BUSY,
        ChangeSort::Noted => style::FAINT,
    }
}

fn add_row(text: &mut String, when: &str, look: anstyle::Style, level: usize, sentence: &str, style: &TableStyle) {
    let level = level.min(6);
    let indent = " ".repeat(TIMES + 2 * level);
    let mut body = String::new();
    match style.width.filter(|_| style.detail != DetailLevel::Wide) {
        Some(width) => {
            let whole = width.saturating_sub(indent.len()).max(20) * LINES;
            // Lines break between words, so that less than the whole room may fit.
            for unused in (0..whole / 2).step_by(RAGGED) {
                body.clear();
                words::add_wrapped(&mut body, &cut_message(sentence, whole - unused), &indent, style, usize::MAX);
                if body.lines().count() <= LINES {
                    break;
                }
            }
        }
        None => words::add_wrapped(&mut body, sentence, &indent, style, usize::MAX),
    }
    let branch = if level > 0 { format!("{}└ ", " ".repeat(2 * (level - 1))) } else { String::new() };
    let rest = body.get(indent.len()..).unwrap_or_default();
    if columns(when) > TIMES {
        // A period of several days has a line of its own.
        let _ = writeln!(text, "{}", styled(look, when));
        let _ = write!(text, "{}{branch}{rest}", " ".repeat(TIMES));
        return;
    }
    let gap = " ".repeat(TIMES.saturating_sub(columns(when)));
    let _ = write!(text, "{}{gap}{branch}{rest}", styled(look, when));
}

impl Report for History {
    fn table(&self, style: &TableStyle) -> String {
        let mut text = String::new();
        for lines in self.sections() {
            for (level, line) in lines {
                words::add_wrapped(&mut text, &line, &" ".repeat(2 * level), style, usize::MAX);
            }
            text.push('\n');
        }
        words::add_wrapped(&mut text, &self.head(), "", style, usize::MAX);
        text.push_str(&self.timeline(style));
        if self.items.is_empty() {
            text.push_str("\nNo occurrence of this period is in the data that could be read.\n");
        }
        if let Some(omission) = self.omission() {
            let _ = writeln!(text, "\n{omission}");
        }
        text.push_str(&words::listed_unreadable(&words::unreadable(&self.unreadable)));
        text
    }

    fn names(&self) -> Vec<String> {
        self.items.iter().map(|item| one_line(&item.object.kind_and_name())).collect()
    }

    fn markdown(&self) -> String {
        self.markdown_page()
    }

    fn html(&self) -> Result<HtmlPage> {
        Ok(self.html_page())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_keeps_the_arrow_between_two_values() {
        let (before, after) = ("a".repeat(300), "b".repeat(300));
        let cut = cut_message(&format!("deployment/web was changed: spec.x, {before} → {after}, by jane"), 200);
        assert!(cut.contains("a → b") && cut.ends_with("b, by jane") && columns(&cut) <= 200, "{cut}");
        let cut = cut_message(&format!("deployment/web was changed: spec.x, {before} → 1, by jane"), 200);
        assert!(cut.ends_with("a → 1, by jane") && columns(&cut) == 200, "{cut}");
        assert_eq!(cut_message("deployment/web failed: short", 200), "deployment/web failed: short");
    }
}
