//! `kubectl ucp promote`

mod gate;
mod request;

use std::time::Duration;

use crate::cli::Context;
use crate::cli::checkout::{Checkout, RepositoryArgs, Survey};
use crate::cli::publishing::{self, Intent, PublishArgs};
use crate::cli::writing;
use crate::error::{Error, Outcome, Result};
use crate::gitops::config::Config;
use crate::model::time::parse_duration;
use crate::promote::copy;
use crate::promote::facts::Facts;
use crate::promote::policy::{MutableTags, Policy};
use crate::promote::reconcile::Rows;
use crate::report::promotion::{Change, PromotionPlan};

use gate::Gate;

/// Copy image versions from one environment to another
///
/// Only the bytes of a version change. Tags and digests are copied, names, suffixes and everything else stay; remote bases
/// pinned to the old tag move along, and so do files and values that .ucp.yaml declares. A downgrade, a tag that moves such
/// as latest, an edit that would reach a third environment, an alias and an ambiguous or regex-like name are refused; then
/// nothing is written, for no service.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  kubectl ucp promote stage prod echo-server
  kubectl ucp promote stage prod --all --dry-run -o markdown
  kubectl ucp promote stage prod echo-server --soak 30m --push --yes

--verify asks what Argo CD and Flux say in the core cluster (--context) or in a snapshot (--from). It is the default where .ucp.yaml has verify: {context: NAME, soak: DURATION}.

Exit codes: 0 done, nothing to do, or a dry run; 1 refused, or a value moved meanwhile; 2 usage; 3 failed.")]
pub(super) struct Args {
    /// The environment to copy from
    // The global flag --from has taken the id.
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
    /// Only this artifact, as a file names it or by its last part; may be repeated
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Only promote what is Synced, Healthy and really runs in FROM
    #[arg(long, overrides_with = "no_verify")]
    verify: bool,
    /// Do not look at a cluster, even where .ucp.yaml says so
    #[arg(long)]
    no_verify: bool,
    /// How long it must have run in FROM; implies --verify
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, conflicts_with = "no_verify")]
    soak: Option<Duration>,
    #[command(flatten)]
    repository: RepositoryArgs,
    #[command(flatten)]
    publish: PublishArgs,
}

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let checkout = args.repository.open(&context.ui)?;
    let policy = Policy { downgrades: args.publish.consent.downgrades(), mutable_tags: MutableTags::Refused };
    publishing::carry_out(context, &checkout, &args.publish, policy, &|survey| {
        intent(context, args, policy, &checkout, survey)
    })
}

fn intent<'a>(
    context: &'a Context,
    args: &'a Args,
    policy: Policy,
    checkout: &Checkout,
    survey: &Survey,
) -> Result<Intent<'a>> {
    let request = request::complete(context, args, policy, survey)?;
    let (from, to) = (request.from.clone(), request.to.clone());
    let gate = Gate::new(context, args, &Config::read(&checkout.top)?)?;
    let remotes = checkout.remotes()?;
    let planner = move |survey: &Survey, only: Option<&Rows>| {
        survey.check([request.from.as_str(), request.to.as_str()], args.services.iter().map(String::as_str))?;
        check_flow(&survey.repository.config, &request.from, &request.to)?;
        Ok(survey.with_facts(policy, |facts| {
            let Some(gate) = &gate else {
                let mut plan = copy::plan(facts, &request, only, None);
                if !plan.changes.is_empty() {
                    plan.warnings.push("no cluster was asked whether these versions run; --verify does".to_owned());
                }
                return plan;
            };
            let passes = |facts: &Facts<'_>, change: &Change| gate.pass(facts, &request, &remotes, change);
            copy::plan(facts, &request, only, Some(&passes))
        }))
    };
    let headline = move |plan: &PromotionPlan| match plan.changes.as_slice() {
        [change] => format!("Promote {} to {to}: {}", change.service.as_deref().unwrap_or_default(), change.after),
        changes => format!("Promote {} from {from} to {to}", writing::count(changes.len(), "version")),
    };
    Ok(Intent { planner: Box::new(planner), headline: Box::new(headline) })
}

fn check_flow(config: &Config, from: &str, to: &str) -> Result<()> {
    match config.flow.get(from) {
        _ if config.flow.is_empty() => Ok(()),
        Some(targets) if targets.iter().any(|target| target == to) => Ok(()),
        Some(targets) => Err(Error::refused(format!("versions of {from} do not go to {to}"))
            .hint(format!("by the flow in .ucp.yaml they go to {}", targets.join(", ")))),
        None => Err(Error::refused(format!("versions of {from} go nowhere by the flow in .ucp.yaml"))),
    }
}
