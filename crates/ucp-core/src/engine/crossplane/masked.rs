//! Errors of composed objects that core does not report: it returns the first error of an object that was not found, and
//! drops those of the other ones (crossplane#7335).

use super::composition::named_parts;
use crate::engine::code::Code;
use crate::engine::judgement::{AssessmentFacts, Cause, Problem};
use crate::graph::NodePresence;
use crate::model::verdict::Verdict;

/// Returns a cause for each composite that only reports that a part was not found, while another part has failed or does
/// not exist.
pub(super) fn masked_part_causes(facts: &AssessmentFacts<'_, '_>) -> Vec<Cause> {
    let judged = facts.judged.iter().enumerate();
    judged.filter_map(|(position, entry)| behind(facts, position, masking_error(&entry.judgement.problems)?)).collect()
}

/// Returns the error of a composite that ends with the answer of an API server that an object was not found.
fn masking_error(problems: &[Problem]) -> Option<&Problem> {
    let [only] = problems else { return None };
    (only.code == Code::CompositeError && only.message.trim_end().ends_with("\" not found")).then_some(only)
}

fn behind(facts: &AssessmentFacts<'_, '_>, position: usize, masking: &Problem) -> Option<Cause> {
    let composite = &facts.judged[position].resource.name();
    let reports = format!("{} {} only reports: {}", composite.kind, composite.name, masking.message);
    let parts: Vec<_> = named_parts(facts, facts.judged[position].node).map(|edge| edge.node).collect();
    let failed = parts.iter().filter_map(|node| facts.position(*node)).find_map(|part| {
        let entry = &facts.judged[part];
        let problem = entry.judgement.problems.iter().find(|problem| problem.code.info().verdict == Verdict::Failed)?;
        Some((entry.resource.name(), Problem { message: format!("{}; {reports}", problem.message), ..problem.clone() }))
    });
    let missing = || {
        let is_missing = |node: &&usize| matches!(facts.graph.node(**node).presence, NodePresence::Missing);
        let names = parts.iter().filter(is_missing).filter_map(|node| facts.graph.name(*node));
        // A namespace that other parts need is itself a part.
        let object = names.min_by_key(|name| !masking.message.contains(&format!("\"{}\" not found", name.name)))?;
        let hint = Some(Code::CompositeError.command_for(composite));
        let message = format!("it does not exist, and may have been refused without a message; {reports}");
        Some((object, Problem { hint, ..Problem::new(Code::CompositeError, masking.since, message) }))
    };
    let (object, problem) = failed.or_else(missing)?;
    Some(Cause { object, problem, holds_up: vec![position] })
}
