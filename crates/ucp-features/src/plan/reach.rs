//! Finds the composites that a change affects: by their claims, by themselves, by their Compositions, and by the
//! requirements of their functions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use crate::composition::blueprint::{CompositeType, may_require};
use crate::composition::claim;
use crate::composition::definition::CompositeDefinition;
use crate::composition::identity::CLAIM_MANAGER;
use crate::composition::selection::{GROUP, compositions, resolve_composition};
use crate::composition::settled::{CompositePresence, CompositeSubject};
use crate::composition::view::PlannedClusterView;
use ucp_client::prediction::cluster::text_at;
use ucp_client::prediction::dry_run::{DryRunOutcome, predict_apply_as};
use ucp_core::model::object::{ObjectKey, ObjectName};
use ucp_core::model::secrecy::scrub_about;
use ucp_core::model::state::Unreadable;

/// A composite that a change affects.
#[derive(Debug, Clone)]
pub struct AffectedComposite {
    /// The composite.
    pub subject: CompositeSubject,
    /// The objects of the change that affect it.
    pub by: BTreeSet<ObjectName>,
    /// Further remarks.
    pub notes: Vec<String>,
}

/// The composites that a change affects.
#[derive(Debug, Default)]
pub struct AffectedComposites {
    /// Composites by name. Those that are only affected by possible requirements have no entries in [`AffectedComposite::by`]
    /// yet.
    pub composites: BTreeMap<ObjectKey, AffectedComposite>,
    /// Objects that could not be read.
    pub unreadable: Vec<Unreadable>,
    /// Messages with the number of composites that each changed Composition affects.
    pub numbers: Vec<String>,
}

/// Finds the composites that any change of the view affects.
pub async fn affected_composites(view: &PlannedClusterView, definitions: &[CompositeDefinition]) -> AffectedComposites {
    let mut reach = AffectedComposites::default();
    let mut others = BTreeSet::new();
    let mut touched: Vec<(&ObjectKey, Option<&Value>)> = view.changes().collect();
    touched.sort_by_key(|(key, _)| *key);
    let mut changed_compositions = Vec::new();
    for (key, after) in touched {
        let is_of = |kind: Option<&str>, definition: &CompositeDefinition| {
            definition.group() == key.group && kind == Some(&key.kind)
        };
        let claimed = definitions.iter().find(|definition| is_of(definition.claim_kind(), definition));
        let defined = CompositeDefinition::find_by_kind(definitions, &key.group, &key.kind);
        match (key.group.as_str(), key.kind.as_str(), after) {
            (GROUP, "Composition", after) => changed_compositions.push((key, after)),
            (_, _, Some(after)) if claimed.is_some() => {
                if let Some(definition) = claimed {
                    reach.add_claimed(view, definition, after).await;
                }
            }
            (_, _, Some(after)) if defined.is_some() => {
                reach.add_composite(view, after, ObjectName::from_manifest(after)).await
            }
            (_, _, None) if claimed.is_some() || defined.is_some() => {}
            _ => drop(others.insert(key)),
        }
    }
    // After claims and composites: a composite that changes itself is already present in its new state.
    for (key, after) in changed_compositions {
        reach.add_of_composition(view, definitions, key, after).await;
    }
    reach.add_requiring(view, definitions, &others).await;
    reach
}

impl AffectedComposites {
    fn add_unreadable(&mut self, what: &ObjectName, reason: String) {
        self.unreadable.push(Unreadable { what: what.to_string(), reason });
    }

    fn add(&mut self, subject: CompositeSubject, by: Option<ObjectName>, notes: Vec<String>) {
        let key = ObjectKey::from(&ObjectName::from_manifest(&subject.composite));
        let reached =
            self.composites.entry(key).or_insert_with(|| AffectedComposite { subject, by: BTreeSet::new(), notes });
        reached.by.extend(by);
    }

    async fn add_claimed(&mut self, view: &PlannedClusterView, definition: &CompositeDefinition, after: &Value) {
        let name = ObjectName::from_manifest(after);
        let live = match claim::existing_composite_name(after) {
            Some(composite) => match view.live(&composite).await {
                Ok(live) => live,
                Err(reason) => {
                    return self.add_unreadable(&name, format!("its composite {composite} cannot be read: {reason}"));
                }
            },
            None => None,
        };
        let wanted = claim::composite_for_claim(after, definition, live.as_ref());
        let presence = if live.is_some() { CompositePresence::Existing } else { CompositePresence::New };
        let served = match view.cluster.find_kind(text_at(&wanted, "/apiVersion"), text_at(&wanted, "/kind")).await {
            Ok(served) => served,
            Err(reason) => return self.add_unreadable(&name, reason.to_string()),
        };
        let Some(kind) = served else {
            return self.add(CompositeSubject::new(wanted, presence), Some(name), vec![NO_DEFAULTS.to_owned()]);
        };
        match predict_apply_as(&view.cluster, &kind, Ok(live), &wanted, CLAIM_MANAGER).await.outcome {
            DryRunOutcome::Accepted(composite) => {
                self.add(CompositeSubject::new(composite, presence), Some(name), Vec::new())
            }
            DryRunOutcome::Rejected { reason, .. } => {
                let message = scrub_about(reason.as_str(), [&wanted, after]);
                self.add_unreadable(&name, format!("its composite would be rejected: {message}"))
            }
            DryRunOutcome::NotAsked(reason) => {
                self.add_unreadable(&name, format!("the effect on its composite is unknown: {reason}"))
            }
        }
    }

    async fn add_composite(&mut self, view: &PlannedClusterView, after: &Value, by: ObjectName) {
        let name = ObjectName::from_manifest(after);
        let (presence, notes) = match view.live(&name).await {
            Ok(Some(_)) => (CompositePresence::Existing, Vec::new()),
            Ok(None) => (CompositePresence::New, Vec::new()),
            Err(reason) => match view.cluster.find_kind(&name.api_version, &name.kind).await {
                Ok(None) => (CompositePresence::New, vec![NO_DEFAULTS.to_owned()]),
                _ => return self.add_unreadable(&name, reason.into()),
            },
        };
        self.add(CompositeSubject::new(after.clone(), presence), Some(by), notes);
    }

    async fn add_of_composition(
        &mut self,
        view: &PlannedClusterView,
        definitions: &[CompositeDefinition],
        key: &ObjectKey,
        after: Option<&Value>,
    ) {
        let name = ObjectName {
            api_version: format!("{GROUP}/v1"),
            kind: key.kind.clone(),
            namespace: None,
            name: key.name.clone(),
        };
        let before = match view.live(&name).await {
            Ok(before) => before,
            Err(reason) => return self.add_unreadable(&name, reason.into()),
        };
        let kinds: BTreeSet<(String, String)> = [before.as_ref(), after]
            .into_iter()
            .flatten()
            .filter_map(CompositeType::from_composition)
            .map(|found| (found.group().to_owned(), found.kind))
            .collect();
        let (mut number, mut pinned) = (0_usize, 0_usize);
        for (group, kind) in kinds {
            let definition = CompositeDefinition::find_by_kind(definitions, &group, &kind);
            let Some(definition) = definition else {
                self.add_unreadable(&name, format!("no CompositeResourceDefinition defines {kind} of {group}"));
                continue;
            };
            for composite in self.list_composites(view, definition, &name).await.iter() {
                match resolve_composition(view, composite, definition).await {
                    Ok(found) if found == name.name => {
                        if is_pinned(composite, definition) {
                            pinned += 1;
                            continue;
                        }
                        number += 1;
                        self.add_listed(view, composite, Some(&name));
                    }
                    Ok(_) => {}
                    Err(reason) => self.add_unreadable(&ObjectName::from_manifest(composite), reason.into()),
                }
            }
        }
        let composites = if number == 1 { "composite" } else { "composites" };
        let pinned = if pinned > 0 {
            format!("; {pinned} more remain at the revision that they are pinned to")
        } else {
            String::new()
        };
        self.numbers.push(format!("Composition {} affects {number} {composites}{pinned}", key.name));
    }

    async fn list_composites(
        &mut self,
        view: &PlannedClusterView,
        definition: &CompositeDefinition,
        why: &ObjectName,
    ) -> Arc<Vec<Value>> {
        let version = format!("{}/{}", definition.group(), definition.version());
        if let Ok(None) = view.cluster.find_kind(&version, definition.kind()).await {
            // The change adds the definition, and so every composite of it.
            return Arc::default();
        }
        match view.list(&version, definition.kind(), None, &BTreeMap::new()).await {
            Ok(found) => found,
            Err(reason) => {
                self.add_unreadable(
                    why,
                    format!(
                        "its composites, {} of {}, cannot be listed: {reason}",
                        definition.kind(),
                        definition.group()
                    ),
                );
                Arc::default()
            }
        }
    }

    /// Adds a listed composite. One that changes itself is already present in its new state.
    fn add_listed(&mut self, view: &PlannedClusterView, composite: &Value, by: Option<&ObjectName>) {
        let name = ObjectName::from_manifest(composite);
        if view.planned(&name).is_none() {
            self.add(CompositeSubject::new(composite.clone(), CompositePresence::Existing), by.cloned(), Vec::new());
        } else if let Some(reached) = self.composites.get_mut(&ObjectKey::from(&name)) {
            reached.by.extend(by.cloned());
        }
    }

    /// Adds the composites whose pipelines may require one of the changed objects.
    async fn add_requiring(
        &mut self,
        view: &PlannedClusterView,
        definitions: &[CompositeDefinition],
        others: &BTreeSet<&ObjectKey>,
    ) {
        if others.is_empty() || definitions.is_empty() {
            return;
        }
        let kinds: BTreeSet<&str> = others.iter().map(|key| key.kind.as_str()).collect();
        let found = match compositions(view).await {
            Ok(found) => found,
            Err(reason) => {
                self.unreadable.push(Unreadable {
                    what: "composites that require a changed object".to_owned(),
                    reason: reason.into(),
                });
                return;
            }
        };
        for composition in found.iter().filter(|one| kinds.iter().any(|kind| may_require(one, kind))) {
            let name = ObjectName::from_manifest(composition);
            let Some(wanted) = CompositeType::from_composition(composition) else { continue };
            let definition = CompositeDefinition::find_by_kind(definitions, wanted.group(), &wanted.kind);
            let Some(definition) = definition else { continue };
            for composite in self.list_composites(view, definition, &name).await.iter() {
                if resolve_composition(view, composite, definition).await.is_ok_and(|found| found == name.name) {
                    self.add_listed(view, composite, None);
                }
            }
        }
    }
}

const NO_DEFAULTS: &str = "its kind is added by this change, so defaults of its schema are not included";

/// Returns true if a composite is pinned to its current revision.
fn is_pinned(composite: &Value, definition: &CompositeDefinition) -> bool {
    let machinery = definition.machinery_pointer();
    text_at(composite, &format!("{machinery}/compositionUpdatePolicy")) == "Manual"
        && !text_at(composite, &format!("{machinery}/compositionRevisionRef/name")).is_empty()
}
