//! Sentences for people in a status: whether they report a failure, an activity, or a part of the whole.

use std::sync::LazyLock;

use super::words::{WordMeaning, token_meaning, tokens};

/// Returns true if a sentence describes a failure.
pub(super) fn describes_failure(sentence: &str) -> bool {
    const FAILURE: &[&str] = &[
        "fail",
        "error",
        "cannot",
        "can't",
        "could not",
        "couldn't",
        "unable",
        "denied",
        "forbidden",
        "not found",
        "invalid",
        "not exist",
        "doesn't exist",
        "refused",
        "unauthorized",
        "timed out",
        "timeout",
        "exceeded",
        "gave up",
        "given up",
        "crash",
        "not permitted",
        "not allowed",
        "no such",
        "rejected",
        "unreachable",
        "no matching",
        "must be",
        "is required",
        "not supported",
        "conflict",
        "missing",
        "not match",
        "n't match",
    ];
    const NO_FAILURE: &[&str] = &[
        "no error",
        "without error",
        "0 error",
        "no fail",
        "0 fail",
        "without fail",
        "0 missing",
        "0 with fail",
        "0 with error",
    ];
    // A failover is no failure, and an object that misses ready parts waits for them.
    let sentence = sentence.to_lowercase().replace("failover", "").replace("missing ready", "");
    contains_any(&sentence, FAILURE) && !contains_any(&sentence, NO_FAILURE)
}

/// Parts of sentences that only a failure has. `missing` or `invalid` also occur in good news.
const FAILURES: [&str; 22] = [
    " failed",
    "failed to ",
    "failure: ",
    "error: ",
    "panic: ",
    "cannot ",
    "could not ",
    "unable to ",
    " refused",
    "has expired",
    "timed out",
    "permission denied",
    "deadline exceeded",
    " is down",
    " are down",
    " is offline",
    " not responding",
    " is broken",
    " broken since",
    " was lost",
    " were lost",
    " not accepted",
];
/// Sentences of failures that are over, or did not happen.
const PAST_FAILURES: [&str; 8] =
    ["no failed", "0 failed", "not failed", "never failed", "without", "recovered", "if ", "previously"];

/// Returns true if a text reports a failure, and not that there was none.
pub(super) fn reports_failure(text: &str) -> bool {
    let text = format!(" {}", text.to_lowercase());
    FAILURES.iter().any(|words| text.contains(words)) && !PAST_FAILURES.iter().any(|words| text.contains(words))
}

/// Returns true if the message of a part that is not in use names another reason than its declaration.
pub(super) fn says_otherwise(message: &str) -> bool {
    const DECLARED: &[&str] = &[
        "disabled",
        "turned off",
        "switched off",
        "not enabled",
        "not configured",
        "not set",
        "not used",
        "not in use",
        "not specified",
        "not defined",
        "not requested",
        "not required",
        "not needed",
        "not applicable",
        "no need",
        "optional",
        "skip",
    ];
    const OTHER: &[&str] = &[
        "after ",
        "attempt",
        "automatic",
        "because",
        "breaker",
        "due to",
        "retries",
        "since ",
        "temporar",
        "threshold",
        "until",
    ];
    let is_empty = message.trim().is_empty();
    !is_empty && (!contains_any(message, DECLARED) || contains_any(message, OTHER))
}

/// Returns true if a sentence is about the report of a part, which that part has not written yet.
pub(super) fn awaits_report(sentence: &str) -> bool {
    contains_any(
        sentence,
        &[
            "condition not found",
            "conditions not found",
            "condition is not set",
            "not reported yet",
            "not yet reported",
        ],
    )
}

/// Returns true for a message such as `deployment paused`.
pub(super) fn says_paused(message: &str) -> bool {
    let words = tokens(message);
    let is_pause = |word: &String| ["paused", "suspended"].contains(&word.as_str());
    words.iter().enumerate().any(|(index, word)| is_pause(word) && (index == 0 || words[index - 1] != "not"))
}

/// Returns true if a sentence says that the object is paused, and not that another one is, or that it goes on.
pub(super) fn says_object_is_paused(sentence: &str) -> bool {
    let words = tokens(sentence);
    let starts = |word: &String, beginnings: &[&str]| beginnings.iter().any(|beginning| word.starts_with(beginning));
    let by_person = |pair: &[String]| starts(&pair[0], &["stopped", "halted"]) && pair[1] == "by";
    let goes_on = words.iter().any(|word| starts(word, &["resuming", "resumed", "unpaus", "unsuspend"]));
    let before =
        words.iter().take_while(|word| !starts(word, &["paused", "suspended", "hibernated", "stopped", "halted"]));
    let awaits_another = before.into_iter().any(|word| starts(word, &["wait", "await"]));
    let is_stopped = || words.iter().any(|word| word == "hibernated") || words.windows(2).any(by_person);
    !goes_on && !awaits_another && (says_paused(sentence) || is_stopped())
}

/// Returns true if a sentence describes an operation in progress.
pub(super) fn describes_progress(sentence: &str) -> bool {
    const PROGRESS: &[&str] = &[
        "waiting",
        "wait for",
        "in progress",
        "in process",
        "pending",
        "creating",
        "updating",
        "provisioning",
        "not yet",
        "initializ",
        "reconciling",
        "starting",
        "progressing",
        "until ",
        "deploying",
        "installing",
        "upgrading",
        "scaling",
        "rolling",
        "issuing",
        "deleting",
        "to become",
        "to be ready",
        "is not ready",
        "are not ready",
        "missing ready",
        "still ",
    ];
    // The ansible-operator is idle when it awaits the next reconciliation.
    let is_idle = contains_any(sentence, &["awaiting next reconciliation"]);
    !is_idle && (contains_any(sentence, PROGRESS) || begins_with_activity(sentence) || begins_with_wait(sentence))
}

/// Returns true if a message announces the next attempt.
pub(super) fn announces_retry(message: &str) -> bool {
    contains_any(message, &["retrying in"])
}

/// Returns true for a summary of parts that begins with those that are awaited: `WaitApplied(1)`, and reports no failure.
fn begins_with_wait(sentence: &str) -> bool {
    let words = tokens(sentence);
    let is_wait = matches!(words.as_slice(), [wait, ..] if wait == "wait")
        || matches!(words.as_slice(), [not, ready, ..] if not == "not" && ready == "ready");
    is_wait && !words.iter().any(|word| token_meaning(word) == Some(WordMeaning::Bad))
}

/// Returns true for sentences such as `Restoring the backup`.
fn begins_with_activity(sentence: &str) -> bool {
    const NO_ACTIVITIES: [&str; 8] =
        ["nothing", "something", "anything", "everything", "during", "according", "string", "using"];
    let first = sentence.split_whitespace().next().unwrap_or_default().to_lowercase();
    first.ends_with("ing")
        && token_meaning(&first) == Some(WordMeaning::Progress)
        && !NO_ACTIVITIES.contains(&first.as_str())
}

/// A fraction in a text, such as `0/3 Ready`, `1 of 3`, or `33% healthy`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextFraction {
    /// Everything.
    Whole,
    /// Less than everything.
    Part,
}

/// Returns the fraction in a text, if any.
pub(super) fn text_fraction(text: &str) -> Option<TextFraction> {
    static SHARE: LazyLock<Option<regex::Regex>> = LazyLock::new(|| {
        regex::Regex::new(
            r"(?i)(?:^|[^\w./-])(\d+(?:\.\d+)?)\s*(?:%|(?:[/\u{2044}\u{2215}\u{ff0f}]|out of|of)\s*(\d+)(?:$|[^\w./]))",
        )
        .ok()
    });
    let found = SHARE.as_ref()?.captures(text)?;
    let number = |index: usize| found.get(index)?.as_str().parse::<f64>().ok();
    let whole = if found.get(2).is_some() { number(2)? } else { 100.0 };
    Some(if number(1)? < whole { TextFraction::Part } else { TextFraction::Whole })
}

/// Returns true if a text has a number that is not the end of a name, unless all numbers in it are equal: `2-of-3` and
/// `1of3`, but not `IPv4`, `HTTP2`, and `3/3/3`.
pub(super) fn has_open_number(text: &str) -> bool {
    let is_in_name = |at: usize| text[..at].chars().next_back().is_some_and(char::is_alphanumeric);
    let begins = text.match_indices(|letter: char| letter.is_ascii_digit()).map(|(at, _)| at);
    let numbers = || text.split(|letter: char| !letter.is_ascii_digit()).filter(|digits| !digits.is_empty());
    let are_equal = || numbers().nth(1).is_some() && numbers().skip(1).all(|number| Some(number) == numbers().next());
    begins.into_iter().any(|at| !is_in_name(at)) && !are_equal()
}

/// Returns true for two numbers with a preposition of any language between them, of which the first is less: `1 von 3`.
pub(super) fn begins_with_part(text: &str) -> bool {
    /// Prepositions are short.
    const LONGEST: usize = 4;
    /// Units of time, and words between numbers of something else.
    const OTHER: [&str; 14] =
        ["d", "day", "days", "h", "hr", "hrs", "hour", "m", "min", "mins", "s", "sec", "and", "to"];
    let mut words = text.split_whitespace();
    let (first, between, second) = (words.next(), words.next(), words.next());
    let number = |word: Option<&str>| word?.parse::<u64>().ok();
    let is_preposition = between.is_some_and(|word| {
        word.chars().all(char::is_alphabetic)
            && word.chars().count() <= LONGEST
            && !OTHER.contains(&word.to_lowercase().as_str())
    });
    is_preposition && matches!((number(first), number(second)), (Some(first), Some(second)) if first < second)
}

fn contains_any(sentence: &str, words: &[&str]) -> bool {
    let sentence = sentence.to_lowercase();
    words.iter().any(|word| sentence.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fraction_is_complete_or_partial() {
        for (text, expected) in [
            ("0/3 Ready", Some(TextFraction::Part)),
            ("1 of 3 ready", Some(TextFraction::Part)),
            ("2 out of 3", Some(TextFraction::Part)),
            ("33% healthy", Some(TextFraction::Part)),
            ("0 % available", Some(TextFraction::Part)),
            ("3/3", Some(TextFraction::Whole)),
            ("100%", Some(TextFraction::Whole)),
            ("Ready", None),
            ("v1/2/3", None),
        ] {
            assert_eq!(text_fraction(text), expected, "{text}");
        }
    }

    #[test]
    fn only_a_present_failure_is_reported() {
        for text in
            ["failed to reach backend: 500", "Backup failed since Tuesday", "panic: runtime error", "cannot connect"]
        {
            assert!(reports_failure(text), "{text}");
        }
        for text in [
            "0 failed, 3 ok",
            "Certificate is up to date and has not expired",
            "recovered after a write failed",
            "reconciled",
        ] {
            assert!(!reports_failure(text), "{text}");
        }
    }

    #[test]
    fn sentences_about_failure_or_progress_are_recognized() {
        assert!(describes_failure("secret \"x\" not found"));
        assert!(!describes_failure("reconciled with no errors"));
        assert!(describes_progress("Waiting for 2 pods to become ready"));
    }
}
