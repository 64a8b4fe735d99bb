//! Cells that need more than one field.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde_json::{Value, json};

use ucp_core::model::time::{age, human_duration};

pub(super) const NONE: &str = "<none>";
pub(super) const UNSET: &str = "<unset>";

/// Returns the text at a pointer; empty if there is none.
pub(super) fn text<'a>(object: &'a Value, pointer: &str) -> &'a str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// Returns the number at a pointer, or 0.
pub(super) fn number(object: &Value, pointer: &str) -> i64 {
    object.pointer(pointer).and_then(Value::as_i64).unwrap_or_default()
}

/// Returns the elements at a pointer.
pub(super) fn list<'a>(object: &'a Value, pointer: &str) -> &'a [Value] {
    object.pointer(pointer).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// Returns the number of elements or fields at a pointer.
pub(super) fn count(object: &Value, pointer: &str) -> usize {
    match object.pointer(pointer) {
        Some(Value::Array(elements)) => elements.len(),
        Some(Value::Object(fields)) => fields.len(),
        _ => 0,
    }
}

/// Returns the texts at a pointer in each element, joined by a comma.
pub(super) fn joined(elements: &[Value], pointer: &str) -> String {
    elements.iter().map(|element| text(element, pointer)).collect::<Vec<_>>().join(",")
}

/// Returns the text, or another one if it is empty.
pub(super) fn or<'a>(text: &'a str, other: &'a str) -> &'a str {
    if text.is_empty() { other } else { text }
}

pub(super) fn time(object: &Value, pointer: &str) -> Option<Timestamp> {
    text(object, pointer).parse().ok()
}

/// Returns the age of the time at a pointer.
pub(super) fn age_of(object: &Value, pointer: &str, now: Timestamp) -> String {
    time(object, pointer).map_or_else(|| "<unknown>".to_owned(), |then| age(then, now))
}

/// Returns the status of a condition; `None` if there is no such condition.
pub(super) fn condition<'a>(object: &'a Value, name: &str) -> Option<&'a str> {
    let found = list(object, "/status/conditions").iter().find(|condition| text(condition, "/type") == name)?;
    Some(text(found, "/status"))
}

/// Formats labels as `labels.FormatLabels` does.
pub(super) fn labels(object: &Value, pointer: &str) -> String {
    let pairs = label_pairs(object.pointer(pointer));
    or(&pairs.join(","), NONE).to_owned()
}

fn label_pairs(labels: Option<&Value>) -> Vec<String> {
    let labels: BTreeMap<_, _> = labels.and_then(Value::as_object).into_iter().flatten().collect();
    labels.into_iter().map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default())).collect()
}

/// Formats a label selector as `labels.Selector.String` does; `None` if there is none.
pub(super) fn selector(object: &Value, pointer: &str) -> Option<String> {
    let selector = object.pointer(pointer).filter(|selector| selector.is_object())?;
    let pairs = label_pairs(selector.get("matchLabels"));
    let mut requirements: Vec<(String, String)> =
        pairs.into_iter().map(|pair| (pair.split('=').next().unwrap_or_default().to_owned(), pair)).collect();
    for expression in list(selector, "/matchExpressions") {
        let key = text(expression, "/key");
        let values: BTreeSet<_> = list(expression, "/values").iter().filter_map(Value::as_str).collect();
        let values = values.into_iter().collect::<Vec<_>>().join(",");
        let requirement = match text(expression, "/operator") {
            "In" => format!("{key} in ({values})"),
            "NotIn" => format!("{key} notin ({values})"),
            "DoesNotExist" => format!("!{key}"),
            _ => key.to_owned(),
        };
        requirements.push((key.to_owned(), requirement));
    }
    requirements.sort_by(|one, other| one.0.cmp(&other.0));
    Some(requirements.into_iter().map(|(_, requirement)| requirement).collect::<Vec<_>>().join(","))
}

/// Formats a label selector as `metav1.FormatLabelSelector` does.
pub(super) fn formatted_selector(object: &Value, pointer: &str) -> String {
    or(&selector(object, pointer).unwrap_or_default(), NONE).to_owned()
}

pub(super) fn deletion(object: &Value) -> bool {
    object.pointer("/metadata/deletionTimestamp").is_some()
}

pub(super) fn bool_word(value: Option<&Value>) -> &'static str {
    match value.and_then(Value::as_bool) {
        Some(true) => "True",
        Some(false) => "False",
        None => UNSET,
    }
}

pub(super) fn external_ip(service: &Value) -> String {
    let external = list(service, "/spec/externalIPs").iter().filter_map(Value::as_str).map(str::to_owned);
    let mut addresses = Vec::new();
    let otherwise = match text(service, "/spec/type") {
        "ClusterIP" | "NodePort" => NONE,
        "LoadBalancer" => {
            addresses.extend(ingress_addresses(service));
            "<pending>"
        }
        "ExternalName" => return text(service, "/spec/externalName").to_owned(),
        _ => return "<unknown>".to_owned(),
    };
    addresses.extend(external);
    or(&addresses.join(","), otherwise).to_owned()
}

/// Returns the addresses of a load balancer, sorted.
pub(super) fn ingress_addresses(object: &Value) -> BTreeSet<String> {
    let ingress = list(object, "/status/loadBalancer/ingress").iter();
    ingress.map(|one| or(text(one, "/ip"), text(one, "/hostname")).to_owned()).filter(|one| !one.is_empty()).collect()
}

pub(super) fn service_ports(service: &Value) -> String {
    let port = |port: &Value| {
        let (number, node, protocol) = (number(port, "/port"), number(port, "/nodePort"), text(port, "/protocol"));
        if node > 0 { format!("{number}:{node}/{protocol}") } else { format!("{number}/{protocol}") }
    };
    let ports = list(service, "/spec/ports").iter().map(port).collect::<Vec<_>>().join(",");
    or(&ports, NONE).to_owned()
}

pub(super) fn ingress_hosts(ingress: &Value) -> String {
    let rules = list(ingress, "/spec/rules");
    let hosts: Vec<_> = rules.iter().map(|rule| text(rule, "/host")).filter(|host| !host.is_empty()).collect();
    match hosts.as_slice() {
        [] => "*".to_owned(),
        [one, two, three, _, ..] => format!("{one},{two},{three} + {} more...", rules.len() - 3),
        few => few.join(","),
    }
}

/// Joins the first three texts, and adds the number of the others.
pub(super) fn first_three(texts: &[String], otherwise: &str) -> String {
    match texts {
        [] => otherwise.to_owned(),
        [one, two, three, rest @ ..] if !rest.is_empty() => format!("{one},{two},{three} + {} more...", rest.len()),
        few => few.join(","),
    }
}

pub(super) fn endpoints(endpoints: &Value) -> String {
    let mut all = Vec::new();
    for subset in list(endpoints, "/subsets") {
        let addresses: Vec<_> = list(subset, "/addresses").iter().map(|address| text(address, "/ip")).collect();
        let ports = list(subset, "/ports");
        if ports.is_empty() {
            all.extend(addresses.iter().map(|&address| address.to_owned()));
        }
        for port in ports.iter().map(|port| number(port, "/port")) {
            all.extend(addresses.iter().map(|address| match address.contains(':') {
                true => format!("[{address}]:{port}"),
                false => format!("{address}:{port}"),
            }));
        }
    }
    first_three(&all, if count(endpoints, "/subsets") == 0 { NONE } else { "" })
}

pub(super) fn slice_ports(slice: &Value) -> String {
    let port = |port: &Value| match port.get("port").and_then(Value::as_i64) {
        Some(number) => number.to_string(),
        None => or(text(port, "/name"), "*").to_owned(),
    };
    first_three(&list(slice, "/ports").iter().map(port).collect::<Vec<_>>(), UNSET)
}

pub(super) fn slice_endpoints(slice: &Value) -> String {
    let addresses = list(slice, "/endpoints").iter().flat_map(|endpoint| list(endpoint, "/addresses"));
    first_three(&addresses.filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>(), UNSET)
}

pub(super) fn node_status(node: &Value) -> String {
    let ready = match condition(node, "Ready") {
        Some("True") => "Ready",
        Some(_) => "NotReady",
        None => "Unknown",
    };
    let is_closed = node.pointer("/spec/unschedulable") == Some(&json!(true));
    if is_closed { format!("{ready},SchedulingDisabled") } else { ready.to_owned() }
}

pub(super) fn node_roles(node: &Value) -> String {
    let labels = node.pointer("/metadata/labels").and_then(Value::as_object);
    let roles: BTreeSet<_> = labels
        .into_iter()
        .flatten()
        .filter_map(|(key, value)| match key.strip_prefix("node-role.kubernetes.io/") {
            Some(role) => Some(role),
            None if key == "kubernetes.io/role" => value.as_str(),
            None => None,
        })
        .filter(|role| !role.is_empty())
        .collect();
    or(&roles.into_iter().collect::<Vec<_>>().join(","), NONE).to_owned()
}

pub(super) fn node_address(node: &Value, of: &str) -> String {
    let found = list(node, "/status/addresses").iter().find(|address| text(address, "/type") == of);
    or(found.map(|address| text(address, "/address")).unwrap_or_default(), NONE).to_owned()
}

pub(super) fn kernel(node: &Value) -> String {
    let (kernel, architecture) =
        (text(node, "/status/nodeInfo/kernelVersion"), text(node, "/status/nodeInfo/architecture"));
    let kernel = or(kernel, "<unknown>");
    if architecture.is_empty() { kernel.to_owned() } else { format!("{kernel} ({architecture})") }
}

pub(super) fn access_modes(modes: &[Value]) -> String {
    let modes: Vec<_> = modes.iter().filter_map(Value::as_str).collect();
    let short =
        [("ReadWriteOnce", "RWO"), ("ReadOnlyMany", "ROX"), ("ReadWriteMany", "RWX"), ("ReadWriteOncePod", "RWOP")];
    short.iter().filter(|(mode, _)| modes.contains(mode)).map(|(_, short)| *short).collect::<Vec<_>>().join(",")
}

pub(super) fn storage_class(object: &Value) -> String {
    let annotations = object.pointer("/metadata/annotations");
    let beta = annotations.and_then(|all| all.get("volume.beta.kubernetes.io/storage-class")).and_then(Value::as_str);
    beta.unwrap_or_else(|| text(object, "/spec/storageClassName")).to_owned()
}

pub(super) fn phase_or_terminating(object: &Value) -> &str {
    if deletion(object) { "Terminating" } else { text(object, "/status/phase") }
}

pub(super) fn claim_field<'a>(claim: &'a Value, value: &'a str) -> &'a str {
    if text(claim, "/spec/volumeName").is_empty() { "" } else { value }
}

/// Returns the name, marked if an annotation makes it the default.
pub(super) fn name_with_default(object: &Value, annotations: &[&str]) -> String {
    let name = text(object, "/metadata/name");
    let all = object.pointer("/metadata/annotations");
    let is_default =
        annotations.iter().any(|annotation| all.and_then(|all| all.get(*annotation)) == Some(&json!("true")));
    if is_default { format!("{name} (default)") } else { name.to_owned() }
}

pub(super) fn ingress_parameters(class: &Value) -> String {
    let Some(parameters) = class.pointer("/spec/parameters") else { return NONE.to_owned() };
    let group = parameters.get("apiGroup").and_then(Value::as_str).map(|group| format!(".{group}")).unwrap_or_default();
    format!("{}{group}/{}", text(parameters, "/kind"), text(parameters, "/name"))
}

pub(super) fn job_status(job: &Value) -> &'static str {
    let first_true = |names: &[&'static str]| names.iter().copied().find(|name| condition(job, name) == Some("True"));
    match first_true(&["Complete", "Failed"]) {
        Some(end) => end,
        None if deletion(job) => "Terminating",
        None => first_true(&["Suspended", "FailureTarget", "SuccessCriteriaMet"]).unwrap_or("Running"),
    }
}

pub(super) fn job_completions(job: &Value) -> String {
    let (succeeded, parallelism) = (number(job, "/status/succeeded"), number(job, "/spec/parallelism"));
    match job.pointer("/spec/completions").and_then(Value::as_i64) {
        Some(completions) => format!("{succeeded}/{completions}"),
        None if parallelism > 1 => format!("{succeeded}/1 of {parallelism}"),
        None => format!("{succeeded}/1"),
    }
}

pub(super) fn job_duration(job: &Value, now: Timestamp) -> String {
    let Some(start) = time(job, "/status/startTime") else { return String::new() };
    let end = time(job, "/status/completionTime").unwrap_or(now);
    human_duration(end.as_second() - start.as_second())
}

pub(super) fn request_status(request: &Value) -> String {
    let has = |name: &str| condition(request, name).is_some();
    let mut status = if has("Denied") {
        "Denied".to_owned()
    } else if has("Approved") {
        "Approved".to_owned()
    } else {
        "Pending".to_owned()
    };
    if has("Failed") {
        status += ",Failed";
    }
    if !text(request, "/status/certificate").is_empty() {
        status += ",Issued";
    }
    status
}

pub(super) fn subjects(binding: &Value, kind: &str) -> String {
    let of_kind = list(binding, "/subjects").iter().filter(|subject| text(subject, "/kind") == kind);
    let name = |subject: &Value| match kind {
        "ServiceAccount" => format!("{}/{}", text(subject, "/namespace"), text(subject, "/name")),
        _ => text(subject, "/name").to_owned(),
    };
    of_kind.map(name).collect::<Vec<_>>().join(", ")
}

/// Returns the quotas whose names begin with `limits.`, or the others.
pub(super) fn quotas(quota: &Value, are_limits: bool) -> String {
    let hard: BTreeMap<_, _> = quota.pointer("/status/hard").and_then(Value::as_object).into_iter().flatten().collect();
    let used = quota.pointer("/status/used");
    let chosen = hard.into_iter().filter(|(name, _)| name.starts_with("limits.") == are_limits);
    let amount = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or("0").to_owned();
    chosen
        .map(|(name, hard)| format!("{name}: {}/{}", amount(used.and_then(|used| used.get(name))), amount(Some(hard))))
        .collect::<Vec<_>>()
        .join(", ")
}

pub(super) fn controller_of(object: &Value) -> String {
    let owner = list(object, "/metadata/ownerReferences").iter().find(|owner| owner["controller"] == json!(true));
    let Some(owner) = owner else { return NONE.to_owned() };
    let kind = text(owner, "/kind").to_ascii_lowercase();
    let group = ucp_core::model::object::group_of(text(owner, "/apiVersion"));
    let kind = if group.is_empty() { kind } else { format!("{kind}.{group}") };
    format!("{kind}/{}", text(owner, "/name"))
}

/// Returns the API service's backend.
pub(super) fn backend(service: &Value) -> String {
    match service.pointer("/spec/service").filter(|backend| backend.is_object()) {
        Some(backend) => format!("{}/{}", text(backend, "/namespace"), text(backend, "/name")),
        None => "Local".to_owned(),
    }
}

pub(super) fn availability(service: &Value) -> String {
    let found = list(service, "/status/conditions").iter().find(|condition| text(condition, "/type") == "Available");
    let Some(found) = found else { return "Unknown".to_owned() };
    match text(found, "/status") {
        "True" => "True".to_owned(),
        status => format!("{status} ({})", text(found, "/reason")),
    }
}

pub(super) fn parameter_kind(policy: &Value) -> String {
    match policy.pointer("/spec/paramKind") {
        Some(kind) => format!("{}/{}", text(kind, "/apiVersion"), text(kind, "/kind")),
        None => UNSET.to_owned(),
    }
}

pub(super) fn parameter_reference(binding: &Value) -> String {
    let name = text(binding, "/spec/paramRef/name");
    let namespace = or(text(binding, "/spec/paramRef/namespace"), "*");
    if name.is_empty() { UNSET.to_owned() } else { format!("{namespace}/{name}") }
}

pub(super) fn event_target(event: &Value) -> String {
    let kind = text(event, "/involvedObject/kind").to_ascii_lowercase();
    let name = text(event, "/involvedObject/name");
    if name.is_empty() { kind } else { format!("{kind}/{name}") }
}

pub(super) fn first_seen(event: &Value, now: Timestamp) -> String {
    match time(event, "/firstTimestamp") {
        Some(then) => age(then, now),
        None => age_of(event, "/eventTime", now),
    }
}

pub(super) fn last_seen(event: &Value, now: Timestamp) -> String {
    if event.get("series").is_some_and(Value::is_object) {
        return age_of(event, "/series/lastObservedTime", now);
    }
    time(event, "/lastTimestamp").map_or_else(|| first_seen(event, now), |then| age(then, now))
}

pub(super) fn event_count(event: &Value) -> i64 {
    match event.pointer("/series/count").and_then(Value::as_i64) {
        Some(count) => count,
        None => number(event, "/count").max(1),
    }
}

pub(super) fn event_source(event: &Value) -> String {
    let component = or(text(event, "/source/component"), text(event, "/reportingComponent"));
    let instance = or(text(event, "/source/host"), text(event, "/reportingInstance"));
    if instance.is_empty() { component.to_owned() } else { format!("{component}, {instance}") }
}

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

pub(super) fn parent_reference(address: &Value) -> String {
    let Some(parent) = address.pointer("/spec/parentRef") else { return NONE.to_owned() };
    let (group, resource) = (text(parent, "/group"), text(parent, "/resource"));
    let kind = if group.is_empty() { resource.to_owned() } else { format!("{resource}.{group}") };
    let namespace = text(parent, "/namespace");
    let place = if namespace.is_empty() { String::new() } else { format!("/{namespace}") };
    format!("{}{place}/{}", kind.to_lowercase(), text(parent, "/name"))
}
