//! Checks and their findings.

use clap::ValueEnum;
use jiff::Timestamp;
use serde::Serialize;

use super::facts::DoctorFacts;
use ucp_core::engine::code::Code;
use ucp_core::engine::crossplane::CrossplaneRole;
use ucp_core::model::object::ObjectName;
use ucp_core::model::variant_words::variant_words;

/// A group of related checks.
pub struct CheckGroup {
    /// Name of the group for `--only` and `--skip`.
    pub name: &'static str,
    /// The checks of the group.
    pub checks: &'static [DoctorCheck],
}

/// How bad it is, worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, ValueEnum, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FindingSeverity {
    /// It is broken, or will be at a moment that is known.
    Error,
    /// It will be, sooner or later.
    Warning,
    /// Good to know.
    Info,
}

variant_words!(FindingSeverity { Error = "error", Warning = "warning", Info = "info" });

/// A check.
pub struct DoctorCheck {
    /// Name of the check for `--only` and `--skip`.
    pub name: &'static str,
    /// Codes of its findings.
    pub codes: &'static [Code],
    /// The reads that it requires.
    pub reads: &'static [RequiredData],
    /// Runs the check.
    pub run: fn(&DoctorFacts<'_>) -> CheckFindings,
}

/// The data that a check requires.
#[derive(Debug, Clone, Copy)]
pub enum RequiredData {
    /// A kind that every cluster has: if it was not read, the result is unknown.
    Always(&'static str, &'static str),
    /// A kind that is read if the cluster has it.
    IfThere(&'static str, &'static str),
    /// The kinds of the new definitions.
    NewDefinitions,
    /// Kinds of Crossplane with one of these roles, if the new definitions come from a package.
    PackageRoles(&'static [CrossplaneRole]),
    /// Kinds of Crossplane with one of these roles.
    Roles(&'static [CrossplaneRole]),
    /// All kinds that an engine reads.
    Engines,
    /// The rights of the credentials in use, which only a live cluster reports.
    Rights,
    /// The version of the API server.
    ServerVersion,
}

/// The result of a check.
#[derive(Debug, Default)]
pub struct CheckFindings {
    /// Its findings.
    pub found: Vec<CheckFinding>,
    /// Reasons why it may have missed findings, in addition to unreadable data.
    pub unknown: Vec<String>,
}

impl FromIterator<CheckFinding> for CheckFindings {
    fn from_iter<I: IntoIterator<Item = CheckFinding>>(found: I) -> Self {
        Self { found: found.into_iter().collect(), unknown: Vec::new() }
    }
}

/// A finding of a check.
#[derive(Debug, Clone)]
pub struct CheckFinding {
    /// Code of the finding.
    pub code: Code,
    /// Severity in this cluster.
    pub severity: FindingSeverity,
    /// The object to repair.
    pub object: ObjectName,
    /// Start of the problem.
    pub since: Option<Timestamp>,
    /// The fields and values that prove it.
    pub evidence: String,
    /// The command that repairs it, or that shows the next step.
    pub command: String,
}

impl CheckFinding {
    pub(super) fn new(code: Code, severity: FindingSeverity, object: ObjectName, evidence: impl Into<String>) -> Self {
        let command = code.command_for(&object);
        Self { code, severity, object, since: None, evidence: evidence.into(), command }
    }

    /// Replaces the command of the code by a more specific one.
    pub(super) fn with_command(self, command: impl Into<String>) -> Self {
        Self { command: command.into(), ..self }
    }

    pub(super) fn since(self, since: Option<Timestamp>) -> Self {
        Self { since, ..self }
    }
}
