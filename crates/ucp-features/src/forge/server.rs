//! The server that a remote is on, and the server that a token of the environment belongs to. A token is used only if both
//! are the same: the URL of a remote, which a checkout may contain, never decides where a token is sent.

use super::ForgeKind;
use super::address::{RemoteAddress, RemoteProtocol, is_host};
use ucp_client::source::proxy::is_loopback;

/// A forge's server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForgeServer {
    /// Its host, as in the URLs of remotes.
    pub host: String,
    /// Its port for HTTP, if it is not the default.
    pub port: Option<u16>,
    /// The segments of the path below which it is served; usually none.
    pub root: Vec<String>,
    /// The base of its API: scheme, host, port, and path, without a slash at the end.
    pub api: String,
}

/// A token's variables and the server that the tokens belong to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenBinding {
    /// The variables, by precedence.
    pub variables: &'static [&'static str],
    /// The server.
    pub server: ForgeServer,
}

/// Reads a variable; empty ones are absent.
pub type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

const GITHUB: &[&str] = &["GH_TOKEN", "GITHUB_TOKEN"];
const GITHUB_ENTERPRISE: &[&str] = &["GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"];
const GITHUB_EITHER: &[&str] = &["GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"];
const GITLAB: &[&str] = &["GITLAB_TOKEN", "GITLAB_ACCESS_TOKEN"];
const GITLAB_JOB: &[&str] = &["CI_JOB_TOKEN"];
const GITEA: &[&str] = &["GITEA_TOKEN", "GITEA_SERVER_TOKEN", "FORGEJO_TOKEN"];
const GITEA_ACTIONS: &[&str] = &["GITEA_TOKEN", "FORGEJO_TOKEN", "GITHUB_TOKEN"];
const BITBUCKET: &[&str] = &["BITBUCKET_TOKEN", "BITBUCKET_ACCESS_TOKEN"];
const AZURE: &[&str] = &["AZURE_DEVOPS_EXT_PAT", "SYSTEM_ACCESSTOKEN"];

/// Hosts of the public services. SSH over the port of HTTPS has its own hosts.
const PUBLIC: &[(&str, ForgeKind)] = &[
    ("github.com", ForgeKind::Github),
    ("ssh.github.com", ForgeKind::Github),
    ("gitlab.com", ForgeKind::Gitlab),
    ("altssh.gitlab.com", ForgeKind::Gitlab),
    ("bitbucket.org", ForgeKind::Bitbucket),
    ("altssh.bitbucket.org", ForgeKind::Bitbucket),
    ("dev.azure.com", ForgeKind::Azure),
    ("ssh.dev.azure.com", ForgeKind::Azure),
    ("vs-ssh.visualstudio.com", ForgeKind::Azure),
    ("gitea.com", ForgeKind::Gitea),
    ("codeberg.org", ForgeKind::Gitea),
];

impl ForgeServer {
    /// Returns the server of a remote. Its API is at the usual address, with HTTPS.
    pub fn of_remote(kind: ForgeKind, remote: &RemoteAddress) -> Self {
        let host = match remote.host.as_str() {
            "ssh.github.com" => "github.com",
            "altssh.gitlab.com" => "gitlab.com",
            "altssh.bitbucket.org" => "bitbucket.org",
            name if kind == ForgeKind::Azure && is_azure(name) => "dev.azure.com",
            name => name,
        };
        // The port of SSH says nothing about HTTP.
        let port = remote.port.filter(|_| remote.protocol != RemoteProtocol::Ssh);
        let scheme = if remote.protocol == RemoteProtocol::Http { "http" } else { "https" };
        Self::at(kind, scheme, host, port)
    }

    fn at(kind: ForgeKind, scheme: &str, host: &str, port: Option<u16>) -> Self {
        let authority = port.map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
        let api = match kind {
            ForgeKind::Github if host == "github.com" => "https://api.github.com".to_owned(),
            ForgeKind::Github if host.ends_with(".ghe.com") => format!("https://api.{host}"),
            ForgeKind::Github => format!("{scheme}://{authority}/api/v3"),
            ForgeKind::Gitlab => format!("{scheme}://{authority}/api/v4"),
            ForgeKind::Gitea => format!("{scheme}://{authority}/api/v1"),
            ForgeKind::Bitbucket if host == "bitbucket.org" => "https://api.bitbucket.org/2.0".to_owned(),
            ForgeKind::Bitbucket => format!("{scheme}://{authority}/2.0"),
            ForgeKind::Azure => format!("{scheme}://{authority}"),
        };
        Self { host: host.to_owned(), port, root: Vec::new(), api }
    }

    /// Reads a variable with a host, or with the URL of a server.
    fn declared(kind: ForgeKind, text: &str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://").unwrap_or(("https", text));
        let mut url = RemoteAddress::parse(&format!("{scheme}://{}/server", rest.trim_end_matches('/')))?;
        url.path.pop();
        let scheme = if url.protocol == RemoteProtocol::Http { "http" } else { "https" };
        let server = Self::at(kind, scheme, &url.host, url.port);
        // Only Gitea names a repository by the last two segments.
        if url.path.is_empty() || kind != ForgeKind::Gitea {
            return Some(server);
        }
        let (origin, path) = server.origin_and_path();
        let api = format!("{origin}/{}{path}", url.path.join("/"));
        Some(Self { root: url.path, api, ..server })
    }

    /// Returns the same server with the API of a variable.
    fn with_api(self, api: &str) -> Option<Self> {
        let api = api.trim_end_matches('/').to_owned();
        let (host, _) = authority(&api)?;
        is_host(&host).then_some(Self { api, ..self })
    }

    /// Returns true if a remote is on this server.
    pub fn has(&self, kind: ForgeKind, remote: &RemoteAddress) -> bool {
        let theirs = Self::of_remote(kind, remote);
        let is_below = remote.path.starts_with(&self.root);
        let is_ssh = remote.protocol == RemoteProtocol::Ssh;
        self.host == theirs.host && (is_ssh || self.port == theirs.port && is_below)
    }

    /// Returns the obstacle to sending a token to the API, if there is one: it must be encrypted, or on this machine.
    pub fn obstacle(&self) -> Option<String> {
        let Some((host, _)) = authority(&self.api) else { return Some(format!("{} is not a URL", self.api)) };
        let is_local = is_loopback(host.trim_matches(['[', ']']));
        match self.api.split_once("://").map(|(scheme, _)| scheme) {
            Some("https") => None,
            Some("http") if is_local => None,
            _ => Some(format!("{} is not encrypted, so that the token is not sent there", self.api)),
        }
    }

    /// Returns the origin of the API, and the path of its base.
    pub fn origin_and_path(&self) -> (&str, &str) {
        let begin = self.api.find("://").map_or(0, |at| at + 3);
        let end = self.api[begin..].find('/').map_or(self.api.len(), |length| begin + length);
        self.api.split_at(end)
    }
}

/// Returns host and port of a URL.
fn authority(url: &str) -> Option<(String, Option<u16>)> {
    let (_, rest) = url.split_once("://")?;
    let url = RemoteAddress::parse(&format!("https://{}/x", rest.split('/').next()?))?;
    Some((url.host, url.port))
}

fn is_azure(host: &str) -> bool {
    host == "dev.azure.com" || host == "ssh.dev.azure.com" || host.ends_with(".visualstudio.com")
}

/// Returns the forge of a remote, if it is known: a public service, or a server that a variable names.
pub fn detect(remote: &RemoteAddress, environment: Environment<'_>) -> Option<ForgeKind> {
    let known = PUBLIC.iter().find(|(host, _)| *host == remote.host).map(|(_, kind)| *kind);
    if known.is_some() {
        return known;
    }
    if remote.host.ends_with(".ghe.com") {
        return Some(ForgeKind::Github);
    }
    if remote.host.ends_with(".visualstudio.com") {
        return Some(ForgeKind::Azure);
    }
    let kinds = [ForgeKind::Github, ForgeKind::Gitlab, ForgeKind::Gitea];
    kinds.into_iter().find(|kind| bindings(*kind, environment).iter().any(|one| one.server.has(*kind, remote)))
}

/// Returns the tokens that the environment may have for a forge, with the servers that they belong to.
pub fn bindings(kind: ForgeKind, environment: Environment<'_>) -> Vec<TokenBinding> {
    let variable = |name: &str| environment(name).filter(|value| !value.is_empty());
    let first = |names: &[&str]| names.iter().find_map(|name| variable(name));
    let public = |host: &str| Some(ForgeServer::at(kind, "https", host, None));
    let bind = |variables, server: Option<ForgeServer>| server.map(|server| TokenBinding { variables, server });
    // The runners of Gitea and Forgejo set GitHub's variables for their own server.
    let is_gitea = first(&["GITEA_ACTIONS", "FORGEJO_ACTIONS"]).is_some_and(|value| value == "true");
    let actions_server = || ForgeServer::declared(kind, &variable("GITHUB_SERVER_URL")?);
    let all = match kind {
        ForgeKind::Github => {
            let enterprise = variable("GH_HOST").and_then(|host| ForgeServer::declared(kind, &host));
            let api = variable("GITHUB_API_URL").filter(|_| !is_gitea);
            let main = api.map(|api| {
                let server = actions_server().or_else(|| {
                    let (host, port) = authority(&api)?;
                    Some(ForgeServer::at(kind, "https", host.strip_prefix("api.").unwrap_or(&host), port))
                });
                server.and_then(|server| server.with_api(&api))
            });
            match (main, enterprise) {
                (Some(main), enterprise) => {
                    vec![bind(GITHUB, main), bind(GITHUB_ENTERPRISE, enterprise)]
                }
                (None, Some(enterprise)) => vec![bind(GITHUB_EITHER, Some(enterprise))],
                (None, None) if is_gitea => vec![bind(&["GH_TOKEN"], public("github.com"))],
                (None, None) => vec![bind(GITHUB, public("github.com"))],
            }
        }
        ForgeKind::Gitlab => {
            let job = variable("CI_SERVER_URL").and_then(|url| {
                let server = ForgeServer::declared(kind, &url)?;
                match variable("CI_API_V4_URL") {
                    Some(api) => server.with_api(&api),
                    None => Some(server),
                }
            });
            let named = first(&["GITLAB_HOST", "GL_HOST", "GITLAB_URI"]);
            let named = match named {
                Some(host) => ForgeServer::declared(kind, &host),
                None => job.clone().or_else(|| public("gitlab.com")),
            };
            vec![bind(GITLAB, named), bind(GITLAB_JOB, job)]
        }
        ForgeKind::Gitea => {
            let named = first(&["GITEA_SERVER_URL", "FORGEJO_SERVER_URL", "GITEA_URL", "FORGEJO_URL"]);
            let named = named.and_then(|url| ForgeServer::declared(kind, &url));
            let actions = if is_gitea { actions_server() } else { None };
            match named {
                Some(named) => vec![bind(GITEA, Some(named))],
                None => vec![bind(GITEA_ACTIONS, actions)],
            }
        }
        ForgeKind::Bitbucket => vec![bind(BITBUCKET, public("bitbucket.org"))],
        ForgeKind::Azure => vec![bind(AZURE, public("dev.azure.com"))],
    };
    all.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn servers(kind: ForgeKind, variables: &[(&str, &str)]) -> Vec<(String, String)> {
        let environment =
            |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        let all = bindings(kind, &environment).into_iter();
        all.map(|one| (one.variables[0].to_owned(), one.server.api)).collect()
    }

    fn detected(url: &str, variables: &[(&str, &str)]) -> Option<ForgeKind> {
        let environment =
            |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        detect(&RemoteAddress::parse(url).unwrap(), &environment)
    }

    fn one(variable: &str, api: &str) -> (String, String) {
        (variable.to_owned(), api.to_owned())
    }

    #[test]
    fn a_token_belongs_to_the_server_that_its_environment_names() {
        use ForgeKind::{Azure, Bitbucket, Gitea, Github, Gitlab};
        assert_eq!(servers(Github, &[]), [one("GH_TOKEN", "https://api.github.com")]);
        assert_eq!(
            servers(
                Github,
                &[("GITHUB_API_URL", "https://ghe.example/api/v3"), ("GITHUB_SERVER_URL", "https://ghe.example")]
            ),
            [one("GH_TOKEN", "https://ghe.example/api/v3")]
        );
        assert_eq!(
            servers(Github, &[("GITHUB_API_URL", "https://api.github.com"), ("GH_HOST", "ghe.example")]),
            [one("GH_TOKEN", "https://api.github.com"), one("GH_ENTERPRISE_TOKEN", "https://ghe.example/api/v3")]
        );
        assert_eq!(servers(Github, &[("GH_HOST", "a.ghe.com")]), [one("GH_ENTERPRISE_TOKEN", "https://api.a.ghe.com")]);
        assert_eq!(servers(Gitlab, &[]), [one("GITLAB_TOKEN", "https://gitlab.com/api/v4")]);
        assert_eq!(
            servers(Gitlab, &[("CI_SERVER_URL", "https://git.example:8443"), ("GITLAB_HOST", "gitlab.com")]),
            [one("GITLAB_TOKEN", "https://gitlab.com/api/v4"), one("CI_JOB_TOKEN", "https://git.example:8443/api/v4")]
        );
        // The server of a Gitea token is unknown.
        assert_eq!(servers(Gitea, &[]), []);
        assert_eq!(
            servers(Gitea, &[("GITEA_ACTIONS", "true"), ("GITHUB_SERVER_URL", "https://tea.example")]),
            [one("GITEA_TOKEN", "https://tea.example/api/v1")]
        );
        assert_eq!(
            servers(Gitea, &[("GITEA_SERVER_URL", "http://[::1]:3000/")]),
            [one("GITEA_TOKEN", "http://[::1]:3000/api/v1")]
        );
        assert_eq!(
            servers(Gitea, &[("GITEA_SERVER_URL", "https://git.example/tea/")]),
            [one("GITEA_TOKEN", "https://git.example/tea/api/v1")]
        );
        // A runner of Gitea has GitHub's variables for its own server.
        assert_eq!(
            servers(Github, &[("GITEA_ACTIONS", "true"), ("GITHUB_API_URL", "https://tea.example/api/v1")]),
            [one("GH_TOKEN", "https://api.github.com")]
        );
        assert_eq!(servers(Bitbucket, &[]), [one("BITBUCKET_TOKEN", "https://api.bitbucket.org/2.0")]);
        assert_eq!(servers(Azure, &[]), [one("AZURE_DEVOPS_EXT_PAT", "https://dev.azure.com")]);
    }

    #[test]
    fn a_remote_on_another_host_is_not_on_the_server_of_the_token() {
        let github = &bindings(ForgeKind::Github, &|_| None)[0].server;
        for (url, is_there) in [
            ("https://github.com/a/b", true),
            ("git@github.com:a/b", true),
            ("ssh://git@ssh.github.com:443/a/b", true),
            ("https://github.com:8443/a/b", false),
            ("https://github.com.evil.example/a/b", false),
            ("https://evil.example/github.com/b", false),
            ("git@evil.example:a/b", false),
        ] {
            assert_eq!(github.has(ForgeKind::Github, &RemoteAddress::parse(url).unwrap()), is_there, "{url}");
        }
        let tea = ForgeServer::declared(ForgeKind::Gitea, "http://127.0.0.1:3000").unwrap();
        assert!(tea.has(ForgeKind::Gitea, &RemoteAddress::parse("ssh://git@127.0.0.1:2222/a/b").unwrap()));
        assert!(!tea.has(ForgeKind::Gitea, &RemoteAddress::parse("http://127.0.0.1:3001/a/b").unwrap()));
    }

    #[test]
    fn a_token_is_not_sent_in_clear_text() {
        for (api, is_allowed) in [
            ("https://tea.example/api/v1", true),
            ("http://127.0.0.1:3000/api/v1", true),
            ("http://[::1]:3000/api/v1", true),
            ("http://localhost/api/v1", true),
            ("http://tea.example/api/v1", false),
            ("http://127.0.0.1.evil.example/api/v1", false),
            ("http://localhost@evil.example/api/v1", false),
            ("ftp://tea.example/api/v1", false),
        ] {
            let server = ForgeServer { host: String::new(), port: None, root: Vec::new(), api: api.to_owned() };
            assert_eq!(server.obstacle().is_none(), is_allowed, "{api}");
        }
    }

    #[test]
    fn forges_are_detected() {
        assert_eq!(detected("git@github.com:a/b", &[]), Some(ForgeKind::Github));
        assert_eq!(detected("https://org@dev.azure.com/org/p/_git/r", &[]), Some(ForgeKind::Azure));
        assert_eq!(detected("https://codeberg.org/a/b", &[]), Some(ForgeKind::Gitea));
        assert_eq!(detected("https://git.example/a/b", &[]), None);
        assert_eq!(detected("https://git.example/a/b", &[("GITLAB_HOST", "git.example")]), Some(ForgeKind::Gitlab));
        assert_eq!(
            detected("https://git.example/a/b", &[("GITEA_SERVER_URL", "https://git.example")]),
            Some(ForgeKind::Gitea)
        );
        assert_eq!(detected("https://gitlab.evil.example/a/b", &[]), None);
    }
}
