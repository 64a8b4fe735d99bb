//! Bodies of objects: for each kind, only the fields that its engine needs.
//!
//! An engine that needs only conditions uses [`BodyShape::Conditions`] and adds nothing here.

pub mod any;
pub mod argocd;
pub mod consumer;
pub mod crossplane;
pub mod definition;
pub mod event;
pub mod flux;
pub mod managed;
mod narrowed;
pub mod policy_report;
pub mod provisioned;
pub mod reference;
pub mod secret;
pub mod workload;

pub(crate) use narrowed::{DecodedObject, NarrowedFields};

use std::sync::Arc;

use serde::Deserialize;
use serde::de::Deserializer;

use crate::model::health_rule::HealthRules;
use crate::model::kind::ResourceKind;
use crate::model::trace::TraceRequest;
use narrowed::{BodyFields, StatusConditions, read};

/// Selection of the fields to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyShape {
    /// Metadata and conditions.
    Conditions,
    /// Only metadata; a live server sends nothing else.
    Metadata,
    /// A managed resource, composite, or claim of Crossplane.
    Crossplane,
    /// A managed resource, with its declaration compared with its observation.
    Managed,
    /// An Event about the update of an external resource.
    Event,
    /// Any Event.
    AnyEvent,
    /// A package of Crossplane or one of its revisions.
    Package,
    /// A provider config: the source of its credentials.
    ProviderConfig,
    /// A Composition: the functions of its pipeline.
    Composition,
    /// An Argo CD Application.
    Application,
    /// An Argo CD ApplicationSet.
    ApplicationSet,
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

impl BodyShape {
    /// Returns a field selector if only some objects of the kind are needed.
    pub fn field_selector(self) -> Option<String> {
        (self == Self::Event).then(|| format!("reason={}", event::UPDATED_EXTERNAL_RESOURCE))
    }
}

/// Amount of an object to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeepAmount {
    /// Only the fields of its shape.
    Narrow,
    /// The fields of its shape and the whole object.
    Whole,
    /// The whole object if a health rule decides for its kind, else the fields of its shape.
    WholeIfRuled,
}

/// Request for the objects of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KindRequest {
    /// Fields to keep.
    pub shape: BodyShape,
    /// Label selector.
    pub selector: Option<&'static str>,
    /// Amount of each object to keep.
    pub keep: KeepAmount,
    /// Effect of `-n`.
    pub reach: NamespaceReach,
    /// Traces of changes to keep, if any.
    pub traces: Option<TraceRequest>,
    /// Use of the objects.
    pub purpose: RequestPurpose,
}

/// Use of objects that are read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RequestPurpose {
    /// Their fields are shown or compared.
    #[default]
    Facts,
    /// They get verdicts that depend on the settings of the hub's engine, which have to be read too.
    VerdictsBySettings,
}

/// Namespaces in which a kind is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum NamespaceReach {
    /// The requested namespaces.
    #[default]
    Asked,
    /// All: controllers are in other namespaces than the objects that they reconcile.
    Everywhere,
}

impl KindRequest {
    /// Requests every object of a kind.
    pub const fn all(shape: BodyShape) -> Self {
        Self {
            shape,
            selector: None,
            reach: NamespaceReach::Asked,
            keep: KeepAmount::Narrow,
            traces: None,
            purpose: RequestPurpose::Facts,
        }
    }

    /// Requests every object of a kind, including the whole object.
    pub const fn whole(shape: BodyShape) -> Self {
        Self { keep: KeepAmount::Whole, ..Self::all(shape) }
    }

    /// Requests every object of a kind, including the whole object if a health rule decides for the kind.
    pub const fn ruled(shape: BodyShape) -> Self {
        Self { keep: KeepAmount::WholeIfRuled, ..Self::all(shape) }
    }

    /// Returns this request for verdicts that depend on the settings of the hub's engine.
    #[must_use]
    pub const fn judged_by_settings(self) -> Self {
        Self { purpose: RequestPurpose::VerdictsBySettings, ..self }
    }

    /// Returns this request with the traces of changes.
    #[must_use]
    pub const fn with_traces(self, traces: TraceRequest) -> Self {
        Self { traces: Some(traces), ..self }
    }

    /// Returns this request with the decision of the rules on what to keep.
    #[must_use]
    pub fn under_rules(self, kind: &ResourceKind, rules: &HealthRules) -> Self {
        match (self.keep, rules.may_decide_for(kind)) {
            (KeepAmount::WholeIfRuled, true) => Self { keep: KeepAmount::Whole, ..self },
            (KeepAmount::WholeIfRuled, false) => Self { keep: KeepAmount::Narrow, ..self },
            _ => self,
        }
    }

    /// Returns the single namespace to read, given the requested one.
    pub fn within<'a>(&self, asked: Option<&'a str>) -> Option<&'a str> {
        asked.filter(|_| self.reach == NamespaceReach::Asked)
    }
}

/// The fields of an object that were kept.
#[derive(Debug, Clone)]
pub enum Body {
    /// Nothing beyond metadata and conditions.
    Conditions,
    /// A managed resource, composite, or claim. Objects of a kind differ mostly in fields that are not kept, so bodies
    /// are shared.
    Crossplane(Arc<crossplane::CrossplaneObject>),
    /// A managed resource whose declaration was compared with its observation.
    Managed(Box<managed::ManagedResource>),
    /// An Event.
    Event(Box<event::EventBody>),
    /// A package.
    Package(Box<crossplane::Package>),
    /// A provider config.
    ProviderConfig(Box<crossplane::ProviderConfig>),
    /// A Composition.
    Composition(Box<crossplane::Composition>),
    /// An Argo CD Application.
    Application(Box<argocd::Application>),
    /// An Argo CD ApplicationSet.
    ApplicationSet(Box<argocd::ApplicationSet>),
    /// An Argo CD AppProject.
    Project(Box<argocd::AppProject>),
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
    Definition(Box<definition::CustomResourceDefinition>),
    /// A policy report.
    PolicyReport(Box<policy_report::PolicyReport>),
    /// An object that uses Secrets.
    Consumer(Box<consumer::SecretConsumer>),
    /// An object of any kind.
    Any(Box<any::GenericObject>),
}

/// Reads one object in the requested shape.
pub(crate) fn decode<'de, D: Deserializer<'de>>(
    shape: BodyShape,
    deserializer: D,
) -> Result<DecodedObject<Body>, D::Error> {
    let mut decoded = decode_shape(shape, deserializer)?;
    // With thousands of objects, unused capacity adds up.
    decoded.metadata.finalizers.shrink_to_fit();
    decoded.metadata.owner_references.shrink_to_fit();
    decoded.rest.conditions.shrink_to_fit();
    Ok(decoded)
}

fn decode_shape<'de, D: Deserializer<'de>>(shape: BodyShape, deserializer: D) -> Result<DecodedObject<Body>, D::Error> {
    Ok(match shape {
        BodyShape::Conditions => read::<ConditionsOnly, D>(deserializer)?.map_body(|_| Body::Conditions),
        BodyShape::Metadata => read::<MetadataOnly, D>(deserializer)?.map_body(|_| Body::Conditions),
        BodyShape::Managed => boxed(managed::read(deserializer)?, Body::Managed),
        BodyShape::Event | BodyShape::AnyEvent => boxed(event::read(deserializer)?, Body::Event),
        BodyShape::Crossplane => {
            read::<crossplane::CrossplaneObject, D>(deserializer)?.map_body(|body| Body::Crossplane(body.shared()))
        }
        BodyShape::Package => boxed(read(deserializer)?, Body::Package),
        BodyShape::ProviderConfig => boxed(read(deserializer)?, Body::ProviderConfig),
        BodyShape::Composition => boxed(read(deserializer)?, Body::Composition),
        BodyShape::Application => boxed(argocd::read_application(deserializer)?, Body::Application),
        BodyShape::ApplicationSet => boxed(read(deserializer)?, Body::ApplicationSet),
        BodyShape::Project => boxed(read(deserializer)?, Body::Project),
        BodyShape::Flux => boxed(read(deserializer)?, Body::Flux),
        BodyShape::Workload => boxed(read(deserializer)?, Body::Workload),
        BodyShape::ProvisionedCluster => boxed(read(deserializer)?, Body::ProvisionedCluster),
        BodyShape::Secret => boxed(secret::read_secret(deserializer)?, Body::Secret),
        BodyShape::ConfigMap => boxed(secret::read_config_map(deserializer)?, Body::ConfigMap),
        BodyShape::Definition => boxed(read(deserializer)?, Body::Definition),
        BodyShape::PolicyReport => boxed(policy_report::read(deserializer)?, Body::PolicyReport),
        BodyShape::Consumer => boxed(consumer::read(deserializer)?, Body::Consumer),
        BodyShape::Any => boxed(any::read_generic(deserializer)?, Body::Any),
    })
}

fn boxed<B>(decoded: DecodedObject<B>, form: impl FnOnce(Box<B>) -> Body) -> DecodedObject<Body> {
    decoded.map_body(|body| form(Box::new(body)))
}

/// A body without fields.
struct MetadataOnly;

impl BodyFields for MetadataOnly {
    type Spec = serde::de::IgnoredAny;
    type Status = serde::de::IgnoredAny;

    fn narrow(_: serde::de::IgnoredAny, _: serde::de::IgnoredAny) -> NarrowedFields<Self> {
        NarrowedFields::from_body(Self)
    }
}

/// A body with only conditions.
struct ConditionsOnly;

#[derive(Default, Deserialize)]
struct NoFields {}

impl BodyFields for ConditionsOnly {
    type Spec = NoFields;
    type Status = StatusConditions;

    fn narrow(_: NoFields, status: StatusConditions) -> NarrowedFields<Self> {
        NarrowedFields { conditions: status.conditions, observed_generation: status.observed_generation, body: Self }
    }
}
