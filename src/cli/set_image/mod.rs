//! `kubectl ucp set-image`

mod request;

use std::path::{Path, PathBuf};

use crate::cli::Context;
use crate::cli::checkout::{RepositoryArgs, Survey};
use crate::cli::publishing::{self, Intent, PublishArgs};
use crate::cli::writing::{self, Decision};
use crate::error::{Error, Outcome, Result};
use crate::gitops::files;
use crate::promote::assign;
use crate::promote::policy::{MutableTags, Policy};
use crate::promote::reconcile::Rows;
use crate::promote::single;
use crate::report::promotion::PromotionPlan;

use request::Request;

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
    #[arg(value_name = "ARGUMENT", hide = true)]
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
    let request = Request::parse(&args.arguments)?;
    let checkout = args.repository.open(&context.ui)?;
    publishing::carry_out(context, &checkout, &args.publish, policy, &|survey| {
        let (environment, assignments) = request.complete(context, args.publish.consent.yes, policy, survey)?;
        let to = environment.clone();
        let planner = move |survey: &Survey, only: Option<&Rows>| {
            survey.check([environment.as_str()], assignments.iter().map(|assignment| assignment.service.as_str()))?;
            survey.with_facts(policy, |facts| assign::plan(facts, &environment, &assignments, only))
        };
        let headline = move |plan: &PromotionPlan| match plan.changes.as_slice() {
            [change] => format!("Set {} in {to} to {}", change.service.as_deref().unwrap_or_default(), change.after),
            changes => format!("Set {} in {to}", writing::count(changes.len(), "version")),
        };
        Ok(Intent { planner: Box::new(planner), headline: Box::new(headline) })
    })
}

fn set_in_file(path: &Path, args: &Args, policy: Policy, context: &Context) -> Result<Outcome> {
    if args.arguments.is_empty() {
        return Err(Error::usage("IMAGE:TAG is missing").hint("usage: kubectl ucp set-image --file PATH IMAGE:TAG…"));
    }
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
        Decision::Stop(outcome) => Ok(outcome),
        Decision::Go => {
            for file in plan.files.drain(..) {
                files::replace(&path, &file.before, &file.after)?;
            }
            writing::done(&plan, context)
        }
    }
}
