//! Evaluates if objects have reached a goal, are on their way to it, or will not reach it without intervention.

pub mod goal;
pub mod hopeless;
pub mod survey;
pub mod targets;

use crate::engine::course::{Applied, Course, Failure};
use crate::model::resource::Resource;
use crate::model::verdict::Verdict;

pub use goal::Goal;
pub use hopeless::Hopeless;
pub use survey::{Item, Survey};
pub use targets::{Named, Targets};

/// The goal of a wait.
#[derive(Debug, Clone)]
pub struct Wish {
    /// The state that the objects should reach.
    pub goal: Goal,
    /// The commit, tag or chart version that must be deployed.
    pub revision: Option<String>,
}

/// The prospect of reaching a goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outlook {
    /// The goal will not be reached without intervention.
    Hopeless,
    /// The goal may be reached later.
    Open,
    /// The goal is reached.
    Reached,
}

/// The phase of a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// The wait has just started: controllers may not have observed a preceding change yet.
    Fresh,
    /// Controllers have had time to observe a preceding change.
    Settled,
}

/// An existing object and its state.
#[derive(Debug, Clone, Copy)]
pub struct Sight<'a> {
    /// The object.
    pub resource: &'a Resource,
    /// Its verdict.
    pub verdict: Verdict,
    /// The reason for the verdict.
    pub message: Option<&'a str>,
    /// Its progress.
    pub course: &'a Course,
    /// The required revision.
    pub revision: Option<&'a str>,
    /// The phase of the wait.
    pub patience: Patience,
}

/// An outlook, and the reason if the goal is not reached.
pub type Answer = (Outlook, Option<String>);

/// Evaluates an object for a goal.
pub fn look(goal: Goal, sight: &Sight<'_>) -> Answer {
    match goal {
        Goal::Gone => gone(sight),
        Goal::Ok | Goal::Verdict(Verdict::Ok) => {
            if sight.verdict != Verdict::Ok {
                return short_of(goal, sight);
            }
            unfinished(sight).map_or((Outlook::Reached, None), |why| (Outlook::Open, Some(why)))
        }
        Goal::Synced => {
            if sight.course.applied == Applied::No || is_deleted(sight) {
                return short_of(goal, sight);
            }
            unfinished(sight).map_or((Outlook::Reached, None), |why| (Outlook::Open, Some(why)))
        }
        Goal::Verdict(wanted) if sight.verdict == wanted => match &sight.course.outdated {
            Some(why) => (Outlook::Open, Some(why.clone())),
            None => (Outlook::Reached, sight.message.map(str::to_owned)),
        },
        Goal::Verdict(_) => short_of(goal, sight),
    }
}

fn is_deleted(sight: &Sight<'_>) -> bool {
    sight.resource.metadata.deletion_timestamp.is_some()
}

/// Returns true for verdicts that do not improve by waiting.
const fn is_final(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Failed | Verdict::NeedsHuman | Verdict::Paused)
}

fn gone(sight: &Sight<'_>) -> Answer {
    let message = sight.message.map(str::to_owned);
    if !is_deleted(sight) {
        return (Outlook::Open, Some("nobody has deleted it".to_owned()));
    }
    let is_over = is_final(sight.verdict) && sight.course.failure != Failure::Passing;
    let message = message.map(|message| match sight.resource.metadata.finalizers.as_slice() {
        [] => message,
        finalizers if finalizers.iter().any(|name| message.contains(name.as_str())) => message,
        _ => format!("{message}; {}", sight.resource.metadata.held_by()),
    });
    (if is_over { Outlook::Hopeless } else { Outlook::Open }, message)
}

/// Returns the reason why a healthy object has not reached the goal.
fn unfinished(sight: &Sight<'_>) -> Option<String> {
    let Course { outdated, under_way, .. } = sight.course;
    outdated.clone().or_else(|| under_way.clone()).or_else(|| of_another_revision(sight))
}

fn of_another_revision(sight: &Sight<'_>) -> Option<String> {
    let (asked, revisions) = (sight.revision?, sight.course.revisions.as_ref()?);
    (!revisions.has(asked)).then(|| match revisions.applied.as_slice() {
        [] => format!("revision {asked} is not deployed yet"),
        applied => format!("it is at {}, not at {asked}", applied.join(", ")),
    })
}

/// Evaluates an object short of the goal: it is on its way, unless it has failed with the requested change.
fn short_of(goal: Goal, sight: &Sight<'_>) -> Answer {
    let Course { outdated, failure, revisions, .. } = sight.course;
    let message = sight.message.map(str::to_owned);
    let open = |why: &str| {
        let message = message.as_ref().map_or_else(|| why.to_owned(), |message| format!("{why}; before: {message}"));
        (Outlook::Open, Some(message))
    };
    if !is_final(sight.verdict) {
        return (Outlook::Open, message.or_else(|| unfinished(sight)));
    }
    if sight.verdict == Verdict::Paused {
        return (Outlook::Hopeless, message);
    }
    if let Some(why) = outdated {
        return open(why);
    }
    let is_of_asked = match (sight.revision, revisions) {
        (Some(asked), Some(revisions)) => revisions.tried(asked),
        _ => true,
    };
    if !is_of_asked {
        return open(&of_another_revision(sight).unwrap_or_default());
    }
    match failure {
        Failure::Passing => (Outlook::Open, message),
        Failure::OfHealth if goal == Goal::Synced => (Outlook::Open, message),
        Failure::Undated if sight.patience == Patience::Fresh => {
            open("it was changed, and nothing says whether its failure is older")
        }
        _ => (Outlook::Hopeless, message),
    }
}

#[cfg(test)]
mod tests;
