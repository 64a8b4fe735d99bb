//! Purpose of files and directories in a repository: deployment, samples and tests, or structure only.

/// Purpose of a file in the repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The file may be deployed.
    Deployed,
    /// The file is a sample, a test, or out of use, by the name of its directory.
    Sample,
}

/// Names of directories whose files are kept, but out of use.
const OUT_OF_USE: [&str; 10] =
    ["deprecated", "archive", "archived", "legacy", "obsolete", "retired", "attic", "graveyard", "disabled", "unused"];

/// Returns the purpose of a path, by the names of its directories.
pub fn purpose(path: &str) -> Purpose {
    const SAMPLES: [&str; 12] = [
        "example",
        "examples",
        "sample",
        "samples",
        "tests",
        "testdata",
        "test_data",
        "test-data",
        "fixtures",
        "e2e",
        "docs",
        "doc",
    ];
    let (directories, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_sample = |part: &str| {
        let part = part.to_ascii_lowercase();
        let plain = part.trim_start_matches(['_', '.']);
        SAMPLES.contains(&part.as_str()) || OUT_OF_USE.contains(&plain) || plain.starts_with("deprecated-")
    };
    // The metadata of an action of GitHub: its defaults are for workflows.
    let is_action = !directories.is_empty() && matches!(name, "action.yml" | "action.yaml");
    match is_action || directories.split('/').any(is_sample) {
        true => Purpose::Sample,
        false => Purpose::Deployed,
    }
}

/// Directory names that describe structure, and not content.
const PLAIN_DIRECTORIES: [&str; 36] = [
    "apps",
    "app",
    "applications",
    "application",
    "argocd-apps",
    "base",
    "bases",
    "overlays",
    "overlay",
    "envs",
    "env",
    "environments",
    "environment",
    "clusters",
    "cluster",
    "charts",
    "chart",
    "helm",
    "helm-charts",
    "kustomize",
    "k8s",
    "kubernetes",
    "deploy",
    "deployment",
    "deployments",
    "manifests",
    "kubernetes-manifests",
    "gitops",
    "services",
    "variants",
    "templates",
    "resources",
    "components",
    "config",
    "infrastructure",
    "values",
];

/// Returns true if a directory name describes structure, and not content.
pub fn is_plain_directory(name: &str) -> bool {
    PLAIN_DIRECTORIES.contains(&name.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_known_by_their_directories() {
        for sample in [
            "examples/a.yaml",
            "apps/api/tests/x/a.yaml",
            "a/test_data/b/c.yaml",
            "deprecated-k8s/a/b.yaml",
            "actions/setup/action.yaml",
        ] {
            assert_eq!(purpose(sample), Purpose::Sample, "{sample}");
        }
        for deployed in ["envs/test/a.yaml", "apps/example.yaml", "examples.yaml"] {
            assert_eq!(purpose(deployed), Purpose::Deployed, "{deployed}");
        }
    }
}
