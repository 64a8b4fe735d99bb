//! Hosts with an `@` in messages about hosts. No name of a host has one: a client took the end of a password for it.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::super::ascii::ascii_regex;
use super::value::is_opaque;

/// What is before the host: the end of a password, and where it ends.
const PASSWORD: &str = r#"([^\s"'`<>‘’()=]+)@[\w.-]"#;
/// Words directly before a host, and words behind one.
static PATTERNS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let before = r"hosts?|host[ _-]?names?|host address|enotfound|eai_\w+|enodata|eservfail|getaddrinfo|gethostbyname|UnknownHostException|resolv(?:e|ing)(?: host)?|nslookup|nodename|no such host(?:: lookup)?|dial (?:tcp|udp)\d?(?:: (?:lookup|address))?|in address|server on";
    let after = r"no such host|name or service not known|nodename nor servname|temporary failure in name|name does not resolve|no address associated|nxdomain|non-existent domain|server misbehaving|missing port in|too many colons|unknown host|could not be resolved|cannot be resolved|not resolved";
    compile(&[
        format!(r#"(?i)\b(?:{before})(?:\s?[:=]|\s+(?:for|is|at))*[\s=:(]+["'`‘(]*{PASSWORD}"#),
        format!(r#"(?i)\bparsing\s+["'`]{PASSWORD}[\w.-]*:\d"#),
        format!(
            r#"(?i){PASSWORD}[\w.-]*(?::\d+)?["'`’)]*(?:\s+on\s+[\w.:\[\]]+?)?[:.,]?\s+(?:\(?-?\d*\)?\s*)?["'(]*(?:{after})"#
        ),
    ])
});
/// The same where a user and a host may follow: only an opaque word counts.
static CONNECTIONS: LazyLock<Vec<Regex>> =
    LazyLock::new(|| compile(&[format!(r#"(?i)\bconnect(?:ing|ion)?\s+(?:to|with)\s+["'`]?{PASSWORD}"#)]));

fn compile(patterns: &[String]) -> Vec<Regex> {
    patterns.iter().filter_map(|pattern| ascii_regex(pattern).ok()).collect()
}

/// Adds what is before the `@` of a host.
pub(super) fn find(text: &str, found: &mut Vec<Range<usize>>) {
    if memchr::memchr(b'@', text.as_bytes()).is_none() {
        return;
    }
    let places = |patterns: &'static LazyLock<Vec<Regex>>| {
        let captures = patterns.iter().flat_map(move |pattern| pattern.captures_iter(text));
        // The user of Git servers is not a secret, and images have digests.
        captures.filter_map(|captures| captures.get(1)).filter(|password| {
            !matches!(password.as_str(), "git" | "mailto:git")
                && !text[password.end()..].starts_with("@sha")
                && !password.as_str().contains("://")
        })
    };
    found.extend(places(&PATTERNS).map(|password| password.range()));
    found.extend(places(&CONNECTIONS).filter(|password| is_opaque(password.as_str())).map(|one| one.range()));
}

#[cfg(test)]
mod tests {
    use super::super::scrub;
    use super::*;

    #[test]
    fn hosts_have_no_at_sign() {
        assert_eq!((PATTERNS.len(), CONNECTIONS.len()), (3, 1));
        for text in [
            "could not translate host name \"tern@db.shop.svc\" to address: Name or service not known",
            "dial tcp: lookup tern@db.shop.svc on 10.96.0.10:53: no such host",
            "lookup tern@db.shop.svc: Temporary failure in name resolution",
            "Error: getaddrinfo ENOTFOUND tern@db.shop.svc",
            "java.net.UnknownHostException: tern@db.shop.svc: Name or service not known",
            "curl: (6) Could not resolve host: tern@db.shop.svc",
            "wget: unable to resolve host address 'tern@db.shop.svc'",
            "Error -2 connecting to tern@cache:6379. Name or service not known.",
            "Failed to resolve 'tern@db' ([Errno -2] Name or service not known)",
            "HTTPSConnectionPool(host='tern@db', port=443): Max retries exceeded",
            "no such host: lookup tern@mq.shop.svc",
            "strconv.Atoi: parsing \"tern@db.shop.svc:5432\": invalid syntax",
            "Unknown MySQL server host 'tern@db' (-2)",
            "dial tcp: address tern@db:5432: missing port in address",
            "Connection to x1y2z3-tern@db:5432 refused",
        ] {
            assert!(!scrub(text).contains("tern"), "{}", scrub(text));
            assert!(scrub(text).contains("@"), "{}", scrub(text));
        }
        for text in [
            "cannot notify tern@example.org: dial tcp: lookup smtp.example.org: no such host",
            "the owner tern@example.org did not answer on host db-1",
            "Email address is not verified: tern@example.org",
            "could not resolve host: git@github.com",
            "connecting to root@10.0.0.1:22: connection refused",
            "from tern@example.org to finch@example.org: mailbox unavailable",
        ] {
            assert_eq!(scrub(text), text);
        }
    }
}
