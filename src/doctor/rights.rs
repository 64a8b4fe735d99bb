//! Compares the rights of the credentials in use with the roles that the commands require.

use super::{Answer, Check, Facts, Found, Reads, Severity};
use crate::engine::code::Code;
use crate::model::object::ObjectName;

pub(super) const CHECKS: &[Check] =
    &[Check { name: "own-rights", codes: &[Code::RightsMissing], reads: &[Reads::Rights], run: lacking }];

/// The rights that a live cluster reports.
#[derive(Debug, Clone, Default)]
pub struct Rights {
    /// Missing rights by command.
    pub lacks: Vec<Lack>,
    /// The reason why some rights are unknown.
    pub unknown: Option<String>,
}

/// The missing rights of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lack {
    /// The command.
    pub command: String,
    /// A role that grants them.
    pub role: String,
    /// The missing rights, such as `list secrets`.
    pub rights: Vec<String>,
}

fn lacking(facts: &Facts<'_>) -> Answer {
    let Some(rights) = &facts.rights else { return Answer::default() };
    let found = rights.lacks.iter().map(|lack| {
        let object = ObjectName {
            api_version: "rbac.authorization.k8s.io/v1".to_owned(),
            kind: "ClusterRole".to_owned(),
            namespace: None,
            name: lack.role.clone(),
        };
        let evidence = format!("'kubectl ucp {}' lacks: {}", lack.command, lack.rights.join(", "));
        Found::new(Code::RightsMissing, Severity::Info, object, evidence)
            .mended_by(format!("kubectl ucp {} --print-rbac", lack.command))
    });
    Answer { found: found.collect(), unknown: rights.unknown.iter().cloned().collect() }
}
