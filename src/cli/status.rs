//! `kubectl ucp status`

use crate::cli::Context;
use crate::cli::reading::{PatienceArgs, outcome};
use crate::engine;
use crate::error::{Outcome, Result};
use crate::model::verdict::Verdict;
use crate::render::Format;
use crate::report::status::Status;

/// Show on one page whether the control plane is well, and if not, what to do first
///
/// Names the engines and their versions, counts their objects by verdict, and then lists the problems: worst first,
/// root causes above what they hold up, each with its age, its cause in the engine's own words, and the next command.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  kubectl ucp status
  kubectl ucp status --from tests/fixtures/quotes
  kubectl ucp status --exit-code -o json")]
pub(super) struct Args {
    #[command(flatten)]
    patience: PatienceArgs,
    /// Exit with 1 where there are findings; paused objects are none
    #[arg(long)]
    exit_code: bool,
}

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let state = context.read(&engine::want)?;
    let assessment = engine::assess(&state, &args.patience.clock(&state));
    let status = Status::of(&state, &assessment);
    context.print(&status)?;
    if context.globals.output.output == Format::Name {
        context.warn_of_unreadable(&status.unreadable);
    }
    let is_trouble = status.findings.iter().any(|finding| finding.verdict != Verdict::Paused);
    if args.exit_code && is_trouble { Ok(Outcome::Findings) } else { Ok(outcome(&status.unreadable)) }
}
