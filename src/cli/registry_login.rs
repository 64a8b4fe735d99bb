//! The user's login for a registry, from docker's configuration.

use std::path::PathBuf;

use ucp_features::registry::{PackageReference, RegistryLogin};

/// Returns the login for the registry of an image: of `DOCKER_CONFIG`, or of the home directory.
pub(super) fn registry_login(reference: &PackageReference) -> Option<RegistryLogin> {
    let home = || std::env::home_dir().map(|home| home.join(".docker"));
    let directory = std::env::var_os("DOCKER_CONFIG").map(PathBuf::from).or_else(home)?;
    RegistryLogin::find(reference, &directory)
}
