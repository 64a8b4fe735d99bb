//! Evaluates if objects have reached a goal, are on their way to it, or will not reach it without intervention.

pub mod goal;
pub mod hopeless;
pub mod survey;
pub mod targets;

use ucp_core::engine::course::{ApplyState, FailureKind, ObjectProgress};
use ucp_core::engine::recovery::{Recovery, RecoveryEvidence, evidence_after_patience, lasting_evidence};
use ucp_core::model::resource::Resource;
use ucp_core::model::verdict::Verdict;

pub use goal::WaitGoal;
pub use hopeless::HopelessTimes;
pub use survey::{WaitSurvey, WaitedObject};
pub use targets::{NamedTarget, WaitTargets};

/// The goal of a wait.
#[derive(Debug, Clone)]
pub struct WaitCriteria {
    /// The state that the objects should reach.
    pub goal: WaitGoal,
    /// The commit, tag or chart version that must be deployed.
    pub revision: Option<String>,
}

/// The prospect of reaching a goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WaitOutlook {
    /// The goal will not be reached without intervention.
    Hopeless,
    /// The goal may be reached later.
    Open,
    /// The goal is reached.
    Reached,
}

/// The phase of a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitPhase {
    /// The wait has just started: controllers may not have observed a preceding change yet.
    Fresh,
    /// Controllers have had time to observe a preceding change.
    Settled,
}

/// An existing object and its state.
#[derive(Debug, Clone, Copy)]
pub struct ObservedTarget<'a> {
    /// The object.
    pub resource: &'a Resource,
    /// Its verdict.
    pub verdict: Verdict,
    /// The reason for the verdict.
    pub message: Option<&'a str>,
    /// Its progress.
    pub course: &'a ObjectProgress,
    /// The required revision.
    pub revision: Option<&'a str>,
    /// The phase of the wait.
    pub patience: WaitPhase,
}

/// An outlook, and the reason if the goal is not reached.
pub type OutlookWithReason = (WaitOutlook, Option<String>);

/// Evaluates an object for a goal.
pub fn evaluate(goal: WaitGoal, sight: &ObservedTarget<'_>) -> OutlookWithReason {
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

fn is_deleted(sight: &ObservedTarget<'_>) -> bool {
    sight.resource.metadata.deletion_timestamp.is_some()
}

/// Returns true for verdicts that do not improve by waiting.
const fn is_final(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Failed | Verdict::NeedsHuman | Verdict::Paused)
}

fn evaluate_gone(sight: &ObservedTarget<'_>) -> OutlookWithReason {
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
fn unfinished_reason(sight: &ObservedTarget<'_>) -> Option<String> {
    let ObjectProgress { outdated, under_way, .. } = sight.course;
    outdated.clone().or_else(|| under_way.clone()).or_else(|| revision_mismatch(sight))
}

fn revision_mismatch(sight: &ObservedTarget<'_>) -> Option<String> {
    let (asked, revisions) = (sight.revision?, sight.course.revisions.as_ref()?);
    (!revisions.has(asked)).then(|| match revisions.applied.as_slice() {
        [] => format!("revision {asked} is not deployed yet"),
        applied => format!("it is at {}, not at {asked}", applied.join(", ")),
    })
}

/// Evaluates an object short of the goal: it is on its way, unless it has failed with the requested change.
fn evaluate_short_of_goal(goal: WaitGoal, sight: &ObservedTarget<'_>) -> OutlookWithReason {
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
fn quote(message: &str, evidence: &RecoveryEvidence<'_>) -> String {
    let needs = match evidence.recovery {
        Recovery::Human => "manual action is required",
        _ => "the declaration must be changed",
    };
    match evidence.sentence == message.trim() {
        true => format!("{needs}: {message}"),
        false => format!("{message} ({needs}: '{}')", evidence.sentence),
    }
}

#[cfg(test)]
mod tests;
