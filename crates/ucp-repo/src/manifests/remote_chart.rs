//! Charts of Helm and OCI repositories: their name, version, and address.

use ucp_core::model::body::argocd::{ApplicationSource, ApplicationSpec};
use ucp_core::model::shell::quote_word;

/// A chart of a Helm or OCI repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteChart {
    /// Name of the chart.
    pub name: String,
    /// Its version, or a range of versions.
    pub version: String,
    /// Where `helm pull` finds it.
    pub address: ChartAddress,
}

/// The address of a chart outside of the checkout.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChartAddress {
    /// Its name, or its `oci://` URL.
    pub reference: String,
    /// The URL of its Helm repository; `None` for OCI.
    pub repository: Option<String>,
}

impl ChartAddress {
    /// Returns the arguments of `helm pull` for it, quoted for a shell.
    pub fn shell_arguments(&self) -> String {
        let reference = quote_word(&self.reference);
        match &self.repository {
            Some(url) => format!("{reference} --repo {}", quote_word(url)),
            None => reference.into_owned(),
        }
    }
}

impl RemoteChart {
    /// Returns the chart that a source of an Application names; `None` if it is of another kind. As Argo CD, this takes a
    /// repository without a scheme for an OCI registry, and the whole `oci://` URL for the chart.
    pub fn from_source(source: &ApplicationSource) -> Option<Self> {
        let version = source.target_revision.as_deref().filter(|version| !version.is_empty()).unwrap_or("*").to_owned();
        let url = source.repo_url.trim_end_matches('/');
        let oci = |url: String| ChartAddress { reference: url, repository: None };
        if url.starts_with("oci://") {
            let is_top = source.path.as_deref().is_none_or(|path| ["", "."].contains(&path.trim_matches('/')));
            let is_other = source.directory.is_some() || source.kustomize.is_some() || source.plugin.is_some();
            let name = url.rsplit('/').next().unwrap_or_default().to_owned();
            return (is_top && !is_other).then(|| Self { name, version, address: oci(url.to_owned()) });
        }
        let name = source.chart.clone().filter(|_| source.plugin.is_none())?;
        let address = match url.contains("://") {
            true => ChartAddress { reference: name.clone(), repository: Some(source.repo_url.clone()) },
            false => oci(format!("oci://{url}/{name}")),
        };
        Some(Self { name, version, address })
    }

    /// Returns true if the version is not a range.
    pub fn is_exact(&self) -> bool {
        is_exact(&self.version)
    }

    /// Returns the ways to render a chart that is not in the checkout.
    pub fn advice(&self) -> String {
        format!(
            "run 'helm pull {} --version {} --destination DIR', and pass --charts DIR, or pull it with --allow-remote-bases",
            self.address.shell_arguments(),
            quote_word(&self.version)
        )
    }
}

/// Returns how the charts of an Application can be rendered; empty if it has none.
pub fn chart_advice(spec: &ApplicationSpec) -> String {
    spec.all_sources().filter_map(RemoteChart::from_source).map(|chart| format!("; {}", chart.advice())).collect()
}

/// Returns true if a version is not a range.
pub(super) fn is_exact(version: &str) -> bool {
    let core = version.strip_prefix('v').unwrap_or(version);
    let numbers = core.split(['-', '+']).next().unwrap_or_default();
    numbers.split('.').count() == 3
        && numbers.split('.').all(|part| part.parse::<u64>().is_ok())
        && core.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-+".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn sources_name_charts_as_argo_cd_reads_them() {
        let address = |source: Value| {
            let source = serde_json::from_value(source).unwrap();
            RemoteChart::from_source(&source)
                .map(|chart| format!("{} {}", chart.address.shell_arguments(), chart.version))
        };
        for (source, expected) in [
            (
                json!({"repoURL": "https://charts.example.org", "chart": "web", "targetRevision": "1.0.0"}),
                Some("web --repo https://charts.example.org 1.0.0"),
            ),
            (json!({"repoURL": "ghcr.io/example", "chart": "web"}), Some("oci://ghcr.io/example/web *")),
            (
                json!({"repoURL": "oci://ghcr.io/example/web", "path": ".", "targetRevision": "1.0.0"}),
                Some("oci://ghcr.io/example/web 1.0.0"),
            ),
            (json!({"repoURL": "oci://ghcr.io/example/web", "path": "deploy"}), None),
            (json!({"repoURL": "https://git.example.org/web.git", "path": "deploy"}), None),
            (json!({"repoURL": "https://charts.example.org", "chart": "web", "plugin": {}}), None),
        ] {
            assert_eq!(address(source.clone()).as_deref(), expected, "{source}");
        }
    }
}
