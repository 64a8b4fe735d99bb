//! The registries and repositories of two versions: a version moves only within them.

use crate::promote::request::PromotionRequest;
use ucp_core::model::image::fully_qualified_name;
use ucp_repo::gitops::catalog::CatalogPlace;
use ucp_repo::gitops::catalog::naming::without_environment;
use ucp_repo::slot::artifact::ArtifactKind;

/// Returns the repositories of two places if they are different, apart from the names of the environments: a version of one
/// may not exist in the other, or be another artifact.
pub(super) fn other_repository(
    from: &CatalogPlace,
    to: &CatalogPlace,
    request: &PromotionRequest,
) -> Option<(String, String)> {
    // A rule says which values are copied, such as those of entries with patterns.
    if from.is_named_by_rule() || to.is_named_by_rule() {
        return None;
    }
    match (&from.slot.artifact, &to.slot.artifact, to.slot.what) {
        (Some(left), Some(right), ArtifactKind::Image) => {
            are_different(left, right, request).then(|| (left.clone(), right.clone()))
        }
        (.., ArtifactKind::Git) => None,
        _ => other_origin(from, to, request),
    }
}

/// Returns the first registry or repository beside the versions that is different, or that only one place has although it is
/// of its environment.
fn other_origin(from: &CatalogPlace, to: &CatalogPlace, request: &PromotionRequest) -> Option<(String, String)> {
    let at = |place: &CatalogPlace, key: &str| {
        place.slot.origins.iter().find(|(name, _)| *name == key).map(|(_, text)| text.clone())
    };
    let is_of = |text: &str, environment: &str| plain(text, environment) != plain(text, "");
    let absent = || "not given".to_owned();
    let keys = from.slot.origins.iter().chain(&to.slot.origins).map(|(key, _)| *key);
    keys.into_iter().find_map(|key| match (at(from, key), at(to, key)) {
        (Some(left), Some(right)) => are_different(&left, &right, request).then_some((left, right)),
        (Some(left), None) => is_of(&left, &request.from).then(|| (left, absent())),
        (None, Some(right)) => is_of(&right, &request.to).then(|| (absent(), right)),
        (None, None) => None,
    })
}

/// Returns true if two names differ in more than the names of the environments.
fn are_different(from: &str, to: &str, request: &PromotionRequest) -> bool {
    plain(from, &request.from) != plain(to, &request.to)
}

/// Returns the parts of a name without that of an environment.
fn plain(name: &str, environment: &str) -> Vec<String> {
    let name = fully_qualified_name(name);
    let part = |part| without_environment(part, environment);
    name.split('/').filter(|part| *part != environment).map(part).collect()
}
