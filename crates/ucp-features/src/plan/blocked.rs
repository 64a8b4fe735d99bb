//! Changes that an engine does not make because the server rejects another object of the same deployer.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::plan::change::{DeploymentPair, PlannedStep};
use crate::plan::examine::{ExaminedChange, MAY_FIT_NEW_DEFINITION};
use crate::plan::order::{PruneWaves, apply_stage, sync_wave};
use crate::plan::outcome::{PlanAction, ServerCheck};
use ucp_core::model::git_ops::GitOps;
use ucp_core::model::object::{ObjectKey, ObjectName};
use ucp_core::model::state::Unreadable;
use ucp_repo::manifests::release_recipe::FailedRelease;

type Touched = [(Option<String>, ExaminedChange)];

/// Marks the changes as rejected that engines do not make after the server has rejected another object, and those of deployers
/// that depend on one which fails. `failing` are the deployers that cannot be rendered after the merge.
pub(super) fn reject_blocked(
    touched: &mut Touched,
    pairs: &BTreeMap<ObjectKey, DeploymentPair>,
    failing: &BTreeSet<ObjectKey>,
) {
    let mut by_deployer: BTreeMap<ObjectKey, Vec<usize>> = BTreeMap::new();
    for (index, (_, examined)) in touched.iter().enumerate() {
        by_deployer.entry(examined.planned.by.clone()).or_default().push(index);
    }
    let mut failed: BTreeSet<ObjectKey> = failing.clone();
    for (by, indexes) in &by_deployer {
        let Some(pair) = pairs.get(by) else { continue };
        let is_refused = |index: &&usize| is_certainly_rejected(&touched[**index].1);
        let Some(first) = indexes.iter().find(is_refused) else { continue };
        let refused = touched[*first].1.planned.object.clone();
        failed.insert(by.clone());
        match (pair.deployment.engine, &pair.deployment.release) {
            (GitOps::ArgoCd, _) if pair.deployment.application_set.is_some() => {}
            (GitOps::ArgoCd, _) => block_waves(touched, indexes, pair),
            (GitOps::Flux, None) => block_stages(touched, indexes),
            (GitOps::Flux, Some(release)) => block_release(touched, indexes, &refused, release.on_failure),
        }
    }
    block_dependents(touched, pairs, &by_deployer, failed);
    block_children(touched, &by_deployer);
}

/// Returns the deployers that the merge suspends: whether they reconcile it before that is not known.
pub(super) fn suspended_by_merge(touched: &Touched, pairs: &BTreeMap<ObjectKey, DeploymentPair>) -> Vec<Unreadable> {
    let is_suspended = |object: &Value| object.pointer("/spec/suspend") == Some(&Value::Bool(true));
    let examined = touched.iter().map(|(_, examined)| examined).filter(|examined| {
        let is_deployer = pairs.contains_key(&ObjectKey::from(&examined.planned.object));
        let was_active = examined.before.as_ref().is_some_and(|before| !is_suspended(before));
        is_deployer && was_active && examined.after.as_ref().is_some_and(is_suspended)
    });
    let reason = "the merge suspends it, and whether it applies other changes of the merge before that is not known";
    examined
        .map(|examined| Unreadable { what: examined.planned.object.to_string(), reason: reason.to_owned() })
        .collect()
}

/// Returns true if the server rejects an object that is applied, whatever else the merge changes.
fn is_certainly_rejected(examined: &ExaminedChange) -> bool {
    examined.check == ServerCheck::Rejected
        && !matches!(examined.planned.step, PlannedStep::Remove)
        && !examined.planned.notes.iter().any(|note| note == MAY_FIT_NEW_DEFINITION)
}

fn is_removal(examined: &ExaminedChange) -> bool {
    examined.action == PlanAction::Remove
}

/// Rejects a change that the server would accept.
fn block(examined: &mut ExaminedChange, reason: impl FnOnce() -> String) {
    if examined.check != ServerCheck::Rejected && examined.action != PlanAction::Abandon {
        examined.reject(reason());
    }
}

/// Flux sends all objects of a stage through a dry run before it applies one of them, and prunes at the end
/// (`ApplyAllStaged` of fluxcd/pkg/ssa).
fn block_stages(touched: &mut Touched, indexes: &[usize]) {
    let stage_of = |examined: &ExaminedChange| apply_stage(&examined.planned.object);
    let refused = indexes.iter().filter(|index| is_certainly_rejected(&touched[**index].1));
    let Some(first) = refused.min_by_key(|index| stage_of(&touched[**index].1)) else { return };
    let (refused, stage) = (touched[*first].1.planned.object.clone(), stage_of(&touched[*first].1));
    for index in indexes {
        let examined = &mut touched[*index].1;
        if is_removal(examined) || stage_of(examined) >= stage {
            block(examined, || format!("Flux does not get to it, because {} is rejected", refused.kind_and_name()));
        }
    }
}

/// Argo CD applies the other objects of the same wave, and none of the following waves (`Sync` of gitops-engine).
fn block_waves(touched: &mut Touched, indexes: &[usize], pair: &DeploymentPair) {
    let wave_of = |examined: &ExaminedChange| sync_wave(examined.after.as_ref().or(examined.before.as_ref()));
    let refused = indexes.iter().filter(|index| is_certainly_rejected(&touched[**index].1));
    let Some(first) = refused.min_by_key(|index| wave_of(&touched[**index].1)) else { return };
    let (refused, wave) = (touched[*first].1.planned.object.clone(), wave_of(&touched[*first].1));
    let removed = indexes.iter().map(|index| &touched[*index].1).filter(|examined| is_removal(examined));
    let removed: Vec<_> = removed.filter_map(|examined| examined.before.as_ref()).collect();
    let prunes = PruneWaves::new(&removed, &pair.deployment, pair.after.values().map(|prepared| &prepared.manifest));
    for index in indexes {
        let examined = &mut touched[*index].1;
        let own = match (&examined.before, is_removal(examined)) {
            (Some(live), true) => prunes.wave(live),
            _ => wave_of(examined),
        };
        if own > wave {
            block(examined, || {
                format!("Argo CD does not get to its wave, because {} is rejected", refused.kind_and_name())
            });
        }
    }
}

/// Helm applies all objects, and deletes nothing if one of them failed (`update` of its client). Then Flux remediates.
fn block_release(touched: &mut Touched, indexes: &[usize], refused: &ObjectName, on_failure: FailedRelease) {
    for index in indexes {
        let examined = &mut touched[*index].1;
        match on_failure {
            FailedRelease::Stays if !is_removal(examined) => {}
            FailedRelease::Stays => {
                block(examined, || format!("Helm deletes nothing, because {} is rejected", refused.kind_and_name()));
            }
            FailedRelease::RolledBack => {
                block(examined, || {
                    format!("Flux rolls the release back, because {} is rejected", refused.kind_and_name())
                });
            }
            FailedRelease::Uninstalled => block(examined, || {
                format!(
                    "Flux uninstalls the release with all its objects, because {} is rejected",
                    refused.kind_and_name()
                )
            }),
        }
    }
}

/// Flux does not reconcile a Kustomization or HelmRelease while one that it depends on is not ready.
fn block_dependents(
    touched: &mut Touched,
    pairs: &BTreeMap<ObjectKey, DeploymentPair>,
    by_deployer: &BTreeMap<ObjectKey, Vec<usize>>,
    mut failed: BTreeSet<ObjectKey>,
) {
    loop {
        let waits = |(key, pair): (&ObjectKey, &DeploymentPair)| {
            let on = pair.deployment.depends_on.iter().find(|on| failed.contains(*on))?;
            (!failed.contains(key)).then(|| (key.clone(), on.clone()))
        };
        let next: Vec<_> = pairs.iter().filter_map(waits).collect();
        if next.is_empty() {
            return;
        }
        for (key, on) in next {
            for index in by_deployer.get(&key).into_iter().flatten() {
                let reason = || format!("its {} depends on {}, which fails after the merge", key.kind, on.name);
                block(&mut touched[*index].1, reason);
            }
            failed.insert(key);
        }
    }
}

/// Rejects the changes by deployers that are not created, updated or deleted themselves.
fn block_children(touched: &mut Touched, by_deployer: &BTreeMap<ObjectKey, Vec<usize>>) {
    loop {
        let is_refused = |examined: &ExaminedChange| examined.check == ServerCheck::Rejected;
        let deployers = touched.iter().map(|(_, examined)| examined).filter(|examined| is_refused(examined));
        let deployers: Vec<(ObjectKey, PlanAction)> =
            deployers.map(|examined| (ObjectKey::from(&examined.planned.object), examined.action)).collect();
        let mut blocked = false;
        for (key, action) in deployers {
            for index in by_deployer.get(&key).into_iter().flatten() {
                let examined = &mut touched[*index].1;
                if examined.check != ServerCheck::Accepted || examined.action == PlanAction::Abandon {
                    continue;
                }
                blocked = true;
                let name = format!("{} {}", key.kind, key.name);
                match action {
                    PlanAction::Add => examined.reject(format!("{name} is not created")),
                    PlanAction::Remove => examined.reject(format!("{name} is not deleted")),
                    PlanAction::Change | PlanAction::Abandon => {
                        examined.check = ServerCheck::Unchecked;
                        examined.message = Some(format!("{name} is not updated, so it may deploy something else"));
                    }
                }
            }
        }
        if !blocked {
            return;
        }
    }
}
