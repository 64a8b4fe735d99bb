//! Composites and claims that are not ready because one of their parts is not ready.

use std::collections::BTreeMap;

use super::kind_role::{CrossplaneRole, role};
use crate::engine::code::Code;
use crate::engine::judgement::{AssessmentFacts, Cause, JudgedObject, Judgement};
use crate::graph::link::Relation;
use crate::graph::{Edge, EvidenceSource, NodeId};
use crate::model::body::Body;
use crate::model::verdict::Verdict;

/// Returns the objects with problems, each with the composites and claims above it that have no other problem.
pub(super) fn waiting_composite_causes(facts: &AssessmentFacts<'_, '_>) -> Vec<Cause> {
    let mut blamed: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (position, entry) in facts.judged.iter().enumerate() {
        let only_waits = entry.judgement.problems.iter().all(|problem| is_only_waiting(entry, problem.code));
        if !entry.judgement.problems.is_empty()
            && only_waits
            && let Some(cause) = deepest_problem(facts, position, 0)
        {
            blamed.entry(cause).or_default().push(position);
        }
    }
    facts.causes(blamed)
}

/// Returns a judgement for each claim and composite that is OK while the composite or a composed resource that it names does
/// not exist: its status is of a time when that existed.
pub(super) fn without_parts(facts: &AssessmentFacts<'_, '_>) -> Vec<(usize, Judgement)> {
    let found = facts.without_foundation(|entry| match &entry.resource.body {
        Body::Crossplane(body) if !body.composed.is_empty() => named_parts(facts, entry.node).collect(),
        _ => Vec::new(),
    });
    found.into_iter().map(|(index, message)| (index, Judgement::quiet(Verdict::Unknown, None, message))).collect()
}

/// Returns the links to the parts that a claim or composite itself names.
pub(super) fn named_parts<'facts>(
    facts: &'facts AssessmentFacts<'_, '_>,
    node: NodeId,
) -> impl Iterator<Item = &'facts Edge> {
    let parts = facts.graph.down(node).iter();
    parts.filter(|edge| edge.relation == Relation::Composes && edge.evidence.has(EvidenceSource::Upper))
}

/// Returns true if the only problem of a composite or claim is that it waits: to become ready, or for the deletion of
/// its parts.
pub(super) fn is_only_waiting(entry: &JudgedObject<'_>, code: Code) -> bool {
    let is_composed = matches!(role(&entry.resource.kind), Some(CrossplaneRole::Composite | CrossplaneRole::Claim));
    let has_parts = matches!(&entry.resource.body, Body::Crossplane(body) if !body.composed.is_empty());
    code == Code::CompositeNotReady || code == Code::DeletionStuck && is_composed && has_parts
}

/// The maximum nesting of composites. References may be circular.
const DEEPEST: usize = 8;

fn deepest_problem(facts: &AssessmentFacts<'_, '_>, position: usize, depth: usize) -> Option<usize> {
    if depth >= DEEPEST {
        return None;
    }
    let parts = named_parts(facts, facts.judged[position].node);
    parts.filter_map(|edge| facts.position(edge.node)).find_map(|child| {
        let (entry, problems) = (&facts.judged[child], &facts.judged[child].judgement.problems);
        // A deletion only waits for other deletions, not for unhealthy objects.
        let is_deleting = |entry: &JudgedObject<'_>| entry.resource.metadata.deletion_timestamp.is_some();
        if is_deleting(&facts.judged[position]) && !is_deleting(entry) {
            return None;
        }
        let has_own = problems.iter().any(|problem| !is_only_waiting(entry, problem.code));
        if has_own { Some(child) } else { deepest_problem(facts, child, depth + 1) }
    })
}
