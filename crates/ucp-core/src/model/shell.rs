//! Quoting of words in commands that users paste into a shell. All input is quoted, so that a name cannot have another
//! effect.

use std::borrow::Cow;

/// Returns a text as one word of a command.
pub fn quote_word(text: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:@+,=%".contains(&byte);
    if !text.is_empty() && text.bytes().all(is_plain) && !text.starts_with(['=', '-']) {
        return Cow::Borrowed(text);
    }
    // Shells reject NUL, and terminals interpret control characters.
    if text.chars().any(char::is_control) {
        return Cow::Owned(shlex::try_quote(&text.replace(char::is_control, "?")).unwrap_or_default().into_owned());
    }
    shlex::try_quote(text).unwrap_or(Cow::Borrowed("''"))
}

/// Returns true if an object can have this name: a path segment by `ValidatePathSegmentName` of apimachinery, with at
/// most 253 characters and no control characters. Most kinds are stricter.
pub fn is_possible_name(name: &str) -> bool {
    name.len() <= 253 && !matches!(name, "." | "..") && !name.contains(['/', '%']) && !name.contains(char::is_control)
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
    fn what_a_shell_reads_is_the_text_again() {
        for text in ["prod", "a/b", "system:node", "$(touch x)", "`x`", "a b", "it's", "", "a;b", "~", "*", "#x", "a\\"]
        {
            assert_eq!(shlex::split(&format!("kubectl get {}", quote_word(text))).unwrap(), ["kubectl", "get", text]);
        }
        assert_eq!(quote_word("secret/db"), "secret/db");
        assert_eq!(quote_word("a\nrm -rf ~\u{1b}[2J"), "'a?rm -rf ~?[2J'");
    }

    #[test]
    fn names_that_no_object_can_have() {
        for name in ["../x", "a/b", "..", "a%2fb", "a\nb", "a\u{1b}b", &"a".repeat(254)] {
            assert!(!is_possible_name(name), "{name:?}");
        }
        for name in ["prod", "system:node", "v1.apps", "a b"] {
            assert!(is_possible_name(name), "{name:?}");
        }
        for (name, is_one) in
            [("prod", true), ("a.b-c", true), ("-a", false), ("a..b", false), ("A", false), ("", false)]
        {
            assert_eq!(is_dns_name(name), is_one, "{name:?}");
        }
    }
}
