//! `--wait`: waits until the pull request of a change is merged, and its versions run.

mod earlier;
mod merge;
mod running;

use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::cli::Context;
use crate::cli::pull_request::{ForgeAccess, short};
use crate::cli::wait::timeout::{self, Deadline};
use crate::cli::working_copy::WorkingCopy;
use crate::cli::writing::print_result;
use crate::promote::landing::{Landing, LandingTarget};
use crate::report::promotion::{AwaitedChange, PromotionPlan};
use crate::report::wait::WaitOutcome;
use ucp_core::error::{Error, Outcome, Result};
use ucp_repo::git::log::is_hash;
use ucp_repo::gitops::config::RepositoryConfig;

pub(super) use earlier::follow_earlier;
use merge::MergeOutcome;
use running::KnownMerge;

/// Whether to wait for a pull request.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Pull request")]
pub(super) struct RolloutArgs {
    /// Wait until it is merged and runs
    ///
    /// The pull request is merged, and its versions run, by the conditions of --verify; with =merged, it is merged.
    #[arg(long, value_enum, value_name = "running|merged", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "running", hide_possible_values = true, requires = "pr")]
    wait: Option<AwaitedEnd>,
    /// How long to wait; 0 checks once
    #[arg(long, value_name = "DURATION", value_parser = timeout::parse, default_value = "1h", allow_hyphen_values = true)]
    #[arg(hide_short_help = true)]
    timeout: Duration,
}

/// The end of a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AwaitedEnd {
    /// The versions run.
    Running,
    /// The pull request is merged.
    Merged,
}

/// What is waited for, and how long.
#[derive(Debug, Clone, Copy)]
pub(super) struct AwaitedRollout {
    end: AwaitedEnd,
    timeout: Duration,
}

impl RolloutArgs {
    /// Returns what is waited for.
    pub(super) fn awaited(&self) -> Option<AwaitedRollout> {
        self.wait.map(|end| AwaitedRollout { end, timeout: self.timeout })
    }
}

impl AwaitedRollout {
    /// Returns true if there is something to wait for after the merge.
    pub(super) fn is_for_versions(self) -> bool {
        self.end == AwaitedEnd::Running
    }

    /// Checks that the cluster can be read, before anything is pushed.
    ///
    /// # Errors
    /// Fails when it cannot be read, or a snapshot was named.
    pub(super) fn check_cluster(self, context: &Context, config: &RepositoryConfig) -> Result<()> {
        const HINT: &str = "--wait=merged waits for the merge only";
        if self.end == AwaitedEnd::Merged {
            return Ok(());
        }
        if context.globals.connection.from.is_some() {
            return Err(Error::usage("--wait needs a cluster: a snapshot does not change").hint(HINT));
        }
        context.read_running(config).map(drop).map_err(|error| error.hint(HINT))
    }
}

/// Waits for the pull request of a plan that was pushed, reports the result, and records it in the plan.
///
/// # Errors
/// Fails when the forge rejects a request, or the repository cannot be read.
pub(super) fn follow(
    context: &Context,
    working_copy: &WorkingCopy,
    access: ForgeAccess,
    landing: &Landing,
    awaited: AwaitedRollout,
    plan: &mut PromotionPlan,
) -> Result<Outcome> {
    // Without a pull request, the reason was reported already.
    let (LandingTarget::Proposal(git, base), Some(proposal)) = (landing.target(), &plan.receipt.proposal) else {
        return Ok(Outcome::Clean);
    };
    let deadline = Deadline::after(awaited.timeout);
    let url = git.push_url(&base.remote)?;
    let result = match merge::wait_for_merge(context, access, &url, proposal.number, deadline)? {
        MergeOutcome::Ended(outcome, reason) => AwaitedChange { outcome, merged: None, reason: Some(reason) },
        MergeOutcome::Merged(commit) => {
            let merged = commit.filter(|commit| is_hash(commit));
            let text = merged.as_deref().map(|commit| format!(" as {}", short(commit))).unwrap_or_default();
            print_result(context, &format!("Pull request #{} is merged{text}.", proposal.number))?;
            // A person may have committed another version to its branch.
            let proposed = running::declared_versions(&working_copy.survey(landing.top())?, plan);
            let (outcome, reason) = match awaited.end {
                AwaitedEnd::Merged => match running::lost_version(working_copy, (git, base), &proposed, plan)? {
                    Some(lost) => (WaitOutcome::Failed, Some(lost)),
                    None => (WaitOutcome::Reached, None),
                },
                AwaitedEnd::Running => {
                    let merge = KnownMerge { commit: merged.as_deref(), proposed: Some(proposed) };
                    running::wait_for_rollout(context, working_copy, (git, base), merge, plan, deadline)?
                }
            };
            AwaitedChange { outcome, merged, reason }
        }
    };
    let outcome = report(context, awaited, &result)?;
    plan.receipt.awaited = Some(result);
    Ok(outcome)
}

/// Waits until the versions run that the branch declares already, for example after the merge of an earlier run's pull request.
///
/// # Errors
/// Fails when the repository cannot be read.
pub(super) fn follow_declared(
    context: &Context,
    working_copy: &WorkingCopy,
    landing: &Landing,
    awaited: AwaitedRollout,
    plan: &mut PromotionPlan,
) -> Result<Outcome> {
    let LandingTarget::Proposal(git, base) = landing.target() else { return Ok(Outcome::Clean) };
    let deadline = Deadline::after(awaited.timeout);
    let (outcome, reason) =
        running::wait_for_rollout(context, working_copy, (git, base), KnownMerge::default(), plan, deadline)?;
    let result = AwaitedChange { outcome, merged: None, reason };
    let outcome = report(context, awaited, &result)?;
    plan.receipt.awaited = Some(result);
    Ok(outcome)
}

fn report(context: &Context, awaited: AwaitedRollout, result: &AwaitedChange) -> Result<Outcome> {
    let reason = result.reason.as_deref().unwrap_or_default();
    match result.outcome {
        WaitOutcome::Reached => {
            if awaited.end == AwaitedEnd::Running {
                print_result(context, "Its versions run.")?;
            }
            Ok(Outcome::Clean)
        }
        WaitOutcome::Failed => {
            context.ui.error(&format!("error: {reason}"));
            Ok(Outcome::Findings)
        }
        WaitOutcome::Timeout | WaitOutcome::Unreadable => {
            let limit = timeout::shown(awaited.timeout);
            context.ui.error(&format!("error: timed out after {limit}: {reason}"));
            Ok(Outcome::Incomplete)
        }
    }
}

/// The pauses between looks, which become longer.
struct GrowingPause {
    next: Duration,
    longest: Duration,
}

impl GrowingPause {
    fn new(first: Duration, longest: Duration) -> Self {
        Self { next: first, longest }
    }

    /// Waits, for at least `asked`. Returns false if the time is over before another look may be taken.
    fn rest(&mut self, asked: Option<Duration>, deadline: Deadline) -> bool {
        let pause = asked.unwrap_or_default().max(self.next);
        self.next = (self.next * 3 / 2).min(self.longest);
        let Some(left) = deadline.remaining().filter(|left| !left.is_zero()) else { return false };
        std::thread::sleep(pause.min(left));
        // The last look is at the deadline, unless the server asked for more time.
        asked.is_none_or(|asked| asked <= left)
    }
}
