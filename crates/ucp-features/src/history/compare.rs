//! Differences between snapshots of one cluster: each happened between their times.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value;

use super::gaps::HistoryGap;
use super::hidden_values::{SecretMarks, has_changed_secret, unmarked};
use super::occurrence::{ChangeSort, Occurrence, OccurrenceCertainty};
use ucp_core::engine::Assessment;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::{ObjectKey, ObjectName};
use ucp_core::model::path::{FieldPath, FieldPathStep};
use ucp_core::model::state::ClusterState;
use ucp_core::model::text::join_limited;
use ucp_core::model::trace::{ObjectTrace, declared_value, short_value};
use ucp_core::model::uid::Uid;
use ucp_core::model::verdict::Verdict;

/// The content of a snapshot that is compared with that of another one.
#[derive(Debug)]
pub struct SnapshotPoint {
    /// The time of the snapshot.
    pub moment: Timestamp,
    objects: HashMap<ObjectKey, PointObject>,
    /// Kinds, as `plural.group`, that were read completely.
    read: BTreeMap<(String, String), bool>,
}

#[derive(Debug)]
struct PointObject {
    name: ObjectName,
    uid: Uid,
    created: Option<Timestamp>,
    verdict: Option<Verdict>,
    message: Option<String>,
    trace: Option<Arc<ObjectTrace>>,
}

/// Kinds that change all the time.
pub(super) const RESTLESS: [&str; 4] = ["Event", "Lease", "Pod", "EndpointSlice"];
/// So many objects of one cluster are rarely all deleted and created again between two snapshots.
const FEWEST_OBJECTS: usize = 3;
/// The highest number of changed fields that are listed for one object.
const MOST_FIELDS: usize = 8;

impl SnapshotPoint {
    /// Keeps the objects of a state.
    pub fn from_state(state: &ClusterState, assessment: &Assessment<'_>) -> Self {
        let mut objects = HashMap::with_capacity(state.resources.len());
        for resource in state.resources.iter().filter(|resource| !RESTLESS.contains(&resource.kind.kind.as_str())) {
            let object = PointObject {
                name: resource.name(),
                uid: resource.metadata.uid.clone(),
                created: resource.metadata.creation_timestamp,
                verdict: None,
                message: None,
                trace: resource.trace.clone(),
            };
            objects.insert(resource.key(), object);
        }
        for entry in &assessment.judged {
            if let Some(object) = objects.get_mut(&entry.resource.key()) {
                object.verdict = Some(entry.judgement.verdict);
                object.message = entry.judgement.message.as_deref().map(str::to_owned);
            }
        }
        let kinds = state.kinds.iter();
        let read = kinds.map(|kind| ((kind.group.clone(), kind.kind.clone()), state.was_read(kind))).collect();
        Self { moment: state.moment, objects, read }
    }

    /// Returns true if two snapshots are of different clusters: both have several objects, and none with the same name and UID.
    pub fn is_of_another_cluster(&self, other: &Self) -> bool {
        let both = self.objects.iter().filter_map(|(key, mine)| Some((mine, other.objects.get(key)?)));
        let uids: Vec<_> = both.map(|(mine, theirs)| (&mine.uid, &theirs.uid)).collect();
        if uids.is_empty() {
            // Parts of one cluster may have different kinds.
            let comparable = |one: &Self, other: &Self| {
                one.objects.values().filter(|object| other.has_read(&object.name)).take(FEWEST_OBJECTS).count()
            };
            return comparable(self, other).min(comparable(other, self)) >= FEWEST_OBJECTS;
        }
        let known = uids.iter().filter(|(mine, theirs)| !mine.is_empty() && !theirs.is_empty()).count();
        known >= FEWEST_OBJECTS && uids.iter().all(|(mine, theirs)| mine != theirs)
    }

    fn has_read(&self, object: &ObjectName) -> bool {
        self.read.get(&(object.group().to_owned(), object.kind.clone())).copied().unwrap_or_default()
    }
}

/// Returns the gap for the kinds of which a snapshot has objects, and the next one does not show whether it has any.
pub fn unread_since(before: &SnapshotPoint, after: &SnapshotPoint) -> Option<HistoryGap> {
    let kind = |object: &PointObject| (object.name.group().to_owned(), object.name.kind.clone());
    // Kinds that could not be read are in another gap.
    let unknown: BTreeSet<_> =
        before.objects.values().map(kind).filter(|kind| !after.read.contains_key(kind)).collect();
    let names: Vec<String> =
        unknown.iter().map(|(group, kind)| ResourceKind::guess(group, kind).qualified_plural()).collect();
    let reason = format!(
        "the later snapshot does not have {}: their changes and deletions are not known",
        join_limited(&names, 3)
    );
    (!names.is_empty()).then_some(HistoryGap { from: before.moment, to: after.moment, reason })
}

/// Returns the differences between two snapshots of one cluster.
pub fn differences(before: &SnapshotPoint, after: &SnapshotPoint) -> Vec<Occurrence> {
    let mut found = Vec::new();
    let between = |object: &ObjectName, change, what: String| Occurrence {
        until: Some(after.moment),
        certainty: OccurrenceCertainty::Between,
        ..Occurrence::at(before.moment, object.clone(), change, what)
    };
    for (key, old) in &before.objects {
        let Some(new) = after.objects.get(key) else {
            // An object of a kind that was not read is not gone.
            if after.has_read(&old.name) {
                found.push(between(&old.name, ChangeSort::Deleted, "was deleted".to_owned()));
            }
            continue;
        };
        if !old.uid.is_empty() && !new.uid.is_empty() && old.uid != new.uid {
            found.push(between(&new.name, ChangeSort::Deleted, "was deleted and created again".to_owned()));
        }
        found.extend(changed_fields(old, new).into_iter().map(|(path, from, to)| {
            let fields = vec![path.to_string()];
            let changed = between(&new.name, ChangeSort::Written, format!("was changed: {path}"));
            Occurrence { fields, ..changed.with_values(from, to) }
        }));
        found.extend(verdict_change(old, new).map(|(change, what)| between(&new.name, change, what)));
    }
    let is_new = |key: &ObjectKey| !before.objects.contains_key(key);
    for (_, new) in after.objects.iter().filter(|(key, _)| is_new(key)) {
        // Otherwise its creation has an exact time.
        if new.created.is_none() && before.has_read(&new.name) {
            found.push(between(&new.name, ChangeSort::Created, "was created".to_owned()));
        }
        if let Some(verdict) = new.verdict.filter(|verdict| *verdict <= Verdict::Stuck) {
            let turned = between(&new.name, ChangeSort::TurnedBad, describe(verdict, new.message.as_deref()));
            let created = new.created.filter(|created| *created <= after.moment);
            found.push(Occurrence { time: created.map_or(turned.time, |created| turned.time.max(created)), ..turned });
        }
    }
    found
}

fn verdict_change(old: &PointObject, new: &PointObject) -> Option<(ChangeSort, String)> {
    let (before, after) = (old.verdict?, new.verdict?);
    let change = match after {
        _ if before == after => return None,
        Verdict::Ok => ChangeSort::TurnedGood,
        after if after <= Verdict::Stuck => ChangeSort::TurnedBad,
        _ => ChangeSort::Noted,
    };
    Some((change, format!("{}, was {before}", describe(after, new.message.as_deref()))))
}

fn describe(verdict: Verdict, message: Option<&str>) -> String {
    let message = message.filter(|_| verdict != Verdict::Ok).map(|message| format!(": {message}"));
    format!("turned {verdict}{}", message.unwrap_or_default())
}

/// A changed field, with its values before and after.
pub(super) type ChangedField = (FieldPath, Option<String>, Option<String>);

fn changed_fields(old: &PointObject, new: &PointObject) -> Vec<ChangedField> {
    let (Some(before), Some(after)) = (&old.trace, &new.trace) else { return Vec::new() };
    let mut found = declared_changes(before, after, |_| {});
    if found.len() > MOST_FIELDS {
        let more = found.len() - MOST_FIELDS;
        found.truncate(MOST_FIELDS);
        found.push((FieldPath::from_fields(&[&format!("{more} more fields")]), None, None));
    }
    found
}

/// Compares the declarations of two traces, after a function has removed what does not count.
pub(super) fn declared_changes(
    before: &Arc<ObjectTrace>,
    after: &Arc<ObjectTrace>,
    strip: impl Fn(&mut Value),
) -> Vec<ChangedField> {
    let (Some(old), Some(new)) = (&before.declaration, &after.declaration) else { return Vec::new() };
    let mut found = Vec::new();
    if Arc::ptr_eq(before, after) || old == new {
        return found;
    }
    let mut marks = SecretMarks::default();
    let mut declared = |declaration| {
        let mut value = declared_value(declaration, |value| marks.hide(value));
        strip(&mut value);
        value
    };
    compare(&FieldPath::default(), &declared(old), &declared(new), &mut found);
    found
}

/// Compares two values whose secrets [`SecretMarks`] has hidden. A changed secret is shown as such, without its values.
pub(super) fn compare(path: &FieldPath, before: &Value, after: &Value, found: &mut Vec<ChangedField>) {
    let shown = |value| short_value(value).map(|text| unmarked(&text));
    match (before, after) {
        (before, after) if before == after => {}
        (Value::Object(old), Value::Object(new)) => {
            let names: std::collections::BTreeSet<&String> = old.keys().chain(new.keys()).collect();
            for name in names {
                let step = path.with_step(FieldPathStep::Field(name.clone()));
                let value = |fields: &serde_json::Map<String, Value>| fields.get(name).cloned().unwrap_or_default();
                compare(&step, &value(old), &value(new), found);
            }
        }
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
            for (index, (old, new)) in old.iter().zip(new).enumerate() {
                compare(&path.with_step(FieldPathStep::Element(index)), old, new, found);
            }
        }
        (Value::String(old), Value::String(new)) if unmarked(old) == unmarked(new) => {
            if has_changed_secret(old, new) {
                let changed = shown(after).map(|text| format!("{text} (changed)"));
                found.push((path.clone(), shown(before), changed));
            }
        }
        (old, new) => found.push((path.clone(), shown(old), shown(new))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use ucp_core::model::trace::{DeclarationKeeping, TraceRequest};

    use super::*;

    fn object(declaration: Value, verdict: Verdict) -> PointObject {
        let request = TraceRequest { since: Timestamp::MIN, declaration: DeclarationKeeping::Kept };
        let name = ObjectName { api_version: "v1".into(), kind: "Thing".into(), namespace: None, name: "a".into() };
        PointObject {
            name,
            uid: Uid::default(),
            created: None,
            verdict: Some(verdict),
            message: None,
            trace: ObjectTrace::from_object(&declaration, request).map(Arc::new),
        }
    }

    fn point(second: i64, objects: Vec<PointObject>, is_read: bool) -> SnapshotPoint {
        SnapshotPoint {
            moment: Timestamp::from_second(second).unwrap(),
            objects: objects.into_iter().map(|object| (ObjectKey::from(&object.name), object)).collect(),
            read: BTreeMap::from([((String::new(), "Thing".to_owned()), is_read)]),
        }
    }

    #[test]
    fn a_difference_is_between_two_snapshots() {
        let (before, after) =
            (json!({"spec": {"size": 1, "password": "a"}}), json!({"spec": {"size": 2, "password": "b"}}));
        let before = point(100, vec![object(before, Verdict::Ok)], true);
        let after = point(200, vec![object(after, Verdict::Failed)], true);
        let found = differences(&before, &after);
        assert_eq!(found.len(), 3, "{found:?}");
        assert_eq!(found[0].what, "was changed: spec.password");
        let values = |index: usize| (found[index].before.as_deref(), found[index].after.as_deref());
        assert_eq!(values(0), (Some("<hidden>"), Some("<hidden> (changed)")));
        assert_eq!(found[1].what, "was changed: spec.size");
        assert_eq!(values(1), (Some("1"), Some("2")));
        assert_eq!(found[2].what, "turned Failed, was OK");
        assert!(found.iter().all(|one| one.certainty == OccurrenceCertainty::Between && one.end().as_second() == 200));
    }

    #[test]
    fn snapshots_of_two_clusters_have_no_object_in_common() {
        let of_cluster = |uid: &str, count: usize| {
            let objects = (0..count).map(|index| {
                let mut object = object(json!({}), Verdict::Ok);
                object.name.name = format!("o{index}");
                object.uid = format!("{uid}{index}").as_str().into();
                object
            });
            point(100, objects.collect(), true)
        };
        assert!(of_cluster("a", 3).is_of_another_cluster(&of_cluster("b", 4)));
        assert!(!of_cluster("a", 3).is_of_another_cluster(&of_cluster("a", 4)));
        assert!(!of_cluster("a", 2).is_of_another_cluster(&of_cluster("b", 2)), "two objects may have been recreated");
        assert!(!of_cluster("", 0).is_of_another_cluster(&of_cluster("b", 4)));
        let renamed = |point: SnapshotPoint| SnapshotPoint {
            objects: point
                .objects
                .into_iter()
                .map(|(key, one)| (ObjectKey { name: format!("x{}", key.name), ..key }, one))
                .collect(),
            ..point
        };
        assert!(of_cluster("", 3).is_of_another_cluster(&renamed(of_cluster("", 3))));
        let unread = SnapshotPoint { read: BTreeMap::new(), ..renamed(of_cluster("", 3)) };
        assert!(!of_cluster("", 3).is_of_another_cluster(&unread), "the files may be two parts of one cluster");
    }

    #[test]
    fn an_object_of_a_kind_that_was_not_read_is_not_deleted() {
        let before = point(100, vec![object(json!({}), Verdict::Ok)], true);
        assert!(differences(&before, &point(200, Vec::new(), false)).is_empty());
        assert_eq!(unread_since(&before, &point(200, Vec::new(), true)), None);
        let without = SnapshotPoint { read: BTreeMap::new(), ..point(200, Vec::new(), true) };
        let gap = unread_since(&before, &without).unwrap();
        assert_eq!((gap.from, gap.to), (before.moment, without.moment));
        assert!(gap.reason.contains("things"), "{}", gap.reason);
        let gone = differences(&before, &point(200, Vec::new(), true));
        assert_eq!(gone[0].change, ChangeSort::Deleted);
    }
}
