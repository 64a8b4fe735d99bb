//! State of a core cluster, live or from a snapshot.

use std::collections::HashSet;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::model::convention::Convention;
use crate::model::health_rule::HealthRules;
use crate::model::kind::{ResourceKind, ResourceScope};
use crate::model::object::ObjectKey;
use crate::model::resource::Resource;

/// A core cluster at one moment. All processing after reading it is pure.
#[derive(Debug)]
pub struct ClusterState {
    /// Source of the state.
    pub origin: Origin,
    /// Time of the state: now for a live cluster, the newest time in it for a snapshot.
    pub moment: Timestamp,
    /// `gitVersion` of the server, if requested.
    pub server_version: Option<String>,
    /// The namespace that was read; `None` if all were. Cluster-scoped objects are always included.
    pub namespace: Option<String>,
    /// All kinds that the server lists or the snapshot contains, including those that were not read.
    pub listed: Vec<Arc<ResourceKind>>,
    /// The kinds that were read, with or without objects.
    pub kinds: Vec<Arc<ResourceKind>>,
    /// Whether these are all requested kinds of the cluster.
    pub kind_index: KindIndex,
    /// The objects, by kind, in the server's order.
    pub resources: Vec<Resource>,
    /// Kinds, objects, and files that could not be read.
    pub unreadable: Vec<Unreadable>,
    /// Notes for the user on how the state was read, if nothing is missing.
    pub notes: Vec<String>,
    /// Engines and controllers that run elsewhere, as given by the user: `--external-controllers`.
    pub external_controllers: Vec<String>,
    /// Conventions for the status of other kinds, as given by the user: `--conventions`.
    pub conventions: Vec<Convention>,
    /// Health rules of the user, `--health-rules`, and of the Argo CD of this cluster.
    pub health_rules: HealthRules,
}

/// Whether all kinds of a cluster are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KindIndex {
    /// They are known from discovery, or from the index of a snapshot.
    Complete,
    /// Only the kinds of the objects are known: files without an index may be a part of a cluster.
    Absent,
}

/// Source of a state: `source` in every document of `ucp/v1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(untagged)]
pub enum Origin {
    /// A live cluster.
    Cluster {
        /// Name of the kubeconfig context; empty when running in a cluster.
        context: String,
        /// URL of its API server.
        server: String,
    },
    /// A snapshot.
    Snapshot {
        /// Path, as given on the command line.
        path: String,
    },
}

impl Origin {
    /// Returns the display name: the context, else the server, or the path.
    pub fn label(&self) -> &str {
        match self {
            Self::Cluster { context, server } if context.is_empty() => server,
            Self::Cluster { context, .. } => context,
            Self::Snapshot { path } => path,
        }
    }
}

/// Something that could not be read. Its verdict is unknown, never OK.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Unreadable {
    /// A kind, an object or a file.
    pub what: String,
    /// The reason, as reported by the server.
    pub reason: String,
}

/// The beginning of the reasons for groups and kinds that discovery omitted.
pub const OMITTED: &str = "the server does not list";

impl Unreadable {
    /// Returns true if discovery omitted a group or kind; otherwise, a list, an object or a file could not be read.
    pub fn is_omission(&self) -> bool {
        self.reason.starts_with(OMITTED)
    }

    /// Returns true if the entry is this kind, or an object of it.
    pub fn is_of(&self, kind: &ResourceKind) -> bool {
        let rest = self.what.strip_prefix(&kind.qualified_plural());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    }
}

/// Why further objects of files without an index are unknown.
pub const PARTIAL: &str = "files without an index of the kinds that were read may have only a part of them; 'kubectl ucp \
                           snapshot' writes an index";

impl ClusterState {
    /// Returns the entry for all other objects of files without an index, which may have only a part of a cluster.
    pub fn partial_entry(&self) -> Option<Unreadable> {
        (self.kind_index == KindIndex::Absent)
            .then(|| Unreadable { what: "the objects of the core cluster".to_owned(), reason: PARTIAL.to_owned() })
    }

    /// Returns a state of which nothing was read yet.
    pub fn empty(origin: Origin, moment: Timestamp) -> Self {
        Self {
            origin,
            moment,
            server_version: None,
            namespace: None,
            listed: Vec::new(),
            kinds: Vec::new(),
            kind_index: KindIndex::Complete,
            resources: Vec::new(),
            unreadable: Vec::new(),
            notes: Vec::new(),
            external_controllers: Vec::new(),
            conventions: Vec::new(),
            health_rules: HealthRules::default(),
        }
    }

    /// Adds objects that were read later. Objects that are already present are kept.
    pub fn extend(&mut self, more: Self) {
        let known: HashSet<ObjectKey> = self.resources.iter().map(Resource::key).collect();
        self.resources.extend(more.resources.into_iter().filter(|resource| !known.contains(&resource.key())));
        let kinds: Vec<_> = more.kinds.into_iter().filter(|kind| !self.kinds.contains(kind)).collect();
        self.kinds.extend(kinds);
        for entry in more.unreadable {
            if !self.unreadable.contains(&entry) {
                self.unreadable.push(entry);
            }
        }
    }

    /// Returns the object with a key, if it was read.
    pub fn find(&self, key: &ObjectKey) -> Option<&Resource> {
        self.resources.iter().find(|resource| resource.key_ref() == key.key_ref())
    }

    /// Returns true if the cluster serves this group and kind, and all objects were read.
    pub fn has_read(&self, group: &str, kind: &str) -> bool {
        let mut named = self.kinds.iter().filter(|known| known.group == group && known.kind == kind);
        named.any(|known| self.was_read(known))
    }

    /// Returns true if the namespace of an object was read.
    pub fn is_in_read_namespace(&self, kind: &ResourceKind, key: &ObjectKey) -> bool {
        self.namespace.is_none() || kind.scope == ResourceScope::Cluster || key.namespace == self.namespace
    }

    /// Returns true if objects of this kind were requested, and all were read.
    pub fn was_read(&self, kind: &ResourceKind) -> bool {
        let name = kind.qualified_plural();
        self.kinds.iter().any(|known| known.as_ref() == kind) && !self.unreadable.iter().any(|entry| entry.what == name)
    }
}
