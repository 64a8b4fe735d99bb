//! Tables in kubectl's format: three spaces between columns, no lines, no padding after the last column.

use comfy_table::{ColumnConstraint, ContentArrangement, Row, Table, Width, presets};

use crate::render::cut::cut_styled;
use crate::render::{DetailLevel, HeaderVisibility, TableStyle};
use ucp_core::model::text;

/// The number of spaces between two columns, as in kubectl's tab writer.
pub(super) const GAP: usize = 3;

/// The maximum width of a cell in any output: comfy-table stores widths in 16 bits, and fails for longer ones.
const LONGEST: usize = 20_000;

/// The number of rows that are laid out at once, since a cell of comfy-table takes much more memory than its text.
const AT_ONCE: usize = 512;

/// The behavior of a column if the terminal is too narrow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableColumn<'a> {
    /// Never truncated.
    Fixed(&'a str),
    /// Truncated in the middle; omitted if there is no room for its name.
    Flexible(&'a str),
    /// Truncated in the middle, after spare columns are omitted; omitted if there is no room for a few words.
    Words(&'a str),
    /// Shown in full or omitted; columns from the left have precedence, then others that fit.
    Spare(&'a str),
}

/// The minimum width for a flexible column with long text; spare columns are omitted first.
const LEAST: usize = 24;

impl<'a> TableColumn<'a> {
    fn name(self) -> &'a str {
        match self {
            Self::Fixed(name) | Self::Flexible(name) | Self::Words(name) | Self::Spare(name) => name,
        }
    }
}

/// Lays out rows under columns. Cells may be styled; each is one line of [`ucp_core::model::text::one_line`] text.
pub fn table(columns: &[TableColumn<'_>], rows: impl IntoIterator<Item = Vec<String>>, style: &TableStyle) -> String {
    let header = columns.iter().map(|column| column.name().to_owned()).collect();
    let rows: Vec<Vec<String>> =
        std::iter::once(header).filter(|_| style.headers == HeaderVisibility::Shown).chain(rows).collect();
    let room = match style.width {
        Some(width) if style.detail == DetailLevel::Normal => width.max(20),
        _ => usize::MAX,
    };
    let widths = widths(columns, &rows, room);
    if rows.is_empty() {
        return String::new();
    }
    let mut text = String::new();
    let mut rows = rows.into_iter().peekable();
    while rows.peek().is_some() {
        lay_out(rows.by_ref().take(AT_ONCE), &widths, room, &mut text);
    }
    text
}

/// Lays out some rows with the given column widths. The last text of a row may extend over the empty cells after it, up
/// to the end of the line.
fn lay_out(rows: impl Iterator<Item = Vec<String>>, widths: &[Option<usize>], room: usize, text: &mut String) {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    let mut overflowing = Vec::new();
    for row in rows {
        let shown = row.into_iter().zip(widths).filter_map(|(cell, width)| Some((cell, (*width)?.min(LONGEST))));
        let mut shown: Vec<(String, usize)> = shown.collect();
        let last = shown.iter().rposition(|(cell, _)| !cell.is_empty());
        let overflow = last.filter(|last| text::columns(&shown[*last].0) > shown[*last].1).map(|last| {
            let before = shown[..last].iter().map(|(_, width)| width + GAP).sum();
            let cell = std::mem::take(&mut shown[last].0);
            (before, cut_styled(&cell, room.saturating_sub(before).min(LONGEST)))
        });
        overflowing.push(overflow);
        table.add_row(Row::from(shown.iter().map(|(cell, width)| cut_styled(cell, *width)).collect::<Vec<_>>()));
    }
    for (column, width) in table.column_iter_mut().zip(widths.iter().flatten()) {
        column.set_padding((0, GAP as u16));
        column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed((width + GAP).min(LONGEST) as u16)));
    }
    for (line, overflow) in table.lines().zip(overflowing) {
        let line = line.trim_end();
        text.push_str(line);
        if let Some((before, cell)) = overflow {
            text.extend(std::iter::repeat_n(' ', before - text::columns(line)));
            text.push_str(&cell);
        }
        text.push('\n');
    }
}

/// Returns the width of each column; `None` for omitted ones. If long names leave no room for causes, the names of rows
/// without a cause extend over the cause column, and spare columns are omitted.
fn widths(columns: &[TableColumn<'_>], rows: &[Vec<String>], room: usize) -> Vec<Option<usize>> {
    let natural = natural_widths(columns, rows, |_, _| false);
    let widths = shared_widths(columns, &natural, room);
    let hides_words = |widths: &[Option<usize>]| {
        let mut shares = columns.iter().zip(&natural).zip(widths);
        shares.any(|((column, natural), width)| {
            matches!(column, TableColumn::Words(_)) && *natural > 0 && width.is_none()
        })
    };
    if !hides_words(&widths) {
        return widths;
    }
    let is_last = |row: &[String], index: usize| {
        let behind = columns.iter().zip(row).skip(index + 1);
        behind.into_iter().all(|(column, cell)| matches!(column, TableColumn::Spare(_)) || cell.is_empty())
    };
    let may_overflow =
        |row: &[String], index: usize| matches!(columns[index], TableColumn::Fixed(_)) && is_last(row, index);
    let mut narrow = natural_widths(columns, rows, may_overflow);
    for (column, width) in columns.iter().zip(&mut narrow) {
        if matches!(column, TableColumn::Spare(_)) {
            *width = room;
        }
    }
    // If the words are below the table, other columns would only look as if they were the reason.
    shared_widths(columns, &narrow, room)
}

/// Returns the widest cell of each column, except for cells that may extend over the following ones.
fn natural_widths(
    columns: &[TableColumn<'_>],
    rows: &[Vec<String>],
    may_overflow: impl Fn(&[String], usize) -> bool,
) -> Vec<usize> {
    let mut natural = vec![0; columns.len()];
    for row in rows {
        for (index, (widest, cell)) in natural.iter_mut().zip(row).enumerate() {
            if !may_overflow(row, index) {
                *widest = (*widest).max(text::columns(cell));
            }
        }
    }
    natural
}

/// Distributes the available width to columns, given their preferred widths; `None` for omitted columns.
fn shared_widths(columns: &[TableColumn<'_>], natural: &[usize], room: usize) -> Vec<Option<usize>> {
    let spare = spare(columns, natural, room);
    // The gap after the last column is trimmed, so it may exceed the width of the terminal.
    let is_whole = |index: usize| match columns[index] {
        TableColumn::Fixed(_) => true,
        TableColumn::Spare(_) => spare.contains(&index),
        TableColumn::Flexible(_) | TableColumn::Words(_) => false,
    };
    let fixed = natural.iter().enumerate().filter(|(index, _)| is_whole(*index));
    let mut left = room.saturating_add(GAP).saturating_sub(fixed.map(|(_, width)| width + GAP).sum());
    let is_flexible = |column: &TableColumn<'_>| matches!(column, TableColumn::Flexible(_) | TableColumn::Words(_));
    let flexible = columns.iter().filter(|column| is_flexible(column)).count();
    let fair = (left / flexible.max(1)).saturating_sub(GAP);
    let is_shown = |index: usize| match columns[index] {
        TableColumn::Fixed(_) | TableColumn::Spare(_) => is_whole(index),
        TableColumn::Flexible(name) => fair >= name.len(),
        TableColumn::Words(_) => fair >= natural[index].min(LEAST),
    };
    // Narrow columns get their full width; the rest is left for the wide ones.
    let mut order: Vec<usize> =
        (0..columns.len()).filter(|index| is_flexible(&columns[*index]) && is_shown(*index)).collect();
    order.sort_by_key(|index| natural[*index]);
    let mut widths: Vec<Option<usize>> =
        natural.iter().enumerate().map(|(index, width)| is_shown(index).then_some(*width)).collect();
    for (position, index) in order.iter().enumerate() {
        let share = (left / (order.len() - position)).saturating_sub(GAP);
        let width = natural[*index].min(share);
        left -= (width + GAP).min(left);
        widths[*index] = Some(width);
    }
    widths
}

/// Returns the spare columns that fit.
fn spare(columns: &[TableColumn<'_>], natural: &[usize], room: usize) -> Vec<usize> {
    let room = room.saturating_add(GAP);
    let others = |least: usize| -> usize {
        let taken = columns.iter().zip(natural).map(|(column, width)| match column {
            TableColumn::Fixed(_) => width + GAP,
            TableColumn::Flexible(_) | TableColumn::Words(_) => (*width).min(least) + if least == 0 { 0 } else { GAP },
            TableColumn::Spare(_) => 0,
        });
        taken.sum()
    };
    // If there is no room for a few words even without spare columns, spare columns are kept.
    let least = if others(LEAST) <= room { LEAST } else { 0 };
    let mut room = room.saturating_sub(others(least));
    let mut kept = Vec::new();
    for (index, width) in natural.iter().enumerate() {
        if matches!(columns[index], TableColumn::Spare(_)) && width + GAP <= room {
            room -= width + GAP;
            kept.push(index);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::{style as looks, styled};

    fn rows() -> Vec<Vec<String>> {
        vec![
            vec![
                "bucket/logs".into(),
                styled(looks::BAD, "Failed"),
                "the provider says that it has no permission".into(),
            ],
            vec!["network/größe".into(), "OK".into(), String::new()],
        ]
    }
    #[test]
    fn rows_that_are_laid_out_in_batches_have_the_same_columns() {
        let long = "x".repeat(30);
        let row = |name: &str| vec![name.to_owned(), "OK".to_owned()];
        let rows = (0..2 * AT_ONCE).map(|_| row("a")).chain([row(&long)]);
        let text = table(
            &[TableColumn::Fixed("NAME"), TableColumn::Fixed("VERDICT")],
            rows,
            &TableStyle { width: None, detail: DetailLevel::Normal, headers: HeaderVisibility::Shown },
        );
        let of_verdicts: Vec<usize> = text.lines().skip(1).filter_map(|line| line.find("OK")).collect();
        assert_eq!(of_verdicts, vec![long.len() + GAP; 2 * AT_ONCE + 1]);
    }

    #[test]
    fn spare_columns_are_removed_before_a_cause_is_shortened() {
        let columns = [
            TableColumn::Fixed("VERDICT"),
            TableColumn::Fixed("NAME"),
            TableColumn::Spare("READY"),
            TableColumn::Flexible("WHY"),
        ];
        let why = "cannot create the instance in the region europe-west9: the quota is used up";
        let on = |width| {
            let row = vec![vec!["Failed".to_owned(), "instance/orders".to_owned(), "False".to_owned(), why.to_owned()]];
            table(
                &columns,
                row,
                &TableStyle { width: Some(width), detail: DetailLevel::Normal, headers: HeaderVisibility::Hidden },
            )
        };
        assert_eq!(on(120), format!("Failed   instance/orders   False   {why}\n"));
        assert!(on(76).contains("   False   cannot ") && on(76).ends_with("the quota is used up\n"), "{}", on(76));
        assert!(!on(54).contains("False") && on(54).ends_with("quota is used up\n"), "{}", on(54));
        assert_eq!(on(26), "Failed   instance/orders\n");
        for width in 24..120 {
            assert!(on(width).lines().all(|line| line.chars().count() <= width), "{width}");
        }
    }

    #[test]
    fn long_names_of_rows_without_a_cause_do_not_hide_the_causes_of_others() {
        let columns = [
            TableColumn::Fixed("VERDICT"),
            TableColumn::Fixed("NAME"),
            TableColumn::Spare("READY"),
            TableColumn::Words("WHY"),
        ];
        let long = format!("instance/{}", "x".repeat(50));
        let row = |cells: [&str; 4]| cells.map(str::to_owned).to_vec();
        let rows = vec![
            row(["Failed", "instance/orders", "False", "the quota of the region is used up"]),
            row(["OK", &long, "True", ""]),
        ];
        let text = table(
            &columns,
            rows,
            &TableStyle { width: Some(70), detail: DetailLevel::Normal, headers: HeaderVisibility::Shown },
        );
        let expected = format!(
            "VERDICT   NAME              WHY\n\
             Failed    instance/orders   the quota of the region is used up\n\
             OK        {long}\n"
        );
        assert_eq!(text, expected);
    }

    #[test]
    fn words_that_would_be_cut_to_nothing_are_omitted() {
        let columns = [TableColumn::Fixed("NAME"), TableColumn::Words("WHY")];
        let on = |width, why: &str| {
            let row = vec![vec!["instance/orders".to_owned(), why.to_owned()]];
            table(
                &columns,
                row,
                &TableStyle { width: Some(width), detail: DetailLevel::Normal, headers: HeaderVisibility::Hidden },
            )
        };
        let long = "cannot create the instance: the quota is used up";
        assert_eq!(on(41, long), "instance/orders\n");
        assert!(on(42, long).ends_with("quota is used up\n"), "{}", on(42, long));
        assert_eq!(on(28, "not ready"), "instance/orders   not ready\n");
    }

    const COLUMNS: [TableColumn; 3] =
        [TableColumn::Fixed("NAME"), TableColumn::Fixed("VERDICT"), TableColumn::Flexible("MESSAGE")];

    #[test]
    fn looks_like_kubectl_and_cuts_only_flexible_columns() {
        let plain = |text: &str| anstream::adapter::strip_str(text).to_string();
        let wide = TableStyle { width: None, detail: DetailLevel::Normal, headers: HeaderVisibility::Shown };
        assert_eq!(
            plain(&table(&COLUMNS, rows(), &wide)),
            "NAME            VERDICT   MESSAGE\n\
             bucket/logs     Failed    the provider says that it has no permission\n\
             network/größe   OK\n"
        );
        let narrow = TableStyle { width: Some(44), headers: HeaderVisibility::Hidden, ..wide };
        assert_eq!(
            plain(&table(&COLUMNS, rows(), &narrow)),
            "bucket/logs     Failed   the pr…o permission\nnetwork/größe   OK\n"
        );
        let too_narrow = TableStyle { width: Some(30), headers: HeaderVisibility::Shown, ..narrow };
        assert_eq!(
            plain(&table(&COLUMNS, rows(), &too_narrow)),
            "NAME            VERDICT\nbucket/logs     Failed\nnetwork/größe   OK\n"
        );
    }
}
