//! What `secrets` and all that stands below it look at first: the core cluster and its app clusters, live or from snapshots.

use std::path::PathBuf;

use anyhow::anyhow;

use crate::adopt::inventory::{self, Inventory};
use crate::adopt::live::gather;
use crate::adopt::names::Namespaced;
use crate::cli::Context;
use crate::cli::app_clusters::AppClusterArgs;
use crate::distribution::app::App;
use crate::distribution::fingerprint::Comparer;
use crate::distribution::live::way::{Lent, Ways};
use crate::distribution::live::{self as asking, Question};
use crate::distribution::{self, Core, Row, snapshot};
use crate::error::{Error, Result};
use crate::model::nearest::did_you_mean;
use crate::model::state::ClusterState;
use crate::report::distribution::SecretDistribution;
use crate::source::live;

/// What is looked at, and how app clusters are reached.
#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct LookArgs {
    /// Only these Secrets, by NAME or, in the core cluster, by NAMESPACE/NAME
    #[arg(value_name = "NAME")]
    pub(super) names: Vec<String>,
    /// Only this app cluster; may be repeated
    #[arg(long = "app-cluster", value_name = "NAME")]
    pub(super) app_clusters: Vec<String>,
    /// The context of your kubeconfig that leads to an app cluster; may be repeated
    #[arg(long, value_name = "CLUSTER=CONTEXT", value_delimiter = ',', value_parser = pair)]
    context_map: Vec<(String, String)>,
    /// Where no context leads to an app cluster, log in as its engine or its provisioner does, who may do more than you
    #[arg(long)]
    use_registration: bool,
    /// With --from, the snapshot of an app cluster; may be repeated
    #[arg(long, value_name = "CLUSTER=PATH", value_parser = pair, value_hint = clap::ValueHint::AnyPath)]
    app_from: Vec<(String, String)>,
    #[command(flatten)]
    pub(super) access: AppClusterArgs,
}

impl LookArgs {
    /// The ways into app clusters.
    ///
    /// # Errors
    /// When the kubeconfig cannot be read, or lacks a context that was named.
    pub(super) fn ways<'a>(&'a self, context: &'a Context, state: &ClusterState) -> Result<Ways<'a>> {
        let lent = if self.use_registration { Lent::Allowed } else { Lent::Never };
        Ways::of(&context.globals.connection, &self.context_map, lent, self.access.allowed(), state.moment)
    }
}

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && !value.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("expected CLUSTER=VALUE".to_owned()),
    }
}

/// What was seen.
pub(super) struct Seen {
    pub(super) state: ClusterState,
    pub(super) inventory: Inventory,
    pub(super) core: Core,
    pub(super) apps: Vec<App>,
    pub(super) rows: Vec<Row>,
    /// The names of all rows, chosen or not.
    names: Vec<String>,
    /// Which of the app clusters were looked at.
    looked_at: Vec<bool>,
}

impl Seen {
    pub(super) fn report(&self) -> SecretDistribution {
        let apps = self.apps.iter().zip(&self.looked_at).filter_map(|(app, is_looked_at)| is_looked_at.then_some(app));
        SecretDistribution::of(&self.state, &self.core, &apps.collect::<Vec<_>>(), &self.rows)
    }
}

/// Looks at the core cluster and its app clusters.
///
/// # Errors
/// When the core cluster cannot be read, or a name is unknown.
pub(super) fn look(context: &Context, args: &LookArgs) -> Result<Seen> {
    let seen = look_again(context, args)?;
    known_names(&seen, &args.names)?;
    Ok(seen)
}

/// The same, where what was named may have gone in between.
///
/// # Errors
/// When the core cluster cannot be read.
pub(super) fn look_again(context: &Context, args: &LookArgs) -> Result<Seen> {
    let flags = &context.globals.connection;
    let progress = context.reading();
    let view = args.access.view(context);
    let told = |done, total| progress.show(done, total);
    let gathered = gather::gather_with(flags, &view, &distribution::want, &told)?;
    drop(progress);
    gathered.state.notes.iter().for_each(|note| context.ui.warn(note));
    let inventory = inventory::take(&gathered.state, &gathered.kinds, &view);
    let comparer = Comparer::new().map_err(|reason| Error::failed(anyhow!(reason)))?;
    let core = Core::of(&gathered.state, &inventory, &comparer);
    known_clusters(&inventory, args)?;
    let apps = match &flags.from {
        Some(path) => {
            let own = args.app_from.iter().map(|(name, path)| (name.clone(), PathBuf::from(path))).collect();
            snapshot::read(path, &own, &inventory, &comparer)?
        }
        None => ask(context, args, &gathered.state, &inventory, (&core, &comparer))?,
    };
    let mut rows = distribution::survey(&core, &apps);
    rows.retain(|row| is_chosen(&args.app_clusters, &row.cluster));
    let in_scope = |row: &Row| match (&context.globals.scope.namespace, &row.source) {
        (Some(namespace), Some(source)) => source.namespace == *namespace,
        _ => true,
    };
    rows.retain(in_scope);
    let names = rows.iter().map(|row| row.target.name.clone()).collect();
    if !args.names.is_empty() {
        rows.retain(|row| args.names.iter().any(|name| is_called(row, name)));
    }
    let is_looked_at = apps.iter().enumerate().map(|(position, _)| is_of_interest(args, &core, &inventory, position));
    let looked_at = is_looked_at.collect();
    Ok(Seen { state: gathered.state, inventory, core, apps, rows, names, looked_at })
}

fn is_chosen(chosen: &[String], cluster: &str) -> bool {
    chosen.is_empty() || chosen.iter().any(|name| name == cluster)
}

/// Whether a cluster is looked at: an engine deploys to it, something declares a copy for it, or a flag says how to get there.
fn is_of_interest(args: &LookArgs, core: &Core, inventory: &Inventory, position: usize) -> bool {
    let cluster = &inventory.clusters[position];
    let is_named = args.app_clusters.contains(&cluster.name)
        || args.context_map.iter().chain(&args.app_from).any(|(name, _)| *name == cluster.name);
    is_chosen(&args.app_clusters, &cluster.name) && (is_named || asking::is_of_interest(core, position, cluster))
}

/// Clusters that flags name have to be there: a mistyped one would be well.
fn known_clusters(inventory: &Inventory, args: &LookArgs) -> Result<()> {
    let known: Vec<&str> = inventory.clusters.iter().map(|cluster| cluster.name.as_str()).collect();
    let mapped = args.context_map.iter().chain(&args.app_from).map(|(name, _)| name);
    match args.app_clusters.iter().chain(mapped).find(|name| !known.contains(&name.as_str())) {
        None => Ok(()),
        Some(name) => {
            let like = did_you_mean(name, known.iter().copied());
            Err(Error::failed(anyhow!("no app cluster is called '{name}'{like}"))
                .hint("'kubectl ucp clusters' lists them"))
        }
    }
}

fn ask(
    context: &Context,
    args: &LookArgs,
    state: &ClusterState,
    inventory: &Inventory,
    (core, comparer): (&Core, &Comparer),
) -> Result<Vec<App>> {
    let ways = args.ways(context, state)?;
    let is_asked = |position: usize| is_of_interest(args, core, inventory, position);
    let progress = context.ui.progress("asking the app clusters");
    let question = Question { core, comparer, is_asked: &is_asked };
    Ok(live::runtime()?.block_on(asking::ask(&question, inventory, &ways, &progress)))
}

/// Whether a row is of a Secret of that name.
fn is_called(row: &Row, name: &str) -> bool {
    let source = row.source.as_ref();
    match name.parse::<Namespaced>() {
        Ok(key) => source == Some(&key) || row.target == key,
        Err(_) => row.target.name == name || source.is_some_and(|source| source.name == name),
    }
}

/// Secrets that were named have to be there: a mistyped one would be well.
fn known_names(seen: &Seen, names: &[String]) -> Result<()> {
    let is_source = |name: &str| match name.parse::<Namespaced>() {
        Ok(key) => seen.core.sources.get(&key).is_some(),
        Err(_) => !seen.core.sources.called(name, "").is_empty(),
    };
    let is_known = |name: &&String| is_source(name) || seen.rows.iter().any(|row| is_called(row, name));
    let Some(unknown) = names.iter().find(|name| !is_known(name)) else { return Ok(()) };
    let like = did_you_mean(unknown, seen.names.iter().map(String::as_str));
    Err(Error::failed(anyhow!("no Secret is called '{unknown}' among those that app clusters need{like}"))
        .hint("'kubectl ucp secrets' lists them"))
}
