//! Admission webhooks: the requests that they are called for, and whether the Service behind them answers.

use serde_json::Value;

use crate::model::admission::{
    AdmissionCall, AdmissionRequest, AdmissionScope, GROUP, NamespaceIndex, call_by_conditions, list, of_kind,
    whole_object,
};
use crate::model::resource::Resource;
use crate::model::state::ClusterState;

/// The kinds of the configurations.
pub const KINDS: [&str; 2] = ["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"];
/// The group and kind of the endpoints of a Service.
pub const ENDPOINTS: (&str, &str) = ("discovery.k8s.io", "EndpointSlice");

/// A webhook of a configuration.
#[derive(Debug, Clone, Copy)]
pub struct AdmissionWebhook<'a> {
    /// Its configuration.
    pub configuration: &'a Resource,
    webhook: &'a Value,
}

/// The endpoints of a Service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServiceEndpoints {
    /// At least one is ready.
    Ready,
    /// There are none, for this reason.
    Missing(String),
    /// Objects of this kind were not read.
    Unseen(&'static str),
}

/// Returns all webhooks of a cluster.
pub fn list_webhooks(state: &ClusterState) -> impl Iterator<Item = AdmissionWebhook<'_>> {
    let configurations = KINDS.into_iter().flat_map(|kind| of_kind(state, GROUP, kind));
    configurations.flat_map(|configuration| {
        let webhooks = configuration.whole.as_deref().and_then(|whole| whole.get("webhooks")?.as_array());
        webhooks.into_iter().flatten().map(move |webhook| AdmissionWebhook { configuration, webhook })
    })
}

impl<'a> AdmissionWebhook<'a> {
    /// Returns its name.
    pub fn name(&self) -> &'a str {
        self.webhook.get("name").and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns true if requests are refused while it does not answer.
    pub fn is_required(&self) -> bool {
        self.webhook.get("failurePolicy").and_then(Value::as_str) != Some("Ignore")
    }

    /// Returns namespace and name of its Service; `None` if it is called by a URL.
    pub fn service(&self) -> Option<(&'a str, &'a str)> {
        let service = self.webhook.pointer("/clientConfig/service")?;
        Some((service.get("namespace")?.as_str()?, service.get("name")?.as_str()?))
    }

    /// Returns the path at which it is called.
    pub fn path(&self) -> Option<&'a str> {
        let text = |pointer: &str| self.webhook.pointer(pointer).and_then(Value::as_str);
        text("/clientConfig/service/path").or_else(|| {
            let (_, address) = text("/clientConfig/url")?.split_once("://")?;
            address.find('/').map(|start| &address[start..]).and_then(|path| path.split('?').next())
        })
    }

    /// Returns true if it selects namespaces by their labels.
    pub fn selects_namespaces(&self) -> bool {
        AdmissionScope::Webhook(self.webhook).selects_namespaces()
    }

    /// Returns whether it is called for the deletion of an object.
    pub fn call_for_deletion(&self, resource: &Resource, namespaces: &NamespaceIndex<'_>) -> AdmissionCall {
        let call = AdmissionScope::Webhook(self.webhook).call(&AdmissionRequest::deletion(resource, None), namespaces);
        if call == AdmissionCall::Never || list(self.webhook, "matchConditions").next().is_none() {
            return call;
        }
        let whole = whole_object(resource);
        call.min(call_by_conditions(self.webhook, &AdmissionRequest::deletion(resource, whole.as_ref())))
    }
}

/// Returns the state of the endpoints of a Service.
pub fn service_endpoints(state: &ClusterState, namespace: &str, service: &str) -> ServiceEndpoints {
    let is_in = |resource: &Resource| resource.metadata.namespace.as_deref() == Some(namespace);
    let mut slices = of_kind(state, ENDPOINTS.0, ENDPOINTS.1)
        .filter(|slice| is_in(slice) && slice.metadata.label("kubernetes.io/service-name") == Some(service));
    if slices.any(|slice| slice.whole.as_deref().is_some_and(has_ready)) {
        return ServiceEndpoints::Ready;
    }
    if !state.has_read("", "Service") {
        return ServiceEndpoints::Unseen("Service");
    }
    if !of_kind(state, "", "Service").any(|known| is_in(known) && known.metadata.name == service) {
        return ServiceEndpoints::Missing(format!("Service {namespace}/{service} does not exist"));
    }
    if !state.has_read(ENDPOINTS.0, ENDPOINTS.1) {
        return ServiceEndpoints::Unseen(ENDPOINTS.1);
    }
    ServiceEndpoints::Missing(format!("Service {namespace}/{service} has no ready endpoint"))
}

/// Returns true if an endpoint is ready; an absent `ready` counts as true.
fn has_ready(slice: &Value) -> bool {
    list(slice, "endpoints").any(|one| one.pointer("/conditions/ready").and_then(Value::as_bool).unwrap_or(true))
}
