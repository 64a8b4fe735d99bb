//! Compares the rights of the credentials in use with the roles that the commands require.

use super::check::{CheckFinding, CheckFindings, DoctorCheck, FindingSeverity, RequiredData};
use super::facts::DoctorFacts;
use ucp_core::engine::code::Code;
use ucp_core::model::object::ObjectName;

pub(super) const CHECKS: &[DoctorCheck] = &[DoctorCheck {
    name: "own-rights",
    codes: &[Code::RightsMissing],
    reads: &[RequiredData::Rights],
    run: missing_rights,
}];

fn missing_rights(facts: &DoctorFacts<'_>) -> CheckFindings {
    let Some(rights) = &facts.rights else { return CheckFindings::default() };
    let found = rights.missing.iter().map(|missing| {
        let object = ObjectName {
            api_version: "rbac.authorization.k8s.io/v1".to_owned(),
            kind: "ClusterRole".to_owned(),
            namespace: None,
            name: missing.role.clone(),
        };
        let evidence =
            format!("rights that 'kubectl ucp {}' needs are missing: {}", missing.command, missing.rights.join(", "));
        CheckFinding::new(Code::RightsMissing, FindingSeverity::Info, object, evidence)
            .with_command(format!("kubectl ucp {} --print-rbac", missing.command))
    });
    CheckFindings { found: found.collect(), unknown: rights.unknown.iter().cloned().collect() }
}
