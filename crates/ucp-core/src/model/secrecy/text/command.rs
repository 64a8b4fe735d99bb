//! Command lines: flags with secret-like names, and short flags of programs that authenticate.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::super::ascii::ascii_regex;
use super::super::names::is_secret_name;
use super::shell_word::end_of_word;
use super::value::{assigned_value, is_command_output, is_count, is_masked, quoted_value, reference_length};
use super::windows::windows;
use super::words::is_prose;

/// `-u user:password`, as in curl and wget; `-U user%password`, as in Samba.
static LOGIN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(r#"(?:^|[\s"'\[,])(?:-u|-U|--user|--proxy-user|--userpwd|--creds|--basic-auth|--?auth)["']?(?:[\s=,]+["']?|["'])([^\s:"'%,]*)[:%]((?:[^\s"',]|,[^\s"'-])+)"#).ok()
});
/// A short flag for a password, after the name of a program that has this flag.
static SHORT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let joined = r"(?:mysql\w*|mariadb[\w-]*|sshpass|mycli|sqlcmd|bcp|isql|7z|zip|unzip)\b[^\n|;&]*?(?:\s-[pP](\S+)|[\x22',\[]-[pP]([^\s\x22',\]]+))";
    let apart = r"(?:login|sshpass|mongo\w*|psql|sqlcmd|bcp|isql|ldap\w+|smbclient|rdesktop|xfreerdp|docker|podman|nerdctl|buildah|skopeo|crane|helm|oras|az|oc|cf|argocd|kinit|influx|cqlsh|nats|rabbitmqadmin|ipmitool|vault|winexe)\b[^\n|;&]*?[\s\x22']-(?:[pPwWbs]|pw)[\x22']?,?\s+(\S+)";
    let redis = r"redis-cli\b[^\n|;&]*?\s-a\s+(\S+)|requirepass\s+(\S+)|masterauth\s+(\S+)";
    let user = r"\s(?:-u|--user|--username)[\s=]\S+\s+-p\s+(\S+)";
    let login = r#"(?:^|[\s"'\[])-u(?:["']?,?\s+["']?)?[A-Za-z][\w.@-]*["']?,?\s+["']?-p([^\s"'\],=]+)"#;
    ascii_regex(&format!(r"\b(?:{joined}|{apart}|{redis})|{user}|{login}")).ok()
});

/// Adds the values of flags.
pub(super) fn find(text: &str, found: &mut Vec<Range<usize>>) {
    let has_setting = text.contains("requirepass") || text.contains("masterauth");
    if memchr::memchr(b'-', text.as_bytes()).is_none() && !has_setting {
        return;
    }
    find_long_flags(text, found);
    let is_short = |at: usize| text.as_bytes().get(at + 1).is_some_and(|flag| b"pPwWbsauU-".contains(flag));
    if has_setting
        || memchr::memchr_iter(b'-', text.as_bytes()).any(|at| is_short(at) && is_flag_start(text.as_bytes(), at))
    {
        for (at, part) in windows(text) {
            find_short_flags(text, at, part, found);
        }
    }
}

/// Adds the values of short flags in a part of a text.
fn find_short_flags(text: &str, at: usize, part: &str, found: &mut Vec<Range<usize>>) {
    for captures in LOGIN.iter().flat_map(|pattern| pattern.captures_iter(part)) {
        let (Some(user), Some(value)) = (captures.get(1), captures.get(2)) else { continue };
        if is_masked(value.as_str()) || is_group(user.as_str(), value.as_str()) {
            continue;
        }
        // The quoted word of a shell is a user and a password as a whole.
        let quote =
            part[..user.start()].strip_suffix(['\'', '"']).map(|before| at + before.trim_end_matches('\\').len());
        let end = quote.and_then(|quote| end_of_word(text, quote)).unwrap_or_default();
        found.push(at + value.start()..end.max(at + value.end()));
    }
    for captures in SHORT.iter().flat_map(|pattern| pattern.captures_iter(part)) {
        let value = captures.iter().skip(1).flatten().next();
        let is_harmless = |word: &str| {
            word.starts_with(['-', '/'])
                || is_prose(word)
                || is_setting(word)
                || is_patch(word)
                || is_command_output(word.trim_start_matches(['"', '\'']))
                || is_masked(word.trim_end_matches([')', ';', '"']))
                || word.chars().all(|c| c.is_ascii_digit()) && word.len() < 6
                || word.contains(':') && word.chars().all(|c| c.is_ascii_digit() || c == ':')
        };
        // MySQL asks for the password after `-p`, and the next word is a database.
        let whole = captures.get(0).map_or("", |whole| whole.as_str());
        let begin = part[..captures.get(0).map_or(0, |whole| whole.start())].rfind(['\n', '|', ';', '&']);
        let is_database = || {
            let before = &part[begin.unwrap_or(0)..captures.get(0).map_or(0, |whole| whole.start())];
            whole.starts_with(' ') && whole.contains(" -p ") && (before.contains("mysql") || before.contains("mariadb"))
        };
        let value = value.filter(|value| !is_harmless(value.as_str()) && !is_database());
        found.extend(value.and_then(|value| {
            let start = at + value.start();
            quoted_value(text, start).or_else(|| assigned_value(text, start))
        }));
    }
}

/// Returns true for a user and a group: `-u 1000:1000`, `-u app:1000`.
fn is_group(user: &str, group: &str) -> bool {
    const LONGEST: usize = 5;
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    is_number(group) && (is_number(user) || group.len() <= LONGEST)
}

/// Adds the values in `--password X` and in the same as a list of arguments: `"--password", "X"`.
fn find_long_flags(text: &str, found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(next) = memchr::memchr(b'-', &bytes[at..]) {
        let start = at + next;
        at = start + 1;
        if !is_flag_start(bytes, start) {
            continue;
        }
        let name_start = start + if bytes.get(start + 1) == Some(&b'-') { 2 } else { 1 };
        let length =
            bytes[name_start..].iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte)).count();
        let name = &text[name_start..name_start + length];
        at = name_start + length;
        // In prose, a flag is in backticks, and no value follows.
        if length < 2 || !is_secret_name(name) || bytes.get(at) == Some(&b'`') {
            continue;
        }
        // `--secret namespace/name` and `--secrets` name Secrets, in kubectl and in this program.
        let names_objects = name.ends_with("secret") || name.ends_with("secrets");
        let Some(value) = value_start(text, at) else { continue };
        let range = match text[value..].starts_with(['"', '\'', '`', '\\']) {
            true => quoted_value(text, value),
            false => assigned_value(text, value)
                .filter(|range| !is_prose(&text[range.clone()]) && !is_masked(&text[range.clone()])),
        };
        let is_name = |range: &Range<usize>| {
            let value = &text[range.clone()];
            let is_plain = value.chars().all(|c| c.is_ascii_lowercase()) && text[range.end..].starts_with(' ');
            let is_path = (names_objects || name.ends_with("secret-id"))
                && value.contains('/')
                && value.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-./".contains(c));
            names_objects && is_plain || is_path || is_count(name, value)
        };
        let range = range.filter(|range| !is_name(range));
        found.extend(range);
    }
}

/// Returns true if a flag can begin at an offset.
fn is_flag_start(bytes: &[u8], start: usize) -> bool {
    start == 0 || bytes[start - 1].is_ascii_whitespace() || b"\"'`[(,".contains(&bytes[start - 1])
}

/// Returns the start of the value of a flag.
fn value_start(text: &str, end: usize) -> Option<usize> {
    let rest = &text[end..];
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'));
    let after = quote.map_or(rest, |quote| &rest[quote.len_utf8()..]);
    let value = after.trim_start_matches([' ', '\t', ',']);
    // The next item of a YAML list.
    let value = match value.strip_prefix('\n') {
        Some(line) => line.trim_start().strip_prefix("- ")?.trim_start_matches(' '),
        None => value,
    };
    let is_apart = value.len() < after.len();
    // `-token-only -method=x`: flags with one dash.
    let is_single = text[..end].rsplit([' ', '"', '\'', '[']).next().is_some_and(|flag| !flag.starts_with("--"));
    let is_flag = value.starts_with("--")
        || value.starts_with("\"--")
        || value.starts_with("'--")
        || is_single && is_apart && is_single_flag(value);
    let is_ended = value.is_empty() || reference_length(value).is_some() || value.starts_with([']', ')', '|', '.']);
    (is_apart && !is_flag && !is_ended).then(|| text.len() - value.len())
}

/// Returns true for a flag with one dash and a value: `-method=x`.
fn is_single_flag(text: &str) -> bool {
    text.strip_prefix('-').is_some_and(|flag| {
        let length = flag.bytes().take_while(|byte| byte.is_ascii_lowercase() || b"-_".contains(byte)).count();
        length > 1 && flag[length..].starts_with('=')
    })
}

/// Returns true for a document in JSON: `oc patch -p '{"spec": …'`.
fn is_patch(word: &str) -> bool {
    let text = word.trim_start_matches(['"', '\'', '\\', '$']);
    ["{\"", "{\\", "[{", "{"].iter().any(|start| text.starts_with(start)) && !text.ends_with(['}', ']'])
}

/// Returns true for the setting of a name that is not secret-like: `-p image.tag=v1`.
fn is_setting(word: &str) -> bool {
    let is_name = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-[]".contains(&byte));
    let is_upper = |name: &str| !name.bytes().any(|byte| byte.is_ascii_lowercase());
    word.split_once('=').is_some_and(|(name, value)| {
        (name.contains('.') || is_upper(name)) && is_name(name) && !value.is_empty() && !is_secret_name(name)
    })
}

#[cfg(test)]
#[test]
fn every_pattern_compiles() {
    for pattern in [&LOGIN, &SHORT] {
        assert!(pattern.is_some());
    }
}
