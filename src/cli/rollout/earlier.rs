//! Waits for the pull request that an earlier run opened, while a gate holds back what this one would push.

use super::{AwaitedRollout, follow, running};
use crate::cli::Context;
use crate::cli::pull_request::{ForgeAccess, open_session};
use crate::cli::working_copy::WorkingCopy;
use crate::cli::writing::{CommittedEdits as _, print_result};
use crate::promote::landing::{Landing, LandingTarget};
use crate::report::promotion::{PromotionPlan, PullRequestReceipt, Receipt};
use ucp_client::source::live;
use ucp_core::error::{Error, Outcome, Result};
use ucp_core::model::text::one_line;
use ucp_features::forge::PullRequest;
use ucp_repo::git::Git;
use ucp_repo::git::publish::PushDestination;

/// Waits for the open pull request that has the versions of a plan already. `held` is why the plan is not carried out.
///
/// # Errors
/// Fails with `held` if nothing is to be awaited, or there is no such pull request, and when the forge or the repository cannot be
/// read.
pub(in crate::cli) fn follow_earlier(
    context: &Context,
    working_copy: &WorkingCopy,
    access: ForgeAccess,
    landing: &Landing,
    awaited: Option<AwaitedRollout>,
    held: Error,
    plan: &mut PromotionPlan,
) -> Result<Outcome> {
    let (LandingTarget::Proposal(git, base), Some(awaited)) = (landing.target(), awaited) else { return Err(held) };
    let Some(branch) = landing.check_out_proposed(plan)? else { return Err(held) };
    let survey = working_copy.survey(landing.top())?;
    if running::declared_versions(&survey, plan).len() < plan.changes.len() {
        return Err(held);
    }
    let Some(opened) = open_from(access, git, base, &branch)? else { return Err(held) };
    awaited.check_cluster(context, &survey.repository.config)?;
    context.ui.message(&format!("Nothing is pushed: {}.", held.message()));
    let (number, url) = (opened.number, one_line(&opened.url));
    print_result(context, &format!("Pull request #{number} is open: {url}"))?;
    let proposal = PullRequestReceipt { number, state: "unchanged", closed: Vec::new(), missing: Vec::new() };
    plan.note_receipt(Receipt {
        commit: opened.head,
        pushed: Some(branch),
        pull_request: Some(url),
        proposal: Some(proposal),
        ..Receipt::default()
    });
    follow(context, working_copy, access, landing, awaited, plan)
}

/// Returns the open pull request of a branch.
fn open_from(access: ForgeAccess, git: &Git, base: &PushDestination, branch: &str) -> Result<Option<PullRequest>> {
    let url = git.push_url(&base.remote)?;
    let open = live::runtime()?.block_on(async {
        let session = open_session(access, &url)?;
        session.open_requests(&base.base).await.map_err(|error| Error::failed(error.to_string()))
    })?;
    Ok(open.into_iter().find(|found| found.source == branch && found.is_own_repository))
}
