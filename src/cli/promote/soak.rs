//! `soak` of `.ucp.yaml`: a version is promoted only after the source environment has declared it for a time, by the
//! history of the branch.

use jiff::{SignedDuration, Timestamp};

use crate::promote::declared::{UndatedVersion, VersionInEnvironment, declaring_commit};
use crate::promote::facts::PlanningFacts;
use crate::promote::request::PromotionRequest;
use crate::report::promotion::VersionUpdate;
use ucp_core::model::time::human_duration;

/// The reason why a version is held back.
pub(super) struct HeldVersion {
    pub(super) reason: String,
    /// The time from which on it is not, if it is known.
    pub(super) until: Option<Timestamp>,
}

impl HeldVersion {
    fn unknown(reason: String) -> Self {
        Self { reason, until: None }
    }
}

/// Checks that the source environment has declared a version for long enough.
pub(super) fn check(
    facts: &PlanningFacts<'_>,
    request: &PromotionRequest,
    change: &VersionUpdate,
) -> Result<(), HeldVersion> {
    let Some(wanted) = facts.repository.config.soak.before(&request.to) else { return Ok(()) };
    let wanted = SignedDuration::try_from(wanted).unwrap_or(SignedDuration::MAX);
    let (from, version) = (&request.from, &change.after);
    let service = change.service.as_deref().unwrap_or_default();
    let wanted_version = VersionInEnvironment { service, artifact: &change.image, environment: from, version };
    let commit = declaring_commit(facts, wanted_version).map_err(|undated| {
        HeldVersion::unknown(match undated {
            UndatedVersion::NoFile => {
                format!("no file in {from} declares {version} itself, so it is unknown for how long it has been there")
            }
            UndatedVersion::NotCommitted(file) => format!("{file} with {version} is not committed in {from}"),
            UndatedVersion::Unread(file, reason) => format!("the history of {file} cannot be read: {reason}"),
        })
    })?;
    let ready = commit.time.checked_add(wanted).ok();
    if ready.is_none_or(|ready| Timestamp::now() < ready) {
        let age = human_duration(Timestamp::now().as_second() - commit.time.as_second());
        let wanted = human_duration(wanted.as_secs());
        let reason = format!("{version} has been in {from} for {age} of {wanted}");
        return Err(HeldVersion { reason, until: ready });
    }
    Ok(())
}
