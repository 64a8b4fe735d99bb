//! The programs that render deployers, so that a missing one is known before anything is rendered.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use crate::manifests::checkout::CheckoutTree;
use crate::manifests::deployer_set::DeployerSet;
use crate::manifests::deployment::RenderMethod;
use crate::manifests::plain_directory::{detect_method, has_kustomization_below, kustomization_in};
use crate::manifests::selection::DeploymentSelection;
use ucp_core::model::object::ObjectName;
use ucp_core::program::is_installed;

/// A program that renders, with the programs that can take its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum RenderingProgram {
    Helm,
    Kustomize,
}

impl RenderingProgram {
    fn names(self) -> &'static [&'static str] {
        match self {
            Self::Helm => &["helm"],
            Self::Kustomize => &["kubectl", "kustomize"],
        }
    }
}

/// Returns the programs that are not installed, as far as the deployers of the cluster need them to render a tree: the names of each,
/// of which one is enough, and the deployers.
pub fn missing_programs(
    tree: &CheckoutTree,
    apps: &DeployerSet,
    selection: &DeploymentSelection,
) -> Vec<(&'static [&'static str], Vec<ObjectName>)> {
    let mut needed: BTreeMap<RenderingProgram, BTreeSet<ObjectName>> = BTreeMap::new();
    for deployment in apps.deployments(selection, &BTreeSet::new()).into_values() {
        for part in &deployment.parts {
            let directory = tree.directory(&part.path).ok();
            if let Some(program) = program_for(&part.recipe, directory.as_deref()) {
                needed.entry(program).or_default().insert(deployment.object.clone());
            }
        }
    }
    for (deployment, spec) in apps.application_sets(selection, &BTreeSet::new()).into_values() {
        if spec.get("goTemplate").and_then(Value::as_bool) == Some(true) {
            needed.entry(RenderingProgram::Helm).or_default().insert(deployment.object);
        }
    }
    needed.retain(|program, _| !program.names().iter().any(|name| is_installed(name)));
    needed.into_iter().map(|(program, objects)| (program.names(), objects.into_iter().collect())).collect()
}

/// Returns the program that renders a part in a directory, if one is needed.
fn program_for(recipe: &RenderMethod, directory: Option<&Path>) -> Option<RenderingProgram> {
    match recipe {
        RenderMethod::Helm(_) | RenderMethod::Release(_) | RenderMethod::Pulled(_) => Some(RenderingProgram::Helm),
        RenderMethod::Kustomize(_) => Some(RenderingProgram::Kustomize),
        RenderMethod::Detect => match detect_method(directory?) {
            RenderMethod::Helm(_) => Some(RenderingProgram::Helm),
            RenderMethod::Kustomize(_) => Some(RenderingProgram::Kustomize),
            _ => None,
        },
        RenderMethod::KustomizeAnything(edits) => {
            let directory = directory?;
            let is_plain =
                edits.is_empty() && kustomization_in(directory).is_none() && !has_kustomization_below(directory);
            (!is_plain).then_some(RenderingProgram::Kustomize)
        }
        RenderMethod::Directory(_) | RenderMethod::Unsupported(_) => None,
    }
}
