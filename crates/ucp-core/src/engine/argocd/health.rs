//! Describes the health of an Application, with the resources that cause it.

use super::sync::name_some;
use crate::model::body::argocd::{Application, DeployedResource, HealthStatus};

/// The maximum number of resources that are named.
const NAMED: usize = 3;

/// Returns a description of `status.health` with the resources behind it. Since Argo CD 3.0, the health of single
/// resources is only stored if `controller.resource.health.persist` is set.
pub(super) fn describe_health(application: &Application) -> String {
    let status = &application.status;
    let health = status.health.status.as_str();
    let said = status.health.message.as_deref().map(str::trim).filter(|message| !message.is_empty());
    let mut text = format!("health is {health}");
    if let Some(message) = said {
        text.push_str(": ");
        text.push_str(message);
    }
    let resources: Vec<&DeployedResource> = status.resources.iter().filter(|resource| !resource.hook).collect();
    let unhealthy: Vec<String> = resources.iter().filter_map(|resource| unhealthy(resource)).collect();
    let out_of_sync: Vec<&DeployedResource> =
        resources.iter().copied().filter(|resource| resource.status == "OutOfSync").collect();
    text.push_str(&match (unhealthy.as_slice(), resources.as_slice()) {
        ([], _) if health == "Missing" && !out_of_sync.is_empty() => {
            format!("; not synced: {}", name_some(out_of_sync.into_iter()))
        }
        ([], [only]) => format!(": {}/{}, its only resource", only.kind, only.name),
        ([], []) => String::new(),
        ([], several) if said.is_none() && several.len() <= NAMED => {
            let names = name_some(several.iter().copied());
            format!("; Argo CD does not store which of these is the cause: {names}")
        }
        ([], several) if said.is_none() => {
            format!("; Argo CD does not store which of its {} resources is the cause", several.len())
        }
        ([], _) => String::new(),
        (unhealthy, _) => {
            let more = unhealthy.len().saturating_sub(NAMED);
            let rest = if more > 0 { format!("; and {more} more") } else { String::new() };
            format!(": {}{rest}", unhealthy[..unhealthy.len() - more].join("; "))
        }
    });
    text
}

/// Returns a description of the parts that contradict a good health of their Application: those that are not healthy, and
/// those whose state in Git is not known.
pub(super) fn contradicting_parts(application: &Application) -> Option<String> {
    let parts = application.status.resources.iter().filter(|part| !part.hook);
    let found: Vec<String> = parts
        .filter_map(|part| {
            let is_bad = |health: &&HealthStatus| matches!(health.status.as_str(), "Degraded" | "Missing");
            match part.health.as_ref().filter(is_bad) {
                Some(_) => unhealthy(part),
                None => (part.status == "Unknown")
                    .then(|| format!("{}/{} has the sync status Unknown", part.kind, part.name)),
            }
        })
        .collect();
    let more = found.len().saturating_sub(NAMED);
    let rest = if more > 0 { format!("; and {more} more") } else { String::new() };
    (!found.is_empty()).then(|| format!("{}{rest}", found[..found.len() - more].join("; ")))
}

/// Returns a description of a resource if its health is stored and not Healthy.
fn unhealthy(resource: &DeployedResource) -> Option<String> {
    let health = resource.health.as_ref()?;
    let is_bad = !matches!(health.status.as_str(), "" | "Healthy" | "Suspended");
    let why = match health.message.as_deref().map(str::trim) {
        Some(message) if !message.is_empty() => format!(" ({message})"),
        _ => String::new(),
    };
    is_bad.then(|| format!("{}/{} is {}{why}", resource.kind, resource.name, health.status))
}
