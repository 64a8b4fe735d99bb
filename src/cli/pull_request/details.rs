//! What the text of a pull request says besides the versions: the commits between them, and the effects on the clusters.

use std::fmt::Write as _;
use std::time::Duration;

use crate::cli::Context;
use crate::cli::app_clusters::EngineNamespaceArgs;
use crate::cli::comparison::{ComparedCheckout, ComparisonArgs};
use crate::cli::image_origin::{ImageOriginReader, MOST_IMAGES};
use crate::cli::plan::wanted;
use crate::cli::writing::ImageUpdate;
use crate::promote::landing::Landing;
use crate::render::Report as _;
use crate::render::words::markdown_cell;
use crate::report::plan::MergePlan;
use ucp_client::source::live;
use ucp_core::error::Result;
use ucp_core::model::text::one_line;
use ucp_features::forge::commits::{CommitRange, commits_between};
use ucp_features::plan::examine::ComparisonPurpose;

/// Time limit for all of them: registries are no reason to wait with a pull request.
const PATIENCE: Duration = Duration::from_secs(30);

/// Returns links to the commits between versions, in markdown: of images that name their origin, in registries that the user has a
/// login of docker for, and in those of public images.
///
/// # Errors
/// Fails when the system cannot start threads.
pub(super) fn commits(context: &Context, updates: &[ImageUpdate]) -> Result<Option<String>> {
    if updates.is_empty() {
        return Ok(None);
    }
    let _waiting = context.ui.waiting_progress("reading the commits of the images");
    let mut ranges: Vec<(&ImageUpdate, CommitRange)> = Vec::new();
    let read = async {
        let origins = ImageOriginReader::default();
        for update in updates.iter().take(MOST_IMAGES) {
            let (before, after) =
                tokio::join!(origins.origin(&update.name, &update.before), origins.origin(&update.name, &update.after));
            let range = after.and_then(|after| commits_between(before.as_ref(), &after, &super::variable));
            ranges.extend(range.map(|range| (update, range)));
        }
    };
    let _ = live::runtime()?.block_on(async { tokio::time::timeout(PATIENCE, read).await });
    ranges.dedup_by(|later, earlier| later.1 == earlier.1 && later.0.service == earlier.0.service);
    let mut text = "**Commits**\n\n".to_owned();
    for (update, range) in &ranges {
        let short = |commit: &str| commit.chars().take(12).collect::<String>();
        let commits = match &range.before {
            Some(before) => format!("{}...{}", short(before), short(&range.after)),
            None => short(&range.after),
        };
        let commits = match &range.page {
            Some(page) => format!("[`{commits}`]({page})"),
            None => format!("`{commits}`"),
        };
        let (service, repository) = (markdown_cell(&update.service), markdown_cell(&range.repository));
        let _ = writeln!(text, "- {service}: {commits} in {repository}");
    }
    Ok((!ranges.is_empty()).then_some(text))
}

/// Returns what `plan` says about a commit in the clusters of the command line, in markdown; `None` without a cluster. A failure is
/// a warning, since the pull request does not depend on it.
pub(super) fn effects(context: &Context, landing: &Landing, commit: &str) -> Option<String> {
    if !context.names_a_cluster() || context.globals.connection.from.is_some() {
        return None;
    }
    match compare(context, landing, commit) {
        Ok(plan) => Some(format!(
            "<details><summary>What changes in the clusters</summary>\n\n{}\n\n</details>\n",
            plan.markdown().trim()
        )),
        Err(error) => {
            let reason = one_line(&error.message());
            context.ui.warn(&format!("the pull request does not show what changes in the clusters: {reason}"));
            None
        }
    }
}

/// Compares a commit with the one before it.
fn compare(context: &Context, landing: &Landing, commit: &str) -> Result<MergePlan> {
    let (args, namespaces) = (ComparisonArgs::standard(), EngineNamespaceArgs::default());
    let opened = ComparedCheckout::open(context, &args, namespaces, &[landing.top().to_owned()])?;
    let before = format!("{commit}^");
    let (base, head) = (opened.checkout.revision(&before)?, opened.checkout.revision(commit)?);
    let state = context.read(&wanted)?;
    let mut outcome = opened.compare(&state, Some(&base), &head, (ComparisonPurpose::Merge, None))?;
    outcome.unreadable.extend(state.unreadable);
    Ok(MergePlan::from_outcome(state.origin, (Some(before), Some(commit.to_owned())), outcome))
}
