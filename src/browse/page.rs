//! A page of text over a view: YAML, a diff, events, an explanation, or the document of `--watch`.

use std::sync::Arc;

use ansi_to_tui::IntoText as _;
use ratatui::text::{Line, Text};

use ucp_core::model::text::plain;

/// Returns the text of a page for a width in columns. It may contain styles; text from outside is sanitized.
pub type RenderText = Arc<dyn Fn(usize) -> String + Send + Sync>;

/// A page of text.
pub struct TextPage {
    pub(super) title: String,
    /// The command that shows the same.
    pub(super) command: String,
    body: PageBody,
    /// Only lines with this text are shown, and the header.
    pub(super) filter: String,
    has_header: bool,
    /// The first line on the screen.
    pub(super) top: usize,
    /// The first column on the screen.
    pub(super) left: usize,
}

enum PageBody {
    Reading(u64),
    Ready { render: RenderText, width: usize, lines: Vec<Line<'static>> },
    Failed(String),
}

impl TextPage {
    /// Creates a page that waits for the answer to a request.
    pub(super) fn reading(title: impl Into<String>, command: impl Into<String>, number: u64) -> Self {
        Self {
            title: title.into(),
            command: command.into(),
            body: PageBody::Reading(number),
            filter: String::new(),
            has_header: false,
            top: 0,
            left: 0,
        }
    }

    /// Keeps the first line, whatever the filter.
    pub(super) fn with_header(self) -> Self {
        Self { has_header: true, ..self }
    }

    /// Creates a page with its text.
    pub fn new(title: impl Into<String>, command: impl Into<String>, render: RenderText) -> Self {
        let mut page = Self::reading(title, command, 0);
        page.fill(render);
        page
    }

    pub(super) fn waits_for(&self, number: u64) -> bool {
        matches!(self.body, PageBody::Reading(known) if known == number)
    }

    /// Replaces the text. The position on the page stays.
    pub fn fill(&mut self, render: RenderText) {
        self.body = PageBody::Ready { render, width: 0, lines: Vec::new() };
    }

    pub(super) fn fail(&mut self, reason: String) {
        self.body = PageBody::Failed(reason);
    }

    /// Shows only lines with a text, from the top.
    pub(super) fn set_filter(&mut self, filter: String) {
        (self.filter, self.top) = (filter, 0);
    }

    /// Returns the lines for a width that the filter leaves.
    pub(super) fn lines(&mut self, width: usize) -> Vec<Line<'static>> {
        let mut lines = self.all_lines(width);
        let filter = self.filter.to_lowercase();
        if !filter.is_empty() {
            let mut is_first = self.has_header;
            lines.retain(|line| std::mem::take(&mut is_first) || line.to_string().to_lowercase().contains(&filter));
        }
        lines
    }

    /// Returns the lines for a width. They are laid out once for each width.
    fn all_lines(&mut self, width: usize) -> Vec<Line<'static>> {
        match &mut self.body {
            PageBody::Reading(_) => vec![Line::from("reading …")],
            PageBody::Failed(reason) => plain(reason).lines().map(|line| Line::from(line.to_owned())).collect(),
            PageBody::Ready { render, width: known, lines } => {
                if *known != width {
                    let text = render(width);
                    let styled = text.into_text().unwrap_or_else(|_| Text::from(plain(&text).into_owned()));
                    (*known, *lines) = (width, styled.lines);
                }
                lines.clone()
            }
        }
    }

    /// Scrolls by a number of lines, and not beyond the end.
    pub(super) fn scroll(&mut self, by: isize, height: usize, length: usize) {
        let last = length.saturating_sub(height);
        self.top = self.top.saturating_add_signed(by).min(last);
    }

    /// Scrolls sideways.
    pub(super) fn shift(&mut self, by: isize) {
        self.left = self.left.saturating_add_signed(by).min(2_000);
    }
}
