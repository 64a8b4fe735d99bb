//! The address of a remote: the server and the path of the repository. It is text from a Git configuration, so that each
//! part is checked before a request is made of it.

use percent_encoding::percent_decode_str;

use ucp_core::failure::{Failure, fail};

/// The protocol of a remote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemoteProtocol {
    /// `https`.
    Https,
    /// `http`.
    Http,
    /// SSH, as a URL or as `user@host:path`.
    Ssh,
}

/// The address of a remote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteAddress {
    /// The protocol.
    pub protocol: RemoteProtocol,
    /// The host, in lower case.
    pub host: String,
    /// The port, if it is not the default.
    pub port: Option<u16>,
    /// The decoded segments of the path, without `.git`.
    pub path: Vec<String>,
}

impl RemoteAddress {
    /// Parses the URL of a remote; returns `None` for a local path, and if a part is unsafe in a request.
    pub fn parse(url: &str) -> Option<Self> {
        // Parsers disagree about where a host begins after a backslash.
        if url.contains(char::is_control) || url.contains('\\') {
            return None;
        }
        let (protocol, authority, path) = match url.split_once("://") {
            Some((scheme, rest)) => {
                let protocol = match scheme.to_ascii_lowercase().as_str() {
                    "https" => RemoteProtocol::Https,
                    "http" => RemoteProtocol::Http,
                    "ssh" | "git+ssh" | "ssh+git" => RemoteProtocol::Ssh,
                    _ => return None,
                };
                let (authority, path) = rest.split_once('/')?;
                (protocol, authority, path)
            }
            None => {
                let (authority, path) = url.split_once(':')?;
                // A drive letter, or a colon in a local path.
                if authority.contains('/') || authority.len() < 2 {
                    return None;
                }
                (RemoteProtocol::Ssh, authority, path)
            }
        };
        let authority = authority.rsplit('@').next()?;
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !authority.ends_with(']') => (host, Some(port.parse().ok()?)),
            _ => (authority, None),
        };
        let host = host.to_ascii_lowercase();
        let default = match protocol {
            RemoteProtocol::Https => 443,
            RemoteProtocol::Http => 80,
            RemoteProtocol::Ssh => 22,
        };
        let port = port.filter(|port| *port != default);
        let path = path.trim_matches('/');
        let path = path.strip_suffix(".git").unwrap_or(path);
        let path: Vec<String> = path.split('/').map(segment).collect::<Option<_>>()?;
        (is_host(&host) && !path.is_empty()).then_some(Self { protocol, host, port, path })
    }

    /// Returns owner and name of a repository, for forges without groups.
    ///
    /// # Errors
    /// Fails when the path has another number of segments.
    pub fn owner_and_name(&self) -> Result<(String, String), Failure> {
        match self.path.as_slice() {
            [owner, name] => Ok((owner.clone(), name.clone())),
            other => fail!("{} is not OWNER/REPOSITORY", other.join("/")),
        }
    }
}

/// Returns a decoded segment of a path, if it is plain.
fn segment(text: &str) -> Option<String> {
    let text = percent_decode_str(text).decode_utf8().ok()?.into_owned();
    let is_plain = !text.is_empty()
        && !text.starts_with("..")
        && text != "."
        && !text.contains(['/', '\\', '?', '#', '%'])
        && !text.contains(char::is_control);
    is_plain.then_some(text)
}

/// Returns true for a name or an address of a host, which is safe in URLs and as an argument.
pub fn is_host(text: &str) -> bool {
    let name = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    match name {
        Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
        None => {
            !text.is_empty()
                && text.len() <= 253
                && !text.starts_with(['-', '.'])
                && text.chars().all(|one| one.is_ascii_alphanumeric() || matches!(one, '-' | '.'))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_a_remote() {
        for (url, protocol, host, port) in [
            ("https://github.com/a/b.git", RemoteProtocol::Https, "github.com", None),
            ("https://user:token@GitHub.com:443/a/b/", RemoteProtocol::Https, "github.com", None),
            ("git@github.com:a/b.git", RemoteProtocol::Ssh, "github.com", None),
            ("ssh://git@git.example.org:2222/a/b", RemoteProtocol::Ssh, "git.example.org", Some(2222)),
            ("http://127.0.0.1:3000/a/b.git", RemoteProtocol::Http, "127.0.0.1", Some(3000)),
            ("http://[::1]:3000/a/b.git", RemoteProtocol::Http, "[::1]", Some(3000)),
        ] {
            let path = vec!["a".to_owned(), "b".to_owned()];
            let expected = RemoteAddress { protocol, host: host.into(), port, path };
            assert_eq!(RemoteAddress::parse(url), Some(expected), "{url}");
        }
    }

    #[test]
    fn addresses_with_unsafe_parts_are_refused() {
        for url in [
            "/srv/git/a.git",
            "file:///srv/git/a",
            "C:\\git\\a",
            "https://github.com/a/%2e%2e/admin",
            "https://github.com/../b",
            "https://github.com/a/b%2Fc",
            "https://github.com/a/b?x=y",
            "https://github.com/a/b%0d%0aHost:x",
            "https://github.com\\@evil.example/a/b",
            "https://git hub.com/a/b",
            "ssh://-oProxyCommand=x/a/b",
            "https://github.com",
        ] {
            assert_eq!(RemoteAddress::parse(url), None, "{url}");
        }
    }
}
