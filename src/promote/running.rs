//! Running versions, as reported by Argo CD or by the workloads that Flux applied, and the health checks before a
//! promotion.

mod elsewhere;
mod flux;
mod remote;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use jiff::Timestamp;

use ucp_core::engine::argocd;
use ucp_core::engine::controller;
use ucp_core::engine::outage::Controllers;
use ucp_core::failure::{Failure, fail};
use ucp_core::model::body::argocd::DeployedResource;
use ucp_core::model::body::{Body, BodyShape, KindRequest};
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::image::{ImageReference, ImageVersion, fully_qualified_name};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::ObjectKey;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::{ClusterState, Origin};
use ucp_core::model::time::human_duration;
use ucp_repo::git::identity;
use ucp_repo::gitops::path;

pub use elsewhere::AppClusterWorkloads;
pub use remote::read_app_clusters;

/// A deployer of an overlay, an Argo CD Application or a Flux Kustomization, with its running versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningDeployer {
    /// The engine of the deployer.
    pub engine: GitOps,
    /// Kind, namespace and name, for messages.
    pub title: String,
    /// The directories that it deploys, relative to the root of their repository.
    pub paths: Vec<String>,
    /// The URLs of their repositories.
    pub repositories: Vec<String>,
    /// `status.sync.status` of an Application, or its equivalent.
    pub sync: String,
    /// `status.health.status` of an Application, or its equivalent.
    pub health: String,
    /// `status.summary.images` of an Application, or the images of the workloads that a Kustomization applied; an error
    /// if they are unknown.
    pub images: Result<Vec<String>, Failure>,
    /// The chart versions of the HelmReleases that it applied; `None` for one that has released nothing.
    pub charts: BTreeMap<ObjectKey, Option<String>>,
    /// The revisions that it has deployed, as it reports them.
    pub revisions: Vec<String>,
    /// A workload that does not run its current spec, with its progress.
    pub unfinished: Option<String>,
    /// A controller that it depends on and that is not running: all other fields are as of its last reconciliation.
    pub outage: Option<String>,
    /// The time since which it runs these versions: its last deployment, or the last change of its health if that was
    /// later.
    pub since: Option<Timestamp>,
}

impl RunningDeployer {
    /// Returns the deployer for an Application; `None` for other resources.
    pub fn from_resource(resource: &Resource) -> Option<Self> {
        let Body::Application(application) = &resource.body else { return None };
        let (spec, status) = (&application.spec, &application.status);
        let deployed = status.history.last().and_then(|deployment| deployment.deployed_at);
        let operation = status.operation_state.as_ref().and_then(|operation| operation.finished_at);
        let sources = spec.source.iter().chain(&spec.sources);
        let paths =
            sources.clone().filter_map(|source| path::join("", source.path.as_deref()?.trim_start_matches('/')));
        let namespace = resource.metadata.namespace.as_deref().unwrap_or_default();
        Some(Self {
            engine: GitOps::ArgoCd,
            title: format!("Application {namespace}/{}", resource.metadata.name),
            paths: paths.collect(),
            repositories: sources.map(|source| source.repo_url.clone()).collect(),
            sync: status.sync.status.clone(),
            health: status.health.status.clone(),
            images: Ok(status.summary.images.clone()),
            charts: BTreeMap::new(),
            revisions: status.sync.revision.iter().chain(&status.sync.revisions).cloned().collect(),
            // The health of the Application includes its workloads.
            unfinished: None,
            outage: None,
            since: [deployed.or(operation), status.health.last_transition_time].into_iter().flatten().max(),
        })
    }

    /// Returns true if it is declared in the repository with this kind and name.
    pub fn is_declared_as(&self, title: &str) -> bool {
        let own = self.title.split_once(' ').zip(title.split_once(' '));
        own.is_some_and(|((kind, name), (other, wanted))| kind == other && last_part(name) == wanted)
    }

    /// Returns the running chart version of a HelmRelease; `None` if it applied no such HelmRelease.
    pub fn chart(&self, release: &str, namespace: Option<&str>) -> Option<Option<&str>> {
        let is_it = |key: &&ObjectKey| {
            key.name == release && namespace.is_none_or(|namespace| key.namespace.as_deref() == Some(namespace))
        };
        let key = self.charts.keys().find(is_it)?;
        Some(self.charts[key].as_deref())
    }

    /// Returns the running versions of an image that is declared under one of `names`. `declared` contains the full
    /// names of all declared images.
    pub fn runs(&self, names: &BTreeSet<&str>, declared: &BTreeSet<String>) -> RunningImages {
        let images: Vec<ImageReference> = match &self.images {
            Ok(images) => images.iter().map(|image| ImageReference::split(image)).collect(),
            Err(reason) => return RunningImages::Unknown(reason.clone().into()),
        };
        let own: BTreeSet<String> = names.iter().map(|name| fully_qualified_name(name)).collect();
        let (mine, others): (Vec<_>, Vec<_>) =
            images.into_iter().partition(|image| own.contains(&fully_qualified_name(&image.name)));
        if !mine.is_empty() {
            return RunningImages::Versions(mine.into_iter().map(|image| image.version).collect());
        }
        // A registry mirror, or a patch that is not in the files, gives it another name with the same last segment.
        let ends: BTreeSet<&str> = own.iter().map(|name| last_part(name)).collect();
        let is_namesake = |image: &ImageReference| {
            let name = fully_qualified_name(&image.name);
            !declared.contains(&name) && ends.contains(last_part(&name))
        };
        let namesakes: BTreeSet<ImageReference> = others.into_iter().filter(is_namesake).collect();
        if namesakes.is_empty() { RunningImages::Nothing } else { RunningImages::Others(namesakes) }
    }

    /// Returns the reason why the running versions are unknown. Versions of an Application are known only from Argo CD;
    /// those that Flux applied are read from the workloads.
    pub fn unknown_reason(&self) -> Option<String> {
        let outage = self.outage.as_ref().filter(|_| self.engine == GitOps::ArgoCd);
        let old = outage.map(|outage| format!("its running version is as of the last check by Argo CD: {outage}"));
        self.images.as_ref().err().map(Failure::to_string).or(old)
    }
}

fn last_part(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or_default()
}

/// The running state of a declared image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunningImages {
    /// These versions of the image run.
    Versions(BTreeSet<ImageVersion>),
    /// Images with other names run in its place.
    Others(BTreeSet<ImageReference>),
    /// No such image runs.
    Nothing,
    /// The running versions are unknown. Contains the reason.
    Unknown(String),
}

/// The deployers of a cluster, which deploy from Git to this cluster or to others.
#[derive(Debug, Clone, Default)]
pub struct RunningDeployers {
    /// All deployers.
    pub deployers: Vec<RunningDeployer>,
    /// The time of the cluster state.
    pub moment: Timestamp,
}

impl RunningDeployers {
    /// Returns the deployers of a state, with the state of the app clusters that they deploy to.
    pub fn from_state(state: &ClusterState, elsewhere: &AppClusterWorkloads) -> Self {
        let controllers = Controllers::from_state(state);
        let mut deployers = Vec::new();
        for resource in &state.resources {
            let application = RunningDeployer::from_resource(resource).map(|mut application| {
                application.images = deployed_workloads(state, resource).and(application.images);
                application
            });
            let deployer = application.or_else(|| flux::deployer(state, resource, elsewhere));
            let outage = deployer.is_some().then(|| controllers.outage(resource)).flatten();
            deployers.extend(
                deployer
                    .map(|deployer| RunningDeployer { outage: outage.map(|outage| outage.to_sentence()), ..deployer }),
            );
        }
        Self { deployers, moment: state.moment }
    }

    /// Returns the parts of a kind to read: deployers, deployed workloads, and controllers.
    pub fn want(kind: &ResourceKind) -> Option<KindRequest> {
        let is_application = kind.group == argocd::GROUP && kind.kind == "Application";
        if is_application {
            return Some(KindRequest::all(BodyShape::Application));
        }
        controller::want(kind).or_else(|| flux::want(kind))
    }

    /// Returns the deployers of an overlay. If several repositories have the directory, those with a repository in
    /// `remotes` are preferred.
    pub fn deployers_of_overlay(&self, directory: &str, remotes: &[String]) -> Vec<&RunningDeployer> {
        self.deployers_of_paths(remotes, |path| path == directory)
    }

    /// Returns the deployers of any directory for which `is_meant` returns true, with the same preference.
    pub fn deployers_of_paths(&self, remotes: &[String], is_meant: impl Fn(&str) -> bool) -> Vec<&RunningDeployer> {
        let deploys = |deployer: &&RunningDeployer| deployer.paths.iter().any(|path| is_meant(path));
        let all: Vec<&RunningDeployer> = self.deployers.iter().filter(deploys).collect();
        let ours = |deployer: &&&RunningDeployer| {
            deployer
                .repositories
                .iter()
                .any(|url| remotes.iter().any(|remote| identity::is_same_repository(url, remote)))
        };
        let here: Vec<&RunningDeployer> = all.iter().filter(ours).copied().collect();
        if here.is_empty() { all } else { here }
    }

    /// Returns the directories from which a file is deployed: those of `directories` with a deployer, or the nearest
    /// parent.
    pub fn deployed_directories<'f>(&self, file: &'f str, directories: &[&'f str], remotes: &[String]) -> Vec<&'f str> {
        let deployed = |directory: &&str| !self.deployers_of_overlay(directory, remotes).is_empty();
        let named: Vec<&str> = directories.iter().copied().filter(deployed).collect();
        if !named.is_empty() {
            return named;
        }
        let mut directory = path::parent(file);
        while !directory.is_empty() && !deployed(&directory) {
            directory = path::parent(directory);
        }
        Some(directory).filter(deployed).into_iter().collect()
    }

    /// Checks the deployers of a file, which deploy one of `directories` or the nearest parent directory.
    ///
    /// # Errors
    /// Fails like [`RunningDeployers::check`].
    pub fn check_file(
        &self,
        file: &str,
        directories: &[&str],
        remotes: &[String],
        images: &[ImageReference],
        soak: Option<Duration>,
    ) -> Result<(), Failure> {
        match self.deployed_directories(file, directories, remotes).as_slice() {
            [] => self.check(path::parent(file), remotes, images, soak),
            found => found.iter().try_for_each(|directory| self.check(directory, remotes, images, soak)),
        }
    }

    /// Checks that the deployers of an overlay are healthy, and have been running these images for at least `soak`.
    ///
    /// # Errors
    /// Fails with the first condition that is not met, and its deployer.
    pub fn check(
        &self,
        directory: &str,
        remotes: &[String],
        images: &[ImageReference],
        soak: Option<Duration>,
    ) -> Result<(), Failure> {
        let deployers = self.deployers_of_overlay(directory, remotes);
        if deployers.is_empty() {
            return fail!(
                "no Application or Kustomization deploys {directory}, so it is unknown whether it is running"
            );
        }
        for deployer in deployers {
            let title = &deployer.title;
            if let Some(outage) = &deployer.outage {
                return fail!("the state of {title} is out of date: {outage}");
            }
            if deployer.sync != "Synced" {
                return fail!("{title} is {}", or_unknown(&deployer.sync));
            }
            if deployer.health != "Healthy" {
                return fail!("{title} is {}", or_unknown(&deployer.health));
            }
            if let Some(unfinished) = &deployer.unfinished {
                return fail!("{title} is not finished: {unfinished}");
            }
            let declared = images.iter().map(|image| fully_qualified_name(&image.name)).collect();
            for image in images {
                match deployer.runs(&BTreeSet::from([image.name.as_str()]), &declared) {
                    RunningImages::Versions(versions) if versions.contains(&image.version) => {}
                    RunningImages::Versions(versions) => {
                        return fail!("{title} runs {}, not {image}", listed(&versions));
                    }
                    RunningImages::Others(others) => {
                        return fail!("{title} runs {} instead of {image}", listed(&others));
                    }
                    RunningImages::Nothing => return fail!("{title} does not run {image}"),
                    RunningImages::Unknown(reason) => {
                        return fail!("the image that {title} runs is unknown: {reason}");
                    }
                }
            }
            let age = deployer.since.map(|since| self.moment.as_second() - since.as_second());
            match (soak, age) {
                (None, _) => {}
                (Some(soak), Some(age)) if i64::try_from(soak.as_secs()).is_ok_and(|soak| age >= soak) => {}
                (Some(soak), age) => {
                    let seconds = i64::try_from(soak.as_secs()).unwrap_or(i64::MAX);
                    let age = age.map_or_else(|| "an unknown time".to_owned(), human_duration);
                    return fail!(
                        "{title} has been running it for {age}, and --soak requires {}",
                        human_duration(seconds)
                    );
                }
            }
        }
        Ok(())
    }
}

/// Checks that each workload that an Application deploys to this cluster was read. Those in other clusters, and those of a
/// snapshot, are known from Argo CD alone.
///
/// # Errors
/// Fails with the first workload that is missing.
fn deployed_workloads(state: &ClusterState, resource: &Resource) -> Result<(), Failure> {
    let Body::Application(application) = &resource.body else { return Ok(()) };
    if !application.spec.destination.is_this_cluster() || matches!(state.origin, Origin::Snapshot { .. }) {
        return Ok(());
    }
    // A namespace that was not requested was not read.
    let is_read = |key: &ObjectKey| state.namespace.is_none() || key.namespace == state.namespace;
    let there = application.status.resources.iter().filter(|deployed| deployed.status == "Synced" && !deployed.hook);
    flux::require_deployed(there.map(DeployedResource::key).filter(is_read), &state.resources)
}

fn listed<T: ToString>(all: &BTreeSet<T>) -> String {
    all.iter().map(T::to_string).collect::<Vec<_>>().join(", ")
}

fn or_unknown(state: &str) -> &str {
    if state.is_empty() { "of unknown state" } else { state }
}

#[cfg(test)]
mod tests;
