//! Fields of Flux's sources, Kustomizations and HelmReleases.

use serde::Deserialize;

use super::{Body, Fields, Narrowed};
use crate::model::condition::Condition;
use crate::model::metadata::null_as_default;

/// An object of Flux.
#[derive(Debug, Clone, Default)]
pub struct Flux {
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
    pub chart: Option<Chart>,
    /// Others of its own kind that must be ready first.
    #[serde(deserialize_with = "null_as_default")]
    pub depends_on: Vec<Dependency>,
    /// Directory in the source.
    pub path: Option<String>,
    /// The other cluster that it applies to, if any.
    pub kube_config: Option<KubeConfig>,
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

/// `spec.chart.spec`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ChartSpec {
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

impl Fields for Flux {
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
