//! Construction of a graph: finds the object that each end of a link refers to.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};

use super::edge::{Edge, Edges, EvidenceSource, LinkEvidence};
use super::here::ObjectIndex;
use super::link::{ClusterName, Link, LinkEnd, Relation};
use super::node::{GraphNode, NodeId, NodeIdentity, NodePresence, StoredNode};
use super::object_graph::Graph;
use super::scope::GraphScope;
use crate::model::kind::{ResourceKind, ResourceScope};
use crate::model::object::{ObjectKey, ObjectKeyRef};
use crate::model::resource::Resource;
use crate::model::state::ClusterState;

impl<'state> Graph<'state> {
    /// Builds the graph of a state. `links` returns the links that an object declares, `more` are links that no single
    /// object declares, and `absent` are objects that were requested and do not exist.
    pub fn from_state(
        state: &'state ClusterState,
        links: impl Fn(&Resource) -> Vec<Link>,
        more: &[Link],
        absent: &BTreeSet<ObjectKey>,
    ) -> Self {
        let mut builder = GraphBuilder::new(state, absent, GraphScope::Everything);
        builder.read(links, more);
        builder.finish()
    }

    /// Builds the graph of the objects alone: without Git, app clusters, and external resources.
    pub fn from_objects_only(state: &'state ClusterState, links: impl Fn(&Resource) -> Vec<Link>) -> Self {
        let absent = BTreeSet::new();
        let mut builder = GraphBuilder::new(state, &absent, GraphScope::Objects);
        builder.read(links, &[]);
        builder.finish()
    }
}

pub(super) struct GraphBuilder<'state, 'absent> {
    state: &'state ClusterState,
    absent: &'absent BTreeSet<ObjectKey>,
    extent: GraphScope,
    nodes: Vec<StoredNode<'state>>,
    here: ObjectIndex<'state>,
    referred: HashMap<ObjectKey, NodeId>,
    versions: HashMap<NodeId, String>,
    others: HashMap<NodeIdentity, NodeId>,
    /// Objects by plural and group.
    of_kind: HashMap<(&'state str, &'state str), Vec<NodeId>>,
    /// Kinds by group and kind, with true if the requested objects of the kind were all read.
    kinds: HashMap<(&'state str, &'state str), (&'state ResourceKind, bool)>,
    /// Objects by group, kind, and name, in any namespace. Filled on first use.
    named: Option<HashMap<(&'state str, &'state str, &'state str), NodeId>>,
    /// Objects of a category by name. Filled on first use.
    categories: HashMap<&'static str, HashMap<&'state str, NodeId>>,
    clusters: HashMap<ClusterName, NodeId>,
    edges: HashMap<(NodeId, NodeId), (Relation, LinkEvidence)>,
    order: Vec<(NodeId, NodeId)>,
}

impl<'state, 'absent> GraphBuilder<'state, 'absent> {
    pub(super) fn new(state: &'state ClusterState, absent: &'absent BTreeSet<ObjectKey>, extent: GraphScope) -> Self {
        let broken: BTreeSet<&str> = state.unreadable.iter().map(|entry| entry.what.as_str()).collect();
        let kinds = state.kinds.iter().map(|kind| {
            let is_read = broken.is_empty() || !broken.contains(kind.qualified_plural().as_str());
            ((kind.group.as_str(), kind.kind.as_str()), (kind.as_ref(), is_read))
        });
        let number = state.resources.len();
        let mut builder = Self {
            state,
            absent,
            extent,
            nodes: Vec::with_capacity(number),
            here: ObjectIndex::from_objects(&state.resources),
            referred: HashMap::new(),
            versions: HashMap::new(),
            others: HashMap::new(),
            of_kind: HashMap::new(),
            kinds: kinds.collect(),
            named: None,
            categories: HashMap::new(),
            clusters: HashMap::new(),
            edges: HashMap::with_capacity(number),
            order: Vec::with_capacity(number),
        };
        for (id, resource) in state.resources.iter().enumerate() {
            builder.nodes.push(StoredNode::Here(resource));
            builder.of_kind.entry((&resource.kind.plural, &resource.kind.group)).or_default().push(id);
        }
        builder
    }

    /// Adds the links of every object, and those that no single object declares.
    pub(super) fn read(&mut self, links: impl Fn(&Resource) -> Vec<Link>, more: &[Link]) {
        let state = self.state;
        // Clusters have several names: all names are collected before any is resolved.
        let mut of_clusters = Vec::new();
        for (id, resource) in state.resources.iter().enumerate() {
            for link in links(resource) {
                match [&link.from, &link.to].iter().any(|end| matches!(end, LinkEnd::Cluster(_))) {
                    true if self.extent == GraphScope::Everything => of_clusters.push((Some(id), link)),
                    true => {}
                    false => self.add(&link, Some(id)),
                }
            }
        }
        of_clusters.extend(more.iter().map(|link| (None, link.clone())));
        self.name_clusters(of_clusters.iter().map(|(_, link)| link));
        for (id, link) in &of_clusters {
            self.add(link, *id);
        }
    }

    pub(super) fn finish(self) -> Graph<'state> {
        let Self { nodes, here, referred, versions, order, edges, .. } = self;
        let seen_from = |ends: fn((NodeId, NodeId)) -> (NodeId, NodeId)| {
            let edges = order.iter().map(|link| {
                let ((relation, evidence), (at, node)) = (edges[link], ends(*link));
                (at, Edge { node, relation, evidence })
            });
            Edges::group_by_node(nodes.len(), edges.collect())
        };
        let (down, up) = (seen_from(|(from, to)| (from, to)), seen_from(|(from, to)| (to, from)));
        Graph { nodes, up, down, here, referred, versions }
    }

    /// Joins the names of clusters: engines may identify a cluster by name or by URL. An end with both joins the two.
    fn name_clusters<'link>(&mut self, links: impl Iterator<Item = &'link Link>) {
        let mut names: Vec<&ClusterName> = links
            .flat_map(|link| [&link.from, &link.to])
            .filter_map(|end| match end {
                LinkEnd::Cluster(name) => Some(name),
                _ => None,
            })
            .collect();
        // Ends with both name and server first.
        names.sort_by_key(|name| (name.name.is_none() || name.server.is_none(), *name));
        for name in names {
            let by_name = ClusterName { name: name.name.clone(), server: None };
            let by_server = ClusterName { name: None, server: name.server.clone() };
            let parts = [by_name, by_server].into_iter().filter(|part| *part != ClusterName::default());
            let known = parts.clone().find_map(|part| self.clusters.get(&part).copied());
            let id = known.unwrap_or_else(|| self.other_node(NodeIdentity::Cluster(name.clone())));
            for part in parts {
                self.clusters.entry(part).or_insert(id);
            }
            self.clusters.entry(name.clone()).or_insert(id);
        }
    }

    /// Adds a link that is declared by an object, or by none.
    fn add(&mut self, link: &Link, by: Option<NodeId>) {
        if let LinkEnd::Kind(kind) = &link.from {
            let (plural, group) = kind.split_once('.').unwrap_or((kind, ""));
            let Some(to) = self.resolve(&link.to, by, None) else { return };
            let of_kind: &HashMap<(&str, &str), Vec<NodeId>> = &self.of_kind;
            for from in of_kind.get(&(plural, group)).cloned().unwrap_or_default() {
                self.connect(from, to, link.relation, EvidenceSource::Other);
            }
            return;
        }
        // Links to Secrets that were not read matter only for app clusters.
        if let (GraphScope::Objects, Relation::Writes | Relation::Reads, LinkEnd::Object(secret)) =
            (self.extent, link.relation, &link.to)
            && self.locate(secret.key_ref(), self.namespace(&link.from, by)).is_err()
        {
            return;
        }
        let from = self.resolve(&link.from, by, self.namespace(&link.to, by));
        let to = self.resolve(&link.to, by, self.namespace(&link.from, by));
        let (Some(from), Some(to)) = (from, to) else { return };
        let witness = match (&link.from, &link.to) {
            (_, LinkEnd::Itself) if link.relation == Relation::Owns => EvidenceSource::OwnerReference,
            (_, LinkEnd::Itself) => EvidenceSource::Lower,
            (LinkEnd::Itself, _) => EvidenceSource::Upper,
            _ => EvidenceSource::Other,
        };
        self.connect(from, to, link.relation, witness);
    }

    /// Adds an edge. Any other relation replaces `Owns`, since an ownerReference is less specific. An engine that
    /// manages its own installation applies its own Application or Kustomization; other links of an object to itself
    /// are dropped.
    fn connect(&mut self, from: NodeId, to: NodeId, relation: Relation, witness: EvidenceSource) {
        if from == to && relation != Relation::Applies {
            return;
        }
        match self.edges.entry((from, to)) {
            Entry::Vacant(new) => {
                new.insert((relation, LinkEvidence::default().with(witness)));
                self.order.push((from, to));
            }
            Entry::Occupied(mut known) => {
                let (known, evidence) = known.get_mut();
                *evidence = evidence.with(witness);
                if *known == Relation::Owns {
                    *known = relation;
                }
            }
        }
    }

    fn namespace<'end>(&self, end: &'end LinkEnd, by: Option<NodeId>) -> Option<&'end str>
    where
        'state: 'end,
    {
        match end {
            LinkEnd::Itself => self.state.resources[by?].metadata.namespace.as_deref(),
            LinkEnd::Object(name) | LinkEnd::IfRead(name) | LinkEnd::Anywhere(name) | LinkEnd::InFamily(name) => {
                name.namespace.as_deref()
            }
            _ => None,
        }
    }

    /// Returns the node that an end refers to, if there is one. `near` is the namespace of the other end.
    fn resolve(&mut self, end: &LinkEnd, by: Option<NodeId>, near: Option<&str>) -> Option<NodeId> {
        match end {
            LinkEnd::Itself => by,
            LinkEnd::Object(name) => Some(self.object_node(name.key_ref(), &name.api_version, near)),
            LinkEnd::IfRead(name) => self.locate(name.key_ref(), near).ok(),
            LinkEnd::Anywhere(name) => {
                let known = self.by_name().get(&(name.group(), name.kind.as_str(), name.name.as_str())).copied();
                Some(known.unwrap_or_else(|| self.object_node(name.key_ref(), &name.api_version, None)))
            }
            LinkEnd::InFamily(name) => {
                let known = |group: &&str| self.kinds.contains_key(&(*group, name.kind.as_str()));
                let group = group_and_parents(name.group()).find(known).unwrap_or_else(|| name.group());
                Some(self.object_node(ObjectKeyRef { group, ..name.key_ref() }, &format!("{group}/"), near))
            }
            LinkEnd::InCategory { category, name } => self.in_category(category).get(name.as_str()).copied(),
            _ if self.extent == GraphScope::Objects => None,
            LinkEnd::Cluster(name) => Some(
                self.clusters
                    .get(name)
                    .copied()
                    .unwrap_or_else(|| self.other_node(NodeIdentity::Cluster(name.clone()))),
            ),
            LinkEnd::Git(source) => Some(self.other_node(NodeIdentity::Git(source.clone()))),
            LinkEnd::External(external) => Some(self.other_node(NodeIdentity::External(external.clone()))),
            // Only the upper end of a link can be a kind.
            LinkEnd::Kind(_) | LinkEnd::Core => None,
        }
    }

    fn by_name(&mut self) -> &HashMap<(&str, &str, &str), NodeId> {
        let state = self.state;
        self.named.get_or_insert_with(|| {
            let mut named = HashMap::with_capacity(state.resources.len());
            for (id, resource) in state.resources.iter().enumerate() {
                let ObjectKeyRef { group, kind, name, .. } = resource.key_ref();
                named.entry((group, kind, name)).or_insert(id);
            }
            named
        })
    }

    fn in_category(&mut self, category: &'static str) -> &HashMap<&str, NodeId> {
        let state = self.state;
        self.categories.entry(category).or_insert_with(|| {
            let mut named = HashMap::new();
            for (id, resource) in state.resources.iter().enumerate() {
                if resource.kind.in_category(category) {
                    named.entry(resource.metadata.name.as_str()).or_insert(id);
                }
            }
            named
        })
    }

    /// Returns the object if it was read, or else its most likely key: without a namespace, with its own, or with that
    /// of the other end.
    fn locate<'key>(&self, key: ObjectKeyRef<'key>, near: Option<&'key str>) -> Result<NodeId, ObjectKeyRef<'key>> {
        let scope = self.kinds.get(&(key.group, key.kind)).map(|(kind, _)| kind.scope);
        let nearby = ObjectKeyRef { namespace: near, ..key };
        let anywhere = ObjectKeyRef { namespace: None, ..key };
        let (other, likely) = match (key.namespace, scope) {
            (None, Some(ResourceScope::Namespaced)) => (nearby, nearby),
            (None, _) => (nearby, key),
            (Some(_), Some(ResourceScope::Cluster)) => (anywhere, anywhere),
            (Some(_), _) => (key, key),
        };
        self.here.get(&key).or_else(|| self.here.get(&other)).ok_or(likely)
    }

    fn object_node(&mut self, key: ObjectKeyRef<'_>, api_version: &str, near: Option<&str>) -> NodeId {
        let key = match self.locate(key, near) {
            Ok(id) => return id,
            Err(key) => ObjectKey::from(key),
        };
        let next = self.nodes.len();
        match self.referred.entry(key) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                let key = new.key();
                let kind = self.kinds.get(&(key.group.as_str(), key.kind.as_str()));
                let is_read =
                    kind.is_some_and(|(kind, is_read)| *is_read && self.state.is_in_read_namespace(kind, key));
                let presence =
                    if is_read || self.absent.contains(key) { NodePresence::Missing } else { NodePresence::Unread };
                let version = kind.map_or_else(|| api_version.to_owned(), |(kind, _)| kind.api_version());
                self.versions.insert(next, version);
                self.nodes.push(StoredNode::Other(Box::new(GraphNode {
                    thing: NodeIdentity::Object(key.clone()),
                    presence,
                })));
                *new.insert(next)
            }
        }
    }

    fn other_node(&mut self, thing: NodeIdentity) -> NodeId {
        let next = self.nodes.len();
        *self.others.entry(thing).or_insert_with_key(|thing| {
            self.nodes
                .push(StoredNode::Other(Box::new(GraphNode { thing: thing.clone(), presence: NodePresence::Unread })));
            next
        })
    }
}

/// Returns a group and its parent domains.
pub fn group_and_parents(group: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(group), |group| group.split_once('.').map(|(_, parent)| parent))
}
