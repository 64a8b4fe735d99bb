//! Fields of Flux's sources, Kustomizations and HelmReleases.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::{Body, Fields, Narrowed};
use crate::model::condition::Condition;
use crate::model::metadata::{lenient_time, null_as_default};
use crate::model::object::ObjectKey;

/// An object of Flux.
#[derive(Debug, Clone, Default)]
pub struct FluxObject {
    /// `spec`.
    pub spec: Spec,
    /// `status`, save its conditions.
    pub status: Status,
}

/// What should be fetched or applied.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Spec {
    /// Whether a person suspended it.
    pub suspend: bool,
    /// `spec.type` of a HelmRepository: `default` or `oci`.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// Where a Kustomization takes its manifests from, or a HelmChart its chart.
    pub source_ref: Option<SourceReference>,
    /// Where a HelmRelease takes its chart from: a HelmChart or an OCIRepository.
    pub chart_ref: Option<SourceReference>,
    /// Or the repository of its chart.
    #[serde(deserialize_with = "chart_of_a_release")]
    pub chart: Option<Chart>,
    /// Others of its own kind that must be ready first.
    #[serde(deserialize_with = "null_as_default")]
    pub depends_on: Vec<Dependency>,
    /// Directory in the source.
    pub path: Option<String>,
    /// The other cluster that it applies to, if any.
    pub kube_config: Option<KubeConfig>,
    /// Where a source is fetched from, without who logs in there.
    #[serde(deserialize_with = "crate::model::secrecy::optional_text")]
    pub url: Option<String>,
    /// Which revision of it.
    #[serde(rename = "ref")]
    pub reference: Option<GitReference>,
    /// What becomes of the applied objects when a Kustomization is deleted: `MirrorPrune`, `Delete`, `WaitForTermination` or
    /// `Orphan`.
    pub deletion_policy: Option<String>,
    /// How a Kustomization builds.
    #[serde(flatten)]
    pub build: Build,
}

/// `spec.ref` of a GitRepository; the last of these that is set wins.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct GitReference {
    /// A branch.
    pub branch: Option<String>,
    /// A tag.
    pub tag: Option<String>,
    /// A range of versions.
    pub semver: Option<String>,
    /// A full reference.
    pub name: Option<String>,
    /// A commit.
    pub commit: Option<String>,
}

impl GitReference {
    /// What is followed, in one word.
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
    /// Its name.
    pub name: String,
    /// Its namespace; the object's own by default.
    pub namespace: Option<String>,
}

/// `spec.chart` of a HelmRelease.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Chart {
    /// Which chart of which repository.
    pub spec: ChartSpec,
}

/// `spec.chart` of a HelmChart is the chart's name or path, and that of a HelmRelease an object.
fn chart_of_a_release<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Chart>, D::Error> {
    let chart = Option::<Value>::deserialize(deserializer)?.filter(Value::is_object);
    chart.map(Chart::deserialize).transpose().map_err(D::Error::custom)
}

/// `spec.chart.spec`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ChartSpec {
    /// The chart's name in the repository, or its directory.
    #[serde(rename = "chart")]
    pub name: Option<String>,
    /// The repository.
    pub source_ref: Option<SourceReference>,
}

/// One of `spec.dependsOn`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Dependency {
    /// Its name.
    pub name: String,
    /// Its namespace; the object's own by default.
    pub namespace: Option<String>,
}

/// `spec.kubeConfig`: present means that the objects go to another cluster.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct KubeConfig {
    /// A Secret with a kubeconfig, in the object's own namespace.
    pub secret_ref: Option<SecretKey>,
    /// A ConfigMap that names a cluster for workload identity, in the object's own namespace (Flux 2.7 and later).
    pub config_map_ref: Option<SecretKey>,
}

/// `spec.kubeConfig.secretRef` and `configMapRef`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct SecretKey {
    /// Name of the Secret or ConfigMap.
    pub name: String,
    /// Key in the Secret; `value`, then `value.yaml` where absent.
    pub key: Option<String>,
}

/// What a Kustomization does to what it builds: `KustomizationSpec` of kustomize-controller.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Build {
    /// Whether what is no longer in the source is deleted.
    pub prune: bool,
    /// Namespace of all objects, over what they say themselves.
    pub target_namespace: Option<String>,
    /// Put in front of all names.
    pub name_prefix: Option<String>,
    /// Put behind all names.
    pub name_suffix: Option<String>,
    /// `components` of the kustomization, after its own.
    #[serde(deserialize_with = "null_as_default")]
    pub components: Vec<String>,
    /// `patches` of the kustomization, after its own.
    #[serde(deserialize_with = "null_as_default")]
    pub patches: Vec<Value>,
    /// `images` of the kustomization, over its own.
    #[serde(deserialize_with = "null_as_default")]
    pub images: Vec<Value>,
    /// Labels and annotations for all objects.
    #[serde(deserialize_with = "null_as_default")]
    pub common_metadata: CommonMetadata,
    /// Variables that are put in after the build.
    pub post_build: Option<PostBuild>,
    /// How encrypted files are decrypted.
    pub decryption: Option<Value>,
    /// Differences that do not count: `{paths, target}` (Flux 2.9 and later). Text for a source.
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
    /// ConfigMaps and Secrets with more of them; `substitute` wins.
    #[serde(deserialize_with = "null_as_default")]
    pub substitute_from: Vec<SubstituteFrom>,
}

/// One of `spec.postBuild.substituteFrom`, in the Kustomization's own namespace.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct SubstituteFrom {
    /// `ConfigMap` or `Secret`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Whether it may be missing.
    pub optional: bool,
}

/// What Flux saw and did.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Status {
    #[serde(deserialize_with = "null_as_default")]
    conditions: Vec<Condition>,
    observed_generation: Option<i64>,
    /// The revision that was applied.
    pub last_applied_revision: Option<String>,
    /// The revision that was tried.
    pub last_attempted_revision: Option<String>,
    /// What a source has fetched.
    pub artifact: Option<Artifact>,
    /// What a Kustomization or HelmRelease applied.
    pub inventory: Option<Inventory>,
    /// Recent attempts of a Kustomization; of a HelmRelease, its releases.
    #[serde(deserialize_with = "null_as_default")]
    pub history: Vec<Attempts>,
    /// How often a HelmRelease failed, one time after the other.
    pub failures: u64,
    /// `<namespace>/<name>` of the HelmChart that was made for a HelmRelease.
    pub helm_chart: Option<String>,
    /// The last request to reconcile that was heard: the value of its annotation.
    pub last_handled_reconcile_at: Option<String>,
}

impl Status {
    /// What it applied, by its inventory.
    pub fn deployed(&self) -> impl Iterator<Item = ObjectKey> {
        let entries = self.inventory.iter().flat_map(|inventory| &inventory.entries);
        entries.filter_map(|entry| inventory_key(&entry.id))
    }
}

/// One of `status.history`. Of a Kustomization: attempts with the same manifests that ended alike (`Snapshot` of
/// `fluxcd/pkg/apis/kustomize` history). Of a HelmRelease: a release, with `status` and `chartVersion` (`Snapshot` of
/// helm-controller), and none of the other fields.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Attempts {
    /// When the first of them ended.
    #[serde(deserialize_with = "lenient_time")]
    pub first_reconciled: Option<Timestamp>,
    /// When the last of them ended.
    #[serde(deserialize_with = "lenient_time")]
    pub last_reconciled: Option<Timestamp>,
    /// How: the reason that Ready had, such as `ReconciliationSucceeded` or `HealthCheckFailed`.
    pub last_reconciled_status: String,
    /// How many there were.
    pub total_reconciliations: u64,
    /// What Helm says of a release: `deployed`, `failed`, `superseded`.
    pub status: String,
    /// The version of the chart that was released.
    pub chart_version: Option<String>,
}

/// `status.artifact` of a source.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Artifact {
    /// Branch and commit, tag or digest.
    pub revision: String,
}

/// `status.inventory`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Inventory {
    /// One entry an object.
    #[serde(deserialize_with = "null_as_default")]
    pub entries: Vec<Entry>,
}

/// One of `status.inventory.entries`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Entry {
    /// `<namespace>_<name>_<group>_<kind>`.
    pub id: String,
}

impl Entry {
    /// The object, as `Kind/name` or `Kind/name -n namespace`.
    pub fn words(&self) -> String {
        let parts: Vec<&str> = self.id.split('_').collect();
        match parts.as_slice() {
            ["", name, _, kind] => format!("{kind}/{name}"),
            [namespace, name, _, kind] => format!("{kind}/{name} -n {namespace}"),
            _ => self.id.clone(),
        }
    }
}

impl Fields for FluxObject {
    type Spec = Spec;
    type Status = Status;

    fn narrow(spec: Spec, mut status: Status) -> Narrowed {
        Narrowed {
            conditions: std::mem::take(&mut status.conditions),
            observed_generation: status.observed_generation,
            body: Body::Flux(Box::new(Self { spec, status })),
        }
    }
}

/// An entry of an inventory: `<namespace>_<name>_<group>_<kind>`, a colon of an RBAC name as `__` (cli-utils
/// `ObjMetadata`).
pub fn inventory_key(id: &str) -> Option<ObjectKey> {
    let (rest, kind) = id.rsplit_once('_')?;
    let (rest, group) = rest.rsplit_once('_')?;
    let (namespace, name) = rest.split_once('_')?;
    Some(ObjectKey {
        group: group.to_owned(),
        kind: kind.to_owned(),
        namespace: Some(namespace.to_owned()).filter(|namespace| !namespace.is_empty()),
        name: name.replace("__", ":"),
    })
}
