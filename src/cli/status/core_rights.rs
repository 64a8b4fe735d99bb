//! Rights that Crossplane's core does not have, for composites whose error is the one that core reports without them. The
//! roles are only read if there is such a composite.

use crate::cli::Context;
use ucp_client::source::live::definition::DeniedDefinition;
use ucp_core::engine::crossplane::{CORE_RIGHTS, CrossplaneRole, role};
use ucp_core::engine::{self, Assessment, AssessmentClock, Cause, Problem, controller};
use ucp_core::model::body::{Body, KindRequest};
use ucp_core::model::kind::ResourceKind;
use ucp_features::doctor::{self, CheckPurpose, CheckSelection, DoctorFacts, FindingSeverity};

/// The check of `doctor`.
const CHECK: &str = "core-rights";

/// Adds the missing rights as causes. If core has all rights, its error has another cause, and no hint at them.
pub(super) fn establish(context: &Context, assessment: &mut Assessment<'_>, clock: &AssessmentClock) {
    let hints_at_rights = |problem: &Problem| problem.hint.as_deref() == Some(CORE_RIGHTS);
    let judged = assessment.judged.iter().enumerate();
    let asking = judged.filter(|(_, entry)| entry.judgement.problems.iter().any(hints_at_rights));
    let asking: Vec<usize> = asking.map(|(position, _)| position).collect();
    if asking.is_empty() || context.needs_rereadable_source("").is_err() {
        return;
    }
    let Ok(state) = context.for_all_namespaces().read_established(None, &want, DeniedDefinition::Absent) else {
        return;
    };
    let facts = DoctorFacts::gather(&state, engine::assess(&state, clock), None, None);
    let selection = CheckSelection { only: vec![CHECK.to_owned()], skip: Vec::new(), purpose: CheckPurpose::Installed };
    for examined in doctor::run_checks(&facts, &selection) {
        for position in &asking {
            let entry = &mut assessment.judged[*position];
            let Body::Crossplane(body) = &entry.resource.body else { continue };
            let composition = body.composition.as_deref().unwrap_or_default();
            let found = examined.found.iter().find(|found| found.object.name == *composition);
            let problems = entry.judgement.problems.iter_mut().filter(|problem| hints_at_rights(problem));
            match found {
                Some(found) if found.severity == FindingSeverity::Error => {
                    let since = problems.filter_map(|problem| problem.since).min();
                    let known = assessment.causes.iter_mut().find(|cause| cause.object == found.object);
                    match known.filter(|cause| cause.problem.code == found.code) {
                        Some(cause) => cause.holds_up.push(*position),
                        None => {
                            let problem = Problem::new(found.code, since, found.evidence.clone());
                            let cause = Cause { object: found.object.clone(), problem, holds_up: vec![*position] };
                            assessment.causes.push(cause);
                        }
                    }
                }
                None if examined.unknown.is_empty() => problems.for_each(|problem| problem.hint = None),
                _ => {}
            }
        }
    }
}

/// Returns what the check reads of a kind.
fn want(kind: &ResourceKind) -> Option<KindRequest> {
    let is_needed = kind.group == "rbac.authorization.k8s.io"
        || kind.group == "apiextensions.k8s.io"
        || controller::is_workload(kind)
        || matches!(role(kind), Some(CrossplaneRole::Composite | CrossplaneRole::Composition));
    is_needed.then(|| doctor::want(kind)).flatten()
}
