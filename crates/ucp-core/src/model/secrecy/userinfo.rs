//! Users and passwords in URLs and connection strings, also if they are not correctly encoded.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::ascii::ascii_regex;

/// Characters that end a URL in a text.
const AROUND: [char; 5] = ['"', '\'', '`', '<', '>'];

/// `user:password@tcp(host:3306)/name` and `user:password@/name` of Go's MySQL driver, and Oracle's
/// `user/password@host:1521/name`: no scheme marks their start.
static WITHOUT_SCHEME: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        r#"(?-u)(?:^|[\s"'`=(\[{<,:])([\w.%+-]+:(?u:[^\s"'`])+?)@(?:[\w-]*\(|/[\w-]+(?:[?\s"'`)\]}>,;:]|$))"#,
        r#"(?i)jdbc:oracle:\w+:([^\s"'`@/]+/[^\s"'`]+)@"#,
        r#"(?:^|[\s"'`=(])(?i:[a-z][\w$#]*)/([^\s"'`@/]+)@(?://[\w.-]+[:/]|[\w.-]+:\d{2,5}[/:]\w)"#,
        // An image has a digest or a path, and the principal of Kerberos has a realm in upper case.
        r#"(?:^|[\s"'`=(])[a-z][\w.$#-]*/([^\s"'`@/]+)@[a-z\d][a-z\d-]*(?:\.[a-z\d-]+)+:\d{2,5}(?:[\s"'`,;:)]|$)"#,
        r#"(?i)\b(?:connect|conn|logon|userid\s?=)\s*["']?[a-z][\w$#]*/([^\s"'`@/]+)@[a-z]"#,
    ]
    .into_iter()
    .filter_map(|pattern| ascii_regex(pattern).ok())
    .collect()
});
/// Words before the `:` of a mail address, a member of a policy, or an image, which are not users.
const NO_USERS: [&str; 22] = [
    "mailto",
    "user",
    "group",
    "serviceaccount",
    "deleted",
    "email",
    "mail",
    "from",
    "to",
    "cc",
    "bcc",
    "sip",
    "sips",
    "xmpp",
    "acct",
    "by",
    "author",
    "owner",
    "principal",
    "member",
    "npm",
    "subject",
];

/// Parts of the schemes of servers with a port. Elsewhere, a tag follows a colon: `docker://image:tag`.
const SCHEMES_OF_SERVERS: [&str; 23] = [
    "http", "ws", "tcp", "tls", "ftp", "ssh", "ldap", "smtp", "imap", "amqp", "redis", "valkey", "sql", "postgres",
    "db", "mongo", "nats", "mq", "kafka", "socks", "grpc", "elastic", "git",
];
/// Words of names of ports, and of placeholders for them.
const NAMES_OF_PORTS: [&str; 10] = ["port", "http", "https", "web", "grpc", "tcp", "metrics", "admin", "api", "ssl"];

/// Adds the user and password of each URL.
pub(super) fn find(text: &str, spans: &mut Vec<Range<usize>>) {
    let mut colons = memchr::memmem::find_iter(text.as_bytes(), "://").peekable();
    while let Some(colon) = colons.next() {
        let start = colon + 3;
        // A list of URLs, such as that of a cluster of brokers, has one scheme behind the other.
        let next = colons.peek().copied();
        let rest = &text[start..next.unwrap_or(text.len())];
        let end = match rest.find(|c: char| c.is_whitespace() || AROUND.contains(&c)) {
            Some(end) => end,
            None if next.is_some() => before_scheme(rest),
            None => rest.len(),
        };
        let scheme = scheme(&text[..colon]);
        if let Some(length) = userinfo_length(scheme, &rest[..end]) {
            spans.push(start..start + length);
        } else if let Some(port) = false_port(scheme, &rest[..end]) {
            spans.push(start + port.start..start + port.end);
        }
    }
    if memchr::memchr(b'@', text.as_bytes()).is_none() {
        return;
    }
    for pattern in WITHOUT_SCHEME.iter() {
        spans.extend(pattern.captures_iter(text).filter_map(|found| Some(found.get(1)?.range())));
    }
    find_without_scheme(text, spans);
}

/// Adds the password of `user:password@host` without a scheme.
fn find_without_scheme(text: &str, spans: &mut Vec<Range<usize>>) {
    let is_around = |c: char| c.is_whitespace() || AROUND.contains(&c) || "=([,{".contains(c);
    let mut begin = 0;
    for word in text.split(is_around) {
        let start = begin;
        begin += word.len() + text[begin + word.len()..].chars().next().map_or(0, char::len_utf8);
        let Some(at) = word.rfind('@') else { continue };
        let (login, address) = (&word[..at], &word[at + 1..]);
        // `//user:password@host/share`
        let login = login.strip_prefix("//").unwrap_or(login);
        let start = start + at - login.len();
        let at = login.len();
        let Some((user, password)) = login.split_once(':') else { continue };
        let is_user = !user.is_empty() && user.chars().all(|c| c.is_ascii_alphanumeric() || "._%+-".contains(c));
        let host = address.split(['/', '?', ')', ';', ']', '}']).next().unwrap_or_default();
        let host = host.trim_end_matches([':', '.', ',']);
        let (name, port) = host.split_once(':').unwrap_or((host, ""));
        let is_address =
            !name.is_empty() && name.split('.').count() == 4 && name.chars().all(|c| c.is_ascii_digit() || c == '.');
        let is_host = is_address
            || name.starts_with(|c: char| c.is_ascii_alphabetic())
                && !name.starts_with("sha")
                && name.chars().all(|c| c.is_ascii_alphanumeric() || "-._".contains(c));
        let is_port = port.chars().take_while(|c| *c != ',').all(|c| c.is_ascii_digit() || c == '.');
        // An image has a path: `user:password@registry/image`.
        let is_image = address.contains('/') && !password.contains(['.', '/']);
        let is_other = NO_USERS.contains(&user.to_ascii_lowercase().as_str()) && !is_image
            || password.starts_with("//")
            || user == "git";
        if is_user && is_host && is_port && !password.is_empty() && !is_other {
            spans.push(start + user.len() + 1..start + at);
        }
    }
}

/// Returns true if a shell variable is the password: `ci:$TOKEN`.
fn is_variable(login: &str) -> bool {
    let name = login.rsplit(':').next().unwrap_or_default().strip_prefix('$').unwrap_or_default();
    !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c == '_')
}

fn scheme(before: &str) -> &str {
    let start = before.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '+').len();
    before.get(start..).unwrap_or_default()
}

/// Returns the end of the text before the scheme of the next URL.
fn before_scheme(text: &str) -> usize {
    text.len() - scheme(text).len()
}

/// Returns the length of the user and password, if there are any.
fn userinfo_length(scheme: &str, url: &str) -> Option<usize> {
    let authority = &url[..url.find(['/', '?', '#']).unwrap_or(url.len())];
    if let Some(at) = authority.rfind('@') {
        return match &authority[..at] {
            // The SSH user of Git servers is not a secret.
            "" | "git" | "git:" => None,
            // A password may contain `@` and `/`, so that a part of it looks like the host.
            user if is_variable(user) => None,
            user if user.contains(':') => url.rfind('@'),
            _ => Some(at),
        };
    }
    // If a password contains a slash, its first part looks like a port.
    let (_, port) = authority.rsplit_once(':').filter(|_| !authority.starts_with('['))?;
    let is_port = !port.is_empty() && port.chars().all(|c| c.is_ascii_digit());
    let is_web = matches!(scheme.to_ascii_lowercase().as_str(), "http" | "https" | "oci" | "ssh" | "git" | "file");
    if is_port && is_web || port.is_empty() { None } else { url.rfind('@') }
}

/// Returns the range of a port that is none: a password whose host is missing, as in `https://user:password`.
fn false_port(scheme: &str, url: &str) -> Option<Range<usize>> {
    let scheme = scheme.to_ascii_lowercase();
    let authority = &url[..url.find(['/', '?', '#', '\\']).unwrap_or(url.len())];
    let last = &authority[authority.rfind(',').map_or(0, |comma| comma + 1)..];
    // The colons of an IPv6 address in brackets.
    if last.starts_with('[') && !last.contains("]:") {
        return None;
    }
    let (host, port) = last.split_once("]:").or_else(|| last.split_once(':')).filter(|_| !authority.contains('@'))?;
    let is_host = !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_[:".contains(&byte));
    let start = authority.len() - port.len();
    let digits = port.len() - port.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let is_number =
        digits > 0 && !port[digits..].starts_with(|c: char| c.is_alphanumeric() || "!@$%^*~+_=".contains(c));
    // An IPv6 address without brackets.
    let is_address = authority.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b':');
    let port = port.trim_end_matches(|c: char| ".,;:!…|)]}".contains(c));
    let is_name =
        port.to_ascii_lowercase().split(['-', '_']).any(|word| NAMES_OF_PORTS.iter().any(|name| word.ends_with(name)));
    let is_template = port.starts_with(['$', '{', '<', '%', '*']);
    let is_password = port.contains(char::is_alphanumeric) && !(is_number || is_address || is_name || is_template);
    (is_password && is_host && SCHEMES_OF_SERVERS.iter().any(|part| scheme.contains(part)))
        .then(|| start..start + port.len())
}

#[cfg(test)]
#[test]
fn every_pattern_compiles() {
    assert_eq!(WITHOUT_SCHEME.len(), 5);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multibyte_characters_after_a_login_do_not_panic() {
        for text in ["//u:p@h/p-es਼ò@🮛", "//ü:secret@ò/é", "//u:secret@ò"] {
            find_without_scheme(text, &mut Vec::new());
        }
        let mut spans = Vec::new();
        let text = "mount //u:canary@host/share";
        find_without_scheme(text, &mut spans);
        let found: Vec<&str> = spans.into_iter().map(|span| &text[span]).collect();
        assert_eq!(found, ["canary"]);
    }
}
