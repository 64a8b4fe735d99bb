//! Discovery of the kinds of a server: aggregated discovery in two requests, or for old servers plain discovery with
//! one request per group. kube's own aggregated discovery drops the categories, which engines need.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures::StreamExt as _;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{APIGroupList, APIResource, APIResourceList};
use kube::core::discovery::v2::{ACCEPT_AGGREGATED_DISCOVERY_V2, APIGroupDiscoveryList};
use serde::Deserialize;

use super::api::{Api, JSON, ReadError, parse};
use super::freshness::Freshness;
use super::limit::ResponseLimit;
use super::list::{ListScope, list};
use ucp_core::model::body::{BodyShape, KindRequest};
use ucp_core::model::graph_kinds;
use ucp_core::model::kind::{ResourceKind, ResourceScope, StatusReporting, StatusSubresource};
use ucp_core::model::request_path::RequestPath;
use ucp_core::model::state::Unreadable;

/// Limit for the versions of all groups: several times those of the largest known clusters.
const MOST_VERSIONS: usize = 5_000;
/// Limit for the kinds of all versions, in plain discovery.
const MOST_KINDS: usize = 50_000;
/// Requests of plain discovery at the same time.
const AT_ONCE: usize = 32;

/// The result of discovery.
pub struct Discovered {
    /// Each kind that can be listed, once, at the preferred version of its group.
    pub kinds: Vec<Arc<ResourceKind>>,
    /// All served versions: group, version and kind.
    pub(crate) versions: BTreeSet<(String, String, String)>,
    /// Groups whose server did not respond.
    pub unreadable: Vec<Unreadable>,
}

/// Discovers the kinds of a server.
///
/// # Errors
/// Fails when the server does not respond, or denies discovery.
pub(crate) async fn discover(api: &Api) -> Result<Discovered, ReadError> {
    let mut discovered = discover_kinds(api).await?;
    mark_defined(api, &mut discovered).await;
    Ok(discovered)
}

/// Marks the kinds that other objects define. If the definitions cannot be read, that is reported by the query that
/// reads them.
async fn mark_defined(api: &Api, discovered: &mut Discovered) {
    let Some(definitions) = discovered.kinds.iter().find(|kind| graph_kinds::is_defining_kind(&kind.group, &kind.kind))
    else {
        return;
    };
    let want = KindRequest::whole(BodyShape::Conditions);
    let listed = list(api, definitions, want, ListScope::default(), &Freshness::newest()).await;
    let whole = listed.resources.iter().filter_map(|resource| resource.whole.as_deref());
    let defined: BTreeSet<_> = whole.filter_map(graph_kinds::defined_kind).collect();
    discovered.kinds.iter_mut().for_each(|kind| graph_kinds::add_instance_category(kind, &defined));
}

async fn discover_kinds(api: &Api) -> Result<Discovered, ReadError> {
    let (core, groups) = futures::future::try_join(
        api.get("/api", ACCEPT_AGGREGATED_DISCOVERY_V2, ResponseLimit::Discovery),
        api.get("/apis", ACCEPT_AGGREGATED_DISCOVERY_V2, ResponseLimit::Discovery),
    )
    .await?;
    if is_aggregated(&groups) {
        let mut kinds = DiscoveredKinds::default();
        for body in [core, groups] {
            let list = parse(&body)?;
            kinds.add_aggregated(list);
        }
        return Ok(kinds.finish());
    }
    discover_plainly(api, &groups).await
}

fn is_aggregated(body: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct KindField {
        kind: String,
    }
    serde_json::from_slice::<KindField>(body).is_ok_and(|document| document.kind == "APIGroupDiscoveryList")
}

async fn discover_plainly(api: &Api, groups: &[u8]) -> Result<Discovered, ReadError> {
    let groups: APIGroupList = parse(groups)?;
    let versions = group_versions(groups);
    if versions.len() > MOST_VERSIONS {
        return Err(ReadError::Malformed(format!("discovery has more than {MOST_VERSIONS} versions of groups")));
    }
    let lists = versions.into_iter().map(|(group, version)| async move {
        let path = RequestPath::for_version(&group, &version);
        let answer = api.get(&path, JSON, ResponseLimit::Small).await;
        let list = answer.and_then(|body| parse::<APIResourceList>(&body));
        (group, version, list)
    });
    let mut kinds = DiscoveredKinds::default();
    // In order, since the first version of each kind is kept.
    let mut lists = futures::stream::iter(lists).buffered(AT_ONCE);
    while let Some((group, version, list)) = lists.next().await {
        if kinds.versions.len() > MOST_KINDS {
            return Err(ReadError::Malformed(format!("discovery has more than {MOST_KINDS} kinds")));
        }
        match list {
            Ok(list) => kinds.add_list(&group, &version, list),
            Err(error) => {
                kinds.unreadable.push(Unreadable { what: format!("{group}/{version}"), reason: error.to_string() })
            }
        }
    }
    Ok(kinds.finish())
}

/// Groups and their versions, the preferred one first; the core group is `""`.
pub(super) fn group_versions(groups: APIGroupList) -> Vec<(String, String)> {
    let mut versions = vec![(String::new(), "v1".to_owned())];
    for group in groups.groups {
        let preferred = group.preferred_version.map(|version| version.version);
        let mut names: Vec<_> = group.versions.into_iter().map(|version| version.version).collect();
        // A stable sort: the preferred version first, the others in the server's order.
        names.sort_by_key(|version| Some(version) != preferred.as_ref());
        versions.extend(names.into_iter().map(|version| (group.name.clone(), version)));
    }
    versions
}

/// Discovery includes subresources, but no printer columns.
fn reporting(has_status: bool) -> StatusReporting {
    let status = if has_status { StatusSubresource::Served } else { StatusSubresource::Absent };
    StatusReporting { status, columns: Vec::new() }
}

/// Kinds in the order of their discovery; the first version of each is kept.
#[derive(Default)]
pub(super) struct DiscoveredKinds {
    seen: BTreeMap<(String, String), ResourceKind>,
    versions: BTreeSet<(String, String, String)>,
    unreadable: Vec<Unreadable>,
}

impl DiscoveredKinds {
    fn add_aggregated(&mut self, list: APIGroupDiscoveryList) {
        for group in list.items {
            let name = group.metadata.and_then(|metadata| metadata.name).unwrap_or_default();
            for version in group.versions {
                let version_name = version.version.unwrap_or_default();
                if version.freshness.as_deref() == Some("Stale") {
                    self.unreadable.push(Unreadable {
                        what: format!("{name}/{version_name}"),
                        reason: "the API server behind this group does not answer (discovery is stale)".to_owned(),
                    });
                }
                for resource in version.resources {
                    let Some(kind) = resource.response_kind.and_then(|kind| kind.kind) else { continue };
                    let has_status =
                        resource.subresources.iter().any(|one| one.subresource.as_deref() == Some("status"));
                    let mut aliases = resource.short_names;
                    aliases.extend(resource.singular_resource);
                    self.add(
                        ResourceKind {
                            group: name.clone(),
                            version: version_name.clone(),
                            kind,
                            plural: resource.resource.unwrap_or_default(),
                            aliases,
                            scope: if resource.scope.as_deref() == Some("Namespaced") {
                                ResourceScope::Namespaced
                            } else {
                                ResourceScope::Cluster
                            },
                            categories: BTreeSet::from_iter(resource.categories),
                            reporting: reporting(has_status),
                        },
                        &resource.verbs,
                    );
                }
            }
        }
    }

    /// Adds the kinds that plain discovery returns for one version of a group.
    pub(super) fn add_list(&mut self, group: &str, version: &str, list: APIResourceList) {
        let status_of = |one: &APIResource| one.name.strip_suffix("/status").map(str::to_owned);
        let with_status: BTreeSet<String> = list.resources.iter().filter_map(status_of).collect();
        for resource in list.resources {
            let has_status = with_status.contains(&resource.name);
            self.add_plain(group, version, resource, has_status);
        }
    }

    fn add_plain(&mut self, group: &str, version: &str, resource: APIResource, has_status: bool) {
        if resource.name.contains('/') {
            return;
        }
        let mut aliases = resource.short_names.unwrap_or_default();
        aliases.push(resource.singular_name);
        self.add(
            ResourceKind {
                group: group.to_owned(),
                version: version.to_owned(),
                kind: resource.kind,
                plural: resource.name,
                aliases,
                scope: if resource.namespaced { ResourceScope::Namespaced } else { ResourceScope::Cluster },
                categories: BTreeSet::from_iter(resource.categories.unwrap_or_default()),
                reporting: reporting(has_status),
            },
            &resource.verbs,
        );
    }

    fn add(&mut self, kind: ResourceKind, verbs: &[String]) {
        if verbs.iter().any(|verb| verb == "list") {
            self.versions.insert((kind.group.clone(), kind.version.clone(), kind.kind.clone()));
            self.seen.entry((kind.group.clone(), kind.plural.clone())).or_insert(kind);
        }
    }

    /// Returns all kinds.
    pub(super) fn finish(self) -> Discovered {
        let kinds = self.seen.into_values().map(Arc::new).collect();
        Discovered { kinds, versions: self.versions, unreadable: self.unreadable }
    }
}
