//! Fields of a Deployment or StatefulSet that runs a controller.

use serde::Deserialize;

use super::{Body, Fields, Narrowed};
use crate::model::condition::Condition;
use crate::model::metadata::null_as_default;

/// A workload.
#[derive(Debug, Clone, Default)]
pub struct Workload {
    /// Replicas that should run; one where the spec is silent.
    pub wanted: i64,
    /// Replicas that are ready.
    pub ready: i64,
    /// Images of its containers.
    pub images: Vec<String>,
}

/// `spec` on the wire.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Spec {
    replicas: Option<i64>,
    template: Template,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Template {
    spec: PodSpec,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct PodSpec {
    containers: Vec<Container>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Container {
    image: String,
}

/// `status` on the wire.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Status {
    #[serde(deserialize_with = "null_as_default")]
    conditions: Vec<Condition>,
    ready_replicas: i64,
    observed_generation: Option<i64>,
}

impl Fields for Workload {
    type Spec = Spec;
    type Status = Status;

    fn narrow(spec: Spec, status: Status) -> Narrowed {
        Narrowed {
            conditions: status.conditions,
            observed_generation: status.observed_generation,
            body: Body::Workload(Box::new(Self {
                wanted: spec.replicas.unwrap_or(1),
                ready: status.ready_replicas,
                images: spec.template.spec.containers.into_iter().map(|container| container.image).collect(),
            })),
        }
    }
}
