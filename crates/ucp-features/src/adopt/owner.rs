//! The owners of objects in an app cluster: the registrations, in a core cluster, for which they were made. Two Flux
//! registrations of one cluster, or two core clusters that adopt the same one, each have their own ServiceAccount, so
//! that a rotation or release of one does not affect the other.

use ring::digest::{SHA256, digest};
use serde_json::Value;

use crate::adopt::access::{ClusterEndpoint, same_server};
use crate::adopt::cluster::AppCluster;
use crate::adopt::holder::AccountHolder;
use crate::adopt::inventory::AppClusterInventory;
use crate::adopt::names::{MANAGED_BY, NamespacedName};
use crate::adopt::record::{Account, OWNER};
use crate::adopt::registration::Registration;
use ucp_core::model::hash::hexadecimal;
use ucp_core::model::object::ObjectName;

/// The owner of the objects of a registration. `origin` identifies the core cluster: the UID of the Secret that the
/// registration comes from, or the core cluster's own URL.
pub fn owner_name(registration: &ObjectName, origin: &str) -> String {
    let digest = digest(&SHA256, format!("{registration}\n{origin}").as_bytes());
    let short: String = hexadecimal(&digest.as_ref()[..8]);
    format!("{registration} ({short})")
}

/// The default ServiceAccount of an owner.
pub fn service_account(holder: AccountHolder, cluster: &str, owner: &str) -> NamespacedName {
    let digest = digest(&SHA256, owner.as_bytes());
    let short: String = hexadecimal(&digest.as_ref()[..4]);
    let cluster: String = cluster.chars().take(40).collect();
    let cluster = cluster.trim_end_matches(['-', '.']);
    NamespacedName {
        namespace: "kube-system".to_owned(),
        name: format!("kubectl-ucp-{}-{cluster}-{short}", holder.as_str()),
    }
}

/// Returns true if kubectl ucp made a live object, for any owner.
pub fn is_ours(live: &Value) -> bool {
    let labels = live.pointer("/metadata/labels");
    labels.and_then(|labels| labels.get(MANAGED_BY.0)).and_then(Value::as_str) == Some(MANAGED_BY.1)
}

/// The owner of a live object, if it has an annotation for it.
pub fn owner_of(live: &Value) -> Option<&str> {
    live.pointer("/metadata/annotations")?.get(OWNER)?.as_str()
}

/// Returns true if a live object was made for an account. Objects of earlier versions have no owner, and count as made
/// for the account in their registration, if `unsaid` is [`DefaultOwnership::Mine`].
pub fn is_made_for(live: &Value, account: &Account, unsaid: DefaultOwnership) -> bool {
    is_ours(live)
        && match owner_of(live) {
            Some(owner) => account.owner.as_deref() == Some(owner),
            None => unsaid == DefaultOwnership::Mine,
        }
}

/// The ownership of an object without an annotation for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DefaultOwnership {
    /// It belongs to the registration that names it.
    Mine,
    /// It belongs to an unknown registration.
    Foreign,
}

/// Returns the other registrations in the same core cluster that use the same ServiceAccount, as earlier versions
/// allowed.
pub fn other_users<'a>(
    inventory: &'a AppClusterInventory,
    registration: &ObjectName,
    account: &Account,
    endpoint: &ClusterEndpoint,
) -> Vec<&'a Registration> {
    let all = inventory.clusters.iter().flat_map(AppCluster::all_registrations);
    let uses_it = |other: &&Registration| {
        let theirs = other.record.as_ref().and_then(|record| record.account.as_ref());
        other.object != *registration
            && theirs.is_some_and(|theirs| theirs.service_account == account.service_account)
            && is_for_endpoint(other, endpoint)
    };
    all.filter(uses_it).collect()
}

/// Returns true if a registration is for the cluster at an endpoint, by any address.
fn is_for_endpoint(registration: &Registration, endpoint: &ClusterEndpoint) -> bool {
    let server = registration.server.as_deref().is_some_and(|server| same_server(server, &endpoint.server));
    server || registration.access().is_some_and(|access| access.endpoint().may_be_same_cluster(endpoint))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use ucp_core::model::git_ops::GitOps;

    #[test]
    fn each_registration_and_each_core_cluster_has_an_account_of_its_own() {
        let object = |namespace: &str| ObjectName {
            api_version: "v1".into(),
            kind: "Secret".into(),
            namespace: Some(namespace.into()),
            name: "prod-kubeconfig".into(),
        };
        let account = |namespace: &str, core: &str| {
            service_account(AccountHolder::Engine(GitOps::Flux), "prod", &owner_name(&object(namespace), core))
        };
        assert_eq!(account("a", "uid-1"), account("a", "uid-1"));
        assert_ne!(account("a", "uid-1"), account("b", "uid-1"));
        assert_ne!(account("a", "uid-1"), account("a", "uid-2"));
        assert!(account("a", "uid-1").name.starts_with("kubectl-ucp-flux-prod-"));
        assert!(service_account(AccountHolder::Secrets, &"x.".repeat(90), "o").name.len() < 80);
    }

    #[test]
    fn an_object_without_an_owner_annotation_has_the_default_ownership() {
        let account = |owner: Option<&str>| Account {
            service_account: "kube-system/a".parse().unwrap(),
            grant: "everything".parse().unwrap(),
            token: "a-token-1".into(),
            revoke: None,
            owner: owner.map(str::to_owned),
        };
        let live = |annotations: Value| json!({"metadata": {"labels": {MANAGED_BY.0: MANAGED_BY.1}, "annotations": annotations}});
        let (mine, unsaid) = (account(Some("me")), live(json!({})));
        assert!(is_made_for(&live(json!({OWNER: "me"})), &mine, DefaultOwnership::Foreign));
        assert!(!is_made_for(&live(json!({OWNER: "you"})), &mine, DefaultOwnership::Mine));
        assert!(!is_made_for(&live(json!({OWNER: "you"})), &account(None), DefaultOwnership::Mine));
        assert!(
            is_made_for(&unsaid, &mine, DefaultOwnership::Mine)
                && !is_made_for(&unsaid, &mine, DefaultOwnership::Foreign)
        );
        assert!(!is_made_for(&json!({"metadata": {}}), &mine, DefaultOwnership::Mine), "another manager created it");
    }
}
