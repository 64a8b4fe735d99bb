//! The parameters of a promotion.

use std::collections::BTreeSet;

use ucp_core::model::image::ImageReference;
use ucp_repo::slot::artifact::{ArtifactKind, compared_name, short_name};

/// The parameters of a promotion.
#[derive(Debug, Clone)]
pub struct PromotionRequest {
    /// The environment that versions are copied from.
    pub from: String,
    /// The environment that versions are copied to.
    pub to: String,
    /// The services to promote.
    pub services: ServiceSelection,
    /// Only artifacts with one of these names or last path segments; empty for all.
    pub only: Vec<String>,
}

/// A selection of services.
#[derive(Debug, Clone)]
pub enum ServiceSelection {
    /// All services that both environments have.
    All,
    /// These services; it is an error if one of them cannot be promoted.
    Named(BTreeSet<String>),
}

impl PromotionRequest {
    /// Returns true if an artifact is selected.
    pub(crate) fn selects(&self, artifact: &str) -> bool {
        let wanted = |only: &String| {
            let is_same = |kind| compared_name(only, kind) == compared_name(artifact, kind);
            // An entry of a kustomization may contain the tag that it replaces: `api:latest`.
            let is_entry = || !artifact.contains(':') && ImageReference::split(only).name == artifact;
            // What has no name is called by its path.
            let is_key = || !artifact.contains(['/', ' ']) && artifact.rsplit('.').next() == Some(only);
            let is_short = only == short_name(artifact) || is_key();
            is_same(ArtifactKind::Git) || is_same(ArtifactKind::Image) || is_short || is_entry()
        };
        self.only.is_empty() || self.only.iter().any(wanted)
    }

    /// Returns true if an artifact is selected by its name.
    pub(crate) fn selects_by_name(&self, artifact: &str) -> bool {
        !self.only.is_empty() && self.selects(artifact)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn artifacts_are_selected_by_their_names_and_entries() {
        let only = |name: &str| PromotionRequest {
            from: "stage".to_owned(),
            to: "prod".to_owned(),
            services: ServiceSelection::All,
            only: vec![name.to_owned()],
        };
        for (name, artifact) in [
            ("api", "r.example.org/api"),
            ("api:latest", "api"),
            ("docker.io/a/b", "a/b"),
            ("API_TAG", "spec.substitute.API_TAG"),
        ] {
            assert!(only(name).selects(artifact), "{name}");
        }
        for (name, artifact) in [("api", "r.example.org/web"), ("api:latest", "r.example.org/other/api:v1")] {
            assert!(!only(name).selects(artifact), "{name}");
        }
    }
}
