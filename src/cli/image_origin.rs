//! The commits that images were built from, as their registries report them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use ucp_core::model::image::fully_qualified_name;
use ucp_features::registry::origin::{ImageOrigin, fetch_origin};
use ucp_features::registry::{PackageReference, RegistryLogin};

use super::registry_login::registry_login;

/// Images whose commits are looked up.
pub(super) const MOST_IMAGES: usize = 20;

/// Reads the origins of images, and looks for the login of each registry once: that may start a program of the user.
#[derive(Default)]
pub(super) struct ImageOriginReader {
    logins: RefCell<HashMap<String, Option<Rc<RegistryLogin>>>>,
}

impl ImageOriginReader {
    /// Returns the origin of a version of an image; `None` if it names none, or its registry gets no request or cannot be read. A
    /// file of the repository names the registry: only those that the user has a login of docker for, and public ones, get requests.
    pub(super) async fn origin(&self, name: &str, version: &str) -> Option<ImageOrigin> {
        let reference = reference(name, version)?;
        let login = self.login(&reference);
        if login.is_none() && !reference.is_on_public_registry() {
            return None;
        }
        fetch_origin(&reference, login.as_deref()).await.ok().flatten()
    }

    fn login(&self, reference: &PackageReference) -> Option<Rc<RegistryLogin>> {
        let mut logins = self.logins.borrow_mut();
        let found =
            logins.entry(reference.login_name().to_owned()).or_insert_with(|| registry_login(reference).map(Rc::new));
        found.clone()
    }
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
