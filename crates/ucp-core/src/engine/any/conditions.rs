//! Interprets the conditions of any controller. Follows the Kubernetes API conventions
//! (`sig-architecture/api-conventions.md`), kstatus, and Cluster API's severities.

use jiff::Timestamp;

use super::condition::{GenericCondition, GenericConditionStatus, is_good_word, polarity};
use super::condition_types::{
    has_only_known_words, is_about_later_deletion, is_change, is_of_success, names_beginning, names_first_step,
    names_one_activity, names_past_action,
};
use super::condition_verdicts::{
    verdict_for_bad, verdict_for_good, verdict_for_progress, verdict_for_unknown, verdict_for_unmet_aside,
};
use super::convention::meaning_of_running;
use super::sentences::{describes_failure, describes_progress};
use super::sign::{SignWeight, StatusSign};
use super::words::{WordMeaning, is_activity, is_left_out, meaning, tokens};
use crate::model::convention::{ConditionPolarity, Convention, RunningMeaning};
use crate::model::verdict::Verdict;

/// The context in which the status of an object is interpreted.
pub(super) struct StatusContext<'a> {
    pub(super) kind: &'a str,
    /// The convention of its kind.
    pub(super) convention: &'a Convention,
    /// Condition types that the CRD shows as printer columns.
    pub(super) columns: &'a [String],
    /// The generation of the object; `None` if its kind has no status subresource.
    pub(super) generation: Option<i64>,
    /// The time of the last write of the declaration.
    pub(super) declared: Option<Timestamp>,
    /// The time of the cluster state.
    pub(super) now: Timestamp,
}

/// The last words of condition types that summarize an object.
const DECIDING: [&str; 21] = [
    "ready",
    "available",
    "healthy",
    "synced",
    "succeeded",
    "success",
    "successful",
    "established",
    "programmed",
    "accepted",
    "complete",
    "completed",
    "reconciled",
    "valid",
    "admitted",
    "bound",
    "refs",
    "approved",
    "initialized",
    "installed",
    "deployed",
];

/// Interprets all conditions of an object.
pub(super) fn signs(conditions: &[GenericCondition<'_>], about: &StatusContext<'_>) -> Vec<StatusSign> {
    let rules = ConditionRules::read(conditions, about);
    conditions.iter().filter_map(|condition| rules.sign(condition)).collect()
}

/// The rules for the conditions of one object, which depend on the other conditions.
struct ConditionRules<'a> {
    about: &'a StatusContext<'a>,
    /// A condition that the CRD shows as a column, and that is not there.
    awaited: Option<&'a str>,
    /// Whether a condition that is True names more than a first step.
    is_beyond_steps: bool,
    /// Whether no condition describes the object as a whole.
    nobody_decides: bool,
    /// Whether a condition of one word is True. It summarizes conditions that have not been determined yet.
    is_summarized: bool,
    /// Whether other conditions report that a reconciliation was complete, and that none has failed.
    reports_results: bool,
}

impl<'a> ConditionRules<'a> {
    fn read(conditions: &[GenericCondition<'_>], about: &'a StatusContext<'a>) -> Self {
        let awaited = about.columns.iter().find(|shown| !conditions.iter().any(|condition| condition.is(shown)));
        let awaited = awaited.map(String::as_str);
        let rules = Self {
            about,
            awaited,
            is_beyond_steps: false,
            nobody_decides: false,
            is_summarized: false,
            reports_results: false,
        };
        let is_complete = |condition: &GenericCondition<'_>| {
            rules.polarity(condition) == Some(ConditionPolarity::Good)
                && condition.is_true()
                && !condition.has_bad_reason()
                && !names_first_step(condition.kind)
        };
        let is_beyond_steps = conditions.iter().any(is_complete);
        let deciding = || conditions.iter().filter(|condition| rules.decides(condition));
        let nobody_decides = deciding().next().is_none();
        let is_summarized = deciding().any(|condition| condition.is_true() && !condition.has_compound_type());
        let reports_results = conditions.iter().any(|condition| condition.is_true() && condition.names_result())
            && conditions.iter().any(GenericCondition::is_of_absent_failure);
        Self { is_beyond_steps, nobody_decides, is_summarized, reports_results, ..rules }
    }

    /// Returns the meaning of a type: from the table of conventions, or else from its name.
    fn polarity(&self, condition: &GenericCondition<'_>) -> Option<ConditionPolarity> {
        let convention = self.about.convention;
        let listed = || convention.decides(condition.kind).then_some(ConditionPolarity::Good);
        convention.polarity(condition.kind).or_else(listed).or_else(|| polarity(condition.kind))
    }

    /// Returns true if a condition describes the object as a whole.
    fn decides(&self, condition: &GenericCondition<'_>) -> bool {
        self.polarity(condition) == Some(ConditionPolarity::Good)
            && (self.about.convention.decides(condition.kind)
                || self.about.columns.iter().any(|shown| shown == condition.kind)
                || tokens(condition.kind).last().is_some_and(|last| DECIDING.contains(&last.as_str())))
    }

    /// Returns true if the table of conventions has the type or the reason of a condition.
    fn is_listed(&self, condition: &GenericCondition<'_>) -> bool {
        let convention = self.about.convention;
        convention.polarity(condition.kind).is_some()
            || convention.decides(condition.kind)
            || convention.reasons.verdict(condition.reason).is_some()
    }

    fn weight(&self, condition: &GenericCondition<'_>) -> SignWeight {
        match self.nobody_decides {
            true => SignWeight::Weak,
            false if self.decides(condition) => SignWeight::Deciding,
            false => SignWeight::Aside,
        }
    }

    fn sign(&self, condition: &GenericCondition<'_>) -> Option<StatusSign> {
        let is_of_part = self.is_summarized && !self.is_listed(condition) && condition.has_compound_type();
        if is_of_part && condition.is_of_unused_part()
            || is_about_later_deletion(condition.kind)
            || !self.nobody_decides && !self.is_listed(condition) && condition.is_of_feature_turned_off()
        {
            return None;
        }
        let (verdict, weight) = match is_of_part && condition.is_of_absent_part() {
            true => (Verdict::Unknown, SignWeight::Doubt),
            false => self.verdict(condition)?,
        };
        let sign = StatusSign { verdict, weight, since: condition.since, message: words(condition) };
        Some(match () {
            () if verdict == Verdict::Progressing && self.is_behind(condition) => {
                StatusSign { since: self.about.declared, message: NOT_RECONCILED.to_owned(), ..sign }
            }
            () if verdict == Verdict::Ok && self.is_first_step(condition) => self.sign_of_step(sign),
            () => sign,
        })
    }

    /// Returns true if a condition is of an older generation.
    fn is_behind(&self, condition: &GenericCondition<'_>) -> bool {
        matches!((condition.observed_generation, self.about.generation), (Some(seen), Some(now)) if seen < now)
    }

    /// Returns true if the type only names a first step, and neither the table of conventions nor the author of the CRD says
    /// that the object is complete with it.
    fn is_first_step(&self, condition: &GenericCondition<'_>) -> bool {
        let is_shown = self.awaited.is_none() && self.about.columns.iter().any(|shown| condition.is(shown));
        names_first_step(condition.kind) && !self.is_beyond_steps && !self.is_listed(condition) && !is_shown
    }

    /// A step is progress while a condition that the CRD shows is not there.
    fn sign_of_step(&self, sign: StatusSign) -> StatusSign {
        match self.awaited {
            Some(awaited) => {
                let message = format!("condition {awaited} is not there yet");
                StatusSign { verdict: Verdict::Progressing, weight: SignWeight::Step, message, ..sign }
            }
            None => StatusSign { weight: SignWeight::Step, ..sign },
        }
    }

    fn verdict(&self, condition: &GenericCondition<'_>) -> Option<(Verdict, SignWeight)> {
        let Some(polarity) = self.polarity(condition) else {
            let state = condition.word.and_then(|word| self.verdict_for_state(condition, word));
            return state.or_else(|| self.verdict_for_unknown_type(condition));
        };
        let is_listed = self.is_listed(condition);
        let is_step = match polarity {
            ConditionPolarity::Bad => condition.is_step_taken(),
            ConditionPolarity::Paused => is_of_success(condition.kind) && condition.is_step_taken(),
            _ => false,
        };
        if is_step && !is_listed {
            return Some((Verdict::Unknown, SignWeight::Aside));
        }
        // The beginning of a task says nothing about its end.
        let is_task = || meaning_of_running(self.about.convention, self.about.kind) == RunningMeaning::Progress;
        if !is_listed
            && condition.is_true()
            && names_beginning(condition.kind)
            && !condition.has_bad_reason()
            && is_task()
        {
            return Some((Verdict::Unknown, SignWeight::Weak));
        }
        if polarity == ConditionPolarity::Ignored {
            return None;
        }
        match self.about.convention.reasons.verdict(condition.reason) {
            Some(verdict) if !condition.is_true() => {
                let weight = self.weight(condition);
                // A pause of a part is not outweighed by the rest.
                let is_pause = verdict == Verdict::Paused && weight == SignWeight::Aside;
                return Some((verdict, if is_pause { SignWeight::Doubt } else { weight }));
            }
            // For this reason, the condition is neither a problem nor a change.
            Some(Verdict::Ok) if polarity != ConditionPolarity::Good => return None,
            Some(verdict) if polarity == ConditionPolarity::Progress => return Some((verdict, SignWeight::Deciding)),
            _ => {}
        }
        if condition.kind == "Running" {
            // Controllers based on ansible-operator set Running while they reconcile.
            if condition.is_true() && (describes_progress(condition.message) || names_activity(condition.message)) {
                return Some((Verdict::Progressing, SignWeight::Deciding));
            }
            // It is idle, and reports the result of its work in other conditions.
            if condition.status == GenericConditionStatus::False && !condition.has_bad_reason() && self.reports_results
            {
                return None;
            }
            // A running task is not complete, unless the reason says so.
            if meaning(condition.reason) != Some(WordMeaning::Done)
                && meaning_of_running(self.about.convention, self.about.kind) == RunningMeaning::Progress
            {
                return condition.is_true().then_some((Verdict::Progressing, SignWeight::Deciding));
            }
        }
        match polarity {
            ConditionPolarity::Good => self.verdict_for_good_type(condition),
            ConditionPolarity::Bad => verdict_for_bad_type(condition),
            ConditionPolarity::Progress => self.verdict_for_progress_type(condition),
            ConditionPolarity::NeedsHuman | ConditionPolarity::Paused => self.verdict_for_stop(condition, polarity),
            ConditionPolarity::Ignored => None,
        }
    }

    /// A condition whose type names a part, and whose status is the state of that part: `Network` is `Established`.
    fn verdict_for_state(&self, condition: &GenericCondition<'_>, word: &str) -> Option<(Verdict, SignWeight)> {
        if meaning(condition.reason) == Some(WordMeaning::Bad) || describes_failure(condition.message) {
            return None;
        }
        match meaning(word)? {
            WordMeaning::Good | WordMeaning::Done if is_good_word(word) && !condition.has_bad_reason() => {
                Some((Verdict::Ok, self.weight(condition)))
            }
            WordMeaning::Progress => Some((Verdict::Progressing, SignWeight::Deciding)),
            _ => None,
        }
    }

    /// Without another sign, an object with a condition of an unknown type is not OK.
    fn verdict_for_unknown_type(&self, condition: &GenericCondition<'_>) -> Option<(Verdict, SignWeight)> {
        let is_well = self.is_summarized && (condition.names_a_part_that_is_well() || condition.says_successfully())
            || condition.has_good_reason()
                && match condition.is_true() {
                    // `DiskFull` may be True with `AsExpected`, and `QuorumReached` False.
                    true => has_only_known_words(condition.kind),
                    false => !names_past_action(condition.kind),
                }
                && condition.status != GenericConditionStatus::Unknown
                && !condition.denies_its_reason()
            || condition.is_of_absent_deprecation();
        (!is_well).then(|| match verdict_for_unknown(condition) {
            Verdict::Unknown if condition.is_of_unneeded_part() => (Verdict::Unknown, SignWeight::Weak),
            // A step of a task, which does not matter once the task is complete.
            Verdict::Unknown if condition.is_step_taken() => (Verdict::Unknown, SignWeight::Aside),
            verdict => (verdict, SignWeight::Doubt),
        })
    }

    fn verdict_for_good_type(&self, condition: &GenericCondition<'_>) -> Option<(Verdict, SignWeight)> {
        let weight = self.weight(condition);
        if condition.is_true() && self.about.convention.reasons.verdict(condition.reason) == Some(Verdict::Ok) {
            return Some((Verdict::Ok, weight));
        }
        let is_undetermined = self.is_summarized
            && condition.has_compound_type()
            && condition.status == GenericConditionStatus::Unknown
            && meaning(condition.reason) != Some(WordMeaning::Bad);
        Some(match weight {
            // A part of a task that is complete has no use any more.
            SignWeight::Aside if condition.is_unmet_and_done() => (Verdict::Unknown, SignWeight::Aside),
            SignWeight::Aside => (verdict_for_unmet_aside(condition)?, SignWeight::Doubt),
            _ if self.is_behind(condition) => (Verdict::Progressing, weight),
            _ if is_undetermined || condition.is_true_with_doubt() => (Verdict::Unknown, SignWeight::Doubt),
            _ => (verdict_for_good(condition), weight),
        })
    }

    fn verdict_for_progress_type(&self, condition: &GenericCondition<'_>) -> Option<(Verdict, SignWeight)> {
        let is_listed = self.about.convention.polarity(condition.kind).is_some();
        let is_doubtful = match condition.status {
            GenericConditionStatus::True if is_listed => return Some((Verdict::Progressing, SignWeight::Deciding)),
            // `Submitted` is True with the reason `SubmissionComplete`.
            GenericConditionStatus::True
                if self.is_summarized && condition.is_true_and_done() && names_past_action(condition.kind) =>
            {
                return None;
            }
            // `Upgrading` is True with the reason `Succeeded`.
            GenericConditionStatus::True if condition.is_true_and_done() && names_one_activity(condition.kind) => {
                return Some((Verdict::Unknown, SignWeight::Aside));
            }
            // `FrobnicatingConnection` is an activity, not a change.
            GenericConditionStatus::True => self.is_summarized && !is_change(condition.kind),
            GenericConditionStatus::Unknown => true,
            GenericConditionStatus::False => {
                meaning(condition.reason) != Some(WordMeaning::Bad) && describes_failure(condition.message)
            }
        };
        match is_doubtful {
            true => Some((Verdict::Unknown, SignWeight::Doubt)),
            false => Some((verdict_for_progress(condition)?, SignWeight::Deciding)),
        }
    }

    /// The verdict for a condition that is True while the controller waits for a person.
    fn verdict_for_stop(
        &self,
        condition: &GenericCondition<'_>,
        polarity: ConditionPolarity,
    ) -> Option<(Verdict, SignWeight)> {
        let is_listed = self.about.convention.polarity(condition.kind).is_some();
        // A controller that paused because of a problem waits for a person.
        let is_paused = polarity == ConditionPolarity::Paused && meaning(condition.reason) != Some(WordMeaning::Bad);
        match condition.status {
            // The work is complete.
            GenericConditionStatus::True if condition.is_stop_at_end() && !is_listed => None,
            GenericConditionStatus::True if is_paused && !is_listed && is_left_out(condition.kind) => {
                Some((Verdict::Unknown, SignWeight::Doubt))
            }
            GenericConditionStatus::True if is_paused => Some((Verdict::Paused, SignWeight::Deciding)),
            GenericConditionStatus::True => Some((Verdict::NeedsHuman, SignWeight::Deciding)),
            GenericConditionStatus::Unknown if !is_listed => Some((Verdict::Unknown, SignWeight::Doubt)),
            _ => None,
        }
    }
}

/// The verdict for a condition whose type names a problem.
fn verdict_for_bad_type(condition: &GenericCondition<'_>) -> Option<(Verdict, SignWeight)> {
    let is_doubtful = match condition.status {
        GenericConditionStatus::True => false,
        GenericConditionStatus::False => condition.contradicts_itself(),
        GenericConditionStatus::Unknown => true,
    };
    match is_doubtful {
        true => Some((Verdict::Unknown, SignWeight::Doubt)),
        false => Some((verdict_for_bad(condition)?, SignWeight::Deciding)),
    }
}

/// The message of an object or a condition of an older generation.
pub(super) const NOT_RECONCILED: &str = "the latest change has not been reconciled yet";

/// Returns true for a message that only names an activity: `Running reconciliation`.
fn names_activity(message: &str) -> bool {
    tokens(message).len() == 2 && is_activity(message)
}

fn words(condition: &GenericCondition<'_>) -> String {
    match (condition.reason, condition.message.trim()) {
        ("", "") => format!("condition {} is {:?}", condition.kind, condition.status),
        ("", message) => format!("{}: {message}", condition.kind),
        (reason, "") => format!("{}: {reason}", condition.kind),
        (reason, message) => format!("{}: {reason}: {message}", condition.kind),
    }
}
