//! `--verify`: conditions of the cluster for the promotion of a version.

use std::time::Duration;

use super::Args;
use crate::cli::{Context, Globals};
use crate::promote::facts::PlanningFacts;
use crate::promote::request::PromotionRequest;
use crate::promote::running::RunningDeployers;
use crate::report::promotion::VersionUpdate;
use ucp_client::source::ConnectionArgs;
use ucp_core::error::{Error, Result};
use ucp_core::failure::{Failure, fail};
use ucp_core::model::image::{ImageReference, ImageVersion};
use ucp_core::model::time::parse_duration;
use ucp_repo::gitops::config::RepositoryConfig;
use ucp_repo::slot::artifact::ArtifactKind;

/// The conditions of the cluster for the promotion of a version.
pub(in crate::cli) struct PromotionGate {
    running: RunningDeployers,
    soak: Option<Duration>,
}

impl PromotionGate {
    /// Reads the cluster if the command line or the repository requests it.
    pub(super) fn new(context: &Context, args: &Args, config: &RepositoryConfig) -> Result<Option<Self>> {
        let configured = config.verify.as_ref().filter(|_| !args.no_verify);
        if !args.verify && args.soak.is_none() && configured.is_none() {
            return context.given.refuse_sources("promote", "--verify").map(|()| None);
        }
        let named = config.verify.as_ref().and_then(|verify| verify.context.as_ref());
        let running = match named.filter(|_| !context.names_a_cluster()) {
            None => context.read_running_versions(),
            Some(name) => with_kubeconfig_context(context, name).read_running_versions(),
        };
        let running = running.map_err(|error| error.hint("--no-verify promotes without checking the cluster"))?;
        let gate = match args.no_verify {
            true => Self { running, soak: None },
            false => Self::from_running(running, config)?,
        };
        Ok(Some(Self { soak: args.soak.or(gate.soak), ..gate }))
    }

    /// Returns the conditions for versions that were read, with the time of `verify` in `.ucp.yaml`.
    pub(in crate::cli) fn from_running(running: RunningDeployers, config: &RepositoryConfig) -> Result<Self> {
        let soak = config.verify.as_ref().and_then(|verify| verify.soak.as_deref()).map(parse_duration).transpose();
        let soak = soak.map_err(|error| Error::usage(format!(".ucp.yaml: verify.soak: {error}")))?;
        Ok(Self { running, soak })
    }

    /// Returns the versions that were read.
    pub(in crate::cli) fn running(&self) -> &RunningDeployers {
        &self.running
    }

    /// Checks that a change may be made: the deployer of the service in the source environment is healthy, and runs the
    /// version.
    ///
    /// # Errors
    /// Returns the condition that is not met.
    pub(in crate::cli) fn check_change(
        &self,
        facts: &PlanningFacts<'_>,
        request: &PromotionRequest,
        remotes: &[String],
        change: &VersionUpdate,
    ) -> Result<(), Failure> {
        let service = change.service.as_deref().unwrap_or_default();
        if let Some(overlay) = facts.discovery.overlay(service, &request.from) {
            let built = facts.builder.build(&overlay.directory);
            // A value that is not an image of the overlay still requires its Application to be healthy.
            let images: Vec<ImageReference> = built
                .iter()
                .flat_map(|built| &built.images)
                .filter(|image| image.origin == change.image)
                .map(|image| image.reference.clone())
                .collect();
            return self.running.check(&overlay.directory, remotes, &images, self.soak);
        }
        let places = facts.catalog.places.iter().filter(|place| place.service == service);
        let mut places =
            places.filter(|place| facts.catalog.is_in(place, &request.from) && place.artifact() == change.image);
        let Some(place) = places.find(|place| place.slot.version == change.after) else {
            return fail!("no file in {} declares {}", request.from, change.after);
        };
        let directories: Vec<&str> = facts.catalog.deployed_by(&place.file).collect();
        let image = place.slot.artifact.as_ref().filter(|_| place.slot.what == ArtifactKind::Image);
        let version = ImageVersion::parse(&place.slot.version);
        let images: Vec<ImageReference> =
            image.map(|name| ImageReference { name: name.clone(), version }).into_iter().collect();
        self.running.check_file(&place.file, &directories, remotes, &images, self.soak)
    }
}

/// Returns the same context with another cluster.
fn with_kubeconfig_context(context: &Context, name: &str) -> Context {
    let Globals { connection, scope, output } = &context.globals;
    let connection = ConnectionArgs { context: Some(name.to_owned()), ..connection.clone() };
    Context {
        globals: Globals { connection, scope: scope.clone(), output: output.clone() },
        ui: context.ui.clone(),
        typed: context.typed.clone(),
        command: context.command.clone(),
        needs_rights: context.needs_rights.clone(),
        given: context.given.clone(),
    }
}
