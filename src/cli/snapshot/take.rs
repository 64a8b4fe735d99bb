//! `kubectl ucp snapshot FILE`

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::cli::Context;
use crate::cli::app_clusters::AppClusterArgs;
use crate::cli::everything::want;
use crate::cli::reading::outcome;
use crate::cli::side_by_side::side_by_side;
use crate::render::words::count;
use crate::report::snapshot::SnapshotFile;
use ucp_client::source::kubeconfig;
use ucp_client::source::live;
use ucp_client::source::live::api::Api;
use ucp_client::source::live::stream::StreamQuery;
use ucp_client::source::snapshot::index::{APP_CLUSTERS, AppClusterEntry, distinct_directories};
use ucp_core::error::{Error, Outcome, Result};
use ucp_core::failure::Failure;
use ucp_core::model::secrecy::{Placeholders, scrub};
use ucp_core::model::state::Unreadable;
use ucp_features::adopt::cluster::AppCluster;
use ucp_features::adopt::inventory;
use ucp_features::adopt::live::remote;
use ucp_features::capture::archive::{ExistingSnapshot, SnapshotArchive, is_archive};
use ucp_features::capture::literal::{LiteralException, LiteralExceptions};
use ucp_features::capture::nights::NightlyDirectory;
use ucp_features::capture::{self, CaptureSource};

#[derive(Debug, clap::Args)]
#[group(skip)]
pub(super) struct Args {
    /// An archive if the name ends in .tar.gz or .tgz, otherwise a directory
    #[arg(value_name = "FILE.tar.gz|DIR", required = true, value_hint = clap::ValueHint::AnyPath)]
    target: Option<PathBuf>,
    /// Replace an existing snapshot
    #[arg(long)]
    overwrite: bool,
    /// A number: add the snapshot to the nightly ones in the directory, and keep this many of them. PLACE/NAME: keep
    /// literal values that are hidden otherwise: environment/NAME, argument/FLAG, annotation/KEY or
    /// configmap/NAMESPACE/NAME; or the schemas of a CustomResourceDefinition: schema/NAME; * matches any characters
    #[arg(long, value_name = "NUMBER|PLACE/NAME", value_delimiter = ',')]
    keep: Vec<KeptThing>,
    /// Include the app clusters that are registered with Argo CD or Flux
    #[arg(long)]
    app_clusters: bool,
    #[command(flatten)]
    access: AppClusterArgs,
}

/// A value of `--keep`.
#[derive(Debug, Clone, PartialEq, Eq)]
enum KeptThing {
    /// This many nightly snapshots.
    Nights(NonZeroUsize),
    /// A value that is hidden otherwise.
    Value(LiteralException),
}

impl FromStr for KeptThing {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        if text.starts_with(|character: char| character.is_ascii_digit() || character == '-') {
            let nights = text.parse().map_err(|_| format!("'{text}' is no number of snapshots, such as 14"))?;
            return Ok(Self::Nights(nights));
        }
        text.parse().map(Self::Value)
    }
}

impl Args {
    /// Returns the number of nightly snapshots to keep, if the snapshot is a nightly one.
    ///
    /// # Errors
    /// Returns a usage error if it cannot be one.
    fn nights(&self, target: &Path) -> Result<Option<usize>> {
        let numbers = self.keep.iter().filter_map(|kept| match kept {
            KeptThing::Nights(number) => Some(number.get()),
            KeptThing::Value(_) => None,
        });
        let number = match numbers.collect::<Vec<_>>().as_slice() {
            [] => return Ok(None),
            [number] => *number,
            _ => return Err(Error::usage("--keep has two numbers of snapshots")),
        };
        if self.overwrite {
            return Err(Error::usage("--overwrite replaces a snapshot, and --keep NUMBER adds one"));
        }
        if is_archive(target) || target.is_file() {
            let message = format!("--keep NUMBER needs a directory, and {} is a file", target.display());
            return Err(Error::usage(message).hint("kubectl ucp snapshot --keep 14 DIRECTORY"));
        }
        Ok(Some(number))
    }

    fn exceptions(&self) -> LiteralExceptions {
        let exceptions = self.keep.iter().filter_map(|kept| match kept {
            KeptThing::Value(exception) => Some(exception.clone()),
            KeptThing::Nights(_) => None,
        });
        LiteralExceptions(exceptions.collect())
    }
}

/// Number of app clusters that are read concurrently. Unlike a look, each of them keeps this machine busy.
const AT_ONCE: usize = 16;

pub(super) fn run(context: &Context, args: &Args) -> Result<Outcome> {
    let Some(target) = &args.target else {
        return Err(Error::usage("a destination is required: FILE.tar.gz or a directory"));
    };
    let existing = if args.overwrite { ExistingSnapshot::Replace } else { ExistingSnapshot::Keep };
    let nights = args.nights(target)?;
    let flags = &context.globals.connection;
    let connection = kubeconfig::load(flags)?;
    let nightly = nights.map(|_| NightlyDirectory::open(target)).transpose()?;
    let written = nightly.as_ref().map_or_else(|| target.clone(), NightlyDirectory::snapshot);
    let archive = Mutex::new(SnapshotArchive::create(&written, existing)?);
    let placeholders = Placeholders::new()?;
    let placeholders = Arc::new(placeholders);
    let exceptions = Arc::new(args.exceptions());
    let (app_clusters, elsewhere) = match args.app_clusters {
        true => take_app_clusters(context, args, &exceptions, &placeholders, &archive)?.into_iter().unzip(),
        false => (Vec::new(), Vec::new()),
    };
    let runtime = live::runtime()?;
    let api = runtime.block_on(async { Api::connect(&connection, flags.request_timeout) })?;
    let progress = context.reading_progress();
    let cluster = CaptureSource {
        api: &api,
        context: connection.context,
        server: connection.server,
        directory: String::new(),
        app_clusters,
    };
    let show = |done, total| progress.show(done, total);
    let ask = StreamQuery { want: &want, namespace: context.globals.scope.namespace.as_deref(), progress: &show };
    let index = runtime.block_on(capture::capture_cluster(cluster, &ask, &exceptions, &placeholders, &archive))?;
    drop(progress);
    let size = archive.into_inner().unwrap_or_else(PoisonError::into_inner).finish()?;
    let (path, size) = match (nightly, nights) {
        (Some(nightly), Some(keep)) => {
            let added = nightly.add(index.taken_at, keep)?;
            if added.removed > 0 {
                let removed = count(added.removed, "older snapshots");
                context.ui.message(&format!("removed {removed} of {}: --keep {keep}", target.display()));
            }
            (added.path, added.size)
        }
        _ => (target.clone(), size),
    };
    let of_core = index.unreadable.len();
    let report = SnapshotFile::from_index(&path, size, index, elsewhere.concat());
    context.print(&report)?;
    context.warn_of_unreadable(&report.unreadable);
    context.hint_at_rights(&report.unreadable[..of_core]);
    let is_missing = report.app_clusters.iter().any(|cluster| cluster.reason.is_some());
    Ok(if is_missing { Outcome::Incomplete } else { outcome(&report.unreadable) })
}

/// Takes each registered cluster, with the credential of its engine, and returns its unreadable objects. A cluster that
/// does not respond does not affect the others.
fn take_app_clusters(
    context: &Context,
    args: &Args,
    exceptions: &Arc<LiteralExceptions>,
    placeholders: &Arc<Placeholders>,
    archive: &Mutex<SnapshotArchive>,
) -> Result<Vec<(AppClusterEntry, Vec<Unreadable>)>> {
    let gathered = context.gather_clusters(&args.access)?;
    let inventory = inventory::build_inventory(&gathered.state, &gathered.kinds, &args.access.view(context));
    let registered: Vec<&AppCluster> =
        inventory.clusters.iter().filter(|cluster| !cluster.registrations.is_empty()).collect();
    let directories = distinct_directories(registered.iter().map(|cluster| cluster.name.as_str()));
    let clusters: Vec<(&AppCluster, String)> =
        registered.into_iter().zip(directories.iter().map(|name| format!("{APP_CLUSTERS}/{name}/"))).collect();
    let progress = context.ui.progress("reading app clusters");
    let done = AtomicUsize::new(0);
    progress.show(0, clusters.len());
    Ok(side_by_side(&clusters, AT_ONCE, |(cluster, directory)| {
        let server = cluster.server().unwrap_or_default();
        let take = || {
            let access = args.access.access(cluster, gathered.state.moment)?;
            let runtime = live::runtime()?;
            runtime.block_on(async {
                let one = CaptureSource {
                    api: &remote::connect(&access, context.globals.connection.request_timeout)?,
                    context: String::new(),
                    server: server.clone(),
                    directory: directory.clone(),
                    app_clusters: Vec::new(),
                };
                let ask = StreamQuery { want: &want, namespace: None, progress: &|_, _| {} };
                capture::capture_cluster(one, &ask, exceptions, placeholders, archive).await
            })
        };
        let (reason, lost) = match take() {
            Ok(index) => (None, index.unreadable),
            Err(error) => (Some(scrub(&error.message()).into_owned()), Vec::new()),
        };
        progress.show(done.fetch_add(1, Ordering::Relaxed) + 1, clusters.len());
        let entry = AppClusterEntry {
            name: cluster.name.clone(),
            server: scrub(&server).into_owned(),
            directory: directory.clone(),
            reason,
            unreadable: lost.len(),
        };
        let named =
            |lost: Unreadable| Unreadable { what: format!("{} of app cluster {}", lost.what, cluster.name), ..lost };
        (entry, lost.into_iter().map(named).collect())
    }))
}
