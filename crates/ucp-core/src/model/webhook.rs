//! Admission webhooks: the requests that they are called for, and whether the Service behind them answers.

use serde_json::Value;

use crate::model::kind::{ResourceKind, ResourceScope};
use crate::model::metadata::Metadata;
use crate::model::resource::Resource;
use crate::model::state::ClusterState;

/// The API group of the configurations.
pub const GROUP: &str = "admissionregistration.k8s.io";
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

/// Whether a webhook is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WebhookCall {
    /// It is not called.
    Never,
    /// Its conditions are not covered, or the labels of the namespace are unknown.
    Possible,
    /// It is called.
    Certain,
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
        self.webhook.get("namespaceSelector").is_some_and(|selector| !selects_all(selector))
    }

    /// Returns whether it is called for the deletion of an object.
    pub fn call_for_deletion(&self, resource: &Resource, state: &ClusterState) -> WebhookCall {
        let kind = &resource.kind;
        let mut rules = list(self.webhook, "rules");
        // The API server never calls a webhook for the configurations of webhooks.
        if kind.group == GROUP || !rules.any(|rule| is_for_deletion(rule, kind)) {
            return WebhookCall::Never;
        }
        if !self.webhook.get("objectSelector").is_none_or(|selector| selects(selector, &resource.metadata)) {
            return WebhookCall::Never;
        }
        let by_namespace = match self.webhook.get("namespaceSelector").filter(|selector| !selects_all(selector)) {
            None => WebhookCall::Certain,
            Some(selector) => call_in_namespace(selector, resource, state),
        };
        match self.webhook.get("matchConditions").and_then(Value::as_array).is_some_and(|all| !all.is_empty()) {
            true => by_namespace.min(WebhookCall::Possible),
            false => by_namespace,
        }
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

fn of_kind<'a>(state: &'a ClusterState, group: &'a str, kind: &'a str) -> impl Iterator<Item = &'a Resource> {
    state.resources.iter().filter(move |one| one.kind.group == group && one.kind.kind == kind)
}

/// Returns true if an endpoint is ready; an absent `ready` counts as true.
fn has_ready(slice: &Value) -> bool {
    list(slice, "endpoints").any(|one| one.pointer("/conditions/ready").and_then(Value::as_bool).unwrap_or(true))
}

fn list<'a>(value: &'a Value, field: &str) -> impl Iterator<Item = &'a Value> {
    value.get(field).and_then(Value::as_array).into_iter().flatten()
}

/// Returns true if a rule covers deletions of a kind. Versions are equivalent, by the default of `matchPolicy`.
fn is_for_deletion(rule: &Value, kind: &ResourceKind) -> bool {
    let names =
        |field: &str, wanted: &[&str]| list(rule, field).filter_map(Value::as_str).any(|name| wanted.contains(&name));
    let scope = rule.get("scope").and_then(Value::as_str).unwrap_or("*");
    let is_scope = match kind.scope {
        ResourceScope::Namespaced => scope != "Cluster",
        ResourceScope::Cluster => scope != "Namespaced",
    };
    is_scope
        && names("operations", &["DELETE", "*"])
        && names("apiGroups", &["*", &kind.group])
        && names("resources", &["*", "*/*", &kind.plural])
}

fn selects_all(selector: &Value) -> bool {
    ["matchLabels", "matchExpressions"].into_iter().all(|field| match selector.get(field) {
        None | Some(Value::Null) => true,
        Some(Value::Object(labels)) => labels.is_empty(),
        Some(Value::Array(expressions)) => expressions.is_empty(),
        Some(_) => false,
    })
}

/// Returns true if a `metav1.LabelSelector` selects an object.
fn selects(selector: &Value, metadata: &Metadata) -> bool {
    let labels = selector.get("matchLabels").and_then(Value::as_object);
    let has_labels = labels.is_none_or(|labels| {
        labels.iter().all(|(key, value)| metadata.label(key).is_some() && metadata.label(key) == value.as_str())
    });
    has_labels
        && list(selector, "matchExpressions").all(|expression| {
            let text = |field: &str| expression.get(field).and_then(Value::as_str).unwrap_or_default();
            let label = metadata.label(text("key"));
            let is_listed =
                || label.is_some_and(|label| list(expression, "values").any(|value| value.as_str() == Some(label)));
            match text("operator") {
                "In" => is_listed(),
                "NotIn" => !is_listed(),
                "Exists" => label.is_some(),
                "DoesNotExist" => label.is_none(),
                _ => false,
            }
        })
}

fn call_in_namespace(selector: &Value, resource: &Resource, state: &ClusterState) -> WebhookCall {
    let metadata = match resource.metadata.namespace.as_deref() {
        None if resource.kind.is_namespace() => Some(&resource.metadata),
        // Selectors of namespaces do not apply to other cluster-scoped objects.
        None => return WebhookCall::Certain,
        Some(name) => {
            let mut known = state.resources.iter().filter(|one| one.kind.is_namespace());
            known.find(|one| one.metadata.name == name).map(|one| &one.metadata)
        }
    };
    match metadata.map(|metadata| selects(selector, metadata)) {
        Some(true) => WebhookCall::Certain,
        Some(false) => WebhookCall::Never,
        None => WebhookCall::Possible,
    }
}
