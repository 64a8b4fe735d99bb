//! Findings of the engines that are also findings of a check.

use std::collections::BTreeSet;

use super::check::{CheckFinding, CheckFindings, FindingSeverity};
use super::facts::DoctorFacts;
use ucp_core::engine::code::Code;

/// Returns the findings of the engines with the given codes.
pub(super) fn engine_findings(facts: &DoctorFacts<'_>, codes: &[Code], severity: FindingSeverity) -> CheckFindings {
    let causes = facts.assessment.causes.iter().map(|cause| (&cause.problem, cause.object.clone()));
    // Objects that only wait for a cause have no findings of their own.
    let waiting: BTreeSet<usize> =
        facts.assessment.causes.iter().flat_map(|cause| cause.holds_up.iter().copied()).collect();
    let judged = facts.assessment.judged.iter().enumerate().filter(|(index, _)| !waiting.contains(index));
    let judged =
        judged.flat_map(|(_, entry)| entry.judgement.problems.iter().map(|problem| (problem, entry.resource.name())));
    let mut seen = BTreeSet::new();
    let said = causes.chain(judged).filter(|(problem, _)| codes.contains(&problem.code));
    said.filter(|(problem, object)| seen.insert((problem.code, object.clone())))
        .map(|(problem, object)| {
            let found = CheckFinding::new(problem.code, severity, object, problem.message.clone()).since(problem.since);
            match &problem.hint {
                Some(hint) => found.with_command(hint.clone()),
                None => found,
            }
        })
        .collect()
}
