//! The external layer: what was declared, and what exists outside of the cluster.

mod managed;
mod other_engines;

use std::collections::BTreeMap;

use crate::drift::{Choice, LayerFindings};
use crate::engine::controller::Controllers;
use crate::engine::crossplane::{Role, role};
use crate::model::body::{Shape, Want};
use crate::model::kind::ResourceKind;
use crate::model::resource::Resource;
use crate::model::state::{ClusterState, Unreadable};

/// What to read of a kind that stands for something outside; `None` where it does not.
pub fn want(kind: &ResourceKind) -> Option<Want> {
    match role(kind) {
        Some(Role::Managed) => Some(Want::all(Shape::Managed)),
        _ => other_engines::want(kind),
    }
}

/// Compares the chosen objects of a state.
pub fn findings(state: &ClusterState, controllers: &Controllers<'_>, is_chosen: &Choice<'_>) -> LayerFindings {
    let mut findings = managed::findings(state, controllers, is_chosen);
    findings.extend(other_engines::findings(state, controllers, is_chosen));
    findings
}

/// How many objects of each kind could not be compared, and why.
#[derive(Debug, Default)]
struct Unchecked(BTreeMap<(String, &'static str), usize>);

impl Unchecked {
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
