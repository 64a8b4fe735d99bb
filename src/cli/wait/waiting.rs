//! Waits until objects have reached a goal, or will not.

use std::time::{Duration, Instant};

use super::aim::WaitAim;
use super::following::WaitReader;
use super::look::WaitLook;
use super::progress::WaitDisplay;
use super::request::{WaitHooks, WaitPersistence, WaitRequest};
use super::timeout::Deadline;
use crate::cli::Context;
use crate::report::wait::{WaitOutcome, WaitResult};
use ucp_client::source::live::follow::AddOutcome;
use ucp_core::error::Result;
use ucp_core::model::grounds::{Grounded, GroundsEvidence, Ungrounded};
use ucp_core::model::state::{ClusterState, Unreadable};
use ucp_features::wait::survey::SeenObjects;
use ucp_features::wait::{HopelessTimes, WaitGoal, WaitOutlook, WaitTargets};

/// The result of a wait.
pub(in crate::cli) struct FinishedWait {
    pub(in crate::cli) result: WaitResult,
    /// Objects that have to be read, and may not be.
    pub(in crate::cli) denied: Vec<Unreadable>,
}

/// Waits for the targets. Returns `None` if the server did not respond in time.
pub(in crate::cli) fn wait_for(
    context: &Context,
    request: &WaitRequest<'_>,
    meanwhile: &mut dyn WaitHooks,
) -> Result<Option<FinishedWait>> {
    let (targets, wish) = (request.targets, request.wish);
    let deadline = Deadline::after(request.timeout);
    let mut waiting = WaitDisplay::start(context, WaitAim::Objects(wish.goal));
    let Some(mut reader) = WaitReader::open(&context.globals.connection, targets, wish, deadline)? else {
        return Ok(None);
    };
    let mut seen = SeenObjects::new();
    let mut hopeless = HopelessTimes::default();
    loop {
        meanwhile.before_look(&reader)?;
        let added = reader.add_targets();
        let mut state = reader.state();
        let has_hidden_groups = reader.report_hidden_groups(&mut state);
        let looked = WaitLook::at(&state, &reader, request, &mut seen, deadline.patience());
        let added = added.and(reader.add_objects(&looked.survey.unread));
        // There is no conclusion before everything needed was read.
        if added == AddOutcome::Something {
            continue;
        }
        let mut denied = looked.denied(&state, &reader, targets);
        let outlook = looked.survey.outlook(wish.goal);
        let is_reached = outlook == WaitOutlook::Reached && added == AddOutcome::Nothing;
        if is_reached {
            if wish.goal != WaitGoal::Gone {
                denied.extend(looked.missing_settings(&state, &reader));
            }
            denied.extend(reader.hidden_targets(context, wish.goal)?);
        }
        let contradictions = match is_reached && wish.goal == WaitGoal::Gone {
            true => reader.contradictions(&looked.survey, &seen),
            false => Vec::new(),
        };
        let is_contradicted = !contradictions.is_empty();
        // Otherwise, the lists may still be on their way to what the server returns by name.
        if is_contradicted && deadline.is_over() {
            denied.extend(contradictions);
        }
        let without_hope = looked.survey.items.iter().filter(|item| item.outlook == WaitOutlook::Hopeless);
        let now = Instant::now();
        hopeless.record(without_hope.map(|item| &item.object).filter(|object| !meanwhile.excuses(object)), now);
        let is_hopeless = hopeless.longest_hopeless(now).is_some_and(|longest| request.persistence.is_over(longest));
        let gives_up = request.persistence != WaitPersistence::Always;
        let reached =
            (is_reached && !has_hidden_groups && !is_contradicted).then(|| reached(&state, targets).ok()).flatten();
        let end = match outlook {
            WaitOutlook::Reached if is_reached && !denied.is_empty() => Some(WaitOutcome::Unreadable),
            WaitOutlook::Reached if reached.is_some() => reached.map(Grounded::into_value),
            WaitOutlook::Hopeless if is_hopeless => Some(WaitOutcome::Failed),
            _ if !denied.is_empty() && !targets.named.is_empty() && gives_up => Some(WaitOutcome::Unreadable),
            _ if deadline.is_over() || added == AddOutcome::TooLate => Some(WaitOutcome::Timeout),
            _ => None,
        };
        if let Some(outcome) = end {
            drop(waiting);
            let mut result = looked.result(&state, wish, outcome);
            let unnamed = denied.iter().filter(|entry| !state.unreadable.contains(entry));
            result.unreadable.extend(unnamed.cloned());
            return Ok(Some(FinishedWait { result, denied }));
        }
        waiting.show(&looked.survey, deadline);
        let longest = if matches!(request.persistence, WaitPersistence::For(_)) { ATTENTIVE } else { Duration::MAX };
        reader.wait_for_change(&mut waiting, &looked.survey, deadline, longest);
    }
}

/// Returns the outcome that the goal is reached, if every list that is followed was read: objects of an unread one may not have
/// reached the goal.
fn reached(
    state: &ClusterState,
    targets: &WaitTargets,
) -> std::result::Result<Grounded<WaitOutcome>, Ungrounded<WaitOutcome>> {
    let mut evidence = GroundsEvidence::new();
    evidence.require_kinds(state, state.kinds.iter().map(AsRef::as_ref));
    // Named objects are listed by their names.
    for named in &targets.named {
        evidence.add_list(format!("{}/{}", named.kind, named.name));
    }
    evidence.establish(WaitOutcome::Reached)
}

/// Interval between looks while other work is done.
const ATTENTIVE: Duration = Duration::from_secs(2);
