//! Small repositories for tests.

use crate::promote::facts::PlanningFacts;
use crate::promote::policy::{Downgrades, MutableTags, Policy};
use ucp_repo::gitops::catalog::Catalog;
use ucp_repo::gitops::discover::discover;
use ucp_repo::gitops::effective::builder::KustomizationBuilder;
use ucp_repo::gitops::repository::Repository;

/// Asks a question about a repository with these files.
pub(crate) fn with_facts<T>(files: &[(&str, &str)], question: impl FnOnce(&PlanningFacts<'_>) -> T) -> T {
    let directory = tempfile::tempdir().unwrap();
    for (file, text) in files {
        let path = directory.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let repository = Repository::read(directory.path(), "repository").unwrap();
    let discovery = discover(&repository);
    let catalog = Catalog::read(&repository, &discovery);
    let builder = KustomizationBuilder::new(&repository);
    let policy = Policy { downgrades: Downgrades::Refused, mutable_tags: MutableTags::Refused };
    let (repository, discovery, builder, catalog) = (&repository, &discovery, &builder, &catalog);
    question(&PlanningFacts { repository, discovery, builder, catalog, policy })
}
