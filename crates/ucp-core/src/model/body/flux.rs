//! Fields of Flux's sources, Kustomizations, and HelmReleases.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::narrowed::{BodyFields, NarrowedFields};
use crate::model::condition::Condition;
use crate::model::metadata::{lenient_time, map_or_empty, null_as_default};
use crate::model::object::{ObjectKey, inventory_key};

/// A Flux object.
#[derive(Debug, Clone, Default)]
pub struct FluxObject {
    /// `spec`.
    pub spec: FluxSpec,
    /// `status` without its conditions.
    pub status: FluxStatus,
}

/// `spec` of a source, Kustomization, or HelmRelease.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FluxSpec {
    /// True if reconciliation is suspended.
    pub suspend: bool,
    /// `spec.type` of a HelmRepository: `default` or `oci`.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// Source of a Kustomization's manifests, or of a HelmChart's chart.
    pub source_ref: Option<SourceReference>,
    /// Chart of a HelmRelease: a HelmChart or an OCIRepository.
    pub chart_ref: Option<SourceReference>,
    /// Chart template of a HelmRelease.
    #[serde(deserialize_with = "chart_of_a_release")]
    pub chart: Option<HelmChartTemplate>,
    /// Objects of the same kind that must be ready first.
    #[serde(deserialize_with = "null_as_default")]
    pub depends_on: Vec<FluxDependency>,
    /// Directory in the source.
    pub path: Option<String>,
    /// ServiceAccount that the controller impersonates, in the object's own namespace.
    pub service_account_name: Option<String>,
    /// Destination, if it is another cluster.
    pub kube_config: Option<KubeConfig>,
    /// URL of a source, without credentials.
    #[serde(deserialize_with = "crate::model::secrecy::optional_text")]
    pub url: Option<String>,
    /// Revision of the source.
    #[serde(rename = "ref")]
    pub reference: Option<GitReference>,
    /// The time between two reconciliations, such as `10m0s`.
    pub interval: Option<String>,
    /// The time between two attempts after a failure; the interval if absent.
    pub retry_interval: Option<String>,
    /// Handling of applied objects when a Kustomization is deleted: `MirrorPrune`, `Delete`, `WaitForTermination`, or
    /// `Orphan`.
    pub deletion_policy: Option<String>,
    /// Build options of a Kustomization.
    #[serde(flatten)]
    pub build: KustomizationBuild,
}

impl FluxSpec {
    /// Returns true if the applied objects of a Kustomization are deleted together with it.
    pub fn deletes_objects(&self) -> bool {
        match self.deletion_policy.as_deref() {
            None | Some("" | "MirrorPrune") => self.build.prune,
            Some(policy) => policy != "Orphan",
        }
    }

    /// Returns the time between two attempts after a failure; a minute for kinds without an interval, which try again
    /// whenever something changes.
    pub fn retry_period(&self) -> SignedDuration {
        let text = self.retry_interval.as_deref().or(self.interval.as_deref()).unwrap_or_default();
        text.parse().unwrap_or(SignedDuration::from_mins(1))
    }
}

/// `spec.ref` of a GitRepository. The last field that is set wins.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct GitReference {
    /// A branch.
    pub branch: Option<String>,
    /// A tag.
    pub tag: Option<String>,
    /// A semantic version range.
    pub semver: Option<String>,
    /// A full reference name.
    pub name: Option<String>,
    /// A commit.
    pub commit: Option<String>,
}

impl GitReference {
    /// Returns the reference that is followed, as one word.
    pub fn name(&self) -> String {
        let winner = [&self.commit, &self.name, &self.semver, &self.tag, &self.branch].into_iter().flatten().next();
        winner.cloned().unwrap_or_default()
    }
}

/// `spec.sourceRef`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SourceReference {
    /// Kind of the source.
    pub kind: String,
    /// Name of the source.
    pub name: String,
    /// Namespace of the source; the object's own by default.
    pub namespace: Option<String>,
}

/// `spec.chart` of a HelmRelease.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct HelmChartTemplate {
    /// The chart and its repository.
    pub spec: HelmChartTemplateSpec,
}

/// Reads `spec.chart`, which is a name or path in a HelmChart, and an object in a HelmRelease.
fn chart_of_a_release<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<HelmChartTemplate>, D::Error> {
    let chart = Option::<Value>::deserialize(deserializer)?.filter(Value::is_object);
    chart.map(HelmChartTemplate::deserialize).transpose().map_err(D::Error::custom)
}

/// `spec.chart.spec`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HelmChartTemplateSpec {
    /// Name of the chart in the repository, or its directory.
    #[serde(rename = "chart")]
    pub name: Option<String>,
    /// The repository.
    pub source_ref: Option<SourceReference>,
    /// Values files in the repository.
    #[serde(deserialize_with = "null_as_default")]
    pub values_files: Vec<String>,
}

/// One of `spec.dependsOn`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct FluxDependency {
    /// Name of the dependency.
    pub name: String,
    /// Namespace of the dependency; the object's own by default.
    pub namespace: Option<String>,
}

/// `spec.kubeConfig`: if present, objects are applied to another cluster.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct KubeConfig {
    /// A Secret with a kubeconfig, in the object's own namespace.
    pub secret_ref: Option<KubeConfigReference>,
    /// A ConfigMap that names a cluster for workload identity, in the object's own namespace (Flux 2.7 and later).
    pub config_map_ref: Option<KubeConfigReference>,
}

/// `spec.kubeConfig.secretRef` and `configMapRef`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct KubeConfigReference {
    /// Name of the Secret or ConfigMap.
    pub name: String,
    /// Key in the Secret; `value`, then `value.yaml` if absent.
    pub key: Option<String>,
}

/// Build options of a Kustomization: `KustomizationSpec` of kustomize-controller.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct KustomizationBuild {
    /// True if objects that were removed from the source are deleted.
    pub prune: bool,
    /// True if objects with changed immutable fields are deleted and created again.
    pub force: bool,
    /// Namespace of all objects; overrides their own.
    pub target_namespace: Option<String>,
    /// Prefix of all names.
    pub name_prefix: Option<String>,
    /// Suffix of all names.
    pub name_suffix: Option<String>,
    /// `components`, added to those of the kustomization.
    #[serde(deserialize_with = "null_as_default")]
    pub components: Vec<String>,
    /// `patches`, added to those of the kustomization.
    #[serde(deserialize_with = "null_as_default")]
    pub patches: Vec<Value>,
    /// `images`, which override those of the kustomization.
    #[serde(deserialize_with = "null_as_default")]
    pub images: Vec<Value>,
    /// Labels and annotations for all objects.
    #[serde(deserialize_with = "null_as_default")]
    pub common_metadata: CommonMetadata,
    /// Variables that are substituted after the build.
    pub post_build: Option<PostBuild>,
    /// Decryption of encrypted files.
    pub decryption: Option<Value>,
    /// Differences to ignore: `{paths, target}` (Flux 2.9 and later). A string for a source.
    pub ignore: Value,
}

/// `spec.commonMetadata`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct CommonMetadata {
    /// Labels.
    #[serde(deserialize_with = "null_as_default")]
    pub labels: BTreeMap<String, String>,
    /// Annotations.
    #[serde(deserialize_with = "null_as_default")]
    pub annotations: BTreeMap<String, String>,
}

/// `spec.postBuild`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PostBuild {
    /// Variables.
    #[serde(deserialize_with = "null_as_default")]
    pub substitute: BTreeMap<String, String>,
    /// ConfigMaps and Secrets with additional variables; `substitute` takes precedence.
    #[serde(deserialize_with = "null_as_default")]
    pub substitute_from: Vec<SubstituteFrom>,
}

/// One of `spec.postBuild.substituteFrom`, in the Kustomization's own namespace.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct SubstituteFrom {
    /// `ConfigMap` or `Secret`.
    pub kind: String,
    /// Name of the ConfigMap or Secret.
    pub name: String,
    /// True if it may be missing.
    pub optional: bool,
}

/// `status` of a source, Kustomization, or HelmRelease.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FluxStatus {
    #[serde(deserialize_with = "null_as_default")]
    conditions: Vec<Condition>,
    observed_generation: Option<i64>,
    /// The last revision that was applied.
    pub last_applied_revision: Option<String>,
    /// The last revision that was attempted.
    pub last_attempted_revision: Option<String>,
    /// Last artifact that a source fetched.
    pub artifact: Option<FluxArtifact>,
    /// Objects that a Kustomization or HelmRelease applied. Other kinds have an inventory of another form.
    #[serde(deserialize_with = "map_or_empty")]
    pub inventory: Option<FluxInventory>,
    /// Recent attempts of a Kustomization; releases of a HelmRelease.
    #[serde(deserialize_with = "null_as_default")]
    pub history: Vec<FluxHistoryEntry>,
    /// Number of consecutive failures of a HelmRelease.
    pub failures: u64,
    /// Number of failed installations since the last success.
    pub install_failures: u64,
    /// Number of failed upgrades since the last success.
    pub upgrade_failures: u64,
    /// `<namespace>/<name>` of the HelmChart that was created for a HelmRelease.
    pub helm_chart: Option<String>,
    /// The last handled request to reconcile: the value of its annotation.
    pub last_handled_reconcile_at: Option<String>,
}

impl FluxStatus {
    /// Returns the applied objects from the inventory.
    pub fn deployed(&self) -> impl Iterator<Item = ObjectKey> {
        let entries = self.inventory.iter().flat_map(|inventory| &inventory.entries);
        entries.filter_map(|entry| inventory_key(&entry.id))
    }
}

/// One of `status.history`. For a Kustomization: attempts with the same manifests and the same result (`Snapshot` of
/// `fluxcd/pkg/apis/kustomize` history). For a HelmRelease: a release, with `status` and `chartVersion` only
/// (`Snapshot` of helm-controller).
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct FluxHistoryEntry {
    /// End time of the first attempt.
    #[serde(deserialize_with = "lenient_time")]
    pub first_reconciled: Option<Timestamp>,
    /// End time of the last attempt.
    #[serde(deserialize_with = "lenient_time")]
    pub last_reconciled: Option<Timestamp>,
    /// Result: the reason of Ready, such as `ReconciliationSucceeded` or `HealthCheckFailed`.
    pub last_reconciled_status: String,
    /// Number of attempts.
    pub total_reconciliations: u64,
    /// Helm's status of a release: `deployed`, `failed`, `superseded`.
    pub status: String,
    /// The version of the released chart.
    pub chart_version: Option<String>,
    /// The name of the released chart.
    pub chart_name: Option<String>,
    /// Time of the release.
    #[serde(deserialize_with = "lenient_time")]
    pub last_deployed: Option<Timestamp>,
    /// Facts about the attempts of a Kustomization.
    #[serde(deserialize_with = "null_as_default")]
    pub metadata: FluxHistoryMetadata,
}

/// `metadata` of one of `status.history`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct FluxHistoryMetadata {
    /// The revision that was applied.
    pub revision: Option<String>,
}

/// `status.artifact` of a source.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct FluxArtifact {
    /// Revision: a branch and commit, a tag, or a digest.
    pub revision: String,
}

/// `status.inventory`; empty if it has another form, such as the list of an ArtifactGenerator.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct FluxInventory {
    /// Applied objects.
    #[serde(deserialize_with = "null_as_default")]
    pub entries: Vec<InventoryEntry>,
}

/// One of `status.inventory.entries`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct InventoryEntry {
    /// `<namespace>_<name>_<group>_<kind>`.
    pub id: String,
}

impl InventoryEntry {
    /// Formats the object as `Kind/name` or `Kind/name -n namespace`.
    pub fn words(&self) -> String {
        let parts: Vec<&str> = self.id.split('_').collect();
        match parts.as_slice() {
            ["", name, _, kind] => format!("{kind}/{name}"),
            [namespace, name, _, kind] => format!("{kind}/{name} -n {namespace}"),
            _ => self.id.clone(),
        }
    }
}

impl BodyFields for FluxObject {
    type Spec = FluxSpec;
    type Status = FluxStatus;

    fn narrow(spec: FluxSpec, mut status: FluxStatus) -> NarrowedFields<Self> {
        NarrowedFields {
            conditions: std::mem::take(&mut status.conditions),
            observed_generation: status.observed_generation,
            body: Self { spec, status },
        }
    }
}
