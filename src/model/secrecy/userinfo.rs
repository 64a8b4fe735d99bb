//! User and password in URLs and connection strings, also where they are not encoded as they should be.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// Where a URL ends in a text.
const AROUND: [char; 5] = ['"', '\'', '`', '<', '>'];

/// `user:password@tcp(host:3306)/name` of Go's MySQL driver, and `jdbc:oracle:thin:user/password@host`: no scheme marks
/// where they begin.
static WITHOUT_SCHEME: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        r#"(?:^|[\s"'`=(])([\w.%+-]+:[^\s"'`]+?)@(?:tcp[46]?|udp|unix)\("#,
        r#"(?i)jdbc:oracle:\w+:([^\s"'`@/]+/[^\s"'`]+)@"#,
    ]
    .into_iter()
    .filter_map(|pattern| Regex::new(pattern).ok())
    .collect()
});

/// Adds what stands in front of the `@` of each URL.
pub(super) fn find(text: &str, spans: &mut Vec<Range<usize>>) {
    for (colon, _) in text.match_indices("://") {
        let start = colon + 3;
        let rest = &text[start..];
        let end = rest.find(|c: char| c.is_whitespace() || AROUND.contains(&c)).unwrap_or(rest.len());
        // A list of URLs, as of a cluster of brokers.
        let end = rest[..end].find("://").map_or(end, |next| before_scheme(&rest[..next]));
        if let Some(length) = length(scheme(&text[..colon]), &rest[..end]) {
            spans.push(start..start + length);
        }
    }
    for pattern in WITHOUT_SCHEME.iter() {
        spans.extend(pattern.captures_iter(text).filter_map(|found| Some(found.get(1)?.range())));
    }
}

fn scheme(before: &str) -> &str {
    let start = before.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '+').map_or(0, |index| index + 1);
    before.get(start..).unwrap_or_default()
}

/// The end of what stands before the scheme of the next URL.
fn before_scheme(text: &str) -> usize {
    text.len() - scheme(text).len()
}

/// How long the user and password are, where there are any.
fn length(scheme: &str, url: &str) -> Option<usize> {
    let authority = &url[..url.find(['/', '?', '#']).unwrap_or(url.len())];
    if let Some(at) = authority.rfind('@') {
        return match &authority[..at] {
            // The user of every Git server's SSH tells nothing.
            "" | "git" | "git:" => None,
            // What looks like the host may be the middle of a password with an `@` and a `/`.
            user if user.contains(':') => url.rfind('@'),
            _ => Some(at),
        };
    }
    // A slash in a password: what looks like a port is none.
    let (_, port) = authority.rsplit_once(':').filter(|_| !authority.starts_with('['))?;
    let is_port = !port.is_empty() && port.chars().all(|c| c.is_ascii_digit());
    let is_web = matches!(scheme.to_ascii_lowercase().as_str(), "http" | "https" | "oci" | "ssh" | "git" | "file");
    if is_port && is_web || port.is_empty() { None } else { url.rfind('@') }
}
