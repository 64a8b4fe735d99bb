//! Repeats core's reconciliation of a composite until it is stable: the desired state of one round is observed in the
//! next.

use std::collections::{BTreeMap, BTreeSet};

use futures::StreamExt as _;
use futures::future::BoxFuture;
use serde_json::{Value, json};

use crate::composition::blueprint::CompositionPipeline;
use crate::composition::definition::{CompositeDefinition, escape_pointer_segment, set_field};
use crate::composition::desired::{self, ObjectsByName, resource_name};
use crate::composition::function::Functions;
use crate::composition::identity::{COMPOSITE_MANAGER, composed_manager};
use crate::composition::pipeline;
use crate::composition::protocol::{FunctionResource, FunctionState};
use crate::composition::run::{AppliedResource, MOST_ROUNDS, ReconcileRun, observed_after_apply, summarize_run};
use crate::composition::selection::{controller_uid, resolve_pipeline};
use crate::composition::sent::FunctionView;
use crate::composition::settled::{
    CompositePrediction, CompositePresence, CompositeSubject, NestedPrediction, assume_ready, is_equivalent,
    reason_not_reconciled,
};
use crate::composition::value::to_struct;
use ucp_client::prediction::cluster::{path_of, text_at};
use ucp_client::prediction::dry_run::{DryRunOutcome, DryRunPrediction, predict_apply_as};
use ucp_core::engine::crossplane::COMPOSITE_LABEL;
use ucp_core::failure::{Failure, fail};
use ucp_core::model::kind::ResourceScope;
use ucp_core::model::object::{ObjectName, group_of};
use ucp_core::model::secrecy::scrub_about;

/// Number of composed resources that are sent to the server concurrently.
const CONCURRENT: usize = 8;

/// Predicts the reconciliation of composites.
pub struct Reconciler<'a> {
    /// The core cluster, and the data that functions may receive.
    pub sent: FunctionView<'a>,
    /// The functions that may be called.
    pub functions: &'a Functions,
    /// All CompositeResourceDefinitions of the cluster.
    pub definitions: &'a [CompositeDefinition],
    /// Maximum depth of nested composites.
    pub depth: usize,
}

/// The readiness that is assumed of composed resources.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Readiness {
    AsObserved,
    Assumed,
}

impl Reconciler<'_> {
    /// Returns the definition of an object's kind.
    pub fn definition_of(&self, object: &Value) -> Option<&CompositeDefinition> {
        CompositeDefinition::find_by_kind(
            self.definitions,
            group_of(text_at(object, "/apiVersion")),
            text_at(object, "/kind"),
        )
    }

    /// Predicts the reconciliation of a composite and of its nested ones. `above` is the number of composites that
    /// contain it.
    pub fn predict(
        &self,
        subject: CompositeSubject,
        above: usize,
    ) -> BoxFuture<'_, Result<CompositePrediction, Failure>> {
        Box::pin(async move {
            let definition =
                self.definition_of(&subject.composite).ok_or("no CompositeResourceDefinition defines its kind")?;
            if let Some(reason) = reason_not_reconciled(&subject.composite) {
                return Ok(CompositePrediction {
                    composite: subject.composite,
                    blueprint: None,
                    resources: Vec::new(),
                    warnings: vec![reason],
                    required: BTreeSet::new(),
                    nested: Vec::new(),
                });
            }
            let blueprint = resolve_pipeline(self.sent.view, &subject.composite, definition).await?;
            let composite = with_first_reconcile_fields(&subject, definition, &blueprint);
            let live = self.observe(&composite, definition).await?;
            let subject = CompositeSubject { composite, ..subject };
            let run = self.run(&subject, &live, definition, &blueprint, above, Readiness::AsObserved).await?;
            let is_sequenced = blueprint.function_names().any(|name| name.contains("sequencer"));
            let later = match is_sequenced {
                true => self.run(&subject, &live, definition, &blueprint, above, Readiness::Assumed).await.ok(),
                false => None,
            };
            Ok(summarize_run(&subject, blueprint, run, later))
        })
    }

    /// Reads the current composed resources of a composite.
    async fn observe(&self, composite: &Value, definition: &CompositeDefinition) -> Result<ObjectsByName, Failure> {
        let references = composite.pointer(&format!("{}/resourceRefs", definition.machinery_pointer()));
        let own = composite.pointer("/metadata/namespace").and_then(Value::as_str);
        let names = references.and_then(Value::as_array).into_iter().flatten().filter_map(|reference| {
            let namespace = own.or_else(|| reference.get("namespace")?.as_str());
            Some(ObjectName {
                api_version: text_at(reference, "/apiVersion").to_owned(),
                kind: text_at(reference, "/kind").to_owned(),
                namespace: namespace.filter(|namespace| !namespace.is_empty()).map(str::to_owned),
                name: Some(text_at(reference, "/name")).filter(|name| !name.is_empty())?.to_owned(),
            })
        });
        let names: Vec<ObjectName> = names.collect();
        let view = self.sent.view;
        let read: Vec<(ObjectName, Result<Option<Value>, Failure>)> = futures::stream::iter(names)
            .map(|name| async move {
                let found = view.live(&name).await;
                (name, found)
            })
            .buffered(CONCURRENT)
            .collect()
            .await;
        let mut observed = ObjectsByName::new();
        for (name, found) in read {
            let Some(object) = found.map_err(|reason| format!("{name} cannot be read: {reason}"))? else { continue };
            if controller_uid(&object).is_some_and(|uid| uid != text_at(composite, "/metadata/uid")) {
                continue;
            }
            let key = resource_name(&object)
                .ok_or_else(|| {
                    format!(
                        "{name} has no annotation {}, which Crossplane requires to continue",
                        desired::RESOURCE_NAME
                    )
                })?
                .to_owned();
            observed.insert(key, object);
        }
        Ok(observed)
    }

    async fn run(
        &self,
        subject: &CompositeSubject,
        live: &ObjectsByName,
        definition: &CompositeDefinition,
        blueprint: &CompositionPipeline,
        above: usize,
        readiness: Readiness,
    ) -> Result<ReconcileRun, Failure> {
        let mut run = ReconcileRun::new(subject, live);
        let mut observed = live.clone();
        let mut deleted: BTreeSet<String> = BTreeSet::new();
        for _ in 0..MOST_ROUNDS {
            let state = self.observed_state(&run.composite, &observed, readiness).await?;
            let ran = pipeline::run_pipeline(blueprint, &state, self.functions, &self.sent).await?;
            let objects = desired::complete_objects(&ran.wanted.resources, &run.composite, &observed)?;
            let made: Vec<String> = objects.keys().filter(|key| !live.contains_key(*key)).cloned().collect();
            deleted.extend(desired::removed_objects(&observed, &objects).into_iter().map(|(key, _)| key.to_owned()));
            let before = std::mem::take(&mut run.applied);
            run.applied = self.apply(objects, &run.composite, &before, above).await?;
            let next: ObjectsByName = run
                .applied
                .iter()
                .filter_map(|(key, applied)| {
                    Some((key.clone(), observed_after_apply(applied).or_else(|| observed.get(key).cloned())?))
                })
                .collect();
            let composite = self.with_status(subject, &run, definition, ran.wanted.status).await?;
            run.passing.extend(made);
            run.warnings = ran.warnings;
            run.required.extend(ran.required);
            run.is_still = is_equivalent(&run.composite, &composite)
                && next.len() == observed.len()
                && next.iter().all(|(key, object)| observed.get(key).is_some_and(|old| is_equivalent(old, object)));
            (run.composite, observed) = (composite, next);
            if run.is_still {
                break;
            }
        }
        run.remade = deleted.iter().filter(|key| run.applied.contains_key(*key)).cloned().collect();
        run.passing.retain(|key| !run.applied.contains_key(key));
        Ok(run)
    }

    async fn observed_state(
        &self,
        composite: &Value,
        observed: &ObjectsByName,
        readiness: Readiness,
    ) -> Result<FunctionState, Failure> {
        let mut resources = BTreeMap::new();
        for (key, object) in observed {
            let mut object = self.sent.without_secrets(object);
            if readiness == Readiness::Assumed {
                assume_ready(&mut object);
            }
            let connection_details = self.sent.connection_details(&object).await?;
            resources.insert(
                key.clone(),
                FunctionResource { resource: Some(to_struct(&object)), connection_details, ready: 0 },
            );
        }
        let connection_details = self.sent.connection_details(composite).await?;
        let resource = Some(to_struct(&self.sent.without_secrets(composite)));
        Ok(FunctionState { composite: Some(FunctionResource { resource, connection_details, ready: 0 }), resources })
    }

    /// Dry-runs each object on the server. Objects that are unchanged since the previous round are not sent again.
    async fn apply(
        &self,
        objects: ObjectsByName,
        composite: &Value,
        before: &BTreeMap<String, AppliedResource>,
        above: usize,
    ) -> Result<BTreeMap<String, AppliedResource>, Failure> {
        let manager = composed_manager(composite);
        let is_namespaced = composite.pointer("/metadata/namespace").is_some();
        let manager = manager.as_str();
        futures::stream::iter(objects)
            .map(|(key, manifest)| async move {
                if let Some(known) = before.get(&key).filter(|known| known.manifest == manifest) {
                    return Ok((key, known.clone()));
                }
                let cluster = &self.sent.view.cluster;
                let served = cluster.find_kind(text_at(&manifest, "/apiVersion"), text_at(&manifest, "/kind")).await;
                let Some(kind) = served? else {
                    return Ok((key, AppliedResource { manifest, said: None, nested: None }));
                };
                if is_namespaced && kind.scope == ResourceScope::Cluster {
                    return fail!(
                        "composed resource {key:?} is a cluster-scoped {}, which a namespaced composite cannot have",
                        kind.kind
                    );
                }
                let mut manifest = manifest;
                if kind.scope == ResourceScope::Cluster
                    && let Some(metadata) = manifest.get_mut("metadata").and_then(Value::as_object_mut)
                {
                    metadata.remove("namespace");
                }
                let live = self.sent.view.live(&ObjectName::from_manifest(&manifest)).await;
                let prediction = predict_apply_as(cluster, &kind, live, &manifest, manager).await;
                let nested = self.predict_nested(&prediction, above).await;
                Ok((key, AppliedResource { manifest, said: Some(Box::new((kind, prediction))), nested }))
            })
            .buffered(CONCURRENT)
            .collect::<Vec<Result<_, Failure>>>()
            .await
            .into_iter()
            .collect()
    }

    /// Predicts a composed resource that is itself a composite, if it changes.
    async fn predict_nested(&self, prediction: &DryRunPrediction, above: usize) -> Option<NestedPrediction> {
        let DryRunOutcome::Accepted(after) = &prediction.outcome else { return None };
        self.definition_of(after)?;
        if prediction.live.as_ref().is_some_and(|live| is_equivalent(live, after)) {
            return None;
        }
        let presence = if prediction.live.is_some() { CompositePresence::Existing } else { CompositePresence::New };
        let name = ObjectName::from_manifest(after);
        if above + 1 >= self.depth {
            let reason = format!("composites within composites are run only to a depth of {}", self.depth);
            return Some(NestedPrediction { name, presence, settled: Err(reason.into()) });
        }
        let subject = CompositeSubject::new(after.clone(), presence);
        let settled = self.predict(subject, above + 1).await.map(Box::new);
        Some(NestedPrediction { name, presence, settled })
    }

    /// Returns the composite with the fields that core writes: its status and its resource references.
    async fn with_status(
        &self,
        subject: &CompositeSubject,
        run: &ReconcileRun,
        definition: &CompositeDefinition,
        status: Option<Value>,
    ) -> Result<Value, Failure> {
        let mut composite = run.composite.clone();
        let references = desired::resource_references(&run.manifests(), &composite);
        set_field(&mut composite, &format!("{}/resourceRefs", definition.machinery_pointer()), references);
        let status = status.filter(Value::is_object).unwrap_or_else(|| json!({}));
        let conditions = run.composite.pointer("/status/conditions").cloned();
        let mut wanted = status;
        if let Some(conditions) = conditions {
            wanted["conditions"] = conditions;
        }
        let after = match subject.presence {
            CompositePresence::New => wanted,
            CompositePresence::Existing => self.status_of(&composite, wanted).await?,
        };
        set_field(&mut composite, "/status", after);
        Ok(composite)
    }

    /// Returns the status that the server would store.
    async fn status_of(&self, composite: &Value, wanted: Value) -> Result<Value, Failure> {
        let cluster = &self.sent.view.cluster;
        let name = ObjectName::from_manifest(composite);
        let kind = self.sent.view.kind(&name.api_version, &name.kind).await?;
        let path = path_of(&kind, name.namespace.as_deref(), &name.name).status();
        let mut patch = json!({"apiVersion": name.api_version, "kind": name.kind, "metadata": {"name": name.name}});
        // Core sends no status if there is none; an empty one would be a different request.
        if wanted.as_object().is_some_and(|fields| !fields.is_empty()) {
            patch["status"] = wanted;
        }
        if let Some(namespace) = &name.namespace {
            patch["metadata"]["namespace"] = json!(namespace);
        }
        let stored = cluster.api.dry_run_lenient(&path, COMPOSITE_MANAGER, &patch).await;
        let stored = stored.map_err(|error| {
            format!("its status is not accepted: {}", scrub_about(&error.to_string(), [&patch, composite]))
        })?;
        Ok(stored.object.get("status").filter(|status| status.is_object()).cloned().unwrap_or_else(|| json!({})))
    }
}

/// Returns a composite as its first reconcile finds it.
fn with_first_reconcile_fields(
    subject: &CompositeSubject,
    definition: &CompositeDefinition,
    blueprint: &CompositionPipeline,
) -> Value {
    let mut composite = subject.composite.clone();
    let has_label = composite.pointer("/metadata/labels").is_some_and(|labels| labels.get(COMPOSITE_LABEL).is_some());
    if !has_label {
        let name = json!(text_at(&composite, "/metadata/name"));
        set_field(&mut composite, &format!("/metadata/labels/{}", escape_pointer_segment(COMPOSITE_LABEL)), name);
    }
    let reference = format!("{}/compositionRef", definition.machinery_pointer());
    if text_at(&composite, &format!("{reference}/name")) != blueprint.composition {
        set_field(&mut composite, &reference, json!({"name": blueprint.composition}));
    }
    composite
}
