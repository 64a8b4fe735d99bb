//! Secrets in a text that somebody else wrote: a condition, an error, a server's answer.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::names::{ends_telling, is_authorization, is_signature, is_telling};
use super::userinfo;

/// What stands where a secret stood.
pub const HIDDEN: &str = "<hidden>";

/// Most texts have none of these, and are looked at no further.
static SUSPICIOUS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let words = "pass|token|key|pwd|psk|cred|secret|string|data|sig|auth|bearer|basic|identified";
    Regex::new(&format!("(?i)://|@(?:tcp|udp|unix)|jdbc:|{words}|(?-u:{})", SHAPES.join("|"))).ok()
});

/// Tokens and keys that are known by their looks: the prefixes that their issuers gave them, so that scanners find them.
const SHAPES: [&str; 17] = [
    // What a snapshot holds instead: [`super::Placeholders`].
    PLACEHOLDER,
    // A JWT or JWE: a JSON object in base64 to begin with.
    r"\beyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*){0,3}",
    r"\bk8s-aws-v1\.[\w-]{16,}",
    // AWS, Google, Azure AD.
    r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b",
    r"\bAIza[\w-]{35,}",
    r"\bya29\.[\w-]{20,}",
    r"\bGOCSPX-[\w-]{20,}",
    r"\b[\w~.-]{3}8Q~[\w~.-]{31,34}",
    // GitHub, GitLab, Docker Hub, npm, PyPI.
    r"\bgh[pousr]_[A-Za-z0-9]{16,}",
    r"\bgithub_pat_\w{20,}",
    r"\bgl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat|oas|ffct)-[\w.-]{16,}",
    r"\b(?:dckr_pat_|npm_|pypi-)[\w-]{20,}",
    // Slack, Stripe, SendGrid, OpenAI and Anthropic.
    r"\bxox[abeoprs]-[\w-]{10,}|\bhooks\.slack\.com/services/[\w/]+",
    r"\b[rs]k_(?:live|test)_\w{16,}|\bSG\.[\w-]{16,}\.[\w-]{16,}|\bsk-(?:[a-z]+-)?\w{20,}",
    // Vault, Terraform Cloud, DigitalOcean, Databricks, Hugging Face, age.
    r"\bhv[sbr]\.[\w-]{20,}|\b\w{14}\.atlasv1\.[\w-]{40,}",
    r"\bdo[opr]_v1_[a-f0-9]{32,}|\bdapi[a-f0-9]{32}\b|\bhf_[A-Za-z0-9]{30,}",
    r"\bAGE-SECRET-KEY-1[A-Z0-9]{20,}",
];
/// What stands in a snapshot where a secret stood: a keyed hash and a size.
const PLACEHOLDER: &str = r"<hidden-[0-9a-f]{16}-\d+>";
/// A private key, whole or cut off.
const PRIVATE_KEY: &str =
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\z)";

static SHAPED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(&format!("(?-u:{})|{PRIVATE_KEY}", SHAPES.join("|"))).ok());
/// A name and what separates it from its value.
static NAMED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"([A-Za-z_][\w.-]*)\\*["'`]?\]?(\s*(?:=>|:=|=)\s*|:\s*)"#).ok());
/// A flag and its value.
static FLAG: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?:^|\s)--([A-Za-z][\w-]*)[ \t]+").ok());
/// What a client shows in its `Authorization` header.
static AUTHORIZATION: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)\b(?:bearer|basic)\s+([A-Za-z0-9._~+/-]{8,}=*)").ok());
/// What stands in quotes right behind a word for it, as in SQL.
static QUOTED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let string = r#"('(?:[^'\\]|\\.|'')+'|"(?:[^"\\]|\\.)+"|`[^`]+`)"#;
    Regex::new(&format!(r"(?i)\b(?:password|passphrase|identified\s+(?:with\s+\S+\s+)?by)\s+{string}")).ok()
});
/// A value that is looked up elsewhere, or was hidden by somebody else, and nothing behind it.
static REFERENCE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^(?:\$\([\w.-]+\)|\$\{[^}\s]*\}|\{\{[^}]*\}\}|<[\w .-]+>)(?:[\s,;&)}\]]|$)").ok());
/// How Kubernetes quotes a value that it will not take.
const REFUSED_VALUES: [&str; 3] = ["Invalid value: ", "Unsupported value: ", "Duplicate value: "];

/// Takes secrets out of a text.
pub fn scrub(text: &str) -> Cow<'_, str> {
    replace(text, |_| HIDDEN.to_owned())
}

/// Whether [`replace`] would replace anything.
pub(super) fn has_secrets(text: &str) -> bool {
    !secrets(text).is_empty()
}

/// Replaces each secret in a text.
pub(super) fn replace(text: &str, mut replacement: impl FnMut(&str) -> String) -> Cow<'_, str> {
    let secrets = secrets(text);
    if secrets.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len());
    let mut end = 0;
    for secret in secrets {
        safe.push_str(&text[end..secret.start]);
        safe.push_str(&replacement(&text[secret.clone()]));
        end = secret.end;
    }
    safe.push_str(&text[end..]);
    Cow::Owned(safe)
}

/// Where the secrets in a text are, in order and apart.
fn secrets(text: &str) -> Vec<Range<usize>> {
    if !SUSPICIOUS.as_ref().is_none_or(|pattern| pattern.is_match(text)) {
        return Vec::new();
    }
    let mut found = Vec::new();
    userinfo::find(text, &mut found);
    found.extend(SHAPED.iter().flat_map(|pattern| pattern.find_iter(text)).map(|found| found.range()));
    let first = |pattern: &LazyLock<Option<Regex>>| -> Vec<Range<usize>> {
        let captures = pattern.iter().flat_map(|pattern| pattern.captures_iter(text));
        captures.filter_map(|captures| Some(captures.get(1)?.range())).collect()
    };
    let is_opaque = |range: &Range<usize>| text[range.clone()].contains(|c: char| c.is_ascii_digit() || c == '=');
    found.extend(first(&AUTHORIZATION).into_iter().filter(is_opaque));
    found.extend(first(&QUOTED).into_iter().map(|quoted| quoted.start + 1..quoted.end - 1));
    for captures in NAMED.iter().flat_map(|pattern| pattern.captures_iter(text)) {
        if let (Some(name), Some(separator)) = (captures.get(1), captures.get(2)) {
            found.extend(named(text, name.range(), separator.range()));
        }
    }
    for captures in FLAG.iter().flat_map(|pattern| pattern.captures_iter(text)) {
        if let (Some(whole), Some(name)) = (captures.get(0), captures.get(1))
            && is_telling(name.as_str())
        {
            found.extend(quoted(text, whole.end()).or_else(|| word(text, whole.end())));
        }
    }
    found.retain(|range| !is_masked(&text[range.clone()]));
    found.sort_by_key(|range| (range.start, range.end));
    let mut apart: Vec<Range<usize>> = Vec::new();
    for range in found {
        match apart.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => apart.push(range),
        }
    }
    apart
}

/// The secret value of a name, if it is one.
fn named(text: &str, name: Range<usize>, separator: Range<usize>) -> Option<Range<usize>> {
    let full = &text[name.clone()];
    // Of a path of fields, the last one counts; elements of lists are numbered.
    let last = full.rsplit('.').find(|part| !part.is_empty() && !part.chars().all(|c| c.is_ascii_digit()))?;
    let (start, mark) = (separator.end, text[separator].trim());
    if is_authorization(last) {
        return authorization(text, start);
    }
    if mark != ":" {
        let value = || quoted(text, start).or_else(|| assigned(text, start));
        return match is_telling(last) {
            true => value(),
            false if is_signature(last) => assigned(text, start).filter(|range| range.len() >= 10),
            false => None,
        };
    }
    if !is_telling(last) {
        return None;
    }
    let rest = &text[start..];
    if let Some(phrase) = REFUSED_VALUES.iter().find(|phrase| rest.starts_with(**phrase)) {
        return quoted(text, start + phrase.len()).or_else(|| word(text, start + phrase.len()));
    }
    if let Some(found) = quoted(text, start) {
        return Some(found);
    }
    // `secrets/db-password: …` names an object, and `…:secret:db-password:…` is an ARN.
    if text[..name.start].ends_with(['/', ':', '@']) {
        return None;
    }
    if rest.starts_with(['|', '>']) {
        return block(text, start);
    }
    if text[..start].ends_with(char::is_whitespace) {
        return word(text, start);
    }
    let is_version = |value: &str| {
        let digits = value.strip_prefix('v').unwrap_or(value);
        full.contains('-') && digits.starts_with(|c: char| c.is_ascii_digit()) && value.len() < 12
    };
    ends_telling(last).then(|| assigned(text, start)).flatten().filter(|range| !is_version(&text[range.clone()]))
}

/// What stands in quotes at a place, which may be escaped as in JSON within JSON.
fn quoted(text: &str, start: usize) -> Option<Range<usize>> {
    let rest = &text[start..];
    let escapes = rest.len() - rest.trim_start_matches('\\').len();
    let quote = rest[escapes..].chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))?;
    let begin = start + escapes + 1;
    let mut backslashes = 0;
    for (index, character) in text[begin..].char_indices() {
        match character {
            '\\' => backslashes += 1,
            _ if character == quote && backslashes <= escapes => return Some(begin..begin + index - backslashes),
            _ => backslashes = 0,
        }
    }
    Some(begin..text.len())
}

/// A value without quotes, right behind a `=` or `:`. What follows the next separator belongs to it unless another name
/// or nothing comes there.
fn assigned(text: &str, start: usize) -> Option<Range<usize>> {
    let rest = &text[start..];
    if REFERENCE.as_ref().is_some_and(|pattern| pattern.is_match(rest)) {
        return None;
    }
    if let Some(inner) = rest.strip_prefix('{').filter(|inner| !inner.starts_with(['{', '"'])) {
        let length = inner.find('}')?;
        return Some(start + 1..start + 1 + length);
    }
    let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`')).unwrap_or(rest.len());
    let run = &rest[..end];
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let ends = run.match_indices([';', '&', ',', ')', '}', ']', '|', '\\']).find(|(index, _)| {
        let after = rest[index + 1..].trim_start_matches(' ');
        let next = after.trim_start_matches(is_name);
        index + 1 >= run.len() || next.len() < after.len() && next.starts_with(['=', ':'])
    });
    let run = ends.map_or(run, |(index, _)| &run[..index]).trim_end_matches([',', ';', ')', '}', ']', '\\']);
    Some(start..start + run.len()).filter(|_| !run.is_empty())
}

/// A word behind `name: `. Prose goes on after a plain word, as in `password: must not be empty`; a secret does not.
fn word(text: &str, start: usize) -> Option<Range<usize>> {
    let rest = &text[start..];
    let line = rest.lines().next().unwrap_or_default();
    let length =
        line.find(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '"' | '\'' | '`')).unwrap_or(line.len());
    let value = line[..length].trim_end_matches(['.', ')', '}', ']']);
    let is_path = value.contains('/') && value.chars().all(|c| c.is_ascii_alphabetic() || "-_/.".contains(c));
    let is_plain = is_path || value.chars().all(|c| c.is_ascii_alphabetic());
    let goes_on = line[length..].starts_with(char::is_whitespace) && !line[length..].trim().is_empty();
    let is_status = value.len() <= 3 && value.chars().all(|c| c.is_ascii_digit());
    let is_structure = value.starts_with(['{', '[', '-', '(', '&', '*']) || value.ends_with(':');
    let harmless = value.is_empty() || is_plain && goes_on || is_status || is_structure || value.contains("://");
    (!harmless).then(|| start..start + value.len())
}

/// The lines of a block scalar in YAML.
fn block(text: &str, start: usize) -> Option<Range<usize>> {
    let begin = start + text[start..].find('\n')? + 1;
    let is_inside = |line: &&str| line.starts_with([' ', '\t']) || line.trim().is_empty();
    let length: usize = text[begin..].split_inclusive('\n').take_while(is_inside).map(str::len).sum();
    let block = &text[begin..begin + length];
    let (inner, indent) = (block.trim(), block.len() - block.trim_start().len());
    (!inner.is_empty()).then(|| begin + indent..begin + indent + inner.len())
}

fn authorization(text: &str, start: usize) -> Option<Range<usize>> {
    let quotes = text[start..].len() - text[start..].trim_start_matches(['"', '\'', '\\']).len();
    let value = start + quotes;
    let rest = &text[value..];
    let scheme = rest.find(char::is_whitespace).map(|end| (&rest[..end], end + 1));
    const SCHEMES: [&str; 6] = ["bearer", "basic", "digest", "token", "negotiate", "apikey"];
    match scheme {
        Some((word, length)) if SCHEMES.contains(&word.to_ascii_lowercase().as_str()) => assigned(text, value + length),
        _ => word(text, value),
    }
}

/// What is no secret although it stands where one would: nothing, a setting, a reference, or what somebody hid already.
fn is_masked(value: &str) -> bool {
    let value = value.trim();
    if value.starts_with("<hidden-") {
        return false;
    }
    let within = |open: &str, close: &str| value.starts_with(open) && value.ends_with(close);
    matches!(value, "" | "true" | "false" | "null" | "nil" | "none" | "None" | "..." | "…")
        || value.starts_with("<hidden")
        || value.chars().all(|c| matches!(c, '*' | '•' | '●'))
        || ["REDACTED", "[REDACTED]", "(redacted)", "(sensitive value)", "(sensitive)", "xxxxx"].contains(&value)
        || within("***", "***")
        || within("<", ">")
        || within("$(", ")")
        || within("${", "}")
        || within("{{", "}}")
}

#[cfg(test)]
mod tests;
