//! Determines which of the data that a check requires was read.

use std::sync::Arc;

use super::check::{DoctorCheck, RequiredData};
use super::facts::DoctorFacts;
use ucp_core::engine;
use ucp_core::engine::crossplane::role;
use ucp_core::model::kind::ResourceKind;
use ucp_core::model::state::Unreadable;

pub(super) struct CheckCoverage {
    pub(super) applies: bool,
    pub(super) unknown: Vec<String>,
}

/// Determines which of a check's required data was read.
pub(super) fn coverage(facts: &DoctorFacts<'_>, check: &DoctorCheck) -> CheckCoverage {
    let mut coverage = CheckCoverage { applies: check.reads.is_empty(), unknown: Vec::new() };
    for reads in check.reads {
        let is_needed = |kind: &ResourceKind| match reads {
            RequiredData::Always(group, name) | RequiredData::IfThere(group, name) => {
                kind.group == *group && kind.kind == *name
            }
            RequiredData::Roles(roles) => role(kind).is_some_and(|role| roles.contains(&role)),
            RequiredData::PackageRoles(roles) => {
                facts.has_package() && role(kind).is_some_and(|role| roles.contains(&role))
            }
            RequiredData::NewDefinitions => {
                facts.upgrade.as_ref().is_some_and(|upgrade| upgrade.definition_of(kind).is_some())
            }
            RequiredData::Engines => engine::want(kind).is_some(),
            RequiredData::Rights | RequiredData::ServerVersion => false,
        };
        let mut kinds = facts.state.kinds.iter().filter(|kind| is_needed(kind)).peekable();
        let is_there = kinds.peek().is_some();
        coverage.applies |= match reads {
            RequiredData::Always(..) => true,
            RequiredData::Rights => facts.rights.is_some(),
            RequiredData::ServerVersion => facts.server.is_some(),
            _ => is_there,
        };
        if let RequiredData::Always(_, name) = reads
            && !is_there
        {
            coverage.unknown.push(format!("no {name} was read"));
        }
        for kind in kinds {
            let broken = facts.state.unreadable.iter().filter(|entry| entry.is_of(kind));
            coverage.unknown.extend(broken.map(|entry| format!("{} could not be read", entry.what)));
        }
        if matches!(reads, RequiredData::PackageRoles(_)) && !facts.has_package() {
            continue;
        }
        let lost = facts.state.unreadable.iter().filter(|entry| may_hold(&facts.state.kinds, entry, reads));
        coverage.unknown.extend(lost.map(|entry| format!("{} could not be read", entry.what)));
    }
    coverage
}

/// Returns true if an unreadable entry of no known kind may contain data that a check requires: an API or a kind of its
/// group, or a file with unknown content.
fn may_hold(kinds: &[Arc<ResourceKind>], entry: &Unreadable, reads: &RequiredData) -> bool {
    if matches!(reads, RequiredData::Rights | RequiredData::ServerVersion) || kinds.iter().any(|kind| entry.is_of(kind))
    {
        return false;
    }
    let is_version = |text: &str| {
        text.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()) && !rest.contains('.'))
    };
    let what = entry.what.as_str();
    let group = match what.split_once('/') {
        Some((group, version)) if is_version(version) => Some(group),
        None if !what.contains([':', ' ']) => what.split_once('.').map(|(_, group)| group),
        _ => None,
    };
    match (group, reads) {
        (Some(group), RequiredData::Always(of, _) | RequiredData::IfThere(of, _)) => group == *of,
        // Any kind that could not be listed may have the role.
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unreadable_list_affects_the_checks_that_may_need_it() {
        let secret = Arc::new(ResourceKind { plural: "secrets".into(), ..ResourceKind::guess("", "Secret") });
        let holds = |what: &str, reads: RequiredData| {
            let entry = Unreadable { what: what.to_owned(), reason: String::new() };
            may_hold(std::slice::from_ref(&secret), &entry, &reads)
        };
        let workloads = RequiredData::Always("apps", "Deployment");
        assert!(!holds("metrics.k8s.io/v1beta1", workloads) && holds("metrics.k8s.io/v1beta1", RequiredData::Engines));
        assert!(holds("apps/v1", workloads) && holds("deployments.apps", workloads));
        assert!(holds("dump/broken.yaml:3", workloads) && holds("standard input", workloads));
        assert!(!holds("secrets", RequiredData::Engines) && !holds("secrets default/login", workloads));
    }
}
