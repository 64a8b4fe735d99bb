//! Objects that failures report as not found. Nothing is left of a deleted object, so that only a failure, an audit log, or an older
//! snapshot shows that it was gone.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::Timestamp;

use super::deletions::is_deletion;
use super::failing::failing_conditions;
use super::needs::{failing_since, named, needs};
use super::obstacles::mentioned_objects;
use super::occurrence::{ChangeSort, Occurrence, OccurrenceCertainty};
use super::words::has_word;
use ucp_core::graph::link::{Link, LinkEnd, Relation};
use ucp_core::model::kind::{ResourceKind, ResourceScope};
use ucp_core::model::object::{ObjectKey, ObjectName};
use ucp_core::model::resource::Resource;
use ucp_core::model::state::ClusterState;

/// The fate of an object that does not exist, of one of which that is unknown, and of one that was created later.
const ABSENT: &str = "does not exist";
const MISSING: &str = "was missing";
pub(super) const CREATED_LATER: &str = "was missing, and was created later";
/// Kinds of Kubernetes that objects need, and that may not have been read.
const CORE: [&str; 5] = ["Secret", "ConfigMap", "ServiceAccount", "PersistentVolumeClaim", "Namespace"];
/// Words after the name of an object that was not found.
const ABSENCES: [&str; 4] = [" not found", " was not found", " does not exist", " doesn't exist"];

/// The objects that failures report as not found.
#[derive(Debug, Default)]
pub struct MissingObjects {
    /// An occurrence for each, at the time of its first report.
    pub occurrences: Vec<Occurrence>,
    /// The links from the objects that report it.
    pub links: Vec<Link>,
}

impl MissingObjects {
    /// Finds them in the conditions of a state and in reports. `absent` are objects that were requested and do not exist.
    /// `occurrences` are sorted by time.
    pub fn find(state: &ClusterState, absent: &BTreeSet<ObjectKey>, occurrences: &[Occurrence]) -> Self {
        let index = StateIndex::new(state, absent);
        let mut found: BTreeMap<ObjectKey, Occurrence> = BTreeMap::new();
        let mut links: BTreeSet<(ObjectName, ObjectKey)> = BTreeSet::new();
        let mut add = |reporter: &ObjectName, message: &str, time: Timestamp| {
            for (key, what) in index.missing_in(reporter, message, time) {
                let gone = Occurrence::at(time, named(key.clone()), ChangeSort::Deleted, what);
                let gone = Occurrence { certainty: OccurrenceCertainty::AtLatest, ..gone };
                links.insert((reporter.clone(), key.clone()));
                let first = found.entry(key).or_insert_with(|| gone.clone());
                first.time = first.time.min(time);
            }
        };
        for resource in &state.resources {
            for condition in failing_conditions(resource).filter(|condition| reports_absence(&condition.message)) {
                let Some(time) = condition.last_transition_time else { continue };
                let name = resource.name();
                add(&name, &condition.message, failing_since(&name, time, occurrences));
            }
        }
        for report in occurrences.iter().filter(|one| one.change.is_bad() && reports_absence(&one.what)) {
            add(&report.object, &report.what, report.time);
        }
        let link = |(from, to)| Link::new(LinkEnd::Object(from), Relation::DependsOn, LinkEnd::Object(named(to)));
        Self { occurrences: found.into_values().collect(), links: links.into_iter().map(link).collect() }
    }

    /// Returns the keys of the objects.
    pub fn keys(&self) -> BTreeSet<ObjectKey> {
        self.occurrences.iter().map(|one| ObjectKey::from(&one.object)).collect()
    }
}

/// Returns true for the report that an object was not found.
pub(super) fn is_missing(occurrence: &Occurrence) -> bool {
    occurrence.change == ChangeSort::Deleted
        && occurrence.certainty == OccurrenceCertainty::AtLatest
        && [ABSENT, MISSING, CREATED_LATER].contains(&occurrence.what.as_str())
}

/// Removes the reports about objects whose deletion is known.
pub fn without_known_deletions(occurrences: &mut Vec<Occurrence>) {
    let mut deleted: HashMap<ObjectKey, Timestamp> = HashMap::new();
    for one in occurrences.iter().filter(|one| is_deletion(one) && !is_missing(one)) {
        for object in one.objects() {
            let first = deleted.entry(ObjectKey::from(object)).or_insert(one.time);
            *first = one.time.min(*first);
        }
    }
    let is_known =
        |one: &Occurrence| deleted.get(&ObjectKey::from(&one.object)).is_some_and(|deleted| *deleted <= one.time);
    occurrences.retain(|one| !is_missing(one) || !is_known(one));
}

/// Returns the objects that the objects of a state name, and that a complete list does not have.
pub fn absent_needs(state: &ClusterState) -> BTreeSet<ObjectKey> {
    let nothing = BTreeSet::new();
    let index = StateIndex::new(state, &nothing);
    let needed = state.resources.iter().flat_map(needs);
    needed.filter(|key| !index.by_key.contains_key(key) && index.is_listed(key)).collect()
}

/// The objects of a state by their keys.
struct StateIndex<'a> {
    state: &'a ClusterState,
    absent: &'a BTreeSet<ObjectKey>,
    by_key: HashMap<ObjectKey, &'a Resource>,
}

impl<'a> StateIndex<'a> {
    fn new(state: &'a ClusterState, absent: &'a BTreeSet<ObjectKey>) -> Self {
        let by_key = state.resources.iter().map(|resource| (resource.key(), resource)).collect();
        Self { state, absent, by_key }
    }

    /// Returns true if all objects of the kind were read.
    fn is_listed(&self, key: &ObjectKey) -> bool {
        let mut kinds = self.state.kinds.iter();
        kinds.any(|kind| kind.group == key.group && kind.kind == key.kind && self.state.was_read(kind))
    }

    /// Returns the objects that a message reports as not found, and what is known of them.
    fn missing_in(&self, reporter: &ObjectName, message: &str, time: Timestamp) -> BTreeMap<ObjectKey, &'static str> {
        let resource = self.by_key.get(&ObjectKey::from(reporter)).copied();
        let needed: Vec<ObjectKey> = resource.into_iter().flat_map(needs).collect();
        let about = resource.into_iter().flat_map(|resource| mentioned_objects(resource, message));
        let is_absent =
            |key: &ObjectKey| self.absent.contains(key) || !self.by_key.contains_key(key) && self.is_listed(key);
        let suspects = needed.iter().cloned().chain(about);
        let proven = suspects.filter(|key| is_absent(key) && has_word(message, &key.name));
        let mut found: BTreeMap<ObjectKey, &'static str> = proven.map(|key| (key, ABSENT)).collect();
        for NamedAbsence { kind, namespace, name } in named_absences(message) {
            let key = self.key_of(reporter, &needed, (kind, namespace, name));
            // It may have been created again since then; one that existed was not found for another reason.
            let existed =
                |resource: &&Resource| resource.metadata.creation_timestamp.is_none_or(|created| created <= time);
            if let Some(key) = key.filter(|key| !self.by_key.get(key).is_some_and(existed)) {
                let what = match () {
                    () if is_absent(&key) => ABSENT,
                    () if self.by_key.contains_key(&key) => CREATED_LATER,
                    () => MISSING,
                };
                found.entry(key).or_insert(what);
            }
        }
        found.remove(&ObjectKey::from(reporter));
        found
    }

    /// Returns the key of an object that a message names: one that the reporter needs, or else one of its namespace.
    fn key_of(
        &self,
        reporter: &ObjectName,
        needed: &[ObjectKey],
        (word, namespace, name): (&str, Option<&str>, &str),
    ) -> Option<ObjectKey> {
        let is_meant = |kind: &ResourceKind| kind.is_called(word);
        let is_needed = |key: &&ObjectKey| {
            key.name == name
                && namespace.is_none_or(|namespace| key.namespace.as_deref() == Some(namespace))
                && is_meant(&ResourceKind::guess(&key.group, &key.kind))
        };
        if let Some(key) = needed.iter().find(is_needed) {
            return Some(key.clone());
        }
        let place = || namespace.map(str::to_owned).or_else(|| reporter.namespace.clone());
        let core = CORE.iter().find(|kind| is_meant(&ResourceKind::guess("", kind)));
        if let Some(kind) = core {
            let namespace = if *kind == "Namespace" { None } else { Some(place()?) };
            return Some(ObjectKey {
                group: String::new(),
                kind: (*kind).to_owned(),
                namespace,
                name: name.to_owned(),
            });
        }
        let mut kinds = self.state.kinds.iter().filter(|kind| is_meant(kind));
        let (Some(kind), None) = (kinds.next(), kinds.next()) else { return None };
        let namespace = if kind.scope == ResourceScope::Namespaced { Some(place()?) } else { None };
        Some(ObjectKey { group: kind.group.clone(), kind: kind.kind.clone(), namespace, name: name.to_owned() })
    }
}

fn reports_absence(message: &str) -> bool {
    let words = ["not found", "does not exist", "doesn't exist", "could not find", "couldn't find"];
    words.iter().any(|words| message.contains(words))
}

/// An object that a message names as not found.
#[derive(Debug, PartialEq, Eq)]
struct NamedAbsence<'m> {
    kind: &'m str,
    namespace: Option<&'m str>,
    name: &'m str,
}

/// Returns the objects that a message names as not found: `secret "db" not found`, `Secret shop/db does not exist`.
fn named_absences(message: &str) -> Vec<NamedAbsence<'_>> {
    let ends = ABSENCES.iter().flat_map(|words| message.match_indices(words));
    ends.filter_map(|(end, _)| named_before(&message[..end])).collect()
}

/// Returns the kind and the name at the end of a text: quoted, or with its namespace.
fn named_before(text: &str) -> Option<NamedAbsence<'_>> {
    let quote = text.chars().next_back().filter(|last| ['"', '\'', '`'].contains(last));
    let (before, path) = match quote {
        Some(quote) => text[..text.len() - 1].rsplit_once(quote)?,
        None => text.rsplit_once(' ')?,
    };
    let kind = before.trim_end().rsplit(|letter: char| !(letter.is_alphanumeric() || letter == '.')).next()?;
    let (namespace, name) = match path.rsplit_once('/') {
        Some((namespace, name)) => (Some(namespace), name),
        None => (None, path),
    };
    let is_name = |text: &str| {
        let is_part = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || "-.".contains(letter);
        !text.is_empty() && text.chars().all(is_part)
    };
    // Without quotes, another word may stand before the words: `path not found`.
    let is_certain = quote.is_some() || namespace.is_some();
    (is_certain && !kind.is_empty() && is_name(name) && namespace.is_none_or(is_name)).then_some(NamedAbsence {
        kind,
        namespace,
        name,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use ucp_client::source::snapshot::resources_from_objects;
    use ucp_core::engine;
    use ucp_core::model::body::{BodyShape, KindRequest};
    use ucp_core::model::state::Origin;
    use ucp_core::model::trace::{DeclarationKeeping, TraceRequest};

    use super::super::needs::{need_links, needs_to_read};
    use super::super::samples::{object, occurrence};
    use super::*;

    fn state(objects: &[Value]) -> ClusterState {
        let traces = TraceRequest { since: Timestamp::UNIX_EPOCH, declaration: DeclarationKeeping::Dropped };
        let want = |kind: &ResourceKind| {
            let want = engine::want(kind).unwrap_or(KindRequest::all(BodyShape::Conditions));
            Some(want.with_traces(traces))
        };
        let resources = resources_from_objects(&objects.iter().collect::<Vec<_>>(), &want);
        let moment = "2026-11-20T04:00:00Z".parse().unwrap();
        ClusterState { resources, ..ClusterState::empty(Origin::Snapshot { path: String::new() }, moment) }
    }

    #[test]
    fn a_missing_object_explains_the_failure_that_names_it() {
        let state = state(&[json!({
            "apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "GitRepository",
            "metadata": {"namespace": "flux-system", "name": "apps"},
            "spec": {"url": "https://example.org/x", "secretRef": {"name": "git-login"}},
            "status": {"conditions": [{"type": "Ready", "status": "False", "reason": "AuthenticationFailed",
                "message": "failed to get secret 'flux-system/git-login': secrets \"git-login\" not found",
                "lastTransitionTime": "2026-11-20T03:12:00Z"}]},
        })]);
        let tree = BTreeSet::from([state.resources[0].key()]);
        let absent = needs_to_read(&state, &tree);
        assert_eq!(absent.iter().map(|key| key.name.as_str()).collect::<Vec<_>>(), ["git-login"]);
        let found = MissingObjects::find(&state, &absent, &[]);
        assert_eq!(found.occurrences.len(), 1);
        let one = &found.occurrences[0];
        assert_eq!((one.object.kind.as_str(), one.what.as_str()), ("Secret", "does not exist"));
        assert_eq!(found.links.len(), 1);
        // The failure says so too.
        let unread = MissingObjects::find(&state, &BTreeSet::new(), &[]).occurrences;
        assert_eq!(unread.iter().map(|one| one.what.as_str()).collect::<Vec<_>>(), ["was missing"]);
        assert_eq!(need_links(&state, &absent).len(), 1);
    }

    #[test]
    fn an_event_names_the_object_that_a_pod_needs() {
        let pod = json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": "shop", "name": "web"},
            "spec": {"containers": [{"name": "web", "envFrom": [{"secretRef": {"name": "key"}}]}]},
        });
        let secret = |created: &str| {
            json!({"apiVersion": "v1", "kind": "Secret",
                "metadata": {"namespace": "shop", "name": "key", "creationTimestamp": created}})
        };
        let warned = occurrence(
            "03:10:00",
            &object("Pod", "web"),
            ChangeSort::Warned,
            "Failed: Error: secret \"key\" not found",
        );
        let found = |objects: &[Value]| {
            let found = MissingObjects::find(&state(objects), &BTreeSet::new(), std::slice::from_ref(&warned));
            found.occurrences.into_iter().map(|one| (one.object.name, one.time)).collect::<Vec<_>>()
        };
        let missing = [("key".to_owned(), warned.time)];
        assert_eq!(found(std::slice::from_ref(&pod)), missing);
        assert_eq!(found(&[pod.clone(), secret("2026-11-20T03:30:00Z")]), missing, "it was created again");
        assert_eq!(found(&[pod, secret("2026-11-01T00:00:00Z")]), [], "it existed");
        assert_eq!(found(&[]), missing, "the Pod is gone");
    }

    #[test]
    fn a_message_names_what_was_not_found() {
        let named = |message: &str| {
            let all = named_absences(message).into_iter().map(|NamedAbsence { kind, namespace, name }| {
                format!("{kind} {}{name}", namespace.map(|it| format!("{it}/")).unwrap_or_default())
            });
            all.collect::<Vec<_>>().join(", ")
        };
        for (message, expected) in [
            ("MountVolume.SetUp failed for volume \"tls\" : secret \"web-tls\" not found", "secret web-tls"),
            ("configmap 'env' does not exist", "configmap env"),
            ("cannot read Secret shop/login: Secret shop/login was not found", "Secret shop/login"),
            ("storageclass.storage.k8s.io \"fast\" not found", "storageclass.storage.k8s.io fast"),
            ("secrets \"a\" not found; serviceaccounts \"b\" not found", "secrets a, serviceaccounts b"),
            ("kustomization path not found: stat /tmp/x: no such file or directory", ""),
            ("key \"Pass Word\" not found", ""),
            (" not found", ""),
            ("\"\" not found", ""),
        ] {
            assert_eq!(named(message), expected, "{message}");
        }
    }

    #[test]
    fn a_known_deletion_takes_the_place_of_a_report() {
        let key = object("Secret", "key");
        let missing = Occurrence {
            certainty: OccurrenceCertainty::AtLatest,
            ..occurrence("03:10:00", &key, ChangeSort::Deleted, MISSING)
        };
        let left = |clock: &str| {
            let deleted = occurrence(clock, &key, ChangeSort::Deleted, "was deleted");
            let mut all = vec![deleted, missing.clone()];
            without_known_deletions(&mut all);
            all.len()
        };
        assert_eq!((left("03:09:40"), left("03:20:00")), (1, 2));
    }
}
