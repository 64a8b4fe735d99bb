//! The assessment of a cluster state: a judgement for every object, and causes.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};

use super::any;
use super::code::Code;
use super::engines::{ENGINES, links};
use super::judgement::{AssessmentClock, AssessmentFacts, Cause, JudgedObject, Judgement};
use super::outage::Controllers;
use crate::graph::LazyGraph;
use crate::model::body::Body;
use crate::model::object::ObjectName;
use crate::model::state::ClusterState;

/// The judgements of all engines for a cluster state.
pub struct Assessment<'state> {
    /// All judged objects, in the order of the state.
    pub judged: Vec<JudgedObject<'state>>,
    /// Problems that affect several objects.
    pub causes: Vec<Cause>,
    /// The controllers of all engines, and their health.
    pub controllers: Controllers<'state>,
    /// The objects and their links.
    pub graph: LazyGraph<'state>,
}

/// Judges a cluster state. Each engine judges its own objects; objects of other kinds are judged by the rules for any
/// kind.
pub fn assess<'state>(state: &'state ClusterState, clock: &AssessmentClock) -> Assessment<'state> {
    assess_with(state, clock, OtherWorkloads::Unjudged)
}

/// Selects whether workloads are judged on their own, and not only as controllers of an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtherWorkloads {
    /// Judged on their own, for `--any`.
    Judged,
    /// Only judged as controllers.
    Unjudged,
}

/// Judges a cluster state like [`assess`], with or without other workloads.
pub fn assess_with<'state>(
    state: &'state ClusterState,
    clock: &AssessmentClock,
    workloads: OtherWorkloads,
) -> Assessment<'state> {
    let mut judged = Vec::with_capacity(state.resources.len());
    for (node, resource) in state.resources.iter().enumerate() {
        let engine = ENGINES.iter().find(|engine| engine.want(&resource.kind).is_some());
        if let Some(engine) = engine
            && let Some(judgement) = engine.judge(resource, clock)
        {
            let judgement = any::worst_by_rule(judgement, resource, state, clock);
            judged.push(JudgedObject { resource, node, engine: engine.name(), judgement });
        } else if let Body::Any(fields) = &resource.body {
            let judgement = any::judge_by_rule(resource, state, clock)
                .unwrap_or_else(|| any::judge(resource, fields, clock, &state.conventions));
            judged.push(JudgedObject { resource, node, engine: any::NAME, judgement });
        } else if let (Body::Workload(workload), OtherWorkloads::Judged) = (&resource.body, workloads) {
            let judgement = any::judge_by_rule(resource, state, clock)
                .unwrap_or_else(|| any::judge_workload(resource, workload, clock));
            judged.push(JudgedObject { resource, node, engine: any::NAME, judgement });
        }
    }
    for engine in ENGINES {
        engine.reconsider(&mut judged, clock);
    }
    any::compare_with_engines(state, &mut judged, |entry| entry.engine == any::NAME);
    let controllers = Controllers::from_state(state);
    controllers.mark_outdated(&mut judged);
    let down_workload = |controller: &str| controllers.down_workload(controller);
    let graph = LazyGraph::new(state, links);
    let mut positions = vec![None; state.resources.len()];
    for (position, entry) in judged.iter().enumerate() {
        positions[entry.node] = Some(position);
    }
    let unfounded: Vec<(usize, Judgement)> = {
        let facts = AssessmentFacts {
            state,
            graph: &graph,
            judged: &judged,
            positions: &positions,
            down_workload: &down_workload,
            clock,
        };
        ENGINES.iter().flat_map(|engine| engine.unfounded(&facts)).collect()
    };
    for (position, judgement) in unfounded {
        judged[position].judgement = judgement;
    }
    let facts = AssessmentFacts {
        state,
        graph: &graph,
        judged: &judged,
        positions: &positions,
        down_workload: &down_workload,
        clock,
    };
    let mut causes: Vec<Cause> = ENGINES.iter().flat_map(|engine| engine.causes(&facts)).collect();
    causes.extend(controllers.causes(&judged));
    let causes = merge_chained_causes(merge_equal_causes(causes), &judged);
    // A controller that is not running is only reported as the cause of its objects' problems.
    let to_blame: BTreeSet<_> = causes.iter().map(|cause| &cause.object).collect();
    for entry in judged.iter_mut().filter(|entry| matches!(entry.resource.body, Body::Workload(_))) {
        if to_blame.contains(&entry.resource.name()) {
            entry.judgement.problems.clear();
        }
    }
    Assessment { judged, causes, controllers, graph }
}

/// Merges causes with the same problem and object.
fn merge_equal_causes(causes: Vec<Cause>) -> Vec<Cause> {
    let mut joined: Vec<Cause> = Vec::with_capacity(causes.len());
    let mut places: HashMap<(ObjectName, Code), usize> = HashMap::with_capacity(causes.len());
    for cause in causes {
        match places.entry((cause.object.clone(), cause.problem.code)) {
            Entry::Occupied(place) => {
                let known = &mut joined[*place.get()];
                known.holds_up.extend(cause.holds_up);
                known.holds_up.sort_unstable();
                known.holds_up.dedup();
            }
            Entry::Vacant(place) => {
                place.insert(joined.len());
                joined.push(cause);
            }
        }
    }
    joined
}

/// Merges chained causes into their first one. A missing provider config blocks a managed resource, which blocks its
/// composite: the provider config is then the cause of both.
fn merge_chained_causes(causes: Vec<Cause>, judged: &[JudgedObject<'_>]) -> Vec<Cause> {
    let by_object: HashMap<_, _> = causes.iter().enumerate().map(|(index, cause)| (&cause.object, index)).collect();
    // Maps each cause that another one explains to that other one.
    let mut deeper: HashMap<usize, usize> = HashMap::new();
    for (index, cause) in causes.iter().enumerate() {
        for position in &cause.holds_up {
            if let Some(held) = by_object.get(&judged[*position].resource.name()).filter(|held| **held != index) {
                deeper.entry(*held).or_insert(index);
            }
        }
    }
    let roots = root_causes(causes.len(), &deeper);
    let mut joined: Vec<Option<Cause>> = causes.into_iter().map(Some).collect();
    for (index, root) in roots.into_iter().enumerate().filter(|(index, root)| index != root) {
        if let Some(cause) = joined[index].take()
            && let Some(root) = &mut joined[root]
        {
            root.holds_up.extend(cause.holds_up);
            root.holds_up.sort_unstable();
            root.holds_up.dedup();
        }
    }
    joined.into_iter().flatten().collect()
}

/// Returns the end of the chain from each cause. Causes that explain each other are each an end.
fn root_causes(count: usize, deeper: &HashMap<usize, usize>) -> Vec<usize> {
    let mut roots: Vec<Option<usize>> = vec![None; count];
    let mut steps: HashMap<usize, usize> = HashMap::new();
    for start in 0..count {
        let (mut path, mut index) = (Vec::new(), start);
        steps.clear();
        let root = loop {
            if let Some(known) = roots[index] {
                break known;
            }
            if let Some(step) = steps.get(&index) {
                path.drain(step..).for_each(|member: usize| roots[member] = Some(member));
                break index;
            }
            steps.insert(index, path.len());
            path.push(index);
            match deeper.get(&index) {
                Some(next) => index = *next,
                None => break index,
            }
        };
        path.into_iter().for_each(|member| roots[member] = Some(root));
    }
    roots.into_iter().enumerate().map(|(index, root)| root.unwrap_or(index)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn root_causes_are_found_in_circular_chains() {
        let deeper = HashMap::from([(0, 1), (1, 2), (3, 4), (4, 3), (5, 3)]);
        assert_eq!(root_causes(6, &deeper), [2, 2, 2, 3, 4, 3]);
        let long: HashMap<usize, usize> = (0..100_000).map(|index| (index, index + 1)).collect();
        assert!(root_causes(100_001, &long).iter().all(|root| *root == 100_000));
    }
}
