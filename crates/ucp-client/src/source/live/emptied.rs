//! Requests of single objects that an empty list contains if they exist.

use std::collections::HashSet;

use futures::StreamExt as _;

use super::api::Api;
use super::write::ObjectPath;
use ucp_core::engine::ReferencedAbsence;
use ucp_core::model::state::Unreadable;

/// Limit for concurrent requests.
const CONCURRENT: usize = 8;

/// Returns a gap for each list without objects that contains an object after all. An object that cannot be requested shows
/// nothing: the list is believed.
pub async fn contradicted_lists(api: &Api, absences: Vec<ReferencedAbsence>) -> Vec<Unreadable> {
    let found = futures::stream::iter(absences).map(async |absence| {
        let ReferencedAbsence { kind, object, named_by } = absence;
        let path = ObjectPath::at(&kind, object.namespace.as_deref(), &object.name);
        let exists = matches!(api.find_uid(&path).await, Ok(Some(_)));
        exists.then(|| Unreadable {
            what: kind.qualified_plural(),
            reason: format!("its list has no objects, but {object}, to which {named_by} refers, exists"),
        })
    });
    let mut gaps: Vec<Unreadable> = found.buffered(CONCURRENT).filter_map(std::future::ready).collect().await;
    // One object is enough for a list.
    let mut listed = HashSet::new();
    gaps.retain(|gap| listed.insert(gap.what.clone()));
    gaps
}
