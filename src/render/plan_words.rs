//! What there is to say of a `Plan`, on a terminal and in a pull request alike.

use std::fmt::Write as _;

use serde_json::Value;

use crate::model::text::{one_line, plain};
use crate::plan::external::{Effect, External};
use crate::plan::outcome::{Action, Check, PlanItem};
use crate::render::words;
use crate::report::plan::{Counts, Plan};

/// Parts of a claim or composite that are named one by one.
const NAMED: usize = 10;

/// What is compared.
pub(super) fn title(plan: &Plan) -> String {
    let head = plan.head.as_deref().map_or_else(|| "the working tree".to_owned(), one_line);
    match &plan.base {
        Some(base) => format!("What merging {head} into {} would do", one_line(base)),
        None => format!("What applying {head} would do"),
    }
}

/// Everything in one sentence.
pub(super) fn summary(counts: &Counts) -> String {
    if counts.add + counts.change + counts.remove + counts.abandon == 0 {
        return format!("No changes ({} checked).", words::count(counts.unchanged, "objects"));
    }
    let mut text = format!("Plan: {} to add, {} to change, {} to remove", counts.add, counts.change, counts.remove);
    if counts.abandon > 0 {
        let _ = write!(text, ", {} no longer declared", counts.abandon);
    }
    for (number, what) in [(counts.rejected, "would be rejected"), (counts.unchecked, "could not be checked yet")] {
        if number > 0 {
            let _ = write!(text, "; {number} {what}");
        }
    }
    text.push('.');
    let outside: Vec<_> =
        counts.external.iter().map(|(effect, number)| format!("{number} to {}", effect.as_str())).collect();
    if !outside.is_empty() {
        let _ = write!(text, " Outside: {}.", outside.join(", "));
    }
    text
}

/// How much a remark matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Importance {
    /// Something would fail or be lost.
    Bad,
    /// Worth a look.
    Warning,
    /// Good to know.
    Plain,
}

/// What is to be said of an item besides its diff, each a text that is safe on a terminal.
pub(super) fn remarks(item: &PlanItem) -> Vec<(Importance, String)> {
    let mut remarks = Vec::new();
    let message = item.message.as_deref().map(|message| plain(message).into_owned()).unwrap_or_default();
    match (item.check, item.action) {
        (Check::Rejected, _) => remarks.push((Importance::Bad, format!("would be rejected: {message}"))),
        (Check::Unchecked, _) => remarks.push((Importance::Warning, format!("not checked yet: {message}"))),
        (Check::Accepted, Action::Abandon) => remarks.push((Importance::Plain, format!("it stays: {message}"))),
        (Check::Accepted, _) => {}
    }
    if let Some(external) = &item.external {
        remarks.push(outside("", external));
    }
    for entry in item.differences.iter().filter(|entry| entry.immutable.is_some()) {
        let text = entry.immutable.as_ref().map(|immutable| immutable.text.as_str()).unwrap_or_default();
        let path = one_line(&entry.difference.path.to_string());
        remarks.push((
            Importance::Bad,
            format!("{path} looks immutable, so this means a replacement or an error: {}", one_line(text)),
        ));
    }
    for composed in item.composed.iter().take(NAMED) {
        let name = words::object(&composed.object);
        remarks.push(match &composed.external {
            Some(external) => outside(&format!("with it goes {name}: "), external),
            None if item.action == Action::Remove => (Importance::Warning, format!("with it goes {name}")),
            None => (Importance::Plain, format!("is made of {name}")),
        });
    }
    if item.composed.len() > NAMED {
        remarks.push((Importance::Plain, format!("and {} more parts", item.composed.len() - NAMED)));
    }
    remarks.extend(item.notes.iter().map(|note| (Importance::Plain, one_line(note))));
    remarks
}

fn outside(prefix: &str, external: &External) -> (Importance, String) {
    let (importance, effect) = match external.effect {
        Effect::Delete => (Importance::Bad, "would be deleted"),
        Effect::Update => (Importance::Warning, "would be changed"),
        Effect::Create => (Importance::Plain, "would be made"),
        Effect::Import => (Importance::Plain, "would be taken over"),
        Effect::Keep => (Importance::Plain, "would stay as it is"),
    };
    let name = external.name.as_deref().map_or_else(|| "what it stands for".to_owned(), one_line);
    let reason = external.reason.as_deref().map(|reason| format!(" ({})", one_line(reason))).unwrap_or_default();
    (importance, format!("{prefix}outside, {name} {effect}{reason}"))
}

/// An object as YAML; empty where there is none.
pub(super) fn yaml(object: Option<&Value>) -> String {
    let text = object.map(serde_saphyr::to_string);
    // What came as JSON goes as YAML; if it should not, JSON is YAML, too.
    text.and_then(Result::ok).or_else(|| object.map(Value::to_string)).unwrap_or_default()
}
