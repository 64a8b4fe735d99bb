//! Objects that an Application deploys to the core cluster are judged on their own. If one of them has a problem, it is
//! the cause of the Application's health.

use std::collections::BTreeMap;

use crate::engine::code::Code;
use crate::engine::judgement::{AssessmentFacts, Cause};
use crate::graph::EvidenceSource;
use crate::graph::link::Relation;
use crate::model::body::Body;
use crate::model::verdict::Verdict;

/// Returns deployed objects (Applications, managed resources, and all other judged objects) as causes for the health of
/// the Applications that deploy them. The reverse, a Healthy parent of a degraded child, needs no handling.
pub(super) fn child_causes(facts: &AssessmentFacts<'_, '_>) -> Vec<Cause> {
    let mut blamed: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (parent, entry) in facts.judged.iter().enumerate() {
        let problems = &entry.judgement.problems;
        let is_health = |code| matches!(code, Code::ApplicationUnhealthy | Code::ApplicationProgressing);
        if !matches!(entry.resource.body, Body::Application(_))
            || problems.is_empty()
            || !problems.iter().all(|problem| is_health(problem.code))
        {
            continue;
        }
        let listed = facts.graph.down(entry.node).iter();
        let listed =
            listed.filter(|edge| edge.relation == Relation::Applies && edge.evidence.has(EvidenceSource::Upper));
        for child in listed.filter_map(|edge| facts.position(edge.node)).filter(|child| *child != parent) {
            let judgement = &facts.judged[child].judgement;
            let explains = matches!(judgement.verdict, Verdict::Failed | Verdict::NeedsHuman | Verdict::Stuck);
            if explains && !judgement.problems.is_empty() {
                blamed.entry(child).or_default().push(parent);
            }
        }
    }
    facts.causes(blamed)
}
