//! Frames: a header, tabs, the view, details of the selected row, and the keys.

use std::time::Instant;

use jiff::Timestamp;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Position, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

use super::columns::Columns;
use super::palette::{BOLD, DIM, Palette, adapted};
use super::row::Row;
use super::{Browser, Fetched, MARKED, View};
use crate::render::cut::{cut_at_the_end, cut_in_the_middle};
use crate::render::words;
use ucp_core::model::state::Origin;
use ucp_core::model::text::{columns, one_line};

/// The most lines of details.
const DETAIL_LINES: u16 = 5;

/// Where things are on the screen, for clicks and pages.
#[derive(Debug, Clone, Default)]
pub(super) struct ScreenAreas {
    tabs: Vec<(Rect, View)>,
    rows: Rect,
    /// The number of lines of the page of text.
    pub(super) text_length: usize,
}

impl ScreenAreas {
    pub(super) fn body_height(&self) -> usize {
        usize::from(self.rows.height)
    }

    pub(super) fn set_tabs(&mut self, tabs: Vec<(Rect, View)>) {
        self.tabs = tabs;
    }

    pub(super) fn tab_at(&self, position: Position) -> Option<View> {
        self.tabs.iter().find(|(area, _)| area.contains(position)).map(|(_, view)| *view)
    }

    /// Returns the line of the list at a position.
    pub(super) fn row_at(&self, position: Position) -> Option<usize> {
        self.rows.contains(position).then(|| usize::from(position.y - self.rows.y))
    }
}

impl Browser {
    /// Draws a frame. `clock` is the current time.
    pub fn draw(&mut self, frame: &mut Frame<'_>, palette: Palette, clock: Timestamp, now: Instant) {
        let area = frame.area();
        let [header, tabs, body, footer] = Layout::vertical([
            Constraint::Length(1),
            Constraint::Length(1),
            Constraint::Min(1),
            Constraint::Length(self.footer_height(area)),
        ])
        .areas(area);
        self.draw_header(frame, header, clock);
        self.draw_tabs(frame, tabs);
        if self.text_page().is_some() {
            self.draw_page(frame, body, palette);
        } else {
            self.draw_list(frame, body, palette, now);
        }
        self.draw_footer(frame, footer);
        self.draw_picker(frame, body);
    }

    fn draw_page(&mut self, frame: &mut Frame<'_>, area: Rect, palette: Palette) {
        let [title, body] = Layout::vertical([Constraint::Length(1), Constraint::Min(1)]).areas(area);
        self.areas.rows = body;
        let Some(page) = self.text_page() else { return };
        let lines = page.lines(usize::from(body.width));
        page.scroll(0, usize::from(body.height), lines.len());
        let (top, left) = (page.top, page.left);
        let end = (top + usize::from(body.height)).min(lines.len());
        let place = if end < lines.len() || top > 0 {
            format!("  {}–{end} of {}", top + 1, lines.len())
        } else {
            String::new()
        };
        let room = usize::from(title.width).saturating_sub(columns(&place) + 1);
        let name = cut_in_the_middle(&page.title, room);
        frame.render_widget(Line::from(format!(" {name}{place}")).style(BOLD), title);
        let shown: Vec<Line<'_>> = lines[top..end].iter().map(|line| adapted(line, palette)).collect();
        let scroll = (0, u16::try_from(left).unwrap_or(u16::MAX));
        frame.render_widget(Paragraph::new(shown).scroll(scroll), body);
        self.areas.text_length = lines.len();
    }

    fn draw_list(&mut self, frame: &mut Frame<'_>, area: Rect, palette: Palette, now: Instant) {
        let selected = self.selected_row();
        let most = usize::from(DETAIL_LINES.min(area.height / 3));
        let detail = selected.as_ref().map(|row| detail_lines(row, area.width, most)).unwrap_or_default();
        let notes = self.notes();
        let wrapping = words::wrapping(usize::from(area.width).saturating_sub(1).max(10));
        let notes: Vec<String> =
            notes.iter().flat_map(|note| textwrap::wrap(note, &wrapping)).map(|line| format!(" {line}")).collect();
        let detail_height = u16::try_from(detail.len()).unwrap_or(u16::MAX).min(area.height / 2);
        let notes_height = u16::try_from(notes.len()).unwrap_or(3).min(3).min(area.height / 4);
        let separator = u16::from(detail_height > 0);
        let [note_area, head, body, line, detail_area] = Layout::vertical([
            Constraint::Length(notes_height),
            Constraint::Length(1),
            Constraint::Min(1),
            Constraint::Length(separator),
            Constraint::Length(detail_height),
        ])
        .areas(area);
        let notes: Vec<Line<'_>> =
            notes.into_iter().map(|note| Line::from(note).style(palette.color(Color::Yellow))).collect();
        frame.render_widget(Paragraph::new(notes), note_area);
        self.areas.rows = body;
        self.list_mut().scroll_to_selected(usize::from(body.height));
        let list = self.list();
        if list.rows.is_empty() {
            let reason = self.empty_reason();
            let width = usize::from(area.width).saturating_sub(2).max(10);
            let lines = textwrap::wrap(&reason, words::wrapping(width));
            let lines: Vec<Line<'_>> = lines.into_iter().map(|line| Line::from(format!(" {line}"))).collect();
            frame.render_widget(Paragraph::new(lines).style(DIM), head.union(body));
            return;
        }
        let view = self.view;
        let end = (list.top + usize::from(body.height)).min(list.rows.len());
        let shown = &list.rows[list.top..end];
        let mut rows: Vec<Row> = shown.iter().filter_map(|id| self.row(view, *id)).collect();
        if self.only.is_some() {
            // The header names it.
            rows.iter_mut().for_each(|row| row.source = None);
        }
        let columns = Columns::fitting(view, &rows, usize::from(area.width), self.is_wide);
        frame.render_widget(Line::from(columns.header(view, list.rows.len())).style(DIM), head);
        for (line, (row, id)) in rows.iter().zip(shown).enumerate() {
            let y = body.y + u16::try_from(line).unwrap_or(0);
            let row_area = Rect { y, height: 1, ..body };
            let is_selected = list.top + line == list.selected;
            let is_changed =
                self.changed.get(&self.key(view, *id)).is_some_and(|since| now.duration_since(*since) < MARKED);
            let mut text = columns.line(row, palette, is_changed);
            if is_selected {
                text = text.style(Style::new().add_modifier(Modifier::REVERSED));
                frame.buffer_mut().set_style(row_area, Style::new().add_modifier(Modifier::REVERSED));
            }
            frame.render_widget(text, row_area);
        }
        let rule = "─".repeat(usize::from(line.width));
        frame.render_widget(Line::from(rule).style(DIM), line);
        frame.render_widget(Paragraph::new(detail.into_iter().map(Line::from).collect::<Vec<_>>()), detail_area);
    }

    /// Returns what is missing from the lists: sources and kinds that could not be read.
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        for source in &self.sources {
            let name =
                if self.sources.len() > 1 { format!("{}: ", one_line(source.origin.label())) } else { String::new() };
            if let Some(trouble) = &source.trouble {
                notes.push(format!("{name}{}; r tries again", one_line(trouble)));
            }
            let unreadable = source.hub.as_ref().map_or(0, |hub| hub.status.unreadable.len());
            if unreadable > 0 && matches!(self.view, View::Findings | View::Resources | View::Deployments) {
                let number = if unreadable == 1 {
                    "1 kind or object".to_owned()
                } else {
                    format!("{unreadable} kinds or objects")
                };
                notes.push(format!("{name}{number} could not be read (unknown); 'kubectl ucp status' lists them"));
            }
        }
        let (as_of, unread, command) = match self.view {
            View::Tree => (moment_of(&self.tree), 0, "tree"),
            View::AppClusters => match &self.clusters {
                Fetched::Ready(list, now) => (Some(*now), list.unreadable.len(), "clusters"),
                _ => (None, 0, ""),
            },
            View::Drift => match &self.drift {
                Fetched::Ready(report, now) => (Some(*now), report.unreadable.len(), "drift"),
                _ => (None, 0, ""),
            },
            View::History => match &self.history {
                Fetched::Ready(page, now) => (Some(*now), page.unreadable, "history"),
                _ => (None, 0, ""),
            },
            _ => (None, 0, ""),
        };
        let is_snapshot = self.sources.iter().all(|source| matches!(*source.origin, Origin::Snapshot { .. }));
        if let Some(moment) = as_of.filter(|_| !is_snapshot) {
            notes.push(format!("as of {}; r reads again", moment.strftime("%H:%M:%S UTC")));
        }
        if unread > 0 {
            notes.push(format!("{unread} could not be checked (unknown); 'kubectl ucp {command}' lists them"));
        }
        notes
    }

    fn empty_reason(&self) -> String {
        let of_read = |state: &str| match state {
            "" => "nothing found".to_owned(),
            text => text.to_owned(),
        };
        if !self.list().filter.is_empty() {
            return format!("no row contains '{}'; Esc shows all", one_line(&self.list().filter));
        }
        let is_complete = |hub: &super::HubState| hub.status.unreadable.is_empty() && !hub.status.engines.is_empty();
        match self.view {
            View::Findings | View::Resources | View::Deployments => {
                let hubs: Vec<_> = self.sources.iter().filter_map(|source| source.hub.as_ref()).collect();
                if hubs.len() < self.sources.len() {
                    let is_failed = self.sources.iter().all(|source| source.trouble.is_some() || source.hub.is_some());
                    return if is_failed {
                        "not everything could be read".to_owned()
                    } else {
                        "reading …".to_owned()
                    };
                }
                match self.view {
                    View::Findings if hubs.iter().any(|hub| hub.status.engines.is_empty()) => {
                        "no engine was found: is this the core cluster? c selects another".to_owned()
                    }
                    View::Findings if self.namespace.is_some() => "no problems in this namespace".to_owned(),
                    View::Findings if hubs.iter().all(|hub| is_complete(hub)) => "no problems".to_owned(),
                    View::Findings => "no problems in what could be read".to_owned(),
                    _ => of_read(""),
                }
            }
            View::Tree => fetched_reason(&self.tree, "Enter on a row of another view shows its tree; :KIND/NAME, too"),
            View::AppClusters => fetched_reason(&self.clusters, "no app clusters found"),
            View::Drift => fetched_reason(&self.drift, "no differences in what could be checked"),
            View::History => fetched_reason(&self.history, "no occurrence is in the data that could be read"),
            View::Versions => String::new(),
        }
    }
}

fn moment_of<T>(fetched: &Fetched<T>) -> Option<Timestamp> {
    match fetched {
        Fetched::Ready(_, moment) => Some(*moment),
        _ => None,
    }
}

fn fetched_reason<T>(fetched: &Fetched<T>, nothing: &str) -> String {
    match fetched {
        Fetched::Reading(_) => "reading …".to_owned(),
        Fetched::Failed(reason) => format!("{}; r tries again", one_line(reason)),
        Fetched::Unread | Fetched::Ready(..) => nothing.to_owned(),
    }
}

/// Returns the lines about the selected row, wrapped: at most this many, unless its next command has several.
fn detail_lines(row: &Row, width: u16, most: usize) -> Vec<String> {
    let width = usize::from(width).saturating_sub(2).max(10);
    let mut lines = Vec::new();
    let full = row.named().map_or_else(|| row.name.clone(), words::object);
    let wrapped = |text: &str| -> Vec<String> {
        textwrap::wrap(text, words::wrapping(width)).into_iter().map(|line| format!(" {line}")).collect()
    };
    let details: Vec<String> =
        row.detail.iter().filter(|text| !text.is_empty()).flat_map(|text| wrapped(text)).collect();
    // A command is shown as a whole.
    let hint = row.hint.as_deref().map(|hint| textwrap::wrap(hint, words::wrapping(width.saturating_sub(2))));
    let hint = hint.unwrap_or_default();
    let most = most.saturating_sub(usize::from(!hint.is_empty())).max(1);
    // The row has the name, too, and the cause is in no other place.
    let name_lines = most - details.len().min(most.div_ceil(2));
    if name_lines > 0 && !full.is_empty() {
        lines.extend(wrapped(&cut_in_the_middle(&full, (name_lines * width).saturating_sub(name_lines - 1))));
    }
    lines.extend(details);
    if lines.len() > most {
        lines.truncate(most);
        let last = lines.pop().map(|last| cut_at_the_end(&format!("{last} …"), width));
        lines.extend(last);
    }
    let sign = |index: usize| if index == 0 { " → " } else { "   " };
    lines.extend(hint.iter().enumerate().map(|(index, line)| format!("{}{line}", sign(index))));
    lines
}
