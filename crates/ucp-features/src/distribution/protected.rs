//! Secrets that are never copied to an app cluster, even if declared: credentials of the core cluster, its engines, and
//! other clusters. They are detected by type, label, name, and content, since each of these can be missing.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD as BASE64, URL_SAFE_NO_PAD};
use serde_json::{Map, Value};

use crate::adopt::access::AppClusterAccess;
use crate::adopt::candidate::CONNECTION;
use crate::adopt::names::MANAGED_BY;
use ucp_core::model::body::secret::SEALING_KEY;
use ucp_core::model::metadata::Metadata;

/// Description of a Secret that is never copied.
pub type Protection = &'static str;

const KUBECONFIG: Protection = "a kubeconfig";
const ACCOUNT_TOKEN: Protection = "a token of a ServiceAccount";
const BOOTSTRAP_TOKEN: Protection = "a bootstrap token of the core cluster";
const HELM_RELEASE: Protection = "a Helm release with its values";
const SEALED_SECRETS: Protection = "a key of sealed-secrets";
const ARGO_CD: Protection = "a credential of Argo CD";
const GIT: Protection = "a credential for a Git repository";
const DECRYPTION: Protection = "a key that decrypts Secrets in Git";
const CLOUD: Protection = "a credential of a cloud account";
const KARGO: Protection = "a credential of Kargo";
const AZURE_SERVICE_OPERATOR: Protection = "a credential of Azure Service Operator";
const CROSSPLANE: Protection = "a certificate of Crossplane or one of its packages";
const OURS: Protection = "a Secret that kubectl ucp created";

/// Label of Argo CD's cluster and repository Secrets.
const ARGO_CD_LABEL: &str = "argocd.argoproj.io/secret-type";
const ARGO_CD_PART: (&str, &str) = ("app.kubernetes.io/part-of", "argocd");

/// Label of Kargo's credentials.
const KARGO_LABEL: &str = "kargo.akuity.io/cred-type";

/// Returns the protection of a Secret of the core cluster, if it is never copied. `whole` is the Secret as read.
pub fn protection(metadata: &Metadata, whole: &Value) -> Option<Protection> {
    let kind = whole.get("type").and_then(Value::as_str).unwrap_or_default();
    let data = SecretData(whole.get("data").and_then(Value::as_object));
    by_type(kind)
        .or_else(|| by_label(metadata))
        .or_else(|| by_name(&metadata.name))
        .or_else(|| by_keys(&data))
        .or_else(|| data.texts().find_map(|text| by_value(&text, kind == CONNECTION)))
}

fn by_type(kind: &str) -> Option<Protection> {
    match kind {
        "kubernetes.io/service-account-token" => Some(ACCOUNT_TOKEN),
        "bootstrap.kubernetes.io/token" => Some(BOOTSTRAP_TOKEN),
        "cluster.x-k8s.io/secret" => Some(KUBECONFIG),
        _ if kind.starts_with("helm.sh/") => Some(HELM_RELEASE),
        _ => None,
    }
}

fn by_label(metadata: &Metadata) -> Option<Protection> {
    let has = |key: &str| metadata.label(key).is_some();
    let is = |(key, value): (&str, &str)| metadata.label(key) == Some(value);
    match () {
        () if has(ARGO_CD_LABEL) || is(ARGO_CD_PART) => Some(ARGO_CD),
        () if has(KARGO_LABEL) => Some(KARGO),
        () if has(SEALING_KEY) => Some(SEALED_SECRETS),
        () if is(("owner", "helm")) => Some(HELM_RELEASE),
        () if metadata.annotation("kubernetes.io/service-account.name").is_some() => Some(ACCOUNT_TOKEN),
        () if is_of_package(metadata) => Some(CROSSPLANE),
        () if is(MANAGED_BY) => Some(OURS),
        () => None,
    }
}

/// Returns true for a Secret that Crossplane's package manager made for a provider or function.
fn is_of_package(metadata: &Metadata) -> bool {
    let group = |version: &str| version.starts_with("pkg.crossplane.io/");
    metadata.owner_references.iter().any(|owner| group(&owner.api_version))
}

fn by_name(name: &str) -> Option<Protection> {
    const ARGO_CD_NAMES: [&str; 6] = [
        "argocd-secret",
        "argocd-initial-admin-secret",
        "argocd-redis",
        "argocd-notifications-secret",
        "argocd-image-updater-secret",
        "argocd-repo-server-tls",
    ];
    match name {
        _ if ARGO_CD_NAMES.contains(&name) => Some(ARGO_CD),
        "flux-system" => Some(GIT),
        "aso-credential" | "aso-controller-settings" => Some(AZURE_SERVICE_OPERATOR),
        "crossplane-root-ca" | "crossplane-tls-client" | "crossplane-tls-server" => Some(CROSSPLANE),
        _ if name.starts_with("sealed-secrets-key") => Some(SEALED_SECRETS),
        _ if name.starts_with("bootstrap-token-") => Some(BOOTSTRAP_TOKEN),
        _ if name.starts_with("sh.helm.release.v1.") => Some(HELM_RELEASE),
        _ => None,
    }
}

/// Returns the protection by keys that only one program uses.
fn by_keys(data: &SecretData<'_>) -> Option<Protection> {
    match () {
        () if data.has_all(&["kubeconfig"]) => Some(KUBECONFIG),
        () if data.has_all(&["token-id", "token-secret"]) => Some(BOOTSTRAP_TOKEN),
        () if data.has_all(&["token", "ca.crt", "namespace"]) => Some(ACCOUNT_TOKEN),
        () if data.has_all(&["AZURE_CLIENT_ID", "AZURE_SUBSCRIPTION_ID", "AZURE_TENANT_ID"]) => {
            Some(AZURE_SERVICE_OPERATOR)
        }
        () if data.has_all(&["server.secretkey"]) || data.has_all(&["name", "server", "config"]) => Some(ARGO_CD),
        () if ["identity", "sshPrivateKey", "githubAppPrivateKey", "githubAppID"]
            .iter()
            .any(|key| data.has_all(&[key])) =>
        {
            Some(GIT)
        }
        () if data.has_all(&["known_hosts"]) || data.has_all(&["ssh-privatekey"]) => Some(GIT),
        () if matches!(data.text("type").as_deref(), Some("git" | "helm" | "oci")) && data.has_all(&["url"]) => {
            Some(ARGO_CD)
        }
        () if data.keys().any(|key| key.ends_with(".agekey") || key.starts_with("sops.")) => Some(DECRYPTION),
        () => None,
    }
}

/// Returns the protection by one value. A cloud credential that Crossplane wrote for a workload may be copied.
fn by_value(text: &str, is_connection: bool) -> Option<Protection> {
    let has = |part: &str| text.contains(part);
    match () {
        () if has("AGE-SECRET-KEY-") || has("BEGIN PGP PRIVATE KEY") => Some(DECRYPTION),
        () if is_account_token(text) => Some(ACCOUNT_TOKEN),
        () if is_kubeconfig(text) => Some(KUBECONFIG),
        () if is_connection => None,
        () if has("aws_secret_access_key") => Some(CLOUD),
        () if is_cloud_account(text) => Some(CLOUD),
        () => None,
    }
}

fn is_kubeconfig(text: &str) -> bool {
    text.contains("clusters") && text.contains("users") && text.contains("contexts")
        || text.contains("clusters") && AppClusterAccess::from_kubeconfig(text, None).is_ok()
}

/// Returns true for a token whose claims name a ServiceAccount.
fn is_account_token(text: &str) -> bool {
    let mut parts = text.trim().split('.');
    let (Some(_), Some(claims), Some(_), None) = (parts.next(), parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let claims = URL_SAFE_NO_PAD.decode(claims.trim_end_matches('=')).ok();
    let claims = claims.and_then(|claims| serde_json::from_slice::<Value>(&claims).ok());
    let subject = claims.as_ref().and_then(|claims| claims.get("sub")?.as_str());
    subject.is_some_and(|subject| subject.starts_with("system:serviceaccount:"))
}

/// Returns true for credential files of users and providers for Google Cloud and Azure.
fn is_cloud_account(text: &str) -> bool {
    let Ok(Value::Object(fields)) = ucp_core::model::weight::from_json::<Value>(text.as_bytes()) else { return false };
    let is = |key: &str, value: &str| fields.get(key).and_then(Value::as_str) == Some(value);
    let has = |key: &str| fields.contains_key(key);
    is("type", "service_account") && has("private_key")
        || is("type", "authorized_user") && has("refresh_token")
        || is("type", "external_account")
        || has("clientSecret") && has("tenantId")
}

/// Values of a Secret.
struct SecretData<'a>(Option<&'a Map<String, Value>>);

impl SecretData<'_> {
    fn keys(&self) -> impl Iterator<Item = &String> {
        self.0.into_iter().flat_map(Map::keys)
    }

    fn has_all(&self, keys: &[&str]) -> bool {
        self.0.is_some_and(|data| keys.iter().all(|key| data.contains_key(*key)))
    }

    fn text(&self, key: &str) -> Option<String> {
        decoded(self.0?.get(key)?)
    }

    fn texts(&self) -> impl Iterator<Item = String> {
        self.0.into_iter().flat_map(Map::values).filter_map(decoded)
    }
}

fn decoded(value: &Value) -> Option<String> {
    let bytes = BASE64.decode(value.as_str()?.trim()).ok()?;
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn protection_of(metadata: Value, kind: &str, data: &[(&str, &str)]) -> Option<Protection> {
        let values: Map<String, Value> =
            data.iter().map(|(key, value)| ((*key).to_owned(), json!(BASE64.encode(value)))).collect();
        let whole = json!({"metadata": metadata, "type": kind, "data": values});
        let metadata = serde_json::from_value(metadata).unwrap();
        protection(&metadata, &whole)
    }

    #[test]
    fn each_of_type_label_name_and_shape_is_enough() {
        let plain = json!({"name": "x", "namespace": "a"});
        let login = [("password", "p")];
        let labeled = |key: &str, value: &str| json!({"name": "x", "namespace": "a", "labels": {key: value}});
        for kind in ["kubernetes.io/service-account-token", "bootstrap.kubernetes.io/token", "helm.sh/release.v1"] {
            assert!(protection_of(plain.clone(), kind, &login).is_some(), "{kind}");
        }
        for (key, value) in [
            ("argocd.argoproj.io/secret-type", "repo-creds"),
            ("kargo.akuity.io/cred-type", "git"),
            (SEALING_KEY, "active"),
            (SEALING_KEY, "compromised"),
            MANAGED_BY,
        ] {
            assert!(protection_of(labeled(key, value), "Opaque", &login).is_some(), "{key}");
        }
        let owner =
            json!([{"apiVersion": "pkg.crossplane.io/v1", "kind": "ProviderRevision", "name": "p", "uid": "u"}]);
        let owned = json!({"name": "x", "namespace": "a", "ownerReferences": owner});
        assert!(protection_of(owned, "Opaque", &[("tls.key", "k")]).is_some());
        for name in [
            "aso-credential",
            "crossplane-root-ca",
            "argocd-secret",
            "sealed-secrets-keyx8k2p",
            "bootstrap-token-abcdef",
        ] {
            assert!(protection_of(json!({"name": name, "namespace": "a"}), "Opaque", &login).is_some(), "{name}");
        }
        let token = format!("e30.{}.c2ln", URL_SAFE_NO_PAD.encode(r#"{"sub":"system:serviceaccount:a:b"}"#));
        let kubeconfig = "apiVersion: v1\nkind: Config\nclusters: []\nusers: []\ncontexts: []\n";
        for (key, value) in [
            ("anything", kubeconfig),
            ("anything", token.as_str()),
            ("credentials", "[default]\naws_access_key_id = a\naws_secret_access_key = b\n"),
            ("creds", r#"{"type": "service_account", "private_key": "k"}"#),
            ("keys.agekey", "x"),
            ("identity", "-----BEGIN OPENSSH PRIVATE KEY-----"),
            ("server.secretkey", "x"),
        ] {
            assert!(protection_of(plain.clone(), "Opaque", &[(key, value)]).is_some(), "{key}");
        }
    }

    #[test]
    fn a_login_of_a_workload_is_copied() {
        let plain = json!({"name": "orders-conn", "namespace": "a"});
        let login =
            [("username", "u"), ("password", "p"), ("endpoint", "db.example.org"), ("url", "postgres://u:p@db/x")];
        assert_eq!(protection_of(plain.clone(), CONNECTION, &login), None);
        assert_eq!(protection_of(plain.clone(), "Opaque", &login), None);
        let key = [("private_key", r#"{"type": "service_account", "private_key": "k"}"#)];
        assert_eq!(protection_of(plain.clone(), CONNECTION, &key), None, "Crossplane wrote it for a workload");
        assert_eq!(protection_of(plain, "kubernetes.io/tls", &[("tls.crt", "c"), ("tls.key", "k")]), None);
    }
}
