//! Every object judged, and what is to blame found.

use std::collections::{BTreeSet, HashMap};

use super::controller::Controllers;
use super::judgement::{Cause, Clock, Facts, Judged};
use super::{ENGINES, any, links};
use crate::graph::LazyGraph;
use crate::model::body::Body;
use crate::model::state::ClusterState;

/// Everything that the engines say of a state.
pub struct Assessment<'state> {
    /// Every judged object, in the state's order.
    pub judged: Vec<Judged<'state>>,
    /// Shared causes.
    pub causes: Vec<Cause>,
    /// Which controllers run.
    pub controllers: Controllers<'state>,
    /// The objects, and what they have to do with each other.
    pub graph: LazyGraph<'state>,
}

/// Lets every engine judge its objects; what was read of kinds that no engine knows is judged by the rules for any.
pub fn assess<'state>(state: &'state ClusterState, clock: &Clock) -> Assessment<'state> {
    assess_with(state, clock, OtherWorkloads::Unjudged)
}

/// Whether workloads are judged for themselves, and not only as controllers of an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtherWorkloads {
    /// With `--any`.
    Judged,
    /// Without.
    Unjudged,
}

/// The same, with workloads judged for themselves or not.
pub fn assess_with<'state>(
    state: &'state ClusterState,
    clock: &Clock,
    workloads: OtherWorkloads,
) -> Assessment<'state> {
    let mut judged = Vec::with_capacity(state.resources.len());
    for (node, resource) in state.resources.iter().enumerate() {
        let engine = ENGINES.iter().find(|engine| engine.want(&resource.kind).is_some());
        if let Some(engine) = engine
            && let Some(judgement) = engine.judge(resource, clock)
        {
            judged.push(Judged { resource, node, engine: engine.name(), judgement });
        } else if let Body::Any(fields) = &resource.body {
            let judgement = any::judge(resource, fields, clock, &state.conventions);
            judged.push(Judged { resource, node, engine: any::NAME, judgement });
        } else if let (Body::Workload(workload), OtherWorkloads::Judged) = (&resource.body, workloads) {
            let judgement = any::judge_workload(resource, workload, clock);
            judged.push(Judged { resource, node, engine: any::NAME, judgement });
        }
    }
    for engine in ENGINES {
        engine.reconsider(&mut judged, clock);
    }
    any::compare_with_engines(state, &mut judged, |entry| entry.engine == any::NAME);
    let controllers = Controllers::of(state);
    controllers.cast_doubt(&mut judged);
    let graph = LazyGraph::of(state, links);
    let mut positions = vec![None; state.resources.len()];
    for (position, entry) in judged.iter().enumerate() {
        positions[entry.node] = Some(position);
    }
    let facts =
        Facts { state, graph: &graph, judged: &judged, positions: &positions, controllers: &controllers, clock };
    let mut causes: Vec<Cause> = ENGINES.iter().flat_map(|engine| engine.causes(&facts)).collect();
    causes.extend(controllers.causes(&judged));
    let causes = join_chains(join_alike(causes), &judged);
    // A controller that does not run is said once, by whoever misses it.
    let to_blame: BTreeSet<_> = causes.iter().map(|cause| &cause.object).collect();
    for entry in judged.iter_mut().filter(|entry| matches!(entry.resource.body, Body::Workload(_))) {
        if to_blame.contains(&entry.resource.name()) {
            entry.judgement.problems.clear();
        }
    }
    Assessment { judged, causes, controllers, graph }
}

/// The same problem of the same object, found in two ways, is one.
fn join_alike(causes: Vec<Cause>) -> Vec<Cause> {
    let mut joined: Vec<Cause> = Vec::with_capacity(causes.len());
    for cause in causes {
        let same = |known: &&mut Cause| known.object == cause.object && known.problem.code == cause.problem.code;
        match joined.iter_mut().find(same) {
            Some(known) => {
                known.holds_up.extend(cause.holds_up);
                known.holds_up.sort_unstable();
                known.holds_up.dedup();
            }
            None => joined.push(cause),
        }
    }
    joined
}

/// A missing provider config holds up a managed resource, and that its composite: then the provider config holds up
/// both, and is the one thing to mend.
fn join_chains(causes: Vec<Cause>, judged: &[Judged<'_>]) -> Vec<Cause> {
    let by_object: HashMap<_, _> = causes.iter().enumerate().map(|(index, cause)| (&cause.object, index)).collect();
    // Of each cause that another one explains: that one.
    let mut deeper: HashMap<usize, usize> = HashMap::new();
    for (index, cause) in causes.iter().enumerate() {
        for position in &cause.holds_up {
            if let Some(held) = by_object.get(&judged[*position].resource.name()).filter(|held| **held != index) {
                deeper.entry(*held).or_insert(index);
            }
        }
    }
    let roots: Vec<usize> = (0..causes.len()).map(|index| deepest(index, &deeper)).collect();
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

/// Follows the chain to its end. Of two that explain each other, each is an end.
fn deepest(from: usize, deeper: &HashMap<usize, usize>) -> usize {
    let (mut index, mut seen) = (from, BTreeSet::from([from]));
    while let Some(next) = deeper.get(&index) {
        if !seen.insert(*next) {
            return *next;
        }
        index = *next;
    }
    index
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_end_in_circles_too() {
        let deeper = HashMap::from([(0, 1), (1, 2), (3, 4), (4, 3), (5, 3)]);
        assert_eq!([0, 1, 2, 3, 4].map(|index| deepest(index, &deeper)), [2, 2, 2, 3, 4]);
        assert!([3, 4].contains(&deepest(5, &deeper)));
    }
}
