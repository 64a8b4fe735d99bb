//! Selection of the identity used to access app clusters: the user's own kubectl context, else the ServiceAccount that
//! an adoption created for this. The engine's registration may have more rights than the user, so it is used only if a
//! flag allows it.

mod mapped;

use std::fmt;

use jiff::Timestamp;
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;

use crate::adopt::access::{AllowedHazards, AppClusterAccess, ClusterEndpoint, Verification, same_server};
use crate::adopt::cluster::AppCluster;
use crate::adopt::grant::GrantScope;
use crate::adopt::live::remote;
use crate::adopt::names::NamespacedName;
use crate::adopt::registration::{EngineLogin, Registration};
use ucp_client::source::ConnectionArgs;
use ucp_client::source::kubeconfig::{self, Connection, KnownContext};
use ucp_client::source::live::api::Api;
use ucp_client::source::live::write::ApiWriter;
use ucp_core::error::{Error, Result};
use ucp_core::failure::{Failure, fail};
use ucp_core::model::object::ObjectName;
use ucp_core::model::shell::quote_word;

/// Identity used to access a cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AccessIdentity {
    /// The user, by a context of their kubeconfig.
    Context(String),
    /// The engine with which the cluster is registered.
    Registration(ObjectName),
    /// The ServiceAccount that an adoption created for this.
    Account(NamespacedName),
    /// The provisioner: the kubeconfig in its connection Secret.
    Provisioner(ObjectName),
}

impl fmt::Display for AccessIdentity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Context(name) => write!(formatter, "context {name}"),
            Self::Registration(object) => write!(formatter, "the registration {object}"),
            Self::Account(name) => write!(formatter, "its ServiceAccount {name}"),
            Self::Provisioner(object) => write!(formatter, "the kubeconfig of {object}"),
        }
    }
}

/// Access to a cluster.
#[derive(Clone)]
pub struct ClusterAccess {
    /// Connection to the API server.
    pub connection: Connection,
    /// Identity of the connection.
    pub identity: AccessIdentity,
    /// Namespaces that the identity can access.
    pub reach: GrantScope,
}

/// Credentials that may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CredentialLending {
    /// Only the user's own.
    Never,
    /// Also those that the core cluster stores for its engines.
    Allowed,
}

/// Selects the access to app clusters.
pub struct AccessSelector<'a> {
    flags: &'a ConnectionArgs,
    contexts: Vec<KnownContext>,
    by_name: &'a [(String, String)],
    lent: CredentialLending,
    allowed: AllowedHazards,
    now: Timestamp,
}

impl<'a> AccessSelector<'a> {
    /// Reads the user's contexts.
    ///
    /// # Errors
    /// Fails when the kubeconfig cannot be read, or a given context does not exist.
    pub fn from_kubeconfig(
        flags: &'a ConnectionArgs,
        by_name: &'a [(String, String)],
        lent: CredentialLending,
        allowed: AllowedHazards,
        now: Timestamp,
    ) -> Result<Self> {
        let contexts = kubeconfig::contexts(flags)?;
        if let Some((cluster, name)) = by_name.iter().find(|(_, name)| !contexts.iter().any(|one| one.name == **name)) {
            let known: Vec<&str> = contexts.iter().map(|context| context.name.as_str()).collect();
            return Err(Error::usage(format!("--context-map {cluster}={name}: context '{name}' does not exist"))
                .hint(format!("known: {}", known.join(", "))));
        }
        Ok(Self { flags, contexts, by_name, lent, allowed, now })
    }

    /// Connects to a cluster, without sending a request.
    ///
    /// # Errors
    /// Fails when no permitted access exists; the message names a solution.
    pub fn connect(&self, cluster: &AppCluster) -> Result<(Api, AccessIdentity, GrantScope), Failure> {
        let ClusterAccess { connection, identity, reach } = self.access(cluster)?;
        let api = Api::connect(&connection, self.flags.request_timeout)?.for_many();
        Ok((api, identity, reach))
    }

    /// Connects to a cluster for writing, as [`AccessSelector::connect`] does.
    ///
    /// # Errors
    /// Fails in the same cases.
    pub fn connect_for_writing(&self, cluster: &AppCluster) -> Result<ApiWriter, Failure> {
        let way = self.access(cluster)?;
        let api = ApiWriter::connect(&way.connection, self.flags.request_timeout);
        api.map(|api| api.for_many()).map_err(Failure::from)
    }

    /// Returns the access to a cluster.
    ///
    /// # Errors
    /// Fails in the same cases as [`AccessSelector::connect`].
    pub fn access(&self, cluster: &AppCluster) -> Result<ClusterAccess, Failure> {
        let everywhere = |connection, identity| ClusterAccess { connection, identity, reach: GrantScope::Cluster };
        let named = self.by_name.iter().find(|(known, _)| *known == cluster.name).map(|(_, context)| context);
        if let Some(name) = named.or_else(|| self.context_of(cluster).map(|one| &one.name)) {
            return Ok(everywhere(self.by_context(name)?, AccessIdentity::Context(name.clone())));
        }
        let distributor = cluster.distributor.as_ref();
        let by_account = || distributor.and_then(|distributor| self.by_account(cluster, distributor));
        match self.lent {
            CredentialLending::Never => by_account().unwrap_or_else(|| {
                let name = quote_word(&cluster.name);
                fail!(
                    "no context of the kubeconfig connects to it: pass --context-map {name}=CONTEXT, or --use-registration; \
                     'kubectl ucp adopt-cluster {name} --secrets-namespaces NAMESPACE' creates a ServiceAccount for this purpose"
                )
            }),
            CredentialLending::Allowed => self.by_lent_credentials(cluster).or_else(|why| by_account().and_then(Result::ok).ok_or(why)),
        }
    }

    /// Returns access with the credentials of the engine or the provisioner.
    fn by_lent_credentials(&self, cluster: &AppCluster) -> Result<ClusterAccess, Failure> {
        let everywhere = |connection, identity| ClusterAccess { connection, identity, reach: GrantScope::Cluster };
        let mut why = None;
        for registration in &cluster.registrations {
            match &registration.login {
                EngineLogin::Static(access) => match self.by_registration(cluster, registration, access) {
                    Ok(way) => return Ok(everywhere(way, AccessIdentity::Registration(registration.object.clone()))),
                    Err(reason) => why = Some(reason),
                },
                EngineLogin::Identity(_) => why = Some("its engine logs in with a cloud identity".into()),
                EngineLogin::Unreadable(reason) => why = Some(reason.clone()),
            }
        }
        let candidate = cluster.candidate();
        match candidate.map(|candidate| (candidate, candidate.access.as_ref())) {
            Some((candidate, Ok(access))) => {
                let object = ObjectName::secret(&candidate.source.namespace, &candidate.source.name);
                self.by_access(cluster, access).map(|way| everywhere(way, AccessIdentity::Provisioner(object)))
            }
            Some((_, Err(reason))) => Err(why.unwrap_or_else(|| reason.clone())),
            None => Err(why.unwrap_or_else(|| "the core cluster has no credential for it".into())),
        }
    }

    /// Finds a context of the user for the same server and the same certificate authority.
    fn context_of(&self, cluster: &AppCluster) -> Option<&KnownContext> {
        let registered = cluster.all_registrations().filter_map(|registration| registration.access());
        let all = registered.chain(cluster.access()).map(AppClusterAccess::endpoint);
        let known: Vec<&ClusterEndpoint> = all.filter(|endpoint| cluster.is_at(endpoint)).collect();
        self.contexts.iter().find(|context| known.iter().any(|endpoint| leads_to(context, endpoint)))
    }

    fn by_context(&self, name: &str) -> Result<Connection, Failure> {
        let flags = ConnectionArgs {
            context: Some(name.to_owned()),
            kubeconfig: self.flags.kubeconfig.clone(),
            ..ConnectionArgs::default()
        };
        kubeconfig::load(&flags).map_err(Failure::from)
    }

    /// Returns access with the ServiceAccount created for this, whose rights are limited to this purpose.
    fn by_account(&self, cluster: &AppCluster, distributor: &Registration) -> Option<Result<ClusterAccess, Failure>> {
        let account = distributor.record.as_ref()?.account.as_ref()?;
        let connection = match &distributor.login {
            EngineLogin::Static(access) => self.by_registration(cluster, distributor, access),
            EngineLogin::Identity(_) => return None,
            EngineLogin::Unreadable(reason) => fail!("{}: {reason}", distributor.object),
        };
        let identity = AccessIdentity::Account(account.service_account.clone());
        Some(connection.map(|connection| ClusterAccess { connection, identity, reach: account.grant.reach.clone() }))
    }

    /// Returns a connection with a registration whose endpoint is the cluster's own, since credentials are sent to it.
    fn by_registration(
        &self,
        cluster: &AppCluster,
        registration: &Registration,
        access: &AppClusterAccess,
    ) -> Result<Connection, Failure> {
        if cluster.is_at(access.endpoint()) {
            return self.by_access(cluster, access);
        }
        fail!(
            "{} connects to {}, but the cluster is at {}: renew it with 'kubectl ucp adopt-cluster {}'",
            registration.object,
            access.endpoint().server,
            cluster.access().map(|provided| provided.endpoint().server.as_str()).unwrap_or_default(),
            quote_word(&cluster.name)
        )
    }

    fn by_access(&self, cluster: &AppCluster, access: &AppClusterAccess) -> Result<Connection, Failure> {
        match cluster.check(access, &self.allowed, self.now) {
            Err(obstacle) => fail!("{obstacle}; {}", obstacle.hint()),
            Ok(access) => remote::connection(&access).map_err(Failure::from),
        }
    }
}

fn leads_to(context: &KnownContext, endpoint: &ClusterEndpoint) -> bool {
    if !same_server(&context.server, &endpoint.server) {
        return false;
    }
    let theirs = authorities(endpoint);
    match (&context.authorities, &theirs) {
        (Some(mine), Some(theirs)) => theirs.iter().any(|certificate| mine.contains(certificate)),
        (None, None) => endpoint.verification == Verification::Full,
        _ => false,
    }
}

/// Returns the CA certificates of an endpoint, as DER.
fn authorities(endpoint: &ClusterEndpoint) -> Option<Vec<Vec<u8>>> {
    let pem = endpoint.authority.as_deref()?;
    let certificates = CertificateDer::pem_slice_iter(pem.as_bytes()).filter_map(std::result::Result::ok);
    Some(certificates.map(|certificate| certificate.to_vec()).collect())
}
