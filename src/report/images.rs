//! `ImageMatrix`: which version of each image is declared and runs, by environment.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use crate::gitops::discover::Discovery;
use crate::model::state::{Origin, Unreadable};
use crate::report::API_VERSION;
use crate::report::promotion::RepositoryPath;
use crate::report::sources::{Combine, Source, Sourced, unmarked};
use crate::slot::artifact::What;

/// The document `ImageMatrix`.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImageMatrix {
    api_version: &'static str,
    kind: &'static str,
    /// Where the files are.
    pub source: RepositoryPath,
    /// The core clusters that were asked what runs, where there are several. Every service has its own `core`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<Source>,
    /// Environments in the order of promotion.
    pub environments: Vec<String>,
    /// Services by name; of several core clusters, each service once for each of them, those first of which least is known to
    /// run as declared.
    pub services: Vec<ServiceRow>,
    /// Overlays that cannot be built, and what of a cluster is not known.
    pub unreadable: Vec<Sourced<Unreadable>>,
    /// How services and environments were found: `--explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discovery: Option<Discovery>,
    /// Why each place is what it is: `--explain`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub slots: Vec<Explained>,
}

/// One service.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
pub struct ServiceRow {
    /// Its name.
    pub name: String,
    /// The core cluster that was asked what runs of it, in a document about several. Elsewhere that is called `source`,
    /// which is the repository here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub core: Option<Arc<Origin>>,
    /// Its images.
    pub images: Vec<ImageRow>,
}

/// One image of a service.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
pub struct ImageRow {
    /// The name that its manifests have: an image, a chart, a package, a repository; or a path where no name is known.
    pub name: String,
    /// What sort of thing it is.
    pub kind: What,
    /// Versions by environment.
    pub versions: BTreeMap<String, Versions>,
}

/// What an environment has of an image. Several versions of one image are separated by commas.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Versions {
    /// In Git.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub declared: Option<String>,
    /// In the cluster, as Argo CD sees it or as the workloads say that Flux applied. An image that runs under another name
    /// stands here with that name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub running: Option<String>,
    /// How the two compare; absent where no cluster was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs: Option<Runs>,
    /// Where that stands.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub slots: Vec<SlotRow>,
}

/// What runs of a declared version, the worst last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Runs {
    /// What is declared.
    Declared,
    /// It was not compared: nothing that was seen in the cluster deploys this, or more than one thing does.
    NotCompared,
    /// A workload was given it and does not run it yet, or not at all.
    RollingOut,
    /// Another version, or an image of another name.
    Other,
    /// Nothing.
    Nothing,
    /// Nobody knows.
    Unknown,
}

/// A place where a version stands.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
pub struct SlotRow {
    /// The file, from the top of the repository.
    pub file: String,
    /// Line, counted from one.
    pub line: usize,
    /// The way to the value.
    pub path: String,
    /// By what it is known for a version.
    pub by: String,
}

/// Why a place is what it is: `--explain`.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
pub struct Explained {
    /// The service.
    pub service: String,
    /// Its environments.
    pub environments: Vec<String>,
    /// What it is a version of.
    pub name: String,
    /// The version.
    pub version: String,
    /// Where it stands.
    pub slot: SlotRow,
    /// What says that it is in these environments.
    pub because: String,
}

impl ImageMatrix {
    /// Whether it is about several core clusters.
    pub fn is_of_several(&self) -> bool {
        !self.sources.is_empty()
    }

    /// A matrix of these services.
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
            environments,
            services,
            unreadable: unmarked(unreadable),
            discovery: None,
            slots: Vec::new(),
        }
    }
}

/// Each core cluster answers for all services, whatever of them it deploys.
impl Combine for ImageMatrix {
    fn name_sources(&mut self, sources: Vec<Source>) {
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
    /// The worst of what runs of it.
    fn worst(&self) -> Option<Runs> {
        self.images.iter().filter_map(ImageRow::worst).max()
    }
}

impl ImageRow {
    /// The worst of what runs of it.
    pub fn worst(&self) -> Option<Runs> {
        self.versions.values().filter_map(|versions| versions.runs).max()
    }

    /// Whether the core cluster that was asked deploys it anywhere.
    pub fn is_compared(&self) -> bool {
        let is_compared = |versions: &Versions| versions.runs != Some(Runs::NotCompared) || versions.running.is_some();
        self.versions.values().any(is_compared)
    }

    /// Whether every environment that has the image declares the same version of it.
    pub fn is_level(&self) -> bool {
        let mut declared = self.versions.values().map(|versions| &versions.declared);
        let first = declared.next();
        declared.all(|version| Some(version) == first)
    }
}
