//! The source hydrator of an Application, which renders manifests into a branch that is then deployed (Argo CD 3.1 and
//! later).

use jiff::Timestamp;
use serde::Deserialize;

use super::source::ApplicationSource;
use crate::model::metadata::{lenient_time, null_as_default};

/// `spec.sourceHydrator`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HydratorSettings {
    /// The source of the manifests before they are rendered: a directory of a repository.
    #[serde(deserialize_with = "null_as_default")]
    pub dry_source: ApplicationSource,
    /// The branch that is deployed.
    #[serde(deserialize_with = "null_as_default")]
    pub sync_source: HydratorBranch,
    /// The branch that the rendered manifests are written to first, if it is another one.
    pub hydrate_to: Option<HydratorBranch>,
}

/// `syncSource` or `hydrateTo`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HydratorBranch {
    /// URL of the repository, without credentials; empty for the one of the dry source.
    #[serde(rename = "repoURL", deserialize_with = "crate::model::secrecy::text")]
    pub repo_url: String,
    /// The branch.
    pub target_branch: String,
    /// Directory in the repository.
    pub path: String,
}

impl HydratorSettings {
    /// Returns the source that is deployed and compared: the branch with the rendered manifests.
    pub fn deployed_source(&self) -> ApplicationSource {
        let named = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        let (own, dry) = (&self.sync_source.repo_url, &self.dry_source.repo_url);
        ApplicationSource {
            repo_url: if own.is_empty() { dry.clone() } else { own.clone() },
            path: named(&self.sync_source.path),
            target_revision: named(&self.sync_source.target_branch),
            ..ApplicationSource::default()
        }
    }
}

/// `status.sourceHydrator`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SourceHydrator {
    /// The last or current operation.
    pub current_operation: Option<HydrateOperation>,
}

/// `status.sourceHydrator.currentOperation`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HydrateOperation {
    /// `Hydrating`, `Hydrated` or `Failed`.
    pub phase: String,
    /// Reason of a failure.
    pub message: String,
    /// Start time.
    #[serde(deserialize_with = "lenient_time")]
    pub started_at: Option<Timestamp>,
    /// End time.
    #[serde(deserialize_with = "lenient_time")]
    pub finished_at: Option<Timestamp>,
    /// The settings that the operation used.
    #[serde(deserialize_with = "null_as_default")]
    pub source_hydrator: HydratorSettings,
}
