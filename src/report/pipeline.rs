//! The document `Pipeline`: where each version of a service is on its way.

use jiff::Timestamp;
use serde::Serialize;

use crate::report::API_VERSION;
use crate::report::images::RunningState;
use crate::report::promotion::RepositoryPath;
use crate::report::promotion_check::HoldingGate;
use ucp_core::model::state::Unreadable;
use ucp_core::model::variant_words::variant_words;
use ucp_repo::git::log::PathCommit;
use ucp_repo::slot::artifact::ArtifactKind;

/// The document `Pipeline`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Pipeline {
    api_version: &'static str,
    kind: &'static str,
    /// The repository that was read.
    pub source: RepositoryPath,
    /// The service.
    pub service: String,
    /// Environments in the order of promotion.
    pub environments: Vec<String>,
    /// The versions of the service, those of the first environments first.
    pub versions: Vec<PipelineVersion>,
    /// Facts that could not be read.
    pub unreadable: Vec<Unreadable>,
}

/// One version of an artifact of the service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PipelineVersion {
    /// The artifact: an image, a chart, a package, or a repository.
    pub name: String,
    /// The kind of artifact.
    pub artifact: ArtifactKind,
    /// The version.
    pub version: String,
    /// The commit that the image was built from, or else the one that the version names, as in `main-1a2b3c4`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The commit that the image was built from, as its registry reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub built_from: Option<BuildCommit>,
    /// The environments that have the version, or may get it next.
    pub places: Vec<PipelinePlace>,
}

/// The commit that an image was built from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BuildCommit {
    /// The repository, as `HOST/PATH`.
    pub repository: String,
    /// The hash.
    pub commit: String,
    /// The page that shows it, if the forge is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
}

/// A version in one environment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PipelinePlace {
    /// The environment.
    pub environment: String,
    /// The state of the version there.
    pub state: PlaceState,
    /// The time since which Git declares the version there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// The commit that declared it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<DeclaringCommit>,
    /// The open pull request that would declare it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pull_request: Option<OpenPullRequest>,
    /// The gates that hold the promotion to this environment back.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub held_back_by: Vec<HoldingGate>,
}

/// The state of a version in an environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum PlaceState {
    /// It is declared and runs.
    Runs,
    /// It is declared and being rolled out.
    RollingOut,
    /// It is declared, and something else or nothing runs.
    NotRunning,
    /// It is declared; no cluster was read, or none deploys it.
    Declared,
    /// It is declared; the running version is unknown.
    Unknown,
    /// It runs, and another one is declared.
    StillRuns,
    /// An open pull request declares it.
    Proposed,
    /// It may be promoted now.
    Ready,
    /// A gate holds its promotion back.
    Held,
}

variant_words!(PlaceState {
    Runs = "runs", RollingOut = "rolling out", NotRunning = "not running", Declared = "declared", Unknown = "unknown",
    StillRuns = "still runs", Proposed = "proposed", Ready = "ready", Held = "held",
});

impl PlaceState {
    /// Returns the state of a declared version.
    pub const fn from_declared(runs: Option<RunningState>) -> Self {
        match runs {
            None | Some(RunningState::NotCompared) => Self::Declared,
            Some(RunningState::Declared) => Self::Runs,
            Some(RunningState::RollingOut) => Self::RollingOut,
            Some(RunningState::Other | RunningState::Nothing) => Self::NotRunning,
            Some(RunningState::Unknown) => Self::Unknown,
        }
    }
}

/// A commit that declared a version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DeclaringCommit {
    /// The full hash.
    pub commit: String,
    /// The author.
    pub author: String,
    /// The first line of the message.
    pub subject: String,
}

impl From<&PathCommit> for DeclaringCommit {
    fn from(commit: &PathCommit) -> Self {
        Self { commit: commit.hash.clone(), author: commit.author.clone(), subject: commit.subject.clone() }
    }
}

/// An open pull request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OpenPullRequest {
    /// The number.
    pub number: u64,
    /// The page.
    pub url: String,
    /// The title.
    pub title: String,
    /// The account that opened it, if the forge returns it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The time at which it was opened, if the forge returns it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
}

impl Pipeline {
    /// Creates the document.
    pub fn new(source: RepositoryPath, service: &str, environments: Vec<String>) -> Self {
        let (versions, unreadable) = (Vec::new(), Vec::new());
        let service = service.to_owned();
        Self { api_version: API_VERSION, kind: "Pipeline", source, service, environments, versions, unreadable }
    }

    /// Returns the place of a version in an environment, which is added if it is not listed yet.
    pub fn place(
        &mut self,
        (name, artifact): (&str, ArtifactKind),
        version: &str,
        environment: &str,
    ) -> &mut PipelinePlace {
        let is_it =
            |known: &PipelineVersion| known.name == name && known.artifact == artifact && known.version == version;
        let at = self.versions.iter().position(is_it).unwrap_or_else(|| {
            let commit = commit_in(version);
            let (name, version) = (name.to_owned(), version.to_owned());
            self.versions.push(PipelineVersion {
                name,
                artifact,
                version,
                commit,
                built_from: None,
                places: Vec::new(),
            });
            self.versions.len() - 1
        });
        let places = &mut self.versions[at].places;
        let at = places.iter().position(|known| known.environment == environment).unwrap_or_else(|| {
            places.push(PipelinePlace {
                environment: environment.to_owned(),
                state: PlaceState::Unknown,
                since: None,
                by: None,
                pull_request: None,
                held_back_by: Vec::new(),
            });
            places.len() - 1
        });
        &mut places[at]
    }

    /// Sorts places by environment, and versions by name and by their first environment.
    pub fn sort(&mut self) {
        let position = |environment: &str| {
            self.environments.iter().position(|known| known == environment).unwrap_or(self.environments.len())
        };
        for version in &mut self.versions {
            version.places.sort_by_key(|place| position(&place.environment));
        }
        let has = |place: &&PipelinePlace| {
            !matches!(place.state, PlaceState::Proposed | PlaceState::Ready | PlaceState::Held)
        };
        self.versions.sort_by_key(|version| {
            let first = version.places.iter().find(has).map_or(usize::MAX, |place| position(&place.environment));
            (version.name.clone(), first)
        });
    }
}

/// Returns the commit that a version names: its last part that is a hexadecimal number with digits and letters.
fn commit_in(version: &str) -> Option<String> {
    let is_commit = |part: &&str| {
        (7..=40).contains(&part.len())
            && part.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
            && part.bytes().any(|byte| byte.is_ascii_digit())
            && part.bytes().any(|byte| byte.is_ascii_lowercase())
    };
    let tag = version.split('@').next().unwrap_or_default();
    tag.rsplit(['-', '_', '.', '+']).find(is_commit).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_in_a_version_is_found() {
        for (version, commit) in [
            ("main-1a2b3c4", Some("1a2b3c4")),
            ("1a2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0d", Some("1a2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0d")),
            ("v1.2.3-4-gdeadbee1", None),
            ("v1.2.3", None),
            ("20260101", None),
            ("facaded", None),
            ("v1@sha256:1a2b3c4d", None),
        ] {
            assert_eq!(commit_in(version).as_deref(), commit, "{version}");
        }
    }

    #[test]
    fn a_chart_and_an_image_with_the_same_name_are_different_artifacts() {
        let mut pipeline = Pipeline::new(RepositoryPath { path: String::new() }, "echo", vec!["prod".to_owned()]);
        for kind in [ArtifactKind::Image, ArtifactKind::Chart, ArtifactKind::Image] {
            pipeline.place(("echo", kind), "6.5.0", "prod").state = PlaceState::Declared;
        }
        let found: Vec<_> = pipeline.versions.iter().map(|version| version.artifact).collect();
        assert_eq!(found, [ArtifactKind::Image, ArtifactKind::Chart]);
    }

    #[test]
    fn versions_are_in_the_order_of_promotion() {
        let source = RepositoryPath { path: String::new() };
        let mut pipeline = Pipeline::new(source, "echo", vec!["dev".to_owned(), "prod".to_owned()]);
        let image = ("echo", ArtifactKind::Image);
        pipeline.place(image, "v1", "prod").state = PlaceState::Runs;
        pipeline.place(image, "v2", "prod").state = PlaceState::Held;
        pipeline.place(image, "v2", "dev").state = PlaceState::Runs;
        pipeline.sort();
        let found: Vec<_> = pipeline.versions.iter().map(|version| version.version.as_str()).collect();
        assert_eq!(found, ["v2", "v1"]);
        let places: Vec<_> = pipeline.versions[0].places.iter().map(|place| place.environment.as_str()).collect();
        assert_eq!(places, ["dev", "prod"]);
    }
}
