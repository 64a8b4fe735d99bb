//! The Secrets, ConfigMaps, service accounts, Compositions and AppProjects that the objects of a tree name: their changes may
//! affect these objects.

use std::collections::BTreeSet;

use super::occurrence::{ChangeSort, Occurrence};
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

/// Returns the name of an object with the first version of its group.
pub(super) fn named(ObjectKey { group, kind, namespace, name }: ObjectKey) -> ObjectName {
    let api_version = if group.is_empty() { "v1".to_owned() } else { group + "/v1" };
    ObjectName { api_version, kind, namespace, name }
}

pub(super) fn needs(resource: &Resource) -> impl Iterator<Item = ObjectKey> {
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
