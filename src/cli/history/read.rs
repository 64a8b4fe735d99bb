//! Reads a timeline: from a live cluster, a snapshot, or several snapshots of one cluster.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;

use super::{Args, audit};
use crate::cli::Context;
use crate::cli::naming::NamedObject;
use crate::cli::sought::SearchResult;
use crate::cli::tree::{ExploredCluster, TreeReading, find_in_snapshot, read_snapshot, read_tree};
use crate::report::history_moment::FindingsAt;
use crate::report::sources::{DocumentSource, DocumentSources, SourceResult};
use ucp_client::source::live::session::{FetchedObjects, Session, WantedObject};
use ucp_client::source::snapshot::nights;
use ucp_core::engine;
use ucp_core::error::{Error, Result};
use ucp_core::graph::Graph;
use ucp_core::graph::link::Link;
use ucp_core::graph::walk::{GraphWalk, WalkDirection};
use ucp_core::model::body::{BodyShape, KindRequest};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::ObjectKey;
use ucp_core::model::state::{ClusterState, Origin};
use ucp_core::model::text::join_limited;
use ucp_core::model::trace::{DeclarationKeeping, TraceRequest};
use ucp_features::adopt::links;
use ucp_features::history::{
    self, AuditedChanges, HistoryGap, ObstacleRequest, Occurrence, RepeatedObjects, SnapshotPoint, UnreadDeletion,
    UnreconciledObject,
};

/// The facts of a timeline.
pub(super) struct Timeline {
    pub(super) sources: DocumentSources,
    pub(super) from: Timestamp,
    pub(super) to: Timestamp,
    /// All occurrences, the oldest first.
    pub(super) occurrences: Vec<Occurrence>,
    pub(super) gaps: Vec<HistoryGap>,
    /// The findings of each state, the oldest first.
    pub(super) findings: Vec<FindingsAt>,
}

/// The part of one state that is kept while others are read.
pub(super) struct StatePart {
    moment: Timestamp,
    /// The content that is compared with that of other snapshots.
    point: Option<SnapshotPoint>,
    occurrences: Vec<Occurrence>,
    gaps: Vec<HistoryGap>,
    findings: Option<FindingsAt>,
}

/// A state, and the object whose tree it is.
pub(super) struct RootedState {
    pub(super) state: ClusterState,
    /// Objects that were requested and do not exist.
    pub(super) absent: BTreeSet<ObjectKey>,
    pub(super) root: Option<ObjectKey>,
    /// The reason why there is no named object in this state.
    absence: Option<Error>,
    /// Links to objects that failures mention, which are read from traces.
    pub(super) obstacles: Vec<Link>,
    /// Links to Secrets, ConfigMaps and service accounts that objects name, which are read from traces too.
    needs: Vec<Link>,
}

impl Timeline {
    /// Reads the timeline of the control plane, or of the tree of an object.
    ///
    /// # Errors
    /// Fails when a source cannot be read, or the object does not exist.
    pub(super) fn read(context: &Context, object: &[String], args: &Args) -> Result<(RootedState, Self)> {
        let named = if object.is_empty() { None } else { Some(NamedObject::parse(object)?) };
        // Each reader keeps its state if it is the newest so far, so that at most one is kept.
        let newest: Mutex<Option<RootedState>> = Mutex::new(None);
        let declaration = match context.has_several_sources() {
            true => DeclarationKeeping::Kept,
            false => DeclarationKeeping::Dropped,
        };
        let read = |context: &Context| {
            let mut rooted = read_state(context, named.as_ref(), declaration, args)?;
            // The beginning of several snapshots is known when all have been read.
            let is_alone = declaration == DeclarationKeeping::Dropped && args.at.is_none();
            let since = if is_alone { args.beginning(rooted.state.moment) } else { Timestamp::MIN };
            let mut part = StatePart::from_state(&rooted.state, args, (since, declaration));
            let missing = history::missing_objects(&rooted.state, &rooted.absent, &part.occurrences);
            let unreconciled = UnreconciledObject::find_all(&rooted.state);
            let failures: Vec<Occurrence> =
                unreconciled.iter().filter_map(|one| one.failure(&part.occurrences)).collect();
            part.occurrences.extend(missing.into_iter().chain(failures));
            part.occurrences.sort_by_key(|occurrence| occurrence.time);
            let is_outdated =
                |newest: &Option<RootedState>| newest.as_ref().is_some_and(|known| known.rank() > rooted.rank());
            if is_outdated(&newest.lock().unwrap_or_else(PoisonError::into_inner)) {
                return Ok(part);
            }
            rooted.obstacles = history::obstacle_links(&rooted.state);
            rooted.needs = history::need_links(&rooted.state, &rooted.absent);
            rooted.needs.extend(unreconciled.iter().map(UnreconciledObject::link));
            // Only the objects and their links are needed from here on.
            rooted.state.resources.retain(|resource| !resource.kind.is_event());
            rooted.state.resources.iter_mut().for_each(|resource| drop(resource.trace.take()));
            let mut newest = newest.lock().unwrap_or_else(PoisonError::into_inner);
            if newest.as_ref().is_none_or(|known| known.rank() <= rooted.rank()) {
                *newest = Some(rooted);
            }
            Ok(part)
        };
        let parts = match context.has_several_sources() {
            true => context.read_each_source(read)?,
            false => {
                let part = read(context)?;
                let origin = Origin::Snapshot { path: String::new() };
                vec![SourceResult { source: Arc::new(origin), result: Ok(part) }]
            }
        };
        let newest = newest.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut read = Vec::new();
        for SourceResult { source, result } in parts {
            // A point that is missing would be taken for a quiet time.
            read.push((source, result?));
        }
        let Some(mut newest) = newest else { return Err(Error::usage("no source was named")) };
        if let Some(error) = newest.absence.take() {
            return Err(error);
        }
        let timeline = Self::from_parts(read, &newest.state, args)?;
        Ok((newest, timeline))
    }

    /// Builds the timeline of states; `newest` is the last one, or the last one with the named object.
    ///
    /// # Errors
    /// Fails when the audit log cannot be read.
    pub(super) fn from_parts(
        mut read: Vec<(Arc<Origin>, StatePart)>,
        newest: &ClusterState,
        args: &Args,
    ) -> Result<Self> {
        read.sort_by_key(|(_, part)| part.moment);
        let to = read.last().map_or(newest.moment, |(_, part)| part.moment);
        let oldest = read.first().map_or(to, |(_, part)| part.moment);
        let is_alone = read.len() == 1;
        let from = match args.since {
            Some(_) => args.beginning(to),
            None => args.beginning(to).min(oldest),
        };
        let sources = match read.as_slice() {
            [_] => DocumentSources::One(newest.origin.clone()),
            several => {
                let source = |(origin, part): &(Arc<Origin>, StatePart)| DocumentSource {
                    origin: Arc::clone(origin),
                    moment: Some(part.moment),
                };
                DocumentSources::Several(several.iter().map(source).collect())
            }
        };
        let (mut occurrences, mut gaps, mut findings, mut differences) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut before: Option<SnapshotPoint> = None;
        for (_, part) in read {
            // The Events of an earlier snapshot fill the time before it.
            let covered = before.as_ref().map_or(from, |before| before.moment.max(from));
            gaps.extend(part.gaps.into_iter().filter_map(|gap| {
                let from = gap.from.max(covered);
                (gap.to > from).then_some(HistoryGap { from, ..gap })
            }));
            match occurrences.is_empty() {
                true => occurrences = part.occurrences,
                false => occurrences.extend(part.occurrences),
            }
            findings.extend(part.findings);
            let pair = before.as_ref().zip(part.point.as_ref());
            if let Some((_, after)) = pair.filter(|(before, after)| before.is_of_another_cluster(after)) {
                return Err(Error::usage(format!(
                    "the snapshot of {} is of another cluster than the one before: they have no object in common",
                    after.moment
                ))
                .hint("name snapshots of one cluster"));
            }
            differences.extend(pair.map(|(before, after)| history::differences(before, after)).unwrap_or_default());
            before = part.point;
        }
        let mut occurrences = if is_alone { occurrences } else { history::without_duplicates(occurrences) };
        if let Some(path) = &args.audit {
            let audited = audit::read(path, &newest.kinds, from)?;
            gaps.extend(unnamed_changes(&audited, from, to));
            gaps.extend(audited.unread_deletions.into_iter().map(unread_deletion));
            history::add_audited(&mut occurrences, audited.changes);
        }
        history::add_differences(&mut occurrences, differences);
        Ok(Self { sources, from, to, occurrences, gaps, findings })
    }
}

impl RootedState {
    /// Returns the graph of the state.
    pub(super) fn graph(&self) -> Graph<'_> {
        graph(&self.state, &self.absent, &[self.obstacles.as_slice(), &self.needs].concat())
    }

    fn new(ExploredCluster { state, absent }: ExploredCluster, root: Option<ObjectKey>) -> Self {
        Self { state, absent, root, absence: None, obstacles: Vec::new(), needs: Vec::new() }
    }

    /// Of several states, the newest one with the named object is kept.
    fn rank(&self) -> (bool, Timestamp) {
        (self.absence.is_none(), self.state.moment)
    }
}

impl StatePart {
    pub(super) fn from_state(
        state: &ClusterState,
        args: &Args,
        (since, declaration): (Timestamp, DeclarationKeeping),
    ) -> Self {
        let is_compared = declaration == DeclarationKeeping::Kept;
        let repeated = if is_compared { RepeatedObjects::Skipped } else { RepeatedObjects::Included };
        let occurrences = history::gather(state, since, repeated);
        let gaps = history::gaps(state, Timestamp::MIN);
        // The verdicts only matter at one time, and for the differences of two snapshots.
        if !is_compared && args.at.is_none() {
            return Self { moment: state.moment, point: None, occurrences, gaps, findings: None };
        }
        let assessment = engine::assess(state, &args.patience.clock(state));
        Self {
            moment: state.moment,
            point: is_compared.then(|| SnapshotPoint::from_state(state, &assessment)),
            occurrences,
            gaps,
            findings: Some(FindingsAt::from_assessment(state.moment, &assessment)),
        }
    }
}

fn read_state(
    context: &Context,
    named: Option<&NamedObject>,
    declaration: DeclarationKeeping,
    args: &Args,
) -> Result<RootedState> {
    // The time of a snapshot is known when it has been read.
    let since = match (&context.globals.connection.from, &args.at) {
        (None, None) => args.beginning(Timestamp::now()),
        _ => Timestamp::MIN,
    };
    let traces = TraceRequest { since, declaration };
    let Some(named) = named else {
        let want = if context.globals.connection.from.is_some() { history::want_of_snapshot } else { history::want };
        let state = context.read(&|kind| want(kind, traces))?;
        return Ok(RootedState::new(ExploredCluster { state, absent: BTreeSet::new() }, None));
    };
    let adjust = |kind: &ResourceKind, want: KindRequest| match kind.is_event() {
        true => KindRequest::all(BodyShape::AnyEvent),
        false => want.with_traces(traces),
    };
    let beside = |session: &Session, root: &ObjectKey, explored: &mut ExploredCluster| {
        take_parts_of_workloads(session, root, explored, traces);
        let tree = objects_of_tree(&graph(&explored.state, &explored.absent, &[]), root);
        let needs = history::needs_to_read(&explored.state, &tree);
        take_by_name(session, explored, needs, traces);
        take_obstacles(session, explored, &tree, traces);
        if let Some(kind) = session.kind("", "Event") {
            explored.take(session.listed(kind, KindRequest::all(BodyShape::AnyEvent)));
        }
    };
    let reading = TreeReading { adjust: &adjust, beside: &beside, ..TreeReading::default() };
    if context.globals.connection.from.is_some() {
        // An object may have been created or deleted between two snapshots.
        let state = read_snapshot(context, &reading)?;
        let found = find_in_snapshot(context, named, &state)?;
        let explored = ExploredCluster { state, absent: BTreeSet::new() };
        return Ok(match found {
            SearchResult::Found(root) => RootedState::new(explored, Some(root)),
            SearchResult::Absent(error, _) => RootedState { absence: Some(error), ..RootedState::new(explored, None) },
        });
    }
    match read_tree(context, named, &reading)? {
        SearchResult::Found((root, explored)) => Ok(RootedState::new(explored, Some(root))),
        SearchResult::Absent(error, _) => Err(error),
    }
}

/// Objects of workloads, which only name their owner.
const PARTS: [(&str, &str); 3] = [("apps", "ReplicaSet"), ("apps", "ControllerRevision"), ("", "Pod")];

/// Reads objects by name, where their kinds are served.
fn take_by_name(session: &Session, explored: &mut ExploredCluster, keys: BTreeSet<ObjectKey>, traces: TraceRequest) {
    let want = KindRequest::all(BodyShape::Conditions).with_traces(traces);
    let wanted = keys.into_iter().filter_map(|key| {
        let kind = session.kind(&key.group, &key.kind)?;
        Some(WantedObject { kind: Arc::clone(kind), want, key })
    });
    explored.take(session.fetch(wanted.collect()));
}

/// Reads the revisions and Pods of the workloads in a tree: those of their namespaces.
fn take_parts_of_workloads(session: &Session, root: &ObjectKey, explored: &mut ExploredCluster, traces: TraceRequest) {
    let tree = objects_of_tree(&graph(&explored.state, &explored.absent, &[]), root);
    let is_workload = |key: &&ObjectKey| {
        key.group == "apps" && matches!(key.kind.as_str(), "Deployment" | "StatefulSet" | "DaemonSet")
    };
    let namespaces: BTreeSet<String> =
        tree.iter().filter(is_workload).filter_map(|key| key.namespace.clone()).collect();
    for namespace in namespaces {
        for (group, name) in PARTS {
            let kind = session.kind(group, name);
            let want = KindRequest::all(BodyShape::Conditions).with_traces(traces);
            explored.take(match kind {
                // One namespace does not show if others have such objects.
                Some(kind) => FetchedObjects { kinds: Vec::new(), ..session.listed_in(Some(&namespace), kind, want) },
                None => FetchedObjects::default(),
            });
        }
    }
}

/// Reads the objects that failures mention, the workloads behind Services that were called, and the nodes of Pods.
fn take_obstacles(session: &Session, explored: &mut ExploredCluster, tree: &BTreeSet<ObjectKey>, traces: TraceRequest) {
    let want = KindRequest::all(BodyShape::Conditions).with_traces(traces);
    let ObstacleRequest { lists, objects } = history::obstacles_to_read(&explored.state, tree);
    for (group, name, namespace) in lists {
        let Some(kind) = session.kind(group, name) else { continue };
        let listed = session.listed_in(namespace.as_deref(), kind, want);
        explored.take(FetchedObjects { kinds: Vec::new(), ..listed });
    }
    take_by_name(session, explored, objects, traces);
    for namespace in history::namespaces_of_servers(&explored.state, tree) {
        for (group, name) in history::SERVERS {
            let Some(kind) = session.kind(group, name) else { continue };
            let listed = session.listed_in(Some(&namespace), kind, want);
            explored.take(FetchedObjects { kinds: Vec::new(), ..listed });
        }
    }
}

/// Returns a gap for the changes of an audit log that are not shown.
fn unnamed_changes(audited: &AuditedChanges, from: Timestamp, to: Timestamp) -> Option<HistoryGap> {
    let changes: Vec<String> = audited.unnamed.iter().map(|(change, count)| format!("{count} {change}")).collect();
    let listed = join_limited(&changes, 5);
    let reason = format!("the audit log has changes of kinds that were not read, or without a name: {listed}");
    (!changes.is_empty()).then_some(HistoryGap { from, to, reason })
}

/// Returns the gap of a deletion in an audit log.
fn unread_deletion(UnreadDeletion { time, object, by }: UnreadDeletion) -> HistoryGap {
    let reason = format!("the audit log has the deletion of {object} by {by}, whose kind was not read");
    HistoryGap { from: time, to: time, reason }
}

/// Returns the context with every night of directories of nightly snapshots.
///
/// # Errors
/// Fails when a directory cannot be read.
pub(super) fn with_every_night(context: &Context) -> Result<Context> {
    let mut context = context.clone();
    let connection = &mut context.globals.connection;
    let named = match connection.sources.from.as_slice() {
        [] => connection.from.iter().cloned().collect(),
        several => several.to_vec(),
    };
    let mut sources = Vec::new();
    for path in &named {
        let nights = nights::night_files(path)
            .map_err(|error| Error::failed(format!("cannot read the snapshots in {}: {error}", path.display())))?;
        match nights.is_empty() {
            true => sources.push(path.clone()),
            false => sources.extend(nights),
        }
    }
    connection.from = None;
    // The newest one is usually last. If it is read first, the states of the others need not be kept.
    sources.reverse();
    connection.sources.from = sources;
    connection.settle();
    context.traces = context.has_several_sources().then(Arc::default);
    Ok(context)
}

/// Returns the graph of a state.
pub(super) fn graph<'state>(
    state: &'state ClusterState,
    absent: &BTreeSet<ObjectKey>,
    obstacles: &[Link],
) -> Graph<'state> {
    let more = [&links::secret_links(state), obstacles].concat();
    Graph::from_state(state, engine::links, &more, absent)
}

/// Returns the objects of the tree of an object.
pub(super) fn objects_of_tree(graph: &Graph<'_>, root: &ObjectKey) -> BTreeSet<ObjectKey> {
    let Some(root) = graph.find(root) else { return BTreeSet::new() };
    GraphWalk::from(graph, root, WalkDirection::Both, usize::MAX).objects(graph)
}
