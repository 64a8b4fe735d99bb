//! A connection to an app cluster.

use std::time::{Duration, Instant};

use k8s_openapi::apimachinery::pkg::version::Info;
use kube::config::{AuthInfo, Cluster};

use crate::adopt::access::{Access, Verification};
use crate::adopt::credential::{Credential, Program};
use crate::adopt::state::Answer;
use crate::error::{Error, Result};
use crate::source::ConnectionArgs;
use crate::source::kubeconfig::{self, Connection};
use crate::source::live::api::{Api, JSON, ReadError};

/// Prepares a connection. Whether it may be used at all is decided before: [`Access::obstacle`].
///
/// # Errors
/// When a certificate or key is unusable. No credential is quoted.
pub fn connect(access: &Access, timeout: Duration) -> Result<Api> {
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
            return Err(Error::refused("there is no credential to connect with"));
        }
    }
    let config = kubeconfig::config(&cluster, user, &endpoint.server, "default", &ConnectionArgs::default())?;
    Api::connect(&Connection { config, context: String::new(), server: endpoint.server.clone() }, timeout)
}

/// Asks a cluster for its version, as whoever the connection is.
///
/// # Errors
/// What the server said, or why it did not answer.
pub async fn probe(api: &Api) -> Result<Answer, ReadError> {
    let begun = Instant::now();
    let body = api.get("/version", JSON).await?;
    let latency = begun.elapsed();
    let info: Info = serde_json::from_slice(&body).map_err(|error| ReadError::Malformed(error.to_string()))?;
    Ok(Answer { version: info.git_version, latency })
}
