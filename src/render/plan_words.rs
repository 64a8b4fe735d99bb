//! Texts of a `Plan` that terminal output and pull request comments share.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::Value;

use crate::render::plan_groups::ChangeGroup;
use crate::render::words;
use crate::report::plan::{ComposedCounts, MergePlan, PlanCounts};
use ucp_core::model::admission::AdmissionOperation;
use ucp_core::model::text::{one_line, plain};
use ucp_features::plan::external::{ExternalEffect, ExternalEffectKind};
use ucp_features::plan::fan_out::ComposedObject;
use ucp_features::plan::outcome::{CompositePlan, PlanAction, PlanItem, ServerCheck};

/// The maximum number of parts of a claim or composite that are named.
const NAMED: usize = 10;

/// Returns the compared revisions.
pub(super) fn title(plan: &MergePlan) -> String {
    let head = plan.head.as_deref().map_or_else(|| "the working tree".to_owned(), one_line);
    match &plan.base {
        Some(base) => format!("Effects of merging {head} into {}", one_line(base)),
        None => format!("Effects of applying {head}"),
    }
}

/// Returns a summary in a few sentences.
pub(super) fn summary(counts: &PlanCounts) -> String {
    let declared = declared(counts);
    let composed =
        counts.composed.as_ref().map(|composed| format!(" {}", self::composed(composed))).unwrap_or_default();
    let ignored = match counts.ignored {
        0 => String::new(),
        number => format!(" Ignored: {}.", words::count(number, "changes")),
    };
    let outside: Vec<_> =
        counts.external.iter().map(|(effect, number)| format!("{number} to {}", effect.as_str())).collect();
    match outside.as_slice() {
        [] => format!("{declared}{composed}{ignored}"),
        outside => format!("{declared}{composed}{ignored} Outside: {}.", outside.join(", ")),
    }
}

/// Returns a sentence about the changes that `--only` leaves out; `None` without it.
pub(super) fn hidden_changes(plan: &MergePlan) -> Option<String> {
    let hidden =
        || format!("{} without the consequences of --only are not shown.", words::count(plan.hidden, "changes"));
    (!plan.only.is_empty()).then(hidden)
}

/// Returns a sentence about what is not known, for readers who only look for certain consequences.
pub(super) fn unknown_consequences(plan: &MergePlan) -> Option<String> {
    let number = plan.consequences.unknown;
    let text = || format!("Not known: the consequences of {} of the change.", words::count(number, "parts"));
    (!plan.only.is_empty() && number > 0).then(text)
}

/// Returns a summary of the objects that Compositions create.
fn composed(counts: &ComposedCounts) -> String {
    let run = words::count(counts.composites + counts.composites_unchanged, "composites");
    let resources = &counts.resources;
    let (add, change, remove) = (resources.add, resources.change, resources.remove);
    let mut text = format!("Compositions ({run} run): {add} to add, {change} to change, {remove} to remove");
    for (number, what) in [
        (resources.abandon, "left behind"),
        (resources.rejected, "would be rejected"),
        (resources.unchecked, "could not be checked yet"),
    ] {
        if number > 0 {
            let _ = write!(text, "; {number} {what}");
        }
    }
    text + "."
}

fn declared(counts: &PlanCounts) -> String {
    let objects = &counts.objects;
    if objects.add + objects.change + objects.remove + objects.abandon == 0 {
        return format!("No changes ({} checked).", words::count(counts.unchanged, "objects"));
    }
    let mut text = format!("Plan: {} to add, {} to change, {} to remove", objects.add, objects.change, objects.remove);
    if objects.abandon > 0 {
        let _ = write!(text, ", {} no longer declared", objects.abandon);
    }
    for (number, what) in [(objects.rejected, "would be rejected"), (objects.unchecked, "could not be checked yet")] {
        if number > 0 {
            let _ = write!(text, "; {number} {what}");
        }
    }
    text.push('.');
    text
}

/// Returns a composite and its effects in one line.
pub(super) fn composite_line(composite: &CompositePlan) -> String {
    let count = |action: PlanAction| composite.items.iter().filter(|item| item.action == action).count();
    let mut parts: Vec<String> = [
        (count(PlanAction::Add), "to add"),
        (count(PlanAction::Change), "to change"),
        (count(PlanAction::Remove), "to remove"),
        (count(PlanAction::Abandon), "left behind"),
    ]
    .into_iter()
    .filter(|(number, _)| *number > 0)
    .map(|(number, what)| format!("{number} {what}"))
    .collect();
    if parts.is_empty() {
        parts.push("no changes".to_owned());
    }
    parts.join(", ")
}

/// Returns a description of a composite, and the reason why it is included, sanitized for a terminal.
pub(super) fn about_composite(composite: &CompositePlan) -> Vec<(RemarkImportance, String)> {
    let mut about = Vec::new();
    let mut facts = Vec::new();
    if let Some(claim) = &composite.claim {
        facts.push(format!("claim {}", words::object(claim)));
    }
    if let Some(within) = &composite.within {
        facts.push(format!("part of {}", words::object(within)));
    }
    if let Some(composition) = &composite.composition {
        let revision = composite.revision.as_deref();
        let pinned = revision.map(|revision| format!(", revision {}", one_line(revision))).unwrap_or_default();
        facts.push(format!("Composition {}{pinned}", one_line(composition)));
    }
    let by: Vec<String> = composite.reached_by.iter().map(words::object).collect();
    if !by.is_empty() {
        facts.push(format!("reached by {}", by.join(", ")));
    }
    if !facts.is_empty() {
        about.push((RemarkImportance::Plain, facts.join("; ")));
    }
    if !composite.name_is_final {
        about.push((RemarkImportance::Plain, "it is new: names are not final".to_owned()));
    }
    about.extend(composite.warnings.iter().map(|warning| (RemarkImportance::Warning, one_line(warning))));
    about
}

/// The importance of a remark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RemarkImportance {
    /// A failure or a loss.
    Bad,
    /// Should be checked.
    Warning,
    /// Informational.
    Plain,
}

/// Returns the remarks on an item in addition to its diff, sanitized for a terminal.
pub(super) fn remarks(item: &PlanItem) -> Vec<(RemarkImportance, String)> {
    remarks_about(item, None)
}

/// Returns the remarks on equal changes.
pub(super) fn group_remarks(group: &ChangeGroup<'_>) -> Vec<(RemarkImportance, String)> {
    remarks_about(group.first, group.external_resources())
}

/// Returns the remarks on an item. `external_name` replaces the name of its external resource.
fn remarks_about(item: &PlanItem, external_name: Option<String>) -> Vec<(RemarkImportance, String)> {
    let mut remarks = Vec::new();
    let message = item.message.as_deref().map(|message| plain(message).into_owned()).unwrap_or_default();
    match (item.check, item.action) {
        (ServerCheck::Rejected, _) => remarks.push((RemarkImportance::Bad, format!("would be rejected: {message}"))),
        (ServerCheck::Unchecked, _) => remarks.push((RemarkImportance::Warning, format!("not checked yet: {message}"))),
        (ServerCheck::Accepted, PlanAction::Abandon) => {
            remarks.push((RemarkImportance::Plain, format!("it remains: {message}")))
        }
        (ServerCheck::Accepted, _) => {}
    }
    if let Some(external) = &item.external {
        remarks.push(outside("", external, external_name));
    }
    for entry in item.differences.iter().filter(|entry| entry.immutable.is_some()) {
        let text = entry.immutable.as_ref().map(|immutable| immutable.text.as_str()).unwrap_or_default();
        let path = one_line(&entry.difference.path.to_string());
        remarks.push((
            RemarkImportance::Bad,
            format!("{path} looks immutable, so this means a replacement or an error: {}", one_line(text)),
        ));
    }
    // Deleted external resources are named first.
    let is_lost = |composed: &ComposedObject| {
        composed.external.as_ref().is_some_and(|external| external.effect == ExternalEffectKind::Delete)
    };
    let (lost, others): (Vec<_>, Vec<_>) = item.composed.iter().partition(|composed| is_lost(composed));
    let unnamed_losses = lost.len().saturating_sub(NAMED);
    for composed in lost.into_iter().chain(others).take(NAMED) {
        let name = words::object(&composed.object);
        remarks.push(match &composed.external {
            Some(external) => outside(&format!("also deletes {name}: "), external, None),
            None if item.action == PlanAction::Remove => (RemarkImportance::Warning, format!("also deletes {name}")),
            None => (RemarkImportance::Plain, format!("is composed of {name}")),
        });
    }
    if item.composed.len() > NAMED {
        let (importance, losses) = match unnamed_losses {
            0 => (RemarkImportance::Plain, String::new()),
            number => {
                (RemarkImportance::Bad, format!(", {number} of them with external resources that would be deleted"))
            }
        };
        remarks.push((importance, format!("and {} more composed resources{losses}", item.composed.len() - NAMED)));
    }
    remarks.extend(refusals(item));
    remarks.extend(item.unevaluated.map(|effects| (RemarkImportance::Plain, effects.to_owned())));
    remarks.extend(item.notes.iter().map(|note| (RemarkImportance::Plain, one_line(note))));
    remarks
}

/// Returns the refusals of an admission policy, once for each message.
fn refusals(item: &PlanItem) -> Vec<(RemarkImportance, String)> {
    let mut groups: BTreeMap<(AdmissionOperation, &str), Vec<String>> = BTreeMap::new();
    for refusal in &item.refusals {
        groups.entry((refusal.operation, refusal.message.as_str())).or_default().push(words::object(&refusal.object));
    }
    let line = |((operation, message), objects): ((AdmissionOperation, &str), Vec<String>)| {
        let what = match operation {
            AdmissionOperation::Create => "the creation",
            AdmissionOperation::Update => "the next update",
            AdmissionOperation::Delete => "the deletion",
        };
        let (number, names) = (words::count(objects.len(), "objects"), words::join_limited(&objects, NAMED));
        (RemarkImportance::Bad, format!("would refuse {what} of {number}: {names}: {}", one_line(message)))
    };
    groups.into_iter().map(line).collect()
}

fn outside(prefix: &str, external: &ExternalEffect, name: Option<String>) -> (RemarkImportance, String) {
    let (importance, effect) = match external.effect {
        ExternalEffectKind::Delete => (RemarkImportance::Bad, "would be deleted"),
        ExternalEffectKind::Update => (RemarkImportance::Warning, "would be changed"),
        ExternalEffectKind::Create => (RemarkImportance::Plain, "would be created"),
        ExternalEffectKind::Import => (RemarkImportance::Plain, "would be taken over"),
        ExternalEffectKind::Keep => (RemarkImportance::Plain, "would not change"),
    };
    let own = || external.name.as_deref().map_or_else(|| "its external resource".to_owned(), one_line);
    let name = name.unwrap_or_else(own);
    let reason = external.reason.as_deref().map(|reason| format!(" ({})", one_line(reason))).unwrap_or_default();
    (importance, format!("{prefix}outside, {name} {effect}{reason}"))
}

/// Returns an object as YAML; empty for `None`.
pub(super) fn yaml(object: Option<&Value>) -> String {
    let text = object.map(serde_saphyr::to_string);
    // Any JSON value can be serialized as YAML. JSON itself, as the fallback, is also valid YAML.
    text.and_then(Result::ok).or_else(|| object.map(Value::to_string)).unwrap_or_default()
}
