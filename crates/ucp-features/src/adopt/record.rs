//! The record of an adoption, in annotations of the registration: its source, its login, and the objects that a release
//! has to remove.

use std::collections::BTreeMap;

use crate::adopt::grant::Grant;
use crate::adopt::hazard::{AllowedHazards, Hazard};
use crate::adopt::names::{MANAGED_BY, NamespacedName, SecretKeyName};
use ucp_core::model::metadata::Metadata;
use ucp_core::model::variant_words::variant_words;

/// Name of the cluster.
pub const CLUSTER: &str = "kubectl-ucp.io/cluster";
/// `namespace/name/key` of the Secret that the registration came from.
pub const SOURCE: &str = "kubectl-ucp.io/source-secret";
/// [`crate::adopt::access::ClusterEndpoint::version`] of that source.
pub const SOURCE_VERSION: &str = "kubectl-ucp.io/source-version";
/// The hazards of the endpoint that flags allowed, as in [`Hazard::annotation_value`].
pub const ALLOWED: &str = "kubectl-ucp.io/allowed";
/// The login method of the engine: [`Auth`].
pub const AUTH: &str = "kubectl-ucp.io/auth";
/// The rights of its ServiceAccount: [`Grant`].
pub const GRANT: &str = "kubectl-ucp.io/grant";
/// `namespace/name` of the ServiceAccount in the app cluster.
pub const SERVICE_ACCOUNT: &str = "kubectl-ucp.io/service-account";
/// Name of the token's Secret in the app cluster. Deleting it revokes the token.
pub const TOKEN: &str = "kubectl-ucp.io/token";
/// The registration that owns the account: [`Account::owner`]. It is also an annotation of each object in the app
/// cluster.
pub const OWNER: &str = "kubectl-ucp.io/owner";
/// Name of the Secret of an earlier token, which is still to be removed.
pub const REVOKE: &str = "kubectl-ucp.io/revoke";

/// How an engine logs in to an app cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, clap::ValueEnum)]
pub enum Auth {
    /// A dedicated ServiceAccount in the app cluster
    ServiceAccount,
    /// The credential of the connection Secret as it is
    Passthrough,
    /// AWS identity of the engine's own pods
    Aws,
    /// Google Cloud identity of the engine's own pods
    Gcp,
    /// Azure identity of the engine's own pods
    Azure,
}

variant_words!(Auth {
    ServiceAccount = "service-account", Passthrough = "passthrough", Aws = "aws", Gcp = "gcp", Azure = "azure",
});

impl Auth {
    fn parse(text: &str) -> Option<Self> {
        [Self::ServiceAccount, Self::Passthrough, Self::Aws, Self::Gcp, Self::Azure]
            .into_iter()
            .find(|auth| auth.as_str() == text)
    }
}

/// The record of an adoption in the annotations of a registration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdoptionRecord {
    /// Name of the cluster.
    pub cluster: String,
    /// The Secret from which the access was read; absent if it was read from a kubeconfig file.
    pub source: Option<SecretKeyName>,
    /// Version hash of the endpoint at the time of the adoption.
    pub version: String,
    /// The hazards of that endpoint that flags allowed.
    pub allowed: AllowedHazards,
    /// The login method of the engine.
    pub auth: Auth,
    /// The account in the app cluster, if the engine has a ServiceAccount.
    pub account: Option<Account>,
}

/// The objects in the app cluster that were made for a registration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// Name and namespace of the ServiceAccount.
    pub service_account: NamespacedName,
    /// The rights of the ServiceAccount.
    pub grant: Grant,
    /// Name of the token's Secret, in the ServiceAccount's namespace. Deleting it revokes the token.
    pub token: String,
    /// Name of the Secret of an earlier token, which is still to be removed.
    pub revoke: Option<String>,
    /// The registration and core cluster that own the account: [`crate::adopt::owner`]. Absent in records of earlier
    /// versions.
    pub owner: Option<String>,
}

fn words(text: &str) -> AllowedHazards {
    text.split(',').filter_map(Hazard::from_annotation_value).collect()
}

impl AdoptionRecord {
    /// Reads the record from a registration's metadata; `None` if kubectl ucp did not create it.
    pub fn read(metadata: &Metadata) -> Option<Self> {
        if metadata.label(MANAGED_BY.0) != Some(MANAGED_BY.1) {
            return None;
        }
        let auth = Auth::parse(metadata.annotation(AUTH)?)?;
        let account = || {
            Some(Account {
                service_account: metadata.annotation(SERVICE_ACCOUNT)?.parse().ok()?,
                grant: metadata.annotation(GRANT)?.parse().ok()?,
                token: metadata.annotation(TOKEN)?.to_owned(),
                revoke: metadata.annotation(REVOKE).map(str::to_owned),
                owner: metadata.annotation(OWNER).map(str::to_owned),
            })
        };
        Some(Self {
            cluster: metadata.annotation(CLUSTER)?.to_owned(),
            source: metadata.annotation(SOURCE).and_then(|text| text.parse().ok()),
            version: metadata.annotation(SOURCE_VERSION).unwrap_or_default().to_owned(),
            allowed: words(metadata.annotation(ALLOWED).unwrap_or_default()),
            auth,
            account: account(),
        })
    }

    /// Returns the record as annotations.
    pub fn annotations(&self) -> BTreeMap<String, String> {
        let mut annotations = BTreeMap::from([
            (CLUSTER.to_owned(), self.cluster.clone()),
            (SOURCE_VERSION.to_owned(), self.version.clone()),
            (AUTH.to_owned(), self.auth.as_str().to_owned()),
        ]);
        let mut set = |key: &str, value: Option<String>| annotations.extend(value.map(|value| (key.to_owned(), value)));
        let allowed: Vec<&str> = self.allowed.iter().map(|hazard| hazard.annotation_value()).collect();
        set(ALLOWED, Some(allowed.join(",")).filter(|words| !words.is_empty()));
        set(SOURCE, self.source.as_ref().map(SecretKeyName::to_string));
        if let Some(account) = &self.account {
            set(SERVICE_ACCOUNT, Some(account.service_account.to_string()));
            set(GRANT, Some(account.grant.to_string()));
            set(TOKEN, Some(account.token.clone()));
            set(REVOKE, account.revoke.clone());
            set(OWNER, account.owner.clone());
        }
        annotations
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_record_is_read_back_unchanged() {
        let record = AdoptionRecord {
            cluster: "gcp-k8s-prod".into(),
            source: Some(SecretKeyName {
                namespace: "default".into(),
                name: "gcp-k8s-prod".into(),
                key: "kubeconfig".into(),
            }),
            version: "0123456789abcdef".into(),
            allowed: [Hazard::Localhost, Hazard::Http].into(),
            auth: Auth::ServiceAccount,
            account: Some(Account {
                service_account: "kube-system/ucp".parse().unwrap(),
                grant: "read-only in a,b".parse().unwrap(),
                token: "ucp-token-2".into(),
                revoke: Some("ucp-token".into()),
                owner: Some("Secret argocd/cluster-prod (0123456789abcdef)".into()),
            }),
        };
        let annotations = record.annotations().into_iter().collect();
        let mut metadata = Metadata { annotations, ..Metadata::default() };
        assert_eq!(AdoptionRecord::read(&metadata), None, "of another owner");
        metadata.labels = [MANAGED_BY].into_iter().collect();
        assert_eq!(AdoptionRecord::read(&metadata), Some(record));
    }
}
