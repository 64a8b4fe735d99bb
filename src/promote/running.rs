//! What runs, as Argo CD saw it, and whether that is good enough to promote.

use std::collections::BTreeSet;
use std::time::Duration;

use jiff::Timestamp;

use crate::engine::argocd;
use crate::gitops::image::{Reference, Version};
use crate::gitops::path;
use crate::model::body::Body;
use crate::model::resource::Resource;
use crate::model::state::ClusterState;
use crate::model::time::human_duration;

/// An Application, as far as versions go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Application {
    /// `namespace/name`.
    pub name: String,
    /// The directories that it deploys, from the top of their repository.
    pub paths: Vec<String>,
    /// The repositories that these are in.
    pub repositories: Vec<String>,
    /// `status.sync.status`
    pub sync: String,
    /// `status.health.status`
    pub health: String,
    /// `status.summary.images`
    pub images: Vec<String>,
    /// Since when it runs what it runs: its last deployment, or the last change of its health if that came later.
    pub since: Option<Timestamp>,
}

impl Application {
    /// Narrows a resource; `None` where it is something else.
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
            name: format!("{namespace}/{}", resource.metadata.name),
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

/// The Applications of a cluster.
#[derive(Debug, Clone, Default)]
pub struct Running {
    /// All of them.
    pub applications: Vec<Application>,
    /// The moment that they speak of.
    pub moment: Timestamp,
}

impl Running {
    /// Those of a state.
    pub fn of(state: &ClusterState) -> Self {
        let applications = state.resources.iter().filter_map(Application::from_resource).collect();
        Self { applications, moment: state.moment }
    }

    /// Whether a kind is needed for this.
    pub fn wants(kind: &crate::model::kind::ResourceKind) -> bool {
        kind.group == argocd::GROUP && kind.kind == "Application"
    }

    /// The Applications that deploy an overlay. Where several repositories have a directory of that name, those whose
    /// repository is one of `remotes`.
    pub fn of_overlay(&self, directory: &str, remotes: &[String]) -> Vec<&Application> {
        let deploys = |application: &&Application| application.paths.iter().any(|path| path == directory);
        let all: Vec<&Application> = self.applications.iter().filter(deploys).collect();
        let ours = |application: &&&Application| {
            application.repositories.iter().any(|url| remotes.iter().any(|remote| same_repository(url, remote)))
        };
        let here: Vec<&Application> = all.iter().filter(ours).copied().collect();
        if here.is_empty() { all } else { here }
    }

    /// Whether the Applications of an overlay are well, and run these images for long enough.
    ///
    /// # Errors
    /// The first thing that is not so, and of which Application.
    pub fn gate(
        &self,
        directory: &str,
        remotes: &[String],
        images: &[Reference],
        soak: Option<Duration>,
    ) -> Result<(), String> {
        let applications = self.of_overlay(directory, remotes);
        if applications.is_empty() {
            return Err(format!("no Argo CD Application deploys {directory}, so nothing says that it runs"));
        }
        for application in applications {
            let name = &application.name;
            if application.sync != "Synced" {
                return Err(format!("Application {name} is {}", or_unknown(&application.sync)));
            }
            if application.health != "Healthy" {
                return Err(format!("Application {name} is {}", or_unknown(&application.health)));
            }
            for image in images {
                let runs = application.versions(&image.name);
                if !runs.contains(&image.version) {
                    let runs: Vec<String> = runs.iter().map(Version::to_string).collect();
                    let runs = if runs.is_empty() { "no such image".to_owned() } else { runs.join(", ") };
                    return Err(format!("Application {name} runs {runs}, not {image}"));
                }
            }
            let age = application.since.map(|since| self.moment.as_second() - since.as_second());
            match (soak, age) {
                (None, _) => {}
                (Some(soak), Some(age)) if i64::try_from(soak.as_secs()).is_ok_and(|soak| age >= soak) => {}
                (Some(soak), age) => {
                    let seconds = i64::try_from(soak.as_secs()).unwrap_or(i64::MAX);
                    let age = age.map_or_else(|| "an unknown time".to_owned(), human_duration);
                    return Err(format!(
                        "Application {name} runs it for {age}, and --soak asks for {}",
                        human_duration(seconds)
                    ));
                }
            }
        }
        Ok(())
    }
}

fn or_unknown(state: &str) -> &str {
    if state.is_empty() { "of unknown state" } else { state }
}

/// Whether two URLs name one repository: `git@host:owner/name.git` is `https://host/owner/name`.
fn same_repository(left: &str, right: &str) -> bool {
    let plain = |url: &str| {
        let url = url.trim_end_matches('/').trim_end_matches(".git");
        let url = url.split_once("://").map_or(url, |(_, rest)| rest);
        let url = url.rsplit_once('@').map_or(url, |(_, rest)| rest);
        url.replacen(':', "/", 1).to_ascii_lowercase()
    };
    plain(left) == plain(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn application(sync: &str, health: &str, images: &[&str]) -> Application {
        Application {
            name: "argocd/stage-echo".into(),
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
        let gate = |application: Application, soak: u64| {
            let running = Running { applications: vec![application], moment: "2026-11-20T09:20:00Z".parse().unwrap() };
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

    #[test]
    fn repositories_have_many_spellings() {
        assert!(same_repository("https://github.com/a/b.git", "git@github.com:a/b"));
        assert!(same_repository("ssh://git@github.com/a/b", "https://token@github.com/a/b/"));
        assert!(!same_repository("https://github.com/a/b", "https://github.com/a/c"));
    }
}
