//! Names of kinds that other modules compare.

/// Name of the kind of labels and annotations.
pub const METADATA: &str = "metadata";

/// Name of the kind of releases in a helmfile.
pub const HELMFILE_RELEASE: &str = "chart";

/// Name of the kind of versions in `Chart.yaml`.
pub const CHART_FILE: &str = "Chart.yaml";
