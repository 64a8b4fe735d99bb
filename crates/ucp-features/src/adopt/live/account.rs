//! The ServiceAccount of an engine in an app cluster: inspection, creation, and rollback.

use std::time::Duration;

use futures::future::try_join_all;
use k8s_openapi::ByteString;
use secrecy::SecretString;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::adopt::access::CheckedAccess;
use crate::adopt::grant::{Grant, GrantScope, GrantedRights};
use crate::adopt::live::remote;
use crate::adopt::manifest::{account_manifests, has_all_fields, is_cluster_wide, set_owner};
use crate::adopt::names::NamespacedName;
use crate::adopt::owner::{DefaultOwnership, is_made_for, owner_of};
use crate::adopt::record::Account;
use crate::adopt::request::Lifetime;
use ucp_client::source::live::api::{Api, ReadError};
use ucp_client::source::live::delete::{Precondition, uid_of};
use ucp_client::source::live::limit::ResponseLimit;
use ucp_client::source::live::write::{ApiWriter, ObjectPath, WriteEffect};
use ucp_core::model::apply::ConflictPolicy;
use ucp_core::model::object::ObjectName;
use ucp_core::model::request_path::RequestPath;

/// Timeout for the token controller to fill a token Secret, and for rights to reach all API servers.
const PATIENCE: Duration = Duration::from_secs(15);
/// Timeout for all API servers to accept the token of a new ServiceAccount.
const PATIENCE_WITH_STRANGERS: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(100);

/// The change to make to one object.
#[derive(Debug, Clone)]
pub struct AccountStep {
    /// The object to change.
    pub object: ObjectName,
    /// The kind of change.
    pub change: ObjectChange,
    /// The registration for which the object was made, if that is another one.
    pub owner: Option<String>,
    /// The live object, as it was read.
    pub(super) seen: Option<Precondition>,
    manifest: Value,
}

/// The kind of change to an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectChange {
    /// The object is up to date.
    None,
    /// The object does not exist.
    Create,
    /// The object differs.
    Update,
    /// The object differs in an immutable field.
    Replace,
    /// The object exists, and was made by another tool or for another registration.
    Foreign,
}

/// The path of an object, of one of the kinds that kubectl ucp writes.
pub(crate) fn path(object: &ObjectName) -> Result<ObjectPath, ReadError> {
    ObjectPath::from_object_name(object)
        .ok_or_else(|| ReadError::Malformed(format!("{object} is of a kind that is never written")))
}

/// Compares the objects in an app cluster with those that an account needs, and returns the steps to change them.
pub(crate) async fn inspect(
    api: &Api,
    account: &Account,
    lifetime: Lifetime,
    unsaid: DefaultOwnership,
) -> Result<Vec<AccountStep>, ReadError> {
    let manifests = account_manifests(account, lifetime);
    let found = try_join_all(manifests.iter().map(|manifest| async {
        let object = ObjectName::from_manifest(manifest);
        api.find(&path(&object)?).await
    }))
    .await?;
    let root = found.first().cloned().flatten().filter(|_| is_cluster_wide(&manifests[0]));
    let steps = manifests.into_iter().zip(found).enumerate().map(|(index, (mut manifest, live))| {
        if let (Some(root), true) = (&root, index > 0) {
            set_owner(&mut manifest, root);
        }
        let owner = live.as_ref().and_then(owner_of).filter(|owner| account.owner.as_deref() != Some(*owner));
        let owner = owner.map(str::to_owned);
        let seen = live.as_ref().map(seen);
        let change = match live {
            None => ObjectChange::Create,
            Some(live) if !is_made_for(&live, account, unsaid) => ObjectChange::Foreign,
            Some(live) if has_all_fields(&live, &manifest) => ObjectChange::None,
            Some(live) if differs_in_immutable_field(&live, &manifest) => ObjectChange::Replace,
            Some(_) => ObjectChange::Update,
        };
        AccountStep { object: ObjectName::from_manifest(&manifest), change, owner, seen, manifest }
    });
    Ok(steps.collect())
}

/// Returns the steps for a cluster in which no object exists, or may be read.
pub(crate) fn all_missing(account: &Account, lifetime: Lifetime) -> Vec<AccountStep> {
    let missing = |manifest| {
        let (object, change) = (ObjectName::from_manifest(&manifest), ObjectChange::Create);
        AccountStep { object, change, owner: None, seen: None, manifest }
    };
    account_manifests(account, lifetime).into_iter().map(missing).collect()
}

/// Returns those of some objects that exist and were made for an account.
pub(crate) async fn find_owned(
    api: &Api,
    objects: Vec<ObjectName>,
    account: &Account,
    unsaid: DefaultOwnership,
) -> Result<Vec<SeenObject>, ReadError> {
    let found = try_join_all(objects.iter().map(|object| async { api.find(&path(object)?).await })).await?;
    let mine = objects.into_iter().zip(found).filter_map(|(object, live)| {
        let live = live.filter(|live| is_made_for(live, account, unsaid))?;
        Some(SeenObject { object, seen: seen(&live) })
    });
    Ok(mine.collect())
}

/// An object that existed when its deletion was planned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenObject {
    /// The object's name.
    pub object: ObjectName,
    pub(super) seen: Precondition,
}

impl SeenObject {
    /// Takes the name of an object and the object as the server returned it.
    pub(crate) fn from_live(object: ObjectName, live: &Value) -> Self {
        Self { object, seen: seen(live) }
    }

    /// Deletes this object, but no other one of the same name.
    ///
    /// # Errors
    /// Returns the server's error; 409 if it was replaced or changed.
    pub(crate) async fn delete(&self, api: &ApiWriter) -> Result<(), ReadError> {
        api.delete_seen(&path(&self.object)?, &self.seen).await
    }
}

/// The precondition for a deletion. The server itself changes token Secrets and ServiceAccounts, as when a token is
/// used, so these are identified by UID alone.
fn seen(live: &Value) -> Precondition {
    match live["kind"].as_str() {
        Some("Secret" | "ServiceAccount") => Precondition::on_uid(uid_of(live)),
        _ => Precondition::on_content(live),
    }
}

/// An object that this run created, or may have created.
#[derive(Debug, Clone)]
pub(crate) struct CreatedObject {
    object: ObjectName,
    /// The object's UID, once the server confirmed that this run created it.
    uid: Option<String>,
}

/// Returns true if `roleRef` or the type of a Secret differ, which are immutable.
fn differs_in_immutable_field(live: &Value, manifest: &Value) -> bool {
    ["roleRef", "type"]
        .iter()
        .any(|field| !manifest[field].is_null() && !has_all_fields(&live[field], &manifest[field]))
}

/// Makes the changes. Each object to create is added to `done` before the request, so that it can be rolled back. Fails
/// when an object was created by another run since the plan was made.
pub(crate) async fn apply_steps(
    api: &ApiWriter,
    steps: &[AccountStep],
    conflicts: ConflictPolicy,
    done: &mut Vec<CreatedObject>,
) -> Result<(), ReadError> {
    let mut root: Option<Value> = None;
    for (index, step) in steps.iter().enumerate() {
        let mut manifest = step.manifest.clone();
        if let (Some(root), true) = (&root, index > 0) {
            set_owner(&mut manifest, root);
        }
        let path = path(&step.object)?;
        let change = match (step.change, &root) {
            // A new owner has a new UID, so the owner references have to be updated.
            (ObjectChange::None, Some(_)) if index > 0 => ObjectChange::Update,
            (change, _) => change,
        };
        match change {
            ObjectChange::None | ObjectChange::Foreign => continue,
            ObjectChange::Create => done.push(CreatedObject { object: step.object.clone(), uid: None }),
            ObjectChange::Replace => {
                if let Some(seen) = &step.seen {
                    api.delete_seen(&path, seen).await?;
                }
            }
            ObjectChange::Update => {}
        }
        let (written, how) = api.apply_with_effect(&path, &manifest, conflicts).await?;
        match (change, how) {
            (ObjectChange::Create, WriteEffect::Created) => {
                let uid = Some(uid_of(&written).to_owned());
                done.last_mut().into_iter().for_each(|made| made.uid.clone_from(&uid));
            }
            (ObjectChange::Create, WriteEffect::Updated) => {
                done.pop();
                let message =
                    format!("{} was created by another run in the meantime; run the command again", step.object);
                return Err(ReadError::Rejected { code: 409, message, causes: Vec::new() });
            }
            _ => {}
        }
        if index == 0 && is_cluster_wide(&manifest) && step.change == ObjectChange::Create {
            root = Some(written);
        }
    }
    Ok(())
}

/// Deletes the created objects, last first. Returns those that could not be deleted.
pub(crate) async fn roll_back(api: &ApiWriter, done: &[CreatedObject]) -> Vec<ObjectName> {
    let mut left = Vec::new();
    for CreatedObject { object, uid } in done.iter().rev() {
        let Ok(path) = path(object) else { continue };
        let is_gone = match uid {
            Some(uid) => match api.delete_seen(&path, &Precondition::on_uid(uid)).await {
                // 409: the name now belongs to another object.
                Ok(()) | Err(ReadError::Rejected { code: 409, .. }) => true,
                Err(_) => false,
            },
            // Without a response, it is unknown if this run created the object.
            None => matches!(api.find(&path).await, Ok(None)),
        };
        if !is_gone {
            left.push(object.clone());
        }
    }
    left
}

/// Returns the names of created objects, last first.
pub(crate) fn names(done: &[CreatedObject]) -> Vec<ObjectName> {
    done.iter().rev().map(|made| made.object.clone()).collect()
}

/// Returns the token of a ServiceAccount.
pub(crate) async fn token(api: &ApiWriter, account: &Account, lifetime: Lifetime) -> Result<SecretString, ReadError> {
    match lifetime {
        Lifetime::Lasting => lasting_token(api, account).await,
        Lifetime::Bound(duration) => bound_token(api, account, duration).await,
    }
}

fn token_secret(account: &Account) -> ObjectName {
    ObjectName::secret(&account.service_account.namespace, &account.token)
}

/// Waits until the token controller has filled the Secret.
async fn lasting_token(api: &Api, account: &Account) -> Result<SecretString, ReadError> {
    #[derive(Deserialize)]
    struct TokenSecret {
        #[serde(default)]
        data: std::collections::BTreeMap<String, ByteString>,
    }
    let secret = token_secret(account);
    let path = path(&secret)?;
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = api.find(&path).await? {
            let found: TokenSecret =
                serde_json::from_value(found).map_err(|_| ReadError::Malformed("it is not a Secret".to_owned()))?;
            if let Some(token) = found.data.get("token").and_then(|bytes| String::from_utf8(bytes.0.clone()).ok()) {
                return Ok(SecretString::from(token));
            }
        }
        if Instant::now() > deadline {
            return Err(ReadError::Transport(format!(
                "no controller wrote a token to {secret} within {}s; --token-ttl does not need that controller",
                PATIENCE.as_secs()
            )));
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Requests a token that expires, and that is invalid once its Secret is deleted.
async fn bound_token(api: &ApiWriter, account: &Account, duration: Duration) -> Result<SecretString, ReadError> {
    let secret = token_secret(account);
    let anchor = api.find(&path(&secret)?).await?.ok_or(ReadError::NotFound)?;
    let NamespacedName { namespace, name } = &account.service_account;
    let request = json!({
        "apiVersion": "authentication.k8s.io/v1",
        "kind": "TokenRequest",
        "spec": {
            "expirationSeconds": duration.as_secs(),
            "boundObjectRef": {
                "apiVersion": "v1",
                "kind": "Secret",
                "name": secret.name,
                "uid": anchor["metadata"]["uid"],
            },
        },
    });
    let path = RequestPath::from_segments(["api", "v1", "namespaces", namespace, "serviceaccounts", name, "token"]);
    let answer = api.create(&path, &request).await?;
    let token = answer.pointer("/status/token").and_then(Value::as_str);
    token.map(SecretString::from).ok_or_else(|| ReadError::Malformed("it contains no token".to_owned()))
}

/// The result of testing a credential.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proof {
    /// The credential works.
    Good,
    /// The server does not accept the credential, or denies the rights that it needs.
    Denied(ReadError),
    /// The server could not be reached.
    Unknown(String),
}

/// Only metadata, since one Secret may be larger than the limit.
const NAMES: &str = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";

/// Tests a credential with requests: its authentication, and its rights for the grant.
pub async fn test_credential(access: &CheckedAccess, grant: Option<&Grant>, timeout: Duration) -> Proof {
    let api = match remote::connect(access, timeout) {
        Ok(api) => api,
        Err(error) => return Proof::Unknown(error.message()),
    };
    let mut paths = vec![RequestPath::from("/version")];
    match grant {
        // The rights of an existing ClusterRole are not known.
        None | Some(Grant { rights: GrantedRights::ClusterRole(_), .. }) => {}
        Some(Grant { reach: GrantScope::Cluster, .. }) => paths.push("/api/v1/namespaces?limit=1".into()),
        Some(Grant { reach: GrantScope::Namespaces(names), .. }) => {
            let plural = if grant.is_some_and(|grant| grant.rights == GrantedRights::Secrets) {
                "secrets"
            } else {
                "configmaps"
            };
            let first =
                |name| RequestPath::from_segments(["api", "v1", "namespaces", name, plural]).with_query("limit", "1");
            paths.extend(names.iter().map(|name| first(name)));
        }
    }
    for path in paths {
        match api.get(&path, NAMES, ResponseLimit::Small).await {
            Ok(_) => {}
            Err(error @ ReadError::Denied { .. }) => return Proof::Denied(error),
            Err(error) => return Proof::Unknown(error.to_string()),
        }
    }
    Proof::Good
}

/// Tests a credential that was just created, whose rights may not be effective yet.
pub(crate) async fn test_new_credential(access: &CheckedAccess, grant: &Grant, timeout: Duration) -> Proof {
    let begun = Instant::now();
    loop {
        let proof = test_credential(access, Some(grant), timeout).await;
        let patience = match &proof {
            Proof::Denied(ReadError::Denied { code: 401, .. }) => PATIENCE_WITH_STRANGERS,
            Proof::Denied(_) => PATIENCE,
            Proof::Good | Proof::Unknown(_) => Duration::ZERO,
        };
        if begun.elapsed() >= patience {
            return proof;
        }
        tokio::time::sleep(PAUSE).await;
    }
}
