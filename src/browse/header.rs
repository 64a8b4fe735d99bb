//! The top of a frame: the sources, the time of their data, and the tabs.

use jiff::Timestamp;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::palette::BOLD;
use super::{Browser, SourceView, View};
use crate::render::cut::cut_in_the_middle;
use crate::render::words;
use ucp_core::model::state::Origin;
use ucp_core::model::text::{columns, one_line};

impl Browser {
    pub(super) fn draw_header(&self, frame: &mut Frame<'_>, area: Rect, clock: Timestamp) {
        let names: Vec<String> = match self.only.and_then(|only| self.sources.get(only)) {
            Some(source) => vec![one_line(source.origin.label())],
            None => self.sources.iter().map(|source| one_line(source.origin.label())).collect(),
        };
        let place = match (names.as_slice(), self.sources.first().map(|source| source.origin.as_ref())) {
            ([name], Some(Origin::Cluster { server, context })) if !context.is_empty() && self.only.is_none() => {
                format!("{name} at {}", one_line(server))
            }
            (names, _) => words::join_limited(names, 4),
        };
        let namespace = self.namespace.as_ref().map(|name| format!("  -n {}", one_line(name))).unwrap_or_default();
        let selector = self.start.selector.as_ref().map(|text| format!("  -l {}", one_line(text))).unwrap_or_default();
        let shown = self.sources.iter().enumerate().filter(|(index, _)| self.only.is_none_or(|only| only == *index));
        let shown: Vec<&SourceView> = shown.map(|(_, source)| source).collect();
        let moments = shown.iter().filter_map(|source| source.hub.as_ref()).map(|hub| hub.moment);
        let period = moments.clone().min().zip(moments.max());
        let is_snapshot = shown.iter().any(|source| matches!(*source.origin, Origin::Snapshot { .. }));
        let right = match period {
            Some((first, last)) if is_snapshot => format!("as of {} ", period_of(first, last)),
            Some(_) => format!("{} ", clock.strftime("%H:%M:%S UTC")),
            None if shown.iter().all(|source| source.trouble.is_some()) => {
                format!("not read {} ", clock.strftime("%H:%M:%S UTC"))
            }
            None => format!("reading … {} ", clock.strftime("%H:%M:%S UTC")),
        };
        let room = usize::from(area.width).saturating_sub(columns(&right) + 2);
        let left = cut_in_the_middle(&format!(" ucp  {place}{namespace}{selector}"), room);
        let space = " ".repeat(usize::from(area.width).saturating_sub(columns(&left) + columns(&right)));
        let line = Line::from(format!("{left}{space}{right}")).style(Style::new().add_modifier(Modifier::REVERSED));
        frame.render_widget(line, area);
    }

    pub(super) fn draw_tabs(&mut self, frame: &mut Frame<'_>, area: Rect) {
        let laid_out = (0..5).map(|compactness| self.tabs(area, compactness));
        let fits = |(_, _, end): &(_, _, u16)| *end <= area.right();
        let (tabs, spans) = match laid_out.into_iter().find(fits) {
            Some((tabs, spans, _)) => (tabs, spans),
            None => {
                let (tabs, spans, _) = self.tabs(area, 4);
                (tabs, spans)
            }
        };
        self.areas.set_tabs(tabs);
        frame.render_widget(Line::from(spans), area);
    }

    /// Returns the tabs with their places, and the column after the last one.
    fn tabs(&self, area: Rect, compactness: usize) -> (Vec<(Rect, View)>, Vec<Span<'static>>, u16) {
        let mut spans = Vec::new();
        let mut tabs = Vec::new();
        let mut x = area.x;
        for (index, view) in View::ALL.into_iter().enumerate() {
            let count = match view {
                // Where there is no room, only the current view is counted, or none.
                _ if compactness > 2 || compactness > 1 && view != self.view => String::new(),
                View::Findings | View::Resources | View::Deployments => match self.count_rows(view) {
                    _ if self.sources.iter().all(|source| source.hub.is_none()) => String::new(),
                    number => format!(" {number}"),
                },
                _ => String::new(),
            };
            let title = if compactness > 2 { view.short_title() } else { view.title() };
            let text = match compactness {
                0 => format!(" {} {title}{count} ", index + 1),
                4.. if view != self.view => format!("{} ", index + 1),
                _ => format!("{} {title}{count} ", index + 1),
            };
            let width = u16::try_from(columns(&text)).unwrap_or(u16::MAX);
            tabs.push((Rect { x, width, ..area }.intersection(area), view));
            x = x.saturating_add(width);
            let style = if view == self.view { BOLD.add_modifier(Modifier::UNDERLINED) } else { Style::new() };
            spans.push(Span::styled(text, style));
        }
        (tabs, spans, x)
    }
}

/// Returns the period in which several snapshots were taken, or the time of one.
fn period_of(first: Timestamp, last: Timestamp) -> String {
    let text = |time: Timestamp, format: &str| time.strftime(format).to_string();
    let minute = "%Y-%m-%d %H:%M";
    let end = match text(first, "%Y-%m-%d") == text(last, "%Y-%m-%d") {
        _ if text(first, minute) == text(last, minute) => String::new(),
        true => text(last, "–%H:%M"),
        false => text(last, " – %m-%d %H:%M"),
    };
    format!("{}{end} UTC", text(first, minute))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_snapshots_have_a_period() {
        let of = |first: &str, last: &str| period_of(first.parse().unwrap(), last.parse().unwrap());
        let first = "2026-11-19T03:12:05Z";
        assert_eq!(of(first, first), "2026-11-19 03:12 UTC");
        assert_eq!(of(first, "2026-11-19T04:00:00Z"), "2026-11-19 03:12–04:00 UTC");
        assert_eq!(of(first, "2026-11-20T03:00:00Z"), "2026-11-19 03:12 – 11-20 03:00 UTC");
    }
}
