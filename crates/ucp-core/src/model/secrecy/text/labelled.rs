//! Values whose names are not directly before them: `{name: DB_PASSWORD, value: X}`, and lines of `.pgpass`.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::super::names::{is_secret_label, is_secret_name};
use super::clues::Clues;
use super::value::{assigned_value, quoted_value};

/// `{name: DB_PASSWORD, value: X}` in every notation and order.
static LABELLED: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let (label, name) = (r#"(?:name|key|Name|Key|NAME|KEY|variable|Variable)\\*["']?\s*[:=]\s*\\*["']?"#, r"([\w.-]+)");
    let between = r#"\\*["']?[\s,;]+(?:-\s+)?\\*["']?"#;
    let value = r#"(?:value|Value|VALUE)\\*["']?\s*[:=]\s*"#;
    [
        format!(r"(?-u)\b{label}{name}{between}{value}"),
        format!(r#"(?-u)\b{value}(\\*["']?(?u:[^\s"',}}])+){between}{label}{name}"#),
        r#"(?-u)\b(?:op|path)\\*["']?\s*[:=]\s*\\*["']?([\w/~.-]+)\\*["']?[\s,;]+\\*["']?value\\*["']?\s*[:=]\s*"#
            .to_owned(),
    ]
    .into_iter()
    .filter_map(|pattern| Regex::new(&pattern).ok())
    .collect()
});
/// `host:port:database:user:password`, as in `.pgpass`.
static PGPASS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"(?-u)(?:^|[\s"'`(=])([A-Za-z*][\w.*-]*|\d+\.\d+\.\d+\.\d+):(?:\d{2,5}|\*):[\w.*-]+:[\w.*-]+:((?u:[^\s"'`:])+)"#).ok()
});

/// Adds the values in `{name: DB_PASSWORD, value: X}`.
pub(super) fn find(text: &str, clues: &Clues, found: &mut Vec<Range<usize>>) {
    let has = |part: &str| memchr::memmem::find(text.as_bytes(), part.as_bytes()).is_some();
    // A label is a name, or a path to the data of a Secret.
    if !(clues.names_secret || has("ata/")) || !(has("alue") || has("VALUE")) {
        return;
    }
    for (index, pattern) in LABELLED.iter().enumerate() {
        for captures in pattern.captures_iter(text) {
            let (Some(whole), Some(first)) = (captures.get(0), captures.get(1)) else { continue };
            if index == 1 {
                if captures.get(2).is_some_and(|name| is_secret_name(name.as_str())) {
                    let start =
                        first.start() + (first.len() - first.as_str().trim_start_matches(['\\', '"', '\'']).len());
                    found.push(start..first.end());
                }
            } else if is_secret_label(first.as_str()) {
                found.extend(quoted_value(text, whole.end()).or_else(|| assigned_value(text, whole.end())));
            }
        }
    }
}

/// Adds the passwords of `.pgpass`.
pub(super) fn find_in_password_files(text: &str, found: &mut Vec<Range<usize>>) {
    found.extend(PGPASS.iter().flat_map(|pattern| pattern.captures_iter(text)).filter_map(|captures| {
        let value = captures.get(2)?;
        // IPv6 addresses also consist of colons and hexadecimal digits.
        let is_address =
            captures.get(0)?.as_str().chars().all(|c| c.is_ascii_hexdigit() || c == ':' || c.is_whitespace());
        (!is_address && !text[value.end()..].starts_with(':')).then(|| value.range())
    }));
}

#[cfg(test)]
#[test]
fn every_pattern_is_one() {
    assert!(PGPASS.is_some());
    assert_eq!(LABELLED.len(), 3);
}
