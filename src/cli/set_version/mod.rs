//! `kubectl ucp set-version`

mod request;

use std::path::{Path, PathBuf};

use crate::cli::Context;
use crate::cli::freeze::FreezeArgs;
use crate::cli::publishing::{self, EditIntent, PublishArgs};
use crate::cli::rollout::RolloutArgs;
use crate::cli::spec::FlagGroup::{Cluster, Namespace, Output, Rights};
use crate::cli::spec::{
    COMMIT_MESSAGE, CommandSpec, FREEZE_OVERRIDE_OR_FILE, IMAGE_ROLES, PLAN_ROLES, PULL_REQUEST, WAIT_TIMEOUT,
    with_flag,
};
use crate::cli::version_in_file;
use crate::cli::working_copy::{RepositoryArgs, RepositorySurvey};
use crate::cli::writing::{self, DowngradeArgs};
use crate::complete::CompletionValues;
use crate::promote::assign;
use crate::promote::policy::Policy;
use crate::promote::reconcile::PlanRows;
use crate::promote::single::SlotScope;
use crate::report::promotion::PromotionPlan;
use ucp_core::error::{Outcome, Result};
use ucp_repo::gitops::catalog::query::PlaceSpread;
use ucp_repo::slot::artifact::ArtifactKind;

use request::ParsedVersionArguments;

/// Set versions of any kind, for example from CI
///
/// NAME is a service, an artifact as a file names it, its last part, or the policy of a Flux marker (namespace:name).
/// ENV can be omitted if the name is found in one place only, or in one base that environments share. If several places
/// of one service or one directory have the same version, all of them are updated. If their versions differ, or they are of
/// several services in several directories, the places are listed and nothing is written.
///
/// With --push, which is meant for CI, the edit becomes one commit on the tip of the remote branch. If others push
/// first, the edit is made again on the new tip, not rebased. If the version is already set, the command succeeds
/// without a commit.
///
/// With --file, edits one file in place, without Git: YAML of any kind, JSON, TOML or KEY=VALUE lines. NAME may also be
/// the name of the release or object, or a path that begins with a dot: '.spec.values.image.tag', '.images[0].newTag',
/// '.data["app.version"]', '.data["config.yaml"]|.image.tag' for YAML inside a string, '.#2.spec.package' in document
/// 2, counting from 0.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "kubectl ucp set-version [OPTIONS] [ENV] NAME=VERSION...\n       kubectl ucp set-version [OPTIONS] --file PATH NAME=VERSION...",
    after_help = "Examples:
  kubectl ucp set-version prod cert-manager=v1.16.2 --push --yes
  kubectl ucp set-version ghcr.io/example/api=1.4.0
  kubectl ucp set-version flux-system:podinfo=6.7.1 --yes
  kubectl ucp set-version --file apps/podinfo/release.yaml podinfo=6.5.1 --yes
  kubectl ucp set-version --file values.yaml .controller.image.tag=v1.2.3

Exit codes: 0 done, or already set; 1 refused, a newer version was set in the meantime, or with --wait the pull request was closed or a required check failed; 2 usage; 3 failed; 4 pushed, but the pull request is missing or incomplete, or --wait timed out."
)]
pub(super) struct Args {
    /// [ENV] NAME=VERSION…, or NAME=VERSION… with --file
    #[arg(value_name = "ARGUMENT", hide = true)]
    arguments: Vec<String>,
    /// Edit this file, or the kustomization in this directory
    #[arg(long, value_name = "PATH", conflicts_with_all = ["commit", "branch", "push", "pr", "message", "directory", "repo"])]
    file: Option<PathBuf>,
    #[command(flatten)]
    spread: SpreadArgs,
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
    dependent: &[COMMIT_MESSAGE, PULL_REQUEST, WAIT_TIMEOUT, FREEZE_OVERRIDE_OR_FILE],
    roles: &[with_flag("wait", IMAGE_ROLES), with_flag("pr", PLAN_ROLES)],
    completions: &[("arguments", CompletionValues::Assignments)],
    ..CommandSpec::new("set-version", &[Cluster, Namespace, Output, Rights])
};

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let spread = args.spread.rule();
    let words = VersionArguments { arguments: &args.arguments, command: "set-version", kinds: &[], spread };
    let policy = args.downgrade.policy();
    set(
        context,
        &words,
        args.file.as_deref(),
        SlotScope::Everything,
        &args.repository,
        (&args.publish.clone().waiting_for(args.rollout.awaited()), policy),
        &args.freeze,
    )
}

/// The arguments of a command that sets versions.
pub(super) struct VersionArguments<'a> {
    /// `[ENV] NAME=VERSION…`
    pub(super) arguments: &'a [String],
    /// The name of the command.
    pub(super) command: &'static str,
    /// The kinds of artifacts that may be meant; empty for all.
    pub(super) kinds: &'a [ArtifactKind],
    /// Whether a name may refer to several services in several directories.
    pub(super) spread: PlaceSpread,
}

/// Whether all places that a name refers to are set.
#[derive(Debug, clap::Args)]
pub(super) struct SpreadArgs {
    /// Set a name in all places, even if they belong to several services in several directories
    #[arg(long, conflicts_with = "file")]
    everywhere: bool,
}

impl SpreadArgs {
    /// Returns the rule for places.
    pub(super) fn rule(&self) -> PlaceSpread {
        if self.everywhere { PlaceSpread::Everywhere } else { PlaceSpread::Together }
    }
}

/// Sets versions in one file, or in the files of a repository.
///
/// # Errors
/// Fails when a name matches no place or several places, or when the plan cannot be carried out.
pub(super) fn set(
    context: &Context,
    words: &VersionArguments<'_>,
    file: Option<&Path>,
    scope: SlotScope,
    repository: &RepositoryArgs,
    (publish, policy): (&PublishArgs, Policy),
    freeze: &FreezeArgs,
) -> Result<Outcome> {
    match file {
        Some(path) => version_in_file::run(context, path, words.arguments, (&publish.consent, policy, freeze), scope),
        None => set_in_repository(context, words, repository, (&freeze.recorded_in(publish), policy), freeze),
    }
}

/// Sets versions in the files of a repository.
///
/// # Errors
/// Fails when a name matches no place or several places, or when the plan cannot be carried out.
fn set_in_repository(
    context: &Context,
    words: &VersionArguments<'_>,
    repository: &RepositoryArgs,
    (publish, policy): (&PublishArgs, Policy),
    freeze: &FreezeArgs,
) -> Result<Outcome> {
    let typed = ParsedVersionArguments::parse(words)?;
    let checkout = repository.open(&context.ui)?;
    publishing::carry_out(context, &checkout, publish, policy, &|survey| {
        let request = typed.complete(context, &publish.consent, policy, (survey, &checkout.top))?;
        let to = request.environment.clone().map(|name| format!(" in {name}")).unwrap_or_default();
        let environment = request.environment.clone();
        let gate = move |survey: &RepositorySurvey| freeze.check(survey, environment.as_deref());
        let planner = move |survey: &RepositorySurvey, only: Option<&PlanRows>| {
            survey.check(request.environment.as_deref(), [])?;
            survey.with_facts(policy, |facts| assign::plan(facts, &request, only))
        };
        let headline = move |plan: &PromotionPlan| match plan.changes.as_slice() {
            [change] => format!("Set {}{to} to {}", change.service.as_deref().unwrap_or_default(), change.after),
            changes => format!("Set {}{to}", writing::count(changes.len(), "version")),
        };
        Ok(EditIntent { planner: Box::new(planner), gate: Box::new(gate), headline: Box::new(headline) })
    })
}
