//! The controllers of Crossplane: its core, and the runtimes of providers and functions.

use std::collections::HashMap;

use super::extensions::EXTENSIONS;
use super::kind_role::{CrossplaneRole, role};
use super::package::{self, provider_of_kinds};
use crate::engine::adapter::Engine as _;
use crate::engine::controller::description::{Controller, ControllerLocation, ControllerNeed, ControllerWork};
use crate::engine::controller::workload_kind::workload_name;
use crate::engine::controller::workloads::{Workloads, repository};
use crate::model::body::Body;
use crate::model::body::workload::Workload;
use crate::model::resource::Resource;
use crate::model::shell::quote_word;
use crate::model::state::ClusterState;

const PACKAGES: &str = "pkg.crossplane.io";
/// Labels on the pods of a package runtime: the revision, and the package.
const REVISION_LABEL: &str = "pkg.crossplane.io/revision";
/// The package label for each kind of package.
const PACKAGE_LABELS: [(&str, &str); 2] =
    [("Provider", "pkg.crossplane.io/provider"), ("Function", "pkg.crossplane.io/function")];

pub(super) fn list_controllers(state: &ClusterState) -> Vec<Controller<'_>> {
    let workloads = Workloads::from_state(state);
    let core = core_of(&workloads);
    let namespace = core.first().and_then(|core| core.metadata.namespace.as_deref());
    let external = external_runtimes(&core);
    let has_packages = state.resources.iter().any(|resource| role(&resource.kind) == Some(CrossplaneRole::Package));
    let rbac_manager = workload_name("Deployment", namespace, "crossplane-rbac-manager");
    // If several workloads are equally likely to be the core, each of them has to run.
    let candidates = if core.is_empty() { vec![Vec::new()] } else { core.iter().map(|one| vec![*one]).collect() };
    let cores = candidates.into_iter().map(|found| {
        Controller::new("crossplane", workload_name("Deployment", namespace, "crossplane"), found).with_objects(
            move |resource| {
                match role(&resource.kind) {
                    Some(CrossplaneRole::Package | CrossplaneRole::Composite | CrossplaneRole::Claim) => true,
                    // Without packages, a missing core is reported on behalf of managed resources.
                    Some(CrossplaneRole::Managed) => !has_packages,
                    None => EXTENSIONS.want(&resource.kind).is_some(),
                    _ => false,
                }
            },
        )
    });
    let mut controllers: Vec<Controller<'_>> = cores.collect();
    controllers.push(
        Controller::new("rbac-manager", rbac_manager, workloads.matching(is_rbac_manager))
            .with_need(ControllerNeed::Helper),
    );
    let (kinds, functions) = (provider_of_kinds(state), functions_of_compositions(state));
    let mut all_tell = true;
    for resource in &state.resources {
        let Body::Package(body) = &resource.body else { continue };
        if role(&resource.kind) != Some(CrossplaneRole::Package) {
            continue;
        }
        let name = resource.metadata.name.as_str();
        let revision = package::active_revision(resource, body, state);
        let Some(revision_name) =
            body.current_revision.as_deref().or(revision.map(|revision| revision.metadata.name.as_str()))
        else {
            // The package never ran.
            continue;
        };
        let kind = resource.kind.kind.as_str();
        let found = workloads.matching(|workload, fields| is_runtime(workload, fields, kind, name, revision_name));
        let runtime = Controller::new(name, workload_name("Deployment", namespace, revision_name), found);
        let runtime = match kind {
            "Provider" => {
                let (kinds, knows_its_kinds) = (kinds.clone(), revision.is_some_and(has_definitions));
                all_tell &= knows_its_kinds;
                runtime.with_objects(move |resource| {
                    role(&resource.kind) == Some(CrossplaneRole::Managed)
                        && match kinds.get(resource.kind.qualified_plural().as_str()) {
                            Some(provider) => *provider == name,
                            // Some provider reconciles this kind. A provider that does not list its kinds may be the
                            // one.
                            None => !knows_its_kinds,
                        }
                })
            }
            "Function" => {
                let functions = functions.clone();
                runtime
                    .with_objects(move |resource| may_call(resource, name, &functions))
                    .with_work(ControllerWork::Updates)
            }
            _ => continue,
        };
        let revisions = format!("{}revisions.{PACKAGES}", kind.to_ascii_lowercase());
        controllers.push(Controller {
            hint: format!("kubectl describe {revisions}/{}", quote_word(revision_name)),
            place: if external.contains(&kind) { ControllerLocation::Elsewhere } else { ControllerLocation::Here },
            reported: package::runtime_problem(resource, revision),
            ..runtime
        });
    }
    let nobodys = Controller::new("provider", workload_name("Deployment", namespace, "provider"), Vec::new());
    controllers.push(Controller {
        place: ControllerLocation::Unknown,
        ..nobodys.with_objects(move |resource| {
            let is_managed = role(&resource.kind) == Some(CrossplaneRole::Managed);
            is_managed && all_tell && !kinds.contains_key(resource.kind.qualified_plural().as_str())
        })
    });
    controllers
}

/// Returns the workloads of Crossplane's core.
pub fn core(state: &ClusterState) -> Vec<&Resource> {
    core_of(&Workloads::from_state(state))
}

/// Returns the workloads that may be Crossplane's core, the most likely one first. Each of them has to run: a workload
/// that looks more like the core than the core itself must not hide it. Workloads with a single trait of the core are
/// only considered if there is nothing better.
fn core_of<'state>(workloads: &Workloads<'state>) -> Vec<&'state Resource> {
    let likeness = |resource: &Resource| match &resource.body {
        Body::Workload(workload) => likeness_to_core(resource, workload),
        _ => CoreLikeness::default(),
    };
    let mut found = workloads.matching(|resource, workload| {
        let found = likeness_to_core(resource, workload);
        found.score >= CANDIDATE || found.is_marked
    });
    let best = found.iter().map(|resource| likeness(resource).score).max().unwrap_or_default();
    found.retain(|resource| likeness(resource).score >= best.min(CANDIDATE));
    found.sort_by_key(|resource| std::cmp::Reverse(likeness(resource).score));
    found
}

fn has_definitions(revision: &Resource) -> bool {
    matches!(&revision.body, Body::Package(body) if !body.definitions.is_empty())
}

/// The score of a candidate for the core: its image or program and one more trait, or all other traits.
const CANDIDATE: usize = 3;

/// The similarity of a workload to Crossplane's core.
#[derive(Debug, Clone, Copy, Default)]
struct CoreLikeness {
    /// The weight of all traits.
    score: usize,
    /// True if its image or a label is that of the core.
    is_marked: bool,
}

/// Compares a workload with Crossplane's core: its image, its program (`crossplane core start`), the labels of its
/// chart (`app`, `app.kubernetes.io/name`), its name, and its namespace. An image may be mirrored under another name,
/// and labels and names are easily copied. What belongs to a package, or is the RBAC manager, is not the core.
fn likeness_to_core(resource: &Resource, workload: &Workload) -> CoreLikeness {
    let label = |key: &str| resource.metadata.label(key).or_else(|| workload.pod_labels.get(key).map(String::as_str));
    let is_named = ["app", "app.kubernetes.io/name"].iter().any(|key| label(key) == Some("crossplane"));
    let is_image = workload.images.iter().any(|image| repository(image) == "crossplane");
    let is_called = resource.metadata.name == "crossplane" || resource.metadata.name.ends_with("-crossplane");
    let is_any = is_named || is_image || is_called;
    if !is_any || is_rbac_manager(resource, workload) || is_of_a_package(resource) {
        return CoreLikeness::default();
    }
    let is_program = workload.programs.iter().any(|program| program == "core");
    let is_at_home = resource.metadata.namespace.as_deref().is_some_and(|namespace| namespace.ends_with("-system"));
    let weak = [is_named, is_called, is_at_home].into_iter().map(usize::from).sum::<usize>();
    let score = 2 * usize::from(is_image) + 2 * usize::from(is_program) + weak;
    CoreLikeness { score, is_marked: is_named || is_image }
}

/// Returns true for the RBAC manager, which runs the same image as the core, and which the chart also labels
/// `crossplane`.
fn is_rbac_manager(resource: &Resource, workload: &Workload) -> bool {
    let is_called = |name: &str| name.ends_with("crossplane-rbac-manager");
    is_called(&resource.metadata.name)
        || resource.metadata.label("app").is_some_and(is_called)
        || workload.programs.iter().any(|program| program == "rbac")
            && workload.images.iter().any(|image| repository(image) == "crossplane")
}

fn is_of_a_package(resource: &Resource) -> bool {
    resource.metadata.controller().is_some_and(|owner| owner.api_version.starts_with(PACKAGES))
}

/// Returns true if a workload runs a revision of a package: it is owned by the revision, or carries the labels, as for
/// a runtime that is deployed manually.
fn is_runtime(resource: &Resource, workload: &Workload, kind: &str, package: &str, revision: &str) -> bool {
    let is_owned = resource.metadata.controller().is_some_and(|owner| {
        owner.api_version.starts_with(PACKAGES)
            && owner.kind.strip_suffix("Revision") == Some(kind)
            && owner.name == revision
    });
    let label = |key: &str| workload.pod_labels.get(key).map(String::as_str);
    let is_labelled = PACKAGE_LABELS.iter().any(|(of, key)| *of == kind && label(key) == Some(package));
    is_owned || is_labelled && label(REVISION_LABEL).is_none_or(|labelled| labelled == revision)
}

/// Returns the kinds of packages whose runtimes are not deployed by Crossplane: `--package-runtime` or PACKAGE_RUNTIME
/// of its core, such as `External` or `Provider=Deployment;Function=External`.
fn external_runtimes(core: &[&Resource]) -> Vec<&'static str> {
    let settings = core.iter().filter_map(|resource| match &resource.body {
        Body::Workload(workload) => {
            workload.settings.get("package-runtime").or_else(|| workload.settings.get("PACKAGE_RUNTIME"))
        }
        _ => None,
    });
    let mut external = Vec::new();
    for setting in settings {
        for (kind, _) in PACKAGE_LABELS {
            let of_kind = setting.split(';').find_map(|part| part.trim().strip_prefix(kind)?.strip_prefix('='));
            if of_kind.unwrap_or(setting) == "External" {
                external.push(kind);
            }
        }
    }
    external
}

/// Returns the functions that each Composition calls, by the name of the Composition.
fn functions_of_compositions(state: &ClusterState) -> HashMap<&str, &[String]> {
    let compositions = state.resources.iter().filter_map(|resource| match &resource.body {
        Body::Composition(composition) => Some((resource.metadata.name.as_str(), composition.functions.as_slice())),
        _ => None,
    });
    compositions.collect()
}

/// Returns true if a composite or claim is created by a function, or may be, because its Composition was not read.
fn may_call(resource: &Resource, function: &str, functions: &HashMap<&str, &[String]>) -> bool {
    let Body::Crossplane(body) = &resource.body else { return false };
    if !matches!(role(&resource.kind), Some(CrossplaneRole::Composite | CrossplaneRole::Claim)) {
        return false;
    }
    let pipeline = body.composition.as_deref().and_then(|name| functions.get(name));
    pipeline.is_none_or(|called| called.iter().any(|name| name == function))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::body::BodyShape;
    use crate::model::kind::ResourceKind;
    use crate::model::seed::ResourceSeed;
    use crate::model::state::Origin;
    use serde::de::DeserializeSeed as _;
    use serde_json::json;
    use std::sync::Arc;

    /// Returns a Deployment: its namespace and name, the value of label `app`, its image, and its first argument.
    fn deployment((namespace, name): (&str, &str), app: &str, image: &str, argument: &str) -> Resource {
        let object = json!({
            "metadata": {"name": name, "namespace": namespace, "labels": {"app": app}},
            "spec": {"template": {"spec": {"containers": [{"image": image, "args": [argument, "start"]}]}}},
        });
        let kind = Arc::new(ResourceKind::guess("apps", "Deployment"));
        ResourceSeed { kind: &kind, shape: BodyShape::Workload }.deserialize(&object).unwrap()
    }

    fn state(resources: Vec<Resource>) -> ClusterState {
        let origin = Origin::Snapshot { path: String::new() };
        ClusterState { resources, ..ClusterState::empty(origin, "2026-11-20T09:00:00Z".parse().unwrap()) }
    }

    #[test]
    fn every_workload_that_may_be_the_core_is_found() {
        let (upstream, mirrored, web) = ("xpkg.crossplane.io/crossplane/crossplane:v2", "mirror/xp:v2", "nginx:1");
        let copy = deployment(("team", "crossplane"), "crossplane", upstream, "core");
        for (home, app, image, argument) in [
            (("crossplane-system", "crossplane"), "crossplane", upstream, "core"),
            (("crossplane-system", "crossplane"), "crossplane", mirrored, "core"),
            (("crossplane-system", "crossplane"), "other", mirrored, "core"),
            (("crossplane-system", "core"), "other", upstream, "core"),
            (("platform", "crossplane"), "crossplane", mirrored, "core"),
            (("crossplane-system", "crossplane"), "crossplane", mirrored, ""),
        ] {
            let core = deployment(home, app, image, argument);
            let state = state(vec![copy.clone(), core]);
            assert_eq!(super::core(&state).len(), 2, "{home:?} {app} {image} {argument}");
        }
        for (place, app, image, argument) in [
            (("team", "docs"), "crossplane", web, ""),
            (("team", "docs-crossplane"), "crossplane", web, ""),
            (("team", "crossplane"), "docs", web, ""),
            (("harbor-system", "harbor-core"), "harbor", "goharbor/harbor-core:v2", "core"),
            (("crossplane-system", "crossplane-rbac-manager"), "crossplane", upstream, "rbac"),
        ] {
            let other = deployment(place, app, image, argument);
            let state = state(vec![other, copy.clone()]);
            let found: Vec<String> = super::core(&state).iter().map(|core| core.name().to_string()).collect();
            assert_eq!(found, [copy.name().to_string()], "{place:?}");
        }
    }
}
