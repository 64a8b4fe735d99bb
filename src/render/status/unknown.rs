//! The objects of a `Status` that are unknown without a finding, in every format. They are not known to be good.

use std::fmt::Write as _;

use crate::render::cut::cut_in_the_middle;
use crate::render::html::{HtmlCell, HtmlPage, HtmlPagePart, HtmlTable, TextTone, source_cell, source_column};
use crate::render::status::LONGEST_MESSAGE;
use crate::render::{DetailLevel, TableStyle, words};
use crate::report::command::command_at;
use crate::report::sources::{DocumentSources, Sourced};
use crate::report::status::{PageLength, StatusReport, UnknownObject};
use crate::ui::{style as look, styled};
use ucp_core::model::shell::quote_word;
use ucp_core::model::text::one_line;

/// The maximum number of unknown objects that are named, unless `--full` is set or the output is wide.
const NAMED_OBJECTS: usize = 10;
/// The maximum number of lines of each.
const LINES: usize = 2;

impl StatusReport {
    /// Adds the unknown objects to a page for a terminal.
    pub(super) fn add_unknown(&self, text: &mut String, style: &TableStyle) {
        let Some(sentence) = self.unknown_sentence() else { return };
        let is_full = style.detail == DetailLevel::Wide || self.page == PageLength::Full;
        let (most, lines) = if is_full { (usize::MAX, usize::MAX) } else { (NAMED_OBJECTS, LINES) };
        let _ = writeln!(text, "\n{}", styled(look::WARN, &sentence));
        for entry in self.unknown.iter().take(most) {
            words::add_wrapped(text, &unknown_line(entry), "  ", style, lines);
        }
        if let Some(more) = self.more_unknown(most) {
            let _ = writeln!(text, "  and {more} more: {}", styled(look::FAINT, &self.unknown_command()));
        }
    }

    /// Returns the unknown objects as a list for a pull request.
    pub(super) fn unknown_markdown(&self) -> String {
        let Some(sentence) = self.unknown_sentence() else { return String::new() };
        let mut text = format!("\n{sentence}\n\n");
        for entry in self.unknown.iter().take(NAMED_OBJECTS) {
            let line = cut_in_the_middle(&unknown_line(entry), LONGEST_MESSAGE);
            let _ = writeln!(text, "- {}", words::markdown_cell(&line));
        }
        if let Some(more) = self.more_unknown(NAMED_OBJECTS) {
            let _ = writeln!(text, "- and {more} more: `{}`", self.unknown_command().replace('`', ""));
        }
        text
    }

    /// Adds all unknown objects to a page for a browser.
    pub(super) fn add_unknown_to_page(&self, page: &mut HtmlPage) {
        let Some(sentence) = self.unknown_sentence() else { return };
        page.line(TextTone::Warning, sentence);
        let rows = self.unknown.iter().map(|entry| {
            let object = [(words::object(&entry.object), &entry.object)];
            let cells = [
                HtmlCell::objects(TextTone::Strong, entry.source.as_ref(), object),
                HtmlCell::new(entry.message.as_deref().unwrap_or_default()),
            ];
            source_cell(entry).chain(cells).collect()
        });
        let columns = source_column(self.header.has_several_sources()).chain(["Object", "Cause"]);
        page.parts.push(HtmlPagePart::Table(HtmlTable::new(columns, rows)));
    }

    fn unknown_sentence(&self) -> Option<String> {
        let objects = match self.unknown.len() {
            0 => return None,
            1 => "1 object is unknown:".to_owned(),
            number => format!("{number} objects are unknown:"),
        };
        Some(if self.findings.is_empty() { format!("No problems found; {objects}") } else { objects })
    }

    /// Returns the number of objects beyond the first ones.
    fn more_unknown(&self, named: usize) -> Option<usize> {
        self.unknown.len().checked_sub(named).filter(|more| *more > 0)
    }

    /// Returns the command that lists all unknown objects.
    fn unknown_command(&self) -> String {
        let selector = self.selector.as_deref().map(|text| format!(" -l {}", quote_word(text))).unwrap_or_default();
        let command = format!("kubectl ucp resources --any --only Unknown{selector}");
        one_line(&match &self.header.source {
            DocumentSources::One(source) => command_at(&command, source),
            DocumentSources::Several(_) => command,
        })
    }
}

fn unknown_line(entry: &Sourced<UnknownObject>) -> String {
    let message = entry.message.as_deref().map(str::trim).filter(|message| !message.is_empty());
    let message = message.map(|message| format!(": {}", one_line(message))).unwrap_or_default();
    format!("{}{}{message}", words::source_line_prefix(entry), words::object(&entry.object))
}
