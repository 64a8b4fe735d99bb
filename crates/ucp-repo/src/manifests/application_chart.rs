//! Renders Applications whose chart is in a Helm or OCI repository.

use std::path::Path;

use serde_json::{Value, json};

use crate::manifests::capabilities::ClusterCapabilities;
use crate::manifests::chart_library::ChartLibrary;
use crate::manifests::checkout::{CheckoutTree, read_file};
use crate::manifests::deployment::{Deployment, PulledChart};
use crate::manifests::reach::RenderError;
use crate::manifests::release_renderer::RenderRemarks;
use crate::manifests::renderer::{ManifestRenderer, private_directory};
use crate::manifests::renderer_output::without_private_paths;
use crate::manifests::value_files::{ApplicationFiles, ChartPlace};
use crate::manifests::value_patterns::{is_pattern, matching_files};
use ucp_core::model::secrecy::scrub;

/// Renders one chart of an Application. The remarks have what decides the result besides the deployment, also if the chart
/// is not found: whether a merge changes it is known in any case.
pub(super) async fn render_pulled(
    renderer: ManifestRenderer,
    tree: &CheckoutTree,
    (deployment, source): (&Deployment, &PulledChart),
    capabilities: Option<&ClusterCapabilities>,
    charts: ChartLibrary<'_>,
) -> (Result<Vec<Value>, RenderError>, RenderRemarks) {
    let own: Vec<Value> = source.files.iter().map(|file| content(tree, file)).collect();
    let mut remarks = RenderRemarks { values: Some(json!(own)), ..RenderRemarks::default() };
    let rendered = async {
        let found = charts.find(&source.chart, deployment.engine).await?;
        remarks.chart_version = found.file();
        remarks.facts.extend(found.remark.clone());
        let options = source.options.as_ref().map_err(|reason| RenderError::Unsupported(reason.to_string()))?;
        let home = private_directory()?;
        let place = ChartPlace::Pulled { chart: &found.path, name: &source.chart.name, home: home.path() };
        let files = ApplicationFiles::find(tree, place, deployment, options)?;
        renderer.render_chart(&found.path, (deployment, options, &files), capabilities, &home).await
    };
    let rendered: Result<_, RenderError> = rendered.await;
    let rendered = rendered.map_err(|error| match error {
        RenderError::Broken(text) => RenderError::Broken(scrub(&without_private_paths(&text, tree)).into_owned()),
        unsupported => unsupported,
    });
    (rendered, remarks)
}

/// Returns the content of a file of the checkout, or of the files that a pattern matches, to compare it; null if there is none. A
/// file that cannot be read is not the same in another tree.
fn content(tree: &CheckoutTree, file: &str) -> Value {
    let unread = || json!({"unread in": tree.top.to_string_lossy()});
    let text = |path: &Path| match read_file(path) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into(),
        Err(_) => unread(),
    };
    if is_pattern(file) {
        let Ok(files) = matching_files(tree, &tree.top, file) else { return unread() };
        let name = |path: &Path| path.strip_prefix(&tree.top).unwrap_or(path).to_string_lossy().into_owned();
        return files.iter().map(|path| json!([name(path), text(path)])).collect();
    }
    match tree.find_inside(&tree.top, file) {
        Ok(Some(path)) => text(&path),
        Ok(None) if tree.top.join(file).symlink_metadata().is_err() => Value::Null,
        _ => unread(),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::manifests::checkout::GitCheckout;

    #[test]
    fn a_file_that_cannot_be_read_differs_between_trees() {
        let outside = tempfile::tempdir().unwrap();
        std::fs::write(outside.path().join("values.yaml"), "a: b").unwrap();
        let trees = [(); 2].map(|()| {
            let directory = tempfile::tempdir().unwrap();
            std::fs::write(directory.path().join("own.yaml"), "a: b").unwrap();
            std::os::unix::fs::symlink(outside.path().join("values.yaml"), directory.path().join("link.yaml")).unwrap();
            (GitCheckout::containing(directory.path()).unwrap().working_tree(), directory)
        });
        let is_same = |file: &str| content(&trees[0].0, file) == content(&trees[1].0, file);
        let files = ["own.yaml", "none.yaml", "link.yaml", "o*.yaml", "l*.yaml"];
        assert_eq!(files.map(is_same), [true, true, false, true, false]);
    }
}
