//! `kubectl ucp secrets verify`

use super::list::look_and_print;
use super::look::LookArgs;
use crate::cli::Context;
use ucp_core::error::{Outcome, Result};

/// Exit with 1 unless every Secret is where the workloads need it
///
/// Compares both clusters, which condition Ready of a PushSecret does not do. Secrets that are current, undeclared or
/// usedOld are OK. If all other Secrets are unknown, the exit code is 4.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  kubectl ucp secrets verify
  kubectl ucp secrets verify aws-database-conn --app-cluster gcp-k8s-prod

Exit codes: 0 all are OK; 1 some are not OK; 2 usage; 3 failed; 4 some are unknown, and the others are OK.")]
pub(super) struct Args {
    #[command(flatten)]
    look: LookArgs,
}

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    look_and_print(context, &args.look, true)
}
