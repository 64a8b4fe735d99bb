//! The input of planning.

use crate::gitops::catalog::Catalog;
use crate::gitops::discover::Discovery;
use crate::gitops::effective::builder::KustomizationBuilder;
use crate::gitops::repository::Repository;
use crate::promote::policy::Policy;

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
