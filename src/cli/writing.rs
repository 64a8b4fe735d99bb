//! What the commands that write files have in common: their flags, and plan → show → ask → write in one path.

use std::path::Path;

use clap::Args;

use crate::cli::Context;
use crate::error::{Outcome, Result};
use crate::promote::files;
use crate::promote::policy::Downgrades;
use crate::render::{Detail, Format, Headers, Style, render};
use crate::report::promotion::PromotionPlan;

/// Whether to go ahead.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Writing")]
pub struct ConsentArgs {
    /// Go ahead without asking, as CI does
    #[arg(long)]
    pub yes: bool,
    /// Show the plan and change nothing
    #[arg(long, conflicts_with = "yes")]
    pub dry_run: bool,
    /// Accept an older version in place of a newer one
    #[arg(long)]
    pub allow_downgrade: bool,
}

impl ConsentArgs {
    /// The rule for older versions.
    pub fn downgrades(&self) -> Downgrades {
        if self.allow_downgrade { Downgrades::Allowed } else { Downgrades::Refused }
    }
}

/// What becomes of a plan that was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
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

/// Prints a plan as it was asked for.
///
/// # Errors
/// When standard output cannot be written.
pub fn print(plan: &PromotionPlan, context: &Context) -> Result<()> {
    let output = &context.globals.output;
    let headers = if output.no_headers { Headers::Hidden } else { Headers::Shown };
    let style = Style { width: context.ui.width(), detail: Detail::Normal, headers };
    context.ui.data(&render(plan, &output.output, &style)?)
}

/// Shows a plan and asks what to do with it.
///
/// # Errors
/// When nobody can answer, or standard output cannot be written.
pub fn show(plan: &PromotionPlan, consent: &ConsentArgs, context: &Context) -> Result<Verdict> {
    for warning in &plan.warnings {
        context.ui.warn(warning);
    }
    let stop = if !plan.refused.is_empty() {
        context.ui.message(&format!("Refused {}; nothing is written.", count(plan.refused.len(), "version")));
        Some(Outcome::Findings)
    } else if plan.files.is_empty() {
        context.ui.message("Nothing to do: every version is there already.");
        Some(Outcome::Clean)
    } else if consent.dry_run {
        context.ui.message("Dry run: nothing is written.");
        Some(Outcome::Clean)
    } else {
        None
    };
    if stop.is_some() || is_for_people(&context.globals.output.output) {
        print(plan, context)?;
    }
    if let Some(outcome) = stop {
        return Ok(Verdict::Stop(if consent.dry_run { Outcome::Clean } else { outcome }));
    }
    let question = format!("Change {} in {}?", count(plan.changes.len(), "version"), count(plan.files.len(), "file"));
    if consent.yes || context.ui.confirm(&question)? {
        return Ok(Verdict::Go);
    }
    context.ui.message("Nothing is written.");
    Ok(Verdict::Stop(Outcome::Clean))
}

/// Says what was done: to programs with the whole plan.
///
/// # Errors
/// When standard output cannot be written.
pub fn done(plan: &PromotionPlan, context: &Context) -> Result<Outcome> {
    if !is_for_people(&context.globals.output.output) {
        print(plan, context)?;
    }
    Ok(Outcome::Clean)
}

/// Writes the files of a plan below a directory.
///
/// # Errors
/// When one cannot be written, or changed since the plan was made.
pub fn write(plan: &PromotionPlan, top: &Path) -> Result<()> {
    for file in &plan.files {
        files::replace(&top.join(&file.path), &file.before, &file.after)?;
    }
    Ok(())
}

/// `1 file`, `2 files`.
pub fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
