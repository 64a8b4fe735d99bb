//! One planned object, looked at from all sides: what the server would make of it, and what that means outside.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::engine::{Purpose, purpose};
use crate::manifests::deployment::Deployment;
use crate::model::git_ops::GitOps;
use crate::model::kind::ResourceKind;
use crate::model::object::ObjectName;
use crate::model::secrecy::scrub_about;
use crate::model::state::Unreadable;
use crate::plan::change::{Planned, Step, reason_to_stay};
use crate::plan::external::{self, External};
use crate::plan::fan_out::{Composed, composed};
use crate::plan::immutable::{self, Immutable};
use crate::plan::outcome::{Action, Check};
use crate::plan::prepare::{When, is_left_alone};
use crate::plan::schemas::Schemas;
use crate::prediction::cluster::{Cluster, path_of, text};
use crate::prediction::difference::{Difference, differences};
use crate::prediction::dry_run::{Outcome, Prediction, predict};
use crate::prediction::ignore::{IgnoreRule, normalise, strip};
use crate::prediction::overlay::overlay;
use crate::source::live::api::RejectedField;
use crate::source::live::dry_run::Change;

/// What else a change brings, for objects that need it.
#[derive(Debug, Default)]
pub struct Company {
    /// Namespaces that come new.
    pub namespaces: std::collections::BTreeSet<String>,
    /// Kinds whose CRDs are among the objects, by group and kind.
    pub kinds: std::collections::BTreeSet<(String, String)>,
}

impl Company {
    /// Takes note of an object that comes.
    pub fn join(&mut self, kind: &str, name: &str, object: &Value) {
        match kind {
            "Namespace" => drop(self.namespaces.insert(name.to_owned())),
            "CustomResourceDefinition" => {
                let (group, kind) = (text(object, "/spec/group"), text(object, "/spec/names/kind"));
                self.kinds.insert((group.to_owned(), kind.to_owned()));
            }
            _ => {}
        }
    }
}

/// Everything that is known of a planned object, before anything of it is shown: secret values are still in it.
#[derive(Debug)]
pub struct Examined {
    /// What was planned.
    pub planned: Planned,
    /// What would happen.
    pub action: Action,
    /// What the server said.
    pub check: Check,
    /// Why, where it did not say yes.
    pub message: Option<String>,
    /// What the cluster holds, normalised; `None` where it holds nothing.
    pub before: Option<Value>,
    /// What it would hold, normalised; `None` where that would be nothing.
    pub after: Option<Value>,
    /// What it would store, whole; `None` where it would store nothing, was not asked, or nobody needs it.
    pub stored: Option<Value>,
    /// For each field of a managed resource that looks immutable, why.
    pub immutable: BTreeMap<String, Immutable>,
    /// What would happen outside.
    pub external: Option<External>,
    /// What a claim or composite is made of.
    pub composed: Vec<Composed>,
    /// Parts of it that could not be looked at.
    pub unreadable: Vec<Unreadable>,
    /// Whether it stands for something outside.
    pub is_managed: bool,
}

/// What came of looking at an object.
#[derive(Debug)]
pub enum Examination {
    /// It would be touched.
    Touched(Box<Examined>),
    /// It stays as it is.
    Unchanged,
    /// Nobody knows.
    Unreadable(Unreadable),
}

/// Looks at planned objects of one cluster.
pub struct Examiner<'a> {
    /// The cluster.
    pub cluster: &'a Cluster,
    /// What else the change brings to this cluster.
    pub company: &'a Company,
    /// Schemas that were read already.
    pub schemas: &'a Schemas,
    /// Whether somebody asks for the whole objects later.
    pub stored: Stored,
}

/// What becomes of the objects that the server would store, besides what is shown of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stored {
    /// They are kept, in [`Examined::stored`].
    Kept,
    /// Nobody needs them.
    Dropped,
}

impl Examiner<'_> {
    /// Looks at one object. `ignored` are the rules of its deployment and of its engine.
    pub async fn examine(&self, planned: Planned, deployment: &Deployment, ignored: &[IgnoreRule]) -> Examination {
        match planned.step.clone() {
            Step::Apply { manifest, when } => self.applied(planned, deployment, ignored, &manifest, when).await,
            Step::Remove => self.removed(planned, deployment).await,
        }
    }

    async fn applied(
        &self,
        planned: Planned,
        deployment: &Deployment,
        ignored: &[IgnoreRule],
        manifest: &Value,
        when: When,
    ) -> Examination {
        let object = planned.object.clone();
        let Some(kind) = self.cluster.kind_of(&object.api_version, &object.kind) else {
            let known = (object.group().to_owned(), object.kind.clone());
            let message = match self.company.kinds.contains(&known) {
                true => "its CRD is added by this change".to_owned(),
                false => format!("the cluster does not serve {} {} yet", object.api_version, object.kind),
            };
            return self.new_unchecked(planned, manifest, message, None);
        };
        let change = match deployment.has_sync_option(manifest, "Replace=true") {
            true => Change::Replace,
            false => Change::Apply,
        };
        let prediction = predict(self.cluster, &kind, manifest, deployment.engine, change).await;
        if when == When::Absent && prediction.live.is_some() || left_alone(prediction.live.as_ref()) {
            return Examination::Unchanged;
        }
        self.judge(planned, &kind, manifest, prediction, ignored).await
    }

    /// Makes of what a server says to an object what there is to know of it.
    pub(super) async fn judge(
        &self,
        mut planned: Planned,
        kind: &ResourceKind,
        manifest: &Value,
        prediction: Prediction,
        ignored: &[IgnoreRule],
    ) -> Examination {
        let object = planned.object.clone();
        let (check, message, rejected, mut after) = match prediction.outcome {
            Outcome::Accepted(after) => (Check::Accepted, None, Vec::new(), after),
            Outcome::NotAsked(reason) => return self.unreadable(&object, reason),
            Outcome::Rejected { message, fields } => {
                let namespace = object.namespace.as_ref().filter(|name| self.company.namespaces.contains(*name));
                if let Some(namespace) = namespace.filter(|_| prediction.live.is_none() && is_about_namespace(&message))
                {
                    let message = format!("namespace {namespace} is added by this change");
                    return self.new_unchecked(planned, manifest, message, Some(kind));
                }
                if self.company.kinds.contains(&(kind.group.clone(), kind.kind.clone())) {
                    planned.notes.push("its CRD changes too, which may be why it is rejected now".to_owned());
                }
                let wanted = prediction.live.as_ref().map_or_else(|| manifest.clone(), |live| overlay(live, manifest));
                (Check::Rejected, Some(scrub_about(&message, [manifest])), fields, wanted)
            }
        };
        let stored = (check == Check::Accepted && self.stored == Stored::Kept).then(|| after.clone());
        let mut before = prediction.live.clone().unwrap_or_else(|| json!({}));
        if let Err(reason) = normalise(&mut before, &mut after, ignored) {
            planned.notes.push(format!("ignoreDifferences: {reason}"));
        }
        let found = differences(&before, &after);
        if found.is_empty() && check == Check::Accepted {
            return Examination::Unchanged;
        }
        let mut examined = Examined {
            planned,
            action: if prediction.live.is_some() { Action::Change } else { Action::Add },
            check,
            message,
            before: prediction.live.is_some().then_some(before),
            after: Some(after),
            stored,
            immutable: BTreeMap::new(),
            external: None,
            composed: Vec::new(),
            unreadable: Vec::new(),
            is_managed: false,
        };
        self.look_outside(&mut examined, kind, prediction.live.as_ref(), &found, &rejected).await;
        Examination::Touched(Box::new(examined))
    }

    async fn look_outside(
        &self,
        examined: &mut Examined,
        kind: &ResourceKind,
        live: Option<&Value>,
        found: &[Difference],
        rejected: &[RejectedField],
    ) {
        let Some(after) = examined.after.clone() else { return };
        examined.is_managed = purpose(kind) == Some(Purpose::External);
        for difference in found {
            if let Some(why) = immutable::by_server(rejected, &difference.path) {
                examined.immutable.insert(difference.path.to_string(), why);
            }
        }
        match (purpose(kind), live) {
            (Some(Purpose::External), None) => examined.external = Some(external::of_addition(kind, &after)),
            (Some(Purpose::External), Some(live)) => {
                examined.external = external::of_change(kind, live, &after, found);
                let outside: Vec<_> = found.iter().filter(|entry| external::is_external(entry, &after)).collect();
                if outside.is_empty() {
                    return;
                }
                match self.schemas.of(self.cluster, kind).await {
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
            (Some(Purpose::Claim | Purpose::Composite), Some(live)) => {
                self.add_composed(examined, kind, live).await;
                // Nothing is removed, so nothing is to be told about outside.
                examined.composed.iter_mut().for_each(|composed| composed.external = None);
            }
            _ => {}
        }
    }

    async fn removed(&self, mut planned: Planned, deployment: &Deployment) -> Examination {
        let group = planned.object.group().to_owned();
        let version = planned.object.api_version.rsplit('/').next().unwrap_or_default().to_owned();
        let own = self.cluster.kind_of(&planned.object.api_version, &planned.object.kind);
        let preferred = || self.cluster.preferred(&group, &planned.object.kind).cloned();
        let Some(kind) = own.filter(|_| !version.is_empty()).or_else(preferred) else {
            // The kind went, and all of its objects with it.
            return Examination::Unchanged;
        };
        planned.object.api_version = kind.api_version();
        let object = planned.object.clone();
        let path = path_of(&kind, object.namespace.as_deref(), &object.name);
        let live = match self.cluster.api.read_object(&path).await {
            Ok(Some(live)) => live,
            Ok(None) => return Examination::Unchanged,
            Err(error) => return self.unreadable(&object, error.to_string()),
        };
        let stays = reason_to_stay(deployment, &live);
        self.lose(planned, &kind, live, stays).await
    }

    /// What there is to know of an object that is no longer wanted, and may have a reason to stay.
    pub(super) async fn lose(
        &self,
        planned: Planned,
        kind: &ResourceKind,
        live: Value,
        stays: Option<String>,
    ) -> Examination {
        let (check, message) = match &stays {
            Some(reason) => (Check::Accepted, Some(reason.clone())),
            None if external::is_in_use(&live) => {
                (Check::Rejected, Some("a Usage protects it: Crossplane denies its deletion".to_owned()))
            }
            None => (Check::Accepted, None),
        };
        let mut before = live.clone();
        strip(&mut before);
        let mut examined = Examined {
            planned,
            action: if stays.is_some() { Action::Abandon } else { Action::Remove },
            check,
            message,
            before: Some(before),
            after: None,
            stored: None,
            immutable: BTreeMap::new(),
            external: None,
            composed: Vec::new(),
            unreadable: Vec::new(),
            is_managed: purpose(kind) == Some(Purpose::External),
        };
        if stays.is_none() {
            self.look_at_loss(&mut examined, kind, &live).await;
        }
        Examination::Touched(Box::new(examined))
    }

    async fn look_at_loss(&self, examined: &mut Examined, kind: &ResourceKind, live: &Value) {
        match purpose(kind) {
            Some(Purpose::External) => examined.external = Some(external::of_removal(kind, live)),
            Some(Purpose::Claim | Purpose::Composite) => self.add_composed(examined, kind, live).await,
            _ => {}
        }
        let notes = &mut examined.planned.notes;
        match (kind.group.as_str(), kind.kind.as_str()) {
            ("", "Namespace") => notes.push("everything in it is deleted too".to_owned()),
            ("apiextensions.k8s.io", "CustomResourceDefinition") => {
                notes.push(format!("every {} in the cluster is deleted too", text(live, "/spec/names/kind")));
            }
            _ => {}
        }
    }

    async fn add_composed(&self, examined: &mut Examined, kind: &ResourceKind, live: &Value) {
        let (parts, unreadable) = composed(self.cluster, kind, live).await;
        examined.composed = parts;
        let lost = unreadable.into_iter().map(|(object, reason)| Unreadable { what: self.name(&object), reason });
        examined.unreadable.extend(lost);
    }

    /// An object whose CRD or namespace does not exist yet.
    pub(super) fn new_unchecked(
        &self,
        planned: Planned,
        manifest: &Value,
        message: String,
        kind: Option<&ResourceKind>,
    ) -> Examination {
        let mut after = manifest.clone();
        strip(&mut after);
        let managed = kind.filter(|kind| purpose(kind) == Some(Purpose::External));
        let is_managed = managed.is_some();
        Examination::Touched(Box::new(Examined {
            planned,
            action: Action::Add,
            check: Check::Unchecked,
            message: Some(message),
            before: None,
            external: managed.map(|kind| external::of_addition(kind, &after)),
            after: Some(after),
            stored: (self.stored == Stored::Kept).then(|| manifest.clone()),
            immutable: BTreeMap::new(),
            composed: Vec::new(),
            unreadable: Vec::new(),
            is_managed,
        }))
    }

    fn unreadable(&self, object: &ObjectName, reason: String) -> Examination {
        Examination::Unreadable(Unreadable { what: self.name(object), reason })
    }

    fn name(&self, object: &ObjectName) -> String {
        match &self.cluster.name {
            Some(cluster) => format!("{object} in {cluster}"),
            None => object.to_string(),
        }
    }
}

/// Whether an annotation on the live object keeps Flux away from it.
fn left_alone(live: Option<&Value>) -> bool {
    live.is_some_and(|live| is_left_alone(GitOps::Flux, live))
}

fn is_about_namespace(message: &str) -> bool {
    message.starts_with("namespaces ") && message.ends_with("not found")
}
