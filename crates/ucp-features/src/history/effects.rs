//! Effects: links an occurrence to the change before it that probably caused it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use jiff::SignedDuration;

use super::deletions::Deletions;
use super::effect_kind::{SLOWLY, WAITED, follows_from, rank};
use super::occurrence::{ChangeSort, Occurrence};
use ucp_core::graph::{Graph, NodeId};
use ucp_core::model::object::{ObjectKey, ObjectKeyRef, ObjectName};

/// Effects come this soon after their cause: a rollout fails after 10 minutes without progress, and its deployer reports that later.
const SOON: SignedDuration = SignedDuration::from_mins(12);
/// Longer paths are not followed.
const DEPTH: usize = 6;
/// Objects whose dependencies are searched; others only have effects of their own changes.
const MOST_OBJECTS: usize = 2_000;

/// Finds the objects that can affect an object, and how.
pub struct Dependencies<'graph, 'state> {
    graph: &'graph Graph<'state>,
    /// The objects that were reached from an object, and the number of steps.
    known: HashMap<NodeId, Vec<(NodeId, usize)>>,
}

/// The path from an object to one that affects it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DependencyPath {
    /// The number of steps.
    pub steps: usize,
    /// The objects on it, from the affected one to the other.
    pub objects: Vec<ObjectName>,
    /// True if the other one is needed, and neither a part nor an owner.
    pub is_need: bool,
}

/// A node that was reached.
struct ReachedNode {
    node: NodeId,
    by: SearchStep,
    steps: usize,
    /// The index of the node before it; its own for the first one.
    before: usize,
}

impl<'graph, 'state> Dependencies<'graph, 'state> {
    /// Creates a finder for the objects of a graph.
    pub fn new(graph: &'graph Graph<'state>) -> Self {
        Self { graph, known: HashMap::new() }
    }

    /// Returns the objects that can affect an object, including itself, with the paths to them.
    pub fn paths(&self, object: &ObjectName) -> BTreeMap<ObjectKey, DependencyPath> {
        let own = DependencyPath { steps: 0, objects: vec![object.clone()], is_need: false };
        let mut found = BTreeMap::from([(ObjectKey::from(object), own)]);
        let Some(root) = self.graph.find(&ObjectKey::from(object)) else { return found };
        let reached = search(self.graph, root);
        for (index, last) in reached.iter().enumerate().skip(1) {
            let Some(name) = self.graph.name(last.node) else { continue };
            let mut objects = vec![name.clone()];
            let mut at = index;
            while at != 0 {
                at = reached[at].before;
                objects.extend(self.graph.name(reached[at].node));
            }
            objects.reverse();
            let is_need = last.by == SearchStep::Need;
            found.entry(ObjectKey::from(&name)).or_insert(DependencyPath { steps: last.steps, objects, is_need });
        }
        found
    }

    /// Returns the nodes that can affect a node, including itself, and the numbers of steps.
    fn steps(&mut self, root: NodeId) -> &[(NodeId, usize)] {
        let is_full = self.known.len() >= MOST_OBJECTS;
        let graph = self.graph;
        self.known.entry(root).or_insert_with(|| match is_full {
            true => vec![(root, 0)],
            false => search(graph, root).iter().map(|reached| (reached.node, reached.steps)).collect(),
        })
    }
}

/// Searches the parts and needs of a node downwards, and its owners and deployers upwards.
fn search(graph: &Graph<'_>, root: NodeId) -> Vec<ReachedNode> {
    let mut reached = vec![ReachedNode { node: root, by: SearchStep::Start, steps: 0, before: 0 }];
    let mut seen = BTreeSet::from([root]);
    let mut open = VecDeque::from([(0, SearchStep::Start)]);
    while let Some((index, step)) = open.pop_front() {
        let ReachedNode { node, steps, .. } = reached[index];
        if steps == DEPTH {
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
            if seen.insert(next) {
                open.push_back((reached.len(), step));
                reached.push(ReachedNode { node: next, by: step, steps: steps + 1, before: index });
            }
        }
    }
    reached
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
    let graph = dependencies.graph;
    let node_of = |occurrence: &Occurrence| graph.find(&ObjectKey::from(&occurrence.object));
    let mut by_node: HashMap<NodeId, Vec<usize>> = HashMap::new();
    // Objects that only Events name.
    let mut by_key: HashMap<ObjectKeyRef<'_>, Vec<usize>> = HashMap::new();
    for (index, occurrence) in occurrences.iter().enumerate() {
        if occurrence.change.may_cause() || occurrence.change == ChangeSort::TurnedBad {
            for object in occurrence.objects() {
                match graph.find(&ObjectKey::from(object)) {
                    Some(node) => by_node.entry(node).or_default().push(index),
                    None => by_key.entry(object.key_ref()).or_default().push(index),
                }
            }
        }
    }
    let recent_cause = |own: &[usize], index: usize, effect: &Occurrence| {
        let before = own.iter().rev().copied().skip_while(|place| *place >= index);
        let mut recent = before.take_while(|place| effect.time.duration_since(occurrences[*place].time) <= SOON);
        recent.find(|place| is_cause(&occurrences[*place], effect))
    };
    // The origin of several changes that follow from each other.
    let origin = |effect: &Occurrence| {
        let above = above(graph, node_of(effect)?).into_iter().filter_map(|node| by_node.get(&node));
        let near = above.flat_map(|own| {
            let is_early = |place: &usize| effect.time.duration_since(occurrences[*place].time) > SLOWLY;
            let is_late = |place: &usize| occurrences[*place].time.duration_since(effect.time) > WAITED;
            own[own.partition_point(is_early)..].iter().copied().take_while(move |place| !is_late(place))
        });
        let causes = near.filter(|place| follows_from(effect, &occurrences[*place]));
        causes.min_by_key(|place| (rank(&occurrences[*place]), Reverse(*place)))
    };
    let deletions = Deletions::find(occurrences);
    let mut cause = |(index, effect): (usize, &Occurrence)| match effect.change {
        ChangeSort::Deployed => deployed_commit(occurrences, index).or_else(|| origin(effect)),
        ChangeSort::Written | ChangeSort::Created => origin(effect),
        ChangeSort::Deleted | ChangeSort::DeletionRequested => deletions.cause(index),
        ChangeSort::TurnedBad | ChangeSort::TurnedGood | ChangeSort::Warned => {
            let Some(node) = node_of(effect) else {
                return recent_cause(by_key.get(&effect.object.key_ref())?, index, effect);
            };
            let reached = dependencies.steps(node).iter();
            let causes =
                reached.filter_map(|(node, steps)| Some((*steps, recent_cause(by_node.get(node)?, index, effect)?)));
            causes.min_by_key(|(steps, place)| (*steps, Reverse(*place))).map(|(_, place)| place)
        }
        _ => None,
    };
    let causes = occurrences.iter().enumerate().map(&mut cause);
    causes.collect()
}

/// Returns a node, its owners, and the deployers above it.
fn above(graph: &Graph<'_>, node: NodeId) -> BTreeSet<NodeId> {
    let (mut found, mut open) = (BTreeSet::from([node]), vec![node]);
    for _ in 0..DEPTH {
        let owners = open.iter().flat_map(|node| graph.up(*node)).filter(|edge| !edge.relation.is_need());
        open = owners.map(|edge| edge.node).filter(|owner| found.insert(*owner)).collect();
    }
    found
}

/// Returns true if a change causes an effect. A problem of a part causes one of the whole; a change causes either.
fn is_cause(cause: &Occurrence, effect: &Occurrence) -> bool {
    let is_other = !cause.objects().any(|object| *object == effect.object);
    match cause.change {
        ChangeSort::TurnedBad => effect.change.is_bad() && is_other,
        ChangeSort::Created => !is_other,
        change => change.may_cause(),
    }
}

/// Returns the index of the last commit that a deployment brought.
fn deployed_commit(occurrences: &[Occurrence], deployment: usize) -> Option<usize> {
    deployed_commits(occurrences, deployment).last().copied()
}

/// Returns the indexes of the commits that a deployment brought, the oldest first.
pub(super) fn deployed_commits(occurrences: &[Occurrence], deployment: usize) -> Vec<usize> {
    let deployed = &occurrences[deployment];
    let is_own = |commit: &Occurrence| commit.object == deployed.object || commit.also.contains(&deployed.object);
    let before = occurrences[..deployment].iter().enumerate().rev();
    // An earlier deployment brought the commits before it.
    let own = before.filter(|(_, one)| is_own(one));
    let since_last = own.take_while(|(_, one)| one.change != ChangeSort::Deployed);
    let commits = since_last.filter(|(_, one)| one.change == ChangeSort::Committed);
    let mut commits: Vec<usize> = commits.map(|(index, _)| index).collect();
    commits.reverse();
    commits
}
