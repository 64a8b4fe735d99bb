//! Values from the Git repository of the working directory.

use std::path::Path;

use super::answer::CompletionCandidate;
use ucp_core::error::Result;
use ucp_repo::git::{Git, repository_name};
use ucp_repo::gitops::discover::{Discovery, discover};
use ucp_repo::gitops::repository::Repository;

/// Returns the environments in alphabetical order.
pub(super) fn environments(directory: Option<&str>) -> Result<Vec<CompletionCandidate>> {
    Ok(discover_repository(directory)?.environments.into_iter().map(CompletionCandidate::from).collect())
}

/// Returns the services.
pub(super) fn services(directory: Option<&str>) -> Result<Vec<CompletionCandidate>> {
    Ok(discover_repository(directory)?.services().into_iter().map(CompletionCandidate::from).collect())
}

fn discover_repository(directory: Option<&str>) -> Result<Discovery> {
    let directory = Path::new(directory.unwrap_or("."));
    let git = Git::reading(directory);
    let top = match git.top()? {
        Some(top) => top,
        None => std::fs::canonicalize(directory)?,
    };
    let name = repository_name(&git, &top)?;
    Ok(discover(&Repository::read(&top, &name)?))
}
