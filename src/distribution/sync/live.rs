//! Carries out what was planned: each Secret with one request that is whole or not there, so that whatever ends the program
//! in between, the next run does the rest.

use std::collections::BTreeMap;

use super::manifest::manifest;
use super::{Action, Step, Write};
use crate::adopt::inventory::Inventory;
use crate::adopt::names::Namespaced;
use crate::distribution::live::way::Ways;
use crate::distribution::mark::Mark;
use crate::model::apply::Conflicts;
use crate::model::metadata::Metadata;
use crate::model::resource::Resource;
use crate::model::secrecy::scrub_about;
use crate::source::live::api::Api;
use crate::source::live::write::{ApiWriter, ObjectPath};

/// What became of a step; in the order of the plan.
pub type Written = Option<Result<(), String>>;

/// Writes. `None` for steps that write nothing. `core` is the core cluster, and what was read of it: the values that nobody
/// is told, whoever quotes them.
pub async fn carry_out(
    core: (&Api, &[Resource]),
    inventory: &Inventory,
    ways: &Ways<'_>,
    steps: &[Step],
    conflicts: Conflicts,
) -> Vec<Written> {
    let mut open: BTreeMap<usize, Result<ApiWriter, String>> = BTreeMap::new();
    let mut outcomes = Vec::new();
    for step in steps {
        let Some(write) = step.write.as_ref().filter(|_| step.action.writes()) else {
            outcomes.push(None);
            continue;
        };
        let cluster = &inventory.clusters[write.position];
        let api = open.entry(write.position).or_insert_with(|| ways.open_to_write(cluster));
        outcomes.push(Some(match api {
            Ok(api) if step.action == Action::Prune => remove(api, write).await,
            Ok(api) => copy(core, api, write, conflicts).await,
            Err(reason) => Err(reason.clone()),
        }));
    }
    outcomes
}

async fn copy(
    (core, read): (&Api, &[Resource]),
    app: &ApiWriter,
    write: &Write,
    conflicts: Conflicts,
) -> Result<(), String> {
    let source = &write.mark.source;
    let known = read.iter().filter(|one| one.name() == source.secret()).filter_map(|one| one.whole.as_deref());
    let found = core.find(&path(source)?).await;
    let found = found.map_err(|error| scrub_about(&format!("its source cannot be read: {error}"), known))?;
    let found = found.ok_or_else(|| format!("its source {source} is gone"))?;
    // What was agreed to was what was seen.
    let version = found.pointer("/metadata/resourceVersion").and_then(serde_json::Value::as_str).unwrap_or_default();
    if version != write.mark.version {
        return Err(format!("its source {source} changed since it was compared: run it again"));
    }
    let object = manifest(write, &found)?;
    match app.apply(&path(&write.target)?, &object, conflicts).await {
        Ok(_) => Ok(()),
        // A server may quote what it was sent.
        Err(error) => Err(scrub_about(&error.to_string(), [&object])),
    }
}

/// Deletes a copy, if it is one of ours still.
async fn remove(app: &ApiWriter, write: &Write) -> Result<(), String> {
    let path = path(&write.target)?;
    let Some(found) = app.find(&path).await.map_err(|error| error.to_string())? else { return Ok(()) };
    let metadata: Metadata = found
        .get("metadata")
        .and_then(|metadata| serde_json::from_value(metadata.clone()).ok())
        .ok_or("it is not what its kind promises")?;
    let is_ours = Mark::read(&metadata).is_some_and(|mark| mark.core == write.mark.core);
    if !is_ours {
        return Err("it is no copy of this core cluster any more".to_owned());
    }
    app.delete(&path).await.map_err(|error| error.to_string())
}

fn path(secret: &Namespaced) -> Result<ObjectPath, String> {
    let name = secret.secret();
    ObjectPath::of(&name).ok_or_else(|| format!("{secret} has no path"))
}
