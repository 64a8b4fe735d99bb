//! The reasons why an object remains although the object that made it is deleted.

use serde_json::Value;

use super::argocd_settings::Ownership;
use super::nature::is_definition;
use super::{accounts, destination, inventory, projects, tracking};
use ucp_core::engine;
use ucp_core::engine::crossplane::{CrossplaneRole, role};
use ucp_core::graph::Edge;
use ucp_core::graph::link::Relation;
use ucp_core::model::body::Body;
use ucp_core::model::body::argocd::{cascades, has_sync_option};
use ucp_core::model::resource::Resource;
use ucp_core::model::state::ClusterState;

/// Returns true if the garbage collector deletes the lower end of a relation, which follows ownerReferences only.
pub(super) fn is_collected(above: &Resource, relation: Relation) -> bool {
    relation == Relation::Owns || relation == Relation::Composes && role(&above.kind) == Some(CrossplaneRole::Composite)
}

/// Returns the reason why a part of an object remains: nothing deletes it with that object.
pub(super) fn unmade_reason(above: &Resource, relation: Relation, child: &Resource) -> Option<String> {
    if let Some(why) = released_by_set(above) {
        return Some(why);
    }
    if is_collected(above, relation) {
        return (!is_owned_by(child, above))
            .then(|| format!("its ownerReferences do not name {}, so nothing deletes it", above.name()));
    }
    let is_claimed = relation == Relation::Composes && role(&above.kind) == Some(CrossplaneRole::Claim);
    is_claimed.then(|| unbound_reason(above, child).or_else(|| released_by_claim(above, child))).flatten()
}

/// Finalizer by which Crossplane deletes the composite of a claim.
const CLAIM_FINALIZER: &str = "finalizer.apiextensions.crossplane.io";

/// Returns the reason why a claim leaves its composite: without its finalizer, it is gone at once.
pub(super) fn released_by_claim(claim: &Resource, composite: &Resource) -> Option<String> {
    let is_released = !claim.metadata.finalizers.iter().any(|name| *name == CLAIM_FINALIZER);
    (is_released && !is_owned_by(composite, claim))
        .then(|| format!("{} has no finalizer {CLAIM_FINALIZER}, so Crossplane does not delete it", claim.name()))
}

fn is_owned_by(child: &Resource, owner: &Resource) -> bool {
    let (kind, metadata) = (&owner.kind, &owner.metadata);
    child.metadata.owner_references.iter().any(|one| match one.uid.is_empty() || metadata.uid.is_empty() {
        true => *one.kind == kind.kind && *one.name == metadata.name,
        false => one.uid == metadata.uid,
    })
}

/// Returns the reason why the deletion of a claim does not delete a composite: the claim names another one, or the composite
/// is bound to another claim (the claim reconciler of Crossplane).
pub(super) fn unbound_reason(claim: &Resource, composite: &Resource) -> Option<String> {
    let (Body::Crossplane(of_claim), Body::Crossplane(body)) = (&claim.body, &composite.body) else { return None };
    if !of_claim.composed.iter().any(|reference| reference.name == composite.metadata.name) {
        return Some(format!("spec.resourceRef of {} does not name it", claim.name()));
    }
    let bound = body.claim.as_ref()?;
    let is_its = bound.name == claim.metadata.name
        && bound.namespace == claim.metadata.namespace
        && bound.kind.as_deref() == Some(&claim.kind.kind);
    let namespace = bound.namespace.as_deref().unwrap_or_default();
    (!is_its).then(|| format!("it is bound to another claim, {} of namespace {namespace}", bound.name))
}

/// Returns the reason why an ApplicationSet that is deleted leaves its Applications: while it removes its finalizer, it
/// releases them if its policy allows no deletion (`AllowDelete`). Without a finalizer, they are deleted as its dependents.
fn released_by_set(set: &Resource) -> Option<String> {
    let is_set = matches!(set.body, Body::ApplicationSet(_)) && cascades(&set.metadata.finalizers);
    let whole = set.whole.as_deref().filter(|_| is_set)?;
    let policy = whole.pointer("/spec/syncPolicy/applicationsSync").and_then(Value::as_str)?;
    matches!(policy, "create-only" | "create-update")
        .then(|| format!("applicationsSync of its ApplicationSet is {policy}, which releases it"))
}

/// Returns the reason why a deployer deletes nothing of what it applied.
pub(super) fn unpruned_by(state: &ClusterState, by: &Resource) -> Option<String> {
    let gone = || match &by.body {
        Body::Application(application) => destination::gone_reason(state, application),
        _ => None,
    };
    engine::orphaning_reason(by).or_else(gone).or_else(|| {
        let account = accounts::missing_account(state, by)?;
        Some(format!("{account} does not exist, and without it Flux deletes nothing"))
    })
}

/// Returns the reason why an applied object remains when its deployer deletes what it applied. `link` leads from the deployer to
/// the object.
pub(super) fn unpruned_reason(state: &ClusterState, by: &Resource, link: &Edge, child: &Resource) -> Option<String> {
    let kept_by_helm = || {
        let is_kept = child.metadata.annotation(KEEP).is_some_and(|policy| policy.trim() == "keep");
        is_kept.then(|| format!("annotation {KEEP} is keep"))
    };
    match &by.body {
        Body::Application(_) if has_sync_option(&child.metadata, "Delete=false") => {
            Some("sync option Delete=false".to_owned())
        }
        // `shouldBeDeleted` of its controller.
        Body::Application(_) if is_definition(&child.kind.group, &child.kind.kind) => {
            Some("Argo CD does not delete CustomResourceDefinitions with their Application".to_owned())
        }
        Body::Application(body) => kept_by_helm()
            .or_else(|| match tracking::ownership(state, by, body, child) {
                Ownership::Foreign(why) => Some(why),
                Ownership::Its | Ownership::Unknown(_) => None,
            })
            .or_else(|| projects::forbidden_reason(state, body, child)),
        Body::Flux(_) if by.kind.kind == "HelmRelease" => kept_by_helm(),
        Body::Flux(_) => {
            let kept = FLUX_KEEPS.iter().find_map(|mark| keeping_mark(child, mark));
            kept.or_else(|| other_kustomization(by, child)).or_else(|| inventory::unlisted_reason(by, link, child))
        }
        _ => None,
    }
}

/// Returns the reason why an object of another Kustomization, or of none, remains: kustomize-controller deletes objects with
/// its own labels.
fn other_kustomization(by: &Resource, child: &Resource) -> Option<String> {
    let label = |name: &str| child.metadata.label(&format!("kustomize.toolkit.fluxcd.io/{name}"));
    let (Some(name), Some(namespace)) = (label("name"), label("namespace")) else {
        return Some("it has no labels of a Kustomization, so Flux does not delete it".to_owned());
    };
    let is_its = name == by.metadata.name && Some(namespace) == by.metadata.namespace.as_deref();
    (!is_its).then(|| format!("its labels name Kustomization {namespace}/{name}"))
}

/// Annotation of objects that Helm keeps in the cluster, and Argo CD too.
const KEEP: &str = "helm.sh/resource-policy";
/// Labels or annotations, with their values, of objects that Flux's garbage collection skips.
const FLUX_KEEPS: [(&str, &str); 3] = [
    ("kustomize.toolkit.fluxcd.io/prune", "disabled"),
    ("kustomize.toolkit.fluxcd.io/reconcile", "disabled"),
    ("kustomize.toolkit.fluxcd.io/ssa", "ignore"),
];

fn keeping_mark(resource: &Resource, (key, value): &(&str, &str)) -> Option<String> {
    let keeps = |found: Option<&str>| found.is_some_and(|found| found.eq_ignore_ascii_case(value));
    if keeps(resource.metadata.annotation(key)) {
        return Some(format!("annotation {key} is {value}"));
    }
    keeps(resource.metadata.label(key)).then(|| format!("label {key} is {value}"))
}
