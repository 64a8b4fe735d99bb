//! The PersistentVolumeClaims that StatefulSets create from their templates: by default, they remain.

use serde_json::Value;

use super::nature::{DeletionNature, nature_of};
use ucp_core::graph::NodeId;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::ClusterState;

/// Returns the claims of a StatefulSet: `<template>-<set>-<number>`.
pub(super) fn claims_of(state: &ClusterState, set: &Resource) -> Vec<NodeId> {
    let Some(whole) = set.whole.as_deref().filter(|_| set.kind.group == "apps" && set.kind.kind == "StatefulSet")
    else {
        return Vec::new();
    };
    let templates = whole.pointer("/spec/volumeClaimTemplates").and_then(Value::as_array).into_iter().flatten();
    let names = templates.filter_map(|template| template.pointer("/metadata/name").and_then(Value::as_str));
    let beginnings: Vec<String> = names.map(|name| format!("{name}-{}-", set.metadata.name)).collect();
    let is_its = |one: &Resource| {
        let number = beginnings.iter().find_map(|beginning| one.metadata.name.strip_prefix(beginning));
        one.metadata.namespace == set.metadata.namespace
            && nature_of(&one.kind) == DeletionNature::VolumeClaim
            && number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    (0..state.resources.len()).filter(|node| is_its(&state.resources[*node])).collect()
}

/// Returns the reason why the claims of a StatefulSet remain when it is deleted.
pub(super) fn retention_reason(set: &Resource) -> Option<String> {
    let policy = set.whole.as_deref()?.pointer("/spec/persistentVolumeClaimRetentionPolicy/whenDeleted");
    let policy = policy.and_then(Value::as_str).unwrap_or("Retain");
    (policy != "Delete").then(|| {
        format!(
            "persistentVolumeClaimRetentionPolicy.whenDeleted of {} is {policy}: its disk continues to cost money",
            set.name()
        )
    })
}
