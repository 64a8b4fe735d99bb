//! Columns as kubectl prints them: three spaces between, no lines, no padding after the last.

use comfy_table::{ColumnConstraint, ContentArrangement, Row, Table, presets};

use crate::render::{Detail, Headers, Style};

/// Spaces between two columns, as kubectl's tab writer has them.
const GAP: u16 = 3;

/// How a column behaves where the terminal is too narrow for all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column<'a> {
    /// Never cut.
    Fixed(&'a str),
    /// Cut with an ellipsis where the line would not fit; left out where there is no room for its name either.
    Flexible(&'a str),
}

impl<'a> Column<'a> {
    fn name(self) -> &'a str {
        match self {
            Self::Fixed(name) | Self::Flexible(name) => name,
        }
    }
}

/// Lays out rows under columns. Cells may be styled; each is one line of [`crate::model::text::one_line`] text.
pub fn table(columns: &[Column<'_>], rows: impl IntoIterator<Item = Vec<String>>, style: &Style) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    if style.headers == Headers::Shown {
        table.add_row(one_line_row(columns.iter().map(|column| column.name().to_owned())));
    }
    let empty = table.is_empty();
    let mut count = 0;
    for row in rows {
        table.add_row(one_line_row(row));
        count += 1;
    }
    if empty && count == 0 {
        return String::new();
    }
    match style.width {
        Some(width) if style.detail == Detail::Normal => {
            let width = u16::try_from(width).unwrap_or(u16::MAX).max(20);
            // The gap behind the last column is trimmed, so it may stand outside of the terminal.
            table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width.saturating_add(GAP));
        }
        _ => {
            table.set_content_arrangement(ContentArrangement::Disabled);
        }
    }
    let room = room_for_flexible(&table, columns, style);
    for (index, column) in columns.iter().enumerate() {
        if let Some(layout) = table.column_mut(index) {
            layout.set_padding((0, GAP));
            match column {
                Column::Fixed(_) => layout.set_constraint(ColumnConstraint::ContentWidth),
                Column::Flexible(name) if room < name.len() => layout.set_constraint(ColumnConstraint::Hidden),
                Column::Flexible(_) => layout,
            };
        }
    }
    let mut text = String::new();
    for line in table.lines() {
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// What the fixed columns leave to each of the others.
fn room_for_flexible(table: &Table, columns: &[Column<'_>], style: &Style) -> usize {
    let (Some(width), Detail::Normal) = (style.width, style.detail) else { return usize::MAX };
    let widths = table.column_max_content_widths();
    let fixed = columns.iter().zip(widths).filter(|(column, _)| matches!(column, Column::Fixed(_)));
    let (count, taken) = fixed.fold((0, 0), |(count, sum), (_, width)| (count + 1, sum + usize::from(width + GAP)));
    width.saturating_sub(taken) / (columns.len() - count).max(1)
}

fn one_line_row(cells: impl IntoIterator<Item = String>) -> Row {
    let mut row = Row::from(cells.into_iter().collect::<Vec<_>>());
    row.max_height(1);
    row
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
    const COLUMNS: [Column; 3] = [Column::Fixed("NAME"), Column::Fixed("VERDICT"), Column::Flexible("MESSAGE")];

    #[test]
    fn looks_like_kubectl_and_cuts_only_flexible_columns() {
        let plain = |text: &str| anstream::adapter::strip_str(text).to_string();
        let wide = Style { width: None, detail: Detail::Normal, headers: Headers::Shown };
        assert_eq!(
            plain(&table(&COLUMNS, rows(), &wide)),
            "NAME            VERDICT   MESSAGE\n\
             bucket/logs     Failed    the provider says that it has no permission\n\
             network/größe   OK\n"
        );
        let narrow = Style { width: Some(44), headers: Headers::Hidden, ..wide };
        assert_eq!(
            plain(&table(&COLUMNS, rows(), &narrow)),
            "bucket/logs     Failed   the provider says…\nnetwork/größe   OK\n"
        );
        let too_narrow = Style { width: Some(30), headers: Headers::Shown, ..narrow };
        assert_eq!(
            plain(&table(&COLUMNS, rows(), &too_narrow)),
            "NAME            VERDICT\nbucket/logs     Failed\nnetwork/größe   OK\n"
        );
    }
}
