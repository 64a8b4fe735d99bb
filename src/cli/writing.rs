//! Steps that the commands that write files share: a plan is shown, and the user or a flag confirms it.

use std::collections::BTreeSet;

use clap::Args;

use crate::cli::Context;
use crate::promote::landing::Landable;
use crate::promote::policy::{Downgrades, MutableTags, Policy};
use crate::render::{OutputFormat, Report};
use crate::report::promotion::{PromotionPlan, ReasonImportance, Receipt, RepositoryPath, VersionUpdate};
use ucp_core::error::{Outcome, Result};

/// Start of the line in the message of a commit that records why a freeze does not count.
pub(super) const FREEZE_TRAILER: &str = "Freeze-Override: ";

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
}

/// Whether versions may go back.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Writing")]
pub(super) struct DowngradeArgs {
    /// Allow an older version to replace a newer one
    #[arg(long, hide_short_help = true)]
    allow_downgrade: bool,
}

impl DowngradeArgs {
    /// Returns the rule for older versions.
    pub(super) fn rule(&self) -> Downgrades {
        if self.allow_downgrade { Downgrades::Allowed } else { Downgrades::Refused }
    }

    /// Returns the policy for versions on the command line.
    pub(super) fn policy(&self) -> Policy {
        Policy { downgrades: self.rule(), mutable_tags: MutableTags::Warned }
    }
}

/// The decision about a plan that was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PlanDecision {
    /// The plan is carried out.
    Go,
    /// The plan is not carried out, and the command ends with this outcome.
    Stop(Outcome),
}

/// Returns true for formats for people, which show the plan before the question. Programs get one document at the end.
fn is_for_people(format: &OutputFormat) -> bool {
    matches!(format, OutputFormat::Table | OutputFormat::Wide | OutputFormat::Markdown)
}

/// Edits that may become a commit.
pub(super) trait CommittedEdits: Landable {
    /// The message if others have made all edits in the meantime.
    const MEANWHILE: &'static str;

    /// Returns the lines for the message of a commit.
    fn summary(&self) -> Vec<String>;

    /// Returns the description of a pull request, in markdown.
    fn description(&self) -> String {
        self.summary().iter().map(|line| format!("- {}\n", crate::render::words::markdown_cell(line))).collect()
    }

    /// Returns the versions of images that change.
    fn image_updates(&self) -> Vec<ImageUpdate> {
        Vec::new()
    }

    /// Records the commit.
    fn note_receipt(&mut self, receipt: Receipt);
}

/// A version of an image that changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ImageUpdate {
    /// The service.
    pub(super) service: String,
    /// The name by which it is pulled.
    pub(super) name: String,
    /// The version before; empty if there was none.
    pub(super) before: String,
    /// The version.
    pub(super) after: String,
}

/// A plan of edits, as the commands that write files show it and carry it out.
pub(super) trait EditProposal: Report {
    /// Returns the warnings to show before the confirmation.
    fn warnings(&self) -> &[String];

    /// Returns the outcome of the command and the reason, if nothing is to be written.
    fn stops(&self) -> Option<(Outcome, String)>;

    /// Returns the outcome of `--dry-run`.
    fn dry_run(&self) -> Outcome {
        Outcome::Clean
    }

    /// Returns the confirmation question.
    fn question(&self) -> String;

    /// Records the location of the files.
    fn note_source(&mut self, source: RepositoryPath);

    /// Returns the outcome of the command after everything is written, and a message about the rest.
    fn ends(&self) -> (Outcome, Option<String>);
}

impl CommittedEdits for PromotionPlan {
    const MEANWHILE: &'static str = "Nothing to push: all versions were set in the meantime.";

    fn summary(&self) -> Vec<String> {
        let line = |change: &VersionUpdate| {
            let service = change.service.as_deref().unwrap_or_default();
            let before = if change.before.is_empty() { "none" } else { &change.before };
            format!("{service}: {} {before} -> {}", change.image, change.after)
        };
        self.changes.iter().map(line).collect()
    }

    fn description(&self) -> String {
        self.markdown()
    }

    fn image_updates(&self) -> Vec<ImageUpdate> {
        let update = |change: &VersionUpdate| {
            Some(ImageUpdate {
                service: change.service.clone().unwrap_or_default(),
                name: change.pulled.clone()?,
                before: change.before.clone(),
                after: change.after.clone(),
            })
        };
        self.changes.iter().filter_map(update).collect()
    }

    fn note_receipt(&mut self, receipt: Receipt) {
        self.receipt = receipt;
    }
}

impl EditProposal for PromotionPlan {
    fn warnings(&self) -> &[String] {
        &self.warnings
    }

    fn stops(&self) -> Option<(Outcome, String)> {
        let goes_on = self.leaves_out && !self.files.is_empty();
        if !self.refused.is_empty() && !goes_on {
            let refused = count(self.refused.len(), "version");
            Some((Outcome::Findings, format!("Refused {refused}; nothing was written.")))
        } else if self.files.is_empty() {
            let differing = self.kept.iter().filter(|left| left.weight == ReasonImportance::Telling).count();
            if differing > 0 {
                let stays = if differing == 1 { "stays" } else { "stay" };
                let what = count(differing, "version");
                return Some((
                    Outcome::Findings,
                    format!("Nothing was written: {what} {stays} for the reasons above."),
                ));
            }
            let has = |weight: ReasonImportance| self.kept.iter().any(|left| left.weight == weight);
            match (has(ReasonImportance::Level), has(ReasonImportance::OneSided)) {
                (true, false) => Some((Outcome::Clean, "Nothing to do: every version is already set.".to_owned())),
                (false, false) => Some((Outcome::Clean, "Nothing to do: there is no version to set.".to_owned())),
                (true, true) => {
                    let one_sided = self.kept.iter().filter(|left| left.weight == ReasonImportance::OneSided).count();
                    let (what, are) = (count(one_sided, "version"), if one_sided == 1 { "is" } else { "are" });
                    let message = format!(
                        "Nothing to do: the versions that both environments have are the same; {what} {are} in one only."
                    );
                    Some((Outcome::Clean, message))
                }
                (false, true) => {
                    let message = "Nothing was compared: no version is in both environments.";
                    Some((Outcome::Findings, message.to_owned()))
                }
            }
        } else {
            None
        }
    }

    fn dry_run(&self) -> Outcome {
        if self.refused.is_empty() { Outcome::Clean } else { Outcome::Findings }
    }

    fn question(&self) -> String {
        format!("Change {} in {}?", count(self.changes.len(), "version"), count(self.files.len(), "file"))
    }

    fn note_source(&mut self, source: RepositoryPath) {
        self.source = source;
    }

    fn ends(&self) -> (Outcome, Option<String>) {
        if self.refused.is_empty() {
            return (Outcome::Clean, None);
        }
        let services: BTreeSet<&str> = self.refused.iter().filter_map(|left| left.service.as_deref()).collect();
        let names = crate::render::words::join_limited(&services.into_iter().collect::<Vec<_>>(), 20);
        (Outcome::Findings, Some(format!("Skipped entirely: {names}.")))
    }
}

/// Shows a plan and asks for confirmation.
///
/// # Errors
/// Fails when the user cannot be asked, or standard output cannot be written.
pub(super) fn show(plan: &impl EditProposal, consent: &ConsentArgs, context: &Context) -> Result<PlanDecision> {
    for warning in plan.warnings() {
        context.ui.warn(warning);
    }
    let stop = match plan.stops() {
        None if consent.dry_run => Some((Outcome::Clean, "Dry run: nothing was written.".to_owned())),
        stop => stop,
    };
    if let Some((outcome, message)) = stop {
        context.print(plan)?;
        // Printed last, so that it is visible after a long plan.
        context.ui.message(&message);
        return Ok(PlanDecision::Stop(if consent.dry_run { plan.dry_run() } else { outcome }));
    }
    if is_for_people(&context.globals.output.output) {
        context.print_and_go_on(plan)?;
    }
    if consent.yes || context.ui.confirm(&plan.question())? {
        return Ok(PlanDecision::Go);
    }
    context.ui.message("Nothing is written.");
    Ok(PlanDecision::Stop(Outcome::Clean))
}

/// Reports the location of a result: to people after the plan, as data; programs find it in the document.
///
/// # Errors
/// Fails when standard output cannot be written.
pub(super) fn print_result(context: &Context, text: &str) -> Result<()> {
    let line = ucp_core::model::text::plain(text);
    match is_for_people(&context.globals.output.output) {
        true => context.ui.data(&format!("{line}\n")),
        false => {
            context.ui.message(&line);
            Ok(())
        }
    }
}

/// Reports that a plan was carried out: with the whole plan for programs.
///
/// # Errors
/// Fails when standard output cannot be written.
pub(super) fn finish_plan(plan: &impl EditProposal, context: &Context) -> Result<Outcome> {
    if !is_for_people(&context.globals.output.output) {
        context.print(plan)?;
    }
    let (outcome, message) = plan.ends();
    if let Some(message) = message {
        context.ui.message(&message);
    }
    Ok(outcome)
}

/// Returns a count with its noun, such as `1 file` or `2 files`.
pub(super) fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
