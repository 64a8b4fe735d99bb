//! The effect of Compositions on a plan: runs the pipeline of every composite that a change affects, and examines the
//! resulting objects like all others.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use futures::StreamExt as _;
use serde_json::Value;

use crate::composition::function::{FunctionPermissions, Functions};
use crate::composition::reconcile::Reconciler;
use crate::composition::selection::definitions;
use crate::composition::sent::{FunctionView, SendableSecrets};
use crate::composition::settled::{
    CompositePrediction, CompositePresence, NestedPrediction, ResourceChange, ResourcePrediction,
};
use crate::composition::view::{PlannedChanges, PlannedClusterView};
use crate::plan::change::{PlannedChange, PlannedStep};
use crate::plan::core_rights::{STOPS, check_core_rights};
use crate::plan::examine::{AddedObjects, ComparisonPurpose, Examination, Examiner, StoredObjects};
use crate::plan::going::deleted_objects;
use crate::plan::item::plan_item;
use crate::plan::outcome::{CompositePlan, PlanOutcome};
use crate::plan::prepare::ApplyTime;
use crate::plan::reach::{AffectedComposite, AffectedComposites, affected_composites};
use crate::plan::schemas::SchemaCache;
use ucp_client::prediction::cluster::{ConnectedCluster, text_at};
use ucp_client::prediction::dry_run::DryRunOutcome;
use ucp_core::failure::{Failure, FailureClass};
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::{ObjectKey, ObjectName};
use ucp_core::model::secrecy::SecretHider;
use ucp_core::model::state::Unreadable;

/// Number of composites that are run concurrently.
const CONCURRENT: usize = 16;

/// Options for running Compositions.
pub struct CompositionPreview<'a> {
    /// The functions that may be called.
    pub permission: FunctionPermissions,
    /// Kinds of secrets that functions may receive.
    pub confidence: Vec<SendableSecrets>,
    /// Maximum depth of nested composites.
    pub depth: usize,
    /// Reports the amount of work before it starts.
    pub announce: &'a (dyn Fn(&str) + Sync),
    /// Reports the number of composites that are done, and their total.
    pub progress: &'a (dyn Fn(usize, usize) + Sync),
}

/// A composite that was run.
struct ExaminedComposite {
    name: ObjectName,
    within: Option<ObjectName>,
    presence: CompositePresence,
    settled: Result<Box<CompositePrediction>, Failure>,
    by: BTreeSet<ObjectName>,
    notes: Vec<String>,
}

impl CompositionPreview<'_> {
    /// Runs every composite that a change of the core cluster affects.
    pub(super) async fn add_composites(
        &self,
        core: &Arc<ConnectedCluster>,
        changes: PlannedChanges,
        hider: &mut SecretHider,
        outcome: &mut PlanOutcome,
    ) {
        let company = added_objects(&changes);
        let changed_functions: BTreeSet<String> = changes
            .keys()
            .filter(|key| key.group == "pkg.crossplane.io" && key.kind == "Function")
            .map(|key| key.name.clone())
            .collect();
        let removed = changes.iter().filter(|(_, after)| after.is_none()).map(|(key, _)| key.clone()).collect();
        let view = PlannedClusterView::new(Arc::clone(core), changes);
        let definitions = match definitions(&view).await {
            Ok(definitions) => definitions,
            Err(reason) => {
                outcome
                    .unreadable
                    .push(Unreadable { what: "its composed resources".to_owned(), reason: reason.into() });
                return;
            }
        };
        let AffectedComposites { composites, unreadable, numbers } = affected_composites(&view, &definitions).await;
        outcome.unreadable.extend(unreadable);
        numbers.iter().for_each(|number| (self.announce)(number));
        let functions = Functions::new(Arc::clone(core), self.permission.clone());
        let sent = FunctionView::new(&view, &self.confidence);
        let reconciler = Reconciler { sent, functions: &functions, definitions: &definitions, depth: self.depth };
        let (total, mut done) = (composites.len(), 0);
        if total > 0 {
            let noun = if total == 1 { "composite" } else { "composites" };
            (self.announce)(&format!("running the Compositions of {total} {noun}"));
        }
        let mut running = futures::stream::iter(composites.into_values())
            .map(|reached| async {
                let AffectedComposite { subject, by, notes } = reached;
                let (name, presence) = (ObjectName::from_manifest(&subject.composite), subject.presence);
                let settled = reconciler.predict(subject, 0).await.map(Box::new);
                ExaminedComposite { name, within: None, presence, settled, by, notes }
            })
            .buffer_unordered(CONCURRENT);
        let mut seen = Vec::new();
        while let Some(one) = running.next().await {
            done += 1;
            (self.progress)(done, total);
            if let Some(one) = confirm_affected(one, &view) {
                add_with_nested(one, &mut seen);
            }
        }
        drop(running);
        hider.add_known(reconciler.sent.sent_secret_values());
        let examiner = Examiner {
            cluster: core,
            company: &company,
            schemas: &SchemaCache::default(),
            stored: StoredObjects::Dropped,
            declared: &[],
            purpose: ComparisonPurpose::Merge,
        };
        self.report(without_deleted(seen, removed), &examiner, &changed_functions, hider, outcome).await;
    }

    async fn report(
        &self,
        seen: Vec<ExaminedComposite>,
        examiner: &Examiner<'_>,
        changed_functions: &BTreeSet<String>,
        hider: &mut SecretHider,
        outcome: &mut PlanOutcome,
    ) {
        // The run of a nested composite already includes the change of its parent.
        let nested: BTreeSet<ObjectKey> =
            seen.iter().filter(|one| one.within.is_some()).map(|one| ObjectKey::from(&one.name)).collect();
        let mut seen: Vec<ExaminedComposite> = seen
            .into_iter()
            .filter(|one| one.within.is_some() || !nested.contains(&ObjectKey::from(&one.name)))
            .collect();
        seen.sort_by(|left, right| (&left.name, &left.within).cmp(&(&right.name, &right.within)));
        let mut looked = futures::stream::iter(seen)
            .map(|one| async {
                let examined = match &one.settled {
                    Ok(settled) => examine_all(settled, &one.name, examiner).await,
                    Err(_) => Vec::new(),
                };
                (one, examined)
            })
            .buffered(CONCURRENT)
            .collect::<Vec<_>>()
            .await;
        let composed = looked.iter_mut().flat_map(|(one, examined)| {
            let touched = examined.iter_mut().filter_map(|(_, examination)| match examination {
                Examination::Touched(examined) => Some(&mut **examined),
                _ => None,
            });
            let name = &one.name;
            touched.map(move |examined| (name, examined))
        });
        outcome.remarks.extend(check_core_rights(examiner.cluster, composed).await);
        for (one, examined) in looked {
            let settled = match one.settled {
                Ok(settled) => settled,
                Err(failure) => {
                    let mut reason = failure.into();
                    hider.hide_text(&mut reason);
                    outcome.unreadable.push(Unreadable { what: one.name.to_string(), reason });
                    continue;
                }
            };
            let mut plan = composite_plan(&one.name, one.within, one.presence, one.by, one.notes, *settled);
            add_function_warnings(&mut plan, changed_functions);
            plan.plan.warnings.iter_mut().for_each(|warning| hider.hide_text(warning));
            for (key, examination) in examined {
                match examination {
                    Examination::Touched(examined) | Examination::TouchedBySync(examined) => {
                        outcome.unreadable.extend(examined.unreadable.iter().map(|entry| hide_secrets(entry, hider)));
                        let mut item = plan_item(*examined, None, one.name.clone(), hider);
                        item.resource = Some(key);
                        plan.plan.items.push(item);
                    }
                    Examination::Unchanged => plan.plan.unchanged += 1,
                    Examination::Unreadable(entry) => outcome.unreadable.push(hide_secrets(&entry, hider)),
                }
            }
            if plan.plan.items.is_empty() && plan.plan.warnings.is_empty() {
                outcome.composites_unchanged += 1;
            } else {
                outcome.composites.push(plan.plan);
            }
        }
    }
}

/// Hides secrets in a server's message, which may quote values that a function has copied into the object.
fn hide_secrets(entry: &Unreadable, hider: &mut SecretHider) -> Unreadable {
    let mut entry = entry.clone();
    hider.hide_text(&mut entry.reason);
    entry
}

/// Removes the composites that are deleted by the change or with their owner, because the owner's plan reports them.
fn without_deleted(seen: Vec<ExaminedComposite>, mut removed: BTreeSet<ObjectKey>) -> Vec<ExaminedComposite> {
    let settled = seen.iter().filter_map(|one| one.settled.as_ref().ok());
    for resources in settled.clone().map(|settled| &settled.resources) {
        // A resource that is deleted and created again exists at the end.
        let comes = |key: &str| {
            resources.iter().any(|one| one.key == key && matches!(one.fate, ResourceChange::Applied { .. }))
        };
        for foretold in resources {
            if let ResourceChange::Removed { live } = &foretold.fate
                && !comes(&foretold.key)
            {
                removed.insert(ObjectKey::from(&ObjectName::from_manifest(live)));
            }
        }
    }
    let going = deleted_objects(removed, settled.map(|settled| &settled.composite));
    seen.into_iter().filter(|one| !going.contains(&ObjectKey::from(&one.name))).collect()
}

/// A composite's plan and the functions that it calls.
struct CompositePlanDraft {
    plan: CompositePlan,
    functions: BTreeSet<String>,
}

fn composite_plan(
    name: &ObjectName,
    within: Option<ObjectName>,
    presence: CompositePresence,
    by: BTreeSet<ObjectName>,
    notes: Vec<String>,
    settled: CompositePrediction,
) -> CompositePlanDraft {
    let composite = &settled.composite;
    let field = |name: &str| composite.pointer(&format!("/spec/claimRef/{name}")).and_then(Value::as_str);
    let claim = field("name").map(|name| ObjectName {
        api_version: field("apiVersion").unwrap_or_default().to_owned(),
        kind: field("kind").unwrap_or_default().to_owned(),
        namespace: field("namespace").map(str::to_owned),
        name: name.to_owned(),
    });
    let blueprint = settled.blueprint.as_ref();
    let functions =
        blueprint.map(|blueprint| blueprint.function_names().map(str::to_owned).collect()).unwrap_or_default();
    let plan = CompositePlan {
        object: name.clone(),
        // A composite that is declared by its own name has that name.
        name_is_final: presence == CompositePresence::Existing || claim.is_none() && within.is_none(),
        claim,
        within,
        reached_by: by.into_iter().collect(),
        composition: blueprint.map(|blueprint| blueprint.composition.clone()),
        revision: blueprint.and_then(|blueprint| blueprint.revision.clone()),
        items: Vec::new(),
        unchanged: 0,
        warnings: notes.into_iter().chain(settled.warnings).collect(),
    };
    CompositePlanDraft { plan, functions }
}

fn add_function_warnings(drafted: &mut CompositePlanDraft, changed: &BTreeSet<String>) {
    for function in drafted.functions.intersection(changed) {
        drafted
            .plan
            .warnings
            .push(format!("function {function} also changes with this commit: the installed version was called"));
    }
}

/// Drops a composite that is only affected by requirements, unless it required something that changes. One that could
/// not be run is kept.
fn confirm_affected(mut seen: ExaminedComposite, view: &PlannedClusterView) -> Option<ExaminedComposite> {
    let Ok(settled) = &seen.settled else { return Some(seen) };
    for (key, _) in view.changes() {
        let is_it = |wanted: &&ObjectName| {
            wanted.group() == key.group
                && wanted.kind == key.kind
                && (wanted.namespace.is_none() || wanted.namespace == key.namespace)
                && (wanted.name.is_empty() || wanted.name == key.name)
        };
        if let Some(wanted) = settled.required.iter().find(is_it) {
            let (api_version, namespace) = (wanted.api_version.clone(), key.namespace.clone());
            seen.by.insert(ObjectName { api_version, kind: key.kind.clone(), namespace, name: key.name.clone() });
        }
    }
    (!seen.by.is_empty()).then_some(seen)
}

/// Adds a composite and its nested ones.
fn add_with_nested(mut one: ExaminedComposite, into: &mut Vec<ExaminedComposite>) {
    let nested = match &mut one.settled {
        Ok(settled) => std::mem::take(&mut settled.nested),
        Err(_) => Vec::new(),
    };
    for NestedPrediction { name, presence, settled } in nested {
        let within = Some(one.name.clone());
        add_with_nested(
            ExaminedComposite { name, within, presence, settled, by: BTreeSet::new(), notes: Vec::new() },
            into,
        );
    }
    into.push(one);
}

async fn examine_all(
    settled: &CompositePrediction,
    composite: &ObjectName,
    examiner: &Examiner<'_>,
) -> Vec<(String, Examination)> {
    let mut all = Vec::new();
    for foretold in &settled.resources {
        all.push((foretold.key.clone(), examine(foretold, composite, examiner).await));
    }
    all
}

async fn examine(foretold: &ResourcePrediction, composite: &ObjectName, examiner: &Examiner<'_>) -> Examination {
    let planned = |object: &Value, step: PlannedStep| PlannedChange {
        by: ObjectKey::from(composite),
        object: ObjectName::from_manifest(object),
        step,
        notes: foretold.notes.clone(),
    };
    match &foretold.fate {
        ResourceChange::Removed { live } => {
            examine_removal(examiner, planned(live, PlannedStep::Remove), live, None).await
        }
        ResourceChange::LeftBehind { live } => {
            let reason = format!(
                "resource {:?} of its composite has another kind now: Crossplane no longer manages this object, leaves it \
                 behind, and does not report this",
                foretold.key
            );
            examine_removal(examiner, planned(live, PlannedStep::Remove), live, Some(reason)).await
        }
        ResourceChange::Applied { manifest, said } => {
            let step = PlannedStep::Apply { manifest: manifest.clone(), when: ApplyTime::Always };
            let mut planned = planned(manifest, step);
            if !foretold.name_is_final {
                planned.notes.push("its name is not final".to_owned());
            }
            let Some((kind, prediction)) = said.as_deref() else {
                let (version, kind) = (&planned.object.api_version, &planned.object.kind);
                let message = format!("the cluster does not serve {version} {kind} yet");
                return examiner.new_unchecked(planned, &without_owners(manifest.clone()), message, None);
            };
            let mut prediction = prediction.clone();
            prediction.live = prediction.live.map(without_owners);
            match &mut prediction.outcome {
                DryRunOutcome::Accepted(after) => *after = without_owners(after.take()),
                // Core only warns of invalid objects; it stops at every other error.
                DryRunOutcome::Rejected { reason, .. } if !reason.is(FailureClass::Invalid) => {
                    planned.notes.push(STOPS.to_owned());
                }
                _ => {}
            }
            examiner.evaluate(planned, kind, &without_owners(manifest.clone()), prediction, &[]).await
        }
    }
}

async fn examine_removal(
    examiner: &Examiner<'_>,
    planned: PlannedChange,
    live: &Value,
    stays: Option<String>,
) -> Examination {
    let kind: ResourceKind =
        match examiner.cluster.find_kind(text_at(live, "/apiVersion"), text_at(live, "/kind")).await {
            Ok(Some(kind)) => kind,
            Ok(None) => return Examination::Unchanged,
            Err(error) => return examiner.unreadable_object(&planned.object, error.to_string()),
        };
    examiner.examine_loss(planned, &kind, live.clone(), stays).await
}

/// Removes the owner references, which every composed object has to its composite.
fn without_owners(mut object: Value) -> Value {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("ownerReferences");
    }
    object
}

/// Collects the other objects that the change adds to the core cluster.
fn added_objects(changes: &HashMap<ObjectKey, Option<Value>>) -> AddedObjects {
    let mut company = AddedObjects::default();
    for (key, after) in changes {
        if let Some(after) = after {
            company.record(&key.kind, &key.name, after);
        }
    }
    company
}
