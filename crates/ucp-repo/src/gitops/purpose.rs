//! Purpose of files and directories in a repository: deployment, generated copies, samples and tests, or structure only.

/// Purpose of a file in the repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The file may be deployed.
    Deployed,
    /// The file is a sample, a test, or out of use, by the name of its directory.
    Sample,
    /// The file is the output of a program, which overwrites it: its versions are declared elsewhere.
    Generated,
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
    if is_action || directories.split('/').any(is_sample) {
        return Purpose::Sample;
    }
    const OUTPUTS: [&str; 4] = ["rendered", "generated", "hydrated", "rendered-manifests"];
    let is_output = |part: &str| OUTPUTS.contains(&part.to_ascii_lowercase().trim_start_matches(['_', '.']));
    if directories.split('/').any(is_output) { Purpose::Generated } else { Purpose::Deployed }
}

/// Number of lines at the beginning of a file that may contain its header.
const HEADER: usize = 20;

/// Returns true if the comments at the beginning of a file say that it is generated and must not be edited. A header that
/// only names the generator is of a file that people continue to edit.
pub fn is_generated(text: &str) -> bool {
    let is_comment = |line: &&str| line.is_empty() || line.starts_with(['#', '/']) || *line == "---";
    let lines = text.lines().take(HEADER).map(str::trim).take_while(is_comment);
    let header = lines.collect::<Vec<_>>().join(" ").to_ascii_lowercase();
    let is_closed = ["do not edit", "don't edit", "do not modify", "do not change"];
    header.contains("generated") && is_closed.iter().any(|words| header.contains(words))
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

/// File names that describe the format of their content, and not its subject.
const PLAIN_FILES: [&str; 38] = [
    "env",
    "kustomization",
    "values",
    "chart",
    "requirements",
    "helmrelease",
    "hr",
    "release",
    "deployment",
    "deploy",
    "statefulset",
    "daemonset",
    "workload",
    "workloads",
    "app",
    "application",
    "applicationset",
    "appset",
    "ks",
    "kustomize",
    "ocirepository",
    "ocirepo",
    "helmrepository",
    "helmrepo",
    "gitrepository",
    "repository",
    "source",
    "config",
    "configmap",
    "images",
    "image",
    "versions",
    "version",
    "patch",
    "patches",
    "install",
    "manifest",
    "all",
];

/// Returns true for the stem of a file that describes the format of its content, and not its subject.
pub fn is_plain_file(stem: &str) -> bool {
    let letters = stem.chars().filter(|character| character.is_alphanumeric());
    PLAIN_FILES.contains(&letters.flat_map(char::to_lowercase).collect::<String>().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_recognized_by_their_directories() {
        for sample in [
            "examples/a.yaml",
            "apps/api/tests/x/a.yaml",
            "a/test_data/b/c.yaml",
            "deprecated-k8s/a/b.yaml",
            "actions/setup/action.yaml",
        ] {
            assert_eq!(purpose(sample), Purpose::Sample, "{sample}");
        }
        for generated in ["rendered/prod/a.yaml", "apps/_generated/a.yaml", "a/Rendered-Manifests/b/c.yaml"] {
            assert_eq!(purpose(generated), Purpose::Generated, "{generated}");
        }
        for deployed in ["envs/test/a.yaml", "apps/example.yaml", "examples.yaml"] {
            assert_eq!(purpose(deployed), Purpose::Deployed, "{deployed}");
        }
    }

    #[test]
    fn generated_files_are_recognized_by_their_headers() {
        for header in [
            "---\n# This manifest was generated by flux. DO NOT EDIT.\n# Flux Version: v2.3.0\n",
            "# This is an auto-generated file.\n\n# Do not modify it.\n",
            "// Code generated by tool. DO NOT EDIT.\n",
        ] {
            assert!(is_generated(&format!("{header}kind: Deployment\n")), "{header}");
        }
        for header in [
            "# Generated by a template; adapt it.\n",
            "# Updated by the pipeline, do not edit.\n",
            "kind: Deployment\n# generated, do not edit\n",
        ] {
            assert!(!is_generated(&format!("{header}kind: Deployment\n")), "{header}");
        }
    }
}
