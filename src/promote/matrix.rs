//! Services × environments: which version is declared, and which runs.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::image::Version;
use crate::model::state::Unreadable;
use crate::promote::placement;
use crate::promote::plan::Facts;
use crate::promote::rule;
use crate::promote::running::Running;
use crate::report::images::{ImageMatrix, ImageRow, ServiceRow, Versions};

/// Gathers the versions of every service, or of those that are named. `running` is absent without a cluster.
pub fn matrix(facts: &Facts<'_>, named: &BTreeSet<String>, running: Option<(&Running, &[String])>) -> ImageMatrix {
    let mut unreadable = Vec::new();
    let mut services = Vec::new();
    for service in facts.discovery.services() {
        if !named.is_empty() && !named.contains(service) {
            continue;
        }
        let mut images: BTreeMap<String, BTreeMap<String, Versions>> = BTreeMap::new();
        for overlay in facts.discovery.overlays.iter().filter(|overlay| overlay.service == service) {
            let environment = &overlay.environment;
            for (path, value) in rule::declared(facts, overlay) {
                let versions = Versions { declared: Some(value), running: None };
                images.entry(path).or_default().insert(environment.clone(), versions);
            }
            if !facts.repository.kustomizations.contains_key(&overlay.directory)
                && !facts.repository.unreadable.contains_key(&overlay.directory)
            {
                continue;
            }
            let built = match facts.builder.build(&overlay.directory) {
                Ok(built) => built,
                Err(reason) => {
                    unreadable.push(Unreadable { what: overlay.directory.clone(), reason });
                    continue;
                }
            };
            for (origin, deployed) in placement::by_origin(&built) {
                if !built.may_deploy(&deployed) {
                    continue;
                }
                let runs = running.map(|(running, remotes)| {
                    let names: BTreeSet<&str> = deployed.iter().map(|image| image.reference.name.as_str()).collect();
                    let deployers = running.of_overlay(&overlay.directory, remotes);
                    let versions =
                        |name: &&str| deployers.iter().flat_map(|deployer| deployer.versions(name)).collect::<Vec<_>>();
                    names.iter().flat_map(versions).collect::<BTreeSet<Version>>()
                });
                let versions = Versions {
                    declared: list(&placement::versions(&deployed)),
                    running: runs.and_then(|runs| list(&runs)),
                };
                images.entry(origin.to_owned()).or_default().insert(environment.clone(), versions);
            }
        }
        let images = images.into_iter().map(|(name, versions)| ImageRow { name, versions }).collect();
        services.push(ServiceRow { name: service.to_owned(), images });
    }
    ImageMatrix::new(
        facts.repository.top.display().to_string(),
        facts.discovery.environments.clone(),
        services,
        unreadable,
    )
}

/// Versions in one text; `None` where there is none.
fn list(versions: &BTreeSet<Version>) -> Option<String> {
    let versions: Vec<String> = versions.iter().filter(|version| !version.is_empty()).map(Version::to_string).collect();
    if versions.is_empty() { None } else { Some(versions.join(", ")) }
}
