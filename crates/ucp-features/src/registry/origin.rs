//! The repository and the commit that an image was built from, as its annotations or labels say. Source: the annotation keys of
//! `opencontainers/image-spec` 1.1; docker's labels are in the configuration of the image.

use serde_json::Value;

use super::credentials::RegistryLogin;
use super::reference::PackageReference;
use super::{RegistrySession, is_digest, platform_digest};
use ucp_core::failure::Failure;

const SOURCE: &str = "org.opencontainers.image.source";
const REVISION: &str = "org.opencontainers.image.revision";
/// Size limit of a manifest and of a configuration.
const LARGEST: usize = 4 << 20;

/// The repository and the commit that an image was built from: text of its author.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageOrigin {
    /// The URL of the repository.
    pub source: String,
    /// The commit.
    pub revision: String,
}

/// Returns the origin of an image; `None` if it does not name one.
///
/// # Errors
/// Fails when the registry does not respond, or denies access.
pub async fn fetch_origin(
    reference: &PackageReference,
    login: Option<&RegistryLogin>,
) -> Result<Option<ImageOrigin>, Failure> {
    let mut session = RegistrySession::open(reference, login, LARGEST)?;
    let mut manifest = session.manifest(&reference.version).await?;
    if let Some(origin) = origin_in(&manifest["annotations"]) {
        return Ok(Some(origin));
    }
    if let Some(digest) = platform_digest(&manifest) {
        manifest = session.manifest(&digest).await?;
        if let Some(origin) = origin_in(&manifest["annotations"]) {
            return Ok(Some(origin));
        }
    }
    let Some(digest) = manifest["config"]["digest"].as_str().filter(|digest| is_digest(digest)) else {
        return Ok(None);
    };
    let configuration: Value = serde_json::from_slice(&session.blob(digest).await?).unwrap_or_default();
    Ok(origin_in(&configuration["config"]["Labels"]))
}

fn origin_in(labels: &Value) -> Option<ImageOrigin> {
    let text = |key: &str| labels[key].as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    Some(ImageOrigin { source: text(SOURCE)?, revision: text(REVISION)? })
}
