//! Converts the facts about an object to the plan's item.

use serde_json::Value;

use crate::plan::examine::ExaminedChange;
use crate::plan::external;
use crate::plan::outcome::{PlanItem, PlannedFieldChange, ServerCheck};
use ucp_client::prediction::difference::field_changes;
use ucp_core::model::object::ObjectName;
use ucp_core::model::secrecy::SecretHider;

/// Returns the plan's item for an object, without secret values.
pub(super) fn plan_item(
    examined: ExaminedChange,
    cluster: Option<String>,
    deployed_by: ObjectName,
    hider: &mut SecretHider,
) -> PlanItem {
    let ExaminedChange { mut planned, action, check, mut message, mut before, mut after, immutable, .. } = examined;
    let mut refusals = examined.refusals;
    let messages = refusals.iter_mut().map(|refusal| &mut refusal.message);
    message.iter_mut().chain(&mut planned.notes).chain(messages).for_each(|text| hider.hide_text(text));
    for object in [&mut before, &mut after].into_iter().flatten() {
        hider.hide(object);
    }
    let nothing = Value::Object(serde_json::Map::new());
    let found = match &after {
        Some(after) => field_changes(before.as_ref().unwrap_or(&nothing), after),
        None => Vec::new(),
    };
    let found = found.into_iter().map(|difference| PlannedFieldChange {
        external: examined.is_managed && after.as_ref().is_some_and(|after| external::is_external(&difference, after)),
        immutable: immutable.get(&difference.path.to_string()).cloned(),
        difference,
    });
    PlanItem {
        object: planned.object,
        cluster,
        deployed_by,
        resource: None,
        action,
        check,
        message: message.filter(|text| !text.is_empty()),
        differences: found.collect(),
        // A rejected change has no external effect.
        external: examined.external.filter(|_| check != ServerCheck::Rejected),
        composed: examined.composed,
        unevaluated: examined.unevaluated,
        refusals,
        notes: planned.notes,
        before,
        after,
    }
}
