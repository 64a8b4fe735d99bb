//! Charts in local directories, in the form that `helm pull` writes them.

use std::path::{Path, PathBuf};

use crate::manifests::checkout::read_file;
use crate::manifests::remote_chart::{RemoteChart, is_exact};
use ucp_client::source::snapshot::yaml;

/// Returns a chart in directories. For a range of versions, it must be there in exactly one version.
pub(super) fn find_local(directories: &[PathBuf], chart: &RemoteChart) -> Option<PathBuf> {
    let RemoteChart { name, version, .. } = chart;
    match chart.is_exact() {
        true => directories.iter().find_map(|directory| pulled_chart(directory, name, version)),
        false => only_pulled_chart(directories, name),
    }
}

/// Returns a chart in a directory.
fn pulled_chart(directory: &Path, name: &str, version: &str) -> Option<PathBuf> {
    if name.contains(['/', '\\']) || version.contains(['/', '\\']) || ["", ".", ".."].contains(&name) {
        return None;
    }
    let plain = version.strip_prefix('v').unwrap_or(version);
    let archives = [version.to_owned(), plain.to_owned(), format!("v{plain}")];
    let archive = archives.iter().map(|version| directory.join(format!("{name}-{}.tgz", version.replace('+', "_"))));
    let unpacked = directory.join(name);
    let is_version = || chart_version(&unpacked).is_some_and(|found| found.trim_start_matches('v') == plain);
    let found = archive.into_iter().find(|file| file.is_file()).or_else(|| is_version().then_some(unpacked.clone()));
    found.and_then(|found| std::fs::canonicalize(found).ok())
}

/// Returns the chart of a name if it was pulled in exactly one version.
fn only_pulled_chart(directories: &[PathBuf], name: &str) -> Option<PathBuf> {
    let entries = directories.iter().filter_map(|directory| std::fs::read_dir(directory).ok()).flatten().flatten();
    let start = format!("{name}-");
    let mut found = entries.filter(|entry| {
        let file = entry.file_name().to_string_lossy().into_owned();
        let version = file.strip_prefix(&start).and_then(|rest| rest.strip_suffix(".tgz"));
        version.is_some_and(is_exact)
    });
    match (found.next(), found.next()) {
        (Some(only), None) => std::fs::canonicalize(only.path()).ok(),
        _ => None,
    }
}

/// Returns the version in a chart's `Chart.yaml`; `None` if there is none.
pub(super) fn chart_version(chart: &Path) -> Option<String> {
    let text = read_file(&chart.join("Chart.yaml")).ok()?;
    let fields = yaml::parse_document("Chart.yaml", &text).ok()?;
    fields.get("version")?.as_str().map(str::to_owned)
}
