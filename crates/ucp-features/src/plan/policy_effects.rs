//! The objects about which admission policies are asked, and the decisions about them.

use serde_json::Value;

use crate::plan::outcome::PolicyRefusal;
use ucp_client::prediction::cluster::text_at;
use ucp_core::model::admission::{AdmissionOperation, AdmissionRequest};
use ucp_core::model::admission_policy::PolicyDecision;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::metadata::Metadata;
use ucp_core::model::object::ObjectName;
use ucp_core::model::secrecy::scrub;
use ucp_core::model::text::join_limited;

/// Number of objects in a reason that are named.
const NAMED: usize = 5;
/// An annotation with a copy of the whole object.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The decisions of a policy of the merge.
#[derive(Debug, Clone, Default)]
pub(super) struct PolicyEffects {
    pub(super) refusals: Vec<PolicyRefusal>,
    /// The decisions that are not known, with the reason.
    pub(super) unknown: Vec<String>,
}

/// An object about which policies are asked.
pub(super) struct ReviewedObject {
    pub(super) operation: AdmissionOperation,
    pub(super) name: ObjectName,
    /// The object before the request.
    pub(super) old: Option<(Metadata, Value)>,
    pub(super) after: ObjectAfter,
}

/// An object after a request.
pub(super) enum ObjectAfter {
    /// As before.
    Same,
    /// Another one; `None` if it is deleted or not known.
    Other(Option<Box<(Metadata, Value)>>),
}

/// Returns an object with its metadata, and without the values of a Secret.
pub(super) fn public_object(mut object: Value) -> Option<(Metadata, Value)> {
    if (text_at(&object, "/apiVersion"), text_at(&object, "/kind")) == ("v1", "Secret") {
        let fields = object.as_object_mut()?;
        fields.retain(|field, _| field != "data" && field != "stringData");
        if let Some(annotations) = object.pointer_mut("/metadata/annotations").and_then(Value::as_object_mut) {
            annotations.remove(LAST_APPLIED);
        }
    }
    let metadata = serde_json::from_value(object.get("metadata")?.clone()).ok()?;
    Some((metadata, object))
}

impl ReviewedObject {
    fn label(&self) -> String {
        match &self.name.namespace {
            Some(namespace) => format!("{namespace}/{}", self.name.name),
            None => self.name.name.clone(),
        }
    }

    /// Returns the object after the request.
    pub(super) fn new_object(&self) -> Option<&(Metadata, Value)> {
        match &self.after {
            ObjectAfter::Same => self.old.as_ref(),
            ObjectAfter::Other(object) => object.as_deref(),
        }
    }

    /// Returns the request; `None` if not even the metadata of the object are known.
    pub(super) fn request<'a>(&'a self, kind: &'a ResourceKind) -> Option<AdmissionRequest<'a>> {
        let (new, old) = (self.new_object(), self.old.as_ref());
        let (metadata, before) = match new {
            Some((metadata, _)) => (metadata, old.map(|(metadata, _)| metadata)),
            None => (&old?.0, None),
        };
        Some(AdmissionRequest {
            operation: self.operation,
            kind,
            metadata,
            before,
            object: new.map(|(_, object)| object),
            old_object: old.map(|(_, object)| object),
        })
    }
}

impl PolicyEffects {
    /// Adds the decisions about the objects of a kind that have a request.
    pub(super) fn add_decisions(
        &mut self,
        kind: &ResourceKind,
        objects: &[ReviewedObject],
        decisions: Vec<PolicyDecision>,
    ) {
        let mut unknown: Vec<String> =
            objects.iter().filter(|object| object.request(kind).is_none()).map(ReviewedObject::label).collect();
        let asked = objects.iter().filter(|object| object.request(kind).is_some());
        for (object, decision) in asked.zip(decisions) {
            match decision {
                PolicyDecision::Allows => {}
                PolicyDecision::Unknown => unknown.push(object.label()),
                PolicyDecision::Denies(message) => self.refusals.push(PolicyRefusal {
                    operation: object.operation,
                    message: scrub(&message).into_owned(),
                    object: object.name.clone(),
                }),
            }
        }
        if !unknown.is_empty() {
            let names = join_limited(&unknown, NAMED);
            let reason = format!(
                "what it decides about {} depends on more than the objects, or is not evaluated here: {names}",
                kind.qualified_plural()
            );
            self.unknown.push(reason);
        }
    }
}
