//! Examines one planned object: the result that the server predicts, and the effect on external resources.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::plan::admission::admission_effects;
use crate::plan::change::{PlannedChange, PlannedStep};
use crate::plan::definitions::{DefinitionNotes, examine_definition};
use crate::plan::external::{self, ExternalEffect};
use crate::plan::fan_out::{ComposedObject, composed_objects};
use crate::plan::immutable::{self, ImmutableReason};
use crate::plan::outcome::{PlanAction, PolicyRefusal, ServerCheck};
use crate::plan::prepare::{ApplyTime, is_skipped};
use crate::plan::schemas::SchemaCache;
use crate::upgrade::definition::is_definition;
use ucp_client::prediction::cluster::{ConnectedCluster, text_at};
use ucp_client::prediction::difference::{FieldChange, field_changes};
use ucp_client::prediction::dry_run::{DryRunOutcome, DryRunPrediction, predict_apply};
use ucp_client::prediction::ignore::{IgnoreRule, remove_ignored, strip_server_fields};
use ucp_client::prediction::overlay::overlay;
use ucp_client::source::live::api::RejectedField;
use ucp_client::source::live::dry_run::DryRunWrite;
use ucp_core::engine::{ExternalRole, purpose};
use ucp_core::failure::FailureClass;
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::object::ObjectName;
use ucp_core::model::secrecy::{scrub, scrub_about};
use ucp_core::model::state::Unreadable;
use ucp_repo::manifests::deployment::Deployment;

/// The remark on an object that the server may accept after its definition has changed.
pub(super) const MAY_FIT_NEW_DEFINITION: &str = "its CRD changes too, which may be the reason for the rejection";

/// Other objects that a change adds to a cluster, and that an object may depend on.
#[derive(Debug, Default)]
pub struct AddedObjects {
    /// Namespaces that the change adds.
    pub namespaces: std::collections::BTreeSet<String>,
    /// Kinds whose CRDs are among the objects, by group and kind.
    pub kinds: std::collections::BTreeSet<(String, String)>,
}

impl AddedObjects {
    /// Records an object that the change adds.
    pub fn record(&mut self, kind: &str, name: &str, object: &Value) {
        match kind {
            "Namespace" => drop(self.namespaces.insert(name.to_owned())),
            "CustomResourceDefinition" => {
                let (group, kind) = (text_at(object, "/spec/group"), text_at(object, "/spec/names/kind"));
                self.kinds.insert((group.to_owned(), kind.to_owned()));
            }
            _ => {}
        }
    }
}

/// All facts about a planned object before it is shown: it still contains secret values.
#[derive(Debug)]
pub struct ExaminedChange {
    /// The planned change.
    pub planned: PlannedChange,
    /// The resulting action.
    pub action: PlanAction,
    /// The server's verdict.
    pub check: ServerCheck,
    /// The reason if the server did not accept the change.
    pub message: Option<String>,
    /// The current object, normalized; `None` if there is none.
    pub before: Option<Value>,
    /// The object after the change, normalized; `None` if there would be none.
    pub after: Option<Value>,
    /// The complete object that the server would store; `None` if it would store none, was not asked, or if
    /// [`Examiner::stored`] drops it.
    pub stored: Option<Value>,
    /// Fields of a managed resource that appear to be immutable, with the reason.
    pub immutable: BTreeMap<String, ImmutableReason>,
    /// The effect on its external resource.
    pub external: Option<ExternalEffect>,
    /// The composed objects of a claim or composite.
    pub composed: Vec<ComposedObject>,
    /// Effects that are not evaluated here: those that the controllers of its kind have on other objects.
    pub unevaluated: Option<&'static str>,
    /// The objects that it refuses from then on, if it is an admission policy.
    pub refusals: Vec<PolicyRefusal>,
    /// Parts that could not be read.
    pub unreadable: Vec<Unreadable>,
    /// True if the object is a managed resource.
    pub is_managed: bool,
}

impl ExaminedChange {
    /// Marks the change as rejected; a change that is already rejected gets a remark.
    pub(super) fn reject(&mut self, reason: String) {
        match self.check {
            ServerCheck::Rejected => self.planned.notes.push(reason),
            ServerCheck::Accepted | ServerCheck::Unchecked => {
                self.check = ServerCheck::Rejected;
                self.message = Some(reason);
                self.stored = None;
            }
        }
    }
}

/// The result of examining an object.
#[derive(Debug)]
pub enum Examination {
    /// The object would change.
    Touched(Box<ExaminedChange>),
    /// Only ignored fields differ: the object would change if its Application is synced because of another one.
    TouchedBySync(Box<ExaminedChange>),
    /// The object remains unchanged.
    Unchanged,
    /// The result is unknown.
    Unreadable(Unreadable),
}

/// Examines planned objects of one cluster.
pub struct Examiner<'a> {
    /// The cluster.
    pub cluster: &'a ConnectedCluster,
    /// Other objects that the change adds to this cluster.
    pub company: &'a AddedObjects,
    /// Schemas that were already read.
    pub schemas: &'a SchemaCache,
    /// Retention of the complete objects.
    pub stored: StoredObjects,
    /// The manifests that are declared in this cluster after the merge, whether they change or not.
    pub declared: &'a [&'a Value],
    /// The question that is answered.
    pub purpose: ComparisonPurpose,
}

/// The question that a comparison of a checkout with clusters answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComparisonPurpose {
    /// What engines do after a merge.
    Merge,
    /// Which objects differ from the checkout.
    Drift,
}

/// Retention of the complete objects that the server would store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoredObjects {
    /// They are kept in [`ExaminedChange::stored`].
    Kept,
    /// They are dropped.
    Dropped,
}

/// Returns the server's warnings about an object as notes, without one that every object with an engine's finalizer has.
fn warning_notes(warnings: &[String]) -> impl Iterator<Item = String> + '_ {
    let is_shown = |text: &&String| !text.starts_with("metadata.finalizers:");
    warnings.iter().filter(is_shown).map(|text| format!("the server warns: {}", scrub(text)))
}

impl Examiner<'_> {
    /// Examines one object. `ignored` are the rules of its deployment and of its engine.
    pub async fn examine(
        &self,
        planned: PlannedChange,
        deployment: &Deployment,
        ignored: &[IgnoreRule],
    ) -> Examination {
        match planned.step.clone() {
            PlannedStep::Apply { manifest, when } => {
                self.examine_apply(planned, deployment, ignored, &manifest, when).await
            }
            PlannedStep::Remove => self.examine_removal(planned, deployment).await,
            PlannedStep::Unknown => self.unreadable_object(
                &planned.object,
                "its chart creates random content at each rendering, so its content after the merge is not known"
                    .to_owned(),
            ),
        }
    }

    async fn examine_apply(
        &self,
        planned: PlannedChange,
        deployment: &Deployment,
        ignored: &[IgnoreRule],
        manifest: &Value,
        when: ApplyTime,
    ) -> Examination {
        let object = planned.object.clone();
        let served = match self.cluster.find_kind(&object.api_version, &object.kind).await {
            Ok(served) => served,
            Err(error) => return self.unreadable_object(&object, error.to_string()),
        };
        let Some(kind) = served else {
            let known = (object.group().to_owned(), object.kind.clone());
            let message = match self.company.kinds.contains(&known) {
                true => "its CRD is added by this change".to_owned(),
                false => format!("the cluster does not serve {} {} yet", object.api_version, object.kind),
            };
            return self.new_unchecked(planned, manifest, message, None);
        };
        let change = match deployment.has_sync_option(manifest, "Replace=true") {
            true => DryRunWrite::Replace,
            false => DryRunWrite::Apply,
        };
        let updated = match &deployment.application_set {
            Some(policy) => self.updated_application(&kind, &object, manifest, policy).await,
            None => Ok(None),
        };
        let (manifest, change) = match &updated {
            Ok(Some(updated)) => (updated, DryRunWrite::Replace),
            Ok(None) => (manifest, change),
            Err(reason) => return self.unreadable_object(&object, reason.clone().into()),
        };
        let prediction = predict_apply(self.cluster, &kind, manifest, deployment.controller(), change).await;
        let is_ignored = deployment.release.is_none() && is_ignored_by_flux(prediction.live.as_ref());
        let is_created = matches!(when, ApplyTime::Absent | ApplyTime::Creation);
        if is_created && prediction.live.is_some() || is_ignored {
            return Examination::Unchanged;
        }
        self.evaluate_applied(planned, &kind, manifest, prediction, (deployment, ignored)).await
    }

    /// Evaluates the server's prediction for an object.
    pub(super) async fn evaluate(
        &self,
        mut planned: PlannedChange,
        kind: &ResourceKind,
        manifest: &Value,
        prediction: DryRunPrediction,
        ignored: &[IgnoreRule],
    ) -> Examination {
        let object = planned.object.clone();
        let (check, message, rejected, mut after) = match prediction.outcome {
            DryRunOutcome::Accepted(after) => (ServerCheck::Accepted, None, Vec::new(), after),
            DryRunOutcome::NotAsked(reason) => return self.unreadable_object(&object, reason.into()),
            DryRunOutcome::Rejected { reason, fields } => {
                let namespace = object.namespace.as_ref().filter(|name| self.company.namespaces.contains(*name));
                let is_absent = prediction.live.is_none() && reason.is(FailureClass::NoNamespace);
                if let Some(namespace) = namespace.filter(|_| is_absent) {
                    let message = format!("namespace {namespace} is added by this change");
                    return self.new_unchecked(planned, manifest, message, Some(kind));
                }
                if self.company.kinds.contains(&(kind.group.clone(), kind.kind.clone())) {
                    planned.notes.push(MAY_FIT_NEW_DEFINITION.to_owned());
                }
                let wanted = prediction.live.as_ref().map_or_else(|| manifest.clone(), |live| overlay(live, manifest));
                (ServerCheck::Rejected, Some(scrub_about(reason.as_str(), [manifest])), fields, wanted)
            }
        };
        let stored = (check == ServerCheck::Accepted && self.stored == StoredObjects::Kept).then(|| after.clone());
        let mut before = prediction.live.clone().unwrap_or_else(|| json!({}));
        if let Err(reason) = remove_ignored(&mut before, &mut after, ignored) {
            planned.notes.push(format!("ignoreDifferences: {reason}"));
        }
        let found = field_changes(&before, &after);
        if found.is_empty() && check == ServerCheck::Accepted {
            return Examination::Unchanged;
        }
        planned.notes.extend(warning_notes(&prediction.warnings));
        let mut examined = ExaminedChange {
            planned,
            action: if prediction.live.is_some() { PlanAction::Change } else { PlanAction::Add },
            check,
            message,
            before: prediction.live.is_some().then_some(before),
            after: Some(after),
            stored,
            immutable: BTreeMap::new(),
            external: None,
            composed: Vec::new(),
            unevaluated: external::further_effects(kind, &found),
            refusals: Vec::new(),
            unreadable: Vec::new(),
            is_managed: false,
        };
        self.examine_external(&mut examined, kind, prediction.live.as_ref(), &found, &rejected).await;
        if let (Some(live), Some(after)) = (&prediction.live, &examined.after)
            && is_definition(kind)
        {
            let DefinitionNotes { notes, unreadable } =
                examine_definition(self.cluster, live, after, self.declared).await;
            examined.planned.notes.extend(notes);
            examined.unreadable.extend(unreadable);
        }
        Examination::Touched(Box::new(examined))
    }

    async fn examine_external(
        &self,
        examined: &mut ExaminedChange,
        kind: &ResourceKind,
        live: Option<&Value>,
        found: &[FieldChange],
        rejected: &[RejectedField],
    ) {
        let Some(after) = examined.after.clone() else { return };
        examined.is_managed = purpose(kind) == Some(ExternalRole::External);
        for difference in found {
            if let Some(why) = immutable::by_server(rejected, &difference.path) {
                examined.immutable.insert(difference.path.to_string(), why);
            }
        }
        match (purpose(kind), live) {
            (Some(ExternalRole::External), None) => examined.external = Some(external::addition_effect(kind, &after)),
            (Some(ExternalRole::External), Some(live)) => {
                examined.external = external::change_effect(kind, live, &after, found);
                let outside: Vec<_> = found.iter().filter(|entry| external::is_external(entry, &after)).collect();
                if outside.is_empty() {
                    return;
                }
                match self.schemas.get(self.cluster, kind).await {
                    Ok(schema) => {
                        for difference in outside {
                            if let Some(why) = immutable::by_schema(&schema, &difference.path) {
                                examined.immutable.entry(difference.path.to_string()).or_insert(why);
                            }
                        }
                    }
                    Err(reason) => examined
                        .planned
                        .notes
                        .push(format!("its immutable fields are unknown, because its CRD cannot be read: {reason}")),
                }
            }
            (Some(ExternalRole::Claim | ExternalRole::Composite), Some(live)) => {
                self.add_composed(examined, kind, live).await;
                // Nothing is removed, so there is no external effect to report.
                examined.composed.iter_mut().for_each(|composed| composed.external = None);
            }
            _ => {}
        }
    }

    pub(super) async fn add_composed(&self, examined: &mut ExaminedChange, kind: &ResourceKind, live: &Value) {
        let (parts, unreadable) = composed_objects(self.cluster, kind, live).await;
        examined.composed = parts;
        let lost = unreadable.into_iter().map(|(object, reason)| Unreadable { what: self.name(&object), reason });
        examined.unreadable.extend(lost);
    }

    /// Returns a new object that cannot be checked because its CRD or namespace does not exist yet.
    pub(super) fn new_unchecked(
        &self,
        planned: PlannedChange,
        manifest: &Value,
        message: String,
        kind: Option<&ResourceKind>,
    ) -> Examination {
        let mut after = manifest.clone();
        strip_server_fields(&mut after);
        let unevaluated = admission_effects(planned.object.group(), &planned.object.kind);
        let managed = kind.filter(|kind| purpose(kind) == Some(ExternalRole::External));
        let is_managed = managed.is_some();
        Examination::Touched(Box::new(ExaminedChange {
            planned,
            action: PlanAction::Add,
            check: ServerCheck::Unchecked,
            message: Some(message),
            before: None,
            external: managed.map(|kind| external::addition_effect(kind, &after)),
            after: Some(after),
            stored: (self.stored == StoredObjects::Kept).then(|| manifest.clone()),
            immutable: BTreeMap::new(),
            composed: Vec::new(),
            unevaluated,
            refusals: Vec::new(),
            unreadable: Vec::new(),
            is_managed,
        }))
    }

    pub(super) fn unreadable_object(&self, object: &ObjectName, reason: String) -> Examination {
        Examination::Unreadable(Unreadable { what: self.name(object), reason })
    }

    pub(super) fn name(&self, object: &ObjectName) -> String {
        match &self.cluster.name {
            Some(cluster) => format!("{object} in {cluster}"),
            None => object.to_string(),
        }
    }
}

/// Returns true if an annotation on the live object makes Flux ignore it.
fn is_ignored_by_flux(live: Option<&Value>) -> bool {
    live.is_some_and(|live| is_skipped(GitOps::Flux, live))
}
