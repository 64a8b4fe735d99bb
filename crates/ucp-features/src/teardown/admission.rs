//! Admission of deletions: the API server asks webhooks and policies, and each may refuse. The answer of Crossplane's webhook for
//! Usages follows from the Usages; that of every other webhook is unknown, unless it cannot answer.

use std::cell::RefCell;
use std::collections::HashMap;

use super::deletion_item::DeletionBlock;
use ucp_core::engine::code::Code;
use ucp_core::graph::NodeId;
use ucp_core::model::admission::{AdmissionCall, GROUP, NamespaceIndex};
use ucp_core::model::admission_policy::{self, AdmissionPolicy, PolicyDecision, list_policies};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::resource::Resource;
use ucp_core::model::shell::quote_word;
use ucp_core::model::state::{ClusterState, KindIndex, Origin, Unreadable};
use ucp_core::model::webhook::{self, AdmissionWebhook, ENDPOINTS, ServiceEndpoints, list_webhooks, service_endpoints};

/// The path at which Crossplane's webhook for Usages is called, in all of its versions.
const NO_USAGES: &str = "/validate-no-usages";
/// The minor version of the first Kubernetes 1 with policies.
const FIRST_WITH_POLICIES: u32 = 30;

/// Returns true for the configurations of webhooks and policies.
pub(super) fn is_configuration(kind: &ResourceKind) -> bool {
    kind.group == GROUP && configurations().any(|name| name == kind.kind)
}

fn configurations() -> impl Iterator<Item = &'static str> {
    webhook::KINDS.into_iter().chain(admission_policy::KINDS)
}

/// Returns the kinds that show whether the webhooks for the deletion of some objects answer, and which objects are selected.
pub(super) fn required_kinds<'a>(
    state: &ClusterState,
    going: impl Iterator<Item = &'a Resource> + Clone,
) -> Vec<(&'static str, &'static str)> {
    let reviewers = DeletionReviewers::from_state(state);
    let is_called = |webhook: &AdmissionWebhook<'_>| {
        let mut going = going.clone();
        going.any(|one| webhook.call_for_deletion(one, &reviewers.namespaces) != AdmissionCall::Never)
    };
    let webhooks = || reviewers.webhooks.iter().map(|(webhook, _)| webhook);
    let has_service = |webhook: &&AdmissionWebhook<'_>| webhook.is_required() && webhook.service().is_some();
    let services = webhooks().filter(has_service).any(is_called).then_some([("", "Service"), ENDPOINTS]);
    let selects = webhooks().filter(|webhook| webhook.selects_namespaces()).any(is_called)
        || reviewers.policies.iter().any(|policy| {
            let mut going = going.clone();
            policy.selects_namespaces()
                && going.any(|one| policy.decide_deletion(one, &reviewers.namespaces) != PolicyDecision::Allows)
        });
    services.into_iter().flatten().chain(selects.then_some(("", "Namespace"))).collect()
}

/// The answer of a webhook.
enum WebhookAnswer {
    /// Nothing, for this reason, so that the deletion is refused.
    None(String),
    /// It is asked, and decides by rules of its own.
    Unknown,
}

/// All that may refuse the deletion of an object.
pub(super) struct DeletionReviewers<'a> {
    webhooks: Vec<(AdmissionWebhook<'a>, WebhookAnswer)>,
    policies: Vec<AdmissionPolicy<'a>>,
    /// Crossplane's webhooks for Usages.
    usage_webhooks: Vec<AdmissionWebhook<'a>>,
    namespaces: NamespaceIndex<'a>,
    /// The results by object, each of which is needed several times.
    reviews: RefCell<HashMap<NodeId, Option<DeletionReview>>>,
}

/// The result of asking everything about the deletion of an object.
#[derive(Clone)]
pub(super) enum DeletionReview {
    /// It is refused.
    Refused(DeletionBlock),
    /// It may be refused, for this reason.
    Unknown(String),
}

impl<'a> DeletionReviewers<'a> {
    /// Finds those of a cluster.
    pub(super) fn from_state(state: &'a ClusterState) -> Self {
        let webhooks = list_webhooks(state).filter_map(|webhook| {
            let endpoints = webhook.service().map(|(namespace, name)| service_endpoints(state, namespace, name));
            let answer = match endpoints {
                Some(ServiceEndpoints::Missing(_)) if !webhook.is_required() => return None,
                Some(ServiceEndpoints::Missing(why)) => WebhookAnswer::None(why),
                _ if webhook.path() == Some(NO_USAGES) => return None,
                _ => WebhookAnswer::Unknown,
            };
            Some((webhook, answer))
        });
        Self {
            webhooks: webhooks.collect(),
            policies: list_policies(state).collect(),
            usage_webhooks: list_webhooks(state).filter(|webhook| webhook.path() == Some(NO_USAGES)).collect(),
            namespaces: NamespaceIndex::from_state(state),
            reviews: RefCell::default(),
        }
    }

    /// Asks about the deletion of an object of the cluster, once.
    pub(super) fn review_node(&self, state: &ClusterState, node: NodeId) -> Option<DeletionReview> {
        let mut reviews = self.reviews.borrow_mut();
        reviews.entry(node).or_insert_with(|| self.review(&state.resources[node])).clone()
    }

    /// Asks about the deletion of an object, in the order of certainty.
    pub(super) fn review(&self, resource: &Resource) -> Option<DeletionReview> {
        let mut doubt = None;
        for (webhook, answer) in &self.webhooks {
            match (webhook.call_for_deletion(resource, &self.namespaces), answer) {
                (AdmissionCall::Never, _) => {}
                (AdmissionCall::Certain, WebhookAnswer::None(why)) => {
                    return Some(DeletionReview::Refused(unanswered_block(webhook, why)));
                }
                (AdmissionCall::Possible, WebhookAnswer::None(why)) => {
                    doubt.get_or_insert_with(|| {
                        format!(
                            "webhook {} may refuse its deletion: its failurePolicy is Fail, and {why}",
                            webhook.name()
                        )
                    });
                }
                (_, WebhookAnswer::Unknown) => {
                    let configuration = webhook.configuration.name();
                    doubt.get_or_insert_with(|| {
                        format!("webhook {} of {configuration} is asked and may refuse its deletion", webhook.name())
                    });
                }
            }
        }
        for policy in &self.policies {
            match policy.decide_deletion(resource, &self.namespaces) {
                PolicyDecision::Allows => {}
                PolicyDecision::Denies(message) => {
                    return Some(DeletionReview::Refused(denied_block(policy, &message)));
                }
                PolicyDecision::Unknown => {
                    doubt.get_or_insert_with(|| format!("{} is asked and may refuse its deletion", policy.name()));
                }
            }
        }
        doubt.map(DeletionReview::Unknown)
    }

    /// Returns the reason why a Usage does not protect an object: no webhook is called for its deletion. Crossplane's webhook only
    /// selects objects with a label that its controller sets.
    pub(super) fn unenforced_reason(&self, state: &ClusterState, resource: &Resource) -> Option<String> {
        if !state.has_read(GROUP, webhook::KINDS[0]) {
            return None;
        }
        if self.usage_webhooks.is_empty() {
            return Some("the cluster has no webhook for Usages".to_owned());
        }
        let is_called = |webhook: &AdmissionWebhook<'_>| {
            webhook.call_for_deletion(resource, &self.namespaces) != AdmissionCall::Never
        };
        (!self.usage_webhooks.iter().any(is_called)).then(|| {
            "the webhook for Usages does not select the object, which has no label crossplane.io/in-use".to_owned()
        })
    }
}

fn unanswered_block(webhook: &AdmissionWebhook<'_>, why: &str) -> DeletionBlock {
    let namespace = webhook.service().map(|(namespace, _)| namespace).unwrap_or_default();
    DeletionBlock {
        code: Code::DeletionWebhookDown,
        reason: format!("webhook {} refuses its deletion: its failurePolicy is Fail, and {why}", webhook.name()),
        command: format!("kubectl get service,endpointslices,pods -n {}", quote_word(namespace)),
    }
}

fn denied_block(policy: &AdmissionPolicy<'_>, message: &str) -> DeletionBlock {
    let (policy, why) = (policy.name(), ucp_core::model::secrecy::scrub(message));
    DeletionBlock {
        code: Code::DeletionForbidden,
        reason: format!("{policy} denies its deletion: {why}"),
        command: format!("kubectl get {policy} -o yaml"),
    }
}

/// Returns the configurations that a cluster did not list: without them, any deletion may be refused.
pub(super) fn unread_configurations(state: &ClusterState) -> impl Iterator<Item = Unreadable> + '_ {
    // The index of a snapshot has the version of its server.
    let is_server = !matches!(state.origin, Origin::Snapshot { .. })
        || state.kind_index == KindIndex::Complete && state.server_version.is_some();
    let unread = configurations().filter(move |kind| {
        is_server
            && !state.has_read(GROUP, kind)
            && !(admission_policy::KINDS.contains(kind) && is_older_than_policies(state))
    });
    let names = unread.map(|kind| ResourceKind::guess(GROUP, kind).qualified_plural());
    let known = |name: &String| state.unreadable.iter().any(|entry| entry.what == *name);
    names.filter(move |name| !known(name)).map(|what| Unreadable {
        what,
        reason: "the server does not list this kind, so whether the deletion is refused is unknown".to_owned(),
    })
}

/// Returns true if a server lists no policies, so that its version decides whether it has any.
pub fn needs_version(state: &ClusterState) -> bool {
    !matches!(state.origin, Origin::Snapshot { .. })
        && admission_policy::KINDS
            .iter()
            .any(|kind| !state.kinds.iter().any(|one| one.group == GROUP && one.kind == *kind))
}

fn is_older_than_policies(state: &ClusterState) -> bool {
    let version =
        state.server_version.as_deref().and_then(|version| version.trim_start_matches('v').strip_prefix("1."));
    let minor = version.and_then(|rest| rest.split(|one: char| !one.is_ascii_digit()).next()?.parse::<u32>().ok());
    minor.is_some_and(|minor| minor < FIRST_WITH_POLICIES)
}
