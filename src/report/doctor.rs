//! The document `DoctorReport`: what will not work for long, and what mends it.

use std::cmp::Ordering;
use std::sync::Arc;

use jiff::Timestamp;
use serde::Serialize;

use super::Header;
use super::findings::told;
use super::sources::{Combine, Source, Sourced, Sources, ask_at, is_whole, mark, unmarked};
use crate::doctor::{Examined, Found, Release, Severity};
use crate::engine::code::Code;
use crate::model::finding::Finding;
use crate::model::secrecy::scrub;
use crate::model::state::{ClusterState, Origin, Unreadable};

/// The document `DoctorReport`.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DoctorReport {
    /// `apiVersion`, `kind` and `source`.
    #[serde(flatten)]
    pub header: Header,
    /// The moment that it speaks of.
    pub moment: Timestamp,
    /// The version of Crossplane that it was asked about.
    #[serde(rename = "for", skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Every check that was chosen.
    pub checks: Vec<Sourced<CheckResult>>,
    /// What they found, worst first.
    pub findings: Vec<Sourced<DoctorFinding>>,
    /// What could not be read.
    pub unreadable: Vec<Sourced<Unreadable>>,
    /// Whether there was nothing to check, in one of the sources.
    #[serde(skip)]
    has_nothing_to_check: bool,
}

/// What became of one check.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckResult {
    /// Its name.
    pub name: String,
    /// Its group.
    pub group: String,
    /// Codes of what it finds.
    pub codes: Vec<String>,
    /// How it ended.
    pub outcome: CheckOutcome,
    /// How much it found.
    pub found: usize,
    /// Why it may have overlooked something.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<String>,
}

/// How a check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum CheckOutcome {
    /// It found something.
    Found,
    /// Not all was read that it needs, and nothing was found in the rest.
    Unknown,
    /// It found nothing.
    Passed,
    /// There is nothing here that it looks at.
    NotApplicable,
}

/// A finding, and how bad it is for tomorrow.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DoctorFinding {
    /// The check that found it.
    pub check: String,
    /// How bad it is.
    pub severity: Severity,
    /// As `status` has it; its hint is the command that mends it.
    #[serde(flatten)]
    pub finding: Finding,
}

impl DoctorReport {
    /// Gathers what checks found, and leaves out what is less severe than asked for.
    pub fn of(state: &ClusterState, examined: Vec<Examined>, target: Option<Release>, least: Severity) -> Self {
        let mut findings = Vec::new();
        let mut checks = Vec::new();
        for one in examined {
            let found: Vec<Found> = one.found.into_iter().filter(|found| found.severity <= least).collect();
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
            found.into_iter().for_each(|found| add(&mut findings, one.check.name, found));
        }
        findings.sort_by(worst_first);
        Self {
            header: Header::new("DoctorReport", state.origin.clone()),
            moment: state.moment,
            target: target.map(|target| target.to_string()),
            checks: unmarked(checks),
            findings: unmarked(findings),
            unreadable: unmarked(state.unreadable.iter().cloned()),
            has_nothing_to_check: false,
        }
    }

    /// The same, with the reason why there was nothing to check, where that is so.
    #[must_use]
    pub fn with_nothing_to_check(mut self, reason: Option<Unreadable>) -> Self {
        self.has_nothing_to_check = reason.is_some();
        self.unreadable.extend(unmarked(reason));
        self
    }

    /// Whether anything is broken, or will be.
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == Severity::Error)
    }

    /// Whether a check may have overlooked something, or did not run where it was to.
    pub fn is_incomplete(&self) -> bool {
        self.has_nothing_to_check
            || self.checks.iter().any(|check| !check.unknown.is_empty())
            || self.unreadable.iter().any(|entry| is_whole(entry))
    }
}

fn worst_first(left: &DoctorFinding, right: &DoctorFinding) -> Ordering {
    (left.severity, &left.finding.code, &left.finding.object).cmp(&(
        right.severity,
        &right.finding.code,
        &right.finding.object,
    ))
}

impl Combine for DoctorReport {
    fn name_sources(&mut self, sources: Vec<Source>) {
        self.header.source = Sources::Several(sources);
    }

    fn moment(&self) -> Option<Timestamp> {
        Some(self.moment)
    }

    fn unreadable(&mut self) -> &mut Vec<Sourced<Unreadable>> {
        &mut self.unreadable
    }

    fn mark(&mut self, source: &Arc<Origin>) {
        mark(&mut self.checks, source);
        mark(&mut self.findings, source);
        self.findings.iter_mut().for_each(|one| ask_at(&mut one.finding, source));
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

/// Adds a finding, or the object to the one that says the same of an object of the same kind.
fn add(findings: &mut Vec<DoctorFinding>, check: &str, found: Found) {
    let code = found.code.info();
    let message = scrub(&found.evidence).into_owned();
    let mend = found.mend;
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
        finding: Finding { since: found.since, hint: Some(mend), ..told(found.code, found.object, message) },
    });
}

impl DoctorFinding {
    /// What its code means, in one line.
    pub fn title(&self) -> &'static str {
        crate::engine::parse_code(&self.finding.code).map_or("", |code: Code| code.info().title)
    }
}
