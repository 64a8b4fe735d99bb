//! The source hydrator of an Application. Its phases are a closed set.

use super::findings::Findings;
use crate::engine::code::Code;
use crate::engine::judgement::{AssessmentClock, Problem};
use crate::model::body::argocd::{Application, HydrateOperation, HydratorSettings};
use crate::model::resource::Resource;
use crate::model::verdict::Verdict;

/// Adds what the last operation of the source hydrator reports.
pub(super) fn check(resource: &Resource, application: &Application, clock: &AssessmentClock, found: &mut Findings) {
    let settings = application.spec.source_hydrator.as_ref();
    match &application.status.source_hydrator.current_operation {
        Some(operation) => check_operation(operation, settings, clock, found),
        None if settings.is_none() => {}
        None => {
            let created = resource.metadata.creation_timestamp;
            let message = "spec.sourceHydrator is set, and status.sourceHydrator is absent: nothing has been hydrated";
            match clock.is_overdue(created) {
                true => found.problems.push(Problem::new(Code::ApplicationStale, created, message)),
                false => found.doubt(Verdict::Progressing, created, message),
            }
        }
    }
}

fn check_operation(
    operation: &HydrateOperation,
    settings: Option<&HydratorSettings>,
    clock: &AssessmentClock,
    found: &mut Findings,
) {
    let (started, said) = (operation.started_at, operation.message.trim());
    let ended = operation.finished_at.or(started);
    match operation.phase.as_str() {
        "Hydrated" => {
            let used = &operation.source_hydrator;
            let is_changed = settings.is_some_and(|asked| asked != used) && *used != HydratorSettings::default();
            if is_changed {
                let message = "spec.sourceHydrator was changed and has not been hydrated yet";
                found.doubt(Verdict::Progressing, ended, message);
            }
        }
        "Hydrating" => {
            let message = match said {
                "" => "the source hydrator is running".to_owned(),
                said => format!("the source hydrator is running: {said}"),
            };
            match clock.is_overdue(started) {
                true => found.problems.push(Problem::new(Code::SyncRunning, started, message)),
                false => found.doubt(Verdict::Progressing, started, message),
            }
        }
        // Each attempt has a time of its own, so that the first one is not known.
        "Failed" => {
            let message = format!("the source hydrator failed: {said}");
            found.problems.push(Problem::new(Code::ApplicationError, ended, message));
        }
        other => {
            let message = format!("sourceHydrator.currentOperation.phase is '{other}', which is unknown");
            found.doubt(Verdict::Unknown, ended, message);
        }
    }
}
