//! What an adapter declares of its engine.

use super::code::Code;
use super::controller::{self, Controller};
use super::course::Course;
use super::judgement::{Cause, Clock, Facts, Judged, Judgement};
use super::outside::Outside;
use crate::graph::link::Link;
use crate::model::body::Want;
use crate::model::kind::ResourceKind;
use crate::model::resource::Resource;
use crate::model::state::ClusterState;

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

    /// Where the objects are that come of an object and that it does not list by name; `None` where there are none.
    fn members(&self, _resource: &Resource) -> Option<Members> {
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

/// Objects that come of one and bear its mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Members {
    /// The label that they have.
    pub label: &'static str,
    /// Group and kind of those that there are.
    pub kinds: Vec<(String, String)>,
}

/// How an object accounts for others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ownership {
    /// They are its parts: a claim or a composite.
    Composes,
    /// It applied them from Git.
    Applies,
}
