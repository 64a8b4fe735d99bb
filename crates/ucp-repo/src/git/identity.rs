//! Comparison of Git repository URLs.

/// Normalizes a URL for comparison: no scheme, no user, no `.git`, in lower case, so that `git@example.org:a/b.git`
/// equals `https://example.org/a/b`. A port is kept unless it is the scheme's default, since other ports may be other
/// servers.
pub fn normalize(url: &str) -> String {
    let url = url.trim();
    // Programs disagree where the host ends in such a URL, so that it equals nothing but itself.
    if url.contains(['?', '#', '\\', '%']) || url.contains(|character: char| character.is_control() || character == ' ')
    {
        return url.to_owned();
    }
    let rest = match url.split_once("://") {
        Some(("file", path)) if !path.starts_with('/') => return url.to_owned(),
        Some(("file", path)) => return path.trim_end_matches('/').trim_end_matches(".git").to_owned(),
        Some((scheme, rest)) => {
            let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
            let host = authority.rsplit('@').next().unwrap_or(authority);
            let own_port = match scheme.to_ascii_lowercase().as_str() {
                "https" => ":443",
                "http" => ":80",
                "ssh" | "git+ssh" | "ssh+git" => ":22",
                "git" => ":9418",
                _ => "",
            };
            let host = host.strip_suffix(own_port).unwrap_or(host);
            format!("{host}/{}", path.trim_start_matches('/'))
        }
        // `user@host:path`, the scp form; a colon after a slash belongs to a path.
        None => match url.split_once(':') {
            Some((authority, path)) if !authority.contains('/') => {
                let host = authority.rsplit('@').next().unwrap_or(authority);
                format!("{host}/{}", path.trim_start_matches('/'))
            }
            _ => return url.trim_end_matches('/').trim_end_matches(".git").to_owned(),
        },
    };
    rest.trim_end_matches('/').trim_end_matches(".git").trim_end_matches('/').to_lowercase()
}

/// Returns true if two URLs refer to the same repository.
pub fn is_same_repository(left: &str, right: &str) -> bool {
    normalize(left) == normalize(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_a_repository_are_equal() {
        for url in [
            "https://github.com/Example/quotes.git",
            "https://user:token@github.com/example/quotes/",
            "https://github.com:443/example/quotes",
            "git@github.com:example/quotes.git",
            "ssh://git@github.com:22/example/quotes",
            "git@github.com:/example/quotes",
        ] {
            assert_eq!(normalize(url), "github.com/example/quotes", "{url}");
        }
        assert_eq!(normalize("/srv/git/quotes.git"), normalize("file:///srv/git/quotes"));
        assert_ne!(normalize("https://github.com/example/quotes2"), normalize("https://github.com/example/quotes"));
    }

    #[test]
    fn a_url_that_programs_read_differently_equals_no_repository() {
        for url in [
            "https://evil.example?@github.com/example/quotes",
            "https://evil.example#@github.com/example/quotes",
            "https://evil.example\\@github.com/example/quotes",
            "https://evil.example%2f@github.com/example/quotes",
            "file://github.com/example/quotes",
            "git@evil.example:a#@github.com:example/quotes",
        ] {
            assert!(!is_same_repository(url, "https://github.com/example/quotes"), "{url}");
            assert!(is_same_repository(url, url));
        }
    }

    #[test]
    fn another_port_is_another_server() {
        assert!(!is_same_repository("https://git.example.org:8443/a/b", "https://git.example.org/a/b"));
        assert!(is_same_repository("https://u@git.example.org:8443/a/b.git", "https://git.example.org:8443/a/b"));
        assert!(!is_same_repository("ssh://git@git.example.org:2222/a/b", "ssh://git@git.example.org/a/b"));
    }
}
