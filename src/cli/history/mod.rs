//! `kubectl ucp history`

mod audit;
mod commits;
mod fetch;
mod moment;
mod read;
mod watch;

use std::path::PathBuf;
use std::time::Duration;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use crate::cli::Context;
use crate::cli::reading::{PatienceArgs, outcome};
use crate::cli::spec::FlagGroup::{Cluster, Namespace, Output, Rights, Series, Snapshot};
use crate::cli::spec::{CommandSpec, ToolRepository, ToolSpec, always, with_flag};
use crate::complete::CompletionValues;
use crate::render::OutputFormat;
use crate::report::Header;
use crate::report::history::{History, HistoryFacts, HistoryZone, RoutineVisibility};
use crate::report::history_moment::HistoryMoment;
use ucp_core::error::{Error, Outcome, Result};
use ucp_core::graph::Graph;
use ucp_core::model::object::{ObjectKey, ObjectName};
use ucp_core::model::state::ClusterState;
use ucp_core::model::time::parse_duration;
use ucp_features::history::{
    CauseFacts, Dependencies, GroupedObjects, HistoryLane, Occurrence, find_causes, group, link_effects,
    mentioned_obstacles,
};

use commits::CommitSource;
use moment::PastTime;
use read::Timeline;

/// Show what happened, when, and who did it
///
/// Reads Events, conditions, writers of fields, revisions, deployments, releases and restarts. The newest change comes
/// first, with its effects below it. A period that cannot be known is a gap.
///
/// With KIND/NAME, only the object and its tree. With several --from of one cluster, the differences between the
/// snapshots are included.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  kubectl ucp history
  kubectl ucp history claim/orders --since 6h
  kubectl ucp history --at 03:00
  kubectl ucp history --cause application/prod-web
  kubectl ucp history --from monday.tar.gz --from tuesday.tar.gz
  kubectl ucp history application/prod-web --repo ~/gitops
  kubectl ucp history --watch
  kubectl ucp history -o html > night.html

Exit codes: 0 done; 2 usage; 3 failed, or the object does not exist; 4 something could not be read.")]
pub(super) struct Args {
    /// The object, as NAME, KIND/NAME or KIND NAME; the whole control plane by default
    #[arg(value_name = "[KIND/]NAME", num_args = 0..=2, conflicts_with = "cause")]
    object: Vec<String>,
    /// How far to look back [default: 24h, or the oldest of several snapshots]
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    since: Option<Duration>,
    /// Show the problems at a time: 03:00, '2026-11-20 03:00', 2026-11-20T03:00:00Z
    #[arg(long, value_name = "TIME")]
    at: Option<PastTime>,
    /// Show the probable causes of the last failure of an object, with the evidence
    #[arg(long, value_name = "[KIND/]NAME")]
    cause: Option<String>,
    /// A checkout whose commits are part of the history [default: the current directory, if a deployer names its remote]
    #[arg(long, value_name = "PATH", value_hint = clap::ValueHint::DirPath)]
    repo: Option<PathBuf>,
    /// Do not look for commits in the current directory
    #[arg(long, conflicts_with = "repo", hide_short_help = true)]
    no_repo: bool,
    /// The audit log of the API server, in JSON lines: its users are the authors of changes
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    audit: Option<PathBuf>,
    /// Watch the control plane, and print each new occurrence
    #[arg(short, long, conflicts_with_all = ["object", "at", "cause", "audit"])]
    watch: bool,
    /// Include routine occurrences, such as normal Events
    #[arg(long)]
    all: bool,
    /// Show and read times in UTC instead of the local time zone
    #[arg(long, hide_short_help = true)]
    utc: bool,
    #[command(flatten)]
    patience: PatienceArgs,
}

pub(super) static SPEC: CommandSpec = CommandSpec {
    roles: &[
        always(&["kubectl-ucp-status", "kubectl-ucp-history"]),
        with_flag("object", &["kubectl-ucp-tree", "kubectl-ucp-history-object", "kubectl-ucp-history-mentioned"]),
        with_flag("cause", &["kubectl-ucp-tree", "kubectl-ucp-history-object", "kubectl-ucp-history-mentioned"]),
    ],
    followed: &["kubectl-ucp-status", "kubectl-ucp-history"],
    reads_crossplane: true,
    completions: &[("cause", CompletionValues::KindsAndObjects), ("object", CompletionValues::KindsAndObjects)],
    tool: Some(ToolSpec {
        repository: ToolRepository::Optional,
        ..ToolSpec::new::<History>(4, &["object", "since", "at", "cause", "all", "namespace"])
    }),
    ..CommandSpec::new("history", &[Cluster, Snapshot, Series, Namespace, Output, Rights])
};

impl Args {
    /// Returns the beginning of the period that ends at a time.
    fn beginning(&self, end: Timestamp) -> Timestamp {
        minus(end, self.since.map_or(DAY, |since| SignedDuration::try_from(since).unwrap_or(SignedDuration::MAX)))
    }

    /// Returns true if the period that is shown is not that of the data that count: a cause may be older, and so may a problem at a time.
    const fn needs_everything(&self) -> bool {
        self.at.is_some() || self.cause.is_some()
    }

    /// Returns the words that name the object; none for the whole control plane.
    fn named_object(&self) -> Vec<String> {
        self.cause.as_ref().map_or_else(|| self.object.clone(), |object| vec![object.clone()])
    }

    fn commit_source(&self) -> CommitSource {
        match &self.repo {
            Some(directory) => CommitSource::Named(directory.clone()),
            None if self.no_repo => CommitSource::Nowhere,
            None => CommitSource::CurrentDirectory,
        }
    }
}

/// The default of `--since`.
const DAY: SignedDuration = SignedDuration::from_hours(24);
/// The time before `--at` that is shown.
const BEFORE_MOMENT: SignedDuration = SignedDuration::from_hours(1);

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let zone = if args.utc { TimeZone::UTC } else { TimeZone::system() };
    if args.watch {
        return watch::watch(context, args, &zone);
    }
    let report = gather_in(context, &args.named_object(), args, zone)?;
    context.print(&report)?;
    if context.globals.output.output == OutputFormat::Name {
        context.warn_of_unreadable(&report.unreadable);
    }
    context.hint_at_rights(&report.unreadable);
    Ok(outcome(&report.unreadable))
}

/// Returns the document in the local time zone.
///
/// # Errors
/// Fails when the cluster state cannot be read, or the object does not exist.
pub(super) fn gather(context: &Context, args: &Args) -> Result<History> {
    gather_in(context, &args.named_object(), args, TimeZone::system())
}

fn gather_in(context: &Context, object: &[String], args: &Args, zone: TimeZone) -> Result<History> {
    let context = &read::with_every_night(context)?;
    let (newest, timeline) = Timeline::read(context, object, args)?;
    let graph = newest.graph();
    let obstacles = mentioned_obstacles(&newest.obstacles);
    let end = TimelineEnd {
        state: &newest.state,
        graph: &graph,
        root: newest.root.as_ref(),
        facts: CauseFacts { obstacles, missing: newest.missing.clone(), ..CauseFacts::default() },
        groups: GroupedObjects::Several,
    };
    build(context, end, timeline, args, zone)
}

/// The state at the end of a timeline.
struct TimelineEnd<'a> {
    state: &'a ClusterState,
    graph: &'a Graph<'a>,
    /// The object whose tree it is.
    root: Option<&'a ObjectKey>,
    /// Facts about failures.
    facts: CauseFacts,
    /// Whether the same occurrence of several objects is one.
    groups: GroupedObjects,
}

/// Builds the document of a timeline.
fn build(
    context: &Context,
    TimelineEnd { state, graph, root, facts, groups }: TimelineEnd<'_>,
    timeline: Timeline,
    args: &Args,
    zone: TimeZone,
) -> Result<History> {
    let at = args.at.as_ref().map(|at| at.before(timeline.to, &zone)).transpose().map_err(Error::usage)?;
    let from = timeline.from.min(at.map_or(Timestamp::MAX, |at| minus(at, BEFORE_MOMENT)));
    let header = Header { source: timeline.sources.clone(), ..Header::new("History", state.origin.clone()) };
    let Timeline { to, occurrences, gaps, findings, .. } = timeline;
    // An occurrence before the period may be the cause of a failure.
    let is_used = |one: &Occurrence| args.cause.is_some() || one.end() >= from;
    let occurrences: Vec<_> = occurrences.into_iter().filter(is_used).collect();
    let walk = root.map(|root| fetch::objects_of_tree(graph, root));
    let mut occurrences: Vec<_> = match &walk {
        Some(keys) => occurrences.into_iter().filter(|one| keys.contains(&one.object.key_ref().into())).collect(),
        None => occurrences,
    };
    let unchanged = commits::add_commits(context, &args.commit_source(), &mut occurrences, graph)?;
    let findings = match &walk {
        Some(keys) => findings.into_iter().map(|one| one.within(keys)).collect(),
        None => findings,
    };
    let moment = at.map(|at| HistoryMoment::at(at, &findings, &occurrences, &state.unreadable));
    let occurrences = group(occurrences, groups);
    let mut dependencies = Dependencies::new(graph);
    let causes = link_effects(&occurrences, &mut dependencies);
    let lanes = occurrences.iter().map(|one| HistoryLane::from_occurrence(one, graph)).collect();
    let object: Option<ObjectName> = root.and_then(|root| graph.name(graph.find(root)?));
    let facts = CauseFacts { unchanged, ..facts };
    let search = object.as_ref().filter(|_| args.cause.is_some());
    let search = search.map(|object| find_causes(object, &occurrences, &dependencies, &facts));
    let facts = HistoryFacts {
        from,
        to,
        object,
        occurrences,
        causes,
        lanes,
        gaps: gaps.into_iter().filter(|gap| gap.to > from).collect(),
        search,
        at: moment,
        unreadable: state.unreadable.clone(),
    };
    let routine = if args.all { RoutineVisibility::Shown } else { RoutineVisibility::Counted };
    Ok(History::from_facts(header, facts, routine, HistoryZone(zone)))
}

/// Returns an earlier time; the earliest one if it would be before all times.
fn minus(time: Timestamp, duration: SignedDuration) -> Timestamp {
    time.saturating_sub(duration).unwrap_or(Timestamp::MIN)
}
