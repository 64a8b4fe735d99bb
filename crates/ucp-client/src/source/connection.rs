//! Flags that select the cluster or snapshot to read, with the same names and meaning as in kubectl.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueHint};

use ucp_core::error::{Error, Result};
use ucp_core::failure::Failure;
use ucp_core::model::convention::{self, Convention};
use ucp_core::model::health_rule::HealthRules;
use ucp_core::model::time::parse_duration;

/// Which cluster or snapshot to read.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Cluster or snapshot")]
pub struct ConnectionArgs {
    /// The snapshot to read instead of a cluster, if exactly one is given.
    #[arg(skip)]
    pub from: Option<PathBuf>,
    /// Snapshots, or several clusters.
    #[command(flatten)]
    pub sources: SourceArgs,
    /// Path to the kubeconfig file
    #[arg(long, global = true, hide_short_help = true, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,
    /// The kubeconfig context to use
    #[arg(long, global = true, value_name = "NAME", hide_short_help = true)]
    pub context: Option<String>,
    /// The kubeconfig cluster to use
    #[arg(long, global = true, hide_short_help = true, value_name = "NAME")]
    pub cluster: Option<String>,
    /// The kubeconfig user to use
    #[arg(long, global = true, hide_short_help = true, value_name = "NAME")]
    pub user: Option<String>,
    /// Address of the Kubernetes API server
    #[arg(short = 's', long, global = true, hide_short_help = true, value_name = "URL")]
    pub server: Option<String>,
    /// Bearer token for the API server
    #[arg(long, global = true, hide_short_help = true, value_name = "TOKEN")]
    pub token: Option<Token>,
    /// User to impersonate
    #[arg(long = "as", global = true, hide_short_help = true, value_name = "USER")]
    pub impersonate: Option<String>,
    /// Group to impersonate; may be repeated
    #[arg(long = "as-group", global = true, hide_short_help = true, value_name = "GROUP")]
    pub impersonate_groups: Vec<String>,
    /// UID to impersonate
    #[arg(long = "as-uid", global = true, hide_short_help = true, value_name = "UID")]
    pub impersonate_uid: Option<String>,
    /// Extra field of the user to impersonate, KEY=VALUE; may be repeated
    #[arg(long = "as-user-extra", global = true, hide_short_help = true, value_name = "KEY=VALUE")]
    pub impersonate_extra: Vec<String>,
    /// Certificate authority file of the API server
    #[arg(long, global = true, hide_short_help = true, value_name = "FILE")]
    pub certificate_authority: Option<PathBuf>,
    /// Client certificate file
    #[arg(long, global = true, hide_short_help = true, value_name = "FILE")]
    pub client_certificate: Option<PathBuf>,
    /// Client key file
    #[arg(long, global = true, hide_short_help = true, value_name = "FILE")]
    pub client_key: Option<PathBuf>,
    /// Name to expect in the API server's certificate
    #[arg(long, global = true, hide_short_help = true, value_name = "NAME")]
    pub tls_server_name: Option<String>,
    /// Do not check the API server's certificate
    #[arg(long, global = true, hide_short_help = true)]
    pub insecure_skip_tls_verify: bool,
    /// How long one request may take, such as 30s or 2m; 0 is no limit
    #[arg(long, global = true, hide_short_help = true, value_name = "DURATION", value_parser = parse_duration, default_value = "1m")]
    pub request_timeout: Duration,
    /// At 6 and above, show each request on standard error: method, URL, status and time
    #[arg(
        short = 'v',
        long = "v",
        global = true,
        value_name = "LEVEL",
        default_value_t = 0,
        hide_default_value = true
    )]
    #[arg(hide_short_help = true)]
    pub verbosity: u8,
    /// Do not ask for compressed answers
    #[arg(long, global = true, hide_short_help = true)]
    pub disable_compression: bool,
    /// Engines and controllers that run outside of this cluster, such as argocd or provider-aws, and are not reported
    /// as missing; default: $KUBECTL_UCP_EXTERNAL_CONTROLLERS
    #[arg(long, global = true, hide_short_help = true, value_name = "NAME", value_delimiter = ',')]
    pub external_controllers: Vec<String>,
    /// Conventions for the status of kinds that no engine covers: a file in the form of docs/any.md;
    /// $KUBECTL_UCP_CONVENTIONS by default
    #[arg(long, global = true, hide_short_help = true, value_name = "FILE")]
    pub conventions: Option<PathBuf>,
    /// Health rules for kinds that no engine covers, as in resource.customizations of argocd-cm: a file in that form;
    /// those of the hub's own argocd-cm count in any case
    #[arg(long, global = true, hide_short_help = true, value_name = "FILE")]
    pub health_rules: Option<PathBuf>,
    /// Where kubectl keeps what it discovered, which completion reads; nothing is written there
    #[arg(long, global = true, value_name = "DIR", hide = true)]
    pub cache_dir: Option<PathBuf>,
}

/// Which snapshots, or which several clusters.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Cluster or snapshot")]
pub struct SourceArgs {
    /// Read a snapshot instead of a cluster: a file, a directory, or - for standard input; may be repeated
    #[arg(long, global = true, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub from: Vec<PathBuf>,
    /// Read several core clusters: the names of their kubeconfig contexts
    #[arg(long, global = true, value_name = "NAME,…", value_delimiter = ',', hide_short_help = true)]
    pub contexts: Vec<String>,
    /// Read the core clusters of all kubeconfig contexts
    #[arg(long, global = true, hide_short_help = true)]
    pub all_contexts: bool,
}

impl SourceArgs {
    /// Returns true if several clusters or snapshots are given. True for `--contexts` even with one name, so that
    /// scripts which pass a list always get the same form of document.
    pub fn is_multiple(&self) -> bool {
        self.from.len() > 1 || !self.contexts.is_empty() || self.all_contexts
    }
}

/// The environment variable for `--conventions`.
const CONVENTIONS: &str = "KUBECTL_UCP_CONVENTIONS";

/// The environment variable for `--external-controllers`.
const EXTERNAL_CONTROLLERS: &str = "KUBECTL_UCP_EXTERNAL_CONTROLLERS";

impl ConnectionArgs {
    /// Sets `from` if the parsed flags contain exactly one snapshot.
    pub fn settle(&mut self) {
        if let [one] = self.sources.from.as_slice() {
            self.from = Some(one.clone());
        }
    }

    /// Engines and controllers that run outside of this cluster: those of the flag, or else of the environment.
    pub fn external_controllers(&self) -> Vec<String> {
        let names = match self.external_controllers.as_slice() {
            [] => std::env::var(EXTERNAL_CONTROLLERS).unwrap_or_default(),
            names => names.join(","),
        };
        names.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_lowercase).collect()
    }
}

impl ConnectionArgs {
    /// The user's table of conventions: that of the flag, or else of the environment.
    ///
    /// # Errors
    /// Returns a usage error when it cannot be read or is invalid.
    pub fn conventions(&self) -> Result<Vec<Convention>> {
        let of_environment = || std::env::var_os(CONVENTIONS).filter(|path| !path.is_empty()).map(PathBuf::from);
        let Some(path) = self.conventions.clone().or_else(of_environment) else { return Ok(Vec::new()) };
        let text = std::fs::read_to_string(&path).map_err(Failure::from);
        text.and_then(|text| convention::parse_conventions(&text)).map_err(|error| {
            Error::usage(format!("the table of conventions {} cannot be read: {error}", path.display()))
                .hint("docs/any.md describes its form")
        })
    }
}

impl ConnectionArgs {
    /// The user's health rules.
    ///
    /// # Errors
    /// Returns a usage error when the file cannot be read or is invalid.
    pub fn health_rules(&self) -> Result<HealthRules> {
        let Some(path) = &self.health_rules else { return Ok(HealthRules::default()) };
        let text = std::fs::read_to_string(path).map_err(Failure::from);
        text.and_then(|text| HealthRules::from_file(&path.display().to_string(), &text)).map_err(|error| {
            Error::usage(format!("the health rules {} cannot be read: {error}", path.display()))
                .hint("docs/any.md describes their form")
        })
    }
}

/// A bearer token from the command line, which `Debug` does not print.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// Returns the token itself, to pass to the client only.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::str::FromStr for Token {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self(text.to_owned()))
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Token(…)")
    }
}
