//! `kubectl ucp set-image`

use std::path::PathBuf;

use crate::cli::Context;
use crate::cli::checkout::RepositoryArgs;
use crate::cli::publishing::PublishArgs;
use crate::cli::set_version::{Words, set};
use crate::error::{Outcome, Result};
use crate::promote::single::Scope;
use crate::slot::artifact::What;

/// Set image versions in one environment, as a pipeline does
///
/// With --push, which is made for CI, the edit is one commit on the tip of the remote's branch: applied again, not rebased,
/// as often as others are faster. A version that is there already is a success without a commit.
///
/// With --file, edits one file in place, with no Git at all: each argument is IMAGE:TAG, IMAGE@DIGEST, IMAGE:TAG@DIGEST or
/// NAME=VERSION, where IMAGE is the name as written in the file. To a kustomization that has no entry for it, one is added.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "kubectl ucp set-image [OPTIONS] ENV SERVICE=[IMAGE:]TAG[@DIGEST]...\n       kubectl ucp set-image [OPTIONS] --file PATH IMAGE:TAG...",
    after_help = "Examples:
  kubectl ucp set-image stage echo-server=v0.1.4 --push --yes
  kubectl ucp set-image stage api=registry:5000/api:v2@sha256:… worker=v2
  kubectl ucp set-image --file overlays/stage example/echo-server:v0.1.4 --yes

Exit codes: 0 done, or there already; 1 refused, or the target moved meanwhile to something newer; 2 usage; 3 failed."
)]
pub(super) struct Args {
    /// ENV SERVICE=[IMAGE:]TAG[@DIGEST]…, or IMAGE:TAG… with --file
    #[arg(value_name = "ARGUMENT", hide = true)]
    arguments: Vec<String>,
    /// Edit this file, or the kustomization of this directory
    #[arg(long, value_name = "PATH", conflicts_with_all = ["commit", "branch", "push", "message", "directory", "repo"])]
    file: Option<PathBuf>,
    #[command(flatten)]
    repository: RepositoryArgs,
    #[command(flatten)]
    publish: PublishArgs,
}

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let words = Words { arguments: &args.arguments, command: "set-image", kinds: &[What::Image] };
    set(context, &words, args.file.as_deref(), Scope::Images, &args.repository, &args.publish)
}
