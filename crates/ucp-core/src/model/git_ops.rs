//! The engines that deploy from Git, to this cluster and to registered ones.

use std::collections::BTreeSet;

use serde::{Serialize, Serializer};

use crate::model::variant_words::variant_words;

/// The default namespace of Argo CD.
pub const ARGO_CD_NAMESPACE: &str = "argocd";

/// Returns the namespace of Argo CD among those with AppProjects, which it reads in its own namespace alone: the default one,
/// or the only one. Returns `None` if there is none, or if it may be any of several.
pub fn argo_cd_namespace<'p>(projects: &BTreeSet<&'p str>) -> Option<&'p str> {
    match projects.first() {
        _ if projects.contains(ARGO_CD_NAMESPACE) => Some(ARGO_CD_NAMESPACE),
        Some(only) if projects.len() == 1 => Some(only),
        _ => None,
    }
}

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

variant_words!(GitOps { ArgoCd = "argocd", Flux = "flux" });

impl GitOps {
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
