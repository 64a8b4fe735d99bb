//! Names with values: with any separator and quotes, on the same line or below.

use std::ops::Range;

use super::super::names::{is_code, is_generic_secret_name, meaning};
use super::block::{block_values, data_before_kind, explicit_key, file_name, here_document};
use super::clues::Clues;
use super::code_name::is_cut_noun;
use super::expression::echoed_value;
use super::field_name::names_key_by_steps;
use super::file;
use super::flow::document_range;
use super::headers::{authorization_value, cookie_value, signature_value};
use super::labelled;
use super::list::{list_end, list_value, may_be_phrase, phrase_value};
use super::separator::{NameSeparator, name_before};
use super::surroundings::{
    Prompt, Surroundings, context_of, is_in_error, is_in_form, is_in_secret, is_of_secret, is_pair, is_path_in_secret,
    prompt,
};
use super::value::{
    WordContext, assigned_value, is_command_output, is_count, is_opaque, quoted_value, typed_value, word_value,
};
use super::words::{is_foreign_description, is_prose};

/// Phrases by which Kubernetes quotes a rejected value.
const REFUSED_VALUES: [&str; 4] = ["Invalid value: ", "Unsupported value: ", "Duplicate value: ", "Too long: "];
/// Length of the shortest value of `key=` that is a secret. Names of objects, hashes, and paths are keys as well.
const SHORTEST_KEY: usize = 20;
/// Length of the shortest number of a card or a token. Those of hardware are shorter.
const SHORTEST_PIN: usize = 4;
/// Length of the shortest code of an authorization. Errors have shorter ones.
const SHORTEST_CODE: usize = 8;
/// Longest path of a file in place of a value.
const LONGEST_PATH: usize = 128;

/// Adds the values of secret-like names.
pub(super) fn find(text: &str, clues: &Clues, found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    let mut colons = 0;
    let mut blocks_end = 0;
    let mut line_end = Some(0);
    let mut hidden_until = 0;
    let surroundings = Surroundings::new(text, clues);
    for at in memchr::memchr3_iter(b':', b'=', b'>', bytes) {
        colons += usize::from(bytes[at] == b':');
        let Some(separator) = NameSeparator::at(text, at) else { continue };
        // `"old" => "new"`: the previous and the next value. The previous one may be hidden already.
        let is_changed = !separator.is_colon
            && found.last().is_some_and(|last| last.end <= separator.start && separator.start - last.end < 4);
        if is_changed {
            let becomes = quoted_value(text, separator.end).or_else(|| assigned_value(text, separator.end));
            hidden_until = becomes.as_ref().map_or(hidden_until, |value| hidden_until.max(value.end));
            found.extend(becomes);
            continue;
        }
        let explicit = || explicit_key(text, separator.start).filter(|_| separator.is_colon);
        let Some(name) = name_before(text, separator.start).or_else(explicit) else { continue };
        // Searched once for a line: a text of one line has as many separators as it likes.
        if line_end.is_some_and(|end| end < separator.end) {
            line_end = memchr::memchr(b'\n', &bytes[separator.end..]).map(|end| separator.end + end);
        }
        if separator.is_colon
            && at >= blocks_end
            && let Some(line_end) = line_end
            && let Some(block) = block_values(text, &name, separator.end..line_end)
        {
            let end = block.last().map_or(at, |range| range.end);
            blocks_end = blocks_end.max(end);
            found.extend(block);
            continue;
        }
        if separator.start < hidden_until {
            continue;
        }
        let value = secret_value(&surroundings, name, &separator);
        hidden_until = value.as_ref().map_or(hidden_until, |value| hidden_until.max(value.end));
        found.extend(value);
    }
    if colons >= 4 {
        labelled::find_in_password_files(text, found);
    }
    labelled::find(text, clues, found);
    found.extend(data_before_kind(text));
}

/// Returns the range of the value of a name, if the value is a secret.
fn secret_value(
    surroundings: &Surroundings<'_>,
    name: Range<usize>,
    separator: &NameSeparator,
) -> Option<Range<usize>> {
    let text = surroundings.text;
    let full = &text[name.clone()];
    // In a path of fields, the last one decides; elements of lists are numbered.
    let last = full.rsplit('.').find(|part| !part.is_empty() && !part.chars().all(|c| c.is_ascii_digit()))?;
    let start = separator.end;
    let meaning = meaning(last);
    if !meaning.is_secret
        && (full.len() > last.len() || text[..name.start].ends_with('.'))
        && file::is_secret_file(file_name(text, &name))
    {
        // An error about a file is a sentence.
        let is_document = |value: &str| value.starts_with(['{', '[']) || value.contains("\\n") || !value.contains(' ');
        return quoted_value(text, start).filter(|range| is_document(text[range.clone()].trim_start_matches('\\')));
    }
    if meaning.is_authorization {
        return authorization_value(text, start);
    }
    if meaning.is_cookie {
        return cookie_value(text, start);
    }
    if meaning.is_signature_header && (separator.is_colon || !meaning.is_signature) {
        return signature_value(text, start);
    }
    let rest = &text[start..];
    if separator.is_colon
        && let Some(phrase) = REFUSED_VALUES.iter().find(|phrase| rest.starts_with(**phrase))
    {
        let start = start + phrase.len();
        let is_data = full == "data" && text[start..].starts_with("map[string]");
        let is_secret = is_data || meaning.is_secret || is_of_secret(surroundings, name.start, full);
        let value = || {
            quoted_value(text, start)
                .or_else(|| map_value(text, start))
                .or_else(|| document_range(text, start))
                .or_else(|| word_value(text, start, WordContext::Setting))
        };
        return is_secret.then(value).flatten();
    }
    let in_query = text[..name.start].ends_with(['?', '&', ';']) && !separator.is_colon;
    let value = || quoted_value(text, start).or_else(|| assigned_value(text, start));
    // `NEO4J_AUTH=user/X`
    if last.ends_with("_AUTH")
        && let Some(password) = value().and_then(|range| password_of_login(text, range))
    {
        return Some(password);
    }
    if !meaning.is_secret && !is_pair(text, &name, last) && !is_cut_noun(&text[..name.start], last) {
        return match () {
            () if !separator.is_colon && meaning.is_signature => value().filter(|range| range.len() >= 10),
            () if in_query && meaning.is_query_secret => {
                assigned_value(text, start).filter(|range| last != "code" || range.len() >= SHORTEST_CODE)
            }
            () if last.eq_ignore_ascii_case("pin") => {
                value().filter(|range| range.len() >= SHORTEST_PIN && is_number(&text[range.clone()]))
            }
            () if !separator.is_colon && meaning.is_query_secret && is_in_form(text, start) => {
                assigned_value(text, start).filter(|range| is_opaque(&text[range.clone()]))
            }
            () if meaning.is_routing => value().filter(|range| is_code(&text[range.clone()])),
            () if meaning.is_ambiguous && last != "key" => value().filter(|range| is_random(&text[range.clone()])),
            () if is_in_secret(text, name.start, last) => match rest.starts_with("map[") {
                true => map_value(text, start),
                false => value(),
            },
            () if is_path_in_secret(full, last) => {
                value().filter(|range| range.start > start || !(separator.is_colon && separator.is_apart))
            }
            () if surroundings.is_data_of_secret(last) && rest.starts_with("map[") => map_value(text, start),
            () if names_key_by_steps(full) => value().filter(|range| is_random(&text[range.clone()])),
            () if separator.is_apart && surroundings.names_secret => {
                let is_code = |range: &Range<usize>| meaning.is_ambiguous && is_key(&text[range.clone()]);
                prompted_value(text, &name, start).or_else(|| value().filter(is_code))
            }
            () if meaning.is_ambiguous => value().filter(|range| is_key(&text[range.clone()])),
            () => None,
        };
    }
    // `--- PASS: TestName`, of Go.
    if last == "PASS" && text[..name.start].ends_with("--- ") {
        return None;
    }
    // A number of tests.
    if last.eq_ignore_ascii_case("pass") && rest.starts_with(|c: char| c.is_ascii_digit()) && is_tally(rest) {
        return None;
    }
    // The current directory of a shell.
    if matches!(last, "PWD" | "OLDPWD") && rest.starts_with('/') {
        return None;
    }
    // What a parser did not expect.
    if last.eq_ignore_ascii_case("token") && is_unexpected(&text[..name.start]) {
        return value().filter(|range| is_opaque(&text[range.clone()]));
    }
    let names_objects = names_secrets(last);
    let whole = here_document(text, start)
        .or_else(|| echoed_value(text, start))
        .or_else(|| {
            list_value(text, start)
                .filter(|range| !names_objects || text[range.clone()].split([',', ' ']).any(is_opaque))
        })
        .or_else(|| typed_value(text, start))
        .or_else(|| phrase_value(text, start, last).filter(|_| !is_in_error(text, &name)));
    if whole.is_some() || names_objects && rest.starts_with('[') {
        return whole;
    }
    let is_value = |range: &Range<usize>| {
        let value = &text[range.clone()];
        !(names_file(text, &name, value)
            || is_count(last, value)
            || is_command_output(value)
            || !separator.is_colon && DEMANDS.contains(&value)
            || !separator.is_colon && last.eq_ignore_ascii_case("key") && is_name_in_sentence(text, range)
            || is_first_of_words(text, separator, range)
            || separator.is_apart && !may_be_phrase(last) && is_sentence(text, range))
    };
    one_value(surroundings, name.clone(), separator).filter(is_value).map(|range| match names_objects {
        true => range,
        false => range.start..list_end(text, &range, last),
    })
}

/// What a message demands of a value: `password=required`.
const DEMANDS: [&str; 5] = ["required", "optional", "forbidden", "missing", "unset"];

/// Returns true if the text before `token` says that a parser did not expect it.
fn is_unexpected(before: &str) -> bool {
    const WORD: &str = "unexpected";
    let before = before.trim_end();
    before.len() >= WORD.len() && before.as_bytes()[before.len() - WORD.len()..].eq_ignore_ascii_case(WORD.as_bytes())
}

/// Returns true if a plain word names a key, since the sentence goes on: `secret key=endpoint missing`.
fn is_name_in_sentence(text: &str, value: &Range<usize>) -> bool {
    let next = text[value.end..].strip_prefix(' ').and_then(|rest| rest.split_whitespace().next());
    text[value.clone()].bytes().all(|byte| byte.is_ascii_lowercase() || b"-._".contains(&byte))
        && next.is_some_and(is_prose)
}

/// Returns the password of a login in one value: `user/X`, `user:X`.
fn password_of_login(text: &str, login: Range<usize>) -> Option<Range<usize>> {
    let value = &text[login.clone()];
    let user = value.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || b"_.@+-".contains(byte)).count();
    let password = value[user..].strip_prefix(['/', ':']).filter(|rest| !rest.starts_with('/') && !is_prose(rest))?;
    (user > 0 && password.len() >= 4).then(|| login.end - password.len()..login.end)
}

/// Returns true if the number of failed tests follows a number: `17 fail=0`, `17, failed: 0`.
fn is_tally(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches([',', ';', ' ']);
    rest.get(..4).is_some_and(|word| word.eq_ignore_ascii_case("fail"))
}

/// Returns true if a name stands for the path of a file: `--from-file=NAME=PATH`, `KUBECONFIG=~/.kube/config`.
fn names_file(text: &str, name: &Range<usize>, value: &str) -> bool {
    let before = text[..name.start].trim_end_matches(['"', '\'']);
    let is_from_file = before.ends_with("--from-file=") || before.ends_with("--from-file ");
    let is_path = || {
        value.len() < LONGEST_PATH
            && value.starts_with(|c: char| c.is_ascii_lowercase() || "~./$".contains(c))
            && value.contains(['/', '.'])
            && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"~./_-${}".contains(&byte))
    };
    is_from_file || text[name.clone()].to_ascii_lowercase().ends_with("kubeconfig") && is_path()
}

/// Returns true if an unquoted word after `->` or `:=` begins a sentence or a call: `token -> KV key`, `password := include
/// "x"`.
fn is_first_of_words(text: &str, separator: &NameSeparator, value: &Range<usize>) -> bool {
    let is_word = text[value.clone()].bytes().all(|byte| byte.is_ascii_alphabetic() || b"-_.".contains(&byte));
    let goes_on = text[value.end..].strip_prefix(' ').is_some_and(|rest| !rest.trim_start().is_empty());
    ["->", ":="].iter().any(|arrow| text[separator.start..].starts_with(arrow))
        && value.start == separator.end
        && is_word
        && goes_on
}

/// Returns true if a plain word begins a sentence: `credentials: options must be provided`.
fn is_sentence(text: &str, value: &Range<usize>) -> bool {
    const NEAR: usize = 4;
    let line = text[value.end..].lines().next().unwrap_or_default();
    text[value.clone()].bytes().all(|byte| byte.is_ascii_lowercase())
        && line.starts_with(' ')
        && line.split_whitespace().take(NEAR).any(is_prose)
}

/// Returns the range of a value of one word or in quotes, after a secret-like name.
fn one_value(surroundings: &Surroundings<'_>, name: Range<usize>, separator: &NameSeparator) -> Option<Range<usize>> {
    let text = surroundings.text;
    let full = &text[name.clone()];
    let last = full.rsplit('.').find(|part| !part.is_empty())?;
    let start = separator.end;
    let value = || quoted_value(text, start).or_else(|| assigned_value(text, start));
    let is_below = text[..name.start].ends_with(['/', ':']);
    if !separator.is_colon {
        // `--secret-env namespace/name:password=VARIABLE`, `--secret-file namespace/name=key.json`.
        let is_source = |value: &str| {
            value == "-"
                || value.contains(|c: char| c.is_ascii_uppercase())
                    && value.chars().all(|c| c.is_ascii_uppercase() || c == '_')
                || value
                    .rsplit_once('.')
                    .is_some_and(|(_, ending)| ["json", "yaml", "yml", "txt", "pem", "key"].contains(&ending))
        };
        return value().filter(|range| {
            let value = &text[range.clone()];
            let is_path = value.contains('/') && value.chars().all(|c| c.is_ascii_lowercase() || c == '-' || c == '/');
            let is_reference = is_generic_secret_name(last) && (is_path || surroundings.is_name_of_secret(value));
            // `-l example.org/secrets-key=active` selects a label.
            let is_label = text[..name.start].ends_with('/') && value.bytes().all(|byte| byte.is_ascii_lowercase());
            !(is_below && is_source(value) || is_label || is_reference)
        });
    }
    if let Some(found) = quoted_value(text, start) {
        return Some(found)
            .filter(|range| !(is_generic_secret_name(last) && surroundings.is_name_of_secret(&text[range.clone()])));
    }
    // `secrets/db-password: …` is an object, and `…:secret:db-password:…` is an ARN.
    let before = &text[..name.start];
    // `:password: …` is a symbol of Ruby.
    let is_switch = before
        .strip_suffix(['/', ':'])
        .is_some_and(|before| before.is_empty() || before.ends_with([' ', '\t', '\n', '"', '\'']));
    if before.ends_with(['/', ':', '@']) && !before.ends_with("://") && !is_switch {
        return None;
    }
    if separator.is_apart {
        return word_value(text, start, context_of(text, &name, last));
    }
    let is_version = |value: &str| {
        let digits = value.strip_prefix('v').unwrap_or(value);
        full.contains('-')
            && (digits.starts_with(|c: char| c.is_ascii_digit()) && value.len() < 12
                || matches!(value, "latest" | "stable" | "main" | "master" | "edge" | "dev"))
    };
    let is_reference = |value: &str| {
        is_generic_secret_name(last) && value.contains('/') && !value.contains(|c: char| c.is_ascii_uppercase())
    };
    meaning(last)
        .is_secret
        .then(|| assigned_value(text, start))
        .flatten()
        .filter(|range| !is_version(&text[range.clone()]) && !is_reference(&text[range.clone()]))
}

/// Returns the range of the word after a prompt, on the same line or alone on the next one.
fn prompted_value(text: &str, name: &Range<usize>, start: usize) -> Option<Range<usize>> {
    let prompt = prompt(&text[..name.end])?;
    let below = start + (text[start..].len() - text[start..].trim_start().len());
    let is_alone = || !text[below..].lines().next().unwrap_or_default().trim_end().contains(' ');
    let value = word_value(text, below, WordContext::Sentence).filter(|_| below == start || is_alone())?;
    if is_foreign_description(&text[value.clone()]) {
        return None;
    }
    (prompt == Prompt::Password || is_opaque(&text[value.clone()])).then_some(value)
}

/// Returns true if a value is long and contains digits, unlike a word.
fn is_random(value: &str) -> bool {
    is_opaque(value) && !value.contains("://") && !value.contains('/')
}

/// Returns true for digits, and for words that [`is_random`] finds.
fn is_number(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_digit()) || is_random(value)
}

/// Returns true for a value that can only be a key of an API: long, with digits and letters in both cases.
fn is_key(value: &str) -> bool {
    let has = |is_one: fn(&char) -> bool, least: usize| value.chars().filter(is_one).count() >= least;
    value.len() >= SHORTEST_KEY
        && value
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+=_-".contains(&byte) || byte == b'/' && value.ends_with('='))
        && has(char::is_ascii_uppercase, 2)
        && has(char::is_ascii_lowercase, 2)
        && has(char::is_ascii_digit, 2)
        && is_opaque(value)
}

/// Returns the range of a map as Go prints it: `map[string]string{"key":"value"}`.
fn map_value(text: &str, start: usize) -> Option<Range<usize>> {
    let line = text[start..].lines().next().filter(|line| line.starts_with("map["))?;
    // `map[key:value]`, and whatever is after it.
    let mut depth = 0_usize;
    let mut end_of_plain = |byte: u8| {
        depth = if byte == b'[' { depth + 1 } else { depth - usize::from(byte == b']' && depth > 0) };
        byte == b']' && depth == 0
    };
    let plain = line.bytes().position(&mut end_of_plain).filter(|end| !line[end + 1..].starts_with(['[', '{']));
    let is_typed = line.starts_with("map[string]");
    let length = match plain.filter(|_| !is_typed) {
        Some(end) => end + 1,
        None => line.rfind('}').map_or(line.len(), |end| end + 1),
    };
    Some(start..start + length)
}

/// Returns true if a name is that of Secrets, which are followed by names of objects.
fn names_secrets(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    matches!(lower.as_str(), "secret" | "secrets" | "credential" | "credentials")
        || lower.trim_end_matches('s').ends_with("pullsecret")
}
