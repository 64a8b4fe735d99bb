//! Bodies of objects: for each kind, only the fields that its engine needs.
//!
//! An engine that needs only conditions uses [`Shape::Conditions`] and adds nothing here.

pub mod any;
pub mod argocd;
pub mod consumer;
pub mod crossplane;
pub mod definition;
pub mod event;
pub mod flux;
pub mod managed;
pub mod policy_report;
pub mod provisioned;
pub mod reference;
pub mod secret;
pub mod workload;

use std::sync::Arc;

use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer};

use crate::model::condition::Condition;
use crate::model::metadata::{Metadata, null_as_default};
use crate::model::secrecy::Scrubbed;

/// Selection of the fields to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Metadata and conditions.
    Conditions,
    /// Only metadata; a live server sends nothing else.
    Metadata,
    /// A managed resource, composite, or claim of Crossplane.
    Crossplane,
    /// A managed resource, with its declaration compared with its observation.
    Managed,
    /// An Event: an action of a controller.
    Event,
    /// A package of Crossplane or one of its revisions.
    Package,
    /// A provider config: the source of its credentials.
    ProviderConfig,
    /// A Composition: the functions of its pipeline.
    Composition,
    /// An Argo CD Application.
    Application,
    /// An Argo CD AppProject.
    Project,
    /// A Flux object.
    Flux,
    /// A Deployment or StatefulSet that runs a controller.
    Workload,
    /// A resource that provisions a Kubernetes cluster.
    ProvisionedCluster,
    /// A Secret that may hold credentials of a cluster.
    Secret,
    /// A ConfigMap that may name a cluster for Flux.
    ConfigMap,
    /// A CustomResourceDefinition: its versions, without their schemas.
    Definition,
    /// A policy report: violations of policies.
    PolicyReport,
    /// A Pod, workload, Ingress, or ServiceAccount: its references to Secrets.
    Consumer,
    /// An object of any kind: the fields by which controllers commonly report status.
    Any,
}

impl Shape {
    /// Returns a field selector if only some objects of the kind are needed.
    pub(crate) fn field_selector(self) -> Option<String> {
        (self == Self::Event).then(|| format!("reason={}", event::UPDATED_EXTERNAL_RESOURCE))
    }
}

/// Amount of an object to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// Only the fields of its shape.
    Narrow,
    /// The fields of its shape and the whole object.
    Whole,
}

/// Request for the objects of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Want {
    /// Fields to keep.
    pub shape: Shape,
    /// Label selector.
    pub selector: Option<&'static str>,
    /// Amount of each object to keep.
    pub keep: Keep,
    /// Effect of `-n`.
    pub reach: Reach,
}

/// Namespaces in which a kind is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Reach {
    /// The requested namespaces.
    #[default]
    Asked,
    /// All: controllers are in other namespaces than the objects that they reconcile.
    Everywhere,
}

impl Want {
    /// Requests every object of a kind.
    pub const fn all(shape: Shape) -> Self {
        Self { shape, selector: None, reach: Reach::Asked, keep: Keep::Narrow }
    }

    /// Requests every object of a kind, including the whole object.
    pub const fn whole(shape: Shape) -> Self {
        Self { keep: Keep::Whole, ..Self::all(shape) }
    }

    /// Returns the single namespace to read, given the requested one.
    pub fn within<'a>(&self, asked: Option<&'a str>) -> Option<&'a str> {
        asked.filter(|_| self.reach == Reach::Asked)
    }
}

/// The fields of an object that were kept.
#[derive(Debug, Clone)]
pub enum Body {
    /// Nothing beyond metadata and conditions.
    Conditions,
    /// A managed resource, composite, or claim. Objects of a kind differ mostly in fields that are not kept, so bodies
    /// are shared.
    Crossplane(Arc<crossplane::Crossplane>),
    /// A managed resource whose declaration was compared with its observation.
    Managed(Box<managed::Managed>),
    /// An Event.
    Event(Box<event::Event>),
    /// A package.
    Package(Box<crossplane::Package>),
    /// A provider config.
    ProviderConfig(Box<crossplane::ProviderConfig>),
    /// A Composition.
    Composition(Box<crossplane::Composition>),
    /// An Argo CD Application.
    Application(Box<argocd::Application>),
    /// An Argo CD AppProject.
    Project(Box<argocd::Project>),
    /// A Flux object.
    Flux(Box<flux::FluxObject>),
    /// The workload of a controller.
    Workload(Box<workload::Workload>),
    /// A resource that provisions a Kubernetes cluster.
    ProvisionedCluster(Box<provisioned::ProvisionedCluster>),
    /// A Secret.
    Secret(Box<secret::Secret>),
    /// A ConfigMap.
    ConfigMap(Box<secret::ConfigMap>),
    /// A CustomResourceDefinition.
    Definition(Box<definition::Definition>),
    /// A policy report.
    PolicyReport(Box<policy_report::PolicyReport>),
    /// An object that uses Secrets.
    Consumer(Box<consumer::Consumer>),
    /// An object of any kind.
    Any(Box<any::Any>),
}

/// A body that is read from an object's `spec` and `status`.
pub(crate) trait Fields: Sized {
    /// The fields of `spec`.
    type Spec: DeserializeOwned + Default;
    /// The fields of `status`.
    type Status: DeserializeOwned + Default;

    /// Combines the two.
    fn narrow(spec: Self::Spec, status: Self::Status) -> Narrowed;
}

/// Fields that every kind has, and the body.
pub(crate) struct Narrowed {
    pub(crate) conditions: Vec<Condition>,
    pub(crate) observed_generation: Option<i64>,
    pub(crate) body: Body,
}

impl Narrowed {
    /// Creates one without conditions and generation.
    fn only(body: Body) -> Self {
        Self { conditions: Vec::new(), observed_generation: None, body }
    }
}

/// A deserialized object: its metadata, and the kept fields.
pub(crate) struct Decoded {
    pub(crate) metadata: Metadata,
    pub(crate) rest: Narrowed,
}

/// Reads one object in the requested shape.
pub(crate) fn decode<'de, D: Deserializer<'de>>(shape: Shape, deserializer: D) -> Result<Decoded, D::Error> {
    let mut decoded = in_shape(shape, deserializer)?;
    // With thousands of objects, unused capacity adds up.
    decoded.metadata.finalizers.shrink_to_fit();
    decoded.metadata.owner_references.shrink_to_fit();
    decoded.rest.conditions.shrink_to_fit();
    Ok(decoded)
}

fn in_shape<'de, D: Deserializer<'de>>(shape: Shape, deserializer: D) -> Result<Decoded, D::Error> {
    match shape {
        Shape::Conditions => read::<ConditionsOnly, D>(deserializer),
        Shape::Metadata => read::<MetadataOnly, D>(deserializer),
        Shape::Managed => managed::read(deserializer),
        Shape::Event => event::read(deserializer),
        Shape::Crossplane => read::<crossplane::Crossplane, D>(deserializer),
        Shape::Package => read::<crossplane::Package, D>(deserializer),
        Shape::ProviderConfig => read::<crossplane::ProviderConfig, D>(deserializer),
        Shape::Composition => read::<crossplane::Composition, D>(deserializer),
        Shape::Application => read::<argocd::Application, D>(deserializer),
        Shape::Project => read::<argocd::Project, D>(deserializer),
        Shape::Flux => read::<flux::FluxObject, D>(deserializer),
        Shape::Workload => read::<workload::Workload, D>(deserializer),
        Shape::ProvisionedCluster => read::<provisioned::ProvisionedCluster, D>(deserializer),
        Shape::Secret => secret::read_secret(deserializer),
        Shape::ConfigMap => secret::read_config_map(deserializer),
        Shape::Definition => read::<definition::Definition, D>(deserializer),
        Shape::PolicyReport => policy_report::read(deserializer),
        Shape::Consumer => consumer::read(deserializer),
        Shape::Any => read::<any::Any, D>(deserializer),
    }
}

fn read<'de, F: Fields, D: Deserializer<'de>>(deserializer: D) -> Result<Decoded, D::Error> {
    let wire = Wire::<F::Spec, F::Status>::deserialize(deserializer)?;
    Ok(Decoded { metadata: wire.metadata, rest: F::narrow(wire.spec, wire.status.0) })
}

#[derive(Deserialize)]
#[serde(bound = "Spec: DeserializeOwned + Default, Status: DeserializeOwned + Default")]
struct Wire<Spec, Status> {
    #[serde(default)]
    metadata: Metadata,
    #[serde(default = "Default::default", deserialize_with = "null_as_default")]
    spec: Spec,
    /// Written by controllers, and may quote other programs.
    #[serde(default = "Default::default", deserialize_with = "null_as_default")]
    status: Scrubbed<Status>,
}

/// A body without fields.
struct MetadataOnly;

impl Fields for MetadataOnly {
    type Spec = serde::de::IgnoredAny;
    type Status = serde::de::IgnoredAny;

    fn narrow(_: serde::de::IgnoredAny, _: serde::de::IgnoredAny) -> Narrowed {
        Narrowed::only(Body::Conditions)
    }
}

/// A body with only conditions.
struct ConditionsOnly;

#[derive(Default, Deserialize)]
struct NoFields {}

/// Serialized form of `status` if only conditions are needed.
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
