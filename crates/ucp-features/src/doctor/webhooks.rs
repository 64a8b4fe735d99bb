//! Webhooks whose outage makes the API server reject requests.

use super::check::{CheckFinding, CheckFindings, DoctorCheck, FindingSeverity, RequiredData};
use super::facts::DoctorFacts;
use ucp_core::engine::code::Code;
use ucp_core::model::admission::GROUP;
use ucp_core::model::shell::quote_word;
use ucp_core::model::webhook::{AdmissionWebhook, KINDS, ServiceEndpoints, list_webhooks, service_endpoints};

pub(super) const CHECKS: &[DoctorCheck] = &[DoctorCheck {
    name: "webhook-services",
    codes: &[Code::WebhookDown],
    reads: &[RequiredData::Always(GROUP, KINDS[0]), RequiredData::Always(GROUP, KINDS[1])],
    run: webhook_services,
}];

fn webhook_services(facts: &DoctorFacts<'_>) -> CheckFindings {
    let mut answer = CheckFindings::default();
    for webhook in list_webhooks(facts.state).filter(AdmissionWebhook::is_required) {
        let Some((namespace, service)) = webhook.service() else { continue };
        match service_endpoints(facts.state, namespace, service) {
            ServiceEndpoints::Ready => {}
            ServiceEndpoints::Unseen(what) => {
                answer.unknown.push(format!("no {what} was read, so its endpoints are unknown"))
            }
            ServiceEndpoints::Missing(why) => {
                let evidence = format!("webhook {} has failurePolicy Fail, and {why}", webhook.name());
                let object = webhook.configuration.name();
                let found = CheckFinding::new(Code::WebhookDown, FindingSeverity::Error, object, evidence);
                let command = format!("kubectl get service,endpointslices,pods -n {}", quote_word(namespace));
                answer.found.push(found.with_command(command));
            }
        }
    }
    answer
}
