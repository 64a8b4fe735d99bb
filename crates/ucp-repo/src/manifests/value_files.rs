//! Value files of Applications: in the chart, in its repository, or in another source.

use std::fs::File;
use std::path::{Path, PathBuf};

use crate::git::content::is_in_checkout;
use crate::manifests::chart_content::visit_files;
use crate::manifests::checkout::{CheckoutTree, check_file};
use crate::manifests::deployment::{Deployment, clean_path};
use crate::manifests::reach::RenderError;
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
    /// Returns a file in the chart's own source: relative to the chart, or to the repository.
    fn own_file(self, tree: &CheckoutTree, file: &str) -> Result<PathBuf, Failure> {
        match self {
            Self::Checkout(_) if file.starts_with('/') => tree.resolve_inside(&tree.top, file),
            Self::Checkout(chart) => tree.resolve_inside(chart, file),
            Self::Pulled { chart, .. } if chart.is_dir() => {
                let found = std::fs::canonicalize(chart.join(clean_path(file))).ok();
                let found = found.ok_or_else(|| format!("'{file}' not found in the chart"))?;
                match is_in_checkout(chart, &found) {
                    true => Ok(found),
                    false => fail!("'{file}' points outside of the chart"),
                }
            }
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
        for file in &options.value_files {
            match chart_file(tree, place, deployment, file)? {
                // Argo CD passes each file once.
                Ok(path) if files.values.contains(&path) => {}
                Ok(path) => {
                    check_readable(file, &path)?;
                    files.values.push(path);
                }
                Err(_) if options.ignore_missing_value_files => {}
                Err(reason) => return Err(RenderError::Broken(reason.into())),
            }
        }
        for parameter in &options.file_parameters {
            let path = chart_file(tree, place, deployment, &parameter.path)??;
            check_readable(&parameter.path, &path)?;
            files.parameters.push((parameter.name.clone(), path));
        }
        Ok(files)
    }
}

/// Returns a file that Argo CD passes to helm; the reason if there is none.
fn chart_file(
    tree: &CheckoutTree,
    place: ChartPlace<'_>,
    deployment: &Deployment,
    file: &str,
) -> Result<Result<PathBuf, Failure>, RenderError> {
    if file.contains("://") {
        return Err(RenderError::Unsupported(format!("its value file {file} is on another server")));
    }
    if file.contains(['*', '?', '[']) {
        return Err(RenderError::Unsupported(format!("its value file {file} is a pattern")));
    }
    let (name, path) = file.split_once('/').unwrap_or((file, ""));
    match name.strip_prefix('$').map(|name| (name, deployment.references.get(name))) {
        Some((_, Some(None))) => Ok(tree.resolve_inside(&tree.top, path)),
        Some((_, Some(Some(url)))) => {
            Err(RenderError::Unsupported(format!("its value file {file} is in another repository, {url}")))
        }
        Some((name, None)) => {
            Err(RenderError::Broken(format!("its file {file} is in source '{name}', which it does not have")))
        }
        None => Ok(place.own_file(tree, file)),
    }
}

fn check_readable(shown: &str, path: &Path) -> Result<(), RenderError> {
    check_file(path).map_err(|error| RenderError::Broken(format!("its file {shown}: {error}")))
}

/// Copies a file of a chart's archive into a private directory.
fn file_of_archive(chart: &Path, name: &str, home: &Path, file: &str) -> Result<PathBuf, Failure> {
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
    match is_found {
        true => Ok(target),
        false => fail!("'{file}' not found in the chart"),
    }
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
        let found = read("web", "./env/prod.yaml").unwrap();
        assert_eq!(std::fs::read(found).unwrap(), b"a: b");
        for missing in ["prod.yaml", "env/stage.yaml", "../web/env/prod.yaml", "web/env/prod.yaml"] {
            assert!(read("web", missing).is_err(), "{missing}");
        }
        assert!(read("other", "env/prod.yaml").is_err(), "a chart in the chart");
    }
}
