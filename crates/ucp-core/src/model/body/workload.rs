//! Fields of Deployments, StatefulSets, DaemonSets, and CronJobs: replicas, rollout, and images.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::narrowed::{BodyFields, NarrowedFields};
use crate::model::condition::Condition;
use crate::model::metadata::null_as_default;

/// A workload.
#[derive(Debug, Clone, Default)]
pub struct Workload {
    /// Desired number of replicas; one by default.
    pub wanted: i64,
    /// Number of ready replicas.
    pub ready: i64,
    /// `spec.paused`: the rollout is paused.
    pub is_paused: bool,
    /// Images of its containers.
    pub images: Vec<String>,
    /// Images of its init containers.
    pub init_images: Vec<String>,
    /// Progress of the newest template.
    pub rollout: Rollout,
    /// Labels of its pods.
    pub pod_labels: BTreeMap<String, String>,
    /// Programs of its containers: the last path segment of the first word of `command` and of `args`.
    pub programs: Vec<String>,
    /// Flags and environment variables of [`SETTINGS`], which determine the objects that a controller reconciles.
    pub settings: BTreeMap<&'static str, String>,
}

/// Progress of the newest template of a workload, as computed by `kubectl rollout status`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Rollout {
    /// All replicas are updated and available, and no old ones are left.
    #[default]
    Complete,
    /// Not complete yet, and may never be.
    Underway {
        /// Number of updated replicas, limited by the number of available ones.
        done: i64,
        /// Desired number of replicas.
        wanted: i64,
    },
}

/// Settings that determine the objects that a controller reconciles, as flags or environment variables:
/// `watch-label-selector` and `watch-all-namespaces` of Flux, `package-runtime` of Crossplane. And the ServiceAccount that
/// Flux impersonates for an object that names none.
pub const SETTINGS: [&str; 7] = [
    "watch-label-selector",
    "watch-all-namespaces",
    "default-service-account",
    "package-runtime",
    "PACKAGE_RUNTIME",
    "txt-owner-id",
    "EXTERNAL_DNS_TXT_OWNER_ID",
];

/// Serialized form of `spec`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct WorkloadSpec {
    replicas: Option<i64>,
    paused: bool,
    #[serde(deserialize_with = "null_as_default")]
    selector: LabelsOrMatchLabels,
    template: PodTemplate,
    /// Set for a CronJob, which has no replicas.
    job_template: Option<JobTemplate>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct JobTemplate {
    spec: JobSpec,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct JobSpec {
    template: PodTemplate,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct LabelsOrMatchLabels {
    #[serde(deserialize_with = "null_as_default")]
    match_labels: BTreeMap<String, String>,
    #[serde(deserialize_with = "null_as_default")]
    labels: BTreeMap<String, String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct PodTemplate {
    #[serde(deserialize_with = "null_as_default")]
    metadata: LabelsOrMatchLabels,
    spec: PodSpec,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct PodSpec {
    #[serde(deserialize_with = "null_as_default")]
    containers: Vec<WorkloadContainer>,
    #[serde(deserialize_with = "null_as_default")]
    init_containers: Vec<WorkloadContainer>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct WorkloadContainer {
    image: String,
    #[serde(deserialize_with = "null_as_default")]
    command: Vec<String>,
    #[serde(deserialize_with = "null_as_default")]
    args: Vec<String>,
    #[serde(deserialize_with = "null_as_default")]
    env: Vec<EnvironmentVariable>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct EnvironmentVariable {
    name: String,
    #[serde(deserialize_with = "null_as_default")]
    value: String,
}

impl WorkloadContainer {
    fn programs(&self) -> impl Iterator<Item = String> {
        let last_part = |word: &String| word.rsplit('/').next().unwrap_or_default().to_owned();
        [self.command.first(), self.args.first()].into_iter().flatten().map(last_part)
    }

    fn settings(&self) -> impl Iterator<Item = (&'static str, String)> {
        let words: Vec<&String> = self.command.iter().chain(&self.args).collect();
        let flag = |name: &str| {
            words.iter().enumerate().find_map(|(index, word)| {
                let rest = word.trim_start_matches('-').strip_prefix(name)?;
                match rest.strip_prefix('=') {
                    Some(value) => Some(value.to_owned()),
                    // A flag on its own is true; the next word is its value, or another flag.
                    None if rest.is_empty() => {
                        let next = words.get(index + 1).filter(|next| !next.starts_with('-'));
                        Some(next.map_or_else(|| "true".to_owned(), |next| (*next).clone()))
                    }
                    None => None,
                }
            })
        };
        let variable =
            |name: &str| self.env.iter().find(|variable| variable.name == name).map(|variable| variable.value.clone());
        SETTINGS
            .into_iter()
            .filter_map(move |name| Some((name, flag(name).or_else(|| variable(name))?)))
            .collect::<Vec<_>>()
            .into_iter()
    }
}

/// Serialized form of `status`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct WorkloadStatus {
    #[serde(deserialize_with = "null_as_default")]
    conditions: Vec<Condition>,
    replicas: i64,
    ready_replicas: i64,
    updated_replicas: i64,
    available_replicas: i64,
    /// Set for a DaemonSet, whose number of replicas depends on the nodes and which has other field names.
    desired_number_scheduled: Option<i64>,
    updated_number_scheduled: i64,
    number_available: i64,
    observed_generation: Option<i64>,
}

impl WorkloadStatus {
    fn rollout(&self, spec: &WorkloadSpec) -> Rollout {
        let (wanted, updated, available, old) = match self.desired_number_scheduled {
            _ if spec.job_template.is_some() => return Rollout::Complete,
            Some(wanted) => (wanted, self.updated_number_scheduled, self.number_available, 0),
            None => {
                let old = self.replicas - self.updated_replicas;
                (spec.replicas.unwrap_or(1), self.updated_replicas, self.available_replicas, old)
            }
        };
        let done = updated.min(available).min(wanted);
        // The status is meaningless until a controller has reconciled the object.
        let is_seen = self.observed_generation.is_some();
        if done == wanted && old <= 0 && is_seen { Rollout::Complete } else { Rollout::Underway { done, wanted } }
    }
}

impl BodyFields for Workload {
    type Spec = WorkloadSpec;
    type Status = WorkloadStatus;

    fn narrow(spec: WorkloadSpec, status: WorkloadStatus) -> NarrowedFields<Self> {
        let rollout = status.rollout(&spec);
        let template = spec.job_template.map_or(spec.template, |jobs| jobs.spec.template);
        let PodSpec { containers, init_containers } = template.spec;
        let mut pod_labels = spec.selector.match_labels;
        pod_labels.extend(template.metadata.labels);
        NarrowedFields {
            conditions: status.conditions,
            observed_generation: status.observed_generation,
            body: Self {
                wanted: spec.replicas.unwrap_or(1),
                ready: status.ready_replicas,
                is_paused: spec.paused,
                pod_labels,
                programs: containers.iter().flat_map(WorkloadContainer::programs).collect(),
                settings: containers.iter().flat_map(WorkloadContainer::settings).collect(),
                images: containers.into_iter().map(|container| container.image).collect(),
                init_images: init_containers.into_iter().map(|container| container.image).collect(),
                rollout,
            },
        }
    }
}
