//! What is read of each kind of object: the fields that its engine asks for, and nothing else.
//!
//! An engine that needs no more than conditions takes [`Shape::Conditions`] and adds nothing here.

pub mod argocd;
pub mod crossplane;
pub mod event;
pub mod flux;
pub mod managed;
pub mod provisioned;
pub mod secret;
pub mod workload;

use std::sync::Arc;

use serde::Deserialize;
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer};

use crate::model::condition::Condition;
use crate::model::kind::ResourceKind;
use crate::model::metadata::{Metadata, null_as_default};
use crate::model::resource::Resource;

/// Which fields of a kind to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Metadata and conditions.
    Conditions,
    /// Metadata alone: a live server sends no more than that.
    Metadata,
    /// A managed resource, composite or claim of Crossplane.
    Crossplane,
    /// A managed resource, its declaration compared with its observation.
    Managed,
    /// An event: what a controller did.
    Event,
    /// A package of Crossplane or one of its revisions.
    Package,
    /// An Argo CD Application.
    Application,
    /// An Argo CD AppProject.
    Project,
    /// An object of Flux.
    Flux,
    /// A Deployment or StatefulSet that runs a controller.
    Workload,
    /// A resource that provisions a Kubernetes cluster.
    ProvisionedCluster,
    /// A Secret that may hold a way into a cluster.
    Secret,
    /// A ConfigMap that may name a cluster for Flux.
    ConfigMap,
}

impl Shape {
    /// Only objects with these fields, where nothing is asked of the others.
    pub(crate) fn field_selector(self) -> Option<String> {
        (self == Self::Event).then(|| format!("reason={}", event::UPDATED_EXTERNAL_RESOURCE))
    }
}

/// What to read of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Want {
    /// Which fields to keep.
    pub shape: Shape,
    /// Only objects with these labels.
    pub selector: Option<&'static str>,
}

impl Want {
    /// Every object of a kind.
    pub const fn all(shape: Shape) -> Self {
        Self { shape, selector: None }
    }
}

/// The fields that were kept.
#[derive(Debug, Clone)]
pub enum Body {
    /// Nothing more than metadata and conditions.
    Conditions,
    /// Of a managed resource, composite or claim.
    Crossplane(Box<crossplane::Crossplane>),
    /// Of a managed resource whose declaration was compared with its observation.
    Managed(Box<managed::Managed>),
    /// Of an event.
    Event(Box<event::Event>),
    /// Of a package.
    Package(Box<crossplane::Package>),
    /// Of an Argo CD Application.
    Application(Box<argocd::Application>),
    /// Of an Argo CD AppProject.
    Project(Box<argocd::Project>),
    /// Of an object of Flux.
    Flux(Box<flux::Flux>),
    /// Of a controller's workload.
    Workload(Box<workload::Workload>),
    /// Of a resource that provisions a Kubernetes cluster.
    ProvisionedCluster(Box<provisioned::ProvisionedCluster>),
    /// Of a Secret.
    Secret(Box<secret::Secret>),
    /// Of a ConfigMap.
    ConfigMap(Box<secret::ConfigMap>),
}

/// How a body is read from an object's `spec` and `status`.
pub(crate) trait Fields: Sized {
    /// The fields of `spec`.
    type Spec: DeserializeOwned + Default;
    /// The fields of `status`.
    type Status: DeserializeOwned + Default;

    /// Puts the two together.
    fn narrow(spec: Self::Spec, status: Self::Status) -> Narrowed;
}

/// What every kind of object has, and its body.
pub(crate) struct Narrowed {
    pub(crate) conditions: Vec<Condition>,
    pub(crate) observed_generation: Option<i64>,
    pub(crate) body: Body,
}

/// Reads one object of a kind, straight into its narrow form.
#[derive(Debug, Clone)]
pub(crate) struct ResourceSeed<'kind> {
    pub(crate) kind: &'kind Arc<ResourceKind>,
    pub(crate) shape: Shape,
}

impl<'de> DeserializeSeed<'de> for ResourceSeed<'_> {
    type Value = Resource;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Resource, D::Error> {
        match self.shape {
            Shape::Conditions => read::<ConditionsOnly, D>(self.kind, deserializer),
            Shape::Metadata => read::<MetadataOnly, D>(self.kind, deserializer),
            Shape::Managed => managed::read(self.kind, deserializer),
            Shape::Event => event::read(self.kind, deserializer),
            Shape::Crossplane => read::<crossplane::Crossplane, D>(self.kind, deserializer),
            Shape::Package => read::<crossplane::Package, D>(self.kind, deserializer),
            Shape::Application => read::<argocd::Application, D>(self.kind, deserializer),
            Shape::Project => read::<argocd::Project, D>(self.kind, deserializer),
            Shape::Flux => read::<flux::Flux, D>(self.kind, deserializer),
            Shape::Workload => read::<workload::Workload, D>(self.kind, deserializer),
            Shape::ProvisionedCluster => read::<provisioned::ProvisionedCluster, D>(self.kind, deserializer),
            Shape::Secret => secret::read_secret(self.kind, deserializer),
            Shape::ConfigMap => secret::read_config_map(self.kind, deserializer),
        }
    }
}

fn read<'de, F: Fields, D: Deserializer<'de>>(kind: &Arc<ResourceKind>, deserializer: D) -> Result<Resource, D::Error> {
    let wire = Wire::<F::Spec, F::Status>::deserialize(deserializer)?;
    let Narrowed { conditions, observed_generation, body } = F::narrow(wire.spec, wire.status);
    Ok(Resource { kind: Arc::clone(kind), metadata: wire.metadata, conditions, observed_generation, body })
}

/// What a kind promises and an object does not keep. serde quotes the text that it found; that stays away, since nobody
/// knows what it is.
pub(crate) fn broken_promise(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let reason = match (text.find('"'), text.rfind('"')) {
        (Some(begin), Some(end)) if begin < end => format!("{}{}", text[..begin].trim_end(), &text[end + 1..]),
        _ => text,
    };
    format!("it is not what its kind promises: {reason}")
}

#[derive(Deserialize)]
#[serde(bound = "Spec: DeserializeOwned + Default, Status: DeserializeOwned + Default")]
struct Wire<Spec, Status> {
    #[serde(default)]
    metadata: Metadata,
    #[serde(default = "Default::default", deserialize_with = "null_as_default")]
    spec: Spec,
    #[serde(default = "Default::default", deserialize_with = "null_as_default")]
    status: Status,
}

/// A body of nothing at all.
struct MetadataOnly;

impl Fields for MetadataOnly {
    type Spec = serde::de::IgnoredAny;
    type Status = serde::de::IgnoredAny;

    fn narrow(_: serde::de::IgnoredAny, _: serde::de::IgnoredAny) -> Narrowed {
        Narrowed { conditions: Vec::new(), observed_generation: None, body: Body::Conditions }
    }
}

/// A body of nothing more than conditions.
struct ConditionsOnly;

#[derive(Default, Deserialize)]
struct NoFields {}

/// `status` on the wire, where nothing else is asked of it.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct StatusConditions {
    #[serde(deserialize_with = "null_as_default")]
    conditions: Vec<Condition>,
    observed_generation: Option<i64>,
}

impl Fields for ConditionsOnly {
    type Spec = NoFields;
    type Status = StatusConditions;

    fn narrow(_: NoFields, status: StatusConditions) -> Narrowed {
        Narrowed {
            conditions: status.conditions,
            observed_generation: status.observed_generation,
            body: Body::Conditions,
        }
    }
}
