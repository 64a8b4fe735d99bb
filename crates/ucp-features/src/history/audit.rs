//! The audit log of an API server: who sent which request. Bodies of requests are not read.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;

use super::{Actor, ActorKind, ChangeSort, Occurrence, OccurrenceWeight};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::metadata::lenient_time;
use ucp_core::model::object::{ObjectKey, ObjectName};

/// An entry of `audit.k8s.io`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct AuditEntry {
    stage: String,
    verb: String,
    user: AuditUser,
    impersonated_user: Option<AuditUser>,
    object_ref: AuditObject,
    response_status: AuditStatus,
    #[serde(deserialize_with = "lenient_time")]
    request_received_timestamp: Option<Timestamp>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct AuditUser {
    username: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct AuditObject {
    resource: String,
    namespace: String,
    name: String,
    api_group: String,
    subresource: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct AuditStatus {
    code: u16,
}

/// An occurrence in the log is the same as one in the cluster if it is this close.
const SAME: SignedDuration = SignedDuration::from_secs(2);
/// The user name of a service account begins with this.
const SERVICE_ACCOUNT: &str = "system:serviceaccount:";

/// Returns the change that one line of an audit log reports, if it is a change of an object of a known kind.
pub fn audited_change(line: &str, kinds: &[Arc<ResourceKind>]) -> Option<Occurrence> {
    let entry: AuditEntry = serde_json::from_str(line).ok()?;
    let AuditObject { resource, namespace, name, api_group, subresource } = entry.object_ref;
    let is_change_of_object = subresource.is_empty() || subresource == "scale";
    let is_done = entry.stage == "ResponseComplete" && entry.response_status.code < 400;
    if !is_done || !is_change_of_object || name.is_empty() {
        return None;
    }
    let (change, what) = match entry.verb.as_str() {
        "create" => (ChangeSort::Created, "was created"),
        "update" | "patch" | "apply" => (ChangeSort::Written, "was written"),
        "delete" => (ChangeSort::Deleted, "was deleted"),
        _ => return None,
    };
    let kind = kinds.iter().find(|kind| kind.plural == resource && kind.group == api_group)?;
    let object = ObjectName::in_kind(kind, Some(namespace.as_str()).filter(|namespace| !namespace.is_empty()), &name);
    let by = actor(&entry.user.username, entry.impersonated_user.as_ref())?;
    let is_by_program = by.kind != ActorKind::User && change == ChangeSort::Written;
    let weight = if is_by_program { OccurrenceWeight::Routine } else { OccurrenceWeight::Notable };
    let changed = Occurrence::at(entry.request_received_timestamp?, object, change, what).by(Some(by));
    Some(Occurrence { weight, ..changed })
}

fn actor(user: &str, impersonated: Option<&AuditUser>) -> Option<Actor> {
    let name = match impersonated {
        Some(other) => format!("{user} as {}", other.username),
        None => user.to_owned(),
    };
    if user.is_empty() {
        return None;
    }
    let kind = if user.starts_with("system:") { ActorKind::Controller } else { ActorKind::User };
    let name = name.strip_prefix(SERVICE_ACCOUNT).map_or(name.as_str(), |account| account).replace(':', "/");
    Some(Actor { kind, name: if kind == ActorKind::User { name.replace('/', ":") } else { name } })
}

/// Adds the changes of an audit log. A change that is known already gets its user.
pub fn add_audited(occurrences: &mut Vec<Occurrence>, audited: Vec<Occurrence>) {
    let mut new = Vec::new();
    for change in audited {
        let key = ObjectKey::from(&change.object);
        let known = occurrences.iter_mut().find(|known| {
            known.change == change.change
                && known.time.duration_since(change.time).abs() <= SAME
                && ObjectKey::from(&known.object) == key
        });
        match known {
            Some(known) => known.by = change.by,
            None => new.push(change),
        }
    }
    occurrences.extend(new);
    occurrences.sort_by(|left, right| (left.time, &left.object).cmp(&(right.time, &right.object)));
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn entry(verb: &str, user: &str, code: u16) -> Value {
        json!({
            "kind": "Event", "stage": "ResponseComplete", "verb": verb, "user": {"username": user},
            "objectRef": {"resource": "things", "apiGroup": "example.org", "name": "a", "namespace": "x"},
            "responseStatus": {"code": code}, "requestReceivedTimestamp": "2026-11-20T03:00:00.123456Z",
            "requestObject": {"password": "canary"},
        })
    }

    #[test]
    fn only_changes_that_were_made_count() {
        let kinds = [Arc::new(ResourceKind::guess("example.org", "Thing"))];
        let read = |entry: Value| audited_change(&entry.to_string(), &kinds);
        let patched = read(entry("patch", "jane", 200)).unwrap();
        assert_eq!((patched.change, patched.by.unwrap().name.as_str()), (ChangeSort::Written, "jane"));
        let account = read(entry("delete", "system:serviceaccount:argocd:controller", 200)).unwrap();
        assert_eq!(account.by.unwrap(), Actor { kind: ActorKind::Controller, name: "argocd/controller".to_owned() });
        for (verb, code) in [("get", 200), ("patch", 403), ("watch", 200)] {
            assert_eq!(read(entry(verb, "jane", code)), None);
        }
        assert_eq!(audited_change("no json", &kinds), None);
        assert_eq!(audited_change(&entry("patch", "jane", 200).to_string(), &[]), None);
    }

    #[test]
    fn a_known_change_gets_the_user_of_the_log() {
        let kinds = [Arc::new(ResourceKind::guess("example.org", "Thing"))];
        let audited = audited_change(&entry("patch", "jane", 200).to_string(), &kinds).unwrap();
        let known = Occurrence { what: "was changed: spec.a".into(), by: None, ..audited.clone() };
        let mut all = vec![known];
        add_audited(&mut all, vec![audited]);
        assert_eq!((all.len(), all[0].what.as_str()), (1, "was changed: spec.a"));
        assert_eq!(all[0].by.as_ref().unwrap().name, "jane");
    }
}
