//! `--verify`: conditions of the cluster for the promotion of a version.

use std::time::Duration;

use super::Args;
use crate::cli::Context;
use crate::promote::facts::PlanningFacts;
use crate::promote::request::PromotionRequest;
use crate::promote::rolled_out::RolloutConditions;
use crate::promote::running::RunningDeployers;
use crate::report::promotion::VersionUpdate;
use ucp_core::error::{Error, Result};
use ucp_core::failure::Failure;
use ucp_core::model::time::parse_duration;
use ucp_repo::gitops::config::RepositoryConfig;

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
            // A pull request shows what changes in the cluster.
            if !args.publish.pull_request.is_wanted() {
                context.given.refuse_sources("promote", "--verify")?;
            }
            return Ok(None);
        }
        let running = context
            .read_running(config)
            .map_err(|error| error.hint("--no-verify promotes without checking the cluster"))?;
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
        let conditions = RolloutConditions { running: &self.running, remotes, soak: self.soak, contains: None };
        conditions.check(facts, Some(&request.from), change)
    }
}
