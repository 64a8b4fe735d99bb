//! The ServiceAccount of an engine in an app cluster: what is there, what may be made, making it and taking it back.

use std::time::Duration;

use futures::future::try_join_all;
use k8s_openapi::ByteString;
use secrecy::SecretString;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::adopt::access::CheckedAccess;
use crate::adopt::grant::{Grant, Reach, Rights};
use crate::adopt::live::remote;
use crate::adopt::manifest::{account_manifests, is_cluster_wide, own, says};
use crate::adopt::names::Namespaced;
use crate::adopt::owner::{Unsaid, is_made_for, owner_of};
use crate::adopt::record::Account;
use crate::adopt::request::Lifetime;
use crate::model::apply::Conflicts;
use crate::model::object::ObjectName;
use crate::model::request_path::RequestPath;
use crate::source::live::api::{Api, JSON, ReadError};
use crate::source::live::delete::{Precondition, uid_of};
use crate::source::live::write::{ApiWriter, ObjectPath, Written};

/// How long a controller may take to fill a token Secret, and rights to reach every part of the server.
const PATIENCE: Duration = Duration::from_secs(15);
/// How long every part of a server may take to learn of a new ServiceAccount.
const PATIENCE_WITH_STRANGERS: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(100);

/// What has to be done about one object.
#[derive(Debug, Clone)]
pub struct Step {
    /// The object.
    pub object: ObjectName,
    /// What to do.
    pub change: Change,
    /// For whom it was made, where that is another.
    pub owner: Option<String>,
    /// The object as it was seen.
    seen: Option<Precondition>,
    manifest: Value,
}

/// What to do about an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// It is as it should be.
    None,
    /// It is not there.
    Create,
    /// It is another.
    Update,
    /// It is another in a field that cannot change.
    Replace,
    /// It is there, and somebody else made it.
    Foreign,
}

/// The path of an object of a kind that we write ourselves.
pub(crate) fn path(object: &ObjectName) -> Result<ObjectPath, ReadError> {
    ObjectPath::of(object).ok_or_else(|| ReadError::Malformed(format!("{object} is of a kind that is never written")))
}

/// Compares what an app cluster has with what it should have.
pub(crate) async fn inspect(
    api: &Api,
    account: &Account,
    lifetime: Lifetime,
    unsaid: Unsaid,
) -> Result<Vec<Step>, ReadError> {
    let manifests = account_manifests(account, lifetime);
    let found = try_join_all(manifests.iter().map(|manifest| async {
        let object = ObjectName::of(manifest);
        api.find(&path(&object)?).await
    }))
    .await?;
    let root = found.first().cloned().flatten().filter(|_| is_cluster_wide(&manifests[0]));
    let steps = manifests.into_iter().zip(found).enumerate().map(|(index, (mut manifest, live))| {
        if let (Some(root), true) = (&root, index > 0) {
            own(&mut manifest, root);
        }
        let owner = live.as_ref().and_then(owner_of).filter(|owner| account.owner.as_deref() != Some(*owner));
        let owner = owner.map(str::to_owned);
        let seen = live.as_ref().map(seen);
        let change = match live {
            None => Change::Create,
            Some(live) if !is_made_for(&live, account, unsaid) => Change::Foreign,
            Some(live) if says(&live, &manifest) => Change::None,
            Some(live) if is_fixed_otherwise(&live, &manifest) => Change::Replace,
            Some(_) => Change::Update,
        };
        Step { object: ObjectName::of(&manifest), change, owner, seen, manifest }
    });
    Ok(steps.collect())
}

/// The same for a cluster where nothing is there, or may be seen.
pub(crate) fn all_missing(account: &Account, lifetime: Lifetime) -> Vec<Step> {
    let missing = |manifest| {
        let (object, change) = (ObjectName::of(&manifest), Change::Create);
        Step { object, change, owner: None, seen: None, manifest }
    };
    account_manifests(account, lifetime).into_iter().map(missing).collect()
}

/// Of some objects, those that are there and were made for an account.
pub(crate) async fn made_for(
    api: &Api,
    objects: Vec<ObjectName>,
    account: &Account,
    unsaid: Unsaid,
) -> Result<Vec<SeenObject>, ReadError> {
    let found = try_join_all(objects.iter().map(|object| async { api.find(&path(object)?).await })).await?;
    let mine = objects.into_iter().zip(found).filter_map(|(object, live)| {
        let live = live.filter(|live| is_made_for(live, account, unsaid))?;
        Some(SeenObject { object, seen: seen(&live) })
    });
    Ok(mine.collect())
}

/// An object that was there when it was decided to delete it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenObject {
    /// Its name.
    pub object: ObjectName,
    seen: Precondition,
}

impl SeenObject {
    /// An object as the server sent it.
    pub(crate) fn of(object: ObjectName, live: &Value) -> Self {
        Self { object, seen: seen(live) }
    }

    /// Deletes it, and no other one of its name.
    ///
    /// # Errors
    /// What the server said; 409 where it is another one by now, or was changed.
    pub(crate) async fn delete(&self, api: &ApiWriter) -> Result<(), ReadError> {
        api.delete_seen(&path(&self.object)?, &self.seen).await
    }
}

/// Which object a deletion is for. The server itself writes to a token's Secret and its account, as when it is used.
fn seen(live: &Value) -> Precondition {
    match live["kind"].as_str() {
        Some("Secret" | "ServiceAccount") => Precondition::on_uid(uid_of(live)),
        _ => Precondition::on_content(live),
    }
}

/// An object that this run made, or may have made.
#[derive(Debug, Clone)]
pub(crate) struct Made {
    object: ObjectName,
    /// Its UID, once the server said that this run made it.
    uid: Option<String>,
}

/// `roleRef` and the type of a Secret cannot be changed.
fn is_fixed_otherwise(live: &Value, manifest: &Value) -> bool {
    ["roleRef", "type"].iter().any(|field| !manifest[field].is_null() && !says(&live[field], &manifest[field]))
}

/// Makes what is missing. `done` learns of every object before it is made, so that it can be taken back. An object that
/// appeared since the plan was made is somebody else's, and ends it.
pub(crate) async fn make(
    api: &ApiWriter,
    steps: &[Step],
    conflicts: Conflicts,
    done: &mut Vec<Made>,
) -> Result<(), ReadError> {
    let mut root: Option<Value> = None;
    for (index, step) in steps.iter().enumerate() {
        let mut manifest = step.manifest.clone();
        if let (Some(root), true) = (&root, index > 0) {
            own(&mut manifest, root);
        }
        let path = path(&step.object)?;
        let change = match (step.change, &root) {
            // A new owner has a uid that nobody knew before.
            (Change::None, Some(_)) if index > 0 => Change::Update,
            (change, _) => change,
        };
        match change {
            Change::None | Change::Foreign => continue,
            Change::Create => done.push(Made { object: step.object.clone(), uid: None }),
            Change::Replace => {
                if let Some(seen) = &step.seen {
                    api.delete_seen(&path, seen).await?;
                }
            }
            Change::Update => {}
        }
        let (written, how) = api.apply_and_tell(&path, &manifest, conflicts).await?;
        match (change, how) {
            (Change::Create, Written::Created) => {
                let uid = Some(uid_of(&written).to_owned());
                done.last_mut().into_iter().for_each(|made| made.uid.clone_from(&uid));
            }
            (Change::Create, Written::Updated) => {
                done.pop();
                let message =
                    format!("{} was created by another run in the meantime; run the command again", step.object);
                return Err(ReadError::Rejected { code: 409, message, causes: Vec::new() });
            }
            _ => {}
        }
        if index == 0 && is_cluster_wide(&manifest) && step.change == Change::Create {
            root = Some(written);
        }
    }
    Ok(())
}

/// Takes back what was made, last first, and tells what is left.
pub(crate) async fn take_back(api: &ApiWriter, done: &[Made]) -> Vec<ObjectName> {
    let mut left = Vec::new();
    for Made { object, uid } in done.iter().rev() {
        let Ok(path) = path(object) else { continue };
        let is_gone = match uid {
            Some(uid) => match api.delete_seen(&path, &Precondition::on_uid(uid)).await {
                // What has its name by now is another one.
                Ok(()) | Err(ReadError::Rejected { code: 409, .. }) => true,
                Err(_) => false,
            },
            // No answer came. Whose it is, if it is there, nobody knows.
            None => matches!(api.find(&path).await, Ok(None)),
        };
        if !is_gone {
            left.push(object.clone());
        }
    }
    left
}

/// Gets the token of a ServiceAccount.
pub(crate) async fn token(api: &ApiWriter, account: &Account, lifetime: Lifetime) -> Result<SecretString, ReadError> {
    match lifetime {
        Lifetime::Lasting => lasting_token(api, account).await,
        Lifetime::Bound(duration) => bound_token(api, account, duration).await,
    }
}

fn token_secret(account: &Account) -> ObjectName {
    ObjectName::secret(&account.service_account.namespace, &account.token)
}

/// Waits until the token controller filled the Secret.
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
                serde_json::from_value(found).map_err(|_| ReadError::Malformed("it is no Secret".to_owned()))?;
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

/// Asks for a token that ends by itself, and with its Secret.
async fn bound_token(api: &ApiWriter, account: &Account, duration: Duration) -> Result<SecretString, ReadError> {
    let secret = token_secret(account);
    let anchor = api.find(&path(&secret)?).await?.ok_or(ReadError::NotFound)?;
    let Namespaced { namespace, name } = &account.service_account;
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
    let path = RequestPath::of(["api", "v1", "namespaces", namespace, "serviceaccounts", name, "token"]);
    let answer = api.create(&path, &request).await?;
    let token = answer.pointer("/status/token").and_then(Value::as_str);
    token.map(SecretString::from).ok_or_else(|| ReadError::Malformed("it holds no token".to_owned()))
}

/// What a credential was found to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Proof {
    /// It works.
    Good,
    /// The server does not know it, or does not let it do what it is for.
    Denied(ReadError),
    /// Nobody could be asked.
    Unknown(String),
}

/// Sends requests with a credential: who it is, and whether it may do what it is for.
pub(crate) async fn prove(access: &CheckedAccess, grant: Option<&Grant>, timeout: Duration) -> Proof {
    let api = match remote::connect(access, timeout) {
        Ok(api) => api,
        Err(error) => return Proof::Unknown(error.message()),
    };
    let mut paths = vec![RequestPath::from("/version")];
    match grant {
        // What somebody else's role allows is not known.
        None | Some(Grant { rights: Rights::ClusterRole(_), .. }) => {}
        Some(Grant { reach: Reach::Cluster, .. }) => paths.push("/api/v1/namespaces?limit=1".into()),
        Some(Grant { reach: Reach::Namespaces(names), .. }) => {
            let plural =
                if grant.is_some_and(|grant| grant.rights == Rights::Secrets) { "secrets" } else { "configmaps" };
            let first = |name| RequestPath::of(["api", "v1", "namespaces", name, plural]).with("limit", "1");
            paths.extend(names.iter().map(|name| first(name)));
        }
    }
    for path in paths {
        match api.get(&path, JSON).await {
            Ok(_) => {}
            Err(error @ ReadError::Denied { .. }) => return Proof::Denied(error),
            Err(error) => return Proof::Unknown(error.to_string()),
        }
    }
    Proof::Good
}

/// The same for a credential that was only just made, whose rights may still be on their way.
pub(crate) async fn prove_patiently(access: &CheckedAccess, grant: &Grant, timeout: Duration) -> Proof {
    let begun = Instant::now();
    loop {
        let proof = prove(access, Some(grant), timeout).await;
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
