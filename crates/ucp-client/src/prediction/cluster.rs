//! A destination cluster: the kinds that it serves, and the paths of its objects.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use serde_json::Value;
use tokio::sync::OnceCell;

use crate::source::live::api::{Api, JSON, ReadError, parse};
use crate::source::live::continuation::{Continuation, ListTotal, PageSize};
use crate::source::live::definition::{UnlistedKind, possible_unlisted_kinds};
use crate::source::live::limit::ResponseLimit;
use crate::source::live::write::ObjectPath;
use crate::source::live::{self};
use ucp_core::engine::ListedNames;
use ucp_core::failure::{Failure, fail};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::request_path::RequestPath;
use ucp_core::model::secrecy::register_secrets_of;
use ucp_core::model::state::Unreadable;
use ucp_core::model::weight::{KeptWeight, weight_of};

/// A connected cluster.
pub struct ConnectedCluster {
    /// Name of the cluster; `None` for the core cluster.
    pub name: Option<String>,
    /// The connection to the cluster.
    pub api: Api,
    kinds: HashMap<(String, String), Arc<ResourceKind>>,
    /// Group, version and kind of everything that is served.
    versions: BTreeSet<(String, String, String)>,
    /// Groups whose discovery failed.
    unreadable: Vec<Unreadable>,
    /// Kinds that are defined and missing from discovery. They are only compared when a kind is not found.
    unlisted: OnceCell<Vec<UnlistedKind>>,
}

impl ConnectedCluster {
    /// Reads the kinds that a cluster serves.
    ///
    /// # Errors
    /// Fails when it does not answer.
    pub async fn open(name: Option<String>, api: Api) -> Result<Self, Failure> {
        let found = live::kinds(&api).await?;
        let kinds = found.kinds.into_iter().map(|kind| ((kind.group.clone(), kind.kind.clone()), kind)).collect();
        Ok(Self { name, api, kinds, versions: found.versions, unreadable: found.unreadable, unlisted: OnceCell::new() })
    }

    /// Returns all kinds that it serves.
    pub fn kinds(&self) -> impl Iterator<Item = &Arc<ResourceKind>> {
        self.kinds.values()
    }

    /// Returns the kind of an object at the object's own version; `None` if the cluster does not serve the kind at this
    /// version.
    ///
    /// # Errors
    /// Fails when the absence of the kind is not certain: the discovery of its group failed, or the kind is defined and
    /// missing from discovery.
    pub async fn find_kind(&self, api_version: &str, kind: &str) -> Result<Option<ResourceKind>, Failure> {
        match self.listed_kind(api_version, kind) {
            Some(found) => Ok(Some(found)),
            None => self.require_absence(api_version.split_once('/').map_or("", |(group, _)| group), kind).await,
        }
    }

    /// Returns the kind of a group, at the version that the group prefers; `None` if the cluster does not serve it.
    ///
    /// # Errors
    /// Fails as [`Self::find_kind`] does.
    pub async fn find_preferred(&self, group: &str, kind: &str) -> Result<Option<ResourceKind>, Failure> {
        match self.preferred(group, kind) {
            Some(found) => Ok(Some(found.clone())),
            None => self.require_absence(group, kind).await,
        }
    }

    /// Returns `None` if the absence of a kind is certain.
    async fn require_absence(&self, group: &str, kind: &str) -> Result<Option<ResourceKind>, Failure> {
        if let Some(gap) = self.unreadable.iter().find(|gap| gap.hides_group(group)) {
            return fail!("the cluster may serve its kind: {} could not be read: {}", gap.what, gap.reason);
        }
        if self.preferred(group, kind).is_some() {
            return Ok(None);
        }
        let unlisted = self.unlisted.get_or_init(|| self.read_unlisted()).await;
        let is_wanted = |known: &ResourceKind| known.group == group && known.kind == kind;
        match unlisted.iter().find_map(|one| one.entry_if(is_wanted)) {
            Some(gap) => fail!("the cluster may serve its kind: {}: {}", gap.what, gap.reason),
            None => Ok(None),
        }
    }

    async fn read_unlisted(&self) -> Vec<UnlistedKind> {
        let listed = self.listed_names();
        possible_unlisted_kinds(&self.api, &listed).await
    }

    fn listed_names(&self) -> ListedNames {
        self.kinds.values().map(AsRef::as_ref).collect()
    }

    /// Returns the kind of an object at the object's own version, if discovery lists it. Absence is not certain: use
    /// [`Self::find_kind`] where it matters.
    pub fn listed_kind(&self, api_version: &str, kind: &str) -> Option<ResourceKind> {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let known = self.kinds.get(&(group.to_owned(), kind.to_owned()))?;
        let served = (group.to_owned(), version.to_owned(), kind.to_owned());
        self.versions.contains(&served).then(|| ResourceKind { version: version.to_owned(), ..known.as_ref().clone() })
    }

    /// Returns the kind of a group, at the version that the group prefers, if discovery lists it. Absence is not certain: use
    /// [`Self::find_preferred`] where it matters.
    pub fn preferred(&self, group: &str, kind: &str) -> Option<&ResourceKind> {
        self.kinds.get(&(group.to_owned(), kind.to_owned())).map(AsRef::as_ref)
    }

    /// Returns `group/version` and `group/version/kind` of everything that it serves, as charts see them in
    /// `.Capabilities.APIVersions`.
    pub fn api_versions(&self) -> BTreeSet<String> {
        let entries = self.versions.iter().flat_map(|(group, version, kind)| {
            let api_version = if group.is_empty() { version.clone() } else { format!("{group}/{version}") };
            [format!("{api_version}/{kind}"), api_version]
        });
        entries.collect()
    }

    /// Returns all objects of a list, page by page.
    ///
    /// # Errors
    /// Fails when the server does not respond, or denies the request.
    pub async fn list_objects(&self, path: &RequestPath) -> Result<Vec<Value>, ReadError> {
        let (mut items, mut next) = (Vec::new(), path.clone());
        let mut continuation = Continuation::new(ListTotal::Whole);
        let mut weight = KeptWeight::default();
        loop {
            let page = self.api.get(&next, JSON, ResponseLimit::Page).await?;
            let bytes = page.len();
            let page = parse(&page)?;
            let (found, token) = list_items(page);
            found.iter().for_each(register_secrets_of);
            weight.grow(found.iter().map(weight_of).sum())?;
            continuation.add(PageSize { objects: found.len(), bytes })?;
            items.extend(found);
            if token.is_empty() {
                return Ok(items);
            }
            continuation.follow(&token)?;
            next = path.clone().with_query("continue", &token);
        }
    }
}

/// Returns the objects of a page and its continue token, which is empty on the last page.
pub fn list_items(mut page: Value) -> (Vec<Value>, String) {
    let (version, list_kind) = (text_at(&page, "/apiVersion").to_owned(), text_at(&page, "/kind").to_owned());
    let single = list_kind.strip_suffix("List").unwrap_or(&list_kind).to_owned();
    let token = text_at(&page, "/metadata/continue").to_owned();
    // An empty page may contain `null` and still be followed by others.
    let Some(Value::Array(mut items)) = page.get_mut("items").map(Value::take) else { return (Vec::new(), token) };
    for fields in items.iter_mut().filter_map(Value::as_object_mut) {
        // Elements of a list of a built-in kind have no kind of their own.
        fields.entry("apiVersion").or_insert_with(|| version.clone().into());
        fields.entry("kind").or_insert_with(|| single.clone().into());
    }
    (items, token)
}

/// Returns the path of an object of a kind.
pub fn path_of(kind: &ResourceKind, namespace: Option<&str>, name: &str) -> ObjectPath {
    ObjectPath::at(kind, namespace, name)
}

/// Returns a string field of an object; empty if it is absent.
pub fn text_at<'object>(object: &'object Value, pointer: &str) -> &'object str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use ucp_core::model::kind::ResourceScope;

    #[test]
    fn names_are_escaped_in_request_paths() {
        let kind = ResourceKind {
            group: String::new(),
            version: "v1".into(),
            kind: "ConfigMap".into(),
            plural: "configmaps".into(),
            aliases: Vec::new(),
            scope: ResourceScope::Namespaced,
            categories: BTreeSet::new(),
            reporting: ucp_core::model::kind::StatusReporting::default(),
        };
        let path_of = |namespace, name| path_of(&kind, namespace, name).to_string();
        assert_eq!(path_of(Some("a"), "b"), "/api/v1/namespaces/a/configmaps/b");
        assert_eq!(path_of(Some("a"), "x?y"), "/api/v1/namespaces/a/configmaps/x%3Fy");
    }

    #[test]
    fn an_empty_page_with_a_continue_token_is_followed() {
        let empty =
            json!({"kind": "ConfigMapList", "apiVersion": "v1", "metadata": {"continue": "more"}, "items": null});
        assert_eq!(list_items(empty), (Vec::new(), "more".to_owned()));
        let last = json!({"kind": "ConfigMapList", "apiVersion": "v1", "metadata": {}, "items": [{"metadata": {"name": "a"}}]});
        let named = json!({"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "a"}});
        assert_eq!(list_items(last), (vec![named], String::new()));
    }
}
