//! Verdicts of the nodes of a graph: objects, missing and unread ones, Git sources, external resources, and clusters.

use std::collections::BTreeMap;

use super::assessment::Assessment;
use super::by_conditions::judge_by_conditions;
use super::judgement::{AssessmentClock, Judgement};
use crate::graph::link::{External, ExternalHealth, Relation};
use crate::graph::{Graph, NodeId, NodeIdentity, NodePresence};
use crate::model::object::ObjectKey;
use crate::model::state::{ClusterState, Origin, Unreadable};
use crate::model::verdict::Verdict;

/// Judges the nodes of a graph, by the verdicts of the objects.
pub struct NodeVerdicts<'a, 'state> {
    state: &'a ClusterState,
    graph: &'a Graph<'state>,
    judged: BTreeMap<ObjectKey, &'a Judgement>,
    clock: &'a AssessmentClock,
}

impl<'a, 'state> NodeVerdicts<'a, 'state> {
    /// Takes the verdicts of the objects from an assessment. Other objects are judged by their conditions.
    pub fn new(
        state: &'a ClusterState,
        graph: &'a Graph<'state>,
        assessment: &'a Assessment<'_>,
        clock: &'a AssessmentClock,
    ) -> Self {
        let judged = assessment.judged.iter().map(|entry| (entry.resource.key(), &entry.judgement)).collect();
        Self { state, graph, judged, clock }
    }

    /// Returns the verdict of a node, and its reason if it is not OK.
    pub fn verdict(&self, id: NodeId) -> (Verdict, Option<String>) {
        let node = self.graph.node(id);
        match (&node.thing, node.presence) {
            (NodeIdentity::Object(key), NodePresence::Here(resource)) => match self.judged.get(key) {
                Some(judgement) => (judgement.verdict, judgement.message.as_deref().map(str::to_owned)),
                None => judge_by_conditions(resource, self.clock),
            },
            (NodeIdentity::Object(key), NodePresence::Missing) => self.missing(id, key),
            (NodeIdentity::Object(key), NodePresence::Unread) => (Verdict::Unknown, Some(self.unread_reason(key))),
            (NodeIdentity::Git(_), _) => self.if_any_below(id, |_| true),
            (NodeIdentity::External(external), _) => self.external(id, external),
            (NodeIdentity::Cluster(_), _) => self.cluster(id),
        }
    }

    /// Returns the verdict of a missing object. A Secret that is not written yet has the verdict of its writer.
    fn missing(&self, id: NodeId, key: &ObjectKey) -> (Verdict, Option<String>) {
        let uppers = self.graph.up(id);
        let writer = uppers.iter().find(|edge| edge.relation == Relation::Writes && uppers.len() == 1);
        match writer.map(|edge| self.verdict(edge.node).0) {
            Some(verdict) if verdict != Verdict::Ok => (verdict, Some("it has not been written yet".to_owned())),
            _ => (Verdict::Failed, Some(format!("missing: {} {} does not exist", key.kind, key.name))),
        }
    }

    fn unread_reason(&self, key: &ObjectKey) -> String {
        let names = |entry: &&Unreadable| {
            let kind = self.state.kinds.iter().find(|kind| kind.group == key.group && kind.kind == key.kind);
            kind.is_some_and(|kind| entry.what == kind.qualified_plural()) || entry.what == key.to_string()
        };
        match (self.state.unreadable.iter().find(names), &self.state.origin) {
            (Some(entry), _) => format!("it could not be read: {}", entry.reason),
            (None, Origin::Snapshot { .. }) => "it is not in the snapshot".to_owned(),
            (None, Origin::Cluster { .. }) => "it was not read".to_owned(),
        }
    }

    fn if_any_below(&self, id: NodeId, is_meant: impl Fn(Relation) -> bool) -> (Verdict, Option<String>) {
        let mut below = self.graph.down(id).iter().filter(|edge| is_meant(edge.relation));
        match below.any(|edge| self.verdict(edge.node).0 == Verdict::Ok) {
            true => (Verdict::Ok, None),
            false => (Verdict::Unknown, None),
        }
    }

    fn external(&self, id: NodeId, external: &External) -> (Verdict, Option<String>) {
        let upper = self.graph.up(id).first().map(|edge| self.verdict(edge.node).0);
        match &external.health {
            ExternalHealth::Inherited if upper == Some(Verdict::Ok) => (Verdict::Ok, None),
            // It is above the objects of the cluster, like a Helm release.
            ExternalHealth::Inherited if upper.is_none() => self.if_any_below(id, |_| true),
            ExternalHealth::Inherited => (Verdict::Unknown, None),
            ExternalHealth::Known { verdict, message } => (*verdict, message.clone()),
            ExternalHealth::Unreported => {
                (Verdict::Unknown, Some("applied, but its health is not reported".to_owned()))
            }
            ExternalHealth::Argo { health: Some(health), .. } => {
                let verdict = match health.as_str() {
                    "Healthy" => Verdict::Ok,
                    "Degraded" | "Missing" => Verdict::Failed,
                    "Progressing" => Verdict::Progressing,
                    "Suspended" => Verdict::Paused,
                    _ => Verdict::Unknown,
                };
                (verdict, (verdict != Verdict::Ok).then(|| format!("health is {health}")))
            }
            // Argo CD aggregates the health of all objects, and no longer persists the health of each.
            ExternalHealth::Argo { sync, .. } if sync == "OutOfSync" => {
                (Verdict::Drifted, Some("out of sync".to_owned()))
            }
            ExternalHealth::Argo { .. } if upper == Some(Verdict::Ok) => (Verdict::Ok, None),
            ExternalHealth::Argo { .. } => (Verdict::Unknown, None),
        }
    }

    /// A cluster is known from its registration; its reachability is known only from its deployers.
    fn cluster(&self, id: NodeId) -> (Verdict, Option<String>) {
        let is_registered = self.graph.up(id).iter().any(|edge| edge.relation == Relation::Opens);
        let hosts = self.graph.down(id);
        let answers = hosts.is_empty() || hosts.iter().any(|edge| self.verdict(edge.node).0 == Verdict::Ok);
        let secrets = self.state.kinds.iter().find(|kind| kind.group.is_empty() && kind.kind == "Secret");
        match (is_registered, secrets.is_some_and(|kind| self.state.was_read(kind))) {
            (true, _) if answers => (Verdict::Ok, None),
            (true, _) => (Verdict::Unknown, Some("nothing that deploys there is OK".to_owned())),
            (false, true) => (Verdict::Failed, Some("missing: no Secret registers this cluster".to_owned())),
            (false, false) => (Verdict::Unknown, None),
        }
    }
}
