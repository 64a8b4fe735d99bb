//! Objects, and what they have to do with each other: every link that the engines declare, both ways. From it are read
//! owners, and the way from a Git commit to what exists outside.

pub mod standing;
pub mod walk;

use std::collections::{BTreeSet, HashMap};

use crate::engine;
use crate::engine::link::{ClusterName, End, External, GitSource, Link, Relation};
use crate::model::kind::{ResourceKind, Scope};
use crate::model::object::{ObjectKey, ObjectName};
use crate::model::resource::Resource;
use crate::model::state::ClusterState;

/// A node of a [`Graph`], by its position.
pub type NodeId = usize;

/// Everything that was read, and everything that it refers to.
pub struct Graph<'state> {
    nodes: Vec<Node<'state>>,
    up: Vec<Vec<Edge>>,
    down: Vec<Vec<Edge>>,
    objects: HashMap<ObjectKey, NodeId>,
    /// Versions of kinds, by group and kind.
    versions: HashMap<(&'state str, &'state str), &'state str>,
}

/// One thing.
#[derive(Debug, Clone)]
pub struct Node<'state> {
    /// What it is.
    pub thing: Thing,
    /// What is known of an object; nothing is to be known of other things.
    pub presence: Presence<'state>,
}

/// What a node stands for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Thing {
    /// An object of the cluster.
    Object(ObjectKey),
    /// A source of manifests.
    Git(GitSource),
    /// Something outside.
    External(External),
    /// An app cluster.
    Cluster(ClusterName),
}

/// Whether an object is there.
#[derive(Debug, Clone, Copy)]
pub enum Presence<'state> {
    /// It was read.
    Here(&'state Resource),
    /// Its kind was read, or it was asked for, and it is not there.
    Missing,
    /// Nobody asked for it, or nobody answered.
    Unread,
}

/// One end of a link, seen from the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// The other end.
    pub node: NodeId,
    /// What the upper end is to the lower one.
    pub relation: Relation,
}

impl<'state> Graph<'state> {
    /// Puts together what was read. `more` are links that the engines do not declare, and `absent` objects that were
    /// asked for and are not there.
    pub fn of(state: &'state ClusterState, more: &[Link], absent: &BTreeSet<ObjectKey>) -> Self {
        let mut builder = Builder::new(state, absent);
        let links: Vec<Link> = state.resources.iter().flat_map(engine::links).chain(more.iter().cloned()).collect();
        builder.name_clusters(&links);
        for link in &links {
            builder.add(link);
        }
        builder.finish()
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is nothing at all.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// A node.
    pub fn node(&self, id: NodeId) -> &Node<'state> {
        &self.nodes[id]
    }

    /// The node of an object.
    pub fn find(&self, key: &ObjectKey) -> Option<NodeId> {
        self.objects.get(key).copied()
    }

    /// The name of an object; `None` for what is none.
    pub fn name(&self, id: NodeId) -> Option<ObjectName> {
        let Node { thing: Thing::Object(key), presence } = self.node(id) else { return None };
        if let Presence::Here(resource) = presence {
            return Some(resource.name());
        }
        let version = self.versions.get(&(key.group.as_str(), key.kind.as_str()));
        let version = version.copied().unwrap_or_default();
        Some(ObjectName {
            // Where nobody tells the version, the group still ends where it does.
            api_version: if key.group.is_empty() { "v1".to_owned() } else { format!("{}/{version}", key.group) },
            kind: key.kind.clone(),
            namespace: key.namespace.clone(),
            name: key.name.clone(),
        })
    }

    /// What leads to a node.
    pub fn up(&self, id: NodeId) -> &[Edge] {
        &self.up[id]
    }

    /// What a node leads to.
    pub fn down(&self, id: NodeId) -> &[Edge] {
        &self.down[id]
    }
}

struct Builder<'state, 'absent> {
    nodes: Vec<Node<'state>>,
    objects: HashMap<ObjectKey, NodeId>,
    others: HashMap<Thing, NodeId>,
    /// By group, kind and name, whatever the namespace.
    named: HashMap<(&'state str, &'state str, &'state str), NodeId>,
    /// By `plural.group`.
    of_kind: HashMap<String, Vec<NodeId>>,
    /// Kinds by group and kind, and whether all objects of it were read.
    kinds: HashMap<(&'state str, &'state str), (&'state ResourceKind, bool)>,
    clusters: HashMap<ClusterName, NodeId>,
    absent: &'absent BTreeSet<ObjectKey>,
    edges: HashMap<(NodeId, NodeId), Relation>,
    order: Vec<(NodeId, NodeId)>,
}

impl<'state, 'absent> Builder<'state, 'absent> {
    fn new(state: &'state ClusterState, absent: &'absent BTreeSet<ObjectKey>) -> Self {
        let broken: BTreeSet<&str> = state.unreadable.iter().map(|entry| entry.what.as_str()).collect();
        let kinds = state.kinds.iter().map(|kind| {
            let is_read = !broken.contains(kind.qualified_plural().as_str());
            ((kind.group.as_str(), kind.kind.as_str()), (kind.as_ref(), is_read && state.namespace.is_none()))
        });
        let mut builder = Self {
            nodes: Vec::with_capacity(state.resources.len()),
            objects: HashMap::with_capacity(state.resources.len()),
            others: HashMap::new(),
            named: HashMap::with_capacity(state.resources.len()),
            of_kind: HashMap::new(),
            kinds: kinds.collect(),
            clusters: HashMap::new(),
            absent,
            edges: HashMap::new(),
            order: Vec::new(),
        };
        for resource in &state.resources {
            let (key, id) = (resource.key(), builder.nodes.len());
            builder.nodes.push(Node { thing: Thing::Object(key.clone()), presence: Presence::Here(resource) });
            builder.objects.insert(key, id);
            let (kind, name) = (&resource.kind, resource.metadata.name.as_str());
            builder.named.entry((&kind.group, &kind.kind, name)).or_insert(id);
            builder.of_kind.entry(kind.qualified_plural()).or_default().push(id);
        }
        builder
    }

    /// An engine may know one cluster by its name here and by its URL there. Whoever knows both joins them.
    fn name_clusters(&mut self, links: &[Link]) {
        let mut names: Vec<&ClusterName> = links
            .iter()
            .flat_map(|link| [&link.from, &link.to])
            .filter_map(|end| match end {
                End::Cluster(name) => Some(name),
                _ => None,
            })
            .collect();
        // Those that know most come first.
        names.sort_by_key(|name| (name.name.is_none() || name.server.is_none(), *name));
        for name in names {
            let by_name = ClusterName { name: name.name.clone(), server: None };
            let by_server = ClusterName { name: None, server: name.server.clone() };
            let parts = [by_name, by_server].into_iter().filter(|part| *part != ClusterName::default());
            let known = parts.clone().find_map(|part| self.clusters.get(&part).copied());
            let id = known.unwrap_or_else(|| self.other(Thing::Cluster(name.clone())));
            for part in parts {
                self.clusters.entry(part).or_insert(id);
            }
            self.clusters.entry(name.clone()).or_insert(id);
        }
    }

    fn add(&mut self, link: &Link) {
        if let End::Kind(kind) = &link.from {
            let to = self.resolve(&link.to, None);
            for from in self.of_kind.get(kind).cloned().unwrap_or_default() {
                self.connect(from, to, link.relation);
            }
            return;
        }
        let (from, to) = (self.resolve(&link.from, namespace(&link.to)), self.resolve(&link.to, namespace(&link.from)));
        self.connect(from, to, link.relation);
    }

    /// An ownerReference says less than whoever else speaks of the same two.
    fn connect(&mut self, from: NodeId, to: NodeId, relation: Relation) {
        if from == to {
            return;
        }
        match self.edges.entry((from, to)) {
            std::collections::hash_map::Entry::Vacant(new) => {
                new.insert(relation);
                self.order.push((from, to));
            }
            std::collections::hash_map::Entry::Occupied(mut known) if *known.get() == Relation::Owns => {
                known.insert(relation);
            }
            std::collections::hash_map::Entry::Occupied(_) => {}
        }
    }

    fn resolve(&mut self, end: &End, near: Option<&str>) -> NodeId {
        match end {
            End::Object(key) => self.object(key, near),
            End::Anywhere(key) => match self.named.get(&(key.group.as_str(), key.kind.as_str(), key.name.as_str())) {
                Some(id) => *id,
                None => self.object(key, None),
            },
            End::InFamily(key) => {
                let group = families(&key.group).find(|group| self.kinds.contains_key(&(*group, key.kind.as_str())));
                let group = group.unwrap_or(&key.group).to_owned();
                self.object(&ObjectKey { group, ..key.clone() }, near)
            }
            End::Cluster(name) => match self.clusters.get(name) {
                Some(id) => *id,
                None => self.other(Thing::Cluster(name.clone())),
            },
            End::Git(source) => self.other(Thing::Git(source.clone())),
            End::External(external) => self.other(Thing::External(external.clone())),
            // Only the upper end of a link is a kind.
            End::Kind(kind) => self.other(Thing::External(External::named(kind))),
        }
    }

    fn object(&mut self, key: &ObjectKey, near: Option<&str>) -> NodeId {
        if let Some(id) = self.objects.get(key) {
            return *id;
        }
        let mut key = key.clone();
        if key.namespace.is_none() {
            let nearby = ObjectKey { namespace: near.map(str::to_owned), ..key.clone() };
            if let Some(id) = self.objects.get(&nearby) {
                return *id;
            }
            let kind = self.kinds.get(&(key.group.as_str(), key.kind.as_str()));
            if kind.is_some_and(|(kind, _)| kind.scope == Scope::Namespaced) {
                key = nearby;
            }
        } else if let Some((kind, _)) = self.kinds.get(&(key.group.as_str(), key.kind.as_str()))
            && kind.scope == Scope::Cluster
        {
            key.namespace = None;
            if let Some(id) = self.objects.get(&key) {
                return *id;
            }
        }
        if let Some(id) = self.objects.get(&key) {
            return *id;
        }
        let is_read = self.kinds.get(&(key.group.as_str(), key.kind.as_str())).is_some_and(|(_, is_read)| *is_read);
        let presence = if is_read || self.absent.contains(&key) { Presence::Missing } else { Presence::Unread };
        let id = self.nodes.len();
        self.nodes.push(Node { thing: Thing::Object(key.clone()), presence });
        self.objects.insert(key, id);
        id
    }

    fn other(&mut self, thing: Thing) -> NodeId {
        let next = self.nodes.len();
        *self.others.entry(thing).or_insert_with_key(|thing| {
            self.nodes.push(Node { thing: thing.clone(), presence: Presence::Unread });
            next
        })
    }

    fn finish(self) -> Graph<'state> {
        let (mut up, mut down) = (vec![Vec::new(); self.nodes.len()], vec![Vec::new(); self.nodes.len()]);
        for (from, to) in self.order {
            let relation = self.edges[&(from, to)];
            down[from].push(Edge { node: to, relation });
            up[to].push(Edge { node: from, relation });
        }
        let versions = self.kinds.into_iter().map(|(key, (kind, _))| (key, kind.version.as_str())).collect();
        Graph { nodes: self.nodes, up, down, objects: self.objects, versions }
    }
}

fn namespace(end: &End) -> Option<&str> {
    match end {
        End::Object(key) | End::Anywhere(key) | End::InFamily(key) => key.namespace.as_deref(),
        _ => None,
    }
}

/// A group, and what follows each of its dots.
fn families(group: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(group), |group| group.split_once('.').map(|(_, parent)| parent))
}
