//! Selects the deployments of a checkout, by repository, path and revision.

use std::path::PathBuf;

use crate::git::identity;
use crate::manifests::checkout::GitCheckout;
use crate::manifests::deployment::{Deployment, KnownSources, clean_path};
use crate::manifests::local_charts::find_local;
use crate::manifests::remote_chart::RemoteChart;

/// A selection of a checkout's deployments.
#[derive(Debug)]
pub struct DeploymentSelection {
    /// The URLs of the checkout, normalized.
    urls: Vec<String>,
    paths: Vec<String>,
    revision: Option<String>,
    charts: ChartSearch,
}

impl DeploymentSelection {
    /// Creates a selection. Sources are matched with the URLs of the checkout's remotes, or with the URL in the
    /// options.
    pub fn new(checkout: &GitCheckout, options: SelectionOptions) -> Self {
        let urls = match &options.url {
            Some(url) => vec![identity::normalize(url)],
            None => checkout.remotes.clone(),
        };
        Self { urls, paths: options.paths, revision: options.revision, charts: options.charts }
    }

    /// Returns true if a normalized URL is one of the checkout's.
    pub fn has_url(&self, url: &str) -> bool {
        self.urls.iter().any(|own| own == url)
    }

    /// Returns true if a path of the checkout is above, in or below a selected one. Globs count up to their first `*`.
    pub fn selects_path(&self, path: &str) -> bool {
        let is_below = |path: &str, top: &str| {
            top.is_empty() || path == top || path.strip_prefix(top).is_some_and(|rest| rest.starts_with('/'))
        };
        let path = path.split('*').next().unwrap_or_default().trim_end_matches('/');
        self.paths.is_empty() || self.paths.iter().any(|selected| is_below(path, selected) || is_below(selected, path))
    }

    /// Returns true if a deployment is selected.
    pub fn selects(&self, deployment: &Deployment) -> bool {
        let by_path = deployment.parts.iter().flat_map(|part| part.paths()).any(|path| self.selects_path(path));
        let by_revision =
            |wanted: &String| deployment.parts.iter().any(|part| part.revision == *wanted || part.revision.is_empty());
        by_path && self.revision.as_ref().is_none_or(by_revision)
    }
}

/// Options that narrow a selection.
#[derive(Debug, Clone, Default)]
pub struct SelectionOptions {
    /// Directories of the checkout; all if empty.
    pub paths: Vec<String>,
    /// The URL of the checkout, if its remotes do not have it.
    pub url: Option<String>,
    /// Only deployments that follow this branch or tag, or the default branch.
    pub revision: Option<String>,
    /// Where charts of other repositories are found.
    pub charts: ChartSearch,
}

/// Where charts of other repositories are found.
#[derive(Debug, Clone, Default)]
pub struct ChartSearch {
    /// Directories with charts that were pulled.
    pub directories: Vec<PathBuf>,
    /// True if other charts are pulled.
    pub pulls: bool,
}

impl KnownSources for DeploymentSelection {
    fn is_checkout(&self, url: &str, _path: &str) -> bool {
        self.urls.contains(&identity::normalize(url))
    }

    fn has_chart(&self, chart: &RemoteChart) -> bool {
        self.charts.pulls || find_local(&self.charts.directories, chart).is_some()
    }
}

/// Returns paths of the command line relative to the repository.
pub fn repository_paths(checkout: &GitCheckout, paths: &[std::path::PathBuf]) -> ucp_core::error::Result<Vec<String>> {
    let paths: Vec<String> = paths.iter().map(|path| checkout.relative(path)).collect::<Result<_, _>>()?;
    // The top includes all paths.
    Ok(if paths.iter().any(String::is_empty) {
        Vec::new()
    } else {
        paths.iter().map(|path| clean_path(path)).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifests::deployment::DeploymentDestination;
    use serde_json::{Value, json};
    use ucp_core::model::object::ObjectName;

    struct Everything;

    impl KnownSources for Everything {
        fn is_checkout(&self, url: &str, _: &str) -> bool {
            url == "here"
        }
    }

    fn deployment(spec: Value) -> Option<Deployment> {
        let object = ObjectName {
            api_version: "argoproj.io/v1alpha1".into(),
            kind: "Application".into(),
            namespace: Some("argocd".into()),
            name: "a".into(),
        };
        Deployment::of_application(object, &serde_json::from_value(spec).unwrap(), &Everything)
    }

    fn takes(options: SelectionOptions, deployment: &Deployment) -> bool {
        let selection = DeploymentSelection {
            urls: Vec::new(),
            paths: options.paths,
            revision: options.revision,
            charts: options.charts,
        };
        selection.selects(deployment)
    }

    #[test]
    fn applications_are_found_by_source_path_and_branch() {
        let found = deployment(json!({
            "sources": [
                {"repoURL": "here", "path": "./overlays/prod/", "targetRevision": "stage"},
                {"repoURL": "charts", "chart": "redis"},
                {"repoURL": "here", "ref": "values"},
            ],
            "destination": {"name": "prod", "namespace": "q"},
        }))
        .unwrap();
        assert_eq!((found.parts[0].path.as_str(), found.elsewhere.len()), ("overlays/prod", 1));
        assert_eq!(found.destination, DeploymentDestination::Named("prod".into()));
        let path = |path: &str| SelectionOptions { paths: vec![path.into()], ..SelectionOptions::default() };
        assert!(takes(path("overlays"), &found) && takes(path("overlays/prod/sub"), &found));
        assert!(!takes(path("overlays/pro"), &found) && !takes(path("bases"), &found));
        let follows = |revision: &str| SelectionOptions { revision: Some(revision.into()), ..Default::default() };
        assert!(takes(follows("stage"), &found) && !takes(follows("main"), &found));
        assert_eq!(deployment(json!({"source": {"repoURL": "there", "path": "x"}})), None);
    }

    #[test]
    fn inventories_are_read_as_flux_writes_them() {
        let key = ucp_core::model::object::inventory_key("apps_web_apps_Deployment").unwrap();
        assert_eq!((key.namespace.as_deref(), key.name.as_str(), key.group.as_str()), (Some("apps"), "web", "apps"));
        let key =
            ucp_core::model::object::inventory_key("_system__node_rbac.authorization.k8s.io_ClusterRole").unwrap();
        assert_eq!((key.namespace, key.name.as_str()), (None, "system:node"));
        assert_eq!(ucp_core::model::object::inventory_key("nonsense"), None);
    }
}
