//! `kubectl ucp set-image`

use std::path::{Path, PathBuf};

use crate::cli::Context;
use crate::cli::checkout::{RepositoryArgs, Survey};
use crate::cli::publishing::{self, PublishArgs};
use crate::cli::writing::{self, Verdict};
use crate::error::{Error, Outcome, Result};
use crate::gitops::files;
use crate::promote::assign::{self, Assignment};
use crate::promote::policy::{MutableTags, Policy};
use crate::promote::reconcile::Rows;
use crate::promote::single;
use crate::report::promotion::PromotionPlan;

/// Set image versions in one environment, as a pipeline does
///
/// With --push, which is made for CI, the edit is one commit on the tip of the remote's branch: applied again, not rebased,
/// as often as others are faster. A version that is there already is a success without a commit.
///
/// With --file, edits one kustomization in place, with no Git at all: each argument is IMAGE:TAG, IMAGE@DIGEST or
/// IMAGE:TAG@DIGEST, where IMAGE is the entry's name as written.
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
    #[arg(required = true, value_name = "ARGUMENT", hide = true)]
    arguments: Vec<String>,
    /// Edit this kustomization, a file or its directory
    #[arg(long, value_name = "PATH", conflicts_with_all = ["commit", "branch", "push", "message", "directory", "repo"])]
    file: Option<PathBuf>,
    #[command(flatten)]
    repository: RepositoryArgs,
    #[command(flatten)]
    publish: PublishArgs,
}

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let policy = Policy { downgrades: args.publish.consent.downgrades(), mutable_tags: MutableTags::Warned };
    match &args.file {
        Some(path) => set_in_file(path, args, policy, context),
        None => set_in_repository(args, policy, context),
    }
}

fn set_in_repository(args: &Args, policy: Policy, context: &Context) -> Result<Outcome> {
    let (environment, assignments) = match args.arguments.as_slice() {
        [environment, assignments @ ..] if !assignments.is_empty() && !environment.contains('=') => {
            (environment, assignments)
        }
        _ => return Err(Error::usage("expected ENV SERVICE=[IMAGE:]TAG[@DIGEST]…")),
    };
    let parse = |text: &String| text.parse::<Assignment>().map_err(Error::usage);
    let assignments = assignments.iter().map(parse).collect::<Result<Vec<_>>>()?;
    let checkout = args.repository.open()?;
    let planner = |survey: &Survey, only: Option<&Rows>| {
        survey.check([environment.as_str()], assignments.iter().map(|assignment| assignment.service.as_str()))?;
        survey.with_facts(policy, |facts| assign::plan(facts, environment, &assignments, only))
    };
    let headline = |plan: &PromotionPlan| match plan.changes.as_slice() {
        [change] => {
            format!("Set {} in {environment} to {}", change.service.as_deref().unwrap_or_default(), change.after)
        }
        changes => format!("Set {} in {environment}", writing::count(changes.len(), "version")),
    };
    publishing::carry_out(context, &checkout, &args.publish, policy, &planner, &headline)
}

fn set_in_file(path: &Path, args: &Args, policy: Policy, context: &Context) -> Result<Outcome> {
    let images = single::references(&args.arguments).map_err(Error::usage)?;
    let path = match path.is_dir() {
        true => files::kustomization_in(path)?
            .ok_or_else(|| Error::usage(format!("{} holds no kustomization", path.display())))?,
        false => path.to_owned(),
    };
    let source = files::read(&path)?;
    let mut plan = single::plan(&path.to_string_lossy(), &source, &images, policy)
        .map_err(|error| Error::refused(format!("{}: {error}", path.display())).hint("nothing is written"))?;
    match writing::show(&plan, &args.publish.consent, context)? {
        Verdict::Stop(outcome) => Ok(outcome),
        Verdict::Go => {
            for file in plan.files.drain(..) {
                files::replace(&path, &file.before, &file.after)?;
            }
            writing::done(&plan, context)
        }
    }
}
