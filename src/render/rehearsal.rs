//! How a `Rehearsal` looks: what is lost first, each with the reason and what to do before that day.

use std::fmt::Write as _;

use crate::bootstrap::rehearsal::{Concern, Outcome};
use crate::model::text::one_line;
use crate::render::{Report, Style, words};
use crate::report::rehearsal::Rehearsal;
use crate::ui::{style as look, styled};

const ALL: [Outcome; 5] = [Outcome::Lost, Outcome::Orphaned, Outcome::Duplicated, Outcome::Asked, Outcome::Fetched];

impl Outcome {
    const fn title(self) -> &'static str {
        match self {
            Self::Lost => "Lost: they exist nowhere else",
            Self::Orphaned => "Orphaned: they stay outside, and nobody manages them",
            Self::Duplicated => "Duplicated: a second one is made outside",
            Self::Asked => "Asked for: a person has to bring them",
            Self::Fetched => "Fetched again by themselves",
        }
    }
}

fn line(concern: &Concern) -> String {
    let mut text = words::object(&concern.object);
    if let Some(external) = concern.external.as_ref().filter(|external| **external != concern.object.name) {
        let _ = write!(text, " ({})", one_line(external));
    }
    let _ = write!(text, ": {}", one_line(&concern.reason));
    text
}

impl Rehearsal {
    fn groups(&self) -> impl Iterator<Item = (Outcome, Vec<&Concern>)> {
        let of = |outcome| self.items.iter().filter(|item| item.outcome == outcome).collect::<Vec<_>>();
        ALL.into_iter().map(move |outcome| (outcome, of(outcome))).filter(|(_, items)| !items.is_empty())
    }

    fn summary(&self) -> String {
        let back = words::count(self.returning, "objects");
        let losses: usize = self.counts.iter().filter(|(outcome, _)| outcome.is_loss()).map(|(_, count)| count).sum();
        match losses {
            0 if self.unreadable.is_empty() => format!("From Git alone, {back} come back, and nothing is lost."),
            0 => format!(
                "From Git alone, {back} come back. Nothing is known to be lost, but not all of it could be read."
            ),
            losses => format!("From Git alone, {back} come back, and {losses} do not."),
        }
    }
}

impl Report for Rehearsal {
    fn table(&self, style: &Style) -> String {
        let mut text = String::new();
        for (outcome, items) in self.groups() {
            let colour = if outcome.is_loss() { look::BAD } else { look::STRONG };
            let _ = writeln!(text, "{}", styled(colour, outcome.title()));
            for item in items {
                words::add_wrapped(&mut text, &line(item), "  ", style, 4);
                if let Some(remedy) = &item.remedy {
                    words::add_wrapped(&mut text, &format!("→ {}", one_line(remedy)), "    ", style, 2);
                }
            }
            text.push('\n');
        }
        let _ = writeln!(text, "{}", self.summary());
        text.push_str(&words::listed_unreadable(&words::unreadable(&self.unreadable)));
        text
    }

    fn names(&self) -> Vec<String> {
        self.items.iter().map(|item| one_line(&item.object.kind_and_name())).collect()
    }

    fn markdown(&self) -> String {
        let mut text = String::new();
        for (outcome, items) in self.groups() {
            let _ = writeln!(text, "### {}\n", outcome.title());
            for item in items {
                let remedy = item.remedy.as_ref().map(|remedy| format!(" → {remedy}")).unwrap_or_default();
                let _ = writeln!(text, "- {}", words::markdown_cell(&format!("{}{remedy}", line(item))));
            }
            text.push('\n');
        }
        let _ = writeln!(text, "{}", self.summary());
        text.push_str(&words::markdown_unreadable(&words::unreadable(&self.unreadable)));
        text
    }
}
