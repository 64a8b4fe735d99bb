//! Objects that were paused and not resumed.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::check::{CheckFinding, CheckFindings, DoctorCheck, FindingSeverity, RequiredData};
use super::facts::{DoctorFacts, whole_object};
use ucp_client::prediction::fields::{FieldSet, field_managers};
use ucp_core::engine::code::Code;
use ucp_core::model::resource::Resource;
use ucp_core::model::time::human_duration;
use ucp_core::model::verdict::Verdict;

pub(super) const CHECKS: &[DoctorCheck] =
    &[DoctorCheck { name: "paused", codes: &[Code::PausedForLong], reads: &[RequiredData::Engines], run: long_paused }];

const A_WEEK: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Fields, annotations and labels that pause an object, as in `managedFields`.
const MARKS: [&str; 10] = [
    "f:crossplane.io/paused",
    "f:managementPolicies",
    "f:suspend",
    "f:paused",
    "f:argocd.argoproj.io/skip-reconcile",
    "f:services.k8s.aws/read-only",
    "f:serviceoperator.azure.com/reconcile-policy",
    "f:fluxcd.controlplane.io/reconcile",
    "f:cluster.x-k8s.io/paused",
    "f:actuationMode",
];

/// Those annotations in [`MARKS`] with further effects: they set how an engine treats the external resource.
const POLICIES: [&str; 2] = ["services.k8s.aws/read-only", "serviceoperator.azure.com/reconcile-policy"];

fn long_paused(facts: &DoctorFacts<'_>) -> CheckFindings {
    let mut answer = CheckFindings::default();
    for entry in facts.assessment.judged.iter().filter(|entry| entry.judgement.verdict == Verdict::Paused) {
        let resource = entry.resource;
        let by = paused_by(resource);
        let since = by
            .as_ref()
            .and_then(|(_, since)| *since)
            .or(entry.judgement.since)
            .or(resource.metadata.written.declaration);
        let Some(since) = since else {
            // A younger object cannot have been paused for longer.
            if resource.metadata.creation_timestamp.is_none_or(|made| facts.is_older_than(made, A_WEEK)) {
                answer.unknown.push(format!("since when {} is paused: it has no managedFields", resource.name()));
            }
            continue;
        };
        if !facts.is_older_than(since, A_WEEK) {
            continue;
        }
        let age = human_duration(facts.now().duration_since(since).as_secs());
        let who = by.map(|(manager, _)| format!(" by {manager}")).unwrap_or_default();
        let how = entry.judgement.message.as_deref().unwrap_or("it is paused");
        let evidence = format!("{how}; paused for {age}{who}");
        let found = CheckFinding::new(Code::PausedForLong, FindingSeverity::Warning, resource.name(), evidence)
            .since(Some(since));
        answer.found.push(match resume_command(resource) {
            Some(command) => found.with_command(command),
            None => found,
        });
    }
    answer
}

/// Returns the field manager that set the mark which pauses an object, and the time.
fn paused_by(resource: &Resource) -> Option<(String, Option<Timestamp>)> {
    let mut writers: BTreeMap<Option<Timestamp>, &str> = BTreeMap::new();
    for writer in field_managers(whole_object(resource)).filter(|writer| owns_a_mark(writer.fields)) {
        writers.insert(writer.time.and_then(|time| time.parse().ok()), writer.manager);
    }
    let (time, manager) = writers.pop_last().filter(|(_, manager)| !manager.is_empty())?;
    Some((manager.to_owned(), time))
}

/// Returns the command that resumes an object, if one mark is enough.
fn resume_command(resource: &Resource) -> Option<String> {
    let object = resource.name();
    let mut pauses = MARKS.iter().filter_map(|mark| mark.strip_prefix("f:")).filter(|mark| !POLICIES.contains(mark));
    if let Some(mark) = pauses.find(|mark| resource.metadata.annotation(mark).is_some()) {
        return Some(format!("kubectl annotate {object} {mark}-"));
    }
    let field =
        ["suspend", "paused"].into_iter().find(|field| whole_object(resource)["spec"][field] == Value::Bool(true))?;
    Some(format!(r#"kubectl patch {object} --type=merge -p '{{"spec":{{"{field}":false}}}}'"#))
}

fn owns_a_mark(fields: &FieldSet) -> bool {
    let is_below = |below: &Value| below.as_object().is_some_and(owns_a_mark);
    fields.iter().any(|(key, below)| MARKS.contains(&key.as_str()) || is_below(below))
}
