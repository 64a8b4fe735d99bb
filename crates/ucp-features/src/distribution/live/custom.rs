//! Custom resources of an app cluster that use a Secret. Their fields are not known, so any string equal to the name of
//! the Secret counts as a use. Checked before a copy is deleted.

use std::collections::BTreeSet;

use futures::StreamExt as _;
use serde_json::Value;

use super::kinds as known_kinds;
use crate::adopt::names::NamespacedName;
use crate::distribution::app::{AppClusterReading, SecretDemand};
use ucp_client::source::live;
use ucp_client::source::live::api::{Api, ReadError};
use ucp_client::source::live::definition::{UnlistedKind, unlisted_kinds};
use ucp_client::source::live::freshness::Freshness;
use ucp_client::source::live::list::{ListScope, list};
use ucp_core::engine::ListedNames;
use ucp_core::model::body::consumer::{SecretUse, SecretUseKind};
use ucp_core::model::body::{BodyShape, KindRequest};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::resource::Resource;
use ucp_core::model::state::Unreadable;

/// Maximum number of concurrent lists.
const CONCURRENT: usize = 8;
/// Groups of Kubernetes itself whose names have no dot.
const BUILT_IN: [&str; 7] = ["", "apps", "autoscaling", "batch", "extensions", "policy", "events"];

/// Adds the uses of some Secrets by custom resources.
pub(super) async fn add_users(api: &Api, secrets: &BTreeSet<NamespacedName>, reading: &mut AppClusterReading) {
    let kinds = match live::kinds(api).await {
        Ok(found) => {
            // Aggregated groups of Kubernetes itself have no objects that use Secrets.
            let is_custom =
                |entry: &Unreadable| !entry.what.split('/').next().is_some_and(|one| one.ends_with(".k8s.io"));
            reading.unread_customs.extend(found.unreadable.into_iter().filter(is_custom));
            found.kinds
        }
        Err(error) => {
            let gap = Unreadable { what: "the kinds of the app cluster".to_owned(), reason: error.to_string() };
            reading.unread_customs.push(gap);
            return;
        }
    };
    let mut listed = ListedNames::default();
    kinds.iter().for_each(|kind| listed.add(kind));
    match unlisted_kinds(api, &listed).await {
        Ok(unlisted) => {
            let hidden = unlisted.iter().filter_map(|kind| kind.entry_if(is_custom));
            reading.unread_customs.extend(hidden.cloned());
        }
        Err(ReadError::Denied { code: 403, .. }) => {
            reading.unchecked.insert("kinds that the server does not list".to_owned());
        }
        Err(error) => reading.unread_customs.push(UnlistedKind::any(&error).into_entry()),
    }
    let customs = kinds.iter().filter(|kind| is_custom(kind));
    let mut answers = futures::stream::iter(customs)
        .map(|kind| async move {
            let want = KindRequest::whole(BodyShape::Conditions);
            (kind, list(api, kind, want, ListScope::default(), &Freshness::newest()).await)
        })
        .buffered(CONCURRENT);
    while let Some((kind, listed)) = answers.next().await {
        for resource in &listed.resources {
            reading.demands.extend(secrets.iter().filter(|secret| uses(resource, secret)).map(|secret| SecretDemand {
                workload: resource.name(),
                secret: secret.clone(),
                usage: SecretUse {
                    name: secret.name.clone(),
                    keys: Vec::new(),
                    way: SecretUseKind::Volume,
                    is_optional: false,
                    fixed_since: None,
                },
            }));
        }
        reading.unread_customs.extend(listed.broken);
        match listed.error {
            None => {}
            Some(ReadError::Denied { code: 403, .. }) => drop(reading.unchecked.insert(kind.qualified_plural())),
            Some(error) => {
                reading.unread_customs.push(Unreadable { what: kind.qualified_plural(), reason: error.to_string() });
            }
        }
    }
}

fn is_custom(kind: &ResourceKind) -> bool {
    let group = kind.group.as_str();
    let is_known = known_kinds().any(|(known, _, plural, _)| known == group && plural == kind.plural);
    !is_known && !BUILT_IN.contains(&group) && !group.ends_with(".k8s.io")
}

/// Returns true if an object names a Secret: in its own namespace, or together with the namespace of the Secret.
fn uses(resource: &Resource, secret: &NamespacedName) -> bool {
    let Some(whole) = resource.whole.as_deref() else { return false };
    let parts = || whole.as_object().into_iter().flatten().filter(|(key, _)| *key != "metadata" && *key != "status");
    let has = |text: &str| parts().any(|(_, part)| contains(part, text));
    let is_near = match &resource.metadata.namespace {
        Some(namespace) => *namespace == secret.namespace || has(&secret.namespace),
        None => true,
    };
    has(&secret.to_string()) || is_near && has(&secret.name)
}

fn contains(value: &Value, text: &str) -> bool {
    match value {
        Value::String(own) => own == text,
        Value::Array(items) => items.iter().any(|item| contains(item, text)),
        Value::Object(fields) => fields.values().any(|field| contains(field, text)),
        _ => false,
    }
}
