//! Argo CD's cluster Secrets: `docs/operator-manual/declarative-setup.md`, and `ClusterConfig` in
//! `pkg/apis/application/v1alpha1/types.go`.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use kube::config::ExecConfig;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::adopt::access::{AppClusterAccess, ClusterEndpoint, Verification};
use crate::adopt::credential::{Credential, Program};
use crate::adopt::endpoint::plain_url;
use crate::adopt::holder::AccountHolder;
use crate::adopt::record::AdoptionRecord;
use crate::adopt::registration::{ArgoCdClusterSettings, Cloud, CloudIdentity, EngineLogin, Registration};
use ucp_core::failure::Failure;
use ucp_core::model::body::Body;
use ucp_core::model::body::secret::Secret;
use ucp_core::model::git_ops::{ARGO_CD_NAMESPACE, GitOps};
use ucp_core::model::resource::Resource;
use ucp_core::model::secrecy::REGISTRATION_LABEL;
use ucp_core::model::weight::from_json;

/// The label that marks a Secret as a cluster.
pub const LABEL: (&str, &str) = REGISTRATION_LABEL;
/// The same label as a selector for the API server.
pub const SELECTOR: &str = "argocd.argoproj.io/secret-type=cluster";
/// Argo CD's namespace, unless its own objects are elsewhere.
pub const DEFAULT_NAMESPACE: &str = ARGO_CD_NAMESPACE;
/// URL of the cluster that Argo CD itself runs in.
pub const IN_CLUSTER: &str = "https://kubernetes.default.svc";
/// Argo CD's name for the cluster that it runs in: `KubernetesInClusterName` in its `util/settings`.
pub const RESERVED_NAME: &str = "in-cluster";
/// The program in Argo CD's image that logs in as its pod.
pub(super) const LOGIN_PROGRAM: &str = "argocd-k8s-auth";
const EXEC_API: &str = "client.authentication.k8s.io/v1beta1";

/// Reads a cluster Secret; `None` for other Secrets and for the cluster that Argo CD itself runs in.
pub fn read(resource: &Resource) -> Option<Registration> {
    parse(resource).filter(|registration| !is_in_cluster(registration))
}

/// Returns true for the cluster that Argo CD itself runs in.
pub fn is_in_cluster(registration: &Registration) -> bool {
    registration.server.as_deref().is_some_and(|server| server.starts_with(IN_CLUSTER))
}

/// Reads a cluster Secret, including that of the cluster Argo CD runs in; `None` for other Secrets.
pub fn parse(resource: &Resource) -> Option<Registration> {
    let Body::Secret(secret) = &resource.body else { return None };
    if resource.metadata.label(LABEL.0) != Some(LABEL.1) {
        return None;
    }
    let text = |key: &str| value(secret, key).map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
    let server = text("server").map(|server| server.trim_end_matches('/').to_owned());
    let login = match (&server, value(secret, "config")) {
        (Some(server), Some(config)) => login(server, config).unwrap_or_else(EngineLogin::Unreadable),
        _ => EngineLogin::Unreadable("its server or config is missing or redacted".into()),
    };
    let settings = ArgoCdClusterSettings {
        namespaces: text("namespaces")
            .map(|list| list.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect())
            .unwrap_or_default(),
        project: text("project"),
        shard: text("shard").and_then(|shard| shard.parse().ok()),
    };
    Some(Registration {
        holder: AccountHolder::Engine(GitOps::ArgoCd),
        object: resource.name(),
        name: text("name").or_else(|| server.clone()).unwrap_or_else(|| resource.metadata.name.clone()),
        metadata: resource.metadata.clone(),
        server,
        login,
        settings,
        record: AdoptionRecord::read(&resource.metadata),
    })
}

fn value<'secret>(secret: &'secret Secret, key: &str) -> Option<&'secret str> {
    secret.values.get(key)?.as_ref().map(ExposeSecret::expose_secret)
}

/// `config` as it is stored in the Secret.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ClusterConfig {
    username: String,
    password: SecretText,
    bearer_token: SecretText,
    tls_client_config: TlsClientConfig,
    aws_auth_config: Option<AwsAuthConfig>,
    exec_provider_config: Option<ExecProviderConfig>,
    proxy_url: String,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct TlsClientConfig {
    insecure: bool,
    server_name: String,
    cert_data: SecretText,
    key_data: SecretText,
    ca_data: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct AwsAuthConfig {
    #[serde(rename = "clusterName")]
    cluster_name: String,
    #[serde(rename = "roleARN")]
    role_arn: String,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ExecProviderConfig {
    command: String,
    args: Vec<String>,
    env: BTreeMap<String, String>,
    api_version: String,
}

/// Text that is zeroed when dropped.
#[derive(Deserialize)]
#[serde(transparent)]
struct SecretText(SecretString);

impl Default for SecretText {
    fn default() -> Self {
        Self(SecretString::from(""))
    }
}

impl SecretText {
    fn text(&self) -> &str {
        self.0.expose_secret()
    }

    fn decoded(&self) -> Option<String> {
        decoded(self.text())
    }
}

fn decoded(encoded: &str) -> Option<String> {
    let bytes = BASE64.decode(encoded.trim()).ok()?;
    String::from_utf8(bytes).ok().filter(|text| !text.is_empty())
}

/// Reads `config`. The reason never quotes it.
fn login(server: &str, config: &str) -> Result<EngineLogin, Failure> {
    let config: ClusterConfig = from_json(config.as_bytes()).map_err(|_| "its config is not valid JSON")?;
    let tls = &config.tls_client_config;
    let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    // Without a scheme, Argo CD's client chooses it by the TLS settings: `DefaultServerURL` in client-go.
    let is_tls = tls.insecure || !tls.ca_data.is_empty() || !tls.cert_data.text().is_empty();
    let url = match (server.contains("://"), is_tls) {
        (true, _) => server.to_owned(),
        (false, true) => format!("https://{server}"),
        (false, false) => format!("http://{server}"),
    };
    let endpoint = ClusterEndpoint {
        server: plain_url(&url).map_err(|problem| format!("its server {problem}"))?,
        authority: decoded(&tls.ca_data),
        server_name: some(&tls.server_name),
        verification: if tls.insecure { Verification::Skipped } else { Verification::Full },
        proxy: some(&config.proxy_url),
    };
    // The same precedence as in Argo CD.
    if let Some(aws) = config.aws_auth_config {
        let (cluster, role) = (aws.cluster_name, some(&aws.role_arn));
        return Ok(EngineLogin::Identity(CloudIdentity { cloud: Cloud::Aws, cluster, role, endpoint: Some(endpoint) }));
    }
    let credential = match config.exec_provider_config {
        Some(exec) if exec.command == LOGIN_PROGRAM => {
            let named = |cloud: &Cloud| exec.args.first().is_some_and(|argument| argument == cloud.as_str());
            let cloud = Cloud::ALL.into_iter().find(named).ok_or("its exec plugin has unknown arguments")?;
            let identity = CloudIdentity { cloud, cluster: String::new(), role: None, endpoint: Some(endpoint) };
            return Ok(EngineLogin::Identity(identity));
        }
        Some(exec) => Credential::Exec(Program(Box::new(program(exec)))),
        None => match (tls.cert_data.decoded(), tls.key_data.decoded()) {
            (Some(certificate), Some(key)) => Credential::client_certificate(certificate, key.into()),
            _ if !config.bearer_token.text().is_empty() => Credential::token(config.bearer_token.0),
            _ if !config.username.is_empty() => {
                Credential::Basic { username: config.username, password: config.password.0 }
            }
            _ => Credential::None,
        },
    };
    Ok(EngineLogin::Static(Box::new(AppClusterAccess::from_document(endpoint, credential))))
}

fn program(exec: ExecProviderConfig) -> ExecConfig {
    let variable = |(name, value)| [("name".to_owned(), name), ("value".to_owned(), value)].into();
    ExecConfig {
        api_version: Some(exec.api_version),
        command: Some(exec.command),
        args: Some(exec.args),
        env: Some(exec.env.into_iter().map(variable).collect()),
        drop_env: None,
        install_hint: None,
        interactive_mode: None,
        provide_cluster_info: false,
        cluster: None,
        other: BTreeMap::new(),
    }
}

/// Writes `config`. Without any credential, as for a manifest that is kept in Git, the login is left out.
pub fn config(endpoint: &ClusterEndpoint, login: &ConfigLogin<'_>) -> SecretString {
    let mut tls = Map::from_iter([("insecure".to_owned(), json!(endpoint.verification == Verification::Skipped))]);
    let mut config = Map::new();
    if let Some(authority) = &endpoint.authority {
        tls.insert("caData".into(), json!(BASE64.encode(authority)));
    }
    if let Some(name) = &endpoint.server_name {
        tls.insert("serverName".into(), json!(name));
    }
    if let Some(proxy) = &endpoint.proxy {
        config.insert("proxyUrl".into(), json!(proxy));
    }
    match login {
        ConfigLogin::Credential(Credential::ClientCertificate { certificate, key, .. }) => {
            tls.insert("certData".into(), json!(BASE64.encode(certificate)));
            tls.insert("keyData".into(), json!(BASE64.encode(key.expose_secret())));
        }
        ConfigLogin::Credential(Credential::Token { token, .. }) => {
            config.insert("bearerToken".into(), json!(token.expose_secret()));
        }
        ConfigLogin::Credential(Credential::Basic { username, password }) => {
            config.insert("username".into(), json!(username));
            config.insert("password".into(), json!(password.expose_secret()));
        }
        ConfigLogin::Credential(_) | ConfigLogin::LeftOut => {}
        ConfigLogin::Token(reference) => {
            config.insert("bearerToken".into(), json!(reference));
        }
        ConfigLogin::Identity(identity) => {
            config.extend(identity_config(identity));
        }
    }
    config.insert("tlsClientConfig".into(), Value::Object(tls));
    SecretString::from(Value::Object(config).to_string())
}

/// The login part of `config`.
pub enum ConfigLogin<'a> {
    /// With a credential.
    Credential(&'a Credential),
    /// With a token that is inserted later: the reference to it in a template.
    Token(&'a str),
    /// With the cloud identity of Argo CD's own pods.
    Identity(&'a CloudIdentity),
    /// No login.
    LeftOut,
}

fn identity_config(identity: &CloudIdentity) -> Map<String, Value> {
    let config = match identity.cloud {
        Cloud::Aws => {
            let mut aws = Map::from_iter([("clusterName".to_owned(), json!(identity.cluster))]);
            aws.extend(identity.role.as_ref().map(|role| ("roleARN".to_owned(), json!(role))));
            json!({ "awsAuthConfig": aws })
        }
        Cloud::Gcp => json!({
            "execProviderConfig": { "command": LOGIN_PROGRAM, "args": ["gcp"], "apiVersion": EXEC_API },
        }),
        Cloud::Azure => json!({
            "execProviderConfig": {
                "command": LOGIN_PROGRAM,
                "args": ["azure"],
                "apiVersion": EXEC_API,
                "env": { "AAD_ENVIRONMENT_NAME": "AzurePublicCloud", "AAD_LOGIN_METHOD": "workloadidentity" },
            },
        }),
    };
    match config {
        Value::Object(config) => config,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn endpoint() -> ClusterEndpoint {
        ClusterEndpoint {
            server: "https://34.155.201.14".into(),
            authority: Some("-----BEGIN CERTIFICATE-----\n".into()),
            server_name: Some("kubernetes".into()),
            verification: Verification::Full,
            proxy: None,
        }
    }

    #[test]
    fn written_identities_are_read_back_unchanged() {
        for cloud in Cloud::ALL {
            let identity = CloudIdentity {
                cloud,
                cluster: if cloud == Cloud::Aws { "prod".into() } else { String::new() },
                role: (cloud == Cloud::Aws).then(|| "arn:aws:iam::123456789012:role/argocd".to_owned()),
                endpoint: Some(endpoint()),
            };
            let config = config(&endpoint(), &ConfigLogin::Identity(&identity));
            match login("https://34.155.201.14", config.expose_secret()) {
                Ok(EngineLogin::Identity(read)) => assert_eq!(read, identity),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn a_server_with_more_than_an_address_has_no_login() {
        for server in
            ["https://a/?token=canary", "https://a/#canary", "https://u:canary@a", "a?canary", "https://a/../b"]
        {
            let error = login(server, r#"{"bearerToken": "t"}"#).unwrap_err().to_string();
            assert!(error.starts_with("its server is a URL with") && !error.contains("canary"), "{error}");
        }
        assert!(login("https://rancher/k8s/clusters/c-1", r#"{"bearerToken": "t"}"#).is_ok());
    }

    #[test]
    fn broken_config_is_not_quoted() {
        for config in ["canary", "{\"bearerToken\": [\"canary\"]}", "{\"tlsClientConfig\": \"canary\"}"] {
            let error = login("https://a", config).unwrap_err().to_string();
            assert!(!error.contains("canary"), "{error}");
        }
    }

    proptest! {
        #[test]
        fn written_tokens_are_read_back_unchanged(token in "\\PC{1,60}") {
            let credential = Credential::token(token.into());
            let config = config(&endpoint(), &ConfigLogin::Credential(&credential));
            let Ok(EngineLogin::Static(access)) = login("https://34.155.201.14", config.expose_secret()) else {
                panic!("no static login");
            };
            prop_assert!(access.credential().is_same_as(&credential));
            prop_assert_eq!(access.endpoint(), &endpoint());
        }
    }
}
