//! Flags that control how a cluster is adopted.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::cli::app_clusters::BootstrapArgs;
use crate::ui::Interaction;
use ucp_core::error::{Error, Result};
use ucp_core::failure::{Failure, fail};
use ucp_core::model::apply::ConflictPolicy;
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::time::parse_duration;
use ucp_features::adopt::access::AllowedHazards;
use ucp_features::adopt::grant::{Grant, GrantScope, GrantedRights};
use ucp_features::adopt::holder::AccountHolder;
use ucp_features::adopt::inventory::AppClusterInventory;
use ucp_features::adopt::names::NamespacedName;
use ucp_features::adopt::record::Auth;
use ucp_features::adopt::request::{AdoptionRequest, Lifetime, NewServers, Rotation, SHORTEST_LIFE};

/// How a cluster is adopted. Omitted flags keep their earlier values.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Adoption")]
pub(super) struct AdoptionArgs {
    /// Engines to register with; by default, the one that is installed
    #[arg(long, value_name = "ENGINE,…", value_delimiter = ',', value_enum)]
    pub(super) engine: Vec<GitOps>,
    /// How the engine authenticates [default: service-account]
    #[arg(long, value_enum, value_name = "HOW", hide_possible_values = false, hide_short_help = true)]
    auth: Option<Auth>,
    #[command(flatten)]
    pub(super) bootstrap: BootstrapArgs,
    /// Lifetime of tokens, such as 24h; by default, they are valid until they are revoked
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, hide_short_help = true)]
    token_ttl: Option<Duration>,
    /// Create a new credential, test it, then revoke the old one
    #[arg(long)]
    rotate: bool,
    /// Grant rights in these namespaces only
    #[arg(long, value_name = "NAMESPACE,…", value_delimiter = ',')]
    namespaces: Vec<String>,
    /// Also give 'kubectl ucp secrets' a ServiceAccount for the Secrets of these namespaces
    #[arg(long, value_name = "NAMESPACE,…", value_delimiter = ',', hide_short_help = true)]
    secrets_namespaces: Vec<String>,
    /// Rights to grant [default: deployed]
    #[arg(long, value_enum, value_name = "RIGHTS", hide_possible_values = false, conflicts_with_all = ["read_only", "cluster_role"], hide_short_help = true)]
    grant: Option<GrantArg>,
    /// Grant the rights to read only, without exec and proxies
    #[arg(long, conflicts_with = "cluster_role", hide_short_help = true)]
    read_only: bool,
    /// Grant this ClusterRole of the app cluster
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    cluster_role: Option<String>,
    /// The ServiceAccount in the app cluster [default: a dedicated one in kube-system]
    #[arg(long, value_name = "NAMESPACE/NAME", hide_short_help = true)]
    service_account: Option<NamespacedName>,
    /// Name of the cluster in the engine; only for a single cluster
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub(super) name: Option<String>,
    /// Label of the registration, such as environment=prod; may be repeated
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_value, hide_short_help = true)]
    label: Vec<(String, String)>,
    /// Annotation of the registration; may be repeated
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_value, hide_short_help = true)]
    annotation: Vec<(String, String)>,
    /// The only AppProject that may use the cluster (Argo CD)
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    project: Option<String>,
    /// Shard of the application controller that manages the cluster (Argo CD)
    #[arg(long, value_name = "NUMBER", hide_short_help = true)]
    shard: Option<u32>,
    /// The role that --auth aws assumes (Argo CD)
    #[arg(long, value_name = "ARN", hide_short_help = true)]
    aws_role_arn: Option<String>,
    /// Accept this new server of a registered cluster, although it cannot prove its identity; may be repeated
    #[arg(long, value_name = "URL", hide_short_help = true)]
    accept_server: Vec<String>,
    /// Take over registrations and fields that others manage
    #[arg(long, hide_short_help = true)]
    force_conflicts: bool,
}

/// What is granted to an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum GrantArg {
    /// Read everything; write in the API groups that the engine deploys from, or in those of plain workloads if these groups are unknown
    Deployed,
    /// Every verb on every resource
    Everything,
}

fn key_value(text: &str) -> Result<(String, String), Failure> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => fail!("'{text}' is not KEY=VALUE"),
    }
}

/// Returns the engines of `--engine`, or the only installed engine.
pub(super) fn engines(args: &AdoptionArgs, inventory: &AppClusterInventory) -> Result<Vec<GitOps>> {
    if !args.engine.is_empty() {
        return Ok(args.engine.clone());
    }
    match Vec::from_iter(inventory.installed.iter().copied()).as_slice() {
        [engine] => Ok(vec![*engine]),
        [] => Err(Error::failed("neither Argo CD nor Flux is installed in the core cluster")
            .hint("name one with --engine argocd or --engine flux")),
        _ => {
            Err(Error::usage("both Argo CD and Flux are installed")
                .hint("choose: --engine argocd, flux, or argocd,flux"))
        }
    }
}

impl AdoptionArgs {
    /// Returns the holders for which the flags request an adoption.
    pub(super) fn holders(&self) -> Vec<AccountHolder> {
        let secrets = (!self.secrets_namespaces.is_empty()).then_some(AccountHolder::Secrets);
        self.engine.iter().map(|engine| AccountHolder::Engine(*engine)).chain(secrets).collect()
    }

    /// Builds one request for each engine, and one for `kubectl ucp secrets`.
    ///
    /// With `Interaction::Unattended`, new servers are refused unless `--accept-server` names them; otherwise the user
    /// is asked.
    pub(super) fn requests(
        &self,
        engines: &[GitOps],
        allowed: &AllowedHazards,
        person: Interaction,
    ) -> Vec<AdoptionRequest> {
        let mut requests: Vec<AdoptionRequest> =
            engines.iter().map(|engine| self.request(*engine, allowed.clone())).collect();
        requests.push(self.secrets_request(allowed.clone()));
        let new_servers = match person {
            _ if !self.accept_server.is_empty() => NewServers::Named(self.accept_server.iter().cloned().collect()),
            Interaction::Unattended => NewServers::Refuse,
            _ => NewServers::Ask,
        };
        requests.iter_mut().for_each(|request| request.new_servers = new_servers.clone());
        requests
    }

    fn request(&self, engine: GitOps, allowed: AllowedHazards) -> AdoptionRequest {
        AdoptionRequest {
            auth: self.auth,
            service_account: self.service_account.clone(),
            labels: BTreeMap::from_iter(self.label.iter().cloned()),
            annotations: BTreeMap::from_iter(self.annotation.iter().cloned()),
            project: self.project.clone(),
            shard: self.shard,
            role: self.aws_role_arn.clone(),
            ..self.any_request(AccountHolder::Engine(engine), self.grant(), allowed)
        }
    }

    /// Builds the request for `kubectl ucp secrets`, without the settings of an engine's registration.
    fn secrets_request(&self, allowed: AllowedHazards) -> AdoptionRequest {
        let namespaces: BTreeSet<String> = self.secrets_namespaces.iter().map(|name| name.trim().to_owned()).collect();
        let is_asked = !namespaces.is_empty();
        let grant = Grant { rights: GrantedRights::Secrets, reach: GrantScope::Namespaces(namespaces) };
        self.any_request(AccountHolder::Secrets, is_asked.then_some(grant), allowed)
    }

    /// Builds a request with the settings that all holders share.
    fn any_request(&self, holder: AccountHolder, grant: Option<Grant>, allowed: AllowedHazards) -> AdoptionRequest {
        AdoptionRequest {
            holder,
            auth: None,
            grant,
            lifetime: self.token_ttl.map(Lifetime::Bound),
            service_account: None,
            rotation: if self.rotate { Rotation::Now } else { Rotation::AsNeeded },
            name: self.name.clone(),
            labels: BTreeMap::new(),
            annotations: BTreeMap::new(),
            project: None,
            shard: None,
            role: None,
            allowed,
            new_servers: NewServers::Refuse,
            conflicts: if self.force_conflicts { ConflictPolicy::Force } else { ConflictPolicy::Respect },
        }
    }

    /// Checks flag combinations that clap cannot express.
    pub(super) fn check_flags(&self, watch: bool) -> Result<()> {
        if watch && !self.accept_server.is_empty() {
            return Err(Error::usage("'adopt-cluster --watch' does not support --accept-server")
                .hint("adopt that one cluster again, with --accept-server, while --watch runs"));
        }
        if self.token_ttl.is_some_and(|life| life < SHORTEST_LIFE) {
            return Err(Error::usage("--token-ttl must be at least 10m, the limit of Kubernetes"));
        }
        if self.secrets_namespaces.iter().any(|name| name.trim().is_empty()) {
            return Err(Error::usage("--secrets-namespaces needs names, such as --secrets-namespaces shop,web"));
        }
        // Settings without a flag remain unchanged, so only flags that are given can contradict each other.
        let logs_in = |how: Auth| self.auth.is_none_or(|auth| auth == how);
        let is_for = |engine: GitOps| self.engine.is_empty() || self.engine.contains(&engine);
        let unheeded = [
            ("--token-ttl", "--auth service-account", self.token_ttl.is_some(), logs_in(Auth::ServiceAccount)),
            (
                "--service-account",
                "--auth service-account",
                self.service_account.is_some(),
                logs_in(Auth::ServiceAccount),
            ),
            ("--aws-role-arn", "--auth aws", self.aws_role_arn.is_some(), logs_in(Auth::Aws)),
            ("--project", "--engine argocd", self.project.is_some(), is_for(GitOps::ArgoCd)),
            ("--shard", "--engine argocd", self.shard.is_some(), is_for(GitOps::ArgoCd)),
        ];
        match unheeded.into_iter().find(|(_, _, is_given, is_heeded)| *is_given && !is_heeded) {
            Some((flag, beside, ..)) => {
                Err(Error::usage(format!("'adopt-cluster' does not support {flag} without {beside}")))
            }
            None => Ok(()),
        }
    }

    /// Returns the requested grant, or `None` if no flag sets one.
    fn grant(&self) -> Option<Grant> {
        if self.namespaces.is_empty() && !self.read_only && self.cluster_role.is_none() && self.grant.is_none() {
            return None;
        }
        let rights = match &self.cluster_role {
            Some(name) => GrantedRights::ClusterRole(name.clone()),
            None if self.read_only => GrantedRights::ReadOnly,
            None if self.grant == Some(GrantArg::Everything) => GrantedRights::Everything,
            None => GrantedRights::Deploy(BTreeSet::new()),
        };
        let reach = match self.namespaces.as_slice() {
            [] => GrantScope::Cluster,
            names => GrantScope::Namespaces(names.iter().cloned().collect()),
        };
        Some(Grant { rights, reach })
    }
}
