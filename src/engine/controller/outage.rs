//! Which controllers run, and what to think of everything else.

use std::collections::BTreeSet;

use crate::engine::code::Code;
use crate::engine::controller::workloads::Listing;
use crate::engine::controller::{Controller, Need, Place, Replicas, Workloads, workload_name};
use crate::engine::{Cause, ENGINES, Engine, Judged, Problem};
use crate::model::body::Body;
use crate::model::body::workload::Workload;
use crate::model::condition::{Conditions as _, Truth};
use crate::model::object::ObjectName;
use crate::model::resource::Resource;
use crate::model::state::ClusterState;
use crate::model::verdict::Verdict;
use crate::model::word::Word;

/// What is known of the controllers of a state.
pub struct Controllers<'state> {
    known: Vec<Known<'state>>,
    listing: Listing,
    /// Other workloads of the engines that should run and do not.
    idle: Vec<(&'static str, ObjectName, Problem)>,
    /// Engines without a single controller of their own, where there should be one.
    empty: BTreeSet<&'static str>,
}

struct Known<'state> {
    engine: &'static dyn Engine,
    controller: Controller<'state>,
    health: Health,
}

/// How a controller is doing.
#[derive(Debug, Clone)]
enum Health {
    /// It runs, or nobody needs it.
    Well,
    /// It does not, and this object is to blame.
    Out { object: ObjectName, problem: Problem },
    /// No workload of it was found, although all were read.
    Missing,
    /// Nobody can tell.
    Unseen,
}

/// Why what an engine says of an object is old.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outage {
    /// The workload, or the package, that is to blame.
    pub object: ObjectName,
    /// What is wrong with it.
    pub why: String,
}

impl Outage {
    /// In words: what does not run.
    pub fn words(&self) -> String {
        format!("{} is not running ({})", self.object, self.why)
    }
}

impl<'state> Controllers<'state> {
    /// Looks at the controllers of every engine.
    pub fn of(state: &'state ClusterState) -> Self {
        let workloads = Workloads::of(state);
        let listing = workloads.listing.clone();
        let (mut known, mut empty) = (Vec::new(), BTreeSet::new());
        for engine in ENGINES.iter().copied() {
            let controllers: Vec<_> = engine
                .controllers(state)
                .into_iter()
                .filter(|controller| controller.need == Need::Helper || looks_after_something(controller, state))
                .collect();
            let nothing_found = controllers.iter().all(|controller| controller.found.is_empty())
                && workloads.parts_of(engine.part_of()).next().is_none();
            let mut found = controllers.into_iter().map(|controller| {
                let health = match is_external(engine, &controller, state) {
                    true => Health::Well,
                    false => health(&controller, &listing),
                };
                Known { engine, controller, health }
            });
            let before = known.len();
            known.extend(&mut found);
            if nothing_found && known[before..].iter().any(|known: &Known<'_>| matches!(known.health, Health::Missing))
            {
                empty.insert(engine.name());
            }
        }
        let idle = idle(&workloads, &known);
        Self { known, listing, idle, empty }
    }

    /// Why what an engine says of an object is old; `None` where its controllers run, or nobody can tell.
    pub fn outage(&self, resource: &Resource) -> Option<Outage> {
        self.out().find(|known| known.is_of(resource)).map(|known| {
            let (object, problem) = self.blame(known);
            Outage { object, why: problem.message }
        })
    }

    /// The workload without which nothing looks after an object, when some workloads go: `None` where a controller of it
    /// stays, or none was found.
    pub fn lost_with(&self, resource: &Resource, goes: &dyn Fn(&Resource) -> bool) -> Option<&'state Resource> {
        let mut lost = self.known.iter().filter(|known| {
            let found = &known.controller.found;
            known.controller.need == Need::Essential
                && known.is_of(resource)
                && !found.is_empty()
                && found.iter().all(|workload| goes(workload))
        });
        lost.find_map(|known| known.controller.found.first().copied())
    }

    /// The workload of a controller that was found and does not run, by the controller's name.
    pub fn down_workload(&self, controller: &str) -> Option<(ObjectName, Problem)> {
        self.known.iter().find_map(|known| match &known.health {
            Health::Out { object, problem } if known.controller.name == controller && object.group() == "apps" => {
                Some((object.clone(), problem.clone()))
            }
            _ => None,
        })
    }

    /// Controllers that do not run.
    fn out(&self) -> impl Iterator<Item = &Known<'state>> {
        self.known.iter().filter(|known| matches!(known.health, Health::Out { .. } | Health::Missing))
    }

    /// Why nobody can tell how an engine's objects are; `None` where its controllers were seen.
    pub fn doubt(&self, engine: &dyn Engine) -> Option<&'static str> {
        let own = self.known.iter().filter(|known| known.engine.name() == engine.name());
        let mut essential = own.filter(|known| known.controller.need == Need::Essential).peekable();
        let is_unseen = essential.peek().is_none() || essential.any(|known| matches!(known.health, Health::Unseen));
        is_unseen.then_some(match self.listing {
            Listing::Partial => "not all workloads could be read: whether its controllers run is unknown",
            Listing::Absent => "no Deployment or StatefulSet was read: whether its controllers run is unknown",
            Listing::Complete => "the controller of some of its objects is unknown",
        })
    }

    /// The engine that a finding is about, where that is one of its controllers.
    pub fn engine_of(&self, object: &ObjectName) -> Option<&'static str> {
        let known = self.out().find(|known| self.blame(known).0 == *object).map(|known| known.engine.name());
        known.or_else(|| self.idle.iter().find(|(_, idle, _)| idle == object).map(|(engine, ..)| *engine))
    }

    /// Lets the verdict on everything that is not looked after any more say so.
    pub(crate) fn cast_doubt(&self, judged: &mut [Judged<'_>]) {
        // One controller looks after thousands of objects, of which all is said alike.
        let mut said = Word::default();
        for entry in judged {
            if entry.judgement.verdict == Verdict::Ok
                && let Some(outage) = self.outage(entry.resource)
            {
                let words = format!("{}: it was OK when it was last reconciled", outage.words());
                if said != words {
                    said = words.into();
                }
                entry.judgement.verdict = Verdict::Unknown;
                entry.judgement.message = Some(said.clone());
            }
        }
    }

    /// Controllers that do not run, each with what is not looked after any more. What is wrong for reasons of its own is
    /// not among it.
    pub(crate) fn causes(&self, judged: &[Judged<'_>]) -> Vec<Cause> {
        let mut causes: Vec<Cause> = Vec::new();
        for known in self.out() {
            let (object, problem) = self.blame(known);
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

    /// What to report of a controller that does not run. An engine that has gone as a whole is missed once.
    fn blame(&self, known: &Known<'_>) -> (ObjectName, Problem) {
        if let Health::Out { object, problem } = &known.health {
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

impl Known<'_> {
    fn is_of(&self, resource: &Resource) -> bool {
        (self.controller.looks_after)(resource)
    }

    /// Whether an object waits for this controller, rather than for something else.
    fn holds_up(&self, entry: &Judged<'_>) -> bool {
        let waits =
            matches!(entry.judgement.verdict, Verdict::Stuck | Verdict::Progressing | Verdict::Unknown | Verdict::Ok);
        waits && entry.engine == self.engine.name() && self.is_of(entry.resource)
    }
}

fn looks_after_something(controller: &Controller<'_>, state: &ClusterState) -> bool {
    state.resources.iter().any(|resource| (controller.looks_after)(resource) || (controller.serves)(resource))
}

/// Whether a person or the engine itself says that a controller runs elsewhere.
fn is_external(engine: &dyn Engine, controller: &Controller<'_>, state: &ClusterState) -> bool {
    let full = format!("{}-{}", engine.part_of(), controller.name);
    let is_named = |name: &String| [engine.part_of(), controller.name.as_str(), full.as_str()].contains(&name.as_str());
    controller.place == Place::Elsewhere || state.external_controllers.iter().any(is_named)
}

fn health(controller: &Controller<'_>, listing: &Listing) -> Health {
    let ailments: Vec<_> = controller.found.iter().map(|resource| (*resource, ailment(resource, controller))).collect();
    if ailments.iter().any(|(_, ailment)| ailment.is_none()) {
        return Health::Well;
    }
    if let Some((resource, Some(problem))) = ailments.into_iter().next() {
        return Health::Out { object: resource.name(), problem };
    }
    if controller.place == Place::Unknown {
        return Health::Unseen;
    }
    match (&controller.reported, controller.need, listing) {
        (Some((object, problem)), ..) => Health::Out { object: object.clone(), problem: problem.clone() },
        (None, Need::WhereDeployed | Need::Helper, _) => Health::Well,
        (None, Need::Essential, Listing::Complete) => Health::Missing,
        (None, Need::Essential, Listing::Partial | Listing::Absent) => Health::Unseen,
    }
}

/// What is wrong with a workload of a controller.
fn ailment(resource: &Resource, controller: &Controller<'_>) -> Option<Problem> {
    let Body::Workload(workload) = &resource.body else { return None };
    let has_shards = controller.replicas == Replicas::Shards && resource.kind.kind == "StatefulSet";
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
    // Only a Deployment has this condition; a StatefulSet does not say since when.
    let unavailable = resource.conditions.when("Available", Truth::False);
    let since = unavailable.and_then(|condition| condition.last_transition_time);
    Problem::new(Code::ControllerDown, since, message)
}

/// Workloads that carry an engine's label, are none of its essential controllers, and should run and do not: its user
/// interface, its notifications.
fn idle(workloads: &Workloads<'_>, known: &[Known<'_>]) -> Vec<(&'static str, ObjectName, Problem)> {
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
