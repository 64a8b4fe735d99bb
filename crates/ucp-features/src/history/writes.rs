//! Writes of fields by hand, by Git's engines, and by controllers.

use super::actor::{Actor, ActorKind};
use super::lifecycle::is_creation;
use super::occurrence::{ChangeSort, Occurrence, OccurrenceCertainty};
use ucp_core::model::resource::Resource;
use ucp_core::model::trace::{FieldWrite, WrittenField};

/// The number of fields that are listed by name.
const LISTED: usize = 3;

/// Returns the writes of an object, except for those of its creation. A Lease is written all the time.
pub(super) fn occurrences(resource: &Resource) -> Vec<Occurrence> {
    if resource.kind.kind == "Lease" {
        return Vec::new();
    }
    let writes = resource.trace.iter().flat_map(|trace| &trace.writes);
    let later = writes.filter(|write| !is_creation(resource, write.time));
    later.filter_map(|write| occurrence(resource, write)).collect()
}

fn occurrence(resource: &Resource, write: &FieldWrite) -> Option<Occurrence> {
    let by = Actor::from_manager(&write.manager);
    // Controllers write annotations and finalizers while they work; users write them for a reason.
    let is_user = by.as_ref().is_some_and(|by| by.kind == ActorKind::User);
    let is_told = |field: &&WrittenField| match field.path.starts_with("metadata.") {
        true => is_user && is_setting(field),
        false => true,
    };
    let fields: Vec<&WrittenField> = write.fields.iter().filter(is_told).collect();
    let number = fields.len() + write.more;
    let paths =
        |fields: &[&WrittenField]| fields.iter().map(|field| field.path.to_string()).collect::<Vec<_>>().join(", ");
    let written = |what: String| Occurrence {
        fields: fields.iter().map(|field| field.path.to_string()).collect(),
        ..Occurrence::at(write.time, resource.name(), ChangeSort::Written, what).by(by.clone())
    };
    match fields.as_slice() {
        [] => None,
        [field] if write.more == 0 => {
            let changed = written(format!("was changed: {}", field.path));
            Some(changed.with_values(field.applied.clone(), field.value.clone()))
        }
        fields => {
            // The time is that of the last write, whichever of the fields it changed.
            let changed: Vec<&WrittenField> = fields.iter().copied().filter(|field| field.applied.is_some()).collect();
            if let ([field], true) = (changed.as_slice(), is_user) {
                let changed = written(format!("was changed: {}", field.path));
                let changed = changed.with_values(field.applied.clone(), field.value.clone());
                let certainty = OccurrenceCertainty::AtLatest;
                return Some(Occurrence { certainty, fields: vec![field.path.to_string()], ..changed });
            }
            let listed = paths(&fields[..fields.len().min(LISTED)]);
            let more = match number.saturating_sub(LISTED) {
                0 => String::new(),
                more => format!(" or {more} more"),
            };
            Some(written(format!("was written, one of {number} fields: {listed}{more}")))
        }
    }
}

/// Returns true for labels and annotations, except for copies of the object.
fn is_setting(field: &WrittenField) -> bool {
    let is_below = |top: &str| field.path.strip_prefix(top).is_some_and(|rest| !rest.is_empty());
    (is_below("metadata.labels") || is_below("metadata.annotations"))
        && !field.path.contains("last-applied-configuration")
}
