//! What the commands that write files have in common: a plan is shown, and a person or a flag says yes.

use std::collections::BTreeSet;

use clap::Args;

use crate::cli::Context;
use crate::error::{Outcome, Result};
use crate::promote::policy::Downgrades;
use crate::render::Format;
use crate::report::promotion::{PromotionPlan, Weight};

/// Whether to go ahead.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Writing")]
pub(super) struct ConsentArgs {
    /// Do not ask for confirmation
    #[arg(short, long)]
    pub(super) yes: bool,
    /// Show the plan and change nothing
    #[arg(long, conflicts_with = "yes")]
    pub(super) dry_run: bool,
    /// Allow an older version to replace a newer one
    #[arg(long)]
    pub(super) allow_downgrade: bool,
}

impl ConsentArgs {
    /// The rule for older versions.
    pub(super) fn downgrades(&self) -> Downgrades {
        if self.allow_downgrade { Downgrades::Allowed } else { Downgrades::Refused }
    }
}

/// What becomes of a plan that was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Decision {
    /// It is carried out.
    Go,
    /// It is not, and that is how the command ends.
    Stop(Outcome),
}

/// Whether the output is for people, who see the plan before they are asked, or for programs, which get one document when
/// all is done.
fn is_for_people(format: &Format) -> bool {
    matches!(format, Format::Table | Format::Wide | Format::Markdown)
}

/// Shows a plan and asks what to do with it.
///
/// # Errors
/// When nobody can answer, or standard output cannot be written.
pub(super) fn show(plan: &PromotionPlan, consent: &ConsentArgs, context: &Context) -> Result<Decision> {
    for warning in &plan.warnings {
        context.ui.warn(warning);
    }
    let goes_on = plan.leaves_out && !plan.files.is_empty();
    let stop = if !plan.refused.is_empty() && !goes_on {
        let refused = count(plan.refused.len(), "version");
        Some((Outcome::Findings, format!("Refused {refused}; nothing was written.")))
    } else if plan.files.is_empty() {
        let all = plan.kept.iter().all(|left| left.weight == Weight::Level);
        let why = if all { "Nothing to do: every version is already set." } else { "Nothing to do." };
        Some((Outcome::Clean, why.to_owned()))
    } else if consent.dry_run {
        Some((Outcome::Clean, "Dry run: nothing was written.".to_owned()))
    } else {
        None
    };
    if let Some((outcome, message)) = stop {
        context.print(plan)?;
        // Last, where the eye is when a long plan has gone by.
        context.ui.message(&message);
        return Ok(Decision::Stop(if consent.dry_run { Outcome::Clean } else { outcome }));
    }
    if is_for_people(&context.globals.output.output) {
        context.print_and_go_on(plan)?;
    }
    let question = format!("Change {} in {}?", count(plan.changes.len(), "version"), count(plan.files.len(), "file"));
    if consent.yes || context.ui.confirm(&question)? {
        return Ok(Decision::Go);
    }
    context.ui.message("Nothing is written.");
    Ok(Decision::Stop(Outcome::Clean))
}

/// Says where a result is: to people behind the plan, as data; programs find it in the document.
///
/// # Errors
/// When standard output cannot be written.
pub(super) fn say(context: &Context, text: &str) -> Result<()> {
    let line = crate::model::text::plain(text);
    match is_for_people(&context.globals.output.output) {
        true => context.ui.data(&format!("{line}\n")),
        false => {
            context.ui.message(&line);
            Ok(())
        }
    }
}

/// Says what was done: to programs with the whole plan.
///
/// # Errors
/// When standard output cannot be written.
pub(super) fn done(plan: &PromotionPlan, context: &Context) -> Result<Outcome> {
    if !is_for_people(&context.globals.output.output) {
        context.print(plan)?;
    }
    if plan.refused.is_empty() {
        return Ok(Outcome::Clean);
    }
    let services: BTreeSet<&str> = plan.refused.iter().filter_map(|left| left.service.as_deref()).collect();
    let names = crate::render::words::some(&services.into_iter().collect::<Vec<_>>(), 20);
    context.ui.message(&format!("Skipped entirely: {names}."));
    Ok(Outcome::Findings)
}

/// `1 file`, `2 files`.
pub(super) fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
