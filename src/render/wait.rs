//! Renders a `WaitResult`: unmet conditions first, with their reasons.

use crate::render::table::{TableColumn, table};
use crate::render::{DetailLevel, Report, TableStyle, findings, words};
use crate::report::wait::{WaitItem, WaitResult};
use crate::ui::{style as look, styled};
use ucp_core::model::text::one_line;

/// The maximum number of reached objects with their own lines.
const SHOWN: usize = 10;
/// The maximum number of findings below the table.
const TOLD: usize = 3;

impl Report for WaitResult {
    fn table(&self, style: &TableStyle) -> String {
        let (reached, open): (Vec<&WaitItem>, Vec<&WaitItem>) = self.items.iter().partition(|item| item.reached);
        let is_wide = style.detail == DetailLevel::Wide;
        let shown = if is_wide || reached.len() <= SHOWN + 1 { reached.len() } else { SHOWN };
        let columns = [
            TableColumn::Fixed("REACHED"),
            TableColumn::Fixed("VERDICT"),
            TableColumn::Fixed("NAME"),
            TableColumn::Words("WHY"),
        ];
        let mut text = table(&columns, open.into_iter().chain(reached[..shown].iter().copied()).map(row), style);
        if reached.len() > shown {
            text.push_str(&format!("and {} more\n", reached.len() - shown));
        }
        if !self.findings.is_empty() {
            text.push('\n');
            findings::add(&mut text, &self.findings, TOLD, style, |_| true);
        }
        text
    }

    fn names(&self) -> Vec<String> {
        self.items.iter().map(|item| one_line(&item.object.kind_and_name())).collect()
    }

    fn markdown(&self) -> String {
        let mut text = String::from("| Reached | Verdict | Object | Why |\n|---|---|---|---|\n");
        for item in &self.items {
            let (reached, verdict) = (reached(item), item.verdict.map_or("–", |verdict| verdict.as_str()));
            let object = words::markdown_cell(&item.object.to_string());
            let why = words::markdown_cell(item.message.as_deref().unwrap_or_default());
            text.push_str(&format!("| {reached} | {verdict} | {object} | {why} |\n"));
        }
        text
    }

    fn optional_fields(&self) -> &'static [&'static str] {
        &["cluster", "message", "verdict", "revision", "namespace", "since", "hint", "also", "holdsUp"]
    }
}

fn reached(item: &WaitItem) -> &'static str {
    match (item.reached, item.hopeless) {
        (true, _) => "yes",
        (false, true) => "never",
        (false, false) => "not yet",
    }
}

fn row(item: &WaitItem) -> Vec<String> {
    let look = match (item.reached, item.hopeless) {
        (true, _) => look::GOOD,
        (false, true) => look::BAD,
        (false, false) => look::WARN,
    };
    vec![
        styled(look, reached(item)),
        item.verdict.map_or_else(|| "–".to_owned(), words::verdict),
        words::object(&item.object),
        item.message.as_deref().map(one_line).unwrap_or_default(),
    ]
}
