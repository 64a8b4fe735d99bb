//! Selection of the clusters to adopt, and the source of each cluster's credentials.

use std::borrow::Cow;
use std::path::PathBuf;

use anyhow::{Context as _, anyhow};
use secrecy::{ExposeSecret as _, SecretString};

use crate::cli::Context;
use crate::cli::app_clusters::{BootstrapArgs, candidate, find_cluster, missing_name};
use crate::cli::missing::interaction_mode;
use ucp_client::source::live::api::Api;
use ucp_client::source::live::write::ObjectPath;
use ucp_client::source::{ConnectionArgs, kubeconfig};
use ucp_core::error::{Error, Result};
use ucp_core::failure::{Failure, fail};
use ucp_core::model::object::ObjectName;
use ucp_core::model::selector::LabelSelector;
use ucp_features::adopt::access::{AppClusterAccess, same_server};
use ucp_features::adopt::cluster::AppCluster;
use ucp_features::adopt::cluster::State;
use ucp_features::adopt::inventory::AppClusterInventory;
use ucp_features::adopt::live::remote::Bootstrap;
use ucp_features::adopt::names::{NamespacedName, SecretKeyName};
use ucp_features::adopt::plan::{AccessOrigin, AdoptionRefusal};

/// Which clusters are adopted.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct TargetArgs {
    /// Names of clusters, as 'kubectl ucp clusters' lists them
    #[arg(value_name = "NAME", conflicts_with = "all")]
    names: Vec<String>,
    /// All clusters that were provisioned from the core cluster; with -l, those that match the selector
    #[arg(long)]
    all: bool,
    /// Secret with a kubeconfig of the cluster, of any type; the key is kubeconfig by default
    #[arg(long, value_name = "NAMESPACE/NAME[:KEY]", conflicts_with_all = ["all", "from_kubeconfig"], hide_short_help = true)]
    secret: Option<SecretKeyArg>,
    /// Use this kubeconfig, for a cluster whose Secret was lost
    #[arg(long, value_name = "FILE", requires = "names", conflicts_with = "all", hide_short_help = true)]
    from_kubeconfig: Option<PathBuf>,
    /// The context in that kubeconfig; the current one by default
    #[arg(long, value_name = "CONTEXT", requires = "from_kubeconfig", hide_short_help = true)]
    from_context: Option<String>,
    /// Save the kubeconfig to the core cluster, as a connection Secret
    #[arg(long, value_name = "NAMESPACE/NAME", requires = "from_kubeconfig", hide_short_help = true)]
    save_secret: Option<NamespacedName>,
}

/// A key of a Secret as `NAMESPACE/NAME[:KEY]`; the key is `kubeconfig` by default.
#[derive(Debug, Clone)]
struct SecretKeyArg(SecretKeyName);

impl std::str::FromStr for SecretKeyArg {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        let (object, key) = text.split_once(':').unwrap_or((text, "kubeconfig"));
        let NamespacedName { namespace, name } = object.parse()?;
        Ok(Self(SecretKeyName { namespace, name, key: key.to_owned() }))
    }
}

/// A cluster to adopt.
pub(super) struct AdoptionTarget<'a> {
    /// The cluster in the inventory, or a new one.
    pub(super) cluster: Cow<'a, AppCluster>,
    /// The credential of the cluster and its source, or the reason why it cannot be used.
    pub(super) origin: Result<AccessOrigin, AdoptionRefusal>,
    /// The Secret in which the kubeconfig is saved.
    pub(super) save: Option<NamespacedName>,
}

impl TargetArgs {
    /// Returns the arguments, completed with the clusters that the user picks if none are specified.
    pub(super) fn complete(
        &self,
        context: &Context,
        inventory: &AppClusterInventory,
        selector: &LabelSelector,
        yes: bool,
    ) -> Result<Cow<'_, Self>> {
        if self.all || self.secret.is_some() || !self.names.is_empty() {
            return Ok(Cow::Borrowed(self));
        }
        let missing = missing_name("Adopt which clusters?", "kubectl ucp adopt-cluster NAME… or --all");
        let mut clusters: Vec<_> = inventory.clusters.iter().filter(|cluster| cluster.has_labels(selector)).collect();
        clusters.retain(|cluster| is_in_all(cluster) || cluster.state == State::Adoptable);
        // Adopted clusters can be updated, but that is rarely wanted. For the remaining clusters, the list shows the
        // problem.
        clusters.sort_by_key(|cluster| match cluster.state {
            State::Adoptable | State::Stale => 0,
            State::Adopted => 1,
            _ => 2,
        });
        let candidates: Vec<_> = clusters.into_iter().map(candidate).collect();
        let names = context.pick_some(interaction_mode(context, yes), &missing, &candidates)?;
        context.show_equivalent_command(names.iter().map(String::as_str), None);
        Ok(Cow::Owned(Self { names, ..self.clone() }))
    }

    /// Resolves the clusters to adopt.
    pub(super) async fn resolve<'a>(
        &self,
        inventory: &'a AppClusterInventory,
        selector: &LabelSelector,
        core: &Api,
    ) -> Result<Vec<AdoptionTarget<'a>>> {
        if let Some(SecretKeyArg(key)) = &self.secret {
            let access = read_key(core, key).await?;
            let origin = AccessOrigin::new(access, Some(key.clone()));
            return Ok(vec![self.single(inventory, &key.name, origin)?]);
        }
        if let Some(path) = &self.from_kubeconfig {
            let name = self.names.first().map_or("", String::as_str);
            let origin = AccessOrigin::new(self.read_file(path)?, self.saved_key());
            return Ok(vec![self.single(inventory, name, origin)?]);
        }
        self.resolve_offline(inventory, selector)
    }

    /// Resolves the clusters from the inventory alone.
    pub(super) fn resolve_offline<'a>(
        &self,
        inventory: &'a AppClusterInventory,
        selector: &LabelSelector,
    ) -> Result<Vec<AdoptionTarget<'a>>> {
        if self.secret.is_some() || self.from_kubeconfig.is_some() {
            return Err(Error::usage("--secret and --from-kubeconfig need the core cluster, not a snapshot"));
        }
        let known = |cluster: &'a AppCluster| AdoptionTarget {
            cluster: Cow::Borrowed(cluster),
            origin: AccessOrigin::from_cluster(cluster),
            save: None,
        };
        match self.names.as_slice() {
            [] => Ok(all(inventory, selector).map(known).collect()),
            names => names.iter().map(|name| find_cluster(inventory, name).map(known)).collect(),
        }
    }

    /// Returns the cluster of `--secret` or `--from-kubeconfig`. The inventory may have it already, by name or by
    /// address.
    fn single<'a>(
        &self,
        inventory: &'a AppClusterInventory,
        default: &str,
        origin: AccessOrigin,
    ) -> Result<AdoptionTarget<'a>> {
        let name = match self.names.as_slice() {
            [] => default,
            [name] => name.as_str(),
            _ => return Err(Error::usage("--secret and --from-kubeconfig need exactly one cluster")),
        };
        let server = &origin.access.endpoint().server;
        let by_name = || inventory.clusters.iter().find(|cluster| cluster.name == name);
        let by_server = || {
            let leads_there = |known: &String| same_server(known, server) && !origin.access.endpoint().is_localhost();
            inventory.clusters.iter().find(|cluster| cluster.server().as_ref().is_some_and(leads_there))
        };
        let cluster = match by_name().or_else(by_server) {
            Some(cluster) => Cow::Borrowed(cluster),
            None => Cow::Owned(AppCluster::unknown(name)),
        };
        Ok(AdoptionTarget { cluster, origin: Ok(origin), save: self.save_secret.clone() })
    }

    fn saved_key(&self) -> Option<SecretKeyName> {
        let NamespacedName { namespace, name } = self.save_secret.clone()?;
        Some(SecretKeyName { namespace, name, key: "kubeconfig".to_owned() })
    }

    fn read_file(&self, path: &PathBuf) -> Result<AppClusterAccess> {
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let text = SecretString::from(text);
        AppClusterAccess::from_kubeconfig(text.expose_secret(), self.from_context.as_deref()).map_err(|reason| {
            Error::failed(format!("{}: {reason}", path.display()))
                .hint("'kubectl config view --raw --flatten --minify' writes a self-contained kubeconfig")
        })
    }

    /// Returns the user's credential for writing RBAC: the bootstrap credential, else the kubeconfig of
    /// `--from-kubeconfig`.
    pub(super) fn bootstrap(
        &self,
        bootstrap: &BootstrapArgs,
        connection: &ConnectionArgs,
        clusters: usize,
    ) -> Result<Option<Bootstrap>> {
        if let Some(bootstrap) = bootstrap.connect(connection, clusters)? {
            return Ok(Some(bootstrap));
        }
        let Some(path) = &self.from_kubeconfig else { return Ok(None) };
        let flags = ConnectionArgs {
            kubeconfig: Some(path.clone()),
            context: self.from_context.clone(),
            ..ConnectionArgs::default()
        };
        Ok(Some(Bootstrap::connect(&kubeconfig::load(&flags)?, connection.request_timeout)?))
    }
}

/// Returns the provisioned clusters that are not duplicated, and the clusters that this program registered.
pub(super) fn all<'a>(
    inventory: &'a AppClusterInventory,
    selector: &LabelSelector,
) -> impl Iterator<Item = &'a AppCluster> {
    inventory.clusters.iter().filter(|cluster| cluster.has_labels(selector) && is_in_all(cluster))
}

fn is_in_all(cluster: &AppCluster) -> bool {
    let is_ours = cluster.all_registrations().any(|registration| registration.record.is_some());
    is_ours || cluster.provisioner.is_some() && cluster.state != State::Duplicated
}

/// Reads a kubeconfig from a Secret of any type.
async fn read_key(core: &Api, key: &SecretKeyName) -> Result<AppClusterAccess> {
    let object = ObjectName::secret(&key.namespace, &key.name);
    let path = ObjectPath::from_object_name(&object).ok_or_else(|| anyhow!("{object} has no path"))?;
    let secret = core
        .find(&path)
        .await
        .map_err(|error| anyhow!("{object}: {error}"))?
        .ok_or_else(|| Error::failed(format!("{object} does not exist")))?;
    let encoded = secret["data"][&key.key].as_str().ok_or_else(|| {
        Error::failed(format!("{object} has no key '{}'", key.key))
            .hint("name another with --secret NAMESPACE/NAME:KEY")
    })?;
    let decoded = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, encoded).ok();
    let text = decoded.and_then(|bytes| String::from_utf8(bytes).ok()).map(SecretString::from);
    let access = match &text {
        Some(text) => AppClusterAccess::from_kubeconfig(text.expose_secret(), None),
        None => fail!("it is not text"),
    };
    access.map_err(|reason| Error::failed(format!("{object}, key '{}': {reason}", key.key)))
}
