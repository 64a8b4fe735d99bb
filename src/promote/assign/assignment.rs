//! Arguments that set a version.

use crate::promote::place_address::PlaceAddress;
use ucp_core::failure::{Failure, fail};
use ucp_core::model::image::ImageVersion;
use ucp_repo::gitops::catalog::query::PlaceSpread;
use ucp_repo::slot::artifact::ArtifactKind;

/// An argument `NAME=[IMAGE:]VERSION`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArtifactAssignment {
    /// The name of a service, of an artifact or its last path segment, or the policy of a marker.
    pub name: String,
    /// The image, if the service has several.
    pub image: Option<String>,
    /// The version as it is written to the file.
    pub version: String,
    /// The place that the user selected, if the name has several.
    pub place: Option<PlaceAddress>,
}

impl std::str::FromStr for ArtifactAssignment {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, version) = text
            .split_once('=')
            .filter(|(name, version)| !name.is_empty() && !version.is_empty())
            .ok_or_else(|| format!("{text:?} is not NAME=VERSION"))?;
        let (left, digest) = version.split_once('@').map_or((version, None), |(left, digest)| (left, Some(digest)));
        let colon = left.rfind(':').filter(|colon| !left[*colon..].contains('/'));
        // `sha256:…` is a digest, not an image, and a range such as `>=1.0.0 <2.0.0` is a version.
        // So is `app:0a1b…`, in which only the name tells an image with a commit from an algorithm with a digest.
        const ALGORITHMS: [&str; 4] = ["sha256", "sha384", "sha512", "blake3"];
        let algorithm = version.trim_start_matches('@').split(':').next().unwrap_or_default();
        let is_digest = ImageVersion::parse(version).tag.is_none() && ALGORITHMS.contains(&algorithm);
        let is_branch = |text: &str| !text.contains('.') && !text.contains(':');
        let (image, tag) = match colon.filter(|_| !is_digest) {
            Some(colon) => (Some(&left[..colon]), Some(&left[colon + 1..])),
            None if left.contains('/') && digest.is_some() => (Some(left), None),
            None if left.contains('/') && !is_branch(left) => (Some(left), None),
            None => (None, Some(left).filter(|tag| !tag.is_empty())),
        };
        if tag.is_none_or(str::is_empty) && digest.is_none() {
            return fail!("{text:?} contains no version");
        }
        if version.chars().any(char::is_control) || digest.is_some_and(str::is_empty) {
            return fail!("{text:?} contains no version");
        }
        let version = match (tag, digest) {
            (Some(tag), Some(digest)) => format!("{tag}@{digest}"),
            (Some(tag), None) => tag.to_owned(),
            (None, Some(digest)) => digest.to_owned(),
            (None, None) => String::new(),
        };
        Ok(Self { name: name.to_owned(), image: image.map(str::to_owned), version, place: None })
    }
}

/// The parameters of `set-version` and `set-image`.
#[derive(Debug, Clone)]
pub struct AssignmentRequest {
    /// The environment, if one was given.
    pub environment: Option<String>,
    /// The versions to set.
    pub assignments: Vec<ArtifactAssignment>,
    /// The kinds of artifacts that names may refer to; empty for all.
    pub kinds: Vec<ArtifactKind>,
    /// Whether a name may refer to several services in several directories.
    pub spread: PlaceSpread,
}
