//! The page of `--watch` on a terminal: a document that is replaced after each change, with a clock.

use jiff::Timestamp;
use ratatui::Frame;
use ratatui::crossterm::event::{Event, KeyCode, KeyEventKind, KeyModifiers};
use ratatui::layout::{Constraint, Layout};
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

use super::page::{RenderText, TextPage};
use super::palette::{Palette, adapted};
use crate::render::cut::cut_in_the_middle;
use ucp_core::model::text::{columns, one_line};

/// What a key asks of the program around the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LiveAction {
    /// Nothing.
    None,
    /// Stop until the shell continues this process.
    Suspend,
    /// End.
    Quit,
}

/// A document that follows a cluster.
pub struct LivePage {
    page: TextPage,
    as_of: Option<Timestamp>,
    height: usize,
    length: usize,
}

impl LivePage {
    /// Creates the page, with nothing read yet.
    pub fn new(title: impl Into<String>) -> Self {
        Self { page: TextPage::reading(title, "", 0), as_of: None, height: 0, length: 0 }
    }

    /// Replaces the document. The position on the page stays.
    pub fn fill(&mut self, render: RenderText, now: Timestamp) {
        self.page.fill(render);
        self.as_of = Some(now);
    }

    /// Handles a key.
    pub fn handle(&mut self, event: &Event) -> LiveAction {
        let Event::Key(key) = event else { return LiveAction::None };
        if key.kind == KeyEventKind::Release {
            return LiveAction::None;
        }
        let screen = isize::try_from(self.height.saturating_sub(1)).unwrap_or(1);
        let by = match key.code {
            KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => return LiveAction::Quit,
            KeyCode::Char('z') if key.modifiers.contains(KeyModifiers::CONTROL) => return LiveAction::Suspend,
            KeyCode::Char('q') | KeyCode::Esc => return LiveAction::Quit,
            KeyCode::Up | KeyCode::Char('k') => -1,
            KeyCode::Down | KeyCode::Char('j') | KeyCode::Enter => 1,
            KeyCode::PageUp | KeyCode::Char('b') => -screen,
            KeyCode::PageDown | KeyCode::Char(' ') => screen,
            KeyCode::Home | KeyCode::Char('g') => isize::MIN,
            KeyCode::End | KeyCode::Char('G') => isize::MAX,
            _ => 0,
        };
        self.page.scroll(by, self.height, self.length);
        LiveAction::None
    }

    /// Draws a frame. `clock` is the current time.
    pub fn draw(&mut self, frame: &mut Frame<'_>, palette: Palette, clock: Timestamp) {
        let [body, footer] = Layout::vertical([Constraint::Min(1), Constraint::Length(1)]).areas(frame.area());
        let lines = self.page.lines(usize::from(body.width));
        (self.height, self.length) = (usize::from(body.height), lines.len());
        self.page.scroll(0, self.height, self.length);
        let end = (self.page.top + self.height).min(lines.len());
        let shown: Vec<Line<'_>> = lines[self.page.top..end].iter().map(|line| adapted(line, palette)).collect();
        frame.render_widget(Paragraph::new(shown), body);
        let place = match lines.len().saturating_sub(end) {
            0 if self.page.top == 0 => String::new(),
            0 => "  end".to_owned(),
            more => format!("  {more} more lines ↓"),
        };
        let as_of =
            self.as_of.map_or_else(|| "reading …".to_owned(), |time| format!("as of {}", time.strftime("%H:%M:%S")));
        let right = format!("{as_of}  {}  q quits ", clock.strftime("%H:%M:%S UTC"));
        let width = usize::from(footer.width);
        let left = format!(" {}{place}", one_line(&self.page.title));
        let left = cut_in_the_middle(&left, width.saturating_sub(columns(&right) + 1));
        let space = " ".repeat(width.saturating_sub(columns(&left) + columns(&right)));
        let line = Line::from(format!("{left}{space}{right}"));
        frame.render_widget(line.style(Style::new().add_modifier(Modifier::REVERSED)), footer);
    }
}
