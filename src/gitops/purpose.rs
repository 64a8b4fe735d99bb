//! What a file is in a repository for: to be deployed, or to show and test something.

/// What a file is in the repository for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// It may be deployed.
    Deployed,
    /// It shows or tests something, as its directory says.
    Sample,
}

/// What a path is for, by the names of its directories.
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
    let (directories, _) = path.rsplit_once('/').unwrap_or_default();
    match directories.split('/').any(|part| SAMPLES.contains(&part.to_ascii_lowercase().as_str())) {
        true => Purpose::Sample,
        false => Purpose::Deployed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_known_by_their_directories() {
        for sample in ["examples/a.yaml", "apps/api/tests/x/a.yaml", "a/test_data/b/c.yaml"] {
            assert_eq!(purpose(sample), Purpose::Sample, "{sample}");
        }
        for deployed in ["envs/test/a.yaml", "apps/example.yaml", "examples.yaml"] {
            assert_eq!(purpose(deployed), Purpose::Deployed, "{deployed}");
        }
    }
}
