//! ApplicationSets as deployments of Applications.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::manifests::deployment::{
    ApplicationSetPolicy, DecryptionMode, Deployment, DeploymentDestination, ImmutableHandling, PruningMode,
    ReconcileMode, SourceFetch, SyncTrigger,
};
use ucp_client::prediction::ignore::IgnoreRule;
use ucp_core::model::body::argocd;
use ucp_core::model::body::flux::CommonMetadata;
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::object::ObjectName;

impl Deployment {
    /// Reads an ApplicationSet, whose objects are Applications.
    pub fn of_application_set(object: ObjectName, spec: &Value) -> Self {
        let policy = spec.pointer("/syncPolicy/applicationsSync").and_then(Value::as_str).unwrap_or("sync");
        let (pruning, updates) = application_changes(policy);
        let texts = |pointer: &str| -> Vec<String> {
            let entries = spec.pointer(pointer).and_then(Value::as_array).into_iter().flatten();
            entries.filter_map(|entry| entry.as_str().map(str::to_owned)).collect()
        };
        let ignored = spec.get("ignoreApplicationDifferences").cloned().unwrap_or_default();
        let ignored: Vec<argocd::IgnoreDifferences> = serde_json::from_value(ignored).unwrap_or_default();
        let of_applications = |rule: argocd::IgnoreDifferences| argocd::IgnoreDifferences {
            group: "argoproj.io".to_owned(),
            kind: "Application".to_owned(),
            ..rule
        };
        Self {
            engine: GitOps::ArgoCd,
            parts: Vec::new(),
            elsewhere: Vec::new(),
            destination: DeploymentDestination::Here,
            fetch: SourceFetch::Fetched,
            namespace: object.namespace.clone(),
            pruning,
            on_deletion: PruningMode::Automatic,
            sync_options: Vec::new(),
            ignored: ignored.into_iter().map(of_applications).map(|rule| IgnoreRule::from(&rule)).collect(),
            common: CommonMetadata::default(),
            post_build: None,
            decryption: DecryptionMode::Off,
            deployed: Vec::new(),
            release: None,
            application_set: Some(ApplicationSetPolicy {
                updates,
                kept_annotations: texts("/preservedFields/annotations"),
                kept_labels: texts("/preservedFields/labels"),
                spec: spec.to_string(),
            }),
            references: BTreeMap::new(),
            mode: ReconcileMode::Active,
            service_account: None,
            project: None,
            trigger: SyncTrigger::Automatic,
            namespace_metadata: None,
            immutables: ImmutableHandling::Fail,
            depends_on: Vec::new(),
            object,
        }
    }

    /// Sets the policy of the ApplicationSet controller, if it overrides those of ApplicationSets.
    #[must_use]
    pub fn with_controller_policy(mut self, policy: Option<&str>) -> Self {
        if let (Some(own), Some(policy)) = (&mut self.application_set, policy) {
            (self.pruning, own.updates) = application_changes(policy);
        }
        self
    }
}

/// Returns the changes of Applications that a policy allows, besides their creation: deletions, and updates.
fn application_changes(policy: &str) -> (PruningMode, bool) {
    match policy {
        "create-only" => (PruningMode::Off, false),
        "create-update" => (PruningMode::Off, true),
        "create-delete" => (PruningMode::Automatic, false),
        _ => (PruningMode::Automatic, true),
    }
}
