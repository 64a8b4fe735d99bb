//! The CustomResourceDefinitions that a snapshot needs.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;

use anyhow::{Result, bail};
use futures::stream::{self, StreamExt as _, TryStreamExt as _};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Client;
use kube::api::{Api, Patch, PatchParams};
use serde_json::Value;

use super::super::eventually;
use super::manifests::{Identity, read, text};
use super::{FIELD_MANAGER, PARALLEL};

pub const KIND: &str = "CustomResourceDefinition";
pub const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/crds");

/// Every CRD of the fixtures, parsed once.
static ALL: LazyLock<Vec<Value>> = LazyLock::new(|| read(Path::new(FIXTURES)).expect("the fixtures have definitions"));

/// The CRDs of all custom kinds among `objects`: those of the snapshot itself
/// and, for the rest, those of `tests/fixtures/crds`.
pub fn needed(objects: &[Value], own: Vec<Value>) -> Result<Vec<Value>> {
    let mut missing: BTreeSet<Identity> =
        objects.iter().map(Identity::of_kind).filter(|kind| is_custom(&kind.group)).collect();
    let defined = |crd: &Value| Identity {
        group: text(&crd["spec"]["group"]),
        kind: text(&crd["spec"]["names"]["kind"]),
        ..Identity::default()
    };
    for crd in &own {
        missing.remove(&defined(crd));
    }
    let mut crds = own;
    let is_of_revisions = |object: &Value, name: &str| {
        let package = Identity::of_kind(object);
        object.pointer("/status/currentRevision").is_some()
            && name == format!("{}revisions.{}", package.kind.to_lowercase(), package.group)
    };
    // Kinds that a revision lists as installed exist, except those that nothing is to be read from, and those of revisions.
    let installed = |crd: &Value| {
        let name = text(&crd["metadata"]["name"]);
        let references = objects.iter().filter_map(|object| object.pointer("/status/objectRefs")?.as_array()).flatten();
        let is_installed = references.filter(|one| one["kind"] == KIND).any(|one| text(&one["name"]) == name);
        !name.starts_with("providerconfigusages.") && is_installed
            || objects.iter().any(|object| is_of_revisions(object, &name))
    };
    for crd in ALL.iter() {
        let is_new = !crds.iter().any(|own| own["metadata"]["name"] == crd["metadata"]["name"]);
        if missing.remove(&defined(crd)) || is_new && installed(crd) {
            crds.push(crd.clone());
        }
    }
    if let Some(Identity { group, kind, .. }) = missing.first() {
        bail!("no CRD for {kind} of {group} in {FIXTURES}");
    }
    Ok(crds)
}

/// Kubernetes' own groups have no dot, or end in `.k8s.io`.
fn is_custom(group: &str) -> bool {
    group.contains('.') && !group.ends_with(".k8s.io")
}

/// Makes CRDs and waits until the API server serves them.
pub async fn install(client: &Client, crds: Vec<Value>) -> Result<()> {
    let api = Api::<CustomResourceDefinition>::all(client.clone());
    let apply = PatchParams::apply(FIELD_MANAGER).force();
    let names: Vec<String> = crds.iter().map(|crd| text(&crd["metadata"]["name"])).collect();
    stream::iter(crds.iter().zip(&names))
        .map(async |(crd, name)| api.patch(name, &apply, &Patch::Apply(crd)).await)
        .buffer_unordered(PARALLEL)
        .try_collect::<Vec<_>>()
        .await?;
    for name in &names {
        eventually(async || {
            let conditions = api.get(name).await.ok()?.status?.conditions?;
            conditions.iter().any(|one| one.type_ == "Established" && one.status == "True").then_some(())
        })
        .await;
    }
    Ok(())
}
