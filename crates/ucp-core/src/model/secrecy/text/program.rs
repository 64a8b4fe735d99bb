//! Values in commands and protocols where their position marks them: `setx NAME X`, `net use \\h\s X`, `AUTH X`.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::super::ascii::ascii_regex;
use super::super::names::is_secret_name;
use super::clues::Clues;
use super::value::{is_masked, is_opaque, quoted_value, reference_length};
use super::windows::windows;
use super::words::is_prose;

/// A word of which at least one is in every such text.
static MENTION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let words = "string|config|write|otp|2fa|mfa|pin|one-time|verification|ssh-key|kinit|lftp|mc |ldap|set|env|arg|net |securestring|bindpw|rootpw|auth|pass|login|>|unseal|vault|htpasswd|rabbitmqctl|sql|dp |rman|echo|printf|snmp|npm|literal|curl|http|useradd|usermod|openssl|zip|docker|podman|secret|community|psk|shared-key|cred|user|hooks/|/hook/|with/key|tsig|signtool|identified|salt|match|token|key";
    ascii_regex(&format!("(?i-u:{words})")).ok()
});
/// An assignment without a separator: the name and the value.
static ASSIGNMENTS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    compile(&[
        r#"(?:^|[\s;&|"'>`])(?:setx|SETX|setenv|ENV|ARG|set -x|set -gx)\s+([A-Za-z_][\w.-]*)\s+("[^"]+"|'[^']+'|\S+)"#,
        r#"(?:^|[\s;&|"'>`])(?:set|config set|config set-secret|config set --secret|secret set|env set|vars? set|secrets? put|variable set)\s+(?://\S+?:)?([\w./-]*[A-Z_][\w.-]*)\s+("[^"]+"|'[^']+'|\S+)"#,
        // A line of settings: the quoted value is its end.
        r#"(?m)(?:^|: ["'])\s*(?:[\w-]+ )?([\w-]+)\s+("[^"\n]+"|'[^'\n]+');?["']?\s*$"#,
        r#"[{;]\s*(\w+)\s+("[^"\n]+"|'[^'\n]+')\s*;"#,
        // `DB_PASSWORD is set to X`
        r#"\b([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\s+(?:is|was|has been)\s+(?:set|changed|reset|updated)\s+to\s+("[^"]+"|'[^']+'|\S+)"#,
        // The serialization of PHP.
        r#"s:\d+:"([^"]+)";s:\d+:("[^"]*")"#,
        // A line that consists of a name of several words and a value.
        r#"(?m)(?:^|: ["'])\s*([A-Za-z]+(?:[-_][A-Za-z]+)+)\s+([^\s"']+)["']?\s*$"#,
        // A declaration with a type: `let token: String = "X"`.
        r#"\b([A-Za-z_]\w*)\s*:\s*[A-Za-z&][\w<>\[\]|?. ]{0,40}?\s*=\s*("[^"\n]+"|'[^'\n]+')"#,
        // A key in brackets, as for sops: `--set '["password"] "X"'`.
        r#"\[["']([\w.-]+)["']\]\s+("[^"\n]+"|'[^'\n]+')"#,
    ])
});
/// The same where a sentence may also have a name and a word: only an opaque value counts.
static OPAQUE_ASSIGNMENTS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    compile(&[
        r#"\b(?:set|put|write|config)\s+(?:--?\w[\w-]*\s+)*(?:[a-z][\w-]*\s+)?["']?([\w./:-]*[./:_-][\w./:-]*)["']?\s+(?:[a-z]\w*\s+)?("[^"\n]+"|'[^'\n]+'|\S+)"#,
        r#"(?m)(?:^|: ["'])\s*([A-Za-z]\w*(?:\.\w+)+)\s+([^\s"']+)["']?\s*$"#,
    ])
});
/// One-time codes.
static CODES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(r"\b(?i:otp|2fa|mfa|one-time|verification)(?i:[ _-](?:code|token|password|passcode))?(?: is)?[ :=]+(\d{4,8})\b|\bPIN(?: is)?[ :=]+(\d{4,8})\b").ok()
});
/// A user and a password: `user/password: x/y`, `credentials x:y`.
static LOGIN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(r#"(?i)\b(?:(user(?:name)?\s?[/:|,&]\s?pass(?:word|wd)?)|logins?|credentials?|creds|basic[ -]auth(?:entication)?)\b["']?(?:\s+(?:is|are|was|were))?(?:\s*[:=]\s*|\s+)["'(\[<]?([\w.@+\\-]+)(:|/| / | : )([^\s"',;)\]>]+)"#).ok()
});

fn compile(patterns: &[&str]) -> Vec<Regex> {
    patterns.iter().filter_map(|pattern| ascii_regex(pattern).ok()).collect()
}

/// Adds the values of commands and protocols.
pub(super) fn find(text: &str, clues: &Clues, found: &mut Vec<Range<usize>>) {
    for pattern in clues.commands.patterns() {
        for (at, part) in windows(text) {
            for captures in pattern.captures_iter(part) {
                let value = captures.iter().skip(1).flatten().next();
                found.extend(value.and_then(|value| value_at(text, at + value.start()..at + value.end())));
            }
        }
    }
    if !MENTION.as_ref().is_none_or(|pattern| pattern.is_match(text)) {
        return;
    }
    for pattern in ASSIGNMENTS.iter().filter(|_| clues.names_secret) {
        for captures in pattern.captures_iter(text) {
            if let (Some(name), Some(value)) = (captures.get(1), captures.get(2))
                && is_secret_name(name.as_str())
            {
                found.extend(value_at(text, value.range()));
            }
        }
    }
    for pattern in OPAQUE_ASSIGNMENTS.iter().filter(|_| clues.names_secret) {
        for captures in pattern.captures_iter(text) {
            if let (Some(name), Some(value)) = (captures.get(1), captures.get(2))
                && is_secret_name(name.as_str())
            {
                let is_value = |value: &str| is_opaque(value) && !value.trim_end_matches('=').contains('=');
                found.extend(value_at(text, value.range()).filter(|value| is_value(&text[value.clone()])));
            }
        }
    }
    for captures in CODES.iter().flat_map(|pattern| pattern.captures_iter(text)) {
        let code = captures.get(1).or_else(|| captures.get(2)).map(|code| code.range());
        let word = captures.get(0).map_or(0, |whole| whole.start());
        // In `https://shop.mfa:8443`, the word is a part of a host, and the digits are its port.
        let is_port =
            |code: &Range<usize>| text[..word].ends_with(['.', '/', '@']) && text[..code.start].ends_with(':');
        found.extend(code.filter(|code| !is_port(code)));
    }
    for captures in LOGIN.iter().flat_map(|pattern| pattern.captures_iter(text)) {
        let (Some(user), Some(separator), Some(value)) = (captures.get(2), captures.get(3), captures.get(4)) else {
            continue;
        };
        let names_both = captures.get(1).is_some();
        // `credentials shop/db` is the name of a Secret.
        // The next line has its own subject.
        let is_line = captures.get(0).is_some_and(|whole| !whole.as_str().contains('\n'));
        let is_login = names_both || is_line && (separator.as_str() != "/" || is_opaque(value.as_str()));
        if is_login && (names_both || !is_prose(user.as_str())) && !value.as_str().starts_with('/') {
            found.extend(value_at(text, value.range()));
        }
    }
}

/// Returns the range of a value without quotes, unless it is a word of a sentence, a reference, or a number.
fn value_at(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    if text[range.start..].starts_with(['"', '\'']) {
        let value = quoted_value(text, range.start)?;
        return (!is_prose(&text[value.clone()])).then_some(value);
    }
    let value = text[range.clone()].trim_end_matches(['"', '\'', ',', ';', ')', '.', '`']);
    let is_number = value.len() < 6 && value.chars().all(|c| c.is_ascii_digit());
    let is_harmless = value.is_empty()
        || is_number
        || is_state(value)
        || value.starts_with(['-', '$', '<', '{', '*', '%', '(', '['])
        || value.contains("://")
        || is_masked(value)
        || is_prose(value)
        || reference_length(value).is_some();
    (!is_harmless).then(|| range.start..range.start + value.len())
}

/// Returns true for the state or type of an object next to its name, as in the output of kubectl.
fn is_state(value: &str) -> bool {
    const STATES: [&str; 18] = [
        "Active",
        "Available",
        "Bound",
        "Completed",
        "Degraded",
        "Failed",
        "Healthy",
        "NotReady",
        "Opaque",
        "OutOfSync",
        "Pending",
        "Progressing",
        "Ready",
        "Running",
        "Succeeded",
        "Synced",
        "Terminating",
        "Unknown",
    ];
    STATES.contains(&value)
}

#[cfg(test)]
#[test]
fn every_pattern_compiles() {
    assert!(MENTION.is_some() && LOGIN.is_some() && CODES.is_some());
    assert_eq!((ASSIGNMENTS.len(), OPAQUE_ASSIGNMENTS.len()), (9, 2));
}
