//! `kubectl ucp set-image`

use std::path::PathBuf;

use crate::cli::Context;
use crate::cli::freeze::FreezeArgs;
use crate::cli::publishing::PublishArgs;
use crate::cli::rollout::RolloutArgs;
use crate::cli::set_version::{SpreadArgs, VersionArguments, set};
use crate::cli::spec::FlagGroup::{Cluster, Namespace, Output, Rights};
use crate::cli::spec::{
    COMMIT_MESSAGE, CommandSpec, FREEZE_OVERRIDE_OR_FILE, IMAGE_ROLES, PLAN_ROLES, PULL_REQUEST, WAIT_TIMEOUT,
    with_flag,
};
use crate::cli::working_copy::RepositoryArgs;
use crate::cli::writing::DowngradeArgs;
use crate::complete::CompletionValues;
use crate::promote::single::SlotScope;
use ucp_core::error::{Outcome, Result};
use ucp_repo::slot::artifact::ArtifactKind;

/// Set image versions in one environment, for example from CI
///
/// With --push, which is meant for CI, the edit becomes one commit on the tip of the remote branch. If others push
/// first, the edit is made again on the new tip, not rebased. If the version is already set, the command succeeds
/// without a commit.
///
/// With --file, edits one file in place, without Git: each argument is IMAGE:TAG, IMAGE@DIGEST, IMAGE:TAG@DIGEST or
/// NAME=VERSION, where IMAGE is the name as written in the file. If a kustomization has no entry for the image, one is
/// added.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "kubectl ucp set-image [OPTIONS] ENV SERVICE=[IMAGE:]TAG[@DIGEST]...\n       kubectl ucp set-image [OPTIONS] --file PATH IMAGE:TAG...",
    after_help = "Examples:
  kubectl ucp set-image stage echo-server=v0.1.4 --push --yes
  kubectl ucp set-image stage api=registry:5000/api:v2@sha256:… worker=v2
  kubectl ucp set-image --file overlays/stage example/echo-server:v0.1.4 --yes

Exit codes: 0 done, or already set; 1 refused, a newer version was set in the meantime, or with --wait the pull request was closed or a required check failed; 2 usage; 3 failed; 4 pushed, but the pull request is missing or incomplete, or --wait timed out."
)]
pub(super) struct Args {
    /// ENV SERVICE=[IMAGE:]TAG[@DIGEST]…, or IMAGE:TAG… with --file
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
    ..CommandSpec::new("set-image", &[Cluster, Namespace, Output, Rights])
};

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let (kinds, spread) = (&[ArtifactKind::Image], args.spread.rule());
    let words = VersionArguments { arguments: &args.arguments, command: "set-image", kinds, spread };
    let policy = args.downgrade.policy();
    set(
        context,
        &words,
        args.file.as_deref(),
        SlotScope::Images,
        &args.repository,
        (&args.publish.clone().waiting_for(args.rollout.awaited()), policy),
        &args.freeze,
    )
}
