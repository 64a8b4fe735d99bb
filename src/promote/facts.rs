//! What a planner sees.

use crate::gitops::catalog::Catalog;
use crate::gitops::discover::Discovery;
use crate::gitops::effective::builder::Builder;
use crate::gitops::repository::Repository;
use crate::promote::policy::Policy;

/// What a planner sees.
#[derive(Debug)]
pub struct Facts<'a> {
    /// The files.
    pub repository: &'a Repository,
    /// Services and environments.
    pub discovery: &'a Discovery,
    /// Effective versions.
    pub builder: &'a Builder<'a>,
    /// Every place where a version stands.
    pub catalog: &'a Catalog,
    /// The rules.
    pub policy: Policy,
}
