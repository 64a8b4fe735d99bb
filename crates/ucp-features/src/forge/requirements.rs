//! What a forge still requires before it merges a pull request.

/// The requirements that a pull request does not meet, with reasons.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnmetRequirements {
    /// The reason if approvals are missing, or changes are requested.
    pub approvals: Option<String>,
    /// The reason if checks, or other conditions of the forge, are not met.
    pub checks: Option<String>,
    /// The required checks that have failed: another commit or another run of them is needed.
    pub failed: Option<String>,
}

impl UnmetRequirements {
    /// Joins the reasons of each kind.
    pub(super) fn from_reasons(approvals: &[String], checks: &[String], failed: &[String]) -> Self {
        let joined = |reasons: &[String]| (!reasons.is_empty()).then(|| reasons.join(", "));
        Self { approvals: joined(approvals), checks: joined(checks), failed: joined(failed) }
    }
}

/// Returns the reason if there are fewer approvals than required.
pub(super) fn missing_approvals(given: u64, required: u64) -> Option<String> {
    (given < required).then(|| format!("{given} of {required} required approvals"))
}
