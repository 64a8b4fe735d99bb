//! Objects of a cluster, narrowed to the fields in use.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use crate::model::body::Body;
use crate::model::condition::Condition;
use crate::model::kind::ResourceKind;
use crate::model::metadata::Metadata;
use crate::model::object::{ObjectKey, ObjectKeyRef, ObjectName};
use crate::model::trace::ObjectTrace;
use crate::model::weight::KeptWeight;

/// An object. It is boxed, so that collecting and sorting tens of thousands of them copies only pointers.
#[derive(Clone)]
pub struct Resource(Box<ResourceParts>);

/// Content of an object: fields that all kinds share, and a body that is specific to its engine.
#[derive(Clone)]
pub struct ResourceParts {
    /// Kind.
    pub kind: Arc<ResourceKind>,
    /// Metadata.
    pub metadata: Metadata,
    /// `status.conditions`.
    pub conditions: Vec<Condition>,
    /// `status.observedGeneration`: the generation that the controller last reconciled.
    pub observed_generation: Option<i64>,
    /// Kind-specific fields.
    pub body: Body,
    /// The whole object, if requested. It is unmodified: hide its secrets before displaying it.
    pub whole: Option<Arc<serde_json::Value>>,
    /// The traces of changes, if requested.
    pub trace: Option<Arc<ObjectTrace>>,
    /// What it takes in memory.
    pub weight: KeptWeight,
}

impl From<ResourceParts> for Resource {
    fn from(parts: ResourceParts) -> Self {
        Self(Box::new(parts))
    }
}

impl Deref for Resource {
    type Target = ResourceParts;

    fn deref(&self) -> &ResourceParts {
        &self.0
    }
}

impl DerefMut for Resource {
    fn deref_mut(&mut self) -> &mut ResourceParts {
        &mut self.0
    }
}

impl fmt::Debug for Resource {
    /// Formats only the name: panics print values, and an object may hold secrets.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Resource({})", self.name())
    }
}

impl Resource {
    /// Sets the whole object.
    #[must_use]
    pub fn with_whole(mut self, whole: Option<Arc<serde_json::Value>>) -> Self {
        self.whole = whole;
        self
    }

    /// Adds the weight of a part that was read apart from it.
    #[must_use]
    pub fn with_weight(mut self, weight: KeptWeight) -> Self {
        self.weight.join(weight);
        self
    }

    /// Sets the traces of changes.
    #[must_use]
    pub fn with_trace(mut self, trace: Option<Arc<ObjectTrace>>) -> Self {
        self.trace = trace;
        self
    }

    /// Returns the content of the object.
    pub fn into_parts(self) -> ResourceParts {
        *self.0
    }

    /// Returns the name for reports.
    pub fn name(&self) -> ObjectName {
        ObjectName::in_kind(&self.kind, self.metadata.namespace.as_deref(), &self.metadata.name)
    }

    /// Returns the key: the name without the version.
    pub fn key(&self) -> ObjectKey {
        self.key_ref().into()
    }

    /// Returns the key with borrowed parts.
    pub fn key_ref(&self) -> ObjectKeyRef<'_> {
        let (kind, metadata) = (&self.kind, &self.metadata);
        ObjectKeyRef {
            group: &kind.group,
            kind: &kind.kind,
            namespace: metadata.namespace.as_deref(),
            name: &metadata.name,
        }
    }

    /// Returns true if it is the object with this group, kind, namespace, and name.
    pub fn is(&self, group: &str, kind: &str, namespace: Option<&str>, name: &str) -> bool {
        self.metadata.name == name
            && self.kind.kind == kind
            && self.kind.group == group
            && self.metadata.namespace.as_deref() == namespace
    }
}
