//! Selects the Composition of a composite, and its revision.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::composition::blueprint::{CompositeType, CompositionPipeline};
use crate::composition::definition::CompositeDefinition;
use crate::composition::view::{PlannedClusterView, has_labels};
use ucp_client::prediction::cluster::text_at;
use ucp_core::failure::{Failure, fail};
use ucp_core::model::object::ObjectName;

/// API group of Compositions, their revisions and definitions.
pub const GROUP: &str = "apiextensions.crossplane.io";
const VERSION: &str = "apiextensions.crossplane.io/v1";
/// Label of a revision: name of its Composition.
const COMPOSITION_NAME: &str = "crossplane.io/composition-name";

/// Lists all CompositeResourceDefinitions of the cluster after the change.
///
/// # Errors
/// Fails when they cannot be read.
pub async fn definitions(view: &PlannedClusterView) -> Result<Vec<CompositeDefinition>, Failure> {
    let Some(kind) = view.cluster.find_preferred(GROUP, "CompositeResourceDefinition").await? else {
        return Ok(Vec::new());
    };
    let found = view.list(&kind.api_version(), &kind.kind, None, &BTreeMap::new()).await;
    let found = found.map_err(|reason| format!("CompositeResourceDefinitions cannot be read: {reason}"))?;
    Ok(found.iter().filter_map(CompositeDefinition::from_object).collect())
}

/// Lists all Compositions of the cluster after the change.
///
/// # Errors
/// Fails when they cannot be read.
pub async fn compositions(view: &PlannedClusterView) -> Result<Arc<Vec<Value>>, Failure> {
    let found = view.list(VERSION, "Composition", None, &BTreeMap::new()).await;
    found.map_err(|reason| format!("Compositions cannot be read: {reason}").into())
}

/// Returns the name of a composite's Composition.
///
/// # Errors
/// Fails when there is none, or when several match, of which core would take any.
pub async fn resolve_composition(
    view: &PlannedClusterView,
    composite: &Value,
    definition: &CompositeDefinition,
) -> Result<String, Failure> {
    if let Some(enforced) = definition.enforced_composition() {
        return Ok(enforced.to_owned());
    }
    let machinery = definition.machinery_pointer();
    let named = text_at(composite, &format!("{machinery}/compositionRef/name"));
    if !named.is_empty() {
        return Ok(named.to_owned());
    }
    let selector = composite.pointer(&format!("{machinery}/compositionSelector"));
    if let (None, Some(default)) = (selector, definition.default_composition()) {
        return Ok(default.to_owned());
    }
    let labels = labels_of(selector);
    let wanted = (text_at(composite, "/apiVersion"), text_at(composite, "/kind"));
    let is_for = |composition: &Value| {
        CompositeType::from_composition(composition)
            .is_some_and(|found| (found.api_version.as_str(), found.kind.as_str()) == wanted)
    };
    let found = compositions(view).await?;
    let candidates: Vec<&str> = found
        .iter()
        .filter(|composition| is_for(composition) && has_labels(composition, &labels))
        .map(|composition| text_at(composition, "/metadata/name"))
        .collect();
    match candidates.as_slice() {
        [] => fail!("no Composition applies to it or has the selected labels"),
        [only] => Ok((*only).to_owned()),
        several => fail!(
            "it selects {} Compositions, and Crossplane would use any of them: {}",
            several.len(),
            several.join(", ")
        ),
    }
}

fn labels_of(selector: Option<&Value>) -> BTreeMap<String, String> {
    let labels = selector.and_then(|selector| selector.get("matchLabels")?.as_object());
    let labels =
        labels.into_iter().flatten().filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned())));
    labels.collect()
}

/// Returns the pipeline of a composite.
///
/// # Errors
/// Fails when its Composition or revision does not exist, cannot be read, or has no pipeline.
pub async fn resolve_pipeline(
    view: &PlannedClusterView,
    composite: &Value,
    definition: &CompositeDefinition,
) -> Result<CompositionPipeline, Failure> {
    let machinery = definition.machinery_pointer();
    let policy = text_at(composite, &format!("{machinery}/compositionUpdatePolicy"));
    let pinned = text_at(composite, &format!("{machinery}/compositionRevisionRef/name"));
    let composition = resolve_composition(view, composite, definition).await?;
    if policy == "Manual" && !pinned.is_empty() {
        let revision = view.object(&named("CompositionRevision", pinned)).await?;
        let revision =
            revision.ok_or_else(|| format!("it is pinned to CompositionRevision {pinned}, which does not exist"))?;
        return CompositionPipeline::from_manifest(&composition, Some(pinned), &revision);
    }
    let found = view.object(&named("Composition", &composition)).await?;
    let found = found.ok_or_else(|| match view.planned(&named("Composition", &composition)) {
        Some(None) => format!("this change deletes its Composition {composition}"),
        _ => format!("its Composition {composition} does not exist"),
    })?;
    let selector = composite.pointer(&format!("{machinery}/compositionRevisionSelector"));
    let labels = labels_of(selector.filter(|_| policy == "Automatic"));
    // The newest revision equals the Composition, including its labels.
    if has_labels(&found, &labels) {
        return CompositionPipeline::from_manifest(&composition, None, &found);
    }
    let mut labels = labels;
    labels.insert(COMPOSITION_NAME.to_owned(), composition.clone());
    let revisions = view.list(VERSION, "CompositionRevision", None, &labels).await?;
    let uid = text_at(&found, "/metadata/uid");
    let number = |revision: &Value| revision.pointer("/spec/revision").and_then(Value::as_i64).unwrap_or_default();
    let newest = revisions.iter().filter(|revision| is_controlled_by(revision, uid)).max_by_key(|one| number(one));
    let newest =
        newest.ok_or_else(|| format!("no revision of its Composition {composition} has the labels that it selects"))?;
    CompositionPipeline::from_manifest(&composition, Some(text_at(newest, "/metadata/name")), newest)
}

/// Returns true if the object's controller has this UID.
pub fn is_controlled_by(object: &Value, uid: &str) -> bool {
    controller_uid(object) == Some(uid)
}

/// Returns the UID of an object's controller.
pub fn controller_uid(object: &Value) -> Option<&str> {
    let owners = object.pointer("/metadata/ownerReferences")?.as_array()?;
    let owner = owners.iter().find(|owner| owner.get("controller").and_then(Value::as_bool) == Some(true))?;
    owner.get("uid")?.as_str()
}

fn named(kind: &str, name: &str) -> ObjectName {
    ObjectName { api_version: VERSION.to_owned(), kind: kind.to_owned(), namespace: None, name: name.to_owned() }
}
