//! Tokens for forges: from the environment, or from the login of the forge's own command line. A token is returned with
//! the server that it belongs to.

use std::io::Read as _;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;

use super::ForgeKind;
use super::address::RemoteAddress;
use super::server::{Environment, ForgeServer, bindings};
use ucp_core::failure::Failure;
use ucp_core::model::secrecy::register_secret;
use ucp_core::program;

/// Variables that the programs below would print instead of their login.
const OVERRIDES: [&str; 7] = [
    "GH_TOKEN",
    "GITHUB_TOKEN",
    "GH_ENTERPRISE_TOKEN",
    "GITHUB_ENTERPRISE_TOKEN",
    "GITLAB_TOKEN",
    "GITLAB_ACCESS_TOKEN",
    "OAUTH_TOKEN",
];
/// Time limit of such a program.
const PATIENCE: Duration = Duration::from_secs(15);
/// Largest configuration of a program in bytes, and longest token.
const LARGEST: u64 = 1 << 20;
/// Azure DevOps as a resource of Microsoft Entra ID.
const AZURE_RESOURCE: &str = "499b84ac-1321-427f-aa17-267975ca6798";

/// The form of a token in a request.
#[derive(Debug, Clone, PartialEq, Eq)]
enum TokenForm {
    /// `Authorization: Bearer`.
    Bearer,
    /// `Authorization: token`.
    Token,
    /// `Authorization: Basic`, with this user.
    Basic(String),
    /// A header of its own.
    Header(&'static str),
}

/// A token and the server that it belongs to.
#[derive(Debug)]
pub struct ForgeToken {
    secret: SecretString,
    form: TokenForm,
    /// The server.
    pub server: ForgeServer,
}

impl ForgeToken {
    fn new(secret: &str, form: TokenForm, server: ForgeServer) -> Self {
        register_secret(secret);
        if let TokenForm::Basic(user) = &form {
            register_secret(&BASE64.encode(format!("{user}:{secret}")));
        }
        Self { secret: SecretString::from(secret), form, server }
    }

    /// Returns name and value of the header of a request.
    pub(super) fn header(&self) -> (&'static str, SecretString) {
        let secret = self.secret.expose_secret();
        let value = match &self.form {
            TokenForm::Bearer => format!("Bearer {secret}"),
            TokenForm::Token => format!("token {secret}"),
            TokenForm::Basic(user) => format!("Basic {}", BASE64.encode(format!("{user}:{secret}"))),
            TokenForm::Header(name) => return (name, self.secret.clone()),
        };
        ("authorization", SecretString::from(value))
    }
}

/// Finds the token for the server of a remote.
///
/// # Errors
/// Fails with the reason why there is none, and the variables to set.
pub fn find(kind: ForgeKind, remote: &RemoteAddress, environment: Environment<'_>) -> Result<ForgeToken, Failure> {
    let variable =
        |name: &str| environment(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
    let known = bindings(kind, environment);
    let mut elsewhere = None;
    for binding in &known {
        let Some((name, secret)) = binding.variables.iter().find_map(|name| Some((*name, variable(name)?))) else {
            continue;
        };
        if binding.server.has(kind, remote) {
            let form = form(kind, name, &variable);
            return Ok(ForgeToken::new(&secret, form, binding.server.clone()));
        }
        let (server, _) = binding.server.origin_and_path();
        let port = remote.port.map(|port| format!(":{port}")).unwrap_or_default();
        elsewhere = Some(format!("{name} belongs to {server}, and the remote is on {}{port}", remote.host).into());
    }
    let server = ForgeServer::of_remote(kind, remote);
    if let Some((secret, form)) = of_login(kind, &server, remote) {
        return Ok(ForgeToken::new(&secret, form, server));
    }
    Err(elsewhere.unwrap_or_else(|| match kind {
        ForgeKind::Github => "no token: set GITHUB_TOKEN, or log in with 'gh auth login'".into(),
        ForgeKind::Gitlab => "no token: set GITLAB_TOKEN, or log in with 'glab auth login'".into(),
        ForgeKind::Gitea if variable("GITEA_TOKEN").is_some() => {
            "nothing names the server of GITEA_TOKEN: set GITEA_SERVER_URL".into()
        }
        ForgeKind::Gitea => "no token: set GITEA_TOKEN and GITEA_SERVER_URL, or log in with 'tea login add'".into(),
        ForgeKind::Bitbucket => "no token: set BITBUCKET_TOKEN".into(),
        ForgeKind::Azure => "no token: set AZURE_DEVOPS_EXT_PAT, or log in with 'az login'".into(),
    }))
}

/// Returns the form in which a variable's token is sent.
fn form(kind: ForgeKind, name: &str, variable: &dyn Fn(&str) -> Option<String>) -> TokenForm {
    match (kind, name) {
        (ForgeKind::Gitlab, "CI_JOB_TOKEN") => TokenForm::Header("job-token"),
        (ForgeKind::Gitlab, _) => TokenForm::Header("private-token"),
        (ForgeKind::Gitea, _) => TokenForm::Token,
        // A token of an account needs its address; a token of a repository or workspace does not.
        (ForgeKind::Bitbucket, _) => variable("BITBUCKET_EMAIL").map_or(TokenForm::Bearer, TokenForm::Basic),
        (ForgeKind::Azure, "AZURE_DEVOPS_EXT_PAT") => TokenForm::Basic(String::new()),
        (ForgeKind::Github | ForgeKind::Azure, _) => TokenForm::Bearer,
    }
}

/// Returns the token of the login of a forge's own command line for exactly this server.
fn of_login(kind: ForgeKind, server: &ForgeServer, remote: &RemoteAddress) -> Option<(String, TokenForm)> {
    let host = server.port.map_or_else(|| server.host.clone(), |port| format!("{}:{port}", server.host));
    match kind {
        ForgeKind::Github => Some((output("gh", &["auth", "token", "--hostname", &host])?, TokenForm::Bearer)),
        ForgeKind::Gitlab => Some((output("glab", &["config", "get", "token", "--host", &host])?, TokenForm::Bearer)),
        ForgeKind::Gitea => Some((of_tea(remote)?, TokenForm::Token)),
        ForgeKind::Azure => {
            let words = ["account", "get-access-token", "--resource", AZURE_RESOURCE, "--query", "accessToken"];
            Some((output("az", &[&words[..], &["--output", "tsv"]].concat())?, TokenForm::Bearer))
        }
        ForgeKind::Bitbucket => None,
    }
}

/// Runs a program in the home directory, where no checkout configures it, and returns the token that it prints.
fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(std::env::home_dir()?).env("GH_PROMPT_DISABLED", "1");
    for name in OVERRIDES {
        command.env_remove(name);
    }
    let text = program::short_output(command, "", PATIENCE)?;
    let token = text.trim();
    is_token(token).then(|| token.to_owned())
}

fn is_token(text: &str) -> bool {
    text.len() >= 8 && text.chars().all(|one| one.is_ascii_graphic())
}

/// The configuration of `tea`, Gitea's command line.
#[derive(Deserialize)]
struct TeaConfiguration {
    #[serde(default)]
    logins: Vec<TeaLogin>,
}

#[derive(Deserialize)]
struct TeaLogin {
    #[serde(default)]
    url: String,
    #[serde(default)]
    token: String,
}

/// Returns the token of a login of `tea` for the server of a remote.
fn of_tea(remote: &RemoteAddress) -> Option<String> {
    let home = || std::env::home_dir().map(|home| home.join(".config"));
    let directory = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).or_else(home)?;
    let mut text = String::new();
    let file = std::fs::File::open(directory.join("tea/config.yml")).ok()?;
    file.take(LARGEST).read_to_string(&mut text).ok()?;
    let configuration: TeaConfiguration = serde_saphyr::from_str(&text).ok()?;
    let is_there = |login: &&TeaLogin| {
        let address = RemoteAddress::parse(&format!("{}/server", login.url.trim_end_matches('/')));
        let server = address.map(|address| ForgeServer::of_remote(ForgeKind::Gitea, &address));
        server.is_some_and(|server| server.api.starts_with("https://") && server.has(ForgeKind::Gitea, remote))
    };
    let login = configuration.logins.iter().find(is_there)?;
    is_token(&login.token).then(|| login.token.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(kind: ForgeKind, url: &str, variables: &[(&str, &str)]) -> Result<(String, String, String), Failure> {
        let environment =
            |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        let token = find(kind, &RemoteAddress::parse(url).unwrap(), &environment)?;
        let (name, value) = token.header();
        Ok((name.to_owned(), value.expose_secret().to_owned(), token.server.api))
    }

    #[test]
    fn tokens_have_the_form_of_their_forge() {
        use ForgeKind::{Azure, Bitbucket, Gitea, Github, Gitlab};
        let own = "https://git.example/a/b";
        for (kind, url, variables, name, value) in [
            (Github, "https://github.com/a/b", vec![("GITHUB_TOKEN", "canary")], "authorization", "Bearer canary"),
            (Gitlab, "https://gitlab.com/a/b", vec![("GITLAB_TOKEN", "canary")], "private-token", "canary"),
            (
                Gitlab,
                own,
                vec![("CI_SERVER_URL", "https://git.example"), ("CI_JOB_TOKEN", "canary")],
                "job-token",
                "canary",
            ),
            (
                Gitea,
                own,
                vec![("GITEA_SERVER_URL", "https://git.example"), ("GITEA_TOKEN", "canary")],
                "authorization",
                "token canary",
            ),
            (
                Bitbucket,
                "https://bitbucket.org/a/b",
                vec![("BITBUCKET_TOKEN", "canary")],
                "authorization",
                "Bearer canary",
            ),
            (
                Bitbucket,
                "https://bitbucket.org/a/b",
                vec![("BITBUCKET_TOKEN", "canary"), ("BITBUCKET_EMAIL", "a@b")],
                "authorization",
                "Basic YUBiOmNhbmFyeQ==",
            ),
            (
                Azure,
                "https://dev.azure.com/o/p/_git/r",
                vec![("AZURE_DEVOPS_EXT_PAT", "canary")],
                "authorization",
                "Basic OmNhbmFyeQ==",
            ),
        ] {
            let (found, text, _) = header(kind, url, &variables).unwrap();
            assert_eq!((found.as_str(), text.as_str()), (name, value), "{kind:?}");
        }
    }

    #[test]
    fn a_token_is_never_for_the_server_of_a_changed_remote() {
        let variables = [("GITHUB_TOKEN", "canary"), ("GITLAB_TOKEN", "canary"), ("GITEA_TOKEN", "canary")];
        for kind in [ForgeKind::Github, ForgeKind::Gitlab, ForgeKind::Gitea] {
            let reason = header(kind, "https://evil.invalid/a/b", &variables).unwrap_err().to_string();
            assert!(!reason.contains("canary"), "{reason}");
        }
        let error = header(ForgeKind::Github, "https://evil.invalid/a/b", &variables).unwrap_err();
        assert!(error.as_str().contains("belongs to https://api.github.com"), "{error}");
    }

    #[test]
    fn no_debug_output_has_the_token() {
        let token = ForgeToken::new(
            "canary-0123456789",
            TokenForm::Bearer,
            ForgeServer { host: "h".into(), port: None, root: Vec::new(), api: "https://h".into() },
        );
        assert!(!format!("{token:?}").contains("canary"));
    }
}
