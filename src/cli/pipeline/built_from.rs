//! The commits that the images of a pipeline were built from.

use std::time::Duration;

use futures::future::join_all;

use crate::cli::Context;
use crate::cli::image_origin::{ImageOriginReader, MOST_IMAGES};
use crate::cli::pull_request::variable;
use crate::report::pipeline::{BuildCommit, Pipeline};
use ucp_client::source::live;
use ucp_core::error::Result;
use ucp_features::forge::commits::commits_between;
use ucp_repo::slot::artifact::ArtifactKind;

/// Time limit for all registries: the rest of the report does not depend on them.
const PATIENCE: Duration = Duration::from_secs(10);

/// Adds the commits of the images whose registries can be read.
///
/// # Errors
/// Fails when the system cannot start threads.
pub(super) fn add_commits(context: &Context, report: &mut Pipeline) -> Result<()> {
    let images = report.versions.iter_mut().filter(|version| version.artifact == ArtifactKind::Image);
    let origins = &ImageOriginReader::default();
    let reads: Vec<_> = images
        .take(MOST_IMAGES)
        .map(|version| async move {
            let origin = origins.origin(&version.name, &version.version).await;
            let range = origin.and_then(|origin| commits_between(None, &origin, &variable));
            if let Some(range) = range {
                version.commit = Some(range.after.clone());
                version.built_from =
                    Some(BuildCommit { repository: range.repository, commit: range.after, page: range.page });
            }
        })
        .collect();
    let _waiting = context.ui.waiting_progress("reading the commits of the images");
    let _ = live::runtime()?.block_on(async { tokio::time::timeout(PATIENCE, join_all(reads)).await });
    Ok(())
}
