//! A `History` in markdown, and as a page for browsers.

use std::fmt::Write as _;

use super::TimelineRow;
use crate::render::html::{HtmlPage, HtmlPagePart, HtmlTimeline, TextTone, TimelineEntry};
use crate::render::words;
use crate::report::history::History;
use ucp_features::history::{ChangeSort, HistoryLane};

impl History {
    /// Returns the document in markdown.
    pub(super) fn markdown_page(&self) -> String {
        let mut text = String::new();
        for lines in self.sections() {
            for (level, line) in lines {
                let _ = writeln!(text, "{}- {}", "  ".repeat(level), words::markdown_cell(&line));
            }
            text.push('\n');
        }
        let _ = writeln!(text, "{}\n\n| Time | Occurrence |\n|---|---|", words::markdown_cell(&self.head()));
        for row in self.rows() {
            let (time, sentence) = match row {
                TimelineRow::Item(item, level) => {
                    let arrow = if level > 0 { "↳ ".repeat(level) } else { String::new() };
                    (format!("{} {}", self.day(item.time), self.when(item)), format!("{arrow}{}", self.sentence(item)))
                }
                TimelineRow::Gap(gap) => (self.day(gap.to), self.gap_line(gap)),
            };
            let _ = writeln!(text, "| {} | {} |", words::markdown_cell(&time), words::markdown_cell(&sentence));
        }
        if let Some(omission) = self.omission() {
            let _ = writeln!(text, "\n{omission}");
        }
        text.push_str(&words::markdown_unreadable(&words::unreadable(&self.unreadable)));
        text
    }

    /// Returns the page for browsers.
    pub(super) fn html_page(&self) -> HtmlPage {
        let mut page = HtmlPage::new(self.head());
        for lines in self.sections() {
            for (level, line) in lines {
                let tone = if level == 0 { TextTone::Strong } else { TextTone::Plain };
                page.line(tone, format!("{}{line}", "\u{a0}\u{a0}".repeat(level)));
            }
        }
        page.parts.push(HtmlPagePart::Timeline(self.html_timeline()));
        if let Some(omission) = self.omission() {
            page.line(TextTone::Faint, omission);
        }
        page.unreadable(&words::unreadable(&self.unreadable));
        page
    }

    /// Returns the timeline for browsers: the lanes, and one more for gaps.
    fn html_timeline(&self) -> HtmlTimeline {
        let entry = |row| match row {
            TimelineRow::Item(item, level) => TimelineEntry {
                lane: HistoryLane::ALL.iter().position(|lane| *lane == item.lane).unwrap_or_default(),
                when: format!("{} {}", self.format(item.time, "%Y-%m-%d"), self.when(item)),
                level,
                tone: match item.change {
                    ChangeSort::TurnedBad => TextTone::Bad,
                    ChangeSort::Warned | ChangeSort::Deleted | ChangeSort::DeletionRequested => TextTone::Warning,
                    ChangeSort::TurnedGood => TextTone::Good,
                    _ => TextTone::Plain,
                },
                sentence: self.sentence(item),
            },
            TimelineRow::Gap(gap) => TimelineEntry {
                lane: HistoryLane::ALL.len(),
                when: self.format(gap.to, "%Y-%m-%d %H:%M:%S"),
                level: 0,
                tone: TextTone::Faint,
                sentence: self.gap_line(gap),
            },
        };
        let lanes = HistoryLane::ALL.map(HistoryLane::label).into_iter().chain(["Gaps"]).collect();
        HtmlTimeline { lanes, entries: self.rows().into_iter().map(entry).collect() }
    }
}
