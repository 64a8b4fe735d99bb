//! Waits until versions that were merged run in the cluster.

use std::time::Duration;

use super::GrowingPause;
use crate::cli::Context;
use crate::cli::wait::timeout::Deadline;
use crate::cli::working_copy::{RepositorySurvey, WorkingCopy};
use crate::promote::declared::{VersionInEnvironment, declaring_places};
use crate::promote::facts::PlanningFacts;
use crate::promote::policy::Policy;
use crate::promote::rolled_out::RolloutConditions;
use crate::report::promotion::{PromotionPlan, VersionUpdate};
use crate::report::wait::WaitOutcome;
use ucp_core::error::Result;
use ucp_core::failure::Failure;
use ucp_core::model::text::one_line;
use ucp_repo::git::Git;
use ucp_repo::git::private::PrivateTree;
use ucp_repo::git::publish::{PushDestination, check_out_tip};

/// Pauses between reads of the cluster.
const FIRST_PAUSE: Duration = Duration::from_secs(2);
const LONGEST_PAUSE: Duration = Duration::from_secs(15);

/// The files of the branch that was merged into.
struct MergedFiles {
    tip: String,
    survey: RepositorySurvey,
}

/// The versions of a plan that have to run: those that it changes, or else those that are declared already.
fn awaited_versions(plan: &PromotionPlan) -> &[VersionUpdate] {
    if plan.files.is_empty() { &plan.declared } else { &plan.changes }
}

/// A merge that is known.
#[derive(Debug, Default)]
pub(super) struct KnownMerge<'m> {
    /// Its commit, if the forge names it.
    pub(super) commit: Option<&'m str>,
    /// The versions that its pull request declared.
    pub(super) proposed: Option<Vec<VersionUpdate>>,
}

/// Waits until all versions of a plan run where the branch declares them. Returns the outcome, and the reason if they do not.
///
/// # Errors
/// Fails when the branch cannot be read.
pub(super) fn wait_for_rollout(
    context: &Context,
    working_copy: &WorkingCopy,
    (git, base): (&Git, &PushDestination),
    merge: KnownMerge<'_>,
    plan: &PromotionPlan,
    deadline: Deadline,
) -> Result<(WaitOutcome, Option<String>)> {
    let tree = PrivateTree::create(git)?;
    let remotes = working_copy.remotes()?;
    let read =
        |tip: String| -> Result<MergedFiles> { Ok(MergedFiles { tip, survey: working_copy.survey(tree.path())? }) };
    let mut files = read(check_out_tip(&tree, base)?)?;
    let merged = merge.commit.unwrap_or(&files.tip).to_owned();
    let declared_first = merge.proposed.unwrap_or_else(|| declared_versions(&files.survey, plan));
    if let Some(lost) = first_lost(&declared_first, &files.survey, plan, &base.base) {
        return Ok((WaitOutcome::Failed, Some(lost)));
    }
    let contains = |revision: &str| {
        tree.git().query(["merge-base", "--is-ancestor", &merged, revision]).is_ok_and(|found| found.is_some())
    };
    let lines = context.ui.lines();
    let mut pauses = GrowingPause::new(FIRST_PAUSE, LONGEST_PAUSE);
    loop {
        let reason = match context.read_running(&files.survey.repository.config) {
            Ok(running) => {
                let conditions =
                    RolloutConditions { running: &running, remotes: &remotes, soak: None, contains: Some(&contains) };
                first_unmet(&files, &conditions, plan)
            }
            Err(error) => Some(error.message()),
        };
        let Some(reason) = reason else { return Ok((WaitOutcome::Reached, None)) };
        let reason = one_line(&reason);
        lines.show(std::slice::from_ref(&reason));
        if deadline.is_over() || !pauses.rest(None, deadline) {
            return Ok((WaitOutcome::Timeout, Some(reason)));
        }
        // Without the remote, the files are those of the last look.
        if let Ok(tip) = check_out_tip(&tree, base)
            && tip != files.tip
        {
            files = read(tip)?;
            if let Some(lost) = first_lost(&declared_first, &files.survey, plan, &base.base) {
                return Ok((WaitOutcome::Failed, Some(lost)));
            }
        }
    }
}

/// Returns the first condition that is not met.
fn first_unmet(files: &MergedFiles, conditions: &RolloutConditions<'_>, plan: &PromotionPlan) -> Option<String> {
    files.survey.with_facts(Policy::STRICT, |facts| {
        awaited_versions(plan).iter().find_map(|change| {
            let unmet: Failure = conditions.check(facts, plan.to.as_deref(), change).err()?;
            Some(format!("{} does not run {}: {unmet}", title(change), change.after))
        })
    })
}

fn title(change: &VersionUpdate) -> &str {
    change.service.as_deref().unwrap_or(&change.image)
}

/// Returns the reason why a merge did not bring the proposed versions: the branch declares another one.
///
/// # Errors
/// Fails when the branch cannot be read.
pub(super) fn lost_version(
    working_copy: &WorkingCopy,
    (git, base): (&Git, &PushDestination),
    proposed: &[VersionUpdate],
    plan: &PromotionPlan,
) -> Result<Option<String>> {
    let tree = PrivateTree::create(git)?;
    check_out_tip(&tree, base)?;
    Ok(first_lost(proposed, &working_copy.survey(tree.path())?, plan, &base.base))
}

/// Describes the first change that was declared before and is not any more.
fn first_lost(before: &[VersionUpdate], now: &RepositorySurvey, plan: &PromotionPlan, base: &str) -> Option<String> {
    let now = declared_versions(now, plan);
    let change = before.iter().find(|change| !now.contains(change))?;
    Some(format!("{} was changed again: {base} does not declare {} any more", title(change), change.after))
}

/// Returns the changes of a plan whose versions an environment declares itself, or their files if it has no environment.
pub(super) fn declared_versions(survey: &RepositorySurvey, plan: &PromotionPlan) -> Vec<VersionUpdate> {
    survey.with_facts(Policy::STRICT, |facts: &PlanningFacts<'_>| {
        let is_in_file = |change: &VersionUpdate| {
            facts.catalog.places.iter().any(|place| {
                let slot = &place.slot;
                let is_it = slot.artifact.as_deref().is_none_or(|artifact| artifact == change.image);
                place.file == change.file && is_it && [&slot.full_version(), &slot.version].contains(&&change.after)
            })
        };
        let is_declared = |change: &&VersionUpdate| {
            let Some(environment) = plan.to.as_deref() else { return is_in_file(change) };
            let service = change.service.as_deref().unwrap_or_default();
            let version =
                VersionInEnvironment { service, artifact: &change.image, environment, version: &change.after };
            !declaring_places(facts, version).is_empty()
        };
        awaited_versions(plan).iter().filter(is_declared).cloned().collect()
    })
}
