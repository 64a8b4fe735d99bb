//! `adopt-cluster --watch`: adopts new clusters and renews expiring credentials in a loop.
//!
//! Each pass depends only on the state that it reads, so the command can be stopped at any time, and missed events do
//! no harm. Tokens expire without any event.

use std::collections::{BTreeMap, BTreeSet};

use crate::cli::Context;
use crate::cli::app_clusters::AppClusterArgs;
use crate::report::adoption::{AdoptionItem, AdoptionPlan, AdoptionState};
use crate::ui::Interaction;
use crate::ui::progress::Progress;
use ucp_client::source::live::write::ApiWriter;
use ucp_client::source::{kubeconfig, live};
use ucp_core::error::{Outcome, Result};
use ucp_core::model::git_ops::GitOps;
use ucp_features::adopt::cluster::AppCluster;
use ucp_features::adopt::live::interrupt::{Interruption, interrupted};
use ucp_features::adopt::live::prepare_account::AdoptionContext;
use ucp_features::adopt::plan::AccessOrigin;

use super::targets::{AdoptionTarget, all};
use super::work::{self, AdoptionWork};
use super::{AdoptionArgs, AdoptionSurvey, Args, survey};

/// The last reported state and reason, by cluster, engine, and purpose.
type ReportedAdoptions = BTreeMap<(String, Option<GitOps>, Option<&'static str>), (AdoptionState, Option<String>)>;

/// Runs until it is interrupted. Retries if the core cluster does not respond.
pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let runtime = live::runtime()?;
    let interruption = Interruption::listen(&runtime);
    let mut said = ReportedAdoptions::new();
    while !interruption.is_wanted() {
        // Reading the core cluster creates its own runtime.
        let pass = survey(context, &args.app_clusters, &args.adoption, Interaction::Unattended).and_then(|survey| {
            let items = runtime.block_on(pass(context, &survey, &|_| true))?;
            let news: Vec<AdoptionItem> = items.into_iter().filter(|item| is_new(item, &mut said)).collect();
            match news.is_empty() {
                true => Ok(()),
                false => context.print_and_go_on(&AdoptionPlan::from_items(survey.origin.clone(), news)),
            }
        });
        if let Err(error) = pass {
            if error.is_broken_pipe() {
                return Err(error);
            }
            context.ui.warn(&error.message());
        }
        if interruption.is_wanted() {
            break;
        }
        runtime.block_on(async {
            tokio::select! {
                () = tokio::time::sleep(args.interval) => {}
                () = interrupted() => {}
            }
        });
    }
    Ok(Outcome::Clean)
}

/// Adopts the clusters with these names that can be adopted now, once; for a command that waits for them.
///
/// # Errors
/// Fails when the core cluster cannot be read.
pub(in crate::cli) fn adopt_what_is_ready(
    context: &Context,
    access: &AppClusterArgs,
    engines: &[GitOps],
    names: &BTreeSet<&str>,
) -> Result<Vec<AdoptionItem>> {
    let mut adoption: AdoptionArgs = crate::cli::defaults()?;
    adoption.engine = engines.to_vec();
    let survey = survey(context, access, &adoption, Interaction::Unattended)?;
    let is_wanted = |cluster: &AppCluster| cluster.names().any(|name| names.contains(name));
    live::runtime()?.block_on(pass(context, &survey, &is_wanted))
}

async fn pass(
    context: &Context,
    survey: &AdoptionSurvey,
    is_wanted: &dyn Fn(&AppCluster) -> bool,
) -> Result<Vec<AdoptionItem>> {
    let connection = &context.globals.connection;
    let core = ApiWriter::connect(&kubeconfig::load(connection)?, connection.request_timeout)?;
    let tools = AdoptionContext { core: &core, bootstrap: None, timeout: connection.request_timeout };
    let targets: Vec<_> = all(&survey.inventory, &survey.selector)
        .filter(|cluster| is_wanted(cluster))
        .map(|cluster| AdoptionTarget {
            cluster: std::borrow::Cow::Borrowed(cluster),
            origin: AccessOrigin::from_cluster(cluster),
            save: None,
        })
        .collect();
    let nobody = Progress::hidden();
    let works: Vec<AdoptionWork> =
        work::prepare_all(&survey.inventory, &targets, &survey.requests, &tools, &nobody).await;
    Ok(work::carry_out_all(works, &tools, survey.requests[0].conflicts, &nobody).await)
}

/// Returns true if the item was adopted, or if it is not `Unchanged` and differs from its last report.
fn is_new(item: &AdoptionItem, said: &mut ReportedAdoptions) -> bool {
    let now = (item.state, item.reason.clone());
    let before = said.insert((item.cluster.clone(), item.engine, item.purpose), now.clone());
    match item.state {
        AdoptionState::Adopted => true,
        AdoptionState::Unchanged => false,
        _ => before != Some(now),
    }
}
