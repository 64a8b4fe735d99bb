//! The flags that say where planned edits go, and what is said about it. How they land is in [`crate::promote::landing`].

use std::path::Path;

use clap::Args;

use crate::cli::Context;
use crate::cli::working_copy::{Files, Survey, WorkingCopy};
use crate::cli::writing::{ConsentArgs, Decision, count, done, say, show};
use crate::error::{Error, Outcome, Result};
use crate::git::publish::{Destination, Published, check_branch};
use crate::gitops::files;
use crate::promote::landing::{Again, Landed, Landing, LandingTarget};
use crate::promote::policy::Policy;
use crate::promote::reconcile::Rows;
use crate::report::promotion::PromotionPlan;

/// Where the edits go besides the files.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Writing")]
pub(super) struct PublishArgs {
    /// Whether to go ahead.
    #[command(flatten)]
    pub(super) consent: ConsentArgs,
    /// Commit the edited files on the current branch
    #[arg(long)]
    commit: bool,
    /// Commit to this branch, which is created if needed; the working tree is not changed
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
    /// Commit to the tip of the remote branch and push, retrying if others push first; the working tree is not changed
    #[arg(long)]
    push: bool,
    /// Commit message; by default, it lists the changes
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

impl PublishArgs {
    fn target(&self, working_copy: &WorkingCopy) -> Result<LandingTarget> {
        let target = match (&self.branch, self.push) {
            (branch, true) => {
                let git = working_copy.git()?;
                LandingTarget::Push(git.clone(), Destination::of(git, branch.as_deref())?)
            }
            (Some(branch), false) => {
                check_branch(working_copy.git()?, branch)?;
                LandingTarget::Branch(working_copy.git()?.clone(), branch.clone())
            }
            (None, false) if self.commit => LandingTarget::Commit(working_copy.git()?.clone()),
            (None, false) => LandingTarget::WorkTree,
        };
        let needs_files = matches!(target, LandingTarget::WorkTree | LandingTarget::Commit(_));
        if working_copy.files == Files::Copy && needs_files && !self.consent.dry_run {
            return Err(Error::usage(format!("{} has no work tree to edit", working_copy.shown))
                .hint("pass --push, or --dry-run to see the plan only"));
        }
        Ok(target)
    }

    /// The message of a commit: one line, and what moved.
    fn commit_message(&self, plan: &PromotionPlan, headline: &dyn Fn(&PromotionPlan) -> String) -> String {
        if let Some(message) = &self.message {
            return message.clone();
        }
        let mut message = format!("{}\n", headline(plan));
        for change in &plan.changes {
            let service = change.service.as_deref().unwrap_or_default();
            let before = if change.before.is_empty() { "none" } else { &change.before };
            message.push_str(&format!("\n- {service}: {} {before} -> {}", change.image, change.after));
        }
        crate::model::text::plain(&message).into_owned()
    }
}

/// Makes a plan from the files of a survey; where rows are given, of these only.
type Planner<'a> = dyn Fn(&Survey, Option<&Rows>) -> Result<PromotionPlan> + 'a;

/// What a command wants to write.
pub(super) struct Intent<'a> {
    /// Makes its plan.
    pub(super) planner: Box<Planner<'a>>,
    /// The first line of the commit.
    pub(super) headline: Box<dyn Fn(&PromotionPlan) -> String + 'a>,
}

/// Plans, shows, asks and carries out what becomes of the first look at the files.
///
/// # Errors When the plan cannot be made or carried out, or a value changed in the meantime.
pub(super) fn carry_out<'a>(
    context: &Context,
    working_copy: &WorkingCopy,
    args: &PublishArgs,
    policy: Policy,
    intent: &dyn Fn(&Survey) -> Result<Intent<'a>>,
) -> Result<Outcome> {
    let target = args.target(working_copy)?;
    let waiting = matches!(target, LandingTarget::Push(..)).then(|| context.ui.waiting("fetching"));
    let landing = Landing::begin(target, &working_copy.top)?;
    drop(waiting);
    if working_copy.files == Files::Theirs && !args.consent.dry_run {
        files::remove_left_behind(&working_copy.top);
    }
    let survey = working_copy.survey(landing.top())?;
    let Intent { planner, headline } = intent(&survey)?;
    let again = |top: &Path, rows: Option<&Rows>| planner(&working_copy.survey(top)?, rows);
    let again = Again { plan: &again, downgrades: policy.downgrades };
    let mut plan = planner(&survey, None)?;
    if let Some(unfinished) = landing.unfinished(&plan, &again)? {
        context.ui.message(
            "An earlier run wrote some of these versions and did not commit them; they are part of this plan.",
        );
        plan = unfinished;
    }
    plan.source.path.clone_from(&working_copy.shown);
    if let Decision::Stop(outcome) = show(&plan, &args.consent, context)? {
        return Ok(outcome);
    }
    let message = |plan: &PromotionPlan| args.commit_message(plan, &headline);
    let waiting = matches!(landing.target(), LandingTarget::Push(..)).then(|| context.ui.waiting("pushing"));
    let landed = landing.land(&plan, &message, &again)?;
    drop(waiting);
    match landed {
        Landed::Edited => context.ui.message(&format!("Changed {}.", count(plan.files.len(), "file"))),
        Landed::Committed(commit, branch) => {
            let on = branch.map(|branch| format!(" on {branch}")).unwrap_or_default();
            say(context, &format!("Committed {}{on}.", short(&commit)))?;
            plan.commit = Some(commit);
        }
        Landed::AlreadyThere => {
            context.ui.message("Nothing to push: every version has been set in the meantime.");
        }
        Landed::Pushed(published) => tell(context, landing.target(), published, &mut plan)?,
    }
    done(&plan, context)
}

/// Says where a commit was pushed to, and writes that into the plan.
fn tell(context: &Context, target: &LandingTarget, published: Published, plan: &mut PromotionPlan) -> Result<()> {
    let LandingTarget::Push(_, destination) = target else { return Ok(()) };
    if let Some(reason) = &published.diverted {
        let base = &destination.base;
        context.ui.warn(&format!("{base} is protected, so the commit is on a branch of its own: {reason}"));
    }
    let (commit, branch, remote) = (short(&published.commit), &published.branch, &destination.remote);
    say(context, &format!("Pushed {commit} to {branch} of {remote}."))?;
    if let Some(page) = &published.page {
        say(context, &format!("For a pull request: {page}"))?;
    }
    plan.commit = Some(published.commit);
    plan.pushed = Some(published.branch);
    plan.pull_request = published.page;
    Ok(())
}

fn short(commit: &str) -> &str {
    &commit[..commit.len().min(12)]
}
