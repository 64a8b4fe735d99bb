//! Renders a `TeardownPlan`: problems, deletions, and steps.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::render::table::{TableColumn, table};
use crate::render::{DetailLevel, Report, TableStyle, words};
use crate::report::document_list::ListableDocument as _;
use crate::report::sources::{Sourced, is_whole_source};
use crate::report::teardown::{TeardownItem, TeardownPlan, TeardownPlanList};
use crate::ui::{style as look, styled};
use ucp_core::engine::code::Code;
use ucp_core::error::Result;
use ucp_core::model::state::Unreadable;
use ucp_core::model::text::one_line;
use ucp_core::model::time::age;
use ucp_features::teardown::DeletionOutcome;

/// The maximum number of objects with the same fate that are named, if they need no attention.
const NAMED: usize = 8;

impl TeardownPlan {
    fn line(&self, item: &TeardownItem) -> String {
        let mut line = words::object(&item.object);
        if let Some(cluster) = &item.cluster {
            let _ = write!(line, " in app cluster {}", one_line(cluster));
        }
        if let Some(name) = &item.external {
            let _ = write!(line, " = {}", one_line(name));
        }
        if let Some(since) = item.since {
            let _ = write!(line, " ({} old)", age(since, self.moment));
        }
        line
    }

    /// Adds lines for objects with their reasons; a reason shared by adjacent objects is printed once, before them.
    fn add_items(&self, text: &mut String, items: &[&TeardownItem], style: &TableStyle) {
        for alike in items.chunk_by(|left, right| left.reason == right.reason) {
            let reason = alike[0].reason.as_deref().map(one_line);
            let indent = match (&reason, alike) {
                (Some(reason), [_, _, ..]) => {
                    words::add_wrapped(text, &format!("{reason}:"), "  ", style, 4);
                    "    "
                }
                _ => "  ",
            };
            for item in alike {
                let line = match (&reason, alike.len()) {
                    (Some(reason), 1) => format!("{}: {reason}", self.line(item)),
                    _ => self.line(item),
                };
                words::add_wrapped(text, &line, indent, style, 4);
            }
        }
    }

    fn by_fate(&self) -> BTreeMap<DeletionOutcome, Vec<&TeardownItem>> {
        let mut groups: BTreeMap<DeletionOutcome, Vec<&TeardownItem>> = BTreeMap::new();
        for item in &self.items {
            groups.entry(item.fate).or_default().push(item);
        }
        groups
    }

    fn summary(&self) -> String {
        if self.items.is_empty() {
            let is_known = self.unreadable.is_empty();
            return if is_known {
                "Nothing would be deleted."
            } else {
                "Nothing to delete was found, but something could not be read."
            }
            .to_owned();
        }
        let what = match self.targets.as_slice() {
            _ if let Some(path) = &self.merge => format!("With {} removed from Git", one_line(path)),
            [] => "For the whole core cluster".to_owned(),
            targets => format!("With {}", words::join_objects_limited(targets, 3)),
        };
        let counts: Vec<_> = self.counts.iter().map(|(fate, number)| format!("{number} {}", fate.as_str())).collect();
        format!("{what}: {}.", counts.join(", "))
    }
}

/// Returns true if a finding is about objects that remain.
fn is_harm(code: &str) -> bool {
    [Code::UsersRemain, Code::SharedOutside].iter().any(|harm| harm.info().code == code)
}

/// Returns true for fates whose objects are always shown individually.
fn needs_attention(fate: DeletionOutcome) -> bool {
    matches!(fate, DeletionOutcome::Stuck | DeletionOutcome::Orphaned | DeletionOutcome::Unknown)
}

fn title(fate: DeletionOutcome) -> &'static str {
    match fate {
        DeletionOutcome::Stuck => "Stuck: the object remains, with a pending deletion, until you intervene",
        DeletionOutcome::Orphaned => "Orphaned: the external resource remains and continues to cost money",
        DeletionOutcome::Unknown => "Unknown: no rule defines the effect of the deletion on external resources",
        DeletionOutcome::Deleted => "Deleted outside",
        DeletionOutcome::Left => "Left outside, because it was only observed",
        DeletionOutcome::Removed => "Removed from the cluster",
        DeletionOutcome::Kept => "Kept in the cluster",
    }
}

impl Report for TeardownPlan {
    fn table(&self, style: &TableStyle) -> String {
        let mut text = format!("{}\n", self.summary());
        for (fate, items) in self.by_fate() {
            let colour = match fate {
                DeletionOutcome::Stuck | DeletionOutcome::Orphaned => look::BAD,
                DeletionOutcome::Unknown | DeletionOutcome::Deleted => look::WARN,
                _ => look::STRONG,
            };
            let _ = writeln!(text, "\n{}", styled(colour, title(fate)));
            let most = if needs_attention(fate) || style.detail == DetailLevel::Wide { usize::MAX } else { NAMED };
            self.add_items(&mut text, &items[..items.len().min(most)], style);
            if items.len() > most {
                let _ = writeln!(text, "  and {} more, see -o wide", items.len() - most);
            }
        }
        let mut harms = self.findings.iter().filter(|finding| is_harm(&finding.code)).peekable();
        if harms.peek().is_some() {
            let _ = writeln!(text, "\n{}", styled(look::BAD, "Remaining objects that are harmed"));
        }
        for harm in harms {
            let line = format!("{} {}: {}", harm.code, words::object(&harm.object), one_line(&harm.message));
            words::add_wrapped(&mut text, &line, "  ", style, 4);
        }
        for (number, step) in self.steps.iter().enumerate() {
            let _ = writeln!(text, "\n{}. {} ({})", number + 1, styled(look::STRONG, &step.title), step.why);
            // A procedure is never shortened, since each command is required.
            for command in &step.commands {
                let _ = writeln!(text, "   {}", one_line(command));
            }
        }
        text.push_str("\nExternal resources without an object in this cluster are not covered.\n");
        text.push_str(&words::listed_unreadable(&words::unreadable(&self.unreadable)));
        text
    }

    fn script(&self) -> Result<String> {
        Ok(super::script::script(self))
    }

    fn names(&self) -> Vec<String> {
        self.items.iter().map(|item| one_line(&item.object.kind_and_name())).collect()
    }

    fn markdown(&self) -> String {
        let mut text = format!("{}\n", words::markdown_cell(&self.summary()));
        for (fate, items) in self.by_fate() {
            let _ = writeln!(text, "\n### {}\n", title(fate));
            for item in items {
                let reason = item.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
                let _ = writeln!(text, "- {}", words::markdown_cell(&format!("{}{reason}", self.line(item))));
            }
        }
        for (number, step) in self.steps.iter().enumerate() {
            let _ = writeln!(text, "\n{}. {} ({})\n", number + 1, words::markdown_cell(&step.title), step.why);
            for command in &step.commands {
                let _ = writeln!(text, "   - {}", words::markdown_cell(command));
            }
        }
        text.push_str(&words::markdown_unreadable(&words::unreadable(&self.unreadable)));
        text
    }
}

/// The columns of the overview, with their fates.
const FATES: [(&str, DeletionOutcome); 7] = [
    ("STUCK", DeletionOutcome::Stuck),
    ("ORPHANED", DeletionOutcome::Orphaned),
    ("UNKNOWN", DeletionOutcome::Unknown),
    ("DELETED", DeletionOutcome::Deleted),
    ("LEFT", DeletionOutcome::Left),
    ("REMOVED", DeletionOutcome::Removed),
    ("KEPT", DeletionOutcome::Kept),
];

impl TeardownPlanList {
    /// Renders one row for each core cluster, worst first; unreadable clusters come before those without the object.
    fn overview(&self, style: &TableStyle) -> String {
        let columns: Vec<_> =
            [words::SOURCE].into_iter().chain(FATES.map(|(title, _)| title)).map(TableColumn::Fixed).collect();
        let planned = self.items.iter().map(|plan| {
            let count = |(_, fate)| plan.counts.get(&fate).copied().unwrap_or_default().to_string();
            [one_line(plan.place())].into_iter().chain(FATES.map(count)).collect()
        });
        let all = |name: &str, cell: &str| [one_line(name)].into_iter().chain(FATES.map(|_| cell.to_owned())).collect();
        let is_planned = |name: &str| self.items.iter().any(|plan| plan.place() == name);
        let (read, unread): (Vec<_>, Vec<_>) =
            self.sources.iter().partition(|source| source.was_read(&self.unreadable));
        let absent = read.iter().map(|source| source.origin.label()).filter(|name| !is_planned(name));
        let unread = unread.iter().map(|source| all(source.origin.label(), "?"));
        table(&columns, planned.chain(unread).chain(absent.map(|name| all(name, "-"))), style)
    }

    /// Returns sources that could not be read at all; partially unreadable sources are reported by their plans.
    fn whole_unreadable(&self) -> Vec<String> {
        let whole = self.unreadable.iter().filter(|entry| is_whole_source(entry)).cloned();
        words::unreadable(&whole.collect::<Vec<Sourced<Unreadable>>>())
    }
}

impl Report for TeardownPlanList {
    fn table(&self, style: &TableStyle) -> String {
        let mut text = self.overview(style);
        for plan in &self.items {
            let _ = write!(text, "\n{}\n{}", styled(look::STRONG, &one_line(plan.place())), plan.table(style));
        }
        let absences: String = self.absences().map(|line| one_line(&line) + "\n").collect();
        if !absences.is_empty() {
            text.push('\n');
            text.push_str(&absences);
        }
        text.push_str(&words::listed_unreadable(&self.whole_unreadable()));
        text
    }

    fn names(&self) -> Vec<String> {
        self.items.iter().flat_map(Report::names).collect()
    }

    fn markdown(&self) -> String {
        let mut text = String::new();
        for plan in &self.items {
            let _ = writeln!(text, "## {}\n\n{}", words::markdown_cell(plan.place()), plan.markdown());
        }
        self.absences().for_each(|line| text.push_str(&format!("{}\n", words::markdown_cell(&line))));
        text.push_str(&words::markdown_unreadable(&self.whole_unreadable()));
        text
    }
}
