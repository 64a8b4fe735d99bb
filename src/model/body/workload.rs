//! Fields of a Deployment or StatefulSet that runs a controller.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{Body, Fields, Narrowed};
use crate::model::condition::Condition;
use crate::model::metadata::null_as_default;

/// A workload.
#[derive(Debug, Clone, Default)]
pub struct Workload {
    /// Replicas that should run; one where the spec is silent.
    pub wanted: i64,
    /// Replicas that are ready.
    pub ready: i64,
    /// Images of its containers.
    pub images: Vec<String>,
    /// Labels of its pods.
    pub pod_labels: BTreeMap<String, String>,
    /// What its containers run: the last part of the first word of `command` and of `args`.
    pub programs: Vec<String>,
    /// Flags and environment variables of [`SETTINGS`], which decide what it looks after.
    pub settings: BTreeMap<&'static str, String>,
}

/// Settings that decide what a controller looks after, as flags or as environment variables:
/// `watch-label-selector` and `watch-all-namespaces` of Flux, `package-runtime` of Crossplane.
pub const SETTINGS: [&str; 4] = ["watch-label-selector", "watch-all-namespaces", "package-runtime", "PACKAGE_RUNTIME"];

/// `spec` on the wire.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Spec {
    replicas: Option<i64>,
    #[serde(deserialize_with = "null_as_default")]
    selector: Labels,
    template: Template,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Labels {
    #[serde(deserialize_with = "null_as_default")]
    match_labels: BTreeMap<String, String>,
    #[serde(deserialize_with = "null_as_default")]
    labels: BTreeMap<String, String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Template {
    #[serde(deserialize_with = "null_as_default")]
    metadata: Labels,
    spec: PodSpec,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct PodSpec {
    #[serde(deserialize_with = "null_as_default")]
    containers: Vec<Container>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Container {
    image: String,
    #[serde(deserialize_with = "null_as_default")]
    command: Vec<String>,
    #[serde(deserialize_with = "null_as_default")]
    args: Vec<String>,
    #[serde(deserialize_with = "null_as_default")]
    env: Vec<Variable>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Variable {
    name: String,
    #[serde(deserialize_with = "null_as_default")]
    value: String,
}

impl Container {
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

/// `status` on the wire.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Status {
    #[serde(deserialize_with = "null_as_default")]
    conditions: Vec<Condition>,
    ready_replicas: i64,
    observed_generation: Option<i64>,
}

impl Fields for Workload {
    type Spec = Spec;
    type Status = Status;

    fn narrow(spec: Spec, status: Status) -> Narrowed {
        let containers = spec.template.spec.containers;
        let mut pod_labels = spec.selector.match_labels;
        pod_labels.extend(spec.template.metadata.labels);
        Narrowed {
            conditions: status.conditions,
            observed_generation: status.observed_generation,
            body: Body::Workload(Box::new(Self {
                wanted: spec.replicas.unwrap_or(1),
                ready: status.ready_replicas,
                pod_labels,
                programs: containers.iter().flat_map(Container::programs).collect(),
                settings: containers.iter().flat_map(Container::settings).collect(),
                images: containers.into_iter().map(|container| container.image).collect(),
            })),
        }
    }
}
