//! Flags for the target of planned edits, and messages about the result. [`crate::promote::landing`] carries the edits
//! out.

use std::path::Path;

use clap::Args;

use crate::cli::Context;
use crate::cli::frozen_merges::cancel_frozen_merges;
use crate::cli::pull_request::{self, PullRequestArgs, new_pull_request, short};
use crate::cli::rollout::{self, AwaitedRollout};
use crate::cli::upstream::{record_push, upstream_ahead, upstream_with_more};
use crate::cli::working_copy::{FilesOwner, RepositorySurvey, WorkingCopy};
use crate::cli::writing::{
    CommittedEdits, ConsentArgs, EditProposal, PlanDecision, count, finish_plan, print_result, show,
};
use crate::promote::landing::{Landed, Landing, LandingTarget, Replanning};
use crate::promote::policy::Policy;
use crate::promote::reconcile::{PlanRows, changed_rows, reconcile};
use crate::report::promotion::{PromotionPlan, Receipt, RepositoryPath, WaitingBranch};
use ucp_core::error::{Error, Outcome, Result};
use ucp_core::model::secrecy::scrub;
use ucp_repo::git::Git;
use ucp_repo::git::publish::{CommitOrigin, PublishedCommit, PushDestination, check_branch};
use ucp_repo::gitops::config::RepositoryConfig;
use ucp_repo::gitops::files;

/// Where the edits go besides the files.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Writing")]
pub(super) struct PublishArgs {
    /// Whether to go ahead.
    #[command(flatten)]
    pub(super) consent: ConsentArgs,
    /// Commit the edited files on the current branch
    #[arg(long, hide_short_help = true)]
    commit: bool,
    /// Commit to this branch, which is created if needed; the working tree is not changed
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    branch: Option<String>,
    /// Commit to the tip of the remote branch and push, retrying if others push first; the working tree is not changed
    #[arg(long)]
    push: bool,
    /// Commit message; by default, it lists the changes
    #[arg(long, value_name = "TEXT", hide_short_help = true)]
    message: Option<String>,
    /// The last line of the message, if the command has one.
    #[arg(skip)]
    trailer: Option<String>,
    /// What is waited for afterward.
    #[arg(skip)]
    awaited: Option<AwaitedRollout>,
    /// Whether to open a pull request.
    #[command(flatten)]
    pub(super) pull_request: PullRequestArgs,
}

impl PublishArgs {
    /// Returns true if the edits are made in a private copy, which has every file of the commit.
    pub(super) fn is_elsewhere(&self) -> bool {
        self.branch.is_some() || self.push || self.pull_request.is_wanted()
    }

    fn target(&self, working_copy: &WorkingCopy) -> Result<LandingTarget> {
        if self.pull_request.is_wanted() {
            let git = working_copy.git()?;
            let settings = RepositoryConfig::read(&working_copy.top)?.pr;
            return Ok(LandingTarget::Proposal(git.clone(), pull_request::destination(git, &settings)?));
        }
        let target = match (&self.branch, self.push) {
            (branch, true) => {
                let git = working_copy.git()?;
                let destination = PushDestination::resolve(git, branch.as_deref())?;
                if branch.is_none() {
                    destination.check_current_branch(git)?;
                }
                LandingTarget::Push(git.clone(), destination)
            }
            (Some(branch), false) => {
                check_branch(working_copy.git()?, branch)?;
                LandingTarget::Branch(working_copy.git()?.clone(), branch.clone())
            }
            (None, false) if self.commit => LandingTarget::Commit(working_copy.git()?.clone()),
            (None, false) => LandingTarget::WorkTree,
        };
        let needs_files = matches!(target, LandingTarget::WorkTree | LandingTarget::Commit(_));
        if working_copy.files == FilesOwner::Copy && needs_files && !self.consent.dry_run {
            return Err(Error::usage(format!("{} has no work tree to edit", working_copy.shown))
                .hint("pass --push or --pr, or --dry-run to see the plan only"));
        }
        Ok(target)
    }

    /// Returns true if the edits become a commit, and not only files that a person can check.
    pub(super) fn makes_commit(&self) -> bool {
        self.commit || self.push || self.branch.is_some() || self.pull_request.is_wanted()
    }

    /// Returns the same flags with a last line for the message of the commit.
    pub(super) fn with_trailer(&self, trailer: Option<String>) -> Self {
        Self { trailer, ..self.clone() }
    }

    /// Returns the same flags with what is waited for afterward.
    pub(super) fn waiting_for(self, awaited: Option<AwaitedRollout>) -> Self {
        Self { awaited, ..self }
    }

    /// Returns the message of a commit: one line, and the list of changes.
    fn commit_message(&self, headline: &str, plan: &impl CommittedEdits) -> String {
        let message = match &self.message {
            Some(message) => message.clone(),
            None => {
                let lines: String = plan.summary().iter().map(|line| format!("\n- {line}")).collect();
                ucp_core::model::text::plain(&format!("{headline}\n{lines}")).into_owned()
            }
        };
        match &self.trailer {
            Some(trailer) => format!("{}\n\n{trailer}", message.trim_end()),
            None => message,
        }
    }
}

/// Makes a plan from the files of a survey; if rows are given, for these only.
type PromotionPlanner<'a> = dyn Fn(&RepositorySurvey, Option<&PlanRows>) -> Result<PromotionPlan> + 'a;

/// Fails if versions in the files of a survey must not be written now.
type SurveyGate<'a> = dyn Fn(&RepositorySurvey) -> Result<()> + 'a;

/// The edits that a command plans.
pub(super) struct EditIntent<'a> {
    /// Makes the plan.
    pub(super) planner: Box<PromotionPlanner<'a>>,
    /// Fails if versions must not be written now.
    pub(super) gate: Box<SurveyGate<'a>>,
    /// Returns the first line of the commit message.
    pub(super) headline: Box<dyn Fn(&PromotionPlan) -> String + 'a>,
}

/// Makes a plan from the files, shows it, asks, and carries it out.
///
/// # Errors
/// Fails when the plan cannot be made or carried out, or when a value changed in the meantime.
pub(super) fn carry_out<'a>(
    context: &Context,
    working_copy: &WorkingCopy,
    args: &PublishArgs,
    policy: Policy,
    intent: &dyn Fn(&RepositorySurvey) -> Result<EditIntent<'a>>,
) -> Result<Outcome> {
    let access = args.pull_request.access();
    let landing = begin(context, working_copy, args)?;
    let survey = working_copy.survey(landing.top())?;
    if let (LandingTarget::Proposal(git, base), false) = (landing.target(), args.consent.dry_run) {
        cancel_frozen_merges(context, access, git, base, &survey.repository.config);
    }
    let EditIntent { planner, gate, headline } = intent(&survey)?;
    // A gate holds back what is written: a plan without edits passes.
    let plan_from = |survey: &RepositorySurvey, rows: Option<&PlanRows>| {
        survey.check_gates()?;
        let held = gate(survey).err();
        match planner(survey, rows) {
            Ok(plan) => Ok((held.filter(|_| !plan.files.is_empty()), plan)),
            Err(error) => Err(held.unwrap_or(error)),
        }
    };
    let again = |top: &Path, shown: Option<&PromotionPlan>| {
        let (held, plan) = plan_from(&working_copy.survey(top)?, shown.map(changed_rows).as_ref())?;
        held.map_or(Ok(plan), Err)
    };
    let agree = |shown: &PromotionPlan, now: &PromotionPlan| {
        reconcile(shown, now, policy.downgrades).map_err(|reason| {
            Error::refused(reason).hint("nothing was pushed; check the new plan, or pass --allow-downgrade")
        })
    };
    let again = Replanning { plan: &again, agree: &agree };
    let (held, mut plan) = plan_from(&survey, None)?;
    if let Some(held) = held {
        plan.note_source(RepositoryPath { path: working_copy.shown.clone() });
        let awaited = args.awaited.filter(|_| !args.consent.dry_run);
        let followed = rollout::follow_earlier(context, working_copy, access, &landing, awaited, held, &mut plan)?;
        return Ok(finish_plan(&plan, context)?.max(followed));
    }
    if let Some(unfinished) = landing.unfinished(&plan, &again)? {
        context.ui.message(
            "An earlier run wrote some of these versions and did not commit them; they are part of this plan.",
        );
        plan = unfinished;
    }
    if let (LandingTarget::Push(git, destination), Some(published)) =
        (landing.target(), landing.waiting(&plan, &again)?)
    {
        plan.note_source(RepositoryPath { path: working_copy.shown.clone() });
        plan.note_receipt(report_earlier_run(context, git, destination, published)?);
        return finish_plan(&plan, context);
    }
    plan.note_source(RepositoryPath { path: working_copy.shown.clone() });
    let awaited = args.awaited.filter(|_| !args.consent.dry_run);
    let awaited =
        awaited.filter(|awaited| !plan.files.is_empty() || awaited.is_for_versions() && !plan.declared.is_empty());
    if let Some(awaited) = awaited {
        awaited.check_cluster(context, &survey.repository.config)?;
    }
    if let (Some(awaited), Some((Outcome::Clean, message))) = (awaited, plan.stops()) {
        context.ui.message(&message);
        let followed = rollout::follow_declared(context, working_copy, &landing, awaited, &mut plan)?;
        return Ok(finish_plan(&plan, context)?.max(followed));
    }
    if let PlanDecision::Stop(outcome) = show(&plan, &args.consent, context)? {
        return Ok(outcome);
    }
    let landed = land(context, args, &landing, &mut plan, &headline, &again)?;
    let followed = match awaited {
        Some(awaited) => rollout::follow(context, working_copy, access, &landing, awaited, &mut plan)?,
        None => Outcome::Clean,
    };
    Ok(finish_plan(&plan, context)?.max(landed).max(followed))
}

/// Prepares the files that a plan is made from.
///
/// # Errors
/// Fails when the flags do not fit the repository, or the remote cannot be read.
pub(super) fn begin(context: &Context, working_copy: &WorkingCopy, args: &PublishArgs) -> Result<Landing> {
    let target = args.target(working_copy)?;
    let is_remote = matches!(target, LandingTarget::Push(..) | LandingTarget::Proposal(..));
    let waiting = is_remote.then(|| context.ui.waiting_progress("fetching"));
    let landing = Landing::begin(target, &working_copy.top)?;
    drop(waiting);
    if let LandingTarget::Commit(git) = landing.target()
        && let Some(upstream) = upstream_with_more(git)?
    {
        context.ui.warn(&format!(
            "{upstream} has commits that the checkout does not have, and a commit here diverges from it: run 'git pull' first"
        ));
    }
    if working_copy.files == FilesOwner::Theirs && !args.consent.dry_run {
        files::remove_unfinished(&working_copy.top);
    }
    Ok(landing)
}

/// Shows a plan, asks, and carries it out. `headline` returns the first line of its commit message.
///
/// # Errors
/// Fails when it cannot be carried out, or something changed in the meantime.
pub(super) fn publish<P: EditProposal + CommittedEdits>(
    context: &Context,
    working_copy: &WorkingCopy,
    args: &PublishArgs,
    landing: &Landing,
    mut plan: P,
    headline: &dyn Fn(&P) -> String,
    again: &Replanning<'_, P>,
) -> Result<Outcome> {
    plan.note_source(RepositoryPath { path: working_copy.shown.clone() });
    if let PlanDecision::Stop(outcome) = show(&plan, &args.consent, context)? {
        return Ok(outcome);
    }
    let landed = land(context, args, landing, &mut plan, headline, again)?;
    Ok(finish_plan(&plan, context)?.max(landed))
}

/// Carries out a plan that was confirmed, and reports the result. The outcome is incomplete if its pull request could not be
/// opened or is not as configured.
///
/// # Errors
/// Fails when it cannot be carried out, or something changed in the meantime.
pub(super) fn land<P: CommittedEdits>(
    context: &Context,
    args: &PublishArgs,
    landing: &Landing,
    plan: &mut P,
    headline: &dyn Fn(&P) -> String,
    again: &Replanning<'_, P>,
) -> Result<Outcome> {
    let message = |plan: &P| args.commit_message(&headline(plan), plan);
    if let LandingTarget::Proposal(_, base) = landing.target() {
        return pull_request::propose(context, &args.pull_request, landing, base, plan, &message, again);
    }
    let waiting = matches!(landing.target(), LandingTarget::Push(..)).then(|| context.ui.waiting_progress("pushing"));
    let landed = landing.land(plan, &message, again)?;
    drop(waiting);
    match landed {
        Landed::Edited => {
            let new = plan.files().iter().filter(|file| file.before.is_none()).count();
            let changed = plan.files().len() - new;
            let parts = [(new, "Wrote"), (changed, if new > 0 { "changed" } else { "Changed" })];
            let said = parts.iter().filter(|(number, _)| *number > 0);
            let said: Vec<String> = said.map(|(number, verb)| format!("{verb} {}", count(*number, "file"))).collect();
            context.ui.message(&format!("{}.", said.join(", ")));
        }
        Landed::Committed(commit, branch) => {
            let on = branch.map(|branch| format!(" on {branch}")).unwrap_or_default();
            print_result(context, &format!("Committed {}{on}.", short(&commit)))?;
            let checkout_behind = match landing.target() {
                LandingTarget::Commit(git) => {
                    warn_of_detached_head(context, git)?;
                    upstream_with_more(git)?
                }
                _ => None,
            };
            plan.note_receipt(Receipt { commit: Some(commit), checkout_behind, ..Receipt::default() });
        }
        Landed::AlreadyThere => context.ui.message(P::MEANWHILE),
        Landed::Pushed(published) => {
            let receipt = report_push(context, landing.target(), published)?;
            plan.note_receipt(receipt);
        }
        // Pull requests are proposed above.
        Landed::Proposed(_) => {}
    }
    Ok(Outcome::Clean)
}

/// Warns of a commit that no branch contains: git deletes it some weeks after another commit is checked out.
fn warn_of_detached_head(context: &Context, git: &Git) -> Result<()> {
    if git.current_branch()?.is_none() {
        context.ui.warn("HEAD is detached, so no branch contains this commit: keep it with 'git switch -c BRANCH'");
    }
    Ok(())
}

/// Reports the branch that a commit was pushed to.
fn report_push(context: &Context, target: &LandingTarget, published: PublishedCommit) -> Result<Receipt> {
    let LandingTarget::Push(git, destination) = target else { return Ok(Receipt::default()) };
    if published.made_by == CommitOrigin::AnEarlierRun {
        return report_earlier_run(context, git, destination, published);
    }
    if let Some(reason) = &published.diverted {
        let base = &destination.base;
        context.ui.warn(&format!("{base} is protected, so the commit was pushed to a separate branch: {reason}"));
    }
    let (commit, branch, remote) = (short(&published.commit), &published.branch, &destination.remote);
    print_result(context, &format!("Pushed {commit} to {branch} of {remote}."))?;
    if let Some(page) = &published.page {
        print_result(context, &format!("For a pull request: {page}"))?;
    }
    let checkout_behind = upstream_ahead(git, destination, &published)?;
    if let Some(upstream) = &checkout_behind {
        record_push(git, upstream, &published.commit)?;
        context.ui.message(&format!("The checkout is now behind {upstream}: run 'git pull' before the next --commit."));
    }
    Ok(Receipt {
        commit: Some(published.commit),
        pushed: Some(published.branch),
        pull_request: published.page,
        checkout_behind,
        ..Receipt::default()
    })
}

/// Reports the branch of an earlier run that has the change.
fn report_earlier_run(
    context: &Context,
    git: &Git,
    destination: &PushDestination,
    published: PublishedCommit,
) -> Result<Receipt> {
    let (branch, base) = (published.branch, destination.base.clone());
    let remote = git.push_url(&destination.remote)?;
    let url = scrub(&remote).into_owned();
    print_result(
        context,
        &format!("Nothing to push: {branch} of {url} already has this change and is waiting to be merged into {base}."),
    )?;
    let page = published.page.or_else(|| new_pull_request(&remote, &branch));
    if let Some(page) = &page {
        print_result(context, &format!("Its pull request: {page}"))?;
    }
    let waiting = Some(WaitingBranch { branch, into: base, url });
    Ok(Receipt { commit: Some(published.commit), pull_request: page, waiting, ..Receipt::default() })
}
