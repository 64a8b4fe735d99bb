//! The controllers that a bootstrap needs and that the repository does not certainly install.

use std::collections::BTreeMap;

use super::controller::EngineController;
use super::desire::DesiredState;
use super::provider::{KindProviders, PossibleProviders};
use ucp_core::model::object::ObjectName;

/// The controllers that a bootstrap needs and that the repository does not certainly install.
#[derive(Debug, Default)]
pub struct MissingControllers {
    /// Controllers of the engines that the roots need. An engine without them deploys nothing.
    pub of_roots: BTreeMap<EngineController, Vec<ObjectName>>,
    /// Controllers that only deployed objects need, and that nothing installs.
    pub of_deployers: BTreeMap<EngineController, Vec<ObjectName>>,
    /// Controllers that only deployed objects need, and that something with unknown content may install.
    pub uncertain: BTreeMap<EngineController, (Vec<ObjectName>, PossibleProviders)>,
}

/// Returns the missing controllers. `runs` returns true if the cluster has a workload that is the controller.
pub fn missing_controllers(
    desire: &DesiredState,
    providers: &KindProviders,
    runs: impl Fn(EngineController) -> bool,
) -> MissingControllers {
    let needs = |objects: &mut dyn Iterator<Item = &ObjectName>| {
        let mut needed: BTreeMap<EngineController, Vec<ObjectName>> = BTreeMap::new();
        for object in objects {
            for controller in EngineController::needed_by(object) {
                needed.entry(*controller).or_default().push(object.clone());
            }
        }
        needed
    };
    let applied = || desire.applied.iter().map(|wanted| &wanted.object);
    let is_applied = |controller: EngineController| {
        applied().any(|object| match object.group() {
            "apps" => controller.is_called(&object.name),
            group => controller.is_installed_by(group, &object.kind),
        })
    };
    let mut missing = MissingControllers { of_roots: needs(&mut applied()), ..MissingControllers::default() };
    missing.of_roots.retain(|controller, _| !is_applied(*controller) && !runs(*controller));
    for (controller, objects) in needs(&mut desire.followed.iter().map(|wanted| &wanted.object)) {
        if missing.of_roots.contains_key(&controller) || is_applied(controller) || runs(controller) {
            continue;
        }
        match providers.controller(controller) {
            Some(possible) if possible.is_empty() => drop(missing.of_deployers.insert(controller, objects)),
            Some(possible) => drop(missing.uncertain.insert(controller, (objects, possible))),
            None => {}
        }
    }
    missing
}
