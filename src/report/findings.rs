//! Conversion of judgements to findings: root causes replace their symptoms, and similar problems are grouped.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet};

use ucp_core::engine::code::Code;
use ucp_core::engine::{Assessment, Problem};
use ucp_core::model::body::Body;
use ucp_core::model::finding::Finding;
use ucp_core::model::object::{ObjectKeyRef, ObjectName};
use ucp_core::model::resource::Resource;
use ucp_core::model::verdict::Verdict;
use ucp_features::history::preceding_deployment;

/// Returns all findings, worst first; among equal verdicts, those that affect most objects first.
pub fn gather(assessment: &Assessment<'_>) -> Vec<Finding> {
    gather_with_verdicts(assessment).0
}

/// Returns the findings, and for each judged object the worst verdict of the findings that report it or hold it up.
pub(super) fn gather_with_verdicts(assessment: &Assessment<'_>) -> (Vec<Finding>, Vec<Option<Verdict>>) {
    let mut findings: Vec<Finding> = Vec::new();
    let mut worst: Vec<Option<Verdict>> = vec![None; assessment.judged.len()];
    let worsen =
        |known: &mut Option<Verdict>, verdict| *known = Some(known.map_or(verdict, |known| known.min(verdict)));
    for cause in &assessment.causes {
        let info = cause.problem.code.info();
        for index in &cause.holds_up {
            worsen(&mut worst[*index], info.verdict);
        }
        let holds_up = cause.holds_up.iter().map(|index| assessment.judged[*index].resource.name());
        let code = info.code;
        match findings.iter_mut().find(|finding| finding.object == cause.object && finding.code == code) {
            Some(known) => known.holds_up.extend(holds_up),
            None => findings.push(Finding { holds_up: holds_up.collect(), ..finding(&cause.object, &cause.problem) }),
        }
    }
    let reported: BTreeSet<(ObjectName, String)> =
        findings.iter().map(|finding| (finding.object.clone(), finding.code.clone())).collect();
    let mut alike: BTreeMap<(Code, String, String), usize> = BTreeMap::new();
    for (index, entry) in assessment.judged.iter().enumerate() {
        if worst[index].is_some() {
            continue;
        }
        for problem in &entry.judgement.problems {
            worsen(&mut worst[index], problem.code.info().verdict);
            let object = entry.resource.name();
            if reported.contains(&(object.clone(), problem.code.info().code.to_owned())) {
                continue;
            }
            match alike.entry(grouping_key(&object, problem)) {
                std::collections::btree_map::Entry::Occupied(first) => {
                    let finding = &mut findings[*first.get()];
                    finding.since = finding.since.min(problem.since).or(finding.since);
                    finding.also.push(object);
                }
                std::collections::btree_map::Entry::Vacant(first) => {
                    first.insert(findings.len());
                    findings.push(finding(&object, problem));
                }
            }
        }
    }
    let mut to_blame: BTreeMap<ObjectKeyRef<'_>, Option<Verdict>> = BTreeMap::new();
    for cause in &assessment.causes {
        worsen(to_blame.entry(cause.object.key_ref()).or_default(), cause.problem.code.info().verdict);
    }
    for (entry, known) in assessment.judged.iter().zip(&mut worst) {
        if let Some(Some(verdict)) = to_blame.get(&entry.resource.key_ref()) {
            worsen(known, *verdict);
        }
    }
    add_preceding_deployments(&mut findings, assessment);
    findings.sort_by(worst_first);
    (findings, worst)
}

/// Adds the deployment right before each problem of a deployer.
fn add_preceding_deployments(findings: &mut [Finding], assessment: &Assessment<'_>) {
    let is_deployer = |resource: &&Resource| matches!(resource.body, Body::Application(_) | Body::Flux(_));
    let deployers = assessment.judged.iter().map(|entry| entry.resource).filter(is_deployer);
    let deployers: BTreeMap<ObjectKeyRef<'_>, &Resource> =
        deployers.map(|resource| (resource.key_ref(), resource)).collect();
    // Several objects have different deployments.
    for finding in findings.iter_mut().filter(|finding| finding.also.is_empty()) {
        let deployer = deployers.get(&finding.object.key_ref());
        let after = deployer.zip(finding.since).and_then(|(resource, since)| preceding_deployment(resource, since));
        finding.after = after;
    }
}

/// The order of findings: by verdict, and among equal verdicts, those that affect most objects first.
pub fn worst_first(left: &Finding, right: &Finding) -> Ordering {
    let weight = |finding: &Finding| Reverse(finding.holds_up.len() + finding.also.len());
    let key = |finding: &Finding| (finding.verdict, weight(finding));
    key(left).cmp(&key(right)).then_with(|| (&left.code, &left.object).cmp(&(&right.code, &right.object)))
}

fn finding(object: &ObjectName, problem: &Problem) -> Finding {
    let said = finding_with_hint(problem.code, object.clone(), problem.message.clone());
    Finding { since: problem.since, hint: problem.hint.clone().or(said.hint), ..said }
}

/// Returns a finding of one object, with the hint of its code.
pub(super) fn finding_with_hint(code: Code, object: ObjectName, message: impl Into<String>) -> Finding {
    let info = code.info();
    Finding {
        code: info.code.to_owned(),
        verdict: info.verdict,
        since: None,
        after: None,
        message: message.into(),
        hint: Some(code.command_for(&object)),
        object,
        also: Vec::new(),
        holds_up: Vec::new(),
    }
}

/// Returns the key by which problems are grouped: the same code and the same words, except for names and request
/// numbers. Failures with messages of more than three words are grouped across kinds, such as an expired credential;
/// other problems are grouped within one kind, since equal short messages of two kinds are unrelated.
fn grouping_key(object: &ObjectName, problem: &Problem) -> (Code, String, String) {
    let words: Vec<_> = problem
        .message
        .replace(&object.name, "{name}")
        .split(|character: char| !character.is_alphanumeric() && !"{}".contains(character))
        .map(|word| if is_serial_number(word) { "#".to_owned() } else { word.to_owned() })
        .collect();
    let kind = match problem.code.info().verdict {
        Verdict::Failed if words.len() > 3 => String::new(),
        _ => format!("{}/{}", object.api_version, object.kind),
    };
    (problem.code, words.join(" "), kind)
}

/// Returns true for request IDs, parts of UUIDs, hashes and counters.
fn is_serial_number(word: &str) -> bool {
    let digits = word.chars().filter(char::is_ascii_digit).count();
    digits == word.len()
        || word.len() >= 4 && digits > 0 && word.chars().all(|character| character.is_ascii_hexdigit())
        || word.len() >= 16 && digits >= 4
}
