//! The interface between an engine and the rest of the program.

use super::code::Code;
use super::controller::installed_version;

use super::controller::description::Controller;
use super::course::ObjectProgress;
use super::judgement::{AssessmentClock, AssessmentFacts, Cause, JudgedObject, Judgement};
use super::outside::ExternalPolicy;
use crate::graph::link::Link;
use crate::model::body::KindRequest;
use crate::model::kind::ResourceKind;
use crate::model::resource::Resource;
use crate::model::state::ClusterState;

/// An adapter for one engine.
pub trait Engine: Sync {
    /// The name of the engine, as its project writes it.
    fn name(&self) -> &'static str;

    /// The value of `app.kubernetes.io/part-of` on the engine's own workloads, from which its version is read, and its
    /// name for `--external-controllers`.
    fn part_of(&self) -> &'static str;

    /// Returns the version that the engine's workloads report.
    fn version(&self, state: &ClusterState) -> Option<String> {
        installed_version::version(state, self.part_of())
    }

    /// Returns the parts of a kind to read; `None` if the kind does not belong to this engine.
    fn want(&self, kind: &ResourceKind) -> Option<KindRequest>;

    /// Judges an object of this engine. Returns `None` for objects that are read only as context, such as a provider
    /// config.
    fn judge(&self, resource: &Resource, clock: &AssessmentClock) -> Option<Judgement>;

    /// Corrects judgements of single objects that other objects contradict.
    fn reconsider(&self, _judged: &mut [JudgedObject<'_>], _clock: &AssessmentClock) {}

    /// Returns the progress of an object toward its requested state, in addition to its verdict.
    fn course(&self, resource: &Resource) -> ObjectProgress {
        ObjectProgress::from_conditions(resource)
    }

    /// Returns the codes of all problems that the engine reports.
    fn codes(&self) -> &'static [Code] {
        &[]
    }

    /// Returns the links of an object that are declared by this engine's fields, labels, and annotations. Called for
    /// every object, including those of other engines.
    fn links(&self, _resource: &Resource) -> Vec<Link> {
        Vec::new()
    }

    /// Returns the source directory or chart that an object deploys; `None` if its links already contain it, or if it
    /// deploys nothing.
    fn deploys<'resource>(&self, _resource: &'resource Resource) -> Option<&'resource str> {
        None
    }

    /// Returns a selector for the objects that were created for an object but are not listed in it by name; `None` if
    /// there are none.
    fn members(&self, _resource: &Resource) -> Option<MemberSelector> {
        None
    }

    /// Returns how objects of a kind own other objects; `None` if they own none.
    fn ownership(&self, _kind: &ResourceKind) -> Option<OwnershipKind> {
        None
    }

    /// Returns true if an object lists everything that it applied, so that objects missing from the list no longer
    /// belong to it.
    fn lists_all(&self, _resource: &Resource) -> bool {
        false
    }

    /// Returns the external name of an object.
    fn external_name(&self, _resource: &Resource) -> Option<String> {
        None
    }

    /// Returns true if `resources` lists objects of a kind: those that represent an external resource, or request one.
    fn is_listed(&self, kind: &ResourceKind) -> bool {
        self.purpose(kind).is_some()
    }

    /// Returns the relation of a kind to external resources; `None` if it has none.
    fn purpose(&self, _kind: &ResourceKind) -> Option<ExternalRole> {
        None
    }

    /// Returns the effect of deletions and changes of a kind's objects on external resources; `None` if the engine's
    /// own policies define it.
    fn outside(&self, _kind: &ResourceKind) -> Option<&'static ExternalPolicy> {
        None
    }

    /// Returns true if objects of a kind report the state of other objects, so that those are always read together with
    /// them.
    fn tells_of_others(&self, _kind: &ResourceKind) -> bool {
        false
    }

    /// Returns the plural noun for objects of a kind; `None` for the plural of the kind itself.
    fn noun(&self, _kind: &ResourceKind) -> Option<&'static str> {
        None
    }

    /// Returns true if objects of a kind may refer to objects of another kind that do not refer back.
    fn refers_to(&self, _kind: &ResourceKind, _other: &ResourceKind) -> bool {
        false
    }

    /// Returns the controllers that reconcile the engine's objects. Without any, the freshness of their status is
    /// unknown.
    fn controllers<'state>(&self, _state: &'state ClusterState) -> Vec<Controller<'state>> {
        Vec::new()
    }

    /// Returns new judgements of objects that are OK by their own status while an object that they need does not exist,
    /// by their positions in the list of judged objects.
    fn unfounded(&self, _facts: &AssessmentFacts<'_, '_>) -> Vec<(usize, Judgement)> {
        Vec::new()
    }

    /// Returns problems that are only visible across several objects, each with the objects that it blocks.
    fn causes(&self, _facts: &AssessmentFacts<'_, '_>) -> Vec<Cause> {
        Vec::new()
    }
}

/// The relation of an object to external resources, for any engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExternalRole {
    /// Represents an external resource.
    External,
    /// Is composed of objects that represent external resources.
    Composite,
    /// Requests a composite.
    Claim,
}

/// A selector for the objects that were created for one object and carry its label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberSelector {
    /// The key of the label.
    pub label: &'static str,
    /// The groups and kinds of these objects.
    pub kinds: Vec<(String, String)>,
}

/// The way in which an object owns others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnershipKind {
    /// The owned objects are its parts; the owner is a claim or a composite.
    Composes,
    /// The owned objects were applied from Git.
    Applies,
}
