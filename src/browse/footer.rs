//! The bottom of a frame: a line that the user types, a message, or the keys; and a list to pick from.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Paragraph};

use super::palette::{BOLD, DIM};
use super::picker::PromptPurpose;
use super::{Browser, View};
use crate::render::cut::cut_in_the_middle;
use crate::render::words;
use ucp_core::model::text::{columns, one_line};

/// The keys of a list, from many to few, for narrower terminals.
const LIST_KEYS: [&str; 4] = [
    "Enter open  e explain  y yaml  d drift  h history  p causes  o owner  / filter  : jump  n c w s  C copy  ? keys  q quit",
    "Enter open  e explain  h history  p causes  / filter  C copy  ? keys  q quit",
    "Enter open  e explain  / filter  ? keys  q quit",
    "? keys  q quit",
];
/// The keys of a page of text.
const TEXT_KEYS: [&str; 2] =
    ["↑ ↓ PgUp PgDn scroll  / filter  C copy  Esc back  ? keys  q quit", "Esc back  ? keys  q quit"];

impl Browser {
    /// Returns the height of the bottom: a message, such as a copied command, is shown as a whole.
    pub(super) fn footer_height(&self, area: Rect) -> u16 {
        let lines = match (&self.prompt, &self.message) {
            (None, Some(message)) => wrapped(message, usize::from(area.width)).len(),
            _ => 1,
        };
        u16::try_from(lines).unwrap_or(u16::MAX).clamp(1, (area.height / 2).max(1))
    }

    pub(super) fn draw_footer(&self, frame: &mut Frame<'_>, area: Rect) {
        let width = usize::from(area.width);
        if let Some(prompt) = &self.prompt {
            let (sign, help) = match prompt.purpose {
                PromptPurpose::Filter if self.picker.is_some() => ('/', "Enter selects, Esc clears"),
                PromptPurpose::Filter => ('/', "Enter keeps, Esc clears"),
                PromptPurpose::Jump => (':', "KIND/NAME, NAME or a view"),
            };
            let text = format!("{sign}{}", one_line(&prompt.text));
            let cursor = u16::try_from(columns(&text)).unwrap_or(0).min(area.width.saturating_sub(1));
            frame.render_widget(Line::from(vec![Span::raw(text), Span::styled(format!("   {help}"), DIM)]), area);
            frame.set_cursor_position(Position::new(area.x + cursor, area.y));
            return;
        }
        if let Some(message) = &self.message {
            let lines: Vec<Line<'_>> = wrapped(message, width).into_iter().map(Line::from).collect();
            frame.render_widget(Paragraph::new(lines).style(BOLD), area);
            return;
        }
        if self.picker.is_some() {
            let keys = " ↑ ↓ j k  PgUp PgDn  g G   / filter   Enter selects   Esc closes";
            frame.render_widget(Line::from(keys).style(DIM), area);
            return;
        }
        let filter = match self.shown_filter() {
            "" => String::new(),
            filter => format!("/{}  ", one_line(filter)),
        };
        let is_text = !self.pages.is_empty() || self.versions.is_some() && self.view == View::Versions;
        let keys = if is_text { &TEXT_KEYS[..] } else { &LIST_KEYS[..] };
        let texts = keys.iter().map(|keys| format!(" {filter}{keys}"));
        let fitting = texts.filter(|text| columns(text) <= width).max_by_key(|text| columns(text));
        let text = fitting.unwrap_or_else(|| format!(" {filter}"));
        frame.render_widget(Line::from(text).style(DIM), area);
    }

    pub(super) fn draw_picker(&self, frame: &mut Frame<'_>, area: Rect) {
        let Some(picker) = &self.picker else { return };
        let widest = picker.choices.iter().map(|choice| columns(&one_line(choice.title()))).max().unwrap_or(0);
        let width = u16::try_from(widest.max(columns(picker.title)) + 4).unwrap_or(u16::MAX).min(area.width);
        let height = u16::try_from(picker.choices.len() + 1).unwrap_or(u16::MAX).min(area.height);
        let place = Rect { x: area.x + (area.width - width) / 2, y: area.y, width, height };
        frame.render_widget(Clear, place);
        let room = usize::from(height.saturating_sub(1)).max(1);
        let top = picker.selected.saturating_sub(room - 1);
        let mut lines = vec![
            Line::from(format!(" {:1$}", picker.title, usize::from(width)))
                .style(BOLD.add_modifier(Modifier::UNDERLINED)),
        ];
        for (index, choice) in picker.shown().into_iter().enumerate().skip(top).take(room) {
            let name = cut_in_the_middle(&one_line(choice.title()), usize::from(width).saturating_sub(2));
            let style =
                if index == picker.selected { Style::new().add_modifier(Modifier::REVERSED) } else { Style::new() };
            lines.push(Line::from(format!(" {name}{}", " ".repeat(usize::from(width)))).style(style));
        }
        frame.render_widget(Paragraph::new(lines), place);
    }
}

/// Returns the lines of a message.
fn wrapped(message: &str, width: usize) -> Vec<String> {
    let message = one_line(message);
    let lines = textwrap::wrap(&message, words::wrapping(width.max(10)));
    lines.into_iter().map(|line| line.into_owned()).collect()
}
