//! The external layer: differences between the declaration and the external resource.

mod managed;
mod other_engines;

use std::collections::BTreeMap;

use crate::drift::{DriftChoice, LayerFindings};
use ucp_core::engine::controller::Controllers;
use ucp_core::engine::crossplane::{CrossplaneRole, role};
use ucp_core::model::body::{BodyShape, KindRequest};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::{ClusterState, Unreadable};

/// Returns the data to read of a kind with external resources; `None` if it has none.
pub fn want(kind: &ResourceKind) -> Option<KindRequest> {
    match role(kind) {
        Some(CrossplaneRole::Managed) => Some(KindRequest::all(BodyShape::Managed)),
        _ => other_engines::want(kind),
    }
}

/// Compares the chosen objects of a state.
pub fn findings(state: &ClusterState, controllers: &Controllers<'_>, is_chosen: &DriftChoice<'_>) -> LayerFindings {
    let mut findings = managed::managed_findings(state, controllers, is_chosen);
    findings.extend(other_engines::findings(state, controllers, is_chosen));
    findings
}

/// The number of objects of each kind that could not be compared, with the reason.
#[derive(Debug, Default)]
struct UncheckedCounts(BTreeMap<(String, &'static str), usize>);

impl UncheckedCounts {
    fn count(&mut self, resource: &Resource, reason: &'static str) {
        *self.0.entry((resource.kind.qualified_plural(), reason)).or_default() += 1;
    }

    fn listed(self) -> Vec<Unreadable> {
        let listed = self.0.into_iter().map(|((what, reason), number)| Unreadable {
            what: format!("{what} ({number})"),
            reason: format!("cannot be compared: {reason}"),
        });
        listed.collect()
    }
}
