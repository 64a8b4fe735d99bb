//! The document `Tree`: the path from the Git commit to external resources through one object.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;

use crate::report::document_list::{DocumentList, ListableDocument};
use crate::report::sources::add_source_to_hint;
use crate::report::{Header, distribution, findings};
use ucp_core::engine::node_verdicts::NodeVerdicts;
use ucp_core::engine::{self, Assessment, AssessmentClock};
use ucp_core::graph::link::{ClusterName, External, ExternalHealth, GitSource, Relation};
use ucp_core::graph::walk::GraphWalk;
use ucp_core::graph::{Graph, NodeId, NodeIdentity};
use ucp_core::model::finding::Finding;
use ucp_core::model::object::{ObjectKey, ObjectName};
use ucp_core::model::resource::Resource;
use ucp_core::model::secrecy::scrub;
use ucp_core::model::state::{ClusterState, Origin, Unreadable};
use ucp_core::model::verdict::Verdict;
use ucp_features::distribution::CopyRow;
use ucp_features::distribution::links;
use ucp_features::history::{Actor, Occurrence};

/// The document `TreeList`: the trees of the same object in several core clusters.
pub type TreeList = DocumentList<Tree>;

impl ListableDocument for Tree {
    const LIST: &'static str = "TreeList";

    fn header(&self) -> &Header {
        &self.header
    }

    fn unreadable(&self) -> &[Unreadable] {
        &self.unreadable
    }

    /// Returns the worst verdict of its nodes.
    fn worst(&self) -> impl Ord {
        self.nodes.iter().map(|node| node.verdict).min().unwrap_or(Verdict::Unknown)
    }

    fn ask_at(&mut self, source: &Origin) {
        self.findings.iter_mut().for_each(|finding| add_source_to_hint(finding, source));
    }
}

/// The document `Tree`.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Tree {
    /// `apiVersion`, `kind` and `source`.
    #[serde(flatten)]
    pub header: Header,
    /// The `id` of the requested node.
    pub root: String,
    /// All nodes above and below the requested node.
    pub nodes: Vec<TreeNode>,
    /// The relations between the nodes.
    pub edges: Vec<TreeEdge>,
    /// The findings about the nodes, worst first, including causes that hold nodes up.
    pub findings: Vec<Finding>,
    /// Objects and kinds that could not be read.
    pub unreadable: Vec<Unreadable>,
    /// Positions of the nodes above the root.
    #[serde(skip)]
    pub above: Vec<usize>,
    /// The time of the cluster state.
    #[serde(skip)]
    pub moment: Timestamp,
}

/// One node of the tree.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TreeNode {
    /// The identifier of the node in [`TreeEdge`]s.
    pub id: String,
    /// The object, Git source or external resource of the node.
    #[serde(flatten)]
    pub thing: TreeNodeIdentity,
    /// The part of its source that an object deploys.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deploys: Option<DeployedSource>,
    /// The health of the node.
    pub verdict: Verdict,
    /// The reason, if the verdict is not OK.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The last change of the tree, if it is one of this object and can be known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_change: Option<TreeChange>,
}

/// The last change of a tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TreeChange {
    /// The time.
    pub time: Timestamp,
    /// A sentence whose subject is the object.
    pub what: String,
    /// The author, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<Actor>,
}

/// The part of its source that an object deploys.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeployedSource {
    /// The directory, or the chart.
    pub path: String,
    /// The deployed revision: a commit, or the version of a chart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
}

/// The kind of a node: one of these three fields is set.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum TreeNodeIdentity {
    /// An object of the core cluster.
    Object(ObjectName),
    /// A source of manifests.
    Git(GitSource),
    /// An external resource; an app cluster has the kind `Cluster`.
    External(External),
}

/// The relation between two nodes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TreeEdge {
    /// The node nearer to Git.
    pub from: String,
    /// The node nearer to the external resource.
    pub to: String,
    /// The kind of the relation.
    pub relation: Relation,
}

impl Tree {
    /// Builds the document from the nodes that a walk reached.
    pub fn from_walk(
        state: &ClusterState,
        graph: &Graph<'_>,
        walk: &GraphWalk,
        assessment: &Assessment<'_>,
        clock: &AssessmentClock,
    ) -> Self {
        let verdicts = NodeVerdicts::new(state, graph, assessment, clock);
        let node = |id| (id, TreeNode::from_graph(id, graph, &verdicts));
        // Sorted by name, since a cluster returns objects in varying order.
        let mut nodes: Vec<(NodeId, TreeNode)> = walk.nodes().into_iter().map(node).collect();
        nodes.sort_by(|(_, one), (_, other)| one.id.cmp(&other.id));
        let (ids, nodes): (Vec<NodeId>, Vec<TreeNode>) = nodes.into_iter().unzip();
        let named: BTreeMap<NodeId, &str> =
            ids.iter().copied().zip(nodes.iter().map(|node| node.id.as_str())).collect();
        let edges = walk.edges.iter().map(|(from, to, relation)| TreeEdge {
            from: named[from].to_owned(),
            to: named[to].to_owned(),
            relation: *relation,
        });
        let mut edges: Vec<TreeEdge> = edges.collect();
        edges.sort();
        let root = named[&walk.root].to_owned();
        let above = ids.iter().enumerate().filter(|(_, id)| walk.above.contains_key(id)).map(|(index, _)| index);
        let above = above.collect();
        Self {
            header: Header::new("Tree", state.origin.clone()),
            moment: state.moment,
            root,
            findings: findings_in_tree(findings::gather(assessment), &nodes),
            above,
            unreadable: state.unreadable.clone(),
            nodes,
            edges,
        }
    }

    /// Adds the problems of the copies of its Secrets.
    pub fn add_copies(&mut self, rows: &[CopyRow], unreadable: Vec<Unreadable>) {
        let is_met = |row: &&CopyRow| {
            let source = row.source.as_ref().map(|source| source.secret());
            self.nodes.iter().any(|node| match &node.thing {
                TreeNodeIdentity::Object(name) => Some(name) == source.as_ref(),
                TreeNodeIdentity::External(external) => *external == links::copy(row),
                TreeNodeIdentity::Git(_) => false,
            })
        };
        let found: Vec<Finding> = rows.iter().filter(is_met).flat_map(distribution::row_findings).collect();
        self.findings.extend(found);
        self.findings.sort_by(findings::worst_first);
        self.unreadable.extend(unreadable);
        self.unreadable.sort();
        self.unreadable.dedup();
    }

    /// Marks the object of the last change.
    pub fn mark_last_change(&mut self, change: Occurrence) {
        let is_it =
            |node: &&mut TreeNode| matches!(&node.thing, TreeNodeIdentity::Object(name) if *name == change.object);
        let Some(node) = self.nodes.iter_mut().find(is_it) else { return };
        let what = match (&change.before, &change.after) {
            (Some(before), Some(after)) => format!("{}, {before} → {after}", change.what),
            (None, Some(after)) if !change.what.contains(after.as_str()) => format!("{} = {after}", change.what),
            _ => change.what,
        };
        node.last_change = Some(TreeChange { time: change.time, what, by: change.by });
    }

    /// Returns the requested node.
    pub fn root(&self) -> Option<&TreeNode> {
        self.nodes.iter().find(|node| node.id == self.root)
    }
}

/// Returns the findings about objects of the tree, and those that hold some of them up.
fn findings_in_tree(findings: Vec<Finding>, nodes: &[TreeNode]) -> Vec<Finding> {
    let objects: std::collections::HashSet<&ObjectName> = nodes
        .iter()
        .filter_map(|node| match &node.thing {
            TreeNodeIdentity::Object(name) => Some(name),
            _ => None,
        })
        .collect();
    let is_met = |object: &ObjectName| objects.contains(object);
    let concerned = findings.into_iter().filter_map(|mut finding| {
        let is_own = is_met(&finding.object);
        finding.also.retain(is_met);
        finding.holds_up.retain(is_met);
        (is_own || !finding.also.is_empty() || !finding.holds_up.is_empty()).then_some(finding)
    });
    concerned.collect()
}

impl TreeNode {
    fn from_graph(id: NodeId, graph: &Graph<'_>, verdicts: &NodeVerdicts<'_, '_>) -> Self {
        let (verdict, message) = verdicts.verdict(id);
        let (name, thing) = match &graph.node(id).thing {
            NodeIdentity::Object(key) => {
                (key.to_string(), TreeNodeIdentity::Object(graph.name(id).unwrap_or_else(|| object_name_from_key(key))))
            }
            NodeIdentity::Git(source) => (git_id(source), TreeNodeIdentity::Git(source.clone())),
            NodeIdentity::External(external) => (external_id(external), TreeNodeIdentity::External(external.clone())),
            NodeIdentity::Cluster(name) => {
                let external = cluster(name);
                (external_id(&external), TreeNodeIdentity::External(external))
            }
        };
        let deploys = graph.resource(id).and_then(deploys);
        Self { id: name, thing, deploys, verdict, message, last_change: None }
    }
}

fn deploys(resource: &Resource) -> Option<DeployedSource> {
    let path = engine::deploys(resource)?.to_owned();
    let revision = engine::course(resource).revisions.and_then(|revisions| revisions.applied.into_iter().next());
    Some(DeployedSource { path, revision })
}

fn object_name_from_key(key: &ObjectKey) -> ObjectName {
    ObjectName {
        api_version: key.group.clone(),
        kind: key.kind.clone(),
        namespace: key.namespace.clone(),
        name: key.name.clone(),
    }
}

fn cluster(name: &ClusterName) -> External {
    // Its URL may hold a password.
    let server = name.server.as_ref().map(|server| scrub(server).into_owned());
    let shown = name.name.clone().or_else(|| server.clone()).unwrap_or_default();
    let server = server.filter(|server| *server != shown);
    External {
        kind: "Cluster".to_owned(),
        namespace: None,
        name: shown,
        cluster: server,
        health: ExternalHealth::Inherited,
    }
}

fn git_id(source: &GitSource) -> String {
    let mut id = format!("git:{}", source.repository);
    for (before, part) in [("//", &source.path), ("#", &source.chart), ("@", &source.target), ("=", &source.revision)] {
        if let Some(part) = part {
            id.push_str(before);
            id.push_str(part);
        }
    }
    id
}

fn external_id(external: &External) -> String {
    let parts = [
        external.cluster.as_deref(),
        Some(external.kind.as_str()),
        external.namespace.as_deref(),
        Some(&external.name),
    ];
    format!("external:{}", parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/"))
}
