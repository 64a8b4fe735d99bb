//! The HTTP client below kube's. kube's own uses HTTP/1.1, where a connection is blocked until the response arrives;
//! with a distant server that takes most of the time. This one uses HTTP/2 if the server offers it, with as many
//! connections as the requests under way need, and else HTTP/1.1. Credentials, headers, TLS, and the order of the
//! layers are the same as in kube (`kube_client::client::builder`).

mod connections;
mod credentials;
mod exec_plugin;
mod resolver;
mod spare;
mod under_way;

use http::Uri;
use hyper::rt::{Read, Write};
use hyper_rustls::{FixedServerNameResolver, HttpsConnector, HttpsConnectorBuilder};
use hyper_timeout::TimeoutConnector;
use hyper_util::client::legacy::connect::proxy::{SocksV5, Tunnel};
use hyper_util::client::legacy::connect::{Connection, HttpConnector};
use kube::Config;
use kube::client::{ClientBuilder, ConfigExt as _};
use rustls::ClientConfig;
use tower::{BoxError, Service, ServiceBuilder};
use tower_http::decompression::DecompressionLayer;

use super::trace::TraceLayer;
use crate::source::addresses::ForbiddenAddresses;
use connections::Connections;
use resolver::CheckedResolver;

/// Builds a client for a configuration. Its host name may not lead to a forbidden address.
///
/// # Errors
/// Fails when a credential, a certificate, a key or a proxy is unusable, or an exec plugin fails.
pub(super) fn build(
    config: &Config,
    forbidden: &ForbiddenAddresses,
    trace: &TraceLayer,
) -> Result<kube::Client, kube::Error> {
    let config = credentials::check(config)?;
    let config = config.as_ref();
    // A proxy resolves names itself.
    let forbidden = if config.proxy_url.is_some() { ForbiddenAddresses::new() } else { forbidden.clone() };
    let mut connector = HttpConnector::new_with_resolver(CheckedResolver::new(forbidden));
    connector.enforce_http(false);
    connector.set_nodelay(true);
    let Some(proxy) = config.proxy_url.clone() else { return over(config, connector, trace) };
    match proxy.scheme_str() {
        Some("socks5") => over(config, SocksV5::new(proxy, connector), trace),
        Some("http") => over(config, tunnel(proxy, connector), trace),
        Some("https") => over(config, tunnel(proxy, config.rustls_https_connector_with_connector(connector)?), trace),
        _ => Err(kube::Error::ProxyProtocolUnsupported { proxy_url: Box::new(proxy) }),
    }
}

/// A tunnel through a proxy, with the credentials in its URL.
fn tunnel<C>(proxy: Uri, connector: C) -> Tunnel<C> {
    let userinfo = proxy.authority().and_then(|authority| Some(authority.as_str().rsplit_once('@')?.0.to_owned()));
    let tunnel = Tunnel::new(proxy, connector);
    let header = userinfo.and_then(|userinfo| {
        let decoded: Vec<u8> = percent_encoding::percent_decode_str(&userinfo).collect();
        let encoded = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, decoded);
        http::HeaderValue::from_str(&format!("Basic {encoded}")).ok()
    });
    match header {
        Some(header) => tunnel.with_auth(header),
        None => tunnel,
    }
}

/// The protocols that a client offers.
#[derive(Clone, Copy)]
enum OfferedProtocols {
    /// HTTP/2 and HTTP/1.1.
    Both,
    /// HTTP/1.1 only.
    Http1,
}

fn over<C>(config: &Config, connector: C, trace: &TraceLayer) -> Result<kube::Client, kube::Error>
where
    C: Service<Uri> + Clone + Send + Sync + 'static,
    C::Response: Connection + Read + Write + Send + Unpin + 'static,
    C::Future: Send + 'static,
    C::Error: std::error::Error + Send + Sync + 'static,
{
    let tls = config.rustls_client_config()?;
    let both = timed(config, https(config, tls.clone(), connector.clone(), OfferedProtocols::Both)?);
    let http1 = timed(config, https(config, tls, connector, OfferedProtocols::Http1)?);
    let service = ServiceBuilder::new()
        .layer(config.base_uri_layer())
        .layer(DecompressionLayer::new().gzip(!config.disable_compression))
        .option_layer(config.auth_layer()?)
        .layer(config.extra_headers_layer()?)
        .map_err(BoxError::from)
        .service(Connections::over(config.cluster_url.clone(), both, http1));
    Ok(ClientBuilder::new(service, config.default_namespace.clone()).with_layer(trace).build())
}

fn https<C>(
    config: &Config,
    tls: ClientConfig,
    connector: C,
    offer: OfferedProtocols,
) -> Result<HttpsConnector<C>, kube::Error> {
    let mut builder = HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http();
    if let Some(name) = &config.tls_server_name {
        let name = name.clone().try_into().map_err(|error| kube::Error::Service(BoxError::from(error)))?;
        builder = builder.with_server_name_resolver(FixedServerNameResolver::new(name));
    }
    Ok(match offer {
        OfferedProtocols::Both => builder.enable_all_versions().wrap_connector(connector),
        OfferedProtocols::Http1 => builder.enable_http1().wrap_connector(connector),
    })
}

fn timed<C>(config: &Config, connector: C) -> TimeoutConnector<C>
where
    C: Service<Uri> + Send,
    C::Response: Read + Write + Send + Unpin,
    C::Future: Send + 'static,
    C::Error: Into<BoxError>,
{
    let mut connector = TimeoutConnector::new(connector);
    connector.set_connect_timeout(config.connect_timeout);
    connector.set_read_timeout(config.read_timeout);
    connector.set_write_timeout(config.write_timeout);
    connector
}
