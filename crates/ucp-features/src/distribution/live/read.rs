//! Reads one app cluster: uses of Secrets, the names of the existing Secrets, and the content of those that may be
//! copies.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures::future::{join, join_all, join3};
use serde::de::DeserializeSeed as _;

use super::query::{AppClusterQuery, MANY, ReadScope};
use super::{custom, identity};
use crate::adopt::grant::GrantScope;
use crate::adopt::names::NamespacedName;
use crate::adopt::secrets::MAKERS;
use crate::distribution::app::{self, AppClusterReading, ListCoverage};
use crate::distribution::intent;
use crate::distribution::mark::CopyMark;
use crate::distribution::secret::SecretFacts;
use ucp_client::source::live::api::{Api, ReadError};
use ucp_client::source::live::definition::{DeniedDefinition, hidden_kinds};
use ucp_client::source::live::freshness::Freshness;
use ucp_client::source::live::list::{ListResult, ListScope, list};
use ucp_client::source::live::write::ObjectPath;
use ucp_core::failure::Failure;
use ucp_core::model::body::{BodyShape, KindRequest};
use ucp_core::model::kind::{ResourceKind, ResourceScope};
use ucp_core::model::resource::Resource;
use ucp_core::model::seed::ResourceSeed;
use ucp_core::model::state::Unreadable;

pub(super) async fn read(
    api: &Api,
    question: &AppClusterQuery<'_>,
    declared: &BTreeSet<NamespacedName>,
    reach: &GrantScope,
    position: usize,
) -> AppClusterReading {
    let mut reading = AppClusterReading::default();
    let (targets, beyond): (BTreeSet<_>, BTreeSet<_>) =
        declared.iter().cloned().partition(|target| reach.covers(&target.namespace));
    let targets = &targets;
    reading.denied.extend(beyond.into_iter().map(|target| {
        let reason = format!("its ServiceAccount for Secrets has no rights in namespace {}", target.namespace);
        (target, reason)
    }));
    if matches!(question.breadth, ReadScope::Declared | ReadScope::Nothing) {
        reading.identity = identity::fetch(api).await;
        fetch(api, &Arc::new(resource_kind("", "v1", "secrets", "Secret")), question, targets, &mut reading).await;
        return reading;
    }
    let near: BTreeSet<String> = targets.iter().map(|target| target.namespace.clone()).collect();
    let kinds = super::query::kinds()
        .map(|(group, version, plural, kind)| Arc::new(resource_kind(group, version, plural, kind)));
    let asked = join_all(kinds.filter_map(|kind| {
        let want = app::want(&kind).or_else(|| intent::want_elsewhere(&kind))?;
        let near = &near;
        Some(async move { (kind.qualified_plural(), list_where_allowed(api, &kind, want, near, reach).await) })
    }));
    let (namespaces, secrets) =
        (resource_kind("", "v1", "namespaces", "Namespace"), resource_kind("", "v1", "secrets", "Secret"));
    let (namespaces, secrets) =
        (Arc::new(ResourceKind { scope: ResourceScope::Cluster, ..namespaces }), Arc::new(secrets));
    let (lists, namespaces, names) = join3(
        asked,
        list_namespaces(api, &namespaces, reach),
        list_where_allowed(api, &secrets, KindRequest::all(BodyShape::Metadata), &near, reach),
    )
    .await;
    let mut resources = Vec::new();
    let mut lists: BTreeMap<String, CoveredList> = lists.into_iter().collect();
    if matches!(question.breadth, ReadScope::Copies | ReadScope::Deletion) {
        report_hidden(api, &mut lists).await;
    }
    for (name, listed) in lists {
        resources.extend(listed.resources);
        reading.unreadable.extend(listed.unreadable);
        reading.coverage.insert(name, listed.coverage);
    }
    let seeks_undeclared = matches!(question.breadth, ReadScope::Everything | ReadScope::Deletion);
    if let (ListCoverage::In(namespaces), GrantScope::Cluster) = (&names.coverage, reach)
        && seeks_undeclared
    {
        let read: Vec<&str> = namespaces.iter().map(String::as_str).collect();
        let reason = "they may not be listed, and a copy there is not known".to_owned();
        reading.unreadable.push(Unreadable { what: format!("secrets outside of {}", read.join(", ")), reason });
    }
    reading.unreadable.extend(names.unreadable);
    if let Some(namespaces) = namespaces {
        let system = namespaces.get("kube-system");
        reading.identity = system.filter(|uid| !uid.is_empty()).cloned();
        reading.namespaces = Some(namespaces.into_keys().collect());
    }
    reading.objects = resources.iter().map(|resource| resource.name().to_string()).collect();
    reading.demands = app::demands(&resources);
    reading.intents = intent::declared(&resources, position);
    let wanted = wanted(question, targets, &reading, &names.resources);
    fetch(api, &secrets, question, &wanted, &mut reading).await;
    report_unread_copies(targets, &wanted, &mut reading);
    if question.breadth == ReadScope::Deletion {
        let ours = reading.secrets.iter().filter(|(_, copy)| CopyMark::read(&copy.metadata).is_some());
        let ours: BTreeSet<NamespacedName> = ours.map(|(key, _)| key.clone()).collect();
        if !ours.is_empty() {
            custom::add_users(api, &ours, &resources, &mut reading).await;
        }
    }
    reading
}

/// Returns the names of the Secrets that may be copies: declared ones, used ones, and those with the name of a
/// connection Secret or of credentials.
fn wanted(
    question: &AppClusterQuery<'_>,
    targets: &BTreeSet<NamespacedName>,
    reading: &AppClusterReading,
    there: &[Resource],
) -> BTreeSet<NamespacedName> {
    let names = question.core.sources.names();
    let mut wanted = targets.clone();
    let asked = reading.demands.iter().map(|demand| &demand.secret);
    let declared = reading.intents.iter().map(|intent| &intent.target);
    wanted.extend(asked.chain(declared).filter(|secret| names.contains(secret.name.as_str())).cloned());
    for resource in there {
        let metadata = &resource.metadata;
        if names.contains(metadata.name.as_str()) || CopyMark::read(metadata).is_some() {
            let namespace = metadata.namespace.clone().unwrap_or_default();
            wanted.insert(NamespacedName { namespace, name: metadata.name.clone() });
        }
    }
    wanted
}

/// Adds a gap for each Secret that could not be read, and that only its name or its mark shows as a copy: nothing that declares or
/// uses it has a row for it.
fn report_unread_copies(
    targets: &BTreeSet<NamespacedName>,
    wanted: &BTreeSet<NamespacedName>,
    reading: &mut AppClusterReading,
) {
    let AppClusterReading { demands, intents, denied, unreadable, .. } = reading;
    let has_row = |secret: &NamespacedName| {
        targets.contains(secret)
            || demands.iter().any(|demand| demand.secret == *secret)
            || intents.iter().any(|intent| intent.target == *secret)
    };
    let unread = denied.iter().filter(|(secret, _)| wanted.contains(*secret) && !has_row(secret));
    unreadable.extend(
        unread.map(|(secret, reason)| Unreadable { what: secret.secret().to_string(), reason: reason.clone() }),
    );
}

/// Fetches Secrets by name; if a namespace has many, lists the namespace if allowed.
async fn fetch(
    api: &Api,
    kind: &Arc<ResourceKind>,
    question: &AppClusterQuery<'_>,
    wanted: &BTreeSet<NamespacedName>,
    reading: &mut AppClusterReading,
) {
    let want = KindRequest::whole(BodyShape::Secret);
    let mut by_namespace: BTreeMap<&str, Vec<&NamespacedName>> = BTreeMap::new();
    for secret in wanted {
        by_namespace.entry(&secret.namespace).or_default().push(secret);
    }
    let freshness = Freshness::newest();
    let (many, few): (Vec<_>, Vec<_>) = by_namespace.into_iter().partition(|(_, secrets)| secrets.len() > MANY);
    let whole = join_all(many.into_iter().map(|(namespace, secrets)| {
        let (freshness, part) = (&freshness, ListScope { namespace: Some(namespace), name: None });
        async move { (secrets, list(api, kind, want, part, freshness).await) }
    }));
    let single = join_all(few.into_iter().flat_map(|(_, secrets)| secrets).map(|secret| fetch_one(api, kind, secret)));
    let (whole, mut single) = join(whole, single).await;
    let mut again = Vec::new();
    for (secrets, listed) in whole {
        if listed.error.is_some() {
            again.extend(secrets);
            continue;
        }
        keep(listed.resources.iter().filter(|one| wanted.contains(&name_of(one))), question, reading);
    }
    single.extend(join_all(again.into_iter().map(|secret| fetch_one(api, kind, secret))).await);
    for (secret, found) in single {
        match found {
            Ok(found) => keep(found.iter(), question, reading),
            Err(reason) => {
                reading.denied.insert(secret.clone(), reason.into());
            }
        }
    }
}

fn keep<'a>(
    resources: impl Iterator<Item = &'a Resource>,
    question: &AppClusterQuery<'_>,
    reading: &mut AppClusterReading,
) {
    let facts = resources.filter_map(|resource| SecretFacts::from_resource(resource, question.comparer, 0));
    reading.secrets.extend(facts.map(|facts| (facts.key.clone(), facts)));
}

fn name_of(resource: &Resource) -> NamespacedName {
    let metadata = &resource.metadata;
    NamespacedName { namespace: metadata.namespace.clone().unwrap_or_default(), name: metadata.name.clone() }
}

/// Fetches one Secret, with `get` only; returns `None` if it does not exist.
pub(super) async fn fetch_one<'a>(
    api: &Api,
    kind: &Arc<ResourceKind>,
    secret: &'a NamespacedName,
) -> (&'a NamespacedName, Result<Option<Resource>, Failure>) {
    let name = secret.secret();
    let Some(path) = ObjectPath::from_object_name(&name) else { return (secret, Ok(None)) };
    let found = match api.find(&path).await {
        Ok(None) => Ok(None),
        Ok(Some(object)) => ResourceSeed { kind, shape: BodyShape::Secret }
            .deserialize(&object)
            .map(|resource| Some(resource.with_whole(Some(Arc::new(object)))))
            .map_err(|_| "it does not have the structure of its kind".into()),
        // The namespace does not exist, and so neither does the Secret.
        Err(ReadError::Rejected { code: 404, .. }) => Ok(None),
        Err(error) => Err(error.into()),
    };
    (secret, found)
}

/// Result of a list that may be denied.
struct CoveredList {
    resources: Vec<Resource>,
    unreadable: Vec<Unreadable>,
    coverage: ListCoverage,
}

/// Marks kinds that create Secrets as missing if they are defined, and only discovery omits them for a moment.
async fn report_hidden(api: &Api, lists: &mut BTreeMap<String, CoveredList>) {
    let unserved = lists.iter().filter(|(_, listed)| listed.coverage == ListCoverage::NotServed);
    let names: Vec<String> = unserved.map(|(name, _)| name.clone()).collect();
    for entry in hidden_kinds(api, &names, DeniedDefinition::Absent).await {
        if let Some(listed) = lists.get_mut(&entry.what) {
            listed.coverage = ListCoverage::Missing(entry.reason.clone());
            listed.unreadable.push(entry);
        }
    }
}

/// Returns the UIDs of all namespaces by name, if they can be listed.
async fn list_namespaces(api: &Api, kind: &Arc<ResourceKind>, reach: &GrantScope) -> Option<BTreeMap<String, String>> {
    if *reach != GrantScope::Cluster {
        return None;
    }
    let listed =
        list(api, kind, KindRequest::all(BodyShape::Metadata), ListScope::default(), &Freshness::newest()).await;
    let named = |one: Resource| (one.metadata.name.clone(), one.metadata.uid.to_string());
    listed.error.is_none().then(|| listed.resources.into_iter().map(named).collect())
}

/// Lists a kind in the whole cluster or, if that is denied, in the relevant namespaces. With access limited to some
/// namespaces, lists only these.
async fn list_where_allowed(
    api: &Api,
    kind: &Arc<ResourceKind>,
    want: KindRequest,
    near: &BTreeSet<String>,
    reach: &GrantScope,
) -> CoveredList {
    let freshness = Freshness::newest();
    if let GrantScope::Namespaces(names) = reach {
        let within = if kind.scope == ResourceScope::Cluster { &BTreeSet::new() } else { names };
        return CoveredList { coverage: ListCoverage::In(names.clone()), ..list_in(api, kind, want, within).await }
            .checked();
    }
    let listed = list(api, kind, want, ListScope::default(), &freshness).await;
    let is_denied = matches!(listed.error, Some(ReadError::Denied { code: 403, .. }));
    if !is_denied || near.is_empty() || kind.scope == ResourceScope::Cluster {
        return merge_lists(kind, vec![listed], ListCoverage::Everywhere);
    }
    list_in(api, kind, want, near).await
}

/// Lists a kind in some namespaces.
async fn list_in(api: &Api, kind: &Arc<ResourceKind>, want: KindRequest, namespaces: &BTreeSet<String>) -> CoveredList {
    let freshness = Freshness::newest();
    let all = namespaces.iter().map(|namespace| {
        let (freshness, part) = (&freshness, ListScope { namespace: Some(namespace), name: None });
        list(api, kind, want, part, freshness)
    });
    merge_lists(kind, join_all(all).await, ListCoverage::In(namespaces.clone()))
}

impl CoveredList {
    /// Marks the coverage as missing if a part could not be read.
    fn checked(mut self) -> Self {
        if let Some(entry) = self.unreadable.first() {
            self.coverage = ListCoverage::Missing(entry.reason.clone());
        }
        self
    }
}

fn merge_lists(kind: &ResourceKind, lists: Vec<ListResult>, coverage: ListCoverage) -> CoveredList {
    let mut seen = CoveredList { resources: Vec::new(), unreadable: Vec::new(), coverage };
    let is_optional = MAKERS.iter().any(|(group, _, plural, _)| *group == kind.group && *plural == kind.plural);
    let is_served = lists.iter().any(|listed| !listed.resource_version.is_empty());
    for listed in lists {
        // Every server serves the kinds of Kubernetes itself, and their lists have a `resourceVersion`.
        if listed.error.is_none() && listed.resource_version.is_empty() && !is_optional {
            let reason = "the server answered without a list".to_owned();
            seen.unreadable.push(Unreadable { what: kind.qualified_plural(), reason });
        }
        seen.resources.extend(listed.resources);
        seen.unreadable.extend(listed.broken);
        let reason = listed.error.map(|error| error.to_string());
        seen.unreadable.extend(reason.map(|reason| Unreadable { what: kind.qualified_plural(), reason }));
    }
    seen.unreadable.dedup();
    if is_optional && !is_served {
        seen.coverage = ListCoverage::NotServed;
    }
    seen.checked()
}

pub(in crate::distribution) fn resource_kind(group: &str, version: &str, plural: &str, kind: &str) -> ResourceKind {
    let scope = if kind.starts_with("Cluster") { ResourceScope::Cluster } else { ResourceScope::Namespaced };
    ResourceKind { version: version.to_owned(), plural: plural.to_owned(), scope, ..ResourceKind::guess(group, kind) }
}
