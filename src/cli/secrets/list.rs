//! `kubectl ucp secrets [NAME…]`

use super::look::{LookArgs, look};
use crate::cli::Context;
use crate::render::OutputFormat;
use crate::report::distribution::SecretDistribution;
use ucp_core::error::{Outcome, Result};
use ucp_features::distribution::CopyState;

#[derive(Debug, clap::Args)]
#[group(skip)]
pub(super) struct Args {
    #[command(flatten)]
    look: LookArgs,
    /// Exit with 1 if a Secret is not OK
    #[arg(long)]
    exit_code: bool,
}

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    look_and_print(context, &args.look, args.exit_code)
}

/// Reads, prints, and returns the outcome; with `strict`, a Secret that is not OK is a finding.
pub(super) fn look_and_print(context: &Context, args: &LookArgs, strict: bool) -> Result<Outcome> {
    let args = args.for_each(context)?;
    let report = context.combine_sources(|context| Ok(look(context, &args)?.report()))?;
    show(context, &report)?;
    let is_table = matches!(context.globals.output.output, OutputFormat::Table | OutputFormat::Wide);
    if is_table
        && report
            .items
            .iter()
            .any(|item| matches!(item.state, CopyState::Missing | CopyState::Stale | CopyState::Different))
    {
        context
            .ui
            .message("hint: 'kubectl ucp secrets sync --dry-run' shows what can be copied, and why the others cannot");
    }
    Ok(report.outcome(strict))
}

/// Prints the report, and on standard error the parts that its format does not include.
pub(super) fn show(context: &Context, report: &SecretDistribution) -> Result<()> {
    context.print(report)?;
    let format = &context.globals.output.output;
    if report.items.is_empty() && matches!(format, OutputFormat::Table | OutputFormat::Wide) {
        let how = if report.is_incomplete() { "in what could be read" } else { "for an app cluster" };
        context.ui.message(&format!("No Secrets are declared, referenced or found {how}."));
    }
    if report.items.is_empty() {
        context.warn_of_unknown_namespace();
    }
    if !matches!(format, OutputFormat::Json | OutputFormat::Yaml | OutputFormat::Markdown) {
        context.warn_of_unreadable(&report.unreadable);
    }
    context.hint_at_rights(&report.unreadable);
    Ok(())
}
