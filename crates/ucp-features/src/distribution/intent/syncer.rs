//! `dagandersen.com/v1` Syncer, of the paper's manifest-syncer: `spec.data[]` of `{sourceName, sourceNamespace, kinds,
//! targetCluster, targetNamespace}`; the copy keeps the source's name.

use serde_json::Value;

use super::cluster_resolver::ClusterResolver;
use super::copy_intent::{CopiedPart, CopyIntent, DeclarationKind, declarer};
use crate::adopt::names::NamespacedName;
use ucp_core::model::body::consumer::{list_field, text_field};
use ucp_core::model::resource::Resource;

pub(super) const GROUP: &str = "dagandersen.com";

pub(super) fn read(resource: &Resource, whole: &Value, clusters: &ClusterResolver<'_>) -> Vec<CopyIntent> {
    let entry = |entry: &Value| {
        let kind = text_field(entry, "/kinds").or_else(|| text_field(entry, "/kind")).unwrap_or("secret");
        if !kind.eq_ignore_ascii_case("secret") && !kind.eq_ignore_ascii_case("secrets") {
            return None;
        }
        let name = text_field(entry, "/sourceName")?.to_owned();
        let namespace = text_field(entry, "/sourceNamespace").unwrap_or("default").to_owned();
        let target = text_field(entry, "/targetNamespace").unwrap_or("default").to_owned();
        Some(CopyIntent {
            declarer: declarer(DeclarationKind::Syncer, resource),
            cluster: clusters.by_name(text_field(entry, "/targetCluster")?),
            target: NamespacedName { namespace: target, name: name.clone() },
            source: Some(NamespacedName { namespace, name }),
            part: CopiedPart::Whole,
        })
    };
    list_field(whole, "/spec/data").iter().filter_map(entry).collect()
}
