//! Counts in a status: `readyReplicas: 2` of three, `2/3`, `33%`, and counts of parts that are down.

use serde_json::{Map, Value};

use super::condition::is_good_word;
use super::field_names::is_plural;
use super::hints::is_setting;
use super::is_blank;
use super::quantities::{is_level, is_quantity, is_what_is_left};
use super::sentences::{TextFraction, begins_with_part, text_fraction};
use super::sign::SignWeight;
use super::states::StatusSearch;
use super::vocabulary::NEGATIONS;
use super::words::{WordMeaning, meaning, names_parts_out_of_service, tokens};
use crate::model::body::any::{GenericObject, whole_number};
use crate::model::quantity::parse_billionths;
use crate::model::verdict::Verdict;

/// Fields that count desired parts.
pub(super) const WANTED: [&str; 9] =
    ["desired", "expected", "wanted", "total", "replicas", "size", "members", "instances", "count"];

impl StatusSearch<'_> {
    /// Reads a fraction: `readyMembers` next to `members`, or `2/3`.
    pub(super) fn share(
        &mut self,
        key: &str,
        field: &str,
        value: &Value,
        siblings: &Map<String, Value>,
        weight: SignWeight,
    ) {
        let (actual, wanted) = match (whole_number(value), value) {
            (number @ Some(_), _) if WELL.contains(&key) || REACHED.contains(&key) => {
                (number, WANTED.iter().find_map(|wanted| siblings.get(*wanted).and_then(whole_number)))
            }
            // `current` is only meaningful compared to `desired`.
            (number @ Some(_), _) if ["current", "actual", "observed"].contains(&key) => {
                (number, WANTED[..3].iter().find_map(|wanted| siblings.get(*wanted).and_then(whole_number)))
            }
            (number @ Some(_), _) => {
                let Some((prefix, rest)) =
                    counted_parts(key).filter(|(_, rest)| !is_quantity(rest) && !is_what_is_left(key))
                else {
                    return;
                };
                // `currentNodes` is only meaningful compared to `desiredNodes`, not to `nodes`.
                let plain = (prefix != "current").then(|| with_lowercase_initial(&rest));
                // `updatedReadyReplicas` has the target of `updatedReplicas`.
                let counted = with_uppercase_initial(&key.replace("Ready", ""));
                let same = ["expected", "desired"].map(|of| format!("{of}{counted}"));
                let before = ["desired", "expected", "wanted", "total", "number"].map(|of| format!("{of}{rest}"));
                let behind = ["Desired", "Expected", "Wanted", "Total", "Count"]
                    .map(|of| format!("{}{of}", with_lowercase_initial(&rest)));
                let wanted = same.into_iter().chain(before).chain(plain).chain(behind);
                let wanted = wanted.into_iter().find_map(|name| count_of(siblings.get(&name)?));
                let sum = || Some(number? + rest_of(prefix, &rest, siblings)?).filter(|sum| *sum > 0);
                (number, wanted.or_else(sum))
            }
            (None, Value::String(text)) => {
                let both = text.split_once('/').filter(|_| !is_level(key));
                let both =
                    both.and_then(|(actual, wanted)| Some((actual.trim().parse().ok()?, wanted.trim().parse().ok()?)));
                let Some((actual, wanted)) = both else { return self.part_in_text(key, field, text) };
                (Some(actual), Some(wanted))
            }
            (None, _) => return,
        };
        let wants_none = || siblings.iter().any(|(key, value)| names_wanted(key) && whole_number(value) == Some(0));
        // None is ready, and nothing says that none should be.
        if (actual, wanted) == (Some(0), None) && counts_usable(key) && !wants_none() {
            return self.push(Verdict::Unknown, SignWeight::Doubt, format!("{field} is 0"));
        }
        let (Some(actual), Some(wanted)) = (actual, wanted) else { return };
        // A complete count does not imply that the rest of the object is healthy.
        if actual >= wanted && WELL.contains(&key) {
            // Without another sign, it is the state: `ready: 3/3`.
            if field == "ready" && actual > 0 {
                self.push(Verdict::Ok, SignWeight::Aside, format!("{field} is {actual} of {wanted}"));
            }
            return;
        }
        // Whether parts are reached is no progress that a controller makes.
        let is_reach = REACHED.iter().any(|word| tokens(key).iter().any(|token| token == word));
        if is_reach {
            if actual < wanted {
                self.push(Verdict::Unknown, SignWeight::Doubt, format!("{field} is {actual} of {wanted}"));
            }
            return;
        }
        let verdict = if actual < wanted { Verdict::Progressing } else { Verdict::Ok };
        // An updated object need not be ready.
        let is_only_updated = verdict == Verdict::Ok && key == "updatedReplicas" && weight == SignWeight::Deciding;
        let weight = if is_only_updated { SignWeight::Step } else { weight };
        // Missing replicas affect the object as a whole; the progress of a task does not.
        let is_short = actual < wanted && value.is_number() && field.matches('.').count() <= 1;
        let weight = if is_short && weight == SignWeight::Aside { SignWeight::Deciding } else { weight };
        self.push(verdict, weight, format!("{field} is {actual} of {wanted}"));
    }

    /// Reads a fraction in a text: `1 of 3 healthy`, `33%`. Shares of load, traffic, and space are no states.
    fn part_in_text(&mut self, key: &str, field: &str, text: &str) {
        let is_short = text.len() <= LONGEST_SHARE;
        // With any word between the numbers, the name of the field must be that of a good state.
        let is_part = || text_fraction(text) == Some(TextFraction::Part) || is_good_word(key) && begins_with_part(text);
        if is_short && !is_quantity(key) && !is_level(key) && is_part() {
            self.push(Verdict::Unknown, SignWeight::Doubt, format!("{field} is {text}"));
        }
    }

    /// Reads numbers whose names show a problem: `downNodes`, `notReadyMembers`, and `availablePercent` below 100.
    pub(super) fn named_number(&mut self, key: &str, field: &str, value: &Value) {
        let words = tokens(key);
        if let Some(parts) = value.as_array().and_then(|parts| i64::try_from(parts.len()).ok())
            && parts > 0
            && is_plural(words.last().map_or("", String::as_str))
            && counts_open_parts(&words, parts)
        {
            return self.doubt(format!("{field} lists {parts}"));
        }
        if words.last().is_some_and(|last| ["ratio", "share"].contains(&last.as_str())) {
            return self.ratio(&words, field, value);
        }
        let Some(number) = whole_number(value) else { return };
        let is_percentage = words.iter().any(|word| ["percent", "percentage", "pct"].contains(&word.as_str()));
        let counts_good = || {
            matches!(meaning(key), Some(WordMeaning::Good | WordMeaning::Done))
                || words.iter().any(|word| ["health", "readiness", "sync"].contains(&word.as_str()))
        };
        if is_percentage {
            if number < 100 && counts_good() {
                self.push(Verdict::Unknown, SignWeight::Doubt, format!("{field} is {number}"));
            }
        } else if number > 0
            && !is_quantity(key)
            && !is_level(key)
            && (names_parts_out_of_service(&words) || counts_open_parts(&words, number))
        {
            self.push(Verdict::Unknown, SignWeight::Doubt, format!("{field} is {number}"));
        }
    }

    /// Reads a ratio of parts that are well: `readyRatio: "0.33"`.
    fn ratio(&mut self, words: &[String], field: &str, value: &Value) {
        let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok());
        let is_of_well = words.len() > 1 && words.iter().any(|word| WELL.contains(&word.as_str()));
        if is_of_well && let Some(number) = number.filter(|number| (0.0..1.0).contains(number)) {
            self.doubt(format!("{field} is {number}"));
        }
    }

    /// Compares desired and actual counts.
    pub(super) fn check_counts(&mut self, any: &GenericObject) {
        let amount = |path: &str| {
            let (root, path) = path.split_once('.')?;
            let root = if root == "spec" { &any.spec } else { &any.status };
            path.split('.').try_fold(root, |value, key| value.get(key)).and_then(amount_of)
        };
        let listed = self.about.convention.counts.iter().map(|(wanted, actual)| (wanted.as_str(), actual.as_str()));
        let pairs: Vec<_> = listed.chain(COUNTS).collect();
        let mut agree = false;
        let is_decided = self.signs.iter().any(|sign| sign.weight == SignWeight::Deciding);
        for (wanted_at, actual_at) in pairs {
            // A number that the status only repeats says nothing about its parts, unless the table of conventions has it.
            let is_listed = self.about.convention.counts.iter().any(|(wanted, _)| wanted == wanted_at);
            let is_repeated = wanted_at.strip_prefix("spec.") == actual_at.strip_prefix("status.")
                && !["spec.replicas", "spec.size"].contains(&wanted_at)
                && !is_listed;
            // Counts of zero are often omitted.
            let (Some(wanted), actual) = (amount(wanted_at), amount(actual_at)) else { continue };
            if actual_at.strip_prefix("status.").is_some_and(|field| self.about.convention.ignores(field)) {
                continue;
            }
            // A rollout may be limited to a part of the replicas: `expectedUpdatedReplicas`.
            if actual_at.strip_prefix("status.").is_some_and(|field| has_own_target(&any.status, field)) {
                continue;
            }
            let Some(actual) = actual.or_else(|| (!is_decided && absent_means_zero(any, actual_at)).then(Amount::zero))
            else {
                continue;
            };
            if actual.size < wanted.size {
                let message = format!("{actual_at} is {} of {}", actual.text, wanted.text);
                self.push(Verdict::Progressing, SignWeight::Deciding, message);
            } else {
                agree |= !is_repeated;
            }
        }
        if let Some(unavailable) = amount("status.unavailableReplicas").filter(|amount| amount.size > 0) {
            let unavailable = unavailable.text;
            self.push(Verdict::Progressing, SignWeight::Deciding, format!("{unavailable} replicas are unavailable"));
        }
        // Zeros may be defaults, which no controller has reported.
        if agree && self.signs.is_empty() && !is_blank(&any.status) {
            self.push(Verdict::Ok, SignWeight::Deciding, "as many replicas as there should be".to_owned());
        }
    }
}

/// A number or a quantity, such as `10Gi`.
struct Amount {
    size: i128,
    text: String,
}

impl Amount {
    fn zero() -> Self {
        Self { size: 0, text: "0".to_owned() }
    }
}

fn amount_of(value: &Value) -> Option<Amount> {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    parse_billionths(&text).map(|size| Amount { size, text })
}

/// Pairs of fields with the desired and the actual replicas.
const COUNTS: [(&str, &str); 19] = [
    ("spec.replicas", "status.replicas"),
    ("spec.size", "status.size"),
    ("spec.nodes", "status.nodes"),
    ("spec.members", "status.members"),
    ("spec.replicas", "status.readyReplicas"),
    ("spec.replicas", "status.availableReplicas"),
    ("spec.replicas", "status.updatedReplicas"),
    ("spec.replicas", "status.readyCount"),
    ("spec.replicas", "status.ready"),
    ("spec.size", "status.readyReplicas"),
    ("spec.size", "status.ready"),
    ("spec.members", "status.readyMembers"),
    ("spec.instances", "status.readyInstances"),
    ("spec.instances", "status.instances"),
    ("status.replicas", "status.upToDateNodes"),
    ("status.desiredNumberScheduled", "status.numberReady"),
    ("status.desiredNumberScheduled", "status.updatedNumberScheduled"),
    ("status.desiredHealthy", "status.currentHealthy"),
    ("status.desiredReplicas", "status.readyReplicas"),
];

/// Returns true if a field counts the parts that should be: `desired`, `desiredNumberScheduled`.
fn names_wanted(key: &str) -> bool {
    WANTED.contains(&key) || tokens(key).first().is_some_and(|first| WANTED[..4].contains(&first.as_str()))
}

/// The maximum length of a text that is a share; longer ones are explanations.
const LONGEST_SHARE: usize = 40;
/// Words of fields that count parts that are reached or have taken part.
const REACHED: [&str; 12] = [
    "up",
    "alive",
    "connected",
    "online",
    "synced",
    "bound",
    "joined",
    "succeeded",
    "responding",
    "reachable",
    "completed",
    "finished",
];
/// Returns true for counts of parts that are not done: `pending`, `waitApplied`, `incompleteBackups`.
fn counts_open_parts(words: &[String], number: i64) -> bool {
    const OPEN: [&str; 9] =
        ["blocked", "incomplete", "modified", "overdue", "pending", "stale", "unapplied", "wait", "waiting"];
    /// Larger numbers are times.
    const MOST: i64 = 1_000_000;
    number < MOST
        && !is_setting(words)
        && !words.iter().any(|word| ["last", "since", "duration", "generation"].contains(&word.as_str()))
        && words.iter().any(|word| OPEN.contains(&word.as_str()))
}

/// Prefixes of fields that count healthy parts.
const WELL: [&str; 5] = ["ready", "available", "updated", "healthy", "running"];
/// Returns true for the names of fields that count usable parts: `readyClusters`, `availableNodes`.
fn counts_usable(key: &str) -> bool {
    let is_usable = |prefix: &str| ["ready", "available", "healthy"].contains(&prefix);
    counted_parts(key).is_some_and(|(prefix, rest)| is_usable(prefix) && !rest.contains("Replicas"))
}

/// Splits the name of a field that counts parts: `readyMembers` and `membersReady` into `ready` and `Members`.
fn counted_parts(key: &str) -> Option<(&'static str, String)> {
    let starts_upper = |text: &str| text.starts_with(|letter: char| letter.is_ascii_uppercase());
    let before = || {
        let prefix = WELL.into_iter().chain(REACHED).chain(["current"]).find(|prefix| key.starts_with(prefix))?;
        Some((prefix, key.strip_prefix(prefix)?.to_owned())).filter(|(_, rest)| starts_upper(rest))
    };
    let behind = || {
        WELL.into_iter().chain(REACHED).find_map(|suffix| {
            let at = key.len().checked_sub(suffix.len()).filter(|at| *at > 0 && key.is_char_boundary(*at))?;
            let (rest, end) = key.split_at(at);
            let is_suffix = starts_upper(end) && end.eq_ignore_ascii_case(suffix);
            let mut letters = rest.chars();
            let first = letters.next()?.to_ascii_uppercase();
            is_suffix.then(|| (suffix, std::iter::once(first).chain(letters).collect()))
        })
    };
    // `notReady` counts the others.
    before().or_else(behind).filter(|(_, rest)| !NEGATIONS.contains(&rest.to_lowercase().as_str()))
}

/// Returns a count: a number, or the length of a list.
pub(super) fn count_of(value: &Value) -> Option<i64> {
    whole_number(value).or_else(|| i64::try_from(value.as_array()?.len()).ok())
}

/// Returns true if an absent count means zero because its sibling fields are present.
fn absent_means_zero(any: &GenericObject, path: &str) -> bool {
    path == "status.readyReplicas" && any.status.get("replicas").is_some()
}

/// Returns true if a count has its own target: `expectedUpdatedReplicas` next to `updatedReplicas`.
fn has_own_target(status: &Value, field: &str) -> bool {
    status.get(format!("expected{}", with_uppercase_initial(field))).is_some()
}

/// Returns the number of the other parts: `unreadyNodes` and `notReadyNodes` next to `readyNodes`.
fn rest_of(prefix: &str, counted: &str, siblings: &Map<String, Value>) -> Option<i64> {
    let others = [format!("un{prefix}{counted}"), format!("not{}{counted}", with_uppercase_initial(prefix))];
    others.iter().find_map(|other| siblings.get(other).and_then(count_of))
}

fn with_uppercase_initial(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// Returns a name with its first letter in lower case, as in field names.
fn with_lowercase_initial(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}
