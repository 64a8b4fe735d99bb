//! The meanings of words in a status. Controllers use few words with many spellings: `InstallFailed`, `install_failed`,
//! `INSTALL FAILED`. An unknown word has no meaning, and is never taken as OK.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

pub(super) use super::vocabulary::WordMeaning;
use super::vocabulary::{FULLY, JOINED, NEGATIONS, NEUTRAL, QUALIFIERS, RUN_ON, WORDS};
pub(super) use crate::model::text::tokens;

/// Returns true for the words of a phrase that only link other words.
fn is_link(token: &str) -> bool {
    const LINKS: [&str; 22] = [
        "a", "all", "an", "and", "are", "as", "at", "by", "for", "from", "had", "has", "have", "in", "into", "is",
        "of", "on", "the", "to", "with", "been",
    ];
    LINKS.contains(&token)
}

/// Returns true if a phrase names an activity and its object: `runningWorkflow` and `SyncReplica`, but not `Running` or
/// `RunningAndReady`.
pub(super) fn is_activity(phrase: &str) -> bool {
    const ACTIONS: [&str; 9] =
        ["create", "install", "rebalance", "restart", "restore", "scale", "sync", "update", "upgrade"];
    const ROLES: [&str; 6] = ["follower", "leader", "primary", "replica", "secondary", "standby"];
    let words = tokens(phrase);
    let is_running = words
        .windows(2)
        .any(|pair| pair[0] == "running" && !is_link(&pair[1]) && DICTIONARY.without_effect.contains(pair[1].as_str()));
    let has_object = matches!(words.as_slice(), [action, .., role]
        if ACTIONS.contains(&action.as_str()) && ROLES.contains(&role.as_str()));
    is_running || has_object
}

/// Returns true if a phrase has a word for a complete success.
pub(super) fn names_success(phrase: &str) -> bool {
    tokens(phrase).iter().any(|token| token_meaning(token) == Some(WordMeaning::Done))
}

/// Returns true for words of an object without work, which need not be declared: `Inactive`, `Skipped`.
pub(super) fn is_left_out(phrase: &str) -> bool {
    join(tokens(phrase))
        .iter()
        .any(|token| token == "inactive" || ["ignor", "skip"].iter().any(|word| token.starts_with(word)))
}

/// Returns true if a phrase names a step of several: `ObjectsCreated` and `Initialized`, but not `Created` or
/// `SuccessfullyCreated`. `whole` is the kind of the object: a `User` is complete once it is `UserCreated`.
pub(super) fn is_step(phrase: &str, whole: &str) -> bool {
    const STEPS: [&str; 6] = ["created", "generated", "prepared", "scheduled", "assigned", "allocated"];
    const BEGINNINGS: [&str; 9] = [
        "initialized",
        "initialised",
        "prepared",
        "bootstrapped",
        "launched",
        "dispatched",
        "downloaded",
        "pulled",
        "packed",
    ];
    let whole = tokens(whole);
    match tokens(phrase).as_slice() {
        [only] => BEGINNINGS.contains(&only.as_str()),
        [.., part, last] => {
            STEPS.contains(&last.as_str()) && NOUNS.contains(part.as_str()) && !is_link(part) && !whole.contains(part)
        }
        _ => false,
    }
}

/// Returns true if a word restricts the word next to it.
fn is_qualifier(token: &str) -> bool {
    const OTHER_WORDS: [&str; 6] = ["apply", "reply", "supply", "multiply", "assembly", "family"];
    let is_adverb = token.len() > 4 && token.ends_with("ly") && !OTHER_WORDS.contains(&token);
    !DICTIONARY.without_effect.contains(token)
        && (is_adverb || QUALIFIERS.contains(&token) || token.starts_with("partial") || token.starts_with("minimal"))
}

/// Returns true if a phrase restricts what it says: `PartiallyReconciled`.
pub(super) fn is_partial(phrase: &str) -> bool {
    tokens(phrase).iter().any(|token| is_qualifier(token))
}

/// Returns true if every word of a phrase is known. An unknown word, a question, or a mark such as that of a footnote may
/// reverse the meaning of a good one.
pub(super) fn is_known(phrase: &str) -> bool {
    if phrase.contains(['?', '*', '!', '~']) {
        return false;
    }
    join(tokens(phrase)).iter().all(|token| {
        DICTIONARY.without_effect.contains(token.as_str())
            || NEGATIONS.contains(&token.as_str())
            || token_meaning(token).is_some()
    })
}

struct WordDictionary {
    whole: HashMap<&'static str, WordMeaning>,
    beginnings: Vec<(&'static str, WordMeaning)>,
    /// Words that do not change the meaning of a good word next to them.
    without_effect: HashSet<&'static str>,
}

/// Words that do not change the meaning of a good word, other than adverbs.
static NOUNS: LazyLock<HashSet<&str>> = LazyLock::new(|| NEUTRAL.split_whitespace().collect());

static DICTIONARY: LazyLock<WordDictionary> = LazyLock::new(|| {
    let words = || WORDS.iter().flat_map(|(meaning, words)| words.split_whitespace().map(|word| (word, *meaning)));
    WordDictionary {
        whole: words().filter(|(word, _)| !word.ends_with('*')).collect(),
        beginnings: words().filter_map(|(word, meaning)| Some((word.strip_suffix('*')?, meaning))).collect(),
        without_effect: NEUTRAL.split_whitespace().chain(FULLY.split_whitespace()).collect(),
    }
});

/// Returns the meaning of a phrase: a phase, a reason, or a condition type.
///
/// A bad word decides in any position; otherwise, the last word does: `ProvisioningSucceeded` means success.
pub(super) fn meaning(phrase: &str) -> Option<WordMeaning> {
    let mut found: Option<WordMeaning> = None;
    let (mut negated, mut qualified, mut is_of_alert) = (false, false, false);
    for token in join(tokens(phrase)) {
        if NEGATIONS.contains(&token.as_str()) {
            negated = true;
            continue;
        }
        qualified |= is_qualifier(&token);
        let Some(own) = token_meaning(&token) else { continue };
        let own = match own {
            WordMeaning::Bad | WordMeaning::Human if negated => WordMeaning::Good,
            WordMeaning::Good | WordMeaning::Done if negated || qualified => WordMeaning::Progress,
            own => own,
        };
        negated = false;
        // `ErrorsResolved`: the problem is over. `AlertGroupSynced`: an alert that is configured, and not raised.
        let is_over = || ENDS_OF_PROBLEMS.contains(&token.as_str()) && found == Some(WordMeaning::Bad);
        let is_configured = || is_of_alert && ALERT_IS_CONFIGURED.contains(&token.as_str());
        if own >= WordMeaning::Good && (is_over() || is_configured()) {
            found = Some(own);
            continue;
        }
        is_of_alert = found.is_none() && ["alert", "alarm"].iter().any(|noun| token.starts_with(noun));
        found = Some(match found {
            Some(before) if before <= WordMeaning::Paused => before.min(own),
            _ => own,
        });
    }
    let waits = tokens(phrase).first().is_some_and(|first| ["waiting", "awaiting"].contains(&first.as_str()));
    // A negation behind a good word is about it, or about something unknown: `ready: no`.
    match found {
        Some(WordMeaning::Good | WordMeaning::Done) if negated || waits => Some(WordMeaning::Progress),
        found => found,
    }
}

/// Returns the worst meaning in a short sentence, such as the phase `Waiting for the instances to become active`.
pub(super) fn meaning_of_sentence(sentence: &str) -> Option<WordMeaning> {
    join(tokens(sentence)).iter().filter_map(|token| token_meaning(token)).chain(meaning(sentence)).min()
}

pub(super) fn token_meaning(token: &str) -> Option<WordMeaning> {
    let WordDictionary { whole, beginnings, .. } = &*DICTIONARY;
    let by_beginning =
        || beginnings.iter().find(|(beginning, _)| token.starts_with(beginning)).map(|(_, found)| *found);
    // `routing` and `existing` are no activities.
    let is_neutral = || DICTIONARY.without_effect.contains(token);
    let under_way = || (token.len() > 4 && token.ends_with("ing") && !is_neutral()).then_some(WordMeaning::Progress);
    // Such as `unverified` or `deprovisioned`: not yet, or no longer.
    let undone = || {
        let rest = ["un", "de"].iter().find_map(|prefix| token.strip_prefix(prefix))?;
        (whole.get(rest) == Some(&WordMeaning::Good)).then_some(WordMeaning::Progress)
    };
    let run_on = || {
        let (subject, meaning) = RUN_ON.iter().find_map(|(end, meaning)| Some((token.strip_suffix(end)?, *meaning)))?;
        (!subject.is_empty() && !NEGATIONS.contains(&subject) && !is_neutral()).then_some(meaning)
    };
    whole.get(token).copied().or_else(by_beginning).or_else(under_way).or_else(undone).or_else(run_on)
}

fn join(tokens: Vec<String>) -> Vec<String> {
    let mut joined = Vec::with_capacity(tokens.len());
    let mut rest = tokens.as_slice();
    while let Some((first, others)) = rest.split_first() {
        let one =
            JOINED.iter().find(|(parts, _)| rest.len() >= parts.len() && rest.iter().zip(*parts).all(|(a, b)| a == b));
        match one {
            Some((parts, word)) => {
                joined.push((*word).to_owned());
                rest = &rest[parts.len()..];
            }
            None => {
                joined.push(first.clone());
                rest = others;
            }
        }
    }
    joined
}

/// Good words that say of the problem before them that it is over.
const ENDS_OF_PROBLEMS: [&str; 6] = ["resolved", "solved", "recovered", "fixed", "cleared", "repaired"];

/// Good words that say of an alert before them that its rule is as it should be.
const ALERT_IS_CONFIGURED: [&str; 10] = [
    "synced",
    "synchronized",
    "synchronised",
    "applied",
    "configured",
    "created",
    "deployed",
    "ready",
    "reconciled",
    "valid",
];

/// Words of fields that count parts out of service.
const OUT_OF_SERVICE: [&str; 4] = ["down", "offline", "dead", "disconnected"];

/// Returns true if a field counts or lists parts out of service: `downNodes`, `notReadyMembers`, `unsyncedReplicas`.
pub(super) fn names_parts_out_of_service(words: &[String]) -> bool {
    let is_good = |word: &str| matches!(meaning(word), Some(WordMeaning::Good));
    let is_undone = |word: &String| {
        let rest = word.strip_prefix("un").or_else(|| word.strip_prefix("dis"));
        rest.is_some_and(is_good) || word == "unready"
    };
    let is_negated = words
        .windows(2)
        .any(|pair| pair[0] == "not" && is_good(&pair[1]) || pair[0] == "under" && pair[1] == "replicated");
    is_negated || words.iter().any(|word| OUT_OF_SERVICE.contains(&word.as_str()) || is_undone(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_the_same_meaning_in_every_spelling() {
        use WordMeaning::*;
        for (phrase, expected) in [
            ("Failed", Some(Bad)),
            ("InstallFailed", Some(Bad)),
            ("FAILED_UPGRADE", Some(Bad)),
            ("CrashLoopBackOff", Some(Bad)),
            ("ImagePullBackOff", Some(Bad)),
            ("ProgressDeadlineExceeded", Some(Bad)),
            ("DependencyNotFound", Some(Bad)),
            ("PartiallyFailed", Some(Bad)),
            ("unhealthy", Some(Bad)),
            ("red", Some(Bad)),
            ("DependencyNotReady", Some(Progress)),
            ("UpdateInProgress", Some(Progress)),
            ("ApplyingChanges", Some(Progress)),
            ("PENDING", Some(Progress)),
            ("Failing over", Some(Progress)),
            ("DeadLetterSinkResolved", Some(Good)),
            ("TooManySnapshots", Some(Bad)),
            ("WaitingForApproval", Some(Human)),
            ("ReconcilePaused", Some(Paused)),
            ("Running", Some(Good)),
            ("NoErrors", Some(Good)),
            ("HEALTH_OK", Some(Good)),
            ("UpToDate", Some(Good)),
            ("ReconcileSuccess", Some(Done)),
            ("ProvisioningSucceeded", Some(Done)),
            ("SuccessfulCreate", Some(Done)),
            ("UPDATE_ROLLBACK_COMPLETE", Some(Bad)),
            ("ROLLBACK_IN_PROGRESS", Some(Progress)),
            ("RolledBack", Some(Bad)),
            ("NotHealthy", Some(Bad)),
            ("NotScalingDown", Some(Progress)),
            ("ScalingDown", Some(Progress)),
            ("NetworkDown", Some(Bad)),
            ("NoMatchingParent", Some(Bad)),
            ("deprovisioned", Some(Progress)),
            ("PartiallyReady", Some(Progress)),
            ("WaitingForAvailableMachines", Some(Progress)),
            ("NotPermitted", Some(Bad)),
            ("added-to-existing-cluster", Some(Good)),
            ("Irreconcilable", Some(Bad)),
            ("ClaimRetrieved", Some(Good)),
            ("MinimallyAvailable", Some(Progress)),
            ("AlmostReady", Some(Progress)),
            ("NoneReady", Some(Progress)),
            ("FullyApplied", Some(Good)),
            ("AlreadyExists", None),
            ("UpgradeRequired", Some(Human)),
            ("Frobnicated", None),
            ("", None),
        ] {
            assert_eq!(meaning(phrase), expected, "{phrase}");
        }
    }

    #[test]
    fn an_unknown_word_makes_a_phrase_unknown() {
        assert!(is_known("Cluster in healthy state") && !is_known("FrobnicatedReady"));
        let is_out = |name: &str| names_parts_out_of_service(&tokens(name));
        assert!(is_out("notReady") && is_out("unreadyMembers") && !is_out("unit"));
    }
}
