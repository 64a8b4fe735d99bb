//! `kubectl ucp snapshot FILE`

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::anyhow;

use crate::adopt::cluster::AppCluster;
use crate::adopt::inventory;
use crate::adopt::live::remote;
use crate::capture::archive::{Archive, Existing};
use crate::capture::{self, Cluster};
use crate::cli::Context;
use crate::cli::app_clusters::AppClusterArgs;
use crate::cli::everything::want;
use crate::cli::reading::outcome;
use crate::error::{Error, Outcome, Result};
use crate::model::secrecy::{Placeholders, scrub};
use crate::report::snapshot::SnapshotFile;
use crate::source::kubeconfig;
use crate::source::live;
use crate::source::live::api::Api;
use crate::source::live::stream::Ask;
use crate::source::snapshot::index::{APP_CLUSTERS, AppClusterEntry, directory};

#[derive(Debug, clap::Args)]
#[group(skip)]
pub(super) struct Args {
    /// An archive, where it ends in .tar.gz or .tgz, else a directory
    #[arg(value_name = "FILE.tar.gz|DIR", required = true, value_hint = clap::ValueHint::AnyPath)]
    target: Option<PathBuf>,
    /// Replace a snapshot that is there already
    #[arg(long)]
    overwrite: bool,
    /// Take the app clusters too that are registered with Argo CD or Flux
    #[arg(long)]
    app_clusters: bool,
    #[command(flatten)]
    access: AppClusterArgs,
}

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let Some(target) = &args.target else { return Err(Error::usage("where to? FILE.tar.gz or a directory")) };
    let existing = if args.overwrite { Existing::Replace } else { Existing::Keep };
    let flags = &context.globals.connection;
    let connection = kubeconfig::load(flags)?;
    let mut archive = Archive::create(target, existing)?;
    let placeholders = Placeholders::new().map_err(|error| Error::failed(anyhow!(error)))?;
    let placeholders = Arc::new(placeholders);
    let app_clusters = match args.app_clusters {
        true => take_app_clusters(context, args, &placeholders, &mut archive)?,
        false => Vec::new(),
    };
    let runtime = live::runtime()?;
    let api = runtime.block_on(async { Api::connect(&connection, flags.request_timeout) })?;
    let progress = context.reading();
    let cluster = Cluster {
        api: &api,
        context: connection.context,
        server: connection.server,
        directory: String::new(),
        app_clusters,
    };
    let show = |done, total| progress.show(done, total);
    let ask = Ask { want: &want, namespace: context.globals.scope.namespace.as_deref(), progress: &show };
    let index = runtime.block_on(capture::take(cluster, &ask, &placeholders, &mut archive))?;
    drop(progress);
    let report = SnapshotFile::of(target, archive.finish()?, index);
    context.print(&report)?;
    context.warn_of_unreadable(&report.unreadable);
    context.hint_at_rights(&report.unreadable);
    let is_missing = report.app_clusters.iter().any(|cluster| cluster.reason.is_some());
    Ok(if is_missing { Outcome::Incomplete } else { outcome(&report.unreadable) })
}

/// Each cluster that is registered, as its engine logs in there. One that does not answer costs itself.
fn take_app_clusters(
    context: &Context,
    args: &Args,
    placeholders: &Arc<Placeholders>,
    archive: &mut Archive,
) -> Result<Vec<AppClusterEntry>> {
    let gathered = context.gather_clusters(&args.access)?;
    let inventory = inventory::take(&gathered.state, &gathered.kinds, &args.access.view(context));
    let runtime = live::runtime()?;
    let (mut entries, mut names) = (Vec::new(), BTreeSet::new());
    for cluster in inventory.clusters.iter().filter(|cluster| !cluster.registrations.is_empty()) {
        let name = (0..).map(|number| directory(&cluster.name, number)).find(|name| names.insert(name.clone()));
        let directory = format!("{APP_CLUSTERS}/{}/", name.unwrap_or_default());
        let server = cluster.server().unwrap_or_default();
        let progress = context.ui.progress("reading kinds of app clusters");
        let show = |done, total| progress.show(done, total);
        let taken = runtime.block_on(async {
            let api = connect(cluster, args, context, gathered.state.moment)?;
            let one = Cluster {
                api: &api,
                context: String::new(),
                server: server.clone(),
                directory: directory.clone(),
                app_clusters: Vec::new(),
            };
            capture::take(one, &Ask { want: &want, namespace: None, progress: &show }, placeholders, archive).await
        });
        let reason = taken.err().map(|error| scrub(&error.message()).into_owned());
        entries.push(AppClusterEntry {
            name: cluster.name.clone(),
            server: scrub(&server).into_owned(),
            directory,
            reason,
        });
    }
    Ok(entries)
}

fn connect(cluster: &AppCluster, args: &Args, context: &Context, now: jiff::Timestamp) -> Result<Api> {
    remote::connect(args.access.way(cluster, now)?, context.globals.connection.request_timeout)
}
