//! Reads a timeline: from a live cluster, a snapshot, or several snapshots of one cluster.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;

use super::fetch::{graph, objects_of_tree, take_by_name, take_obstacles, take_parts_of_workloads};
use super::{Args, audit};
use crate::cli::Context;
use crate::cli::naming::NamedObject;
use crate::cli::sought::SearchResult;
use crate::cli::tree::{ExploredCluster, TreeReading, find_in_snapshot, read_snapshot, read_tree};
use crate::report::history_moment::FindingsAt;
use crate::report::sources::{DocumentSource, DocumentSources, SourceResult};
use ucp_client::source::live::session::Session;
use ucp_client::source::snapshot::nights;
use ucp_core::engine;
use ucp_core::error::{Error, Result};
use ucp_core::graph::Graph;
use ucp_core::graph::link::Link;
use ucp_core::model::body::{BodyShape, KindRequest};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::ObjectKey;
use ucp_core::model::state::{ClusterState, Origin};
use ucp_core::model::trace::{DeclarationKeeping, TraceRequest};
use ucp_features::history::{
    self, HistoryGap, MissingObjects, Occurrence, RepeatedObjects, SnapshotPoint, UnreconciledObject,
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
    /// The present problem of the object whose failure is explained.
    problem: Option<Occurrence>,
}

/// A state, and the object whose tree it is.
pub(super) struct RootedState {
    pub(super) state: ClusterState,
    /// Objects that were requested and do not exist.
    pub(super) absent: BTreeSet<ObjectKey>,
    /// Objects that failures report as not found.
    pub(super) missing: BTreeSet<ObjectKey>,
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
            let is_alone = declaration == DeclarationKeeping::Dropped && !args.needs_everything();
            let since = if is_alone { args.beginning(rooted.state.moment) } else { Timestamp::MIN };
            let mut part = StatePart::from_state(&rooted.state, args, (since, declaration));
            let missing = match rooted.root {
                Some(_) => MissingObjects::find(&rooted.state, &rooted.absent, &part.occurrences),
                None => MissingObjects::default(),
            };
            rooted.missing = missing.keys();
            let problem = |root| history::present_problem(&rooted.state, root, &args.patience.clock(&rooted.state));
            part.problem = rooted.root.as_ref().filter(|_| args.cause.is_some()).and_then(problem);
            let unreconciled = UnreconciledObject::find_all(&rooted.state);
            let failures: Vec<Occurrence> =
                unreconciled.iter().filter_map(|one| one.failure(&part.occurrences)).collect();
            part.occurrences.extend(missing.occurrences.into_iter().chain(failures));
            part.occurrences.sort_by_key(|occurrence| occurrence.time);
            let is_outdated =
                |newest: &Option<RootedState>| newest.as_ref().is_some_and(|known| known.rank() > rooted.rank());
            if is_outdated(&newest.lock().unwrap_or_else(PoisonError::into_inner)) {
                return Ok(part);
            }
            rooted.obstacles = history::obstacle_links(&rooted.state);
            rooted.needs = history::need_links(&rooted.state, &rooted.absent);
            rooted.needs.extend(missing.links);
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
        let named: BTreeSet<ObjectKey> = newest.absent.union(&newest.missing).cloned().collect();
        let timeline = Self::from_parts(read, &newest.state, args, &named)?;
        Ok((newest, timeline))
    }

    /// Builds the timeline of states; `newest` is the last one, or the last one with the named object. `named` are objects that do not
    /// exist.
    ///
    /// # Errors
    /// Fails when the audit log cannot be read.
    pub(super) fn from_parts(
        mut read: Vec<(Arc<Origin>, StatePart)>,
        newest: &ClusterState,
        args: &Args,
        named: &BTreeSet<ObjectKey>,
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
        let mut problem = None;
        for (_, part) in read {
            problem = part.problem;
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
            gaps.extend(pair.and_then(|(before, after)| history::unread_since(before, after)));
            differences.extend(pair.map(|(before, after)| history::differences(before, after)).unwrap_or_default());
            before = part.point;
        }
        let mut occurrences = if is_alone { occurrences } else { history::without_duplicates(occurrences) };
        if let Some(path) = &args.audit {
            let since = if args.needs_everything() { Timestamp::MIN } else { from };
            let audited = audit::read(path, &newest.kinds, named, since)?;
            gaps.extend(audit::gaps(&audited, from, to));
            history::add_audited(&mut occurrences, audited.changes);
        }
        history::add_differences(&mut occurrences, differences);
        history::without_known_deletions(&mut occurrences);
        history::add_problem(&mut occurrences, problem);
        Ok(Self { sources, from, to, occurrences, gaps, findings })
    }
}

impl RootedState {
    /// Returns the graph of the state.
    pub(super) fn graph(&self) -> Graph<'_> {
        graph(&self.state, &self.absent, &[self.obstacles.as_slice(), &self.needs].concat())
    }

    fn new(ExploredCluster { state, absent }: ExploredCluster, root: Option<ObjectKey>) -> Self {
        let (missing, obstacles, needs) = (BTreeSet::new(), Vec::new(), Vec::new());
        Self { state, absent, missing, root, absence: None, obstacles, needs }
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
            return Self { moment: state.moment, point: None, occurrences, gaps, findings: None, problem: None };
        }
        let assessment = engine::assess(state, &args.patience.clock(state));
        Self {
            moment: state.moment,
            point: is_compared.then(|| SnapshotPoint::from_state(state, &assessment)),
            occurrences,
            gaps,
            findings: args.at.is_some().then(|| FindingsAt::from_assessment(state, &assessment)),
            problem: None,
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
        (None, None) if !args.needs_everything() => args.beginning(Timestamp::now()),
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
        let absent = history::absent_needs(&state);
        let explored = ExploredCluster { state, absent };
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
