//! What a snapshot with an index is without, although a live cluster would have it: a kind that discovery omitted when it was
//! taken, the definitions of kinds, and the settings of Argo CD.

use std::sync::Arc;

use super::gather::GatheredObjects;
use super::index::{KindEntry, SnapshotIndex};
use crate::source::unlisted::UnlistedKind;
use crate::source::unreadable_rules;
use ucp_core::engine::{self, ListedNames};
use ucp_core::model::body::KindRequest;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::Unreadable;

/// How far the objects of a kind are in a snapshot.
enum ListExtent<'a> {
    Complete,
    /// The index does not name the kind.
    Unlisted,
    /// The kind was not requested.
    Unrequested,
    /// The list failed or was denied.
    Unread(&'a Unreadable),
    /// The index counts more objects than there are.
    Lost {
        missing: usize,
        counted: usize,
    },
}

fn extent<'a>(index: &'a SnapshotIndex, (group, kind): (&str, &str), found: usize) -> ListExtent<'a> {
    let is_it = |entry: &&KindEntry| entry.group == group && entry.kind == kind;
    let Some(entry) = index.kinds.iter().find(is_it) else { return ListExtent::Unlisted };
    let name = entry.resource_kind().qualified_plural();
    if let Some(unread) = index.unreadable.iter().find(|entry| entry.what == name) {
        return ListExtent::Unread(unread);
    }
    match entry.objects {
        None => ListExtent::Unrequested,
        Some(counted) if counted > found => ListExtent::Lost { missing: counted - found, counted },
        Some(_) => ListExtent::Complete,
    }
}

impl ListExtent<'_> {
    /// Returns the reason why the list is not known; `None` if it is.
    fn reason(&self) -> Option<String> {
        Some(match self {
            Self::Complete => return None,
            Self::Unlisted => "the index of the snapshot does not list their kind".to_owned(),
            Self::Unrequested => "the snapshot does not have their kind".to_owned(),
            Self::Unread(entry) => entry.reason.clone(),
            Self::Lost { missing, counted } => {
                format!("{missing} of the {counted} that the index of the snapshot counts are not in its files")
            }
        })
    }
}

/// Returns the kinds that definitions serve and the index does not list; any, if not all definitions are known.
pub(super) fn unlisted_kinds(index: &SnapshotIndex, gathered: &mut GatheredObjects) -> Vec<UnlistedKind> {
    let kinds = std::mem::take(&mut gathered.unlisted).into_iter().map(UnlistedKind::of_snapshot);
    let extent = extent(index, ("apiextensions.k8s.io", "CustomResourceDefinition"), gathered.definitions);
    let incomplete = match extent {
        ListExtent::Unread(_) => UnlistedKind::from_index(&index.unreadable),
        other => other.reason().map(UnlistedKind::any),
    };
    kinds.chain(incomplete).collect()
}

/// Returns the kinds of Kubernetes itself that discovery omitted. The version of the server is in every index that was written for
/// a server.
pub(super) fn hidden_kinds(
    index: &SnapshotIndex,
    listed: &[Arc<ResourceKind>],
    want: &(dyn Fn(&ResourceKind) -> Option<KindRequest> + Sync),
) -> Vec<Unreadable> {
    let listed: ListedNames = listed.iter().map(AsRef::as_ref).collect();
    match index.server_version {
        Some(_) => engine::hidden_built_ins(&listed, |kind| want(kind).is_some()),
        None => Vec::new(),
    }
}

/// Returns an entry if the settings of Argo CD are not known and an object is judged by them.
pub(super) fn unread_settings(index: &SnapshotIndex, resources: &[Resource], config_maps: usize) -> Vec<Unreadable> {
    if !resources.iter().any(|one| engine::is_judged_by_settings(&one.kind)) {
        return Vec::new();
    }
    let reason = extent(index, ("", "ConfigMap"), config_maps).reason();
    reason.map(|reason| unreadable_rules(&reason)).into_iter().collect()
}
