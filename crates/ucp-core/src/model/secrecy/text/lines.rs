//! Lines that begin with the name of a secret, in documents that are not YAML: the value is the rest of the line, and the
//! lines that continue it.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::super::ascii::ascii_regex;
use super::super::names::{is_generic_secret_name, is_secret_name};
use super::expression::echoed_value;
use super::value::{is_command_output, is_masked, quoted_value};
use super::words::{is_prose, is_sentence, is_technical};

/// Longest name at the start of a line.
const LONGEST_NAME: usize = 128;
/// Longest text of one line that is one setting.
const LONGEST_LINE: usize = 512;
/// Most aliases whose anchors are searched.
const MOST_ALIASES: usize = 16;

/// The name at the start of a line, and its separator.
static START: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let prefix = r"(?:export|set|SET|ENV|ARG|local|readonly|declare(?: -x)?|const|let|var)[ \t]+|\$env:|- |\? ";
    ascii_regex(&format!(
        r#"^([+-]?[ \t]*(?:{prefix})*)["'`]?([^\s"'`:=,;(){{}}\[\]<>|&$#/\\-][^\s"'`:=,;(){{}}\[\]<>|&$#/\\]*)["'`]?[ \t]*(:=|=>|[?+:]=|=|:(?:[ \t\r]|$))[ \t]*"#
    ))
    .ok()
});
/// A call or an index: `getenv("X")`, `data.db["password"]`.
static CODE: LazyLock<Option<Regex>> = LazyLock::new(|| ascii_regex(r"^[A-Za-z_][\w.:]*[(\[]").ok());
/// An alias of YAML behind its key.
static ALIAS: LazyLock<Option<Regex>> =
    LazyLock::new(|| ascii_regex(r#"([\w.-]+)["']?\s*:\s+(?:\{\s*<<:\s*)?\*([\w.-]+)"#).ok());

/// A line that begins with the name of a secret.
struct SecretLine<'a> {
    name: &'a str,
    /// Width of the indentation, including that of an item.
    indent: usize,
    is_colon: bool,
    /// True for `name=value`, as in shells.
    is_tight: bool,
    /// Where the value begins in the line.
    value: usize,
}

fn secret_line(line: &str) -> Option<SecretLine<'_>> {
    let captures = START.as_ref()?.captures(line)?;
    let (whole, lead, name, separator) = (captures.get(0)?, captures.get(1)?, captures.get(2)?, captures.get(3)?);
    let full = name.as_str();
    let last = full.rsplit('.').next()?;
    let is_secret = full.len() <= LONGEST_NAME && (is_secret_name(last) || is_secret_name(full));
    // Results of tests, the directory of a shell, and the path of a file.
    let is_other = matches!(full, "PASS" | "PWD" | "OLDPWD") || full.to_ascii_lowercase().ends_with("kubeconfig");
    if !is_secret || is_other {
        return None;
    }
    let is_tight = separator.as_str() == "=" && separator.start() == name.end() && whole.end() == separator.end();
    Some(SecretLine {
        name: full,
        indent: lead.as_str().len(),
        is_colon: separator.as_str().starts_with(':') && separator.as_str() != ":=",
        is_tight,
        value: whole.end(),
    })
}

/// Returns the value of a text that is one setting, and no message.
pub(super) fn only_value(text: &str) -> Option<Range<usize>> {
    if text.len() > LONGEST_LINE {
        return None;
    }
    let body = text.trim_end();
    let line = secret_line(body).filter(|line| !is_generic_secret_name(line.name))?;
    let value = &body[line.value..];
    if value.starts_with(['"', '\'', '`']) {
        return after_quoted(text, line.value, body.len()).ok();
    }
    let mut words = value.split_whitespace();
    let is_setting = words.clone().count() > 1
        && is_mostly_no_prose(value)
        && !value.contains(": ")
        && !value.contains(['=', '{', '[', '(', '"', '\'', '`', '<', '>', ';', '|', '…'])
        && !words.any(|word| word.starts_with(['-', '/', '$']) || is_technical(word));
    is_setting.then_some(line.value..body.len())
}

/// Returns true if less than half of the words occur in messages, or one of them has letters and digits.
fn is_mostly_no_prose(value: &str) -> bool {
    let words = || value.split_whitespace();
    words().filter(|word| is_prose(word)).count() * 2 < words().count() || words().any(is_code_word)
}

/// Returns true for letters and digits in one word.
fn is_code_word(word: &str) -> bool {
    let has = |is_one: fn(&u8) -> bool| word.as_bytes().iter().any(is_one);
    has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic) && !word.contains([':', '/', '.', '-'])
}

/// Returns the range of a value with more after its quoted part: `"a" + "b"`. Otherwise, returns the end of that part.
fn after_quoted(text: &str, begin: usize, end: usize) -> Result<Range<usize>, usize> {
    let quoted = quoted_value(text, begin).map_or(end, |range| range.end + 1);
    let rest = text.get(quoted..end).unwrap_or_default().trim_start();
    let has_more = rest.starts_with(|c: char| c.is_alphanumeric() || "+.\"'`$%&!?".contains(c)) && !is_sentence(rest);
    let value = text[begin..end].trim_end_matches([',', ';']);
    if has_more { Ok(begin..begin + value.len()) } else { Err(quoted) }
}

/// Adds the values of all lines. In YAML that was read, only assignments are left.
pub(super) fn find(text: &str, is_yaml: bool, found: &mut Vec<Range<usize>>) {
    let mut at = 0;
    while at < text.len() {
        let end = line_end(text, at);
        let line = text[at..end].trim_end();
        match secret_line(line).filter(|start| !(is_yaml && start.is_colon)) {
            Some(start) => at = find_value(text, at, line, &start, found).max(end),
            None => at = end,
        }
    }
    if !is_yaml {
        find_anchors(text, found);
    }
}

/// Returns the start of a document behind the words of a message on its first line: `cannot parse password: one⏎  two`.
pub(super) fn key_behind_message(text: &str) -> Option<usize> {
    let line = &text[..line_end(text, 0).min(text.floor_char_boundary(LONGEST_LINE))];
    // An assignment behind words is a flag of a command, and a sentence may follow the name of a kind: `the Secrets: …`.
    let starts_key = |at: &usize| {
        let Some(captures) = START.as_ref().and_then(|start| start.captures(&line[*at..])) else { return false };
        let part = |number: usize| captures.get(number).map_or("", |part| part.as_str());
        let value = line[*at + part(0).len()..].trim_end();
        let is_key = part(3).starts_with(':') && part(3) != ":=" && !is_generic_secret_name(part(2));
        is_key && (!value.contains(' ') || is_mostly_no_prose(value))
    };
    line.match_indices(' ').map(|(at, _)| at + 1).find(starts_key)
}

/// Returns the start of the next line.
fn line_end(text: &str, at: usize) -> usize {
    memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |end| at + end + 1)
}

/// Adds the value of one line, and returns where it ends.
fn find_value(text: &str, at: usize, line: &str, start: &SecretLine<'_>, found: &mut Vec<Range<usize>>) -> usize {
    let mut begin = at + start.value;
    let end = at + line.len();
    if let Some(value) = echoed_value(text, begin) {
        found.push(value);
        return end;
    }
    // An anchor or a tag is before the value.
    while text[begin..end].starts_with(['&', '!']) && start.is_colon {
        let decorated = &text[begin..end];
        let rest = decorated.find(char::is_whitespace).map_or("", |word| decorated[word..].trim_start());
        begin = end - rest.len();
    }
    let value = &text[begin..end];
    let is_header = value.starts_with(['|', '>']) && start.is_colon;
    if value.is_empty() || value.starts_with('#') || is_header {
        return if start.is_colon { find_continued(text, end, start.indent, is_header, found) } else { end };
    }
    if value.starts_with(['"', '\'', '`']) {
        return match after_quoted(text, begin, end) {
            Ok(value) => {
                found.push(value);
                end
            }
            Err(quoted) => quoted.max(end),
        };
    }
    if value.starts_with(['{', '[', '(', '<', '*'])
        || is_command_output(value)
        || is_masked(value)
        || is_sentence(value)
        || CODE.as_ref().is_some_and(|code| code.is_match(value))
        || start.is_tight && is_command(value)
    {
        return end;
    }
    let is_words = value.contains(char::is_whitespace);
    let (all, prose) =
        (value.split_whitespace().count(), value.split_whitespace().filter(|word| is_prose(word)).count());
    if all == prose && (start.is_colon || all > 1) {
        return end;
    }
    if is_words || value.ends_with('\\') {
        found.push(begin..begin + without_mark(value).len());
    }
    match value.ends_with('\\') {
        true => find_escaped(text, end, found),
        false => find_continued(text, end, start.indent, false, found),
    }
}

/// Returns true if a command follows a variable on its line: `PASSWORD=X psql -h db`.
fn is_command(value: &str) -> bool {
    let Some((first, rest)) = value.split_once(char::is_whitespace) else { return false };
    first.ends_with([';', ',', '&'])
        || rest.split_whitespace().any(|word| word.contains('=') || word.starts_with(['-', '/', '&', '|', '>', '.']))
}

/// Returns a line without the backslash that continues it.
fn without_mark(line: &str) -> &str {
    line.strip_suffix('\\').unwrap_or(line).trim_end()
}

/// Adds the lines after one that ends with a backslash, and returns where they end.
fn find_escaped(text: &str, end: usize, found: &mut Vec<Range<usize>>) -> usize {
    let mut at = line_end(text, end);
    while at < text.len() {
        let next = line_end(text, at);
        let line = text[at..next].trim_end();
        let body = line.trim_start();
        let start = at + line.len() - body.len();
        found.push(start..start + without_mark(body).len());
        at = next;
        if !line.ends_with('\\') {
            break;
        }
    }
    at
}

/// Adds the lines that are indented more than a name, and returns where they end. A block scalar has any content.
fn find_continued(text: &str, end: usize, indent: usize, is_block: bool, found: &mut Vec<Range<usize>>) -> usize {
    let mut at = line_end(text, end);
    let mut last = at;
    while at < text.len() {
        let next = line_end(text, at);
        let line = text[at..next].trim_end();
        let body = line.trim_start();
        let is_other = || {
            body.starts_with(['-', '#', '}', ']', ')', '<', '{', '[', '|', '│', '^'])
                || body.starts_with("at ") && body.contains('(')
                || START.as_ref().is_some_and(|start| start.is_match(line))
        };
        if !body.is_empty() {
            if line.len() - body.len() <= indent || !is_block && is_other() {
                break;
            }
            found.push(at + line.len() - body.len()..at + line.len());
            last = next;
        }
        at = next;
    }
    last
}

/// Adds the values of anchors whose aliases are at secret places.
fn find_anchors(text: &str, found: &mut Vec<Range<usize>>) {
    let has = |mark: &[u8]| memchr::memmem::find(text.as_bytes(), mark).is_some();
    if !has(b" *") || !has(b"&") {
        return;
    }
    let aliases = ALIAS.iter().flat_map(|pattern| pattern.captures_iter(text));
    let of_secrets: BTreeSet<&str> = aliases
        .filter_map(|captures| Some((captures.get(1)?, captures.get(2)?)))
        .filter(|(name, _)| is_secret_name(name.as_str()))
        .map(|(_, alias)| alias.as_str())
        .take(MOST_ALIASES)
        .collect();
    for alias in of_secrets {
        for (at, mark) in text.match_indices(&format!("&{alias}")) {
            let behind = at + mark.len();
            let line = text[behind..line_end(text, behind)].trim_end();
            let value = line.trim_start();
            if value.len() < line.len() && !value.starts_with('#') {
                let start = behind + line.len() - value.len();
                found.push(quoted_value(text, start).unwrap_or(start..start + value.len()));
            } else if line.is_empty() {
                let begin = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
                let indent = text[begin..at].len() - text[begin..at].trim_start_matches([' ', '-']).len();
                find_continued(text, behind, indent, true, found);
            }
        }
    }
}
