//! Effects of a changed CRD or XRD on the live objects of its kinds.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::upgrade::definition::NewDefinition;
use crate::upgrade::effects::SchemaEffects;
use ucp_client::prediction::cluster::{ConnectedCluster, text_at};
use ucp_core::model::expression::RulePatience;
use ucp_core::model::state::Unreadable;
use ucp_core::model::text::join_limited;

/// Number of objects in a note that are named.
const NAMED: usize = 5;
/// Largest size of a page.
const PAGE: &str = "500";

/// Notes about live objects, and the kinds or rules that are unknown.
#[derive(Debug, Default)]
pub(super) struct DefinitionNotes {
    pub(super) notes: Vec<String>,
    pub(super) unreadable: Vec<Unreadable>,
}

/// Returns what a definition does to the live objects of its kinds, in comparison with the live definition.
pub(super) async fn examine_definition(cluster: &ConnectedCluster, live: &Value, new: &Value) -> DefinitionNotes {
    let mut answer = DefinitionNotes::default();
    let installed = NewDefinition::list_from(live);
    let patience = RulePatience::default();
    for definition in NewDefinition::list_from(new) {
        let Some(kind) = cluster.kinds().find(|kind| definition.defines(kind)) else {
            // Nothing is served yet, so there are no objects.
            continue;
        };
        let installed = installed.iter().find(|installed| installed.plural == definition.plural);
        let schema =
            installed.and_then(|installed| installed.served_version(&kind.version)).map(|version| version.schema());
        let unknown = |reason: String| Unreadable { what: format!("effects on {}", definition.name()), reason };
        let objects = match cluster.list_objects(&kind.path(None).with_query("limit", PAGE)).await {
            Ok(objects) => objects,
            Err(error) => {
                answer.unreadable.push(unknown(error.to_string()));
                continue;
            }
        };
        let mut notes: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for object in &objects {
            match SchemaEffects::of_upgrade(&definition, schema, object, &patience) {
                Ok(effects) => {
                    for note in notes_of_effects(&effects) {
                        notes.entry(note).or_default().push(object_label(object));
                    }
                    answer.unreadable.extend(effects.unchecked.into_iter().map(unknown));
                }
                Err(reason) => answer.unreadable.push(unknown(reason.into())),
            }
        }
        answer.notes.extend(notes.into_iter().map(|(note, names)| format!("{note}: {}", join_limited(&names, NAMED))));
    }
    answer.unreadable.sort_by(|left, right| left.reason.cmp(&right.reason));
    answer.unreadable.dedup_by(|left, right| left.reason == right.reason && left.what == right.what);
    answer
}

fn notes_of_effects(effects: &SchemaEffects) -> impl Iterator<Item = String> {
    let removed = effects.removed.iter().map(|path| format!("removes {path} of live objects"));
    let invalid = effects.invalid.iter().map(|clause| format!("live objects become invalid, as {clause}"));
    let defaulted = effects.defaulted.iter().map(|field| format!("sets {field} in live objects"));
    removed.chain(invalid).chain(defaulted)
}

fn object_label(object: &Value) -> String {
    match text_at(object, "/metadata/namespace") {
        "" => text_at(object, "/metadata/name").to_owned(),
        namespace => format!("{namespace}/{}", text_at(object, "/metadata/name")),
    }
}
