//! The clusters that objects go to, reached as their engines reach them, or through a context of one's own.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures::StreamExt as _;
use serde_json::Value;

use crate::manifests::deployment::Destination;
use crate::prediction::cluster::{Cluster, path_of};
use crate::source::kubeconfig::Connection;
use crate::source::live::api::{Api, JSON};
use crate::source::registration::{self, ARGO_LABEL, Registered};
use crate::source::{ConnectionArgs, kubeconfig};

/// Clusters that are asked at a time.
const CONCURRENT: usize = 8;

/// A cluster's name and the context of the user's own kubeconfig that leads there: `--destination NAME=CONTEXT`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnWay {
    name: String,
    context: String,
}

impl std::str::FromStr for OwnWay {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.rsplit_once('=') {
            Some((name, context)) if !name.is_empty() && !context.is_empty() => {
                Ok(Self { name: name.trim_end_matches('/').to_owned(), context: context.to_owned() })
            }
            _ => Err("expected CLUSTER=CONTEXT".to_owned()),
        }
    }
}

/// Every destination, open or not.
pub type Destinations = BTreeMap<Destination, Result<Arc<Cluster>, String>>;

/// What is needed to reach destinations.
pub struct Ways<'a> {
    /// The core cluster.
    pub core: Arc<Cluster>,
    /// The flags of the command line.
    pub flags: &'a ConnectionArgs,
    /// Contexts to go by instead of registrations.
    pub own: &'a [OwnWay],
    /// Namespaces that an Argo CD may have its cluster Secrets in.
    pub argo_namespaces: BTreeSet<String>,
}

impl Ways<'_> {
    /// Opens every destination.
    pub async fn open(&self, wanted: BTreeSet<Destination>) -> Destinations {
        let needs_registry =
            wanted.iter().any(|destination| matches!(destination, Destination::Named(_) | Destination::Server(_)));
        let (registered, lack) = if needs_registry { self.registered().await } else { (Vec::new(), None) };
        let (registered, lack) = (&registered, &lack);
        futures::stream::iter(wanted)
            .map(|destination| async move {
                let cluster = match self.connection(&destination, registered, lack).await {
                    Ok(None) => Ok(Arc::clone(&self.core)),
                    Ok(Some((name, connection))) => self.open_one(name, &connection).await,
                    Err(reason) => Err(reason),
                };
                (destination, cluster)
            })
            .buffer_unordered(CONCURRENT)
            .collect()
            .await
    }

    async fn open_one(&self, name: String, connection: &Connection) -> Result<Arc<Cluster>, String> {
        let api = Api::connect(connection, self.flags.request_timeout)
            .map_err(|error| error.report().trim_start_matches("error: ").to_owned())?;
        Cluster::open(Some(name), api).await.map(Arc::new)
    }

    /// The way to a destination; `None` is the core cluster.
    async fn connection(
        &self,
        destination: &Destination,
        registered: &[Registered],
        lack: &Option<String>,
    ) -> Result<Option<(String, Connection)>, String> {
        let found = registered.iter().find(|known| match destination {
            Destination::Named(name) => known.name == *name,
            Destination::Server(server) => known.server == server.trim_end_matches('/'),
            _ => false,
        });
        let name = match (destination, found) {
            (Destination::Here, _) => return Ok(None),
            (_, Some(known)) => known.name.clone(),
            (Destination::Named(name) | Destination::Server(name) | Destination::Identity(name), _) => name.clone(),
            (Destination::KubeConfig { secret, .. }, _) => secret.clone(),
        };
        if let Some(way) = self.own.iter().find(|way| way.name == name) {
            return Ok(Some((name, self.own_connection(way)?)));
        }
        match (destination, found) {
            (_, Some(known)) => match &known.access {
                Ok(connection) => Ok(Some((name, copy(connection)))),
                Err(reason) => Err(reason.clone()),
            },
            (Destination::KubeConfig { namespace, secret, key }, _) => {
                let kind = self.core.kind_of("v1", "Secret").ok_or("the core cluster serves no Secrets")?;
                let found = self.core.api.read_object(&path_of(&kind, Some(namespace), secret)).await;
                let found = found.map_err(|error| error.to_string())?;
                let found = found.ok_or_else(|| format!("there is no Secret {secret} in namespace {namespace}"))?;
                Ok(Some((name, registration::kubeconfig_secret(&found, key.as_deref())?)))
            }
            (Destination::Identity(_), _) => Err("Flux logs in there as itself".to_owned()),
            _ => Err(lack.clone().unwrap_or_else(|| "no cluster of that name is registered with Argo CD".to_owned())),
        }
    }

    fn own_connection(&self, way: &OwnWay) -> Result<Connection, String> {
        let flags = ConnectionArgs {
            context: Some(way.context.clone()),
            kubeconfig: self.flags.kubeconfig.clone(),
            request_timeout: self.flags.request_timeout,
            ..ConnectionArgs::default()
        };
        kubeconfig::load(&flags).map_err(|error| error.report().trim_start_matches("error: ").to_owned())
    }

    /// Every cluster that the Argo CDs know, and why not all of them may be here.
    async fn registered(&self) -> (Vec<Registered>, Option<String>) {
        let (mut registered, mut lack) = (Vec::new(), None);
        for namespace in &self.argo_namespaces {
            let selector = ARGO_LABEL.replace('/', "%2F").replace('=', "%3D");
            let path = format!("/api/v1/namespaces/{namespace}/secrets?labelSelector={selector}");
            match self.core.api.get(&path, JSON).await {
                Ok(body) => {
                    let list: Value = serde_json::from_slice(&body).unwrap_or_default();
                    let items = list.get("items").and_then(Value::as_array);
                    registered.extend(items.into_iter().flatten().map(registration::argo_cluster));
                }
                Err(error) => lack = Some(format!("Argo CD's cluster Secrets cannot be read: {error}")),
            }
        }
        (registered, lack)
    }
}

fn copy(connection: &Connection) -> Connection {
    Connection {
        config: connection.config.clone(),
        context: connection.context.clone(),
        server: connection.server.clone(),
    }
}
