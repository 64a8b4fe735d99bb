//! The clusters to which objects are applied, reached with the credentials of their engines or with a context of the
//! user's kubeconfig.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures::StreamExt as _;
use jiff::Timestamp;

use crate::adopt::access::{AllowedHazards, AppClusterAccess, Hazard};
use crate::adopt::homes::EngineNamespaces;
use crate::adopt::live::remote;
use crate::adopt::registration::{EngineLogin, Registration};
use crate::adopt::{argocd, flux};
use ucp_client::prediction::cluster::{ConnectedCluster, path_of};
use ucp_client::source::live::api::Api;
use ucp_client::source::live::freshness::Freshness;
use ucp_client::source::live::list::{ListScope, list};
use ucp_client::source::{ConnectionArgs, kubeconfig};
use ucp_core::error::Error;
use ucp_core::failure::{Failure, fail};
use ucp_core::model::body::{BodyShape, KindRequest};
use ucp_repo::manifests::deployment::DeploymentDestination;

/// Number of clusters that are connected to concurrently.
const CONCURRENT: usize = 8;

/// A cluster's name and the context of the user's own kubeconfig for it: `--destination NAME=CONTEXT`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DestinationContext {
    name: String,
    context: String,
}

impl std::str::FromStr for DestinationContext {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.rsplit_once('=') {
            Some((name, context)) if !name.is_empty() && !context.is_empty() => {
                Ok(Self { name: name.trim_end_matches('/').to_owned(), context: context.to_owned() })
            }
            _ => fail!("expected CLUSTER=CONTEXT"),
        }
    }
}

/// Connections to destinations.
#[derive(Default)]
pub struct OpenedDestinations {
    /// The connection of each destination.
    pub clusters: Destinations,
    /// The servers of the clusters that are registered with Argo CD, by name, as far as they were needed.
    pub servers: BTreeMap<String, String>,
}

/// All destinations, with their connection or the reason why there is none.
pub type Destinations = BTreeMap<DeploymentDestination, Result<Arc<ConnectedCluster>, Failure>>;

/// The data that is needed to reach destinations.
pub struct DestinationConnector<'a> {
    /// The core cluster.
    pub core: Arc<ConnectedCluster>,
    /// The flags of the command line.
    pub flags: &'a ConnectionArgs,
    /// Contexts to use instead of registrations.
    pub own: &'a [DestinationContext],
    /// The namespace with the cluster Secrets of Argo CD, or the reason why it is unknown. Argo CD reads none elsewhere, and
    /// tenants could write them.
    pub registry: Result<String, Failure>,
    /// The namespaces of the engines, to which no tenant can write: hazards that were allowed for a registration only
    /// count there.
    pub homes: EngineNamespaces,
}

/// The connection to a destination.
enum DestinationConnection {
    /// The core cluster.
    Core,
    /// Another cluster, by name.
    Other(String, Api),
}

impl DestinationConnector<'_> {
    /// Connects to every destination.
    pub async fn open_all(&self, wanted: BTreeSet<DeploymentDestination>) -> OpenedDestinations {
        let needs_registry = wanted.iter().any(|destination| {
            matches!(destination, DeploymentDestination::Named(_) | DeploymentDestination::Server(_))
        });
        let (registered, unreadable) =
            if needs_registry { self.registered_clusters().await } else { (Vec::new(), None) };
        let servers = registered.iter().filter_map(|known| Some((known.name.clone(), known.server.clone()?))).collect();
        let (registered, unreadable) = (&registered, &unreadable);
        let clusters = futures::stream::iter(wanted)
            .map(|destination| async move {
                let cluster = match self.connection_to(&destination, registered, unreadable).await {
                    Ok(DestinationConnection::Core) => Ok(Arc::clone(&self.core)),
                    Ok(DestinationConnection::Other(name, api)) => {
                        ConnectedCluster::open(Some(name), api).await.map(Arc::new)
                    }
                    Err(reason) => Err(reason),
                };
                (destination, cluster)
            })
            .buffer_unordered(CONCURRENT)
            .collect()
            .await;
        OpenedDestinations { clusters, servers }
    }

    async fn connection_to(
        &self,
        destination: &DeploymentDestination,
        registered: &[Registration],
        unreadable: &Option<String>,
    ) -> Result<DestinationConnection, Failure> {
        let found = registered.iter().find(|known| match destination {
            DeploymentDestination::Named(name) => known.name == *name,
            DeploymentDestination::Server(server) => known.server.as_deref() == Some(server.trim_end_matches('/')),
            _ => false,
        });
        let name = match (destination, found) {
            (DeploymentDestination::Here, _) => return Ok(DestinationConnection::Core),
            (_, Some(known)) if argocd::is_in_cluster(known) => return Ok(DestinationConnection::Core),
            (_, Some(known)) => known.name.clone(),
            (
                DeploymentDestination::Named(name)
                | DeploymentDestination::Server(name)
                | DeploymentDestination::Identity(name),
                _,
            ) => name.clone(),
            (DeploymentDestination::KubeConfig { secret, .. }, _) => secret.clone(),
        };
        if let Some(own) = self.own.iter().find(|own| own.name == name) {
            return Ok(DestinationConnection::Other(name, self.connect_by_context(&own.context)?));
        }
        match (destination, found) {
            (_, Some(known)) => match &known.login {
                EngineLogin::Static(access) => {
                    let allowed = known.allowed_at(access.endpoint(), &AllowedHazards::new());
                    let allowed = trusted(allowed, self.homes.keeps(known));
                    Ok(DestinationConnection::Other(name, self.connect(access, &allowed)?))
                }
                EngineLogin::Identity(_) => fail!("Argo CD logs in with its own cloud identity"),
                EngineLogin::Unreadable(reason) => Err(reason.clone()),
            },
            (DeploymentDestination::KubeConfig { namespace, secret, key }, _) => {
                let kind = self.core.find_kind("v1", "Secret").await?.ok_or("the core cluster serves no Secrets")?;
                let found = self.core.api.read_object(&path_of(&kind, Some(namespace), secret)).await?;
                let found = found.ok_or_else(|| format!("Secret {secret} not found in namespace {namespace}"))?;
                let access = flux::kubeconfig(&found, key.as_deref())?;
                let allowed = trusted(flux::allowed(&found).unwrap_or_default(), self.homes.contain(namespace));
                Ok(DestinationConnection::Other(name, self.connect(&access, &allowed)?))
            }
            (DeploymentDestination::Identity(_), _) => fail!("Flux logs in with its own cloud identity"),
            _ => Err(unreadable.clone().map(Failure::from).unwrap_or_else(|| {
                let place = self.registry.as_ref().map(|home| format!(" in namespace {home}")).unwrap_or_default();
                format!(
                    "no cluster of that name is registered with Argo CD{place}; see 'kubectl ucp clusters', or pass \
                     --argocd-namespace"
                )
                .into()
            })),
        }
    }

    /// Connects with credentials from a Secret, which others have written: they may not start a program, and use a
    /// proxy, clear text, or an unverified server only if a flag of `adopt-cluster` allowed it for this endpoint.
    fn connect(&self, access: &AppClusterAccess, allowed: &AllowedHazards) -> Result<Api, Failure> {
        match access.check(allowed, Timestamp::now()) {
            Err(obstacle) => fail!("{obstacle}; --destination CLUSTER=CONTEXT uses a context of your kubeconfig"),
            Ok(access) => remote::connect(&access, self.flags.request_timeout).map_err(error_reason),
        }
    }

    fn connect_by_context(&self, context: &str) -> Result<Api, Failure> {
        let flags = ConnectionArgs {
            context: Some(context.to_owned()),
            kubeconfig: self.flags.kubeconfig.clone(),
            request_timeout: self.flags.request_timeout,
            ..ConnectionArgs::default()
        };
        let connection = kubeconfig::load(&flags).map_err(error_reason)?;
        Api::connect(&connection, self.flags.request_timeout).map_err(error_reason)
    }

    /// Returns the clusters that are registered with Argo CD, and the reason why some may be missing.
    async fn registered_clusters(&self) -> (Vec<Registration>, Option<String>) {
        let (mut registered, mut unreadable) = (Vec::new(), None);
        let Some(kind) = self.core.preferred("", "Secret") else {
            return (registered, Some("the core cluster serves no Secrets".to_owned()));
        };
        let (kind, want) = (
            Arc::new(kind.clone()),
            KindRequest { selector: Some(argocd::SELECTOR), ..KindRequest::all(BodyShape::Secret) },
        );
        let namespace = match &self.registry {
            Ok(namespace) => namespace,
            Err(reason) => return (registered, Some(reason.clone().into())),
        };
        let scope = ListScope { namespace: Some(namespace), name: None };
        let listed = list(&self.core.api, &kind, want, scope, &Freshness::newest()).await;
        registered.extend(listed.resources.iter().filter_map(argocd::parse));
        if let Some(error) = listed.error {
            unreadable = Some(format!("Argo CD's cluster Secrets cannot be read: {error}"));
        }
        (registered, unreadable)
    }
}

/// Returns the hazards that are allowed for a registration: none if a tenant could have written it. A server on this machine is
/// allowed for others, but has to authenticate like any other.
fn trusted(recorded: AllowedHazards, is_in_namespace_of_engine: bool) -> AllowedHazards {
    match is_in_namespace_of_engine {
        true => recorded.into_iter().chain([Hazard::Localhost]).collect(),
        false => AllowedHazards::new(),
    }
}

fn error_reason(error: Error) -> Failure {
    error.report().trim_start_matches("error: ").into()
}

/// Returns the name of a destination for messages.
pub(super) fn destination_name(destination: &DeploymentDestination) -> &str {
    match destination {
        DeploymentDestination::Here => "the core cluster",
        DeploymentDestination::Named(name)
        | DeploymentDestination::Server(name)
        | DeploymentDestination::Identity(name) => name,
        DeploymentDestination::KubeConfig { secret, .. } => secret,
    }
}
