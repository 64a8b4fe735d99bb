//! Kubeconfigs of app clusters: read from Secrets that other programs wrote, and written for programs that need one.
//! Errors quote nothing of them, and files and programs that they name are not used here.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use kube::config::{AuthInfo, Cluster, Kubeconfig};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};

use crate::adopt::access::{AppClusterAccess, ClusterEndpoint, Verification};
use crate::adopt::credential::{Credential, Program};
use crate::adopt::endpoint::plain_url;
use crate::adopt::redaction;
use ucp_client::source::kubeconfig;
use ucp_core::failure::{Failure, fail};

impl AppClusterAccess {
    /// Reads a kubeconfig's current context, or its only one. Errors never quote the text.
    ///
    /// # Errors
    /// Fails when it is no kubeconfig, or names no server.
    pub fn from_kubeconfig(text: &str, context: Option<&str>) -> Result<Self, Failure> {
        if let Some(reason) = redaction::reason(text) {
            return Err(reason.into());
        }
        Self::from_parsed(kubeconfig::parse(text)?, context)
    }

    fn from_parsed(kubeconfig: Kubeconfig, context: Option<&str>) -> Result<Self, Failure> {
        let wanted = context.map(str::to_owned).or(kubeconfig.current_context);
        let mut contexts = kubeconfig.contexts;
        let chosen = match &wanted {
            Some(name) => contexts.into_iter().find(|named| named.name == *name),
            None if contexts.len() == 1 => contexts.pop(),
            None => None,
        };
        let (cluster_name, user_name) = match chosen.and_then(|named| named.context) {
            // As in kubectl, a context without a user is anonymous.
            Some(context) => (Some(context.cluster), Some(context.user.unwrap_or_default())),
            None if kubeconfig.clusters.len() == 1 && wanted.is_none() => (None, None),
            None => return fail!("the kubeconfig does not contain its current context"),
        };
        // A name must have an entry; without a name, the first entry is used.
        let cluster = kubeconfig
            .clusters
            .into_iter()
            .find(|named| cluster_name.as_ref().is_none_or(|name| named.name == *name))
            .and_then(|named| named.cluster)
            .ok_or("the kubeconfig contains no cluster")?;
        let user = kubeconfig
            .auth_infos
            .into_iter()
            .find(|named| user_name.as_ref().is_none_or(|name| named.name == *name))
            .and_then(|named| named.auth_info)
            .unwrap_or_default();
        Ok(Self::from_document(endpoint(cluster)?, credential(user)?))
    }

    /// Returns a kubeconfig with one context, self-contained for other programs.
    pub fn to_kubeconfig(&self, name: &str) -> SecretString {
        let user = match self.credential() {
            Credential::ClientCertificate { certificate, key, .. } => json!({
                "client-certificate-data": BASE64.encode(certificate),
                "client-key-data": BASE64.encode(key.expose_secret()),
            }),
            Credential::Token { token, .. } => json!({ "token": token.expose_secret() }),
            Credential::Basic { username, password } => {
                json!({ "username": username, "password": password.expose_secret() })
            }
            Credential::Exec(_) | Credential::File { .. } | Credential::AuthProvider | Credential::None => json!({}),
        };
        self.to_kubeconfig_with_user(name, &user)
    }

    /// Returns a kubeconfig with one context and this user.
    pub(super) fn to_kubeconfig_with_user(&self, name: &str, user: &Value) -> SecretString {
        let mut cluster = serde_json::Map::from_iter([("server".to_owned(), json!(self.endpoint().server))]);
        let mut set = |key: &str, value: Option<Value>| cluster.extend(value.map(|value| (key.to_owned(), value)));
        let endpoint = self.endpoint();
        set("certificate-authority-data", endpoint.authority.as_ref().map(|pem| json!(BASE64.encode(pem))));
        set("tls-server-name", endpoint.server_name.as_ref().map(|name| json!(name)));
        set("insecure-skip-tls-verify", (endpoint.verification == Verification::Skipped).then_some(json!(true)));
        set("proxy-url", endpoint.proxy.as_ref().map(|proxy| json!(proxy)));
        let document = json!({
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{ "name": name, "cluster": cluster }],
            "users": [{ "name": name, "user": user }],
            "contexts": [{ "name": name, "context": { "cluster": name, "user": name } }],
            "current-context": name,
        });
        // JSON is valid YAML, and needs no quoting rules.
        SecretString::from(document.to_string())
    }
}

fn present(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}

fn endpoint(cluster: Cluster) -> Result<ClusterEndpoint, Failure> {
    let server = present(cluster.server).ok_or("the kubeconfig contains no server")?;
    let server = plain_url(&server).map_err(|problem| format!("the kubeconfig's server {problem}"))?;
    let authority = match (present(cluster.certificate_authority_data), present(cluster.certificate_authority)) {
        (Some(data), _) => {
            Some(pem(&data).ok_or("the kubeconfig's certificate-authority-data is not base64-encoded PEM")?)
        }
        (None, Some(_)) => {
            return fail!("the kubeconfig's certificate authority is in a file, which is not available here");
        }
        (None, None) => None,
    };
    Ok(ClusterEndpoint {
        server,
        authority,
        server_name: present(cluster.tls_server_name),
        verification: match cluster.insecure_skip_tls_verify {
            Some(true) => Verification::Skipped,
            _ => Verification::Full,
        },
        proxy: present(cluster.proxy_url),
    })
}

/// Precedence as in client-go: certificate and key, token, user name and password, exec plugin, auth-provider.
fn credential(user: AuthInfo) -> Result<Credential, Failure> {
    let given = |secret: &Option<SecretString>| {
        secret.as_ref().filter(|secret| !secret.expose_secret().trim().is_empty()).cloned()
    };
    let (token, password, key) = (given(&user.token), given(&user.password), given(&user.client_key_data));
    if let (Some(certificate), Some(key)) = (present(user.client_certificate_data), key) {
        let certificate =
            pem(&certificate).ok_or("the kubeconfig's client-certificate-data is not base64-encoded PEM")?;
        let key = pem(key.expose_secret()).ok_or("the kubeconfig's client-key-data is not base64-encoded PEM")?;
        return Ok(Credential::client_certificate(certificate, SecretString::from(key)));
    }
    if let Some(token) = token {
        return Ok(Credential::token(token));
    }
    if let (Some(username), Some(password)) = (present(user.username), password) {
        return Ok(Credential::Basic { username, password });
    }
    if let Some(exec) = user.exec {
        return Ok(Credential::Exec(Program(Box::new(exec))));
    }
    if user.auth_provider.is_some() {
        return Ok(Credential::AuthProvider);
    }
    let files = [
        ("client-certificate", user.client_certificate),
        ("client-key", user.client_key),
        ("tokenFile", user.token_file),
    ];
    let file = files.into_iter().find_map(|(field, path)| present(path).map(|_| field));
    Ok(file.map_or(Credential::None, |field| Credential::File { field }))
}

/// Decodes PEM in base64, as in kubeconfigs.
pub(crate) fn pem(encoded: &str) -> Option<String> {
    let text = String::from_utf8(BASE64.decode(encoded.trim()).ok()?).ok()?;
    text.contains("-----BEGIN").then_some(text)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    const CA: &str = "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n";

    pub(crate) fn kubeconfig(server: &str, cluster: Value, user: Value) -> String {
        let mut cluster = cluster;
        cluster["server"] = json!(server);
        json!({
            "apiVersion": "v1", "kind": "Config", "current-context": "c",
            "clusters": [{"name": "k", "cluster": cluster}],
            "users": [{"name": "u", "user": user}],
            "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u"}}],
        })
        .to_string()
    }

    #[test]
    fn errors_do_not_quote_the_kubeconfig() {
        for text in [
            "users: [canary",
            "canary",
            "clusters:\n- name: canary\n  cluster: canary\n",
            "apiVersion: v1\nusers:\n- user: {token: [canary]}\n",
            r#"{"clusters":[{"name":"a","cluster":{"server":"ftp://canary"}}]}"#,
            r#"{"clusters":[{"name":"a","cluster":{"server":"https://canary:canary@host"}}]}"#,
            r#"{"clusters":[{"name":"a","cluster":{"server":"https://host/?token=canary"}}]}"#,
            r#"{"clusters":[{"name":"a","cluster":{"server":"https://host/#canary"}}]}"#,
            r#"{"clusters":[{"name":"a","cluster":{"server":"https://a","certificate-authority":"/canary"}}]}"#,
        ] {
            let error = AppClusterAccess::from_kubeconfig(text, None).unwrap_err().to_string();
            assert!(!error.contains("canary"), "{error}");
        }
        let text = kubeconfig("https://a", json!({}), json!({"username": "u", "password": "canary"}));
        let access = AppClusterAccess::from_kubeconfig(&text, None).unwrap();
        assert!(!format!("{access:?}").contains("canary"));
    }

    proptest! {
        #[test]
        fn no_text_is_quoted_in_an_error_or_makes_parsing_panic(text in "\\PC{0,120}") {
            if let Err(error) = AppClusterAccess::from_kubeconfig(&text, None) {
                prop_assert!(text.len() < 12 || !error.as_str().contains(&text));
            }
        }

        #[test]
        fn a_written_kubeconfig_is_read_back_unchanged(host in "[a-z]{1,12}", port in 1_u16.., token in "[!-~]{1,40}", skip: bool) {
            let endpoint = ClusterEndpoint {
                server: format!("https://{host}:{port}"),
                authority: Some(CA.to_owned()),
                server_name: Some("kubernetes".to_owned()),
                verification: if skip { Verification::Skipped } else { Verification::Full },
                proxy: None,
            };
            let access = AppClusterAccess::from_document(endpoint, Credential::token(token.into()));
            let read = AppClusterAccess::from_kubeconfig(access.to_kubeconfig("n").expose_secret(), None).unwrap();
            prop_assert_eq!(read.endpoint(), access.endpoint());
            prop_assert!(read.credential().is_same_as(access.credential()));
        }
    }
}
