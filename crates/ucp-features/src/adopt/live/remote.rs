//! Connections to app clusters.

use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use kube::config::{AuthInfo, Cluster};

use crate::adopt::access::{CheckedAccess, ClusterEndpoint, Verification};
use crate::adopt::cluster::VersionResponse;
use crate::adopt::credential::{Credential, Program};
use ucp_client::source::kubeconfig::{self, Connection};
use ucp_client::source::live::api::{Api, ReadError};
use ucp_client::source::live::write::ApiWriter;
use ucp_client::source::{ConnectionArgs, Query, live};
use ucp_core::error::{Error, Result};
use ucp_core::model::state::ClusterState;

/// Creates a connection that reads.
///
/// # Errors
/// Fails when a certificate or key is unusable. No credential is quoted.
pub fn connect(access: &CheckedAccess, timeout: Duration) -> Result<Api> {
    Api::connect(&connection(access)?, timeout)
}

/// Reads an app cluster.
///
/// # Errors
/// Fails when a certificate or key is unusable, or discovery fails. No credential is quoted.
pub fn read(access: &CheckedAccess, timeout: Duration, query: &Query<'_>) -> Result<ClusterState> {
    live::read_at(&connection(access)?, timeout, query)
}

/// Creates a connection that may write.
///
/// # Errors
/// Fails when a certificate or key is unusable. No credential is quoted.
pub(crate) fn connect_to_write(access: &CheckedAccess, timeout: Duration) -> Result<ApiWriter> {
    ApiWriter::connect(&connection(access)?, timeout)
}

/// Combines the credential and the endpoint of an app cluster, which is done nowhere else. Nothing is sent yet.
///
/// # Errors
/// Fails when a certificate or key is unusable. No credential is quoted.
pub(crate) fn connection(access: &CheckedAccess) -> Result<Connection> {
    let (endpoint, credential) = (access.access().endpoint(), access.access().credential());
    let encode = |pem: &str| BASE64.encode(pem);
    let cluster = Cluster {
        server: Some(endpoint.server.clone()),
        certificate_authority_data: endpoint.authority.as_deref().map(encode),
        insecure_skip_tls_verify: Some(endpoint.verification == Verification::Skipped),
        tls_server_name: endpoint.server_name.clone(),
        proxy_url: endpoint.proxy.clone(),
        ..Cluster::default()
    };
    let mut user = AuthInfo::default();
    match credential {
        Credential::ClientCertificate { certificate, key, .. } => {
            user.client_certificate_data = Some(encode(certificate));
            user.client_key_data = Some(encode(secrecy::ExposeSecret::expose_secret(key)).into());
        }
        Credential::Token { token, .. } => user.token = Some(token.clone()),
        Credential::Basic { username, password } => {
            user.username = Some(username.clone());
            user.password = Some(password.clone());
        }
        Credential::Exec(Program(exec)) => user.exec = Some(exec.as_ref().clone()),
        // An anonymous connection, to verify the server's identity.
        Credential::None => {}
        Credential::File { .. } | Credential::AuthProvider => return Err(Error::refused("there is no credential")),
    }
    let config = kubeconfig::config(&cluster, user, &endpoint.server, "default", &ConnectionArgs::default())?;
    let forbidden = access.forbidden_addresses().clone();
    Ok(Connection { config, context: String::new(), server: endpoint.server.clone(), forbidden })
}

/// A connection to an app cluster with a credential of the user's own kubeconfig.
pub struct Bootstrap {
    /// The connection.
    pub api: ApiWriter,
    endpoint: ClusterEndpoint,
}

impl Bootstrap {
    /// Connects with a context of the user's own kubeconfig.
    ///
    /// # Errors
    /// Fails when a certificate or key is unusable, or a credential plugin fails.
    pub fn connect(connection: &Connection, timeout: Duration) -> Result<Self> {
        let config = &connection.config;
        let pem = |authorities: &Vec<Vec<u8>>| authorities.iter().map(|der| pem(der)).collect::<String>();
        let endpoint = ClusterEndpoint {
            server: config.cluster_url.to_string().trim_end_matches('/').to_owned(),
            authority: config.root_cert.as_ref().map(pem),
            server_name: config.tls_server_name.clone(),
            verification: if config.accept_invalid_certs { Verification::Skipped } else { Verification::Full },
            proxy: None,
        };
        Ok(Self { api: ApiWriter::connect(connection, timeout)?, endpoint })
    }

    /// The endpoint, with the identity its server has to prove.
    pub fn endpoint(&self) -> &ClusterEndpoint {
        &self.endpoint
    }
}

/// Encodes a certificate in PEM.
fn pem(der: &[u8]) -> String {
    format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n", BASE64.encode(der))
}

/// Requests a cluster's version.
///
/// # Errors
/// Returns the server's error, or the reason why it did not respond.
pub async fn probe(api: &Api) -> Result<VersionResponse, ReadError> {
    let begun = Instant::now();
    let version = api.version().await?.git_version;
    Ok(VersionResponse { version, latency: begun.elapsed() })
}
