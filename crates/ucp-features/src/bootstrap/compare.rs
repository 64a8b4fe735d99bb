//! Comparison with the cluster: each object as the cluster has it, and the result that server-side apply would have.

use futures::StreamExt as _;
use serde_json::Value;

use super::desire::DesiredObject;
use crate::adopt::names::NamespacedName;
use crate::plan::prepare::planned_scopes;
use ucp_client::prediction::cluster::{ConnectedCluster, path_of, text_at};
use ucp_client::source::live::api::ReadError;
use ucp_client::source::live::dry_run::DryRunWrite;
use ucp_core::failure::Failure;
use ucp_core::model::apply::{ConflictPolicy, FIELD_MANAGER};
use ucp_core::model::grounds::{Grounded, GroundsEvidence};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::ObjectName;
use ucp_core::model::secrecy::scrub_about;

/// The maximum number of concurrent requests.
const CONCURRENT: usize = 16;

/// An update of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectUpdate {
    /// The object in the cluster.
    pub live: Value,
    /// The object after the update, according to a dry run.
    pub made: Value,
}

/// The state of an object compared with its manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ObjectPresence {
    /// The object does not exist.
    Missing,
    /// The object exists.
    There,
    /// The object exists, and would change.
    Differs(Box<ObjectUpdate>),
    /// The object does not exist, and its kind is installed later.
    Early,
    /// The object exists and differs in fields of other field managers.
    Held(String),
}

impl ObjectPresence {
    /// Returns the update, if the object would change.
    pub fn update(&self) -> Option<&ObjectUpdate> {
        match self {
            Self::Differs(update) => Some(update),
            _ => None,
        }
    }
}

/// The presence of an object with its grounds, or the reason why it is unknown.
pub type PresenceReading<P> = Result<Grounded<P>, Failure>;

/// The presence of a Secret in the cluster.
#[derive(Clone)]
pub enum SecretPresence {
    /// The Secret does not exist.
    Missing,
    /// The Secret exists, with these keys.
    There(Vec<String>),
}

/// Compares the objects that `bootstrap` applies with the cluster. Returns the results in the order of `wanted`.
pub async fn compare_applied(
    cluster: &ConnectedCluster,
    wanted: &[DesiredObject],
    conflicts: ConflictPolicy,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Vec<PresenceReading<ObjectPresence>> {
    let planned = planned_scopes(wanted.iter().map(|one| &one.manifest));
    let planned = &planned;
    let mut answers = Vec::new();
    let mut running = futures::stream::iter(wanted)
        .map(|one| async move {
            let kind = (one.object.group().to_owned(), one.object.kind.clone());
            let absent = if planned.contains_key(&kind) { ObjectPresence::Missing } else { ObjectPresence::Early };
            let answer = match cluster.find_kind(&one.object.api_version, &one.object.kind).await {
                Ok(None) => ground(absent, &one.object, None),
                Ok(Some(kind)) => compare(cluster, &kind, one, conflicts).await,
                Err(error) => Err(error),
            };
            answer.map_err(|error| scrub_about(error.as_str(), [&one.manifest]).into())
        })
        .buffered(CONCURRENT);
    while let Some(answer) = running.next().await {
        answers.push(answer);
        progress(answers.len(), wanted.len());
    }
    answers
}

async fn compare(
    cluster: &ConnectedCluster,
    kind: &ResourceKind,
    DesiredObject { object, manifest, .. }: &DesiredObject,
    conflicts: ConflictPolicy,
) -> PresenceReading<ObjectPresence> {
    let path = path_of(kind, object.namespace.as_deref(), &object.name);
    let live = cluster.api.read_object(&path).await?;
    let Some(live) = live else { return ground(ObjectPresence::Missing, object, None) };
    let made = match conflicts {
        ConflictPolicy::Respect => cluster.api.dry_run_without_force(&path, FIELD_MANAGER, manifest).await,
        ConflictPolicy::Force => cluster.api.dry_run(DryRunWrite::Apply, &path, FIELD_MANAGER, manifest).await,
    };
    let presence = match made.map(|answer| answer.object) {
        Ok(made) if is_alike(&live, &made) => ObjectPresence::There,
        Ok(made) => ObjectPresence::Differs(Box::new(ObjectUpdate { live: live.clone(), made })),
        Err(ReadError::Rejected { code: 409, message, .. }) => ObjectPresence::Held(message),
        Err(error) => return Err(error.to_string().into()),
    };
    ground(presence, object, Some(&live))
}

/// Binds the presence of an object to what was read of it: the object with its UID, or the answer that it does not exist.
fn ground<P>(presence: P, object: &ObjectName, live: Option<&Value>) -> PresenceReading<P> {
    let mut evidence = GroundsEvidence::new();
    match live {
        Some(live) => evidence.add_object(object, text_at(live, "/metadata/uid")),
        None => evidence.add_list(object.to_string()),
    };
    evidence.establish(presence).map_err(|ungrounded| ungrounded.reason().into())
}

/// Returns true if two states of an object are equal, except for its status and for the metadata of writes.
pub(super) fn is_alike(live: &Value, made: &Value) -> bool {
    const ASIDE: [&str; 3] = ["managedFields", "resourceVersion", "generation"];
    let without = |object: &Value| {
        let mut object = object.clone();
        object.as_object_mut().and_then(|fields| fields.remove("status"));
        if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
            ASIDE.iter().for_each(|field| drop(metadata.remove(*field)));
        }
        object
    };
    without(live) == without(made)
}

/// Returns the presence of the objects that engines apply.
pub async fn followed_presence(
    cluster: &ConnectedCluster,
    wanted: &[DesiredObject],
) -> Vec<PresenceReading<ObjectPresence>> {
    object_presence(cluster, wanted.iter().map(|one| &one.object)).await
}

/// Returns the presence of namespaces, in the order of their names.
pub async fn namespace_presence(
    cluster: &ConnectedCluster,
    names: &[ObjectName],
) -> Vec<PresenceReading<ObjectPresence>> {
    object_presence(cluster, names).await
}

async fn object_presence(
    cluster: &ConnectedCluster,
    objects: impl IntoIterator<Item = &ObjectName>,
) -> Vec<PresenceReading<ObjectPresence>> {
    let presence = |found: Option<&Value>| found.map_or(ObjectPresence::Missing, |_| ObjectPresence::There);
    read(cluster, objects, presence).await
}

/// Returns the presence of Secrets, with their keys. Their values are dropped immediately.
pub async fn secret_presence(
    cluster: &ConnectedCluster,
    names: &[NamespacedName],
) -> Vec<PresenceReading<SecretPresence>> {
    let objects: Vec<ObjectName> = names.iter().map(NamespacedName::secret).collect();
    let presence =
        |found: Option<&Value>| found.map_or(SecretPresence::Missing, |secret| SecretPresence::There(keys(secret)));
    read(cluster, &objects, presence).await
}

/// Reads objects, and returns the presence of each. `presence` gets the object as the cluster has it, or `None` if it does
/// not exist or if the cluster does not serve its kind.
async fn read<P>(
    cluster: &ConnectedCluster,
    objects: impl IntoIterator<Item = &ObjectName>,
    presence: impl Fn(Option<&Value>) -> P,
) -> Vec<PresenceReading<P>> {
    let presence = &presence;
    futures::stream::iter(objects)
        .map(|object| async move {
            let live = match cluster.find_kind(&object.api_version, &object.kind).await? {
                Some(kind) => {
                    cluster.api.read_object(&path_of(&kind, object.namespace.as_deref(), &object.name)).await?
                }
                None => None,
            };
            ground(presence(live.as_ref()), object, live.as_ref())
        })
        .buffered(CONCURRENT)
        .collect()
        .await
}

fn keys(secret: &Value) -> Vec<String> {
    let data = secret.get("data").and_then(Value::as_object);
    data.into_iter().flat_map(serde_json::Map::keys).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn managers_and_versions_are_not_a_difference() {
        let live = json!({"metadata": {"name": "a", "resourceVersion": "1", "managedFields": []}, "spec": {"a": 1},
            "status": {"replicas": 1}});
        let same = json!({"metadata": {"name": "a", "resourceVersion": "2", "managedFields": [1]}, "spec": {"a": 1}});
        let other = json!({"metadata": {"name": "a"}, "spec": {"a": 2}});
        assert!(is_alike(&live, &same));
        assert!(!is_alike(&live, &other));
    }
}
