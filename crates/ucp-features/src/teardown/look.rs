//! The inputs for examining every object that is deleted.

use std::collections::HashMap;

use serde_json::Value;

use super::admission::{DeletionReview, DeletionReviewers};
use super::nature::removes_contents;
use super::path::{DeletionCascade, DeletionPath};
use super::requested::RequestedCredentials;
use super::target::TeardownTarget;
use ucp_core::engine::crossplane::usage::{is_usage, kind_of};
use ucp_core::engine::{Assessment, AssessmentClock};
use ucp_core::graph::NodeId;
use ucp_core::model::body::Body;
use ucp_core::model::object::{ObjectKey, ObjectName};
use ucp_core::model::resource::Resource;
use ucp_core::model::state::ClusterState;

/// The Usages of a cluster, by group and kind of the objects that they protect.
pub(super) struct UsageIndex<'a>(pub(super) HashMap<(&'a str, &'a str), Vec<(&'a Resource, &'a Value)>>);

impl<'a> UsageIndex<'a> {
    /// Finds the Usages of a cluster.
    pub(super) fn from_state(state: &'a ClusterState) -> Self {
        let mut usages: HashMap<_, Vec<_>> = HashMap::new();
        for usage in state.resources.iter().filter(|usage| is_usage(&usage.kind)) {
            let spec = usage.whole.as_deref().and_then(|whole| whole.get("spec"));
            let Some((spec, of)) = spec.and_then(|spec| Some((spec, spec.get("of")?))) else { continue };
            usages.entry(kind_of(of)).or_default().push((usage, spec));
        }
        Self(usages)
    }
}

/// The inputs for examining an object.
pub(super) struct DeletionContext<'a, 'state> {
    pub(super) state: &'a ClusterState,
    pub(super) assessment: &'a Assessment<'state>,
    pub(super) cascade: &'a DeletionCascade,
    pub(super) target: &'a TeardownTarget,
    pub(super) usages: &'a UsageIndex<'a>,
    pub(super) reviewers: &'a DeletionReviewers<'a>,
    pub(super) credentials: &'a RequestedCredentials,
    pub(super) clock: &'a AssessmentClock,
}

impl<'a> DeletionContext<'a, '_> {
    /// Returns an object if it is deleted.
    pub(super) fn deleted(&self, key: &ObjectKey) -> Option<(NodeId, &'a DeletionPath)> {
        let node = self.assessment.graph.find(key)?;
        self.cascade.going.get(&node).map(|path| (node, path))
    }

    /// Returns a namespace if it is deleted with everything in it.
    pub(super) fn deleted_namespace(&self, name: &str) -> Option<&'a Resource> {
        let (node, _) = self.deleted(&ObjectName::in_core_group("Namespace", None, name).key_ref().into())?;
        Some(&self.state.resources[node]).filter(|namespace| removes_contents(namespace))
    }

    /// Returns the result of asking the webhooks and policies of the cluster about a deletion. Kubernetes deletes the objects of a
    /// deleted definition without asking.
    pub(super) fn review(&self, node: NodeId) -> Option<DeletionReview> {
        let kind = &self.state.resources[node].kind;
        let is_asked = !self.cascade.definitions.contains(&kind.qualified_plural());
        is_asked.then(|| self.reviewers.review_node(self.state, node)).flatten()
    }

    /// Returns the reason why a Usage does not protect an object.
    pub(super) fn unenforced_reason(&self, resource: &Resource) -> Option<String> {
        self.reviewers.unenforced_reason(self.state, resource)
    }
}

/// Returns true if the provider is deleted later: Argo CD deletes the highest wave first, within one Application.
pub(super) fn is_deleted_later(
    state: &ClusterState,
    provider: NodeId,
    theirs: &DeletionPath,
    way: &DeletionPath,
) -> bool {
    let wave = |node: NodeId| -> i64 {
        let text = state.resources[node].metadata.annotation("argocd.argoproj.io/sync-wave");
        text.and_then(|text| text.parse().ok()).unwrap_or_default()
    };
    match (theirs.by, way.by, way.applied) {
        (Some(left), Some(right), Some(applied)) => {
            left == right
                && matches!(state.resources[left].body, Body::Application(_))
                && wave(applied) > wave(theirs.applied.unwrap_or(provider))
        }
        _ => false,
    }
}
