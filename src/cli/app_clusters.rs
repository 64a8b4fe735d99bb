//! Flags and helpers that the commands for app clusters share.

use std::path::PathBuf;

use jiff::Timestamp;

use crate::cli::Context;
use crate::cli::missing::{MissingArgument, PickCandidate};
use crate::render::{Report, words};
use ucp_client::source::{ConnectionArgs, kubeconfig};
use ucp_core::error::{Error, Result};
use ucp_core::model::body::KindRequest;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::selector::LabelSelector;
use ucp_features::adopt::access::{AllowedHazards, CheckedAccess, Hazard};
use ucp_features::adopt::cluster::AppCluster;
use ucp_features::adopt::inventory::{AppClusterInventory, InventoryOptions};
use ucp_features::adopt::live::gather::{self, CoreClusterState, PreviousRead};
use ucp_features::adopt::live::remote::Bootstrap;

/// Where engines live.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct EngineNamespaceArgs {
    /// Namespace of Argo CD; by default argocd, or the only one with AppProjects
    #[arg(long, hide_short_help = true, value_name = "NAMESPACE")]
    pub argocd_namespace: Option<String>,
    /// Namespace of Flux; by default flux-system
    #[arg(long, hide_short_help = true, value_name = "NAMESPACE")]
    pub flux_namespace: Option<String>,
}

/// Where engines live, and what in a Secret's kubeconfig may be followed.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct AppClusterArgs {
    #[command(flatten)]
    pub namespaces: EngineNamespaceArgs,
    /// Run exec credential plugins that kubeconfigs in Secrets specify
    #[arg(long, hide_short_help = true)]
    pub allow_exec: bool,
    /// Use proxies that kubeconfigs in Secrets specify
    #[arg(long, hide_short_help = true)]
    pub allow_proxy: bool,
    /// Skip TLS verification if a kubeconfig in a Secret says so
    #[arg(long, hide_short_help = true)]
    pub allow_insecure: bool,
    /// Allow kubeconfigs in Secrets to point to localhost, as in a test setup
    #[arg(long, hide_short_help = true)]
    pub allow_localhost: bool,
    /// Send credentials in clear text if a kubeconfig in a Secret has an http:// server
    #[arg(long, hide_short_help = true)]
    pub allow_http: bool,
    /// Allow kubeconfigs in Secrets to point to link-local addresses and metadata services
    #[arg(long, hide_short_help = true)]
    pub allow_link_local: bool,
}

impl AppClusterArgs {
    /// Returns the hazards in kubeconfigs that the flags allow.
    pub fn allowed(&self) -> AllowedHazards {
        [
            (self.allow_exec, Hazard::Exec),
            (self.allow_proxy, Hazard::Proxy),
            (self.allow_insecure, Hazard::InsecureTls),
            (self.allow_localhost, Hazard::Localhost),
            (self.allow_http, Hazard::Http),
            (self.allow_link_local, Hazard::LinkLocal),
        ]
        .into_iter()
        .filter_map(|(allowed, hazard)| allowed.then_some(hazard))
        .collect()
    }

    /// Returns the access to an app cluster: with its engine's credential, else with its provisioner's.
    ///
    /// # Errors
    /// Fails when there is no credential, or when the flags do not allow its use.
    pub fn access(&self, cluster: &AppCluster, now: Timestamp) -> Result<CheckedAccess> {
        let registered = cluster.registrations.iter().find_map(|registration| registration.access());
        let Some(access) = registered.or_else(|| cluster.access()) else {
            return Err(Error::failed("no usable credential was found"));
        };
        cluster
            .check(access, &self.allowed(), now)
            .map_err(|obstacle| Error::failed(format!("{obstacle}")).hint(obstacle.hint()))
    }

    /// Returns the namespaces and hazards that apply to reading the cluster state.
    pub fn view(&self, context: &Context) -> InventoryOptions {
        InventoryOptions {
            argocd_namespace: self.namespaces.argocd_namespace.clone(),
            flux_namespace: self.namespaces.flux_namespace.clone(),
            namespace: context.globals.scope.namespace.clone(),
            allowed: self.allowed(),
        }
    }
}

/// Returns the missing argument NAME of the commands for app clusters.
pub(super) const fn missing_name<'a>(question: &'a str, usage: &'a str) -> MissingArgument<'a> {
    MissingArgument { argument: "NAME", question, usage }
}

/// Returns the choice for a cluster, with its state, engines, and reason as the note.
pub(super) fn candidate(cluster: &AppCluster) -> PickCandidate {
    let engines = cluster.registrations.iter().map(|registration| registration.holder.as_str()).collect::<Vec<_>>();
    let with = if engines.is_empty() { String::new() } else { format!(" with {}", engines.join(", ")) };
    let because = cluster.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
    PickCandidate::new(&cluster.name, format!("{}{with}{because}", cluster.state.as_str()))
}

impl Context {
    /// Shows the planned changes, and asks for confirmation unless `yes` is set.
    ///
    /// # Errors
    /// Fails when the user declines, or cannot be asked.
    pub(super) fn confirm_plan(&self, report: &impl Report, question: &str, yes: bool) -> Result<()> {
        if yes {
            return Ok(());
        }
        // The subject of a question is printed even with `--quiet`.
        self.ui.error(&report.table(&self.style()));
        if self.ui.confirm(question)? { Ok(()) } else { Err(Error::refused("nothing was done")) }
    }

    /// Returns the label selector of `-l`.
    ///
    /// # Errors
    /// Fails when it is not a label selector.
    pub fn selector(&self) -> Result<LabelSelector> {
        self.globals.scope.selector.as_deref().unwrap_or_default().parse().map_err(Error::usage)
    }

    /// Reads the objects of the core cluster that concern app clusters. With `-n`, reads Secrets only in that namespace
    /// and in those of the engines.
    ///
    /// # Errors
    /// Fails when nothing could be read.
    pub fn gather_clusters(&self, args: &AppClusterArgs) -> Result<CoreClusterState> {
        self.gather_clusters_with(args, &|_| None, None)
    }

    /// Like [`Self::gather_clusters`], with additional reads: the result of `more` replaces the default read of a kind,
    /// so it must cover it. Kinds of `known` are not read again.
    ///
    /// # Errors
    /// Fails when nothing could be read.
    pub(super) fn gather_clusters_with(
        &self,
        args: &AppClusterArgs,
        more: &(dyn Fn(&ResourceKind) -> Option<KindRequest> + Sync),
        known: Option<PreviousRead<'_>>,
    ) -> Result<CoreClusterState> {
        let progress = self.reading_progress();
        let told = |done, total| progress.show(done, total);
        let gathered = gather::gather_with(&self.globals.connection, &args.view(self), more, known, &told)?;
        drop(progress);
        gathered.state.notes.iter().for_each(|note| self.ui.warn(note));
        Ok(gathered)
    }
}

/// A way into the app cluster that the user brings.
#[derive(Debug, Clone, clap::Args)]
pub struct BootstrapArgs {
    /// Kubeconfig context that may write RBAC in the app cluster, if the Secret's credential may not
    #[arg(long, value_name = "CONTEXT", hide_short_help = true)]
    bootstrap_context: Option<String>,
    /// Kubeconfig file with such a context; the current context is used unless --bootstrap-context is set
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    bootstrap_kubeconfig: Option<PathBuf>,
}

impl BootstrapArgs {
    /// Connects with the user's own credential, which may start programs and read files, as in kubectl.
    ///
    /// # Errors
    /// Fails when there is more than one cluster, or the context does not exist.
    pub fn connect(&self, connection: &ConnectionArgs, clusters: usize) -> Result<Option<Bootstrap>> {
        if self.bootstrap_context.is_none() && self.bootstrap_kubeconfig.is_none() {
            return Ok(None);
        }
        if clusters != 1 {
            return Err(Error::usage("a bootstrap credential needs exactly one cluster"));
        }
        let flags = ConnectionArgs {
            kubeconfig: self.bootstrap_kubeconfig.clone().or_else(|| connection.kubeconfig.clone()),
            context: self.bootstrap_context.clone(),
            ..ConnectionArgs::default()
        };
        Ok(Some(Bootstrap::connect(&kubeconfig::load(&flags)?, connection.request_timeout)?))
    }
}

/// Returns the cluster with this name, or the cluster whose resource or Secret has it. A Secret is also selected by
/// NAMESPACE/NAME, which is unique.
///
/// # Errors
/// Fails when there is none, more than one, or none in what could be read.
pub fn find_cluster<'a>(inventory: &'a AppClusterInventory, name: &str) -> Result<&'a AppCluster> {
    let is_called = |cluster: &&AppCluster| {
        cluster.name == name
            || cluster.provisioner.as_ref().is_some_and(|provisioner| provisioner.object.name == name)
            || cluster.candidates.iter().any(|candidate| candidate.name == name || candidate.source.name == name)
    };
    let has_secret = |cluster: &&AppCluster| secrets_of(cluster).any(|secret| secret == name);
    let has_name = |cluster: &&AppCluster| cluster.name == name;
    let selections: [&dyn Fn(&&AppCluster) -> bool; 3] = [&has_secret, &has_name, &is_called];
    let mut found = selections.iter().map(|is_it| inventory.clusters.iter().filter(is_it).collect::<Vec<_>>());
    let found = found.find(|found| !found.is_empty()).unwrap_or_default();
    match found.as_slice() {
        [cluster] => Ok(cluster),
        [] if !inventory.unreadable.is_empty() => {
            let gaps = words::join_limited(&words::unreadable(&inventory.unreadable), 3);
            Err(Error::failed(format!(
                "it is unknown whether app cluster '{name}' exists, because these could not be read: {gaps}"
            )))
        }
        [] => {
            let known: Vec<_> = inventory.clusters.iter().map(|cluster| cluster.name.as_str()).collect();
            Err(Error::usage(format!("no app cluster is called '{name}'")).hint(match known.as_slice() {
                [] => "the core cluster has no app clusters; pass a Secret with --secret NAMESPACE/NAME".to_owned(),
                known => format!("known: {}", words::join_limited(known, 20)),
            }))
        }
        several => {
            let secrets: Vec<String> = several.iter().filter_map(|cluster| secrets_of(cluster).next()).collect();
            Err(Error::usage(format!("{} app clusters are called '{name}'", several.len()))
                .hint(format!("pass its Secret in place of the name: {}", secrets.join(" or "))))
        }
    }
}

/// Returns the Secrets of a cluster, as NAMESPACE/NAME: those with its credentials, and its registrations.
fn secrets_of(cluster: &AppCluster) -> impl Iterator<Item = String> {
    let candidates = cluster.candidates.iter().map(|candidate| candidate.source.to_string());
    let registered = cluster.all_registrations().map(|one| &one.object);
    let registered = registered.filter_map(|one| Some(format!("{}/{}", one.namespace.as_ref()?, one.name)));
    candidates.chain(registered)
}
