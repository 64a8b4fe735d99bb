//! Effects of a changed CRD or XRD on the live objects of its kinds, and on the manifests that the merge declares.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::upgrade::definition::NewDefinition;
use crate::upgrade::effects::SchemaEffects;
use crate::upgrade::writers::writers_by_version;
use ucp_client::prediction::cluster::{ConnectedCluster, text_at};
use ucp_client::prediction::overlay::overlay;
use ucp_core::model::expression::RulePatience;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::group_of;
use ucp_core::model::state::Unreadable;
use ucp_core::model::text::join_limited;

/// Number of objects in a note that are named.
const NAMED: usize = 5;
/// Largest size of a page.
const PAGE: &str = "500";

/// Notes about live objects and manifests, and the kinds or rules that are unknown.
#[derive(Debug, Default)]
pub(super) struct DefinitionNotes {
    pub(super) notes: Vec<String>,
    pub(super) unreadable: Vec<Unreadable>,
}

/// Returns what a definition does to the live objects of its kinds, in comparison with the live definition, and to the
/// manifests that are declared after the merge.
pub(super) async fn examine_definition(
    cluster: &ConnectedCluster,
    live: &Value,
    new: &Value,
    declared: &[&Value],
) -> DefinitionNotes {
    let mut answer = DefinitionNotes::default();
    let installed = NewDefinition::list_from(live);
    let patience = RulePatience::default();
    for definition in NewDefinition::list_from(new) {
        let Some(kind) = cluster.kinds().find(|kind| definition.defines(kind)) else {
            // Nothing is served yet, so there are no objects.
            continue;
        };
        let installed = installed.iter().find(|installed| installed.plural == definition.plural);
        let unknown = |reason: String| Unreadable { what: format!("effects on {}", definition.name()), reason };
        let objects = match cluster.list_objects(&kind.path(None).with_query("limit", PAGE)).await {
            Ok(objects) => objects,
            Err(error) => {
                answer.unreadable.push(unknown(error.to_string()));
                Vec::new()
            }
        };
        let upgrade = UpgradedKind::new(&definition, installed, kind, &patience);
        let (mut notes, mut doubts) = (GroupedNotes::new(), Vec::new());
        for object in &objects {
            upgrade.add_live(object, &mut notes, &mut doubts);
        }
        let live: BTreeMap<String, &Value> = objects.iter().map(|object| (object_label(object), object)).collect();
        for manifest in declared.iter().filter(|manifest| upgrade.declares(manifest)) {
            let live = live.get(&object_label(manifest)).copied();
            upgrade.add_declared(manifest, live, &mut notes, &mut doubts);
        }
        answer.unreadable.extend(doubts.into_iter().map(unknown));
        answer.notes.extend(notes.into_iter().map(|(note, names)| {
            let names: Vec<String> = names.into_iter().collect();
            format!("{note}: {}", join_limited(&names, NAMED))
        }));
    }
    answer.unreadable.sort_by(|left, right| left.reason.cmp(&right.reason));
    answer.unreadable.dedup_by(|left, right| left.reason == right.reason && left.what == right.what);
    answer
}

/// Names of objects by note.
type GroupedNotes = BTreeMap<String, BTreeSet<String>>;

/// A kind whose definition changes.
struct UpgradedKind<'a> {
    definition: &'a NewDefinition,
    installed: Option<&'a NewDefinition>,
    kind: &'a ResourceKind,
    patience: &'a RulePatience,
    /// What requests in a version encounter from now on, by version.
    problems: BTreeMap<&'a str, String>,
}

impl<'a> UpgradedKind<'a> {
    fn new(
        definition: &'a NewDefinition,
        installed: Option<&'a NewDefinition>,
        kind: &'a ResourceKind,
        patience: &'a RulePatience,
    ) -> Self {
        let known = installed.into_iter().chain([definition]).flat_map(|one| &one.versions);
        let problem = |name: &str| definition.new_version_problem(installed, name);
        let problems = known.filter_map(|version| Some((version.name.as_str(), problem(&version.name)?))).collect();
        Self { definition, installed, kind, patience, problems }
    }

    /// Returns true if the manifest declares an object of the kind.
    fn declares(&self, manifest: &Value) -> bool {
        group_of(text_at(manifest, "/apiVersion")) == self.definition.group
            && text_at(manifest, "/kind") == self.definition.kind
    }

    fn effects(&self, object: &Value, version: &str, doubts: &mut Vec<String>) -> SchemaEffects {
        let installed = self.installed.and_then(|installed| installed.served_version(version));
        let schema = installed.map(|version| version.schema());
        match SchemaEffects::of_upgrade(self.definition, schema, object, self.patience) {
            Ok(mut effects) => {
                doubts.extend(std::mem::take(&mut effects.unchecked));
                effects
            }
            Err(reason) => {
                doubts.push(reason.into());
                SchemaEffects::default()
            }
        }
    }

    fn add_live(&self, object: &Value, notes: &mut GroupedNotes, doubts: &mut Vec<String>) {
        let mut add = |note: String| notes.entry(note).or_default().extend([object_label(object)]);
        let effects = self.effects(object, &self.kind.version, doubts);
        effects.removed.iter().for_each(|path| add(format!("removes {path} of live objects")));
        effects.invalid.iter().for_each(|clause| add(format!("live objects become invalid, as {clause}")));
        effects.defaulted.iter().for_each(|field| add(format!("sets {field} in live objects")));
        for (version, managers) in writers_by_version(object, &self.problems.keys().copied().collect()) {
            if let Some(problem) = self.problems.get(version) {
                add(format!("{managers} writes live objects in {version}, {problem}"));
            }
        }
    }

    /// Adds the effects on a manifest. Whether it is valid depends on the object that it is applied to.
    fn add_declared(&self, manifest: &Value, live: Option<&Value>, notes: &mut GroupedNotes, doubts: &mut Vec<String>) {
        let mut add = |note: String| notes.entry(note).or_default().extend([object_label(manifest)]);
        let version = text_at(manifest, "/apiVersion").rsplit('/').next().unwrap_or_default();
        if let Some(problem) = self.definition.new_version_problem(self.installed, version) {
            add(format!("manifests after the merge use {version}, {problem}"));
        }
        if self.definition.served_version(version).is_none() {
            return;
        }
        let alone = self.effects(manifest, version, doubts);
        alone
            .removed
            .iter()
            .for_each(|path| add(format!("manifests after the merge have {path}, which the new schema does not")));
        let merged = live.filter(|live| live["apiVersion"] == manifest["apiVersion"]);
        let invalid = match merged {
            Some(live) => self.effects(&overlay(live, manifest), version, doubts).invalid,
            None => alone.invalid,
        };
        invalid.iter().for_each(|clause| add(format!("manifests after the merge are invalid, as {clause}")));
    }
}

fn object_label(object: &Value) -> String {
    match text_at(object, "/metadata/namespace") {
        "" => text_at(object, "/metadata/name").to_owned(),
        namespace => format!("{namespace}/{}", text_at(object, "/metadata/name")),
    }
}
