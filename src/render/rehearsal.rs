//! Renders a `Rehearsal`: losses first, each with its reason and the remedy in advance.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::render::{Report, TableStyle, words};
use crate::report::rehearsal::Rehearsal;
use crate::ui::{style as look, styled};
use ucp_core::model::text::one_line;
use ucp_features::bootstrap::hub::{ForeignRoot, HubOwnership, RevisionChange};
use ucp_features::bootstrap::rehearsal::{RecoveryConcern, RecoveryOutcome};

const ALL: [RecoveryOutcome; 5] = [
    RecoveryOutcome::Lost,
    RecoveryOutcome::Orphaned,
    RecoveryOutcome::Duplicated,
    RecoveryOutcome::Asked,
    RecoveryOutcome::Fetched,
];

const fn title(outcome: RecoveryOutcome) -> &'static str {
    match outcome {
        RecoveryOutcome::Lost => "Lost: they do not exist anywhere else",
        RecoveryOutcome::Orphaned => "Orphaned: external resources that nothing would manage any more",
        RecoveryOutcome::Duplicated => "Duplicated: a second external resource would be created",
        RecoveryOutcome::Asked => "Required: you must provide them",
        RecoveryOutcome::Fetched => "Fetched again automatically",
    }
}

fn named(concern: &RecoveryConcern) -> String {
    let mut text = words::object(&concern.object);
    if let Some(external) = concern.external.as_ref().filter(|external| **external != concern.object.name) {
        let _ = write!(text, " ({})", one_line(external));
    }
    text
}

fn concern_line(concern: &RecoveryConcern) -> String {
    format!("{}: {}", named(concern), one_line(&concern.reason))
}

/// The maximum number of sources and roots that are named in a sentence.
const NAMED: usize = 10;

/// Returns "is the hub of another repository: …" if it is.
fn foreign_hub_note(hub: &HubOwnership) -> Option<String> {
    let listed = |sources: &[String]| one_line(&words::join_limited(sources, NAMED)).to_string();
    let line = |root: &ForeignRoot| {
        let declared = match root.declared.as_slice() {
            [] => String::new(),
            declared => format!(", declared here from {}", listed(declared)),
        };
        format!("{} comes from {}{declared}", words::object(&root.object), listed(&root.sources))
    };
    let roots: Vec<String> = hub.foreign_roots.iter().map(line).collect();
    (!roots.is_empty()).then(|| {
        let own = if hub.sources.is_empty() { "this repository".to_owned() } else { listed(&hub.sources) };
        format!(
            "is the hub of another repository: {}; the roots here come from {own}",
            words::join_limited(&roots, NAMED)
        )
    })
}

/// Returns "deploys another revision of this repository: …" if it does.
fn revision_note(hub: &HubOwnership) -> Option<String> {
    let line =
        |change: &RevisionChange| format!("{}, {}", words::object(&change.object), one_line(&change.to_string()));
    let changes: Vec<String> = hub.revisions.iter().map(line).collect();
    (!changes.is_empty())
        .then(|| format!("deploys another revision of this repository: {}", words::join_limited(&changes, NAMED)))
}

/// Returns the evidence against writing to a hub in one sentence.
pub fn ownership_note(name: &str, ownership: &HubOwnership) -> String {
    let name = one_line(name);
    let notes = [foreign_hub_note(ownership), revision_note(ownership)];
    let notes = notes.into_iter().flatten().map(|sentence| format!("{name} {sentence}"));
    let undeclared = (!ownership.undeclared.is_empty()).then(|| {
        let names: Vec<String> = ownership.undeclared.iter().map(words::object).collect();
        let count = words::count(names.len(), "objects");
        format!("{name} has {count} that this repository does not declare: {}", words::join_limited(&names, NAMED))
    });
    notes.chain(undeclared).collect::<Vec<_>>().join("; ")
}

/// The minimum number of objects with the same kind, reason, and remedy that form a group.
const MANY: usize = 3;

/// Groups concerns with the same kind, reason, and remedy.
fn group_concerns<'a>(items: &[&'a RecoveryConcern]) -> Vec<Vec<&'a RecoveryConcern>> {
    let mut groups: Vec<Vec<&RecoveryConcern>> = Vec::new();
    let mut known: BTreeMap<(&str, &str, Option<&str>), usize> = BTreeMap::new();
    for item in items {
        let key = (item.object.kind.as_str(), item.reason.as_str(), item.remedy.as_deref());
        let at = *known.entry(key).or_insert(groups.len());
        match groups.get_mut(at) {
            Some(group) => group.push(item),
            None => groups.push(vec![item]),
        }
    }
    let split = |group: Vec<&'a RecoveryConcern>| match group.len() < MANY {
        true => group.into_iter().map(|item| vec![item]).collect(),
        false => vec![group],
    };
    groups.into_iter().flat_map(split).collect()
}

/// Renders a group in one sentence: the reason, and all objects.
fn group_sentence(group: &[&RecoveryConcern]) -> String {
    let [first, _, ..] = group else { return group.iter().map(|item| concern_line(item)).collect() };
    let names: Vec<String> = group.iter().map(|item| named(item)).collect();
    format!("{} objects: {}: {}", group.len(), one_line(&first.reason), names.join("; "))
}

impl Rehearsal {
    fn groups(&self) -> impl Iterator<Item = (RecoveryOutcome, Vec<&RecoveryConcern>)> {
        let of = |outcome| self.items.iter().filter(|item| item.outcome == outcome).collect::<Vec<_>>();
        ALL.into_iter().map(move |outcome| (outcome, of(outcome))).filter(|(_, items)| !items.is_empty())
    }

    fn summary(&self) -> String {
        let others: Vec<String> = self
            .repositories
            .iter()
            .map(|(url, count)| format!("{} ({})", one_line(url), words::count(*count, "objects")))
            .collect();
        let others = match others.as_slice() {
            [] => String::new(),
            others => format!(" The hub also deploys from repositories that were not read: {}.", others.join(", ")),
        };
        let notes = self.hub.iter().flat_map(|hub| [foreign_hub_note(hub), revision_note(hub)]);
        let notes: Vec<String> = notes.flatten().collect();
        match notes.as_slice() {
            [] => format!("{}{others}", self.recovery()),
            notes if self.items.iter().any(|item| item.outcome.is_loss()) => {
                format!("This {}. {}{others}", notes.join("; it "), self.recovery())
            }
            notes => format!(
                "This {}. That was not read, so it is unknown what can be restored from it.{others}",
                notes.join("; it ")
            ),
        }
    }

    fn recovery(&self) -> String {
        let back = words::count(self.returning, "objects");
        let losses: usize = self.counts.iter().filter(|(outcome, _)| outcome.is_loss()).map(|(_, count)| count).sum();
        match losses {
            0 if self.unreadable.is_empty() && self.repositories.is_empty() => {
                format!(
                    "From Git alone, {back} can be restored, and nothing is lost of the engines, Crossplane, external \
                     resources, Secrets and volumes. 'kubectl ucp drift --orphans' lists the other objects that nothing \
                     deploys."
                )
            }
            0 => format!(
                "From Git alone, {back} can be restored. No losses were found, but something could not be read."
            ),
            losses => format!("From Git alone, {back} can be restored, and {losses} cannot."),
        }
    }
}

impl Report for Rehearsal {
    fn table(&self, style: &TableStyle) -> String {
        let mut text = String::new();
        for (outcome, items) in self.groups() {
            let colour = if outcome.is_loss() { look::BAD } else { look::STRONG };
            let _ = writeln!(text, "{}", styled(colour, title(outcome)));
            for group in group_concerns(&items) {
                words::add_wrapped(&mut text, &group_sentence(&group), "  ", style, 4);
                if let Some(remedy) = group.first().and_then(|item| item.remedy.as_ref()) {
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
            let _ = writeln!(text, "### {}\n", title(outcome));
            for group in group_concerns(&items) {
                let remedy = group.first().and_then(|item| item.remedy.as_ref());
                let remedy = remedy.map(|remedy| format!(" → {remedy}")).unwrap_or_default();
                let _ = writeln!(text, "- {}", words::markdown_cell(&format!("{}{remedy}", group_sentence(&group))));
            }
            text.push('\n');
        }
        let _ = writeln!(text, "{}", self.summary());
        text.push_str(&words::markdown_unreadable(&words::unreadable(&self.unreadable)));
        text
    }
}
