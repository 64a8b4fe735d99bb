//! Objects that fail because their source or a dependency has a problem.

use std::collections::BTreeMap;

use crate::engine::code::Code;
use crate::engine::judgement::{AssessmentFacts, Cause, JudgedObject, Judgement, Problem};
use crate::graph::NodeId;
use crate::graph::link::Relation;
use crate::model::body::Body;
use crate::model::condition::FindCondition as _;
use crate::model::resource::Resource;
use crate::model::verdict::Verdict;

/// Reasons of Ready that report such a failure, even if the source has an older artifact.
const WAITING: [&str; 3] = ["SourceNotReady", "SourceUnavailable", "DependencyNotReady"];

/// Returns sources and dependencies with problems, each with the objects that it blocks.
pub(super) fn foundation_causes(facts: &AssessmentFacts<'_, '_>) -> Vec<Cause> {
    let mut blamed: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (index, entry) in facts.judged.iter().enumerate() {
        if entry.judgement.verdict >= Verdict::Paused || !matches!(entry.resource.body, Body::Flux(_)) {
            continue;
        }
        let ready = entry.resource.conditions.as_slice().of_type("Ready");
        let says_so = ready.is_some_and(|condition| WAITING.contains(&condition.reason.as_str()));
        let troubled = builds_on(facts, entry).find_map(|node| {
            let foundation = facts.position(node)?;
            let judgement = &facts.judged[foundation].judgement;
            let is_in_trouble = judgement.verdict < Verdict::Progressing && !judgement.problems.is_empty();
            // With an older artifact, the object can still be built; its failure then has another cause.
            let explains = says_so || has_no_artifact(facts.judged[foundation].resource);
            (is_in_trouble && explains).then_some(foundation)
        });
        if let Some(foundation) = troubled {
            blamed.entry(foundation).or_default().push(index);
        }
    }
    facts.causes(blamed)
}

/// Returns a judgement for each object that is OK while its source or a dependency does not exist: its status is of a
/// time when that existed.
pub(super) fn without_foundation(facts: &AssessmentFacts<'_, '_>) -> Vec<(usize, Judgement)> {
    let found = facts.without_foundation(|entry| {
        if !matches!(entry.resource.body, Body::Flux(_)) {
            return Vec::new();
        }
        let needed = facts.graph.up(entry.node).iter().filter(|edge| edge.relation == Relation::Declares);
        let awaited = facts.graph.down(entry.node).iter().filter(|edge| edge.relation == Relation::DependsOn);
        needed.chain(awaited).collect()
    });
    let judged = found.into_iter().map(|(index, message)| {
        let problem = Problem::new(Code::FluxSourceMissing, None, message);
        (index, Judgement::worst(vec![problem], Judgement::ok(None)))
    });
    judged.collect()
}

fn has_no_artifact(source: &Resource) -> bool {
    matches!(&source.body, Body::Flux(fields) if fields.status.artifact.is_none())
}

/// Returns the sources of an object, and its dependencies if the object reports that it waits for them.
fn builds_on<'facts>(
    facts: &AssessmentFacts<'facts, '_>,
    entry: &JudgedObject<'_>,
) -> impl Iterator<Item = NodeId> + use<'facts> {
    let sources = facts.graph.up(entry.node).iter().filter(|edge| edge.relation == Relation::Declares);
    let ready = entry.resource.conditions.of_type("Ready");
    let waits = ready.is_some_and(|condition| condition.reason == "DependencyNotReady");
    let dependencies = facts.graph.down(entry.node).iter().filter(|edge| edge.relation == Relation::DependsOn);
    sources.chain(dependencies.filter(move |_| waits)).map(|edge| edge.node)
}
