//! `kubectl ucp tree`

mod explore;

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;

use crate::cli::Context;
use crate::cli::everything;
use crate::cli::naming::{NamedObject, PASS_KIND, with_other_namespaces};
use crate::cli::reading::{PatienceArgs, outcome};
use crate::cli::secrets::look::{LookArgs, look};
use crate::cli::secrets::reach::ReachArgs;
use crate::cli::sought::{CHOOSE, SearchResult, SourceDocument, combine_results, unread_entry_for};
use crate::cli::spec::FlagGroup::{Cluster, Namespace, Output, Rights, Several, Snapshot};
use crate::cli::spec::{
    CommandSpec, ENGINE_NAMESPACES, HAZARDS, SECRETS_ROLES, SNAPSHOTS_OF_APPS, ToolSpec, WAYS, always, only_with,
    with_flag,
};
use crate::complete::CompletionValues;
use crate::render::{OutputFormat, Report};
use crate::report::sources::UnreadableEntry;
use crate::report::tree::Tree;
use ucp_client::source::Query;
use ucp_client::source::live::session::Session;
use ucp_core::engine;
use ucp_core::error::{Error, Outcome, Result};
use ucp_core::graph::Graph;
use ucp_core::graph::walk::{GraphWalk, WalkDirection};
use ucp_core::model::body::{BodyShape, KindRequest};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::nearest::{did_you_mean, did_you_mean_name};
use ucp_core::model::object::{ObjectKey, ObjectName};
use ucp_core::model::resource::Resource;
use ucp_core::model::state::{ClusterState, Unreadable};
use ucp_core::model::trace::{DeclarationKeeping, TraceRequest};
use ucp_features::adopt::links;
use ucp_features::distribution;
use ucp_features::history::{LAST_CHANGES, last_change};

pub(super) use explore::ExploredCluster;
use explore::explore;

/// Show where an object comes from and what depends on it
///
/// One tree, from the Git commit through the Application, claim and composite to the external resource and the app
/// cluster, with one verdict per line. If there is a problem, the output begins with the cause. Works from any object,
/// upwards and downwards. An object that is referred to and does not exist is shown as missing.
///
/// With KIND, only the objects of the tree are read; without KIND, every kind that 'resources' reads. The output
/// formats dot, mermaid, markdown and svg draw the tree.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  kubectl ucp tree application/quotes
  kubectl ucp tree bucket.s3.aws.upbound.io/logs
  kubectl ucp tree quotes-db -n team-a --down
  kubectl ucp tree secret/gcp-k8s-prod -n crossplane-system --up
  kubectl ucp tree rdsinstance/orders --app-clusters
  kubectl ucp tree application/quotes --contexts core-eu,core-us
  kubectl ucp tree application/quotes -o markdown > comment.md
  kubectl ucp tree application/quotes -o svg > tree.svg")]
pub(super) struct Args {
    /// The object, as NAME, KIND/NAME or KIND NAME; KIND may be plural, short, or KIND.GROUP
    #[arg(value_name = "[KIND/]NAME", required_unless_present = "print_rbac", num_args = 1..=2)]
    object: Vec<String>,
    /// Only the objects above it, which it comes from
    #[arg(long, conflicts_with = "down")]
    up: bool,
    /// Only the objects below it
    #[arg(long)]
    down: bool,
    /// Steps from the object; all by default
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..))]
    depth: Option<u16>,
    /// Also read the app clusters: show the copies of Secrets and their states
    #[arg(long)]
    app_clusters: bool,
    #[command(flatten)]
    patience: PatienceArgs,
    #[command(flatten)]
    reach: ReachArgs,
}

pub(super) static SPEC: CommandSpec = CommandSpec {
    dependent: &[
        only_with(ENGINE_NAMESPACES, &["app_clusters"]),
        SNAPSHOTS_OF_APPS,
        only_with(WAYS, &["app_clusters"]),
        only_with(HAZARDS, &["app_clusters"]),
    ],
    roles: &[always(&["kubectl-ucp-tree"]), with_flag("app_clusters", SECRETS_ROLES)],
    reads_crossplane: true,
    completions: &[("object", CompletionValues::KindsAndObjects)],
    tool: Some(ToolSpec {
        is_of_one_source: true,
        ..ToolSpec::new::<Tree>(3, &["object", "up", "down", "depth", "stuck_after", "namespace"])
    }),
    ..CommandSpec::new("tree", &[Cluster, Snapshot, Several, Namespace, Output, Rights])
};

impl Args {
    fn direction(&self) -> WalkDirection {
        match (self.up, self.down) {
            (true, _) => WalkDirection::Up,
            (_, true) => WalkDirection::Down,
            _ => WalkDirection::Both,
        }
    }

    fn depth(&self) -> usize {
        self.depth.map_or(usize::MAX, usize::from)
    }
}

/// Returns the tree of one object of one core cluster, as the command does without flags.
///
/// # Errors
/// Fails when the object does not exist or cannot be read.
pub(super) fn tree_of_object(context: &Context, object: &ObjectName, patience: PatienceArgs) -> Result<Tree> {
    let mut context = context.clone();
    context.globals.scope.namespace.clone_from(&object.namespace);
    let words = [object.kind_and_name()];
    let args = Args { patience, ..crate::cli::parsed(words.iter().map(String::as_str))? };
    match tree(&context, &NamedObject::parse(&words)?, &args, None)? {
        SearchResult::Found(found) => Ok(found.document),
        SearchResult::Absent(error, _) => Err(error),
    }
}

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let named = NamedObject::parse(&args.object)?;
    if args.app_clusters {
        context.needs_rereadable_source("--app-clusters")?;
    }
    let copies = args.app_clusters.then(|| LookArgs::everything(context, &args.reach)).transpose()?;
    let read = |context: &Context| tree(context, &named, args, copies.as_ref());
    if !context.has_several_sources() {
        return match read(context)? {
            SearchResult::Found(SourceDocument { document: tree, .. }) => shown(context, &tree, &tree.unreadable),
            SearchResult::Absent(error, _) => Err(error),
        };
    }
    let list = combine_results(context.read_each_source(read)?)?;
    let has_place = matches!(
        context.globals.output.output,
        OutputFormat::Table
            | OutputFormat::Wide
            | OutputFormat::Json
            | OutputFormat::Yaml
            | OutputFormat::Markdown
            | OutputFormat::Html
    );
    if !has_place {
        list.absences().for_each(|line| context.ui.message(&line));
    }
    shown(context, &list, &list.unreadable)
}

fn shown(context: &Context, report: &impl Report, unreadable: &[impl UnreadableEntry]) -> Result<Outcome> {
    context.print(report)?;
    if !matches!(context.globals.output.output, OutputFormat::Json | OutputFormat::Yaml) {
        context.warn_of_unreadable(unreadable);
    }
    context.hint_at_rights(unreadable);
    Ok(outcome(unreadable))
}

/// Returns the tree of the object in one source, and its moment.
fn tree(
    context: &Context,
    named: &NamedObject,
    args: &Args,
    copies: Option<&LookArgs>,
) -> Result<SearchResult<SourceDocument<Tree>>> {
    let since = Timestamp::now().saturating_sub(LAST_CHANGES).unwrap_or(Timestamp::MIN);
    // The time of a snapshot is known when it has been read.
    let since = if context.globals.connection.from.is_some() { Timestamp::MIN } else { since };
    let traces = TraceRequest { since, declaration: DeclarationKeeping::Dropped };
    let adjust = |_: &ResourceKind, want: KindRequest| want.with_traces(traces);
    let reading =
        TreeReading { direction: args.direction(), depth: args.depth(), adjust: &adjust, ..TreeReading::default() };
    let sought = read_tree(context, named, &reading)?;
    let (root, ExploredCluster { state, absent }) = match sought {
        SearchResult::Found(found) => found,
        SearchResult::Absent(error, moment) => return Ok(SearchResult::Absent(error, moment)),
    };
    let clock = args.patience.clock(&state);
    let assessment = engine::assess(&state, &clock);
    // Copies are read in all namespaces: `-n` does not limit where a Secret is copied to.
    let copies = copies.map(|copies| look(&context.for_all_namespaces(), copies)).transpose()?;
    let mut more = links::secret_links(&state);
    more.extend(copies.iter().flat_map(|seen| distribution::links::copy_links(&seen.rows)));
    let graph = Graph::from_state(&state, engine::links, &more, &absent);
    let root = graph.find(&root).ok_or_else(|| Error::failed(format!("{root} was deleted while it was read")))?;
    let walk = GraphWalk::from(&graph, root, args.direction(), args.depth());
    let mut tree = Tree::from_walk(&state, &graph, &walk, &assessment, &clock);
    if let Some(change) = last_change(&state, &walk.objects(&graph)) {
        tree.mark_last_change(change);
    }
    if let Some(seen) = &copies {
        tree.add_copies(&seen.rows, seen.unreadable());
    }
    Ok(SearchResult::Found(SourceDocument { document: tree, missing: Vec::new(), moment: state.moment }))
}

/// The extent of the objects that are read for a tree.
#[derive(Clone, Copy)]
pub(super) struct TreeReading<'a> {
    pub(super) direction: WalkDirection,
    pub(super) depth: usize,
    /// Adjusts the request for a kind.
    pub(super) adjust: &'a AdjustRequest<'a>,
    /// Reads more objects of a live cluster when the tree is complete.
    pub(super) beside: &'a (dyn Fn(&Session, &ObjectKey, &mut ExploredCluster) + Sync),
}

/// Adjusts the request for a kind.
pub(super) type AdjustRequest<'a> = dyn Fn(&ResourceKind, KindRequest) -> KindRequest + Sync + 'a;

impl Default for TreeReading<'_> {
    fn default() -> Self {
        Self { direction: WalkDirection::Both, depth: usize::MAX, adjust: &|_, want| want, beside: &|_, _, _| {} }
    }
}

/// Reads the tree of an object from a cluster or snapshot. All objects of a snapshot are read.
pub(super) fn read_tree(
    context: &Context,
    named: &NamedObject,
    reading: &TreeReading<'_>,
) -> Result<SearchResult<(ObjectKey, ExploredCluster)>> {
    match &context.globals.connection.from {
        Some(_) => in_snapshot(context, named, reading),
        None => in_cluster(context, named, reading),
    }
}

fn in_snapshot(
    context: &Context,
    named: &NamedObject,
    reading: &TreeReading<'_>,
) -> Result<SearchResult<(ObjectKey, ExploredCluster)>> {
    let state = read_snapshot(context, reading)?;
    Ok(match find_in_snapshot(context, named, &state)? {
        SearchResult::Found(root) => SearchResult::Found((root, ExploredCluster { state, absent: BTreeSet::new() })),
        SearchResult::Absent(error, moment) => SearchResult::Absent(error, moment),
    })
}

/// Reads all objects of a snapshot.
///
/// # Errors
/// Fails when the snapshot cannot be read.
pub(super) fn read_snapshot(context: &Context, reading: &TreeReading<'_>) -> Result<ClusterState> {
    context.read_in(None, &|kind| {
        let is_secret = kind.group.is_empty() && kind.kind == "Secret";
        let want = if is_secret { KindRequest::all(BodyShape::Secret) } else { explore::want(kind) };
        everything::want(kind).map(|_| (reading.adjust)(kind, want))
    })
}

/// Returns the named object of a snapshot.
///
/// # Errors
/// Fails when several objects have the name, or the kind may exist and was not read.
pub(super) fn find_in_snapshot(
    context: &Context,
    named: &NamedObject,
    state: &ClusterState,
) -> Result<SearchResult<ObjectKey>> {
    if let Some(error) = unknown_kind(named, &state.kinds, state)? {
        return Ok(SearchResult::Absent(error, state.moment));
    }
    let found = state.resources.iter().filter(|resource| is_meant(context, named, resource));
    Ok(match single_object(named, found.collect(), state)? {
        SearchResult::Found(root) => SearchResult::Found(root.key()),
        SearchResult::Absent(error, moment) => {
            SearchResult::Absent(with_namespaces(error, named, &state.resources), moment)
        }
    })
}

fn in_cluster(
    context: &Context,
    named: &NamedObject,
    reading: &TreeReading<'_>,
) -> Result<SearchResult<(ObjectKey, ExploredCluster)>> {
    let session = Session::open(&context.globals.connection)?;
    let progress = context.reading_progress();
    let show = |done, total| progress.show(done, total);
    let mut state = session.nothing();
    if named.kind.is_some() {
        if let Some(error) = unknown_kind(named, session.kinds(), &state)? {
            return Ok(SearchResult::Absent(error, state.moment));
        }
        let kinds = session.kinds().iter().filter(|kind| named.is_kind(kind));
        let want = |kind: &ResourceKind| (reading.adjust)(kind, explore::want(kind));
        let kinds: Vec<_> = kinds.map(|kind| (Arc::clone(kind), want(kind))).collect();
        let fetched = session.named(&kinds, context.globals.scope.namespace.as_deref(), &named.name);
        state.resources = fetched.resources;
        state.unreadable.extend(fetched.unreadable);
    } else {
        let want = |kind: &ResourceKind| engine::want(kind).map(|want| (reading.adjust)(kind, want));
        session.list(&Query { progress: &show, ..Query::all(&want) }, &mut state);
    }
    let found = state.resources.iter().filter(|resource| is_meant(context, named, resource));
    let root = match single_object(named, found.collect(), &state)? {
        SearchResult::Found(root) => root.clone(),
        SearchResult::Absent(error, moment) if context.globals.scope.namespace.is_some() && named.kind.is_some() => {
            let kinds = session.kinds().iter().filter(|kind| named.is_kind(kind));
            let kinds: Vec<_> = kinds.map(|kind| (Arc::clone(kind), explore::want(kind))).collect();
            let elsewhere = session.named(&kinds, None, &named.name).resources;
            return Ok(SearchResult::Absent(with_namespaces(error, named, &elsewhere), moment));
        }
        SearchResult::Absent(error, moment) => {
            return Ok(SearchResult::Absent(with_namespaces(error, named, &state.resources), moment));
        }
    };
    let key = root.key();
    let mut explored = explore(&session, root, reading, &show);
    (reading.beside)(&session, &key, &mut explored);
    Ok(SearchResult::Found((key, explored)))
}

/// Adds the namespaces that have such an object to an error for a wrong `-n`.
fn with_namespaces(error: Error, named: &NamedObject, resources: &[Resource]) -> Error {
    let is_alike = |resource: &&Resource| resource.metadata.name == named.name && named.is_kind(&resource.kind);
    with_other_namespaces(error, resources.iter().filter(is_alike))
}

fn is_meant(context: &Context, named: &NamedObject, resource: &Resource) -> bool {
    let is_there = match (&context.globals.scope.namespace, &resource.metadata.namespace) {
        (Some(wanted), Some(actual)) => wanted == actual,
        _ => true,
    };
    is_there && resource.metadata.name == named.name && named.is_kind(&resource.kind)
}

/// Returns the error for an unknown kind; `None` if it is known.
///
/// # Errors
/// Fails when it may be in a group that could not be listed: then the name may be correct.
fn unknown_kind(named: &NamedObject, kinds: &[Arc<ResourceKind>], state: &ClusterState) -> Result<Option<Error>> {
    let is_known = kinds.iter().any(|kind| named.is_kind(kind));
    let Some(kind) = named.kind.as_ref().filter(|_| !is_known) else { return Ok(None) };
    let known: Vec<String> =
        kinds.iter().flat_map(|kind| [kind.kind.to_ascii_lowercase(), kind.plural.clone()]).collect();
    let known = known.iter().map(String::as_str);
    let message = format!("no kind is called '{kind}'{}", did_you_mean(kind, known));
    match unread_entry_for(state, |kind| named.is_kind(kind)) {
        Some(Unreadable { what, reason }) => Err(Error::failed(format!("{message}; {what}: {reason}"))),
        None => Ok(Some(Error::usage(message).hint("'kubectl api-resources' lists the kinds"))),
    }
}

/// Returns the one object with this name. Some kinds are served by two groups: duplicates by UID count as one.
///
/// # Errors
/// Fails when it may be among the objects that could not be read, and with a usage error when several have the name.
fn single_object<'a>(
    named: &NamedObject,
    mut found: Vec<&'a Resource>,
    state: &ClusterState,
) -> Result<SearchResult<&'a Resource>> {
    let mut seen = BTreeSet::new();
    found.retain(|resource| resource.metadata.uid.is_empty() || seen.insert(&resource.metadata.uid));
    match found.as_slice() {
        [one] => Ok(SearchResult::Found(one)),
        [] => {
            let names = state.resources.iter().filter(|resource| named.is_kind(&resource.kind));
            let meant = did_you_mean_name(&named.name, names.map(|resource| resource.metadata.name.as_str()));
            if let Some(Unreadable { what, reason }) = unread_entry_for(state, |kind| named.is_kind(kind)) {
                return Err(Error::failed(match state.resources.is_empty() {
                    true => format!("{} could not be read: {what}: {reason}", named.shown()),
                    false => format!("{} does not exist in what could be read{meant}: {what}: {reason}", named.shown()),
                }));
            }
            let error = Error::absent(format!("{} does not exist{meant}", named.shown()));
            let error = match named.kind {
                Some(_) => error,
                None => error.hint(PASS_KIND),
            };
            Ok(SearchResult::Absent(error, state.moment))
        }
        many => {
            let names: Vec<String> = many.iter().map(|resource| format!("  {}", resource.name())).collect();
            let message = format!("{} objects are called '{}':\n{}", many.len(), named.shown(), names.join("\n"));
            Err(Error::usage(message).hint(CHOOSE))
        }
    }
}
