//! A connection to an app cluster.

use std::time::{Duration, Instant};

use kube::config::{AuthInfo, Cluster};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;

use crate::adopt::access::{Access, Endpoint, Verification};
use crate::adopt::cluster::Answer;
use crate::adopt::credential::{Credential, Program};
use crate::error::{Error, Result};
use crate::model::state::ClusterState;
use crate::source::kubeconfig::{self, Connection};
use crate::source::live::api::{Api, ReadError};
use crate::source::live::write::ApiWriter;
use crate::source::{ConnectionArgs, Query, live};

/// Prepares a connection. Whether it may be used at all is decided before: [`Access::obstacle`].
///
/// # Errors
/// When a certificate or key is unusable. No credential is quoted.
pub fn connect(access: &Access, timeout: Duration) -> Result<Api> {
    Api::connect(&connection(access)?, timeout)
}

/// Reads an app cluster.
///
/// # Errors
/// When a certificate or key is unusable, or discovery fails. No credential is quoted.
pub fn read(access: &Access, timeout: Duration, query: &Query<'_>) -> Result<ClusterState> {
    live::read_at(&connection(access)?, timeout, query)
}

/// Prepares a connection that may write, as [`connect`] does.
///
/// # Errors
/// When a certificate or key is unusable. No credential is quoted.
pub(crate) fn connect_to_write(access: &Access, timeout: Duration) -> Result<ApiWriter> {
    ApiWriter::connect(&connection(access)?, timeout)
}

/// What a way into a cluster is as a connection; nothing is connected yet.
///
/// # Errors
/// When a certificate or key is unusable. No credential is quoted.
pub(crate) fn connection(access: &Access) -> Result<Connection> {
    let endpoint = &access.endpoint;
    let encode = |pem: &str| base64::Engine::encode(&base64::engine::general_purpose::STANDARD, pem);
    let cluster = Cluster {
        server: Some(endpoint.server.clone()),
        certificate_authority_data: endpoint.authority.as_deref().map(encode),
        insecure_skip_tls_verify: Some(endpoint.verification == Verification::Skipped),
        tls_server_name: endpoint.server_name.clone(),
        proxy_url: endpoint.proxy.clone(),
        ..Cluster::default()
    };
    let mut user = AuthInfo::default();
    match &access.credential {
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
        Credential::File { .. } | Credential::AuthProvider | Credential::None => {
            return Err(Error::refused("there is no credential"));
        }
    }
    let config = kubeconfig::config(&cluster, user, &endpoint.server, "default", &ConnectionArgs::default())?;
    Ok(Connection { config, context: String::new(), server: endpoint.server.clone() })
}

/// A connection to an app cluster with a credential of the user's own.
pub struct Bootstrap {
    /// The connection.
    pub api: ApiWriter,
    authorities: Vec<Vec<u8>>,
}

impl Bootstrap {
    /// Connects as a kubeconfig of the user's own says.
    ///
    /// # Errors
    /// When a certificate or key is unusable, or a credential plugin fails.
    pub fn connect(connection: &Connection, timeout: Duration) -> Result<Self> {
        let authorities = connection.config.root_cert.clone().unwrap_or_default();
        Ok(Self { api: ApiWriter::connect(connection, timeout)?, authorities })
    }

    /// Whether it leads to the cluster of an endpoint: the same authority vouches for both. Credentials that are made
    /// through it are shown to that endpoint.
    pub fn leads_to(&self, endpoint: &Endpoint) -> bool {
        let pem = endpoint.authority.as_deref().unwrap_or_default().as_bytes();
        let mut theirs = CertificateDer::pem_slice_iter(pem).filter_map(Result::ok);
        endpoint.verification == Verification::Full
            && theirs.any(|certificate| self.authorities.iter().any(|mine| mine.as_slice() == certificate.as_ref()))
    }
}

/// Asks a cluster for its version, as whoever the connection is.
///
/// # Errors
/// What the server said, or why it did not answer.
pub async fn probe(api: &Api) -> Result<Answer, ReadError> {
    let begun = Instant::now();
    let version = api.version().await?.git_version;
    Ok(Answer { version, latency: begun.elapsed() })
}
