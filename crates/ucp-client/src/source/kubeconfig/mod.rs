//! Kubeconfig loading with the same results as in kubectl, where kube's own differs: files missing from a `KUBECONFIG`
//! list are skipped, an empty `current-context` is ignored, the last of duplicate keys is used, only the first document
//! is read, `NO_PROXY` is matched against the API server, and no error quotes the file.

mod files;

use std::collections::{BTreeMap, HashMap};

use anyhow::{Context as _, anyhow};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use kube::Config;
use kube::config::{AuthInfo, Cluster, Kubeconfig, NamedContext};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;

use crate::source::addresses::ForbiddenAddresses;
use crate::source::{ConnectionArgs, proxy};
use ucp_core::error::{Error, Result};
use ucp_core::model::secrecy::scrub;
use ucp_core::model::server::check_server_url;

pub use files::parse;
use files::{KubeconfigFiles, files};

/// A configured connection to a cluster.
#[derive(Clone)]
pub struct Connection {
    /// The configuration for [`kube::Client::try_from`]. Retries are done here, not by kube.
    pub config: Config,
    /// Name of the context; empty if none was used.
    pub context: String,
    /// URL of the API server.
    pub server: String,
    /// The addresses to which the name of the server may not lead.
    pub forbidden: ForbiddenAddresses,
}

impl Connection {
    /// A hash of the server, authority, and credential. It is only used within this process.
    pub fn fingerprint(&self) -> Vec<u8> {
        let Config { cluster_url, root_cert, auth_info, tls_server_name, .. } = &self.config;
        let mut context = ring::digest::Context::new(&ring::digest::SHA256);
        context.update(format!("{cluster_url}\n{tls_server_name:?}\n{root_cert:?}\n").as_bytes());
        // As a value, since its keys are sorted: a credential may contain maps in random order.
        context.update(serde_json::to_value(auth_info).unwrap_or_default().to_string().as_bytes());
        context.finish().as_ref().to_vec()
    }
}

/// Resolves the flags, the environment and the files to one connection.
///
/// # Errors
/// Fails when a file cannot be read, or names no cluster. The error names the file and never quotes it.
pub fn load(flags: &ConnectionArgs) -> Result<Connection> {
    let files = files(flags)?;
    let KubeconfigFiles { kubeconfig, read_from } = files.as_ref();
    if kubeconfig.clusters.is_empty() && flags.server.is_none() {
        // In a pod there is neither a kubeconfig nor a flag.
        if flags.kubeconfig.is_none()
            && flags.context.is_none()
            && let Ok(mut config) = Config::incluster()
        {
            config.default_retry = false;
            let server = config.cluster_url.to_string();
            return Ok(Connection { config, context: String::new(), server, forbidden: ForbiddenAddresses::new() });
        }
        if let Some(context) = &flags.context {
            return Err(Error::usage(format!("context '{context}' is not in {read_from}"))
                .hint("see 'kubectl config get-contexts'"));
        }
        return Err(Error::failed(format!("no cluster is configured: {read_from} contains no cluster"))
            .hint("set KUBECONFIG, pass --kubeconfig, or read a snapshot with --from PATH"));
    }
    connect(kubeconfig, flags, read_from)
}

/// Names in a kubeconfig.
pub struct KubeconfigNames {
    /// Names of contexts.
    pub contexts: Vec<String>,
    /// Names of clusters.
    pub clusters: Vec<String>,
    /// Names of users.
    pub users: Vec<String>,
}

/// Reads the values for the flags `--context`, `--cluster` and `--user`.
///
/// # Errors
/// Fails when a file cannot be read.
pub fn names(flags: &ConnectionArgs) -> Result<KubeconfigNames> {
    let files = files(flags)?;
    let kubeconfig = &files.kubeconfig;
    Ok(KubeconfigNames {
        contexts: kubeconfig.contexts.iter().map(|named| named.name.clone()).collect(),
        clusters: kubeconfig.clusters.iter().map(|named| named.name.clone()).collect(),
        users: kubeconfig.auth_infos.iter().map(|named| named.name.clone()).collect(),
    })
}

/// A context of the user, with its server.
pub struct KnownContext {
    /// Name of the context.
    pub name: String,
    /// URL of the API server.
    pub server: String,
    /// Certificates of the trusted authorities, as DER; those of the system if absent or unreadable.
    pub authorities: Option<Vec<Vec<u8>>>,
    /// True for the current context.
    pub is_current: bool,
}

/// Returns the server and authorities of each context of the user, the current context first.
///
/// # Errors
/// Fails when a file cannot be read.
pub fn contexts(flags: &ConnectionArgs) -> Result<Vec<KnownContext>> {
    let files = files(flags)?;
    let kubeconfig = &files.kubeconfig;
    let known = of_contexts(kubeconfig).filter_map(|(named, cluster)| {
        Some(KnownContext {
            name: named.name.clone(),
            server: cluster.server.clone()?,
            authorities: authorities(cluster).ok().flatten(),
            is_current: kubeconfig.current_context.as_ref() == Some(&named.name),
        })
    });
    let mut known: Vec<KnownContext> = known.collect();
    known.sort_by_key(|context| !context.is_current);
    Ok(known)
}

/// Returns the server of each context of the user, by the context's name, without credentials in the URL.
///
/// # Errors
/// Fails when a file cannot be read.
pub fn servers(flags: &ConnectionArgs) -> Result<BTreeMap<String, String>> {
    let files = files(flags)?;
    let known = of_contexts(&files.kubeconfig);
    Ok(known.filter_map(|(named, cluster)| Some((named.name.clone(), shown(cluster.server.as_deref()?)))).collect())
}

/// Each context, with its cluster.
fn of_contexts(kubeconfig: &Kubeconfig) -> impl Iterator<Item = (&NamedContext, &Cluster)> {
    let clusters: HashMap<&str, &Cluster> =
        kubeconfig.clusters.iter().filter_map(|named| Some((named.name.as_str(), named.cluster.as_ref()?))).collect();
    kubeconfig.contexts.iter().filter_map(move |named| {
        let cluster = clusters.get(named.context.as_ref()?.cluster.as_str())?;
        Some((named, *cluster))
    })
}

/// Returns true if the flags, the environment or the files name a cluster, reachable or not.
pub fn is_configured(flags: &ConnectionArgs) -> bool {
    let is_in_files = || names(flags).map_or(true, |names| !names.clusters.is_empty());
    let is_named = [&flags.server, &flags.context, &flags.cluster].iter().any(|flag| flag.is_some());
    is_named || is_in_files() || Config::incluster().is_ok()
}

fn connect(kubeconfig: &Kubeconfig, flags: &ConnectionArgs, read_from: &str) -> Result<Connection> {
    let context_name = flags.context.clone().or_else(|| kubeconfig.current_context.clone()).unwrap_or_default();
    let context =
        kubeconfig.contexts.iter().find(|named| named.name == context_name).and_then(|named| named.context.clone());
    if context.is_none() && flags.context.is_some() {
        let known: Vec<_> = kubeconfig.contexts.iter().map(|named| named.name.as_str()).collect();
        return Err(Error::usage(format!("context '{context_name}' is not in {read_from}"))
            .hint(format!("it has: {}", known.join(", "))));
    }
    let cluster_name = flags.cluster.clone().or_else(|| context.as_ref().map(|context| context.cluster.clone()));
    let cluster = cluster_name.as_ref().and_then(|name| {
        kubeconfig.clusters.iter().find(|named| named.name == *name).and_then(|named| named.cluster.clone())
    });
    if let (None, Some(name)) = (&cluster, &flags.cluster) {
        return Err(Error::usage(format!("cluster '{name}' is not in {read_from}")));
    }
    let user_name = flags.user.clone().or_else(|| context.as_ref().and_then(|context| context.user.clone()));
    let user = user_name.as_ref().and_then(|name| {
        kubeconfig.auth_infos.iter().find(|named| named.name == *name).and_then(|named| named.auth_info.clone())
    });
    if let (None, Some(name)) = (&user, &flags.user) {
        return Err(Error::usage(format!("user '{name}' is not in {read_from}")));
    }
    let mut cluster = cluster.unwrap_or_default();
    let mut user = user.unwrap_or_default();
    override_cluster(&mut cluster, flags);
    override_user(&mut user, flags)?;
    let Some(server) = cluster.server.clone().filter(|server| !server.is_empty()) else {
        return Err(Error::failed(format!("context '{context_name}' of {read_from} has no cluster with a server"))
            .hint("choose one with --context, or see 'kubectl config get-contexts'"));
    };
    if let Some(exec) = &mut user.exec
        && exec.provide_cluster_info
    {
        exec.cluster = Some((&cluster).try_into().context("cannot describe the cluster to the exec plugin")?);
    }
    let namespace = context.and_then(|context| context.namespace).filter(|namespace| !namespace.is_empty());
    let config = config(&cluster, user, &server, namespace.as_deref().unwrap_or("default"), flags)?;
    let server = shown(&server);
    Ok(Connection { config, context: context_name, server, forbidden: ForbiddenAddresses::new() })
}

/// Removes the user name and password from a URL, which are only for the server, and other secrets: a password in place of
/// the port, a token as a parameter.
pub(super) fn without_password(url: &str) -> String {
    let begin = url.find("://").map_or(0, |scheme| scheme + 3);
    let end = url[begin..].find(['/', '?', '#']).map_or(url.len(), |path| begin + path);
    let host = url[begin..end].rfind('@').map_or(begin, |at| begin + at + 1);
    if begin > 0 {
        return scrub(&format!("{}{}", &url[..begin], &url[host..])).into_owned();
    }
    // A bare host has no scheme, by which its port is recognized.
    let safe = format!("http://{}", &url[host..]);
    let safe = scrub(&safe);
    safe.strip_prefix("http://").unwrap_or(&safe).to_owned()
}

/// A server's URL for messages about it, without what is refused and may be secret.
fn shown_address(server: &str) -> String {
    let address = without_password(server);
    address.split(['?', '#']).next().unwrap_or_default().to_owned()
}

/// A server's URL for messages.
fn shown(server: &str) -> String {
    without_password(server).trim_end_matches('/').to_owned()
}

fn override_cluster(cluster: &mut Cluster, flags: &ConnectionArgs) {
    if let Some(server) = &flags.server {
        cluster.server = Some(server.clone());
    }
    if let Some(authority) = &flags.certificate_authority {
        cluster.certificate_authority = Some(authority.display().to_string());
        cluster.certificate_authority_data = None;
    }
    if flags.insecure_skip_tls_verify {
        cluster.insecure_skip_tls_verify = Some(true);
        cluster.certificate_authority = None;
        cluster.certificate_authority_data = None;
    }
    if let Some(name) = &flags.tls_server_name {
        cluster.tls_server_name = Some(name.clone());
    }
}

fn override_user(user: &mut AuthInfo, flags: &ConnectionArgs) -> Result<()> {
    if let Some(token) = &flags.token {
        // As in kubectl, a token on the command line replaces all credentials that set a header. A client certificate
        // remains, which API servers check first.
        user.token = Some(token.reveal().to_owned().into());
        (user.token_file, user.username, user.password) = (None, None, None);
        (user.exec, user.auth_provider) = (None, None);
    }
    if let Some(path) = &flags.client_certificate {
        user.client_certificate = Some(path.display().to_string());
        user.client_certificate_data = None;
    }
    if let Some(path) = &flags.client_key {
        user.client_key = Some(path.display().to_string());
        user.client_key_data = None;
    }
    if let Some(name) = &flags.impersonate {
        user.impersonate = Some(name.clone());
    }
    if !flags.impersonate_groups.is_empty() {
        user.impersonate_groups = Some(flags.impersonate_groups.clone());
    }
    if let Some(uid) = &flags.impersonate_uid {
        user.impersonate_uid = Some(uid.clone());
    }
    for extra in &flags.impersonate_extra {
        let (key, value) =
            extra.split_once('=').ok_or_else(|| Error::usage(format!("--as-user-extra '{extra}' is not KEY=VALUE")))?;
        user.impersonate_user_extra.get_or_insert_default().entry(key.to_owned()).or_default().push(value.to_owned());
    }
    let impersonates_more = user.impersonate_groups.is_some() || user.impersonate_uid.is_some();
    if impersonates_more && user.impersonate.is_none() {
        return Err(Error::usage("--as-group and --as-uid need --as"));
    }
    Ok(())
}

/// Builds the client's configuration. Kubeconfigs from Secrets are checked before.
pub fn config(
    cluster: &Cluster,
    user: AuthInfo,
    server: &str,
    namespace: &str,
    flags: &ConnectionArgs,
) -> Result<Config> {
    // kubectl accepts a bare host, too.
    let url = if server.contains("://") { server.to_owned() } else { format!("http://{server}") };
    check_server_url(&url).map_err(|problem| anyhow!("server '{}' {problem}", shown_address(server)))?;
    let url: http::Uri = url.parse().with_context(|| format!("server '{}' is not a URL", shown_address(server)))?;
    let mut config = Config::new(url.clone());
    namespace.clone_into(&mut config.default_namespace);
    config.root_cert = authorities(cluster)?;
    config.accept_invalid_certs = cluster.insecure_skip_tls_verify.unwrap_or(false);
    config.disable_compression = flags.disable_compression || cluster.disable_compression.unwrap_or(false);
    config.tls_server_name = cluster.tls_server_name.clone().filter(|name| !name.is_empty());
    config.auth_info = user;
    config.connect_timeout = Some(std::time::Duration::from_secs(10));
    config.default_retry = false;
    let scheme = url.scheme_str().unwrap_or("https");
    let port = url.port_u16().unwrap_or(if scheme == "https" { 443 } else { 80 });
    let environment = |name: &str| std::env::var(name).ok();
    let proxy = cluster
        .proxy_url
        .clone()
        .filter(|proxy| !proxy.is_empty())
        .or_else(|| proxy::from_environment(scheme, url.host().unwrap_or_default(), port, environment));
    config.proxy_url = match proxy {
        Some(proxy) => {
            Some(proxy.parse().map_err(|_| anyhow!("the proxy for {} is not a URL", without_password(server)))?)
        }
        None => None,
    };
    Ok(config)
}

/// Certificates of the trusted authorities, as DER.
fn authorities(cluster: &Cluster) -> Result<Option<Vec<Vec<u8>>>> {
    let pem = match (&cluster.certificate_authority_data, &cluster.certificate_authority) {
        (Some(data), _) if !data.is_empty() => {
            BASE64.decode(data.trim()).map_err(|_| anyhow!("certificate-authority-data is not base64"))?
        }
        (_, Some(path)) if !path.is_empty() => {
            std::fs::read(path).with_context(|| format!("cannot read certificate authority {path}"))?
        }
        _ => return Ok(None),
    };
    let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem).collect();
    let certificates = certificates.map_err(|_| anyhow!("the certificate authority is not PEM"))?;
    Ok(Some(certificates.into_iter().map(|certificate| certificate.to_vec()).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_of_connections_do_not_depend_on_the_order_of_keys() {
        let config: serde_json::Map<String, serde_json::Value> =
            (0..40).map(|number| (format!("key-{number}"), number.to_string().into())).collect();
        let fingerprint = |name: &str| {
            let auth = serde_json::json!({"auth-provider": {"name": name, "config": config}});
            let mut connected = Config::new("https://prod".parse().unwrap());
            connected.auth_info = serde_json::from_value(auth).unwrap();
            let forbidden = ForbiddenAddresses::new();
            Connection { config: connected, context: String::new(), server: String::new(), forbidden }.fingerprint()
        };
        assert_eq!(fingerprint("oidc"), fingerprint("oidc"));
        assert_ne!(fingerprint("oidc"), fingerprint("other"));
    }

    #[test]
    fn a_server_with_more_than_an_address_is_refused() {
        let connect = |server: &str| {
            config(&Cluster::default(), AuthInfo::default(), server, "default", &ConnectionArgs::default())
        };
        for server in ["https://h/?token=canary", "https://h/#canary", "https://u:canary@h", "h?canary", "https://h/.."]
        {
            let error = format!("{:?}", connect(server).err());
            assert!(error.contains("refused") && !error.contains("canary"), "{server}: {error}");
        }
        let behind_proxy = connect("https://rancher.example.org/k8s/clusters/c-1").unwrap();
        assert_eq!(behind_proxy.cluster_url.path(), "/k8s/clusters/c-1");
    }

    #[test]
    fn urls_are_shown_without_their_passwords() {
        for (url, shown) in [
            ("https://user:p@ss@host:6443/path", "https://host:6443/path"),
            ("user:pass@host", "host"),
            ("https://host/a@b", "https://host/a@b"),
            ("https://host", "https://host"),
            ("https://host:canary", "https://host:<hidden>"),
            ("host:canary1", "host:<hidden>"),
            ("host:6443", "host:6443"),
            ("https://[fd00::1]:6443", "https://[fd00::1]:6443"),
            ("https://host/?token=canary", "https://host/?token=<hidden>"),
        ] {
            assert_eq!(without_password(url), shown);
        }
    }
}
