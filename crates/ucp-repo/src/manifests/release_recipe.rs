//! Everything that decides the objects of a HelmRelease.

use serde::Deserialize;
use serde_json::Value;

use crate::manifests::remote_chart::RemoteChart;

/// The source of a HelmRelease's chart.
#[derive(Debug, Clone, PartialEq)]
pub enum ChartOrigin {
    /// A directory of the checkout.
    Checkout {
        /// The directory.
        path: String,
        /// True if a change of the chart is only deployed together with its version.
        only_by_version: bool,
    },
    /// A chart of a Helm or OCI repository.
    Registry(RemoteChart),
    /// It cannot be determined, with the reason.
    Unknown(String),
}

/// The handling of CRDs in a chart's `crds` directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CrdPolicy {
    /// They are not applied.
    Skip,
    /// Only missing ones are created.
    Create,
    /// They are created or replaced.
    CreateReplace,
}

/// Everything that decides the objects of a HelmRelease.
#[derive(Debug, Clone, PartialEq)]
pub struct ReleaseRecipe {
    /// The chart.
    pub chart: ChartOrigin,
    /// Files that replace the chart's `values.yaml`.
    pub values_files: Vec<String>,
    /// True if missing ones are ignored.
    pub ignore_missing_values_files: bool,
    /// Inline values.
    pub values: Value,
    /// References to further values.
    pub values_from: Vec<ValuesReference>,
    /// Changes of the rendered objects.
    pub post_renderers: Vec<Value>,
    /// True if hooks are post-rendered together with other objects.
    pub post_renders_hooks: bool,
    /// The handling of CRDs.
    pub crds: CrdPolicy,
    /// True if the release exists.
    pub is_upgrade: bool,
    /// Properties that make the result unknown.
    pub unknown: Vec<String>,
}

/// The Helm release of a HelmRelease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HelmReleaseIdentity {
    /// Its name.
    pub name: String,
    /// Its namespace.
    pub namespace: String,
    /// Remark on differences that Helm does not correct now.
    pub waits_for_upgrade: Option<String>,
    /// True if the status of the HelmRelease lists the objects of the release.
    pub has_inventory: bool,
    /// True if the namespace is created.
    pub creates_namespace: bool,
    /// State of its objects after the release fails.
    pub on_failure: FailedRelease,
}

/// State of the objects of a release that fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailedRelease {
    /// Applied objects stay.
    Stays,
    /// The objects are those of the last release again.
    RolledBack,
    /// All of them are deleted.
    Uninstalled,
}

/// One of `spec.valuesFrom`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ValuesReference {
    /// `ConfigMap` or `Secret`.
    pub kind: String,
    /// Name of the object, in the namespace of the HelmRelease.
    pub name: String,
    /// Key of the values.
    pub values_key: Option<String>,
    /// Path of a single value.
    pub target_path: Option<String>,
    /// True if it may be missing.
    pub optional: bool,
    /// True if the value is used as it is.
    pub literal: bool,
}
