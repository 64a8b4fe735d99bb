//! Executes a plan. Each Secret is written with one atomic request, so that after an interruption the next run
//! completes the rest.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::manifest::{manifest, patch};
use super::{CopyWrite, SyncAction, SyncStep};
use crate::adopt::inventory::AppClusterInventory;
use crate::adopt::names::NamespacedName;
use crate::adopt::secrets::CONSUMERS;
use crate::distribution::live::resource_kind;
use crate::distribution::live::way::AccessSelector;
use crate::distribution::mark::CopyMark;
use ucp_client::source::live::api::{Api, ReadError};
use ucp_client::source::live::delete::Precondition;
use ucp_client::source::live::write::{ApiWriter, ObjectPath};
use ucp_core::failure::{Failure, fail};
use ucp_core::model::grounds::Grounded;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::metadata::Metadata;
use ucp_core::model::object::ObjectName;
use ucp_core::model::resource::Resource;
use ucp_core::model::secrecy::scrub_about;

/// Result of a step, in the order of the plan.
pub type WriteOutcome = Option<Result<(), Failure>>;

/// Access to the core cluster, from which Secrets are copied.
pub struct CoreAccess<'a> {
    /// Connection to the core cluster.
    pub api: &'a Api,
    /// Objects read from it, whose values are masked in all messages.
    pub read: &'a [Resource],
    /// Kinds that declare copies.
    pub declaring: &'a [Arc<ResourceKind>],
}

/// Executes the steps. Returns `None` for steps that write nothing. A deletion rests on lists that contain no object which
/// wants the copy; one object that they are missing, or that cannot be requested, is a reason against all deletions.
pub async fn carry_out(
    core: &CoreAccess<'_>,
    inventory: &AppClusterInventory,
    ways: &AccessSelector<'_>,
    steps: &[SyncStep],
) -> Vec<WriteOutcome> {
    let mut open: BTreeMap<usize, Result<ApiWriter, Failure>> = BTreeMap::new();
    let doubt = doubt_about_lists(core, inventory, ways, &mut open, steps).await;
    let mut outcomes = Vec::new();
    for step in steps {
        let Some(write) = step.write() else {
            outcomes.push(None);
            continue;
        };
        let position = write.value().position;
        let cluster = &inventory.clusters[position];
        let api = open.entry(position).or_insert_with(|| ways.connect_for_writing(cluster));
        outcomes.push(Some(match api {
            Ok(api) if step.action == SyncAction::Prune => match &doubt {
                Some(reason) => Err(reason.clone().into()),
                None => remove(api, write).await,
            },
            Ok(api) => copy(core, api, write).await,
            Err(reason) => Err(reason.clone()),
        }));
    }
    outcomes
}

/// Returns the reason why no copy is deleted: an object that no list contained exists, or may exist.
async fn doubt_about_lists(
    core: &CoreAccess<'_>,
    inventory: &AppClusterInventory,
    ways: &AccessSelector<'_>,
    open: &mut BTreeMap<usize, Result<ApiWriter, Failure>>,
    steps: &[SyncStep],
) -> Option<String> {
    for write in steps.iter().filter(|step| step.action == SyncAction::Prune).filter_map(SyncStep::write) {
        let CopyWrite { position, gone, .. } = write.value();
        let cluster = &inventory.clusters[*position];
        // A cluster without access is reported at its own steps.
        let Ok(app) = open.entry(*position).or_insert_with(|| ways.connect_for_writing(cluster)) else { continue };
        for object in gone {
            match is_gone(core, app, object).await {
                Ok(true) => {}
                Ok(false) => {
                    return Some(format!(
                        "{object} exists, but no list contained it, so no copy is deleted: run the command again"
                    ));
                }
                Err(reason) => return Some(format!("no copy is deleted: {reason}")),
            }
        }
    }
    None
}

async fn copy(core: &CoreAccess<'_>, app: &ApiWriter, write: &Grounded<CopyWrite>) -> Result<(), Failure> {
    let write = write.value();
    let source = &write.mark.source;
    let known = core.read.iter().filter(|one| one.name() == source.secret()).filter_map(|one| one.whole.as_deref());
    let found = core.api.find(&path(source)?).await;
    let found = found.map_err(|error| scrub_about(&format!("its source cannot be read: {error}"), known))?;
    let found = found.ok_or_else(|| format!("its source {source} no longer exists"))?;
    // The user consented to the version that was compared.
    let version = found.pointer("/metadata/resourceVersion").and_then(serde_json::Value::as_str).unwrap_or_default();
    if version != write.mark.version {
        return fail!("its source {source} changed since it was compared: run the command again");
    }
    let object = manifest(write, &found)?;
    let target = path(&write.target)?;
    let written = match &write.seen {
        None => app.create_new(&target, &object).await,
        Some(seen) => app.add(&target, &seen.version, &patch(seen, object.clone())).await,
    };
    match written {
        Ok(_) => Ok(()),
        Err(ReadError::Rejected { code: 409, .. }) if write.seen.is_none() => {
            fail!("a Secret with this name was created in the meantime: run the command again")
        }
        Err(ReadError::Rejected { code: 409, .. }) => fail!("it changed since it was compared: run the command again"),
        // A server may quote the request in its response.
        Err(error) => Err(scrub_about(&error.to_string(), [&object]).into()),
    }
}

/// Deletes the seen copy if it is still ours.
async fn remove(app: &ApiWriter, write: &Grounded<CopyWrite>) -> Result<(), Failure> {
    let write = write.value();
    let path = path(&write.target)?;
    let seen = write.seen.as_ref().ok_or("it was not read")?;
    let Some(found) = app.find(&path).await? else { return Ok(()) };
    let metadata: Metadata = found
        .get("metadata")
        .and_then(|metadata| serde_json::from_value(metadata.clone()).ok())
        .ok_or("it does not have the structure of its kind")?;
    let is_ours = CopyMark::read(&metadata).is_some_and(|mark| mark.core == write.mark.core);
    if !is_ours {
        return fail!("it is no longer a copy of this core cluster");
    }
    match app.delete_seen(&path, &Precondition::on_version(&seen.uid, &seen.version)).await {
        Ok(()) => Ok(()),
        Err(ReadError::Rejected { code: 409, .. }) => fail!("it changed since it was compared: run the command again"),
        Err(error) => Err(error.to_string().into()),
    }
}

/// Returns true if an object that was in no list does not exist. A truncated list, or a response from another program,
/// looks complete; `get` of one object does not.
async fn is_gone(core: &CoreAccess<'_>, app: &ApiWriter, object: &ObjectName) -> Result<bool, Failure> {
    let is_it = |kind: &ResourceKind| kind.group == object.group() && kind.kind == object.kind;
    let namespace = object.namespace.as_deref();
    let workload =
        CONSUMERS.into_iter().map(|(group, version, plural, kind)| resource_kind(group, version, plural, kind));
    let found = match core.declaring.iter().find(|kind| is_it(kind)) {
        Some(kind) => core.api.find(&ObjectPath::at(kind, namespace, &object.name)).await,
        None => match workload.into_iter().find(is_it) {
            Some(kind) => app.find(&ObjectPath::at(&kind, namespace, &object.name)).await,
            None => return fail!("it is unknown whether {object} exists: its kind is not known"),
        },
    };
    found.map(|found| found.is_none()).map_err(|error| format!("it is unknown whether {object} exists: {error}").into())
}

fn path(secret: &NamespacedName) -> Result<ObjectPath, Failure> {
    let name = secret.secret();
    ObjectPath::from_object_name(&name).ok_or_else(|| format!("{secret} has no path").into())
}
