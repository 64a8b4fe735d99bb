//! Cells that need more than one field.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde_json::{Value, json};

use super::fields::{NONE, UNSET, age_of, condition, count, deletion, list, number, or, text, time};
use ucp_core::model::time::{age, human_duration};

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

pub(super) fn parent_reference(address: &Value) -> String {
    let Some(parent) = address.pointer("/spec/parentRef") else { return NONE.to_owned() };
    let (group, resource) = (text(parent, "/group"), text(parent, "/resource"));
    let kind = if group.is_empty() { resource.to_owned() } else { format!("{resource}.{group}") };
    let namespace = text(parent, "/namespace");
    let place = if namespace.is_empty() { String::new() } else { format!("/{namespace}") };
    format!("{}{place}/{}", kind.to_lowercase(), text(parent, "/name"))
}
