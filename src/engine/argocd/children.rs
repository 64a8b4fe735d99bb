//! What an Application deploys to the core cluster is judged by itself: where a part of it is in trouble, that is why the
//! Application is not healthy.

use std::collections::BTreeMap;

use crate::engine::code::Code;
use crate::engine::{Cause, Facts};
use crate::graph::Witness;
use crate::graph::link::Relation;
use crate::model::body::Body;
use crate::model::verdict::Verdict;

/// Applications, managed resources and all else that is judged, to blame for the health of the Applications that deploy
/// them. (The reverse, a parent that stays Healthy over a degraded child, needs nothing here.)
pub(super) fn to_blame(facts: &Facts<'_, '_>) -> Vec<Cause> {
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
        let listed = listed.filter(|edge| edge.relation == Relation::Applies && edge.evidence.has(Witness::Upper));
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
