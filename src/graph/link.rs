//! Links: what an object has to do with others, as its own fields, labels and annotations say. Adapters declare them, and
//! [`crate::graph`] puts them together; nobody else knows which field of which kind refers to what.

use serde::Serialize;

use crate::model::object::{ObjectKey, ObjectName};
use crate::model::resource::Resource;
use crate::model::verdict::Verdict;

/// That one thing has to do with another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Where it comes from: the nearer to Git.
    pub from: End,
    /// Where it leads: the nearer to the outside.
    pub to: End,
    /// What the one is to the other.
    pub relation: Relation,
}

/// One end of a link.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum End {
    /// The object whose fields say so.
    Itself,
    /// An object. Without a namespace, it is cluster-scoped, or in the namespace of the other end. The version is one that
    /// it is served in, where that is known.
    Object(ObjectName),
    /// An object, if it was read: without it, there is no link.
    IfRead(ObjectName),
    /// An object of which nobody says the namespace.
    Anywhere(ObjectName),
    /// An object whose group is this one or what follows a dot in it: the provider config for a kind of
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
    /// A cluster that is known to an engine by its name, its server, or both.
    Cluster(ClusterName),
    /// The core cluster itself, of which a graph has no node: everything else in it is there.
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
    /// Chart, in a Helm repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chart: Option<String>,
    /// Branch, tag, range or commit that is followed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The commit, or the version, that was fetched last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
}

/// Something outside of the cluster.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct External {
    /// What sort of thing: the kind of the object that stands for it, or `Cluster`.
    pub kind: String,
    /// Namespace in another cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Its name there.
    pub name: String,
    /// The cluster that it is in, by name or URL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// How the engine that put it there finds it.
    #[serde(skip)]
    pub health: Health,
}

/// How somebody says that a thing outside is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Health {
    /// As the object that stands for it.
    #[default]
    Inherited,
    /// Nobody says.
    Unreported,
    /// Somebody looked.
    Known {
        /// How it is.
        verdict: Verdict,
        /// Why, where it is not well.
        message: Option<String>,
    },
    /// In Argo CD's words: health, or else sync.
    Argo {
        /// `Healthy`, `Degraded`, …
        health: Option<String>,
        /// `Synced` or `OutOfSync`.
        sync: String,
    },
}

/// A cluster, as an engine knows it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClusterName {
    /// Its name with Argo CD.
    pub name: Option<String>,
    /// Canonical URL of its API server.
    pub server: Option<String>,
}

/// What the upper end of a link is to the lower one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Relation {
    /// A source holds what is applied.
    Declares,
    /// An engine applied it.
    Applies,
    /// It was made from a template of others.
    Generates,
    /// It is a part of it.
    Composes,
    /// Named in its ownerReferences.
    Owns,
    /// It stands for something outside.
    Represents,
    /// It writes a Secret.
    Writes,
    /// A Secret is copied to an app cluster, or should be.
    CopiedTo,
    /// It holds credentials of a cluster.
    Opens,
    /// A cluster that something deploys to.
    Hosts,
    /// It is looked after by a package.
    ReconciledBy,
    /// It takes settings from it.
    ConfiguredBy,
    /// It reads a Secret.
    Reads,
    /// It waits for it.
    DependsOn,
}

impl Relation {
    /// Whether the lower end is there because the upper one wants it.
    pub const fn is_origin(self) -> bool {
        matches!(self, Self::Applies | Self::Generates | Self::Composes | Self::Owns)
    }

    /// Whether the lower end is what the upper one cannot do without.
    pub const fn is_need(self) -> bool {
        matches!(self, Self::ReconciledBy | Self::ConfiguredBy | Self::Reads | Self::DependsOn)
    }

    /// How it reads between the two: "bucket/a *writes* secret/b".
    pub const fn words(self) -> &'static str {
        match self {
            Self::Declares => "declares",
            Self::Applies => "applies",
            Self::Generates => "generates",
            Self::Composes => "is made of",
            Self::Owns => "owns",
            Self::Represents => "stands for",
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
    /// Something of which nothing but its name is known.
    pub fn named(name: &str) -> Self {
        Self { kind: String::new(), namespace: None, name: name.to_owned(), cluster: None, health: Health::Unreported }
    }
}

impl Link {
    /// A link between any two ends.
    pub const fn new(from: End, relation: Relation, to: End) -> Self {
        Self { from, to, relation }
    }

    /// From something to the object whose fields say so.
    pub const fn into(from: End, relation: Relation) -> Self {
        Self::new(from, relation, End::Itself)
    }

    /// From the object whose fields say so to something.
    pub const fn out_of(relation: Relation, to: End) -> Self {
        Self::new(End::Itself, relation, to)
    }
}

impl End {
    /// The object that a resource is.
    pub fn of(resource: &Resource) -> Self {
        Self::Object(resource.name())
    }

    /// An object by its parts; `group/` is an API version, too. An empty namespace is none.
    pub fn object(api_version: &str, kind: &str, namespace: Option<&str>, name: &str) -> Self {
        Self::Object(ObjectName {
            api_version: api_version.to_owned(),
            kind: kind.to_owned(),
            namespace: namespace.filter(|namespace| !namespace.is_empty()).map(str::to_owned),
            name: name.to_owned(),
        })
    }

    /// An object of which nobody says the version.
    pub fn unversioned(key: ObjectKey) -> Self {
        Self::Object(ObjectName {
            api_version: format!("{}/", key.group),
            kind: key.kind,
            namespace: key.namespace,
            name: key.name,
        })
    }
}

/// The owners that every object may have: `metadata.ownerReferences`. An owner is cluster-scoped or in the same namespace.
pub(crate) fn owners(resource: &Resource) -> Vec<Link> {
    let owners = resource.metadata.owner_references.iter();
    owners
        .map(|owner| Link::into(End::object(&owner.api_version, &owner.kind, None, &owner.name), Relation::Owns))
        .collect()
}
