//! Quoting of words in commands that users paste into a shell. All input is quoted, so that a name cannot have another
//! effect: neither in its command, nor in a sentence that has the command in quotes.

use std::borrow::Cow;

/// Printed in place of a name that would be a flag.
pub const UNPRINTABLE_NAME: &str = "NAME";

/// Returns a text as one word of a command that is never a flag: quotes do not keep a program from reading `'--all'` as
/// one. No object can have such a name, so a placeholder is printed instead. For values that are attached to a flag, see
/// [`quote_value`].
pub fn quote_word(text: &str) -> Cow<'_, str> {
    match text.starts_with('-') && text != "-" {
        true => Cow::Borrowed(UNPRINTABLE_NAME),
        false => quote_value(text),
    }
}

/// Returns a text as the rest of a word of a command that begins with something else, such as `--flag=`.
pub fn quote_value(text: &str) -> Cow<'_, str> {
    if text.is_empty() {
        return Cow::Borrowed("''");
    }
    // zsh replaces a word that begins with `=` by the path of a program.
    if text.bytes().all(is_plain) && !text.starts_with('=') {
        return Cow::Borrowed(text);
    }
    match text.bytes().all(|byte| is_plain(byte) || is_calm(byte)) && !text.contains(char::is_control) {
        true => Cow::Owned(format!("'{text}'")),
        false => Cow::Owned(escaped(text)),
    }
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_./:@+,=%".contains(&byte)
}

/// Returns true for characters with which nothing runs, even if quotes around the command end before the word.
fn is_calm(byte: u8) -> bool {
    !byte.is_ascii() || b" {}[]\"*?^~#".contains(&byte)
}

/// Escapes each character, so that a word has no effect in any kind of quotes. Shells reject NUL, and terminals
/// interpret control characters, which are replaced.
fn escaped(text: &str) -> String {
    let mut word = String::with_capacity(2 * text.len());
    for character in text.chars() {
        let shown = if character.is_control() { '?' } else { character };
        if shown.is_ascii() && !u8::try_from(shown).is_ok_and(is_plain) {
            word.push('\\');
        }
        word.push(shown);
    }
    word
}

/// Returns true if an object can have this name: a path segment by `ValidatePathSegmentName` of apimachinery, with at
/// most 253 characters and no control characters. Most kinds are stricter.
pub fn is_possible_name(name: &str) -> bool {
    name.len() <= 253 && !matches!(name, "." | "..") && !name.contains(['/', '%']) && !name.contains(char::is_control)
}

/// Returns true if an object of a group can have this name. Names of custom resources are DNS names; other groups of
/// aggregated servers have some more characters, and those of RBAC and OpenShift may be names of users, with any character.
pub fn is_possible_name_in(group: &str, name: &str) -> bool {
    let is_free = group == "rbac.authorization.k8s.io" || group.ends_with("openshift.io");
    // Manifests in Git have variables: `aws-${stage}`.
    let is_common = |name: &str| name.chars().all(|c| is_name_character(c) || "${}".contains(c));
    is_possible_name(name) && (is_free || is_common(name) && !name.starts_with('-'))
}

/// Returns true for the characters of nearly all names of objects. None of them has a meaning in a URL.
pub fn is_name_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-._:@+~".contains(c)
}

/// Returns true for a DNS label or subdomain (RFC 1123), as required for namespaces and the names of most kinds.
pub fn is_dns_name(name: &str) -> bool {
    let is_label = |label: &str| {
        let is_end = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
        let bytes = label.as_bytes();
        is_end(bytes.first())
            && is_end(bytes.last())
            && bytes.iter().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || *byte == b'-')
    };
    name.len() <= 253 && name.split('.').all(is_label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_back_the_quoted_text() {
        for text in [
            "prod",
            "a/b",
            "system:node",
            "$(touch x)",
            "`x`",
            "a b",
            "it's",
            "",
            "a;b",
            "~",
            "*",
            "#x",
            "a\\",
            "-",
            "=ls",
            "größe",
            "a(e:id:)",
            "!!",
            r#"{"a":["b c"]}"#,
            "a\"$(id)\"",
            "x -- y # z",
        ] {
            assert_eq!(shlex::split(&format!("kubectl get {}", quote_word(text))).unwrap(), ["kubectl", "get", text]);
            assert_eq!(
                shlex::split(&format!("x --flag={}", quote_value(text))).unwrap(),
                ["x", &format!("--flag={text}")]
            );
        }
        assert_eq!(quote_word("secret/db"), "secret/db");
        assert_eq!(quote_word("a\nrm -rf ~\u{1b}[2J"), r"a\?rm\ -rf\ \~\?\[2J");
    }

    #[test]
    fn a_name_is_never_a_flag() {
        for name in ["--all", "--yes", "-n", "-", "--", "-o=yaml", "--\n", "-$(id)"] {
            let words = shlex::split(&format!("kubectl ucp release-cluster {}", quote_word(name))).unwrap();
            assert!(words.len() == 4 && (words[3] == "-" || !words[3].starts_with('-')), "{words:?}");
        }
    }

    /// A shell runs it, with and without the quotes of the sentence around it.
    #[cfg(unix)]
    #[test]
    fn a_name_is_never_executed_in_any_quotes() {
        let directory = tempfile::tempdir().unwrap();
        for name in [
            "$(touch canary)",
            "`touch canary`",
            "';touch canary;'",
            "\";touch canary;\"",
            "x;touch canary",
            "x\ntouch canary",
            "|touch canary",
            "&touch canary&",
            ">canary",
            "'$(touch canary)'",
            "\\';touch canary;\\'",
            "\\$(touch canary)",
            "'\"$(touch canary)\"'",
            "${x:-$(touch canary)}",
            "<(touch canary)",
            "x #'\ntouch canary",
            "\\`touch canary`",
        ] {
            let word = quote_word(name);
            for line in [
                format!(": {word}"),
                format!("'echo {word}' first"),
                format!("\"echo {word}\" first"),
                format!(": 'see {word}'"),
                format!(": \"see {word}\""),
            ] {
                for shell in ["sh", "bash"] {
                    let _ = std::process::Command::new(shell).args(["-c", &line]).current_dir(&directory).output();
                    assert!(!directory.path().join("canary").exists(), "{shell}: {line}");
                }
            }
        }
    }

    #[test]
    fn names_that_are_invalid_for_objects_are_recognized() {
        for name in ["../x", "a/b", "..", "a%2fb", "a\nb", "a\u{1b}b", &"a".repeat(254)] {
            assert!(!is_possible_name(name), "{name:?}");
        }
        for name in ["prod", "system:node", "v1.apps", "a b"] {
            assert!(is_possible_name(name), "{name:?}");
        }
        for (group, name, is_one) in [
            ("s3.example.org", "a; rm -rf ~", false),
            ("s3.example.org", "$(id)", false),
            ("s3.example.org", "--all", false),
            ("s3.example.org", "aws-${stage}", true),
            ("", "ip-10-0-0-1.ec2.internal", true),
            ("apiregistration.k8s.io", "v1.apps", true),
            ("rbac.authorization.k8s.io", "a (b)", true),
            ("rbac.authorization.k8s.io", "a/b", false),
        ] {
            assert_eq!(is_possible_name_in(group, name), is_one, "{group} {name}");
        }
        for (name, is_one) in
            [("prod", true), ("a.b-c", true), ("-a", false), ("a..b", false), ("A", false), ("", false)]
        {
            assert_eq!(is_dns_name(name), is_one, "{name:?}");
        }
    }
}
