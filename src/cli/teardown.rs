//! `kubectl ucp teardown`

mod named;
mod removal;
mod secrets;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::cli::Context;
use crate::cli::app_clusters::AppClusterArgs;
use crate::cli::comparison::ComparisonArgs;
use crate::cli::naming::NamedObject;
use crate::cli::reading::{PatienceArgs, add_unlisted};
use crate::cli::side_by_side::side_by_side;
use crate::cli::sought::{SearchResult, SourceDocument, combine_results};
use crate::cli::spec::FlagGroup::{Cluster, Namespace, Output, Rights, Several, Snapshot};
use crate::cli::spec::{
    CLUSTER_ROLES, COMPARISON, CommandSpec, ENGINE_NAMESPACES, HAZARDS, PLAN_ROLES, ToolSpec, always, only_with,
    with_flag,
};
use crate::cli::teardown::named::{TeardownObjectName, find_object};
use crate::cli::teardown::removal::MergeRemoval;
use crate::render::Report;
use crate::report::sources::UnreadableEntry;
use crate::report::teardown::TeardownPlan;
use ucp_client::source::live::MOST_CLUSTERS;
use ucp_client::source::live::definition::UnlistedKind;
use ucp_client::source::live::look_up::LookUp;
use ucp_client::source::{Query, snapshot};
use ucp_core::engine;
use ucp_core::error::{Error, Outcome, Result};
use ucp_core::failure::Failure;
use ucp_core::graph::NodeId;
use ucp_core::model::grounds::GroundsEvidence;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::ObjectName;
use ucp_core::model::secrecy::scrub;
use ucp_core::model::state::{ClusterState, Unreadable};
use ucp_features::adopt::cluster::AppCluster;
use ucp_features::adopt::live::remote;
use ucp_features::adopt::{inventory, provisioner};
use ucp_features::conflict;
use ucp_features::teardown::{
    self, DeletionOutcome, RemainingExternal, RequiredReads, SharedExternal, Teardown, TeardownTarget,
};

/// Show what a deletion deletes, orphans or leaves stuck
///
/// Predicts the deletion of objects of any kind, such as a claim, an Application, a namespace or a provider, or of the
/// whole core cluster: which external resources are deleted, which remain and continue to cost money,
/// what blocks the deletion, and the steps in order, as commands. Writes nothing, and sends no dry run, because the webhook of Crossplane's Usages would treat it as a deletion.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  kubectl ucp teardown --all
  kubectl ucp teardown application/gcp-database
  kubectl ucp teardown namespace/team-a
  kubectl ucp teardown provider/provider-aws -o markdown
  kubectl ucp teardown database/quotes -n team-a --from core.tar.gz
  kubectl ucp teardown application/quotes --contexts core-eu,core-us
  kubectl ucp teardown cluster/gcp-k8s-prod --app-clusters
  kubectl ucp teardown --merge apps/quotes

Exit codes: 0 everything would be deleted; 1 something would be orphaned or stuck, or remaining objects are harmed; 2 usage; 3 failed; 4 everything would be deleted, but something is unknown.")]
pub(super) struct Args {
    /// The objects to delete, as NAME, KIND/NAME or KIND NAME; KIND may be plural, short, or KIND.GROUP
    #[arg(value_name = "[KIND/]NAME", required_unless_present_any = ["all", "merge", "print_rbac"], conflicts_with_all = ["all", "merge"])]
    objects: Vec<String>,
    /// The whole core cluster
    #[arg(long, conflicts_with = "merge")]
    all: bool,
    /// The objects that engines delete once this file or directory of a checkout is removed from Git
    #[arg(long, value_name = "PATH")]
    merge: Option<PathBuf>,
    /// Read app clusters that would be deleted, to find load balancers and disks that would remain
    #[arg(long)]
    app_clusters: bool,
    #[command(flatten)]
    access: AppClusterArgs,
    #[command(flatten)]
    patience: PatienceArgs,
    #[command(flatten, next_help_heading = "With --merge")]
    comparison: ComparisonArgs,
}

pub(super) static SPEC: CommandSpec = CommandSpec {
    dependent: &[
        only_with(ENGINE_NAMESPACES, &["app_clusters", "merge"]),
        only_with(COMPARISON, &["merge"]),
        only_with(HAZARDS, &["app_clusters"]),
    ],
    roles: &[
        always(&["kubectl-ucp-teardown"]),
        with_flag("app_clusters", CLUSTER_ROLES),
        with_flag("merge", PLAN_ROLES),
    ],
    reads_crossplane: true,
    tool: Some(ToolSpec {
        is_of_one_source: true,
        ..ToolSpec::new::<TeardownPlan>(8, &["objects", "all", "stuck_after", "namespace"])
    }),
    ..CommandSpec::new("teardown", &[Cluster, Snapshot, Several, Namespace, Output, Rights])
};

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    if args.app_clusters {
        context.needs_rereadable_source("--app-clusters")?;
    }
    let named: Vec<_> =
        NamedObject::parse_all(&args.objects)?.into_iter().map(TeardownObjectName::from_words).collect();
    let read = |context: &Context| predict_teardown(context, args, &named);
    if !context.has_several_sources() {
        let plan = match read(context)? {
            SearchResult::Found(SourceDocument { missing, .. }) if !missing.is_empty() => {
                return Err(missing.into_iter().next().unwrap_or_else(|| Error::absent("it does not exist")));
            }
            SearchResult::Found(part) => part.document,
            SearchResult::Absent(error, _) => return Err(error),
        };
        return shown(context, &plan, (plan.has_trouble(), plan.evidence()), &plan.unreadable);
    }
    let answers = context.read_each_source(read)?;
    let was_read = answers.iter().all(|answer| answer.result.is_ok());
    let list = combine_results(answers)?;
    if let Some(slip) = named.iter().find(|named| was_read && !named.is_there.load(Ordering::Relaxed)) {
        return Err(Error::absent(format!("{} does not exist in any of these clusters", slip.text)));
    }
    let mut evidence = GroundsEvidence::new();
    for plan in &list.items {
        evidence.join(&plan.evidence());
    }
    evidence.add_gaps(list.unreadable.iter().map(UnreadableEntry::entry));
    shown(context, &list, (list.items.iter().any(TeardownPlan::has_trouble), evidence), &list.unreadable)
}

fn shown(
    context: &Context,
    report: &impl Report,
    (has_trouble, evidence): (bool, GroundsEvidence),
    unreadable: &[impl UnreadableEntry],
) -> Result<Outcome> {
    context.print(report)?;
    context.hint_at_rights(unreadable);
    Ok(Outcome::from_evidence(has_trouble, evidence))
}

/// Predicts the deletion in one core cluster, of the objects that it has.
fn predict_teardown(
    context: &Context,
    args: &Args,
    named: &[TeardownObjectName],
) -> Result<SearchResult<SourceDocument<TeardownPlan>>> {
    let removal = args
        .merge
        .as_deref()
        .map(|path| MergeRemoval::find(context, &args.comparison, &args.access.namespaces, path))
        .transpose()?;
    let removed: Vec<TeardownObjectName> =
        removal.iter().flat_map(|removal| removal.objects.iter().map(TeardownObjectName::exact)).collect();
    let named = if removal.is_some() { removed.as_slice() } else { named };
    let is_snapshot = context.globals.connection.from.is_some();
    // Objects that are deleted with another one may be in any namespace.
    let want = |kind: &ResourceKind| {
        let is_named = || named.iter().any(|named| named.named.kind.is_some() && named.may_be(kind));
        // A live cluster is requested for less.
        let in_snapshot = || teardown::want_in_snapshot(kind).filter(|_| is_snapshot);
        teardown::want(kind).or_else(in_snapshot).or_else(|| is_named().then(|| teardown::want_contents(kind)))
    };
    let (mut state, unlisted) = context.read_with_definitions(None, &want)?;
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    for named in named {
        match find_object(context, &state, named)? {
            SearchResult::Found(node) => {
                named.is_there.store(true, Ordering::Relaxed);
                found.push(node);
            }
            SearchResult::Absent(error, _) => missing.push(error),
        }
    }
    if let Some(removal) = &removal {
        // The comparison saw them on the server.
        let lost = missing.drain(..).map(|error| Unreadable {
            what: error.message(),
            reason: "it existed when the checkout was compared".to_owned(),
        });
        let gaps = lost.chain(removal.unread.iter().cloned()).filter(|gap| !state.unreadable.contains(gap));
        let gaps: Vec<Unreadable> = gaps.collect();
        state.unreadable.extend(gaps);
        if found.is_empty() && state.unreadable.is_empty() {
            let mut message = format!("removing {} deletes no deployed object", removal.path);
            removal.kept.iter().for_each(|why| message.push_str(&format!("; {}", scrub(why))));
            let error = Error::absent(message);
            return Ok(SearchResult::Absent(
                error.hint("'kubectl ucp plan --base REV' shows all changes of a checkout"),
                state.moment,
            ));
        }
    }
    let is_gone = found.is_empty() && !missing.is_empty();
    if is_gone && missing.len() > 1 {
        let lines: Vec<_> = missing.iter().map(Error::message).collect();
        return Ok(SearchResult::Absent(Error::absent(lines.join("; ")), state.moment));
    }
    if is_gone && let Some(error) = missing.pop() {
        return Ok(SearchResult::Absent(error, state.moment));
    }
    if args.all {
        state.unreadable.extend(context.nothing_to_check(&state));
    }
    if teardown::needs_version(&state) {
        let cluster = LookUp::connect(&context.globals.connection);
        state.server_version = cluster.and_then(|cluster| cluster.version()).ok();
    }
    read_contents(context, args, &mut state, &unlisted, (!args.all).then_some(found.as_slice()))?;
    let target = match &removal {
        Some(removal) => TeardownTarget::Merge { path: removal.path.clone(), roots: found },
        None if args.all => TeardownTarget::All,
        None => TeardownTarget::Objects(found),
    };
    let clock = args.patience.clock(&state);
    let assessment = engine::assess(&state, &clock);
    let credentials = teardown::required_credentials(&state, &assessment, &target);
    let credentials = secrets::request_credentials(context, credentials)?;
    let plan = teardown::plan_teardown(&state, &assessment, &target, &credentials, &clock);
    let shared = shared_resources(&state, &plan);
    let plan = plan.with_shared(shared);
    let remains = remains_of_clusters(context, args, &state, &plan)?;
    let document = TeardownPlan::from_teardown(&state, plan.with_remains(&state, &target, remains));
    Ok(SearchResult::Found(SourceDocument { document, missing, moment: state.moment }))
}

/// Reads the contents of the deleted objects, or what the deletion of the whole core cluster needs, until nothing more is needed.
fn read_contents(
    context: &Context,
    args: &Args,
    state: &mut ClusterState,
    unlisted: &[UnlistedKind],
    roots: Option<&[NodeId]>,
) -> Result<()> {
    let mut known = RequiredReads::default();
    loop {
        let assessment = engine::assess(state, &args.patience.clock(state));
        let needs = teardown::required_reads(state, &assessment, roots);
        drop(assessment);
        if needs == known {
            let is_in_namespaces =
                |kind: &ResourceKind| !needs.namespaces.is_empty() && needs.want_in_namespaces(kind).is_some();
            add_unlisted(state, unlisted, |kind| needs.want(kind).is_some() || is_in_namespaces(kind));
            // Any kind may refuse the deletion, need a deleted object, or be deleted, too.
            state.unreadable.extend(unlisted.iter().filter_map(UnlistedKind::denied_entry).cloned());
            return Ok(());
        }
        context.needs_rereadable_source("teardown of an object that contains other objects")?;
        let was_read = |kind: &ResourceKind, state: &ClusterState| {
            state.kinds.iter().any(|known| known.qualified_plural() == kind.qualified_plural())
        };
        let whole = context.read_in(None, &|kind| needs.want(kind).filter(|_| !was_read(kind, state)))?;
        state.extend(whole);
        for namespace in needs.namespaces.difference(&known.namespaces) {
            let want = |kind: &ResourceKind| needs.want_in_namespaces(kind).filter(|_| !was_read(kind, state));
            let mut contents = context.read_in(Some(namespace), &want)?;
            teardown::retain_consequential(state, &mut contents.resources);
            // These kinds were read in one namespace only, so the next namespace has to read them again.
            state.extend(ClusterState { kinds: Vec::new(), ..contents });
        }
        known = needs;
    }
}

/// Returns the objects that remain and manage the same external resource as a deleted one.
fn shared_resources(state: &ClusterState, plan: &Teardown) -> Vec<SharedExternal> {
    let is_deleted = |object: &ObjectName| plan.deleted_externals().any(|item| item.object == *object);
    let goes = |object: &ObjectName| {
        plan.items.iter().any(|item| item.object == *object && item.fate != DeletionOutcome::Kept)
    };
    let mut shared = Vec::new();
    for conflict in conflict::find_conflicts(std::slice::from_ref(state)) {
        let names = || conflict.claimants.iter().map(|claimant| &claimant.object);
        for object in names().filter(|object| is_deleted(object)) {
            let others: Vec<ObjectName> = names().filter(|other| !goes(other)).cloned().collect();
            if !others.is_empty() {
                let (identity, certainty) = (conflict.identity.clone(), conflict.certainty);
                shared.push(SharedExternal { object: object.clone(), others, identity, certainty });
            }
        }
    }
    shared
}

/// The state of an app cluster, or the reason why it is unknown.
type AppClusterContents = Result<Arc<ClusterState>, Failure>;

/// Returns the remains of deleted app clusters, and the entries for clusters that were not read.
fn remains_of_clusters(
    context: &Context,
    args: &Args,
    state: &ClusterState,
    plan: &Teardown,
) -> Result<(Vec<RemainingExternal>, Vec<Unreadable>)> {
    let makers: Vec<&ObjectName> = plan
        .deleted_externals()
        .filter(|item| provisioner::is_cluster(&state.resources[item.node].kind))
        .map(|item| &item.object)
        .collect();
    let (mut remains, mut unread) = (Vec::new(), Vec::new());
    let mut lost = |cluster: &str, reason: String| {
        unread.push(Unreadable { what: format!("load balancers and disks of app cluster {cluster}"), reason });
    };
    if makers.is_empty() || !args.app_clusters {
        makers.iter().for_each(|maker| lost(&maker.name, "not read; pass --app-clusters to read it".to_owned()));
        return Ok((remains, unread));
    }
    // The credentials of a cluster may be in any namespace.
    let all = context.for_all_namespaces();
    let gathered = all.gather_clusters(&args.access)?;
    let inventory = inventory::build_inventory(&gathered.state, &gathered.kinds, &args.access.view(&all));
    let query = Query::all(&teardown::remains::want);
    let snapshot = context.globals.connection.from.as_deref();
    let leads_to = |maker: &ObjectName| {
        let made_by = |cluster: &&AppCluster| cluster.provisioner.as_ref().is_some_and(|one| one.object == *maker);
        inventory.clusters.iter().find(made_by)
    };
    let answers: Vec<Option<(&AppCluster, AppClusterContents)>> = match snapshot {
        Some(path) => {
            let taken = snapshot::read_app_clusters(path, &query)?;
            let missing =
                || "it is not in the snapshot: take one with 'kubectl ucp snapshot --app-clusters'".to_owned();
            let of = |cluster: &AppCluster| taken.get(&cluster.name, &cluster.server().unwrap_or_default(), missing);
            makers.iter().map(|maker| leads_to(maker).map(|cluster| (cluster, of(cluster)))).collect()
        }
        None => {
            let read = |cluster| {
                let access = args.access.access(cluster, state.moment)?;
                remote::read(&access, context.globals.connection.request_timeout, &query).map(Arc::new)
            };
            side_by_side(&makers, MOST_CLUSTERS, |maker| {
                leads_to(maker).map(|cluster| (cluster, read(cluster).map_err(Failure::from)))
            })
        }
    };
    for (maker, answer) in makers.iter().zip(answers) {
        match answer {
            None => lost(&maker.name, "no credential or registration for it was found".to_owned()),
            Some((cluster, Ok(contents))) => {
                remains.extend(teardown::remains::remaining_externals(&cluster.name, maker, &contents));
                let missing = contents.unreadable.iter();
                missing.for_each(|entry| lost(&cluster.name, format!("{}: {}", entry.what, entry.reason)));
            }
            Some((cluster, Err(reason))) => lost(&cluster.name, scrub(reason.as_str()).into_owned()),
        }
    }
    Ok((remains, unread))
}
