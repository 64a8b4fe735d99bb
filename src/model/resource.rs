//! One object of the cluster, narrowed to what somebody asks for.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use crate::model::body::Body;
use crate::model::condition::Condition;
use crate::model::kind::ResourceKind;
use crate::model::metadata::Metadata;
use crate::model::object::{KeyRef, ObjectKey, ObjectName};

/// An object. Each is on its own: of tens of thousands, gathering and sorting them makes no second copy.
#[derive(Clone)]
pub struct Resource(Box<Parts>);

/// What an object has: what all kinds share, and a body that only its engine understands.
#[derive(Clone)]
pub struct Parts {
    /// Its kind.
    pub kind: Arc<ResourceKind>,
    /// Its metadata.
    pub metadata: Metadata,
    /// `status.conditions`.
    pub conditions: Vec<Condition>,
    /// `status.observedGeneration`: the generation that the controller last reconciled.
    pub observed_generation: Option<i64>,
    /// The rest.
    pub body: Body,
    /// The whole object, where it was asked for. It holds what its author wrote: hide its secrets before it is shown.
    pub whole: Option<Arc<serde_json::Value>>,
}

impl From<Parts> for Resource {
    fn from(parts: Parts) -> Self {
        Self(Box::new(parts))
    }
}

impl Deref for Resource {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}

impl DerefMut for Resource {
    fn deref_mut(&mut self) -> &mut Parts {
        &mut self.0
    }
}

impl fmt::Debug for Resource {
    /// Its name alone: a panic prints what it met, and an object may hold secrets.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Resource({})", self.name())
    }
}

impl Resource {
    /// The same, with the whole object beside it.
    #[must_use]
    pub fn with_whole(mut self, whole: Option<Arc<serde_json::Value>>) -> Self {
        self.whole = whole;
        self
    }

    /// What it has, for whoever keeps a part of it.
    pub fn into_parts(self) -> Parts {
        *self.0
    }

    /// Its name, for reports.
    pub fn name(&self) -> ObjectName {
        ObjectName {
            api_version: self.kind.api_version(),
            kind: self.kind.kind.clone(),
            namespace: self.metadata.namespace.clone(),
            name: self.metadata.name.clone(),
        }
    }

    /// Its name, whatever its version.
    pub fn key(&self) -> ObjectKey {
        self.key_ref().into()
    }

    /// Its name, whatever its version, by reference.
    pub fn key_ref(&self) -> KeyRef<'_> {
        let (kind, metadata) = (&self.kind, &self.metadata);
        KeyRef { group: &kind.group, kind: &kind.kind, namespace: metadata.namespace.as_deref(), name: &metadata.name }
    }

    /// Whether it is the object of that group, kind, namespace and name.
    pub fn is(&self, group: &str, kind: &str, namespace: Option<&str>, name: &str) -> bool {
        self.metadata.name == name
            && self.kind.kind == kind
            && self.kind.group == group
            && self.metadata.namespace.as_deref() == namespace
    }
}
