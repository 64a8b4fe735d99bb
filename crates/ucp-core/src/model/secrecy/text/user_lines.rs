//! Lines of a user and a password each, which programs read from a file or their input: `app:X` for `chpasswd`.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::super::ascii::ascii_regex;
use super::clause::{ClauseForm, value_at};
use super::clues::Clues;

/// A program that reads such lines, or a key of cloud-init with them.
static PROGRAM: LazyLock<Option<Regex>> =
    LazyLock::new(|| ascii_regex(r"\b(?:chpasswd|(?:ht|smb|mosquitto_)passwd|newusers)\b").ok());
/// A line with a user and a password, and with fields of an account behind them.
static LINE: LazyLock<Option<Regex>> =
    LazyLock::new(|| ascii_regex(r#"(?m)(?:^|: ["'])\s*["']?[A-Za-z_][\w.-]*:([^\s:"']+)(?::\S*)?["']?\s*$"#).ok());

/// Adds the passwords of all lines.
pub(super) fn find(text: &str, clues: &Clues, found: &mut Vec<Range<usize>>) {
    if !clues.commands.reads_users() || !PROGRAM.as_ref().is_some_and(|pattern| pattern.is_match(text)) {
        return;
    }
    for value in LINE.iter().flat_map(|pattern| pattern.captures_iter(text)).filter_map(|captures| captures.get(1)) {
        // Fields of an account may follow.
        found.extend(value_at(&text[..value.end()], value.start(), ClauseForm::Word));
    }
}

#[cfg(test)]
mod tests {
    use super::super::scrub;
    use super::*;

    #[test]
    fn passwords_in_the_input_of_chpasswd_and_newusers_are_hidden() {
        assert!(PROGRAM.is_some() && LINE.is_some());
        for text in [
            "chpasswd <<EOF\napp:canarybird\nroot:canaryblue\nEOF",
            "chpasswd:\n  list: |\n    app:canarybird\n    root:canaryblue\n",
            "chpasswd failed for input:\napp:canarybird\n",
            "newusers <<EOF\napp:canarybird:1000:1000::/home/app:/bin/sh\nEOF",
            "chpasswd <<< app:canarybird",
            "echo app:canarybird | chpasswd",
            "ubuntu:canarybird | sudo chpasswd",
        ] {
            let shown = scrub(text);
            assert!(!shown.contains("canary"), "{shown}");
        }
        for text in [
            "chpasswd: (user app) pam_chauthtok() failed, error:\nAuthentication token manipulation error",
            "chpasswd failed\nspec:\n  image: shadow:4.8",
            "app:latest\nbackend:v1",
        ] {
            assert_eq!(scrub(text), text);
        }
    }
}
