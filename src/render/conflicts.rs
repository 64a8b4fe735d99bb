//! Renders a `ConflictList`: one block per resource, with the objects that claim it.

use crate::render::{Report, TableStyle, words};
use crate::report::conflicts::{ClaimantItem, ConflictItem, ConflictList};
use ucp_core::model::comparison::Certainty;
use ucp_core::model::text::one_line;
use ucp_core::model::time::age;
use ucp_features::conflict::{ConflictWinner, DeletionEffect};

impl ConflictList {
    fn head(&self, item: &ConflictItem) -> String {
        let since = item.since.map(|since| format!(", for {}", age(since, self.moment))).unwrap_or_default();
        let certainty = if item.certainty == Certainty::Certain { "" } else { " (suspected)" };
        format!("{} {}{certainty}{since}", item.code, one_line(&item.identity))
    }

    fn claimant(&self, item: &ConflictItem, index: usize, claimant: &ClaimantItem) -> String {
        let mut facts = vec![one_line(&claimant.powers.policies)];
        facts.push(match claimant.powers.deletion {
            DeletionEffect::Deletes => "deletes the resource when deleted".to_owned(),
            DeletionEffect::Orphans => "keeps the resource when deleted".to_owned(),
        });
        facts.extend(claimant.idle.as_deref().map(one_line));
        facts.extend(claimant.since.map(|since| age(since, self.moment)));
        let wins = if item.winner == ConflictWinner::One(index) { " (wins)" } else { "" };
        let place =
            if self.sources.len() > 1 { format!(" in {}", one_line(claimant.source.label())) } else { String::new() };
        format!("{}{place}{wins}: {}", words::object(&claimant.object), facts.join("; "))
    }

    fn unreadable_lines(&self) -> Vec<String> {
        if self.sources.len() > 1 {
            return words::unreadable(&self.unreadable);
        }
        words::unreadable(&self.unreadable.iter().map(|entry| entry.item.clone()).collect::<Vec<_>>())
    }

    fn summary(&self) -> String {
        let compared = words::count(self.checked, "objects");
        match (self.items.len(), self.unreadable.is_empty()) {
            (0, true) => format!("No conflicts among {compared}."),
            (0, false) => format!("No conflicts in what could be read: {compared}."),
            (number, _) => format!("{} among {compared}.", words::count(number, "conflicts")),
        }
    }
}

impl Report for ConflictList {
    fn state_moment(&self) -> Option<jiff::Timestamp> {
        Some(self.moment)
    }

    fn table(&self, _style: &TableStyle) -> String {
        let mut text = String::new();
        for item in &self.items {
            text.push_str(&format!("{}\n", self.head(item)));
            for (index, claimant) in item.claimants.iter().enumerate() {
                text.push_str(&format!("  {}\n", self.claimant(item, index, claimant)));
            }
            text.push_str(&format!("  {}\n\n", one_line(&item.message)));
        }
        text.push_str(&format!("{}\n", self.summary()));
        text.push_str(&words::listed_unreadable(&self.unreadable_lines()));
        text
    }

    fn names(&self) -> Vec<String> {
        let claimants = self.items.iter().flat_map(|item| &item.claimants);
        claimants.map(|claimant| one_line(&claimant.object.kind_and_name())).collect()
    }

    fn markdown(&self) -> String {
        let mut text = format!("{}\n", words::markdown_cell(&self.summary()));
        for item in &self.items {
            text.push_str(&format!("\n### {}\n\n", words::markdown_cell(&self.head(item))));
            for (index, claimant) in item.claimants.iter().enumerate() {
                text.push_str(&format!("- {}\n", words::markdown_cell(&self.claimant(item, index, claimant))));
            }
            text.push_str(&format!("\n{}\n", words::markdown_cell(&item.message)));
        }
        text.push_str(&words::markdown_unreadable(&self.unreadable_lines()));
        text
    }
}
