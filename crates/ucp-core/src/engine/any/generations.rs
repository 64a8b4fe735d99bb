//! The generations of an object that its controller reports to have observed or applied.

use serde_json::{Map, Value};

use super::states::StatusSearch;
use super::words::tokens;
use crate::model::body::any::{GenericObject, whole_number};
use crate::model::resource::Resource;

/// Returns the generations that the controller of an object observed.
pub(super) fn seen(resource: &Resource, any: &GenericObject) -> Vec<i64> {
    let fields = any.status.as_object().into_iter().flatten();
    let seen = fields.filter(|(field, _)| is_observed_generation(field)).filter_map(|(_, value)| whole_number(value));
    // `generations: {reconciled: 2}`.
    let by_step = any.status.get("generations").and_then(Value::as_object).into_iter().flatten();
    let by_step = by_step.filter(|(step, _)| OBSERVED.contains(&step.as_str()));
    seen.chain(by_step.filter_map(|(_, value)| whole_number(value))).chain(resource.observed_generation).collect()
}

impl StatusSearch<'_> {
    /// Reads the generation that the controller of a part observed. One of another object, such as a Deployment, is its own.
    pub(super) fn check_generation_of_part(&mut self, path: &str, fields: &Map<String, Value>) {
        const OF_ANOTHER: [&str; 8] =
            ["apiVersion", "generation", "group", "kind", "namespace", "resource", "resourceVersion", "uid"];
        let seen = fields.get("observedGeneration").and_then(whole_number);
        let is_of_another = || OF_ANOTHER.iter().any(|key| fields.contains_key(*key));
        if let (Some(seen), Some(now)) = (seen, self.about.generation)
            && seen < now
            && !path.is_empty()
            && !is_of_another()
        {
            self.doubt(format!("{path}.observedGeneration is {seen}, and the generation of the object is {now}"));
        }
    }
}

/// Words for the work of a controller on a generation.
const OBSERVED: [&str; 16] = [
    "last",
    "observed",
    "reconciled",
    "evaluated",
    "processed",
    "seen",
    "applied",
    "synced",
    "deployed",
    "installed",
    "handled",
    "rendered",
    "validated",
    "acknowledged",
    "successful",
    "successfully",
];

/// Returns true for a field with the last generation that a controller observed: `observedGeneration`,
/// `last_reconciled_generation`, `appliedGeneration`.
fn is_observed_generation(field: &str) -> bool {
    let words = tokens(field);
    matches!(words.split_last(), Some((last, others)) if last == "generation"
        && !others.is_empty() && others.iter().all(|word| OBSERVED.contains(&word.as_str())))
}
