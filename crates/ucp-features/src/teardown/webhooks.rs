//! Admission webhooks for deletions: those that do not answer refuse them, and that of Crossplane enforces Usages.

use super::deletion_item::DeletionBlock;
use ucp_core::engine::code::Code;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::resource::Resource;
use ucp_core::model::shell::quote_word;
use ucp_core::model::state::{ClusterState, Origin, Unreadable};
use ucp_core::model::webhook::{
    AdmissionWebhook, ENDPOINTS, GROUP, KINDS, ServiceEndpoints, WebhookCall, list_webhooks, service_endpoints,
};

/// The path at which Crossplane's webhook for Usages is called, in all of its versions.
const NO_USAGES: &str = "/validate-no-usages";

/// Returns true for the configurations of webhooks.
pub(super) fn is_configuration(kind: &ResourceKind) -> bool {
    kind.group == GROUP && KINDS.contains(&kind.kind.as_str())
}

/// Returns the kinds that show whether the webhooks for the deletion of some objects answer.
pub(super) fn required_kinds<'a>(
    state: &ClusterState,
    mut going: impl Iterator<Item = &'a Resource>,
) -> Vec<(&'static str, &'static str)> {
    let required = list_webhooks(state).filter(|webhook| webhook.is_required() && webhook.service().is_some());
    let required: Vec<AdmissionWebhook<'_>> = required.collect();
    let is_called =
        |one: &Resource| required.iter().any(|webhook| webhook.call_for_deletion(one, state) != WebhookCall::Never);
    if required.is_empty() || !going.any(is_called) {
        return Vec::new();
    }
    let namespaces = required.iter().any(AdmissionWebhook::selects_namespaces).then_some(("", "Namespace"));
    [("", "Service"), ENDPOINTS].into_iter().chain(namespaces).collect()
}

/// Required webhooks without an endpoint, with the reason.
pub(super) struct UnansweredWebhooks<'a>(Vec<(AdmissionWebhook<'a>, String)>);

impl<'a> UnansweredWebhooks<'a> {
    /// Finds those of a cluster.
    pub(super) fn from_state(state: &'a ClusterState) -> Self {
        let required = list_webhooks(state).filter(AdmissionWebhook::is_required);
        let unanswered = required.filter_map(|webhook| {
            let (namespace, service) = webhook.service()?;
            match service_endpoints(state, namespace, service) {
                ServiceEndpoints::Missing(why) => Some((webhook, why)),
                ServiceEndpoints::Ready | ServiceEndpoints::Unseen(_) => None,
            }
        });
        Self(unanswered.collect())
    }

    /// Returns the block of an object whose deletion is refused.
    pub(super) fn block(&self, state: &ClusterState, resource: &Resource) -> Option<DeletionBlock> {
        let (webhook, why) = self.called(state, resource, WebhookCall::Certain)?;
        let (namespace, _) = webhook.service()?;
        Some(DeletionBlock {
            code: Code::DeletionWebhookDown,
            reason: format!("webhook {} refuses its deletion: its failurePolicy is Fail, and {why}", webhook.name()),
            command: format!("kubectl get service,endpointslices,pods -n {}", quote_word(namespace)),
        })
    }

    /// Returns the reason why it is unknown whether a deletion is refused.
    pub(super) fn doubt(&self, state: &ClusterState, resource: &Resource) -> Option<String> {
        let (webhook, why) = self.called(state, resource, WebhookCall::Possible)?;
        Some(format!("webhook {} may refuse its deletion: its failurePolicy is Fail, and {why}", webhook.name()))
    }

    fn called(
        &self,
        state: &ClusterState,
        resource: &Resource,
        call: WebhookCall,
    ) -> Option<&(AdmissionWebhook<'a>, String)> {
        self.0.iter().find(|(webhook, _)| webhook.call_for_deletion(resource, state) == call)
    }
}

/// Returns the reason why a Usage does not protect an object: no webhook is called for its deletion. Crossplane's webhook only
/// selects objects with a label that its controller sets.
pub(super) fn unenforced_reason(state: &ClusterState, resource: &Resource) -> Option<String> {
    if !state.has_read(GROUP, KINDS[0]) {
        return None;
    }
    let mut usages = list_webhooks(state).filter(|webhook| webhook.path() == Some(NO_USAGES)).peekable();
    if usages.peek().is_none() {
        return Some("the cluster has no webhook for Usages".to_owned());
    }
    let is_called = usages.any(|webhook| webhook.call_for_deletion(resource, state) != WebhookCall::Never);
    (!is_called).then(|| {
        "the webhook for Usages does not select the object, which has no label crossplane.io/in-use".to_owned()
    })
}

/// Returns the configurations that a cluster did not list: without them, any deletion may be refused.
pub(super) fn unread_configurations(state: &ClusterState) -> impl Iterator<Item = Unreadable> + '_ {
    let is_live = !matches!(state.origin, Origin::Snapshot { .. });
    let unread = KINDS.into_iter().filter(move |kind| is_live && !state.has_read(GROUP, kind));
    let names = unread.map(|kind| ResourceKind::guess(GROUP, kind).qualified_plural());
    let known = |name: &String| state.unreadable.iter().any(|entry| entry.what == *name);
    names.filter(move |name| !known(name)).map(|what| Unreadable {
        what,
        reason: "the server does not list this kind, so whether a webhook refuses the deletion is unknown".to_owned(),
    })
}
