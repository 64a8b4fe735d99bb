//! Renders a `History`: the newest change first, with its effects indented below it, and gaps in their place.

mod page;
mod rows;
mod sections;
mod sentences;

use std::fmt::Write as _;

use crate::render::cut::cut_in_the_middle;
use crate::render::html::HtmlPage;
use crate::render::{DetailLevel, Report, TableStyle, words};
use crate::report::history::{History, HistoryItem};
use crate::ui::{style, styled};
use ucp_core::error::Result;
use ucp_core::model::text::{columns, one_line};
use ucp_features::history::ChangeSort;

pub use rows::HistoryRow;
use rows::TimelineRow;

/// The width of the column of times: `03:12–03:40`. A period of several days is longer.
const TIMES: usize = 13;
/// The most lines of one occurrence on a terminal.
const LINES: usize = 3;
/// What is between the values before and after.
const ARROW: &str = " → ";
/// The step by which a sentence is shortened until it fits.
const RAGGED: usize = 6;

impl History {
    fn timeline(&self, style: &TableStyle) -> String {
        let mut text = String::new();
        let mut day = String::new();
        for row in self.rows() {
            let time = match row {
                TimelineRow::Item(item, _) => item.time,
                TimelineRow::Gap(gap) => gap.to,
            };
            // An effect may be on the day after its cause.
            if day != self.day(time) {
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

    fn omission(&self) -> Option<String> {
        let omitted = words::count(self.omitted, "routine occurrences");
        let them = if self.omitted == 1 { "it" } else { "them" };
        (self.omitted > 0).then(|| format!("{omitted} not shown; --all shows {them}"))
    }
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
