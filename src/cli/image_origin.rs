//! The commits that images were built from, as their registries report them.

use ucp_core::model::image::fully_qualified_name;
use ucp_features::registry::PackageReference;
use ucp_features::registry::origin::{ImageOrigin, fetch_origin};

use super::registry_login::registry_login;

/// Images whose commits are looked up.
pub(super) const MOST_IMAGES: usize = 20;

/// Returns the origin of a version of an image; `None` if it names none, or its registry gets no request or cannot be read. A file
/// of the repository names the registry: only those that the user has a login of docker for, and public ones, get requests.
pub(super) async fn image_origin(name: &str, version: &str) -> Option<ImageOrigin> {
    let reference = reference(name, version)?;
    let login = registry_login(&reference);
    if login.is_none() && !reference.is_on_public_registry() {
        return None;
    }
    fetch_origin(&reference, login.as_ref()).await.ok().flatten()
}

/// Returns the reference of a version of an image; `None` if there is none, or it names no registry.
fn reference(name: &str, version: &str) -> Option<PackageReference> {
    let separator = match version {
        "" => return None,
        version if version.starts_with("sha256:") => "@",
        _ => ":",
    };
    PackageReference::parse(&format!("{}{separator}{version}", fully_qualified_name(name))).ok()
}
