//! `history --watch`: prints the history, and then each new occurrence.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::fetch::graph;
use super::read::{StatePart, Timeline};
use super::{Args, TimelineEnd, build};
use crate::cli::Context;
use crate::cli::live::{rendered, show_live_text};
use crate::render::{OutputFormat, Report as _};
use crate::report::history::HistoryItem;
use ucp_core::error::{Error, Outcome, Result};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::ObjectName;
use ucp_core::model::state::ClusterState;
use ucp_core::model::trace::{DeclarationKeeping, TraceRequest};
use ucp_features::history::{CauseFacts, FollowedObjects, GroupedObjects, want};

/// The identity of a printed occurrence.
type PrintedItem = (Timestamp, ObjectName, String);

/// Prints the history of the control plane, and then each new occurrence, until it is interrupted; on a terminal, on a page of
/// its own.
pub(super) fn watch(context: &Context, args: &Args, zone: &TimeZone) -> Result<Outcome> {
    if !matches!(context.globals.output.output, OutputFormat::Table | OutputFormat::Wide) {
        return Err(Error::usage("--watch appends lines: it does not support this output format"));
    }
    context.needs_one_source("--watch")?;
    // The beginning stays: what leaves the period would change the groups of occurrences, which would be printed again.
    let since = args.beginning(Timestamp::now());
    let traces = TraceRequest { since, declaration: DeclarationKeeping::Dropped };
    let want = move |kind: &ResourceKind| want(kind, traces);
    let followed = Mutex::new(FollowedObjects::default());
    let report = |state: &ClusterState, groups: GroupedObjects| {
        let part = StatePart::from_state(state, args, (since, DeclarationKeeping::Dropped));
        let mut timeline =
            Timeline::from_parts(vec![(Arc::new(state.origin.clone()), part)], state, args, &BTreeSet::new())?;
        timeline.from = since;
        let mut followed = followed.lock().unwrap_or_else(PoisonError::into_inner);
        timeline.occurrences.extend_from_slice(followed.observe(state));
        timeline.occurrences.sort_by_key(|occurrence| occurrence.time);
        let graph = graph(state, &BTreeSet::new(), &[]);
        let end = TimelineEnd { state, graph: &graph, root: None, facts: CauseFacts::default(), groups };
        build(context, end, timeline, args, zone.clone())
    };
    if context.ui.has_full_screen() {
        show_live_text(context, &want, |state| match report(state, GroupedObjects::Several) {
            Ok(history) => rendered(context, Arc::new(history)),
            Err(error) => Arc::new(move |_| error.report()),
        })?;
        return Ok(Outcome::Clean);
    }
    let mut printed: BTreeSet<PrintedItem> = BTreeSet::new();
    let mut day = None;
    context.follow_state(&want, |_, state| {
        // A line that is appended is about one object: it may be the second one of a group.
        let history = report(state, GroupedObjects::One)?;
        let text = match &mut day {
            None => report(state, GroupedObjects::Several)?.table(&context.style()),
            Some(day) => {
                let is_new = |item: &HistoryItem| !identities(item).any(|identity| printed.contains(&identity));
                history.lines(is_new, day, &context.style())
            }
        };
        day.get_or_insert_with(|| history.last_day());
        printed.extend(history.items.iter().flat_map(identities));
        if text.is_empty() { Ok(()) } else { context.ui.data(&text) }
    })?;
    Ok(Outcome::Clean)
}

/// Returns the identities of an occurrence: at its time, and at that of its last repetition. When an older Event of a group expires,
/// the group begins later.
fn identities(item: &HistoryItem) -> impl Iterator<Item = PrintedItem> + '_ {
    std::iter::once(item.time).chain(item.until).map(|time| (time, item.object.clone(), item.what.clone()))
}
