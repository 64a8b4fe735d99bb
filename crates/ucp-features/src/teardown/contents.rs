//! The contents of an object: the objects of a namespace, of a definition, or of a package revision.

use std::collections::BTreeMap;

use serde_json::Value;

use super::nature::{DeletionNature, is_immortal, nature_of};
use ucp_core::engine::crossplane::{CrossplaneRole, PACKAGE_LABEL, role};
use ucp_core::graph::NodeId;
use ucp_core::model::body::Body;
use ucp_core::model::object::{ObjectKey, group_of};
use ucp_core::model::resource::Resource;
use ucp_core::model::state::ClusterState;

/// Returns all objects that are deleted because the container contains them.
pub(super) fn contents_of(state: &ClusterState, container: &Resource) -> Vec<NodeId> {
    let nodes = |wanted: &dyn Fn(&Resource) -> bool| -> Vec<NodeId> {
        (0..state.resources.len()).filter(|node| wanted(&state.resources[*node])).collect()
    };
    match nature_of(&container.kind) {
        DeletionNature::Namespace if is_immortal(container) => Vec::new(),
        DeletionNature::Namespace => nodes(&|one| one.metadata.namespace.as_deref() == Some(&container.metadata.name)),
        DeletionNature::Definition => nodes(&|one| one.kind.qualified_plural() == container.metadata.name),
        DeletionNature::CompositeDefinition => {
            let defined = defined_by(container);
            nodes(&|one| {
                let is_definition = nature_of(&one.kind) == DeletionNature::Definition;
                defined.iter().any(|name| match is_definition {
                    true => one.metadata.name == *name,
                    false => one.kind.qualified_plural() == *name,
                })
            })
        }
        _ => Vec::new(),
    }
}

/// Returns `plural.group` of the composites and claims of a CompositeResourceDefinition.
pub(super) fn defined_by(definition: &Resource) -> Vec<String> {
    let Some(spec) = definition.whole.as_deref().and_then(|whole| whole.get("spec")) else { return Vec::new() };
    let text = |pointer: &str| spec.pointer(pointer).and_then(Value::as_str);
    let Some(group) = text("/group") else { return Vec::new() };
    let plurals = ["/names/plural", "/claimNames/plural"].into_iter().filter_map(text);
    plurals.map(|plural| format!("{plural}.{group}")).collect()
}

/// Returns the objects that a package revision installed (`status.objectRefs`), except a provider's kinds, which links
/// cover.
pub(super) fn installed_objects(revision: &Resource) -> Vec<ObjectKey> {
    if role(&revision.kind) != Some(CrossplaneRole::Revision) {
        return Vec::new();
    }
    let references = revision.whole.as_deref().and_then(|whole| whole.pointer("/status/objectRefs")?.as_array());
    let key = |reference: &Value| {
        let text = |field: &str| reference.get(field).and_then(Value::as_str).map(str::to_owned);
        Some(ObjectKey {
            group: group_of(&text("apiVersion")?).to_owned(),
            kind: text("kind")?,
            namespace: None,
            name: text("name")?,
        })
    };
    let is_followed = |key: &ObjectKey| key.group != "apiextensions.k8s.io" && key.kind != "ManagedResourceDefinition";
    references.into_iter().flatten().filter_map(key).filter(is_followed).collect()
}

/// Returns true if a revision is deleted along with its package: a revision alone is created again, and the objects
/// that it installed remain.
pub(super) fn is_deleted_with_package(
    state: &ClusterState,
    revision: &Resource,
    going: impl Iterator<Item = NodeId>,
) -> bool {
    let package = revision.metadata.label(PACKAGE_LABEL);
    let mut going = going.map(|node| &state.resources[node]);
    going.any(|one| {
        role(&one.kind) == Some(CrossplaneRole::Package)
            && (package == Some(&one.metadata.name)
                || revision.metadata.controller().is_some_and(|owner| owner.uid == one.metadata.uid))
    })
}

/// Returns true if an object is the active revision of a package that remains.
pub(super) fn is_revision_alone<T>(state: &ClusterState, node: NodeId, going: &BTreeMap<NodeId, T>) -> bool {
    let Some(revision) = state.resources.get(node) else { return false };
    let is_active = matches!(&revision.body, Body::Package(body) if body.desired_state.as_deref() == Some("Active"));
    role(&revision.kind) == Some(CrossplaneRole::Revision)
        && is_active
        && !is_deleted_with_package(state, revision, going.keys().copied())
}

/// Returns the package of a revision.
pub(super) fn package_of(state: &ClusterState, revision: &Resource) -> Option<NodeId> {
    let kind = revision.kind.kind.strip_suffix("Revision")?;
    let owner = revision.metadata.controller().map(|owner| &*owner.name);
    let name = revision.metadata.label(PACKAGE_LABEL).or(owner)?;
    state.resources.iter().position(|one| one.is(&revision.kind.group, kind, None, name))
}
