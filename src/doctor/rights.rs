//! What the credentials that were used may do, against the roles that the commands need.

use super::{Answer, Check, Facts, Found, Reads, Severity};
use crate::engine::code::Code;
use crate::model::object::ObjectName;

pub(super) const CHECKS: &[Check] =
    &[Check { name: "own-rights", codes: &[Code::RightsMissing], reads: &[Reads::Rights], run: lacking }];

/// What a live cluster says of somebody's rights.
#[derive(Debug, Clone, Default)]
pub struct Rights {
    /// What commands lack.
    pub lacks: Vec<Lack>,
    /// Why not all is known.
    pub unknown: Option<String>,
}

/// Rights that a command lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lack {
    /// The command.
    pub command: String,
    /// The role that would do.
    pub role: String,
    /// What may not be done: `list secrets`.
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
