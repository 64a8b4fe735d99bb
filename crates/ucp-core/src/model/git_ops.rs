//! The engines that deploy from Git, to this cluster and to registered ones.

use serde::{Serialize, Serializer};

/// An engine that deploys from Git.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, clap::ValueEnum, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum GitOps {
    /// Argo CD: cluster Secrets in its namespace
    #[value(name = "argocd")]
    ArgoCd,
    /// Flux: kubeconfigs that Kustomizations and HelmReleases refer to
    Flux,
}

impl GitOps {
    /// Returns the name used on the command line and in documents.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ArgoCd => "argocd",
            Self::Flux => "flux",
        }
    }

    /// Returns the display name.
    pub const fn title(self) -> &'static str {
        match self {
            Self::ArgoCd => "Argo CD",
            Self::Flux => "Flux",
        }
    }

    /// Serializes [`GitOps::title`], for the document `Plan`.
    ///
    /// # Errors
    /// Returns the errors of the serializer.
    pub fn serialize_title<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.title())
    }

    /// Returns the field manager of its controller.
    pub const fn field_manager(self) -> &'static str {
        match self {
            Self::ArgoCd => "argocd-controller",
            Self::Flux => "kustomize-controller",
        }
    }
}
