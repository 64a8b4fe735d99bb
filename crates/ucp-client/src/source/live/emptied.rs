//! Requests of single objects that an empty list contains if they exist.

use std::collections::HashSet;

use futures::StreamExt as _;

use super::api::{Api, ReadError};
use super::write::ObjectPath;
use ucp_core::engine::ReferencedAbsence;
use ucp_core::model::state::Unreadable;

/// Limit for concurrent requests.
const CONCURRENT: usize = 8;

/// Returns a gap for each list without objects that contains an object after all, or of which that cannot be established because
/// the request of the object fails. The list is believed if the object does not exist, or if it may not be requested.
pub async fn contradicted_lists(api: &Api, absences: Vec<ReferencedAbsence>) -> Vec<Unreadable> {
    let found = futures::stream::iter(absences).map(async |absence| {
        let ReferencedAbsence { kind, object, named_by } = absence;
        let path = ObjectPath::at(&kind, object.namespace.as_deref(), &object.name);
        let finding = match api.find_uid(&path).await {
            Ok(Some(_)) => "exists".to_owned(),
            // A name that no object can have is not requested.
            Ok(None) | Err(ReadError::Denied { .. } | ReadError::NotSent(_)) => return None,
            Err(error) => format!("cannot be requested: {error}"),
        };
        let reason = format!("its list has no objects, but {object}, to which {named_by} refers, {finding}");
        Some(Unreadable { what: kind.qualified_plural(), reason })
    });
    let mut gaps: Vec<Unreadable> = found.buffered(CONCURRENT).filter_map(std::future::ready).collect().await;
    // One object is enough for a list.
    let mut listed = HashSet::new();
    gaps.retain(|gap| listed.insert(gap.what.clone()));
    gaps
}
