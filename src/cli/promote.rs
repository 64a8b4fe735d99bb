//! `kubectl ucp promote`

use std::time::Duration;

use crate::cli::checkout::RepositoryArgs;
use crate::cli::global::ConnectionArgs;
use crate::cli::publishing::{self, PublishArgs};
use crate::cli::writing;
use crate::cli::{Context, Globals};
use crate::error::{Error, Outcome, Result};
use crate::gitops::config::Config;
use crate::gitops::image::Reference;
use crate::model::time::parse_duration;
use crate::promote::copy::{self, Request, Selection};
use crate::promote::plan::Facts;
use crate::promote::policy::{MutableTags, Policy};
use crate::promote::reconcile::Rows;
use crate::promote::running::Running;
use crate::report::promotion::{Left, PromotionPlan, Weight};

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
    from: String,
    /// The environment to copy to
    #[arg(id = "target", value_name = "TO")]
    to: String,
    /// The services to promote
    #[arg(value_name = "SERVICE", required_unless_present = "all", conflicts_with = "all")]
    services: Vec<String>,
    /// Promote every service
    #[arg(long)]
    all: bool,
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
    if args.from == args.to {
        return Err(Error::usage("FROM and TO are the same environment"));
    }
    let checkout = args.repository.open()?;
    let policy = Policy { downgrades: args.publish.consent.downgrades(), mutable_tags: MutableTags::Refused };
    let services = if args.all { Selection::All } else { Selection::Named(args.services.iter().cloned().collect()) };
    let request = Request { from: args.from.clone(), to: args.to.clone(), services };
    let gate = Gate::new(context, args, &Config::read(&checkout.top)?)?;
    let remotes = checkout.remotes()?;
    let planner = |survey: &crate::cli::checkout::Survey, only: Option<&Rows>| {
        survey.check([args.from.as_str(), args.to.as_str()], args.services.iter().map(String::as_str))?;
        check_flow(&survey.repository.config, &args.from, &args.to)?;
        Ok(survey.with_facts(policy, |facts| {
            let mut plan = copy::plan(facts, &request, only);
            match &gate {
                Some(gate) => gate.apply(facts, &request, &remotes, &mut plan),
                None if plan.changes.is_empty() => {}
                None => plan.warnings.push("no cluster was asked whether these versions run; --verify does".to_owned()),
            }
            plan
        }))
    };
    let headline = |plan: &PromotionPlan| match plan.changes.as_slice() {
        [change] => {
            format!("Promote {} to {}: {}", change.service.as_deref().unwrap_or_default(), args.to, change.after)
        }
        changes => format!("Promote {} from {} to {}", writing::count(changes.len(), "version"), args.from, args.to),
    };
    publishing::carry_out(context, &checkout, &args.publish, policy, &planner, &headline)
}

/// The same command line, with another cluster.
fn in_context(context: &Context, name: &str) -> Context {
    let Globals { connection, scope, output } = &context.globals;
    let connection = ConnectionArgs { context: Some(name.to_owned()), ..connection.clone() };
    Context { globals: Globals { connection, scope: scope.clone(), output: output.clone() }, ui: context.ui.clone() }
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

/// What must be true of the cluster before a version moves.
struct Gate {
    running: Running,
    soak: Option<Duration>,
}

impl Gate {
    /// Reads the cluster where that was asked for, on the command line or in the repository.
    fn new(context: &Context, args: &Args, config: &Config) -> Result<Option<Self>> {
        let configured = config.verify.as_ref().filter(|_| !args.no_verify);
        if !args.verify && args.soak.is_none() && configured.is_none() {
            return Ok(None);
        }
        let configured_soak = configured.and_then(|verify| verify.soak.as_deref()).map(parse_duration).transpose();
        let configured_soak =
            configured_soak.map_err(|error| Error::usage(format!(".ucp.yaml: verify.soak: {error}")))?;
        let named = config.verify.as_ref().and_then(|verify| verify.context.as_ref());
        let running = match named.filter(|_| !context.names_a_cluster()) {
            None => context.running(),
            Some(name) => in_context(context, name).running(),
        };
        let running = running.map_err(|error| error.hint("--no-verify promotes without asking the cluster"))?;
        Ok(Some(Self { running, soak: args.soak.or(configured_soak) }))
    }

    /// Refuses the changes of every service that is not well where its versions come from.
    fn apply(&self, facts: &Facts<'_>, request: &Request, remotes: &[String], plan: &mut PromotionPlan) {
        let mut refused = Vec::new();
        plan.changes.retain(|change| {
            let service = change.service.as_deref().unwrap_or_default();
            let Some(overlay) = facts.discovery.overlay(service, &request.from) else { return true };
            let built = facts.builder.build(&overlay.directory);
            // A value that is no image of the overlay still asks for its Application to be well.
            let images: Vec<Reference> = built
                .iter()
                .flat_map(|built| &built.images)
                .filter(|image| image.origin == change.image)
                .map(|image| image.reference.clone())
                .collect();
            match self.running.gate(&overlay.directory, remotes, &images, self.soak) {
                Ok(()) => true,
                Err(reason) => {
                    let (service, image) = (change.service.clone(), change.image.clone());
                    refused.push(Left { service, image, reason, weight: Weight::Telling });
                    false
                }
            }
        });
        // A diff of what is refused would look like a promise.
        plan.files.retain(|file| plan.changes.iter().any(|change| change.file == file.path));
        plan.refused.extend(refused);
    }
}
