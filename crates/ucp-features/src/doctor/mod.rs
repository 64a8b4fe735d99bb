//! Checks if a core cluster will keep working, and survive the next upgrade. Each group of checks has a file: a check
//! is a function and an entry in its file, a group is a file and a line in [`GROUPS`].

mod argocd;
mod check;
mod composed;
mod coverage;
mod credentials;
mod declared_objects;
mod definitions;
mod engine_findings;
mod facts;
mod git;
mod groups;
mod kubernetes;
mod minor_version;
mod outdated_compositions;
mod packages;
mod reported_rights;
mod request;
mod rights;
mod selection;
mod upgrade;
mod upkeep;
mod versions;
mod webhooks;

use std::collections::BTreeSet;

use coverage::coverage;

pub use check::{CheckFinding, CheckFindings, CheckGroup, DoctorCheck, FindingSeverity, RequiredData};
pub use facts::DoctorFacts;
pub use groups::{DEFINITIONS, GROUPS};
pub use minor_version::MinorVersion;
pub use outdated_compositions::composed_definitions;
pub use reported_rights::{MissingRights, ReportedRights};
pub use request::want;
pub use selection::{CheckPurpose, CheckSelection};

/// The result of a check with its coverage.
pub struct ExaminedCheck {
    /// Name of the group.
    pub group: &'static str,
    /// The check.
    pub check: &'static DoctorCheck,
    /// True if the cluster has anything to check.
    pub applies: bool,
    /// Findings of the check.
    pub found: Vec<CheckFinding>,
    /// Reasons why it may have missed findings.
    pub unknown: Vec<String>,
}

/// Runs the selected checks.
pub fn run_checks(facts: &DoctorFacts<'_>, selection: &CheckSelection) -> Vec<ExaminedCheck> {
    selection
        .selected()
        .map(|(group, check)| {
            let CheckFindings { found, unknown } = (check.run)(facts);
            let coverage = coverage(facts, check);
            let unknown = BTreeSet::from_iter(coverage.unknown.into_iter().chain(unknown));
            ExaminedCheck {
                group: group.name,
                check,
                applies: coverage.applies || !found.is_empty(),
                found,
                unknown: unknown.into_iter().collect(),
            }
        })
        .collect()
}
