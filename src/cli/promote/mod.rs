//! `kubectl ucp promote`

pub(super) mod check;
pub(super) mod closed;
pub(super) mod forge_gates;
pub(super) mod gate;
mod request;
mod soak;

use std::time::Duration;

use crate::cli::Context;
use crate::cli::freeze::FreezeArgs;
use crate::cli::publishing::{self, EditIntent, PublishArgs};
use crate::cli::pull_request::USES_FORGE;
use crate::cli::rollout::RolloutArgs;
use crate::cli::spec::FlagGroup::{Cluster, Namespace, Output, Rights, Snapshot};
use crate::cli::spec::{
    COMMIT_MESSAGE, CommandSpec, FREEZE_OVERRIDE, IMAGE_ROLES, PLAN_ROLES, WAIT_TIMEOUT, always, with_flag,
};
use crate::cli::working_copy::{RepositoryArgs, RepositorySurvey, WorkingCopy};
use crate::cli::writing::{self, DowngradeArgs};
use crate::complete::CompletionValues;
use crate::promote::copy;
use crate::promote::facts::PlanningFacts;
use crate::promote::policy::{MutableTags, Policy};
use crate::promote::reconcile::PlanRows;
use crate::promote::refusal::VersionRefusal;
use crate::report::promotion::{PromotionPlan, VersionUpdate};
use ucp_core::error::{Error, Outcome, Result};
use ucp_core::model::time::parse_duration;
use ucp_repo::gitops::config::RepositoryConfig;

use gate::PromotionGate;

/// Copy versions from one environment to another
///
/// Copies versions of images, charts, packages and Git references, and leaves every other byte of the files as it is. Remote bases pinned to the old tag, and
/// files and values that .ucp.yaml declares, are updated too. Refuses downgrades, moving tags such as latest, edits
/// that would change a third environment, values that YAML aliases follow, and ambiguous or regex-like names. If a service that you name
/// is refused, nothing is written; with --all, it is skipped.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  kubectl ucp promote stage prod echo-server
  kubectl ucp promote stage prod --all --dry-run -o markdown
  kubectl ucp promote stage prod echo-server --soak 30m --push --yes
  kubectl ucp promote stage prod --all --pr --yes
  kubectl ucp promote stage prod echo-server --pr --yes --wait --timeout 2h
  kubectl ucp promote stage prod --check

--verify reads what Argo CD and Flux report in the core cluster (--context) or in a snapshot (--from). It is the default if .ucp.yaml has verify: {context: NAME, soak: DURATION}.

Exit codes: 0 done, nothing to do, or a dry run; 1 refused, held back (--check), versions remain different, a version changed in the meantime, or with --wait the pull request was closed or a required check failed; 2 usage; 3 failed; 4 pushed, but the pull request is missing or incomplete, or --wait timed out.")]
pub(super) struct Args {
    /// The environment to copy from
    // The global flag --from uses this ID.
    #[arg(id = "source", value_name = "FROM")]
    from: Option<String>,
    /// The environment to copy to
    #[arg(id = "target", value_name = "TO")]
    to: Option<String>,
    /// The services to promote
    #[arg(value_name = "SERVICE", conflicts_with = "all")]
    services: Vec<String>,
    /// Promote every service
    #[arg(long)]
    all: bool,
    /// Only this artifact; may be repeated
    ///
    /// Its name as in the file, or the last part of it.
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Report what holds versions back, and until when
    ///
    /// For each version, whether it may be promoted now, and if not, why and until when; nothing is written.
    #[arg(long, group = USES_FORGE, conflicts_with_all = ["yes", "dry_run", "commit", "branch", "push", "pr", "message"])]
    check: bool,
    /// Promote only versions that are Synced, Healthy and running in FROM
    #[arg(long, overrides_with = "no_verify")]
    verify: bool,
    /// Do not verify, even if .ucp.yaml requires it
    #[arg(long, hide_short_help = true)]
    no_verify: bool,
    /// How long the version must have been running in FROM; implies --verify
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, conflicts_with = "no_verify", hide_short_help = true)]
    soak: Option<Duration>,
    #[command(flatten)]
    repository: RepositoryArgs,
    #[command(flatten)]
    publish: PublishArgs,
    #[command(flatten)]
    downgrade: DowngradeArgs,
    #[command(flatten)]
    freeze: FreezeArgs,
    #[command(flatten)]
    rollout: RolloutArgs,
}

pub(super) static SPEC: CommandSpec = CommandSpec {
    dependent: &[COMMIT_MESSAGE, WAIT_TIMEOUT, FREEZE_OVERRIDE],
    roles: &[always(IMAGE_ROLES), with_flag("pr", PLAN_ROLES)],
    completions: &[
        ("services", CompletionValues::Services),
        ("source", CompletionValues::Environments),
        ("target", CompletionValues::Environments),
    ],
    ..CommandSpec::new("promote", &[Cluster, Snapshot, Namespace, Output, Rights])
};

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let working_copy = args.repository.open(&context.ui)?;
    let policy = Policy { downgrades: args.downgrade.rule(), mutable_tags: MutableTags::Refused };
    if args.check {
        return check::run(context, args, &working_copy, policy);
    }
    let publish = args.freeze.recorded_in(&args.publish).waiting_for(args.rollout.awaited());
    let outcome = publishing::carry_out(context, &working_copy, &publish, policy, &|survey| {
        intent(context, args, policy, &working_copy, survey)
    })?;
    // A private copy has all files, and a named service is in the files that were edited.
    let is_partial = args.all && !args.publish.is_elsewhere();
    if is_partial { with_sparse_gap(context, &working_copy, outcome) } else { Ok(outcome) }
}

/// Reports tracked files that the checkout does not have, and returns that the answer is incomplete if it was clean.
fn with_sparse_gap(context: &Context, working_copy: &WorkingCopy, outcome: Outcome) -> Result<Outcome> {
    let Some(gap) = working_copy.sparse_gap()? else { return Ok(outcome) };
    context.ui.warn(&format!("{}; versions in them were not compared ('git sparse-checkout disable')", gap.reason));
    Ok(if outcome == Outcome::Clean { Outcome::Incomplete } else { outcome })
}

fn intent<'a>(
    context: &'a Context,
    args: &'a Args,
    policy: Policy,
    working_copy: &WorkingCopy,
    survey: &RepositorySurvey,
) -> Result<EditIntent<'a>> {
    let request = request::complete(context, args, policy, survey)?;
    let (from, to) = (request.from.clone(), request.to.clone());
    let verified = PromotionGate::new(context, args, &RepositoryConfig::read(&working_copy.top)?)?;
    let remotes = working_copy.remotes()?;
    let planner = move |survey: &RepositorySurvey, only: Option<&PlanRows>| {
        survey.check([request.from.as_str(), request.to.as_str()], args.services.iter().map(String::as_str))?;
        check_flow(&survey.repository.config, &request.from, &request.to)?;
        Ok(survey.with_facts(policy, |facts| {
            let is_soaked = |facts: &PlanningFacts<'_>, change: &VersionUpdate| {
                soak::check(facts, &request, change).map_err(|held| VersionRefusal::TooFresh(held.reason))
            };
            let Some(verified) = &verified else {
                let mut plan = copy::plan(facts, &request, only, Some(&is_soaked));
                if !plan.changes.is_empty() {
                    plan.warnings.push("whether these versions are running was not verified; use --verify".to_owned());
                }
                return plan;
            };
            let passes = |facts: &PlanningFacts<'_>, change: &VersionUpdate| {
                is_soaked(facts, change)?;
                let checked = verified.check_change(facts, &request, &remotes, change);
                checked.map_err(|failure| VersionRefusal::Unverified(failure.into()))
            };
            copy::plan(facts, &request, only, Some(&passes))
        }))
    };
    let frozen = to.clone();
    let gate = move |survey: &RepositorySurvey| args.freeze.check(survey, Some(&frozen));
    let headline = move |plan: &PromotionPlan| headline(plan, &from, &to);
    Ok(EditIntent { planner: Box::new(planner), gate: Box::new(gate), headline: Box::new(headline) })
}

/// Returns the first line of a commit message.
fn headline(plan: &PromotionPlan, from: &str, to: &str) -> String {
    match plan.changes.as_slice() {
        [change] => format!("Promote {} to {to}: {}", change.service.as_deref().unwrap_or_default(), change.after),
        changes => format!("Promote {} from {from} to {to}", writing::count(changes.len(), "version")),
    }
}

fn check_flow(config: &RepositoryConfig, from: &str, to: &str) -> Result<()> {
    match config.flow.get(from) {
        _ if config.flow.is_empty() => Ok(()),
        Some(targets) if targets.iter().any(|target| target == to) => Ok(()),
        Some(targets) => Err(Error::refused(format!("the flow in .ucp.yaml does not allow promoting {from} to {to}"))
            .hint(format!("it allows {}", targets.join(", ")))),
        None => Err(Error::refused(format!("the flow in .ucp.yaml does not allow promoting {from}"))),
    }
}
