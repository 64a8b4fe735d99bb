//! Deployments and StatefulSets that a composite composes itself, and that have failed. They are of no engine, and may be
//! the reason why it is not ready; it may also be Ready, if its pipeline does not look at them.

use super::composition::{is_only_waiting, named_parts};
use super::kind_role::{CrossplaneRole, role};
use crate::engine::any;
use crate::engine::judgement::{AssessmentFacts, Cause};
use crate::model::body::Body;
use crate::model::verdict::Verdict;

/// Returns a cause for each of them.
pub(super) fn failed_workload_causes(facts: &AssessmentFacts<'_, '_>) -> Vec<Cause> {
    let composites = facts.judged.iter().enumerate().filter(|(_, entry)| {
        entry.resource.metadata.deletion_timestamp.is_none()
            && role(&entry.resource.kind) == Some(CrossplaneRole::Composite)
    });
    let causes = composites.flat_map(|(position, entry)| {
        named_parts(facts, entry.node).filter_map(move |edge| {
            let part = facts.graph.resource(edge.node)?;
            let Body::Workload(workload) = &part.body else { return None };
            let judgement = any::judge_workload(part, workload, facts.clock);
            let has_failed = matches!(judgement.verdict, Verdict::Failed | Verdict::Stuck);
            let problem = judgement.problems.into_iter().next().filter(|_| has_failed)?;
            // An error of its own is not hidden by that of a part.
            let only_waits = entry.judgement.problems.iter().all(|problem| is_only_waiting(entry, problem.code));
            Some(Cause { object: part.name(), problem, holds_up: Vec::from_iter(only_waits.then_some(position)) })
        })
    });
    causes.collect()
}
