//! Webhooks whose outage makes the API server reject requests.

use serde_json::Value;

use super::{CheckFinding, CheckFindings, DoctorCheck, DoctorFacts, FindingSeverity, RequiredData, whole_object};
use ucp_core::engine::code::Code;
use ucp_core::model::resource::Resource;
use ucp_core::model::shell::quote_word;

const GROUP: &str = "admissionregistration.k8s.io";
const KINDS: [&str; 2] = ["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"];

pub(super) const CHECKS: &[DoctorCheck] = &[DoctorCheck {
    name: "webhook-services",
    codes: &[Code::WebhookDown],
    reads: &[RequiredData::Always(GROUP, KINDS[0]), RequiredData::Always(GROUP, KINDS[1])],
    run: webhook_services,
}];

/// The endpoints of a Service.
enum ServiceEndpoints {
    Ready,
    Missing(String),
    Unseen(&'static str),
}

fn webhook_services(facts: &DoctorFacts<'_>) -> CheckFindings {
    let mut answer = CheckFindings::default();
    for configuration in KINDS.into_iter().flat_map(|kind| facts.of_kind(GROUP, kind)) {
        let webhooks = whole_object(configuration).get("webhooks").and_then(Value::as_array).into_iter().flatten();
        for webhook in webhooks.filter(|webhook| webhook.get("failurePolicy").and_then(Value::as_str) != Some("Ignore"))
        {
            let name = webhook.get("name").and_then(Value::as_str).unwrap_or_default();
            let Some((namespace, service)) = service_of(webhook) else { continue };
            match service_endpoints(facts, namespace, service) {
                ServiceEndpoints::Ready => {}
                ServiceEndpoints::Unseen(what) => {
                    answer.unknown.push(format!("no {what} was read, so its endpoints are unknown"))
                }
                ServiceEndpoints::Missing(why) => {
                    let evidence = format!("webhook {name} has failurePolicy Fail, and {why}");
                    let found =
                        CheckFinding::new(Code::WebhookDown, FindingSeverity::Error, configuration.name(), evidence);
                    let command = format!("kubectl get service,endpointslices,pods -n {}", quote_word(namespace));
                    answer.found.push(found.with_command(command));
                }
            }
        }
    }
    answer
}

fn service_of(webhook: &Value) -> Option<(&str, &str)> {
    let service = webhook.pointer("/clientConfig/service")?;
    Some((service.get("namespace")?.as_str()?, service.get("name")?.as_str()?))
}

fn service_endpoints(facts: &DoctorFacts<'_>, namespace: &str, service: &str) -> ServiceEndpoints {
    let is_in = |resource: &Resource| resource.metadata.namespace.as_deref() == Some(namespace);
    let slices: Vec<_> = facts
        .of_kind("discovery.k8s.io", "EndpointSlice")
        .filter(|slice| is_in(slice) && slice.metadata.label("kubernetes.io/service-name") == Some(service))
        .collect();
    if slices.iter().any(|slice| has_ready(whole_object(slice))) {
        return ServiceEndpoints::Ready;
    }
    if !facts.state.has_read("", "Service") {
        return ServiceEndpoints::Unseen("Service");
    }
    if !facts.of_kind("", "Service").any(|known| is_in(known) && known.metadata.name == service) {
        return ServiceEndpoints::Missing(format!("Service {namespace}/{service} does not exist"));
    }
    if !facts.state.has_read("discovery.k8s.io", "EndpointSlice") {
        return ServiceEndpoints::Unseen("EndpointSlice");
    }
    ServiceEndpoints::Missing(format!("Service {namespace}/{service} has no ready endpoint"))
}

/// Returns true if an endpoint is ready; an absent `ready` counts as true.
fn has_ready(slice: &Value) -> bool {
    let endpoints = slice.get("endpoints").and_then(Value::as_array).into_iter().flatten();
    endpoints.into_iter().any(|one| one.pointer("/conditions/ready").and_then(Value::as_bool).unwrap_or(true))
}
