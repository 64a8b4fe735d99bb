//! Evaluates all targets of a wait in a cluster state.

use std::collections::{BTreeMap, BTreeSet};

use crate::wait::criteria::{ObservedTarget, WaitCriteria, WaitOutlook, WaitPhase};
use crate::wait::evaluation::evaluate;
use crate::wait::goal::WaitGoal;
use crate::wait::targets::WaitTargets;
use ucp_core::engine::{self, Assessment, AssessmentClock, Judgement, by_conditions};
use ucp_core::graph::link::Relation;
use ucp_core::graph::{Graph, NodeId, NodeIdentity, NodePresence};
use ucp_core::model::body::Body;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::{ObjectKey, ObjectName};
use ucp_core::model::resource::Resource;
use ucp_core::model::state::ClusterState;
use ucp_core::model::uid::Uid;
use ucp_core::model::verdict::Verdict;

/// One target of a wait.
#[derive(Debug, Clone)]
pub struct WaitedObject {
    /// Name of the object.
    pub object: ObjectName,
    /// Its verdict; absent if it does not exist.
    pub verdict: Option<Verdict>,
    /// Its prospect of reaching the goal.
    pub outlook: WaitOutlook,
    /// The reason why the goal is not reached.
    pub message: Option<String>,
}

/// The targets of a wait.
#[derive(Debug, Default)]
pub struct WaitSurvey {
    /// The objects, worst first.
    pub items: Vec<WaitedObject>,
    /// Objects that have to be read before their state is known.
    pub unread: BTreeSet<ObjectKey>,
}

/// Objects that have existed since the wait started, by UID: an object that is created again is a different one.
pub type SeenObjects = BTreeMap<ObjectKey, (ObjectName, Uid)>;

/// The inputs of a survey.
pub struct WaitFacts<'a, 'state> {
    /// The cluster state.
    pub state: &'state ClusterState,
    /// The assessment of the engines.
    pub assessment: &'a Assessment<'state>,
    /// The graph of its objects.
    pub graph: &'a Graph<'state>,
    /// All kinds that the server has.
    pub kinds: &'a [std::sync::Arc<ResourceKind>],
    /// The clock.
    pub clock: &'a AssessmentClock,
    /// The phase of the wait.
    pub patience: WaitPhase,
}

impl WaitSurvey {
    /// Evaluates all targets.
    pub fn from_facts(
        facts: &WaitFacts<'_, '_>,
        targets: &WaitTargets,
        wish: &WaitCriteria,
        seen: &mut SeenObjects,
    ) -> Self {
        let judged = facts.assessment.judged.iter().map(|entry| (entry.resource.key(), &entry.judgement)).collect();
        let mut surveyor = WaitSurveyor { facts, targets, wish, judged, survey: Self::default(), met: BTreeSet::new() };
        surveyor.evaluate_targets();
        surveyor.track_seen(seen);
        let mut survey = surveyor.survey;
        survey.items.sort_by(|left, right| {
            (left.outlook, left.verdict, &left.object).cmp(&(right.outlook, right.verdict, &right.object))
        });
        survey
    }

    /// Returns the worst outlook. Without objects, the goal `gone` is reached, and no other.
    pub fn outlook(&self, goal: WaitGoal) -> WaitOutlook {
        let none = if goal == WaitGoal::Gone { WaitOutlook::Reached } else { WaitOutlook::Open };
        self.items.iter().map(|item| item.outlook).min().unwrap_or(none)
    }

    /// Returns the objects that have not reached the goal.
    pub fn open(&self) -> impl Iterator<Item = &WaitedObject> {
        self.items.iter().filter(|item| item.outlook != WaitOutlook::Reached)
    }
}

struct WaitSurveyor<'a, 'state> {
    facts: &'a WaitFacts<'a, 'state>,
    targets: &'a WaitTargets,
    wish: &'a WaitCriteria,
    judged: BTreeMap<ObjectKey, &'a Judgement>,
    survey: WaitSurvey,
    met: BTreeSet<ObjectKey>,
}

impl<'state> WaitSurveyor<'_, 'state> {
    fn evaluate_targets(&mut self) {
        let found: Vec<&'state Resource> = match &self.targets.owner {
            None => self.facts.state.resources.iter().filter(|one| self.is_target(one)).collect(),
            Some(owner) => {
                let owners = self.facts.state.resources.iter().filter(|one| self.targets.is_owner(one));
                let owners: Vec<&Resource> = owners.collect();
                if owners.is_empty() && self.wish.goal != WaitGoal::Gone {
                    self.add_absent(
                        unknown_object(owner),
                        "no claim, composite, Application, Kustomization or HelmRelease has this name yet",
                    );
                }
                self.owned_objects(&owners)
            }
        };
        for resource in &found {
            self.evaluate_object(resource);
        }
        for named in &self.targets.named {
            if !found.iter().any(|resource| named.refers_to(resource)) {
                let object = named.object_name(self.facts.kinds, self.targets.namespace.as_deref());
                match self.unread_reason(&object) {
                    Some(why) => self.add_absent(object, &why),
                    None if self.wish.goal == WaitGoal::Gone => self.add_gone(object, "it does not exist"),
                    None if self.facts.kinds.iter().any(|kind| kind.is_called(&named.kind)) => {
                        self.add_absent(object, "it does not exist yet");
                    }
                    None => self.add_absent(object, &format!("no kind is called '{}' yet", named.kind)),
                }
            }
        }
        if matches!(self.wish.goal, WaitGoal::Ok | WaitGoal::Synced) {
            for resource in &found {
                self.evaluate_composed(resource);
                self.evaluate_deployers(resource);
            }
        }
    }

    /// Returns true if an object is a target: all objects of a requested kind, else those that an engine judges.
    fn is_target(&self, resource: &Resource) -> bool {
        let is_asked = !self.targets.named.is_empty() || !self.targets.kinds.is_empty();
        (is_asked || self.judged.contains_key(&resource.key())) && self.targets.select(resource)
    }

    /// Returns the owners and all objects below them.
    fn owned_objects(&self, owners: &[&'state Resource]) -> Vec<&'state Resource> {
        let graph = self.facts.graph;
        let mut open: Vec<NodeId> = owners.iter().filter_map(|owner| graph.find(&owner.key())).collect();
        let mut seen: BTreeSet<NodeId> = open.iter().copied().collect();
        while let Some(node) = open.pop() {
            let made = graph.down(node).iter().filter(|edge| creates(edge.relation)).map(|edge| edge.node);
            open.extend(made.filter(|made| seen.insert(*made)));
        }
        let resources = seen.into_iter().filter_map(|node| match graph.node(node).presence {
            NodePresence::Here(resource) => Some(resource),
            _ => None,
        });
        let is_kept = |resource: &&Resource| {
            self.judged.contains_key(&resource.key())
                && (self.targets.is_owner(resource) || self.targets.select(resource))
        };
        resources.filter(is_kept).collect()
    }

    fn evaluate_object(&mut self, resource: &Resource) {
        let key = resource.key();
        if !self.met.insert(key.clone()) {
            return;
        }
        let (verdict, message) = match self.judged.get(&key) {
            Some(judgement) => (judgement.verdict, judgement.message.as_deref().map(str::to_owned)),
            None => by_conditions::judge_by_conditions(resource, self.facts.clock),
        };
        let object = resource.name();
        if let Some(why) = self.unread_reason(&object) {
            self.survey.items.push(WaitedObject {
                object,
                verdict: None,
                outlook: WaitOutlook::Open,
                message: Some(why),
            });
            return;
        }
        let course = engine::course(resource);
        let sight = ObservedTarget {
            resource,
            verdict,
            message: message.as_deref(),
            course: &course,
            revision: self.wish.revision.as_deref().filter(|_| self.needs_revision(resource)),
            patience: self.facts.patience,
        };
        let (outlook, message) = evaluate(self.wish.goal, &sight);
        self.survey.items.push(WaitedObject { object, verdict: Some(verdict), outlook, message });
    }

    /// Returns true if the revision is required of an object: of named ones, and of those that deploy from Git. A
    /// HelmRelease has the versions of its chart.
    fn needs_revision(&self, resource: &Resource) -> bool {
        let is_named = self.targets.named.iter().any(|named| named.refers_to(resource));
        let deploys = match &resource.body {
            Body::Application(_) => true,
            Body::Flux(_) => resource.kind.kind == "Kustomization",
            _ => false,
        };
        is_named || deploys
    }

    /// Evaluates everything below a composite or claim, which has to reach the goal too.
    fn evaluate_composed(&mut self, resource: &Resource) {
        let graph = self.facts.graph;
        let Some(root) = graph.find(&resource.key()) else { return };
        let (mut open, mut seen) = (vec![root], BTreeSet::from([root]));
        while let Some(node) = open.pop() {
            let parts = graph.down(node).iter().filter(|edge| edge.relation == Relation::Composes);
            for part in parts.map(|edge| edge.node).collect::<Vec<_>>() {
                if seen.insert(part) {
                    open.push(part);
                    self.evaluate_node(part);
                }
            }
        }
    }

    fn evaluate_node(&mut self, part: NodeId) {
        let node = self.facts.graph.node(part);
        let NodeIdentity::Object(key) = &node.thing else { return };
        match node.presence {
            NodePresence::Here(resource) => self.evaluate_object(resource),
            NodePresence::Missing | NodePresence::Unread => {
                if matches!(node.presence, NodePresence::Unread) {
                    self.survey.unread.insert(key.clone());
                }
                if self.met.insert(key.clone()) {
                    let object = self.facts.graph.name(part).unwrap_or_else(|| unknown_object(&key.name));
                    let why = self.unread_reason(&object).unwrap_or_else(|| "it does not exist yet".to_owned());
                    self.add_absent(object, &why);
                }
            }
        }
    }

    /// Evaluates the deployers of an object that does not deploy a revision itself.
    fn evaluate_deployers(&mut self, resource: &Resource) {
        let Some(revision) =
            self.wish.revision.as_deref().filter(|_| self.targets.named.iter().any(|one| one.refers_to(resource)))
        else {
            return;
        };
        if engine::course(resource).revisions.is_some() {
            return;
        }
        let graph = self.facts.graph;
        let Some(root) = graph.find(&resource.key()) else { return };
        let (mut open, mut seen, mut appliers) = (vec![root], BTreeSet::from([root]), Vec::new());
        while let Some(node) = open.pop() {
            for edge in graph.up(node) {
                if edge.relation == Relation::Applies {
                    appliers.push(edge.node);
                } else if creates(edge.relation) && seen.insert(edge.node) {
                    open.push(edge.node);
                }
            }
        }
        if appliers.is_empty() {
            let message = format!(
                "it is unknown whether it comes from revision {revision}: no Application, Kustomization or HelmRelease applied it"
            );
            self.add_absent(resource.name(), &message);
        }
        for applier in appliers {
            self.evaluate_node(applier);
        }
    }

    /// Records existing objects, and evaluates those that no longer exist, if the goal is `gone`.
    fn track_seen(&mut self, seen: &mut SeenObjects) {
        if self.wish.goal != WaitGoal::Gone {
            return;
        }
        let resources: BTreeMap<ObjectKey, &Resource> =
            self.facts.state.resources.iter().map(|resource| (resource.key(), resource)).collect();
        for key in &self.met {
            if let Some(resource) = resources.get(key) {
                seen.entry(key.clone()).or_insert_with(|| (resource.name(), resource.metadata.uid.clone()));
            }
        }
        for (key, (object, uid)) in seen.iter() {
            let why = match resources.get(key) {
                Some(resource) if resource.metadata.uid == *uid => continue,
                Some(_) => "it was deleted; another object with its name was created since",
                None => "it is gone",
            };
            if resources.contains_key(key) || self.unread_reason(object).is_none() {
                self.survey.items.retain(|item| ObjectKey::from(&item.object) != *key);
                self.add_gone(object.clone(), why);
            } else {
                let why = self.unread_reason(object).unwrap_or_default();
                self.add_absent(object.clone(), &why);
            }
        }
    }

    fn add_absent(&mut self, object: ObjectName, why: &str) {
        let message = Some(why.to_owned());
        self.survey.items.push(WaitedObject { object, verdict: None, outlook: WaitOutlook::Open, message });
    }

    fn add_gone(&mut self, object: ObjectName, why: &str) {
        let message = Some(why.to_owned());
        self.survey.items.push(WaitedObject { object, verdict: None, outlook: WaitOutlook::Reached, message });
    }

    /// Returns the reason why the known state of an object may be out of date.
    fn unread_reason(&self, object: &ObjectName) -> Option<String> {
        let kind = self.facts.kinds.iter().find(|kind| kind.group == object.group() && kind.kind == object.kind)?;
        let plural = kind.qualified_plural();
        let entry = self.facts.state.unreadable.iter().find(|entry| entry.what == plural)?;
        Some(format!("it cannot be read: {}", entry.reason))
    }
}

/// Returns true if the lower end of a relation exists because of the upper one.
const fn creates(relation: Relation) -> bool {
    matches!(relation, Relation::Composes | Relation::Applies | Relation::Generates | Relation::Owns)
}

/// Returns a name for an object of unknown kind.
fn unknown_object(name: &str) -> ObjectName {
    ObjectName { api_version: String::new(), kind: "Owner".to_owned(), namespace: None, name: name.to_owned() }
}
