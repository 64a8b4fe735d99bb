//! Health as Argo CD reports it.

use jiff::Timestamp;
use serde::Deserialize;

use crate::model::metadata::lenient_time;

/// `status.health`, of an Application or of one of its resources.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HealthStatus {
    /// `Healthy`, `Progressing`, `Degraded`, `Suspended`, `Missing` or `Unknown`.
    pub status: String,
    /// Explanation of the status.
    pub message: Option<String>,
    /// Time of the last change of status.
    #[serde(deserialize_with = "lenient_time")]
    pub last_transition_time: Option<Timestamp>,
}
