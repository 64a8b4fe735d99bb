//! Differences between two renderings: the objects that each deployment would apply, and those that it would remove.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::plan::prepare::{ApplyTime, PreparedObject};
use ucp_core::failure::{Failure, fail};
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::object::{ObjectKey, ObjectName};
use ucp_repo::manifests::deployment::{Deployment, DeploymentDestination, PruningMode};
use ucp_repo::manifests::release_recipe::HelmReleaseIdentity;

/// A deployment before and after the merge.
#[derive(Debug)]
pub struct DeploymentPair {
    /// The deployment after the merge; if the merge removes it, the one before.
    pub deployment: Deployment,
    /// Its objects before the merge; `None` if its deployed objects are only known from the cluster.
    pub before: Option<BTreeMap<ObjectKey, PreparedObject>>,
    /// Its objects after the merge.
    pub after: BTreeMap<ObjectKey, PreparedObject>,
    /// The objects that are applied.
    pub extent: ApplyExtent,
}

/// The objects of a deployment that its engine applies after a merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApplyExtent {
    /// Those that differ.
    Changed,
    /// All of them: an upgrade of a Helm release applies every object.
    All,
    /// None of them: the deployer is suspended, or a Helm release is not upgraded.
    Nothing,
}

/// The change of one object by a merge.
#[derive(Debug, Clone)]
pub struct PlannedChange {
    /// The deployment that changes it.
    pub by: ObjectKey,
    /// Name of the object.
    pub object: ObjectName,
    /// The change.
    pub step: PlannedStep,
    /// Further remarks to show.
    pub notes: Vec<String>,
}

/// The change of an object.
#[derive(Debug, Clone)]
pub enum PlannedStep {
    /// The object is applied.
    Apply {
        /// The manifest.
        manifest: Value,
        /// The syncs at which it is applied.
        when: ApplyTime,
    },
    /// The object is no longer declared.
    Remove,
    /// The object is applied, with content that is not known.
    Unknown,
}

/// Returns all changes of a merge.
pub fn planned_changes(pairs: &mut BTreeMap<ObjectKey, DeploymentPair>) -> Vec<PlannedChange> {
    let renders = |pair: &DeploymentPair| !pair.after.is_empty() || !pair.deployment.elsewhere.is_empty();
    for pair in pairs.values_mut().filter(|pair| pair.deployment.pruning == PruningMode::UnlessEmpty && renders(pair)) {
        pair.deployment.pruning = PruningMode::Automatic;
    }
    let gone = removed_deployments(pairs);
    let mut planned: Vec<PlannedChange> =
        pairs.iter().flat_map(|(key, pair)| changed_objects(key, pair, gone.get(key))).collect();
    resolve_moves(&mut planned, pairs);
    planned
}

/// Returns the objects of a deployment that are no longer declared.
fn removed_objects(pair: &DeploymentPair) -> Vec<ObjectName> {
    match &pair.before {
        _ if pair.extent == ApplyExtent::Nothing => Vec::new(),
        Some(before) => {
            let gone = before.iter().filter(|(key, _)| !pair.after.contains_key(*key));
            gone.filter(|(_, old)| {
                matches!(
                    old.when,
                    ApplyTime::Always
                        | ApplyTime::Creation
                        | ApplyTime::Unknown
                        | ApplyTime::Encrypted
                        | ApplyTime::Never
                )
            })
            .map(|(_, old)| old.object.clone())
            .collect()
        }
        // Sources outside the checkout are not rendered, so their objects are not known to be removed.
        None if !pair.deployment.elsewhere.is_empty() => Vec::new(),
        None => {
            let gone = pair.deployment.deployed.iter().filter(|key| !pair.after.contains_key(*key));
            gone.map(unversioned_name).collect()
        }
    }
}

/// Returns a name without a version, so that the cluster's preferred one is used.
pub fn unversioned_name(key: &ObjectKey) -> ObjectName {
    ObjectName {
        api_version: if key.group.is_empty() { "v1".to_owned() } else { format!("{}/", key.group) },
        kind: key.kind.clone(),
        namespace: key.namespace.clone(),
        name: key.name.clone(),
    }
}

/// Returns the Applications and Kustomizations that are no longer declared, with the deployment that declared them.
/// Their deployed objects are removed too.
fn removed_deployments(pairs: &mut BTreeMap<ObjectKey, DeploymentPair>) -> BTreeMap<ObjectKey, ObjectKey> {
    let mut gone: BTreeMap<ObjectKey, ObjectKey> = BTreeMap::new();
    loop {
        let mut next = Vec::new();
        for (key, pair) in pairs.iter().filter(|(_, pair)| pair.deployment.destination == DeploymentDestination::Here) {
            for object in removed_objects(pair) {
                let child = ObjectKey::from(&object);
                let is_pruned = pair.deployment.pruning == PruningMode::Automatic;
                if is_pruned && pairs.contains_key(&child) && !gone.contains_key(&child) {
                    next.push((child, key.clone()));
                }
            }
        }
        if next.is_empty() {
            return gone;
        }
        for (child, parent) in next {
            if let Some(pair) = pairs.get_mut(&child) {
                pair.after.clear();
                pair.extent = ApplyExtent::Changed;
                pair.deployment.pruning = pair.deployment.on_deletion;
                // Its objects are removed, regardless of their source.
                pair.deployment.elsewhere.clear();
            }
            gone.insert(child, parent);
        }
    }
}

fn changed_objects(key: &ObjectKey, pair: &DeploymentPair, goes_with: Option<&ObjectKey>) -> Vec<PlannedChange> {
    let is_new = |object: &ObjectKey, prepared: &PreparedObject| {
        let before = pair.before.as_ref().map(|before| before.get(object));
        before.is_none_or(|old| old.is_none_or(|old| old.manifest != prepared.manifest))
    };
    let applied = pair.after.iter().filter(|(object, prepared)| match pair.extent {
        _ if matches!(prepared.when, ApplyTime::Never | ApplyTime::Encrypted) => false,
        ApplyExtent::Changed => is_new(object, prepared),
        ApplyExtent::All => true,
        ApplyExtent::Nothing => false,
    });
    let waits = pair.deployment.release.as_ref().and_then(|release| release.waits_for_upgrade.clone());
    let waits: Vec<String> = waits.filter(|_| pair.before.is_none()).into_iter().collect();
    let mut planned: Vec<PlannedChange> = applied
        .map(|(_, prepared)| PlannedChange {
            by: key.clone(),
            object: prepared.object.clone(),
            step: match prepared.when {
                ApplyTime::Unknown => PlannedStep::Unknown,
                when => PlannedStep::Apply { manifest: prepared.manifest.clone(), when },
            },
            notes: waits.clone(),
        })
        .collect();
    let notes: Vec<String> = goes_with.iter().map(|_| format!("{} {} is deleted", key.kind, key.name)).collect();
    planned.extend(removed_objects(pair).into_iter().map(|object| PlannedChange {
        by: key.clone(),
        object,
        step: PlannedStep::Remove,
        notes: notes.clone(),
    }));
    planned
}

/// Drops the removal of an object that another deployment declares: engines identify their objects by marks on them.
fn resolve_moves(planned: &mut Vec<PlannedChange>, pairs: &BTreeMap<ObjectKey, DeploymentPair>) {
    let mut declared: BTreeMap<(&DeploymentDestination, &ObjectKey), Vec<&ObjectKey>> = BTreeMap::new();
    for (by, pair) in pairs {
        for object in pair.after.keys() {
            declared.entry((&pair.deployment.destination, object)).or_default().push(by);
        }
    }
    let others = |entry: &PlannedChange| -> Vec<&ObjectKey> {
        let Some(pair) = pairs.get(&entry.by) else { return Vec::new() };
        let key = ObjectKey::from(&entry.object);
        let owners = declared.get(&(&pair.deployment.destination, &key)).into_iter().flatten();
        owners.copied().filter(|other| **other != entry.by).collect()
    };
    let moved: BTreeSet<(ObjectKey, ObjectKey)> = planned
        .iter()
        .filter(|entry| matches!(entry.step, PlannedStep::Remove) && !others(entry).is_empty())
        .map(|entry| (ObjectKey::from(&entry.object), entry.by.clone()))
        .collect();
    let notes: Vec<Vec<String>> = planned
        .iter()
        .map(|entry| {
            let key = ObjectKey::from(&entry.object);
            let from = moved.iter().filter(|(object, by)| *object == key && *by != entry.by);
            let shared =
                others(entry).into_iter().map(|other| format!("{} {} declares it, too", other.kind, other.name));
            from.map(|(_, by)| format!("it comes from {} {}", by.kind, by.name)).chain(shared).collect()
        })
        .collect();
    for (entry, notes) in planned.iter_mut().zip(notes) {
        entry.notes.extend(notes);
    }
    planned.retain(|entry| {
        !(matches!(entry.step, PlannedStep::Remove)
            && moved.contains(&(ObjectKey::from(&entry.object), entry.by.clone())))
    });
}

/// Returns the reason why an object that is no longer declared remains; `None` if it is deleted.
pub fn reason_to_keep(deployment: &Deployment, live: &Value) -> Option<String> {
    let annotation = |key: &str| {
        let annotations = live.pointer("/metadata/annotations").and_then(|annotations| annotations.get(key));
        annotations.and_then(Value::as_str).unwrap_or_default()
    };
    let is_kept_by_helm = || annotation("helm.sh/resource-policy").trim().eq_ignore_ascii_case("keep");
    match (deployment.engine, deployment.pruning) {
        _ if deployment.release.is_some() && is_kept_by_helm() => {
            Some("helm.sh/resource-policy: keep is set".to_owned())
        }
        _ if deployment.release.is_some()
            && annotation("meta.helm.sh/release-name").is_empty()
            && live.get("kind").and_then(Value::as_str) == Some("CustomResourceDefinition") =>
        {
            Some("Helm does not delete CRDs of a chart's crds directory".to_owned())
        }
        (_, PruningMode::Off) if deployment.release.is_some() => {
            Some(format!("HelmRelease {} is suspended, so its deletion keeps the release", deployment.object.name))
        }
        _ if deployment.has_sync_option(live, "Prune=false") => Some("Prune=false is set".to_owned()),
        _ if deployment.has_sync_option(live, "Prune=confirm") => Some("it is deleted after confirmation".to_owned()),
        (GitOps::Flux, _)
            if annotation("kustomize.toolkit.fluxcd.io/prune") == "disabled"
                || annotation("kustomize.toolkit.fluxcd.io/reconcile") == "disabled" =>
        {
            Some("an annotation prevents Flux from pruning it".to_owned())
        }
        (_, PruningMode::Automatic) => None,
        (_, PruningMode::UnlessEmpty) => Some(format!(
            "{} would have no objects left, which Argo CD only syncs with allowEmpty: true",
            deployment.object.name
        )),
        (_, PruningMode::Off) if deployment.application_set.is_some() => {
            Some(format!("the policy of ApplicationSet {} deletes no Applications", deployment.object.name))
        }
        (_, PruningMode::ByHand) => Some(format!("{} does not prune automatically", deployment.object.name)),
        (_, PruningMode::Off) => Some(format!("{} does not prune", deployment.object.name)),
    }
}

/// Returns the mark by which a live object belongs to the release of a deployment. Fails when it has none: Helm deletes
/// what its storage lists, which is not read, so another object of this name may be meant.
pub fn release_ground(release: &HelmReleaseIdentity, by: &ObjectName, live: &Value) -> Result<String, Failure> {
    let mark = |place: &str, key: &str| {
        live.pointer(&format!("/metadata/{place}")).and_then(|marks| marks.get(key)?.as_str()).unwrap_or_default()
    };
    let annotated =
        [mark("annotations", "meta.helm.sh/release-name"), mark("annotations", "meta.helm.sh/release-namespace")];
    let labeled = [mark("labels", "helm.toolkit.fluxcd.io/name"), mark("labels", "helm.toolkit.fluxcd.io/namespace")];
    if annotated == [&release.name, &release.namespace] {
        Ok(format!("its annotation meta.helm.sh/release-name is {}", release.name))
    } else if labeled == [by.name.as_str(), by.namespace.as_deref().unwrap_or_default()] {
        Ok(format!("its label helm.toolkit.fluxcd.io/name is {}", by.name))
    } else {
        fail!(
            "release {} no longer contains it, and no label or annotation shows that the object in the cluster is the release's",
            release.name
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use ucp_repo::manifests::deployment::KnownSources;

    struct Everything;

    impl KnownSources for Everything {
        fn is_checkout(&self, _: &str, _: &str) -> bool {
            true
        }
    }

    fn application(name: &str) -> ObjectName {
        serde_json::from_value(json!({
            "apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "namespace": "argocd", "name": name,
        }))
        .unwrap()
    }

    fn prepared(kind: &str, name: &str, text: &str) -> (ObjectKey, PreparedObject) {
        let object = match kind {
            "Application" => application(name),
            kind => serde_json::from_value(json!({"apiVersion": "v1", "kind": kind, "name": name})).unwrap(),
        };
        (ObjectKey::from(&object), PreparedObject { object, manifest: json!({"data": text}), when: ApplyTime::Always })
    }

    fn pair(
        name: &str,
        before: &[(ObjectKey, PreparedObject)],
        after: &[(ObjectKey, PreparedObject)],
    ) -> (ObjectKey, DeploymentPair) {
        let spec = serde_json::from_value(json!({
            "source": {"path": "p"}, "syncPolicy": {"automated": {"prune": true, "allowEmpty": name == "parent"}},
        }));
        let deployment = Deployment {
            on_deletion: PruningMode::Automatic,
            ..Deployment::of_application(application(name), &spec.unwrap(), &Everything).unwrap()
        };
        let pair = DeploymentPair {
            deployment,
            before: Some(before.iter().cloned().collect()),
            after: after.iter().cloned().collect(),
            extent: ApplyExtent::Changed,
        };
        (ObjectKey::from(&application(name)), pair)
    }

    fn words(pairs: impl IntoIterator<Item = (ObjectKey, DeploymentPair)>) -> Vec<String> {
        let mut pairs = pairs.into_iter().collect();
        let mut words: Vec<String> = planned_changes(&mut pairs)
            .iter()
            .map(|entry| {
                let step = if matches!(entry.step, PlannedStep::Remove) { "-" } else { "+" };
                format!("{step}{} {} {}", entry.object.name, entry.by.name, entry.notes.join("; "))
                    .trim_end()
                    .to_owned()
            })
            .collect();
        words.sort();
        words
    }

    #[test]
    fn only_changed_objects_are_planned() {
        let same = prepared("ConfigMap", "same", "1");
        let (old, new) = (prepared("ConfigMap", "changed", "1"), prepared("ConfigMap", "changed", "2"));
        let (gone, added) = (prepared("ConfigMap", "gone", "1"), prepared("ConfigMap", "added", "1"));
        let pair = pair("a", &[same.clone(), old, gone], &[same, new, added]);
        assert_eq!(words([pair]), ["+added a", "+changed a", "-gone a"]);
    }

    #[test]
    fn an_object_that_moves_to_another_deployer_is_not_removed() {
        let object = prepared("ConfigMap", "x", "1");
        let pairs = [pair("a", std::slice::from_ref(&object), &[]), pair("b", &[], &[object])];
        assert_eq!(words(pairs), ["+x b it comes from Application a"]);
    }

    #[test]
    fn an_application_that_may_not_be_empty_keeps_its_last_objects() {
        let (last, other) = (prepared("ConfigMap", "last", "1"), prepared("ConfigMap", "other", "1"));
        let reason = |allows: &str, after: &[(ObjectKey, PreparedObject)]| {
            let mut pairs = BTreeMap::from([pair(allows, std::slice::from_ref(&last), after)]);
            planned_changes(&mut pairs);
            reason_to_keep(&pairs.values().next().unwrap().deployment, &json!({}))
        };
        assert!(reason("app", &[]).is_some_and(|why| why.contains("allowEmpty")));
        assert_eq!(reason("parent", &[]), None);
        assert_eq!(reason("app", &[other]), None);
    }

    #[test]
    fn deleting_an_application_deletes_the_objects_that_it_deployed() {
        let (child, object) = (prepared("Application", "child", "1"), prepared("ConfigMap", "x", "1"));
        let parent = pair("parent", &[child], &[]);
        let child = pair("child", std::slice::from_ref(&object), std::slice::from_ref(&object));
        assert_eq!(words([parent, child]), ["-child parent", "-x child Application child is deleted"]);
    }
}
