//! Links: relations between objects, as declared in their fields, labels, and annotations. Adapters declare links, and
//! [`crate::graph`] combines them; no other module knows which field of a kind refers to which object.

use serde::Serialize;

use crate::model::object::{ObjectKey, ObjectName};
use crate::model::resource::Resource;
use crate::model::verdict::Verdict;

/// A relation between two things.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Upper end: the one nearer to Git.
    pub from: LinkEnd,
    /// Lower end: the one nearer to external resources.
    pub to: LinkEnd,
    /// Relation of the upper end to the lower one.
    pub relation: Relation,
}

/// One end of a link.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LinkEnd {
    /// The object that declares the link.
    Itself,
    /// An object. Without a namespace, it is cluster-scoped, or in the namespace of the other end. The version is one
    /// in which it is served, if known.
    Object(ObjectName),
    /// An object, if it was read; otherwise there is no link.
    IfRead(ObjectName),
    /// An object with an unknown namespace.
    Anywhere(ObjectName),
    /// An object whose group is this one or a parent domain of it: the provider config for a kind of
    /// `container.gcp.upbound.io` is in `gcp.upbound.io`.
    InFamily(ObjectName),
    /// An object of a category, if it was read.
    InCategory {
        /// Category, such as `composite`.
        category: &'static str,
        /// Name.
        name: String,
    },
    /// Every object of a kind, as `plural.group`.
    Kind(String),
    /// A directory of a Git repository, or a chart, at a revision.
    Git(GitSource),
    /// Something outside of the cluster.
    External(External),
    /// A cluster that an engine identifies by name, server, or both.
    Cluster(ClusterName),
    /// The core cluster. It has no node in a graph.
    Core,
}

/// A source of manifests.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GitSource {
    /// URL of the repository, without credentials.
    pub repository: String,
    /// Directory in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Chart in a Helm repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chart: Option<String>,
    /// Branch, tag, range, or commit to follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The last commit, or version, that was fetched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
}

/// A resource outside of the cluster.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct External {
    /// Kind of the object that represents it, or `Cluster`.
    pub kind: String,
    /// Namespace in another cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Name outside of the cluster.
    pub name: String,
    /// Name or URL of the cluster that contains it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// Health as reported by the engine that created it.
    #[serde(skip)]
    pub health: ExternalHealth,
}

/// Source of the health of an external resource.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ExternalHealth {
    /// The object that represents it.
    #[default]
    Inherited,
    /// Not reported.
    Unreported,
    /// Reported by an engine.
    Known {
        /// The verdict.
        verdict: Verdict,
        /// The reason, unless the verdict is OK.
        message: Option<String>,
    },
    /// Reported by Argo CD, by its health or sync status.
    Argo {
        /// `Healthy`, `Degraded`, …
        health: Option<String>,
        /// `Synced` or `OutOfSync`.
        sync: String,
    },
}

/// A cluster, as identified by an engine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClusterName {
    /// Name of the cluster in Argo CD.
    pub name: Option<String>,
    /// Canonical URL of its API server.
    pub server: Option<String>,
}

/// Relation of the upper end of a link to the lower one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Relation {
    /// A source contains the manifests of a deployer.
    Declares,
    /// An engine applied the lower end.
    Applies,
    /// The lower end was generated from a template of the upper one.
    Generates,
    /// The lower end is a part of the upper one.
    Composes,
    /// The upper end is in the ownerReferences of the lower one.
    Owns,
    /// The upper end represents an external resource.
    Represents,
    /// The upper end writes the Secret.
    Writes,
    /// The Secret is copied to the app cluster, or should be.
    CopiedTo,
    /// The upper end holds credentials of the cluster.
    Opens,
    /// The upper end is the destination cluster of the lower one, or its kubeconfig.
    Hosts,
    /// The lower end is the package whose controller reconciles the upper one.
    ReconciledBy,
    /// The upper end takes its configuration from the lower one.
    ConfiguredBy,
    /// The upper end reads the Secret.
    Reads,
    /// The upper end waits for the lower one.
    DependsOn,
}

impl Relation {
    /// Returns true if the lower end exists because of the upper one.
    pub const fn is_origin(self) -> bool {
        matches!(self, Self::Applies | Self::Generates | Self::Composes | Self::Owns)
    }

    /// Returns true if the upper end requires the lower one.
    pub const fn is_need(self) -> bool {
        matches!(self, Self::ReconciledBy | Self::ConfiguredBy | Self::Reads | Self::DependsOn)
    }

    /// Returns the words between the names of the two ends: "bucket/a *writes* secret/b".
    pub const fn words(self) -> &'static str {
        match self {
            Self::Declares => "declares",
            Self::Applies => "applies",
            Self::Generates => "generates",
            Self::Composes => "is composed of",
            Self::Owns => "owns",
            Self::Represents => "represents",
            Self::Writes => "writes",
            Self::CopiedTo => "is copied to",
            Self::Opens => "opens",
            Self::Hosts => "runs",
            Self::ReconciledBy => "reconciled by",
            Self::ConfiguredBy => "configured by",
            Self::Reads => "reads",
            Self::DependsOn => "depends on",
        }
    }
}

impl External {
    /// Creates an external resource of which only the name is known.
    pub fn named(name: &str) -> Self {
        Self {
            kind: String::new(),
            namespace: None,
            name: name.to_owned(),
            cluster: None,
            health: ExternalHealth::Unreported,
        }
    }
}

impl Link {
    /// Creates a link between two ends.
    pub const fn new(from: LinkEnd, relation: Relation, to: LinkEnd) -> Self {
        Self { from, to, relation }
    }

    /// Creates a link from an end to the object that declares it.
    pub const fn to_declaring_object(from: LinkEnd, relation: Relation) -> Self {
        Self::new(from, relation, LinkEnd::Itself)
    }

    /// Creates a link from the object that declares it to an end.
    pub const fn from_declaring_object(relation: Relation, to: LinkEnd) -> Self {
        Self::new(LinkEnd::Itself, relation, to)
    }
}

impl LinkEnd {
    /// Returns the end for a resource.
    pub fn from_resource(resource: &Resource) -> Self {
        Self::Object(resource.name())
    }

    /// Returns the end for an object by its parts. `group/` is accepted as an API version. An empty namespace counts as
    /// none.
    pub fn object(api_version: &str, kind: &str, namespace: Option<&str>, name: &str) -> Self {
        Self::Object(ObjectName {
            api_version: api_version.to_owned(),
            kind: kind.to_owned(),
            namespace: namespace.filter(|namespace| !namespace.is_empty()).map(str::to_owned),
            name: name.to_owned(),
        })
    }

    /// Returns the end for an object with an unknown version.
    pub fn unversioned(key: ObjectKey) -> Self {
        Self::Object(ObjectName {
            api_version: format!("{}/", key.group),
            kind: key.kind,
            namespace: key.namespace,
            name: key.name,
        })
    }
}

/// Returns the links to the owners in `metadata.ownerReferences`. An owner is cluster-scoped or in the same namespace.
pub(crate) fn owners(resource: &Resource) -> Vec<Link> {
    let owners = resource.metadata.owner_references.iter();
    owners
        .map(|owner| {
            Link::to_declaring_object(
                LinkEnd::object(&owner.api_version, &owner.kind, None, &owner.name),
                Relation::Owns,
            )
        })
        .collect()
}
