//! The engines that clusters are registered with.

use serde::Serialize;

/// An engine that deploys to registered clusters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// Argo CD: cluster Secrets in its namespace
    #[value(name = "argocd")]
    ArgoCd,
    /// Flux: kubeconfigs that Kustomizations and HelmReleases refer to
    Flux,
}

impl Engine {
    /// The word for it on the command line and in documents.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ArgoCd => "argocd",
            Self::Flux => "flux",
        }
    }

    /// What people call it.
    pub const fn title(self) -> &'static str {
        match self {
            Self::ArgoCd => "Argo CD",
            Self::Flux => "Flux",
        }
    }
}
