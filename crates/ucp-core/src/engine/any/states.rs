//! Searches a status for states, at any depth, and reads their words: `phase: Running`, `parts: [{state: Failed}]`.

use serde_json::{Map, Value};

use super::condition;
use super::conditions::{self, StatusContext};
use super::convention::meaning_of_running;
use super::field_names::{FieldName, FieldTense, is_last_attempt, tense};
use super::hints::verdict_from_name;
use super::obstacles::awaits_person;
use super::progress_times::{last_change, may_pass};
use super::sentences::{TextFraction, has_open_number, text_fraction};
use super::sign::{SignWeight, StatusSign};
use super::words::{
    WordMeaning, is_activity, is_known, is_left_out, is_partial, is_step, meaning, meaning_of_sentence, names_success,
    tokens,
};
use crate::model::convention::{RunningMeaning, VerdictWords};
use crate::model::verdict::Verdict;

/// The maximum nesting depth that is searched.
const DEEPEST: usize = 32;

/// Good words that say of a task that it is not complete.
const UNFINISHED: [&str; 10] =
    ["running", "active", "started", "run", "scheduled", "admitted", "assigned", "claimed", "reserved", "launched"];

/// The maximum length of a state; longer texts are explanations.
pub(super) const LONGEST_STATE: usize = 80;

/// The maximum length of a text with several parts.
const LONGEST_LIST: usize = 400;

/// A search for states in a status.
pub(super) struct StatusSearch<'a> {
    pub(super) about: StatusContext<'a>,
    pub(super) signs: Vec<StatusSign>,
}

impl StatusSearch<'_> {
    /// Reads one level of a status; `path` is the dotted path from the status.
    pub(super) fn object(&mut self, value: &Value, path: &str, depth: usize) {
        let Value::Object(fields) = value else { return };
        let here = match depth {
            0 => SignWeight::Deciding,
            _ if path.split('.').any(is_last_attempt) => SignWeight::Past,
            _ => SignWeight::Aside,
        };
        if depth > 0 && condition::is_condition(value) {
            let found = conditions::signs(&condition::read_one(value), &self.about).into_iter();
            self.signs.extend(found.map(|sign| sign.of_part(here)));
            fields.values().for_each(|value| self.below(value, path, depth));
            return;
        }
        self.check_counters(path, fields);
        self.check_generation_of_part(path, fields);
        for (key, value) in fields {
            let field = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            let before = self.signs.len();
            let is_word = !value.is_object() && !value.is_array();
            if let Some(words) = self.about.convention.words_of(&field).filter(|_| is_word) {
                self.listed(&field, value, words);
                self.explain(before, fields);
                continue;
            }
            let is_listed_below =
                || self.about.convention.states.keys().any(|path| path.starts_with(&format!("{field}.")));
            let name = FieldName::parse(key);
            let tense = if is_listed_below() { FieldTense::Present } else { tense(&name, value) };
            if self.about.convention.ignores(&field) || tense == FieldTense::Past {
                continue;
            }
            if tense == FieldTense::Planned {
                self.failures_below(value, &field, depth);
                continue;
            }
            let weight = if is_last_attempt(key) && here != SignWeight::Past { SignWeight::Last } else { here };
            if name.last() == "conditions" {
                let found = condition::read(value);
                let signs = conditions::signs(&found, &self.about).into_iter();
                self.signs.extend(signs.map(|sign| if depth == 0 { sign } else { sign.of_part(here) }));
                self.check_problems_in_conditions(value);
                // Items without a type are parts in another notation.
                let parts = value.as_array().into_iter().flatten().filter(|item| item.get("type").is_none());
                parts.for_each(|part| self.below(part, &field, depth));
                // Conditions below another name, such as that of a part, or again `conditions`.
                if found.is_empty() && value.is_object() {
                    self.below(value, &field, depth);
                }
                continue;
            }
            self.field(&name, &field, value, fields, weight);
            if self.signs.len() == before
                && let Some((verdict, words)) = verdict_from_name(key, value, fields, self.about.now)
            {
                let weight = if here == SignWeight::Past { SignWeight::Past } else { SignWeight::Last };
                self.push(verdict, weight, format!("{field} {words}"));
            }
            self.explain(before, fields);
            let explained = self.signs.len();
            self.share(key, &field, value, fields, weight);
            if self.signs.len() == explained && explained == before {
                self.named_number(key, &field, value);
            }
            if self.signs.len() == before {
                self.unsettled_word(&name, &field, value);
            }
            self.below(value, &field, depth);
        }
    }

    /// Adds a doubt for each failure below a field that describes the desired state, or parts of the past.
    fn failures_below(&mut self, value: &Value, field: &str, depth: usize) {
        let before = self.signs.len();
        self.below(value, field, depth);
        let found = self.signs.split_off(before).into_iter();
        let failures = found.filter(|sign| matches!(sign.verdict, Verdict::Failed | Verdict::NeedsHuman));
        self.signs.extend(failures.map(|sign| StatusSign {
            verdict: Verdict::Unknown,
            weight: SignWeight::Doubt,
            ..sign
        }));
    }

    fn below(&mut self, value: &Value, field: &str, depth: usize) {
        if depth >= DEEPEST {
            return;
        }
        match value {
            Value::Object(_) => self.object(value, field, depth + 1),
            Value::Array(items) => items.iter().for_each(|item| match item.as_str() {
                Some(text) => self.named_part(field, text),
                None => self.below(item, field, depth + 1),
            }),
            // Several parts in one text: `a=Running,b=Failed`.
            Value::String(text) if text.contains([',', ';']) && text.len() <= LONGEST_LIST => {
                text.split([',', ';']).for_each(|part| self.named_part(field, part.trim()));
            }
            _ => {}
        }
    }

    /// Reads a part and its state in one text: `member-0: Failed`.
    fn named_part(&mut self, field: &str, text: &str) {
        let Some((name, state)) = text.rsplit_once([':', '=']) else { return };
        let is_name = !name.is_empty() && !name.contains(char::is_whitespace);
        let state = state.trim();
        if is_name
            && !state.contains(char::is_whitespace)
            && is_known(state)
            && meaning(state) == Some(WordMeaning::Bad)
        {
            self.part(&format!("{field}.{name}"), state);
        }
    }

    /// Adds the sibling field `message` or `reason` to the signs of a state that is not OK, and the time of the last change to
    /// those of progress.
    fn explain(&mut self, before: usize, beside: &Map<String, Value>) {
        for sign in self.signs[before..].iter_mut().filter(|sign| sign.verdict == Verdict::Progressing) {
            sign.since = sign.since.or_else(|| last_change(beside));
        }
        let text = |key: &str| beside.get(key)?.as_str().map(str::trim).filter(|text| !text.is_empty());
        let Some(words) = text("message").or_else(|| text("reason")) else { return };
        let running = meaning_of_running(self.about.convention, self.about.kind);
        for sign in self.signs[before..].iter_mut().filter(|sign| sign.verdict != Verdict::Ok) {
            if !sign.message.contains(words) {
                sign.message = format!("{}: {words}", sign.message);
            }
            if sign.since.is_none() && may_pass(sign, running) {
                sign.since = last_change(beside);
            }
        }
    }

    /// Reads a field that is listed in the table of conventions.
    fn listed(&mut self, field: &str, value: &Value, words: &VerdictWords) {
        let word = match value {
            Value::String(word) => word.clone(),
            Value::Bool(flag) => flag.to_string(),
            Value::Number(number) => number.to_string(),
            _ => return,
        };
        let sign = match words.verdict(&word) {
            Some(verdict) => {
                StatusSign { verdict, weight: SignWeight::Deciding, since: None, message: format!("{field} is {word}") }
            }
            None => match self.word(field, &word, SignWeight::Deciding) {
                sign if sign.verdict == Verdict::Unknown => StatusSign { weight: SignWeight::Doubt, ..sign },
                sign => sign,
            },
        };
        self.signs.push(sign);
    }

    pub(super) fn word(&self, field: &str, word: &str, weight: SignWeight) -> StatusSign {
        let said = if word.contains(' ') { meaning_of_sentence(word) } else { meaning(word) };
        let said = match (said, text_fraction(word)) {
            (Some(WordMeaning::Good | WordMeaning::Done) | None, Some(TextFraction::Part)) => {
                Some(WordMeaning::Progress)
            }
            // A good word next to an unknown word, or to a number of some parts, may not be good.
            (Some(WordMeaning::Good | WordMeaning::Done), share)
                if !is_known(word) || share.is_none() && has_open_number(word) =>
            {
                None
            }
            (Some(WordMeaning::Good), _) if is_activity(word) => Some(WordMeaning::Progress),
            (Some(WordMeaning::Progress), _) if awaits_person(&tokens(word)) => Some(WordMeaning::Human),
            // A task that has ended makes no more progress: `PartialSuccess`.
            (Some(WordMeaning::Progress), _) if is_partial(word) && names_success(word) => None,
            // The word does not say that this was declared.
            (Some(WordMeaning::Paused), _) if weight == SignWeight::Deciding && is_left_out(word) => None,
            // After one step, there may be others.
            (Some(WordMeaning::Good), _) if weight == SignWeight::Deciding && is_step(word, self.about.kind) => None,
            // Volumes and addresses. As a type of a condition, it has no meaning.
            (None, _) if matches!(tokens(word).as_slice(), [first, last] if first == "in" && last == "use") => {
                Some(WordMeaning::Good)
            }
            (said, _) => said,
        };
        let runs = tokens(word).iter().any(|token| UNFINISHED.contains(&token.as_str()));
        let verdict = match said {
            Some(WordMeaning::Bad) => Verdict::Failed,
            Some(WordMeaning::Human) => Verdict::NeedsHuman,
            Some(WordMeaning::Paused) => Verdict::Paused,
            Some(WordMeaning::Progress) => Verdict::Progressing,
            Some(WordMeaning::Good)
                if runs && meaning_of_running(self.about.convention, self.about.kind) == RunningMeaning::Progress =>
            {
                Verdict::Progressing
            }
            Some(WordMeaning::Good | WordMeaning::Done) => Verdict::Ok,
            None => Verdict::Unknown,
        };
        let weight = match said {
            // A single step may be complete before the whole is: `preDeploymentStatus`, `currentPhase`.
            Some(WordMeaning::Done) if weight == SignWeight::Deciding && describes_whole_object(field) => {
                SignWeight::Final
            }
            _ => weight,
        };
        StatusSign { verdict, weight, since: None, message: format!("{field} is {word}") }
    }

    /// Reads the state of one of several parts.
    pub(super) fn part(&mut self, field: &str, word: &str) {
        if !word.is_empty() && word.len() <= LONGEST_STATE {
            let sign = self.word(field, word, SignWeight::Aside);
            self.signs.push(sign);
        }
    }

    pub(super) fn bad(&mut self, weight: SignWeight, message: String) {
        self.push(Verdict::Failed, weight, message);
    }

    pub(super) fn push(&mut self, verdict: Verdict, weight: SignWeight, message: String) {
        self.signs.push(StatusSign { verdict, weight, since: None, message });
    }

    pub(super) fn doubt(&mut self, message: String) {
        self.push(Verdict::Unknown, SignWeight::Doubt, message);
    }
}

/// Returns true if a state field describes its object as a whole: `phase`, `terminalState`.
fn describes_whole_object(field: &str) -> bool {
    let words = tokens(field);
    let is_final = |word: &String| ["overall", "terminal", "final"].contains(&word.as_str());
    words.len() == 1 || words.first().is_some_and(is_final)
}

/// Returns a value as text of at most a line.
pub(super) fn short_text(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match text.char_indices().nth(LONGEST_STATE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
