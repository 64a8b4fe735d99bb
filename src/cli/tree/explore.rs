//! Reads the part of a live cluster that a tree needs: all objects of the few kinds of the engines, and of other kinds
//! only the objects that are referred to.

use std::collections::BTreeSet;
use std::sync::Arc;

use ucp_client::source::Query;
use ucp_client::source::live::session::{FetchedObjects, Session, WantedObject};
use ucp_core::engine::{self, ENGINES, MemberSelector};
use ucp_core::graph::link::Relation;
use ucp_core::graph::walk::GraphWalk;
use ucp_core::graph::{Graph, NodeId, NodeIdentity, NodePresence};
use ucp_core::model::body::{BodyShape, KindRequest};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::ObjectKey;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::ClusterState;
use ucp_features::adopt::{argocd, links, provisioner};

use super::TreeReading;

/// The maximum depth of a tree. Each round reads the objects that the last one referred to.
const ROUNDS: usize = 24;

/// Returns the read request for a kind with an object in the tree.
pub(super) fn want(kind: &ResourceKind) -> KindRequest {
    let known = engine::want(kind).or_else(|| engine::any::want_named(kind));
    known
        .unwrap_or_else(|| KindRequest::all(if is_private(kind) { BodyShape::Metadata } else { BodyShape::Conditions }))
}

/// Returns true for kinds whose values are not needed.
fn is_private(kind: &ResourceKind) -> bool {
    kind.group.is_empty() && matches!(kind.kind.as_str(), "Secret" | "ConfigMap")
}

/// The objects that were read for a tree.
pub(in crate::cli) struct ExploredCluster {
    /// The state with all objects that were read.
    pub(in crate::cli) state: ClusterState,
    /// Objects that were requested and do not exist.
    pub(in crate::cli) absent: BTreeSet<ObjectKey>,
}

/// Reads the objects that are related to an object.
pub(super) fn explore(
    session: &Session,
    root: Resource,
    reading: &TreeReading<'_>,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> ExploredCluster {
    let (key, kind) = (root.key(), Arc::clone(&root.kind));
    let mut explored = ExploredCluster { state: session.nothing(), absent: BTreeSet::new() };
    let wanted = |kind: &ResourceKind| engine::want(kind).map(|want| (reading.adjust)(kind, want));
    let refers = |other: &ResourceKind| ENGINES.iter().any(|engine| engine.refers_to(other, &kind));
    let is_first = |other: &ResourceKind| refers(other) || !engine::is_listed(other);
    explored.list(session, &|other| is_first(other).then(|| wanted(other)).flatten(), progress);
    explored.add(vec![root]);
    let reconciled = explored.reconciled_by(&key);
    if !reconciled.is_empty() {
        let is_meant = |other: &ResourceKind| reconciled.contains(&other.qualified_plural());
        explored.list(session, &|other| is_meant(other).then(|| wanted(other)).flatten(), progress);
    }
    let mut asked = BTreeSet::new();
    let mut listed = BTreeSet::new();
    let mut registrations = RegistrationsRead::Unread;
    for _ in 0..ROUNDS {
        let more = links::secret_links(&explored.state);
        let graph = Graph::from_state(&explored.state, engine::links, &more, &explored.absent);
        let Some(root) = graph.find(&key) else { break };
        let walk = GraphWalk::from(&graph, root, reading.direction, reading.depth);
        let next: Vec<WantedObject> = wanted_objects(session, &graph, &walk, reading)
            .into_iter()
            .filter(|wanted| asked.insert(wanted.key.clone()))
            .collect();
        let needs_registrations = registrations == RegistrationsRead::Unread && meets_clusters(&graph, &walk);
        let members = members(session, &graph, &walk);
        let members: Vec<_> =
            members.into_iter().filter(|(kind, label)| listed.insert((kind.qualified_plural(), *label))).collect();
        if next.is_empty() && members.is_empty() && !needs_registrations {
            break;
        }
        drop(graph);
        for (kind, label) in members {
            // A read of some objects does not show if others exist.
            let want = KindRequest { selector: Some(label), ..(reading.adjust)(&kind, want(&kind)) };
            explored.take(FetchedObjects { kinds: Vec::new(), ..session.listed(&kind, want) });
        }
        if needs_registrations {
            registrations = RegistrationsRead::Read;
            explored.list_registrations(session);
        }
        let fetched = session.fetch(next);
        explored.take(fetched);
    }
    let is_whole = |kind: &ResourceKind| engine::want(kind).is_some_and(|request| request.selector.is_none());
    session.report_omissions(&mut explored.state, is_whole);
    explored
}

/// The state of the read of Argo CD's cluster Secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RegistrationsRead {
    Unread,
    Read,
}

impl ExploredCluster {
    fn list(
        &mut self,
        session: &Session,
        want: &(dyn Fn(&ResourceKind) -> Option<KindRequest> + Sync),
        progress: &(dyn Fn(usize, usize) + Sync),
    ) {
        session.list(&Query { progress, ..Query::all(want) }, &mut self.state);
    }

    /// Reads cluster Secrets alone, which does not show if other Secrets exist.
    fn list_registrations(&mut self, session: &Session) {
        let Some(kind) = session.kind("", "Secret") else { return };
        let want = KindRequest { selector: Some(argocd::SELECTOR), ..KindRequest::all(BodyShape::Secret) };
        self.take(FetchedObjects { kinds: Vec::new(), ..session.listed(kind, want) });
    }

    /// Adds objects that were fetched.
    pub(in crate::cli) fn take(&mut self, fetched: FetchedObjects) {
        self.add(fetched.resources);
        self.absent.extend(fetched.absent);
        self.state.unreadable.extend(fetched.unreadable);
        self.state.kinds.extend(fetched.kinds);
    }

    /// Adds resources. One that was read twice is kept as it was read last.
    fn add(&mut self, resources: Vec<Resource>) {
        let keys: BTreeSet<ObjectKey> = resources.iter().map(Resource::key).collect();
        self.state.resources.retain(|known| !keys.contains(&known.key()));
        self.state.resources.extend(resources);
    }

    /// Returns the kinds that a package reconciles, if the root is one.
    fn reconciled_by(&self, root: &ObjectKey) -> BTreeSet<String> {
        use ucp_core::graph::link::LinkEnd;
        let links = self.state.resources.iter().flat_map(engine::links);
        let kinds = links.filter_map(|link| match (link.from, link.to) {
            (LinkEnd::Kind(kind), LinkEnd::Object(name)) if ObjectKey::from(&name) == *root => Some(kind),
            _ => None,
        });
        kinds.collect()
    }
}

/// Returns the objects of a walk that are not read yet and whose kinds the server has.
fn wanted_objects(
    session: &Session,
    graph: &Graph<'_>,
    walk: &GraphWalk,
    reading: &TreeReading<'_>,
) -> Vec<WantedObject> {
    let unread = walk.unread(graph).into_iter();
    let wanted = unread.filter_map(|key| {
        let kind = session.kind(&key.group, &key.kind)?;
        let is_way_in = is_private(kind) && graph.find(&key).is_some_and(|node| gives_cluster_access(graph, node));
        let want = if is_way_in { private_want(kind) } else { want(kind) };
        Some(WantedObject { kind: Arc::clone(kind), want: (reading.adjust)(kind, want), key })
    });
    wanted.collect()
}

/// Returns the kinds of the members of objects in a walk, and the label that the members have.
fn members(session: &Session, graph: &Graph<'_>, walk: &GraphWalk) -> Vec<(Arc<ResourceKind>, &'static str)> {
    let met = walk.nodes().into_iter().filter_map(|node| match graph.node(node).presence {
        NodePresence::Here(resource) => engine::members(resource),
        _ => None,
    });
    let found = met.flat_map(|MemberSelector { label, kinds }| {
        let is_one = move |kind: &&Arc<ResourceKind>| {
            kinds.iter().any(|(group, name)| kind.group == *group && kind.kind == *name)
        };
        session.kinds().iter().filter(is_one).map(move |kind| (Arc::clone(kind), label)).collect::<Vec<_>>()
    });
    found.collect()
}

fn private_want(kind: &ResourceKind) -> KindRequest {
    KindRequest::all(if kind.kind == "Secret" { BodyShape::Secret } else { BodyShape::ConfigMap })
}

/// Returns true if a Secret is used to deploy, or is written by a cluster's managed resource. Only then, it is read
/// with its values, which show the cluster that it gives access to.
fn gives_cluster_access(graph: &Graph<'_>, node: NodeId) -> bool {
    graph.down(node).iter().any(|edge| edge.relation == Relation::Hosts)
        || graph.up(node).iter().any(|edge| edge.relation == Relation::Writes && makes_clusters(graph, edge.node))
}

fn makes_clusters(graph: &Graph<'_>, node: NodeId) -> bool {
    match graph.node(node).presence {
        NodePresence::Here(resource) => provisioner::is_cluster(&resource.kind),
        _ => false,
    }
}

fn meets_clusters(graph: &Graph<'_>, walk: &GraphWalk) -> bool {
    walk.nodes()
        .into_iter()
        .any(|node| matches!(graph.node(node).thing, NodeIdentity::Cluster(_)) || makes_clusters(graph, node))
}
