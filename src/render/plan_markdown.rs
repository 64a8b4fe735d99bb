//! Renders a `Plan` as a comment on a pull request: starts with a summary, folds long diffs, and never exceeds the
//! maximum length of a comment. The output is deterministic.

use std::fmt::Write as _;

use crate::render::cut::cut_in_the_middle;
use crate::render::plan_words::{RemarkImportance, about_composite, composite_line, remarks, summary, title, yaml};
use crate::render::{diff, words};
use crate::report::plan::MergePlan;
use ucp_core::model::text::plain;
use ucp_features::plan::outcome::{PlanAction, PlanItem};

/// The maximum length of a comment on GitHub in characters; counted in bytes here, of which there are at least as many.
const LONGEST: usize = 65_536;
/// The length that is reserved for notes about omitted parts.
const RESERVE: usize = 1_000;
/// The maximum number of lines of a diff that is not folded.
const SHORT_DIFF: usize = 12;
/// The marker by which a bot finds its comment.
const MARKER: &str = "<!-- kubectl-ucp plan -->";

/// Returns the comment for a plan.
pub(super) fn comment(plan: &MergePlan) -> String {
    let mut text = format!("{MARKER}\n### {}\n\n", words::markdown_cell(&title(plan)));
    let _ = writeln!(text, "{}", words::markdown_cell(&summary(&plan.counts)));
    if !plan.unreadable.is_empty() {
        let _ = writeln!(text, "\n**{} could not be checked.**", words::count(plan.unreadable.len(), "things"));
    }
    let room = LONGEST - RESERVE;
    let left_out = add_table(&mut text, plan, room / 2);
    if left_out > 0 {
        let _ = writeln!(text, "\n{left_out} more objects are not listed: the comment would be too long.");
    }
    let left_out = add_composites(&mut text, plan, room * 3 / 4);
    if left_out > 0 {
        let _ = writeln!(text, "\n{left_out} more composites are not listed: the comment would be too long.");
    }
    for entry in &plan.remarks {
        let line =
            format!("\n{}: {}\n", words::markdown_cell(&entry.object.to_string()), words::markdown_cell(&entry.remark));
        add_if_it_fits(&mut text, &line, room, "");
    }
    for entry in &plan.unreadable {
        let what = words::markdown_cell(&entry.what);
        let block = format!("\nCould not be checked: {what}\n{}", fenced("text", &plain(&entry.reason)));
        add_if_it_fits(&mut text, &block, room, &format!("\nCould not be checked: {what}\n"));
    }
    let mut folded = 0;
    let composed = plan.composites.iter().flat_map(|composite| &composite.items);
    for item in plan.items.iter().chain(composed).filter(|item| shows_diff(item)) {
        let block = details(item);
        if text.len() + block.len() <= room {
            text.push_str(&block);
        } else {
            folded += 1;
        }
    }
    if folded > 0 {
        let _ = writeln!(
            text,
            "\n{folded} diffs are left out: the comment would be too long. `kubectl ucp plan` shows them."
        );
    }
    text
}

/// Adds one row per object; returns the number of omitted rows.
fn add_table(text: &mut String, plan: &MergePlan, room: usize) -> usize {
    if plan.items.is_empty() {
        return 0;
    }
    text.push_str("\n| | Object | Cluster | By | Notes |\n|---|---|---|---|---|\n");
    for (position, item) in plan.items.iter().enumerate() {
        let remarks = cells(remarks(item));
        let row = format!(
            "| {} | {} | {} | {} | {} |\n",
            action(item.action),
            words::markdown_cell(&item.object.to_string()),
            words::markdown_cell(item.cluster.as_deref().unwrap_or_default()),
            words::markdown_cell(&item.deployed_by.name),
            shorten_list(&remarks),
        );
        if text.len() + row.len() > room {
            return plan.items.len() - position;
        }
        text.push_str(&row);
    }
    0
}

/// Adds one row per composite, followed by rows for its composed objects; returns the number of omitted composites.
fn add_composites(text: &mut String, plan: &MergePlan, room: usize) -> usize {
    if plan.composites.is_empty() {
        return 0;
    }
    text.push_str("\n| Composite | Composed resources | Notes |\n|---|---|---|\n");
    for (position, composite) in plan.composites.iter().enumerate() {
        let mut about = cells(about_composite(composite));
        for item in &composite.items {
            about.extend(cells(remarks(item)));
        }
        let objects = composite
            .items
            .iter()
            .map(|item| format!("{} {}", action(item.action), words::markdown_cell(&item.object.kind_and_name())));
        let row = format!(
            "| {} | {}<br>{} | {} |\n",
            words::markdown_cell(&composite.object.to_string()),
            composite_line(composite),
            shorten_list(&objects.collect::<Vec<_>>()),
            shorten_list(&about),
        );
        if text.len() + row.len() > room {
            return plan.composites.len() - position;
        }
        text.push_str(&row);
    }
    0
}

/// Renders remarks as table cells.
fn cells(remarks: Vec<(RemarkImportance, String)>) -> Vec<String> {
    let cell = |(importance, remark): (RemarkImportance, String)| {
        let cell = words::markdown_cell(&cut_in_the_middle(&remark, LONGEST_REMARK));
        if importance == RemarkImportance::Bad { format!("**{cell}**") } else { cell }
    };
    remarks.into_iter().map(cell).collect()
}

fn action(action: PlanAction) -> &'static str {
    match action {
        PlanAction::Add => "add",
        PlanAction::Change => "change",
        PlanAction::Remove => "**remove**",
        PlanAction::Abandon => "abandon",
    }
}

/// Limits for remarks in a table cell.
const LONGEST_REMARK: usize = 300;
const MOST_REMARKS: usize = 6;

fn shorten_list(remarks: &[String]) -> String {
    let mut text = remarks.iter().take(MOST_REMARKS).cloned().collect::<Vec<_>>().join("<br>");
    if remarks.len() > MOST_REMARKS {
        let _ = write!(text, "<br>and {} more", remarks.len() - MOST_REMARKS);
    }
    text
}

fn shows_diff(item: &PlanItem) -> bool {
    item.after.is_some()
}

fn details(item: &PlanItem) -> String {
    let coloured = diff::unified(&yaml(item.before.as_ref()), &yaml(item.after.as_ref()), "live", "planned");
    let diff = anstream::adapter::strip_str(&coloured).to_string();
    let lines = diff.lines().count();
    let open = if lines <= SHORT_DIFF { " open" } else { "" };
    let name = words::markdown_cell(&item.object.to_string());
    format!(
        "\n<details{open}><summary>{} {name}</summary>\n\n{}\n</details>\n",
        action_word(item.action),
        fenced("diff", &diff)
    )
}

fn action_word(action: PlanAction) -> &'static str {
    match action {
        PlanAction::Remove => "remove",
        other => self::action(other),
    }
}

/// Returns a code block with a fence that does not occur in the text.
fn fenced(language: &str, text: &str) -> String {
    let longest = text.split(|character| character != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}\n", text.trim_end())
}

fn add_if_it_fits(text: &mut String, block: &str, room: usize, otherwise: &str) {
    if text.len() + block.len() <= room {
        text.push_str(block);
    } else if text.len() + otherwise.len() <= room {
        text.push_str(otherwise);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use ucp_core::model::object::ObjectName;
    use ucp_core::model::state::{Origin, Unreadable};
    use ucp_features::plan::outcome::{PlanOutcome, ServerCheck};

    fn item(name: &str, before: Value, after: Value) -> PlanItem {
        let object =
            ObjectName { api_version: "v1".into(), kind: "ConfigMap".into(), namespace: None, name: name.into() };
        PlanItem {
            deployed_by: object.clone(),
            object,
            cluster: None,
            resource: None,
            action: PlanAction::Change,
            check: ServerCheck::Accepted,
            message: None,
            differences: Vec::new(),
            external: None,
            composed: Vec::new(),
            notes: Vec::new(),
            before: Some(before),
            after: Some(after),
        }
    }

    fn plan(items: Vec<PlanItem>, unreadable: Vec<Unreadable>) -> MergePlan {
        let source = Origin::Snapshot { path: "-".into() };
        let outcome = PlanOutcome { items, unreadable, ..PlanOutcome::default() };
        MergePlan::from_outcome(source, (Some("main".into()), Some("feature".into())), outcome)
    }

    #[test]
    fn nothing_breaks_out_of_a_block() {
        let hostile = item("a", json!({"t": "x"}), json!({"t": "```\n</details>\n@all \u{1b}[31m"}));
        let text = comment(&plan(vec![hostile], Vec::new()));
        assert!(text.contains("````diff\n") && text.contains("\n````\n"), "{text}");
        assert!(!text.contains('\u{1b}'));
    }

    #[test]
    fn never_longer_than_a_comment_and_always_the_same() {
        let long: Vec<String> = (0..40).map(|number| format!("line {number} of something long")).collect();
        let items =
            || (0..800).map(|number| item(&format!("object-{number}"), json!({"a": 1}), json!({"a": long}))).collect();
        let lost = || vec![Unreadable { what: "x".into(), reason: "y\n".repeat(70_000) }];
        let text = comment(&plan(items(), lost()));
        assert!(text.len() <= LONGEST, "{}", text.len());
        assert!(text.contains("more objects are not listed") && text.contains("diffs are left out"));
        assert_eq!(text, comment(&plan(items(), lost())));
    }
}
