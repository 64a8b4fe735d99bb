//! Lines in Git that Flux's image automation should update, but does not, because their policy does not exist.

use std::collections::BTreeMap;

use crate::drift::{DriftLayer, LayerFindings, ObjectDrift};
use ucp_core::engine::code::Code;
use ucp_core::model::body::{Body, BodyShape, KindRequest};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::ObjectName;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::ClusterState;
use ucp_repo::gitops::markers::MarkedLine;

const GROUP: &str = "image.toolkit.fluxcd.io";
const POLICY: &str = "ImagePolicy";
/// Version of a missing policy if the cluster does not serve the kind.
const VERSION: &str = "v1";

/// Returns the data to read of a kind: policies, and the automations that write for them.
pub fn want(kind: &ResourceKind) -> Option<KindRequest> {
    let is_one = kind.group == GROUP && [POLICY, "ImageUpdateAutomation"].contains(&kind.kind.as_str());
    is_one.then_some(KindRequest::all(BodyShape::Any))
}

/// The automations that write to Git. Without any, the markers are for another cluster.
#[derive(Debug)]
pub struct ImageAutomations<'a>(Vec<&'a Resource>);

impl<'a> ImageAutomations<'a> {
    /// Returns the automations of a cluster; `None` if it has none, or if its policies could not be read.
    pub fn from_state(state: &'a ClusterState) -> Option<Self> {
        let mut policies = state.kinds.iter().filter(|kind| kind.group == GROUP && kind.kind == POLICY);
        if policies.any(|kind| state.unreadable.iter().any(|entry| entry.is_of(kind))) {
            return None;
        }
        let all: Vec<&Resource> = of_kind(state, "ImageUpdateAutomation").collect();
        (!all.is_empty()).then_some(Self(all))
    }

    /// Returns true if one of them writes to a file.
    pub fn write_to(&self, file: &str) -> bool {
        self.0.iter().any(|automation| writes_to(automation, file))
    }
}

/// Returns the markers of missing policies, in the lines that automations write to.
pub fn marker_findings(marked: &[MarkedLine], state: &ClusterState) -> LayerFindings {
    let mut lines: BTreeMap<(&str, &str), Vec<&MarkedLine>> = BTreeMap::new();
    let is_read = |line: &&MarkedLine| state.namespace.as_ref().is_none_or(|namespace| *namespace == line.namespace);
    for line in marked.iter().filter(is_read) {
        lines.entry((&line.namespace, &line.name)).or_default().push(line);
    }
    let checked = lines.len();
    for policy in of_kind(state, POLICY) {
        lines.remove(&(policy.metadata.namespace.as_deref().unwrap_or_default(), policy.metadata.name.as_str()));
    }
    let drifts =
        lines.into_iter().map(|((namespace, name), lines)| marker_drift(state, namespace, name, &lines)).collect();
    LayerFindings { drifts, checked, ..LayerFindings::default() }
}

fn of_kind<'a>(state: &'a ClusterState, kind: &'a str) -> impl Iterator<Item = &'a Resource> {
    state.resources.iter().filter(move |resource| resource.kind.group == GROUP && resource.kind.kind == kind)
}

/// Returns true if an automation writes to a file: `spec.update.path`, by default the whole repository.
fn writes_to(automation: &Resource, file: &str) -> bool {
    let Body::Any(any) = &automation.body else { return true };
    let path = any.spec.pointer("/update/path").and_then(serde_json::Value::as_str).unwrap_or_default();
    let path = path.trim_start_matches("./").trim_matches('/');
    path.is_empty() || path == "." || file.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'))
}

fn marker_drift(state: &ClusterState, namespace: &str, name: &str, lines: &[&MarkedLine]) -> ObjectDrift {
    let served = state.kinds.iter().find(|kind| kind.group == GROUP && kind.kind == POLICY);
    let version = served.map_or(VERSION, |kind| kind.version.as_str());
    let object = ObjectName {
        api_version: format!("{GROUP}/{version}"),
        kind: POLICY.to_owned(),
        namespace: Some(namespace.to_owned()),
        name: name.to_owned(),
    };
    let first = lines.first().map(|line| format!("{}:{}", line.file, line.line)).unwrap_or_default();
    let more = match lines.len().saturating_sub(1) {
        0 => "is".to_owned(),
        1 => "and one more line are".to_owned(),
        more => format!("and {more} more lines are"),
    };
    let message = format!("{first} {more} marked for it, but it does not exist: nothing updates the version there");
    ObjectDrift {
        will_be_corrected: Some(false),
        ..ObjectDrift::of_object(object, DriftLayer::Gitops, Code::FluxPolicyMissing, message)
    }
}
