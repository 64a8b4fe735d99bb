//! Whether two URLs name the same Git repository.

/// A URL as it is compared, like Argo CD's `git.NormalizeGitURL`: no scheme, no user, no port, no `.git`, in lower
/// case, so that `git@example.org:a/b.git` is `https://example.org/a/b`.
pub fn normalise(url: &str) -> String {
    let url = url.trim();
    let rest = match url.split_once("://") {
        Some(("file", path)) => return path.trim_end_matches('/').trim_end_matches(".git").to_owned(),
        Some((_, rest)) => {
            let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
            let host = authority.rsplit('@').next().unwrap_or(authority);
            let host = host.split_once(':').map_or(host, |(host, _)| host);
            format!("{host}/{path}")
        }
        // `user@host:path`, the form of scp; a colon behind a slash belongs to a path.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_repository_are_equal() {
        for url in [
            "https://github.com/Example/quotes.git",
            "https://user:token@github.com/example/quotes/",
            "git@github.com:example/quotes.git",
            "ssh://git@github.com:22/example/quotes",
            "git@github.com:/example/quotes",
        ] {
            assert_eq!(normalise(url), "github.com/example/quotes", "{url}");
        }
        assert_eq!(normalise("/srv/git/quotes.git"), normalise("file:///srv/git/quotes"));
        assert_ne!(normalise("https://github.com/example/quotes2"), normalise("https://github.com/example/quotes"));
    }
}
