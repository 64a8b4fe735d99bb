//! ValidatingAdmissionPolicies that the merge adds or changes, and the requests that they refuse from then on. A server knows
//! only its present policies, so their expressions are evaluated here.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::plan::destinations::Destinations;
use crate::plan::examine::ExaminedChange;
use crate::plan::outcome::{PlanAction, ServerCheck};
use crate::plan::policy_effects::{ObjectAfter, PolicyEffects, ReviewedObject, public_object};
use ucp_client::prediction::cluster::{ConnectedCluster, path_of, text_at};
use ucp_core::failure::Failure;
use ucp_core::model::admission::{AdmissionOperation, GROUP, NamespaceIndex};
use ucp_core::model::admission_policy::{AdmissionPolicy, KINDS, PolicyParameters, policy_of_binding};
use ucp_core::model::kind::{ResourceKind, ResourceScope};
use ucp_core::model::metadata::Metadata;
use ucp_core::model::object::{ObjectKey, ObjectName};
use ucp_core::model::state::Unreadable;

/// Largest size of a page.
const PAGE: &str = "500";
/// A change, and the name of its cluster.
type TouchedObject = (Option<String>, ExaminedChange);

/// Adds the refusals of the policies of the merge, to the policy or else to its binding.
pub(super) async fn add_policy_effects(destinations: &Destinations, touched: &mut [TouchedObject]) {
    let connected = destinations.values().filter_map(|cluster| cluster.as_ref().ok());
    let clusters: BTreeMap<_, _> = connected.map(|cluster| (cluster.name.clone(), cluster)).collect();
    for cluster in clusters.into_values() {
        let change = PolicyChange { cluster, touched };
        let positions: Vec<usize> = KINDS.iter().flat_map(|kind| change.positions(kind)).collect();
        if positions.is_empty() {
            continue;
        }
        let mut effects = match change.enforced_policies().await {
            Ok(policies) => change.effects(&policies).await,
            Err(reason) => {
                let unknown = PolicyEffects { unknown: vec![reason.into()], ..PolicyEffects::default() };
                positions.iter().map(|position| (*position, unknown.clone())).collect()
            }
        };
        explain_rejections(touched, &cluster.name, &positions);
        for position in positions {
            touched[position].1.add_effects(effects.remove(&position).unwrap_or_default(), &cluster.name);
        }
    }
}

/// Adds to objects that a policy rejects now that the merge changes it.
fn explain_rejections(touched: &mut [TouchedObject], cluster: &Option<String>, positions: &[usize]) {
    let names = positions.iter().map(|position| &touched[*position].1.planned.object);
    let names: BTreeSet<String> = names.map(|object| format!("'{}'", object.name)).collect();
    let own = touched.iter_mut().filter(|(name, examined)| name == cluster && examined.check == ServerCheck::Rejected);
    for (_, examined) in own {
        let message = examined.message.as_deref().unwrap_or_default();
        if message.contains(KINDS[0]) && names.iter().any(|name| message.contains(name)) {
            let note = "the policy changes too, which may be the reason for the rejection";
            examined.planned.notes.push(note.to_owned());
        }
    }
}

impl ExaminedChange {
    fn add_effects(&mut self, effects: PolicyEffects, cluster: &Option<String>) {
        let place = cluster.as_ref().map(|cluster| format!(" in {cluster}")).unwrap_or_default();
        let what = format!("effects of {}{place}", self.planned.object);
        let unknown = effects.unknown.into_iter().map(|reason| Unreadable { what: what.clone(), reason });
        self.unreadable.extend(unknown);
        self.refusals = effects.refusals;
        self.refusals.sort();
        self.refusals.dedup();
        self.unevaluated = None;
    }
}

/// A binding after the merge, with its policy, one of which the merge changes.
struct EnforcedPolicy {
    name: String,
    spec: Value,
    binding: Value,
    parameters: OwnedParameters,
    /// Position of the change that the effects belong to.
    position: usize,
}

/// The object from which a policy takes its parameters.
enum OwnedParameters {
    None,
    Object(Box<Value>),
    Missing,
    Unknown,
}

/// A cluster whose policies the merge changes.
struct PolicyChange<'a> {
    cluster: &'a ConnectedCluster,
    touched: &'a [TouchedObject],
}

impl PolicyChange<'_> {
    /// Returns the changes that the server accepts in this cluster.
    fn own(&self) -> impl Iterator<Item = (usize, &ExaminedChange)> {
        let own = self.touched.iter().enumerate().filter(move |(_, (name, _))| *name == self.cluster.name);
        let own = own.map(|(position, (_, examined))| (position, examined));
        own.filter(|(_, examined)| examined.check != ServerCheck::Rejected && examined.action != PlanAction::Abandon)
    }

    /// Returns the positions of changed policies or bindings.
    fn positions(&self, kind: &str) -> Vec<usize> {
        let is_one = |object: &ObjectName| object.group() == GROUP && object.kind == kind;
        let own = self.own().filter(|(_, examined)| is_one(&examined.planned.object));
        own.map(|(position, _)| position).collect()
    }

    /// Returns the specs of changed policies or bindings by name: `None` for those that are removed.
    fn changed_specs(&self, kind: &str) -> BTreeMap<&str, (Option<Value>, usize)> {
        let changed = self.positions(kind).into_iter().map(|position| {
            let examined = &self.touched[position].1;
            let spec = examined.planned_object().and_then(|object| object.get("spec")).cloned();
            (examined.planned.object.name.as_str(), (spec, position))
        });
        changed.collect()
    }

    /// Returns the bindings that the merge concerns, with their policies.
    async fn enforced_policies(&self) -> Result<Vec<EnforcedPolicy>, Failure> {
        let (policies, bindings) = (self.changed_specs(KINDS[0]), self.changed_specs(KINDS[1]));
        let mut after: BTreeMap<String, (Value, Option<usize>)> = BTreeMap::new();
        let binding_kind = self.cluster.find_preferred(GROUP, KINDS[1]).await?;
        if let Some(kind) = binding_kind.filter(|_| policies.values().any(|(spec, _)| spec.is_some())) {
            let live = self.cluster.list_objects(&kind.path(None)).await;
            let live = live.map_err(|error| format!("its bindings cannot be read: {error}"))?;
            after.extend(live.iter().filter_map(|binding| {
                let name = text_at(binding, "/metadata/name").to_owned();
                Some((name, (binding.get("spec")?.clone(), None)))
            }));
        }
        for (name, (spec, position)) in bindings {
            match spec {
                Some(spec) => drop(after.insert(name.to_owned(), (spec, Some(position)))),
                None => drop(after.remove(name)),
            }
        }
        let mut enforced = Vec::new();
        for (binding, changed) in after.into_values() {
            let Some(name) = policy_of_binding(&binding).map(str::to_owned) else { continue };
            let (spec, position) = match (policies.get(name.as_str()), changed) {
                (Some((spec, position)), _) => (spec.clone(), *position),
                (None, Some(position)) => (self.live_policy(&name).await?, position),
                (None, None) => continue,
            };
            let Some(spec) = spec else { continue };
            let parameters = match AdmissionPolicy::new(&name, &spec, &binding) {
                Some(policy) => self.parameters(&policy).await,
                None => continue,
            };
            enforced.push(EnforcedPolicy { name, spec, binding, parameters, position });
        }
        Ok(enforced)
    }

    async fn live_policy(&self, name: &str) -> Result<Option<Value>, Failure> {
        let Some(kind) = self.cluster.find_preferred(GROUP, KINDS[0]).await? else { return Ok(None) };
        let read = self.cluster.api.read_object(&path_of(&kind, None, name)).await;
        let live = read.map_err(|error| format!("its policy cannot be read: {error}"))?;
        Ok(live.and_then(|mut live| live.get_mut("spec").map(Value::take)))
    }

    async fn parameters(&self, policy: &AdmissionPolicy<'_>) -> OwnedParameters {
        let Some((api_version, kind)) = policy.parameter_kind() else { return OwnedParameters::None };
        let served = self.cluster.find_kind(api_version, kind).await.ok().flatten();
        let (Some(kind), Some((namespace, name))) = (served, policy.parameter_name()) else {
            return OwnedParameters::Unknown;
        };
        // The author of a change could read values of Secrets by it. Without a namespace, it is that of each object.
        let is_secret = (kind.group.as_str(), kind.kind.as_str()) == ("", "Secret");
        if is_secret || kind.scope == ResourceScope::Namespaced && namespace.is_none() {
            return OwnedParameters::Unknown;
        }
        let is_it = |object: &ObjectName| {
            object.kind == kind.kind
                && object.group() == kind.group
                && object.name == name
                && object.namespace.as_deref() == namespace
        };
        if let Some((_, examined)) = self.own().find(|(_, examined)| is_it(&examined.planned.object)) {
            return match examined.planned_object() {
                Some(object) => OwnedParameters::Object(Box::new(object.clone())),
                None => OwnedParameters::Missing,
            };
        }
        match self.cluster.api.read_object(&path_of(&kind, namespace, name)).await {
            Ok(Some(object)) => OwnedParameters::Object(Box::new(object)),
            Ok(None) => OwnedParameters::Missing,
            Err(_) => OwnedParameters::Unknown,
        }
    }

    /// Returns the effects of the policies, by position.
    async fn effects(&self, enforced: &[EnforcedPolicy]) -> BTreeMap<usize, PolicyEffects> {
        let mut effects: BTreeMap<usize, PolicyEffects> = BTreeMap::new();
        let policies: Vec<(&EnforcedPolicy, AdmissionPolicy<'_>)> = enforced
            .iter()
            .filter_map(|one| Some((one, AdmissionPolicy::new(&one.name, &one.spec, &one.binding)?)))
            .collect();
        for (one, policy) in &policies {
            let subresources: BTreeSet<&str> = policy.subresources().collect();
            if !subresources.is_empty() {
                let names = subresources.into_iter().collect::<Vec<_>>().join(", ");
                let reason = format!("what it decides about subresources ({names}) is not evaluated");
                effects.entry(one.position).or_default().unknown.push(reason);
            }
        }
        let namespaces = self.namespaces(policies.iter().any(|(_, policy)| policy.selects_namespaces())).await;
        let namespaces = NamespaceIndex::from_metadata(&namespaces);
        let mut kinds: Vec<&ResourceKind> = self.cluster.kinds().map(AsRef::as_ref).collect();
        kinds.sort_by(|left, right| (&left.group, &left.kind).cmp(&(&right.group, &right.kind)));
        for kind in kinds {
            let operations = [AdmissionOperation::Create, AdmissionOperation::Update, AdmissionOperation::Delete];
            let covers = |policy: &AdmissionPolicy<'_>| operations.map(|operation| policy.may_cover(operation, kind));
            let covering: Vec<_> = policies.iter().filter(|(_, policy)| covers(policy).contains(&true)).collect();
            if covering.is_empty() {
                continue;
            }
            let reads = covering.iter().any(|(_, policy)| covers(policy)[1..].contains(&true));
            let (objects, failure) = self.reviewed_objects(kind, reads).await;
            for (one, policy) in covering {
                let effects = effects.entry(one.position).or_default();
                effects.unknown.extend(failure.clone());
                effects.add_decisions(
                    kind,
                    &objects,
                    policy.decide(
                        &objects.iter().filter_map(|object| object.request(kind)).collect::<Vec<_>>(),
                        &namespaces,
                        one.parameters.borrowed(),
                    ),
                );
            }
        }
        effects
    }

    /// Returns the metadata of all namespaces after the merge, if they are needed. Without one that cannot be read, the decisions
    /// about its objects are unknown.
    async fn namespaces(&self, are_needed: bool) -> Vec<Metadata> {
        let Some(kind) = self.cluster.preferred("", "Namespace").filter(|_| are_needed) else { return Vec::new() };
        let (objects, _) = self.reviewed_objects(kind, true).await;
        objects.iter().filter_map(|object| object.new_object().map(|(metadata, _)| metadata.clone())).collect()
    }

    /// Returns the objects of a kind with the next request for each; with the reason if those that exist cannot be read. `reads`
    /// says whether those are needed.
    async fn reviewed_objects(&self, kind: &ResourceKind, reads: bool) -> (Vec<ReviewedObject>, Option<String>) {
        let is_own = |object: &ObjectName| object.group() == kind.group && object.kind == kind.kind;
        let changed = self.own().filter(|(_, examined)| is_own(&examined.planned.object));
        let mut changed: BTreeMap<ObjectKey, &ExaminedChange> =
            changed.map(|(_, examined)| (ObjectKey::from(&examined.planned.object), examined)).collect();
        let live = match reads {
            true => self.cluster.list_objects(&kind.path(None).with_query("limit", PAGE)).await,
            false => Ok(Vec::new()),
        };
        let (live, failure) = match live {
            Ok(live) => (live, None),
            Err(error) => (Vec::new(), Some(format!("{} cannot be read: {error}", kind.qualified_plural()))),
        };
        let mut reviewed: Vec<ReviewedObject> = live
            .into_iter()
            .map(|live| {
                let name = ObjectName::from_manifest(&live);
                let change = changed.remove(&ObjectKey::from(&name));
                let (operation, after) = match change.map(|examined| (examined.action, examined.planned_object())) {
                    Some((PlanAction::Remove, _)) => (AdmissionOperation::Delete, ObjectAfter::Other(None)),
                    Some((_, after)) => {
                        let after = after.filter(|after| after.get("apiVersion") == live.get("apiVersion"));
                        (
                            AdmissionOperation::Update,
                            ObjectAfter::Other(after.cloned().and_then(public_object).map(Box::new)),
                        )
                    }
                    None => (AdmissionOperation::Update, ObjectAfter::Same),
                };
                ReviewedObject { operation, name, old: public_object(live), after }
            })
            .collect();
        let added = changed.into_values().filter(|examined| examined.action == PlanAction::Add);
        reviewed.extend(added.map(|examined| {
            let after = examined.planned_object().filter(|after| text_at(after, "/apiVersion") == kind.api_version());
            ReviewedObject {
                operation: AdmissionOperation::Create,
                name: examined.planned.object.clone(),
                old: None,
                after: ObjectAfter::Other(after.cloned().and_then(public_object).map(Box::new)),
            }
        }));
        (reviewed, failure)
    }
}

impl ExaminedChange {
    /// Returns the object after the change, as completely as it is known; `None` if it is removed.
    fn planned_object(&self) -> Option<&Value> {
        self.stored.as_ref().or(self.after.as_ref())
    }
}

impl OwnedParameters {
    fn borrowed(&self) -> PolicyParameters<'_> {
        match self {
            Self::None => PolicyParameters::None,
            Self::Object(object) => PolicyParameters::Object(object),
            Self::Missing => PolicyParameters::Missing,
            Self::Unknown => PolicyParameters::Unknown,
        }
    }
}
