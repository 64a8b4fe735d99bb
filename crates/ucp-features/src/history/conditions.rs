//! Transitions of conditions. A condition only keeps its last one.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::actor::Actor;
use super::occurrence::{ChangeSort, Occurrence, OccurrenceWeight};
use ucp_core::engine::any::{ConditionOutlook, condition_outlook, is_without_good_state, names_a_state};
use ucp_core::model::condition::{Condition, ConditionStatus};
use ucp_core::model::resource::Resource;

/// The states that show the health of a whole object.
const WHOLE: [&str; 4] = ["Ready", "Healthy", "Available", "OK"];

/// A new object may not be ready for so long without a problem.
const NEW: SignedDuration = SignedDuration::from_mins(5);

/// Returns true if an object lost a good state: `Ready` became False long after its creation, also with a reason such as
/// `DependencyNotReady` or `Deleting`, which is progress for a new object.
fn lost_its_state(resource: &Resource, condition: &Condition, time: Timestamp) -> bool {
    let created = resource.metadata.creation_timestamp;
    is_without_good_state(condition) && created.is_none_or(|created| time.duration_since(created) > NEW)
}

/// Returns the transitions of an object since a time. Conditions that changed in the same second in the same direction
/// are one.
pub(super) fn occurrences(resource: &Resource, since: Timestamp, engine: Option<&Actor>) -> Vec<Occurrence> {
    let is_node = resource.kind.group.is_empty() && resource.kind.kind == "Node";
    let mut transitions: BTreeMap<(Timestamp, u8), Vec<&Condition>> = BTreeMap::new();
    for condition in &resource.conditions {
        let Some(time) = condition.last_transition_time.filter(|time| *time >= since) else { continue };
        let outlook = match condition_outlook(condition) {
            // Nothing was heard from a node.
            ConditionOutlook::Undecided if is_node && condition.status == ConditionStatus::Unknown => 0,
            ConditionOutlook::Undecided if lost_its_state(resource, condition, time) => 0,
            ConditionOutlook::Bad => 0,
            ConditionOutlook::Good => 1,
            ConditionOutlook::Undecided => 2,
        };
        transitions.entry((time, outlook)).or_default().push(condition);
    }
    let transitions = transitions.into_iter().map(|((time, outlook), conditions)| {
        let change = match outlook {
            0 => ChangeSort::TurnedBad,
            1 => ChangeSort::TurnedGood,
            _ => ChangeSort::Noted,
        };
        let weight = if outlook == 2 { OccurrenceWeight::Routine } else { OccurrenceWeight::Notable };
        let transition = Occurrence::at(time, resource.name(), change, describe(&conditions, change));
        Occurrence { weight, ..transition.by(engine.cloned()) }
    });
    transitions.collect()
}

fn describe(conditions: &[&Condition], change: ChangeSort) -> String {
    // Conditions of Argo CD have no status: their presence means true.
    let is_unknown = |condition: &Condition| {
        condition.status == ConditionStatus::Unknown && condition_outlook(condition) == ConditionOutlook::Undecided
    };
    let is_true = |condition: &Condition| condition.status != ConditionStatus::False;
    let (states, others): (Vec<&Condition>, Vec<&Condition>) =
        conditions.iter().partition(|condition| names_a_state(&condition.kind) && !is_unknown(condition));
    let (held, lost): (Vec<&Condition>, Vec<&Condition>) = states.into_iter().partition(|condition| is_true(condition));
    let names = |conditions: &[&Condition], joiner: &str| {
        // Applications have several conditions of one type.
        let mut names: Vec<&str> = conditions.iter().map(|condition| condition.kind.as_str()).collect();
        names.dedup();
        names.join(joiner)
    };
    let mut parts = Vec::new();
    if !held.is_empty() {
        parts.push(format!("turned {}", names(&held, " and ")));
    }
    if !lost.is_empty() {
        let verb = if change == ChangeSort::TurnedGood { "is no longer" } else { "turned not" };
        parts.push(format!("{verb} {}", names(&lost, " and not ")));
    }
    for condition in others {
        let status = match is_true(condition) {
            _ if is_unknown(condition) => "Unknown",
            true => "true",
            false => "false",
        };
        parts.push(format!("turned {} {status}", condition.kind));
    }
    let sentence = parts.join(", ");
    // The message explains a problem; that of a healthy object repeats its type.
    let explained = conditions.iter().find(|condition| !condition.message.is_empty()).or(conditions.first());
    let Some(condition) = explained.filter(|_| change != ChangeSort::TurnedGood) else { return sentence };
    let words = [condition.reason.as_str(), condition.message.as_str()];
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    if words.is_empty() { sentence } else { format!("{sentence}: {}", words.join(": ")) }
}

/// Returns true if a sentence such as `turned Synced and Ready` is about the whole object.
pub(super) fn is_of_whole(good: &Occurrence) -> bool {
    good.what.split([' ', ',', ':']).any(|word| WHOLE.contains(&word))
}
