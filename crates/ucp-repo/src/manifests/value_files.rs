//! Value files of Applications: in the chart, in its repository, or in another source.

use std::fs::File;
use std::path::{Path, PathBuf};

use crate::git::content::is_in_checkout;
use crate::manifests::chart_content::visit_files;
use crate::manifests::checkout::{CheckoutTree, check_file};
use crate::manifests::deployment::{Deployment, clean_path};
use crate::manifests::reach::RenderError;
use crate::manifests::value_patterns::{is_pattern, matching_files};
use ucp_core::failure::{Failure, fail};
use ucp_core::model::body::argocd::HelmOptions;

/// A chart, and where its files are.
#[derive(Clone, Copy)]
pub(super) enum ChartPlace<'a> {
    /// A directory of the checkout, which is the chart's repository.
    Checkout(&'a Path),
    /// A directory or archive that was pulled, with the name of the chart, and a private directory for its files.
    Pulled { chart: &'a Path, name: &'a str, home: &'a Path },
}

impl ChartPlace<'_> {
    /// Returns a file in the chart's own source: relative to the chart, or to the repository. `None` if it does not exist.
    fn own_file(self, tree: &CheckoutTree, file: &str) -> Result<Option<PathBuf>, Failure> {
        match self {
            Self::Checkout(_) if file.starts_with('/') => tree.find_inside(&tree.top, file),
            Self::Checkout(chart) => tree.find_inside(chart, file),
            Self::Pulled { chart, .. } if chart.is_dir() => match std::fs::canonicalize(chart.join(clean_path(file))) {
                Ok(found) if is_in_checkout(chart, &found) => Ok(Some(found)),
                Ok(_) => fail!("'{file}' points outside of the chart"),
                Err(_) => Ok(None),
            },
            Self::Pulled { chart, name, home } => file_of_archive(chart, name, home, file),
        }
    }
}

/// The files that Argo CD passes to helm for an Application.
#[derive(Debug, Default)]
pub(super) struct ApplicationFiles {
    /// Value files.
    pub(super) values: Vec<PathBuf>,
    /// Files of single values, with the names of these.
    pub(super) parameters: Vec<(String, PathBuf)>,
}

impl ApplicationFiles {
    /// Finds the files of an Application's chart.
    pub(super) fn find(
        tree: &CheckoutTree,
        place: ChartPlace<'_>,
        deployment: &Deployment,
        options: &HelmOptions,
    ) -> Result<Self, RenderError> {
        let mut files = Self::default();
        let own = |file: &String| chart_file(tree, place, deployment, file);
        // A file that is named has its own place, whatever patterns match it.
        let named = options.value_files.iter().filter(|file| !is_pattern(file));
        let named: Vec<PathBuf> = named.filter_map(|file| own(file).ok().flatten()).collect();
        for file in &options.value_files {
            let found = match is_pattern(file) {
                true => {
                    let mut matching = pattern_files(tree, place, deployment, file)?;
                    let is_missing = matching.is_empty();
                    matching.retain(|path| !named.contains(path));
                    Some(matching).filter(|_| !is_missing)
                }
                false => own(file)?.map(|path| vec![path]),
            };
            match found {
                // Argo CD passes each file once.
                Some(found) => {
                    for path in found {
                        if !files.values.contains(&path) {
                            check_readable(file, &path)?;
                            files.values.push(path);
                        }
                    }
                }
                None if options.ignore_missing_value_files => {}
                None => return Err(missing_file(tree, place, file)),
            }
        }
        for parameter in &options.file_parameters {
            let path = chart_file(tree, place, deployment, &parameter.path)?;
            let path = path.ok_or_else(|| missing_file(tree, place, &parameter.path))?;
            check_readable(&parameter.path, &path)?;
            files.parameters.push((parameter.name.clone(), path));
        }
        Ok(files)
    }
}

/// The source in which Argo CD looks for a file.
enum FileSource<'a> {
    /// That of the chart.
    Own,
    /// This checkout, with the path in it.
    Checkout(&'a str),
}

fn source_of_file<'a>(deployment: &Deployment, file: &'a str) -> Result<FileSource<'a>, RenderError> {
    if file.contains("://") {
        return Err(RenderError::Unsupported(format!("its value file {file} is on another server")));
    }
    let (name, path) = file.split_once('/').unwrap_or((file, ""));
    match name.strip_prefix('$').map(|name| (name, deployment.references.get(name))) {
        Some((_, Some(None))) => Ok(FileSource::Checkout(path)),
        Some((_, Some(Some(url)))) => {
            Err(RenderError::Unsupported(format!("its value file {file} is in another repository, {url}")))
        }
        Some((name, None)) => {
            Err(RenderError::Broken(format!("its file {file} is in source '{name}', which it does not have")))
        }
        None => Ok(FileSource::Own),
    }
}

/// Returns a file that Argo CD passes to helm; `None` if it does not exist.
fn chart_file(
    tree: &CheckoutTree,
    place: ChartPlace<'_>,
    deployment: &Deployment,
    file: &str,
) -> Result<Option<PathBuf>, RenderError> {
    match source_of_file(deployment, file)? {
        FileSource::Checkout(path) => Ok(tree.find_inside(&tree.top, path)?),
        FileSource::Own => Ok(place.own_file(tree, file)?),
    }
}

/// Returns the files that a pattern matches.
fn pattern_files(
    tree: &CheckoutTree,
    place: ChartPlace<'_>,
    deployment: &Deployment,
    pattern: &str,
) -> Result<Vec<PathBuf>, RenderError> {
    match (source_of_file(deployment, pattern)?, place) {
        (FileSource::Checkout(path), _) => matching_files(tree, &tree.top, path),
        (FileSource::Own, ChartPlace::Checkout(_)) if pattern.starts_with('/') => {
            matching_files(tree, &tree.top, pattern)
        }
        (FileSource::Own, ChartPlace::Checkout(chart)) => matching_files(tree, chart, pattern),
        (FileSource::Own, ChartPlace::Pulled { .. }) => {
            let reason = format!("its value file {pattern} is a pattern for files of a chart in another repository");
            Err(RenderError::Unsupported(reason))
        }
    }
}

fn missing_file(tree: &CheckoutTree, place: ChartPlace<'_>, file: &str) -> RenderError {
    RenderError::Broken(match place {
        _ if is_pattern(file) => format!("'{file}' matches no file in {}", tree.name()),
        ChartPlace::Pulled { .. } if !file.starts_with('$') => format!("'{file}' not found in the chart"),
        _ => format!("'{file}' not found in {}", tree.name()),
    })
}

fn check_readable(shown: &str, path: &Path) -> Result<(), RenderError> {
    check_file(path).map_err(|error| RenderError::Broken(format!("its file {shown}: {error}")))
}

/// Copies a file of a chart's archive into a private directory; `None` if it has none.
fn file_of_archive(chart: &Path, name: &str, home: &Path, file: &str) -> Result<Option<PathBuf>, Failure> {
    let wanted = clean_path(file);
    let target = home.join("chart").join(&wanted);
    if wanted.split('/').any(|part| part == "..") {
        return fail!("'{file}' points outside of the chart");
    }
    let mut is_found = false;
    let is_wanted = |found: &str| found.split_once('/').is_some_and(|(top, path)| top == name && path == wanted);
    visit_files(chart, &mut |found, content| {
        if is_found || !is_wanted(found) {
            return Ok(());
        }
        is_found = true;
        target.parent().map(std::fs::create_dir_all).transpose()?;
        std::io::copy(content, &mut File::create(&target)?).map(drop)
    })
    .map_err(|error| format!("its chart: {error}"))?;
    Ok(is_found.then_some(target))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifests::chart_content::tests::archive;

    #[test]
    fn a_file_of_an_archive_is_found_by_its_path_in_the_chart() {
        let directory = tempfile::tempdir().unwrap();
        let chart = directory.path().join("web-1.0.0.tgz");
        std::fs::write(&chart, archive("web/env/prod.yaml", b"a: b")).unwrap();
        let read = |name: &str, file: &str| file_of_archive(&chart, name, directory.path(), file);
        let found = read("web", "./env/prod.yaml").unwrap().unwrap();
        assert_eq!(std::fs::read(found).unwrap(), b"a: b");
        for missing in ["prod.yaml", "env/stage.yaml", "../web/env/prod.yaml", "web/env/prod.yaml"] {
            assert!(!matches!(read("web", missing), Ok(Some(_))), "{missing}");
        }
        assert_eq!(read("other", "env/prod.yaml"), Ok(None), "a chart in the chart");
    }
}
