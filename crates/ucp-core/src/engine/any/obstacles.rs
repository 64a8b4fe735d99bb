//! Sentences next to progress that say why it does not go on by itself: a person has to approve it, it is paused, or it
//! fails and the next attempt fails, too.

use super::sentences::says_object_is_paused;
use super::sign::{SignWeight, StatusSign};
use super::vocabulary::NEGATIONS;
use super::words::tokens;
use crate::engine::judgement::AssessmentClock;
use crate::engine::recovery::{Recovery, lasting_evidence};
use crate::model::verdict::Verdict;

/// Changes the verdict of progress whose sentence names a person, a pause, or an error that lasts. The parts of an object
/// that is complete do not matter.
pub(super) fn check_obstacles(signs: &mut [StatusSign]) {
    let is_complete = signs.iter().any(|sign| sign.weight == SignWeight::Final);
    let describes_object = |sign: &StatusSign| matches!(sign.weight, SignWeight::Deciding | SignWeight::Weak);
    for sign in signs.iter_mut().filter(|sign| !is_complete && describes_object(sign)) {
        if sign.verdict == Verdict::Progressing
            && let Some(verdict) = explanation(&sign.message).and_then(verdict_for_obstacle)
        {
            sign.verdict = verdict;
        }
    }
}

/// Changes the verdict of progress that takes too long if its sentence reports an error.
pub(super) fn check_lasting_progress(sign: &mut StatusSign, clock: &AssessmentClock) {
    let is_overdue = sign.verdict == Verdict::Progressing && clock.is_overdue(sign.since);
    if is_overdue && explanation(&sign.message).is_some_and(names_error) {
        sign.verdict = Verdict::Failed;
    }
}

/// Returns the sentence behind the state or type of a condition: `phase is Pending: EXPLANATION`. A reason without one was
/// read before.
fn explanation(message: &str) -> Option<&str> {
    let sentence = message.split_once(": ").map(|(_, explanation)| explanation);
    sentence.filter(|sentence| sentence.contains(char::is_whitespace))
}

fn verdict_for_obstacle(sentence: &str) -> Option<Verdict> {
    let words = tokens(sentence);
    if awaits_person(&words) {
        return Some(Verdict::NeedsHuman);
    }
    if says_object_is_paused(sentence) {
        return Some(Verdict::Paused);
    }
    // A quota that is used up may be freed, and rights may be granted, while it waits.
    let needs_change = || lasting_evidence(sentence).is_some_and(|evidence| evidence.recovery == Recovery::Change);
    (names_lasting_error(&words) || needs_change()).then_some(Verdict::Failed)
}

fn starts(word: &str, beginnings: &[&str]) -> bool {
    beginnings.iter().any(|beginning| word.starts_with(beginning))
}

/// Returns true if a person has to approve or do something: `waiting for manual approval`, `please confirm the upgrade`.
pub(super) fn awaits_person(words: &[String]) -> bool {
    const DEMANDS: [&str; 10] =
        ["wait", "await", "pending", "requir", "need", "must", "please", "until", "without", "blocked"];
    const PERSONS: [&str; 7] = ["user", "person", "human", "administrator", "admin", "reviewer", "someone"];
    const DECISIONS: [&str; 9] =
        ["approv", "confirm", "accept", "acknowledg", "consent", "authoriz", "authoris", "decide", "resume"];
    const BY_HAND: [&str; 8] =
        ["action", "approval", "confirmation", "intervention", "promotion", "step", "resolution", "review"];
    let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    let begins = |known: &[&str]| words.iter().any(|word| starts(word, known));
    // Certificates are approved by controllers, and `autoApprove` by itself.
    let is_by_machine = begins(&["auto", "cert", "csr"]) && !has(&PERSONS);
    let by_hand = || {
        let is_manual = |pair: &[String]| pair[0].starts_with("manual") && BY_HAND.contains(&pair[1].as_str());
        words.windows(2).any(is_manual)
    };
    // `waiting for user action`.
    let by_action = || {
        let is_of_person = |pair: &[String]| PERSONS.contains(&pair[0].as_str()) && BY_HAND.contains(&pair[1].as_str());
        words.windows(2).any(is_of_person)
    };
    // `waiting for the user to confirm`, but not `waiting for user to be created`.
    let by_person = || {
        let decides = |at: usize| words.iter().skip(at + 1).take(3).any(|word| starts(word, &DECISIONS));
        words.iter().enumerate().any(|(at, word)| PERSONS.contains(&word.as_str()) && decides(at))
    };
    // `set approvePlan to apply it`.
    let is_setting = || words.windows(2).any(|pair| pair[0] == "set" && pair[1].starts_with("approv"));
    let is_demanded = begins(&DEMANDS) && !has(&["no", "not"]);
    is_demanded && (begins(&["approv"]) && !is_by_machine || by_hand() || by_action() || by_person()) || is_setting()
}

/// Phrases of errors that the next attempt does not repair.
const LASTING: [&[&str]; 33] = [
    &["invalid"],
    &["unsupported"],
    &["not", "supported"],
    &["immutable"],
    &["malformed"],
    &["corrupt"],
    &["corrupted"],
    &["violates"],
    &["limit", "exceeded"],
    &["quota", "exceeded"],
    &["exceeded", "quota"],
    &["exceeds", "quota"],
    &["has", "expired"],
    &["is", "expired"],
    &["gave", "up"],
    &["given", "up"],
    &["giving", "up"],
    &["retry", "limit"],
    &["max", "retries"],
    &["maximum", "retries"],
    &["retries", "exhausted"],
    &["already", "in", "use"],
    &["bucket", "already", "exists"],
    &["not", "permitted"],
    &["not", "allowed"],
    &["wrong", "credentials"],
    &["wrong", "password"],
    &["no", "space", "left"],
    &["unknown", "field"],
    &["unknown", "key"],
    &["unknown", "option"],
    &["unknown", "parameter"],
    &["unknown", "property"],
];
/// Beginnings of words for the repair of an error.
const REMEDIES: [&str; 11] =
    ["retrying", "renew", "rotat", "repair", "recover", "replac", "recreat", "refresh", "heal", "restart", "reconnect"];

fn names_lasting_error(words: &[String]) -> bool {
    let is_phrase = |at: usize, phrase: &[&str]| {
        words.get(at..at + phrase.len()).is_some_and(|part| part.iter().zip(phrase).all(|(word, known)| word == known))
    };
    let is_denied = |at: usize| at.checked_sub(1).is_some_and(|before| NEGATIONS.contains(&words[before].as_str()));
    // `Unknown 'foo' parameter`.
    let is_unknown = |at: usize| {
        let named = words.get(at + 2).map(String::as_str);
        words[at] == "unknown" && matches!(named, Some("field" | "key" | "option" | "parameter" | "property"))
    };
    let is_error = |at: usize| LASTING.iter().any(|phrase| is_phrase(at, phrase)) && !is_denied(at) || is_unknown(at);
    (0..words.len()).any(is_error) && !words.iter().any(|word| starts(word, &REMEDIES))
}

/// Returns true if a sentence reports an error, which may still end by itself.
fn names_error(sentence: &str) -> bool {
    const ERRORS: [&str; 24] = [
        " failed",
        "failed to ",
        "error: ",
        "unable to ",
        "timed out",
        "refused",
        "back-off",
        "backoff",
        "crashloop",
        "oomkilled",
        "insufficient cpu",
        "insufficient memory",
        "unhealthy",
        "quorum lost",
        "unsuccessful",
        "exhausted",
        "not found",
        "not exist",
        "mismatch",
        "unreachable",
        "exceeded its",
        "denied",
        "has no key",
        "not defined",
    ];
    let lower = sentence.to_lowercase();
    ERRORS.iter().any(|words| lower.contains(words))
}
