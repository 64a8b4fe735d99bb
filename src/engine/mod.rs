//! Engines: what Crossplane, Argo CD and Flux wrote into the API, judged by their own rules. All of it is pure: a
//! [`ClusterState`] goes in, judgements come out. Adding an engine is a file here and a line in [`ENGINES`].

mod adapters;
pub mod any;
pub mod argocd;
pub mod code;
pub mod controller;
pub mod course;
pub mod crossplane;
mod declared;
pub mod flux;
mod helm;
pub mod outside;
mod select;
pub mod standing;
#[cfg(test)]
mod toy;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::graph::link::{self, Link};
use crate::graph::{LazyGraph, NodeId};
use crate::model::body::{Body, Want};
use crate::model::kind::ResourceKind;
use crate::model::resource::Resource;
use crate::model::state::ClusterState;
use crate::model::verdict::Verdict;

use code::Code;
use controller::{Controller, Controllers};
use course::Course;
use outside::Outside;

/// Every engine, in the order that output names them. A new one is its file and a line here: `toy.rs` proves it.
pub const ENGINES: &[&dyn Engine] = &[
    &crossplane::Crossplane,
    &argocd::ArgoCd,
    &flux::Flux,
    &adapters::flux_images::ENGINE,
    &adapters::flux_operator::ENGINE,
    &adapters::image_updater::ENGINE,
    &adapters::kyverno::Kyverno,
    &adapters::cert_manager::ENGINE,
    &adapters::external_secrets::ENGINE,
    &adapters::sealed_secrets::ENGINE,
    &adapters::external_dns::ENGINE,
    &adapters::ack::ENGINE,
    &adapters::config_connector::ENGINE,
    &adapters::azure_service_operator::ENGINE,
    &adapters::cluster_api::ENGINE,
    &adapters::atlas::ENGINE,
    &adapters::mongodb_atlas::ENGINE,
    &adapters::tofu_controller::ENGINE,
    &adapters::hcp_terraform::ENGINE,
    &adapters::kro::ENGINE,
    &adapters::argo_rollouts::ENGINE,
    &adapters::kargo::ENGINE,
    &adapters::gitops_promoter::ENGINE,
    #[cfg(test)]
    &toy::Toy,
];

/// An adapter for one engine.
pub trait Engine: Sync {
    /// Its name, as people write it.
    fn name(&self) -> &'static str;

    /// `app.kubernetes.io/part-of` of its own workloads, by which its version is known, and what
    /// `--external-controllers` calls it.
    fn part_of(&self) -> &'static str;

    /// Its version, as its workloads tell it.
    fn version(&self, state: &ClusterState) -> Option<String> {
        controller::version(state, self.part_of())
    }

    /// What to read of a kind; `None` where the kind is not this engine's.
    fn want(&self, kind: &ResourceKind) -> Option<Want>;

    /// Judges one of its objects. `None` for objects that are read for others' sake, such as a provider config.
    fn judge(&self, resource: &Resource, clock: &Clock) -> Option<Judgement>;

    /// Takes back what one object shows and others contradict.
    fn reconsider(&self, _judged: &mut [Judged<'_>], _clock: &Clock) {}

    /// How far what is asked of one of its objects has come, beyond its verdict.
    fn course(&self, resource: &Resource) -> Course {
        Course::of_conditions(resource)
    }

    /// Codes of the problems that it finds.
    fn codes(&self) -> &'static [Code] {
        &[]
    }

    /// What an object has to do with others, as far as this engine's fields, labels and annotations say. Every engine is
    /// asked of every object.
    fn links(&self, _resource: &Resource) -> Vec<Link> {
        Vec::new()
    }

    /// The directory of its source, or the chart, that an object deploys; `None` where its links tell it, or where it
    /// deploys nothing.
    fn deploys<'resource>(&self, _resource: &'resource Resource) -> Option<&'resource str> {
        None
    }

    /// How objects of a kind account for others; `None` where they do not.
    fn ownership(&self, _kind: &ResourceKind) -> Option<Ownership> {
        None
    }

    /// Whether an object lists everything that it applied, so that what it does not list is no longer its own.
    fn lists_all(&self, _resource: &Resource) -> bool {
        false
    }

    /// The name of what an object stands for outside of the cluster.
    fn external_name(&self, _resource: &Resource) -> Option<String> {
        None
    }

    /// Whether objects of a kind are what `resources` lists: what stands for something outside, or asks for it.
    fn is_listed(&self, kind: &ResourceKind) -> bool {
        self.purpose(kind).is_some()
    }

    /// What objects of a kind have to do with what is outside of the cluster; `None` where nothing.
    fn purpose(&self, _kind: &ResourceKind) -> Option<Purpose> {
        None
    }

    /// What becomes of what objects of a kind stand for when they are removed or changed; `None` where the engine's own
    /// policies say it.
    fn outside(&self, _kind: &ResourceKind) -> Option<&'static Outside> {
        None
    }

    /// Whether objects of a kind say how those of others are, so that these are never read without them.
    fn tells_of_others(&self, _kind: &ResourceKind) -> bool {
        false
    }

    /// What a person calls a number of objects of a kind; its plural where `None`.
    fn noun(&self, _kind: &ResourceKind) -> Option<&'static str> {
        None
    }

    /// Whether objects of a kind may refer to those of another, of which these do not know.
    fn refers_to(&self, _kind: &ResourceKind, _other: &ResourceKind) -> bool {
        false
    }

    /// The controllers without which its objects are not looked after. Where an adapter knows none, nobody can tell
    /// how fresh they are.
    fn controllers<'state>(&self, _state: &'state ClusterState) -> Vec<Controller<'state>> {
        Vec::new()
    }

    /// Problems that no single object shows, and what each of them holds up.
    fn causes(&self, _facts: &Facts<'_, '_>) -> Vec<Cause> {
        Vec::new()
    }
}

/// What an object has to do with what is outside of the cluster, whichever engine it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// It stands for something there.
    External,
    /// It is made of what does.
    Composite,
    /// It asks for a composite.
    Claim,
}

/// How an object accounts for others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ownership {
    /// They are its parts: a claim or a composite.
    Composes,
    /// It applied them from Git.
    Applies,
}

/// Everything that causes are looked for in.
#[derive(Clone, Copy)]
pub struct Facts<'facts, 'state> {
    /// The cluster.
    pub state: &'state ClusterState,
    /// Its objects, and what they have to do with each other.
    pub graph: &'facts LazyGraph<'state>,
    /// Its judged objects.
    pub judged: &'facts [Judged<'state>],
    /// Of each object of the state, its position among the judged.
    pub positions: &'facts [Option<usize>],
    /// Its controllers.
    pub controllers: &'facts Controllers<'state>,
    /// Now, and how long is too long.
    pub clock: &'facts Clock,
}

impl Facts<'_, '_> {
    /// The position of an object among the judged.
    pub fn position(&self, node: NodeId) -> Option<usize> {
        self.positions.get(node).copied().flatten()
    }

    /// A cause for each judged object that is to blame, in its own words, with what it holds up.
    pub fn causes(&self, blamed: BTreeMap<usize, Vec<usize>>) -> Vec<Cause> {
        let causes = blamed.into_iter().filter_map(|(position, holds_up)| {
            let entry = &self.judged[position];
            Some(Cause { object: entry.resource.name(), problem: entry.judgement.problems.first()?.clone(), holds_up })
        });
        causes.collect()
    }
}

/// Now, and how long is too long.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    /// The moment that the state speaks of.
    pub now: Timestamp,
    /// `--stuck-after`: progressing for longer is stuck.
    pub stuck_after: Duration,
}

impl Clock {
    /// Whether something that began then has taken too long.
    pub fn is_overdue(&self, since: Option<Timestamp>) -> bool {
        let limit = SignedDuration::try_from(self.stuck_after).unwrap_or(SignedDuration::MAX);
        since.is_some_and(|since| self.now.duration_since(since) > limit)
    }

    /// The verdict on something that has been under way since then.
    pub fn under_way(&self, since: Option<Timestamp>) -> Verdict {
        if self.is_overdue(since) { Verdict::Stuck } else { Verdict::Progressing }
    }
}

/// How one object is doing.
#[derive(Debug, Clone)]
pub struct Judgement {
    /// The worst of it.
    pub verdict: Verdict,
    /// Since when.
    pub since: Option<Timestamp>,
    /// The most useful words of the engine, where it is not well.
    pub message: Option<String>,
    /// What a person should see, worst first. Progress within its time has none.
    pub problems: Vec<Problem>,
}

impl Judgement {
    /// All is well.
    pub fn ok(since: Option<Timestamp>) -> Self {
        Self { verdict: Verdict::Ok, since, message: None, problems: Vec::new() }
    }

    /// Not well, but nothing to report yet.
    pub fn quiet(verdict: Verdict, since: Option<Timestamp>, message: impl Into<String>) -> Self {
        Self { verdict, since, message: Some(message.into()), problems: Vec::new() }
    }

    /// The worst of several problems; `otherwise` where there is none.
    pub fn worst(mut problems: Vec<Problem>, otherwise: Self) -> Self {
        problems.sort_by_key(|problem| problem.code.info().verdict);
        let Some(worst) = problems.first() else { return otherwise };
        let verdict = worst.code.info().verdict;
        if otherwise.verdict < verdict {
            return Self { problems, ..otherwise };
        }
        Self { verdict, since: worst.since, message: Some(worst.message.clone()), problems }
    }
}

/// One thing that is wrong with one object.
#[derive(Debug, Clone)]
pub struct Problem {
    /// What kind of thing; decides the verdict.
    pub code: Code,
    /// Since when.
    pub since: Option<Timestamp>,
    /// The engine's own words.
    pub message: String,
    /// The next command, where the code's own is not exact enough.
    pub hint: Option<String>,
}

impl Problem {
    /// A problem in the engine's words.
    pub fn new(code: Code, since: Option<Timestamp>, message: impl Into<String>) -> Self {
        Self { code, since, message: message.into(), hint: None }
    }
}

/// A judged object.
#[derive(Debug)]
pub struct Judged<'state> {
    /// The object.
    pub resource: &'state Resource,
    /// Its node in the graph.
    pub node: NodeId,
    /// Whose it is.
    pub engine: &'static str,
    /// How it is doing.
    pub judgement: Judgement,
}

/// A problem that several objects share. Those it holds up do not report it again.
#[derive(Debug)]
pub struct Cause {
    /// The object that is to blame.
    pub object: crate::model::object::ObjectName,
    /// What is wrong with it.
    pub problem: Problem,
    /// Positions, among the judged, of the objects that wait for it.
    pub holds_up: Vec<usize>,
}

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

/// What a person calls a number of such objects, such as `managed resources`.
pub fn noun(resource: &Resource) -> String {
    let own = engine_of(&resource.kind).and_then(|engine| engine.noun(&resource.kind));
    own.map_or_else(|| resource.kind.plural.clone(), str::to_owned)
}

/// What any engine wants of a kind.
pub fn want(kind: &ResourceKind) -> Option<Want> {
    controller::want(kind).or_else(|| ENGINES.iter().find_map(|engine| engine.want(kind)))
}

/// Every code of every engine, and those of none, in order.
pub fn codes() -> Vec<Code> {
    let mut codes: Vec<Code> = code::ALL
        .iter()
        .chain(any::CODES)
        .chain(declared::CODES)
        .chain(ENGINES.iter().flat_map(|engine| engine.codes()))
        .copied()
        .collect();
    codes.sort();
    codes
}

/// Finds a code by its text, in any case.
pub fn parse_code(text: &str) -> Option<Code> {
    codes().into_iter().find(|code| code.info().code.eq_ignore_ascii_case(text))
}

/// Everything that an object has to do with others.
pub fn links(resource: &Resource) -> Vec<Link> {
    let of_engines = ENGINES.iter().flat_map(|engine| engine.links(resource));
    of_engines.chain(helm::release_of(resource)).chain(link::owners(resource)).collect()
}

/// How far what is asked of an object has come.
pub fn course(resource: &Resource) -> Course {
    engine_of(&resource.kind).map_or_else(|| Course::of_conditions(resource), |engine| engine.course(resource))
}

/// The directory of its source, or the chart, that an object deploys.
pub fn deploys(resource: &Resource) -> Option<&str> {
    engine_of(&resource.kind)?.deploys(resource)
}

/// How objects of a kind account for others; `None` where they do not.
pub fn ownership(kind: &ResourceKind) -> Option<Ownership> {
    ENGINES.iter().find_map(|engine| engine.ownership(kind))
}

/// Whether objects of a kind own others, by being a claim or a composite, or by applying them.
pub fn may_own(kind: &ResourceKind) -> bool {
    ownership(kind).is_some()
}

/// Whether an object lists everything that it applied.
pub fn lists_all(resource: &Resource) -> bool {
    ENGINES.iter().any(|engine| engine.lists_all(resource))
}

/// What objects of a kind have to do with what is outside.
pub fn purpose(kind: &ResourceKind) -> Option<Purpose> {
    engine_of(kind).and_then(|engine| engine.purpose(kind))
}

/// What becomes of what objects of a kind stand for.
pub fn outside(kind: &ResourceKind) -> Option<&'static Outside> {
    engine_of(kind).and_then(|engine| engine.outside(kind))
}

/// Whether objects of a kind say how those of others are.
pub fn tells_of_others(kind: &ResourceKind) -> bool {
    ENGINES.iter().any(|engine| engine.tells_of_others(kind))
}

/// Whether objects of a kind are what `resources` lists.
pub fn is_listed(kind: &ResourceKind) -> bool {
    ENGINES.iter().any(|engine| engine.is_listed(kind))
}

/// Whether a word means a kind, by name or by category.
pub fn is_meant(kind: &ResourceKind, word: &str) -> bool {
    let by_category = || match word.to_ascii_lowercase().as_str() {
        "managed" => purpose(kind) == Some(Purpose::External),
        "composite" => purpose(kind) == Some(Purpose::Composite),
        "claim" => purpose(kind) == Some(Purpose::Claim),
        category => kind.in_category(category),
    };
    kind.is_called(word) || by_category()
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

/// The engine that a kind belongs to.
pub fn engine_of(kind: &ResourceKind) -> Option<&'static dyn Engine> {
    ENGINES.iter().copied().find(|engine| engine.want(kind).is_some())
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
