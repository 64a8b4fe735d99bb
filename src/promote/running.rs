//! What runs, as Argo CD saw it or as the workloads that Flux applied say, and whether that is good enough to promote.

mod flux;

use std::collections::BTreeSet;
use std::time::Duration;

use jiff::Timestamp;

use crate::engine::argocd;
use crate::git::identity;
use crate::gitops::path;
use crate::model::body::{Body, Shape, Want};
use crate::model::image::{Reference, Version};
use crate::model::kind::ResourceKind;
use crate::model::resource::Resource;
use crate::model::state::ClusterState;
use crate::model::time::human_duration;

/// What deploys an overlay, an Application of Argo CD or a Kustomization of Flux, as far as versions go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deployer {
    /// Kind, namespace and name, for messages.
    pub title: String,
    /// The directories that it deploys, from the top of their repository.
    pub paths: Vec<String>,
    /// The repositories that these are in.
    pub repositories: Vec<String>,
    /// `status.sync.status` of an Application, or its like.
    pub sync: String,
    /// `status.health.status` of an Application, or its like.
    pub health: String,
    /// `status.summary.images` of an Application, or the images of the workloads that a Kustomization applied.
    pub images: Vec<String>,
    /// Since when it runs what it runs: its last deployment, or the last change of its health if that came later.
    pub since: Option<Timestamp>,
}

impl Deployer {
    /// Narrows an Application; `None` where it is something else.
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
            title: format!("Application {namespace}/{}", resource.metadata.name),
            paths: paths.collect(),
            repositories: sources.map(|source| source.repo_url.clone()).collect(),
            sync: status.sync.status.clone(),
            health: status.health.status.clone(),
            images: status.summary.images.clone(),
            since: [deployed.or(operation), status.health.last_transition_time].into_iter().flatten().max(),
        })
    }

    /// The versions of an image that it runs.
    pub fn versions(&self, name: &str) -> BTreeSet<Version> {
        let images = self.images.iter().map(|image| Reference::split(image));
        images.filter(|image| image.name == name).map(|image| image.version).collect()
    }
}

/// What deploys from Git to a cluster, or from it to others.
#[derive(Debug, Clone, Default)]
pub struct Running {
    /// All of them.
    pub deployers: Vec<Deployer>,
    /// The moment that they speak of.
    pub moment: Timestamp,
}

impl Running {
    /// Those of a state.
    pub fn of(state: &ClusterState) -> Self {
        let mut deployers: Vec<Deployer> = state.resources.iter().filter_map(Deployer::from_resource).collect();
        deployers.extend(flux::deployers(state));
        Self { deployers, moment: state.moment }
    }

    /// What is needed of a kind for this.
    pub fn want(kind: &ResourceKind) -> Option<Want> {
        let is_application = kind.group == argocd::GROUP && kind.kind == "Application";
        if is_application { Some(Want::all(Shape::Application)) } else { flux::want(kind) }
    }

    /// What deploys an overlay. Where several repositories have a directory of that name, those whose
    /// repository is one of `remotes`.
    pub fn of_overlay(&self, directory: &str, remotes: &[String]) -> Vec<&Deployer> {
        let deploys = |deployer: &&Deployer| deployer.paths.iter().any(|path| path == directory);
        let all: Vec<&Deployer> = self.deployers.iter().filter(deploys).collect();
        let ours = |deployer: &&&Deployer| {
            deployer.repositories.iter().any(|url| remotes.iter().any(|remote| identity::is_same(url, remote)))
        };
        let here: Vec<&Deployer> = all.iter().filter(ours).copied().collect();
        if here.is_empty() { all } else { here }
    }

    /// Whether what deploys an overlay is well, and runs these images for long enough.
    ///
    /// # Errors
    /// The first thing that is not so, and of which deployer.
    pub fn gate(
        &self,
        directory: &str,
        remotes: &[String],
        images: &[Reference],
        soak: Option<Duration>,
    ) -> Result<(), String> {
        let deployers = self.of_overlay(directory, remotes);
        if deployers.is_empty() {
            return Err(format!(
                "no Application and no Kustomization deploys {directory}, so nothing says that it runs"
            ));
        }
        for deployer in deployers {
            let title = &deployer.title;
            if deployer.sync != "Synced" {
                return Err(format!("{title} is {}", or_unknown(&deployer.sync)));
            }
            if deployer.health != "Healthy" {
                return Err(format!("{title} is {}", or_unknown(&deployer.health)));
            }
            for image in images {
                let runs = deployer.versions(&image.name);
                if !runs.contains(&image.version) {
                    let runs: Vec<String> = runs.iter().map(Version::to_string).collect();
                    let runs = if runs.is_empty() { "no such image".to_owned() } else { runs.join(", ") };
                    return Err(format!("{title} runs {runs}, not {image}"));
                }
            }
            let age = deployer.since.map(|since| self.moment.as_second() - since.as_second());
            match (soak, age) {
                (None, _) => {}
                (Some(soak), Some(age)) if i64::try_from(soak.as_secs()).is_ok_and(|soak| age >= soak) => {}
                (Some(soak), age) => {
                    let seconds = i64::try_from(soak.as_secs()).unwrap_or(i64::MAX);
                    let age = age.map_or_else(|| "an unknown time".to_owned(), human_duration);
                    return Err(format!("{title} runs it for {age}, and --soak asks for {}", human_duration(seconds)));
                }
            }
        }
        Ok(())
    }
}

fn or_unknown(state: &str) -> &str {
    if state.is_empty() { "of unknown state" } else { state }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn application(sync: &str, health: &str, images: &[&str]) -> Deployer {
        Deployer {
            title: "Application argocd/stage-echo".into(),
            paths: vec!["echo/overlays/stage".into()],
            repositories: vec!["https://github.com/example/apps.git".into()],
            sync: sync.into(),
            health: health.into(),
            images: images.iter().map(|image| (*image).to_owned()).collect(),
            since: Some("2026-11-20T09:00:00Z".parse().unwrap()),
        }
    }

    #[test]
    fn only_what_runs_well_for_long_enough_passes() {
        let gate = |application: Deployer, soak: u64| {
            let running = Running { deployers: vec![application], moment: "2026-11-20T09:20:00Z".parse().unwrap() };
            let remotes = ["git@github.com:example/apps".to_owned()];
            running.gate(
                "echo/overlays/stage",
                &remotes,
                &[Reference::split("a/echo:v2")],
                Some(Duration::from_secs(soak)),
            )
        };
        assert_eq!(gate(application("Synced", "Healthy", &["a/echo:v2", "b:v1"]), 1200), Ok(()));
        assert!(gate(application("Synced", "Healthy", &["a/echo:v2"]), 1201).unwrap_err().contains("--soak"));
        assert!(gate(application("Synced", "Healthy", &["a/echo:v1"]), 0).unwrap_err().contains("runs v1"));
        assert!(gate(application("OutOfSync", "Healthy", &["a/echo:v2"]), 0).is_err());
        assert!(gate(application("Synced", "Progressing", &["a/echo:v2"]), 0).is_err());
        assert!(gate(application("Synced", "", &["a/echo:v2"]), 0).is_err());
        let nothing = Running::default();
        assert!(nothing.gate("echo/overlays/stage", &[], &[], None).is_err());
    }
}
