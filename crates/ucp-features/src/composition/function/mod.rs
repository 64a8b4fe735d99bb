//! The functions of a core cluster and local ones: permission to call them, and their connections.

mod address;
mod installed;
mod known_functions;
mod line;
mod tls;
mod trouble;

use std::collections::{BTreeMap, HashMap};
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http::Uri;
use tokio::sync::OnceCell;

use crate::composition::function::installed::InstalledFunction;
use crate::composition::function::line::FunctionConnection;
use crate::composition::protocol::{RunFunctionRequest, RunFunctionResponse};
use address::{ConnectionSecurity, FunctionAddress};
use ucp_client::prediction::cluster::ConnectedCluster;
use ucp_core::failure::{Failure, fail};

/// Whose functions are asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum CalledFunctions {
    /// None: only the changes of claims and composites themselves are shown.
    #[default]
    None,
    /// Those that run in the core cluster.
    Cluster,
}

/// A function that runs outside the cluster: `NAME=grpc://HOST:PORT`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalFunction {
    /// Name of the function in Compositions.
    pub name: String,
    /// Address at which it listens.
    pub address: FunctionAddress,
}

impl FromStr for LocalFunction {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const FORM: &str = "expected NAME=grpc://HOST:PORT or NAME=grpcs://HOST:PORT";
        let (name, url) = text.split_once('=').filter(|(name, _)| !name.is_empty()).ok_or(FORM)?;
        let (security, place) = match url.split_once("://") {
            Some(("grpc", place)) => (ConnectionSecurity::Plain, place),
            Some(("grpcs", place)) => (ConnectionSecurity::Mutual, place),
            _ => return Err(FORM.into()),
        };
        let uri = Uri::builder().scheme("http").authority(place.trim_end_matches('/')).path_and_query("/").build();
        let uri = uri.ok().filter(|uri| uri.port_u16().is_some() && !place.contains('@')).ok_or(FORM)?;
        Ok(Self { name: name.to_owned(), address: FunctionAddress { uri, security } })
    }
}

/// The functions that may be called.
#[derive(Debug, Clone, Default)]
pub struct FunctionPermissions {
    /// Functions that may be called in general.
    pub asked: CalledFunctions,
    /// Names of functions of the cluster that may be called although they may do more than compute.
    pub allowed: Vec<String>,
    /// Functions outside the cluster, which take precedence.
    pub local: Vec<LocalFunction>,
    /// Timeout of a call.
    pub patience: Duration,
}

impl FunctionPermissions {
    /// Returns true if any function is called.
    pub fn calls_functions(&self) -> bool {
        self.asked == CalledFunctions::Cluster || !self.local.is_empty()
    }
}

/// The functions that can be called, each over one connection.
pub struct Functions {
    cluster: Arc<ConnectedCluster>,
    permission: FunctionPermissions,
    installed: OnceCell<Result<BTreeMap<String, InstalledFunction>, Failure>>,
    lines: FunctionConnections,
}

/// Connections by function name, each opened once.
type FunctionConnections = Mutex<HashMap<String, Arc<OnceCell<Result<FunctionConnection, Failure>>>>>;

impl Functions {
    /// Creates the functions without opening connections.
    pub fn new(cluster: Arc<ConnectedCluster>, permission: FunctionPermissions) -> Self {
        Self { cluster, permission, installed: OnceCell::new(), lines: Mutex::default() }
    }

    /// Returns the connection to a function, opening it on the first call.
    async fn connection(&self, function: &str) -> Result<FunctionConnection, Failure> {
        let cell = {
            let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(lines.entry(function.to_owned()).or_default())
        };
        cell.get_or_init(|| self.with_timeout(self.open(function))).await.clone()
    }

    /// Fails work that takes longer than the timeout of a call.
    async fn with_timeout<T>(&self, work: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
        let patience = self.permission.patience;
        let late = |_| fail!("no answer within {patience:?}");
        tokio::time::timeout(patience, work).await.unwrap_or_else(late)
    }

    async fn open(&self, function: &str) -> Result<FunctionConnection, Failure> {
        if let Some(local) = self.permission.local.iter().find(|local| local.name == function) {
            return match local.address.security {
                ConnectionSecurity::Plain => FunctionConnection::connect_plain(&local.address).await,
                ConnectionSecurity::Mutual => {
                    let installed = self.installed().await.ok().and_then(|all| all.get(function));
                    let (namespace, server) = match installed.and_then(|found| found.endpoint().ok()) {
                        Some(place) => (place.namespace, place.host),
                        None => {
                            (installed::USUAL_NAMESPACE.to_owned(), local.address.uri.host().unwrap_or("").to_owned())
                        }
                    };
                    let tls = tls::client_config(&self.cluster, &namespace).await?;
                    FunctionConnection::connect_tls(&local.address, tls, &server).await
                }
            };
        }
        if self.permission.asked == CalledFunctions::None {
            return fail!("it is not called: pass --functions cluster, or --function {function}=grpc://HOST:PORT");
        }
        let all = self.installed().await.map_err(Clone::clone)?;
        let found = all.get(function).ok_or("it is not installed in the core cluster: it has no FunctionRevision")?;
        let is_allowed = found.only_computes() || self.permission.allowed.iter().any(|name| name == function);
        if !is_allowed {
            return fail!(
                "it may have side effects (package {}): allow it with --allow-function {function}",
                found.package()
            );
        }
        let place = found.endpoint()?;
        let tls = tls::client_config(&self.cluster, &place.namespace).await?;
        let pod = found.ready_pod(&self.cluster, &place).await?;
        FunctionConnection::connect_forwarded(&self.cluster, &place, &pod, tls).await
    }

    async fn installed(&self) -> Result<&BTreeMap<String, InstalledFunction>, &Failure> {
        self.installed.get_or_init(|| installed::list_installed(&self.cluster)).await.as_ref()
    }

    /// Calls a function.
    ///
    /// # Errors
    /// Fails when it may not be called, cannot be reached, or does not respond.
    pub async fn call(&self, function: &str, request: &RunFunctionRequest) -> Result<RunFunctionResponse, Failure> {
        let line = self.connection(function).await?;
        self.with_timeout(line.ask(request)).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_functions_are_addressed_by_url() {
        let local: LocalFunction = "f=grpcs://127.0.0.1:9443".parse().unwrap();
        assert_eq!((local.name.as_str(), local.address.security), ("f", ConnectionSecurity::Mutual));
        assert_eq!(local.address.to_string(), "127.0.0.1:9443");
        assert!("f=grpc://[::1]:9443".parse::<LocalFunction>().is_ok());
        for wrong in
            ["f", "=grpc://a:1", "f=http://a:1", "f=grpc://a", "f=grpc://user:secret@a:1", "f=grpc://a:1/path?"]
        {
            assert!(wrong.parse::<LocalFunction>().is_err(), "{wrong}");
        }
    }
}
