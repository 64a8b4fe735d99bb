//! Renders a `PromotionCheck`.

use crate::render::promotion::shorten_digest;
use crate::render::table::{TableColumn, table};
use crate::render::words::markdown_cell as cell;
use crate::render::{Report, TableStyle};
use crate::report::promotion_check::{CheckedVersion, PromotionCheck};
use crate::ui::{style as looks, styled};
use ucp_core::model::text::one_line;

const READY: &str = "ready";

/// Returns the rows of a version: one for each gate that holds it back. The columns are service, image, before, after,
/// gate, end, and reason.
fn rows(item: &CheckedVersion) -> Vec<[String; 7]> {
    let text =
        |text: &Option<String>| text.as_deref().map_or_else(|| "-".to_owned(), |text| one_line(&shorten_digest(text)));
    let row = |gate: &str, until: String, reason: String| {
        let (service, image) = (text(&item.service), one_line(&item.image));
        [service, image, text(&item.before), text(&item.after), gate.to_owned(), until, reason]
    };
    if item.held_back_by.is_empty() {
        return vec![row(READY, "-".to_owned(), "-".to_owned())];
    }
    let held = item.held_back_by.iter().map(|held| {
        let until = held.until.map_or_else(|| "-".to_owned(), |until| format!("{until:.0}"));
        row(held.gate.as_str(), until, one_line(&held.reason))
    });
    held.collect()
}

impl Report for PromotionCheck {
    fn table(&self, style: &TableStyle) -> String {
        if self.items.is_empty() {
            return String::new();
        }
        let rows = self.items.iter().flat_map(rows).map(|mut row| {
            row[4] = styled(if row[4] == READY { looks::GOOD } else { looks::BAD }, &row[4]);
            row.to_vec()
        });
        // Reasons are never truncated, since they are most important.
        let names = ["SERVICE", "IMAGE", "BEFORE", "AFTER", "GATE", "UNTIL", "REASON"];
        table(&names.map(TableColumn::Fixed), rows.collect::<Vec<_>>(), &TableStyle { width: None, ..*style })
    }

    fn names(&self) -> Vec<String> {
        let name = |item: &CheckedVersion| match &item.service {
            Some(service) => format!("{}/{}", one_line(service), one_line(&item.image)),
            None => one_line(&item.image),
        };
        self.items.iter().map(name).collect()
    }

    fn markdown(&self) -> String {
        let head = "| Service | Image | Before | After | Gate | Until | Reason |\n|---|---|---|---|---|---|---|\n";
        let rows = self.items.iter().flat_map(rows);
        let rows = rows.map(|row| format!("| {} |\n", row.map(|text| cell(&text)).join(" | ")));
        std::iter::once(head.to_owned()).chain(rows).collect()
    }
}
