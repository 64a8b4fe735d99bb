//! The views, in the order of their tabs.

/// A view of the core clusters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// Problems, worst first.
    Findings,
    /// Managed resources, composites and claims.
    Resources,
    /// The tree of one object.
    Tree,
    /// Applications, Kustomizations, HelmReleases and their like.
    Deployments,
    /// Versions of services in environments, from a repository.
    Versions,
    /// App clusters.
    AppClusters,
    /// Differences between declared, live and external state.
    Drift,
    /// What happened, newest first.
    History,
}

impl View {
    /// Every view, in the order of the tabs.
    pub const ALL: [Self; 8] = [
        Self::Findings,
        Self::Resources,
        Self::Tree,
        Self::Deployments,
        Self::Versions,
        Self::AppClusters,
        Self::Drift,
        Self::History,
    ];

    /// Returns the title of the tab.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Findings => "Findings",
            Self::Resources => "Resources",
            Self::Tree => "Tree",
            Self::Deployments => "Deployments",
            Self::Versions => "Versions",
            Self::AppClusters => "Clusters",
            Self::Drift => "Drift",
            Self::History => "History",
        }
    }

    /// Returns the title for a narrow screen: all of them fit 80 columns.
    pub(super) const fn short_title(self) -> &'static str {
        match self {
            Self::Deployments => "Deploys",
            _ => self.title(),
        }
    }

    pub(super) fn position(self) -> usize {
        Self::ALL.iter().position(|view| *view == self).unwrap_or_default()
    }
}
