//! What is read of each kind of object: the fields that its engine asks for, and nothing else.
//!
//! An engine that needs no more than conditions takes [`Shape::Conditions`] and adds nothing here.

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
    /// A provider config: where its credentials come from.
    ProviderConfig,
    /// A Composition: which functions it calls.
    Composition,
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
    /// A Secret that may hold credentials of a cluster.
    Secret,
    /// A ConfigMap that may name a cluster for Flux.
    ConfigMap,
    /// A CustomResourceDefinition: its versions, without their schemas.
    Definition,
    /// A policy report: what breaks which policy.
    PolicyReport,
    /// A Pod, a workload, an Ingress or a ServiceAccount: which Secrets it asks for.
    Consumer,
    /// An object of any kind: where controllers commonly say how it is doing.
    Any,
}

impl Shape {
    /// Only objects with these fields, where nothing is asked of the others.
    pub(crate) fn field_selector(self) -> Option<String> {
        (self == Self::Event).then(|| format!("reason={}", event::UPDATED_EXTERNAL_RESOURCE))
    }
}

/// How much of an object to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// The fields of its shape alone.
    Narrow,
    /// All of it, too.
    Whole,
}

/// What to read of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Want {
    /// Which fields to keep.
    pub shape: Shape,
    /// Only objects with these labels.
    pub selector: Option<&'static str>,
    /// Whether to keep the whole object beside them.
    pub keep: Keep,
    /// Whether `-n` holds for it.
    pub reach: Reach,
}

/// In which namespaces a kind is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Reach {
    /// In those that were asked for.
    #[default]
    Asked,
    /// In all: what looks after the objects of one namespace is in another.
    Everywhere,
}

impl Want {
    /// Every object of a kind.
    pub const fn all(shape: Shape) -> Self {
        Self { shape, selector: None, reach: Reach::Asked, keep: Keep::Narrow }
    }

    /// Every object of a kind, with all of its fields beside those of its shape.
    pub const fn whole(shape: Shape) -> Self {
        Self { keep: Keep::Whole, ..Self::all(shape) }
    }

    /// The one namespace to read where this one was asked for.
    pub fn within<'a>(&self, asked: Option<&'a str>) -> Option<&'a str> {
        asked.filter(|_| self.reach == Reach::Asked)
    }
}

/// The fields that were kept.
#[derive(Debug, Clone)]
pub enum Body {
    /// Nothing more than metadata and conditions.
    Conditions,
    /// Of a managed resource, composite or claim: those of a kind mostly differ in what is outside of it.
    Crossplane(Arc<crossplane::Crossplane>),
    /// Of a managed resource whose declaration was compared with its observation.
    Managed(Box<managed::Managed>),
    /// Of an event.
    Event(Box<event::Event>),
    /// Of a package.
    Package(Box<crossplane::Package>),
    /// Of a provider config.
    ProviderConfig(Box<crossplane::ProviderConfig>),
    /// Of a Composition.
    Composition(Box<crossplane::Composition>),
    /// Of an Argo CD Application.
    Application(Box<argocd::Application>),
    /// Of an Argo CD AppProject.
    Project(Box<argocd::Project>),
    /// Of an object of Flux.
    Flux(Box<flux::FluxObject>),
    /// Of a controller's workload.
    Workload(Box<workload::Workload>),
    /// Of a resource that provisions a Kubernetes cluster.
    ProvisionedCluster(Box<provisioned::ProvisionedCluster>),
    /// Of a Secret.
    Secret(Box<secret::Secret>),
    /// Of a ConfigMap.
    ConfigMap(Box<secret::ConfigMap>),
    /// Of a CustomResourceDefinition.
    Definition(Box<definition::Definition>),
    /// Of a policy report.
    PolicyReport(Box<policy_report::PolicyReport>),
    /// Of something that asks for Secrets.
    Consumer(Box<consumer::Consumer>),
    /// Of an object of any kind.
    Any(Box<any::Any>),
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

impl Narrowed {
    /// Of an object that has neither conditions nor generations.
    fn only(body: Body) -> Self {
        Self { conditions: Vec::new(), observed_generation: None, body }
    }
}

/// An object as it came: its metadata, and what its kind keeps of the rest.
pub(crate) struct Decoded {
    pub(crate) metadata: Metadata,
    pub(crate) rest: Narrowed,
}

/// Reads one object in the shape that its kind is wanted in.
pub(crate) fn decode<'de, D: Deserializer<'de>>(shape: Shape, deserializer: D) -> Result<Decoded, D::Error> {
    let mut decoded = in_shape(shape, deserializer)?;
    // Of thousands of objects, room for more adds up.
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
    /// What engines write, which may quote what somebody else told them.
    #[serde(default = "Default::default", deserialize_with = "null_as_default")]
    status: Scrubbed<Status>,
}

/// A body of nothing at all.
struct MetadataOnly;

impl Fields for MetadataOnly {
    type Spec = serde::de::IgnoredAny;
    type Status = serde::de::IgnoredAny;

    fn narrow(_: serde::de::IgnoredAny, _: serde::de::IgnoredAny) -> Narrowed {
        Narrowed::only(Body::Conditions)
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
