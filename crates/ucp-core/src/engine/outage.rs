//! The health of controllers, and its effect on the verdicts of other objects.

use std::collections::BTreeSet;

use crate::engine::adapter::Engine;
use crate::engine::code::Code;
use crate::engine::controller::description::{
    Controller, ControllerLocation, ControllerNeed, ControllerWork, ReplicaDistribution,
};
use crate::engine::controller::workload_kind::workload_name;
use crate::engine::controller::workloads::{WorkloadListing, Workloads};
use crate::engine::engines::ENGINES;
use crate::engine::judgement::{Cause, JudgedObject, Problem};
use crate::model::body::Body;
use crate::model::body::workload::Workload;
use crate::model::condition::{ConditionStatus, FindCondition as _};
use crate::model::object::ObjectName;
use crate::model::resource::Resource;
use crate::model::state::{ClusterState, KindIndex};
use crate::model::verdict::Verdict;
use crate::model::word::SharedText;

/// The controllers of a cluster state, and their health.
pub struct Controllers<'state> {
    known: Vec<KnownController<'state>>,
    listing: WorkloadListing,
    /// Whether a workload that was not found is known not to exist.
    index: KindIndex,
    /// Other workloads of the engines that should run, but do not.
    idle: Vec<(&'static str, ObjectName, Problem)>,
    /// Engines that should have controllers in this cluster, but have none.
    empty: BTreeSet<&'static str>,
}

struct KnownController<'state> {
    engine: &'static dyn Engine,
    controller: Controller<'state>,
    health: ControllerHealth,
}

/// The health of a controller.
#[derive(Debug, Clone)]
enum ControllerHealth {
    /// It runs, or is not needed.
    Well,
    /// It does not run because of this object.
    Out { object: ObjectName, problem: Problem },
    /// No workload was found, although all workloads were read.
    Missing,
    /// Its state is unknown.
    Unseen,
}

/// The reason why the status of an object is outdated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControllerOutage {
    /// The workload or package that is the cause.
    pub object: ObjectName,
    /// The problem of that object.
    pub why: String,
}

impl ControllerOutage {
    /// Returns a sentence that names the object and its problem.
    pub fn to_sentence(&self) -> String {
        format!("{} is not running ({})", self.object, self.why)
    }
}

impl<'state> Controllers<'state> {
    /// Determines the health of the controllers of all engines.
    pub fn from_state(state: &'state ClusterState) -> Self {
        let workloads = Workloads::from_state(state);
        let (mut known, mut empty) = (Vec::new(), BTreeSet::new());
        for engine in ENGINES.iter().copied() {
            let controllers: Vec<_> = engine
                .controllers(state)
                .into_iter()
                .filter(|controller| {
                    controller.need == ControllerNeed::Helper || looks_after_something(controller, state)
                })
                .collect();
            let nothing_found = controllers.iter().all(|controller| controller.found.is_empty())
                && workloads.parts_of(engine.part_of()).next().is_none();
            let mut found = controllers.into_iter().map(|controller| {
                let health = match is_external(engine, &controller, state) {
                    true => ControllerHealth::Well,
                    false => health(&controller, &workloads.listing_of(&controller.workload.kind)),
                };
                KnownController { engine, controller, health }
            });
            let before = known.len();
            known.extend(&mut found);
            if nothing_found
                && known[before..]
                    .iter()
                    .any(|known: &KnownController<'_>| matches!(known.health, ControllerHealth::Missing))
            {
                empty.insert(engine.name());
            }
        }
        let idle = idle_workloads(&workloads, &known);
        let is_beyond = |known: &KnownController<'_>| {
            let kind = &known.controller.workload.kind;
            matches!(known.health, ControllerHealth::Unseen) && workloads.listing_of(kind) == WorkloadListing::Partial
        };
        let listing = match known.iter().any(is_beyond) {
            true => WorkloadListing::Partial,
            false => workloads.listing.clone(),
        };
        Self { listing, index: state.kind_index, known, idle, empty }
    }

    /// Returns the reason why the status of an object is outdated; `None` if its controllers run, or if their state is
    /// unknown.
    pub fn outage(&self, resource: &Resource) -> Option<ControllerOutage> {
        let mut down = self.down_controllers();
        down.find(|known| known.is_of(resource)).map(|known| self.describe_outage(known))
    }

    fn describe_outage(&self, known: &KnownController<'state>) -> ControllerOutage {
        let (object, problem) = self.outage_problem(known);
        ControllerOutage { object, why: problem.message }
    }

    /// Returns the reason why the deletion of an object is not handled; `None` if the controllers for that run, or if their
    /// state is unknown.
    pub fn deletion_outage(&self, resource: &Resource) -> Option<ControllerOutage> {
        let handles =
            |known: &&KnownController<'state>| known.controller.work == ControllerWork::All && !self.is_unproven(known);
        let mut down = self.down_controllers().filter(handles);
        down.find(|known| known.is_of(resource)).map(|known| self.describe_outage(known))
    }

    /// Returns the reason why it is unknown whether the deletion of an object is handled: its controller is not among the
    /// workloads that were read, and those are not all.
    pub fn deletion_doubt(&self, resource: &Resource) -> Option<String> {
        let mut handling = self.known.iter().filter(|known| {
            let Controller { need, work, .. } = known.controller;
            need == ControllerNeed::Essential && work == ControllerWork::All && known.is_of(resource)
        });
        let unknown = handling.find(|known| {
            self.is_unproven(known)
                || matches!(known.health, ControllerHealth::Unseen) && self.listing != WorkloadListing::Complete
        })?;
        Some(format!(
            "whether {} runs is unknown: it is not among the workloads that were read",
            unknown.controller.name
        ))
    }

    /// Returns true for a controller that was not found in files without an index, which may have only some workloads.
    fn is_unproven(&self, known: &KnownController<'state>) -> bool {
        self.index == KindIndex::Absent && matches!(known.health, ControllerHealth::Missing)
    }

    /// Returns the workload without which an object is no longer reconciled, given a set of workloads to delete; `None`
    /// if one of its controllers remains, or if none was found.
    pub fn last_workload_deleted(
        &self,
        resource: &Resource,
        goes: &dyn Fn(&Resource) -> bool,
    ) -> Option<&'state Resource> {
        let mut lost = self.known.iter().filter(|known| {
            let found = &known.controller.found;
            known.controller.need == ControllerNeed::Essential
                && known.is_of(resource)
                && !found.is_empty()
                && found.iter().all(|workload| goes(workload))
        });
        lost.find_map(|known| known.controller.found.first().copied())
    }

    /// Returns the workload of a controller, by the controller's name, if it was found and does not run.
    pub fn down_workload(&self, controller: &str) -> Option<(ObjectName, Problem)> {
        self.known.iter().find_map(|known| match &known.health {
            ControllerHealth::Out { object, problem }
                if known.controller.name == controller && object.group() == "apps" =>
            {
                Some((object.clone(), problem.clone()))
            }
            _ => None,
        })
    }

    /// Returns the controllers that do not run.
    fn down_controllers(&self) -> impl Iterator<Item = &KnownController<'state>> {
        self.known
            .iter()
            .filter(|known| matches!(known.health, ControllerHealth::Out { .. } | ControllerHealth::Missing))
    }

    /// Returns the reason why the state of an engine's objects is unknown; `None` if its controllers were found.
    pub fn unknown_reason(&self, engine: &dyn Engine) -> Option<&'static str> {
        let own = self.known.iter().filter(|known| known.engine.name() == engine.name());
        let mut essential = own.filter(|known| known.controller.need == ControllerNeed::Essential).peekable();
        let is_unseen =
            essential.peek().is_none() || essential.any(|known| matches!(known.health, ControllerHealth::Unseen));
        is_unseen.then_some(match self.listing {
            WorkloadListing::Partial => "not all workloads could be read: whether its controllers run is unknown",
            WorkloadListing::Absent => "no Deployment or StatefulSet was read: whether its controllers run is unknown",
            WorkloadListing::Complete => "the controller of some of its objects is unknown",
        })
    }

    /// Returns the engine of a finding about one of its controllers.
    pub fn engine_of(&self, object: &ObjectName) -> Option<&'static str> {
        let known = self
            .down_controllers()
            .find(|known| self.outage_problem(known).0 == *object)
            .map(|known| known.engine.name());
        known.or_else(|| self.idle.iter().find(|(_, idle, _)| idle == object).map(|(engine, ..)| *engine))
    }

    /// Sets the verdict of objects that are no longer reconciled to Unknown.
    pub(crate) fn mark_outdated(&self, judged: &mut [JudgedObject<'_>]) {
        // Shared, since one controller may reconcile thousands of objects.
        let mut said = SharedText::default();
        for entry in judged {
            if entry.judgement.verdict == Verdict::Ok
                && let Some(outage) = self.outage(entry.resource)
            {
                let words = format!("{}: it was OK when it was last reconciled", outage.to_sentence());
                if said != words {
                    said = words.into();
                }
                entry.judgement.verdict = Verdict::Unknown;
                entry.judgement.message = Some(said.clone());
            }
        }
    }

    /// Returns a cause for each controller that does not run, with the objects that it no longer reconciles. Objects
    /// with a problem of their own are not included.
    pub(crate) fn causes(&self, judged: &[JudgedObject<'_>]) -> Vec<Cause> {
        let mut causes: Vec<Cause> = Vec::new();
        for known in self.down_controllers() {
            let (object, problem) = self.outage_problem(known);
            let held = judged.iter().enumerate().filter(|(_, entry)| known.holds_up(entry)).map(|(index, _)| index);
            match causes.iter_mut().find(|cause| cause.object == object) {
                Some(cause) => cause.holds_up.extend(held),
                None => causes.push(Cause { object, problem, holds_up: held.collect() }),
            }
        }
        for cause in &mut causes {
            cause.holds_up.sort_unstable();
            cause.holds_up.dedup();
        }
        let idle = self.idle.iter().map(|(_, object, problem)| Cause {
            object: object.clone(),
            problem: problem.clone(),
            holds_up: Vec::new(),
        });
        causes.extend(idle);
        causes
    }

    /// Returns the problem of a controller that does not run. An engine without any workload is reported once.
    fn outage_problem(&self, known: &KnownController<'_>) -> (ObjectName, Problem) {
        if let ControllerHealth::Out { object, problem } = &known.health {
            return (object.clone(), problem.clone());
        }
        let (name, part_of) = (known.engine.name(), known.engine.part_of());
        let (object, message) = if self.empty.contains(name) {
            let message = format!("objects of {name} exist, and no controller of it was found");
            (workload_name("Deployment", None, part_of), message)
        } else {
            let message = format!("{name} needs {}, and no workload of it was found", known.controller.name);
            (known.controller.workload.clone(), message)
        };
        let mut problem = Problem::new(Code::ControllerMissing, None, message);
        problem.hint = Some(known.controller.hint.clone());
        (object, problem)
    }
}

impl KnownController<'_> {
    fn is_of(&self, resource: &Resource) -> bool {
        (self.controller.looks_after)(resource)
    }

    /// Returns true if an object may be waiting for this controller rather than for anything else.
    fn holds_up(&self, entry: &JudgedObject<'_>) -> bool {
        let waits =
            matches!(entry.judgement.verdict, Verdict::Stuck | Verdict::Progressing | Verdict::Unknown | Verdict::Ok);
        waits && entry.engine == self.engine.name() && self.is_of(entry.resource)
    }
}

fn looks_after_something(controller: &Controller<'_>, state: &ClusterState) -> bool {
    state.resources.iter().any(|resource| (controller.looks_after)(resource) || (controller.serves)(resource))
}

/// Returns true if the user or the engine itself declares that a controller runs elsewhere.
fn is_external(engine: &dyn Engine, controller: &Controller<'_>, state: &ClusterState) -> bool {
    let full = format!("{}-{}", engine.part_of(), controller.name);
    let is_named = |name: &String| [engine.part_of(), controller.name.as_str(), full.as_str()].contains(&name.as_str());
    controller.place == ControllerLocation::Elsewhere || state.external_controllers.iter().any(is_named)
}

fn health(controller: &Controller<'_>, listing: &WorkloadListing) -> ControllerHealth {
    let ailments: Vec<_> =
        controller.found.iter().map(|resource| (*resource, workload_problem(resource, controller))).collect();
    if ailments.iter().any(|(_, ailment)| ailment.is_none()) {
        return ControllerHealth::Well;
    }
    if let Some((resource, Some(problem))) = ailments.into_iter().next() {
        return ControllerHealth::Out { object: resource.name(), problem };
    }
    if controller.place == ControllerLocation::Unknown {
        return ControllerHealth::Unseen;
    }
    match (&controller.reported, controller.need, listing) {
        (Some((object, problem)), ..) => ControllerHealth::Out { object: object.clone(), problem: problem.clone() },
        (None, ControllerNeed::WhereDeployed | ControllerNeed::Helper, _) => ControllerHealth::Well,
        (None, ControllerNeed::Essential, WorkloadListing::Complete) => ControllerHealth::Missing,
        (None, ControllerNeed::Essential, WorkloadListing::Partial | WorkloadListing::Absent) => {
            ControllerHealth::Unseen
        }
    }
}

/// Returns the problem of a controller's workload, if any.
fn workload_problem(resource: &Resource, controller: &Controller<'_>) -> Option<Problem> {
    let Body::Workload(workload) = &resource.body else { return None };
    let has_shards = controller.replicas == ReplicaDistribution::Shards && resource.kind.kind == "StatefulSet";
    let message = match (workload.wanted, workload.ready) {
        (..=0, _) => "it is scaled to 0".to_owned(),
        (wanted, ..=0) => format!("0 of {wanted} replicas are ready"),
        (wanted, ready) if has_shards && ready < wanted => {
            format!("{ready} of {wanted} replicas are ready, and each manages its own clusters")
        }
        _ => return None,
    };
    Some(down(resource, message))
}

fn down(resource: &Resource, message: String) -> Problem {
    // Only a Deployment has this condition; a StatefulSet does not report the time.
    let unavailable = resource.conditions.with_status("Available", ConditionStatus::False);
    let since = unavailable.and_then(|condition| condition.last_transition_time);
    Problem::new(Code::ControllerDown, since, message)
}

/// Returns workloads with an engine's label that are no essential controllers, and should run but do not, such as a
/// user interface or a notification service.
fn idle_workloads(
    workloads: &Workloads<'_>,
    known: &[KnownController<'_>],
) -> Vec<(&'static str, ObjectName, Problem)> {
    let is_known = |object: &ObjectName| {
        known.iter().any(|known| known.controller.found.iter().any(|resource| resource.name() == *object))
    };
    let is_idle = |workload: &Workload| workload.wanted > 0 && workload.ready == 0;
    let mut idle = Vec::new();
    for engine in ENGINES {
        for (resource, workload) in workloads.parts_of(engine.part_of()).filter(|(_, workload)| is_idle(workload)) {
            let object = resource.name();
            if !is_known(&object) {
                let message = format!("0 of {} replicas are ready", workload.wanted);
                idle.push((engine.name(), object, down(resource, message)));
            }
        }
    }
    idle
}
