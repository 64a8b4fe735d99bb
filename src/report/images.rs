//! The document `ImageMatrix`: the declared and running versions of each image, by environment.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use crate::report::API_VERSION;
use crate::report::promotion::RepositoryPath;
use crate::report::sources::{CombineSources, DocumentSource, Sourced, without_sources};
use ucp_core::model::state::{Origin, Unreadable};
use ucp_repo::gitops::discover::Discovery;
use ucp_repo::slot::artifact::ArtifactKind;

/// The document `ImageMatrix`.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImageMatrix {
    api_version: &'static str,
    kind: &'static str,
    /// The repository that was read.
    pub source: RepositoryPath,
    /// The core clusters that were read for running versions, if there are several. Every service then has its own
    /// `core`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<DocumentSource>,
    /// The core cluster that was read for running versions, if there is only one.
    #[serde(skip)]
    pub core: Option<DocumentSource>,
    /// Environments in the order of promotion.
    pub environments: Vec<String>,
    /// Services by name. With several core clusters, each service has one row for each of them, and the services whose
    /// running state is least certain come first.
    pub services: Vec<ServiceRow>,
    /// Overlays that cannot be built, and cluster objects that could not be read.
    pub unreadable: Vec<Sourced<Unreadable>>,
    /// The discovery of services and environments, with `--explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discovery: Option<Discovery>,
    /// The reasons for each slot, with `--explain`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub slots: Vec<SlotExplanation>,
}

/// One service.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
pub struct ServiceRow {
    /// The name of the service.
    pub name: String,
    /// The core cluster that was read for running versions, in a document about several. Other documents call it
    /// `source`, which is the repository here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub core: Option<Arc<Origin>>,
    /// The images of the service.
    pub images: Vec<ImageRow>,
}

/// One image of a service.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
pub struct ImageRow {
    /// The name in the manifests: an image, a chart, a package, or a repository; a path if no name is known.
    pub name: String,
    /// The kind of artifact.
    pub kind: ArtifactKind,
    /// Versions by environment.
    pub versions: BTreeMap<String, EnvironmentVersions>,
}

/// The versions of an image in one environment. Several versions are separated by commas.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct EnvironmentVersions {
    /// The version declared in Git.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub declared: Option<String>,
    /// The version in the cluster, as reported by Argo CD or by the workloads that Flux applied. An image that runs
    /// under another name is listed with that name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub running: Option<String>,
    /// The comparison of the two; absent if no cluster was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs: Option<RunningState>,
    /// The slots that declare the version.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub slots: Vec<SlotRow>,
}

/// The running state of a declared version, worst last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum RunningState {
    /// The declared version runs.
    Declared,
    /// Not compared: no deployer seen in the cluster deploys it, or more than one does.
    NotCompared,
    /// The workload has the version in its spec, but does not run it yet or does not run at all.
    RollingOut,
    /// Another version runs, or an image of another name.
    Other,
    /// No workload runs.
    Nothing,
    /// The running version is unknown.
    Unknown,
}

/// The location of a slot.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
pub struct SlotRow {
    /// The file, relative to the root of the repository.
    pub file: String,
    /// The line number, starting at 1.
    pub line: usize,
    /// The path of the value in the file.
    pub path: String,
    /// The rule that recognized the value as a version.
    pub by: String,
}

/// The reason for one slot, with `--explain`.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
pub struct SlotExplanation {
    /// The service of the slot.
    pub service: String,
    /// The environments of the slot.
    pub environments: Vec<String>,
    /// The name of the artifact.
    pub name: String,
    /// The version in the slot.
    pub version: String,
    /// The location of the slot.
    pub slot: SlotRow,
    /// The reason why the slot belongs to these environments.
    pub because: String,
}

/// Splits the versions of one artifact in one environment.
pub fn split_versions(versions: Option<&str>) -> Vec<String> {
    let versions = versions.into_iter().flat_map(|text| text.split(", ")).filter(|version| !version.is_empty());
    versions.map(str::to_owned).collect()
}

impl ImageMatrix {
    /// Returns true if the document is about several core clusters.
    pub fn has_several_sources(&self) -> bool {
        !self.sources.is_empty()
    }

    /// Returns a matrix of these services.
    pub fn new(
        path: String,
        environments: Vec<String>,
        services: Vec<ServiceRow>,
        unreadable: Vec<Unreadable>,
    ) -> Self {
        let source = RepositoryPath { path };
        Self {
            api_version: API_VERSION,
            kind: "ImageMatrix",
            source,
            sources: Vec::new(),
            core: None,
            environments,
            services,
            unreadable: without_sources(unreadable),
            discovery: None,
            slots: Vec::new(),
        }
    }
}

/// Every core cluster reports on all services, including those that it does not deploy.
impl CombineSources for ImageMatrix {
    fn name_sources(&mut self, sources: Vec<DocumentSource>) {
        self.sources = sources;
    }

    fn unreadable(&mut self) -> &mut Vec<Sourced<Unreadable>> {
        &mut self.unreadable
    }

    fn mark(&mut self, source: &Arc<Origin>) {
        self.services.iter_mut().for_each(|service| service.core = Some(Arc::clone(source)));
    }

    fn add(&mut self, other: Self) {
        self.services.extend(other.services);
    }

    fn sort(&mut self) {
        self.services
            .sort_by(|left, right| (Reverse(left.worst()), &left.name).cmp(&(Reverse(right.worst()), &right.name)));
    }
}

impl ServiceRow {
    /// Returns the worst running state of its images.
    fn worst(&self) -> Option<RunningState> {
        self.images.iter().filter_map(ImageRow::worst).max()
    }
}

impl ImageRow {
    /// Returns the worst running state of its versions.
    pub fn worst(&self) -> Option<RunningState> {
        self.versions.values().filter_map(|versions| versions.runs).max()
    }

    /// Returns true if the core cluster deploys the image in any environment.
    pub fn is_compared(&self) -> bool {
        let is_compared = |versions: &EnvironmentVersions| {
            versions.runs != Some(RunningState::NotCompared) || versions.running.is_some()
        };
        self.versions.values().any(is_compared)
    }

    /// Returns true if all environments with the image declare the same version.
    pub fn has_equal_versions(&self) -> bool {
        let mut declared = self.versions.values().map(|versions| &versions.declared);
        let first = declared.next();
        declared.all(|version| Some(version) == first)
    }
}
