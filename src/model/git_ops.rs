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

    /// Writes [`GitOps::title`], as the document `Plan` has it.
    ///
    /// # Errors
    /// What the serializer says.
    pub fn serialize_title<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.title())
    }

    /// The field manager that its controller writes with.
    pub const fn field_manager(self) -> &'static str {
        match self {
            Self::ArgoCd => "argocd-controller",
            Self::Flux => "kustomize-controller",
        }
    }
}
