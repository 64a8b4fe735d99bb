//! Reads what the objects of a tree need, and what their failures mention.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::cli::tree::ExploredCluster;
use ucp_client::source::live::session::{FetchedObjects, Session, WantedObject};
use ucp_core::engine;
use ucp_core::graph::Graph;
use ucp_core::graph::link::Link;
use ucp_core::graph::walk::{GraphWalk, WalkDirection};
use ucp_core::model::body::{BodyShape, KindRequest};
use ucp_core::model::object::ObjectKey;
use ucp_core::model::state::ClusterState;
use ucp_core::model::trace::TraceRequest;
use ucp_features::adopt::links;
use ucp_features::history::{self, ObstacleRequest};

/// Objects of workloads, which only name their owner.
const PARTS: [(&str, &str); 3] = [("apps", "ReplicaSet"), ("apps", "ControllerRevision"), ("", "Pod")];

/// Reads objects by name, where their kinds are served.
pub(super) fn take_by_name(
    session: &Session,
    explored: &mut ExploredCluster,
    keys: BTreeSet<ObjectKey>,
    traces: TraceRequest,
) {
    let want = KindRequest::all(BodyShape::Conditions).with_traces(traces);
    let wanted = keys.into_iter().filter_map(|key| {
        let kind = session.kind(&key.group, &key.kind)?;
        Some(WantedObject { kind: Arc::clone(kind), want, key })
    });
    explored.take(session.fetch(wanted.collect()));
}

/// Reads the revisions and Pods of the workloads in a tree: those of their namespaces.
pub(super) fn take_parts_of_workloads(
    session: &Session,
    root: &ObjectKey,
    explored: &mut ExploredCluster,
    traces: TraceRequest,
) {
    let tree = objects_of_tree(&graph(&explored.state, &explored.absent, &[]), root);
    let is_workload = |key: &&ObjectKey| {
        key.group == "apps" && matches!(key.kind.as_str(), "Deployment" | "StatefulSet" | "DaemonSet")
    };
    let namespaces: BTreeSet<String> =
        tree.iter().filter(is_workload).filter_map(|key| key.namespace.clone()).collect();
    for namespace in namespaces {
        for (group, name) in PARTS {
            let kind = session.kind(group, name);
            let want = KindRequest::all(BodyShape::Conditions).with_traces(traces);
            explored.take(match kind {
                // One namespace does not show if others have such objects.
                Some(kind) => FetchedObjects { kinds: Vec::new(), ..session.listed_in(Some(&namespace), kind, want) },
                None => FetchedObjects::default(),
            });
        }
    }
}

/// Reads the objects that failures mention, the workloads behind Services that were called, and the nodes of Pods.
pub(super) fn take_obstacles(
    session: &Session,
    explored: &mut ExploredCluster,
    tree: &BTreeSet<ObjectKey>,
    traces: TraceRequest,
) {
    let want = KindRequest::all(BodyShape::Conditions).with_traces(traces);
    let ObstacleRequest { lists, objects } = history::obstacles_to_read(&explored.state, tree);
    for (group, name, namespace) in lists {
        let Some(kind) = session.kind(group, name) else { continue };
        let listed = session.listed_in(namespace.as_deref(), kind, want);
        explored.take(FetchedObjects { kinds: Vec::new(), ..listed });
    }
    take_by_name(session, explored, objects, traces);
    for namespace in history::namespaces_of_servers(&explored.state, tree) {
        for (group, name) in history::SERVERS {
            let Some(kind) = session.kind(group, name) else { continue };
            let listed = session.listed_in(Some(&namespace), kind, want);
            explored.take(FetchedObjects { kinds: Vec::new(), ..listed });
        }
    }
}

/// Returns the graph of a state.
pub(super) fn graph<'state>(
    state: &'state ClusterState,
    absent: &BTreeSet<ObjectKey>,
    obstacles: &[Link],
) -> Graph<'state> {
    let more = [&links::secret_links(state), obstacles].concat();
    Graph::from_state(state, engine::links, &more, absent)
}

/// Returns the objects of the tree of an object.
pub(super) fn objects_of_tree(graph: &Graph<'_>, root: &ObjectKey) -> BTreeSet<ObjectKey> {
    let Some(root) = graph.find(root) else { return BTreeSet::new() };
    GraphWalk::from(graph, root, WalkDirection::Both, usize::MAX).objects(graph)
}
