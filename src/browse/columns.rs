//! The columns of a list: their widths, and the cells of a row.

use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::View;
use super::palette::{BOLD, DIM, Palette};
use super::row::{Row, wide_columns};
use crate::render::cut::{cut_at_the_end, cut_in_the_middle};
use crate::render::fitting::fitted;
use crate::render::words;
use ucp_core::model::text::{columns, one_line};

/// A column of causes below this width shows only their beginning.
const NARROW: usize = 40;
/// The space between columns.
const GAP: usize = 2;

/// The widths of the columns of a list.
pub(super) struct Columns {
    source: usize,
    mark: usize,
    code: usize,
    age: usize,
    name: usize,
    wide: Vec<usize>,
    why: usize,
}

impl Columns {
    /// Returns the widths that fit the screen. Causes keep at least a third of it.
    pub(super) fn fitting(view: View, rows: &[Row], width: usize, is_wide: bool) -> Self {
        let widest = |text: &dyn Fn(&Row) -> usize| rows.iter().map(text).max().unwrap_or(0);
        // No column is narrower than its header.
        let at_least = |width: usize, header: &str| if width > 0 { width.max(header.len()) } else { 0 };
        let source = widest(&|row| row.source.as_ref().map_or(0, |source| columns(&one_line(source.label())))).min(24);
        let source = at_least(source, words::SOURCE);
        let mark = widest(&|row| columns(&row.mark)).max(7);
        let code = if matches!(view, View::Findings | View::Drift) { widest(&|row| columns(&row.code)) } else { 0 };
        let age = at_least(widest(&|row| columns(&row.age)), since_header(view));
        let name = widest(&|row| columns(&row.branch) + columns(&row.name));
        let why = widest(&|row| columns(&row.why));
        let names = wide_columns(view);
        let mut wide: Vec<usize> = match is_wide {
            true => (0..names.len())
                .map(|index| {
                    let value = widest(&|row| row.wide.get(index).map_or(0, |text| columns(text)));
                    value.max(names[index].len()).min(32)
                })
                .collect(),
            false => Vec::new(),
        };
        let gap = |width: usize| if width > 0 { width + GAP } else { 0 };
        let widest_name = name.min(width / 2);
        let room_beside = |wide: &[usize]| {
            let fixed = 1 + gap(source) + gap(mark) + gap(code) + gap(age);
            width.saturating_sub(fixed + wide.iter().map(|width| gap(*width)).sum::<usize>())
        };
        let name_beside = |room: usize| {
            let least_why = if why == 0 { 0 } else { (room / 3).min(why) + GAP };
            name.min(room.saturating_sub(least_why))
        };
        // More columns never shorten a name: those without room are left out.
        while wide.iter().any(|width| *width > 0) && name_beside(room_beside(&wide)) < widest_name {
            wide.iter_mut().rev().find(|width| **width > 0).into_iter().for_each(|width| *width = 0);
        }
        let room = room_beside(&wide);
        let name = name_beside(room);
        let why = room.saturating_sub(gap(name));
        Self { source, mark, code, age, name, wide, why }
    }

    pub(super) fn header(&self, view: View, number: usize) -> String {
        let name = if view == View::AppClusters { "CLUSTER" } else { "OBJECT" };
        let (mark, why) = if view == View::History { ("TIME", "WHAT") } else { ("VERDICT", "WHY") };
        let since = since_header(view);
        let mut cells = vec![(words::SOURCE, self.source), (mark, self.mark), ("CODE", self.code), (since, self.age)];
        let title = format!("{name} ({number})");
        cells.push((&title, self.name));
        cells.extend(wide_columns(view).iter().copied().zip(self.wide.iter().copied()));
        cells.push((why, self.why));
        let mut line = String::from(" ");
        for (text, width) in cells.into_iter().filter(|(_, width)| *width > 0) {
            line.push_str(&padded(text, width));
            line.push_str(&" ".repeat(GAP));
        }
        line
    }

    pub(super) fn line(&self, row: &Row, palette: Palette, is_changed: bool) -> Line<'static> {
        let mut spans = vec![Span::raw(if is_changed { "•" } else { " " })];
        let mut add = |text: &str, width: usize, style: Style| {
            if width > 0 {
                spans.push(Span::styled(padded(text, width), style));
                spans.push(Span::raw(" ".repeat(GAP)));
            }
        };
        let source = row.source.as_ref().map(|source| one_line(source.label())).unwrap_or_default();
        let changed = if is_changed { BOLD.add_modifier(Modifier::UNDERLINED) } else { Style::new() };
        add(&source, self.source, Style::new());
        add(&row.mark, self.mark, row.verdict.map(|verdict| palette.verdict(verdict)).unwrap_or_default());
        add(&row.code, self.code, DIM);
        add(&row.age, self.age, Style::new());
        let room = self.name.saturating_sub(columns(&row.branch));
        add(&format!("{}{}", row.branch, fitted(&row.name, row.named(), room)), self.name, changed);
        for (index, width) in self.wide.iter().enumerate() {
            add(row.wide.get(index).map_or("", String::as_str), *width, Style::new());
        }
        // The path of a field ends with the field.
        let is_long_word = row.why.split(' ').next().is_some_and(|word| columns(word) > self.why);
        let why = match self.why {
            // The beginning names the problem.
            width if width < NARROW && !is_long_word => cut_at_the_end(&row.why, width),
            width => cut_in_the_middle(&row.why, width),
        };
        add(&why, self.why, Style::new());
        Line::from(spans)
    }
}

const fn since_header(view: View) -> &'static str {
    if matches!(view, View::Findings | View::Drift) { "SINCE" } else { "AGE" }
}

/// Returns a text with exactly this many columns.
fn padded(text: &str, width: usize) -> String {
    let mut text = cut_in_the_middle(text, width);
    text.push_str(&" ".repeat(width.saturating_sub(columns(&text))));
    text
}
