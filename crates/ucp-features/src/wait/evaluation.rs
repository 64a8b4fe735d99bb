//! Evaluation of one object: whether it has reached a goal.

use super::criteria::{ObservedTarget, WaitOutlook, WaitPhase};
use super::goal::WaitGoal;
use ucp_core::engine::course::{ApplyState, FailureKind, ObjectProgress};
use ucp_core::engine::recovery::{Recovery, RecoveryEvidence, evidence_after_patience, lasting_evidence};
use ucp_core::model::verdict::Verdict;

/// An outlook, and the reason if the goal is not reached.
pub(super) type OutlookWithReason = (WaitOutlook, Option<String>);

/// Evaluates an object for a goal.
pub(super) fn evaluate(goal: WaitGoal, sight: &ObservedTarget<'_>) -> OutlookWithReason {
    match goal {
        WaitGoal::Gone => evaluate_gone(sight),
        WaitGoal::Ok | WaitGoal::Verdict(Verdict::Ok) => {
            if sight.verdict != Verdict::Ok {
                return evaluate_short_of_goal(goal, sight);
            }
            unfinished_reason(sight).map_or((WaitOutlook::Reached, None), |why| (WaitOutlook::Open, Some(why)))
        }
        WaitGoal::Synced => {
            if sight.course.applied == ApplyState::No || is_deleted(sight) {
                return evaluate_short_of_goal(goal, sight);
            }
            unfinished_reason(sight).map_or((WaitOutlook::Reached, None), |why| (WaitOutlook::Open, Some(why)))
        }
        WaitGoal::Verdict(wanted) if sight.verdict == wanted => match &sight.course.outdated {
            Some(why) => (WaitOutlook::Open, Some(why.clone())),
            None => (WaitOutlook::Reached, sight.message.map(str::to_owned)),
        },
        WaitGoal::Verdict(_) => evaluate_short_of_goal(goal, sight),
    }
}

pub(super) fn is_deleted(sight: &ObservedTarget<'_>) -> bool {
    sight.resource.metadata.deletion_timestamp.is_some()
}

/// Returns true for verdicts that do not improve by waiting.
pub(super) const fn is_final(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Failed | Verdict::NeedsHuman | Verdict::Paused)
}

pub(super) fn evaluate_gone(sight: &ObservedTarget<'_>) -> OutlookWithReason {
    let message = sight.message.map(str::to_owned);
    if !is_deleted(sight) {
        return (WaitOutlook::Open, Some("it has not been deleted".to_owned()));
    }
    let is_lasting = sight.verdict != Verdict::Failed || message.as_deref().and_then(lasting_evidence).is_some();
    let is_over = is_final(sight.verdict) && sight.course.failure != FailureKind::Passing && is_lasting;
    let message = message.map(|message| match sight.resource.metadata.finalizers.as_slice() {
        [] => message,
        finalizers if finalizers.iter().any(|name| message.contains(name.as_str())) => message,
        _ => format!("{message}; {}", sight.resource.metadata.describe_finalizers()),
    });
    (if is_over { WaitOutlook::Hopeless } else { WaitOutlook::Open }, message)
}

/// Returns the reason why a healthy object has not reached the goal.
pub(super) fn unfinished_reason(sight: &ObservedTarget<'_>) -> Option<String> {
    let ObjectProgress { outdated, under_way, .. } = sight.course;
    outdated.clone().or_else(|| under_way.clone()).or_else(|| revision_mismatch(sight))
}

pub(super) fn revision_mismatch(sight: &ObservedTarget<'_>) -> Option<String> {
    let (asked, revisions) = (sight.revision?, sight.course.revisions.as_ref()?);
    (!revisions.has(asked)).then(|| match revisions.applied.as_slice() {
        [] => format!("revision {asked} is not deployed yet"),
        applied => format!("it is at {}, not at {asked}", applied.join(", ")),
    })
}

/// Evaluates an object short of the goal: it is on its way, unless it has failed with the requested change.
pub(super) fn evaluate_short_of_goal(goal: WaitGoal, sight: &ObservedTarget<'_>) -> OutlookWithReason {
    let ObjectProgress { outdated, failure, revisions, .. } = sight.course;
    let message = sight.message.map(str::to_owned);
    let open = |why: &str| {
        let message = message.as_ref().map_or_else(|| why.to_owned(), |message| format!("{why}; before: {message}"));
        (WaitOutlook::Open, Some(message))
    };
    if !is_final(sight.verdict) {
        return (WaitOutlook::Open, message.or_else(|| unfinished_reason(sight)));
    }
    if sight.verdict == Verdict::Paused {
        return (WaitOutlook::Hopeless, message);
    }
    if let Some(why) = outdated {
        return open(why);
    }
    let is_of_asked = match (sight.revision, revisions) {
        (Some(asked), Some(revisions)) => revisions.tried(asked),
        _ => true,
    };
    if !is_of_asked {
        return open(&revision_mismatch(sight).unwrap_or_default());
    }
    match failure {
        FailureKind::Passing => (WaitOutlook::Open, message),
        FailureKind::OfHealth if goal == WaitGoal::Synced => (WaitOutlook::Open, message),
        FailureKind::Undated if sight.patience == WaitPhase::Fresh => {
            open("it was changed, and it is unknown whether its failure is older")
        }
        FailureKind::GivenUp => (WaitOutlook::Hopeless, message),
        _ if sight.verdict == Verdict::NeedsHuman => (WaitOutlook::Hopeless, message),
        _ => match message.as_deref().and_then(evidence_after_patience) {
            Some(evidence) => (WaitOutlook::Hopeless, message.as_deref().map(|message| quote(message, &evidence))),
            None => (WaitOutlook::Open, message),
        },
    }
}

/// Returns a message with the sentence that says that waiting does not help.
pub(super) fn quote(message: &str, evidence: &RecoveryEvidence<'_>) -> String {
    let needs = match evidence.recovery {
        Recovery::Human => "manual action is required",
        _ => "the declaration must be changed",
    };
    match evidence.sentence == message.trim() {
        true => format!("{needs}: {message}"),
        false => format!("{message} ({needs}: '{}')", evidence.sentence),
    }
}
