//! `history --watch`: prints the history, and then each new occurrence.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::read::{StatePart, Timeline, graph};
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
use ucp_features::history::want;

/// The identity of a printed occurrence. A repetition is not printed again.
type PrintedItem = (Timestamp, ObjectName, String);

/// Prints the history of the control plane, and then each new occurrence, until it is interrupted; on a terminal, on a page of
/// its own.
pub(super) fn watch(context: &Context, args: &Args, zone: &TimeZone) -> Result<Outcome> {
    if !matches!(context.globals.output.output, OutputFormat::Table | OutputFormat::Wide) {
        return Err(Error::usage("--watch appends lines: it does not support this output format"));
    }
    context.needs_one_source("--watch")?;
    let since = args.beginning(Timestamp::now());
    let traces = TraceRequest { since, declaration: DeclarationKeeping::Dropped };
    let want = move |kind: &ResourceKind| want(kind, traces);
    let report = |state: &ClusterState| {
        let part = StatePart::from_state(state, args, (args.beginning(state.moment), DeclarationKeeping::Dropped));
        let timeline = Timeline::from_parts(vec![(Arc::new(state.origin.clone()), part)], state, args)?;
        let graph = graph(state, &BTreeSet::new(), &[]);
        let end = TimelineEnd { state, graph: &graph, root: None, obstacles: BTreeSet::new() };
        build(context, end, timeline, args, zone.clone())
    };
    if context.ui.has_full_screen() {
        show_live_text(context, &want, |state| match report(state) {
            Ok(history) => rendered(context, Arc::new(history)),
            Err(error) => Arc::new(move |_| error.report()),
        })?;
        return Ok(Outcome::Clean);
    }
    let mut printed: BTreeSet<PrintedItem> = BTreeSet::new();
    let mut is_first = true;
    context.follow_state(&want, |_, state| {
        let history = report(state)?;
        let identity = |item: &HistoryItem| (item.time, item.object.clone(), item.what.clone());
        let text = match is_first {
            true => history.table(&context.style()),
            false => history.lines(|item| !printed.contains(&identity(item)), &context.style()),
        };
        is_first = false;
        printed.extend(history.items.iter().map(identity));
        if text.is_empty() { Ok(()) } else { context.ui.data(&text) }
    })?;
    Ok(Outcome::Clean)
}
