//! Fields of an Argo CD ApplicationSet: `pkg/apis/application/v1alpha1/applicationset_types.go`.

use jiff::Timestamp;
use serde::Deserialize;

use super::health::HealthStatus;
use crate::model::body::narrowed::{BodyFields, NarrowedFields};
use crate::model::condition::Condition;
use crate::model::metadata::{lenient_time, null_as_default};
use crate::model::word::SharedText;

/// An ApplicationSet.
#[derive(Debug, Clone, Default)]
pub struct ApplicationSet {
    /// `status.health`, since Argo CD 3.2: a summary of the conditions.
    pub health: HealthStatus,
    /// `status.applicationStatus`: the steps of a progressive sync.
    pub steps: Vec<RolloutStep>,
    /// `status.resources`: the generated Applications, as of the last reconciliation of the ApplicationSet.
    pub applications: Vec<GeneratedApplication>,
}

/// One of `status.applicationStatus`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RolloutStep {
    /// Name of the Application.
    pub application: String,
    /// `Waiting`, `Pending`, `Progressing` or `Healthy`.
    pub status: SharedText,
    /// Explanation of the status.
    pub message: String,
    /// Time of the last change of status.
    #[serde(deserialize_with = "lenient_time")]
    pub last_transition_time: Option<Timestamp>,
}

/// One of `status.resources`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct GeneratedApplication {
    /// Name.
    pub name: String,
    /// Namespace.
    pub namespace: Option<SharedText>,
    /// `Synced`, `OutOfSync` or `Unknown`.
    pub status: SharedText,
    /// Health.
    #[serde(deserialize_with = "null_as_default")]
    pub health: GeneratedHealth,
}

/// `health` of a generated Application.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct GeneratedHealth {
    /// `Healthy`, `Progressing`, `Degraded`, `Suspended`, `Missing` or `Unknown`.
    pub status: SharedText,
}

/// Serialized form of the `status` of an ApplicationSet.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ApplicationSetStatus {
    #[serde(deserialize_with = "null_as_default")]
    conditions: Vec<Condition>,
    observed_generation: Option<i64>,
    #[serde(deserialize_with = "null_as_default")]
    health: HealthStatus,
    #[serde(deserialize_with = "null_as_default")]
    application_status: Vec<RolloutStep>,
    #[serde(deserialize_with = "null_as_default")]
    resources: Vec<GeneratedApplication>,
}

impl BodyFields for ApplicationSet {
    type Spec = serde::de::IgnoredAny;
    type Status = ApplicationSetStatus;

    fn narrow(_: serde::de::IgnoredAny, status: ApplicationSetStatus) -> NarrowedFields<Self> {
        let ApplicationSetStatus { conditions, observed_generation, health, application_status, resources } = status;
        let set = Self { health, steps: application_status, applications: resources };
        NarrowedFields { conditions, observed_generation, body: set }
    }
}
