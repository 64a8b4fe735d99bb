//! Where an Application's manifests come from, and what Argo CD does to them: `ApplicationSource` in
//! `pkg/apis/application/v1alpha1/types.go`.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::model::metadata::null_as_default;

/// One source of manifests.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Source {
    /// Repository, without who logs in there.
    #[serde(rename = "repoURL", deserialize_with = "crate::model::secrecy::text")]
    pub repo_url: String,
    /// Directory in it.
    pub path: Option<String>,
    /// Branch, tag or commit.
    pub target_revision: Option<String>,
    /// Chart in a Helm repository, instead of a directory.
    pub chart: Option<String>,
    /// The name by which value files of other sources find this one.
    #[serde(rename = "ref")]
    pub reference: Option<String>,
    /// How plain manifests are read.
    pub directory: Option<DirectoryOptions>,
    /// What is changed in the kustomization.
    pub kustomize: Option<KustomizeOptions>,
    /// What the chart is given.
    pub helm: Option<HelmOptions>,
    /// A config management plugin.
    pub plugin: Option<Value>,
}

/// `directory` of a source.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct DirectoryOptions {
    /// Whether directories below are read, too.
    pub recurse: bool,
    /// Only files that match this glob.
    pub include: String,
    /// No files that match this glob.
    pub exclude: String,
}

/// `kustomize` of a source: edits that Argo CD makes in the kustomization before it builds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct KustomizeOptions {
    /// `namePrefix`.
    pub name_prefix: String,
    /// `nameSuffix`.
    pub name_suffix: String,
    /// `namespace`.
    pub namespace: String,
    /// `[name=]image[:tag|@digest]`, as `kustomize edit set image` takes them.
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
    /// Whether labels go without selectors.
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
    /// A number, or its digits.
    pub count: Value,
}

/// `helm` of a source.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HelmOptions {
    /// Name of the release; the Application's where empty.
    pub release_name: String,
    /// Namespace of the release, where it is not the destination's.
    pub namespace: String,
    /// Value files, relative to the chart.
    #[serde(deserialize_with = "null_as_default")]
    pub value_files: Vec<String>,
    /// Whether value files that do not exist are passed over.
    pub ignore_missing_value_files: bool,
    /// Values, as text.
    pub values: String,
    /// Values, as an object; wins over the text.
    pub values_object: Option<Value>,
    /// Single values.
    #[serde(deserialize_with = "null_as_default")]
    pub parameters: Vec<HelmParameter>,
    /// Whether the chart's CRDs stay out.
    pub skip_crds: bool,
}

/// One of `helm.parameters`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HelmParameter {
    /// Path of the value.
    pub name: String,
    /// The value.
    pub value: String,
    /// Whether it stays a string.
    pub force_string: bool,
}
