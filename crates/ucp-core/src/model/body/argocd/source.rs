//! Sources of an Application's manifests and their options: `ApplicationSource` in
//! `pkg/apis/application/v1alpha1/types.go`.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::model::metadata::null_as_default;

/// One source of manifests.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ApplicationSource {
    /// URL of the repository, without credentials.
    #[serde(rename = "repoURL", deserialize_with = "crate::model::secrecy::text")]
    pub repo_url: String,
    /// Directory in the repository.
    pub path: Option<String>,
    /// Branch, tag or commit.
    pub target_revision: Option<String>,
    /// Chart in a Helm repository, instead of a directory.
    pub chart: Option<String>,
    /// Name by which other sources refer to this one for value files.
    #[serde(rename = "ref")]
    pub reference: Option<String>,
    /// Options for plain manifests.
    pub directory: Option<DirectoryOptions>,
    /// Options for kustomize.
    pub kustomize: Option<KustomizeOptions>,
    /// Options for Helm.
    pub helm: Option<HelmOptions>,
    /// Options for a config management plugin.
    pub plugin: Option<Value>,
}

/// `directory` of a source.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct DirectoryOptions {
    /// True if subdirectories are read as well.
    pub recurse: bool,
    /// Glob of files to include.
    pub include: String,
    /// Glob of files to exclude.
    pub exclude: String,
}

/// `kustomize` of a source: edits that Argo CD makes to the kustomization before building it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct KustomizeOptions {
    /// `namePrefix`.
    pub name_prefix: String,
    /// `nameSuffix`.
    pub name_suffix: String,
    /// `namespace`.
    pub namespace: String,
    /// Images as `[name=]image[:tag|@digest]`, the format of `kustomize edit set image`.
    #[serde(deserialize_with = "null_as_default")]
    pub images: Vec<String>,
    /// `replicas`.
    #[serde(deserialize_with = "null_as_default")]
    pub replicas: Vec<KustomizeReplica>,
    /// `commonLabels`.
    #[serde(deserialize_with = "null_as_default")]
    pub common_labels: BTreeMap<String, String>,
    /// `commonAnnotations`.
    #[serde(deserialize_with = "null_as_default")]
    pub common_annotations: BTreeMap<String, String>,
    /// True if labels are not added to selectors.
    pub label_without_selector: bool,
    /// `components`.
    #[serde(deserialize_with = "null_as_default")]
    pub components: Vec<String>,
    /// `patches`.
    #[serde(deserialize_with = "null_as_default")]
    pub patches: Vec<Value>,
}

/// One of `kustomize.replicas`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct KustomizeReplica {
    /// Name of the workload.
    pub name: String,
    /// Number of replicas, as a number or a string of digits.
    pub count: Value,
}

/// `helm` of a source.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HelmOptions {
    /// Name of the release; empty means that of the Application.
    pub release_name: String,
    /// Namespace of the release; empty means that of the destination.
    pub namespace: String,
    /// Value files, relative to the chart.
    #[serde(deserialize_with = "null_as_default")]
    pub value_files: Vec<String>,
    /// True if missing value files are ignored.
    pub ignore_missing_value_files: bool,
    /// Values, as text.
    pub values: String,
    /// Values, as an object; takes precedence over the text.
    pub values_object: Option<Value>,
    /// Single values.
    #[serde(deserialize_with = "null_as_default")]
    pub parameters: Vec<HelmParameter>,
    /// Single values from files.
    #[serde(deserialize_with = "null_as_default")]
    pub file_parameters: Vec<HelmFileParameter>,
    /// True if the chart's CRDs are skipped.
    pub skip_crds: bool,
    /// True if the chart's tests are skipped.
    pub skip_tests: bool,
    /// True if values are not validated by the chart's schema.
    pub skip_schema_validation: bool,
    /// Version of Kubernetes for the chart; empty means that of the destination.
    pub kube_version: String,
    /// API versions for the chart; empty means those of the destination.
    #[serde(deserialize_with = "null_as_default")]
    pub api_versions: Vec<String>,
}

/// One of `helm.fileParameters`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HelmFileParameter {
    /// Path of the value.
    pub name: String,
    /// The file with the value.
    pub path: String,
}

/// One of `helm.parameters`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HelmParameter {
    /// Path of the value.
    pub name: String,
    /// The value.
    pub value: String,
    /// True if the value is always a string.
    pub force_string: bool,
}
