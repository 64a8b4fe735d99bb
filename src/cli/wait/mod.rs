//! `kubectl ucp wait`

mod aim;
mod copies;
mod following;
mod look;
mod progress;
mod request;
pub(super) mod timeout;
mod waiting;

use std::sync::Arc;
use std::time::Duration;

use crate::cli::Context;
use crate::cli::reading::PatienceArgs;
use crate::cli::secrets::reach::ReachArgs;
use crate::cli::spec::FlagGroup::{Cluster, Namespace, Output, Rights, Selector};
use crate::cli::spec::{CommandSpec, SNAPSHOTS_OF_APPS, always};
use crate::complete::CompletionValues;
use crate::report::wait::{WaitOutcome, WaitResult};
use ucp_core::engine;
use ucp_core::error::{Error, Outcome, Result};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::nearest::did_you_mean;
use ucp_core::model::object::ObjectName;
use ucp_core::model::state::Unreadable;
use ucp_features::wait::{WaitCriteria, WaitGoal, WaitTargets};

use aim::WaitAim;
pub(super) use following::WaitReader;
pub(super) use request::{WaitHooks, WaitPersistence, WaitRequest};
pub(super) use waiting::{FinishedWait, wait_for};

/// Wait until objects are OK, synced or gone
///
/// Uses the verdicts of every engine: an object is OK only when its controller has seen the newest change, no operation
/// is in progress, and all composed resources of a composite or claim are OK, too. Objects and kinds that do not exist yet
/// are waited for. The command ends at once, with the cause, when an object is Failed, NeedsHuman or Paused: it cannot
/// become OK without manual action.
///
/// Exit codes: 0 reached; 1 will not be reached; 4 timed out, or something could not be read.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  kubectl ucp wait database/orders -n shop
  kubectl ucp wait application/shop --revision $(git rev-parse HEAD)
  kubectl ucp wait buckets -l team=shop --timeout 5m
  kubectl ucp wait --owner application/platform --for synced
  kubectl ucp wait cluster/stage --for gone --timeout 30m
  kubectl ucp wait secret/orders-conn -n crossplane-system --for current
  kubectl ucp wait --all --keep-waiting")]
pub(super) struct Args {
    /// The objects, as KIND/NAME or KIND NAME; or KIND[,KIND] together with -l, --owner or --all
    #[arg(value_name = "KIND/NAME")]
    objects: Vec<String>,
    /// What to wait for: ok, synced, gone, a verdict such as Paused, or current: the copies of a Secret in app clusters
    #[arg(long = "for", value_name = "GOAL", default_value = "ok")]
    aim: WaitAim,
    /// Require this commit, tag or chart version: an older one is not OK
    #[arg(long, value_name = "SHA")]
    revision: Option<String>,
    /// Wait for this claim, composite, Application, Kustomization or HelmRelease and all objects below it
    #[arg(long, value_name = "NAME")]
    owner: Option<String>,
    /// Wait for every object of every engine, or of the named kinds
    #[arg(long)]
    all: bool,
    /// How long to wait; 0 checks once
    #[arg(long, value_name = "DURATION", value_parser = timeout::parse, default_value = "10m", allow_hyphen_values = true)]
    timeout: Duration,
    /// Wait until the timeout even if an object is Failed, NeedsHuman or Paused
    #[arg(long)]
    keep_waiting: bool,
    /// With --for current, only this app cluster; may be repeated
    #[arg(long = "app-cluster", value_name = "NAME", help_heading = "App clusters")]
    app_clusters: Vec<String>,
    #[command(flatten)]
    patience: PatienceArgs,
    #[command(flatten)]
    reach: ReachArgs,
}

pub(super) static SPEC: CommandSpec = CommandSpec {
    dependent: &[SNAPSHOTS_OF_APPS],
    roles: &[always(&["kubectl-ucp-wait"])],
    reads_crossplane: true,
    completions: &[
        ("aim", CompletionValues::Goals),
        ("objects", CompletionValues::KindsAndObjects),
        ("owner", CompletionValues::Owners),
    ],
    ..CommandSpec::new("wait", &[Cluster, Namespace, Selector, Output, Rights])
};

impl Args {
    /// Returns the only argument, if it is the name of an object and nothing else chooses objects.
    fn single_name(&self, context: &Context) -> Option<&str> {
        let [name] = self.objects.as_slice() else { return None };
        let is_chosen = self.all || self.owner.is_some() || context.globals.scope.selector.is_some();
        (!is_chosen && !name.contains(['/', ',']) && self.aim != WaitAim::Current).then_some(name)
    }

    fn targets(&self, context: &Context, objects: &[String]) -> Result<WaitTargets> {
        let selector = context.selector()?;
        let is_wide = self.all || !selector.is_empty() || self.owner.is_some();
        let mut targets = WaitTargets::parse(objects)?;
        if !targets.named.is_empty() && is_wide {
            return Err(Error::usage("-l, --owner and --all select the objects: name only kinds"));
        }
        if targets.named.is_empty() && !is_wide {
            let error = Error::usage("nothing to wait for");
            return Err(match self.objects.first() {
                Some(kind) => error.hint(format!("name objects as {kind}/NAME, or add --all for every {kind}")),
                None => error.hint("name objects as KIND/NAME, or choose them with -l, --owner or --all"),
            });
        }
        targets.owner.clone_from(&self.owner);
        targets.selector = selector;
        targets.namespace.clone_from(&context.globals.scope.namespace);
        Ok(targets)
    }

    fn wish(&self, goal: WaitGoal) -> Result<WaitCriteria> {
        let revision = self.revision.as_deref().map(str::trim);
        if let Some(revision) = revision {
            let is_commit = revision.chars().all(|one| one.is_ascii_hexdigit());
            if revision.is_empty() || is_commit && revision.len() < engine::course::SHORTEST && !revision.contains('.')
            {
                let error = Error::usage(format!("'{revision}' is too short for a commit"));
                return Err(error.hint(format!("pass at least {} characters", engine::course::SHORTEST)));
            }
            if !matches!(goal, WaitGoal::Ok | WaitGoal::Synced) {
                return Err(Error::usage("--revision requires --for ok or --for synced"));
            }
        }
        Ok(WaitCriteria { goal, revision: revision.map(str::to_owned) })
    }
}

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let targets = match args.single_name(context) {
        Some(name) => args.targets(context, &[find_by_name(context, name)?])?,
        None => args.targets(context, &args.objects)?,
    };
    if let WaitAim::Objects(goal) = args.aim
        && context.typed.iter().any(|word| word.to_ascii_lowercase().contains("condition="))
    {
        context.ui.message(&format!("note: waits for '--for {goal}', which also needs the newest generation"));
    }
    let goal = match args.aim {
        WaitAim::Objects(goal) => goal,
        WaitAim::Current if args.revision.is_some() => {
            return Err(Error::usage("--revision requires --for ok or --for synced"));
        }
        WaitAim::Current => return copies::run(context, args, &targets),
    };
    if !args.app_clusters.is_empty() || args.reach.is_given() {
        return Err(Error::usage("flags for app clusters require --for current"));
    }
    let wish = args.wish(goal)?;
    let persistence = if args.keep_waiting { WaitPersistence::Always } else { WaitPersistence::Never };
    let request =
        WaitRequest { targets: &targets, wish: &wish, timeout: args.timeout, persistence, patience: args.patience };
    let mut announcement = TypoNotice { context, goal, targets: &targets, is_made: false };
    match wait_for(context, &request, &mut announcement)? {
        Some(waited) => conclude(context, args, &waited.result, &waited.denied),
        None => {
            context.ui.error(&format!("error: the server did not answer within {}", timeout::shown(args.timeout)));
            Ok(Outcome::Incomplete)
        }
    }
}

/// Returns the object of an engine with a name as KIND/NAME, as `tree NAME` finds it. A word that is the name of a kind
/// stays as it is.
fn find_by_name(context: &Context, name: &str) -> Result<String> {
    // Without a list, the kind is needed.
    let Ok(state) = context.read(&engine::want) else { return Ok(name.to_owned()) };
    if state.kinds.iter().any(|kind| kind.is_called(name)) {
        return Ok(name.to_owned());
    }
    let mut found: Vec<ObjectName> = state
        .resources
        .iter()
        .filter(|resource| resource.metadata.name == name)
        .map(|resource| resource.name())
        .collect();
    found.sort();
    found.dedup();
    match found.as_slice() {
        [one] => Ok(one.kind_and_name()),
        // It may not exist yet, and then its kind is needed.
        [] => Ok(name.to_owned()),
        many => {
            let names: Vec<String> = many.iter().map(|object| format!("  {object}")).collect();
            let message = format!("{} objects are called '{name}':\n{}", many.len(), names.join("\n"));
            Err(Error::usage(message).hint("choose one with KIND.GROUP/NAME and -n NAMESPACE"))
        }
    }
}

/// Reports probable typos once.
struct TypoNotice<'a> {
    context: &'a Context,
    goal: WaitGoal,
    targets: &'a WaitTargets,
    is_made: bool,
}

impl WaitHooks for TypoNotice<'_> {
    fn before_look(&mut self, reader: &WaitReader) -> Result<()> {
        match std::mem::replace(&mut self.is_made, true) {
            true => Ok(()),
            false => self.unknown_kinds(reader.kinds()),
        }
    }
}

impl TypoNotice<'_> {
    /// Reports unknown kinds, which may be typos. They are waited for, except with `--for gone`.
    fn unknown_kinds(&self, kinds: &[Arc<ResourceKind>]) -> Result<()> {
        for word in self.targets.unknown_words(kinds) {
            let names: Vec<String> =
                kinds.iter().flat_map(|kind| [kind.kind.to_ascii_lowercase(), kind.plural.clone()]).collect();
            let meant = did_you_mean(word, names.iter().map(String::as_str));
            if self.goal == WaitGoal::Gone {
                return Err(Error::usage(format!("no kind is called '{word}'{meant}"))
                    .hint("'kubectl api-resources' lists the kinds"));
            }
            self.context.ui.message(&format!("note: no kind is called '{word}' yet{meant}"));
        }
        Ok(())
    }
}

fn conclude(context: &Context, args: &Args, result: &WaitResult, denied: &[Unreadable]) -> Result<Outcome> {
    context.print(result)?;
    // The state of controllers is useful, but not required.
    let (needed, others): (Vec<Unreadable>, Vec<Unreadable>) =
        result.unreadable.iter().cloned().partition(|entry| denied.contains(entry));
    context.warn_of_unreadable(&others);
    let open = result.items.iter().filter(|item| !item.reached).count();
    let total = result.items.len();
    let goal = args.aim;
    let complaint = match result.outcome {
        WaitOutcome::Reached => return Ok(Outcome::Clean),
        WaitOutcome::Failed => {
            format!("will not be {goal}: {} of {total}", result.items.iter().filter(|item| item.hopeless).count())
        }
        WaitOutcome::Timeout if total == 0 => {
            format!("timed out after {}: nothing matches", timeout::shown(args.timeout))
        }
        WaitOutcome::Timeout => {
            format!("timed out after {}: {open} of {total} not {goal}", timeout::shown(args.timeout))
        }
        WaitOutcome::Unreadable => {
            let lines = crate::render::words::unreadable(&needed);
            format!("cannot be read, so it is unknown: {}", lines.join("\n"))
        }
    };
    let error = Error::failed(complaint);
    let error = match result.outcome {
        WaitOutcome::Timeout => with_namespaces(context, error, result),
        _ => error,
    };
    context.ui.error(&error.report());
    context.hint_at_rights(&result.unreadable);
    Ok(if result.outcome == WaitOutcome::Failed { Outcome::Findings } else { Outcome::Incomplete })
}

/// Adds the namespaces of objects that do not exist in the namespace of `-n`.
fn with_namespaces(context: &Context, error: Error, result: &WaitResult) -> Error {
    let missing: Vec<&ObjectName> =
        result.items.iter().filter(|item| item.verdict.is_none()).map(|item| &item.object).collect();
    context.with_namespaces_elsewhere(error, &engine::want, |resource| {
        missing.iter().any(|object| object.name == resource.metadata.name && resource.kind.is_called(&object.kind))
    })
}
