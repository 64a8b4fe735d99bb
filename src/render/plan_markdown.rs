//! Renders a `Plan` as a comment on a pull request: starts with a summary, folds long diffs, never exceeds the maximum
//! length of a comment, and ends with a list of everything that it leaves out. The output is deterministic.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::render::cut::cut_in_the_middle;
use crate::render::plan_groups::{ChangeFolding, ChangeGroup, PlanSection, change_groups};
use crate::render::plan_words::{
    RemarkImportance, about_composite, composite_line, group_remarks, hidden_changes, remarks, summary, title,
    unknown_consequences, yaml,
};
use crate::render::{diff, words};
use crate::report::plan::MergePlan;
use ucp_core::model::text::plain;
use ucp_features::plan::outcome::PlanAction;

/// The maximum length of a comment on GitHub in characters; counted in bytes here, of which there are at least as many.
const LONGEST: usize = 65_536;
/// The length that is reserved for notes about omitted parts.
const RESERVE: usize = 3_000;
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
    for sentence in [hidden_changes(plan), unknown_consequences(plan)].into_iter().flatten() {
        let _ = writeln!(text, "\n{sentence}");
    }
    let room = LONGEST - RESERVE;
    let mut left_out = LeftOut::default();
    let groups = change_groups(plan, ChangeFolding::Equal);
    // Composed resources with other changes are listed with their composites.
    let listed = |group: &&ChangeGroup<'_>| group.section != PlanSection::Other || group.first.resource.is_none();
    add_table(&mut text, groups.iter().filter(listed), room / 2, &mut left_out);
    add_composites(&mut text, plan, room * 3 / 4, &mut left_out);
    for entry in &plan.unreadable {
        let what = words::markdown_cell(&entry.what);
        let line = format!("\nCould not be checked: {what}\n");
        let block = format!("{line}{}", fenced("text", &plain(&entry.reason)));
        if !add_if_it_fits(&mut text, &block, room) && !add_if_it_fits(&mut text, &line, room) {
            left_out.add("thing that could not be checked", 1);
        }
    }
    for entry in &plan.remarks {
        let line =
            format!("\n{}: {}\n", words::markdown_cell(&entry.object.to_string()), words::markdown_cell(&entry.remark));
        if !add_if_it_fits(&mut text, &line, room) {
            left_out.add("remark", 1);
        }
    }
    for group in groups.iter().filter(|group| group.first.after.is_some()) {
        if !add_if_it_fits(&mut text, &details(group), room) {
            left_out.add("diff", 1);
        }
    }
    left_out.add_to(&mut text);
    text
}

/// Number of parts that the comment leaves out, by a word for each.
#[derive(Default)]
struct LeftOut(BTreeMap<String, usize>);

impl LeftOut {
    fn add(&mut self, part: &str, number: usize) {
        *self.0.entry(part.to_owned()).or_default() += number;
    }

    /// Adds the list to a comment, deletions first, then most parts first.
    fn add_to(self, text: &mut String) {
        let mut parts: Vec<_> = self.0.into_iter().collect();
        let is_removal = |part: &str| part.starts_with(action(PlanAction::Remove));
        parts.sort_by_key(|(part, number)| (!is_removal(part), std::cmp::Reverse(*number), part.clone()));
        let words: Vec<String> = parts.iter().map(|(part, number)| format!("{number} × {part}")).collect();
        if !words.is_empty() {
            let list = words::join_limited(&words, MOST_LEFT_OUT);
            let _ = writeln!(
                text,
                "\nLeft out, as the comment would be too long: {list}. `kubectl ucp plan` shows everything."
            );
        }
    }
}

/// Adds one row per change, or per group of equal changes.
fn add_table<'plan>(
    text: &mut String,
    groups: impl Iterator<Item = &'plan ChangeGroup<'plan>>,
    room: usize,
    left_out: &mut LeftOut,
) {
    let mut groups = groups.peekable();
    if groups.peek().is_none() {
        return;
    }
    text.push_str("\n| | Object | Cluster | By | Notes |\n|---|---|---|---|---|\n");
    for group in groups {
        let mut object = words::markdown_cell(&group.subject());
        if group.is_folded() {
            let names = group.names(ChangeFolding::Equal);
            let _ = write!(object, ": {}", words::markdown_cell(&names));
        }
        let fields = group.field_lines().unwrap_or_default().iter().map(|line| words::markdown_cell(line)).collect();
        // Losses and refusals are never cut.
        let (bad, others): (Vec<_>, Vec<_>) =
            group_remarks(group).into_iter().partition(|(importance, _)| *importance == RemarkImportance::Bad);
        let others = shorten_list(&[fields, cells(others)].concat());
        let notes: Vec<String> = cells(bad).into_iter().chain((!others.is_empty()).then_some(others)).collect();
        let row = format!(
            "| {} | {object} | {} | {} | {} |\n",
            action(group.first.action),
            words::markdown_cell(&group.cluster()),
            words::markdown_cell(&group.distinct(|item| item.deployed_by.name.clone())),
            notes.join("<br>"),
        );
        if !add_if_it_fits(text, &row, room) {
            let refused = if group.section == PlanSection::Refusal { " (rejected)" } else { "" };
            let part =
                format!("{} {}{refused}", action(group.first.action), words::markdown_cell(&group.first.object.kind));
            left_out.add(&part, group.len());
        }
    }
}

/// Adds one row per composite, with its composed resources.
fn add_composites(text: &mut String, plan: &MergePlan, room: usize, left_out: &mut LeftOut) {
    if plan.composites.is_empty() {
        return;
    }
    text.push_str("\n| Composite | Composed resources | Notes |\n|---|---|---|\n");
    for composite in &plan.composites {
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
        if !add_if_it_fits(text, &row, room) {
            left_out.add("composite", 1);
        }
    }
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

/// Number of sorts of parts that are listed as left out.
const MOST_LEFT_OUT: usize = 12;
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

/// Returns the diff of a change, or of the first of equal changes.
fn details(group: &ChangeGroup<'_>) -> String {
    let item = group.first;
    let coloured = diff::unified(&yaml(item.before.as_ref()), &yaml(item.after.as_ref()), "live", "planned");
    let diff = anstream::adapter::strip_str(&coloured).to_string();
    let lines = diff.lines().count();
    let open = if lines <= SHORT_DIFF { " open" } else { "" };
    let name = words::markdown_cell(&item.object.to_string());
    let others = match group.len() - 1 {
        0 => String::new(),
        number => format!(", and {number} more in the same way"),
    };
    format!(
        "\n<details{open}><summary>{} {name}{others}</summary>\n\n{}\n</details>\n",
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

/// Adds a block and returns true if there is room for it.
fn add_if_it_fits(text: &mut String, block: &str, room: usize) -> bool {
    let fits = text.len() + block.len() <= room;
    if fits {
        text.push_str(block);
    }
    fits
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use ucp_core::model::object::ObjectName;
    use ucp_core::model::state::{Origin, Unreadable};
    use ucp_features::plan::external::{ExternalEffect, ExternalEffectKind};
    use ucp_features::plan::outcome::{DeployerRemark, PlanItem, PlanOutcome, ServerCheck};

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
            unevaluated: None,
            refusals: Vec::new(),
            notes: Vec::new(),
            before: Some(before),
            after: Some(after),
        }
    }

    fn renamed(number: usize, change: impl Fn(&mut PlanItem)) -> PlanItem {
        let mut item = item(&format!("object-{number}"), json!({"a": 1}), json!({"a": number}));
        change(&mut item);
        item
    }

    fn plan(items: Vec<PlanItem>, unreadable: Vec<Unreadable>) -> MergePlan {
        let source = Origin::Snapshot { path: "-".into() };
        let outcome = PlanOutcome { items, unreadable, ..PlanOutcome::default() };
        MergePlan::from_outcome(source, (Some("main".into()), Some("feature".into())), outcome)
    }

    #[test]
    fn text_cannot_end_a_markdown_block() {
        let hostile = item("a", json!({"t": "x"}), json!({"t": "```\n</details>\n@all \u{1b}[31m"}));
        let text = comment(&plan(vec![hostile], Vec::new()));
        assert!(text.contains("````diff\n") && text.contains("\n````\n"), "{text}");
        assert!(!text.contains('\u{1b}'));
    }

    #[test]
    fn the_output_fits_into_a_comment_and_is_deterministic() {
        let long: Vec<String> = (0..40).map(|number| format!("line {number} of something long")).collect();
        let items =
            || (0..800).map(|number| item(&format!("object-{number}"), json!({"a": 1}), json!({"a": long}))).collect();
        let lost = || vec![Unreadable { what: "x".into(), reason: "y\n".repeat(70_000) }];
        let text = comment(&plan(items(), lost()));
        assert!(text.len() <= LONGEST, "{}", text.len());
        assert!(text.contains("× change ConfigMap") && text.contains("× diff"), "{text}");
        assert!(text.contains("Could not be checked: x"), "{text}");
        assert_eq!(text, comment(&plan(items(), lost())));
    }

    #[test]
    fn losses_come_first_and_omitted_items_are_counted() {
        let long = "x".repeat(200);
        let remove = |item: &mut PlanItem| {
            item.action = PlanAction::Remove;
            item.after = None;
            item.external =
                Some(ExternalEffect { name: Some(long.clone()), effect: ExternalEffectKind::Delete, reason: None });
        };
        let changed = (0..400).map(|number| renamed(number, |_| {}));
        let removed = (400..700).map(|number| renamed(number, remove));
        let remarks = (0..600).map(|number| DeployerRemark {
            object: item("x", json!({}), json!({})).object,
            remark: format!("{number} {long}"),
        });
        let outcome = PlanOutcome {
            items: changed.chain(removed).collect(),
            remarks: remarks.collect(),
            ..PlanOutcome::default()
        };
        let plan = MergePlan::from_outcome(Origin::Snapshot { path: "-".into() }, (None, None), outcome);
        let text = comment(&plan);
        assert!(text.len() <= LONGEST, "{}", text.len());
        let first = text.lines().find(|line| line.contains("object-")).unwrap();
        assert!(first.starts_with("| **remove** |"), "{first}");
        let shown = |start: &str| text.lines().filter(|line| line.starts_with(start)).count();
        let list = text.lines().find(|line| line.starts_with("Left out")).unwrap();
        let number = |part: &str| -> usize {
            let before = &list[..list.find(part).unwrap()];
            before.rsplit([' ', ',']).next().unwrap().parse().unwrap()
        };
        assert_eq!(shown("| **remove** |") + number(" × **remove** ConfigMap"), 300, "{list}");
        assert_eq!(shown("| change |") + number(" × change ConfigMap"), 400, "{list}");
        assert_eq!(shown("<details") + number(" × diff"), 400, "{list}");
        assert_eq!(text.matches("configmap/x: ").count() + number(" × remark"), 600, "{list}");
    }
}
