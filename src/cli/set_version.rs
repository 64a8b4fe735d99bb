//! `kubectl ucp set-version`

use std::path::PathBuf;

use crate::cli::Context;
use crate::cli::checkout::RepositoryArgs;
use crate::cli::publishing::PublishArgs;
use crate::cli::{set_image, version_in_file};
use crate::error::{Outcome, Result};
use crate::promote::policy::{MutableTags, Policy};
use crate::promote::single::Scope;

/// Set versions of any kind, as a pipeline does
///
/// Images, charts, packages and Git references alike.
///
/// With --file, edits one file in place, with no Git at all: YAML of any kind, JSON, TOML or KEY=VALUE lines. Only the bytes
/// of the version change. NAME is the artifact as written in the file, the policy of a Flux marker (ns:name), the name of the
/// release or object, or a path that begins with a dot: '.spec.values.image.tag', '.images[0].newTag',
/// '.data["app.version"]', '.data["config.yaml"]|.image.tag' inside of YAML that a text holds, '.#2.spec.package' in the
/// document number 2, counted from 0.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "kubectl ucp set-version [OPTIONS] ENV NAME=VERSION...\n       kubectl ucp set-version [OPTIONS] --file PATH NAME=VERSION...",
    after_help = "Examples:
  kubectl ucp set-version stage echo-server=v0.1.4 --push --yes
  kubectl ucp set-version --file apps/podinfo/release.yaml podinfo=6.5.1 --yes
  kubectl ucp set-version --file values.yaml .controller.image.tag=v1.2.3

Exit codes: 0 done, or there already; 1 refused, or the target moved meanwhile to something newer; 2 usage; 3 failed."
)]
pub(super) struct Args {
    /// ENV NAME=VERSION…, or NAME=VERSION… with --file
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
    let policy = Policy { downgrades: args.publish.consent.downgrades(), mutable_tags: MutableTags::Warned };
    let (arguments, publish) = (&args.arguments, &args.publish);
    match &args.file {
        Some(path) => version_in_file::run(context, path, arguments, &publish.consent, policy, Scope::Everything),
        None => set_image::set_in_repository(context, arguments, &args.repository, publish, policy),
    }
}
