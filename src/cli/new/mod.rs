//! `kubectl ucp new …`

mod arguments;
mod draft;
mod proof;
mod service;

use crate::cli::Context;
use crate::cli::spec::CommandSpec;
use crate::cli::spec::FlagGroup::Output;
use ucp_core::error::{Outcome, Result};

/// Create something new in the style of a repository
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  kubectl ucp new service orders --like quotes --dry-run
  kubectl ucp new service orders --like quotes --branch orders")]
pub(super) struct Args {
    #[command(subcommand)]
    command: NewCommand,
}

pub(super) static SPEC: CommandSpec =
    CommandSpec { subcommands: &[&arguments::SPEC], ..CommandSpec::new("new", &[Output]) };

#[derive(Debug, clap::Subcommand)]
enum NewCommand {
    Service(Box<arguments::Args>),
}

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    match &args.command {
        NewCommand::Service(args) => service::run(context, args),
    }
}
