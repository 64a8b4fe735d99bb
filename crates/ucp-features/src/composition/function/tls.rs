//! The TLS configuration with which core authenticates to functions: the client certificate that it generates.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::Value;

use ucp_client::prediction::cluster::{ConnectedCluster, path_of};
use ucp_core::failure::Failure;
use ucp_core::model::object::ObjectName;

/// Secret with core's client certificate (`TLS_CLIENT_SECRET_NAME` of its chart).
const SECRET: &str = "crossplane-tls-client";

/// Returns the TLS configuration that core uses for functions.
///
/// # Errors
/// Fails when the Secret does not exist, cannot be read, or is incomplete. The error quotes none of its data.
pub(super) async fn client_config(cluster: &ConnectedCluster, namespace: &str) -> Result<Arc<ClientConfig>, Failure> {
    let kind = cluster.find_kind("v1", "Secret").await?.ok_or("the cluster serves no Secrets")?;
    let name = ObjectName::secret(namespace, SECRET);
    let secret = cluster.api.read_object(&path_of(&kind, Some(namespace), SECRET)).await;
    let secret = secret.map_err(|error| format!("{name}, core's own certificate, cannot be read: {error}"))?;
    let secret = secret.ok_or_else(|| format!("{name}, core's own certificate, does not exist"))?;
    let unusable = |key: &str| Failure::from(format!("{name}, core's own certificate, has no usable {key}"));
    let part = |key: &str| secret_part(&secret, key).ok_or_else(|| unusable(key));
    let certificates: Vec<CertificateDer<'static>> =
        CertificateDer::pem_slice_iter(&part("tls.crt")?).collect::<Result<_, _>>().map_err(|_| unusable("tls.crt"))?;
    let key = PrivateKeyDer::from_pem_slice(&part("tls.key")?).map_err(|_| unusable("tls.key"))?;
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(&part("ca.crt")?) {
        let certificate = certificate.map_err(|_| unusable("ca.crt"))?;
        roots.add(certificate).map_err(|_| unusable("ca.crt"))?;
    }
    if roots.is_empty() {
        return Err(unusable("ca.crt"));
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.map_err(|error| error.to_string())?;
    let config = builder.with_root_certificates(roots).with_client_auth_cert(certificates, key);
    let mut config = config.map_err(|_| unusable("tls.crt with its tls.key"))?;
    config.alpn_protocols = vec![b"h2".to_vec()];
    Ok(Arc::new(config))
}

fn secret_part(secret: &Value, key: &str) -> Option<Vec<u8>> {
    BASE64.decode(secret.get("data")?.get(key)?.as_str()?).ok().filter(|content| !content.is_empty())
}
