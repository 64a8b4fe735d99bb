//! The times of a snapshot, as if it had been taken just now.

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

/// Moves every time in `objects` by as much as makes the newest one now. A live cluster is judged by the clock, so work
/// that was in progress for five minutes in the snapshot is so again.
pub fn move_to_now(objects: &mut [Value]) {
    let mut newest = Timestamp::MIN;
    for object in objects.iter_mut() {
        visit(object, &mut |time| {
            newest = newest.max(time);
            time
        });
    }
    let seconds = Timestamp::now().as_second() - newest.as_second();
    for object in objects {
        visit(object, &mut |time| time + SignedDuration::from_secs(seconds));
    }
}

/// Replaces times as Kubernetes writes them: UTC, to the second.
fn visit(value: &mut Value, replace: &mut dyn FnMut(Timestamp) -> Timestamp) {
    match value {
        Value::Object(fields) => fields.values_mut().for_each(|value| visit(value, replace)),
        Value::Array(items) => items.iter_mut().for_each(|item| visit(item, replace)),
        Value::String(text) if text.len() == "2026-11-20T09:00:00Z".len() && text.ends_with('Z') => {
            if let Ok(time) = text.parse() {
                *text = replace(time).to_string();
            }
        }
        _ => {}
    }
}
