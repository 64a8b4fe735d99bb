//! Renders an `ImportPlan`: imported objects, differences, and files.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::render::promotion::diffs;
use crate::render::table::{TableColumn, table};
use crate::render::words::{self, markdown_cell as cell};
use crate::render::{DetailLevel, Report, TableStyle};
use crate::report::drift::FieldDifference;
use crate::report::import::{ImportItem, ImportPlan, ImportStep};
use crate::ui::{style as look, styled};
use ucp_core::model::comparison::Certainty;
use ucp_core::model::text::one_line;

/// The maximum number of files that are shown without `-o wide`.
const SHOWN: usize = 12;

/// The heading of differences of objects that remain observed.
const STAYS: &str =
    "remains observed, because these fields of the external resource may change (--accept FIELD owns it anyway):";

/// The maximum number of objects with the same reason that are named; the others are counted.
const MOST_NAMES: usize = 10;

impl Report for ImportPlan {
    fn table(&self, style: &TableStyle) -> String {
        let rows = self.items.iter().map(|item| {
            let external = item.external_name.as_deref().map_or_else(|| "-".to_owned(), one_line);
            vec![name(item), external, step(item.step), one_line(item.file.as_deref().unwrap_or("-"))]
        });
        let columns = [
            TableColumn::Flexible("OBJECT"),
            TableColumn::Flexible("EXTERNAL NAME"),
            TableColumn::Fixed("STEP"),
            TableColumn::Flexible("FILE"),
        ];
        let mut text = table(&columns, rows, style);
        // Reasons contain instructions, so they are never truncated, and each is printed once.
        for ((how_far, reason), names) in reasons(&self.items) {
            text.push('\n');
            words::add_wrapped(&mut text, &format!("{}: {reason}", how_far.as_str()), "", style, 4);
            words::add_wrapped(&mut text, &words::join_limited(&names, MOST_NAMES), "  ", style, 2);
        }
        for item in self.items.iter().filter(|item| !item.differences.is_empty()) {
            let name = styled(look::STRONG, &name(item));
            text.push_str(&format!("\n{name} {STAYS}\n"));
            for difference in &item.differences {
                words::add_wrapped(&mut text, &difference_line(difference), "  ", style, 4);
            }
        }
        let is_shown = style.detail == DetailLevel::Wide || self.files.len() <= SHOWN;
        if is_shown {
            for diff in diffs(&self.files).filter(|diff| !diff.is_empty()) {
                text.push('\n');
                text.push_str(&diff);
            }
        } else {
            let left_out = words::count(self.files.len(), "files");
            text.push_str(&format!("\n{left_out} are not shown; -o wide shows them.\n"));
        }
        text.push_str(&words::listed_unreadable(&words::unreadable(&self.unreadable)));
        text
    }

    fn names(&self) -> Vec<String> {
        self.items
            .iter()
            .filter_map(|item| item.object.as_ref())
            .map(|object| one_line(&object.kind_and_name()))
            .collect()
    }

    fn markdown(&self) -> String {
        let mut text = String::from("| Object | External name | Step | File or reason |\n|---|---|---|---|\n");
        for item in &self.items {
            let external = item.external_name.as_deref().unwrap_or("-");
            let step = item.step.as_str();
            text.push_str(&format!(
                "| {} | {} | {step} | {} |\n",
                cell(&name(item)),
                cell(external),
                cell(&note(item))
            ));
        }
        for item in self.items.iter().filter(|item| !item.differences.is_empty()) {
            text.push_str(&format!("\n{} {STAYS}\n\n", cell(&name(item))));
            for difference in &item.differences {
                text.push_str(&format!("- {}\n", cell(&difference_line(difference))));
            }
        }
        text.push_str(&words::markdown_unreadable(&words::unreadable(&self.unreadable)));
        text
    }
}

fn name(item: &ImportItem) -> String {
    item.object.as_ref().map_or_else(|| one_line(&item.asked), words::object)
}

fn step(step: ImportStep) -> String {
    let colour = match step {
        ImportStep::Refused => look::BAD,
        ImportStep::Differs | ImportStep::Waiting => look::WARN,
        ImportStep::Observe | ImportStep::Own => look::GOOD,
        ImportStep::Owned => look::FAINT,
    };
    styled(colour, step.as_str())
}

/// Returns the reasons why objects are not imported further, with the objects.
fn reasons(items: &[ImportItem]) -> BTreeMap<(ImportStep, &str), Vec<String>> {
    let mut reasons: BTreeMap<(ImportStep, &str), Vec<String>> = BTreeMap::new();
    // Differences are shown separately.
    for item in items.iter().filter(|item| item.differences.is_empty()) {
        if let Some(reason) = &item.reason {
            reasons.entry((item.step, reason)).or_default().push(name(item));
        }
    }
    reasons
}

fn note(item: &ImportItem) -> String {
    match (&item.reason, &item.file) {
        (Some(reason), _) => reason.clone(),
        (None, Some(file)) => file.clone(),
        (None, None) => String::new(),
    }
}

/// Renders a difference in one line: `path: is → becomes`.
fn difference_line(difference: &FieldDifference) -> String {
    let shown = |value: &Option<Value>| match value {
        Some(Value::String(text)) => one_line(text),
        Some(value) => one_line(&value.to_string()),
        None => "nothing".to_owned(),
    };
    let becomes = shown(&difference.declared);
    let is = match (&difference.observed, difference.certainty) {
        (None, Certainty::Unknown) => "not observed".to_owned(),
        (observed, _) => shown(observed),
    };
    format!("{}: {is} → {becomes} ({})", one_line(&difference.path), difference.certainty.as_str())
}
