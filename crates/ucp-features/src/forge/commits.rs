//! Links to the commits between two versions of an image. The labels of images are text of their authors: a link is made of
//! checked parts only.

use super::ForgeKind;
use super::address::{RemoteAddress, RemoteProtocol};
use super::server::{Environment, detect};
use crate::registry::origin::ImageOrigin;
use ucp_core::model::request_path::encode;

/// The commits between two versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitRange {
    /// The repository, as `HOST/PATH`.
    pub repository: String,
    /// The commit of the version before, if it is known and in the same repository.
    pub before: Option<String>,
    /// The commit of the version.
    pub after: String,
    /// The page that shows them, if the forge is known.
    pub page: Option<String>,
}

/// Returns the commits between two versions of an image; `None` if it names no repository on a server, and no commit.
pub fn commits_between(
    before: Option<&ImageOrigin>,
    after: &ImageOrigin,
    environment: Environment<'_>,
) -> Option<CommitRange> {
    // A name without a dot is no server that a reader can open: `javascript:…` has the form of `host:path`.
    let is_server = |remote: &RemoteAddress| remote.host.contains('.') || remote.host == "localhost";
    let remote = RemoteAddress::parse(&after.source).filter(is_server)?;
    let new = commit(&after.revision)?;
    let is_same = |origin: &&ImageOrigin| {
        RemoteAddress::parse(&origin.source).is_some_and(|other| other.host == remote.host && other.path == remote.path)
    };
    let old = before.filter(is_same).and_then(|origin| commit(&origin.revision)).filter(|old| *old != new);
    let path = remote.path.iter().map(|part| encode(part)).collect::<Vec<_>>().join("/");
    let scheme = if remote.protocol == RemoteProtocol::Http { "http" } else { "https" };
    let port = remote.port.filter(|_| remote.protocol != RemoteProtocol::Ssh);
    let port = port.map(|port| format!(":{port}")).unwrap_or_default();
    let base = format!("{scheme}://{}{port}/{path}", remote.host);
    let page = kind_of(&remote, environment).map(|kind| match (kind, &old) {
        (ForgeKind::Github | ForgeKind::Gitea, Some(old)) => format!("{base}/compare/{old}...{new}"),
        (ForgeKind::Gitlab, Some(old)) => format!("{base}/-/compare/{old}...{new}"),
        (ForgeKind::Bitbucket, Some(old)) => format!("{base}/branches/compare/{new}%0D{old}"),
        (ForgeKind::Azure, Some(old)) => format!("{base}/branchCompare?baseVersion=GC{old}&targetVersion=GC{new}"),
        (ForgeKind::Gitlab, None) => format!("{base}/-/commit/{new}"),
        (ForgeKind::Bitbucket, None) => format!("{base}/commits/{new}"),
        (ForgeKind::Github | ForgeKind::Gitea | ForgeKind::Azure, None) => format!("{base}/commit/{new}"),
    });
    Some(CommitRange { repository: format!("{}{port}/{path}", remote.host), before: old, after: new, page })
}

/// Returns the forge of a repository, by the servers that the environment names, or by the name of the host.
fn kind_of(remote: &RemoteAddress, environment: Environment<'_>) -> Option<ForgeKind> {
    let named = || {
        let known = [
            ("github", ForgeKind::Github),
            ("gitlab", ForgeKind::Gitlab),
            ("gitea", ForgeKind::Gitea),
            ("forgejo", ForgeKind::Gitea),
        ];
        known.iter().find(|(word, _)| remote.host.contains(word)).map(|(_, kind)| *kind)
    };
    detect(remote, environment).or_else(named)
}

/// Returns a commit if a text is one.
fn commit(text: &str) -> Option<String> {
    let text = text.trim().to_ascii_lowercase();
    ((7..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(source: &str, revision: &str) -> ImageOrigin {
        ImageOrigin { source: source.to_owned(), revision: revision.to_owned() }
    }

    fn range(before: Option<&ImageOrigin>, after: &ImageOrigin) -> Option<CommitRange> {
        commits_between(before, after, &|_| None)
    }

    #[test]
    fn a_page_of_each_forge_shows_the_commits() {
        for (source, page) in [
            ("https://github.com/o/r", "https://github.com/o/r/compare/aaaaaaa1...bbbbbbb2"),
            ("git@github.com:o/r.git", "https://github.com/o/r/compare/aaaaaaa1...bbbbbbb2"),
            ("https://gitlab.example/g/s/r", "https://gitlab.example/g/s/r/-/compare/aaaaaaa1...bbbbbbb2"),
            ("https://codeberg.org/o/r", "https://codeberg.org/o/r/compare/aaaaaaa1...bbbbbbb2"),
            ("https://bitbucket.org/o/r", "https://bitbucket.org/o/r/branches/compare/bbbbbbb2%0Daaaaaaa1"),
            (
                "https://dev.azure.com/o/p/_git/r",
                "https://dev.azure.com/o/p/_git/r/branchCompare?baseVersion=GCaaaaaaa1&targetVersion=GCbbbbbbb2",
            ),
        ] {
            let (before, after) = (origin(source, "aaaaaaa1"), origin(source, "BBBBBBB2"));
            assert_eq!(range(Some(&before), &after).unwrap().page.as_deref(), Some(page), "{source}");
        }
        let after = origin("https://github.com/o/r", "bbbbbbb2");
        let alone = Some("https://github.com/o/r/commit/bbbbbbb2");
        let other = origin("https://github.com/o/other", "aaaaaaa1");
        for before in [None, Some(&other), Some(&after)] {
            assert_eq!(range(before, &after).unwrap().page.as_deref(), alone, "{before:?}");
        }
        assert_eq!(range(None, &origin("https://git.example/o/r", "bbbbbbb2")).unwrap().page, None);
    }

    #[test]
    fn labels_of_images_cannot_create_other_links() {
        for (source, revision) in [
            ("javascript:alert(1)", "bbbbbbb2"),
            ("https://github.com/o/r?x=](https://evil.example)", "bbbbbbb2"),
            ("https://github.com/../r", "bbbbbbb2"),
            ("https://github.com/o/r", "main"),
            ("https://github.com/o/r", "bbbbbbb2)](https://evil.example"),
            ("/srv/git", "bbbbbbb2"),
        ] {
            assert_eq!(range(None, &origin(source, revision)), None, "{source} {revision}");
        }
        let odd = range(None, &origin("https://user:secret@github.com/o/r)%20x", "bbbbbbb2")).unwrap();
        assert_eq!(odd.page.as_deref(), Some("https://github.com/o/r%29%20x/commit/bbbbbbb2"));
    }
}
