//! `freeze` of `.ucp.yaml`: versions of a frozen environment are not written, unless a reason is recorded.

use clap::Args;
use jiff::Timestamp;

use crate::cli::Context;
use crate::cli::publishing::PublishArgs;
use crate::cli::working_copy::RepositorySurvey;
use crate::cli::writing::FREEZE_TRAILER;
use ucp_core::error::{Error, Result};
use ucp_core::failure::{Failure, fail};
use ucp_core::model::text::one_line;
use ucp_repo::gitops::config::RepositoryConfig;
use ucp_repo::gitops::freeze::ActiveFreeze;

/// Whether a freeze counts.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Writing")]
pub(super) struct FreezeArgs {
    /// Write although .ucp.yaml freezes the environment; the reason is recorded in the commit
    #[arg(long, value_name = "REASON", value_parser = reason, hide_short_help = true)]
    override_freeze: Option<String>,
}

fn reason(text: &str) -> Result<String, Failure> {
    let reason = one_line(text);
    if reason.is_empty() { fail!("a reason is required") } else { Ok(reason) }
}

impl FreezeArgs {
    /// Returns the flags of a commit whose message records the reason.
    pub(super) fn recorded_in(&self, publish: &PublishArgs) -> PublishArgs {
        let trailer = self.override_freeze.as_ref().map(|reason| format!("{FREEZE_TRAILER}{reason}"));
        publish.with_trailer(trailer)
    }

    /// Checks that versions of an environment may be written now.
    ///
    /// # Errors
    /// Fails when a window of `.ucp.yaml` holds, cannot be evaluated, or is for an environment that does not exist.
    pub(super) fn check(&self, survey: &RepositorySurvey, environment: Option<&str>) -> Result<()> {
        self.check_or(survey, environment, "wait, or pass --override-freeze REASON with --commit, --push or --pr")
    }

    /// Checks the same for one file, which the command does not commit.
    ///
    /// # Errors
    /// Fails when a window of `.ucp.yaml` holds, cannot be evaluated, or is for an environment that does not exist.
    pub(super) fn check_file(&self, survey: &RepositorySurvey, environment: Option<&str>) -> Result<()> {
        self.check_or(survey, environment, "wait, or pass --override-freeze REASON")
    }

    /// Shows the line for the message of the commit that the user makes.
    pub(super) fn remind(&self, context: &Context) {
        if let Some(reason) = &self.override_freeze {
            context.ui.message(&format!("Record in the message of the commit: {FREEZE_TRAILER}{reason}"));
        }
    }

    fn check_or(&self, survey: &RepositorySurvey, environment: Option<&str>, hint: &str) -> Result<()> {
        survey.check_gates()?;
        let config = &survey.repository.config;
        let Some(active) = active(config, environment).filter(|_| self.override_freeze.is_none()) else {
            return Ok(());
        };
        let which = environment.map_or_else(|| "an environment that may be changed".to_owned(), str::to_owned);
        Err(Error::refused(format!("{which} is held back: {}", active.reason())).hint(hint))
    }
}

/// Returns the window that holds now.
pub(super) fn active(config: &RepositoryConfig, environment: Option<&str>) -> Option<ActiveFreeze> {
    config.freeze.active(environment, Timestamp::now())
}
