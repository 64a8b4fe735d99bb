//! The audit log of an API server: who sent which request. Bodies of requests are not read.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;

use super::actor::{Actor, ActorKind};
use super::occurrence::{ChangeSort, Occurrence, OccurrenceWeight};
use ucp_core::model::kind::{ResourceKind, ResourceScope};
use ucp_core::model::metadata::lenient_time;
use ucp_core::model::object::{ObjectKey, ObjectName};

/// An entry of `audit.k8s.io`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct AuditEntry {
    kind: String,
    stage: String,
    verb: String,
    #[serde(rename = "requestURI")]
    request_uri: String,
    user: AuditUser,
    impersonated_user: Option<AuditUser>,
    object_ref: AuditObject,
    response_status: AuditStatus,
    #[serde(deserialize_with = "lenient_time")]
    request_received_timestamp: Option<Timestamp>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct AuditList {
    items: Vec<AuditEntry>,
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

/// Users of the API server's own prefix that are no programs.
const PEOPLE: [&str; 2] = ["system:admin", "system:anonymous"];

/// The highest number of deletions that are named although their kind was not read.
const MOST_NAMED: usize = 20;

/// A deletion by a user of an object whose kind was not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadDeletion {
    /// The time of the request.
    pub time: Timestamp,
    /// The object: `secrets/login -n shop`.
    pub object: String,
    /// The user.
    pub by: String,
}

/// The changes in an audit log.
#[derive(Debug, Default)]
pub struct AuditedChanges {
    /// Changes of objects.
    pub changes: Vec<Occurrence>,
    /// The numbers of changes without an object to show: of a kind that was not read, of several objects, or without a
    /// name. The keys are verbs and resources: `delete secrets`.
    pub unnamed: BTreeMap<String, usize>,
    /// Deletions by users of objects whose kind was not read, the first ones.
    pub unread_deletions: Vec<UnreadDeletion>,
    /// The number of lines that are no entries.
    pub unreadable: usize,
}

impl AuditedChanges {
    /// Adds the changes since a time that a line reports: an entry, or a list of entries.
    pub fn add_line(&mut self, line: &str, kinds: &[Arc<ResourceKind>], since: Timestamp) {
        let Ok(entry) = serde_json::from_str::<AuditEntry>(line) else {
            self.unreadable += usize::from(!line.trim().is_empty());
            return;
        };
        let list = (entry.kind == "EventList").then(|| serde_json::from_str::<AuditList>(line).ok()).flatten();
        let entries = list.map_or_else(|| vec![entry], |list| list.items);
        entries.into_iter().for_each(|entry| self.add_entry(entry, kinds, since));
    }

    fn add_entry(&mut self, entry: AuditEntry, kinds: &[Arc<ResourceKind>], since: Timestamp) {
        let AuditObject { resource, namespace, name, api_group, subresource } = entry.object_ref;
        let is_change_of_object = subresource.is_empty() || subresource == "scale";
        let is_done = entry.stage == "ResponseComplete" && entry.response_status.code < 400;
        let Some(time) = entry.request_received_timestamp.filter(|time| *time >= since) else { return };
        if !is_done || !is_change_of_object || is_dry_run(&entry.request_uri) {
            return;
        }
        let (change, what) = match entry.verb.as_str() {
            "create" => (ChangeSort::Created, "was created"),
            "update" | "patch" | "apply" => (ChangeSort::Written, "was written"),
            "delete" | "deletecollection" => (ChangeSort::Deleted, "was deleted"),
            _ => return,
        };
        // The request for a namespace is one in that namespace.
        let is_namespace = resource == "namespaces" && api_group.is_empty();
        // Its deletion explains that of its objects, also if no namespace was read.
        let namespaces =
            is_namespace.then(|| ResourceKind { version: "v1".into(), ..ResourceKind::guess("", "Namespace") });
        let kind = kinds.iter().find(|kind| kind.plural == resource && kind.group == api_group);
        let kind = kind.map(|kind| &**kind).or(namespaces.as_ref());
        let is_in_namespace = !is_namespace && kind.is_none_or(|kind| kind.scope == ResourceScope::Namespaced);
        let namespace = Some(namespace.as_str()).filter(|namespace| is_in_namespace && !namespace.is_empty());
        let by = actor(&entry.user.username, entry.impersonated_user.as_ref());
        let (Some(kind), Some(by), false) = (kind, by, name.is_empty()) else {
            let group = if api_group.is_empty() { String::new() } else { format!(".{api_group}") };
            let user = actor(&entry.user.username, entry.impersonated_user.as_ref());
            let user = user.filter(|by| by.kind == ActorKind::User && entry.verb == "delete" && !name.is_empty());
            if let Some(by) = user.filter(|_| self.unread_deletions.len() < MOST_NAMED) {
                let namespace = namespace.map(|namespace| format!(" -n {namespace}")).unwrap_or_default();
                let object = format!("{resource}{group}/{name}{namespace}");
                self.unread_deletions.push(UnreadDeletion { time, object, by: by.name });
                return;
            }
            *self.unnamed.entry(format!("{} {resource}{group}", entry.verb)).or_default() += 1;
            return;
        };
        let object = ObjectName::in_kind(kind, namespace, &name);
        let is_by_program = by.kind != ActorKind::User && change == ChangeSort::Written;
        let weight = if is_by_program { OccurrenceWeight::Routine } else { OccurrenceWeight::Notable };
        let changed = Occurrence::at(time, object, change, what).by(Some(by));
        self.changes.push(Occurrence { weight, ..changed });
    }
}

/// Returns true for a request that changes nothing.
fn is_dry_run(uri: &str) -> bool {
    let Some((_, query)) = uri.split_once('?') else { return false };
    query.split('&').any(|parameter| parameter.strip_prefix("dryRun=").is_some_and(|value| !value.is_empty()))
}

fn actor(user: &str, impersonated: Option<&AuditUser>) -> Option<Actor> {
    let name = match impersonated {
        Some(other) => format!("{user} as {}", other.username),
        None => user.to_owned(),
    };
    if user.is_empty() {
        return None;
    }
    let is_program = user.starts_with("system:") && !PEOPLE.contains(&user);
    let kind = if is_program { ActorKind::Controller } else { ActorKind::User };
    // The name of a user may have any character.
    let name = name.strip_prefix(SERVICE_ACCOUNT).map(|account| account.replace(':', "/")).unwrap_or(name);
    Some(Actor { kind, name })
}

/// Adds the changes of an audit log. A change that is known already gets its user.
pub fn add_audited(occurrences: &mut Vec<Occurrence>, audited: Vec<Occurrence>) {
    let mut new = Vec::new();
    for change in audited {
        let key = ObjectKey::from(&change.object);
        let known = occurrences.iter_mut().find(|known| {
            // A request for a deletion ends when the finalizers are gone.
            let is_request = change.change == ChangeSort::Deleted && known.change == ChangeSort::DeletionRequested;
            (known.change == change.change || is_request)
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

    fn audited(line: &str, kinds: &[Arc<ResourceKind>]) -> AuditedChanges {
        let mut audited = AuditedChanges::default();
        audited.add_line(line, kinds, Timestamp::MIN);
        audited
    }

    #[test]
    fn only_changes_that_were_made_count() {
        let kinds = [Arc::new(ResourceKind::guess("example.org", "Thing"))];
        let read = |entry: Value| audited(&entry.to_string(), &kinds).changes.pop();
        let patched = read(entry("patch", "jane", 200)).unwrap();
        assert_eq!((patched.change, patched.by.unwrap().name.as_str()), (ChangeSort::Written, "jane"));
        let account = read(entry("delete", "system:serviceaccount:argocd:controller", 200)).unwrap();
        assert_eq!(account.by.unwrap(), Actor { kind: ActorKind::Controller, name: "argocd/controller".to_owned() });
        for (verb, code) in [("get", 200), ("patch", 403), ("watch", 200)] {
            assert_eq!(read(entry(verb, "jane", code)), None);
        }
        let unreadable = |line: &str| audited(line, &kinds).unreadable;
        assert_eq!((unreadable("no json"), unreadable(" \n"), unreadable("{}")), (1, 0, 0));
        for user in ["assumed-role/Admin/jane", "system:admin"] {
            assert_eq!(read(entry("patch", user, 200)).unwrap().by.unwrap(), Actor::user(user));
        }
    }

    #[test]
    fn changes_without_an_object_to_show_are_counted() {
        let kinds = [Arc::new(ResourceKind::guess("example.org", "Thing"))];
        let unnamed = |line: &str, kinds: &[_]| Vec::from_iter(audited(line, kinds).unnamed);
        let unread = entry("delete", "jane", 200);
        let read = audited(&unread.to_string(), &[]);
        let deletion = &read.unread_deletions[0];
        assert_eq!((deletion.object.as_str(), deletion.by.as_str()), ("things.example.org/a -n x", "jane"));
        assert!(read.unnamed.is_empty());
        let by_program = entry("delete", "system:serviceaccount:argocd:controller", 200).to_string();
        assert_eq!(unnamed(&by_program, &[]), [("delete things.example.org".to_owned(), 1)]);
        let mut of_all = entry("deletecollection", "jane", 200);
        of_all["objectRef"].as_object_mut().unwrap().remove("name");
        let list = json!({"kind": "EventList", "items": [of_all, of_all, entry("patch", "jane", 200)]}).to_string();
        assert_eq!(unnamed(&list, &kinds), [("deletecollection things.example.org".to_owned(), 2)]);
        assert_eq!(audited(&list, &kinds).changes.len(), 1);
    }

    #[test]
    fn a_dry_run_is_not_recorded_as_a_change() {
        let kinds = [Arc::new(ResourceKind::guess("example.org", "Thing"))];
        let with = |uri: &str| {
            let mut entry = entry("patch", "jane", 200);
            entry["requestURI"] = json!(uri);
            audited(&entry.to_string(), &kinds).changes.len()
        };
        assert_eq!(with("/apis/example.org/v1/namespaces/x/things/a?dryRun=All&fieldManager=kubectl-edit"), 0);
        assert_eq!(with("/apis/example.org/v1/namespaces/x/things/a?fieldManager=kubectl-edit&dryRun=All"), 0);
        assert_eq!(with("/apis/example.org/v1/namespaces/x/things/a?fieldManager=dryRun"), 1);
    }

    #[test]
    fn a_deleted_namespace_is_recorded_as_a_cluster_scoped_object() {
        let mut entry = entry("delete", "jane", 200);
        entry["objectRef"] = json!({"resource": "namespaces", "namespace": "shop", "name": "shop"});
        let deleted = audited(&entry.to_string(), &[]).changes.remove(0);
        assert_eq!((deleted.object.name.as_str(), &deleted.object.namespace), ("shop", &None));
        // The object is still there: a finalizer holds it.
        let requested = Occurrence { change: ChangeSort::DeletionRequested, by: None, ..deleted.clone() };
        let mut all = vec![requested];
        add_audited(&mut all, vec![deleted]);
        assert_eq!((all.len(), all[0].author()), (1, Some("jane")));
    }

    #[test]
    fn a_known_change_gets_the_user_from_the_audit_log() {
        let kinds = [Arc::new(ResourceKind::guess("example.org", "Thing"))];
        let audited = audited(&entry("patch", "jane", 200).to_string(), &kinds).changes.remove(0);
        let known = Occurrence { what: "was changed: spec.a".into(), by: None, ..audited.clone() };
        let mut all = vec![known];
        add_audited(&mut all, vec![audited]);
        assert_eq!((all.len(), all[0].what.as_str()), (1, "was changed: spec.a"));
        assert_eq!(all[0].by.as_ref().unwrap().name, "jane");
    }
}
