//! Kustomizations whose last success is too old: their source has fetched another revision since, or many of their
//! intervals have passed.

use jiff::{SignedDuration, Timestamp};

use crate::engine::code::Code;
use crate::engine::judgement::{AssessmentClock, AssessmentFacts, JudgedObject, Judgement, Problem};
use crate::graph::link::Relation;
use crate::model::body::Body;
use crate::model::body::flux::{FluxArtifact, FluxObject};
use crate::model::condition::FindCondition as _;
use crate::model::resource::Resource;
use crate::model::time::age;
use crate::model::verdict::Verdict;

/// The number of intervals within which a new revision is applied. Flux applies it at once, and otherwise at the next
/// interval.
const LATE: i32 = 3;
/// The number of intervals after which an object is not reconciled any more. An attempt may last longer than one.
const OVERDUE: i32 = 10;
/// Conditions of a source that change with every new revision.
const FETCHED: [&str; 2] = ["ArtifactInStorage", "Ready"];

/// Returns a judgement for each Kustomization that is OK by its own status, and is outdated.
pub(super) fn outdated(facts: &AssessmentFacts<'_, '_>) -> Vec<(usize, Judgement)> {
    let entries = facts.judged.iter().enumerate().filter(|(_, entry)| entry.judgement.verdict == Verdict::Ok);
    entries
        .filter_map(|(index, entry)| {
            let Body::Flux(fields) = &entry.resource.body else { return None };
            if entry.resource.kind.kind != "Kustomization" {
                return None;
            }
            let judgement = behind_source(facts, entry, fields).or_else(|| overdue(fields, facts.clock))?;
            Some((index, judgement))
        })
        .collect()
}

/// Returns a judgement if the source has fetched a revision that has not been applied.
fn behind_source(facts: &AssessmentFacts<'_, '_>, entry: &JudgedObject<'_>, fields: &FluxObject) -> Option<Judgement> {
    let applied = fields.status.last_applied_revision.as_deref()?;
    let mut sources = facts.graph.up(entry.node).iter().filter(|edge| edge.relation == Relation::Declares);
    let (source, artifact) = sources.find_map(|edge| {
        let source = facts.judged[facts.position(edge.node)?].resource;
        Some((source, artifact(source)?))
    })?;
    let revision = artifact.revision.as_str();
    if revision.is_empty() || revision == applied {
        return None;
    }
    let since = fetched_at(source);
    let then = since.map(|since| format!(" since {}", since.strftime("%Y-%m-%d %H:%M UTC"))).unwrap_or_default();
    let message = format!("it has not applied revision {revision} of {}{then}; {applied} is applied", source.name());
    let clock = facts.clock;
    let is_late = clock.is_overdue(since) && has_passed(since, fields, LATE, clock);
    if !is_late {
        return Some(Judgement::quiet(Verdict::Progressing, since, message));
    }
    let problem = Problem::new(Code::FluxStuck, since, message);
    Some(Judgement::worst(vec![problem], Judgement::ok(since)))
}

fn artifact(source: &Resource) -> Option<&FluxArtifact> {
    match &source.body {
        Body::Flux(fields) => fields.status.artifact.as_ref(),
        _ => None,
    }
}

/// Returns the time at which a source fetched its artifact, or a later one.
fn fetched_at(source: &Resource) -> Option<Timestamp> {
    let conditions = source.conditions.as_slice();
    FETCHED.iter().filter_map(|kind| conditions.of_type(kind)?.last_transition_time).max()
}

/// Returns a judgement if the last reconciliation is older than many intervals. The controller updates its time with
/// every attempt.
fn overdue(fields: &FluxObject, clock: &AssessmentClock) -> Option<Judgement> {
    let last = fields.status.history.iter().filter_map(|attempts| attempts.last_reconciled).max()?;
    let interval = fields.spec.interval.as_deref()?;
    if !clock.is_overdue(Some(last)) || !has_passed(Some(last), fields, OVERDUE, clock) {
        return None;
    }
    let message = format!("last reconciled {} ago, every {interval}", age(last, clock.now));
    Some(Judgement::quiet(Verdict::Unknown, Some(last), message))
}

/// Returns true if this number of the object's intervals has passed since a time; false if one of them is unknown.
fn has_passed(since: Option<Timestamp>, fields: &FluxObject, intervals: i32, clock: &AssessmentClock) -> bool {
    let interval = fields.spec.interval.as_deref().and_then(|text| text.parse::<SignedDuration>().ok());
    let limit = interval.map(|interval| interval.checked_mul(intervals).unwrap_or(SignedDuration::MAX));
    since.zip(limit).is_some_and(|(since, limit)| clock.now.duration_since(since) > limit)
}
