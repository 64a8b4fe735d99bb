//! URLs of API servers.

/// Normalizes a URL for comparison: scheme and host in lower case, no default port, no trailing slash.
pub fn canonical_url(server: &str) -> String {
    let server = server.trim().trim_end_matches('/');
    let (scheme, rest) = server.split_once("://").unwrap_or(("https", server));
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let (scheme, authority) = (scheme.to_ascii_lowercase(), authority.to_ascii_lowercase());
    let default = if scheme == "http" { ":80" } else { ":443" };
    format!("{scheme}://{}{path}", authority.strip_suffix(default).unwrap_or(&authority))
}
