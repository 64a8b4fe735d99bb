//! Charts that are not in the checkout: where they were pulled before, or pulled now.

use std::path::PathBuf;

use crate::manifests::chart_puller::ChartPuller;
use crate::manifests::local_charts::find_local;
use crate::manifests::reach::RenderError;
use crate::manifests::references;
use crate::manifests::remote_chart::RemoteChart;
use ucp_core::model::git_ops::GitOps;

/// The places in which charts are found.
#[derive(Clone, Copy)]
pub struct ChartLibrary<'a> {
    /// Directories with charts that were pulled.
    pub directories: &'a [PathBuf],
    /// Pulls other charts, if renderers may request other servers.
    pub puller: Option<&'a ChartPuller>,
}

/// A chart, as a directory or an archive.
pub(super) struct FoundChart {
    pub(super) path: PathBuf,
    /// A remark on its version, if an engine may find another one.
    pub(super) remark: Option<String>,
}

impl FoundChart {
    /// Returns the name of its file, which has the version.
    pub(super) fn file(&self) -> Option<String> {
        self.path.file_name().map(|file| file.to_string_lossy().into_owned())
    }
}

impl ChartLibrary<'_> {
    /// Returns a chart that an engine deploys.
    pub(super) async fn find(&self, chart: &RemoteChart, engine: GitOps) -> Result<FoundChart, RenderError> {
        let path = match (find_local(self.directories, chart), self.puller) {
            (Some(path), _) => path,
            (None, Some(puller)) => puller.pull(&chart.address, &chart.version).await?,
            (None, None) => {
                let (name, version) = (&chart.name, &chart.version);
                let advice = chart.advice();
                return Err(RenderError::Unsupported(format!(
                    "its chart {name} {version} is not in the checkout; {advice}"
                )));
            }
        };
        // helm follows links.
        if let Some(directory) = path.parent().filter(|_| path.is_dir()) {
            references::check_links(directory, &path)?;
        }
        let mut found = FoundChart { path, remark: None };
        found.remark = found.file().filter(|_| !chart.is_exact()).map(|file| {
            let (version, engine) = (&chart.version, engine.title());
            format!(
                "its chart has the versions {version:?}; {file} is used, and a newer one may exist when {engine} looks"
            )
        });
        Ok(found)
    }
}
