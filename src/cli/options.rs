//! `kubectl ucp options`

use clap::{Args as _, Command};

use crate::cli::spec::CommandSpec;
use crate::cli::{Context, Globals};
use ucp_core::error::{Outcome, Result};

/// List the flags that commands share, as 'kubectl options' does
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  kubectl ucp options")]
pub(super) struct Args {}

pub(super) static SPEC: CommandSpec = CommandSpec::new("options", &[]);

pub(super) fn run(context: &Context, _: &Args) -> Result<Outcome> {
    let mut shared = Globals::augment_args(Command::new("options").disable_help_flag(true));
    shared = shared.help_template("{all-args}\n").max_term_width(100);
    let help = shared.render_long_help().ansi().to_string();
    context.ui.data(&format!(
        "These flags are shared by commands; 'kubectl ucp COMMAND -h' lists the flags of a command.\n\n{help}"
    ))?;
    Ok(Outcome::Clean)
}
