//! `soak` of `.ucp.yaml`: a version is promoted only after the source environment has declared it for a time, by the
//! history of the branch.

use jiff::{SignedDuration, Timestamp};

use crate::promote::facts::PlanningFacts;
use crate::promote::request::PromotionRequest;
use crate::report::promotion::VersionUpdate;
use ucp_core::model::time::human_duration;
use ucp_repo::git::Git;
use ucp_repo::gitops::catalog::CatalogPlace;
use ucp_repo::gitops::declared_since::{DeclaredVersion, declared_since};

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
    let has_it = |place: &&CatalogPlace| {
        place.service == service
            && facts.catalog.is_in(place, from)
            && (place.slot.full_version() == *version || place.slot.version == *version)
    };
    let places: Vec<&CatalogPlace> = facts.catalog.places.iter().filter(has_it).collect();
    let named: Vec<&CatalogPlace> = places.iter().filter(|place| place.artifact() == change.image).copied().collect();
    let places = if named.is_empty() { places } else { named };
    if places.is_empty() {
        return Err(HeldVersion::unknown(format!(
            "no file in {from} declares {version} itself, so it is unknown for how long it has been there"
        )));
    }
    let git = Git::reading(&facts.repository.top);
    for place in places {
        let path = place.slot.path.to_string();
        let artifact = place.slot.artifact.as_deref();
        let declared = DeclaredVersion { file: &place.file, artifact, path: &path, version };
        let since = declared_since(&git, declared).map_err(|error| {
            HeldVersion::unknown(format!("the history of {} cannot be read: {}", place.file, error.message()))
        })?;
        let Some(since) = since else {
            return Err(HeldVersion::unknown(format!("{} with {version} is not committed in {from}", place.file)));
        };
        let ready = since.checked_add(wanted).ok();
        if ready.is_none_or(|ready| Timestamp::now() < ready) {
            let age = human_duration(Timestamp::now().as_second() - since.as_second());
            let wanted = human_duration(wanted.as_secs());
            let reason = format!("{version} has been in {from} for {age} of {wanted}");
            return Err(HeldVersion { reason, until: ready });
        }
    }
    Ok(())
}
