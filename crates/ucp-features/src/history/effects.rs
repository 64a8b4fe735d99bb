//! Effects: links an occurrence to the change before it that probably caused it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, VecDeque};

use jiff::SignedDuration;

use super::{ChangeSort, Occurrence};
use ucp_core::graph::Graph;
use ucp_core::model::object::{ObjectKey, ObjectName};

/// Effects come this soon after their cause.
const SOON: SignedDuration = SignedDuration::from_mins(10);
/// Longer paths are not followed.
const DEPTH: usize = 6;
/// Objects whose dependencies are searched; others only have effects of their own changes.
const MOST_OBJECTS: usize = 2_000;

/// The objects that can affect an object, and how.
pub struct Dependencies<'graph, 'state> {
    graph: &'graph Graph<'state>,
    known: HashMap<ObjectKey, BTreeMap<ObjectKey, DependencyPath>>,
}

/// The path from an object to one that affects it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DependencyPath {
    /// The number of steps.
    pub steps: usize,
    /// The objects on it, from the affected one to the other.
    pub objects: Vec<ObjectName>,
}

impl<'graph, 'state> Dependencies<'graph, 'state> {
    /// Creates an empty collection.
    pub fn new(graph: &'graph Graph<'state>) -> Self {
        Self { graph, known: HashMap::new() }
    }

    /// Returns the objects that can affect an object, including itself.
    pub fn find(&mut self, object: &ObjectName) -> &BTreeMap<ObjectKey, DependencyPath> {
        let key = ObjectKey::from(object);
        let is_full = self.known.len() >= MOST_OBJECTS;
        let graph = self.graph;
        self.known.entry(key).or_insert_with(|| search(graph, object, is_full))
    }
}

/// Searches the parts and needs of an object downwards, and its owners and deployers upwards.
fn search(graph: &Graph<'_>, object: &ObjectName, is_alone: bool) -> BTreeMap<ObjectKey, DependencyPath> {
    let start = DependencyPath { steps: 0, objects: vec![object.clone()] };
    let mut found = BTreeMap::from([(ObjectKey::from(object), start.clone())]);
    let Some(root) = graph.find(&ObjectKey::from(object)).filter(|_| !is_alone) else { return found };
    let mut seen = std::collections::BTreeSet::from([root]);
    let mut open = VecDeque::from([(root, SearchStep::Start, start)]);
    while let Some((node, step, path)) = open.pop_front() {
        if path.steps == DEPTH {
            continue;
        }
        // Siblings do not affect each other: the way up is not followed downwards again, except to its needs.
        let up = graph
            .up(node)
            .iter()
            .filter(|edge| !edge.relation.is_need() && matches!(step, SearchStep::Start | SearchStep::Up));
        let down = graph
            .down(node)
            .iter()
            .filter(|edge| edge.relation.is_need() || matches!(step, SearchStep::Start | SearchStep::Part));
        let up = up.map(|edge| (edge.node, SearchStep::Up));
        let down =
            down.map(|edge| (edge.node, if edge.relation.is_need() { SearchStep::Need } else { SearchStep::Part }));
        for (next, step) in up.chain(down) {
            if !seen.insert(next) {
                continue;
            }
            let name = graph.name(next);
            let objects = path.objects.iter().cloned().chain(name.clone()).collect();
            let next_path = DependencyPath { steps: path.steps + 1, objects };
            if let Some(name) = name {
                found.insert(ObjectKey::from(&name), next_path.clone());
            }
            open.push_back((next, step, next_path));
        }
    }
    found
}

/// The last step of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SearchStep {
    Start,
    Up,
    Part,
    Need,
}

/// Returns for each occurrence the index of the change that probably caused it. Occurrences are sorted by time.
pub fn link_effects(occurrences: &[Occurrence], dependencies: &mut Dependencies<'_, '_>) -> Vec<Option<usize>> {
    let mut by_object: HashMap<ObjectKey, Vec<usize>> = HashMap::new();
    for (index, occurrence) in occurrences.iter().enumerate() {
        if occurrence.change.may_cause() || occurrence.change == ChangeSort::TurnedBad {
            by_object.entry(ObjectKey::from(&occurrence.object)).or_default().push(index);
        }
    }
    let cause = |(index, effect): (usize, &Occurrence)| match effect.change {
        ChangeSort::Deployed => deployed_commit(occurrences, index),
        ChangeSort::TurnedBad | ChangeSort::TurnedGood | ChangeSort::Warned => {
            let paths = dependencies.find(&effect.object);
            let causes = paths.iter().filter_map(|(key, path)| {
                let own = by_object.get(key)?.iter().rev().copied();
                let mut recent = own
                    .skip_while(|place| *place >= index)
                    .take_while(|place| effect.time.duration_since(occurrences[*place].time) <= SOON);
                Some((path.steps, recent.find(|place| is_cause(&occurrences[*place], effect))?))
            });
            causes.min_by_key(|(steps, place)| (*steps, Reverse(*place))).map(|(_, place)| place)
        }
        _ => None,
    };
    occurrences.iter().enumerate().map(cause).collect()
}

/// Returns true if a change causes an effect. A problem of a part causes one of the whole; a change causes either.
fn is_cause(cause: &Occurrence, effect: &Occurrence) -> bool {
    let is_other = cause.object != effect.object;
    match cause.change {
        ChangeSort::TurnedBad => effect.change.is_bad() && is_other,
        ChangeSort::Created => !is_other,
        change => change.may_cause(),
    }
}

/// Returns the index of the last commit that a deployment brought.
pub(super) fn deployed_commit(occurrences: &[Occurrence], deployment: usize) -> Option<usize> {
    let deployed = &occurrences[deployment];
    let is_own = |commit: &Occurrence| commit.object == deployed.object || commit.also.contains(&deployed.object);
    let before = occurrences[..deployment].iter().enumerate().rev();
    // An earlier deployment brought the commits before it.
    let own = before.filter(|(_, one)| is_own(one));
    let mut since_last = own.take_while(|(_, one)| one.change != ChangeSort::Deployed);
    since_last.find(|(_, one)| one.change == ChangeSort::Committed).map(|(index, _)| index)
}
