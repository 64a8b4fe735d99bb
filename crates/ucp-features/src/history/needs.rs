//! The Secrets, ConfigMaps, service accounts, Compositions and AppProjects that the objects of a tree name: their changes may
//! affect these objects.

use std::collections::{BTreeMap, BTreeSet};

use super::failing::failing_conditions;
use super::obstacles::mentioned_objects;
use super::occurrence::{ChangeSort, Occurrence, OccurrenceCertainty};
use jiff::{SignedDuration, Timestamp};
use ucp_core::engine;
use ucp_core::graph::link::{Link, LinkEnd, Relation};
use ucp_core::model::body::Body;
use ucp_core::model::object::{ObjectKey, ObjectName};
use ucp_core::model::resource::Resource;
use ucp_core::model::state::ClusterState;

/// The highest number of objects that are read by name.
const MOST: usize = 100;

/// A warning that began so long before a failure may be another problem.
const SOON: SignedDuration = SignedDuration::from_mins(30);

/// Returns the objects to read, because these objects name them.
pub fn needs_to_read(state: &ClusterState, tree: &BTreeSet<ObjectKey>) -> BTreeSet<ObjectKey> {
    let known: BTreeSet<ObjectKey> = state.resources.iter().map(Resource::key).collect();
    let users = state.resources.iter().filter(|resource| tree.contains(&resource.key()));
    users.flat_map(needs).filter(|key| !known.contains(key)).take(MOST).collect()
}

/// Returns the links from objects to those that they name, and that were read or do not exist.
pub fn need_links(state: &ClusterState, absent: &BTreeSet<ObjectKey>) -> Vec<Link> {
    let links = |resource| {
        let from = LinkEnd::from_resource(resource);
        needs(resource).map(move |key| {
            let to = if absent.contains(&key) { LinkEnd::Object(named(key)) } else { LinkEnd::IfRead(named(key)) };
            Link::new(from.clone(), Relation::DependsOn, to)
        })
    };
    state.resources.iter().flat_map(links).collect()
}

/// Returns an occurrence for each object that does not exist and that a failure reports as not found. Nothing is left of a
/// deleted object, so that only the failure shows that it was gone by then. `occurrences` are sorted by time.
pub fn missing_objects(
    state: &ClusterState,
    absent: &BTreeSet<ObjectKey>,
    occurrences: &[Occurrence],
) -> Vec<Occurrence> {
    let mut missing: BTreeMap<ObjectKey, Occurrence> = BTreeMap::new();
    for resource in &state.resources {
        for condition in failing_conditions(resource).filter(|condition| reports_absence(&condition.message)) {
            let Some(time) = condition.last_transition_time else { continue };
            let time = failing_since(&resource.name(), time, occurrences);
            let suspects = needs(resource).chain(mentioned_objects(resource, &condition.message));
            for key in suspects.filter(|key| absent.contains(key) && condition.message.contains(&key.name)) {
                let gone = Occurrence::at(time, named(key.clone()), ChangeSort::Deleted, "does not exist");
                let gone = Occurrence { certainty: OccurrenceCertainty::AtLatest, ..gone };
                let first = missing.entry(key).or_insert_with(|| gone.clone());
                first.time = first.time.min(time);
            }
        }
    }
    missing.into_values().collect()
}

/// Returns the beginning of the failure that an object reports at a time: each attempt renews its condition.
pub(super) fn failing_since(object: &ObjectName, time: Timestamp, occurrences: &[Occurrence]) -> Timestamp {
    let own = occurrences.iter().rev().filter(|one| one.object == *object && one.time <= time);
    let is_good = |one: &Occurrence| match one.change {
        ChangeSort::TurnedGood => true,
        ChangeSort::Deployed => !one.what.ends_with("Failed"),
        _ => false,
    };
    let failing =
        own.take_while(|one| !is_good(one)).filter(|one| one.change.is_bad() || one.change == ChangeSort::Deployed);
    let failing: Vec<&Occurrence> = failing.collect();
    let reports = || failing.iter().filter(|one| one.time == time && one.change == ChangeSort::TurnedBad);
    // A warning that is repeated for a long time is about this failure if it has the same reason.
    let is_about_it = |one: &Occurrence| {
        let reason = one.what.split(':').next().unwrap_or_default();
        let is_near = time.duration_since(one.time) <= SOON;
        one.change != ChangeSort::Warned || is_near || reports().any(|report| report.what.contains(reason))
    };
    failing.iter().filter(|one| is_about_it(one)).map(|one| one.time).min().unwrap_or(time)
}

fn reports_absence(message: &str) -> bool {
    ["not found", "does not exist", "could not find", "couldn't find"].iter().any(|words| message.contains(words))
}

/// Returns the name of an object with the first version of its group.
fn named(ObjectKey { group, kind, namespace, name }: ObjectKey) -> ObjectName {
    let api_version = if group.is_empty() { "v1".to_owned() } else { group + "/v1" };
    ObjectName { api_version, kind, namespace, name }
}

fn needs(resource: &Resource) -> impl Iterator<Item = ObjectKey> {
    let record = resource.trace.as_ref().map(|trace| &trace.record);
    let project = match &resource.body {
        Body::Application(application) => Some(&application.spec.project).filter(|project| !project.is_empty()),
        _ => None,
    };
    let project = project.map(|project| ObjectKey {
        group: engine::argocd::GROUP.to_owned(),
        kind: "AppProject".to_owned(),
        namespace: resource.metadata.namespace.clone(),
        name: project.clone(),
    });
    let named = record.and_then(|record| record.get("references")?.as_array()).into_iter().flatten();
    let named = named.filter_map(|one| {
        let text = |field: &str| one.get(field)?.as_str().map(str::to_owned);
        if let Some(group) = text("group") {
            return Some(ObjectKey { group, kind: text("kind")?, namespace: None, name: text("name")? });
        }
        let namespace = text("namespace").or_else(|| resource.metadata.namespace.clone())?;
        Some(ObjectKey { group: String::new(), kind: text("kind")?, namespace: Some(namespace), name: text("name")? })
    });
    named.chain(project)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use ucp_client::source::snapshot::resources_from_objects;
    use ucp_core::model::state::Origin;
    use ucp_core::model::trace::{DeclarationKeeping, TraceRequest};

    use super::*;

    #[test]
    fn a_missing_object_explains_the_failure_that_names_it() {
        let object = json!({
            "apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "GitRepository",
            "metadata": {"namespace": "flux-system", "name": "apps"},
            "spec": {"url": "https://example.org/x", "secretRef": {"name": "git-login"}},
            "status": {"conditions": [{"type": "Ready", "status": "False", "reason": "AuthenticationFailed",
                "message": "failed to get secret 'flux-system/git-login': secrets \"git-login\" not found",
                "lastTransitionTime": "2026-11-20T03:12:00Z"}]},
        });
        let traces = TraceRequest { since: jiff::Timestamp::UNIX_EPOCH, declaration: DeclarationKeeping::Dropped };
        let resources =
            resources_from_objects(&[&object], &|kind| engine::want(kind).map(|want| want.with_traces(traces)));
        let origin = Origin::Snapshot { path: String::new() };
        let moment = "2026-11-20T04:00:00Z".parse().unwrap();
        let state = ClusterState { resources, ..ClusterState::empty(origin, moment) };
        let tree = BTreeSet::from([state.resources[0].key()]);
        let absent = needs_to_read(&state, &tree);
        assert_eq!(absent.iter().map(|key| key.name.as_str()).collect::<Vec<_>>(), ["git-login"]);
        let found = missing_objects(&state, &absent, &[]);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].object.kind.as_str(), found[0].what.as_str()), ("Secret", "does not exist"));
        assert_eq!(missing_objects(&state, &BTreeSet::new(), &[]), []);
        assert_eq!(need_links(&state, &absent).len(), 1);
    }
}
