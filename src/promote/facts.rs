//! The input of planning.

use crate::promote::policy::Policy;
use ucp_repo::gitops::catalog::Catalog;
use ucp_repo::gitops::discover::Discovery;
use ucp_repo::gitops::effective::builder::KustomizationBuilder;
use ucp_repo::gitops::repository::Repository;

/// The input of planning.
#[derive(Debug)]
pub struct PlanningFacts<'a> {
    /// The repository with its files.
    pub repository: &'a Repository,
    /// Services and environments.
    pub discovery: &'a Discovery,
    /// The builder that determines effective versions.
    pub builder: &'a KustomizationBuilder<'a>,
    /// All places with a version.
    pub catalog: &'a Catalog,
    /// The rules for changes.
    pub policy: Policy,
}
