//! The last change of some objects, if it can be known.

use std::collections::BTreeSet;

use jiff::SignedDuration;

use super::gather;
use super::gather::RepeatedObjects;
use super::occurrence::{ChangeSort, Occurrence, OccurrenceCertainty, OccurrenceWeight};
use ucp_core::model::object::ObjectKey;
use ucp_core::model::state::ClusterState;

/// Earlier changes are not searched.
pub const LAST_CHANGES: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Returns the last change of objects that were read with their traces. `None` if one of them has no record of its
/// writers, as in the output of `kubectl get`: then a later change may be missing.
pub fn last_change(state: &ClusterState, objects: &BTreeSet<ObjectKey>) -> Option<Occurrence> {
    let own = || state.resources.iter().filter(|resource| objects.contains(&resource.key()));
    if !own().all(|resource| resource.trace.as_ref().is_some_and(|trace| trace.has_writers)) {
        return None;
    }
    let since = state.moment.saturating_sub(LAST_CHANGES).ok()?;
    let is_change = |one: &Occurrence| {
        one.change.may_cause()
            && one.change != ChangeSort::Restarted
            && one.certainty == OccurrenceCertainty::Exact
            && one.weight == OccurrenceWeight::Notable
            && objects.contains(&ObjectKey::from(&one.object))
    };
    gather(state, since, RepeatedObjects::Included).into_iter().filter(is_change).max_by_key(|one| one.time)
}
