//! Declared copies of Secrets, and the objects that declare them.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::adopt::names::NamespacedName;
use ucp_core::model::object::ObjectName;
use ucp_core::model::resource::Resource;
use ucp_core::model::variant_words::variant_words;

/// Kind of declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
pub enum DeclarationKind {
    /// `dagandersen.com` Syncer.
    Syncer,
    /// External Secrets' PushSecret.
    PushSecret,
    /// provider-kubernetes' Object.
    Object,
    /// `postBuild.substituteFrom` of a Kustomization.
    #[serde(rename = "FluxSubstitution")]
    Substitution,
    /// Stakater's ManifestSync.
    ManifestSync,
    /// External Secrets' ClusterExternalSecret, in the app cluster.
    ClusterExternalSecret,
    /// External Secrets' ExternalSecret, in the app cluster.
    ExternalSecret,
    /// A SealedSecret, in the app cluster.
    SealedSecret,
}

variant_words!(DeclarationKind {
    Syncer = "Syncer", PushSecret = "PushSecret", Object = "Object", Substitution = "Flux substitution",
    ManifestSync = "ManifestSync", ClusterExternalSecret = "ClusterExternalSecret", ExternalSecret = "ExternalSecret",
    SealedSecret = "SealedSecret",
});

impl DeclarationKind {
    /// Returns true if the Secret is created in the app cluster from another source than a Secret of the core cluster.
    pub const fn is_elsewhere(self) -> bool {
        matches!(self, Self::ExternalSecret | Self::ClusterExternalSecret | Self::SealedSecret)
    }
}

/// Object that declares a copy.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
pub struct Declarer {
    /// Kind of declaration.
    pub by: DeclarationKind,
    /// The declaring object.
    pub object: ObjectName,
}

/// Declared copy.
#[derive(Debug, Clone)]
pub struct CopyIntent {
    /// Object that declares the copy.
    pub declarer: Declarer,
    /// Source Secret on the core cluster.
    pub source: Option<NamespacedName>,
    /// App cluster, by its index in the inventory or by the name in the declaration.
    pub cluster: ClusterReference,
    /// Target Secret in the app cluster. The namespace is empty if the store that would define it does not exist.
    pub target: NamespacedName,
    /// Copied part of the source.
    pub part: CopiedPart,
}

impl CopyIntent {
    /// Returns true if the copy can be at this Secret of an app cluster.
    pub fn can_be_at(&self, target: &NamespacedName) -> bool {
        self.target.name == target.name
            && (self.target.namespace == target.namespace || self.target.namespace.is_empty())
    }
}

/// App cluster referenced by a declarer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClusterReference {
    /// Index of the cluster in the inventory.
    Known(usize),
    /// Name, address, or Secret that matches no known cluster.
    Unknown(String),
    /// Name that matches several clusters. Any tenant can give their cluster the name of another one.
    Several(String),
}

/// Copied part of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CopiedPart {
    /// The whole Secret.
    Whole,
    /// Some keys: a map from the key of the copy to the key of the source.
    Keys(BTreeMap<String, String>),
    /// Rendered text that contains values of the source.
    Rendered,
}

pub(super) fn declarer(by: DeclarationKind, resource: &Resource) -> Declarer {
    Declarer { by, object: resource.name() }
}
