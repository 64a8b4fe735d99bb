//! The document `DoctorReport`: future problems of the control plane, and how to fix them.

use std::cmp::Ordering;
use std::sync::Arc;

use jiff::Timestamp;
use serde::Serialize;

use super::Header;
use super::findings::finding_with_hint;
use super::sources::{
    CombineSources, DocumentSource, DocumentSources, Sourced, add_source_to_hint, is_whole_source, set_sources,
    without_sources,
};
use ucp_core::engine::code::Code;
use ucp_core::model::finding::Finding;
use ucp_core::model::grounds::GroundsEvidence;
use ucp_core::model::secrecy::scrub;
use ucp_core::model::state::{ClusterState, Origin, Unreadable};
use ucp_features::doctor::{CheckFinding, ExaminedCheck, FindingSeverity, MinorVersion};

/// The document `DoctorReport`.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DoctorReport {
    /// `apiVersion`, `kind` and `source`.
    #[serde(flatten)]
    pub header: Header,
    /// The time of the cluster state.
    pub moment: Timestamp,
    /// The target version of Crossplane.
    #[serde(rename = "for", skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// All selected checks.
    pub checks: Vec<Sourced<CheckResult>>,
    /// The findings of the checks, worst first.
    pub findings: Vec<Sourced<DoctorFinding>>,
    /// Objects and kinds that could not be read.
    pub unreadable: Vec<Sourced<Unreadable>>,
    /// True if at least one source had nothing to check.
    #[serde(skip)]
    has_nothing_to_check: bool,
}

/// The result of one check.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckResult {
    /// The name of the check.
    pub name: String,
    /// The group of the check.
    pub group: String,
    /// The codes of the findings that the check can report.
    pub codes: Vec<String>,
    /// The outcome of the check.
    pub outcome: CheckOutcome,
    /// The number of findings.
    pub found: usize,
    /// The reasons why the check may be incomplete.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<String>,
}

/// The outcome of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum CheckOutcome {
    /// The check found something.
    Found,
    /// The check could not read everything it needs, and found nothing in the rest.
    Unknown,
    /// The check found nothing.
    Passed,
    /// The cluster has no objects that the check applies to.
    NotApplicable,
}

/// A finding with its severity.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DoctorFinding {
    /// The check that reported the finding.
    pub check: String,
    /// The severity of the finding.
    pub severity: FindingSeverity,
    /// The finding in the format of `status`; its hint is the command that fixes it.
    #[serde(flatten)]
    pub finding: Finding,
}

impl DoctorReport {
    /// Builds the document from check results, without findings less severe than `least`.
    pub fn from_checks(
        state: &ClusterState,
        examined: Vec<ExaminedCheck>,
        target: Option<MinorVersion>,
        least: FindingSeverity,
    ) -> Self {
        let mut findings = Vec::new();
        let mut checks = Vec::new();
        for one in examined {
            let found: Vec<CheckFinding> = one.found.into_iter().filter(|found| found.severity <= least).collect();
            checks.push(CheckResult {
                name: one.check.name.to_owned(),
                group: one.group.to_owned(),
                codes: one.check.codes.iter().map(|code| code.info().code.to_owned()).collect(),
                outcome: match (found.is_empty(), one.unknown.is_empty(), one.applies) {
                    (false, ..) => CheckOutcome::Found,
                    (true, false, _) => CheckOutcome::Unknown,
                    (true, true, true) => CheckOutcome::Passed,
                    (true, true, false) => CheckOutcome::NotApplicable,
                },
                found: found.len(),
                unknown: one.unknown,
            });
            found.into_iter().for_each(|found| add_finding(&mut findings, one.check.name, found));
        }
        findings.sort_by(worst_first);
        Self {
            header: Header::new("DoctorReport", state.origin.clone()),
            moment: state.moment,
            target: target.map(|target| target.to_string()),
            checks: without_sources(checks),
            findings: without_sources(findings),
            unreadable: without_sources(state.unreadable.iter().cloned()),
            has_nothing_to_check: false,
        }
    }

    /// Records that there was nothing to check, if a reason is given.
    #[must_use]
    pub fn with_nothing_to_check(mut self, reason: Option<Unreadable>) -> Self {
        self.has_nothing_to_check = reason.is_some();
        self.unreadable.extend(without_sources(reason));
        self
    }

    /// Returns true if anything is broken or will break.
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == FindingSeverity::Error)
    }

    /// Returns the evidence for the answer that nothing but the findings is wrong: checks that read everything they need.
    pub fn evidence(&self) -> GroundsEvidence {
        let mut evidence = GroundsEvidence::new();
        for check in &self.checks {
            match check.unknown.is_empty() {
                true => evidence.add_list(check.name.clone()),
                false => evidence.add_gap(Unreadable { what: check.name.clone(), reason: check.unknown.join(", ") }),
            };
        }
        let is_gap = |entry: &Unreadable| self.has_nothing_to_check || is_whole_source(entry);
        evidence.add_gaps(self.unreadable.iter().map(|entry| &entry.item).filter(|entry| is_gap(entry)));
        evidence
    }
}

fn worst_first(left: &DoctorFinding, right: &DoctorFinding) -> Ordering {
    (left.severity, &left.finding.code, &left.finding.object).cmp(&(
        right.severity,
        &right.finding.code,
        &right.finding.object,
    ))
}

impl CombineSources for DoctorReport {
    fn name_sources(&mut self, sources: Vec<DocumentSource>) {
        self.header.source = DocumentSources::Several(sources);
    }

    fn moment(&self) -> Option<Timestamp> {
        Some(self.moment)
    }

    fn unreadable(&mut self) -> &mut Vec<Sourced<Unreadable>> {
        &mut self.unreadable
    }

    fn mark(&mut self, source: &Arc<Origin>) {
        set_sources(&mut self.checks, source);
        set_sources(&mut self.findings, source);
        self.findings.iter_mut().for_each(|one| add_source_to_hint(&mut one.finding, source));
    }

    fn add(&mut self, other: Self) {
        self.moment = self.moment.max(other.moment);
        self.has_nothing_to_check |= other.has_nothing_to_check;
        self.checks.extend(other.checks);
        self.findings.extend(other.findings);
    }

    fn sort(&mut self) {
        self.findings.sort_by(|left, right| worst_first(left, right));
    }
}

/// Adds a finding, or adds its object to an equal finding about an object of the same kind.
fn add_finding(findings: &mut Vec<DoctorFinding>, check: &str, found: CheckFinding) {
    let code = found.code.info();
    let message = scrub(&found.evidence).into_owned();
    let command = found.command;
    let alike = findings.iter_mut().find(|known| {
        let finding = &known.finding;
        finding.code == code.code
            && known.severity == found.severity
            && finding.message == message
            && finding.object.kind == found.object.kind
            && finding.object.api_version == found.object.api_version
    });
    if let Some(known) = alike {
        known.finding.also.push(found.object);
        known.finding.since = known.finding.since.min(found.since).or(known.finding.since);
        return;
    }
    findings.push(DoctorFinding {
        check: check.to_owned(),
        severity: found.severity,
        finding: Finding {
            since: found.since,
            hint: Some(command),
            ..finding_with_hint(found.code, found.object, message)
        },
    });
}

impl DoctorFinding {
    /// Returns the one-line description of its code.
    pub fn title(&self) -> &'static str {
        ucp_core::engine::parse_code(&self.finding.code).map_or("", |code: Code| code.info().title)
    }
}
