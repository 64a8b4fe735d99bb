//! Everything that was read of a core cluster, live or from a snapshot.

use std::collections::HashSet;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::model::convention::Convention;
use crate::model::kind::ResourceKind;
use crate::model::object::ObjectKey;
use crate::model::resource::Resource;

/// A core cluster at one moment. Everything after reading it is pure.
#[derive(Debug)]
pub struct ClusterState {
    /// Where it was read.
    pub origin: Origin,
    /// The moment it speaks of: now for a live cluster, the newest time in it for a snapshot.
    pub moment: Timestamp,
    /// `gitVersion` of the server, where that was asked.
    pub server_version: Option<String>,
    /// The one namespace that was read; all of them where it is absent. Cluster-scoped objects are always there.
    pub namespace: Option<String>,
    /// The kinds that were read, populated or not.
    pub kinds: Vec<Arc<ResourceKind>>,
    /// The objects, by kind, in the server's order.
    pub resources: Vec<Resource>,
    /// What could not be read.
    pub unreadable: Vec<Unreadable>,
    /// What a person should know of how it was read, though nothing is missing.
    pub notes: Vec<String>,
    /// Engines and controllers that run elsewhere, as a person says: `--external-controllers`.
    pub external_controllers: Vec<String>,
    /// What a person says of the status of kinds that no engine knows: `--conventions`.
    pub conventions: Vec<Convention>,
}

/// Where a state was read: `source` in every document of `ucp/v1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(untagged)]
pub enum Origin {
    /// A live cluster.
    Cluster {
        /// Name of the kubeconfig context; empty inside of a cluster.
        context: String,
        /// URL of its API server.
        server: String,
    },
    /// A snapshot.
    Snapshot {
        /// As it was named on the command line.
        path: String,
    },
}

impl Origin {
    /// What people call it: its context, else its server, or its path.
    pub fn label(&self) -> &str {
        match self {
            Self::Cluster { context, server } if context.is_empty() => server,
            Self::Cluster { context, .. } => context,
            Self::Snapshot { path } => path,
        }
    }
}

/// Something that could not be read. It is unknown, never well.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Unreadable {
    /// A kind, an object or a file.
    pub what: String,
    /// Why, in the words of whoever said no.
    pub reason: String,
}

impl Unreadable {
    /// Whether it is a kind, or an object of that kind.
    pub fn is_of(&self, kind: &ResourceKind) -> bool {
        let rest = self.what.strip_prefix(&kind.qualified_plural());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    }
}

impl ClusterState {
    /// Adds what was read later. An object that is known already stays as it is.
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

    /// Whether this cluster has a kind of this group and name, and all of its objects came.
    pub fn has_read(&self, group: &str, kind: &str) -> bool {
        let mut named = self.kinds.iter().filter(|known| known.group == group && known.kind == kind);
        named.any(|known| self.was_read(known))
    }

    /// Whether objects of this kind were asked for and all came.
    pub fn was_read(&self, kind: &ResourceKind) -> bool {
        let name = kind.qualified_plural();
        self.kinds.iter().any(|known| known.as_ref() == kind) && !self.unreadable.iter().any(|entry| entry.what == name)
    }
}
