//! The targets of HorizontalPodAutoscalers.

use serde_json::Value;

use super::fields::{NONE, list, text};

/// Returns the targets of a HorizontalPodAutoscaler.
pub(super) fn targets(autoscaler: &Value) -> String {
    let (specs, statuses) = (list(autoscaler, "/spec/metrics"), list(autoscaler, "/status/currentMetrics"));
    let targets: Vec<_> = specs.iter().enumerate().map(|(index, spec)| target(spec, statuses.get(index))).collect();
    match targets.as_slice() {
        [] => NONE.to_owned(),
        [one, two, rest @ ..] if !rest.is_empty() => format!("{one}, {two} + {} more...", rest.len()),
        few => few.join(", "),
    }
}

fn target(spec: &Value, status: Option<&Value>) -> String {
    let (field, is_of_resource) = match text(spec, "/type") {
        "External" => ("external", false),
        "Pods" => ("pods", false),
        "Object" => ("object", false),
        "Resource" => ("resource", true),
        "ContainerResource" => ("containerResource", true),
        _ => return "<unknown type>".to_owned(),
    };
    let (spec, status) = (spec.get(field).unwrap_or(&Value::Null), status.and_then(|status| status.get(field)));
    let current = |name: &str| {
        let value = status.and_then(|status| status.pointer(&format!("/current/{name}")));
        value.map_or_else(
            || "<unknown>".to_owned(),
            |value| value.as_str().map_or_else(|| value.to_string(), str::to_owned),
        )
    };
    let prefix = if is_of_resource { format!("{}: ", text(spec, "/name")) } else { String::new() };
    let average = text(spec, "/target/averageValue");
    if !average.is_empty() {
        let suffix = if matches!(field, "external" | "object") { " (avg)" } else { "" };
        return format!("{prefix}{}/{average}{suffix}", current("averageValue"));
    }
    if !is_of_resource {
        return format!("{}/{}", current("value"), text(spec, "/target/value"));
    }
    let percent = |value: String| if value.starts_with('<') { value } else { format!("{value}%") };
    let wanted = spec.pointer("/target/averageUtilization").map_or_else(|| "<auto>".to_owned(), Value::to_string);
    format!("{prefix}{}/{}", percent(current("averageUtilization")), percent(wanted))
}
