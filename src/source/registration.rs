//! App clusters as engines reach them: Argo CD's cluster Secrets and Flux's kubeconfig Secrets, made a connection of.
//! What is in a Secret was written by somebody else: it never starts a program, reads a file, goes through a proxy or
//! trusts anybody here.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use kube::config::{AuthInfo, Cluster, Kubeconfig};
use serde::Deserialize;
use serde_json::Value;

use crate::source::kubeconfig::{self, Connection};

/// The label of Argo CD's cluster Secrets.
pub const ARGO_LABEL: &str = "argocd.argoproj.io/secret-type=cluster";

/// A cluster that Argo CD knows.
pub struct Registered {
    /// The name that destinations call it by.
    pub name: String,
    /// URL of its API server, without a slash at the end.
    pub server: String,
    /// The way in, or why there is none for us. No reason quotes a Secret.
    pub access: Result<Connection, String>,
}

/// Reads a cluster Secret of Argo CD: `docs/operator-manual/declarative-setup.md`.
pub fn argo_cluster(secret: &Value) -> Registered {
    let server = text(secret, "server").unwrap_or_default().trim().trim_end_matches('/').to_owned();
    let name = text(secret, "name").map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
    let access = text(secret, "config")
        .ok_or_else(|| "its registration has no config".to_owned())
        .and_then(|config| serde_json::from_str(&config).map_err(|_| "its registration is no valid JSON".to_owned()))
        .and_then(|config| argo_access(&server, config));
    Registered { name: name.unwrap_or_else(|| server.clone()), server, access }
}

/// Reads a Secret with a kubeconfig, as Flux does: the key that is named, else `value`, else `value.yaml`.
///
/// # Errors
/// When it holds no way in that may be used here. Nothing of it is quoted.
pub fn kubeconfig_secret(secret: &Value, key: Option<&str>) -> Result<Connection, String> {
    let found = match key {
        Some(key) => text(secret, key),
        None => text(secret, "value").or_else(|| text(secret, "value.yaml")),
    };
    let text = found.ok_or_else(|| format!("its Secret has no key '{}'", key.unwrap_or("value")))?;
    let kubeconfig: Kubeconfig = kubeconfig::parse(&text)?;
    let context_name = kubeconfig.current_context.unwrap_or_default();
    let context = kubeconfig.contexts.into_iter().find(|named| named.name == context_name);
    let context = context.and_then(|named| named.context).ok_or("its kubeconfig has no current context")?;
    let cluster = kubeconfig.clusters.into_iter().find(|named| named.name == context.cluster);
    let user = kubeconfig.auth_infos.into_iter().find(|named| Some(&named.name) == context.user.as_ref());
    connect(
        &cluster.and_then(|named| named.cluster).ok_or("its kubeconfig names no cluster")?,
        user.and_then(|named| named.auth_info).unwrap_or_default(),
    )
}

/// `ClusterConfig` in `pkg/apis/application/v1alpha1/types.go`.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ClusterConfig {
    username: String,
    password: String,
    bearer_token: String,
    tls_client_config: TlsClientConfig,
    aws_auth_config: Option<Value>,
    exec_provider_config: Option<Value>,
    proxy_url: String,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct TlsClientConfig {
    insecure: bool,
    server_name: String,
    cert_data: String,
    key_data: String,
    ca_data: String,
}

fn argo_access(server: &str, config: ClusterConfig) -> Result<Connection, String> {
    if config.aws_auth_config.is_some() || config.exec_provider_config.is_some() {
        return Err("Argo CD logs in there as itself, by a program or a cloud's identity".to_owned());
    }
    let given = |text: String| Some(text).filter(|text| !text.is_empty());
    let tls = config.tls_client_config;
    let cluster = Cluster {
        server: Some(server.to_owned()),
        insecure_skip_tls_verify: Some(tls.insecure),
        certificate_authority_data: given(tls.ca_data),
        proxy_url: given(config.proxy_url),
        tls_server_name: given(tls.server_name),
        ..Cluster::default()
    };
    let user = AuthInfo {
        username: given(config.username),
        password: given(config.password).map(Into::into),
        token: given(config.bearer_token).map(Into::into),
        client_certificate_data: given(tls.cert_data),
        client_key_data: given(tls.key_data).map(Into::into),
        ..AuthInfo::default()
    };
    connect(&cluster, user)
}

fn connect(cluster: &Cluster, user: AuthInfo) -> Result<Connection, String> {
    let hazards = [
        (user.exec.is_some() || user.auth_provider.is_some(), "its credential comes from a program"),
        (
            user.token_file.is_some()
                || user.client_certificate.is_some()
                || user.client_key.is_some()
                || cluster.certificate_authority.is_some(),
            "its kubeconfig names files, which are not here",
        ),
        (cluster.insecure_skip_tls_verify == Some(true), "nobody checks its server's certificate"),
        (cluster.proxy_url.as_deref().is_some_and(|url| !url.is_empty()), "it is behind a proxy of its own"),
        (cluster.server.as_deref().is_none_or(str::is_empty), "its registration names no server"),
    ];
    if let Some((_, reason)) = hazards.into_iter().find(|(present, _)| *present) {
        return Err(reason.to_owned());
    }
    let has_credential = user.token.is_some() || user.client_certificate_data.is_some() || user.username.is_some();
    if !has_credential {
        return Err("its registration holds no credential".to_owned());
    }
    kubeconfig::connection(cluster, user).map_err(|error| error.report().trim_start_matches("error: ").to_owned())
}

fn text(secret: &Value, key: &str) -> Option<String> {
    let encoded = secret.pointer("/data")?.get(key)?.as_str()?;
    String::from_utf8(BASE64.decode(encoded).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn secret(entries: &[(&str, &str)]) -> Value {
        let data: Value = entries.iter().map(|(key, value)| ((*key).to_owned(), json!(BASE64.encode(value)))).collect();
        json!({ "data": data })
    }

    fn reason(config: &str) -> String {
        argo_cluster(&secret(&[("server", "https://a/"), ("config", config)])).access.err().unwrap_or_default()
    }

    #[test]
    fn registrations_are_read_and_hazards_refused() {
        let plain = secret(&[("name", "prod"), ("server", "https://a/"), ("config", r#"{"bearerToken":"canary"}"#)]);
        let registered = argo_cluster(&plain);
        assert_eq!((registered.name.as_str(), registered.server.as_str()), ("prod", "https://a"));
        assert!(registered.access.is_ok());
        for (config, expected) in [
            (r#"{"execProviderConfig":{"command":"x"}}"#, "by a program"),
            (r#"{"bearerToken":"canary","tlsClientConfig":{"insecure":true}}"#, "certificate"),
            (r#"{"bearerToken":"canary","proxyUrl":"http://p"}"#, "proxy"),
            ("{}", "no credential"),
            ("canary", "JSON"),
            (r#"{"bearerToken":"canary","tlsClientConfig":{"caData":"canary"}}"#, "certificate"),
        ] {
            let reason = reason(config);
            assert!(reason.contains(expected) && !reason.contains("canary"), "{config}: {reason}");
        }
    }

    #[test]
    fn kubeconfigs_start_no_program() {
        let kubeconfig = |user: &str| {
            format!(
                "{{apiVersion: v1, kind: Config, current-context: c, contexts: [{{name: c, context: {{cluster: k, user: u}}}}], clusters: [{{name: k, cluster: {{server: 'https://a'}}}}], users: [{{name: u, user: {user}}}]}}"
            )
        };
        let read =
            |user: &str| kubeconfig_secret(&secret(&[("value", &kubeconfig(user))]), None).map(|read| read.server);
        assert_eq!(read("{token: t}"), Ok("https://a".to_owned()));
        assert!(read("{exec: {command: /bin/sh, apiVersion: v1}}").unwrap_err().contains("program"));
        assert!(read("{tokenFile: /etc/passwd}").unwrap_err().contains("files"));
        assert!(read("{}").unwrap_err().contains("no credential"));
    }
}
