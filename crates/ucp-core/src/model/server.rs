//! URLs of API servers.

use std::fmt;

/// Normalizes a URL for comparison: scheme and host in lower case, no default port, no trailing slash.
pub fn canonical_url(server: &str) -> String {
    let server = server.trim().trim_end_matches('/');
    let (scheme, rest) = server.split_once("://").unwrap_or(("https", server));
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let (scheme, authority) = (scheme.to_ascii_lowercase(), authority.to_ascii_lowercase());
    let default = if scheme == "http" { ":80" } else { ":443" };
    format!("{scheme}://{}{path}", authority.strip_suffix(default).unwrap_or(&authority))
}

/// Returns the path of a URL, below which a proxy such as Rancher's serves one of several clusters; empty without one.
pub fn url_path(server: &str) -> String {
    let canonical = canonical_url(server);
    let rest = canonical.split_once("://").map_or("", |(_, rest)| rest);
    rest.find('/').map(|path| rest[path..].to_owned()).unwrap_or_default()
}

/// The reason why a URL cannot be that of an API server to which a credential is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerUrlProblem {
    /// It has another scheme, no host, or characters that a URL cannot have.
    NotHttps,
    /// It has a user name or password, which belongs to the user of the kubeconfig.
    UserName,
    /// It has a query.
    Query,
    /// It has a fragment.
    Fragment,
    /// Its path is read differently by different programs: dots, empty or encoded segments.
    Path,
}

impl fmt::Display for ServerUrlProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::NotHttps => "is not a plain https:// URL",
            Self::UserName => "is a URL with a user name, which is refused: credentials belong to the user",
            Self::Query => "is a URL with a query (?), which is refused: an API server has none",
            Self::Fragment => "is a URL with a fragment (#), which is refused: an API server has none",
            Self::Path => "is a URL with an ambiguous path, which is refused: an empty, encoded, or dot segment",
        })
    }
}

/// Checks the URL of an API server. An endpoint is scheme, host, port, and path, so that a credential for it cannot be
/// sent with anything else.
///
/// # Errors
/// Returns the first problem; it does not quote the URL.
pub fn check_server_url(server: &str) -> Result<(), ServerUrlProblem> {
    let server = server.trim();
    let (scheme, rest) = server.split_once("://").ok_or(ServerUrlProblem::NotHttps)?;
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, rest) = rest.split_at(end);
    let is_odd = |character: char| character.is_control() || character.is_whitespace() || character == '\\';
    if !["https", "http"].iter().any(|known| scheme.eq_ignore_ascii_case(known)) || server.contains(is_odd) {
        return Err(ServerUrlProblem::NotHttps);
    }
    if authority.contains('@') {
        return Err(ServerUrlProblem::UserName);
    }
    match rest.find(['?', '#']).map(|at| rest.as_bytes()[at]) {
        Some(b'?') => return Err(ServerUrlProblem::Query),
        Some(_) => return Err(ServerUrlProblem::Fragment),
        None => {}
    }
    let port = authority.rsplit_once(':').map_or("", |(_, port)| port);
    let is_port = port.is_empty() || authority.ends_with(']') || port.parse::<u16>().is_ok();
    if authority.is_empty() || !is_port {
        return Err(ServerUrlProblem::NotHttps);
    }
    let path = rest.trim_end_matches('/');
    match path.is_empty() || path.split('/').skip(1).all(is_plain_segment) {
        true => Ok(()),
        false => Err(ServerUrlProblem::Path),
    }
}

fn is_plain_segment(segment: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:@=+,".contains(&byte);
    !segment.is_empty() && !matches!(segment, "." | "..") && segment.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_scheme_host_port_and_path() {
        for (server, path) in [
            ("https://a.example.org", ""),
            ("https://a.example.org:6443/", ""),
            ("HTTP://10.0.0.1", ""),
            ("https://[::1]:6443", ""),
            ("https://rancher.example.org/k8s/clusters/c-m-1", "/k8s/clusters/c-m-1"),
            ("https://teleport:443/v1/teleport/YQ/Yg==/", "/v1/teleport/YQ/Yg=="),
            ("https://a/kubernetes/u@example.org/x", "/kubernetes/u@example.org/x"),
        ] {
            assert_eq!(check_server_url(server), Ok(()), "{server}");
            assert_eq!(url_path(server), path);
        }
        for (server, problem) in [
            ("https://h/?token=x", ServerUrlProblem::Query),
            ("https://h?x", ServerUrlProblem::Query),
            ("https://h/a?b#c", ServerUrlProblem::Query),
            ("https://h/#x", ServerUrlProblem::Fragment),
            ("https://h#x?y", ServerUrlProblem::Fragment),
            ("https://u:p@h", ServerUrlProblem::UserName),
            ("https://@h/x", ServerUrlProblem::UserName),
            ("https://u@h?x", ServerUrlProblem::UserName),
            ("https://h/a/../b", ServerUrlProblem::Path),
            ("https://h/./a", ServerUrlProblem::Path),
            ("https://h//a", ServerUrlProblem::Path),
            ("https://h/a%2fb", ServerUrlProblem::Path),
            ("https://h/%2e%2e/b", ServerUrlProblem::Path),
            ("https://h/a;b", ServerUrlProblem::Path),
            ("ftp://h", ServerUrlProblem::NotHttps),
            ("h", ServerUrlProblem::NotHttps),
            ("https:///x", ServerUrlProblem::NotHttps),
            ("https://h:pw/x", ServerUrlProblem::NotHttps),
            ("https://h\\@evil", ServerUrlProblem::NotHttps),
            ("https://h\r\nX: y", ServerUrlProblem::NotHttps),
        ] {
            assert_eq!(check_server_url(server), Err(problem), "{server}");
        }
    }
}
