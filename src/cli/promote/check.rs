//! `promote --check`: the gates of each version, without writing.

use super::closed::{ProposedBranches, ProposedTogether};
use super::forge_gates::ForgeGates;
use super::gate::PromotionGate;
use super::{Args, check_flow, request, soak};
use crate::cli::working_copy::WorkingCopy;
use crate::cli::{Context, freeze};
use crate::promote::copy;
use crate::promote::facts::PlanningFacts;
use crate::promote::policy::Policy;
use crate::promote::request::PromotionRequest;
use crate::report::promotion::{PromotionPlan, ReasonImportance, RepositoryPath, UnchangedValue, VersionUpdate};
use crate::report::promotion_check::{CheckedVersion, GateKind, HoldingGate, PromotionCheck};
use ucp_core::error::{Outcome, Result};
use ucp_repo::git::STATUS;

pub(super) fn run(context: &Context, args: &Args, working_copy: &WorkingCopy, policy: Policy) -> Result<Outcome> {
    let survey = working_copy.survey(&working_copy.top)?;
    let request = request::complete(context, args, policy, &survey)?;
    survey.check([request.from.as_str(), request.to.as_str()], args.services.iter().map(String::as_str))?;
    survey.check_gates()?;
    let config = &survey.repository.config;
    check_flow(config, &request.from, &request.to)?;
    let gate = PromotionGate::new(context, args, config)?;
    let access = args.publish.pull_request.access();
    let forge = ForgeGates::read(context, access, working_copy, &config.pr, &request.to)?;
    let branches = ProposedBranches::list(working_copy, &config.pr);
    let together = match args.services.is_empty() && !args.all {
        true => ProposedTogether::EachService,
        false => ProposedTogether::All,
    };
    let remotes = working_copy.remotes()?;
    let (plan, mut items, changes) = survey.with_facts(policy, |facts| {
        let plan = copy::plan(facts, &request, None, None);
        let gates =
            PromotionGates { request: &request, remotes: &remotes, verified: gate.as_ref(), forge: forge.as_ref() };
        let items: Vec<CheckedVersion> = plan
            .changes
            .iter()
            .map(|change| CheckedVersion::from_change(change, gates.holding(facts, change)))
            .collect();
        let proposed = |branches: &ProposedBranches| branches.changes(facts, &request, &plan, together);
        let changes = branches.as_ref().ok().and_then(Option::as_ref).map(proposed).unwrap_or_default();
        (plan, items, changes)
    });
    let closed = branches.and_then(|branches| match branches {
        Some(branches) => branches.hold(access, &changes, &mut items),
        None => Ok(()),
    });
    let source = RepositoryPath { path: working_copy.shown.clone() };
    let mut report = PromotionCheck::new(source, &request.from, &request.to, items);
    report.items.extend(refused_rows(&plan).map(CheckedVersion::from_refusal));
    context.print(&report)?;
    if let Some(difference) = difference_from_upstream(working_copy)? {
        context.ui.warn(&format!("{difference}: --pr and --push use the branch of the remote, and may be held back"));
    }
    let unread = closed.as_ref().err().filter(|_| !report.items.is_empty());
    if let Some(error) = unread {
        context.ui.warn(&format!("--pr may hold back a change that was closed before: {}", error.message()));
    }
    let held = report.held_count();
    context.ui.message(&match (report.items.len(), held, unread) {
        (0, ..) => format!("Nothing to promote: {} has the versions of {}.", request.to, request.from),
        (1, 0, None) => "This version may be promoted now.".to_owned(),
        (all, 0, None) => format!("All {all} may be promoted now."),
        (all, 0, Some(_)) => format!("No gate that could be read holds back any of {all}."),
        (all, 1, _) => format!("1 of {all} is held back."),
        (all, held, _) => format!("{held} of {all} are held back."),
    });
    let outcome = match (held, unread) {
        (0, None) => Outcome::Clean,
        (0, Some(_)) => Outcome::Incomplete,
        _ => Outcome::Findings,
    };
    super::with_sparse_gap(context, working_copy, outcome)
}

/// Returns how the checkout differs from the branch that it follows, as of the last fetch.
fn difference_from_upstream(working_copy: &WorkingCopy) -> Result<Option<String>> {
    let Some(git) = &working_copy.git else { return Ok(None) };
    let words = ["--porcelain=v2", "--branch", "--untracked-files=no"];
    let Some(status) = git.without_filters()?.query(STATUS.into_iter().chain(words))? else {
        return Ok(None);
    };
    let moved = status.lines().find_map(|line| line.strip_prefix("# branch.ab "));
    let is_dirty = status.lines().any(|line| !line.starts_with('#'));
    Ok(match moved.filter(|moved| *moved != "+0 -0") {
        _ if is_dirty => Some("the checkout has uncommitted changes".to_owned()),
        Some(moved) => Some(format!("the checkout and its upstream differ ({moved} commits)")),
        None => None,
    })
}

/// The gates of a promotion.
pub(in crate::cli) struct PromotionGates<'g> {
    pub(in crate::cli) request: &'g PromotionRequest,
    pub(in crate::cli) remotes: &'g [String],
    /// The conditions of the cluster, if it was read.
    pub(in crate::cli) verified: Option<&'g PromotionGate>,
    /// What the forge knows, if it was read.
    pub(in crate::cli) forge: Option<&'g ForgeGates>,
}

impl PromotionGates<'_> {
    /// Returns the gates that hold a change back.
    pub(in crate::cli) fn holding(&self, facts: &PlanningFacts<'_>, change: &VersionUpdate) -> Vec<HoldingGate> {
        let frozen = freeze::active(&facts.repository.config, Some(&self.request.to)).map(|active| HoldingGate {
            gate: GateKind::Freeze,
            reason: active.reason(),
            until: active.until,
        });
        let soaked = soak::check(facts, self.request, change).err();
        let soaked = soaked.map(|held| HoldingGate { gate: GateKind::Soak, reason: held.reason, until: held.until });
        let verify = |gate: &PromotionGate| gate.check_change(facts, self.request, self.remotes, change).err();
        let verified = self.verified.and_then(verify);
        let verified =
            verified.map(|reason| HoldingGate { gate: GateKind::Verify, reason: reason.into(), until: None });
        let service = change.service.as_deref().unwrap_or_default();
        let forge = self.forge.map(|forge| forge.holding(service)).unwrap_or_default();
        [frozen, soaked, verified].into_iter().flatten().chain(forge).collect()
    }
}

/// Returns the values that differ and that the rules do not allow to change.
pub(in crate::cli) fn refused_rows(plan: &PromotionPlan) -> impl Iterator<Item = &UnchangedValue> {
    let differing = plan.kept.iter().filter(|left| left.weight == ReasonImportance::Telling);
    plan.refused.iter().chain(differing)
}
