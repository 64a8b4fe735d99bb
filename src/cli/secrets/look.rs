//! The first step of `secrets` and its subcommands: reads the core cluster and its app clusters, live or from
//! snapshots.

use std::collections::BTreeSet;

use super::reach::ReachArgs;
use crate::cli::Context;
use crate::render::words;
use crate::report::distribution::SecretDistribution;
use ucp_client::source::live;
use ucp_core::error::{Error, Result};
use ucp_core::model::nearest::did_you_mean_name;
use ucp_core::model::state::{ClusterState, Unreadable};
use ucp_features::adopt::inventory::{self, AppClusterInventory};
use ucp_features::adopt::live::gather::PreviousRead;
use ucp_features::adopt::names::NamespacedName;
use ucp_features::distribution::app::SurveyedCluster;
use ucp_features::distribution::fingerprint::Fingerprinter;
use ucp_features::distribution::live::{self as asking, AppClusterQuery, ReadScope, hidden, named};
use ucp_features::distribution::{self, CopyRow, CoreSecrets, snapshot};

/// What is looked at, and how app clusters are reached.
#[derive(Debug, Clone, Default, clap::Args)]
pub(in crate::cli) struct LookArgs {
    /// Only these Secrets, by NAME or, in the core cluster, by NAMESPACE/NAME
    #[arg(value_name = "NAME")]
    pub(in crate::cli) names: Vec<String>,
    /// Only this app cluster; may be repeated
    #[arg(long = "app-cluster", value_name = "NAME")]
    pub(in crate::cli) app_clusters: Vec<String>,
    #[command(flatten)]
    pub(in crate::cli) reach: ReachArgs,
    /// True if this is one of several core clusters that the flags apply to.
    #[arg(skip)]
    is_one_of_several: bool,
    /// The amount of objects to read.
    #[arg(skip)]
    breadth: ReadScope,
}

impl LookArgs {
    /// Returns the same arguments, for each core cluster on the command line.
    ///
    /// # Errors
    /// Fails when a snapshot of an app cluster is given together with several core clusters.
    pub(super) fn for_each(&self, context: &Context) -> Result<Self> {
        if self.reach.snapshots().next().is_some() {
            context.needs_one_source("--app-from")?;
        }
        Ok(Self { is_one_of_several: context.has_several_sources(), ..self.clone() })
    }

    /// Returns arguments for these Secrets only.
    ///
    /// # Errors
    /// Same as [`Self::for_each`].
    pub(in crate::cli) fn for_secrets(
        context: &Context,
        names: &[String],
        app_clusters: &[String],
        reach: &ReachArgs,
    ) -> Result<Self> {
        let everything = Self::everything(context, reach)?;
        Ok(Self { names: names.to_vec(), app_clusters: app_clusters.to_vec(), ..everything })
    }

    /// Returns the same arguments, limited to declared copies unless Secrets are named.
    pub(super) fn declared_only(&self) -> Self {
        let breadth = if self.names.is_empty() { ReadScope::Declared } else { ReadScope::Copies };
        Self { breadth, ..self.clone() }
    }

    /// Returns the same arguments, with the reads that show which Secrets are never copied.
    pub(super) fn for_copies(&self) -> Self {
        Self { breadth: ReadScope::Copies, ..self.clone() }
    }

    /// Returns the same arguments, with the reads that deletions need. Not for a look at declared copies alone.
    pub(super) fn for_deletion(&self) -> Self {
        Self { breadth: ReadScope::Deletion, ..self.clone() }
    }

    /// Returns the same arguments, without requests to app clusters.
    pub(super) fn declarations_only(&self) -> Self {
        Self { breadth: ReadScope::Nothing, ..self.clone() }
    }

    /// Returns arguments for everything that these flags can reach.
    ///
    /// # Errors
    /// Same as [`Self::for_each`].
    pub(in crate::cli) fn everything(context: &Context, reach: &ReachArgs) -> Result<Self> {
        Self { reach: reach.clone(), ..Self::default() }.for_each(context)
    }
}

/// The result of a look.
pub(in crate::cli) struct SecretsLook {
    pub(super) state: ClusterState,
    pub(super) inventory: AppClusterInventory,
    pub(super) core: CoreSecrets,
    pub(super) apps: Vec<SurveyedCluster>,
    pub(in crate::cli) rows: Vec<CopyRow>,
    /// The names of all rows, selected or not.
    names: Vec<String>,
    /// For each app cluster, true if it was read.
    looked_at: Vec<bool>,
}

impl SecretsLook {
    pub(in crate::cli) fn report(&self) -> SecretDistribution {
        let apps = self.apps.iter().zip(&self.looked_at).filter_map(|(app, is_looked_at)| is_looked_at.then_some(app));
        SecretDistribution::from_rows(&self.state, &self.core, &apps.collect::<Vec<_>>(), &self.rows)
    }
}

impl SecretsLook {
    /// Returns the Secret of the core cluster with this name, as far as it is known.
    pub(in crate::cli) fn source_name(&self, name: &str) -> NamespacedName {
        let known = || self.core.sources.candidates(name).first().map(|known| (*known).clone());
        let guess = || NamespacedName { namespace: String::new(), name: name.to_owned() };
        name.parse().ok().or_else(known).unwrap_or_else(guess)
    }

    /// Returns the Secrets of the core cluster that are copied, or should be.
    pub(super) fn sources(&self) -> BTreeSet<NamespacedName> {
        self.rows.iter().filter_map(|row| row.source.clone()).collect()
    }

    /// Returns their copies in an app cluster, by its position in the inventory.
    pub(super) fn targets(&self, position: usize) -> BTreeSet<NamespacedName> {
        let here = self.rows.iter().filter(|row| row.position == Some(position));
        here.map(|row| row.target.clone()).collect()
    }

    /// Returns the objects that could not be read.
    pub(in crate::cli) fn unreadable(&self) -> Vec<Unreadable> {
        self.report().unreadable.into_iter().map(|entry| entry.item).collect()
    }
}

/// Reads the core cluster and its app clusters.
///
/// # Errors
/// Fails when the core cluster cannot be read, or a name is unknown.
pub(in crate::cli) fn look(context: &Context, args: &LookArgs) -> Result<SecretsLook> {
    look_beside(context, args, None)
}

/// Like [`look`], and reuses the objects of the core cluster that are already read.
///
/// # Errors
/// Same as [`look`].
pub(in crate::cli) fn look_beside(
    context: &Context,
    args: &LookArgs,
    known: Option<PreviousRead<'_>>,
) -> Result<SecretsLook> {
    let seen = look_unchecked(context, args, known)?;
    check_secret_names(&seen, &args.names)?;
    Ok(seen)
}

/// Like [`look`], for named Secrets that may have been deleted in the meantime.
///
/// # Errors
/// Fails when the core cluster cannot be read.
pub(in crate::cli) fn look_again(context: &Context, args: &LookArgs) -> Result<SecretsLook> {
    look_unchecked(context, args, None)
}

fn look_unchecked(context: &Context, args: &LookArgs, known: Option<PreviousRead<'_>>) -> Result<SecretsLook> {
    let access = &args.reach.access;
    let mut gathered = match args.breadth {
        ReadScope::Everything => context.gather_clusters_with(access, &distribution::want, known)?,
        ReadScope::Copies => context.gather_clusters_with(access, &distribution::want_for_copies, known)?,
        ReadScope::Deletion => context.gather_clusters_with(access, &distribution::want_for_deletion, known)?,
        ReadScope::Declared | ReadScope::Nothing => {
            named::gather(&context.globals.connection, &access.view(context), &|_, _| {})?
        }
    };
    if args.breadth != ReadScope::Nothing {
        hidden::report_hidden_kinds(&context.globals.connection, &mut gathered)?;
    }
    let inventory = inventory::build_inventory(&gathered.state, &gathered.kinds, &access.view(context));
    let comparer = Fingerprinter::new()?;
    let core = CoreSecrets::from_state(&gathered.state, &inventory, &comparer);
    check_cluster_names(context, &inventory, args, &gathered.state)?;
    let is_asked = args.breadth != ReadScope::Nothing;
    let is_looked_at = |position| is_asked && is_of_interest(args, &core, &inventory, position);
    let looked_at: Vec<bool> = (0..inventory.clusters.len()).map(is_looked_at).collect();
    // One cluster may have several names: a copy that is declared under another one is not deleted.
    let is_for_deletion = args.breadth == ReadScope::Deletion;
    let is_asked_too = |position: usize, cluster| is_for_deletion && asking::is_of_interest(&core, position, cluster);
    let clusters = inventory.clusters.iter().enumerate();
    let asked: Vec<bool> = clusters.map(|(at, cluster)| looked_at[at] || is_asked_too(at, cluster)).collect();
    let apps = match &context.globals.connection.from {
        Some(path) => snapshot::read(path, &args.reach.snapshots().collect(), &inventory, &comparer)?,
        None => {
            let ways = args.reach.ways(context, &gathered.state)?;
            let progress = context.ui.progress("asking the app clusters");
            let (core, inventory, comparer) = (&core, &inventory, &comparer);
            let question = AppClusterQuery { core, inventory, comparer, breadth: args.breadth, is_asked: &asked };
            let show = |done, total| progress.show(done, total);
            live::runtime()?.block_on(asking::read_all(&question, &ways, &show))
        }
    };
    let chosen: Vec<NamespacedName> = args.names.iter().filter_map(|name| name.parse().ok()).collect();
    let mut rows = distribution::survey(&core, &apps, &chosen);
    rows.retain(|row| is_chosen(&args.app_clusters, &row.cluster));
    let in_scope = |row: &CopyRow| match (&context.globals.scope.namespace, &row.source) {
        (Some(namespace), Some(source)) => source.namespace == *namespace,
        _ => true,
    };
    rows.retain(in_scope);
    let names = rows.iter().map(|row| row.target.name.clone()).collect();
    if !args.names.is_empty() {
        rows.retain(|row| args.names.iter().any(|name| row.is_called(name)));
    }
    Ok(SecretsLook { state: gathered.state, inventory, core, apps, rows, names, looked_at })
}

fn is_chosen(chosen: &[String], cluster: &str) -> bool {
    chosen.is_empty() || chosen.iter().any(|name| name == cluster)
}

/// Returns true if a cluster is read: an engine deploys to it, a copy is declared for it, or a flag gives access to it.
fn is_of_interest(args: &LookArgs, core: &CoreSecrets, inventory: &AppClusterInventory, position: usize) -> bool {
    let cluster = &inventory.clusters[position];
    let is_named = args.app_clusters.contains(&cluster.name) || args.reach.named().any(|name| name == cluster.name);
    is_chosen(&args.app_clusters, &cluster.name) && (is_named || asking::is_of_interest(core, position, cluster))
}

/// Fails when a flag names an unknown cluster, since a mistyped name would report no problem. With several core
/// clusters, access to a cluster of one of them does not apply to the others.
fn check_cluster_names(
    context: &Context,
    inventory: &AppClusterInventory,
    args: &LookArgs,
    state: &ClusterState,
) -> Result<()> {
    let known: Vec<&str> = inventory.clusters.iter().map(|cluster| cluster.name.as_str()).collect();
    let ways = args.reach.named().filter(|_| !args.is_one_of_several);
    match args.app_clusters.iter().map(String::as_str).chain(ways).find(|name| !known.contains(name)) {
        None => Ok(()),
        Some(name) if !state.unreadable.is_empty() => {
            let gaps = words::join_limited(&words::unreadable(&state.unreadable), 3);
            let message =
                format!("it is unknown whether app cluster '{name}' exists, because these could not be read: {gaps}");
            Err(context.failed_to_read(message, &state.unreadable))
        }
        Some(name) => {
            let like = did_you_mean_name(name, known.iter().copied());
            Err(Error::absent(format!("no app cluster is called '{name}'{like}"))
                .hint("'kubectl ucp clusters' lists them"))
        }
    }
}

/// Fails when a named Secret is unknown, since a mistyped name would report no problem.
fn check_secret_names(seen: &SecretsLook, names: &[String]) -> Result<()> {
    let is_source = |name: &str| match name.parse::<NamespacedName>() {
        Ok(key) => seen.core.sources.get(&key).is_some(),
        Err(_) => !seen.core.sources.candidates(name).is_empty(),
    };
    let is_known = |name: &&String| is_source(name) || seen.rows.iter().any(|row| row.is_called(name));
    let Some(unknown) = names.iter().find(|name| !is_known(name)) else { return Ok(()) };
    let like = did_you_mean_name(unknown, seen.names.iter().map(String::as_str));
    Err(Error::absent(format!("the app clusters do not need a Secret named '{unknown}'{like}"))
        .hint("'kubectl ucp secrets' lists them"))
}
